/* reduce_scatter_staged: as reduce_scatter_place, for any memory, through staging areas; windows as in move_staged. */
#include "collectives/algorithm.h"

static weft_status add(weft_run *r) {
    weft_comm *c = r->comm;
    int kind = weft_run_stage_kind(r);
    weft_cursor at = r->at;
    weft_piece p;
    while (weft_window_next(&r->job, &at, weft_stage_half_bytes(kind), &p)) {
        weft_view mine = weft_view_out(&p.geom, p.buf->out, 0);
        int64_t count = weft_view_span(&mine, p.unit, p.count);
        if (count == 0) continue;
        for (int i = 0; i < c->size; i++)
            c->src[i] = weft_piece_block(&p, weft_stage_of(c, i, kind, r->window), c->rank).base;
        weft_reduce_find((weft_dtype)p.buf->dtype, r->job.reduce)(mine.base + (size_t)p.unit * p.geom.elem_bytes,
                                                                  c->src, c->size, count);
    }
    r->at = r->next;
    return r->at.operand < r->job.n ? weft_run_reduce_scatter_staged(r) : weft_run_end(r);
}

/* The first turn of each window. */
weft_status weft_run_reduce_scatter_staged(weft_run *r) {
    int kind = weft_run_stage_kind(r);
    size_t capacity = weft_stage_half_bytes(kind);
    char *mine = weft_run_stage(r, kind);
    if (!mine) return weft_run_unstaged(r);
    r->next = r->at;
    weft_window_skip(&r->job, &r->next, capacity);
    weft_window_stage(&r->job, r->at, capacity, mine);
    return kind == WEFT_STAGE_SMALL ? weft_run_meet_first(r, add) : weft_run_meet(r, add);
}
