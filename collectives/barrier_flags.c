/* barrier_flags: the rendezvous itself. */
#include "collectives/algorithm.h"

weft_status weft_run_barrier_flags(weft_run *r) { return weft_run_meet_first(r, weft_run_end); }
