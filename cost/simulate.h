/* simulate.h: from a plan of timed steps to the time of one execution on a machine.
 *
 * A kernel takes the longer of its arithmetic and its memory traffic at the machine's rates (Williams, Waterman and
 * Patterson, CACM 2009); a collective takes what cost/link.h says; steps follow one another; a loop's body counts times
 * its trip count, once where that is unknown. A plan is the same for every device, so one device's time is the step's.
 */
#ifndef WEFT_COST_SIMULATE_H
#define WEFT_COST_SIMULATE_H

#include "cost/link.h"

typedef struct weft_estimate {
    double step_s, compute_s, collective_s; /* step = compute + collective */
    double flops;
    int64_t wire_bytes;                     /* sent by one device */
    int64_t unknown_loops;                  /* loops whose trip count was taken as 1 */
} weft_estimate;

/* strides[i]: how far the members of plan->collectives[i]'s groups lie apart in device order, 1 for neighbours; NULL: all 1.
 * counts[i] gets how often collective i runs; may be NULL. */
void weft_simulate(const weft_plan *plan, const weft_machine *machine, const int64_t *strides, weft_estimate *out, int64_t *counts);

#endif
