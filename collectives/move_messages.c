/* move_messages: the data-moving collectives, between nodes: every block goes directly to the ranks that take it. */
#include "collectives/algorithm.h"

static void place(const weft_block_piece *b) {
    const weft_job *job = &b->run->job;
    const weft_piece *p = &b->piece;
    for (int i = 0; i < job->ranks; i++) {
        if (!weft_job_from(job, i)) continue;
        const char *block = weft_block_from(b, i);
        if (!block) continue;
        weft_view to = weft_view_out(&p->geom, p->buf->out, weft_job_out_block(job, i)),
                  from = weft_view_dense(block, p->count);
        weft_view_copy(&to, p->unit, &from, 0, p->count, p->geom.elem_bytes);
    }
    if (!weft_job_zeroes(job)) return;
    weft_view to = weft_view_out(&p->geom, p->buf->out, 0);
    weft_view_zero(&to, p->unit, p->count, p->geom.elem_bytes);
}

weft_status weft_run_move_messages(weft_run *r) { return weft_block_run(r, place); }
