/* barrier_messages: the exchange of cards itself: after it every member has heard from every other. */
#include "collectives/algorithm.h"

weft_status weft_run_barrier_messages(weft_run *r) {
    weft_status st = weft_mail_open(r, 0, 0);
    return st == WEFT_OK ? weft_mail_meet(r, weft_run_end) : st;
}
