/* projection.h: the shardings around an op, seen by factor instead of by dimension.
 *
 * A rule gives each dimension factors, major to minor. Projecting hands the axes of a dimension out to its factors in
 * that order, splitting axes where a factor is full. Example: rule ([ij])->([i, j]) with i=2, j=4 and a mesh x=4, y=2:
 *
 *     operand [{"x", "y"}]      i: "x":(1)2     j: "x":(2)2, "y"
 *     result  [{?}, {?}]        i: none, open   j: none, open
 *
 * If the result's factors are then set to the operand's, projecting back gives [{"x":(1)2}, {"x":(2)2, "y"}]. Only the
 * minor-most factor of a dimension may be sharded unevenly. Axes that fit no factor before it (sizes coprime) are kept
 * as that factor's overflow, so that nothing is lost on the way back; the factors minor to it are then closed.
 *
 * A projection is scratch: it lives in the arena given and points into the shardings that it was made from.
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
    /* that have a cell: those of the rule's tensor, but for what stands after an overflow */
    weft_bits factors;
    weft_bits all;                 /* that the rule's tensor has: cells are stored by their order */
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

/* shardings[rule->tensor_count]; a NULL one has no axes and is open or closed as missing says. All others are over
 * mesh. Fails for want of memory, or reports WEFT_D_unsupported for a dimension of more than WEFT_AXIS_LIST_MAX axes.
 */
weft_status weft_project(weft_context *cx, weft_arena *arena, const weft_rule *rule, const weft_mesh *mesh,
                         const weft_sharding *const *shardings, weft_openness missing, weft_projection *out);

/* The sharding of one tensor back from its cells: priorities are gone; a factor that is not fully sharded ends its
 * dimension, as what is minor to it could not be expressed. NULL only when memory is out. */
const weft_sharding *weft_unproject(weft_shardings *t, const weft_projection *p, uint32_t tensor);

#endif
