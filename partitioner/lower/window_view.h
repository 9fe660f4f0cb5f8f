/* window_view.h: what the devices see of a split dimension when results are made of windows over it.
 *
 * Seen along one dimension, element i of the operand stands at i * dilation; result o is made of the `taps` elements
 * that stand at o * stride - low + t * spread. The dimension can be split in two ways:
 *
 *   between windows   a device holds a part of the operand and makes a part of the results;
 *   inside windows    a device holds a part of the operand and the same part of the window, as of a convolution's
 *                     kernel that is as large as its input where it is a gradient: it makes every result from these,
 *                     and what the devices have made is summed.
 *
 * Either way it fetches what it sees beyond its part (halo.h), puts there what padding has where that is outside of the
 * operand, and runs the op on this with its padding changed. The devices need not divide any of the sizes: the last
 * parts end with padding, which is outside too. A slice is a window of one tap with a negative low, a pad one with
 * dilation. Source: StableHLO docs/spec.md, the ops' own sections.
 */
#ifndef WEFT_PARTITIONER_WINDOW_VIEW_H
#define WEFT_PARTITIONER_WINDOW_VIEW_H

#include "partitioner/lower/halo.h"

typedef struct weft_view {
    int64_t in, out;             /* whole sizes */
    int64_t stride, low, taps, spread, dilation;
} weft_view;

typedef enum weft_view_cut {
    WEFT_VIEW_BETWEEN,
    WEFT_VIEW_INSIDE,
    WEFT_VIEW_INSIDE_REVERSED /* the last part of a window comes first */
} weft_view_cut;

/* How dimension result_dim of the results and dim of the operands see each other; index is the place in the op's
 * attributes. */
typedef struct weft_view_dim {
    uint32_t dim, result_dim, index;
    weft_view_cut cut;
    weft_view v;
} weft_view_dim;

/* Element o of the result is element o of the operand: no device reads beyond its part. */
bool weft_view_is_plain(const weft_view_dim *d);

/* Bytes that a device sends for operand 0, so placed; -1 when it cannot be split so. */
double weft_view_talk(weft_placements *t, const weft_op *op, weft_placement_id operand, const weft_view_dim *views,
                      uint32_t n);

/* What a dimension's padding becomes. Where the devices' first elements stand differently after the first position that
 * they see, `more` results are made than wanted, and each device's begin at `start`. */
typedef struct weft_view_padding { int64_t low, high, more; weft_value *start; } weft_view_padding;

typedef struct weft_sight {
    weft_value *x[WEFT_MAX_RANK];            /* operands [count], with what they see */
    weft_view_padding pad[WEFT_MAX_RANK];    /* by index of the view */
    bool changed[WEFT_MAX_RANK];
    bool any;                                /* some is changed */
} weft_sight;

/* The first `count` operands of op, which lie alike, as op sees them; fill[i]: what is outside of operand i, a scalar;
 * NULL: anything. */
weft_status weft_view_look(weft_localizer *z, const weft_op *op, const weft_view_dim *views, uint32_t n, uint32_t count,
                           weft_value *const *fill, weft_sight *out);
/* Sets made's attribute padding to what s says; cuts made's results, where more were made, and maps op's to them. */
weft_status weft_view_set_padding(weft_localizer *z, weft_op *made, const weft_op *op, const weft_sight *s, uint32_t n);
weft_status weft_view_cut_results(weft_localizer *z, weft_op *made, const weft_op *op, const weft_view_dim *views,
                                  uint32_t n, const weft_sight *s);

#endif
