/* bruck: in step k each rank sends 2^k ranks on, so log2 of the number of ranks steps are enough, for any number of
 * ranks. To gather, a rank sends down all blocks that it has, or that the receiver still lacks; to exchange, it sends
 * up the blocks whose distance has bit k. Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS 1997.
 */
#include "collectives/schedule.h"

int weft_transfers_bruck_gather(const weft_seat *s, int round, weft_transfer *t) {
    int p = s->ranks, far = 1 << round, count = p - far < far ? p - far : far;
    if (far >= p) return -1;
    t[0] = (weft_transfer){ WEFT_ACT_SEND, (s->rank + p - far) % p, { s->rank, count, 0, 0 } };
    t[1] = (weft_transfer){ WEFT_ACT_TAKE, (s->rank + far) % p, { (s->rank + far) % p, count, 0, 0 } };
    return 2;
}

int weft_transfers_bruck_exchange(const weft_seat *s, int round, weft_transfer *t) {
    int p = s->ranks, far = 1 << round;
    if (far >= p) return -1;
    t[0] = (weft_transfer){ WEFT_ACT_SEND, (s->rank + far) % p, { far, far, 2 * far, 0 } };
    t[1] = (weft_transfer){ WEFT_ACT_TAKE, (s->rank + p - far) % p, { far, far, 2 * far, 0 } };
    return 2;
}
