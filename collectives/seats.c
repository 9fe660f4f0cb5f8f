/* seats.c: the process and node of each rank of a world. */
#include "collectives/comm.h"
#include "collectives/stay.h"

#include <unistd.h>

int weft_process_of(const weft_world *w, int rank) {
    int lo = 0, hi = w->processes;
    while (hi - lo > 1) {
        int mid = (lo + hi) / 2;
        if (w->first_of[mid] <= rank) lo = mid;
        else hi = mid;
    }
    return lo;
}

bool weft_rank_ended(weft_world *w, int rank) {
    int p = weft_process_of(w, rank);
    return p != w->process && w->memory->ended(w, w->seat_of[p]);
}

int weft_world_is_inherited(const weft_world *w) { return w->owner != getpid(); }

int weft_world_size(const weft_world *w) { return w ? w->size : 0; }
int weft_world_first(const weft_world *w) { return w ? w->first : -1; }
int weft_world_local(const weft_world *w) { return w ? w->local : 0; }
int weft_world_process(const weft_world *w) { return w ? w->process : -1; }
int weft_world_processes(const weft_world *w) { return w ? w->processes : 0; }
int weft_world_nodes(const weft_world *w) { return w ? w->nodes : 0; }
int weft_world_node_of(const weft_world *w, int rank) {
    return w && rank >= 0 && rank < w->size ? w->node_of[weft_process_of(w, rank)] : -1;
}
