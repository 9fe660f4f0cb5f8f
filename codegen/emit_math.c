/* emit_math.c: exponentials, logarithms and roots as straight-line code, in vectors of f32 or f64.
 *
 * Method: J.-M. Muller, Elementary Functions, 3rd edition: additive range reduction with the constant in two parts
 * (11.2), a polynomial of least error on what is left (4), reconstruction by exponent arithmetic. Coefficients:
 * codegen/coefficients.py. Denormal numbers count: nothing is flushed. Errors, in units in the last place, are measured
 * by tests/codegen/test_math_ulp.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "codegen/emit_fx.h"

fx_value fx_round(const fx *x, fx_value a, fx_value *i) {
    fx_value magic = fx_num(x, fx_is_wide(x) ? 0x1.8p52 : 0x1.8p23), t = fx_add(x, a, magic);
    if (i) *i = LLVMBuildSub(x->b, fx_to_bits(x, t), fx_to_bits(x, magic), "");
    return fx_sub(x, t, magic);
}

fx_value fx_exp2_int(const fx *x, fx_value n) {
    const int mantissa = fx_is_wide(x) ? 52 : 23;
    fx_value biased = LLVMBuildAdd(x->b, n, fx_whole(x, fx_is_wide(x) ? 1023 : 127), "");
    return fx_from_bits(x, LLVMBuildShl(x->b, biased, fx_whole(x, mantissa), ""));
}

/* The C function lane by lane, once in a module however often it is called: code for rare cases should not be long. */
static LLVMValueRef lane_by_lane(const fx *x, const char *name, unsigned n) {
    /* how vectors are passed: as in the kernels */
    static const char *const keys[] = { "prefer-vector-width", "min-legal-vector-width" };
    char symbol[48];
    snprintf(symbol, sizeof symbol, "rare.%s.%u.%u", name, fx_bits(x), x->lanes);
    LLVMValueRef fn = LLVMGetNamedFunction(x->e->module, symbol), args[2];
    if (fn) return fn;
    LLVMTypeRef t = fx_type(x), types[2] = { t, t };
    LLVMBasicBlockRef here = LLVMGetInsertBlock(x->b);
    LLVMValueRef caller = LLVMGetBasicBlockParent(here);
    fn = LLVMAddFunction(x->e->module, symbol, LLVMFunctionType(t, types, n, 0));
    LLVMSetLinkage(fn, LLVMInternalLinkage);
    for (size_t i = 0; i < WEFT_COUNT(keys); i++) {
        LLVMAttributeRef a =
            LLVMGetStringAttributeAtIndex(caller, LLVMAttributeFunctionIndex, keys[i], (unsigned)strlen(keys[i]));
        if (a) LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, a);
    }
    LLVMPositionBuilderAtEnd(x->b, LLVMAppendBasicBlockInContext(x->e->cx, fn, ""));
    for (unsigned i = 0; i < n; i++) args[i] = LLVMGetParam(fn, i);
    cg_form f = { x->t, x->t, 0, x->lanes };
    LLVMBuildRet(x->b, cg_libm(x->e, name, &f, args, n));
    LLVMPositionBuilderAtEnd(x->b, here);
    return fn;
}

