/* emit_fx.h: writing down a function of floats as LLVM IR (inside codegen/ only).
 *
 * An fx says in which type (f32 or f64) and in how many lanes a function is computed; its values are LLVM scalars or
 * vectors of that form. Nothing may be reordered or contracted: what is fused is written fx_fma. Functions whose every
 * value fits f64 with bits to spare compute f32 there: fx_wide and fx_narrow.
 */
#ifndef WEFT_CODEGEN_EMIT_FX_H
#define WEFT_CODEGEN_EMIT_FX_H

#include "codegen/emit.h"

typedef LLVMValueRef fx_value;
typedef struct fx {
    cg_emit *e;
    LLVMBuilderRef b;
    weft_dtype t;       /* WEFT_F32 or WEFT_F64 */
    unsigned lanes;
} fx;

static inline fx fx_of(cg_emit *e, const cg_form *f) {
    return (fx){ e, e->b, f->in == WEFT_F64 ? WEFT_F64 : WEFT_F32, f->lanes };
}
static inline fx fx_with(const fx *x, weft_dtype t) { return (fx){ x->e, x->b, t, x->lanes }; }
static inline unsigned fx_bits(const fx *x) { return x->t == WEFT_F64 ? 64 : 32; }
static inline bool fx_is_wide(const fx *x) { return x->t == WEFT_F64; }
static inline LLVMTypeRef fx_type(const fx *x) { return cg_type(x->e, x->t, x->lanes); }
static inline LLVMTypeRef fx_int_type(const fx *x) { return cg_int(x->e, fx_bits(x), x->lanes); }

static inline fx_value fx_num(const fx *x, double v) { return cg_float(x->e, x->t, x->lanes, v); }
static inline fx_value fx_whole(const fx *x, int64_t v) { return cg_integer(x->e, fx_bits(x), x->lanes, v); }
static inline fx_value fx_add(const fx *x, fx_value a, fx_value c) { return LLVMBuildFAdd(x->b, a, c, ""); }
static inline fx_value fx_sub(const fx *x, fx_value a, fx_value c) { return LLVMBuildFSub(x->b, a, c, ""); }
static inline fx_value fx_mul(const fx *x, fx_value a, fx_value c) { return LLVMBuildFMul(x->b, a, c, ""); }
static inline fx_value fx_div(const fx *x, fx_value a, fx_value c) { return LLVMBuildFDiv(x->b, a, c, ""); }
static inline fx_value fx_neg(const fx *x, fx_value a) { return LLVMBuildFNeg(x->b, a, ""); }
static inline fx_value fx_call1(const fx *x, const char *intrinsic, fx_value a) {
    return cg_intrinsic1(x->e, intrinsic, LLVMTypeOf(a), &a, 1);
}
static inline fx_value fx_abs(const fx *x, fx_value a) { return fx_call1(x, "llvm.fabs", a); }
static inline fx_value fx_sqrt(const fx *x, fx_value a) { return fx_call1(x, "llvm.sqrt", a); }
static inline fx_value fx_trunc(const fx *x, fx_value a) { return fx_call1(x, "llvm.trunc", a); }
static inline fx_value fx_select(const fx *x, fx_value pred, fx_value a, fx_value c) {
    return LLVMBuildSelect(x->b, pred, a, c, "");
}
static inline fx_value fx_is(const fx *x, LLVMRealPredicate p, fx_value a, fx_value c) {
    return LLVMBuildFCmp(x->b, p, a, c, "");
}
static inline fx_value fx_to_bits(const fx *x, fx_value a) { return LLVMBuildBitCast(x->b, a, fx_int_type(x), ""); }
static inline fx_value fx_from_bits(const fx *x, fx_value i) { return LLVMBuildBitCast(x->b, i, fx_type(x), ""); }

static inline fx_value fx_fma(const fx *x, fx_value a, fx_value c, fx_value d) {
    LLVMValueRef args[3] = { a, c, d };
    return cg_intrinsic1(x->e, "llvm.fma", LLVMTypeOf(a), args, 3);
}
static inline fx_value fx_copysign(const fx *x, fx_value size, fx_value sign) {
    LLVMValueRef args[2] = { size, sign };
    return cg_intrinsic1(x->e, "llvm.copysign", LLVMTypeOf(size), args, 2);
}

/* c[0] + c[1] z + ... + c[n-1] z^(n-1) */
static inline fx_value fx_polynomial(const fx *x, fx_value z, const double *c, int n) {
    fx_value p = fx_num(x, c[n - 1]);
    for (int i = n - 2; i >= 0; i--) p = fx_fma(x, p, z, fx_num(x, c[i]));
    return p;
}
#define FX_POLY(x, z, c) fx_polynomial(x, z, c, (int)(sizeof(c) / sizeof *(c)))

static inline fx_value fx_wide(const fx *x, fx_value a) {
    return LLVMBuildFPExt(x->b, a, cg_type(x->e, WEFT_F64, x->lanes), "");
}
static inline fx_value fx_narrow(const fx *x, fx_value a) {
    return LLVMBuildFPTrunc(x->b, a, cg_type(x->e, WEFT_F32, x->lanes), "");
}

/* The nearest whole number to a, |a| < 2^22 (f32) or 2^51 (f64), never -0; *i, when asked for, gets it in its low bits:
 * by adding 1.5 * 2^23 or 1.5 * 2^52 and taking it away. */
fx_value fx_round(const fx *x, fx_value a, fx_value *i);
/* 2^n for whole n in the range of normal exponents; n an integer of the type's width. */
fx_value fx_exp2_int(const fx *x, fx_value n);
/* usual, but where rare holds the C function of that name on a[0..n). Jumps over the calls when no lane is rare. */
fx_value fx_rarely(const fx *x, fx_value rare, fx_value usual, const char *name, const fx_value *a, unsigned n);

/* emit_math.c */
fx_value fx_exp_of_sum(const fx *x, fx_value a, fx_value low); /* e^(a + low), low far smaller; low may be NULL */
fx_value fx_split(const fx *x, fx_value a, fx_value *n);       /* positive a as 2^*n m, m in [sqrt(1/2), sqrt(2)) */
fx_value fx_exp(const fx *x, fx_value a);
fx_value fx_expm1(const fx *x, fx_value a);
fx_value fx_log(const fx *x, fx_value a);

/* emit_power.c */
LLVMValueRef cg_emit_float_remainder(cg_emit *e, const cg_form *f, const LLVMValueRef *a);

#endif
