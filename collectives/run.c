/* run.c: advances calls, and waits for them; see run.h. */
#include "collectives/algorithm.h"
#include "collectives/flight.h"
#include "collectives/progress.h"
#include "cost/algorithm_id.h"

#include <sched.h>
#include <time.h>

/* polls without a pause at first: a pause takes as long as a cache line takes from another core (50 ns) */
#define EAGER_GLANCES 64
/* of the staging area, fetched back before the next call: as many lines as a core prefetches, and some */
#define OWN_BYTES 2048
/* a sleep of a rank that waits for messages while none move: a kernel thread that brings them may need this core */
#define GLIMPSE_NS 20000
#define COPIES_NS 5000000000 /* a failed call's wait for ranks that still copy: 5 s, some tens of gigabytes */
#define DOZE_NS 50000    /* a sleep of a rank that waits for several groups, which no single bell could end */

/* --- advancing ---------------------------------------------------------------------------------------------------- */

/* Peers have read this rank's other flag, and the other half of the small staging area, one rendezvous and one window
 * ago, so these lines are in their caches too. The next call writes there: the first of them are fetched back now,
 * while no rank waits. */
static void own_next(const weft_run *r) {
#if defined(__x86_64__)
    const weft_comm *c = r->comm;
    const weft_ref *stage = &c->slot->staging[WEFT_STAGE_SMALL];
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)weft_flag_next(c->slot)));
    if (r->alg == WEFT_ALG_COUNT || weft_alg_table[r->alg].needs != WEFT_NEEDS_SMALL || (!stage->at && !stage->segment))
        return;
    const char *next = weft_stage_of(c, c->me, WEFT_STAGE_SMALL, c->slot->windows);
    size_t bytes = r->job.stage_bytes < OWN_BYTES ? r->job.stage_bytes : OWN_BYTES;
    for (size_t at = 0; at < bytes; at += 64) __asm__ volatile("prefetchw %0" : : "m"(next[at]));
#else
    (void)r;
#endif
}

/* Whether the members access each other's buffers in place. Before an algorithm is chosen they may be about to.
 */
static bool is_in_place(const weft_run *r) {
    return r->comm->local > 1 && (r->alg == WEFT_ALG_COUNT || weft_alg_table[r->alg].needs == WEFT_NEEDS_PLACE ||
                                  weft_alg_table[r->alg].needs == WEFT_NEEDS_REACH);
}

static bool copies(const weft_comm *c, int local) {
    /* Its copy is done; pairs with the release in take_turn(). */
    if (!atomic_load_explicit(&weft_slot_of(c, local)->copying, memory_order_acquire)) return false;
    return !weft_rank_ended(c->world, c->members[c->local_rank[local]]);
}

/* A failed call gives the caller its memory back, while others may still copy for some hundred milliseconds. Ranks of
 * this process are waited for without limit: they write to its addresses, which the caller may unmap, and only an event
 * that stops this rank too can stop them. A rank of another process may be suspended during its copy, and may touch the
 * memory when it resumes; nothing can prevent that. */
static void await_copies(const weft_run *r) {
    const weft_comm *c = r->comm;
    if (!is_in_place(r)) return;
    /* pairs with the fence in take_turn(): either it sees the failure, or this rank sees that it copies */
    atomic_thread_fence(memory_order_seq_cst);
    const weft_world *w = c->world;
    int64_t end = weft_now_ns() + COPIES_NS;
    for (int i = 0; i < c->local; i++) {
        bool ours = weft_process_of(w, c->members[c->local_rank[i]]) == w->process;
        while (i != c->me && copies(c, i) && (ours || weft_now_ns() < end)) sched_yield();
    }
}

static weft_status take_turn(weft_run *r) {
    weft_slot *s = r->comm->slot;
    if (r->then == weft_run_end || !is_in_place(r)) return r->then(r);
    atomic_store_explicit(&s->copying, 1, memory_order_relaxed); /* ordered by the fence */
    atomic_thread_fence(memory_order_seq_cst);
    weft_status st = weft_node_failed(&r->comm->world->node) ? weft_comm_failed(r->comm) : r->then(r);
    atomic_store_explicit(&s->copying, 0, memory_order_release);
    return st;
}

