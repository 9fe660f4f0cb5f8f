/* tcp_message: sends and receives frames, and matches messages with the ranks that wait for them; see tcp.h. */
#include "collectives/tcp.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PUSH_MOST ((size_t)1 << 20)
#define PULL_MOST ((size_t)1 << 20)
#define SMALL 2048                  /* bytes that are copied to follow their head */
/* of a frame: control messages, and other messages, wait no longer than it takes */
#define REST_MOST ((size_t)4 << 20)

/* --- messages and lists ------------------------------------------------------------------------------------------- */

static const char other_length[] = "a message has another length than its receiver expects";

static void *draw(const weft_tcp *t, size_t bytes) {
    return t->world->alloc.resize(t->world->alloc.user, NULL, 0, bytes);
}
static void give(const weft_tcp *t, void *p, size_t bytes) {
    if (p) t->world->alloc.resize(t->world->alloc.user, p, bytes, 0);
}

static weft_tcp_message *new_message(weft_tcp *t, const weft_tcp_frame *head, char *p) {
    weft_tcp_message *m = t->spare;
    if (m) t->spare = m->next;
    else m = draw(t, sizeof *m);
    if (m) *m = (weft_tcp_message){ .head = *head, .p = p };
    return m;
}

void weft_tcp_recycle(weft_tcp *t, weft_tcp_message *m) {
    give(t, m->own, m->own_bytes);
    m->own = NULL;
    m->next = t->spare;
    t->spare = m;
}

static void finish(weft_tcp *t, weft_tcp_message *m, const char *why) {
    m->why = why;
    if (m->is_orphan) weft_tcp_recycle(t, m);
    /* Publishes why and what was received; pairs with the acquire load in is_done(), transport_tcp.c. */
    else atomic_store_explicit(&m->finished, 1, memory_order_release);
}

static void append(weft_tcp_list *l, weft_tcp_message *m) {
    m->next = NULL;
    *(l->last ? &l->last->next : &l->first) = m;
    l->last = m;
}

static bool take_out(weft_tcp_list *l, weft_tcp_message *m) {
    weft_tcp_message *before = NULL, *x = l->first;
    while (x && x != m) before = x, x = x->next;
    if (!x) return false;
    *(before ? &before->next : &l->first) = m->next;
    if (l->last == m) l->last = before;
    m->next = NULL;
    return true;
}

static weft_tcp_message *by_id(const weft_tcp_list *l, uint64_t id) {
    weft_tcp_message *m = l->first;
    while (m && (m->head.id != id || m->head.kind > WEFT_TCP_REST || m->head.kind == WEFT_TCP_GO)) m = m->next;
    return m;
}

static weft_tcp_message *by_address(const weft_tcp_list *l, const weft_tcp_frame *h) {
    weft_tcp_message *m = l->first;
    while (m &&
           (m->head.channel != h->channel || m->head.from != h->from || m->head.to != h->to || m->head.call != h->call))
        m = m->next;
    return m;
}

