/* emit_math.c: elementary functions as straight-line code.
 *
 * f32 exp, log and tanh: range reduction and the polynomials of the Cephes library (S. Moshier, single precision), about 1
 * to 2 units in the last place. f64 and the rarer functions call the C library lane by lane.
 */
#include "codegen/emit.h"

static LLVMValueRef k32(cg_emit *e, const cg_form *f, double v) { return cg_float(e, WEFT_F32, f->lanes, v); }

static LLVMValueRef fma32(cg_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
    LLVMValueRef args[3] = { a, b, c };
    return cg_intrinsic1(e, "llvm.fma", LLVMTypeOf(a), args, 3);
}

/* c[0] x^(n-1) + ... + c[n-1] */
static LLVMValueRef polynomial(cg_emit *e, const cg_form *f, LLVMValueRef x, const double *c, int n) {
    LLVMValueRef p = k32(e, f, c[0]);
    for (int i = 1; i < n; i++) p = fma32(e, p, x, k32(e, f, c[i]));
    return p;
}

static bool wide(const cg_form *f) { return f->in == WEFT_F64; }

/* 2^n for the integers n in -126 .. 127. */
static LLVMValueRef power_of_two(cg_emit *e, const cg_form *f, LLVMValueRef n) {
    LLVMValueRef i = LLVMBuildAdd(e->b, n, cg_integer(e, 32, f->lanes, 127), "");
    return LLVMBuildBitCast(e->b, LLVMBuildShl(e->b, i, cg_integer(e, 32, f->lanes, 23), ""), cg_type(e, WEFT_F32, f->lanes), "");
}

/* exp(x) = 2^n exp(r), n = round(x / ln 2), by adding and taking away 1.5 * 2^23. */
static LLVMValueRef exp32(cg_emit *e, const cg_form *f, LLVMValueRef x) {
    static const double c[] = { 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1 };
    LLVMBuilderRef b = e->b;
    LLVMValueRef low = k32(e, f, -104.0), high = k32(e, f, 89.0), magic = k32(e, f, 12582912.0);
    x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, low, ""), low, x, "");
    x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, high, ""), high, x, "");
    LLVMValueRef t = fma32(e, x, k32(e, f, 1.44269504088896341), magic);
    LLVMValueRef n = LLVMBuildFSub(b, t, magic, "");
    LLVMValueRef r = fma32(e, n, k32(e, f, -0.693359375), x);
    r = fma32(e, n, k32(e, f, 2.12194440e-4), r);
    LLVMValueRef p = polynomial(e, f, r, c, 6);
    p = fma32(e, LLVMBuildFMul(b, r, r, ""), p, LLVMBuildFAdd(b, r, k32(e, f, 1), ""));
    LLVMTypeRef it = cg_int(e, 32, f->lanes);
    LLVMValueRef i = LLVMBuildSub(b, LLVMBuildBitCast(b, t, it, ""), LLVMBuildBitCast(b, magic, it, ""), "");
    LLVMValueRef half = LLVMBuildAShr(b, i, cg_integer(e, 32, f->lanes, 1), ""), rest = LLVMBuildSub(b, i, half, "");
    return LLVMBuildFMul(b, LLVMBuildFMul(b, p, power_of_two(e, f, half), ""), power_of_two(e, f, rest), "");
}

static LLVMValueRef log32(cg_emit *e, const cg_form *f, LLVMValueRef x) {
    static const double c[] = { 7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                                -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1 };
    LLVMBuilderRef b = e->b;
    LLVMTypeRef it = cg_int(e, 32, f->lanes), ft = cg_type(e, WEFT_F32, f->lanes);
    LLVMValueRef tiny = LLVMBuildFCmp(b, LLVMRealOLT, x, k32(e, f, 1.17549435e-38), ""); /* subnormal: scaled by 2^23 */
    LLVMValueRef scaled = LLVMBuildSelect(b, tiny, LLVMBuildFMul(b, x, k32(e, f, 8388608.0), ""), x, "");
    LLVMValueRef i = LLVMBuildBitCast(b, scaled, it, "");
    LLVMValueRef base = LLVMBuildSub(b, i, cg_integer(e, 32, f->lanes, 0x3f3504f3), ""); /* mantissa from sqrt(1/2) */
    LLVMValueRef n = LLVMBuildAShr(b, base, cg_integer(e, 32, f->lanes, 23), "");
    LLVMValueRef m = LLVMBuildBitCast(b, LLVMBuildSub(b, i, LLVMBuildShl(b, n, cg_integer(e, 32, f->lanes, 23), ""), ""), ft, "");
    LLVMValueRef ne = LLVMBuildSIToFP(b, n, ft, "");
    ne = LLVMBuildFSub(b, ne, LLVMBuildSelect(b, tiny, k32(e, f, 23), k32(e, f, 0), ""), "");
    LLVMValueRef r = LLVMBuildFSub(b, m, k32(e, f, 1), ""), z = LLVMBuildFMul(b, r, r, "");
    LLVMValueRef y = LLVMBuildFMul(b, LLVMBuildFMul(b, polynomial(e, f, r, c, 9), r, ""), z, "");
    y = fma32(e, ne, k32(e, f, -2.12194440e-4), y);
    y = fma32(e, z, k32(e, f, -0.5), y);
    y = fma32(e, ne, k32(e, f, 0.693359375), LLVMBuildFAdd(b, r, y, ""));
    LLVMValueRef inf = k32(e, f, (double)(1.0f / 0.0f)), zero = k32(e, f, 0);
    LLVMValueRef finite = LLVMBuildFCmp(b, LLVMRealOLT, x, inf, "");
    y = LLVMBuildSelect(b, finite, y, x, ""); /* inf and NaN */
    y = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, ""), LLVMBuildFNeg(b, inf, ""), y, "");
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, zero, ""), k32(e, f, (double)__builtin_nanf("")), y, "");
}

