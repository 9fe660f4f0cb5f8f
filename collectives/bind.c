/* bind.c: finds the cores that a rank has to itself, and binds its thread to them. */
#include "collectives/comm.h"
#include "collectives/watch.h"

weft_status weft_world_cores(weft_context *cx, weft_world *w, int rank, int *first, int *count) {
    weft_status st = WEFT_OK;
    pthread_mutex_lock(&w->lock);
    if (!w->topology) st = weft_topology_discover(cx, &w->topology);
    pthread_mutex_unlock(&w->lock);
    if (st != WEFT_OK) return st;
    /* A process that the launcher bound to a part of the node shares that part among its own ranks only. */
    int whole = weft_topology_whole(w->topology);
    weft_topology_place(w->topology, whole ? w->node_ranks : w->local, whole ? w->node_rank_of[rank] : rank - w->first,
                        first, count);
    return WEFT_OK;
}

weft_status weft_world_bind(weft_world *w, int rank) {
    if (!w || w->bind == WEFT_BIND_NONE || rank < w->first || rank >= w->first + w->local) return WEFT_OK;
    weft_context *cx = weft_context_new(&w->alloc); /* binding is optional: its diagnostics do not reach the caller */
    if (!cx) return weft_oom();
    int first, count;
    weft_status st = weft_world_cores(cx, w, rank, &first, &count);
    if (st == WEFT_OK) st = weft_topology_bind(cx, w->topology, first, count);
    weft_context_free(cx);
    return st;
}

int weft_world_threads(weft_world *w, int rank) {
    weft_context *cx = weft_context_new(&w->alloc); /* without a topology it is one: nobody needs to hear why */
    const double quota = weft_topology_quota();
    int first, count = 1;
    if (!cx) return 1;
    if (weft_world_cores(cx, w, rank, &first, &count) != WEFT_OK || count < 1) count = 1;
    weft_context_free(cx);
    const int sharing = w->topology && weft_topology_whole(w->topology) ? w->node_ranks : w->local;
    if (quota > 0 && count > quota / sharing) count = (int)(quota / sharing);
    return count < 1 ? 1 : count;
}