static void moved(weft_tcp *t) {
    t->moves++;
    atomic_fetch_add_explicit(&t->world->moves, 1, memory_order_relaxed); /* a hint to wait_for_messages() in run.c */
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* The bytes of a message that are sent without asking. */
static size_t first_frame(uint64_t bytes) { return bytes < WEFT_TCP_EAGER ? (size_t)bytes : WEFT_TCP_EAGER; }

static void begin_frame(weft_tcp_peer *q, weft_tcp_message *m, size_t here) {
    m->head.here = here;
    m->head_done = 0;
    m->until = m->done + here;
    append(&q->out, m);
}

static void begin_rest(weft_tcp_peer *q, weft_tcp_message *m) {
    size_t rest = m->total - m->done;
    m->head.kind = WEFT_TCP_REST;
    weft_tcp_bound_queue(q);
    begin_frame(q, m, rest < REST_MOST ? rest : REST_MOST);
}

static void frame_is_out(weft_tcp *t, weft_tcp_peer *q) {
    weft_tcp_message *m = q->out.first;
    q->out.first = m->next;
    if (!m->next) q->out.last = NULL;
    if (m->done == m->total) finish(t, m, NULL);
    else if (m->may_go) begin_rest(q, m);
    else append(&q->held, m);
}

/* Sends as much as the system takes of the rest of the frame's head and body. Small frames go from one buffer: the copy
 * costs less than a list of two. */
static ssize_t send_some(int fd, weft_tcp_message *m, size_t head, size_t body) {
    char small[SMALL + sizeof m->head];
    struct iovec v[] = { { (char *)&m->head + m->head_done, head }, { body ? m->p + m->done : NULL, body } };
    if (head && body && body <= SMALL) {
        memcpy(small, v[0].iov_base, head);
        memcpy(small + head, v[1].iov_base, body);
        return send(fd, small, head + body, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (!head || !body) return send(fd, v[head == 0].iov_base, head + body, MSG_NOSIGNAL | MSG_DONTWAIT);
    return sendmsg(fd, &(struct msghdr){ .msg_iov = v, .msg_iovlen = 2 }, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void pull(weft_tcp *t, int process);

/* Nothing is sent any more. Received data may say why. */
static void push_fails(weft_tcp *t, int process, const char *why) {
    weft_tcp_peer *q = &t->peers[process];
    if (q->is_broken) return;
    q->is_broken = true;
    pull(t, process);
    weft_tcp_lose(t, process, why);
}

static void push(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    size_t most = PUSH_MOST;
    while (q->state == WEFT_TCP_OPEN && q->out.first && most) {
        weft_tcp_message *m = q->out.first;
        size_t head = sizeof m->head - m->head_done, body = m->until - m->done;
        if (body > most) body = most;
        ssize_t n = send_some(q->fd, m, head, body);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK) push_fails(t, process, strerror(errno));
            return;
        }
        moved(t);
        size_t of_head = (size_t)n < head ? (size_t)n : head;
        m->head_done += of_head;
        m->done += (size_t)n - of_head;
        most -= (size_t)n - of_head;
        if (m->head_done == sizeof m->head && m->done == m->until) frame_is_out(t, q);
        if ((size_t)n < head + body) return; /* the system has no more room */
    }
}

/* --- between ranks of this process: direct copies ----------------------------------------------------------------- */

static void deliver(weft_tcp *t, weft_tcp_message *from, weft_tcp_message *to) {
    const char *why = from->head.bytes == to->head.bytes ? NULL : other_length;
    if (!why) memcpy(to->p, from->p, from->head.bytes);
    finish(t, from, NULL);
    finish(t, to, why);
}

static weft_tcp_message *send_home(weft_tcp *t, weft_tcp_peer *q, weft_tcp_message *m) {
    weft_tcp_message *to = by_address(&q->awaited, &m->head);
    if (to && take_out(&q->awaited, to)) deliver(t, m, to);
    else append(&q->early, m);
    return m;
}

static weft_tcp_message *receive_home(weft_tcp *t, weft_tcp_peer *q, weft_tcp_message *m) {
    weft_tcp_message *from = by_address(&q->early, &m->head);
    if (from && take_out(&q->early, from)) deliver(t, from, m);
    else append(&q->awaited, m);
    return m;
}

/* --- between processes -------------------------------------------------------------------------------------------- */

weft_tcp_message *weft_tcp_send(weft_tcp *t, int process, weft_tcp_frame head, const void *p) {
    weft_tcp_peer *q = &t->peers[process];
    weft_tcp_message *m = new_message(t, &head, (char *)(uintptr_t)p);
    if (!m) return NULL;
    if (process == t->world->process) return send_home(t, q, m);
    m->head.id = ++t->ids;
    m->total = head.bytes;
    begin_frame(q, m, first_frame(head.bytes));
    if (q->out.first == m) push(t, process);
    return m;
}

/* Queued after earlier messages. */
static weft_tcp_message *say(weft_tcp *t, int process, const weft_tcp_frame *head, const void *p) {
    weft_tcp_message *m = new_message(t, head, (char *)(uintptr_t)p);
    if (!m) return NULL;
    m->is_orphan = true;
    m->total = head->bytes;
    begin_frame(&t->peers[process], m, m->total);
    return m;
}

void weft_tcp_say(weft_world *w, int process, weft_word word, const char *text, size_t bytes) {
    weft_tcp *t = w->messages_state;
    const weft_tcp_peer *q = &t->peers[process];
    if (q->state == WEFT_TCP_NONE || q->state == WEFT_TCP_LOST || t->words.peers[process].told) return;
    if (say(t, process,
            &(weft_tcp_frame){ .kind = WEFT_TCP_WORD + word, .from = w->process, .to = process, .bytes = bytes }, text))
        push(t, process);
}

/* --- receiving ---------------------------------------------------------------------------------------------------- */

/* Its bytes go to p, and the rest of them may arrive. */
static void grant(weft_tcp *t, int process, weft_tcp_message *m) {
    weft_tcp_peer *q = &t->peers[process];
    append(&q->granted, m);
    if (!say(t, process, &(weft_tcp_frame){ .kind = WEFT_TCP_GO, .id = m->head.id }, NULL))
        weft_tcp_lose(t, process, WEFT_TCP_NO_MEMORY);
}

/* Its beginning has arrived before. */
static void receive_early(weft_tcp *t, int process, weft_tcp_message *m, const weft_tcp_frame *expected, char *p) {
    weft_tcp_peer *q = &t->peers[process];
    (void)take_out(&q->early, m);
    m->is_wanted = true;
    if (m->head.bytes != expected->bytes) {
        if (q->into == m) q->into = NULL; /* the rest is dropped */
        finish(t, m, other_length);
        return;
    }
    if (m->done) memcpy(p, m->own, m->done);
    give(t, m->own, m->own_bytes);
    m->own = NULL;
    m->p = p;
    if (m->done == m->head.bytes) finish(t, m, NULL);
    else if (m->head.bytes > m->head.here) grant(t, process, m), push(t, process);
}

bool weft_tcp_has_come(const weft_tcp *t, int process, const weft_tcp_frame *head) {
    const weft_tcp_message *m = by_address(&t->peers[process].early, head);
    return m && m->done == m->head.bytes;
}

weft_tcp_message *weft_tcp_receive(weft_tcp *t, int process, weft_tcp_frame head, void *p) {
    weft_tcp_peer *q = &t->peers[process];
    bool home = process == t->world->process;
    weft_tcp_message *m = home ? NULL : by_address(&q->early, &head);
    if (m) {
        receive_early(t, process, m, &head, p);
        return m;
    }
    m = new_message(t, &head, p);
    if (m && home) return receive_home(t, q, m);
    if (m) append(&q->awaited, m);
    return m;
}

/* A message that no rank waits for yet, or a word with a text. */
static weft_tcp_message *keep(weft_tcp *t, int process, const weft_tcp_frame *h) {
    weft_tcp_message *m = new_message(t, h, NULL);
    if (m && h->here) m->p = m->own = draw(t, m->own_bytes = h->here);
    if (m && (m->own || !h->here)) return m;
    if (m) weft_tcp_recycle(t, m);
    weft_tcp_lose(t, process, WEFT_TCP_NO_MEMORY);
    return NULL;
}

static void message_begins(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    const weft_tcp_frame *h = &q->head;
    weft_tcp_message *m = by_address(&q->awaited, h);
    if (!m) {
        m = q->into = keep(t, process, h);
        if (m) append(&q->early, m);
        return;
    }
    (void)take_out(&q->awaited, m);
    if (m->head.bytes != h->bytes) {
        finish(t, m, other_length);
        return;
    }
    m->head = *h;
    m->is_wanted = true;
    q->into = m;
    if (h->bytes > h->here) grant(t, process, m);
}

/* The receiver may ask before the first frame is sent entirely. */
static void may_go(weft_tcp_peer *q) {
    weft_tcp_message *m = by_id(&q->held, q->head.id);
    if (m && take_out(&q->held, m)) {
        begin_rest(q, m);
        m->may_go = true;
    } else if ((m = by_id(&q->out, q->head.id))) {
        m->may_go = true;
    }
}

static void rest_begins(weft_tcp_peer *q) {
    q->into = by_id(&q->granted, q->head.id);
    if (q->into) q->into->head.here = q->head.here;
}

static bool is_sound(const weft_tcp_frame *h) {
    size_t most = h->kind == WEFT_TCP_REST ? REST_MOST : WEFT_REASON_BYTES;
    if (h->kind == WEFT_TCP_MESSAGE) return h->here == first_frame(h->bytes); /* check_guess() relies on it */
    return h->kind < WEFT_TCP_KINDS && h->here <= h->bytes && h->here <= most;
}

static void word_begins(weft_tcp *t, int process, weft_word word) {
    weft_tcp_peer *q = &t->peers[process];
    weft_words_peer *p = &t->words.peers[process];
    switch (word) {
    case WEFT_WORD_FAILED: q->into = keep(t, process, &q->head); break;
    case WEFT_WORD_LEAVES: p->leaves = true; break;
    case WEFT_WORD_ASKS: if (!t->words.leaving) weft_tcp_say(t->world, process, WEFT_WORD_ANSWERS, NULL, 0); break;
    case WEFT_WORD_ANSWERS: p->answered = true; break;
    case WEFT_WORDS: break;
    }
}

/* The head of a frame has arrived. */
static void frame_begins(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    q->head_got = 0;
    if (!is_sound(&q->head)) {
        weft_tcp_lose(t, process, "it sent an invalid message");
        return;
    }
    q->left = q->head.here;
    q->into = NULL;
    if (q->head.kind == WEFT_TCP_MESSAGE) message_begins(t, process);
    else if (q->head.kind == WEFT_TCP_GO) may_go(q);
    else if (q->head.kind == WEFT_TCP_REST) rest_begins(q);
    else word_begins(t, process, (weft_word)(q->head.kind - WEFT_TCP_WORD));
    /* No rest is longer than its message. */
    if (q->into && q->left > q->into->head.bytes - q->into->done)
        weft_tcp_lose(t, process, "it sent an invalid message");
}

static bool is_failure(const weft_tcp_message *m) { return m->head.kind == WEFT_TCP_WORD + WEFT_WORD_FAILED; }

static void frame_ends(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    weft_tcp_message *m = q->into;
    q->into = NULL;
    if (!m) return;
    if (is_failure(m)) {
        weft_words_hear_failed(&t->words, m->own, m->done);
        weft_tcp_recycle(t, m);
    } else if (m->is_wanted && m->done == m->head.bytes) {
        (void)take_out(&q->granted, m);
        finish(t, m, NULL);
    }
}

static void count_in(weft_tcp *t, int process, size_t n) {
    weft_tcp_peer *q = &t->peers[process];
    if (q->into) q->into->done += n;
    q->left -= n;
    if (!q->left) frame_ends(t, process);
}

static void head_is_there(weft_tcp *t, int process) {
    const weft_tcp_peer *q = &t->peers[process];
    frame_begins(t, process);
    if (q->state == WEFT_TCP_OPEN && !q->left) frame_ends(t, process);
}

/* Handles received bytes, wherever they were read to. */
static void sort(weft_tcp *t, int process, const char *p, size_t bytes) {
    weft_tcp_peer *q = &t->peers[process];
    for (size_t n; bytes && q->state == WEFT_TCP_OPEN; p += n, bytes -= n) {
        size_t want = q->left ? q->left : sizeof q->head - q->head_got;
        n = bytes < want ? bytes : want;
        if (q->left) {
            /* They may have been read to the right place: see pull_some(). The bytes after them stay.
             */
            if (q->into) memmove(q->into->p + q->into->done, p, n);
            count_in(t, process, n);
            continue;
        }
        memcpy((char *)&q->head + q->head_got, p, n);
        q->head_got += n;
        if (q->head_got == sizeof q->head) head_is_there(t, process);
    }
}

/* A head has been read, followed by n bytes to where the message `guess` waits for them. */
static void check_guess(weft_tcp *t, int process, weft_tcp_message *guess, size_t n) {
    weft_tcp_peer *q = &t->peers[process];
    char *p = guess->p;
    q->head_got = sizeof q->head;
    head_is_there(t, process);
    if (q->state != WEFT_TCP_OPEN) return;
    if (q->into == guess) count_in(t, process, n);
    else sort(t, process, p, n);
}

/* Reads bytes to their place; those after them, and those without a place, are read ahead. Between two frames the next
 * one is assumed to be the message that has been waited for longest, if that is not small; the bytes of any other one
 * are then in that one's memory, which is overwritten when it arrives. */
static ssize_t pull_some(weft_tcp *t, int process, size_t *room) {
    weft_tcp_peer *q = &t->peers[process];
    weft_tcp_message *guess =
        !q->left && !q->head_got && q->awaited.first && q->awaited.first->head.bytes > SMALL ? q->awaited.first : NULL;
    size_t head = guess ? sizeof q->head : 0, body = guess ? guess->head.bytes : q->into ? q->left : 0;
    if (body > PULL_MOST) body = PULL_MOST;
    if (guess && body > WEFT_TCP_EAGER) body = WEFT_TCP_EAGER;
    struct iovec v[] = { { &q->head, head },
                         { guess  ? guess->p
                           : body ? q->into->p + q->into->done
                                  : NULL,
                           body },
                         { q->ahead, WEFT_TCP_AHEAD } };
    ssize_t n = guess  ? readv(q->fd, v, 3)
                : body ? readv(q->fd, v + 1, 2)
                       : recv(q->fd, q->ahead, WEFT_TCP_AHEAD, MSG_DONTWAIT);
    *room = head + body + WEFT_TCP_AHEAD;
    if (n <= 0) return n;
    moved(t);
    size_t rest = (size_t)n, placed;
    if (rest < head) {
        q->head_got = rest;
        return n;
    }
    rest -= head;
    placed = rest < body ? rest : body;
    if (guess) check_guess(t, process, guess, placed);
    else if (placed) count_in(t, process, placed);
    sort(t, process, q->ahead, rest - placed);
    return n;
}

static void pull(weft_tcp *t, int process) {
    weft_tcp_peer *q = &t->peers[process];
    size_t got = 0, room;
    while (q->state == WEFT_TCP_OPEN && got < PULL_MOST) {
        ssize_t n = pull_some(t, process, &room);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (n <= 0) {
            weft_tcp_lose(t, process,
                          n < 0                            ? strerror(errno)
                          : t->words.peers[process].leaves ? "its process has left"
                                                           : "its process has closed the connection");
            return;
        }
        got += (size_t)n;
        if ((size_t)n < room) return; /* nothing is left */
    }
}

void weft_tcp_step(weft_tcp *t, int process) {
    push(t, process);
    pull(t, process);
    push(t, process); /* received frames may have queued control messages */
}

/* --- giving up ---------------------------------------------------------------------------------------------------- */

/* A frame that has begun must be sent to its end: from a copy, since its memory is the caller's. */
static void send_copy(weft_tcp *t, int process, weft_tcp_message *m) {
    size_t rest = m->until - m->done;
    m->is_orphan = true;
    m->own = rest ? draw(t, rest) : NULL;
    if (rest && !m->own) {
        weft_tcp_lose(t, process, WEFT_TCP_NO_MEMORY);
        return;
    }
    if (rest) memcpy(m->own, m->p + m->done, rest);
    m->own_bytes = rest;
    m->p = m->own;
    m->done = 0;
    m->until = m->total = rest; /* no other frame follows */
}

void weft_tcp_forget(weft_tcp *t, int process, weft_tcp_message *m) {
    weft_tcp_peer *q = &t->peers[process];
    if (q->out.first == m && q->state == WEFT_TCP_OPEN && m->head_done) {
        send_copy(t, process, m);
        return;
    }
    if (q->into == m) q->into = NULL;
    weft_tcp_list *in[] = { &q->out, &q->held, &q->awaited, &q->granted, &q->early };
    size_t i = 0;
    while (i < WEFT_COUNT(in) && !take_out(in[i], m)) i++;
    weft_tcp_recycle(t, m);
}

static void free_list(weft_tcp *t, weft_tcp_list *l) {
    for (weft_tcp_message *m; (m = l->first);) {
        l->first = m->next;
        weft_tcp_recycle(t, m);
    }
    l->last = NULL;
}

void weft_tcp_messages_free(weft_tcp *t) {
    for (int p = 0; t->peers && p < t->world->processes; p++) {
        weft_tcp_peer *q = &t->peers[p];
        if (q->into && is_failure(q->into)) weft_tcp_recycle(t, q->into);
        q->into = NULL;
        free_list(t, &q->awaited);
        free_list(t, &q->early);
        free_list(t, &q->granted);
        free_list(t, &q->out);
        free_list(t, &q->held);
    }
    for (weft_tcp_message *m; (m = t->spare);) {
        t->spare = m->next;
        give(t, m, sizeof *m);
    }
}
