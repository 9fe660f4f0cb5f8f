/* all_reduce_messages: reduce-scatter and all-gather of slices, directly between all ranks. Window by window each rank
 * sends every owner on another node its part of the owner's slice; those of the same node read it in the staging area. The
 * owner adds up in rank order and sends the sum to all. 2(p-1)/p of the operand per rank when every rank is a node of its own.
 */
#include "collectives/algorithm.h"

/* Everyone's part of my slice, at c->base[i] + from. */
static weft_status collect(weft_mail *m, size_t filled, const char *mine, uint64_t window) {
    weft_comm *c = m->c;
    size_t from, to, their_from, their_to;
    weft_status st = WEFT_OK;
    weft_window_slice(filled, c->size, c->rank, &from, &to);
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0) continue;
        char *room = m->in + (size_t)i * (to - from);
        c->base[i] = (const void *)((uintptr_t)room - from);
        st = weft_mail_receive(m, i, room, to - from);
        weft_window_slice(filled, c->size, i, &their_from, &their_to);
        if (st == WEFT_OK) st = weft_mail_send(m, i, mine + their_from, their_to - their_from);
    }
    if (st == WEFT_OK) st = weft_meet(c);
    if (st != WEFT_OK) return st;
    for (int i = 0; i < c->local; i++) c->base[c->local_rank[i]] = weft_stage_of(c, i, WEFT_STAGE_LARGE, window);
    return weft_mail_wait(m);
}

/* My sum to all, theirs to my outputs. */
static weft_status hand_out(weft_mail *m, const weft_job *job, weft_cursor at, size_t filled, const char *mine, uint64_t window) {
    weft_comm *c = m->c;
    size_t from, to, my_from, my_to;
    weft_status st = WEFT_OK;
    weft_window_slice(filled, c->size, c->rank, &my_from, &my_to);
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0) continue;
        weft_window_slice(filled, c->size, i, &from, &to);
        st = weft_mail_receive(m, i, m->in + from, to - from);
        if (st == WEFT_OK) st = weft_mail_send(m, i, mine + my_from, my_to - my_from);
    }
    if (st == WEFT_OK) st = weft_meet(c);
    if (st == WEFT_OK) st = weft_mail_wait(m);
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        weft_window_slice(filled, c->size, i, &from, &to);
        const char *sum = c->local_of[i] < 0 ? m->in : weft_stage_of(c, c->local_of[i], WEFT_STAGE_LARGE, window);
        weft_window_unstage(job, at, m->capacity, from, to, sum);
    }
    return st;
}

weft_status weft_run_all_reduce_messages(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    weft_mail m;
    weft_cursor at = { 0 }, next = { 0 };
    /* p slices of rounded-up size each may exceed the window by a line per rank. */
    weft_status st = weft_mail_open(&m, c, WEFT_STAGE_LARGE_BYTES, WEFT_STAGE_LARGE_BYTES + (size_t)c->size * WEFT_STAGE_ALIGN);
    if (st == WEFT_OK) st = weft_mail_meet(&m);
    while (st == WEFT_OK && at.operand < job->n) {
        size_t filled = weft_window_skip(job, &next, m.capacity), from, to;
        char *mine = weft_stage_mine(c, WEFT_STAGE_LARGE);
        if (!mine) {
            st = weft_comm_fail(c, "rank %d has no shared memory left for staging", c->members[c->rank]);
            break;
        }
        weft_window_stage(job, at, m.capacity, mine);
        uint64_t window = c->slot->windows++;
        st = collect(&m, filled, mine, window);
        if (st != WEFT_OK) break;
        weft_window_slice(filled, c->size, c->rank, &from, &to);
        weft_window_add(c, job, at, m.capacity, from, to, mine);
        st = hand_out(&m, job, at, filled, mine, window);
        at = next;
    }
    weft_mail_close(&m, st);
    return st;
}
