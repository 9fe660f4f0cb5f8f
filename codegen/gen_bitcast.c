/* gen_bitcast.c: column `gen` of bitcast_convert. Elements of equal width keep their bits. A wide element holds the
 * narrow ones of the last dimension from its low bits up (StableHLO spec, bitcast_convert). */
#include "codegen/import.h"

/* An unsigned type of at least so many bits. */
static weft_dtype code_type(unsigned bits) {
    static const weft_dtype types[] = { WEFT_UI2, WEFT_UI4, WEFT_UI8, WEFT_UI16, WEFT_UI32, WEFT_UI64 };
    size_t i = 0;
    while (i + 1 < WEFT_COUNT(types) && weft_dtype_of(types[i])->bits < bits) i++;
    return types[i];
}

static cg_node *bitcast(cg_graph *g, cg_node *x, weft_dtype t) {
    if (!x || x->dtype == t) return x;
    return cg_scalar(g, CG_OP_bitcast_convert, t, x->dtype, &x);
}

static cg_node *whole(cg_graph *g, cg_node *x, const weft_type *t) {
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; x && i < x->rank; i++) dims[i] = i;
    return x ? cg_broadcast(g, x, t->rank, t->dims, (weft_ints){ dims, x->rank }) : NULL;
}

/* Result [.., j]: the bits from j * width on. */
static cg_node *apart(cg_graph *g, cg_node *x, const weft_type *t) {
    cg_node *j = cg_iota(g, WEFT_I32, t->rank, t->dims, t->rank - 1);
    if (x->dtype == WEFT_C128) {
        cg_node *first = cg_splat_value(g, WEFT_I32, t->rank, t->dims, 0), *pair[2] = { j, first }, *in[3];
        in[0] = cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_EQ, pair);
        in[1] = whole(g, cg_scalar(g, CG_OP_real, WEFT_F64, 0, &x), t);
        in[2] = whole(g, cg_scalar(g, CG_OP_imag, WEFT_F64, 0, &x), t);
        return bitcast(g, cg_scalar(g, CG_OP_select, WEFT_F64, 0, in), t->dtype);
    }
    const weft_dtype code = code_type(weft_dtype_of((weft_dtype)x->dtype)->bits);
    cg_node *width = cg_splat_value(g, WEFT_I32, t->rank, t->dims, weft_dtype_of(t->dtype)->bits);
    cg_node *by = cg_convert(g, cg_binary(g, CG_OP_multiply, j, width), code);
    return bitcast(g, cg_binary(g, CG_OP_shift_right_logical, whole(g, bitcast(g, x, code), t), by), t->dtype);
}

/* Element j of the last dimension. */
static cg_node *piece(cg_graph *g, cg_node *x, int64_t j) {
    cg_view_dim view[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) view[i] = cg_along((int32_t)i, 0, 1);
    view[x->rank - 1] = cg_along(-1, j, 0);
    return cg_view(g, x, x->rank - 1, x->dims, view);
}

static cg_node *together(cg_graph *g, cg_node *x, const weft_type *t) {
    if (t->dtype == WEFT_C128) {
        cg_node *parts[2] = { bitcast(g, piece(g, x, 0), WEFT_F64), bitcast(g, piece(g, x, 1), WEFT_F64) };
        return cg_scalar(g, CG_OP_complex, WEFT_C128, 0, parts);
    }
    const unsigned width = weft_dtype_of((weft_dtype)x->dtype)->bits;
    const weft_dtype code = code_type(weft_dtype_of(t->dtype)->bits);
    cg_node *sum = NULL;
    for (int64_t j = 0; j < x->dims[x->rank - 1]; j++) {
        cg_node *bits = bitcast(g, piece(g, x, j), code),
                *by = cg_splat_value(g, code, t->rank, t->dims, (double)(j * width));
        if (j) bits = cg_binary(g, CG_OP_or, sum, cg_binary(g, CG_OP_shift_left, bits, by));
        sum = bits;
    }
    return bitcast(g, sum, t->dtype);
}

weft_status weft_gen_bitcast(cg_import *im, const weft_op *op) {
    cg_node *x = cg_of(im, op, 0);
    const weft_type *t = op->results[0].type;
    if (x->rank == t->rank) return cg_set(im, op, 0, bitcast(im->g, x, t->dtype));
    return cg_set(im, op, 0, x->rank < t->rank ? apart(im->g, x, t) : together(im->g, x, t));
}
