/* emit_float.c: floats narrower than f32. In registers they are f32 that the format can hold; base/floats.def says what
 * each format holds. f16 and bf16 have instructions or shifts of their own, the others one scheme, in which no f32 is a
 * denormal: some processors take more than a hundred cycles for each vector that holds one.
 */
#include <math.h>
#include "codegen/emit.h"

/* One format on lanes of 32 bits. */
typedef struct narrow {
    cg_emit *e;
    LLVMBuilderRef b;
    weft_dtype type;
    const weft_float_format *f;
    unsigned lanes, magnitude_bits, cut; /* cut: mantissa bits of f32 that the format lacks */
} narrow;

static narrow narrow_of(cg_emit *e, weft_dtype t, unsigned lanes) {
    const weft_float_format *f = weft_float_format_of(t);
    return (narrow){ e, e->b, t, f, lanes, f->exponent_bits + f->mantissa_bits, 23u - f->mantissa_bits };
}

static LLVMValueRef num(const narrow *n, double v) { return cg_float(n->e, WEFT_F32, n->lanes, v); }
static LLVMValueRef word(const narrow *n, uint32_t v) { return cg_integer(n->e, 32, n->lanes, (int64_t)v); }
static LLVMValueRef to_word(const narrow *n, LLVMValueRef v) {
    return LLVMBuildBitCast(n->b, v, cg_int(n->e, 32, n->lanes), "");
}
static LLVMValueRef to_float(const narrow *n, LLVMValueRef i) {
    return LLVMBuildBitCast(n->b, i, cg_type(n->e, WEFT_F32, n->lanes), "");
}
static LLVMValueRef shl(const narrow *n, LLVMValueRef v, unsigned by) { return LLVMBuildShl(n->b, v, word(n, by), ""); }
static LLVMValueRef shr(const narrow *n, LLVMValueRef v, unsigned by) {
    return LLVMBuildLShr(n->b, v, word(n, by), "");
}
static LLVMValueRef masked(const narrow *n, LLVMValueRef v, uint32_t mask) {
    return LLVMBuildAnd(n->b, v, word(n, mask), "");
}
static LLVMValueRef with(const narrow *n, LLVMValueRef v, LLVMValueRef bits) { return LLVMBuildOr(n->b, v, bits, ""); }
static LLVMValueRef is(const narrow *n, LLVMIntPredicate p, LLVMValueRef v, uint32_t than) {
    return LLVMBuildICmp(n->b, p, v, word(n, than), "");
}
static LLVMValueRef choose(const narrow *n, LLVMValueRef yes, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(n->b, yes, a, b, "");
}
static LLVMValueRef lesser(const narrow *n, LLVMValueRef a, LLVMValueRef b) { /* b where one is NaN */
    return choose(n, LLVMBuildFCmp(n->b, LLVMRealOLT, a, b, ""), a, b);
}
static LLVMValueRef greater(const narrow *n, LLVMValueRef a, LLVMValueRef b) {
    return choose(n, LLVMBuildFCmp(n->b, LLVMRealOGT, a, b, ""), a, b);
}
/* a times + plus, where the product is exact: in one instruction where there is one. */
static LLVMValueRef scaled(const narrow *n, LLVMValueRef a, double times, double plus) {
    LLVMValueRef product = LLVMBuildFMul(n->b, a, num(n, times), ""),
                 v = LLVMBuildFAdd(n->b, product, num(n, plus), "");
    LLVMSetFastMathFlags(product, LLVMFastMathAllowContract);
    LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
    return v;
}
static uint32_t sign_code(const narrow *n) { return 1u << n->magnitude_bits; }

enum { INF = 0x7f800000, QUIET_NAN = 0x7fc00000, SIGN = (int)0x80000000 };

/* What the exponent of f32 has more than the format's, as bits of f32. */
static uint32_t rebias(const narrow *n) { return (uint32_t)(127 - n->f->bias) << 23; }

/* Codes, as i32 lanes, to f32. A NaN keeps its payload, so that moving elements moves their bits. With the other bias a
 * normal number is a = (1 + m) 2^e. A denormal, whose e is one too low and which has no 1, is 2a less the smallest
 * normal number; that is less than a for denormals only. */