/* After begin or a turn: a run that is done, successful or not, releases its resources. */
static void settle(weft_run *r, weft_status st) {
    weft_comm *c = r->comm;
    if (st == WEFT_OK && r->state != WEFT_RUN_DONE) return;
    if (st != WEFT_OK) await_copies(r);
    weft_mail_close(r, st);
    r->state = WEFT_RUN_DONE;
    r->status = st;
    /* Relaxed: read by others for messages only. */
    if (st == WEFT_OK) {
        atomic_store_explicit(&c->rank_note->ended, r->number, memory_order_relaxed);
        weft_slot_learn(c->slot, r->sig);
        if (r->alg < WEFT_ALG_COUNT) c->rank_state->took[r->alg]++;
    }
    weft_flight_end(r);
    own_next(r);
    c->run = NULL;
}

static void begin(weft_run *r) {
    r->state = WEFT_RUN_WAITS;
    r->comm->rank_state->waiting++;
    settle(r, weft_run_begin(r));
}

/* Removes a finished run from the rank's list, and begins the runs that waited for it. */
static void leave(weft_run *r) {
    weft_local_rank *rank = r->comm->rank_state;
    *(r->up ? &r->up->down : &rank->first) = r->down;
    *(r->down ? &r->down->up : &rank->last) = r->up;
    rank->waiting--;
    weft_run *next = r->after;
    r->up = r->down = r->after = NULL;
    if (next) begin(next); /* if it is done at once, the loop over the list finds it so */
    weft_progress_left(r->comm->world);
}

/* Whether all have arrived, and the messages are complete. */
static weft_status look_round(weft_run *r, int *all) {
    weft_comm *c = r->comm;
    weft_status st = WEFT_OK;
    r->behind = weft_meet_behind(c, r->behind, r->until, r->phase);
    *all = 1;
    /* also while waiting for members of this node: they may wait for these messages */
    if (r->mail.count) st = weft_mail_test(r, all);
    if (r->behind < r->until) *all = 0;
    return st;
}

/* Takes every turn that can be taken now. */
static void advance(weft_run *r) {
    int all;
    while (r->state == WEFT_RUN_WAITS) {
        weft_status st = look_round(r, &all);
        if (st == WEFT_OK && !all) return;
        if (st == WEFT_OK && r->meeting != WEFT_MEETING_AGAIN)
            st = weft_meet_compare(r->comm, r->from, r->until, r->phase);
        if (r->meeting == WEFT_MEETING_OWED) r->comm->slot->owed = 0;
        if (st == WEFT_OK) st = take_turn(r);
        settle(r, st);
    }
}

void weft_runs_advance(weft_local_rank *rank) {
    for (weft_run *r = rank->first, *down; r; r = down) {
        advance(r);
        down = r->down; /* read late: a turn may have begun the next run */
        if (r->state == WEFT_RUN_DONE) leave(r);
    }
}

