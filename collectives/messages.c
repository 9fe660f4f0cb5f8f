/* messages.c: messages between the members of a group that spans nodes; see algorithm.h.
 *
 * Two ranks first exchange what they call (a card), so that no message is ever taken for another's; then windows of data.
 * Waiting is polling, with the checks of meet.c in between, so that a peer that is gone ends the wait.
 */
#include "collectives/algorithm.h"

#include <sched.h>
#include <stdio.h>

typedef struct card {
    uint64_t sig;
    weft_call_note note;        /* without the site, which means nothing on another node */
    weft_site_note site;
} card;

#define CHECK_NS 20000000

weft_status weft_mail_open(weft_mail *m, weft_comm *c, size_t capacity, size_t room) {
    const weft_allocator *a = &c->world->alloc;
    *m = (weft_mail){ .c = c, .capacity = capacity, .room = room };
    size_t cards = (size_t)c->size * sizeof(card);
    if (m->room < cards + sizeof(card)) m->room = cards + sizeof(card);
    size_t list = 2 * (size_t)c->size * sizeof *m->requests;
    m->requests = a->resize(a->user, NULL, 0, list);
    m->in = a->resize(a->user, NULL, 0, m->room);
    m->out = a->resize(a->user, NULL, 0, m->room);
    if (m->requests && m->in && m->out) return WEFT_OK;
    return weft_comm_fail(c, "rank %d has no memory left for messages", c->members[c->rank]);
}

/* After a failure sends may still be under way, and read their buffers: then these stay. */
void weft_mail_close(weft_mail *m, weft_status st) {
    const weft_comm *c = m->c;
    const weft_allocator *a = &c->world->alloc;
    if (st != WEFT_OK && m->requests) c->world->messages->cancel(c->world, m->requests, m->count);
    int sends = 0;
    for (int i = 0; st != WEFT_OK && i < m->count; i++) sends += m->requests[i].kind == WEFT_REQUEST_SEND;
    if (m->requests) a->resize(a->user, m->requests, 2 * (size_t)c->size * sizeof *m->requests, 0);
    if (m->in) a->resize(a->user, m->in, m->room, 0);
    if (m->out && !sends) a->resize(a->user, m->out, m->room, 0);
}

weft_status weft_mail_send(weft_mail *m, int to, const void *p, size_t bytes) {
    weft_comm *c = m->c;
    if (!bytes) return WEFT_OK;
    weft_status st = c->world->messages->send(c->world, c->members[c->rank], c->members[to], p, bytes, &m->requests[m->count]);
    if (st != WEFT_OK) return weft_comm_fail(c, "rank %d cannot send to rank %d", c->members[c->rank], c->members[to]);
    m->count++;
    return WEFT_OK;
}

weft_status weft_mail_receive(weft_mail *m, int from, void *p, size_t bytes) {
    weft_comm *c = m->c;
    if (!bytes) return WEFT_OK;
    weft_status st = c->world->messages->receive(c->world, c->members[c->rank], c->members[from], p, bytes, &m->requests[m->count]);
    if (st != WEFT_OK) return weft_comm_fail(c, "rank %d cannot receive from rank %d", c->members[c->rank], c->members[from]);
    m->count++;
    return WEFT_OK;
}

static void print_late(const weft_mail *m, char *text, size_t room) {
    size_t n = 0;
    int last = -1; /* the two requests of one peer follow each other */
    text[0] = 0;
    for (int i = 0, shown = 0; i < m->count && n + 32 < room; i++) {
        int peer = m->requests[i].peer;
        if (m->requests[i].kind == WEFT_REQUEST_FREE || shown == 8 || peer == last) continue;
        n += (size_t)snprintf(text + n, room - n, "%srank %d on another node", shown++ ? ", " : "", last = peer);
    }
}

weft_status weft_mail_wait(weft_mail *m) {
    weft_comm *c = m->c;
    int64_t start = weft_now_ns(), check = start + CHECK_NS;
    for (int left = m->count; left;) {
        if (c->world->messages->test(c->world, m->requests, m->count, &left) != WEFT_OK)
            return weft_comm_fail(c, "a message between nodes failed at rank %d", c->members[c->rank]);
        if (!left) break;
        int64_t now = weft_now_ns();
        if (c->world->cores == WEFT_CORES_SHARED || now - start > c->world->spin_ns) sched_yield();
        if (now < check) continue;
        check = now + CHECK_NS;
        char late[512];
        print_late(m, late, sizeof late);
        weft_status st = weft_wait_check(c, now - start, late);
        if (st != WEFT_OK) return st;
    }
    m->count = 0;
    return WEFT_OK;
}

static weft_status compare(weft_comm *c, int other, const card *theirs, const card *mine) {
    if (theirs->sig == mine->sig) return WEFT_OK;
    weft_buf b;
    weft_buf_init(&b, &c->world->alloc);
    int me = c->members[c->rank], them = c->members[other];
    weft_buf_printf(&b, "rank %d calls ", me > them ? me : them);
    weft_note_print(&b, &(me > them ? mine : theirs)->note, &(me > them ? mine : theirs)->site);
    weft_buf_printf(&b, " where rank %d calls ", me > them ? them : me);
    weft_note_print(&b, &(me > them ? theirs : mine)->note, &(me > them ? theirs : mine)->site);
    weft_status st = weft_comm_fail(c, "%s", b.n ? b.p : "ranks call different things");
    weft_buf_free(&b);
    return st;
}

weft_status weft_mail_meet(weft_mail *m) {
    weft_comm *c = m->c;
    card *mine = (card *)m->out, *theirs = (card *)m->in;
    const weft_call_note *note = &c->slot->note[c->slot->calls & 1];
    memset(mine, 0, sizeof *mine);
    mine->sig = c->slot->sig[c->slot->calls & 1];
    mine->note = *note;
    if (note->site) mine->site = *(const weft_site_note *)weft_node_at(&c->world->node, note->site);
    weft_status st = WEFT_OK;
    for (int i = 0; i < c->size && st == WEFT_OK; i++) {
        if (c->local_of[i] >= 0) continue;
        st = weft_mail_receive(m, i, &theirs[i], sizeof *theirs);
        if (st == WEFT_OK) st = weft_mail_send(m, i, mine, sizeof *mine);
    }
    if (st == WEFT_OK) st = weft_meet_first(c);
    if (st == WEFT_OK) st = weft_mail_wait(m);
    for (int i = 0; i < c->size && st == WEFT_OK; i++)
        if (c->local_of[i] < 0) {
            st = compare(c, i, &theirs[i], mine);
            if (st == WEFT_OK) st = weft_permute_check(c, i, &theirs[i].note);
        }
    return st;
}
