/* start.c: a world over several processes that find each other through a bootstrap; see world.h. */
#include "config.h"
#include "base/variables.h"
#include "collectives/progress.h"
#include "collectives/reach.h"
#include "collectives/run.h"
#include "collectives/wire.h"

#include <stdio.h>

/* --- exchanges ---------------------------------------------------------------------------------------------------- */

/* One start in progress. */
typedef struct starting {
    weft_context *cx;
    const weft_world_options *opt;
    const weft_start *with;
    weft_ways ways;
    weft_status asked;            /* whether the requested transports are valid; else the default is used */
    weft_process_card *cards;     /* [processes] */
    weft_world *w;
} starting;

static weft_status gather(const starting *s, const void *in, size_t bytes, void *out) {
    return weft_bootstrap_gather(s->cx, &s->with->all, in, bytes, out);
}

/* An array of one element per process. */
static void *take(const starting *s, size_t bytes) {
    void *p = s->cx->alloc.resize(s->cx->alloc.user, NULL, 0, (size_t)s->with->all.size * bytes);
    if (p) memset(p, 0, (size_t)s->with->all.size * bytes);
    return p;
}

static void give(const starting *s, void *p, size_t bytes) {
    if (p) s->cx->alloc.resize(s->cx->alloc.user, p, (size_t)s->with->all.size * bytes, 0);
}

/* Exchanges the outcomes: *fared is the first failure; the world's trouble is then its reason. */
static weft_status agree(const starting *s, weft_status st, weft_status *fared) {
    weft_world *w = s->w;
    weft_step_card mine = { (int32_t)st, w->reach, "" }, *all = take(s, sizeof *all);
    *fared = WEFT_OK;
    if (!all) return weft_oom();
    if (st != WEFT_OK) memcpy(mine.why, w->trouble, sizeof w->trouble);
    if (st == WEFT_ERR_MEMORY) snprintf(mine.why, sizeof mine.why, "process %d is out of memory", w->process);
    weft_status done = gather(s, &mine, sizeof mine, all);
    for (int p = 0; done == WEFT_OK && p < w->processes; p++) {
        if (!weft_step_card_is_sound(&all[p]))
            done = weft_report(s->cx, WEFT_D_system, NULL, "process %d sent an invalid report of its start", p);
        if (done != WEFT_OK) break;
        if (w->node_of[p] == w->node_of[w->process]) w->reach &= all[p].reach;
        if (all[p].status == WEFT_OK || *fared != WEFT_OK) continue;
        *fared = (weft_status)all[p].status;
        memcpy(w->trouble, all[p].why, sizeof w->trouble);
    }
    give(s, all, sizeof *all);
    return done;
}

/* --- memory within nodes ------------------------------------------------------------------------------------------ */

static void find_nodes(starting *s, weft_sharing how) {
    for (int p = 0; p < s->with->all.size; p++) {
        int q = p;
        for (int i = 0; how == WEFT_BY_NODE && i < p; i++)
            if (s->cards[i].node == i && s->cards[i].host == s->cards[p].host) {
                q = i;
                break;
            }
        s->cards[p].node = q;
    }
}

/* Most errors here are found by every process. Those of one process alone (environment, memory) are sent to the others,
 * which would wait for ever. */
static weft_status lay_out(starting *s) {
    int32_t mine = s->asked, *all = take(s, sizeof *all);
    if (mine == WEFT_OK)
        mine = weft_world_lay_out(s->cx, s->opt, s->cards, s->with->all.rank, s->with->all.size, &s->w);
    weft_status st = all ? gather(s, &mine, sizeof mine, all) : weft_oom();
    for (int p = 0; st == WEFT_OK && mine == WEFT_OK && p < s->with->all.size; p++)
        if (all[p] != WEFT_OK)
            st = weft_report(s->cx, WEFT_D_system, NULL, "process %d cannot make its part of the world", p);
    give(s, all, sizeof *all);
    return mine != WEFT_OK ? (weft_status)mine : st;
}

