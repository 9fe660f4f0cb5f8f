/* comm.c: handles on groups of ranks, and their memory. */
#include "collectives/progress.h"
#include "collectives/stay.h"
#include "collectives/world.h"
#include "cost/algorithm_id.h"

#include <stdio.h>

static void *take(const weft_world *w, size_t bytes) {
    void *p = w->alloc.resize(w->alloc.user, NULL, 0, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

static void give(const weft_world *w, void *p, size_t bytes) { w->alloc.resize(w->alloc.user, p, bytes, 0); }

/* Ranks may share a context. */
static weft_status tell(weft_context *cx, weft_world *w, weft_diag_class cls, const char *fmt, ...) WEFT_PRINTF(4, 5);
static weft_status tell(weft_context *cx, weft_world *w, weft_diag_class cls, const char *fmt, ...) {
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    pthread_mutex_lock(&w->lock);
    weft_status st = weft_report(cx, cls, NULL, "%s", text);
    pthread_mutex_unlock(&w->lock);
    return st;
}

/* Finds the members on this node, in group order. */
static void find_local(weft_comm *c) {
    const weft_world *w = c->world;
    c->one_process = 1;
    for (int i = 0; i < c->size; i++) {
        int m = c->members[i];
        c->local_of[i] = -1;
        if (w->node_rank_of[m] < 0) continue;
        if (i == c->rank) c->me = c->local;
        if (m < w->first || m >= w->first + w->local) c->one_process = 0;
        c->local_rank[c->local] = i;
        c->local_of[i] = c->local++;
    }
}

/* Groups the members by node. number: [w->nodes], zeroed: the group's number of each of the world's nodes, plus 1. */
static void find_nodes(weft_comm *c, int *number) {
    const weft_world *w = c->world;
    for (int i = 0; i < c->size; i++) {
        int node = w->node_of[weft_process_of(w, c->members[i])];
        if (!number[node]) number[node] = ++c->nodes;
        c->node_first[number[node]]++;
    }
    for (int n = 0; n < c->nodes; n++) c->node_first[n + 1] += c->node_first[n];
    for (int i = 0; i < c->size; i++)
        c->by_node[c->node_first[number[w->node_of[weft_process_of(w, c->members[i])]] - 1]++] = i;
    /* each has advanced to the beginning of the next */
    for (int n = c->nodes; n > 0; n--) c->node_first[n] = c->node_first[n - 1];
    c->node_first[0] = 0;
    c->node = number[w->node_of[w->process]] - 1;
}

/* Groups the members by package: for groups that span nodes. memory: WEFT_LEVELS_INTS(size) ints, then 2 * size of
 * scratch. */
static void find_levels(weft_comm *c, int *memory) {
    int *node = memory + WEFT_LEVELS_INTS(c->size), *package = node + c->size;
    if (c->nodes == 1) return;
    for (int k = 0; k < c->nodes; k++)
        for (int i = c->node_first[k]; i < c->node_first[k + 1]; i++) node[c->by_node[i]] = k;
    for (int i = 0; i < c->size; i++) package[i] = c->world->package_of[c->members[i]];
    weft_levels_make(&c->levels, c->size, node, package, memory);
}

/* The largest distance between two members of one node: levels nest, so the distances of the first member are enough.
 */
static weft_link_level level_of(const weft_comm *c) {
    const weft_world *w = c->world;
    weft_link_level level = WEFT_LINK_CORE;
    int first = weft_process_of(w, c->members[0]);
    for (int i = 1, last = first; i < c->size && !weft_spans_nodes(c); i++) {
        int p = weft_process_of(w, c->members[i]);
        weft_link_level far = weft_world_level(w, first, p), within = p == last ? weft_world_level(w, p, p) : far;
        level = far > level ? far : level;
        level = within > level ? within : level;
        last = p;
    }
    return level;
}

/* A handle and its arrays are one block. */
static size_t comm_bytes(int size) {
    return sizeof(weft_comm) + (size_t)size * (4 * sizeof(void *) + 9 * sizeof(int)) +
           (1 + WEFT_LEVELS_INTS(size)) * sizeof(int);
}

static weft_status open_comm(weft_context *cx, weft_world *w, int world_rank, const int *members, int size, int rank,
                             uint32_t key, weft_comm **out) {
    size_t bytes = comm_bytes(size);
    weft_comm *c = take(w, bytes);
    int *number = take(w, (size_t)w->nodes * sizeof *number);
    if (!c || !number) {
        if (c) give(w, c, bytes);
        if (number) give(w, number, (size_t)w->nodes * sizeof *number);
        return weft_oom();
    }
    *c = (weft_comm){ .cx = cx, .world = w, .rank = rank, .size = size, .timeout_ns = w->timeout_ns };
    c->src = (const void **)(c + 1);
    c->base = c->src + size;
    c->dst = (void **)(c->base + size);
    c->of_node = (const void **)(c->dst + size);
    c->members = (int *)(c->of_node + size);
    c->local_rank = c->members + size;
    c->local_of = c->local_rank + size;
    c->by_node = c->local_of + size;
    c->node_first = c->by_node + size;
    c->places = c->node_first + size + 1;
    memcpy(c->members, members, (size_t)size * sizeof(int));
    find_local(c);
    find_nodes(c, number);
    find_levels(c, c->places + 2 * size);
    give(w, number, (size_t)w->nodes * sizeof *number);
    c->level = level_of(c);
    uint64_t at = weft_node_group(&w->node, c->members, size, c->local, key);
    if (!at) {
        give(w, c, bytes);
        return tell(cx, w, WEFT_D_system, "no shared memory left for a group of %d ranks", size);
    }
    c->group = weft_node_at(&w->node, at);
    c->slot = weft_slot_of(c, c->me);
    c->rank_state = &w->ranks[world_rank - w->first];
    c->rank_note = weft_node_rank(&w->node, w->node_rank_of[world_rank]);
    c->rank_state->handles++;
    /* Pairs with the acquire in gone(), meet.c. */
    atomic_store_explicit(&c->rank_note->state, WEFT_RANK_HERE, memory_order_release);
    *out = c;
    return WEFT_OK;
}

/* Without a context the error cannot be reported. */
static weft_status misused(weft_context *cx, const char *what) {
    return cx ? weft_report(cx, WEFT_D_usage, NULL, "%s", what) : WEFT_ERR_USAGE;
}

weft_status weft_comm_world(weft_context *cx, weft_world *w, int rank, weft_comm **out) {
    if (out) *out = NULL;
    if (!cx || !w || !out) return misused(cx, "a handle needs a context, a world, and an output pointer");
    if (rank < w->first || rank >= w->first + w->local)
        return tell(cx, w, WEFT_D_usage, "rank %d is not in this process, which has ranks %d to %d", rank, w->first,
                    w->first + w->local - 1);
    size_t bytes = (size_t)w->size * sizeof(int);
    int *all = take(w, bytes);
    if (!all) return weft_oom();
    for (int i = 0; i < w->size; i++) all[i] = i;
    weft_status st = open_comm(cx, w, rank, all, w->size, rank, 0, out);
    give(w, all, bytes);
    return st;
}

weft_status weft_comm_group(weft_context *cx, weft_comm *parent, const int *members, int n, weft_comm **out) {
    return weft_comm_group_apart(cx, parent, members, n, 0, out);
}

weft_status weft_comm_group_apart(weft_context *cx, weft_comm *parent, const int *members, int n, uint32_t key,
                                  weft_comm **out) {
    if (out) *out = NULL;
    if (!cx || !parent || !members || !out)
        return misused(cx, "a group needs a context, a handle, its members, and an output pointer");
    weft_world *w = parent->world;
    int mine = parent->members[parent->rank], me = -1;
    if (n < 1 || n > w->size) return tell(cx, w, WEFT_D_usage, "a group of %d ranks in a world of %d", n, w->size);
    unsigned char *seen = take(w, (size_t)w->size);
    if (!seen) return weft_oom();
    weft_status st = WEFT_OK;
    for (int i = 0; i < n && st == WEFT_OK; i++) {
        if (members[i] < 0 || members[i] >= w->size)
            st = tell(cx, w, WEFT_D_usage, "rank %d is not in the world of %d ranks", members[i], w->size);
        else if (seen[members[i]]++)
            st = tell(cx, w, WEFT_D_usage, "rank %d is twice in a group", members[i]);
        else if (members[i] == mine)
            me = i;
    }
    if (st == WEFT_OK && me < 0) st = tell(cx, w, WEFT_D_usage, "rank %d makes a group that it is not in", mine);
    if (st == WEFT_OK) st = open_comm(cx, w, mine, members, n, me, key, out);
    give(w, seen, (size_t)w->size);
    return st;
}

static void close_handle(weft_local_rank *state, weft_rank_note *note) {
    if (--state->handles == 0) atomic_store_explicit(&note->state, WEFT_RANK_AWAY, memory_order_release);
}

void weft_world_stay(weft_world *w, int rank) {
    weft_local_rank *state = &w->ranks[rank - w->first];
    if (!state->stays) state->handles++;
    state->stays = 1;
}

void weft_world_leave(weft_world *w) {
    for (int r = 0; w->node.note && w->node_rank_of && r < w->local; r++)
        /* Pairs with the acquire in gone(), meet.c. */
        atomic_store_explicit(&weft_node_rank(&w->node, w->node_rank_of[w->first + r])->state, WEFT_RANK_LEFT,
                              memory_order_release);
}

static void close_comm(weft_comm *c) {
    close_handle(c->rank_state, c->rank_note);
    weft_comm_force(c, NULL);
    weft_mail_room_free(c);
    give(c->world, c, comm_bytes(c->size));
}

/* A started call reads its handle until it is waited for. */
void weft_comm_free(weft_comm *c) {
    if (!c || weft_world_is_inherited(c->world)) return;
    weft_rank_lock(c);
    int wanted = c->requests;
    c->freed = 1;
    weft_rank_unlock(c);
    if (!wanted) close_comm(c);
}

void weft_comm_waited(weft_comm *c) {
    int over = --c->requests == 0 && c->freed;
    weft_rank_unlock(c);
    if (over) close_comm(c);
}

void weft_comm_timeout(weft_comm *c, double timeout_s) {
    if (!c) return;
    weft_rank_lock(c);
    c->timeout_ns = timeout_s == 0 ? c->world->timeout_ns : weft_timeout_ns(timeout_s);
    weft_rank_unlock(c);
}

/* Members count their rendezvous alike, so one that is ahead has begun a call that this rank has not. */
int weft_comm_awaited(const weft_comm *c) {
    if (!c || weft_spans_nodes(c)) return -1;
    weft_rank_lock(c);
    int awaited = c->requests == 0 && weft_meet_ahead(c);
    weft_rank_unlock(c);
    return awaited;
}

int weft_comm_rank(const weft_comm *c) { return c ? c->rank : -1; }
int weft_comm_size(const weft_comm *c) { return c ? c->size : 0; }
weft_coll_counts weft_comm_counts(const weft_comm *c) {
    if (!c) return (weft_coll_counts){ 0 };
    weft_rank_lock(c);
    weft_coll_counts counts = c->rank_state->counts;
    weft_rank_unlock(c);
    return counts;
}

int weft_comm_uses(const weft_comm *c, weft_coll_use *out, int room) {
    int n = 0;
    if (!c || (room > 0 && !out)) return 0;
    weft_rank_lock(c);
    for (weft_alg_id a = 0; a < WEFT_ALG_COUNT; a++) {
        uint64_t calls = c->rank_state->took[a];
        if (calls && n < room)
            out[n] = (weft_coll_use){ weft_coll_kind_name(weft_alg_table[a].kind), weft_alg_table[a].name, calls };
        n += calls != 0;
    }
    weft_rank_unlock(c);
    return n;
}

void *weft_comm_alloc(weft_comm *c, size_t bytes) { return c ? weft_heap_alloc(&c->world->heap, bytes) : NULL; }
void weft_comm_dealloc(weft_comm *c, void *p) {
    if (c) weft_heap_dealloc(&c->world->heap, p);
}
