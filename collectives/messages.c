/* messages.c: messages between the members of a group that spans nodes; see algorithm.h.
 *
 * Two ranks that send each other data first exchange their calls (cards), so that no message is ever taken for
 * another's; then windows of data. A call that the members have compared before has no cards, except now and then: a
 * rank that only sends then waits for none. The address tells its messages from those of other calls.
 * Messages of different groups use different channels, so that calls in progress at once do not take each other's.
 */
#include "base/sanitize.h"
#include "collectives/algorithm.h"
#include "collectives/wire.h"

#include <assert.h>
#include <stdio.h>

static size_t list_bytes(const weft_comm *c) {
    return WEFT_MAIL_REQUESTS(c->size) * sizeof(weft_request) + (size_t)c->size;
}

/* --- memory: a call takes the communicator's, and returns it ------------------------------------------------------ */

/* in each direction: all that a call of few operands among some hundred ranks needs */
#define KEPT_BYTES ((size_t)1 << 25)

static void *draw(const weft_comm *c, size_t bytes) {
    return c->world->alloc.resize(c->world->alloc.user, NULL, 0, bytes);
}
static void give(const weft_world *w, void *p, size_t bytes) {
    if (p) w->alloc.resize(w->alloc.user, p, bytes, 0);
}

static void free_buffers(const weft_world *w, weft_mail_room *m) {
    give(w, m->in, m->bytes);
    give(w, m->out, m->bytes);
    m->in = m->out = NULL;
    m->bytes = 0;
}

static void free_room(const weft_comm *c, weft_mail_room *m) {
    free_buffers(c->world, m);
    give(c->world, m->requests, list_bytes(c));
    *m = (weft_mail_room){ 0 };
}

void weft_mail_room_free(weft_comm *c) { free_room(c, &c->mail); }

/* The kept memory, or if it is too small or in use, new memory: touching that for the first time costs as much as the
 * messages. */
static bool take_room(weft_comm *c, size_t bytes, weft_mail_room *out) {
    weft_mail_room m = c->mail;
    c->mail = (weft_mail_room){ 0 };
    if (m.bytes < bytes) {
        free_buffers(c->world, &m);
        m.bytes = bytes;
        m.in = draw(c, bytes);
        m.out = draw(c, bytes);
    }
    if (!m.requests) m.requests = draw(c, list_bytes(c));
    *out = m;
    if (m.requests && m.in && m.out) return true;
    free_room(c, out);
    return false;
}

/* Back to the communicator, unless another call has left more there. */
static void leave_room(weft_comm *c, weft_mail_room *m) {
    if (m->bytes > KEPT_BYTES) free_buffers(c->world, m);
    if (c->mail.requests && c->mail.bytes >= m->bytes) {
        free_room(c, m);
        return;
    }
    free_room(c, &c->mail);
    c->mail = *m;
}

weft_status weft_mail_open(weft_run *r, size_t capacity, size_t room) {
    weft_comm *c = r->comm;
    weft_mail *m = &r->mail;
    size_t cards = (size_t)c->size * sizeof(weft_call_card);
    weft_mail_room own;
    *m = (weft_mail){ .capacity = capacity };
    if (!take_room(c, room > cards ? room : cards, &own))
        return weft_comm_fail(c, "rank %d has no memory left for messages", c->members[c->rank]);
    m->requests = own.requests;
    m->peers = memset(own.requests + WEFT_MAIL_REQUESTS(c->size), 1, (size_t)c->size);
    m->in = own.in;
    m->out = own.out;
    m->room = own.bytes;
    return WEFT_OK;
}

struct weft_lent_room {
    weft_lent_room *next;
    weft_mail_room room; /* in or out NULL: no message uses it */
    size_t own_bytes;
};

/* Messages of a failed call still use the room's buffers. No memory is drawn for that: the list of requests, which
 * nothing uses any more, becomes the record. */
static void lend_room(const weft_comm *c, const weft_mail_room *m) {
    weft_world *w = c->world;
    weft_lent_room lent = { NULL, *m, list_bytes(c) };
    static_assert(WEFT_MAIL_REQUESTS(1) * sizeof(weft_request) >= sizeof lent, "the list has room for a record");
    pthread_mutex_lock(&w->lock);
    lent.next = w->lent;
    w->lent = memcpy(m->requests, &lent, sizeof lent);
    pthread_mutex_unlock(&w->lock);
}

void weft_mail_lent_free(weft_world *w) {
    for (weft_lent_room *next, *l = w->lent; l; l = next) {
        next = l->next;
        if (w->messages_remain) {
            WEFT_STAYS(l->room.in);
            WEFT_STAYS(l->room.out);
        } else {
            free_buffers(w, &l->room);
        }
        give(w, l, l->own_bytes);
    }
    w->lent = NULL;
}

