/* transport_ucx: messages between ranks of any processes by UCX's UCP.
 *
 * One worker per process, and one endpoint per process that it sends to, made with the first message: addresses and
 * connections grow with the processes, not with the ranks. The worker is SERIALIZED: a lock lets one of the process's
 * ranks at a time use it, and a rank that waits for messages advances those of all. A callback sets a flag in the
 * message itself when it is done, which its owner may read without the lock. Ranks' messages are UCP's tag messages:
 * eager or by its rendezvous, with remote reads if the network has them. Control messages between processes (words.h)
 * are active messages.
 *
 * A process that ends, or to which no way is left, is an endpoint's error: from then on messages with it fail with
 * UCX's words. A process that only stays silent is found by the time-out of a rank that waits for it.
 */
#include "config.h"
#ifdef HAVE_UCX
#include "collectives/ucx_log.h"
#include "collectives/words.h"
#include "collectives/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <ucp/api/ucp.h>
#include <unistd.h>

/* between two checks of an idle endpoint, unless UCX_KEEPALIVE_INTERVAL is set */
#define KEEPALIVE "1s"
/* with sockets only: shorter messages are sent without asking, unless UCX_RNDV_THRESH is set */
#define EAGER "256K"
#define CALL_OUT_NS 100000000      /* a failed process waits so long for each process that it tells: 0.1 s */
#define CANCEL_NS 200000000        /* and a failed call for its messages to release their buffers: 0.2 s */
#define BURST 16                   /* steps of progress in one poll */

/* Stored in each of UCX's requests. */
typedef struct note {
    _Atomic int done;              /* set by the callback, under the lock; read by the message's owner */
    ucs_status_t status;           /* published by done */
    bool orphan;                   /* no rank waits for it: the callback returns it; under the lock */
} note;

typedef struct peer {
    ucp_ep_h ep;                   /* NULL: none yet, or lost */
    ucs_status_t lost;             /* UCS_OK: not lost */
    bool asks;                     /* it waits for a sign of life */
    bool flushing;                 /* the endpoint, at the end */
    ucs_status_ptr_t flush;        /* UCX's request for that; NULL: done */
} peer;

typedef struct weft_ucx {
    weft_words words;              /* first: words.h */
    weft_world *world;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_address_t *address;        /* UCX's */
    size_t address_bytes;
    char *addresses;               /* [processes], stride bytes each; NULL: not connected */
    size_t stride;
    pthread_mutex_t lock;          /* guards the worker and the fields below */
    peer *peers;                   /* [processes] */
    uint32_t self;                 /* this process's number, sent with its words */
    bool lends;                    /* only progress touches the memory of messages */
    /* messages may still use memory that no longer exists: no more progress */
    bool frozen;
    bool asked;                    /* a peer waits for a sign of life */
} weft_ucx;

static void enter(weft_world *w) {
    pthread_mutex_lock(&((weft_ucx *)w->messages_state)->lock);
    weft_ucx_log_hold();
}

static void leave(weft_world *w) {
    weft_ucx_log_release();
    pthread_mutex_unlock(&((weft_ucx *)w->messages_state)->lock);
}

/* --- tags: channel 24 bits, the call 6, the sender's rank 24, the receiver's number in its process 10 ------------- */

#define MOST_LOCAL 1024
#define UCX_CALL_BITS 6

static ucp_tag_t tag_of(const weft_world *w, weft_address at) {
    uint64_t to = (uint64_t)(at.to - w->first_of[weft_process_of(w, at.to)]);
    return (at.channel >> 40) << 40 | (uint64_t)at.call << 34 | (uint64_t)at.from << 10 | to;
}

/* --- UCX's callbacks: within progress, so under the lock ---------------------------------------------------------- */

static void init_note(void *request) {
    note *n = request;
    atomic_init(&n->done, 0);
    n->orphan = false;
}

/* Returns it to UCX in its initial state. */
static void put_back(note *n) {
    /* Relaxed: UCX reuses it only under the lock. */
    atomic_store_explicit(&n->done, 0, memory_order_relaxed);
    n->orphan = false;
    ucp_request_free(n);
}

static void finish(note *n, ucs_status_t status) {
    if (n->orphan) {
        put_back(n);
        return;
    }
    n->status = status;
    /* Publishes the status and the received data; pairs with the acquire in is_done(). */
    atomic_store_explicit(&n->done, 1, memory_order_release);
}

static void sent(void *request, ucs_status_t status, void *user) {
    (void)user;
    finish(request, status);
}

