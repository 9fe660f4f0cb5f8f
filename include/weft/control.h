/* control.h: loops, branches, functions and bodies of ops in a graph (graph.h), made by callbacks.
 *
 * A body is a function of the caller. It gets the graph, whose makers add to the body while it runs, and the body's
 * arguments x; it writes the body's results to y, which has a place for each. The call that takes the body says how
 * many there are of both, and of what types.
 *
 *     static void more(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
 *         y[0] = weft_graph_compare(g, "GT", x[0], weft_graph_fill_like(g, x[0], 1));
 *     }
 *     static void halve(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
 *         y[0] = weft_graph_scale(g, x[0], 0.5);
 *     }
 *     weft_graph_while(g, &a, 1, more, halve, NULL, &b);
 *
 * A body may use tensors made before the call, except the body of a function. A tensor of a body is of no use after it.
 * A body runs once, during the call, also for a loop of many iterations: it makes the program and computes nothing. It
 * may make loops, and functions, of its own; inputs, outputs and updates are made outside of bodies.
 *
 * out, where the results go, may be where operands are: x = loop of x. Errors are those of graph.h. One in a body is at
 * the body's line, and a note names the call; out[] is then NULL.
 */
#ifndef WEFT_CONTROL_H
#define WEFT_CONTROL_H

#include <weft/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void weft_body(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user);

/* ---- loops and branches ---- */

/* While cond holds: init[0..n) are carried through body. cond gets the n carried values and returns one i1 scalar;
 * body gets them and returns n of the same types. out[0..n) are the last ones. */
WEFT_API void weft_graph_while_at(weft_source at, weft_graph *g, weft_tensor *const *init, size_t n, weft_body *cond,
                                  weft_body *body, void *user, weft_tensor **out);
/* For i = begin; i < end (i > end if step is negative); i += step: body gets i, an i64 scalar, and then the n carried
 * values, and returns n. step is not 0. */
WEFT_API void weft_graph_for_at(weft_source at, weft_graph *g, int64_t begin, int64_t end, int64_t step,
                                weft_tensor *const *init, size_t n, weft_body *body, void *user, weft_tensor **out);
/* The n results of `yes` where predicate, an i1 scalar, is true, else those of `no`. Bodies have no arguments, and
 * return values of the same types; of sharded values too only one body runs. */
WEFT_API void weft_graph_if_at(weft_source at, weft_graph *g, weft_tensor *predicate, weft_body *yes, weft_body *no,
                               void *user, weft_tensor **out, size_t n);
/* The n results of branch[index]; index is an i32 scalar, and outside of 0 .. count - 1 it means the last one. */
WEFT_API void weft_graph_case_at(weft_source at, weft_graph *g, weft_tensor *index, weft_body *const *branch,
                                 size_t count, void *user, weft_tensor **out, size_t n);

/* One body for each of `steps` slices of stacked tensors, such as the parameters of equal layers: the program has the
 * body once, however many there are. x[0..m) are stacked: dimension 0 of each has `steps` elements, and the rest is the
 * slice. body gets the n carried values, a slice of each of the m, and the step's number, an i64 scalar; it returns n
 * carried values and then `made` further ones, which are stacked along a new dimension 0. out[0..n) are the last
 * carried values and out[n..n + made) what was stacked. Dimension 0 of stacked tensors is best left unsharded. */
WEFT_API void weft_graph_scan_at(weft_source at, weft_graph *g, int64_t steps, weft_tensor *const *init, size_t n,
                                 weft_tensor *const *x, size_t m, size_t made, weft_body *body, void *user,
                                 weft_tensor **out);

/* ---- functions ---- */

typedef struct weft_function weft_function;

/* A function of the program, to be called any number of times: body gets arguments of the types of like[0..n), whose
 * values it does not use, and returns `results` values. It cannot use tensors from outside. If there is a function of
 * this name already it gets another ("layer_1"). Belongs to the graph. NULL after an error. */
WEFT_API weft_function *weft_graph_function_at(weft_source at, weft_graph *g, const char *name,
                                               const weft_tensor *const *like, size_t n, size_t results,
                                               weft_body *body, void *user);
/* out[0..results) are the function's results for x[0..n). */
WEFT_API void weft_graph_call_at(weft_source at, weft_graph *g, const weft_function *f, weft_tensor *const *x, size_t n,
                                 weft_tensor **out, size_t results);

/* ---- scopes ---- */

/* The ops made from here on are in the scope `name`, within those that are open: "block 1/attention". It stands in
 * errors and warnings, in the dry run's places, and in programs as text. A body closes what it opens. */
WEFT_API void weft_graph_push_at(weft_source at, weft_graph *g, const char *name);
/* Closes the last scope that was opened. */
WEFT_API void weft_graph_pop_at(weft_source at, weft_graph *g);

