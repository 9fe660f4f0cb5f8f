/* neutral.c: the value that a reducer's op changes nothing with. Largest integers are the complements of smallest. */
#include "partitioner/lower/local.h"

weft_value *weft_build_neutral(weft_builder *b, weft_op_kind k, weft_dtype dtype) {
    weft_context *cx = b->m->cx;
    weft_dtype_kind kind = weft_dtype_of(dtype)->kind;
    const weft_type *scalar = weft_type_tensor(cx, dtype, 0, NULL);
    bool max = k == WEFT_OP_maximum, min = k == WEFT_OP_minimum;
    if (k == WEFT_OP_add && dtype == WEFT_F8E8M0FNU) return NULL; /* it has no zero */
    if (k == WEFT_OP_add || k == WEFT_OP_or || k == WEFT_OP_xor) return weft_build_splat(b, scalar, 0);
    if (k == WEFT_OP_multiply) return weft_build_splat(b, scalar, 1);
    if (k == WEFT_OP_and)
        return kind == WEFT_KIND_BOOL ? weft_build_splat(b, scalar, 1)
                                      : weft_build_unary(b, WEFT_OP_not, weft_build_splat(b, scalar, 0));
    if ((!max && !min) || kind == WEFT_KIND_COMPLEX) return NULL;
    if (kind == WEFT_KIND_FLOAT)
        return weft_build_splat(b, scalar, max ? weft_dtype_least(dtype) : weft_dtype_greatest(dtype));
    weft_value *least = weft_build_splat(b, scalar, weft_dtype_least(dtype));
    return max ? least : weft_build_unary(b, WEFT_OP_not, least);
}
