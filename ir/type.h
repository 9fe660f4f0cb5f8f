/* type.h: types, uniqued per context: equal types are the same pointer.
 *
 * Most values are ranked tensors of an element type with a static shape; a dynamic dimension is WEFT_DYNAMIC.
 * Quantised elements are integers with a meaning (quant.h).
 * Types that Weft does not model (memrefs, vectors, futures of other dialects) are kept as the text between their
 * delimiters, so that a module survives a round trip.
 */
#ifndef WEFT_IR_TYPE_H
#define WEFT_IR_TYPE_H

#include "base/context.h"
#include "base/dtype.h"
#include "ir/quant.h"

#define WEFT_DYNAMIC INT64_MIN
#define WEFT_MAX_RANK 64 /* sets of dimensions are bits */

typedef enum weft_type_kind {
    WEFT_TYPE_TENSOR,   /* dims[0..rank) of dtype */
    WEFT_TYPE_SCALAR,   /* a bare element type: i64, f32 */
    WEFT_TYPE_INDEX,    /* index */
    WEFT_TYPE_TOKEN,    /* !stablehlo.token */
    WEFT_TYPE_TUPLE,    /* tuple<...>: parts[0..part_count) */
    WEFT_TYPE_FUTURE,   /* !stablehlo.future<...>: parts, all tensors */
    WEFT_TYPE_FUNCTION, /* parts: inputs, then results; input_count of them are inputs */
    WEFT_TYPE_NONE,     /* none */
    /* a ranked tensor whose elements have no weft_dtype, parts[0]: index (its literals are i64), or a type kept as
     * text */
    WEFT_TYPE_FOREIGN,
    WEFT_TYPE_OPAQUE    /* text as written */
} weft_type_kind;

typedef struct weft_ints {
    const int64_t *v;
    uint32_t n;
} weft_ints;

/* The place of v in a; a.n: it is not there. */
static inline uint32_t weft_ints_place(weft_ints a, int64_t v) {
    uint32_t i = 0;
    while (i < a.n && a.v[i] != v) i++;
    return i;
}
static inline bool weft_ints_has(weft_ints a, int64_t v) { return weft_ints_place(a, v) < a.n; }

typedef struct weft_attr weft_attr;
typedef struct weft_type weft_type;

struct weft_type {
    weft_type_kind kind;
    weft_dtype dtype;
    uint32_t rank;
    uint32_t part_count, input_count;
    uint32_t id;                       /* dense per context */
    const int64_t *dims;               /* never NULL */
    const weft_type *const *parts;
    const weft_attr *encoding;         /* of a TENSOR or FOREIGN, BOUNDS or OPAQUE; NULL when absent */
    /* of a TENSOR or SCALAR of quantised elements, dtype being their storage; else NULL */
    const weft_quant *quant;
    weft_str text;                     /* OPAQUE */
};

/* All return NULL only when memory is out. dims and parts are copied. */
const weft_type *weft_type_tensor(weft_context *cx, weft_dtype dtype, uint32_t rank, const int64_t *dims);
const weft_type *weft_type_tensor_encoded(weft_context *cx, weft_dtype dtype, uint32_t rank, const int64_t *dims,
                                          const weft_attr *encoding);
const weft_type *weft_type_scalar(weft_context *cx, weft_dtype dtype);
/* Quantised: copied deeply; the verifier checks that they are valid for the shape. */
const weft_type *weft_type_quant_tensor(weft_context *cx, const weft_quant *quant, uint32_t rank, const int64_t *dims,
                                        const weft_attr *encoding);
const weft_type *weft_type_quant_scalar(weft_context *cx, const weft_quant *quant);
const weft_type *weft_type_foreign(weft_context *cx, const weft_type *element, uint32_t rank, const int64_t *dims,
                                   const weft_attr *encoding);
const weft_type *weft_type_simple(weft_context *cx, weft_type_kind kind); /* INDEX, TOKEN, NONE */
const weft_type *weft_type_tuple(weft_context *cx, const weft_type *const *parts, uint32_t n);
const weft_type *weft_type_future(weft_context *cx, const weft_type *const *parts, uint32_t n);
const weft_type *weft_type_function(weft_context *cx, const weft_type *const *in, uint32_t n_in,
                                    const weft_type *const *out, uint32_t n_out);
const weft_type *weft_type_opaque(weft_context *cx, weft_str text);

static inline bool weft_type_is_tensor(const weft_type *t) { return t->kind == WEFT_TYPE_TENSOR; }
static inline bool weft_type_is_index_tensor(const weft_type *t) {
    return t->kind == WEFT_TYPE_FOREIGN && t->parts[0]->kind == WEFT_TYPE_INDEX;
}
bool weft_type_is_static(const weft_type *t); /* a tensor of any elements, without dynamic dimensions */

/* The same type with other dims (rank may differ), its encoding and quantisation kept. */
const weft_type *weft_type_with_dims(weft_context *cx, const weft_type *t, uint32_t rank, const int64_t *dims);
/* The same with another size of dimension d. */
const weft_type *weft_type_with_dim(weft_context *cx, const weft_type *t, uint32_t d, int64_t size);
/* The same shape and encoding with plain elements. */
const weft_type *weft_type_with_dtype(weft_context *cx, const weft_type *t, weft_dtype dtype);

/* Product of the dims; -1 when dynamic or over 2^63-1. 1 for a scalar tensor. */
int64_t weft_type_elems(const weft_type *t);
/* The dimension of `from` that is dimension d of its reshape `to`: of equal size, after equally many elements; or -1.
 * Both are static. */
int64_t weft_type_dim_before(const weft_type *from, const weft_type *to, uint32_t d);
/* Equal ranks and sizes; of tensors. */
static inline bool weft_type_same_dims(const weft_type *a, const weft_type *b) {
    return a->rank == b->rank && (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}
/* elems * stored bytes (of the storage type when quantised); -1 as above; 0 for tokens. */
int64_t weft_type_bytes(const weft_type *t);

/* As MLIR prints it: tensor<2x3xf32>. */
void weft_type_print(weft_buf *b, const weft_type *t);
/* the element type of a tensor or scalar: f32, !quant.uniform<...> */
void weft_element_print(weft_buf *b, const weft_type *t);

void weft_bounds_print(weft_buf *b, weft_ints bounds);    /* #stablehlo.bounds<?, 4> */

/* float_text.c: one element of a float type, as MLIR prints it. */
void weft_float_print(weft_buf *b, weft_dtype t, const void *p);

#endif
