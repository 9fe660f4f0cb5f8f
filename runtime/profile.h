/* profile.h: where the time of a program's executions goes, step by step of the executable, as each device's thread
 * measures it. */
#ifndef WEFT_RUNTIME_PROFILE_H
#define WEFT_RUNTIME_PROFILE_H

#include "exec/team.h"
#include "runtime/work.h"

/* What a step does: of code the bytes that it touches, of a collective those that the device sends; of these, what
 * libraries do in a loop that is one function. */
typedef struct weft_step_figures { double flops, bytes, product_flops, product_bytes; } weft_step_figures;

/* Of all calls. Of a loop or branch only the calls count: its steps have their own times. */
typedef struct weft_step_time { double total_s; int64_t calls; weft_step_figures sum; } weft_step_time;

/* A step of the last execution; times of the monotonic clock. */
typedef struct weft_step_event {
    uint32_t step;
    double begin_s, end_s;
    weft_step_figures did;
    const char *algorithm;     /* of a collective; NULL: it has none */
} weft_step_event;

typedef struct weft_profile {
    weft_step_time *steps;     /* per step of the executable */
    double total_s;            /* of executions, and of what is between their steps */
    int64_t executions;
    weft_step_event *events; uint32_t event_count, event_room;
    bool is_cut;               /* the last execution had more events than there was room for */
    const weft_step_work *works; /* per step of the executable */
    int64_t *turns;            /* of the step that runs: room for those of any */
    weft_team_log *helpers; int helper_count; /* of the last execution: what the device's other threads did */
} weft_profile;

void weft_profile_begin(weft_profile *p);                      /* an execution */
void weft_profile_end(weft_profile *p, double begin_s);

/* Where a step is to count its turns; NULL: it is no loop that is one function. */
int64_t *weft_profile_turns(weft_profile *p, uint32_t step);

/* A loop or branch ended; another step, with the bytes that a collective sent and its algorithm, or NULL. */
void weft_profile_control(weft_profile *p, uint32_t step);
void weft_profile_step(weft_profile *p, uint32_t step, double begin_s, int64_t sent, const char *algorithm);

#endif
