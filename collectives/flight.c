/* flight.c: see flight.h. An entry is one cache line of words. */
#include "collectives/flight.h"
#include "cost/algorithm_id.h"

#include <time.h>

enum { NUMBER, GROUP, TURN, SITE, BEGAN, BYTES, SIZE, WHAT, WORDS };
_Static_assert(WORDS == WEFT_FLIGHT_WORDS, "an entry has a word for each of these");

typedef _Atomic uint64_t word;

static word *entry_at(const weft_node *n, const weft_rank_note *rank, uint64_t number) {
    return (word *)weft_node_at(n, rank->flight) + number % WEFT_FLIGHT_CALLS * WORDS;
}

/* Relaxed throughout; fences and the number order them. */
static void put(word *w, uint64_t v) { atomic_store_explicit(w, v, memory_order_relaxed); }
static uint64_t get(const word *w) { return atomic_load_explicit(w, memory_order_relaxed); }

static uint64_t pack(const weft_run *r, int state) {
    const weft_job *job = &r->job;
    return (uint64_t)job->kind | (uint64_t)r->alg << 8 | (uint64_t)(job->n ? job->bufs[0].dtype : 0) << 24 |
           (uint64_t)job->reduce << 32 | (uint64_t)state << 40;
}

void weft_flight_begin(const weft_run *r) {
    const weft_comm *c = r->comm;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t); /* a fifth of the precise one's time */
    word *e = entry_at(&c->world->node, c->rank_note, r->number);
    put(&e[NUMBER], 0);
    /* The 0 is visible before any of the new words: pairs with the acquire fence in weft_flight_read(). A reader that
     * has seen a new word also sees the 0, or a later value. (Boehm, Can seqlocks get along with programming language
     * memory models?, MSPC 2012.) */
    atomic_thread_fence(memory_order_release);
    put(&e[GROUP], c->group->hash);
    put(&e[TURN], c->slot->calls);
    put(&e[SITE], c->slot->note[c->slot->calls & 1].site);
    put(&e[BEGAN], (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
    put(&e[BYTES], (uint64_t)r->job.full_bytes);
    put(&e[SIZE], (uint64_t)c->size);
    put(&e[WHAT], pack(r, WEFT_FLIGHT_UNDER_WAY));
    /* The entry's words are visible before its number: pairs with the acquire in weft_flight_read(). */
    atomic_store_explicit(&e[NUMBER], r->number, memory_order_release);
}

void weft_flight_end(const weft_run *r) {
    const weft_comm *c = r->comm;
    word *e = entry_at(&c->world->node, c->rank_note, r->number);
    if (r->number && get(&e[NUMBER]) == r->number)
        put(&e[WHAT], pack(r, r->status == WEFT_OK ? WEFT_FLIGHT_DONE : WEFT_FLIGHT_FAILED));
}

bool weft_flight_read(const weft_node *n, const weft_rank_note *rank, uint64_t back, weft_flight *out) {
    /* Relaxed: the count only says where to look. */
    uint64_t calls = atomic_load_explicit(&rank->calls, memory_order_relaxed);
    if (back >= calls || back >= WEFT_FLIGHT_CALLS) return false;
    const word *e = entry_at(n, rank, calls - back);
    /* Pairs with the release in weft_flight_begin(). */
    if (atomic_load_explicit(&e[NUMBER], memory_order_acquire) != calls - back) return false;
    uint64_t what = get(&e[WHAT]);
    *out = (weft_flight){ .number = calls - back, .group = get(&e[GROUP]), .turn = get(&e[TURN]),
                          .size = (int)get(&e[SIZE]), .site = get(&e[SITE]), .began_ns = (int64_t)get(&e[BEGAN]),
                          .bytes = (int64_t)get(&e[BYTES]), .kind = (weft_coll_kind)(what & 0xff),
                          .alg = (weft_alg_id)(what >> 8 & 0xffff), .dtype = (weft_dtype)(what >> 24 & 0xff),
                          .reduce = (weft_op_reduce)(what >> 32 & 0xff), .state = (int)(what >> 40 & 3) };
    /* The words are read before the number is read again: pairs with the release fence in weft_flight_begin(). */
    atomic_thread_fence(memory_order_acquire);
    return get(&e[NUMBER]) == calls - back;
}

int weft_comm_last(const weft_comm *c, weft_coll_record *out) {
    weft_flight f;
    if (!c || !out) return 0;
    if (!weft_flight_read(&c->world->node, c->rank_note, 0, &f)) return 0;
    *out = (weft_coll_record){ .number = f.number, .op = weft_coll_kind_name(f.kind),
                               .algorithm = f.alg < WEFT_ALG_COUNT ? weft_alg_table[f.alg].name : "", .bytes = f.bytes,
                               .ranks = f.size, .ended = f.state != WEFT_FLIGHT_UNDER_WAY };
    return 1;
}
