/* differentiate.h: derivatives of programs, as ops of the same program.
 *
 * Reverse mode, and forward mode by it (forward.c). A value `of` has a cotangent; the ops between `of` and the values
 * `wrt` are visited from last to first, and each op's rule (column "grad" of ops.def) makes the cotangents of its
 * operands from those of its results. Only ops that lie between wrt and of are visited. A cotangent of zero is no op.
 * Integers and booleans have none. The result is plain StableHLO: it can be differentiated again.
 *
 * A loop, a branch and a function get a second one that runs backward. What it needs from the first is saved: by a
 * loop in buffers with one entry per iteration, by a branch and a function in further results. Conventions at points
 * without a derivative, and for complex numbers, are JAX's (docs/differentiate.md).
 */
#ifndef WEFT_DIFFERENTIATE_DIFFERENTIATE_H
#define WEFT_DIFFERENTIATE_DIFFERENTIATE_H

#include "ir/builder.h"
#include "ir/pass.h"

/* What the backward pass may keep of the forward pass. */
typedef enum weft_keep {
    WEFT_KEEP_ALL,       /* what the rules ask for */
    WEFT_KEEP_PRODUCTS,  /* of a loop's iteration what it begins with, and results of products and convolutions; the
                          * rest is computed again */
    WEFT_KEEP_NOTHING    /* of a loop's iteration what it begins with */
} weft_keep;

/* What becomes of an op that differentiation replaced by one with more results. */
typedef enum weft_replaced {
    WEFT_REPLACED_REMOVE,  /* ops that read it read the new op; the caller holds none of its results */
    WEFT_REPLACED_FORWARD  /* it stays, as an optimization_barrier of the new op's results */
} weft_replaced;

typedef struct weft_gradients {
    weft_value *const *of;    /* tensors of floats or complex numbers, of one block */
    weft_value *const *seeds; /* the cotangent of each, of its type; NULL: ones */
    uint32_t of_n;
    weft_value *const *wrt;   /* tensors of floats or complex numbers, of the same block as `of` */
    uint32_t n;
    weft_keep keep;
    int64_t bound;            /* the most iterations of a loop of unknown trip count; 0: it is refused */
    weft_str rules;           /* backward functions of custom calls: "target=@f,other=@g"; n == 0: none */
    weft_replaced replaced;
} weft_gradients;

/* Appends to the builder's block the cotangents of wrt: out[i] has the type of wrt[i]; zeros if `of` does not depend
 * on it. m is changed in place: loops, branches and calls on the way get further results, functions are added.
 * Reports an op without a rule, or a loop of unknown trip count, at its location. After a failure m is of no use. */
weft_status weft_differentiate(weft_builder *b, const weft_gradients *what, weft_value **out);

/* Forward mode: the derivatives of `of` along tangents[0..n) of wrt, of their types: out[i] has the type of of[i].
 * what->seeds is not read. Ops that only cotangents need are left unused. */
weft_status weft_differentiate_along(weft_builder *b, const weft_gradients *what, weft_value *const *tangents,
                                     weft_value **out);

/* Whether values of the type have derivatives: tensors of floats and of complex numbers. */
static inline bool weft_type_has_derivative(const weft_type *t) {
    return weft_type_is_tensor(t) && !t->quant && (weft_dtype_is_float(t->dtype) || weft_dtype_is_complex(t->dtype));
}

weft_status weft_pass_append_gradients(weft_pass *p, const weft_module *in, weft_module **out);
weft_status weft_pass_append_tangents(weft_pass *p, const weft_module *in, weft_module **out);

#endif
