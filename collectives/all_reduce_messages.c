/* all_reduce_messages: reduce-scatter and all-gather of slices, directly between all ranks. Window by window each rank
 * sends every owner on another node its part of the owner's slice; owners of the same node read it in the staging area.
 * The owner adds up, node by node, and sends the sum to all ranks that take it: 2(p-1)/p of the operand per rank when
 * every rank is a node of its own. Also runs reduce, where only the root takes it.
 */
#include "collectives/algorithm.h"

#define CAPACITY WEFT_STAGE_LARGE_BYTES

static weft_status add(weft_run *r);
static weft_status take(weft_run *r);

/* Every rank's part of my slice, to c->base[i] + from. */
static weft_status collect(weft_run *r) {
    weft_comm *c = r->comm;
    weft_mail *m = &r->mail;
    size_t from, to, their_from, their_to;
    weft_status st = WEFT_OK;
    r->next = r->at;
    r->filled = weft_window_skip(&r->job, &r->next, CAPACITY);
    char *mine = weft_run_stage(r, WEFT_STAGE_LARGE);
    if (!mine) return weft_run_unstaged(r);
    weft_window_stage(&r->job, r->at, CAPACITY, mine);
    weft_window_slice(r->filled, c->size, c->rank, &from, &to);
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0) continue;
        char *room = m->in + (size_t)i * (to - from);
        c->base[i] = (const void *)((uintptr_t)room - from);
        st = weft_mail_receive(r, i, room, to - from);
        weft_window_slice(r->filled, c->size, i, &their_from, &their_to);
        if (st == WEFT_OK) st = weft_mail_send(r, i, mine + their_from, their_to - their_from);
    }
    return st == WEFT_OK ? weft_run_meet(r, add) : st;
}

/* Sends my sum to all; theirs go to my outputs. */
static weft_status add(weft_run *r) {
    weft_comm *c = r->comm;
    size_t from, to, my_from, my_to;
    weft_status st = WEFT_OK;
    for (int i = 0; i < c->local; i++) c->base[c->local_rank[i]] = weft_stage_of(c, i, WEFT_STAGE_LARGE, r->window);
    char *mine = weft_stage_of(c, c->me, WEFT_STAGE_LARGE, r->window);
    weft_window_slice(r->filled, c->size, c->rank, &my_from, &my_to);
    weft_window_add(r, CAPACITY, my_from, my_to, mine);
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0) continue;
        weft_window_slice(r->filled, c->size, i, &from, &to);
        if (weft_job_takes(&r->job)) st = weft_mail_receive(r, i, r->mail.in + from, to - from);
        if (st == WEFT_OK && weft_job_to(&r->job, i)) st = weft_mail_send(r, i, mine + my_from, my_to - my_from);
    }
    return st == WEFT_OK ? weft_run_meet(r, take) : st;
}

static weft_status next_window(weft_run *r) { return r->at.operand < r->job.n ? collect(r) : weft_run_end(r); }

static weft_status take(weft_run *r) {
    weft_comm *c = r->comm;
    size_t from, to;
    for (int i = 0; i < c->size && weft_job_takes(&r->job); i++) {
        weft_window_slice(r->filled, c->size, i, &from, &to);
        const char *sum =
            c->local_of[i] < 0 ? r->mail.in : weft_stage_of(c, c->local_of[i], WEFT_STAGE_LARGE, r->window);
        weft_window_unstage(&r->job, r->at, CAPACITY, from, to, sum);
    }
    r->at = r->next;
    return next_window(r);
}

weft_status weft_run_all_reduce_messages(weft_run *r) {
    /* p slices of rounded-up size each may exceed the window by a line per rank. */
    weft_status st = weft_mail_open(r, CAPACITY, CAPACITY + (size_t)r->comm->size * WEFT_STAGE_ALIGN);
    return st == WEFT_OK ? weft_mail_meet(r, next_window) : st;
}