/* ---- ops with any body ---- */

/* Reduces x[0..n), of one shape, over dims, starting from the scalars init[0..n). body gets n values so far and then n
 * elements, all scalars, and returns n values. It is associative; the order of elements is any. */
WEFT_API void weft_graph_reduce_by_at(weft_source at, weft_graph *g, weft_tensor *const *x, weft_tensor *const *init,
                                      size_t n, weft_dims dims, weft_body *body, void *user, weft_tensor **out);
/* Sorts x[0..n), of one shape, along dim, all by one order, equal elements in the order in which they were. body gets
 * two elements of each, those of x[0] first (a0, b0, a1, b1 ...), and returns an i1 scalar: whether a is before b. */
WEFT_API void weft_graph_sort_by_at(weft_source at, weft_graph *g, weft_tensor *const *x, size_t n, int64_t dim,
                                    weft_body *body, void *user, weft_tensor **out);

/* Windows over a tensor, with an entry per dimension; of an empty list each is what stands here in brackets. */
typedef struct weft_window_dims {
    weft_dims size;
    weft_dims strides;           /* [1] from a window to the next */
    weft_dims low, high;         /* [0] elements of padding before the first and after the last; may be negative */
    weft_dims dilation;          /* [1] between elements of the window */
    weft_dims base_dilation;     /* [1] between elements of the tensor */
} weft_window_dims;
/* As weft_graph_reduce_by for each window of x[0..n); padding has the value of init. */
WEFT_API void weft_graph_reduce_window_at(weft_source at, weft_graph *g, weft_tensor *const *x,
                                          weft_tensor *const *init, size_t n, weft_window_dims window, weft_body *body,
                                          void *user, weft_tensor **out);
/* What max pooling's gradient is: in each window of x the element that `select` prefers (it gets two scalars, and
 * returns i1) receives the window's element of source; what one element receives is put together by `scatter` (two
 * scalars to one), from init, a scalar. Uses size, strides, low and high of window. */
WEFT_API weft_tensor *weft_graph_select_and_scatter_at(weft_source at, weft_graph *g, weft_tensor *x,
                                                       weft_tensor *source, weft_tensor *init, weft_window_dims window,
                                                       weft_body *select, weft_body *scatter, void *user);

/* How the indices of a scatter are read, as in StableHLO; lists may be empty. */
typedef struct weft_scatter_numbers {
    weft_dims window;            /* dimensions of updates that are part of one written slice */
    weft_dims inserted;          /* dimensions of x that a place lacks */
    weft_dims batch, index_batch; /* dimensions of x and of indices that belong together */
    weft_dims places;            /* the dimensions of x that the numbers of an index are for */
    int64_t vector;              /* the dimension of indices along which the numbers of one index lie */
} weft_scatter_numbers;
/* x[0..n) with updates[0..n) put at indices. body gets n elements of x and then n of updates, scalars, and returns n.
 * Places outside of x are left out. */
WEFT_API void weft_graph_scatter_at(weft_source at, weft_graph *g, weft_tensor *const *x, size_t n,
                                    weft_tensor *indices, weft_tensor *const *updates, weft_scatter_numbers dims,
                                    weft_body *body, void *user, weft_tensor **out);

/* A body of any op: the types of its arguments, separated by ';' as in weft_graph_op (NULL: none). */
typedef struct weft_op_region {
    const char *arguments;
    size_t results;
    weft_body *body;
    void *user;
} weft_op_region;
/* Any op of the table with its regions; the rest as in weft_graph_op. */
WEFT_API void weft_graph_op_with_at(weft_source at, weft_graph *g, const char *name, weft_tensor *const *x, size_t n,
                                    const char *attributes, const char *types, const weft_op_region *regions,
                                    size_t region_count, weft_tensor **out, size_t out_n);

/* ---- the calls as they are made: with the caller's place. Operands may be compound literals ---- */

#define weft_graph_while(...)                weft_graph_while_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_for(...)                  weft_graph_for_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_if(...)                   weft_graph_if_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_case(...)                 weft_graph_case_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_scan(...)                 weft_graph_scan_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_function(...)             weft_graph_function_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_call(...)                 weft_graph_call_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_push(...)                 weft_graph_push_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_pop(...)                  weft_graph_pop_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_reduce_by(...)            weft_graph_reduce_by_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_sort_by(...)              weft_graph_sort_by_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_reduce_window(...)        weft_graph_reduce_window_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_select_and_scatter(...)   weft_graph_select_and_scatter_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_scatter(...)              weft_graph_scatter_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_op_with(...)              weft_graph_op_with_at(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
