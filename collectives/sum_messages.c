/* sum_messages: every rank sends the ranks that take a sum their block, and they add up, node by node: reduce_scatter
 * by messages; and flat reduce and all_reduce, whose operands are sent undivided, in one step. */
#include "collectives/algorithm.h"

static void add_up(const weft_block_piece *b) {
    weft_comm *c = b->run->comm;
    const weft_piece *p = &b->piece;
    if (!weft_job_takes(&b->run->job)) return;
    weft_view mine = weft_view_out(&p->geom, p->buf->out, 0);
    int64_t count = weft_view_span(&mine, p->unit, p->count);
    if (count == 0) return;
    for (int i = 0; i < c->size; i++) c->src[i] = weft_block_from(b, i);
    const weft_adder *adder = weft_adder_find((weft_dtype)p->buf->dtype, b->run->job.reduce);
    weft_sum_members(c, adder, mine.base + (size_t)p->unit * p->geom.elem_bytes, p->geom.elem_bytes, count);
}

weft_status weft_run_sum_messages(weft_run *r) { return weft_block_run(r, add_up); }