static void received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *user) {
    size_t expected = (size_t)(uintptr_t)user;
    finish(request, status == UCS_OK && info->length != expected ? UCS_ERR_MESSAGE_TRUNCATED : status);
}

static void lose(void *user, ucp_ep_h ep, ucs_status_t status) {
    weft_ucx *u = user;
    for (int p = 0; p < u->world->processes; p++)
        if (u->peers[p].ep == ep && u->peers[p].lost == UCS_OK) u->peers[p].lost = status;
}

/* Words are active messages of their number; all but that of a failure carry their sender's. */
static ucs_status_t hear_failed(void *user, const void *header, size_t header_bytes, void *data, size_t bytes,
                                const ucp_am_recv_param_t *param) {
    weft_ucx *u = user;
    (void)header, (void)header_bytes;
    /* never so long */
    if (!(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) weft_words_hear_failed(&u->words, data, bytes);
    return UCS_OK;
}

/* The process that sent an active message; -1: none of this world. */
static int sender_of(const weft_ucx *u, const void *data, size_t bytes, const ucp_am_recv_param_t *param) {
    uint32_t process;
    if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) || bytes != sizeof process) return -1;
    memcpy(&process, data, sizeof process);
    return process < (uint32_t)u->world->processes ? (int)process : -1;
}

static ucs_status_t hear_leaving(void *user, const void *header, size_t header_bytes, void *data, size_t bytes,
                                 const ucp_am_recv_param_t *param) {
    weft_ucx *u = user;
    int p = sender_of(u, data, bytes, param);
    (void)header, (void)header_bytes;
    if (p >= 0) u->words.peers[p].leaves = true;
    return UCS_OK;
}

/* The thread that made this progress answers it. */
static ucs_status_t hear_question(void *user, const void *header, size_t header_bytes, void *data, size_t bytes,
                                  const ucp_am_recv_param_t *param) {
    weft_ucx *u = user;
    int p = sender_of(u, data, bytes, param);
    (void)header, (void)header_bytes;
    if (p >= 0) u->peers[p].asks = u->asked = true;
    return UCS_OK;
}

static ucs_status_t hear_answer(void *user, const void *header, size_t header_bytes, void *data, size_t bytes,
                                const ucp_am_recv_param_t *param) {
    weft_ucx *u = user;
    int p = sender_of(u, data, bytes, param);
    (void)header, (void)header_bytes;
    if (p >= 0) u->words.peers[p].answered = true;
    return UCS_OK;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static weft_status trouble(weft_world *w, const char *what, ucs_status_t s) {
    const char *why = weft_ucx_log_last();
    snprintf(w->trouble, sizeof w->trouble, "process %d: UCX %s: %s%s%s", w->process, what, ucs_status_string(s),
             *why ? ": " : "", why);
    return s == UCS_ERR_NO_MEMORY ? WEFT_ERR_MEMORY : WEFT_ERR_IO;
}

/* UCX's shared memory between processes may use files in /dev/shm: not if that has no room, as in some containers, nor
 * if file sizes are limited, beyond which a signal comes. */
typedef enum files { WITH_FILES, WITHOUT_FILES } files;

static files files_at_first(void) {
    struct rlimit r;
    return getrlimit(RLIMIT_FSIZE, &r) == 0 && r.rlim_cur != RLIM_INFINITY ? WITHOUT_FILES : WITH_FILES;
}

static ucs_status_t make_context(weft_ucx *u, files files) {
    ucp_config_t *config;
    ucs_status_t s = ucp_config_read(NULL, NULL, &config);
    if (s != UCS_OK) return s;
    /* some releases lack it */
    if (!getenv("UCX_KEEPALIVE_INTERVAL")) (void)ucp_config_modify(config, "KEEPALIVE_INTERVAL", KEEPALIVE);
    /* otherwise UCX has messages of some kilobytes wait for their receiver to fetch them, which sockets
     * cannot do */
    u->lends = !weft_has_rdma();
    if (u->lends && !getenv("UCX_RNDV_THRESH")) (void)ucp_config_modify(config, "RNDV_THRESH", EAGER);
    if (files == WITHOUT_FILES && !getenv("UCX_TLS")) s = ucp_config_modify(config, "TLS", "^posix");
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_REQUEST_SIZE | UCP_PARAM_FIELD_REQUEST_INIT |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
        .features = UCP_FEATURE_TAG | UCP_FEATURE_AM,
        .request_size = sizeof(note),
        .request_init = init_note,
        .estimated_num_eps = (size_t)u->world->processes,
    };
    if (s == UCS_OK) s = ucp_init(&params, config, &u->context);
    ucp_config_release(config);
    return s;
}