/* Odd polynomial below 0.625, 1 - 2 / (exp(2x) + 1) above. */
static LLVMValueRef tanh32(cg_emit *e, const cg_form *f, LLVMValueRef x) {
    static const double c[] = { -5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1 };
    LLVMBuilderRef b = e->b;
    LLVMValueRef one = k32(e, f, 1), arg = x, size = cg_intrinsic1(e, "llvm.fabs", LLVMTypeOf(x), &arg, 1);
    LLVMValueRef z = LLVMBuildFMul(b, x, x, "");
    LLVMValueRef small = fma32(e, LLVMBuildFMul(b, polynomial(e, f, z, c, 5), z, ""), x, x);
    LLVMValueRef ex = exp32(e, f, LLVMBuildFAdd(b, size, size, ""));
    LLVMValueRef large = LLVMBuildFSub(b, one, LLVMBuildFDiv(b, k32(e, f, 2), LLVMBuildFAdd(b, ex, one, ""), ""), "");
    LLVMValueRef args[2] = { large, x };
    large = cg_intrinsic1(e, "llvm.copysign", LLVMTypeOf(x), args, 2);
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, size, k32(e, f, 0.625), ""), small, large, "");
}

LLVMValueRef cg_emit_exponential(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return wide(f) ? cg_libm(e, "exp", f, a, 1) : exp32(e, f, a[0]); }
LLVMValueRef cg_emit_log(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return wide(f) ? cg_libm(e, "log", f, a, 1) : log32(e, f, a[0]); }
LLVMValueRef cg_emit_tanh(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return wide(f) ? cg_libm(e, "tanh", f, a, 1) : tanh32(e, f, a[0]); }

LLVMValueRef cg_emit_logistic(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMValueRef one = cg_float(e, f->in, f->lanes, 1), minus = LLVMBuildFNeg(e->b, a[0], "");
    return LLVMBuildFDiv(e->b, one, LLVMBuildFAdd(e->b, one, cg_emit_exponential(e, f, &minus), ""), "");
}

LLVMValueRef cg_emit_sqrt(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    LLVMValueRef x = a[0];
    return cg_intrinsic1(e, "llvm.sqrt", LLVMTypeOf(x), &x, 1);
}

LLVMValueRef cg_emit_rsqrt(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return LLVMBuildFDiv(e->b, cg_float(e, f->in, f->lanes, 1), cg_emit_sqrt(e, f, a), "");
}

/* x^y: small whole constants by multiplication, else the C library. */
LLVMValueRef cg_emit_power(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    if (weft_dtype_is_float(f->in)) return cg_libm(e, "pow", f, a, 2);
    /* Integers: square and multiply over the bits; negative exponents give 0 but for bases 1 and -1. */
    LLVMBuilderRef b = e->b;
    const unsigned bits = weft_dtype_of(f->in)->bits;
    LLVMValueRef one = cg_integer(e, bits, f->lanes, 1), zero = cg_integer(e, bits, f->lanes, 0), r = one, base = a[0];
    for (unsigned i = 0; i < bits; i++) {
        LLVMValueRef bit = LLVMBuildAnd(b, LLVMBuildLShr(b, a[1], cg_integer(e, bits, f->lanes, i), ""), one, "");
        r = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntNE, bit, zero, ""), LLVMBuildMul(b, r, base, ""), r, "");
        base = LLVMBuildMul(b, base, base, "");
    }
    if (!weft_dtype_is_integer(f->in) || weft_dtype_of(f->in)->kind == WEFT_KIND_UINT) return r;
    LLVMValueRef minus = cg_integer(e, bits, f->lanes, -1), negative = LLVMBuildICmp(b, LLVMIntSLT, a[1], zero, "");
    LLVMValueRef odd = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, a[1], one, ""), zero, "");
    LLVMValueRef unit = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, a[0], minus, ""), LLVMBuildSelect(b, odd, minus, one, ""), zero, "");
    unit = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, a[0], one, ""), one, unit, "");
    return LLVMBuildSelect(b, negative, unit, r, "");
}

LLVMValueRef cg_emit_cbrt(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return cg_libm(e, "cbrt", f, a, 1); }
LLVMValueRef cg_emit_cosine(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return cg_libm(e, "cos", f, a, 1); }
LLVMValueRef cg_emit_sine(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return cg_libm(e, "sin", f, a, 1); }
LLVMValueRef cg_emit_tan(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return cg_libm(e, "tan", f, a, 1); }
LLVMValueRef cg_emit_atan2(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return cg_libm(e, "atan2", f, a, 2); }
LLVMValueRef cg_emit_exponential_minus_one(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return cg_libm(e, "expm1", f, a, 1); }
LLVMValueRef cg_emit_log_plus_one(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return cg_libm(e, "log1p", f, a, 1); }
