/* loopback.c: see loopback.h. Messages of one sender, receiver and channel are received in the order in which they were
 * sent; a receive must have its message's length.
 */
#include "tests/collectives/loopback.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct loopback_message {
    struct loopback_message *next;
    weft_address at;
    size_t bytes;
    char data[];
} message;

typedef struct loopback_wish {
    struct loopback_wish *next;
    weft_address at;
    void *to;
    size_t bytes;
    int done;           /* 1: has come; -1: something of another length has */
} wish;

static int same(weft_address a, weft_address b) {
    return a.from == b.from && a.to == b.to && a.channel == b.channel && a.call == b.call;
}

static void take(wish *w, const message *m) {
    w->done = w->bytes == m->bytes ? 1 : -1;
    if (w->done == 1) memcpy(w->to, m->data, m->bytes);
}

/* Gives the message to the first receive that waits for it. */
static int deliver(loopback *l, const message *m) {
    for (wish **at = &l->wishes, *before = NULL; *at; before = *at, at = &(*at)->next) {
        wish *w = *at;
        if (!same(w->at, m->at)) continue;
        take(w, m);
        *at = w->next;
        if (l->end == w) l->end = before;
        return 1;
    }
    return 0;
}

static weft_status send_message(weft_world *w, weft_address at, const void *p, size_t bytes, weft_request *r) {
    loopback *l = w->messages_state;
    message *m = malloc(sizeof *m + bytes);
    if (!m) return WEFT_ERR_IO;
    *m = (message){ .at = at, .bytes = bytes };
    memcpy(m->data, p, bytes);
    *r = (weft_request){ .peer = at.to, .kind = WEFT_REQUEST_SEND };
    pthread_mutex_lock(&l->lock);
    l->sent += bytes;
    if (deliver(l, m)) {
        free(m);
    } else {
        *(l->last ? &l->last->next : &l->first) = m;
        l->last = m;
    }
    pthread_mutex_unlock(&l->lock);
    return WEFT_OK;
}

static weft_status receive_message(weft_world *w, weft_address at, void *p, size_t bytes, weft_request *r) {
    loopback *l = w->messages_state;
    wish *x = malloc(sizeof *x);
    if (!x) return WEFT_ERR_IO;
    *x = (wish){ .at = at, .to = p, .bytes = bytes };
    *r = (weft_request){ .data = x, .peer = at.from, .kind = WEFT_REQUEST_RECEIVE };
    pthread_mutex_lock(&l->lock);
    for (message **m = &l->first, *before = NULL; *m; before = *m, m = &(*m)->next) {
        message *found = *m;
        if (!same(found->at, at)) continue;
        take(x, found);
        *m = found->next;
        if (l->last == found) l->last = before;
        free(found);
        break;
    }
    if (!x->done) {
        *(l->end ? &l->end->next : &l->wishes) = x;
        l->end = x;
    } else if (x->done > 0 && l->receives++ & 1) { /* some transports say at once that all has come, others later */
        free(x);
        *r = (weft_request){ .kind = WEFT_REQUEST_FREE };
    }
    pthread_mutex_unlock(&l->lock);
    return WEFT_OK;
}

static weft_status test_messages(weft_world *w, weft_request *r, int n, int *left) {
    loopback *l = w->messages_state;
    weft_status st = WEFT_OK;
    *left = 0;
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < n; i++) {
        wish *x = r[i].data;
        if (r[i].kind == WEFT_REQUEST_FREE) continue;
        if (x && !x->done) {
            ++*left;
            continue;
        }
        if (x && x->done < 0) {
            st = WEFT_ERR_IO;
            r[i].why = "a message of another length";
            continue;
        }
        free(x);
        r[i] = (weft_request){ .kind = WEFT_REQUEST_FREE };
    }
    pthread_mutex_unlock(&l->lock);
    return st;
}

static bool lends(const weft_world *w) { return w->messages_state != NULL; }

static void cancel_messages(weft_world *w, weft_request *r, int n) {
    loopback *l = w->messages_state;
    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < n; i++) {
        wish *x = r[i].data, *before = NULL;
        for (wish **at = &l->wishes; x && *at; before = *at, at = &(*at)->next) {
            if (*at != x) continue;
            *at = x->next;
            if (l->end == x) l->end = before;
            break;
        }
        if (r[i].kind != WEFT_REQUEST_FREE) free(x);
        r[i] = (weft_request){ .kind = WEFT_REQUEST_FREE };
    }
    pthread_mutex_unlock(&l->lock);
}

static void tell_failed(weft_world *w, weft_hearers who) {
    (void)who;
    loopback *l = w->messages_state;
    char reason[WEFT_REASON_BYTES];
    weft_node_reason(&w->node, reason);
    pthread_mutex_lock(&l->lock);
    if (!l->reason[0]) memcpy(l->reason, reason, sizeof reason);
    pthread_mutex_unlock(&l->lock);
}

static bool heard_failed(weft_world *w, char *reason, size_t bytes) {
    loopback *l = w->messages_state;
    pthread_mutex_lock(&l->lock);
    bool there = l->reason[0] != 0;
    if (there) snprintf(reason, bytes, "%s", l->reason);
    pthread_mutex_unlock(&l->lock);
    return there;
}

static void close_messages(weft_world *w) { (void)w; }

static const weft_transport transport = {
    .name = "loopback",
    .offer = WEFT_TRANSPORT_MESSAGES,
    .call_bits = 32,
    .close = close_messages,
    .send = send_message,
    .receive = receive_message,
    .test = test_messages,
    .lends = lends,
    .cancel = cancel_messages,
    .tell_failed = tell_failed,
    .heard_failed = heard_failed,
};

weft_status loopback_open(weft_context *cx, const weft_world_options *opt, const int *ranks, int nodes, loopback *l) {
    weft_process_card cards[LOOPBACK_NODES];
    weft_status st = WEFT_OK;
    *l = (loopback){ .nodes = nodes };
    pthread_mutex_init(&l->lock, NULL);
    for (int i = 0; i < nodes; i++) {
        cards[i] = weft_world_card(opt);
        cards[i].local = ranks[i];
        cards[i].node = i;
    }
    for (int i = 0; i < nodes && st == WEFT_OK; i++) {
        st = weft_world_lay_out(cx, opt, cards, i, nodes, &l->world[i]);
        if (st != WEFT_OK) continue;
        l->world[i]->memory = &weft_transport_threads;
        l->world[i]->messages = &transport;
        l->world[i]->messages_state = l;
        st = weft_transport_threads.share(l->world[i], &(weft_memory_card){ 0 });
    }
    return st;
}

void loopback_close(loopback *l) {
    for (int i = 0; i < l->nodes; i++) weft_world_free(l->world[i]);
    for (message *m = l->first, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    pthread_mutex_destroy(&l->lock);
}
