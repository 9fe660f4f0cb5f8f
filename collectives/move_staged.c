/* move_staged: the collectives that move blocks, of any memory, through staging areas.
 * Window by window each rank copies its input into its staging area, they meet, and each takes what is for it. The area
 * has two halves that take turns, so that one rendezvous per window is enough: a half is written again only after all
 * have come to the window between. With SMALL there is one window, and its rendezvous is the call's only one.
 */
#include "collectives/algorithm.h"

static void pull(const weft_run *r, int kind, int from) {
    const weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    const char *stage = weft_stage_of(c, c->local_of[from], kind, r->window);
    weft_cursor at = r->at;
    weft_piece p;
    while (weft_window_next(job, &at, weft_stage_half_bytes(kind), &p)) {
        weft_view to = weft_view_out(&p.geom, p.buf->out, weft_job_out_block(job, from)), block = weft_piece_block(&p, stage, weft_job_in_block(job, c->rank));
        weft_view_copy(&to, p.unit, &block, 0, p.count, p.geom.elem_bytes);
    }
}

static void zero(const weft_job *job, weft_cursor at, size_t capacity) {
    weft_piece p;
    while (weft_window_next(job, &at, capacity, &p)) {
        weft_view to = weft_view_out(&p.geom, p.buf->out, 0);
        weft_view_zero(&to, p.unit, p.count, p.geom.elem_bytes);
    }
}

static weft_status take(weft_run *r) {
    const weft_comm *c = r->comm;
    int kind = weft_run_stage_kind(r);
    for (int i = 0, from = c->rank; i < c->size; i++, from = from + 1 < c->size ? from + 1 : 0)
        if (weft_job_from(&r->job, from)) pull(r, kind, from);
    if (weft_job_zeroes(&r->job)) zero(&r->job, r->at, weft_stage_half_bytes(kind));
    if (kind == WEFT_STAGE_SMALL) return weft_run_end(r);
    r->at = r->next;
    return r->at.operand < r->job.n ? weft_run_move_staged(r) : weft_run_end(r);
}

/* The first turn of each window. */
weft_status weft_run_move_staged(weft_run *r) {
    int kind = weft_run_stage_kind(r);
    size_t capacity = weft_stage_half_bytes(kind);
    char *mine = weft_run_stage(r, kind);
    if (!mine) return weft_run_unstaged(r);
    if (kind == WEFT_STAGE_LARGE) {
        r->next = r->at;
        weft_window_skip(&r->job, &r->next, capacity);
    }
    if (weft_job_gives(&r->job)) weft_window_stage(&r->job, r->at, capacity, mine);
    return kind == WEFT_STAGE_SMALL ? weft_run_meet_givers(r, take) : weft_run_meet(r, take);
}
