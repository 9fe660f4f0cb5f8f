/* binomial: trees in which the number of participating ranks doubles in each round. Counted from the root as number 0,
 * number v's tree has the numbers from v to below v + its lowest bit; blocks of a tree are neighbours. Sums are in the
 * order of these numbers, nested.
 */
#include "collectives/schedule.h"

typedef enum way { FROM_ROOT, TO_ROOT } way;

/* This rank's part in the round of trees of `size` numbers: 1: it is the first of the upper half, -1: its parent, 0:
 * neither. */
static int part(const weft_seat *s, int size, int *peer, weft_blockset *upper) {
    int p = s->ranks, v = (s->rank + p - s->root) % p, child = v % (2 * size) == size ? v : v + size;
    if (v % size || child >= p) return 0;
    *peer = ((child == v ? v - size : child) + s->root) % p;
    *upper = (weft_blockset){ (child + s->root) % p, child + size < p ? size : p - child, 0, 0 };
    return child == v ? 1 : -1;
}

/* The size of the trees that are joined, or split, in a round. */
static int size_in(const weft_seat *s, int round, way to) {
    int rounds = weft_log2_ceil(s->ranks);
    return round >= rounds ? 0 : 1 << (to == TO_ROOT ? round : rounds - 1 - round);
}

static int transfers(const weft_seat *s, int round, way to, weft_act give, weft_act take, weft_transfer *t) {
    int size = size_in(s, round, to), peer;
    weft_blockset upper;
    if (!size) return -1;
    int me = part(s, size, &peer, &upper), gives = to == TO_ROOT ? me > 0 : me < 0;
    if (!me) return 0;
    t[0] = (weft_transfer){ gives ? give : take, peer, upper };
    return 1;
}

int weft_transfers_binomial_gather(const weft_seat *s, int round, weft_transfer *t) {
    return transfers(s, round, TO_ROOT, WEFT_ACT_SEND, WEFT_ACT_TAKE, t);
}

int weft_transfers_binomial_scatter(const weft_seat *s, int round, weft_transfer *t) {
    return transfers(s, round, FROM_ROOT, WEFT_ACT_SEND, WEFT_ACT_TAKE, t);
}

int weft_transfers_binomial_broadcast(const weft_seat *s, int round, weft_transfer *t) {
    int n = transfers(s, round, FROM_ROOT, WEFT_ACT_SEND, WEFT_ACT_TAKE, t);
    if (n > 0) t[0].set = (weft_blockset){ 0, 1, 0, 0 };
    return n;
}

int weft_transfers_binomial_reduce(const weft_seat *s, int round, weft_transfer *t) {
    static const weft_blockset all = { 0, 1, 0, 0 };
    int n = transfers(s, round, TO_ROOT, WEFT_ACT_SEND_SUM, WEFT_ACT_ADD_AFTER, t);
    if (n > 0) t[0].set = all;
    if (round != weft_log2_ceil(s->ranks)) return n;
    t[0] = (weft_transfer){ WEFT_ACT_FINISH, s->rank, all };
    return s->rank == s->root;
}
