/* expr.c: see expr.h. */
#include <math.h>
#include <string.h>
#include "ir/expr.h"

static const weft_type *with_dtype(lg *g, lg_value like, weft_dtype t) {
    return like ? weft_type_with_dtype(g->m->cx, like->type, t) : NULL;
}

lg_value lg_const(lg *g, lg_value like, double v) { return weft_build_splat(g, like ? like->type : NULL, v); }

lg_value lg_bits(lg *g, lg_value like, uint64_t bits) {
    if (!like || g->status != WEFT_OK) return weft_build_constant(g, NULL);
    /* little-endian: the low bytes come first */
    return weft_build_constant(g, weft_attr_dense(g->m->cx, like->type, &bits, true));
}

lg_value lg_unary(lg *g, weft_op_kind kind, lg_value x) { return weft_build_unary(g, kind, x); }
lg_value lg_binary(lg *g, weft_op_kind kind, lg_value x, lg_value y) { return weft_build_binary(g, kind, x, y); }

lg_value lg_compare(lg *g, weft_enum_value direction, lg_value x, lg_value y) {
    lg_value both[] = { x, y };
    weft_attr_pair attr = { WEFT_A_comparison_direction, weft_attr_enum(g->m->cx, direction) };
    return weft_build_1(g, WEFT_OP_compare, with_dtype(g, x, WEFT_I1), both, 2, &attr, 1);
}

lg_value lg_select(lg *g, lg_value pred, lg_value yes, lg_value no) {
    lg_value all[] = { pred, yes, no };
    return weft_build_1(g, WEFT_OP_select, yes ? yes->type : NULL, all, 3, NULL, 0);
}

lg_value lg_convert(lg *g, lg_value x, weft_dtype to) {
    if (x && x->type->dtype == to) return x;
    return weft_build_1(g, WEFT_OP_convert, with_dtype(g, x, to), &x, 1, NULL, 0);
}

lg_value lg_bitcast(lg *g, lg_value x, weft_dtype to) {
    return weft_build_1(g, WEFT_OP_bitcast_convert, with_dtype(g, x, to), &x, 1, NULL, 0);
}

lg_value lg_part(lg *g, weft_op_kind real_or_imag, lg_value z) {
    if (z && !weft_dtype_is_complex(z->type->dtype)) return real_or_imag == WEFT_OP_real ? z : lg_const(g, z, 0);
    return weft_build_1(g, real_or_imag, with_dtype(g, z, z && z->type->dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64), &z, 1,
                        NULL, 0);
}

lg_value lg_complex(lg *g, lg_value re, lg_value im) {
    lg_value both[] = { re, im };
    return weft_build_1(g, WEFT_OP_complex, with_dtype(g, re, re && re->type->dtype == WEFT_F32 ? WEFT_C64 : WEFT_C128),
                        both, 2, NULL, 0);
}

lg_value lg_add_c(lg *g, lg_value x, double c) { return lg_add(g, x, lg_const(g, x, c)); }
lg_value lg_mul_c(lg *g, lg_value x, double c) { return lg_mul(g, x, lg_const(g, x, c)); }
lg_value lg_mul_add(lg *g, lg_value x, lg_value y, lg_value z) { return lg_add(g, lg_mul(g, x, y), z); }

lg_value lg_polynomial(lg *g, lg_value x, const double *c, uint32_t n) {
    lg_value p = lg_const(g, x, c[n - 1]);
    for (uint32_t i = n - 1; i-- > 0;) p = lg_mul_add(g, p, x, lg_const(g, x, c[i]));
    return p;
}

/* Through the bits, so that the sign of a zero counts. */
lg_value lg_with_sign(lg *g, lg_value size, lg_value sign) {
    if (!size || !sign) return NULL;
    const weft_dtype t = size->type->dtype == WEFT_F64 ? WEFT_UI64 : WEFT_UI32;
    lg_value s = lg_bitcast(g, sign, t), top = lg_bits(g, s, t == WEFT_UI64 ? (uint64_t)1 << 63 : (uint64_t)1 << 31);
    lg_value bits = lg_or(g, lg_and(g, s, top), lg_bitcast(g, lg_abs(g, size), t));
    return lg_bitcast(g, bits, size->type->dtype);
}
