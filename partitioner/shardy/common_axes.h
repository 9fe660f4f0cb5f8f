/* common_axes.h: along which mesh axes each factor of an op is sharded, by Shardy's rule.
 *
 * The operands and results of an op are often sharded differently at one factor of its rule, or two factors want the
 * same axis. One list of axes per factor settles it: operands and results are then brought there. Shardy's rule looks
 * at sizes and at nothing else, so it is quick and everybody can foresee it; factor_choice.h is Weft's, which compares
 * bytes.
 *
 *   All agree                        what they agree on.
 *   Two tensors that are no scalars  those of one: of the one that is sharded along no permutation factor, then of the
 *                                    larger, then of the one split into more parts; the other's own factors keep what
 *                                    does not overlap.
 *   Else                             the list, or prefix of a list, held by the largest tensors in all wins its factor;
 *                                    between equals a pass-through factor before a reduction, and more parts before
 *                                    fewer. What overlaps it elsewhere is cut off. Again, until nothing is left. Axes
 *                                    won by factors that must be whole go to the batch factors as far as they divide
 *                                    them.
 *
 * A factor minor to another of its dimension gets axes only when that one is split into single steps.
 * Authority: Shardy, docs/sdy_export_passes.md (sdy-insert-explicit-reshards) and the behaviour of that pass.
 */
#ifndef WEFT_PARTITIONER_COMMON_AXES_H
#define WEFT_PARTITIONER_COMMON_AXES_H

#include "sharding/projection.h"

/* elems[tensor_count]: sizes of the tensors, 0 where not known. out[factor_count] is scratch of the caller's. */
weft_status weft_common_axes(weft_context *cx, const weft_projection *p, const int64_t *elems, weft_axis_list *out);

/* The axes of a factor where all tensors that have it agree; false when two do not. */
bool weft_factor_agreed(const weft_projection *p, uint32_t factor, weft_axes *out);

/* Sets every tensor's cells to axes[factor]; changed[tensor_count] says which were otherwise. */
void weft_projection_set(weft_projection *p, const weft_axis_list *axes, bool *changed);

/* For a reshape whose axes do not fit its factors, so that some overflow: hands the axes of the side that is split into
 * more parts out anew, to both sides, each axis to the first factor that it divides. */
void weft_reshape_redistribute(weft_projection *p);

#endif
