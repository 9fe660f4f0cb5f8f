/* memory_host: memory of the processor, shared by the ranks of a node. */
#include "runtime/memory.h"

static void *allocate(void *state, size_t bytes) { return weft_comm_alloc(state, bytes); }
static void release(void *state, void *block) { weft_comm_dealloc(state, block); }

static const weft_memory_kind host = { "host", 4096, allocate, release };

weft_memory weft_memory_host(weft_comm *all, const weft_allocator *alloc) {
    return (weft_memory){ .kind = &host, .state = all, .alloc = alloc };
}
