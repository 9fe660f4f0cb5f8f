/* meet.c: how the members of a group on one node wait for each other.
 *
 * Each member counts its rendezvous in its slot's flags, even and odd ones on a cache line of their own each. To meet,
 * a rank raises its own count and reads the others' until all have reached it. With fewer cores than ranks, spinning
 * would only keep the others from running: a rank then sleeps on the group's bell, which the last rank to arrive rings.
 *
 * In a call of few bytes a sender need not wait for its receivers, nor these for each other: the data written before
 * its arrival is theirs to read. But before a rank writes again where others may read, at the beginning of its next
 * call, all must have arrived. So it is never more than one call ahead, and halves and notes of two calls are enough,
 * as if all waited. It is then, too, that it learns of ranks that made another call; so the first time that it makes a
 * call it waits for all.
 *
 * Only the time to spin depends on the machine; every wait can sleep, so that a long one costs no power.
 */
#include "collectives/run.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAP_NS 50000000 /* then the sleeper checks for failures */
#define SHORT_NAP_NS 500000 /* 0.5 ms: then it does its other work, if it has any */

static void futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t ns) {
    struct timespec t = { ns / 1000000000, ns % 1000000000 };
    syscall(SYS_futex, word, FUTEX_WAIT, seen, &t, NULL, 0); /* every outcome leads to another check */
}