/* The jump is told to be unlikely, so that registers are saved around the call only. */
fx_value fx_rarely(const fx *x, fx_value rare, fx_value usual, const char *name, const fx_value *a, unsigned n) {
    LLVMContextRef cx = x->e->cx;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(x->b), slow, join;
    LLVMValueRef fn = LLVMGetBasicBlockParent(here);
    LLVMValueRef any = x->lanes ? cg_intrinsic1(x->e, "llvm.vector.reduce.or", LLVMTypeOf(rare), &rare, 1) : rare;
    slow = LLVMAppendBasicBlockInContext(cx, fn, "");
    join = LLVMAppendBasicBlockInContext(cx, fn, "");
    LLVMValueRef jump = LLVMBuildCondBr(x->b, any, slow, join);
    LLVMMetadataRef weights[3] = { LLVMMDStringInContext2(cx, "branch_weights", 14),
                                   LLVMValueAsMetadata(cg_integer(x->e, 32, 0, 1)),
                                   LLVMValueAsMetadata(cg_integer(x->e, 32, 0, 2000)) };
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(cx, "prof", 4),
                    LLVMMetadataAsValue(cx, LLVMMDNodeInContext2(cx, weights, 3)));
    LLVMPositionBuilderAtEnd(x->b, slow);
    LLVMValueRef callee = lane_by_lane(x, name, n), args[2] = { a[0], n > 1 ? a[1] : NULL };
    fx_value called = LLVMBuildCall2(x->b, LLVMGlobalGetValueType(callee), callee, args, n, "");
    called = LLVMBuildSelect(x->b, rare, called, usual, "");
    LLVMBuildBr(x->b, join);
    LLVMPositionBuilderAtEnd(x->b, join);
    fx_value all = LLVMBuildPhi(x->b, fx_type(x), "");
    LLVMAddIncoming(all, (LLVMValueRef[]){ usual, called }, (LLVMBasicBlockRef[]){ here, slow }, 2);
    return all;
}

/* ---- exponentials ---- */

/* (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2. */
static const double exp_f32[] = { 0.500000004439988012,   0.166666663688763293,   0.0416663598192720566,
                                  0.00833338956913327215, 0.00139407200705886271, 0.000198458865095718212 };
static const double exp_f64[] = { 0.500000000000000001,     0.166666666666666766,   0.0416666666666665073,
                                  0.00833333333332160749,   0.00138888888889629054, 0.000198412698862077703,
                                  0.0000248015871718337629, 2.75572441043385781e-6, 2.75574029476515695e-7,
                                  2.51090813557397065e-8,   2.08753264906863922e-9 };

/* a = n ln 2 + r. *i gets n as an integer. */
static fx_value reduce_exp(const fx *x, fx_value a, fx_value *i) {
    fx_value n = fx_round(x, fx_mul(x, a, fx_num(x, 1.44269504088896341)), i);
    fx_value r = fx_fma(x, n, fx_num(x, fx_is_wide(x) ? -0x1.62e42fefa39efp-1 : -0x1.62e43p-1), a);
    return fx_fma(x, n, fx_num(x, fx_is_wide(x) ? -0x1.abc9e3b39803fp-56 : 0x1.05c61p-29), r);
}

/* e^r - 1 */
static fx_value expm1_of_rest(const fx *x, fx_value r) {
    fx_value q = fx_is_wide(x) ? FX_POLY(x, r, exp_f64) : FX_POLY(x, r, exp_f32);
    return fx_fma(x, fx_mul(x, r, r), q, r);
}

/* Outside of [low, high] the result is 0 or infinite whatever the argument. */
static fx_value clamp(const fx *x, fx_value a, double low, double high) {
    a = fx_select(x, fx_is(x, LLVMRealOLT, a, fx_num(x, low)), fx_num(x, low), a);
    return fx_select(x, fx_is(x, LLVMRealOGT, a, fx_num(x, high)), fx_num(x, high), a);
}

/* Half of the exponent at a time, so that the last product alone rounds to a denormal or overflows. */
static fx_value scale_by_halves(const fx *x, fx_value p, fx_value i) {
    fx_value half = LLVMBuildAShr(x->b, i, fx_whole(x, 1), ""), rest = LLVMBuildSub(x->b, i, half, "");
    return fx_mul(x, fx_mul(x, p, fx_exp2_int(x, half)), fx_exp2_int(x, rest));
}

fx_value fx_exp_of_sum(const fx *x, fx_value a, fx_value low) {
    fx_value i;
    a = clamp(x, a, fx_is_wide(x) ? -746 : -104, fx_is_wide(x) ? 710 : 89);
    fx_value r = reduce_exp(x, a, &i);
    if (low) r = fx_add(x, r, low);
    return scale_by_halves(x, fx_add(x, fx_num(x, 1), expm1_of_rest(x, r)), i);
}

fx_value fx_exp(const fx *x, fx_value a) { return fx_exp_of_sum(x, a, NULL); }

