/* memory: what is in use of a memory, whatever its kind. */
#include "runtime/memory.h"

void *weft_memory_allocate(weft_memory *m, int64_t bytes) {
    void *block = m->kind->allocate(m->state, bytes > 0 ? (size_t)bytes : 1);
    if (!block) return NULL;
    m->bytes += bytes;
    if (m->bytes > m->most) m->most = m->bytes;
    return block;
}

void weft_memory_release(weft_memory *m, void *block, int64_t bytes) {
    if (!block) return;
    m->kind->release(m->state, block);
    m->bytes -= bytes;
}