static ucs_status_t make_worker(weft_ucx *u) {
    ucp_worker_params_t params = { .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                   .thread_mode = UCS_THREAD_MODE_SERIALIZED };
    ucp_worker_attr_t got = { .field_mask = UCP_WORKER_ATTR_FIELD_THREAD_MODE };
    ucp_am_handler_param_t am = { .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                UCP_AM_HANDLER_PARAM_FIELD_ARG,
                                  .arg = u };
    static const ucp_am_recv_callback_t hear[WEFT_WORDS] = { [WEFT_WORD_FAILED] = hear_failed,
                                                             [WEFT_WORD_LEAVES] = hear_leaving,
                                                             [WEFT_WORD_ASKS] = hear_question,
                                                             [WEFT_WORD_ANSWERS] = hear_answer };
    ucs_status_t s = ucp_worker_create(u->context, &params, &u->worker);
    if (s != UCS_OK) return s;
    s = ucp_worker_query(u->worker, &got);
    /* this UCX was built for one thread */
    if (s == UCS_OK && got.thread_mode == UCS_THREAD_MODE_SINGLE && u->world->local > 1) s = UCS_ERR_UNSUPPORTED;
    for (am.id = 0; am.id < WEFT_WORDS && s == UCS_OK; am.id++) {
        am.cb = hear[am.id];
        s = ucp_worker_set_am_recv_handler(u->worker, &am);
    }
    return s;
}

/* *what: the step that failed. */
static ucs_status_t start_ucx(weft_ucx *u, files files, const char **what) {
    *what = "does not start";
    ucs_status_t s = make_context(u, files);
    if (s != UCS_OK) return s;
    *what = "has no worker";
    s = make_worker(u);
    if (s == UCS_OK) s = ucp_worker_get_address(u->worker, &u->address, &u->address_bytes);
    if (s == UCS_OK) return s;
    if (u->worker) ucp_worker_destroy(u->worker);
    u->worker = NULL;
    ucp_cleanup(u->context);
    u->context = NULL;
    return s;
}

static bool tags_suffice(weft_world *w) {
    int most = 0;
    for (int p = 0; p < w->processes; p++) most = (int)weft_max_i64(most, w->first_of[p + 1] - w->first_of[p]);
    if (most > MOST_LOCAL)
        snprintf(w->trouble, sizeof w->trouble, "%d ranks in one process are too many for UCX's tags", most);
    return most <= MOST_LOCAL;
}

static void say(weft_world *w, int process, weft_word word, const char *text, size_t bytes);
static void call_out(weft_world *w, int process, const char *text, size_t bytes, int64_t end_ns);
static bool is_flushed(peer *p);
static void move(weft_world *w);
static bool all_leave(weft_world *w);

static weft_status listen_ucx(weft_world *w, const void **address, size_t *bytes) {
    if (!tags_suffice(w)) return WEFT_ERR_UNSUPPORTED;
    const weft_allocator *a = &w->alloc;
    weft_ucx *u = a->resize(a->user, NULL, 0, sizeof *u);
    if (!u) return WEFT_ERR_MEMORY;
    *u = (weft_ucx){ .world = w, .self = (uint32_t)w->process };
    pthread_mutex_init(&u->lock, NULL);
    w->messages_state = u;
    static const weft_voice voice = {
        .enter = enter, .leave = leave, .say = say, .call_out = call_out, .move = move, .all_leave = all_leave
    };
    weft_status st = weft_words_open(w, &u->words, &voice);
    if (st != WEFT_OK) return st;
    size_t room = (size_t)w->processes * sizeof *u->peers;
    u->peers = a->resize(a->user, NULL, 0, room);
    if (!u->peers) return WEFT_ERR_MEMORY;
    memset(u->peers, 0, room);
    weft_ucx_log_start();
    weft_ucx_give_back_signals(); /* in case the linker has dropped its constructor */
    enter(w);
    const char *what;
    files first = files_at_first();
    ucs_status_t s = start_ucx(u, first, &what);
    if (s != UCS_OK && first == WITH_FILES && !getenv("UCX_TLS")) s = start_ucx(u, WITHOUT_FILES, &what);
    leave(w);
    if (s != UCS_OK) return trouble(w, what, s);
    *address = u->address;
    *bytes = u->address_bytes;
    return WEFT_OK;
}

