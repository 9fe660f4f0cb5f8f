/* all_reduce_one_shot: each rank shows its input, all meet once, and each rank that takes the sum adds up everything
 * for itself, in rank order. For small operands: the latency is one rendezvous; the work is p times that of two_shot.
 * Also runs reduce, where only the root adds.
 */
#include "collectives/algorithm.h"

static weft_status add(weft_run *r) {
    weft_comm *c = r->comm;
    weft_cursor at = { 0 };
    weft_piece p;
    while (weft_job_takes(&r->job) && weft_window_next(&r->job, &at, WEFT_COLL_SMALL_BYTES, &p)) {
        for (int i = 0; i < c->size; i++) c->src[i] = weft_stage_of(c, i, WEFT_STAGE_SMALL, r->window) + p.at;
        weft_reduce_find((weft_dtype)p.buf->dtype, r->job.reduce)(p.buf->out, c->src, c->size, p.count);
    }
    return weft_run_end(r);
}

weft_status weft_run_all_reduce_one_shot(weft_run *r) {
    char *mine = weft_run_stage(r, WEFT_STAGE_SMALL);
    if (!mine) return weft_run_unstaged(r);
    weft_window_stage(&r->job, (weft_cursor){ 0 }, WEFT_COLL_SMALL_BYTES, mine);
    return weft_run_meet_givers(r, add);
}
