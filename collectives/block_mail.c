/* block_mail.c: windows of blocks between nodes: what the moving collectives and reduce-scatter share.
 * A rank's window goes into its staging area for the ranks of its node, and as one message to each rank elsewhere that wants
 * a block of it. A message holds the pieces of the window in order, each with room for the longest block rounded up to
 * WEFT_STAGE_ALIGN, and ends with the last element that this block has.
 */
#include "collectives/algorithm.h"

static size_t rounded(const weft_piece *p) {
    size_t bytes = (size_t)p->count * p->geom.elem_bytes;
    return (bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
}

/* Inputs of one block go whole to each of p ranks, p windows in flight; others are cut into p messages. */
static int whole(const weft_job *job) { return weft_coll_table[job->kind].in == WEFT_BLOCKS_ONE; }

static size_t block_capacity(const weft_comm *c, const weft_job *job) {
    size_t capacity = whole(job) ? WEFT_STAGE_LARGE_BYTES / (size_t)c->size : WEFT_STAGE_LARGE_BYTES;
    capacity &= ~(size_t)(WEFT_STAGE_ALIGN - 1);
    return capacity > 4096 ? capacity : 4096;
}

static size_t block_room(const weft_comm *c, const weft_job *job) {
    size_t lines = (size_t)c->size * ((size_t)job->n + 1) * WEFT_STAGE_ALIGN; /* what rounding adds to each piece of each message */
    return lines + block_capacity(c, job) * (whole(job) ? (size_t)c->size : 1);
}

typedef enum way { FROM_PEER, TO_PEER } way;

/* The block that goes the way. */
static weft_view block_of(const weft_job *job, const weft_piece *p, int peer, way way) {
    return way == TO_PEER ? weft_view_in(&p->geom, p->buf->in, weft_job_in_block(job, peer))
                          : weft_view_out(&p->geom, p->buf->out, weft_job_out_block(job, peer));
}

/* What a message of the window that starts at r->at has room for, and how much of that the peer's block fills. */
static size_t message_room(const weft_run *r) {
    weft_cursor at = r->at;
    weft_piece p;
    size_t bytes = 0;
    while (weft_window_next(&r->job, &at, r->mail.capacity, &p)) bytes += rounded(&p);
    return bytes;
}

static size_t message_bytes(const weft_run *r, int peer, way way) {
    weft_cursor look = r->at;
    weft_piece p;
    size_t at = 0, end = 0;
    for (; weft_window_next(&r->job, &look, r->mail.capacity, &p); at += rounded(&p)) {
        weft_view block = block_of(&r->job, &p, peer, way);
        size_t count = (size_t)weft_view_span(&block, p.unit, p.count);
        if (count) end = at + count * p.geom.elem_bytes;
    }
    return end;
}

static void pack(const weft_run *r, int to, char *message) {
    weft_cursor at = r->at;
    weft_piece p;
    for (; weft_window_next(&r->job, &at, r->mail.capacity, &p); message += rounded(&p)) {
        weft_view block = block_of(&r->job, &p, to, TO_PEER), room = weft_view_dense(message, p.count);
        weft_view_copy(&room, 0, &block, p.unit, p.count, p.geom.elem_bytes);
    }
}

static weft_status take_window(weft_run *r);

/* Sends the window that starts at r->at. */
static weft_status exchange(weft_run *r) {
    weft_comm *c = r->comm;
    weft_mail *m = &r->mail;
    weft_status st = WEFT_OK;
    size_t room = message_room(r);
    r->next = r->at;
    weft_window_skip(&r->job, &r->next, m->capacity);
    char *stage = weft_run_stage(r, WEFT_STAGE_LARGE);
    if (!stage) return weft_run_unstaged(r);
    for (int i = 0; i < c->size && st == WEFT_OK; i++)
        if (c->local_of[i] < 0 && weft_job_from(&r->job, i))
            st = weft_mail_receive(r, i, m->in + (size_t)i * room, message_bytes(r, i, FROM_PEER));
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0 || !weft_job_to(&r->job, i)) continue;
        char *message = m->out + (size_t)i * room;
        pack(r, i, message);
        st = weft_mail_send(r, i, message, message_bytes(r, i, TO_PEER));
    }
    if (st != WEFT_OK) return st;
    if (weft_job_gives(&r->job)) weft_window_stage(&r->job, r->at, m->capacity, stage);
    /* Where everyone's block for me lies then. */
    for (int i = 0; i < c->size; i++) c->base[i] = m->in + (size_t)i * room;
    return weft_run_meet(r, take_window);
}

static weft_status next_window(weft_run *r) { return r->at.operand < r->job.n ? exchange(r) : weft_run_end(r); }

static weft_status take_window(weft_run *r) {
    weft_block_piece b = { .run = r };
    for (weft_cursor at = r->at; weft_window_next(&r->job, &at, r->mail.capacity, &b.piece); b.in_message += rounded(&b.piece)) r->mail.take(&b);
    r->at = r->next;
    return next_window(r);
}

const char *weft_block_from(const weft_block_piece *b, int from) {
    const weft_run *r = b->run;
    const weft_comm *c = r->comm;
    if (c->local_of[from] < 0) return (const char *)c->base[from] + b->in_message;
    const char *stage = weft_stage_of(c, c->local_of[from], WEFT_STAGE_LARGE, r->window);
    return weft_piece_block(&b->piece, stage, weft_job_in_block(&r->job, c->rank)).base;
}

weft_status weft_block_run(weft_run *r, weft_block_take take) {
    weft_status st = weft_mail_open(r, block_capacity(r->comm, &r->job), block_room(r->comm, &r->job));
    r->mail.take = take;
    return st == WEFT_OK ? weft_mail_meet(r, next_window) : st;
}