/* Wakes the sleepers if this member was the last to arrive, or one of them may wait for it alone. */
static void ring(weft_comm *c, uint64_t k) {
    weft_group_note *g = c->group;
    /* Pairs with the additions in weft_meet_nap(): either the sleeper sees our phase, or we see the sleeper. */
    if (atomic_load_explicit(&g->sleepers, memory_order_seq_cst) == 0) return;
    if (atomic_load_explicit(&g->choosy, memory_order_seq_cst) == 0 && weft_meet_behind(c, 0, c->local, k) != c->local)
        return;
    /* Pairs with the load of the bell in weft_meet_nap(): a sleeper that read the old value does not fall asleep. */
    atomic_fetch_add_explicit(&g->bell, 1, memory_order_seq_cst);
    syscall(SYS_futex, &g->bell, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

int weft_meet_nap(weft_comm *c, int from, int to, uint64_t k, bool is_choosy) {
    weft_group_note *g = c->group;
    uint32_t choosy = is_choosy;
    /* Pair with the loads in ring(). */
    atomic_fetch_add_explicit(&g->choosy, choosy, memory_order_seq_cst);
    atomic_fetch_add_explicit(&g->sleepers, 1, memory_order_seq_cst);
    /* Pairs with the addition to the bell in ring(): read before the look at the phases. */
    uint32_t bell = atomic_load_explicit(&g->bell, memory_order_seq_cst);
    from = weft_meet_behind(c, from, to, k);
    if (from < to) futex_wait(&g->bell, bell, c->world->idle ? SHORT_NAP_NS : NAP_NS);
    /* Relaxed: only hints to ring(); a sleeper too many costs it a system call. */
    atomic_fetch_sub_explicit(&g->sleepers, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&g->choosy, choosy, memory_order_relaxed);
    return weft_meet_behind(c, from, to, k);
}

/* Whether a rank of this node waits for others itself, so that it is not to be named. */
static bool waits_too(const weft_world *w, int rank) {
    /* Relaxed: a hint that is a few checks old at most. */
    int64_t looked =
        atomic_load_explicit(&weft_node_rank(&w->node, w->node_rank_of[rank])->looked_ns, memory_order_relaxed);
    return weft_now_ns() - looked < WEFT_LOOKS_NS;
}

/* The ranks for which this rank waits; without those that wait themselves, unless it has waited for their word too. */
static void print_late(const weft_comm *c, int from, int to, uint64_t k, int64_t waited_ns, weft_buf *b) {
    const weft_world *w = c->world;
    bool all = waited_ns > c->timeout_ns + WEFT_GRACE_NS;
    for (int i = from, shown = 0; i < to; i++) {
        if (weft_meet_has_come(c, i, k)) continue;
        if (!all && waits_too(w, c->members[c->local_rank[i]])) continue;
        if (shown == 8) {
            weft_buf_puts(b, " and more");
            return;
        }
        int rank = c->members[c->local_rank[i]];
        weft_buf_printf(b, "%srank %d (", shown++ ? ", " : "", rank);
        weft_last_call_print(w, c->group, rank, b);
        /* Relaxed: for human readers. */
        uint32_t state =
            atomic_load_explicit(&weft_node_rank(&w->node, w->node_rank_of[rank])->state, memory_order_relaxed);
        weft_buf_puts(b, state == WEFT_RANK_AWAY ? "; it has freed its handles)" : ")");
    }
}

typedef enum going { STAYS, LEAVES, ENDED } going;

/* Whether a late member will never arrive: its process has freed the world, or has ended. */
static going gone(const weft_comm *c, int from, int to, uint64_t k, int *rank) {
    weft_world *w = c->world;
    for (int i = from; i < to; i++) {
        if (weft_meet_has_come(c, i, k)) continue;
        *rank = c->members[c->local_rank[i]];
        weft_rank_note *r = weft_node_rank(&w->node, w->node_rank_of[*rank]);
        const bool ended = weft_rank_ended(w, *rank);
        /* Pairs with the release in weft_world_leave. After that, and after its end, its last phase is visible: it is
         * read again, and is still too low. */
        const bool left = atomic_load_explicit(&r->state, memory_order_acquire) == WEFT_RANK_LEFT;
        if ((ended || left) && !weft_meet_has_come(c, i, k)) return left ? LEAVES : ENDED;
    }
    return STAYS;
}

weft_status weft_wait_check(weft_comm *c, int64_t waited_ns, const char *late) {
    weft_world *w = c->world;
    char reason[WEFT_REASON_BYTES];
    if (weft_node_failed(&w->node)) return weft_comm_failed(c);
    if (w->messages && w->messages->heard_failed(w, reason, sizeof reason)) {
        weft_node_fail(&w->node, reason);
        return weft_comm_failed(c);
    }
    if (weft_timed_out(c, waited_ns) && *late)
        return weft_comm_fail(c, "waited %.3g s for %s", (double)c->timeout_ns * 1e-9, late);
    return WEFT_OK;
}

weft_status weft_meet_look(weft_comm *c, int from, int to, uint64_t k, int64_t waited_ns) {
    weft_buf late;
    weft_buf_init(&late, &c->world->alloc);
    if (weft_timed_out(c, waited_ns)) print_late(c, from, to, k, waited_ns, &late);
    weft_status st = weft_wait_check(c, waited_ns, late.n ? late.p : "");
    weft_buf_free(&late);
    if (st != WEFT_OK) return st;
    int rank = -1;
    going how = gone(c, from, to, k, &rank);
    if (how == ENDED) return weft_process_ended(c, rank);
    return how == LEAVES ? weft_comm_fail(c, "rank %d has left without this call", rank) : WEFT_OK;
}

uint64_t weft_meet_come(weft_comm *c) {
    uint64_t k = ++c->slot->come;
    /* Publishes all this rank has written; pairs with the load in weft_meet_has_come(). */
    atomic_store_explicit(&c->slot->flag[k & 1].phase, k, memory_order_seq_cst);
    if (c->local > 1) ring(c, k);
    return k;
}

static weft_status differs(weft_comm *c, int local, unsigned parity) {
    const weft_call_note *theirs = &weft_slot_of(c, local)->note[parity], *mine = &c->slot->note[parity];
    const weft_node *n = &c->world->node;
    return weft_calls_differ(c, c->local_rank[local], theirs, weft_site_at(n, theirs->site), mine,
                             weft_site_at(n, mine->site));
}

weft_status weft_permute_check(weft_comm *c, int from, const weft_call_note *theirs) {
    const weft_call_note *mine = &c->slot->note[c->slot->calls & 1];
    if (mine->kind != WEFT_PLAN_COLLECTIVE_PERMUTE) return WEFT_OK;
    int me = c->members[c->rank], other = c->members[from];
    int they_send = theirs->target == c->rank, i_expect = mine->source == from;
    int i_send = mine->target == from, they_expect = theirs->source == c->rank;
    if (they_send == i_expect && i_send == they_expect) return WEFT_OK;
    int sends = they_send != i_expect ? they_send : i_send;
    return weft_comm_fail(c,
                          sends ? "rank %d sends to rank %d, which does not expect it"
                                : "rank %d does not send to rank %d, which expects it",
                          they_send != i_expect ? other : me, they_send != i_expect ? me : other);
}

weft_status weft_meet_compare(weft_comm *c, int from, int to, uint64_t k) {
    unsigned parity = c->slot->calls & 1;
    weft_status st = WEFT_OK;
    for (int i = from; i < to; i++)
        if (weft_slot_of(c, i)->flag[k & 1].sig != c->slot->flag[k & 1].sig) return differs(c, i, parity);
    if (c->slot->note[parity].kind != WEFT_PLAN_COLLECTIVE_PERMUTE) return st;
    const weft_flag *mine = &c->slot->flag[k & 1];
    for (int i = from; i < to && st == WEFT_OK; i++) {
        const weft_flag *theirs = &weft_slot_of(c, i)->flag[k & 1];
        int other = c->local_rank[i];
        /* Their note, on a line of its own, is for the error message. */
        if ((theirs->target == c->rank) != (mine->source == other) ||
            (mine->target == other) != (theirs->source == c->rank))
            st = weft_permute_check(c, other, &weft_slot_of(c, i)->note[parity]);
    }
    return st;
}
