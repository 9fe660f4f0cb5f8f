/* context.c: making and freeing a context. */
#include "base/context.h"

#include <stdlib.h>

static void *malloc_resize(void *user, void *p, size_t old_bytes, size_t new_bytes) {
    (void)user, (void)old_bytes;
    if (!new_bytes) return free(p), NULL;
    return realloc(p, new_bytes);
}

weft_context *weft_context_new(const weft_allocator *allocator) {
    weft_allocator alloc = allocator ? *allocator : (weft_allocator){ malloc_resize, NULL };
    weft_context *cx = alloc.resize(alloc.user, NULL, 0, sizeof *cx);
    if (!cx) return NULL;
    *cx = (weft_context){ .alloc = alloc };
    weft_arena_init(&cx->arena, &alloc);
    weft_chunk_pool_init(&cx->pool, &alloc);
    cx->chunks = weft_chunk_pool_allocator(&cx->pool);
    weft_arena_init(&cx->scratch, &cx->chunks);
    return cx;
}

void weft_context_free(weft_context *cx) {
    if (!cx) return;
    weft_allocator alloc = cx->alloc;
    weft_arena_free(&cx->scratch);
    weft_arena_free(&cx->arena);
    weft_chunk_pool_free(&cx->pool);
    alloc.resize(alloc.user, cx, sizeof *cx, 0);
}
