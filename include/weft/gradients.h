/* gradients.h: derivatives of graphs (graph.h).
 *
 *     weft_tensor *weights[] = { w1, w2 }, *gradient[2];
 *     weft_graph_gradients(g, loss, weights, 2, gradient);
 *     weft_graph_update(g, w1, weft_graph_subtract(g, w1, weft_graph_scale(g, gradient[0], 0.01)));
 *
 * The ops that compute the gradients are added to the graph: they may be used in further ops, and differentiated again.
 * Rules are JAX's where a function has no derivative; docs/differentiate.md lists them. Gradients may be made in a body
 * (control.h): of a value of the body, also with respect to values from outside, which then stand for what they are in
 * that run of the body.
 *
 * Errors are those of graph.h. An op on the way that has no derivative, or a loop without a bound of its number of
 * iterations, is an error at the line that made it.
 */
#ifndef WEFT_GRADIENTS_H
#define WEFT_GRADIENTS_H

#include <weft/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values kept from the computation of the loss for that of its gradients. */
typedef enum weft_gradient_keep {
    WEFT_GRADIENT_KEEP_ALL,      /* all that is needed */
    WEFT_GRADIENT_KEEP_PRODUCTS, /* of each iteration of a loop: what it begins with, results of products and
                                  * convolutions; the rest is computed again */
    WEFT_GRADIENT_KEEP_NOTHING   /* of each iteration of a loop: what it begins with */
} weft_gradient_keep;

/* All fields may be 0. */
typedef struct weft_gradient_options {
    weft_gradient_keep keep;
    int64_t bound;           /* the most iterations of loops whose number is not known; 0: they are refused */
    size_t size;             /* of this struct; 0: the fields above */
} weft_gradient_options;

/* out[i] is the derivative of loss, a scalar of floats, with respect to of[i], and has its type: floats or complex
 * numbers; zeros if the loss does not depend on it. out[] is NULL after an error; it may
 * be the array of[]. */
WEFT_API void weft_graph_gradients_at(weft_source at, weft_graph *g, weft_tensor *loss, weft_tensor *const *of,
                                      size_t n, const weft_gradient_options *options, weft_tensor **out);

/* Forward mode: out[k] is the derivative of of[k] along tangents[0..n) of wrt[0..n), and has the type of of[k]: what
 * of[k] changes by, to first order, where each wrt[i] changes by tangents[i], of the type of wrt[i]. All are of floats
 * or complex numbers; of any shapes. With the gradient for of[k] it is a product of the matrix of second derivatives
 * and the tangent. Through a loop it keeps as much as gradients of it do. out[] is NULL after an
 * error; it may be of[], wrt[] or tangents[]. */
WEFT_API void weft_graph_tangents_at(weft_source at, weft_graph *g, weft_tensor *const *of, size_t of_n,
                                     weft_tensor *const *wrt, weft_tensor *const *tangents, size_t n,
                                     const weft_gradient_options *options, weft_tensor **out);

/* ---- the calls as they are made: with the caller's place. Operands may be compound literals ---- */

static inline void weft_graph_gradients_of(weft_source at, weft_graph *g, weft_tensor *loss, weft_tensor *const *of,
                                           size_t n, weft_tensor **out) {
    weft_graph_gradients_at(at, g, loss, of, n, NULL, out);
}
static inline void weft_graph_tangents_of(weft_source at, weft_graph *g, weft_tensor *const *of, size_t of_n,
                                          weft_tensor *const *wrt, weft_tensor *const *tangents, size_t n,
                                          weft_tensor **out) {
    weft_graph_tangents_at(at, g, of, of_n, wrt, tangents, n, NULL, out);
}
#define weft_graph_gradients(...)            weft_graph_gradients_of(WEFT_HERE, __VA_ARGS__)
#define weft_graph_gradients_with(...)       weft_graph_gradients_at(WEFT_HERE, __VA_ARGS__)
#define weft_graph_tangents(...)             weft_graph_tangents_of(WEFT_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
