/* all_reduce_windows: as all_reduce_two_shot, of any memory. Window by window each rank copies its input into its staging
 * area; they meet; the owner of a slice of the window adds it up over all areas and leaves the sum in its own, at the
 * slice's place, which nobody else reads; they meet; and each takes all slices.
 */
#include "collectives/algorithm.h"

weft_status weft_run_all_reduce_windows(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    const size_t capacity = WEFT_STAGE_LARGE_BYTES;
    weft_cursor at = { 0 }, next = { 0 };
    do {
        size_t filled = weft_window_skip(job, &next, capacity), from, to;
        char *mine = weft_stage_mine(c, WEFT_STAGE_LARGE);
        if (!mine) return weft_comm_fail(c, "rank %d has no shared memory left for staging", c->members[c->rank]);
        weft_window_stage(job, at, capacity, mine);
        weft_status st = weft_meet(c);
        if (st != WEFT_OK) return st;
        uint64_t window = c->slot->windows++;
        for (int i = 0; i < c->size; i++) c->base[i] = weft_stage_of(c, i, WEFT_STAGE_LARGE, window);
        weft_window_slice(filled, c->size, c->rank, &from, &to);
        weft_window_add(c, job, at, capacity, from, to, mine);
        st = weft_meet(c);
        if (st != WEFT_OK) return st;
        for (int i = 0; i < c->size; i++) {
            weft_window_slice(filled, c->size, i, &from, &to);
            weft_window_unstage(job, at, capacity, from, to, weft_stage_of(c, i, WEFT_STAGE_LARGE, window));
        }
        at = next;
    } while (at.operand < job->n);
    return WEFT_OK;
}
