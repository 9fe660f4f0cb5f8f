/* schedule_run.c: takes a call round by round through its schedule (schedule.h), for each window of its operands.
 *
 * A round's messages are begun together, and the rank goes on once its own are complete: it does not wait for the
 * rounds of others. A message of neighbouring blocks is sent from their place, and received in place if nothing is to
 * be added; else it goes through a buffer. With a lag the arrivals of a round are processed while the next one's
 * messages are in progress, from two alternating halves.
 */
#include "collectives/algorithm.h"

static int is_added(weft_act act) { return act == WEFT_ACT_ADD_BEFORE || act == WEFT_ACT_ADD_AFTER; }
static int is_receive(weft_act act) { return act == WEFT_ACT_TAKE || act == WEFT_ACT_TAKE_SUM || is_added(act); }
static int is_send(weft_act act) { return act == WEFT_ACT_SEND || act == WEFT_ACT_SEND_SUM; }
static weft_store_form form_of(weft_act act) {
    return act == WEFT_ACT_SEND || act == WEFT_ACT_TAKE ? WEFT_STORE_DONE : WEFT_STORE_SUMS;
}

static int transfers_of(const weft_course *c, int round, weft_transfer *t) {
    return c->plan.transfers(&c->seat, round, t);
}

/* Whether the blocks are neighbours, so that the message can use the store directly. In a TURNED store a round sends
 * and receives the same blocks. */
static int in_store(const weft_course *c, const weft_transfer *t) {
    if (is_added(t->act) || (t->act == WEFT_ACT_TAKE && c->plan.store == WEFT_STORE_TURNED)) return 0;
    return weft_blockset_is_run(&t->set, c->plan.blocks);
}

static size_t message_bytes(const weft_run *r, const weft_transfer *t) {
    const weft_course *c = &r->course;
    size_t sum = 0, bytes;
    for (int i = 0, first, count; weft_blockset_run(&t->set, c->plan.blocks, &i, &first, &count); sum += bytes)
        weft_store_range(&c->store, &r->job, form_of(t->act), first, count, &bytes);
    return sum;
}

/* The address of a set that is one run. */
static char *run_of(const weft_run *r, const weft_transfer *t, size_t *bytes) {
    int i = 0, first = 0, count = 0;
    weft_blockset_run(&t->set, r->course.plan.blocks, &i, &first, &count);
    return weft_store_range(&r->course.store, &r->job, form_of(t->act), first, count, bytes);
}

static int blocks_in(const weft_course *c, const weft_blockset *set) {
    int n = 0;
    for (int i = 0, first, count; weft_blockset_run(set, c->plan.blocks, &i, &first, &count);) n += count;
    return n;
}

/* --- the needs of a call: found by going through its rounds once -------------------------------------------------- */

/* The most blocks that a round receives, and sends, outside of the store; marks the peers. */
static void survey(const weft_course *c, int *arrivals, int *packed, unsigned char *peers) {
    weft_transfer t[WEFT_TRANSFERS];
    *arrivals = *packed = 0;
    for (int round = 0, n; (n = transfers_of(c, round, t)) >= 0; round++) {
        int in = 0, out = 0;
        for (int i = 0; i < n; i++) {
            if (t[i].act == WEFT_ACT_FINISH) continue;
            if (peers) peers[t[i].peer] = 1;
            if (!in_store(c, &t[i])) *(is_send(t[i].act) ? &out : &in) += blocks_in(c, &t[i].set);
        }
        if (in > *arrivals) *arrivals = in;
        if (out > *packed) *packed = out;
    }
}

