/* ring: blocks go round from rank to rank. In the first half a block sums the ranks' operands, ending at its owner; in
 * the second half the finished blocks go round. Each rank sends 2(p-1)/p of the operand, which is minimal. Patarasuk
 * and Yuan, JPDC 2009. Block k is added up from rank k + 1 on. Segmented: each block is divided, and one part is added
 * up while the next ones are being sent.
 */
#include "collectives/schedule.h"

#define SEGMENTS 4

/* Step `step` of adding up: sends the block of rank - step - 1, which rank - step - 2 then has, to the next rank.
 */
static int add_step(const weft_seat *s, int step, int segment, int segments, weft_transfer *t) {
    int p = s->ranks, mine = (s->rank + 2 * p - step - 1) % p, theirs = (s->rank + 2 * p - step - 2) % p;
    t[0] = (weft_transfer){ WEFT_ACT_SEND_SUM, (s->rank + 1) % p, { mine * segments + segment, 1, 0, 0 } };
    t[1] = (weft_transfer){ WEFT_ACT_ADD_BEFORE, (s->rank + p - 1) % p, { theirs * segments + segment, 1, 0, 0 } };
    return 2;
}

static int gather_step(const weft_seat *s, int step, int segment, int segments, weft_transfer *t) {
    int p = s->ranks, mine = (s->rank + p - step) % p, theirs = (s->rank + 2 * p - step - 1) % p;
    t[0] = (weft_transfer){ WEFT_ACT_SEND, (s->rank + 1) % p, { mine * segments + segment, 1, 0, 0 } };
    t[1] = (weft_transfer){ WEFT_ACT_TAKE, (s->rank + p - 1) % p, { theirs * segments + segment, 1, 0, 0 } };
    return 2;
}

static weft_transfer finish(const weft_seat *s, int segment, int segments) {
    return (weft_transfer){ WEFT_ACT_FINISH, s->rank, { s->rank * segments + segment, 1, 0, 0 } };
}

static int all_reduce(const weft_seat *s, int round, int segments, weft_transfer *t) {
    int step = round / segments, segment = round % segments, half = s->ranks - 1;
    if (step < half) return add_step(s, step, segment, segments, t);
    if (step >= 2 * half) return -1;
    if (step > half) return gather_step(s, step - half, segment, segments, t);
    t[0] = finish(s, segment, segments);
    return 1 + gather_step(s, 0, segment, segments, t + 1);
}

static int reduce_scatter(const weft_seat *s, int round, int segments, weft_transfer *t) {
    int step = round / segments, segment = round % segments, half = s->ranks - 1;
    if (step < half) return add_step(s, step, segment, segments, t);
    if (step > half) return -1;
    t[0] = finish(s, segment, segments);
    return 1;
}

static int all_gather(const weft_seat *s, int round, int segments, weft_transfer *t) {
    int step = round / segments;
    return step < s->ranks - 1 ? gather_step(s, step, round % segments, segments, t) : -1;
}

int weft_transfers_ring_all_reduce(const weft_seat *s, int round, weft_transfer *t) {
    return all_reduce(s, round, 1, t);
}
int weft_transfers_ring_reduce_scatter(const weft_seat *s, int round, weft_transfer *t) {
    return reduce_scatter(s, round, 1, t);
}
int weft_transfers_ring_all_gather(const weft_seat *s, int round, weft_transfer *t) {
    return all_gather(s, round, 1, t);
}
int weft_transfers_segmented_ring_all_reduce(const weft_seat *s, int round, weft_transfer *t) {
    return all_reduce(s, round, SEGMENTS, t);
}
int weft_transfers_segmented_ring_reduce_scatter(const weft_seat *s, int round, weft_transfer *t) {
    return reduce_scatter(s, round, SEGMENTS, t);
}
int weft_transfers_segmented_ring_all_gather(const weft_seat *s, int round, weft_transfer *t) {
    return all_gather(s, round, SEGMENTS, t);
}
