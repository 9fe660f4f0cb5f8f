/* projection.h: the shardings around an op, by factor instead of by dimension.
 *
 * A rule gives each dimension factors, major to minor. Projecting distributes the axes of a dimension over its factors
 * in that order, splitting axes when a factor is full. Example: rule ([ij])->([i, j]) with i=2, j=4, mesh x=4, y=2:
 *
 *     operand [{"x", "y"}]      i: "x":(1)2     j: "x":(2)2, "y"
 *     result  [{?}, {?}]        i: none, open   j: none, open
 *
 * If the result's factors are then set to the operand's, projecting back gives [{"x":(1)2}, {"x":(2)2, "y"}]. Only the
 * minor-most factor of a dimension may be sharded unevenly. Axes that do not fit the factor before them (coprime sizes)
 * are kept as that factor's overflow, so that nothing is lost on the way back; the factors minor to it are then closed.
 *
 * A projection is scratch: it lives in the given arena and points into the shardings from which it was made.
 * Authority: Shardy, docs/propagation.md ("Factor-based representation").
 */
#ifndef WEFT_SHARDING_PROJECTION_H
#define WEFT_SHARDING_PROJECTION_H

#include "sharding/rule.h"
#include "sharding/sharding.h"

typedef struct weft_cell {         /* one factor in one tensor */
    weft_axis_list axes;
    weft_axis_list overflow;
    bool closed;                   /* may not be sharded further */
    bool minor_most;               /* in its dimension */
} weft_cell;

typedef struct weft_cells {        /* one tensor */
    /* factors with a cell: those of the rule's tensor, except those after an overflow */
    weft_bits factors;
    weft_bits all;                 /* factors of the rule's tensor: cells are stored in their order */
    weft_cell *cells;
    weft_axes replicated, unreduced;
} weft_cells;

typedef struct weft_projection {
    const weft_rule *rule;
    const weft_mesh *mesh;
    weft_cells *tensors;           /* [rule->tensor_count] */
} weft_projection;

static inline weft_cell *weft_cell_of(const weft_projection *p, uint32_t tensor, uint32_t factor) {
    const weft_cells *t = &p->tensors[tensor];
    return weft_bits_has(t->factors, factor) ? &t->cells[weft_bits_count(t->all & (weft_bit(factor) - 1))] : NULL;
}

/* shardings[rule->tensor_count]; a NULL one has no axes and is open or closed as `missing` says. All others are over
 * mesh. Fails when memory is out, or reports WEFT_D_unsupported for a dimension of more than WEFT_AXIS_LIST_MAX axes.
 */
weft_status weft_project(weft_context *cx, weft_arena *arena, const weft_rule *rule, const weft_mesh *mesh,
                         const weft_sharding *const *shardings, weft_openness missing, weft_projection *out);

/* The inverse: the sharding of one tensor from its cells. Priorities are lost; a factor that is not fully sharded ends
 * its dimension, since minor factors could not be expressed. NULL only when memory is out. */
const weft_sharding *weft_unproject(weft_shardings *t, const weft_projection *p, uint32_t tensor);

#endif
