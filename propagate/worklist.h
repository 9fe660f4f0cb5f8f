/* worklist.h: which ops, and which results of @main, a round of propagation still has to look at, and in which order.
 *
 * A round begins with every op in program order; one around which a sharding changed is looked at again, at once if its
 * turn is over. Most of these looks would find nothing: nothing around the op changed since it was looked at in a round
 * of the same kind. So each kind of round (an op priority and a strategy) has the set of ops for which that is not
 * known, and walks that instead. What an op's look depends on is its tensors' slots and, at the first op priority,
 * whether its operands are read once; whoever changes these says so here. The order is as if all ops were walked: an op
 * whose turn is still to come stays in its place.
 *
 * So a round costs what changed since the last of its kind, not what the program holds: a program may have as many user
 * priorities as ops.
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
    uint32_t *order;                 /* ops that are visited at all, in program order */
    uint32_t order_count;
    uint32_t *place;                 /* by op: where it stands in order, or WEFT_NO_PLACE */
    uint32_t *stack;                 /* ops to be looked at before the next of order; the last is next */
    uint32_t stack_count;
    uint32_t at;                     /* places below are over */
    uint32_t kind;                   /* of the round under way */
    weft_index_set waiting[WEFT_ROUND_KINDS]; /* places */
    weft_index_set results[2];       /* by strategy: results of @main */
    /* by slot: around[first[slot] .. first[slot + 1]) are ops, then op_count + a result of @main */
    uint32_t *first, *around;
    uint32_t *around_tensor;         /* alike: which of the op's tensors it is; NULL where no function's edge asks */
    /* ops, their tensors and readers of values that were looked at so far: what a propagation costs */
    uint64_t steps;
} weft_worklist;

#define WEFT_NO_PLACE UINT32_MAX

/* p's ops, tensors and order are there. Everything waits, in every kind of round. */
weft_status weft_worklist_open(weft_propagation *p);

/* A round: begin, then next until it is NULL. */
void weft_worklist_begin(weft_propagation *p, weft_strategy strategy, int ladder);
weft_op_state *weft_worklist_next(weft_propagation *p);
/* In a round: op is to be looked at as soon as what is under way is done, unless its turn is still to come. */
void weft_worklist_push(weft_propagation *p, const weft_op *op);

/* What is known of op is not known any more; the same for all around a slot that changed. */
void weft_worklist_forget(weft_propagation *p, uint32_t op);
void weft_worklist_forget_around(weft_propagation *p, uint32_t slot);

/* The next result of @main to be looked at, from this one on; it is then taken to be known. The number of results at
 * the end. */
uint32_t weft_worklist_next_result(weft_propagation *p, weft_strategy strategy, uint32_t from);

#endif
