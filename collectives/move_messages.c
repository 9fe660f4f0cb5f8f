/* move_messages: all-gather, all-to-all, permute and broadcast between nodes: every block goes directly to who wants it. */
#include "collectives/algorithm.h"

static void place(const weft_block_piece *b) {
    const weft_job *job = b->job;
    const weft_piece *p = &b->piece;
    for (int i = 0; i < b->mail->c->size; i++) {
        if (!weft_job_takes_all(job) && i != job->source) continue;
        weft_units_copy(p->buf->out, p->geom.out, weft_job_out_block(job, i), p->unit, weft_block_from(b, i), weft_layout_dense(p->count, 1), 0, 0,
                        p->count, p->geom.elem_bytes);
    }
    if (!weft_job_takes_all(job) && job->source < 0) weft_units_zero(p->buf->out, p->geom.out, 0, p->unit, p->count, p->geom.elem_bytes);
}

weft_status weft_run_move_messages(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    return weft_block_run(c, job, place);
}
