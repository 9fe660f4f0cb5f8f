/* reduce_scatter_messages: every rank sends each owner its block; the owner adds up in rank order. */
#include "collectives/algorithm.h"

static void add_up(const weft_block_piece *b) {
    weft_comm *c = b->mail->c;
    const weft_piece *p = &b->piece;
    for (int i = 0; i < c->size; i++) c->src[i] = weft_block_from(b, i);
    weft_reduce_find((weft_dtype)p->buf->dtype, b->job->reduce)((char *)p->buf->out + (size_t)p->unit * p->geom.elem_bytes, c->src, c->size, p->count);
}

weft_status weft_run_reduce_scatter_messages(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    return weft_block_run(c, job, add_up);
}
