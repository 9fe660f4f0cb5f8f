/* nn.h: what the layers share. A layer is written with the makers of include/weft/ as a user's would be, and WEFT_HERE
 * is its caller's place: every function of this room has that as `at`.
 */
#ifndef WEFT_CAPI_NN_NN_H
#define WEFT_CAPI_NN_NN_H

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <weft/nn.h>
#include <weft/random.h>
#include "base/options.h"

#undef WEFT_HERE
#define WEFT_HERE at

enum { NN_MAX_RANK = 20 };       /* of tensors that layers take: letters of an einsum */

/* Reads the options of a call from *given, which may be NULL, to *to. Where they are refused the graph has an error,
 * and *to is all zero. */
#define NN_OPTIONS(type, given, to) \
    nn_options(at, g, #type, given, (given) ? (given)->size : 0, WEFT_OPTIONS_LEAST(type), to, sizeof(type))
void nn_options(weft_source at, weft_graph *g, const char *name, const void *given, size_t size, size_t least, void *to,
                size_t known);

/* As a value: a compound literal has commas, which a macro takes for its own. */
static inline weft_dims nn_dims(const int64_t *v, size_t n) {
    const weft_dims d = { v, n };
    return d;
}

/* A type's text. */
typedef struct nn_text { char c[NN_MAX_RANK * 21 + 32]; } nn_text;
nn_text nn_type(weft_dims dims, const char *dtype);

/* x's sizes, in room; at most NN_MAX_RANK of them, and no more than x has. */
weft_dims nn_shape(const weft_tensor *x, int64_t room[NN_MAX_RANK]);
/* first, first + 1 ... n of them. */
weft_dims nn_range(int64_t room[NN_MAX_RANK], int64_t first, size_t n);
/* All dimensions but one. */
weft_dims nn_but(int64_t room[NN_MAX_RANK], size_t rank, int64_t dim);

/* Whether x has from least to most dimensions; refuses in the layer's name. False, too, if x is NULL or the graph has
 * an error. */
bool nn_has_rank(weft_source at, weft_graph *g, const char *layer, const weft_tensor *x, size_t least, size_t most);
bool nn_is_float(weft_source at, weft_graph *g, const char *layer, const weft_tensor *x);
bool nn_is_integer(weft_source at, weft_graph *g, const char *layer, const weft_tensor *x);
/* Whether v, which messages call what, is finite, at least `least` and below most (-INFINITY and INFINITY:
 * no bounds). Refuses in the layer's name. */
bool nn_is_in(weft_source at, weft_graph *g, const char *layer, const char *what, double v, double least, double most);
bool nn_is_positive(weft_source at, weft_graph *g, const char *layer, const char *what, double v);
/* Whether v is one of the first `count` of an enum of the user's. */
bool nn_is_one_of(weft_source at, weft_graph *g, const char *layer, const char *type, unsigned v, unsigned count);

/* x in f32, or as it is if it is of f32 or f64. */
weft_tensor *nn_wide(weft_source at, weft_graph *g, weft_tensor *x);
/* x in the type of like. */
weft_tensor *nn_as(weft_source at, weft_graph *g, weft_tensor *x, const weft_tensor *like);
/* The element type of parameters for operand x: "f32" or "f64". */
const char *nn_kept_dtype(const weft_tensor *x);
/* A parameter for operand x, in x's type; init or, where that is the default, own. */
weft_tensor *nn_parameter(weft_source at, weft_graph *g, const char *name, weft_dims dims, const weft_tensor *x,
                          weft_init init, weft_init own);
/* Zeros, for a bias: no output sums any of it. */
weft_init nn_no_sum(void);
/* x spread over the shape of like: its dimensions are like's from dim on. */
weft_tensor *nn_spread(weft_source at, weft_graph *g, weft_tensor *x, const weft_tensor *like, size_t dim);
/* x, which lacks dim, spread over it. */
weft_tensor *nn_spread_over(weft_source at, weft_graph *g, weft_tensor *x, const weft_tensor *like, int64_t dim);
/* a[..., i...] times w[i..., o...], the last `summed` dimensions of a summed. */
weft_tensor *nn_product(weft_source at, weft_graph *g, weft_tensor *a, weft_tensor *w, size_t summed);

#endif
