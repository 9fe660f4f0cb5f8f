/* reduce_scatter_messages: every rank sends each owner its block; the owner adds up in rank order. */
#include "collectives/algorithm.h"

static void add_window(const weft_mail *m, const weft_job *job, weft_cursor at, uint64_t window) {
    weft_comm *c = m->c;
    weft_piece p;
    size_t in_message = 0;
    while (weft_window_next(job, &at, m->capacity, &p)) {
        for (int i = 0; i < c->size; i++) c->src[i] = weft_block_from(m, job, &p, in_message, i, window);
        weft_reduce_find((weft_dtype)p.buf->dtype, job->reduce)((char *)p.buf->out + (size_t)p.unit * p.geom.elem_bytes, c->src, c->size, p.count);
        in_message += weft_block_rounded(&p);
    }
}

weft_status weft_run_reduce_scatter_messages(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    weft_mail m;
    weft_cursor at = { 0 }, next = { 0 };
    uint64_t window;
    weft_status st = weft_mail_open(&m, c, weft_block_capacity(c, job), weft_block_room(c, job));
    if (st == WEFT_OK) st = weft_mail_meet(&m);
    while (st == WEFT_OK && at.operand < job->n) {
        weft_window_skip(job, &next, m.capacity);
        st = weft_block_exchange(&m, job, at, &window);
        if (st == WEFT_OK) add_window(&m, job, at, window);
        at = next;
    }
    weft_mail_close(&m, st);
    return st;
}
