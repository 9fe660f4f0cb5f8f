/* simulate.h: from a plan of timed steps to the time of one execution on a machine.
 *
 * Code takes what weft_machine_kernel_time_s says, a collective what weft_machine_reach_time says; steps follow one another. Between its start
 * and its end a collective passes beside the steps there, as far as it can (weft_coll_time); collectives under way share the
 * device's link, first come first served. A loop's body counts times its trip count, once where that is unknown; it is walked
 * once, from an idle link: nothing is under way around a loop that has collectives. A plan is the same for every device, so
 * one device's time is the step's.
 */
#ifndef WEFT_COST_SIMULATE_H
#define WEFT_COST_SIMULATE_H

#include "cost/machine.h"

typedef struct weft_estimate {
    double step_s, compute_s, collective_s; /* step = compute + collective - hidden */
    double hidden_s;                        /* of collectives, while the device computes */
    double flops;
    int64_t wire_bytes;                     /* sent by one device */
    int64_t unknown_loops;                  /* loops whose trip count was taken as 1 */
} weft_estimate;

/* How one collective of the plan fares. */
typedef struct weft_estimate_call {
    int64_t count;                          /* how often it runs */
    double ready_s;                         /* the simulation's own: when one under way will have passed */
} weft_estimate_call;

/* reaches[i]: where the groups of plan->collectives[i] lie on the machine (weft_load_reaches); NULL: as their strides say. calls has room for
 * plan->collective_count; what it held does not matter. */
void weft_simulate(const weft_plan *plan, const weft_machine *machine, const weft_reach *reaches, weft_estimate_call *calls, weft_estimate *out);

#endif
