/* move_messages: all-gather, all-to-all, permute and broadcast between nodes: every block goes directly to who wants it. */
#include "collectives/algorithm.h"

static void take_window(const weft_mail *m, const weft_job *job, weft_cursor at, uint64_t window) {
    weft_comm *c = m->c;
    weft_piece p;
    size_t in_message = 0;
    while (weft_window_next(job, &at, m->capacity, &p)) {
        for (int i = 0; i < c->size; i++) {
            if (!weft_job_takes_all(job) && i != job->source) continue;
            const char *from = weft_block_from(m, job, &p, in_message, i, window);
            weft_units_copy(p.buf->out, p.geom.out, weft_job_out_block(job, i), p.unit, from, weft_layout_dense(p.count, 1), 0, 0, p.count,
                            p.geom.elem_bytes);
        }
        if (!weft_job_takes_all(job) && job->source < 0) weft_units_zero(p.buf->out, p.geom.out, 0, p.unit, p.count, p.geom.elem_bytes);
        in_message += weft_block_rounded(&p);
    }
}

weft_status weft_run_move_messages(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    weft_mail m;
    weft_cursor at = { 0 }, next = { 0 };
    uint64_t window;
    weft_status st = weft_mail_open(&m, c, weft_block_capacity(c, job), weft_block_room(c, job));
    if (st == WEFT_OK) st = weft_mail_meet(&m);
    while (st == WEFT_OK && at.operand < job->n) {
        weft_window_skip(job, &next, m.capacity);
        st = weft_block_exchange(&m, job, at, &window);
        if (st == WEFT_OK) take_window(&m, job, at, window);
        at = next;
    }
    weft_mail_close(&m, st);
    return st;
}