/* 2^n (e^r - 1) + (2^n - 1), with 2^(n-1) twice where 2^n may overflow. */
fx_value fx_expm1(const fx *x, fx_value a) {
    fx_value i, two = fx_num(x, 2), z = clamp(x, a, fx_is_wide(x) ? -40 : -20, fx_is_wide(x) ? 710 : 89);
    fx_value r = reduce_exp(x, z, &i);
    fx_value p = expm1_of_rest(x, r), half = fx_exp2_int(x, LLVMBuildSub(x->b, i, fx_whole(x, 1), ""));
    fx_value y = fx_mul(x, two, fx_fma(x, half, p, fx_sub(x, half, fx_num(x, 0.5))));
    return fx_select(x, fx_is(x, LLVMRealOEQ, p, z), a, y); /* r is the argument: -0 and denormals as they are */
}

LLVMValueRef cg_emit_exponential(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    return fx_exp(&x, a[0]);
}

LLVMValueRef cg_emit_exponential_minus_one(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    return fx_expm1(&x, a[0]);
}

/* 1 / (1 + e^-|x|), times e^-|x| for negative x: neither overflows, and small results keep their digits. What the sum
 * loses is put back: 1 / (d + lost) is near (1 - lost) / d. */
LLVMValueRef cg_emit_logistic(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    fx_value one = fx_num(&x, 1), t = fx_exp(&x, fx_neg(&x, fx_abs(&x, a[0])));
    fx_value top = fx_select(&x, fx_is(&x, LLVMRealOLT, a[0], fx_num(&x, 0)), t, one);
    fx_value d = fx_add(&x, one, t), lost = fx_sub(&x, t, fx_sub(&x, d, one)), y = fx_div(&x, top, d);
    return fx_fma(&x, fx_neg(&x, lost), y, y);
}

/* 1 - 2 / (e^2x + 1); below 0.625 an odd polynomial (f32), or (e^2x - 1) / (e^2x + 1) (f64). From 10 or 20 on the
 * result is 1. */
LLVMValueRef cg_emit_tanh(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    static const double c[] = { -0.333333331833583961, 0.133333049828762941,    -0.0539595502946297448,
                                0.021770995874357025,  -0.00835000847600597226, 0.00229894191070115209 };
    fx x = fx_of(e, f);
    fx_value size = fx_abs(&x, a[0]), two = fx_num(&x, 2), one = fx_num(&x, 1),
             end = fx_num(&x, fx_is_wide(&x) ? 20 : 10), i, small, large;
    fx_value is_small = fx_is(&x, LLVMRealOLT, size, fx_num(&x, 0.625)),
             near = fx_select(&x, fx_is(&x, LLVMRealOGT, size, end), end, size);
    fx_value r = reduce_exp(&x, fx_add(&x, near, near), &i), p = expm1_of_rest(&x, r), scale = fx_exp2_int(&x, i);
    fx_value less = fx_fma(&x, scale, p, fx_sub(&x, scale, one)), q; /* e^2x - 1 */
    if (fx_is_wide(&x)) {
        q = small = fx_div(&x, fx_select(&x, is_small, less, two), fx_add(&x, less, two));
    } else {
        fx_value z = fx_mul(&x, size, size);
        small = fx_fma(&x, fx_mul(&x, FX_POLY(&x, z, c), z), size, size);
        q = fx_div(&x, two, fx_add(&x, less, two));
    }
    large = fx_sub(&x, one, q);
    return fx_copysign(&x, fx_select(&x, is_small, small, large), a[0]);
}

/* ---- logarithms ---- */

/* (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f in [sqrt(1/2), sqrt(2)]. */
static const double log_f32[] = { 0.333333126041480607,  -0.250000095988678664, 0.200021186514585465,
                                  -0.166679958801557998, 0.142195525196424134,  -0.124055884943928315,
                                  0.118881607403930871,  -0.116756541377847383, 0.0674664687477174027 };
/* (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, s = f / (2 + f). */
static const double log_f64[] = { 0.666666666666666975, 0.399999999998978853, 0.285714286266521493,
                                  0.222222110316714407, 0.181828962111732125, 0.153314976958765022,
                                  0.146190974110903107 };