void weft_run_enter(weft_run *r) {
    weft_local_rank *rank = r->comm->rank_state;
    weft_progress_entered(r->comm->world);
    r->up = rank->last;
    *(rank->last ? &rank->last->down : &rank->first) = r;
    rank->last = r;
    for (weft_run *b = r->up; b; b = b->up)
        if (b->comm->slot == r->comm->slot) {
            r->state = WEFT_RUN_QUEUED;
            b->after = r;
            return;
        }
    begin(r);
    weft_runs_advance(rank);
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static weft_status look(weft_run *r, int64_t now) {
    weft_comm *c = r->comm;
    int64_t waited = now - r->since_ns;
    if (r->behind < r->until) return weft_meet_look(c, r->behind, r->until, r->phase, waited);
    char late[512] = "";
    if (weft_timed_out(c, waited)) weft_mail_print_late(r, waited, late, sizeof late);
    return weft_wait_check(c, waited, late);
}

void weft_run_look(weft_run *r) {
    int64_t now = weft_now_ns();
    if (r->state != WEFT_RUN_WAITS) return;
    if (!r->since_ns) r->since_ns = r->checked_ns = now;
    int64_t away_ns = now - r->checked_ns;
    if (away_ns < WEFT_LOOK_NS) return;
    r->checked_ns = now;
    /* A rank that computed between two tests, or was stopped, has not waited. */
    int64_t timeout_ns = r->comm->timeout_ns,
            most_ns = timeout_ns >= 0 ? weft_min_i64(WEFT_LOOKS_NS, timeout_ns / 2) : WEFT_LOOKS_NS;
    if (away_ns > most_ns) r->since_ns += away_ns - most_ns;
    /* Relaxed: read as a hint, in waits_too(), meet.c. */
    atomic_store_explicit(&r->comm->rank_note->looked_ns, now, memory_order_relaxed);
    weft_flight_asked(r->comm->world);
    weft_status st = look(r, now);
    if (st != WEFT_OK) settle(r, st);
}

static int glances(const weft_world *w) {
    return w->cores == WEFT_CORES_SHARED ? 4 : 64; /* polls between two reads of the clock */
}

/* Polls for messages; *still_ns: since when none have moved, *seen: the moves so far. Then the transport may sleep, if
 * the rank waits for nothing else. */
static void wait_for_messages(const weft_run *r, int64_t now, int64_t *still_ns, uint64_t *seen) {
    weft_world *w = r->comm->world;
    uint64_t moves = atomic_load_explicit(&w->moves, memory_order_relaxed); /* a hint */
    if (moves != *seen || !*still_ns) *still_ns = now;
    *seen = moves;
    if (now - *still_ns < w->spin_ns) sched_yield();
    else if (r->behind == r->until && w->messages->doze) w->messages->doze(w);
    else nanosleep(&(struct timespec){ .tv_nsec = GLIMPSE_NS }, NULL);
}

/* Waits until the run, the rank's only one that has begun, is done. */
static void wait_for_one(weft_run *r) {
    weft_comm *c = r->comm;
    const weft_world *w = c->world;
    int64_t start = 0, still_ns = 0;
    uint64_t seen = 0;
    for (unsigned turn = 1; advance(r), r->state == WEFT_RUN_WAITS; turn++) {
        if (turn < EAGER_GLANCES && w->cores == WEFT_CORES_OWN) continue;
        weft_wait_pause(w);
        if (turn % (unsigned)glances(w)) continue;
        int64_t now = weft_now_ns();
        if (start == 0 || r->since_ns == 0) {
            start = now;
            if (r->since_ns == 0) r->since_ns = r->checked_ns = now;
            continue;
        }
        if (w->idle) w->idle(w->idle_user);
        if (now - start < w->spin_ns) continue;
        if (r->behind < r->until && !r->mail.count)
            r->behind = weft_meet_nap(c, r->behind, r->until, r->phase, r->until - r->from < c->local);
        else wait_for_messages(r, now, &still_ns, &seen);
        weft_run_look(r);
    }
}

/* Polls all runs of the rank once; start is when the waiting began, 0 before the first read of the clock. */
static void wait_for_several(weft_local_rank *rank, const weft_world *w, unsigned turn, int64_t *start) {
    weft_runs_advance(rank);
    weft_wait_pause(w);
    if (turn % (unsigned)glances(w)) return;
    int64_t now = weft_now_ns();
    if (*start == 0) *start = now;
    else if (w->idle) w->idle(w->idle_user);
    if (now - *start > w->spin_ns) nanosleep(&(struct timespec){ .tv_nsec = DOZE_NS }, NULL);
    for (weft_run *r = rank->first; r; r = r->down) weft_run_look(r);
}

static weft_run *only_one(const weft_local_rank *rank) {
    weft_run *r = rank->first;
    while (r && r->state != WEFT_RUN_WAITS) r = r->down;
    return r;
}

weft_status weft_run_call(weft_run *r) {
    weft_local_rank *rank = r->comm->rank_state;
    if (rank->first) {
        weft_run_enter(r);
        return weft_run_wait(r);
    }
    begin(r); /* the usual case: no other call is in progress, and no list is needed */
    wait_for_one(r);
    rank->waiting--;
    return r->status;
}

weft_status weft_run_wait(weft_run *r) {
    weft_local_rank *rank = r->comm->rank_state;
    int64_t start = 0;
    if (r->state == WEFT_RUN_DONE) return r->status;
    /* A rank that has computed in the meantime has not waited. */
    for (weft_run *u = rank->first; u; u = u->down) u->since_ns = 0;
    for (unsigned turn = 1; weft_runs_advance(rank), r->state != WEFT_RUN_DONE; turn++) {
        weft_run *one = rank->waiting == 1 ? only_one(rank) : NULL;
        if (one) wait_for_one(one);
        else wait_for_several(rank, r->comm->world, turn, &start);
    }
    return r->status;
}
