/* barrier_dissemination: in round k each rank sends a signal 2^k ranks up and receives one from 2^k ranks down. After
 * each round a rank has heard, directly or not, from twice as many, so log2 of the number of ranks rounds are enough.
 * It is recursive doubling for any number of ranks. Hensgen, Finkel and Manber, Int. J. Parallel
 * Programming 17 (1988).
 */
#include "collectives/algorithm.h"

static weft_status next_round(weft_run *r) {
    const weft_comm *c = r->comm;
    int far = 1 << r->course.round++, p = c->size;
    if (far >= p) return weft_run_end(r);
    weft_status st = weft_mail_receive(r, (c->rank + p - far % p) % p, r->mail.in, 1);
    if (st == WEFT_OK) st = weft_mail_send(r, (c->rank + far) % p, r->mail.out, 1);
    return st == WEFT_OK ? weft_run_await(r, next_round) : st;
}

weft_status weft_run_barrier_dissemination(weft_run *r) {
    int p = r->comm->size;
    weft_status st = weft_mail_open(r, 0, 64);
    if (st != WEFT_OK) return st;
    r->mail.out[0] = 0;
    memset(r->mail.peers, 0, (size_t)p);
    for (int far = 1; far < p; far *= 2)
        r->mail.peers[(r->comm->rank + far) % p] = r->mail.peers[(r->comm->rank + p - far) % p] = 1;
    return weft_mail_meet(r, next_round);
}