/* After a failure messages may still be in progress, and use their buffers: then these stay to the world's end. */
static void close_after_failure(weft_run *r) {
    const weft_comm *c = r->comm;
    weft_mail *m = &r->mail;
    int sends = 0, receives = 0;
    if (m->count) c->world->messages->cancel(c->world, m->requests, m->count);
    for (int i = 0; i < m->count; i++) {
        sends += m->requests[i].kind == WEFT_REQUEST_SEND;
        receives += m->requests[i].kind == WEFT_REQUEST_RECEIVE;
    }
    weft_mail_room idle = { m->requests, receives ? NULL : m->in, sends ? NULL : m->out, m->room },
                   busy = { m->requests, receives ? m->in : NULL, sends ? m->out : NULL, m->room };
    if (!sends && !receives) {
        free_room(c, &idle);
        return;
    }
    free_buffers(c->world, &idle);
    lend_room(c, &busy);
}

void weft_mail_close(weft_run *r, weft_status st) {
    weft_mail *m = &r->mail;
    if (!m->requests) return;
    if (st == WEFT_OK) leave_room(r->comm, &(weft_mail_room){ m->requests, m->in, m->out, m->room });
    else close_after_failure(r);
    *m = (weft_mail){ 0 };
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

#define COMPARE_EVERY 32 /* calls of a group */

static bool goes_without_cards(const weft_run *r) {
    const weft_job *job = &r->job;
    if (!r->is_known || r->comm->slot->calls % COMPARE_EVERY == 0) return false;
    if (job->kind == WEFT_PLAN_BARRIER) return false; /* it consists of the cards */
    /* An unexpected message stays unread for ever: no later call may take it for its own. */
    if (weft_coll_table[job->kind].givers == WEFT_ENDS_PAIR && r->comm->world->messages->call_bits < 32) return false;
    return !job->parts || job->kind != WEFT_PLAN_ALL_TO_ALL; /* they agree on the longest block */
}

static weft_address address(const weft_run *r, int from, int to) {
    const weft_comm *c = r->comm;
    weft_address at = { .from = c->members[from], .to = c->members[to], .channel = c->group->hash };
    uint64_t names = ((uint64_t)1 << c->world->messages->call_bits) - 1; /* 0 is for calls that are compared */
    if (r->mail.without_cards)
        at.call = 1 + (unsigned)(((r->sig + c->slot->calls) * 0x9e3779b97f4a7c15u >> 32) % names);
    return at;
}

/* If another process has failed, that is the reason. */
static weft_status not_begun(weft_comm *c, const char *what, int rank, int peer, const char *why) {
    weft_status st = weft_wait_check(c, 0, "");
    return st != WEFT_OK
               ? st
               : weft_comm_fail(c, "rank %d cannot %s rank %d%s%s", rank, what, peer, why ? ": " : "", why ? why : "");
}

weft_status weft_mail_send(weft_run *r, int to, const void *p, size_t bytes) {
    weft_comm *c = r->comm;
    weft_mail *m = &r->mail;
    weft_address at = address(r, c->rank, to);
    if (!bytes) return WEFT_OK;
    weft_request *q = &m->requests[m->count];
    weft_status st = c->world->messages->send(c->world, at, p, bytes, q);
    if (st != WEFT_OK) return not_begun(c, "send to", at.from, at.to, q->why);
    q->is_lent = m->sends_in_place;
    m->count += q->kind != WEFT_REQUEST_FREE; /* else it is complete */
    return WEFT_OK;
}

weft_status weft_mail_receive(weft_run *r, int from, void *p, size_t bytes) {
    weft_comm *c = r->comm;
    weft_mail *m = &r->mail;
    weft_address at = address(r, from, c->rank);
    if (!bytes) return WEFT_OK;
    weft_request *q = &m->requests[m->count];
    weft_status st = c->world->messages->receive(c->world, at, p, bytes, q);
    if (st != WEFT_OK) return not_begun(c, "receive from", at.to, at.from, q->why);
    q->is_lent = m->receives_in_place;
    m->count += q->kind != WEFT_REQUEST_FREE; /* else it is complete */
    return WEFT_OK;
}

/* A peer, or the way to it, is lost. The peer may have ended because the world had failed before: then that is
 * reported. */
static weft_status mail_failed(weft_run *r) {
    weft_comm *c = r->comm;
    const weft_mail *m = &r->mail;
    int i = 0;
    weft_status st = weft_wait_check(c, 0, "");
    if (st != WEFT_OK) return st;
    while (i < m->count && !m->requests[i].why) i++;
    if (i == m->count) return weft_comm_fail(c, "a message between nodes failed at rank %d", c->members[c->rank]);
    return weft_comm_fail(c, "rank %d cannot be reached from rank %d: %s", m->requests[i].peer, c->members[c->rank],
                          m->requests[i].why);
}

weft_status weft_mail_test(weft_run *r, int *all) {
    weft_comm *c = r->comm;
    weft_mail *m = &r->mail;
    int left = m->count;
    if (left && c->world->messages->test(c->world, m->requests, m->count, &left) != WEFT_OK) return mail_failed(r);
    *all = left == 0;
    if (left == 0) m->count = 0;
    return WEFT_OK;
}

void weft_mail_print_late(const weft_run *r, int64_t waited_ns, char *text, size_t room) {
    weft_world *w = r->comm->world;
    const weft_mail *m = &r->mail;
    int64_t over_ns = waited_ns - r->comm->timeout_ns;
    size_t n = 0;
    int last = -1, shown = 0; /* the two requests of one peer follow each other */
    text[0] = 0;
    for (int i = 0; i < m->count && n + 32 < room; i++) {
        int peer = m->requests[i].peer;
        if (m->requests[i].kind == WEFT_REQUEST_FREE || shown == 8 || peer == last) continue;
        if (over_ns < WEFT_GRACE_NS && w->messages->answers &&
            (w->messages->answers(w, peer) || over_ns < WEFT_LOOKS_NS))
            continue;
        n += (size_t)snprintf(text + n, room - n, "%srank %d on another node", shown++ ? ", " : "", last = peer);
    }
    if (shown && m->without_cards && n < room)
        snprintf(text + n, room - n, ", which may have made another call (WEFT_CHECK=1 compares every call)");
}

static weft_status compare(weft_comm *c, int other, const weft_call_card *theirs, const weft_call_card *mine) {
    return theirs->sig == mine->sig
               ? WEFT_OK
               : weft_calls_differ(c, other, &theirs->note, &theirs->site, &mine->note, &mine->site);
}

/* A hash of this peer's counts on one side of an uneven all_to_all's operands. */
static uint64_t pair_of(const weft_job *job, int peer, int of_output) {
    uint64_t h = 0;
    if (!job->parts || job->kind != WEFT_PLAN_ALL_TO_ALL) return 0;
    for (int i = 0; i < job->n; i++) {
        const weft_parts *p = &job->parts[i];
        h = (h ^ (uint64_t)(of_output ? p->out_count : p->in_count)[peer]) * 1099511628211u; /* FNV-1a, by words */
    }
    return h;
}

/* The cards have arrived. */
static weft_status read_cards(weft_run *r) {
    weft_comm *c = r->comm;
    const weft_call_card *theirs = (const weft_call_card *)r->mail.in, *mine = (const weft_call_card *)r->mail.out;
    weft_status st = WEFT_OK;
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0 || !r->mail.peers[i]) continue;
        if (!weft_call_card_is_sound(&theirs[i], c->size))
            return weft_comm_fail(c, "rank %d sent an invalid description of its call", c->members[i]);
        st = compare(c, i, &theirs[i], &mine[i]);
        if (st == WEFT_OK) st = weft_permute_check(c, i, &theirs[i].note);
        if (st == WEFT_OK && theirs[i].pair != pair_of(&r->job, i, 1))
            st = weft_comm_fail(c, "rank %d sends rank %d other counts than that expects", c->members[i],
                                c->members[c->rank]);
        if (theirs[i].note.longest > r->longest) r->longest = theirs[i].note.longest;
    }
    if (st == WEFT_OK) st = weft_posts_agree(r);
    return st == WEFT_OK ? r->mail.then(r) : st;
}

weft_status weft_mail_meet(weft_run *r, weft_turn_fn then) {
    weft_comm *c = r->comm;
    weft_call_card *mine = (weft_call_card *)r->mail.out, *theirs = (weft_call_card *)r->mail.in;
    const weft_call_note *note = &c->slot->note[c->slot->calls & 1];
    weft_status st = WEFT_OK;
    r->mail.without_cards = goes_without_cards(r);
    if (r->mail.without_cards) return weft_run_meet_first(r, then);
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0 || !r->mail.peers[i]) continue;
        memset(&mine[i], 0, sizeof mine[i]);
        mine[i].sig = weft_flag_next(c->slot)->sig;
        mine[i].pair = pair_of(&r->job, i, 0);
        mine[i].note = *note;
        if (note->site) mine[i].site = *(const weft_site_note *)weft_node_at(&c->world->node, note->site);
        st = weft_mail_receive(r, i, &theirs[i], sizeof *theirs);
        if (st == WEFT_OK) st = weft_mail_send(r, i, &mine[i], sizeof *mine);
    }
    r->mail.then = then;
    return st == WEFT_OK ? weft_run_meet_first(r, read_cards) : st;
}
