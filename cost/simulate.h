/* simulate.h: from a plan of timed steps to the time of one execution on a machine.
 *
 * weft_machine_kernel_time_s gives the time of code, weft_machine_reach_time that of a collective; steps follow one
 * another. Between its start and its end a collective runs beside the steps there, as far as it can (weft_coll_time);
 * collectives in progress share the device's link, first come first served. A loop's body counts trip-count times, or
 * as often as the plan assumes if that is unknown. It is simulated once, from an idle link: a loop that contains
 * collectives has none in progress around it. Of a case one branch counts, also from an idle link: the plan's figures
 * are bounds, over the most and the least expensive branches. A plan is equal for all devices, so one device's time is
 * the step's.
 */
#ifndef WEFT_COST_SIMULATE_H
#define WEFT_COST_SIMULATE_H

#include "cost/machine.h"

typedef struct weft_estimate {
    /* step = compute + collective - hidden; over the branches that take longest */
    double step_s, compute_s, collective_s;
    double hidden_s;                        /* of collectives, while the device computes */
    double flops;                           /* of the same branches */
    int64_t wire_bytes;                     /* sent by one device; of the branches that send most */
    int64_t calls;                          /* collectives; of the branches that have most */
    int64_t unknown_loops;                  /* loops whose trip count was assumed */
    /* over the branches that take, send, and call least: equal to the figures above if */
    double least_step_s;
    int64_t least_wire_bytes, least_calls;  /* the program has no case, or determines the branch */
} weft_estimate;

/* One collective of the plan in the simulation. */
typedef struct weft_estimate_call {
    int64_t count;                          /* how often it runs along the branches that send most */
    double ready_s;                         /* internal: the time at which the one in progress is complete */
} weft_estimate_call;

/* Paths through a plan's cases: the branches with least or most of some quantity. */
typedef enum weft_estimate_path {
    WEFT_PATH_LEAST_TIME,
    WEFT_PATH_MOST_TIME,
    WEFT_PATH_LEAST_BYTES,
    WEFT_PATH_MOST_BYTES,
    WEFT_PATH_LEAST_CALLS,
    WEFT_PATH_MOST_CALLS,
    WEFT_PATH_COUNT
} weft_estimate_path;

/* The branch of one case of the plan on each path. */
typedef struct weft_estimate_case { uint32_t branch[WEFT_PATH_COUNT]; } weft_estimate_case;

/* reaches[i]: the reach of the groups of plan->collectives[i] on the machine (weft_load_reaches); NULL: from their
 * strides. calls has room for plan->collective_count, cases for plan->case_count; their old contents do not matter. */
void weft_simulate(const weft_plan *plan, const weft_machine *machine, const weft_reach *reaches,
                   weft_estimate_call *calls, weft_estimate_case *cases, weft_estimate *out);

/* A step that ran, for a drawing: of a loop the first iteration; the others are one event, and `further` their number.
 */
typedef struct weft_estimate_event {
    const weft_plan_step *step;
    double start_s, end_s;
    enum { WEFT_ON_DEVICE, WEFT_ON_LINK } on;
    int64_t further;
} weft_estimate_event;
typedef void (*weft_estimate_visit)(void *user, const weft_estimate_event *event);

/* The events of the slowest branches, after weft_simulate has filled calls and cases. */
void weft_simulate_draw(const weft_plan *plan, const weft_machine *machine, const weft_reach *reaches,
                        weft_estimate_call *calls, const weft_estimate_case *cases, weft_estimate_visit visit,
                        void *user);

#endif