static LLVMValueRef decode(const narrow *n, LLVMValueRef code) {
    const uint32_t all = sign_code(n) - 1;
    if (!n->f->has_sign) {
        /* 2^-127 is a denormal */
        LLVMValueRef x = choose(n, is(n, LLVMIntEQ, code, 0), word(n, 0x400000), shl(n, code, 23));
        return to_float(n, choose(n, is(n, LLVMIntEQ, code, all), word(n, QUIET_NAN), x));
    }
    LLVMValueRef magnitude = masked(n, code, all), moved = shl(n, magnitude, n->cut);
    LLVMValueRef a = to_float(n, LLVMBuildAdd(n->b, moved, word(n, rebias(n)), ""));
    LLVMValueRef x = to_word(n, lesser(n, a, scaled(n, a, 2, -ldexp(1, 1 - n->f->bias))));
    if (n->f->top == WEFT_TOP_IEEE)
        x = choose(n, is(n, LLVMIntUGT, magnitude, weft_float_max_code(n->f)), with(n, moved, word(n, INF)), x);
    if (n->f->top == WEFT_TOP_ONE_NAN) x = choose(n, is(n, LLVMIntEQ, magnitude, all), word(n, QUIET_NAN), x);
    x = with(n, x, shl(n, masked(n, code, sign_code(n)), 31 - n->magnitude_bits));
    if (n->f->top == WEFT_TOP_UNSIGNED_ZERO)
        x = choose(n, is(n, LLVMIntEQ, masked(n, code, all | sign_code(n)), sign_code(n)), word(n, QUIET_NAN), x);
    return to_float(n, x);
}

/* The code of a value that the format holds: decode's way back. */
static LLVMValueRef encode(const narrow *n, LLVMValueRef v) {
    const uint32_t all = sign_code(n) - 1;
    LLVMValueRef i = to_word(n, v), a = masked(n, i, ~(uint32_t)SIGN), nan = is(n, LLVMIntUGT, a, INF);
    if (!n->f->has_sign) return choose(n, nan, word(n, all), shr(n, a, 23));
    LLVMValueRef size = to_float(n, a), moved = greater(n, size, scaled(n, size, 0.5, ldexp(1, -n->f->bias)));
    LLVMValueRef code = shr(n, LLVMBuildSub(n->b, to_word(n, moved), word(n, rebias(n)), ""), n->cut);
    if (n->f->top == WEFT_TOP_IEEE)
        code = choose(n, is(n, LLVMIntUGE, a, INF), masked(n, shr(n, a, n->cut), all), code);
    if (n->f->top == WEFT_TOP_ONE_NAN) code = choose(n, nan, word(n, all), code);
    code = with(n, code, shl(n, shr(n, i, 31), n->magnitude_bits));
    return n->f->top == WEFT_TOP_UNSIGNED_ZERO ? choose(n, nan, word(n, sign_code(n)), code) : code;
}

/* i with its lowest `cut` bits rounded away, ties to even. */
static LLVMValueRef round_bits(const narrow *n, LLVMValueRef i, unsigned cut) {
    LLVMValueRef odd = masked(n, shr(n, i, cut), 1),
                 up = LLVMBuildAdd(n->b, LLVMBuildAdd(n->b, i, word(n, (1u << (cut - 1)) - 1), ""), odd, "");
    return masked(n, up, ~((1u << cut) - 1));
}

/* Powers of two: the nearest, halfway up; nothing else is positive. */
static LLVMValueRef round_power(const narrow *n, LLVMValueRef v) {
    LLVMValueRef i = to_word(n, v), up = masked(n, LLVMBuildAdd(n->b, i, word(n, 0x400000), ""), INF);
    up = choose(n, is(n, LLVMIntULT, i, 0x600000), word(n, 0x400000), up); /* below 1.5 * 2^-127 */
    LLVMValueRef none = LLVMBuildNot(n->b, LLVMBuildFCmp(n->b, LLVMRealOGT, v, num(n, 0), ""), "");
    return to_float(n, choose(n, with(n, none, is(n, LLVMIntUGE, up, INF)), word(n, QUIET_NAN), up));
}

/* The sum with a power of two whose last bit weighs as much as the format's rounds: a power for each exponent, and one
 * for all numbers below the smallest normal one. */
static LLVMValueRef round_generic(const narrow *n, LLVMValueRef v, cg_nans nans) {
    const weft_float_format *f = n->f;
    const uint32_t max = weft_float_max_code(f), least = (uint32_t)(128 - f->bias) << 23;
    const double limit = weft_dtype_load(n->type, &max);
    LLVMValueRef i = to_word(n, v), sign = masked(n, i, (uint32_t)SIGN), a = masked(n, i, ~(uint32_t)SIGN),
                 nan = LLVMBuildFCmp(n->b, LLVMRealUNO, v, v, ""), size = lesser(n, num(n, 2 * limit), to_float(n, a));
    LLVMValueRef e = masked(n, to_word(n, size), INF);
    e = choose(n, is(n, LLVMIntUGT, e, least), e, word(n, least));
    LLVMValueRef step = to_float(n, LLVMBuildAdd(n->b, e, word(n, n->cut << 23), "")),
                 rounded = LLVMBuildFSub(n->b, LLVMBuildFAdd(n->b, size, step, ""), step, ""),
                 too_large = LLVMBuildFCmp(n->b, LLVMRealOGT, rounded, num(n, limit), "");
    LLVMValueRef past = f->top == WEFT_TOP_IEEE     ? word(n, INF)
                        : f->top == WEFT_TOP_FINITE ? to_word(n, num(n, limit))
                                                    : word(n, QUIET_NAN);
    LLVMValueRef r = choose(n, too_large, past, to_word(n, rounded));
    if (f->top == WEFT_TOP_FINITE) r = choose(n, nan, word(n, 0), r);
    else if (nans == CG_NANS_ANY)
        r = choose(n, nan, with(n, masked(n, a, ~((1u << n->cut) - 1)), word(n, QUIET_NAN)), r);
    if (f->top == WEFT_TOP_FINITE) sign = choose(n, nan, LLVMBuildXor(n->b, sign, word(n, (uint32_t)SIGN), ""), sign);
    if (f->top == WEFT_TOP_UNSIGNED_ZERO) sign = choose(n, is(n, LLVMIntEQ, r, 0), r, sign);
    return to_float(n, with(n, r, sign));
}

