/* fft.c: the rule of fft. A transform's matrix is symmetric; those of real numbers are parts of it.
 *
 * RFFT leaves out the elements after the middle of the last dimension: they have a cotangent of zero, and of the
 * transform of the rest the real part counts. IRFFT reads each element but the first, and the middle one of an even
 * length, twice, once conjugated: so its transpose is RFFT, conjugated, with these elements doubled.
 */
#include "differentiate/matrix.h"

static weft_value *build_fft(gd *g, const weft_op *op, weft_enum_value kind, weft_value *x, const weft_type *t) {
    const weft_attr_pair attrs[] = { { WEFT_A_fft_type, weft_attr_enum(g->cx, kind) },
                                     { WEFT_A_fft_length, weft_op_attr(op, WEFT_A_fft_length) } };
    return x ? weft_build_1(gd_b(g), WEFT_OP_fft, t, &x, 1, attrs, 2) : NULL;
}

/* x, along its last dimension filled with zeros to n elements. */
static weft_value *filled(gd *g, weft_value *x, int64_t n) {
    int64_t none[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 };
    if (!x) return NULL;
    high[x->type->rank - 1] = n - x->type->dims[x->type->rank - 1];
    weft_value *zero = weft_build_splat(gd_b(g), gd_scalar(g, x->type), 0);
    return weft_build_pad(gd_b(g), x, zero, none, high, none);
}

/* 1, 2, 2, ...; the last is 1 for an even length: how often IRFFT reads an element, of a line of `like`. */
static weft_value *readings(gd *g, const weft_value *like, int64_t length, double scale) {
    weft_builder *b = gd_b(g);
    const int64_t n = like->type->dims[like->type->rank - 1];
    double *v = weft_arena_array(g->arena, double, (size_t)n + 1);
    if (!v) {
        gd_fail(g, weft_oom());
        return NULL;
    }
    for (int64_t i = 0; i < n; i++) v[i] = scale * (i == 0 || (length % 2 == 0 && i == n - 1) ? 1 : 2);
    const weft_type *row = weft_type_tensor(g->cx, WEFT_F64, 1, &n);
    weft_value *line = row ? weft_build_constant(b, weft_attr_dense(g->cx, row, v, false)) : NULL;
    line = lg_convert(b, line, like->type->dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64);
    line = line ? lg_complex(b, line, lg_const(b, line, 0)) : NULL;
    const int64_t last = like->type->rank - 1;
    return line ? weft_build_broadcast(b, line, like->type, &last) : NULL;
}

void gd_rule_fft(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    weft_value *c = gd_ct(g, op, 0);
    const weft_type *t = op->operands[0]->type;
    const weft_enum_value kind = weft_op_attr(op, WEFT_A_fft_type)->e;
    const weft_ints length = weft_op_ints(op, WEFT_A_fft_length);
    if (!c) return;
    if (kind == WEFT_fft_type_RFFT) {
        c = filled(g, c, t->dims[t->rank - 1]);
        c = c ? build_fft(g, op, WEFT_fft_type_FFT, c, c->type) : NULL;
        c = c ? lg_real(b, c) : NULL;
    } else if (kind == WEFT_fft_type_IRFFT) {
        double scale = 1;
        for (uint32_t i = 0; i < length.n; i++) scale /= (double)length.v[i];
        c = build_fft(g, op, WEFT_fft_type_RFFT, c, t);
        weft_value *often = c ? readings(g, c, length.v[length.n - 1], scale) : NULL;
        c = gd_conjugate(g, lg_mul(b, c, often));
    } else c = gd_like(g, op, c->type, &c, 1);
    gd_give(g, op, 0, c);
}
