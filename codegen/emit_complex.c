/* emit_complex.c: instructions on complex values. Sums, comparisons, selections work on the parts in their own type;
 * products too, without fused multiply-adds, so that z * conj(z) has no imaginary part. Quotients and the elementary
 * functions are computed in f64, those of complex<f32> rounded at the end (emit_complex_math.c).
 */
#include "codegen/emit.h"

static bool is_complex(weft_dtype t) { return weft_dtype_is_complex(t); }

static LLVMValueRef real_part(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return cg_parts(e, f->lanes, a[0]).re;
}
static LLVMValueRef imag_part(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return cg_parts(e, f->lanes, a[0]).im;
}
LLVMValueRef cg_emit_complex(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return cg_join(e, f->lanes, (cg_pair){ a[0], a[1] });
}

static LLVMValueRef add(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return LLVMBuildFAdd(e->b, a[0], a[1], "");
}
static LLVMValueRef subtract(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return LLVMBuildFSub(e->b, a[0], a[1], "");
}
static LLVMValueRef negate(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return LLVMBuildFNeg(e->b, a[0], "");
}

static LLVMValueRef multiply(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMBuilderRef b = e->b;
    const cg_pair x = cg_parts(e, f->lanes, a[0]), y = cg_parts(e, f->lanes, a[1]);
    cg_pair r;
    r.re = LLVMBuildFSub(b, LLVMBuildFMul(b, x.re, y.re, ""), LLVMBuildFMul(b, x.im, y.im, ""), "");
    r.im = LLVMBuildFAdd(b, LLVMBuildFMul(b, x.re, y.im, ""), LLVMBuildFMul(b, x.im, y.re, ""), "");
    return cg_join(e, f->lanes, r);
}

static LLVMValueRef compare(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMBuilderRef b = e->b;
    const cg_pair x = cg_parts(e, f->lanes, a[0]), y = cg_parts(e, f->lanes, a[1]);
    const bool equal = (f->aux & 0xffffffff) == WEFT_comparison_direction_EQ;
    const LLVMRealPredicate p = equal ? LLVMRealOEQ : LLVMRealUNE;
    LLVMValueRef re = LLVMBuildFCmp(b, p, x.re, y.re, ""), im = LLVMBuildFCmp(b, p, x.im, y.im, "");
    return equal ? LLVMBuildAnd(b, re, im, "") : LLVMBuildOr(b, re, im, "");
}

static LLVMValueRef choose(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return LLVMBuildSelect(e->b, cg_mask(e, f->in, a[0]), a[1], a[2], "");
}

/* By the real parts, those being equal by the imaginary ones; a NaN wins. */
static LLVMValueRef extreme(cg_emit *e, const cg_form *f, const LLVMValueRef *a, LLVMRealPredicate beats) {
    LLVMBuilderRef b = e->b;
    const cg_pair x = cg_parts(e, f->lanes, a[0]), y = cg_parts(e, f->lanes, a[1]);
    LLVMValueRef tie =
        LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOEQ, x.re, y.re, ""), LLVMBuildFCmp(b, beats, x.im, y.im, ""), "");
    LLVMValueRef first = LLVMBuildOr(b, LLVMBuildFCmp(b, beats, x.re, y.re, ""), tie, "");
    first = LLVMBuildOr(b, first, LLVMBuildFCmp(b, LLVMRealUNO, x.re, x.im, ""), "");
    const LLVMValueRef args[3] = { first, a[0], a[1] };
    return choose(e, f, args);
}

static LLVMValueRef maximum(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return extreme(e, f, a, LLVMRealOGT);
}
static LLVMValueRef minimum(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return extreme(e, f, a, LLVMRealOLT);
}

static LLVMValueRef clamp(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    const LLVMValueRef low[2] = { a[1], a[0] }, high[2] = { maximum(e, f, low), a[2] };
    return minimum(e, f, high);
}

static cg_form part_form(weft_dtype in, weft_dtype out, unsigned lanes) {
    const weft_dtype from = weft_dtype_part(in), to = weft_dtype_part(out);
    return (cg_form){ .in = from, .out = to, .aux = from, .lanes = lanes };
}

/* From a complex number to a real one: its real part. */
static LLVMValueRef convert(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    const weft_dtype in = (weft_dtype)f->aux;
    const cg_form part = part_form(in, f->out, f->lanes);
    if (!is_complex(in)) {
        LLVMValueRef re = cg_emit_op(e, CG_OP_convert, &part, a);
        return cg_join(e, f->lanes, (cg_pair){ re, LLVMConstNull(LLVMTypeOf(re)) });
    }
    cg_pair x = cg_parts(e, f->lanes, a[0]);
    x.re = cg_emit_op(e, CG_OP_convert, &part, &x.re);
    if (!is_complex(f->out)) return x.re;
    x.im = cg_emit_op(e, CG_OP_convert, &part, &x.im);
    return cg_join(e, f->lanes, x);
}

static const cg_emit_fn on_parts[CG_OP_COUNT] = {
    [CG_OP_real] = real_part,    [CG_OP_imag] = imag_part,    [CG_OP_complex] = cg_emit_complex,
    [CG_OP_add] = add,           [CG_OP_subtract] = subtract, [CG_OP_negate] = negate,
    [CG_OP_multiply] = multiply, [CG_OP_compare] = compare,   [CG_OP_select] = choose,
    [CG_OP_maximum] = maximum,   [CG_OP_minimum] = minimum,   [CG_OP_clamp] = clamp,
    [CG_OP_convert] = convert,   [CG_OP_copy] = cg_emit_copy, [CG_OP_bitcast_convert] = cg_emit_bitcast_convert,
};

bool cg_complex_has(cg_op op) { return on_parts[op] || cg_complex_math(op); }

LLVMValueRef cg_emit_complex_op(cg_emit *e, cg_op op, const cg_form *f, const LLVMValueRef *a) {
    if (on_parts[op]) return on_parts[op](e, f, a);
    const cg_form f64 = { WEFT_F64, WEFT_F64, f->in, f->lanes }, widen = part_form(f->in, WEFT_F64, f->lanes),
                  narrow = part_form(WEFT_F64, f->out, f->lanes);
    cg_pair z[2] = { { NULL, NULL }, { NULL, NULL } };
    for (int i = 0; i < cg_op_table[op].arity; i++) {
        z[i] = cg_parts(e, f->lanes, a[i]);
        z[i].re = cg_emit_op(e, CG_OP_convert, &widen, &z[i].re);
        z[i].im = cg_emit_op(e, CG_OP_convert, &widen, &z[i].im);
    }
    cg_pair r = cg_complex_math(op)(e, &f64, z);
    r.re = cg_emit_op(e, CG_OP_convert, &narrow, &r.re);
    if (!is_complex(f->out)) return r.re;
    r.im = cg_emit_op(e, CG_OP_convert, &narrow, &r.im);
    return cg_join(e, f->lanes, r);
}