static weft_status connect_ucx(weft_world *w, const char *addresses, size_t stride) {
    weft_ucx *u = w->messages_state;
    u->addresses = w->alloc.resize(w->alloc.user, NULL, 0, (size_t)w->processes * stride);
    if (!u->addresses) return WEFT_ERR_MEMORY;
    u->stride = stride;
    memcpy(u->addresses, addresses, (size_t)w->processes * stride);
    return WEFT_OK;
}

static ucs_status_t reach(weft_ucx *u, int process) {
    peer *p = &u->peers[process];
    if (p->lost != UCS_OK || p->ep) return p->lost;
    ucp_ep_params_t params = {
        .field_mask =
            UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER,
        .address = (const ucp_address_t *)(const void *)(u->addresses + (size_t)process * u->stride),
        .err_mode = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler = { lose, u },
    };
    ucs_status_t s = ucp_ep_create(u->worker, &params, &p->ep);
    if (s == UCS_OK) weft_words_meet(u->world, process);
    else p->ep = NULL;
    return p->lost = s;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static weft_status keep(ucs_status_ptr_t q, int rank, int kind, weft_request *r) {
    *r = (weft_request){ .data = q, .peer = rank, .kind = kind };
    if (q == NULL) r->kind = WEFT_REQUEST_FREE; /* done at once */
    if (!UCS_PTR_IS_ERR(q)) return WEFT_OK;
    *r = (weft_request){ .peer = rank, .kind = WEFT_REQUEST_FREE, .why = ucs_status_string(UCS_PTR_STATUS(q)) };
    return WEFT_ERR_IO;
}

static weft_status send_message(weft_world *w, weft_address at, const void *p, size_t bytes, weft_request *r) {
    weft_ucx *u = w->messages_state;
    int process = weft_process_of(w, at.to);
    ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK, .cb.send = sent };
    enter(w);
    ucs_status_t s = reach(u, process);
    ucs_status_ptr_t q =
        s == UCS_OK ? ucp_tag_send_nbx(u->peers[process].ep, p, bytes, tag_of(w, at), &param) : UCS_STATUS_PTR(s);
    leave(w);
    return keep(q, at.to, WEFT_REQUEST_SEND, r);
}

static weft_status receive_message(weft_world *w, weft_address at, void *p, size_t bytes, weft_request *r) {
    weft_ucx *u = w->messages_state;
    ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                  UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                  .cb.recv = received,
                                  .user_data = (void *)(uintptr_t)bytes };
    enter(w);
    /* A way back too: a waiting rank asks for signs of life, and the processes that it exchanges messages with tell it
     * that the world has failed. */
    ucs_status_t s = reach(u, weft_process_of(w, at.from));
    ucs_status_ptr_t q =
        s == UCS_OK ? ucp_tag_recv_nbx(u->worker, p, bytes, tag_of(w, at), UINT64_MAX, &param) : UCS_STATUS_PTR(s);
    leave(w);
    return keep(q, at.from, WEFT_REQUEST_RECEIVE, r);
}

static bool is_done(const weft_request *r) {
    const note *n = r->data;
    return atomic_load_explicit(&n->done, memory_order_acquire); /* pairs with the release in finish() */
}

static void told(void *request, ucs_status_t status, void *user) {
    (void)status, (void)user;
    put_back(request);
}

static void say(weft_world *w, int process, weft_word word, const char *text, size_t bytes) {
    weft_ucx *u = w->messages_state;
    const peer *p = &u->peers[process];
    ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_FLAGS,
                                  .flags = UCP_AM_SEND_FLAG_EAGER, .cb.send = told };
    if (word != WEFT_WORD_FAILED) text = (const char *)&u->self, bytes = sizeof u->self;
    if (p->ep && p->lost == UCS_OK && !u->frozen) (void)ucp_am_send_nbx(p->ep, word, NULL, 0, text, bytes, &param);
}

/* UCX makes the connection only while both sides move their messages. */
static void call_out(weft_world *w, int process, const char *text, size_t bytes, int64_t end_ns) {
    weft_ucx *u = w->messages_state;
    peer *p = &u->peers[process];
    int64_t end = weft_min_i64(weft_now_ns() + CALL_OUT_NS, end_ns);
    if (u->frozen || reach(u, process) != UCS_OK) return; /* reach sends it, if the failure is known already */
    while (p->lost == UCS_OK && !is_flushed(p) && weft_now_ns() < end) ucp_worker_progress(u->worker);
    (void)text, (void)bytes;
}

