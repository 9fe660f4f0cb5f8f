/* worklist.h: the ops, and the results of @main, that a round of propagation still has to visit, in order.
 *
 * A round begins with every op in program order; an op with a changed sharding is visited again, at once if the round
 * has passed it. Most visits would find nothing: nothing around the op has changed since its last visit in a round of
 * the same kind. So each kind of round (an op priority and a strategy) has the set of ops for which that is not
 * known, and walks that set instead. A visit depends on the op's tensors' slots and, at the first op priority, on
 * whether its operands are read once; code that changes these reports it here. The order is as if all ops were walked:
 * an op that the round has not reached yet stays in its place.
 *
 * So the cost of a round depends on the changes since the last one of its kind, not on the size of the program: a
 * program may have as many user priorities as ops.
 */
#ifndef WEFT_PROPAGATE_WORKLIST_H
#define WEFT_PROPAGATE_WORKLIST_H

#include "base/index_set.h"
#include "ir/module.h"
#include "propagate/factors.h"

#define WEFT_LADDER_TOP 4      /* op priorities: 0 to this; see schedule.c */
#define WEFT_ROUND_KINDS (2 * (WEFT_LADDER_TOP + 1))
#define WEFT_ALL_ROUNDS ((1u << WEFT_ROUND_KINDS) - 1)

typedef struct weft_propagation weft_propagation; /* state.h */
typedef struct weft_op_state weft_op_state;

typedef struct weft_worklist {
    uint32_t *order;                 /* ops that are ever visited, in program order */
    uint32_t order_count;
    uint32_t *place;                 /* by op: its index in order, or WEFT_NO_PLACE */
    uint32_t *stack;                 /* ops to visit before the next of order; the last is next */
    uint32_t stack_count;
    uint32_t at;                     /* places below are done */
    uint32_t kind;                   /* of the current round */
    weft_index_set waiting[WEFT_ROUND_KINDS]; /* places */
    weft_index_set results[2];       /* by strategy: results of @main */
    /* by slot: around[first[slot] .. first[slot + 1]) are ops, then op_count + a result of @main */
    uint32_t *first, *around;
    uint32_t *around_tensor;         /* parallel: the number of the op's tensor; NULL if no function's edge needs it */
    /* ops, their tensors and readers of values visited so far: the cost of a propagation */
    uint64_t steps;
} weft_worklist;

#define WEFT_NO_PLACE UINT32_MAX

/* Called when p's ops, tensors and order are set. Everything waits, in every kind of round. */
weft_status weft_worklist_open(weft_propagation *p);

/* A round: begin, then next until it is NULL. */
void weft_worklist_begin(weft_propagation *p, weft_strategy strategy, int ladder);
weft_op_state *weft_worklist_next(weft_propagation *p);
/* During a round: op is visited right after the current visit, unless the round has not reached it yet. */
void weft_worklist_push(weft_propagation *p, const weft_op *op);

/* Forgets that op needs no visit; the same for all ops around a changed slot. */
void weft_worklist_forget(weft_propagation *p, uint32_t op);
void weft_worklist_forget_around(weft_propagation *p, uint32_t slot);

/* The next result of @main to visit, from this one on; it is then taken out. The number of results at the
 * end. */
uint32_t weft_worklist_next_result(weft_propagation *p, weft_strategy strategy, uint32_t from);

#endif
