/* move_staged: all-gather, all-to-all, permute and broadcast of any memory, through staging areas.
 * Window by window each rank copies its input into its staging area, they meet, and each takes what is for it. The area
 * has two halves that take turns, so that one rendezvous per window is enough: a half is written again only after all
 * have come to the window between. With SMALL there is one window, and its rendezvous is the call's only one.
 */
#include "collectives/algorithm.h"

static void pull(weft_comm *c, const weft_job *job, weft_cursor at, int kind, uint64_t window, int from) {
    const char *stage = weft_stage_of(c, c->local_of[from], kind, window);
    weft_piece p;
    while (weft_window_next(job, &at, weft_stage_half_bytes(kind), &p))
        weft_units_copy(p.buf->out, p.geom.out, weft_job_out_block(job, from), p.unit, stage + p.at,
                        weft_layout_dense(p.count, p.geom.in.blocks), weft_job_in_block(job, c->rank), 0, p.count, p.geom.elem_bytes);
}

static void zero(const weft_job *job, weft_cursor at, size_t capacity) {
    weft_piece p;
    while (weft_window_next(job, &at, capacity, &p))
        weft_units_zero(p.buf->out, p.geom.out, 0, p.unit, p.count, p.geom.elem_bytes);
}

/* Whether this rank's input is wanted by anyone. */
static int gives(const weft_comm *c, const weft_job *job) {
    if (job->kind == WEFT_PLAN_COLLECTIVE_BROADCAST) return job->source == c->rank;
    return job->kind != WEFT_PLAN_COLLECTIVE_PERMUTE || job->target >= 0;
}

weft_status weft_run_move_staged(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    int kind = needs == WEFT_NEEDS_SMALL ? WEFT_STAGE_SMALL : WEFT_STAGE_LARGE, first = needs == WEFT_NEEDS_SMALL;
    size_t capacity = weft_stage_half_bytes(kind);
    weft_cursor at = { 0 }, next = { 0 };
    do {
        char *mine = weft_stage_mine(c, kind);
        if (!mine) return weft_comm_fail(c, "rank %d has no shared memory left for staging", c->members[c->rank]);
        weft_window_skip(job, &next, capacity);
        if (gives(c, job)) weft_window_stage(job, at, capacity, mine);
        weft_status st = first ? weft_meet_first(c) : weft_meet(c);
        if (st != WEFT_OK) return st;
        first = 0;
        uint64_t window = c->slot->windows++;
        if (weft_job_takes_all(job))
            for (int i = 0; i < c->size; i++) pull(c, job, at, kind, window, (c->rank + i) % c->size);
        else if (job->source >= 0)
            pull(c, job, at, kind, window, job->source);
        else
            zero(job, at, capacity);
        at = next;
    } while (at.operand < job->n);
    return WEFT_OK;
}