static void progress(weft_ucx *u) {
    unsigned steps = 0;
    if (u->frozen) return;
    while (steps < BURST && ucp_worker_progress(u->worker)) steps++;
    /* Relaxed: a hint to wait_for_messages() in run.c. */
    if (steps) atomic_fetch_add_explicit(&u->world->moves, steps, memory_order_relaxed);
    for (int p = 0; u->asked && p < u->world->processes; p++) {
        /* A process that asks may never have been sent a message. */
        if (u->peers[p].asks && !u->words.leaving && reach(u, p) == UCS_OK)
            say(u->world, p, WEFT_WORD_ANSWERS, NULL, 0);
        u->peers[p].asks = false;
    }
    u->asked = false;
}

static void move(weft_world *w) { progress(w->messages_state); }

/* Releases a finished request, under the lock. */
static ucs_status_t let_go(weft_request *r) {
    note *n = r->data;
    ucs_status_t s = n->status;
    put_back(n);
    r->data = NULL;
    r->kind = WEFT_REQUEST_FREE;
    return s;
}

/* The finished ones, and those of lost peers; under the lock. */
static weft_status sort_out(weft_ucx *u, weft_request *r, int n, int *left) {
    weft_status st = WEFT_OK;
    *left = 0;
    for (int i = 0; i < n; i++) {
        if (r[i].kind == WEFT_REQUEST_FREE) continue;
        ucs_status_t s = is_done(&r[i]) ? let_go(&r[i]) : u->peers[weft_process_of(u->world, r[i].peer)].lost;
        if (r[i].kind != WEFT_REQUEST_FREE) ++*left;
        if (s == UCS_OK) continue;
        r[i].why = ucs_status_string(s);
        st = WEFT_ERR_IO;
    }
    return st;
}

static weft_status test_messages(weft_world *w, weft_request *r, int n, int *left) {
    weft_ucx *u = w->messages_state;
    int open = 0;
    for (int i = 0; i < n; i++) open += r[i].kind != WEFT_REQUEST_FREE && !is_done(&r[i]);
    *left = open;
    if (!open) {
        enter(w);
    } else {
        if (pthread_mutex_trylock(&u->lock) != 0) return WEFT_OK; /* another rank is advancing all messages */
        weft_ucx_log_hold();
        progress(u);
    }
    weft_status st = sort_out(u, r, n, left);
    leave(w);
    return st;
}

static void freeze(weft_ucx *u);

/* A receive without a match ends at once; a message in progress ends when its peer continues, or its endpoint is
 * closed. */
static void cancel_messages(weft_world *w, weft_request *r, int n) {
    weft_ucx *u = w->messages_state;
    int left = 1;
    bool lent = false;
    enter(w);
    for (int i = 0; i < n; i++)
        if (r[i].kind != WEFT_REQUEST_FREE && !is_done(&r[i])) ucp_request_cancel(u->worker, r[i].data);
    for (int64_t end = weft_now_ns() + CANCEL_NS; left;) {
        progress(u);
        (void)sort_out(u, r, n, &left);
        if (u->frozen || weft_now_ns() > end) break;
    }
    for (int i = 0; i < n; i++) {
        if (r[i].kind == WEFT_REQUEST_FREE) continue;
        ((note *)r[i].data)->orphan = true;
        lent |= r[i].is_lent;
    }
    if (lent) freeze(u);
    leave(w);
}

static bool lends(const weft_world *w) { return ((const weft_ucx *)w->messages_state)->lends; }

/* --- the end ------------------------------------------------------------------------------------------------------ */

static bool is_under_way(ucs_status_ptr_t q) {
    return UCS_PTR_IS_PTR(q) && ucp_request_check_status(q) == UCS_INPROGRESS;
}

/* Whether all that is queued for this peer has been sent, and UCX has completed the connection. A half-made connection
 * to a process that has closed its own triggers UCX's assertions; a stopped peer never takes the messages in its
 * queue. */
static bool is_flushed(peer *p) {
    ucp_request_param_t param = { 0 };
    if (!p->flushing) p->flush = ucp_ep_flush_nbx(p->ep, &param);
    p->flushing = true;
    return !is_under_way(p->flush);
}