static weft_status open_course(weft_run *r) {
    weft_course *c = &r->course;
    const weft_job *job = &r->job;
    int arrivals, packed, root = weft_coll_table[job->kind].givers == WEFT_ENDS_ROOT ? job->source : job->target;
    if (!weft_schedule_find(r->alg, &r->comm->levels, &c->plan)) return WEFT_ERR_INTERNAL;
    c->seat = (weft_seat){ job->ranks, job->rank, root, &r->comm->levels };
    weft_schedule_places(&c->plan, &c->seat, r->comm->places);
    weft_store_plan(job, &c->plan, c->plan.places == WEFT_PLACES_OWN ? NULL : r->comm->places, &c->store);
    survey(c, &arrivals, &packed, NULL);
    size_t most = weft_store_block_most(&c->store), done = weft_store_done_bytes(&c->store),
           sums = weft_store_sums_bytes(&c->store);
    c->arrivals_room = (size_t)arrivals * most;
    size_t out = done + sums + (size_t)packed * most, in = (size_t)(1 + c->plan.lag) * c->arrivals_room;
    weft_status st = weft_mail_open(r, c->store.capacity, out > in ? out : in);
    if (st != WEFT_OK) return st;
    c->store.done = r->mail.out;
    c->store.sums = r->mail.out + done;
    c->pack = r->mail.out + done + sums;
    memset(r->mail.peers, 0, (size_t)job->ranks);
    survey(c, &arrivals, &packed, r->mail.peers);
    return WEFT_OK;
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

static char *arrivals_of(const weft_run *r, int round) {
    return r->mail.in + (r->course.plan.lag ? (size_t)(round & 1) * r->course.arrivals_room : 0);
}

static weft_status receive(weft_run *r, const weft_transfer *t, char **room) {
    weft_course *c = &r->course;
    size_t bytes = message_bytes(r, t);
    char *to = *room;
    if (in_store(c, t)) to = run_of(r, t, &bytes);
    else *room += bytes;
    return weft_mail_receive(r, t->peer, to, bytes);
}

static weft_status send(weft_run *r, const weft_transfer *t, char **room) {
    weft_course *c = &r->course;
    size_t bytes;
    char *from = *room;
    if (in_store(c, t)) {
        from = run_of(r, t, &bytes);
        return weft_mail_send(r, t->peer, from, bytes);
    }
    for (int i = 0, first, count; weft_blockset_run(&t->set, c->plan.blocks, &i, &first, &count); *room += bytes) {
        const char *run = weft_store_range(&c->store, &r->job, form_of(t->act), first, count, &bytes);
        memcpy(*room, run, bytes);
    }
    return weft_mail_send(r, t->peer, from, (size_t)(*room - from));
}

/* Moves the round's arrivals to their places. */
static void arrive(weft_run *r, int round) {
    weft_course *c = &r->course;
    weft_transfer t[WEFT_TRANSFERS];
    const char *from = arrivals_of(r, round);
    int n = transfers_of(c, round, t), first, count;
    size_t bytes;
    for (int i = 0; i < n; i++) {
        if (!is_receive(t[i].act) || in_store(c, &t[i])) continue;
        for (int k = 0; weft_blockset_run(&t[i].set, c->plan.blocks, &k, &first, &count);) {
            if (is_added(t[i].act)) {
                for (int b = first; b < first + count; b++)
                    from = weft_store_merge(&c->store, &r->job, b, t[i].act, from);
            } else {
                char *to = weft_store_range(&c->store, &r->job, form_of(t[i].act), first, count, &bytes);
                memcpy(to, from, bytes);
                from += bytes;
            }
        }
    }
}

static weft_status begin_round(weft_run *r, const weft_transfer *t, int n) {
    weft_course *c = &r->course;
    char *in = arrivals_of(r, c->round), *out = c->pack;
    weft_status st = WEFT_OK;
    for (int i = 0; i < n; i++)
        for (int k = 0, first, count;
             t[i].act == WEFT_ACT_FINISH && weft_blockset_run(&t[i].set, c->plan.blocks, &k, &first, &count);)
            for (int b = first; b < first + count; b++) weft_store_finish(&c->store, &r->job, b);
    for (int i = 0; i < n && st == WEFT_OK; i++)
        if (is_receive(t[i].act)) st = receive(r, &t[i], &in);
    for (int i = 0; i < n && st == WEFT_OK; i++)
        if (is_send(t[i].act)) st = send(r, &t[i], &out);
    return st;
}

static weft_status next_window(weft_run *r);
static weft_status end_round(weft_run *r);

static void add_members(void *user, const weft_adder *a, void *dst, size_t elem_bytes, int64_t count) {
    weft_sum_members(user, a, dst, elem_bytes, count);
}

/* Continues from c->round on, until there is a message to wait for. */
static weft_status go_on(weft_run *r) {
    weft_course *c = &r->course;
    weft_transfer t[WEFT_TRANSFERS];
    for (;; c->round++) {
        int n = transfers_of(c, c->round, t);
        weft_status st = n > 0 ? begin_round(r, t, n) : WEFT_OK;
        if (st != WEFT_OK) return st;
        if (c->plan.lag && c->round) arrive(r, c->round - 1);
        if (n < 0) break;
        if (r->mail.count) return weft_run_await(r, end_round);
        if (!c->plan.lag) arrive(r, c->round); /* messages may have arrived already */
    }
    weft_store_unload(&c->store, &r->job, r->comm->src, add_members, r->comm);
    r->at = r->next;
    return next_window(r);
}

static weft_status end_round(weft_run *r) {
    if (!r->course.plan.lag) arrive(r, r->course.round);
    r->course.round++;
    return go_on(r);
}

static weft_status next_window(weft_run *r) {
    if (r->at.operand >= r->job.n) return weft_run_end(r);
    r->next = r->at;
    weft_window_skip(&r->job, &r->next, r->course.store.capacity);
    weft_store_load(&r->course.store, &r->job, r->at);
    r->course.round = 0;
    return go_on(r);
}

weft_status weft_run_schedule(weft_run *r) {
    weft_status st = open_course(r);
    return st == WEFT_OK ? weft_mail_meet(r, next_window) : st;
}
