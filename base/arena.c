/* arena.c: chunks are a linked list, newest first. While chunks are small each is twice the size of the one before, so
 * that small arenas stay small. Later ones have the full size, one huge page with the head, so that walks over a large
 * module do not wait for the page table. */
#include "base/arena.h"
#include "base/fresh.h"
#include "base/sanitize.h"

#include <stdlib.h>
#include <string.h>

/* Bytes after each block that nobody may touch, so that what is written after a block's end is noticed. */
#ifdef WEFT_ASAN
#define GAP ((size_t)16)
#else
#define GAP ((size_t)0)
#endif

#define FIRST_BYTES ((size_t)4096)
#define SMALL_BYTES ((size_t)512 << 10)
#define FULL_BYTES (WEFT_HUGE_PAGE - sizeof(weft_chunk))

struct weft_chunk {
    weft_chunk *older;
    size_t bytes;          /* of data */
    size_t used;
    _Alignas(max_align_t) char data[]; /* allocators promise no more; padding() does the rest */
};

void weft_arena_init(weft_arena *a, const weft_allocator *alloc) {
    *a = (weft_arena){ .alloc = *alloc, .exact = weft_fresh_always() && getenv("WEFT_EXACT") };
}

static void drop_top(weft_arena *a) {
    weft_chunk *c = a->top;
    a->top = c->older;
    a->total_bytes -= c->bytes;
    WEFT_UNPOISON(c->data, c->bytes);
    a->alloc.resize(a->alloc.user, c, sizeof *c + c->bytes, 0);
}

void weft_arena_free(weft_arena *a) {
    while (a->top) drop_top(a);
}

static weft_chunk *add_chunk(weft_arena *a, size_t need) {
    size_t bytes = a->exact ? 0 : a->top ? a->top->bytes * 2 : FIRST_BYTES;
    if (bytes < need) bytes = need;
    if (bytes > SMALL_BYTES) bytes = need > FULL_BYTES ? need : FULL_BYTES;
    if (bytes > SIZE_MAX - sizeof(weft_chunk)) return NULL;
    weft_chunk *c = a->alloc.resize(a->alloc.user, NULL, 0, sizeof *c + bytes);
    if (!c) return NULL;
    c->older = a->top;
    c->bytes = bytes;
    c->used = 0;
    WEFT_POISON(c->data, bytes);
    a->top = c;
    a->total_bytes += bytes;
    return c;
}

/* Padding in front of the next block, from the real address: allocators promise max_align_t only. */
static size_t padding(const weft_chunk *c, size_t align) {
    uintptr_t at = (uintptr_t)(c->data + c->used);
    return (size_t)(-at & (align - 1));
}

static inline void *hand_out(weft_chunk *c, size_t pad, size_t bytes) {
    char *p = c->data + c->used + pad;
    c->used += pad + bytes + GAP;
    WEFT_UNPOISON(p, bytes);
    if (weft_fresh_always()) weft_fresh_fill(p, bytes);
    return p;
}

/* Apart from take(), which then needs no stack frame: nearly all blocks find room in the chunk that there is. */
static __attribute__((noinline)) void *take_from_new(weft_arena *a, size_t bytes, size_t align) {
    if (bytes > SIZE_MAX - align - GAP) return NULL;
    weft_chunk *c = add_chunk(a, bytes + align + GAP);
    return c ? hand_out(c, padding(c, align), bytes) : NULL;
}

static inline void *take(weft_arena *a, size_t bytes, size_t align) {
    weft_chunk *c = a->top;
    if (!c || a->exact) return take_from_new(a, bytes, align);
    const size_t pad = padding(c, align), room = c->bytes - c->used;
    return pad + GAP <= room && bytes <= room - pad - GAP ? hand_out(c, pad, bytes) : take_from_new(a, bytes, align);
}

static inline void *take_zeroed(weft_arena *a, size_t bytes, size_t align) {
    void *p = take(a, bytes, align);
    return p ? memset(p, 0, bytes) : NULL;
}

void *weft_arena_take(weft_arena *a, size_t bytes, size_t align) { return take(a, bytes, align); }
void *weft_arena_alloc(weft_arena *a, size_t bytes, size_t align) { return take_zeroed(a, bytes, align); }

void *weft_arena_calloc(weft_arena *a, size_t count, size_t size, size_t align) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : take_zeroed(a, bytes, align);
}

void *weft_arena_dup(weft_arena *a, const void *p, size_t bytes, size_t align) {
    void *q = take(a, bytes, align);
    if (q && bytes) memcpy(q, p, bytes);
    return q;
}

char *weft_arena_strdup(weft_arena *a, const char *p, size_t n) {
    if (n == SIZE_MAX) return NULL;
    char *q = weft_arena_take(a, n + 1, 1);
    if (!q) return NULL;
    if (n) memcpy(q, p, n);
    q[n] = '\0';
    return q;
}

weft_mark weft_arena_mark(const weft_arena *a) {
    return (weft_mark){ a->top, a->top ? a->top->used : 0 };
}

void weft_arena_reset(weft_arena *a, weft_mark mark) {
    while (a->top && a->top != mark.chunk) drop_top(a);
    if (!a->top) return;
    WEFT_POISON(a->top->data + mark.used, a->top->bytes - mark.used);
    a->top->used = mark.used;
}

bool weft_arena_grow(weft_arena *a, void **items, size_t *cap, size_t need, size_t size) {
    if (need <= *cap) return true;
    size_t want = *cap < 8 ? 8 : *cap * 2;
    if (want < need) want = need;
    size_t bytes;
    char *p = __builtin_mul_overflow(want, size, &bytes) ? NULL : take(a, bytes, 16);
    if (!p) return false;
    const size_t old = *cap * size;
    if (old) memcpy(p, *items, old);
    memset(p + old, 0, bytes - old);
    *items = p;
    *cap = want;
    return true;
}

/* The pool. */

#define POOLED_BYTES WEFT_HUGE_PAGE
#define POOLED_CHUNKS ((size_t)32) /* the module before and after a pass over half a million ops */

static void *pool_resize(void *user, void *p, size_t old_bytes, size_t new_bytes) {
    weft_chunk_pool *pool = user;
    if (!p && new_bytes == POOLED_BYTES && pool->kept) {
        p = pool->kept;
        memcpy(&pool->kept, p, sizeof pool->kept);
        pool->count--;
        WEFT_UNPOISON(p, POOLED_BYTES);
        return p;
    }
    if (p && !new_bytes && old_bytes == POOLED_BYTES && pool->count < POOLED_CHUNKS) {
        memcpy(p, &pool->kept, sizeof pool->kept);
        pool->kept = p;
        pool->count++;
        WEFT_POISON((char *)p + sizeof pool->kept, POOLED_BYTES - sizeof pool->kept);
        return NULL;
    }
    return pool->below.resize(pool->below.user, p, old_bytes, new_bytes);
}

void weft_chunk_pool_init(weft_chunk_pool *p, const weft_allocator *below) {
    *p = (weft_chunk_pool){ .below = *below };
}

void weft_chunk_pool_free(weft_chunk_pool *p) {
    while (p->kept) {
        void *chunk = p->kept;
        memcpy(&p->kept, chunk, sizeof p->kept);
        WEFT_UNPOISON(chunk, POOLED_BYTES);
        p->below.resize(p->below.user, chunk, POOLED_BYTES, 0);
    }
    p->count = 0;
}

weft_allocator weft_chunk_pool_allocator(weft_chunk_pool *p) { return (weft_allocator){ pool_resize, p }; }