/* n of x = 2^n m, m in [sqrt(1/2), sqrt(2)), from the bits of a normal x; an integer of the type's width. */
static fx_value exponent_of(const fx *x, fx_value bits) {
    fx_value base = LLVMBuildSub(x->b, bits, fx_whole(x, fx_is_wide(x) ? 0x3fe6a09e667f3bcd : 0x3f3504f3), "");
    return LLVMBuildAShr(x->b, base, fx_whole(x, fx_is_wide(x) ? 52 : 23), "");
}

/* n ln 2 + log(1 + f), n whole. */
static fx_value log_of_parts(const fx *x, fx_value n, fx_value f) {
    if (fx_is_wide(x)) {
        /* log(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R)), as in W. Cody and W. Waite's derivation for doubles. */
        fx_value s = fx_div(x, f, fx_add(x, fx_num(x, 2), f)), z = fx_mul(x, s, s),
                 half = fx_mul(x, fx_mul(x, f, f), fx_num(x, 0.5));
        fx_value rest = fx_mul(x, s, fx_fma(x, z, FX_POLY(x, z, log_f64), half));
        fx_value low = fx_fma(x, n, fx_num(x, 0x1.abc9e3b39803fp-56), fx_sub(x, rest, half));
        return fx_fma(x, n, fx_num(x, 0x1.62e42fefa39efp-1), fx_add(x, f, low));
    }
    fx_value z = fx_mul(x, f, f), y = fx_mul(x, fx_mul(x, FX_POLY(x, f, log_f32), f), z);
    y = fx_fma(x, n, fx_num(x, -0x1.05c61p-29), y);
    y = fx_fma(x, z, fx_num(x, -0.5), y);
    return fx_fma(x, n, fx_num(x, 0x1.62e43p-1), fx_add(x, f, y));
}

/* y for arguments whose logarithm is a number: infinite and NaN at infinity and NaN, -infinity at `pole`, NaN below it.
 */
static fx_value log_ends(const fx *x, fx_value a, fx_value y, double pole) {
    fx_value inf = fx_num(x, INFINITY), low = fx_num(x, pole);
    y = fx_select(x, fx_is(x, LLVMRealOLT, a, inf), y, a);
    y = fx_select(x, fx_is(x, LLVMRealOEQ, a, low), fx_neg(x, inf), y);
    return fx_select(x, fx_is(x, LLVMRealOLT, a, low), fx_num(x, NAN), y);
}

/* a as 2^*n m with m near 1, n as a float; denormal numbers are made normal first. */
fx_value fx_split(const fx *x, fx_value a, fx_value *n) {
    const int mantissa = fx_is_wide(x) ? 52 : 23;
    fx_value tiny = fx_is(x, LLVMRealOLT, a, fx_num(x, fx_is_wide(x) ? 0x1p-1022 : 0x1p-126));
    fx_value scaled = fx_select(x, tiny, fx_mul(x, a, fx_num(x, ldexp(1, mantissa))), a), bits = fx_to_bits(x, scaled),
             i = exponent_of(x, bits);
    fx_value m = fx_from_bits(x, LLVMBuildSub(x->b, bits, LLVMBuildShl(x->b, i, fx_whole(x, mantissa), ""), ""));
    *n = fx_sub(x, LLVMBuildSIToFP(x->b, i, fx_type(x), ""), fx_select(x, tiny, fx_num(x, mantissa), fx_num(x, 0)));
    return m;
}

fx_value fx_log(const fx *x, fx_value a) {
    fx_value n, m = fx_split(x, a, &n);
    return log_ends(x, a, log_of_parts(x, n, fx_sub(x, m, fx_num(x, 1))), 0);
}

LLVMValueRef cg_emit_log(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    return fx_log(&x, a[0]);
}

/* 1 + a = 2^n m, n from the rounded sum; f = m - 1 = 2^-n a + (2^-n - 1) then rounds once, and is a where n is 0.
 * Beyond 2^30 or 2^60 the 1 is lost in the sum, and does not matter. */
