/* node.c: see node.h. */
#include "collectives/node.h"

#include <errno.h>
#include <stdio.h>

#define COMMIT_STEP ((size_t)1 << 18)

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* A process that died while holding the lock has left the pool and the list unchanged or with one entry lost: both stay
 * sound, since every link is written last. */
static void lock(weft_node *n) {
    if (pthread_mutex_lock(&n->note->lock) == EOWNERDEAD) pthread_mutex_consistent(&n->note->lock);
}

static void unlock(weft_node *n) { pthread_mutex_unlock(&n->note->lock); }

static uint64_t pool_take(weft_node *n, size_t bytes) {
    weft_node_note *note = n->note;
    uint64_t at = note->used, end;
    bytes = round_up(bytes, WEFT_LINE);
    if (bytes > n->segment.size - at) return 0;
    end = at + bytes;
    if (end > note->committed) {
        uint64_t want = round_up(end, COMMIT_STEP);
        if (want > n->segment.size) want = n->segment.size;
        if (!weft_segment_commit(&n->segment, note->committed, want - note->committed)) return 0;
        note->committed = want;
    }
    note->used = end;
    return at;
}

weft_status weft_node_create(weft_node *n, weft_segment_kind kind, int processes, int ranks) {
    weft_status st = weft_segment_create(kind, WEFT_NODE_BYTES, &n->segment);
    if (st != WEFT_OK) return st;
    if (!weft_segment_commit(&n->segment, 0, COMMIT_STEP)) {
        weft_node_close(n);
        return WEFT_ERR_IO;
    }
    weft_node_note *note = n->note = (weft_node_note *)n->segment.base;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    if (kind == WEFT_SEGMENT_SHARED) pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&note->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    note->used = round_up(sizeof *note, WEFT_LINE);
    note->committed = COMMIT_STEP;
    note->processes = processes;
    note->ranks = ranks;
    note->pids = pool_take(n, (size_t)processes * sizeof(int64_t));
    note->rank_notes = pool_take(n, (size_t)ranks * sizeof(weft_rank_note));
    uint64_t flights = pool_take(n, (size_t)ranks * WEFT_FLIGHT_CALLS * WEFT_FLIGHT_WORDS * sizeof(uint64_t));
    for (int i = 0; flights && note->rank_notes && i < ranks; i++)
        weft_node_rank(n, i)->flight = flights + (uint64_t)i * WEFT_FLIGHT_CALLS * WEFT_FLIGHT_WORDS * sizeof(uint64_t);
    if (!note->pids || !note->rank_notes || !flights) {
        weft_node_close(n);
        errno = ENOMEM;
        return WEFT_ERR_IO;
    }
    return WEFT_OK;
}

void weft_node_attach(weft_node *n) { n->note = (weft_node_note *)n->segment.base; }

void weft_node_close(weft_node *n) {
    weft_segment_close(&n->segment);
    n->note = NULL;
}

uint64_t weft_node_alloc(weft_node *n, size_t bytes) {
    lock(n);
    uint64_t at = pool_take(n, bytes);
    unlock(n);
    return at;
}

/* FNV-1a over the key and the ranks: FNV is in the public domain, Fowler, Noll and Vo. */
static uint64_t hash_of(const int *members, int size, uint32_t key) {
    uint64_t h = key ? (14695981039346656037u ^ key) * 1099511628211u : 14695981039346656037u;
    for (int i = 0; i < size; i++) h = (h ^ (uint64_t)(unsigned)members[i]) * 1099511628211u;
    return h;
}

static uint64_t group_find(const weft_node *n, const int *members, int size, uint32_t key, uint64_t hash) {
    for (uint64_t at = n->note->groups; at;) {
        const weft_group_note *g = weft_node_at(n, at);
        if (g->hash == hash && g->size == size && g->key == key) {
            const int32_t *m = weft_node_at(n, g->members);
            int i = 0;
            while (i < size && m[i] == members[i]) i++;
            if (i == size) return at;
        }
        at = g->next;
    }
    return 0;
}

uint64_t weft_node_group(weft_node *n, const int *members, int size, int local, uint32_t key) {
    uint64_t hash = hash_of(members, size, key);
    lock(n);
    uint64_t at = group_find(n, members, size, key, hash);
    if (at) goto out;
    uint64_t list = pool_take(n, (size_t)size * sizeof(int32_t));
    at = list ? pool_take(n, sizeof(weft_group_note) + (size_t)local * sizeof(weft_slot)) : 0;
    if (!at) goto out;
    weft_group_note *g = weft_node_at(n, at);
    int32_t *m = weft_node_at(n, list);
    for (int i = 0; i < size; i++) m[i] = members[i];
    g->hash = hash;
    g->key = key;
    g->size = size;
    g->local = local;
    g->members = list;
    g->next = n->note->groups;
    n->note->groups = at;
out:
    unlock(n);
    return at;
}

void weft_node_each_group(weft_node *n, void (*fn)(void *user, const weft_group_note *g, const int32_t *members),
                          void *user) {
    lock(n);
    for (uint64_t at = n->note->groups; at;) {
        const weft_group_note *g = weft_node_at(n, at);
        fn(user, g, weft_node_at(n, g->members));
        at = g->next;
    }
    unlock(n);
}

void weft_node_fail(weft_node *n, const char *reason) {
    uint32_t none = WEFT_FAILURE_NONE;
    /* Relaxed is enough: only the winner writes the reason, and the store below publishes it. */
    if (!atomic_compare_exchange_strong_explicit(&n->note->failed, &none, WEFT_FAILURE_WRITING, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    snprintf(n->note->reason, sizeof n->note->reason, "%s", reason);
    /* Pairs with the acquire in weft_node_failed and weft_node_reason. */
    atomic_store_explicit(&n->note->failed, WEFT_FAILURE_STANDS, memory_order_release);
}

/* A reason is written in microseconds, unless its writer was preempted or killed in the middle. */
enum { REASON_WAITS = 2000, REASON_WAIT_NS = 1000000 };

void weft_node_reason(const weft_node *n, char out[WEFT_REASON_BYTES]) {
    for (int i = 0; i < REASON_WAITS; i++) {
        /* Pairs with the release in weft_node_fail. */
        if (atomic_load_explicit(&n->note->failed, memory_order_acquire) == WEFT_FAILURE_STANDS) {
            memcpy(out, n->note->reason, WEFT_REASON_BYTES);
            return;
        }
        nanosleep(&(struct timespec){ .tv_nsec = REASON_WAIT_NS }, NULL);
    }
    snprintf(out, WEFT_REASON_BYTES, "no reason was recorded");
}

bool weft_slot_knows(const weft_slot *s, uint64_t sig) {
    const uint64_t *set = s->agreed[sig % WEFT_AGREED_SETS];
    for (int i = 0; i < WEFT_AGREED_WAYS; i++)
        if (set[i] == sig) return true;
    return false;
}

void weft_slot_learn(weft_slot *s, uint64_t sig) {
    uint64_t *set = s->agreed[sig % WEFT_AGREED_SETS], moved = sig;
    for (int i = 0; i < WEFT_AGREED_WAYS; i++) {
        uint64_t here = set[i];
        set[i] = moved;
        if (here == sig) return;
        moved = here;
    }
}
