/* plan.h: the steps of one device in one execution, as plain numbers.
 *
 * Code generation fills a plan while it schedules (no machine code is needed for that). The simulator computes its
 * time, the dry run prints it, a run counts the same quantities and a test compares. A plan has no IR: ops are source
 * places, axes are names. It belongs to the arena in which it was made.
 */
#ifndef WEFT_COST_PLAN_H
#define WEFT_COST_PLAN_H

#include "base/diag.h"
#include "base/dtype.h"

typedef enum weft_coll_kind_plan {
    WEFT_PLAN_ALL_REDUCE,
    WEFT_PLAN_ALL_GATHER,
    WEFT_PLAN_REDUCE_SCATTER,
    WEFT_PLAN_ALL_TO_ALL,
    WEFT_PLAN_COLLECTIVE_PERMUTE,
    WEFT_PLAN_COLLECTIVE_BROADCAST
} weft_coll_kind_plan;

typedef struct weft_plan_collective {
    weft_coll_kind_plan kind;
    weft_str axes;           /* "model", "data,model", "x:(2)4"; "?" for dense groups */
    /* stride: the distance of a group's neighbours in device order, 1 if it is not one number */
    int64_t group_size, stride;
    int64_t bytes;           /* of the full tensor, all operands: the input of the formulas of wire_bytes */
    int64_t wire_bytes;      /* sent by one device under the bandwidth-optimal algorithm */
    bool at_most;            /* how many is known to a run only; down to none */
    const weft_loc *loc;     /* the op that caused it */
} weft_plan_collective;

typedef enum weft_plan_step_kind {
    WEFT_PLAN_KERNEL,        /* generated code */
    WEFT_PLAN_LIBRARY,       /* oneDNN, LAPACK, ... */
    WEFT_PLAN_COLLECTIVE,    /* collective indexes weft_plan.collectives */
    WEFT_PLAN_START,         /* the same, started: the steps after it run beside it until */
    WEFT_PLAN_DONE,          /* DONE waits for its end: in the same list of steps, once for each start */
    WEFT_PLAN_LOOP,          /* the next body_steps steps run trip_count times */
    WEFT_PLAN_CASE           /* of branches one runs; they follow one another: branch b is branch_steps[b] steps */
} weft_plan_step_kind;

typedef struct weft_plan_step {
    weft_plan_step_kind kind;
    double flops;
    weft_dtype dtype;                /* of what is multiplied; of other code of what it writes */
    /* main memory traffic without caches: bytes touched, not the sizes of the buffers that contain them */
    int64_t read_bytes, write_bytes;
    uint32_t collective;
    uint32_t body_steps;
    int64_t trip_count;              /* -1 unknown: counted as the plan's assumed_trips */
    const uint32_t *branch_steps; uint32_t branch_count;
    uint32_t case_number;            /* below case_count, one for each case */
    int64_t taken;                   /* the branch that runs, if the program determines it; -1: unknown before a run */
    const weft_loc *loc;
} weft_plan_step;

/* A temporary of WEFT_PLAN_LARGE bytes or more that a step writes. */
enum { WEFT_PLAN_LARGE = 1 << 20 };
typedef struct weft_plan_value {
    const weft_loc *loc;             /* the op whose result it holds */
    weft_dtype dtype;
    uint32_t rank;
    const int64_t *dims;             /* on this device */
    int64_t bytes;
} weft_plan_value;

typedef struct weft_plan {
    const weft_plan_step *steps;             uint32_t step_count;
    const weft_plan_collective *collectives; uint32_t collective_count;
    const weft_plan_value *values;           uint32_t value_count;
    uint32_t case_count;
    int64_t assumed_trips;                   /* of loops with unknown trip count: the user's number, else 1 */
    int64_t argument_bytes, result_bytes, temp_bytes, constant_bytes;
    int64_t alias_bytes;                     /* results that live in donated arguments, counted in both above */
    int64_t device_count;
} weft_plan;

/* How many steps of the list belong to a step, itself included. */
static inline uint32_t weft_plan_span(const weft_plan_step *s) {
    uint32_t n = 1 + (s->kind == WEFT_PLAN_LOOP ? s->body_steps : 0);
    for (uint32_t b = 0; s->kind == WEFT_PLAN_CASE && b < s->branch_count; b++) n += s->branch_steps[b];
    return n;
}

/* arguments + results - aliases + temporaries + constants: the memory of a device. */
static inline int64_t weft_plan_peak_bytes(const weft_plan *p) {
    return p->argument_bytes + p->result_bytes - p->alias_bytes + p->temp_bytes + p->constant_bytes;
}

#endif
