/* pairwise: in round k each rank sends its block to the rank k + 1 up, and receives one from the rank k + 1 down: one
 * message each way at a time, and every block goes directly.
 */
#include "collectives/schedule.h"

int weft_transfers_pairwise(const weft_seat *s, int round, weft_transfer *t) {
    int p = s->ranks;
    if (round >= p - 1) return -1;
    int to = (s->rank + round + 1) % p, from = (s->rank + p - round - 1) % p;
    t[0] = (weft_transfer){ WEFT_ACT_SEND, to, { to, 1, 0, 0 } };
    t[1] = (weft_transfer){ WEFT_ACT_TAKE, from, { p + from, 1, 0, 0 } };
    return 2;
}
