/* timeline.h: the time and memory of tasks (cost/tasks.h) on a machine.
 *
 * Event-driven: the device computes one kernel after another, each link carries one collective after another. A task
 * starts when what it needs has ended and its stream is free; of several the earliest in the list. So a collective runs
 * beside kernels that do not need it, as the schedulers of XLA and the streams of PyTorch let it (switch: overlap). The
 * device looks at most TIMELINE_AHEAD tasks ahead, and a collective of an iteration at most one iteration ahead: it may
 * start when the iteration before has begun. A group that spans two levels occupies the links of both; in a torus the
 * links along other axes are free. Some iterations of a loop are run; the last but one tells what each further one
 * takes.
 * While a collective is under way the device works at `beside-share` of its speed: a library's collectives occupy some
 * of its processors. Of branches the one that takes longest counts, or (switch: branches) the one that takes least.
 * Kernels' own times are those of cost/kernel.h.
 */
#ifndef WEFT_COST_TIMELINE_H
#define WEFT_COST_TIMELINE_H

#include "cost/tasks.h"

enum { TIMELINE_AHEAD = 64 };

typedef enum weft_overlap { WEFT_OVERLAP_COLLECTIVES, WEFT_OVERLAP_NOTHING } weft_overlap;

typedef enum weft_timeline_branches { WEFT_BRANCHES_SLOWEST, WEFT_BRANCHES_FASTEST } weft_timeline_branches;

/* A task that ran, for a drawing, in absolute time. Of a loop up to five iterations are shown; the others are one event
 * with the loop's task, and `further` is their number. Of branches the one that takes longest is shown. */
typedef struct weft_timeline_event {
    const weft_task *task;
    double start_s, end_s;
    int level;                    /* of the machine's link that carries it; -1: on the device */
    weft_str axes;                /* in a torus: the links along these axes only */
    uint32_t depth;               /* loops and branches around it */
    uint32_t top;                 /* the task of the outermost list that it is or is in */
    int64_t further;
} weft_timeline_event;
typedef void (*weft_timeline_visit)(void *user, const weft_timeline_event *event);

typedef struct weft_timeline_options {
    const weft_machine *machine;
    weft_overlap overlap;
    weft_timeline_branches branches;
    int64_t assumed_trips;        /* of loops whose number of iterations is unknown; 0: 1 */
} weft_timeline_options;

/* step = compute + exposed. */
typedef struct weft_timeline {
    double step_s, compute_s, collective_s, exposed_s;
    double class_s[WEFT_KERNEL_CLASSES];
    double flops;                 /* of all arithmetic */
    double product_flops;         /* of products, attention and convolutions; a triangle's half not counted */
    double again_flops;           /* of those, what rematerialised regions compute again */
    double ideal_s;               /* the product flops at the machine's rates of their types */
    int64_t wire_bytes, calls, kernels, unknown_loops;
} weft_timeline;

weft_status weft_timeline_run(const weft_task_list *list, const weft_timeline_options *opt, weft_arena *scratch,
                              weft_timeline *out);

/* The step's time alone, without what it consists of. */
weft_status weft_timeline_step_s(const weft_task_list *list, const weft_timeline_options *opt, weft_arena *scratch,
                                 double *out);

/* The events of weft_timeline_run, list by list. */
weft_status weft_timeline_draw(const weft_task_list *list, const weft_timeline_options *opt, weft_arena *scratch,
                               weft_timeline_visit visit, void *user);

/* What one task takes in a step. */
typedef struct weft_task_use {
    const weft_task *task;
    int64_t count;
    double time_s;                /* of all its runs */
} weft_task_use;

/* All kernels and collectives, with their runs, in the order of the lists. In arena. */
weft_status weft_task_uses(const weft_task_list *list, const weft_timeline_options *opt, weft_arena *arena,
                           const weft_task_use **out, size_t *count);

/* The most memory that buffers take at once, beside arguments and results, and those buffers, the largest first. */
typedef struct weft_task_memory {
    double bytes;
    const weft_task_buffer *live; size_t live_count;
} weft_task_memory;
/* The memory of buffers while each task of the list runs, with the most within it; bytes has room for one more than
 * tasks. arena: for what is in use meanwhile. */
weft_status weft_task_memory_each(const weft_task_list *list, weft_arena *arena, double *bytes);
weft_status weft_task_memory_of(const weft_task_list *list, weft_arena *arena, weft_task_memory *out);

#endif
