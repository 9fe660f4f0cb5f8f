/* all_reduce_one_shot: each rank shows its input, all meet once, and each adds up everything for itself, in rank order.
 * For small operands: one rendezvous is all the latency there is; the work is p times that of two_shot.
 */
#include "collectives/algorithm.h"

weft_status weft_run_all_reduce_one_shot(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    char *mine = weft_stage_mine(c, WEFT_STAGE_SMALL);
    if (!mine) return weft_comm_fail(c, "rank %d has no shared memory left for staging", c->members[c->rank]);
    weft_cursor at = { 0 };
    weft_piece p;
    weft_window_stage(job, at, WEFT_COLL_SMALL_BYTES, mine);
    weft_status st = weft_meet_first(c);
    if (st != WEFT_OK) return st;
    uint64_t window = c->slot->windows++;
    while (weft_window_next(job, &at, WEFT_COLL_SMALL_BYTES, &p)) {
        for (int i = 0; i < c->size; i++) c->src[i] = weft_stage_of(c, i, WEFT_STAGE_SMALL, window) + p.at;
        weft_reduce_find((weft_dtype)p.buf->dtype, job->reduce)(p.buf->out, c->src, c->size, p.count);
    }
    return WEFT_OK;
}