/* Assigns the ranks and gives them memory; *fared is the outcome over all processes. */
static weft_status open_memory(starting *s, weft_sharing how, weft_status *fared) {
    weft_memory_card mine = { 0 }, *cards = take(s, sizeof *cards);
    if (!cards) return weft_oom();
    find_nodes(s, how);
    weft_status st = lay_out(s);
    if (st != WEFT_OK) goto out;
    weft_world *w = s->w;
    if (s->with->secret) w->secret = *s->with->secret;
    w->memory = w->node_processes > 1 ? &weft_transport_shm : &weft_transport_threads;
    weft_status mine_st = w->memory->share(w, &mine);
    st = gather(s, &mine, sizeof mine, cards);
    if (st == WEFT_OK) st = agree(s, mine_st, fared); /* none maps memory that another could not make */
    if (st != WEFT_OK || *fared != WEFT_OK) goto out;
    st = agree(s, w->memory->join ? w->memory->join(w, cards) : WEFT_OK, fared);
out:
    give(s, cards, sizeof *cards);
    return st;
}

static weft_status open_nodes(starting *s) {
    weft_status fared = WEFT_OK, st = open_memory(s, s->ways.sharing, &fared);
    if (st == WEFT_OK && fared != WEFT_OK && s->ways.sharing == WEFT_BY_NODE && s->with->all.size > 1) {
        s->asked = weft_report(s->cx, WEFT_D_fallback, NULL, "%s: messages carry everything", s->w->trouble);
        weft_world_free(s->w);
        s->w = NULL;
        st = open_memory(s, WEFT_BY_PROCESS, &fared); /* processes learn there that one treats this as an error */
    }
    return st == WEFT_OK && fared != WEFT_OK ? weft_world_not_opened(s->cx, s->w, fared) : st;
}

/* --- messages between them ---------------------------------------------------------------------------------------- */

/* Every process's address, each with room for the longest. */
static weft_status exchange_addresses(starting *s, const void *address, size_t bytes, char **out, size_t *stride) {
    uint64_t mine = bytes, *all = take(s, sizeof *all);
    char *padded = NULL;
    weft_status st = all ? gather(s, &mine, sizeof mine, all) : weft_oom();
    *stride = 0;
    for (int p = 0; st == WEFT_OK && p < s->with->all.size; p++) {
        if (all[p] > WEFT_ADDRESS_MOST)
            st = weft_report(s->cx, WEFT_D_system, NULL, "process %d has an address of more than %u bytes", p,
                             WEFT_ADDRESS_MOST);
        else *stride = all[p] > *stride ? (size_t)all[p] : *stride;
    }
    give(s, all, sizeof *all);
    if (st != WEFT_OK || *stride == 0) return st;
    const weft_allocator *a = &s->cx->alloc;
    *out = take(s, *stride);
    padded = a->resize(a->user, NULL, 0, *stride);
    if (*out && padded) {
        memset(padded, 0, *stride);
        if (bytes) memcpy(padded, address, bytes);
        st = gather(s, padded, *stride, *out);
    } else {
        st = weft_oom();
    }
    if (padded) a->resize(a->user, padded, *stride, 0);
    return st;
}

/* st: whether this process wants this transport. */
static weft_status open_messages(starting *s, const weft_transport *t, void *state, weft_status st,
                                 weft_status *fared) {
    weft_world *w = s->w;
    const void *address = NULL;
    char *all = NULL;
    size_t bytes = 0, stride = 0;
    w->messages = t;
    w->messages_state = state;
    if (st == WEFT_OK && t->listen) st = t->listen(w, &address, &bytes);
    st = agree(s, st, fared);
    if (st == WEFT_OK && *fared == WEFT_OK && t->connect) {
        st = exchange_addresses(s, address, bytes, &all, &stride);
        if (st == WEFT_OK) st = agree(s, t->connect(w, all, stride), fared);
    }
    give(s, all, stride);
    if (st == WEFT_OK && *fared == WEFT_OK) return WEFT_OK;
    if (t->close) t->close(w);
    w->messages = NULL;
    w->messages_state = NULL;
    return st;
}

