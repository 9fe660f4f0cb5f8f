/* barrier_flags: the rendezvous itself. */
#include "collectives/algorithm.h"

weft_status weft_run_barrier_flags(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)job, (void)needs;
    return weft_meet_first(c);
}
