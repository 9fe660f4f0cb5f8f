/* tasks.h: a local program as the tasks that one device of a vendor's machine performs: its compiler's kernels, its
 * library's collectives, and loops and branches of them. cost/fuse.h makes them, cost/timeline.h runs them.
 *
 * The tasks of a list stand in an order in which each follows those that it needs. A loop's list also says what a task
 * needs of the iteration before. Everything lives in the arena given to the maker and refers to the module.
 */
#ifndef WEFT_COST_TASKS_H
#define WEFT_COST_TASKS_H

#include "cost/kernel.h"
#include "cost/link.h"
#include "ir/module.h"

typedef enum weft_task_kind { WEFT_TASK_KERNEL, WEFT_TASK_COLLECTIVE, WEFT_TASK_LOOP, WEFT_TASK_CASE } weft_task_kind;

typedef struct weft_task_call {
    weft_coll_kind kind;
    weft_str axes;                 /* "data,model" */
    int64_t group_size;
    int64_t bytes, wire_bytes;     /* as in weft_plan_collective */
    weft_reach reach;              /* of the first device's group */
} weft_task_call;

typedef struct weft_task {
    weft_task_kind kind;
    const weft_op *op;             /* the one whose place it has; of a kernel the last */
    weft_kernel kernel;
    weft_task_call call;
    const uint32_t *needs;  uint32_t need_count;   /* earlier tasks of the list */
    const uint32_t *before; uint32_t before_count; /* any tasks of the list, in the iteration before */
    const struct weft_task_list *bodies; uint32_t body_count; /* LOOP: one. CASE: one for each branch */
    int64_t trips;                 /* of a loop; -1: unknown */
    double again_flops;            /* of the kernel's: what rematerialised regions compute again */
} weft_task;

/* Memory that a list of tasks takes: from its first task to its last, both in the order of the list. */
typedef struct weft_task_buffer {
    const weft_value *value;
    const weft_loc *loc;           /* of what computes it: of a loop's result, in its body */
    double bytes;
    uint32_t first, last;
    bool is_kept;                  /* of weft_task_memory: the task at the peak neither makes it nor reads it last */
} weft_task_buffer;

typedef struct weft_task_list {
    const weft_task *tasks;          uint32_t task_count;
    const weft_task_buffer *buffers; uint32_t buffer_count;
} weft_task_list;

#endif
