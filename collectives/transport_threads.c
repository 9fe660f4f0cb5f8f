/* transport_threads: all ranks of the node are threads of this process. Every address is common; nothing to map. */
#include "collectives/comm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static weft_status share_memory(weft_world *w, weft_memory_card *mine) {
    (void)mine;
    weft_status st = weft_heap_init(&w->heap, &w->alloc, WEFT_SEGMENT_PRIVATE, 1);
    if (st == WEFT_OK) st = weft_node_create(&w->node, WEFT_SEGMENT_PRIVATE, 1, w->node_ranks);
    if (st == WEFT_ERR_IO)
        snprintf(w->trouble, sizeof w->trouble, "no memory for the ranks to share: %s", strerror(errno));
    if (st != WEFT_OK) return st;
    w->segments[0] = w->heap.segment;
    weft_node_pids(&w->node)[0] = getpid();
    return WEFT_OK;
}

static void close_threads(weft_world *w) {
    weft_node_close(&w->node);
    weft_heap_free(&w->heap);
}

static bool ended(weft_world *w, int seat) {
    (void)w, (void)seat;
    return false; /* this process is alive */
}

const weft_transport weft_transport_threads = {
    .name = "threads", .offer = WEFT_TRANSPORT_MEMORY, .share = share_memory, .close = close_threads, .ended = ended,
};