static bool all_leave(weft_world *w) {
    weft_ucx *u = w->messages_state;
    bool all = true;
    for (int p = 0; p < w->processes; p++) {
        peer *q = &u->peers[p];
        weft_words_peer *k = &u->words.peers[p];
        if (!q->ep && k->leaves) (void)reach(u, p); /* it waits for an answer */
        if (!q->ep || q->lost != UCS_OK) continue;
        bool flushed = is_flushed(q);
        if (!k->told && flushed) say(w, p, WEFT_WORD_LEAVES, NULL, 0);
        k->told |= flushed;
        all &= flushed && k->leaves;
    }
    return all;
}

/* Messages in progress stay so: their memory goes back to the caller. The others have been told why, and now that this
 * process leaves. */
static void freeze(weft_ucx *u) {
    if (u->frozen) return;
    u->words.leaving = true;
    for (int64_t end = weft_now_ns() + CANCEL_NS; !all_leave(u->world) && weft_now_ns() < end;)
        (void)ucp_worker_progress(u->worker);
    u->frozen = true;
}

/* Whether the worker can be destroyed. UCX (1.13) ends the whole process by an assertion when an endpoint is closed for
 * which it still has a word of its connection, and when a worker is destroyed that has messages for a peer that does
 * not take them. So the endpoints of such peers are left alone, and with them the worker, which no longer makes
 * progress. Networks that write into a failed call's memory by themselves have no queues that a stopped process can
 * fill, so there the endpoint is closed. */
static bool close_endpoints(weft_ucx *u) {
    ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS, .flags = UCP_EP_CLOSE_FLAG_FORCE };
    bool all = !u->frozen;
    for (int i = 0; i < u->world->processes && !u->frozen; i++) {
        peer *p = &u->peers[i];
        bool stuck = is_under_way(p->flush);
        all &= !p->ep || (u->words.peers[i].leaves && !stuck);
        if (UCS_PTR_IS_PTR(p->flush)) ucp_request_free(p->flush);
        ucs_status_ptr_t q = p->ep && !stuck ? ucp_ep_close_nbx(p->ep, &param) : NULL;
        p->ep = NULL;
        if (!UCS_PTR_IS_PTR(q)) continue;
        for (int64_t end = weft_now_ns() + CANCEL_NS; is_under_way(q) && weft_now_ns() < end;)
            ucp_worker_progress(u->worker);
        ucp_request_free(q);
    }
    return all;
}

static void taken(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *user) {
    (void)status, (void)info, (void)user;
    put_back(request);
}

/* Receives and discards messages for failed calls: UCX would complain of each of them on the user's terminal. Into no
 * memory at all, so that of a long message, which its sender still has, nothing is fetched. */
static void drain(weft_ucx *u) {
    ucp_request_param_t param = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK, .cb.recv = taken };
    ucp_tag_recv_info_t info;
    char none;
    if (u->frozen) return;
    for (ucp_tag_message_h m; (m = ucp_tag_probe_nb(u->worker, 0, 0, 1, &info));)
        (void)ucp_tag_msg_recv_nbx(u->worker, &none, 0, m, &param);
    progress(u);
}

static void close_ucx(weft_world *w) {
    weft_ucx *u = w->messages_state;
    const weft_allocator *a = &w->alloc;
    if (!u) return;
    enter(w);
    if (u->worker && u->addresses && !u->frozen) weft_words_take_leave(w);
    if (u->worker) drain(u); /* while there are endpoints to answer the senders of long ones */
    bool ends = !u->worker || !u->peers || close_endpoints(u);
    if (u->worker) drain(u);
    if (u->address) ucp_worker_release_address(u->worker, u->address);
    if (u->worker && ends) ucp_worker_destroy(u->worker);
    if (u->context && ends) ucp_cleanup(u->context);
    w->messages_remain = !ends;
    leave(w);
    pthread_mutex_destroy(&u->lock);
    if (u->peers) a->resize(a->user, u->peers, (size_t)w->processes * sizeof *u->peers, 0);
    if (u->addresses) a->resize(a->user, u->addresses, (size_t)w->processes * u->stride, 0);
    weft_words_close(w, &u->words);
    a->resize(a->user, u, sizeof *u, 0);
    w->messages_state = NULL;
}

const weft_transport weft_transport_ucx = {
    .name = "ucx",
    .offer = WEFT_TRANSPORT_MESSAGES,
    .call_bits = UCX_CALL_BITS,
    .close = close_ucx,
    .listen = listen_ucx,
    .connect = connect_ucx,
    .send = send_message,
    .receive = receive_message,
    .test = test_messages,
    .lends = lends,
    .cancel = cancel_messages,
    .tell_failed = weft_words_tell_failed,
    .heard_failed = weft_words_heard_failed,
    .answers = weft_words_answers,
};
#endif
