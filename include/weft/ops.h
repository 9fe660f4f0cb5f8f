/* ops.h: further ops of a graph (graph.h): picking and putting rows, sorting, padding, moving along a dimension,
 * running sums, convolutions, Fourier transforms and triangular matrices. Each is one op of StableHLO or CHLO, or a
 * few; what none of these calls makes, weft_graph_op_with does (control.h). Errors and ownership are those of graph.h.
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

/* How a gather reads its indices, as in StableHLO; lists may be empty. */
typedef struct weft_gather_numbers {
    weft_dims window;            /* dimensions of the result that are part of one read slice */
    weft_dims collapsed;         /* dimensions of x of which a place has one element, and the result none */
    weft_dims batch, index_batch; /* dimensions of x and of indices that belong together */
    weft_dims places;            /* the dimensions of x that the numbers of an index are for */
    int64_t vector;              /* the dimension of indices along which the numbers of one index lie */
} weft_gather_numbers;
/* Slices of x of these sizes, an entry per dimension, one at each index. A slice that would leave x is moved. */
WEFT_API weft_tensor *weft_graph_gather_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *indices,
                                           weft_gather_numbers dims, weft_dims sizes);

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

/* x with low[d] elements of v before and high[d] after, along each dimension d. Negative numbers remove elements. */
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

/* ---- Fourier transforms ---- of the last lengths.n dimensions, one to three. kind: "FFT" and "IFFT" of complex
 * numbers, "RFFT" of real ones to the first half of the frequencies and one more, "IRFFT" back to real ones. lengths
 * are the sizes of these dimensions, those of the real tensor. The inverse ones divide by the product of lengths. */
WEFT_API weft_tensor *weft_graph_fft_at(weft_source at, weft_graph *g, const char *kind, weft_tensor *x,
                                        weft_dims lengths);

/* ---- triangular matrices ---- [.., n, n], of floats or complex numbers. flags is 0, or a sum of these. */
typedef enum weft_matrix_flags {
    WEFT_MATRIX_UPPER = 1,       /* the upper triangle instead of the lower one; the other is not read */
    WEFT_MATRIX_UNIT = 2,        /* ones for the diagonal, which is not read */
    WEFT_MATRIX_TRANSPOSED = 4,  /* of the transposed matrix */
    WEFT_MATRIX_ADJOINT = 8,     /* of the conjugate of the transposed matrix */
    WEFT_MATRIX_RIGHT = 16       /* x a = b instead of a x = b */
} weft_matrix_flags;
/* l with l l^H = a, of a positive definite a, or u with u^H u = a (WEFT_MATRIX_UPPER, the only flag it takes). The
 * other triangle of the result may have anything; NaNs if a is not positive definite. */
WEFT_API weft_tensor *weft_graph_cholesky_at(weft_source at, weft_graph *g, weft_tensor *a, unsigned flags);
/* x with a x = b: b is [.., n, k] ([.., k, n] with WEFT_MATRIX_RIGHT). */
WEFT_API weft_tensor *weft_graph_triangular_solve_at(weft_source at, weft_graph *g, weft_tensor *a, weft_tensor *b,
                                                     unsigned flags);

/* ---- bits ---- */

/* The bits of x as elements of another type. A wider one takes x's last dimension for one element; a narrower one makes
 * a last dimension of one. */
WEFT_API weft_tensor *weft_graph_bitcast_convert_at(weft_source at, weft_graph *g, weft_tensor *x, const char *dtype);
/* x rounded as if its type had so many bits for the exponent and for the fraction. */
WEFT_API weft_tensor *weft_graph_reduce_precision_at(weft_source at, weft_graph *g, weft_tensor *x, int exponent_bits,
                                                     int mantissa_bits);

/* x[0..n) to out[0..n); what reads one of out is computed after all of x. */
WEFT_API void weft_graph_optimization_barrier_at(weft_source at, weft_graph *g, weft_tensor *const *x, size_t n,
                                                 weft_tensor **out);

/* ---- the calls as they are made: with the caller's place. Operands may be compound literals ---- */

#define weft_graph_gather(...)               weft_graph_gather_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_fft(...)                  weft_graph_fft_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_cholesky(...)             weft_graph_cholesky_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_triangular_solve(...)     weft_graph_triangular_solve_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_bitcast_convert(...)      weft_graph_bitcast_convert_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_reduce_precision(...)     weft_graph_reduce_precision_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_optimization_barrier(...) weft_graph_optimization_barrier_at(WEFT_HERE, __VA_ARGS__)
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