/* A NaN whose low bits are all 0, as a bf16's are, stays what it is when it is rounded like a number. */
static LLVMValueRef round_bf16(const narrow *n, LLVMValueRef v, cg_nans nans) {
    LLVMValueRef i = to_word(n, v), quiet = masked(n, with(n, i, word(n, 0x400000)), 0xffff0000u);
    if (nans == CG_NANS_OF_TYPE) return to_float(n, round_bits(n, i, 16));
    return to_float(n, choose(n, LLVMBuildFCmp(n->b, LLVMRealUNO, v, v, ""), quiet, round_bits(n, i, 16)));
}

/* f16 to f32, after a fence: LLVM would narrow what is done with the f32, and LLVM 19 gets maximum and minimum of f16
 * wrong (NaN is lost) where the processor has no arithmetic on it. */
static LLVMValueRef widened(cg_emit *e, unsigned lanes, LLVMValueRef v) {
    LLVMTypeRef f32 = cg_type(e, WEFT_F32, lanes);
    v = LLVMBuildFPExt(e->b, v, f32, "");
    return cg_intrinsic1(e, "llvm.arithmetic.fence", f32, &v, 1);
}

LLVMValueRef cg_round(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v, cg_nans nans) {
    if (!weft_dtype_is_narrow_float(t)) return v;
    const narrow n = narrow_of(e, t, lanes);
    if (t == WEFT_F16) return widened(e, lanes, LLVMBuildFPTrunc(e->b, v, cg_memory_type(e, t, lanes), ""));
    if (t == WEFT_BF16) return round_bf16(&n, v, nans);
    return n.f->has_sign ? round_generic(&n, v, nans) : round_power(&n, v);
}

LLVMValueRef cg_narrow_from_memory(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v) {
    const narrow n = narrow_of(e, t, lanes);
    if (t == WEFT_F16) return widened(e, lanes, v);
    LLVMValueRef code = LLVMBuildZExt(e->b, v, cg_int(e, 32, lanes), "");
    return t == WEFT_BF16 ? to_float(&n, shl(&n, code, 16)) : decode(&n, code);
}

LLVMValueRef cg_narrow_to_memory(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v) {
    const narrow n = narrow_of(e, t, lanes);
    if (t == WEFT_F16) return LLVMBuildFPTrunc(e->b, v, cg_memory_type(e, t, lanes), "");
    LLVMValueRef code = t == WEFT_BF16 ? shr(&n, to_word(&n, v), 16) : encode(&n, v);
    return LLVMBuildTrunc(e->b, code, cg_memory_type(e, t, lanes), "");
}

/* f64 to the f32 that a second rounding takes to the right narrow float: cut off, and odd when something was lost.
 * Boldo and Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd, 2008. */
LLVMValueRef cg_round_to_odd(cg_emit *e, unsigned lanes, LLVMValueRef v) {
    LLVMBuilderRef b = e->b;
    LLVMTypeRef f32 = cg_type(e, WEFT_F32, lanes), f64 = cg_type(e, WEFT_F64, lanes), i32 = cg_int(e, 32, lanes);
    LLVMValueRef near = LLVMBuildFPTrunc(b, v, f32, ""), back = LLVMBuildFPExt(b, near, f64, "");
    LLVMValueRef sizes[2] = { cg_intrinsic1(e, "llvm.fabs", f64, &v, 1), cg_intrinsic1(e, "llvm.fabs", f64, &back, 1) };
    LLVMValueRef up = LLVMBuildFCmp(b, LLVMRealOGT, sizes[1], sizes[0], ""),
                 lost = LLVMBuildFCmp(b, LLVMRealONE, v, back, "");
    LLVMValueRef i = LLVMBuildSub(b, LLVMBuildBitCast(b, near, i32, ""), LLVMBuildZExt(b, up, i32, ""), "");
    return LLVMBuildBitCast(b, LLVMBuildOr(b, i, LLVMBuildZExt(b, lost, i32, ""), ""), f32, "");
}
