/* all_reduce_windows: as all_reduce_two_shot, for any memory. Window by window each rank copies its input into its
 * staging area; they meet; the owner of a slice of the window adds it up over all areas and leaves the sum in its own,
 * in the slice's place, which no other rank reads; they meet; and ranks that take the sum copy all slices. Also runs
 * reduce.
 */
#include "collectives/algorithm.h"

#define CAPACITY WEFT_STAGE_LARGE_BYTES

static weft_status add(weft_run *r);
static weft_status take(weft_run *r);

/* The first turn of each window. */
weft_status weft_run_all_reduce_windows(weft_run *r) {
    r->next = r->at;
    r->filled = weft_window_skip(&r->job, &r->next, CAPACITY);
    char *mine = weft_run_stage(r, WEFT_STAGE_LARGE);
    if (!mine) return weft_run_unstaged(r);
    weft_window_stage(&r->job, r->at, CAPACITY, mine);
    return weft_run_meet(r, add);
}

static weft_status add(weft_run *r) {
    weft_comm *c = r->comm;
    size_t from, to;
    for (int i = 0; i < c->size; i++) c->base[i] = weft_stage_of(c, i, WEFT_STAGE_LARGE, r->window);
    weft_window_slice(r->filled, c->size, c->rank, &from, &to);
    weft_window_add(r, CAPACITY, from, to, weft_stage_of(c, c->me, WEFT_STAGE_LARGE, r->window));
    return weft_run_meet(r, take);
}

static weft_status take(weft_run *r) {
    weft_comm *c = r->comm;
    size_t from, to;
    for (int i = 0; i < c->size && weft_job_takes(&r->job); i++) {
        weft_window_slice(r->filled, c->size, i, &from, &to);
        weft_window_unstage(&r->job, r->at, CAPACITY, from, to, weft_stage_of(c, i, WEFT_STAGE_LARGE, r->window));
    }
    r->at = r->next;
    return r->at.operand < r->job.n ? weft_run_all_reduce_windows(r) : weft_run_end(r);
}
