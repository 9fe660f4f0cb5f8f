/* ops.h: further ops of a graph (graph.h): picking and putting rows, sorting, padding, moving along a dimension,
 * running sums and convolutions. Each is one op of StableHLO or CHLO, or a few; what none of these calls makes,
 * weft_graph_op_with does (control.h). Errors and ownership are those of graph.h.
 */
#ifndef WEFT_OPS_H
#define WEFT_OPS_H

#include <weft/control.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- dynamic slices ---- starts has an integer scalar per dimension of x; a start that would leave x is moved. */
WEFT_API weft_tensor *weft_graph_dynamic_slice_at(weft_source at, weft_graph *g, weft_tensor *x,
                                                  weft_tensor *const *starts, weft_dims sizes);
/* x with update at starts. */
WEFT_API weft_tensor *weft_graph_dynamic_update_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *update,
                                                   weft_tensor *const *starts);

/* ---- rows ---- x is [rows, ...], rows is a tensor of integers of any shape [a, b, ...]. */

/* [a, b, ...] of rows: an embedding. An index outside of x takes the nearest row. */
WEFT_API weft_tensor *weft_graph_gather_rows_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *rows);
/* x with updates, [a, b, ...] of rows, combined into its rows: op is "add", "multiply", "maximum" or "minimum", or
 * "set" for the update itself (one of them, where an index is repeated). Indices outside of x are left out. */
WEFT_API weft_tensor *weft_graph_scatter_rows_at(weft_source at, weft_graph *g, const char *op, weft_tensor *x,
                                                 weft_tensor *rows, weft_tensor *updates);

/* ---- order ---- */

/* The index of the largest (smallest) element along dim, which the result lacks: i32, the first of equal ones. NaN is
 * larger (smaller) than all. */
WEFT_API weft_tensor *weft_graph_argmax_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim);
WEFT_API weft_tensor *weft_graph_argmin_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim);
/* The k largest along the last dimension, the largest first: out[0] are the values, out[1] their indices, i32. */
WEFT_API void weft_graph_top_k_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t k, weft_tensor *out[2]);
/* x in rising order along dim; of floats -NaN is first, -0 before 0, and NaN last. */
WEFT_API weft_tensor *weft_graph_sort_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim);

/* ---- places ---- */

/* x with low[d] elements of v before and high[d] after, along each dimension d. Negative numbers cut elements off. */
WEFT_API weft_tensor *weft_graph_pad_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims low, weft_dims high,
                                        double v);
/* Element i of the result is element i - by of x along dim, and v where x has none: a halo's neighbour. */
WEFT_API weft_tensor *weft_graph_shift_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim, int64_t by,
                                          double v);
/* The same round the end: element i is element (i - by) modulo the size. */
WEFT_API weft_tensor *weft_graph_roll_at(weft_source at, weft_graph *g, weft_tensor *x, int64_t dim, int64_t by);
WEFT_API weft_tensor *weft_graph_reverse_at(weft_source at, weft_graph *g, weft_tensor *x, weft_dims dims);

/* ---- running sums ---- op: "add" "multiply" "maximum" "minimum", over the elements 0 .. i along dim. */
WEFT_API weft_tensor *weft_graph_cumulative_at(weft_source at, weft_graph *g, const char *op, weft_tensor *x,
                                               int64_t dim);

/* ---- convolution ---- spelling gives the order of dimensions, one letter each: "bhwf,hwio->bhwf" has the batch b, the
 * features f of the image and of the result, i and o of the kernel, and any other letters for spatial dimensions. The
 * lists of window have an entry per spatial dimension, in the image's order; size is not used, and may be empty. */
WEFT_API weft_tensor *weft_graph_convolution_at(weft_source at, weft_graph *g, const char *spelling, weft_tensor *image,
                                                weft_tensor *kernel, weft_window_dims window, int64_t groups);

/* ---- the calls as they are made: with the caller's place. Operands may be compound literals ---- */

#define weft_graph_dynamic_slice(...)        weft_graph_dynamic_slice_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_dynamic_update(...)       weft_graph_dynamic_update_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_gather_rows(...)          weft_graph_gather_rows_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_scatter_rows(...)         weft_graph_scatter_rows_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_argmax(...)               weft_graph_argmax_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_argmin(...)               weft_graph_argmin_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_top_k(...)                weft_graph_top_k_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_sort(...)                 weft_graph_sort_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_pad(...)                  weft_graph_pad_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_shift(...)                weft_graph_shift_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_roll(...)                 weft_graph_roll_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_reverse(...)              weft_graph_reverse_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_cumulative(...)           weft_graph_cumulative_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_convolution(...)          weft_graph_convolution_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
