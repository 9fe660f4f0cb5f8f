/* block_mail.c: windows of blocks between nodes: what all-gather, all-to-all, permute, broadcast and reduce-scatter share.
 * A rank's window goes into its staging area for the ranks of its node, and as one message to each rank elsewhere that wants
 * a block of it. A message holds the pieces of the window in order, each rounded up to WEFT_STAGE_ALIGN.
 */
#include "collectives/algorithm.h"

static size_t rounded(const weft_piece *p) {
    size_t bytes = (size_t)p->count * p->geom.elem_bytes;
    return (bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
}

/* Inputs of one block go whole to each of p ranks, p windows in flight; others are cut into p messages. */
static int whole(const weft_job *job) { return job->kind != WEFT_PLAN_ALL_TO_ALL && job->kind != WEFT_PLAN_REDUCE_SCATTER; }

static size_t block_capacity(const weft_comm *c, const weft_job *job) {
    size_t capacity = whole(job) ? WEFT_STAGE_LARGE_BYTES / (size_t)c->size : WEFT_STAGE_LARGE_BYTES;
    capacity &= ~(size_t)(WEFT_STAGE_ALIGN - 1);
    return capacity > 4096 ? capacity : 4096;
}

static size_t block_room(const weft_comm *c, const weft_job *job) {
    size_t lines = (size_t)c->size * ((size_t)job->n + 1) * WEFT_STAGE_ALIGN; /* what rounding adds to each piece of each message */
    return lines + block_capacity(c, job) * (whole(job) ? (size_t)c->size : 1);
}

static void pack(const weft_job *job, weft_cursor at, size_t capacity, int block, char *message) {
    weft_piece p;
    while (weft_window_next(job, &at, capacity, &p)) {
        weft_units_copy(message, weft_layout_dense(p.count, 1), 0, 0, p.buf->in, p.geom.in, block, p.unit, p.count, p.geom.elem_bytes);
        message += rounded(&p);
    }
}

static int wants(const weft_comm *c, const weft_job *job, int to) {
    if (job->kind == WEFT_PLAN_COLLECTIVE_PERMUTE) return job->target == to;
    if (job->kind == WEFT_PLAN_COLLECTIVE_BROADCAST) return job->source == c->rank;
    return 1;
}

static int takes(const weft_job *job, int from) {
    return job->kind == WEFT_PLAN_COLLECTIVE_PERMUTE || job->kind == WEFT_PLAN_COLLECTIVE_BROADCAST ? job->source == from : 1;
}

static weft_status exchange(weft_mail *m, const weft_job *job, weft_cursor at, uint64_t *window) {
    weft_comm *c = m->c;
    weft_status st = WEFT_OK;
    weft_cursor look = at;
    weft_piece p;
    size_t bytes = 0;
    while (weft_window_next(job, &look, m->capacity, &p)) bytes += rounded(&p);
    char *stage = weft_stage_mine(c, WEFT_STAGE_LARGE);
    if (!stage) return weft_comm_fail(c, "rank %d has no shared memory left for staging", c->members[c->rank]);
    for (int i = 0; i < c->size && st == WEFT_OK; i++)
        if (c->local_of[i] < 0 && takes(job, i)) st = weft_mail_receive(m, i, m->in + (size_t)i * bytes, bytes);
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0 || !wants(c, job, i)) continue;
        char *message = m->out + (size_t)i * bytes;
        pack(job, at, m->capacity, weft_job_in_block(job, i), message);
        st = weft_mail_send(m, i, message, bytes);
    }
    if (st == WEFT_OK) weft_window_stage(job, at, m->capacity, stage);
    *window = c->slot->windows++;
    if (st == WEFT_OK) st = weft_meet(c);
    if (st == WEFT_OK) st = weft_mail_wait(m);
    /* Where everyone's block for me lies now. */
    for (int i = 0; i < c->size; i++) c->base[i] = m->in + (size_t)i * bytes;
    return st;
}

const char *weft_block_from(const weft_block_piece *b, int from) {
    const weft_comm *c = b->mail->c;
    if (c->local_of[from] < 0) return (const char *)c->base[from] + b->in_message;
    int64_t block = weft_job_in_block(b->job, c->rank);
    return weft_stage_of(c, c->local_of[from], WEFT_STAGE_LARGE, b->window) + b->piece.at + (size_t)(block * b->piece.count) * b->piece.geom.elem_bytes;
}

static void take_window(const weft_mail *m, const weft_job *job, weft_cursor at, uint64_t window, weft_block_take take) {
    weft_block_piece b = { .mail = m, .job = job, .window = window };
    for (; weft_window_next(job, &at, m->capacity, &b.piece); b.in_message += rounded(&b.piece)) take(&b);
}

weft_status weft_block_run(weft_comm *c, const weft_job *job, weft_block_take take) {
    weft_mail m;
    weft_cursor at = { 0 }, next = { 0 };
    uint64_t window = 0;
    weft_status st = weft_mail_open(&m, c, block_capacity(c, job), block_room(c, job));
    if (st == WEFT_OK) st = weft_mail_meet(&m);
    while (st == WEFT_OK && at.operand < job->n) {
        weft_window_skip(job, &next, m.capacity);
        st = exchange(&m, job, at, &window);
        if (st == WEFT_OK) take_window(&m, job, at, window, take);
        at = next;
    }
    weft_mail_close(&m, st);
    return st;
}