LLVMValueRef cg_emit_log_plus_one(cg_emit *e, const cg_form *form, const LLVMValueRef *a) {
    fx x = fx_of(e, form);
    fx_value one = fx_num(&x, 1), bits = fx_to_bits(&x, fx_add(&x, a[0], one)), i = exponent_of(&x, bits);
    fx_value shifted = LLVMBuildShl(x.b, i, fx_whole(&x, fx_is_wide(&x) ? 52 : 23), "");
    fx_value down = fx_from_bits(&x, LLVMBuildSub(x.b, fx_to_bits(&x, one), shifted, ""));
    fx_value near = fx_fma(&x, down, a[0], fx_sub(&x, down, one)),
             far = fx_sub(&x, fx_from_bits(&x, LLVMBuildSub(x.b, bits, shifted, "")), one);
    fx_value f = fx_select(&x, fx_is(&x, LLVMRealOGT, a[0], fx_num(&x, fx_is_wide(&x) ? 0x1p60 : 0x1p30)), far, near);
    fx_value y = log_ends(&x, a[0], log_of_parts(&x, LLVMBuildSIToFP(x.b, i, fx_type(&x), ""), f), -1);
    return fx_select(&x, fx_is(&x, LLVMRealOEQ, a[0], fx_num(&x, 0)), a[0], y);
}

/* ---- roots ---- */

LLVMValueRef cg_emit_sqrt(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    return fx_sqrt(&x, a[0]);
}

LLVMValueRef cg_emit_rsqrt(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    fx x = fx_of(e, f);
    return fx_div(&x, fx_num(&x, 1), fx_sqrt(&x, a[0]));
}

/* y ~ x^(-1/3) from a third of the bits (W. Kahan, 1991), refined by y (1 + h/3 + 2h^2/9), h = 1 - x y^3; then c = x
 * y^2 and one step of Newton's method. */
LLVMValueRef cg_emit_cbrt(cg_emit *e, const cg_form *form, const LLVMValueRef *a) {
    fx x = fx_of(e, form);
    fx_value size = fx_abs(&x, a[0]), one = fx_num(&x, 1), third = fx_num(&x, 1.0 / 3);
    fx_value tiny = fx_is(&x, LLVMRealOLT, size, fx_num(&x, fx_is_wide(&x) ? 0x1p-1022 : 0x1p-126));
    fx_value s = fx_select(&x, tiny, fx_mul(&x, size, fx_num(&x, fx_is_wide(&x) ? 0x1p54 : 0x1p24)), size);
    fx_value bits = LLVMBuildUDiv(x.b, fx_to_bits(&x, s), fx_whole(&x, 3), "");
    fx_value y =
        fx_from_bits(&x, LLVMBuildSub(x.b, fx_whole(&x, fx_is_wide(&x) ? 0x553ee8ff289dd796 : 0x54a1f400), bits, ""));
    for (int i = 0; i < (fx_is_wide(&x) ? 3 : 2); i++) {
        fx_value h = fx_fma(&x, fx_neg(&x, fx_mul(&x, s, y)), fx_mul(&x, y, y), one);
        y = fx_fma(&x, y, fx_mul(&x, h, fx_fma(&x, h, fx_num(&x, 2.0 / 9), third)), y);
    }
    fx_value square = fx_mul(&x, y, y), c = fx_mul(&x, s, square);
    fx_value rest = fx_fma(&x, fx_neg(&x, fx_mul(&x, c, c)), c, s);
    c = fx_fma(&x, rest, fx_mul(&x, square, third), c);
    c = fx_select(&x, tiny, fx_mul(&x, c, fx_num(&x, fx_is_wide(&x) ? 0x1p-18 : 0x1p-8)), c);
    fx_value plain = LLVMBuildAnd(x.b, fx_is(&x, LLVMRealOLT, size, fx_num(&x, INFINITY)),
                                  fx_is(&x, LLVMRealOGT, size, fx_num(&x, 0)), "");
    return fx_select(&x, plain, fx_copysign(&x, c, a[0]), a[0]); /* zeros, infinities, NaN */
}
