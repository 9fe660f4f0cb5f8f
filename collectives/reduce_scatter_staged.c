/* reduce_scatter_staged: as reduce_scatter_place, of any memory, through staging areas; windows as in move_staged. */
#include "collectives/algorithm.h"

static void add_window(weft_comm *c, const weft_job *job, weft_cursor at, int kind, uint64_t window) {
    weft_piece p;
    while (weft_window_next(job, &at, weft_stage_half_bytes(kind), &p)) {
        size_t mine = p.at + (size_t)(c->rank * p.count) * p.geom.elem_bytes;
        for (int i = 0; i < c->size; i++) c->src[i] = weft_stage_of(c, i, kind, window) + mine;
        weft_reduce_find((weft_dtype)p.buf->dtype, job->reduce)((char *)p.buf->out + (size_t)p.unit * p.geom.elem_bytes, c->src, c->size, p.count);
    }
}

weft_status weft_run_reduce_scatter_staged(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    int kind = needs == WEFT_NEEDS_SMALL ? WEFT_STAGE_SMALL : WEFT_STAGE_LARGE, first = needs == WEFT_NEEDS_SMALL;
    size_t capacity = weft_stage_half_bytes(kind);
    weft_cursor at = { 0 }, next = { 0 };
    do {
        char *mine = weft_stage_mine(c, kind);
        if (!mine) return weft_comm_fail(c, "rank %d has no shared memory left for staging", c->members[c->rank]);
        weft_window_skip(job, &next, capacity);
        weft_window_stage(job, at, capacity, mine);
        weft_status st = first ? weft_meet_first(c) : weft_meet(c);
        if (st != WEFT_OK) return st;
        first = 0;
        add_window(c, job, at, kind, c->slot->windows++);
        at = next;
    } while (at.operand < job->n);
    return WEFT_OK;
}
