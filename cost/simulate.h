/* simulate.h: from a plan of timed steps to the time of one execution on a machine.
 *
 * Code takes what weft_machine_kernel_time_s says, a collective what weft_machine_reach_time says; steps follow one
 * another. Between its start and its end a collective passes beside the steps there, as far as it can (weft_coll_time);
 * collectives under way share the device's link, first come first served. A loop's body counts times its trip count, as
 * often as the plan assumes where that is unknown; it is walked once, from an idle link: nothing is under way around a
 * loop that has collectives. Of a case one branch counts, which begins the same way: the plan's figures are bounds, the
 * dearest branches' and the cheapest ones'. A plan is the same for every device, so one device's time is the step's.
 */
#ifndef WEFT_COST_SIMULATE_H
#define WEFT_COST_SIMULATE_H

#include "cost/machine.h"

typedef struct weft_estimate {
    /* step = compute + collective - hidden; of the branches that take longest */
    double step_s, compute_s, collective_s;
    double hidden_s;                        /* of collectives, while the device computes */
    double flops;                           /* of the same branches */
    int64_t wire_bytes;                     /* sent by one device; of the branches that send most */
    int64_t calls;                          /* collectives; of the branches that have most */
    int64_t unknown_loops;                  /* loops whose trip count was assumed */
    /* of the branches that take, send, and call least: equal to the figures above where */
    double least_step_s;
    int64_t least_wire_bytes, least_calls;  /* the program has no case, or says which branch runs */
} weft_estimate;

/* How one collective of the plan fares. */
typedef struct weft_estimate_call {
    int64_t count;                          /* how often it runs along the branches that send most */
    double ready_s;                         /* the simulation's own: when one under way will have passed */
} weft_estimate_call;

/* Ways through a plan's cases: of each the branch with least or most of something. */
typedef enum weft_estimate_path {
    WEFT_PATH_LEAST_TIME,
    WEFT_PATH_MOST_TIME,
    WEFT_PATH_LEAST_BYTES,
    WEFT_PATH_MOST_BYTES,
    WEFT_PATH_LEAST_CALLS,
    WEFT_PATH_MOST_CALLS,
    WEFT_PATH_COUNT
} weft_estimate_path;

/* The branch that one case of the plan takes along each. */
typedef struct weft_estimate_case { uint32_t branch[WEFT_PATH_COUNT]; } weft_estimate_case;

/* reaches[i]: where the groups of plan->collectives[i] lie on the machine (weft_load_reaches); NULL: as their strides
 * say. calls has room for plan->collective_count, cases for plan->case_count; what they held does not matter. */
void weft_simulate(const weft_plan *plan, const weft_machine *machine, const weft_reach *reaches,
                   weft_estimate_call *calls, weft_estimate_case *cases, weft_estimate *out);

#endif
