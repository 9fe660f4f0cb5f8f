/* product.h: shared by the files that write ops as dot_general (inside legalize/ only). */
#ifndef WEFT_LEGALIZE_PRODUCT_H
#define WEFT_LEGALIZE_PRODUCT_H

#include "legalize/expand.h"

/* Shapes of values of x's element type. NULL is passed on, as in expr.h. */
lg_value lg_transpose(lg *g, lg_value x, const int64_t *order);               /* x itself when order is the identity */
lg_value lg_reshape(lg *g, lg_value x, uint32_t rank, const int64_t *dims);
/* x's dimension i becomes where[i] */
lg_value lg_broadcast(lg *g, lg_value x, uint32_t rank, const int64_t *dims, const int64_t *where);
lg_value lg_iota(lg *g, weft_dtype t, uint32_t rank, const int64_t *dims, int64_t dim);
/* of i1: whether any element is true; x itself if there are no dimensions */
lg_value lg_sum_over(lg *g, lg_value x, weft_ints dims);
lg_value lg_dot(lg *g, lg_value a, lg_value b, const weft_dot_dims *d, weft_dtype t, const weft_attr *precision);

/* einsum.c, ragged_dot.c: expanders */
weft_status lg_einsum(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in, weft_value **out);
weft_status lg_ragged_dot(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in, weft_value **out);

#endif
