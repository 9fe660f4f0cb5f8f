/* watch.c: see watch.h. */
#include <stdio.h>
#include "collectives/comm.h"
#include "collectives/watch.h"

const _Atomic uint32_t *weft_world_flag(const weft_world *w) { return &w->node.note->failed; }

void weft_world_reason(const weft_world *w, char *out, size_t room) {
    char reason[WEFT_REASON_BYTES];
    weft_node_reason(&w->node, reason);
    snprintf(out, room, "%s", reason);
}

/* The first rank of the node with a process that has ended too early, or -1. */
static int lost_rank(weft_world *w) {
    for (int rank = 0; rank < w->size; rank++) {
        if (w->node_rank_of[rank] < 0 || !weft_rank_ended(w, rank)) continue;
        /* A process's last writes are visible after its end. */
        if (atomic_load_explicit(&weft_node_rank(&w->node, w->node_rank_of[rank])->state, memory_order_acquire) ==
            WEFT_RANK_HERE)
            return rank;
    }
    return -1;
}

static void fail(weft_world *w, int rank) {
    char reason[WEFT_REASON_BYTES];
    weft_buf call;
    weft_buf_init(&call, &w->alloc);
    weft_last_call_print(w, NULL, rank, &call);
    snprintf(reason, sizeof reason, "the process of rank %d has ended (%s)", rank, call.n ? call.p : "");
    weft_buf_free(&call);
    weft_node_fail(&w->node, reason);
    if (w->messages && !w->one_thread) w->messages->tell_failed(w, WEFT_HEARERS_KNOWN);
}

void weft_world_watch(weft_world *w) {
    char reason[WEFT_REASON_BYTES];
    if (w->processes == 1 || weft_node_failed(&w->node)) return;
    if (w->messages && !w->one_thread && w->messages->heard_failed(w, reason, sizeof reason)) {
        weft_node_fail(&w->node, reason);
        return;
    }
    const int rank = lost_rank(w);
    if (rank >= 0) fail(w, rank);
}