/* Whether processes that could share memory do not, since there was none: UCX has other ways between them. */
static bool is_one_machine(const starting *s) {
    for (int p = 0; p < s->with->all.size; p++)
        for (int q = 0; s->cards[p].node == p && q < p; q++) /* a node's first process has its number */
            if (s->cards[q].node == q && s->cards[q].host == s->cards[p].host) return true;
    return false;
}

/* The available transports, the most promising first: UCX if it offers more than sockets; else Weft's own use of
 * sockets. */
static int candidates(const starting *s, const weft_transport *out[3]) {
    const weft_transport *theirs = s->with->messages, *ucx = NULL, *tcp = &weft_transport_tcp;
    bool fabric = s->ways.sharing == WEFT_BY_NODE && is_one_machine(s);
    int n = 0;
#ifdef HAVE_UCX
    ucx = &weft_transport_ucx;
#endif
    for (int p = 0; p < s->with->all.size; p++) fabric |= s->cards[p].has_fabric != 0;
    const weft_transport *order[] = { fabric ? ucx : tcp, fabric ? theirs : ucx, fabric ? tcp : theirs };
    for (size_t i = 0; i < WEFT_COUNT(order); i++)
        if (order[i] && (!s->ways.messages.n || weft_str_is(s->ways.messages, order[i]->name))) out[n++] = order[i];
    return n;
}

static weft_status open_between_nodes(starting *s) {
    const weft_transport *way[3];
    weft_str wanted = s->ways.messages;
    int n = candidates(s, way);
    weft_status fared = WEFT_ERR_UNSUPPORTED, st = WEFT_OK;
    for (int i = 0; i < n && st == WEFT_OK && fared != WEFT_OK; i++) {
        if (i) st = weft_report(s->cx, WEFT_D_fallback, NULL, "%s: messages go by %s", s->w->trouble, way[i]->name);
        st = open_messages(s, way[i], way[i] == s->with->messages ? s->with->messages_state : NULL, st, &fared);
    }
    if (n && st == WEFT_OK && fared != WEFT_OK) return weft_world_not_opened(s->cx, s->w, fared);
    if (n || st != WEFT_OK) return st;
    return weft_report(s->cx, WEFT_D_unsupported, NULL, "no messages between nodes by %.*s: %s", (int)wanted.n,
                       wanted.p,
                       s->with->messages ? "this Weft was built without UCX"
                                         : "this Weft was built without UCX, or they need processes that MPI started");
}

/* --- everything --------------------------------------------------------------------------------------------------- */

weft_status weft_world_start(weft_context *cx, const weft_world_options *opt, const weft_start *with,
                             weft_world **out) {
    starting s = { .cx = cx, .opt = opt, .with = with };
    weft_process_card mine = weft_world_card(opt);
    *out = NULL;
    s.asked = weft_ways_read(cx, opt, &s.ways);
    if (s.asked == WEFT_OK) s.asked = weft_switches_check(cx, opt);
    if (s.asked == WEFT_OK && with->all.rank == 0) s.asked = weft_variables_check(cx);
    s.cards = take(&s, sizeof *s.cards);
    if (!s.cards) return weft_oom();
    weft_status st = gather(&s, &mine, sizeof mine, s.cards);
    if (st == WEFT_OK) st = open_nodes(&s);
    if (st == WEFT_OK && s.w->nodes > 1) st = open_between_nodes(&s);
    if (st == WEFT_OK) st = weft_world_tune(cx, s.w, opt, &with->all);
    give(&s, s.cards, sizeof *s.cards);
    if (st == WEFT_OK) weft_progress_open(s.w, opt, weft_runs_advance);
    if (st == WEFT_OK) *out = s.w;
    else weft_world_free(s.w);
    return st;
}
