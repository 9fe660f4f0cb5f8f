/* memory_heap: the kind whose blocks are of the process's heap. */
#include <stdlib.h>
#include "exec/step.h"
#include "runtime/memory.h"

static void *allocate(void *state, size_t bytes) {
    void *block = NULL;
    (void)state;
    return posix_memalign(&block, WEFT_BUFFER_ALIGN, bytes) == 0 ? block : NULL;
}

static void release(void *state, void *block) {
    (void)state;
    free(block);
}

weft_memory weft_memory_heap(const weft_allocator *alloc) {
    static const weft_memory_kind kind = {
        .name = "heap", .granule = WEFT_BUFFER_ALIGN, .allocate = allocate, .release = release
    };
    return (weft_memory){ .kind = &kind, .alloc = alloc };
}
