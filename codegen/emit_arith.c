/* emit_arith.c: arithmetic, comparison, selection, conversion. Semantics: StableHLO spec; where that leaves the result
 * open (division by zero, conversion out of range), XLA's choice: x / 0 is all ones, x % 0 is x, conversions saturate.
 */
#include <math.h>
#include "codegen/emit_fx.h"

#define KIND(t) (weft_dtype_of(t)->kind)
static bool is_float(weft_dtype t) { return KIND(t) == WEFT_KIND_FLOAT; }
static bool is_signed(weft_dtype t) { return KIND(t) == WEFT_KIND_INT; }
static bool is_bool(weft_dtype t) { return KIND(t) == WEFT_KIND_BOOL; }
static unsigned bits_of(weft_dtype t) { return weft_dtype_of(t)->bits; }

/* Products may be fused with sums: one rounding less. */
static LLVMValueRef fused(LLVMValueRef v) {
    if (LLVMCanValueUseFastMathFlags(v)) LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
    return v;
}

static const cg_emit_fn emit_of[CG_OP_COUNT] = {
#define SCALAR(name, arity, weight) [CG_OP_##name] = cg_emit_##name,
#include "codegen/scalar.def"
};

/* Of bf16 operands these give a number that bf16 holds. */
static bool is_exact(cg_op op, const cg_form *f) {
    return f->in == WEFT_BF16 && f->out == WEFT_BF16 &&
           (op == CG_OP_negate || op == CG_OP_abs || op == CG_OP_maximum || op == CG_OP_minimum);
}

/* Arithmetic gives an operand's NaN, quiet, or the processor's own. */
static cg_nans nans_of(cg_op op, const cg_form *f) {
    return f->in == f->out && (op == CG_OP_add || op == CG_OP_subtract || op == CG_OP_multiply || op == CG_OP_divide)
               ? CG_NANS_OF_TYPE
               : CG_NANS_ANY;
}

LLVMValueRef cg_emit_op(cg_emit *e, cg_op op, const cg_form *f, const LLVMValueRef *a) {
    const bool complex = weft_dtype_is_complex(f->in) || weft_dtype_is_complex(f->out);
    LLVMValueRef v = complex ? cg_emit_complex_op(e, op, f, a) : emit_of[op](e, f, a);
    if (op == CG_OP_select || op == CG_OP_copy || op == CG_OP_bitcast_convert || is_exact(op, f)) return v;
    return cg_round(e, f->out, f->lanes, v, nans_of(op, f));
}

LLVMValueRef cg_emit_copy(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)e, (void)f;
    return a[0];
}

/* Of real operands: the parts of a real number. Complex ones: emit_complex.c. */
LLVMValueRef cg_emit_real(cg_emit *e, const cg_form *f, const LLVMValueRef *a) { return cg_emit_copy(e, f, a); }
LLVMValueRef cg_emit_imag(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)e, (void)f;
    return LLVMConstNull(LLVMTypeOf(a[0]));
}

LLVMValueRef cg_emit_add(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    if (is_bool(f->in)) return LLVMBuildOr(e->b, a[0], a[1], "");
    return is_float(f->in) ? fused(LLVMBuildFAdd(e->b, a[0], a[1], "")) : LLVMBuildAdd(e->b, a[0], a[1], "");
}

LLVMValueRef cg_emit_subtract(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return is_float(f->in) ? fused(LLVMBuildFSub(e->b, a[0], a[1], "")) : LLVMBuildSub(e->b, a[0], a[1], "");
}

LLVMValueRef cg_emit_multiply(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    if (is_bool(f->in)) return LLVMBuildAnd(e->b, a[0], a[1], "");
    if (!is_float(f->in)) return LLVMBuildMul(e->b, a[0], a[1], "");
    LLVMValueRef v = LLVMBuildFMul(e->b, a[0], a[1], "");
    return f->aux == CG_ROUNDED ? v : fused(v);
}

/* The divisor made harmless: 1 where it is zero, or -1 under the lowest number. */
static LLVMValueRef safe_divisor(cg_emit *e, const cg_form *f, const LLVMValueRef *a, LLVMValueRef *zero) {
    unsigned bits = bits_of(f->in);
    LLVMValueRef one = cg_integer(e, bits, f->lanes, 1);
    *zero = LLVMBuildICmp(e->b, LLVMIntEQ, a[1], cg_integer(e, bits, f->lanes, 0), "");
    LLVMValueRef bad = *zero;
    if (is_signed(f->in)) {
        LLVMValueRef lowest = LLVMBuildICmp(e->b, LLVMIntEQ, a[0],
                                            cg_integer(e, bits, f->lanes, (int64_t)((uint64_t)1 << (bits - 1))), "");
        LLVMValueRef minus = LLVMBuildICmp(e->b, LLVMIntEQ, a[1], cg_integer(e, bits, f->lanes, -1), "");
        bad = LLVMBuildOr(e->b, bad, LLVMBuildAnd(e->b, lowest, minus, ""), "");
    }
    return LLVMBuildSelect(e->b, bad, one, a[1], "");
}

LLVMValueRef cg_emit_divide(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    if (is_float(f->in)) return LLVMBuildFDiv(e->b, a[0], a[1], "");
    LLVMValueRef zero, d = safe_divisor(e, f, a, &zero);
    LLVMValueRef q = is_signed(f->in) ? LLVMBuildSDiv(e->b, a[0], d, "") : LLVMBuildUDiv(e->b, a[0], d, "");
    return LLVMBuildSelect(e->b, zero, cg_integer(e, bits_of(f->in), f->lanes, -1), q, "");
}

LLVMValueRef cg_emit_remainder(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    if (is_float(f->in)) return cg_emit_float_remainder(e, f, a);
    LLVMValueRef zero, d = safe_divisor(e, f, a, &zero);
    LLVMValueRef r = is_signed(f->in) ? LLVMBuildSRem(e->b, a[0], d, "") : LLVMBuildURem(e->b, a[0], d, "");
    return LLVMBuildSelect(e->b, zero, a[0], r, "");
}

static LLVMValueRef extreme(cg_emit *e, const cg_form *f, const LLVMValueRef *a, const char *for_float,
                            LLVMIntPredicate sign, LLVMIntPredicate no_sign) {
    LLVMValueRef both[2] = { a[0], a[1] };
    if (is_float(f->in)) return cg_intrinsic1(e, for_float, LLVMTypeOf(a[0]), both, 2); /* NaN wins */
    return LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, is_signed(f->in) ? sign : no_sign, a[0], a[1], ""), a[0], a[1],
                           "");
}

LLVMValueRef cg_emit_maximum(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return extreme(e, f, a, "llvm.maximum", LLVMIntSGT, LLVMIntUGT);
}
LLVMValueRef cg_emit_minimum(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return extreme(e, f, a, "llvm.minimum", LLVMIntSLT, LLVMIntULT);
}

LLVMValueRef cg_emit_clamp(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMValueRef low[2] = { a[1], a[0] };
    LLVMValueRef high[2] = { cg_emit_maximum(e, f, low), a[2] };
    return cg_emit_minimum(e, f, high);
}

LLVMValueRef cg_emit_and(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return LLVMBuildAnd(e->b, a[0], a[1], "");
}
LLVMValueRef cg_emit_or(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return LLVMBuildOr(e->b, a[0], a[1], "");
}
LLVMValueRef cg_emit_xor(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return LLVMBuildXor(e->b, a[0], a[1], "");
}
LLVMValueRef cg_emit_not(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return LLVMBuildNot(e->b, a[0], "");
}

LLVMValueRef cg_emit_negate(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    return is_float(f->in) ? LLVMBuildFNeg(e->b, a[0], "") : LLVMBuildNeg(e->b, a[0], "");
}

LLVMValueRef cg_emit_abs(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMValueRef x[2] = { a[0], cg_integer(e, 1, 0, 0) };
    if (is_float(f->in)) return cg_intrinsic1(e, "llvm.fabs", LLVMTypeOf(a[0]), x, 1);
    return is_signed(f->in) ? cg_intrinsic1(e, "llvm.abs", LLVMTypeOf(a[0]), x, 2) : a[0];
}

LLVMValueRef cg_emit_sign(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    if (is_float(f->in)) {
        LLVMTypeRef t = LLVMTypeOf(a[0]);
        LLVMValueRef args[2] = { cg_float(e, f->in, f->lanes, 1), a[0] },
                     signed_one = cg_intrinsic1(e, "llvm.copysign", t, args, 2);
        LLVMValueRef some = LLVMBuildFCmp(e->b, LLVMRealONE, a[0], LLVMConstNull(t), "");
        return LLVMBuildSelect(e->b, some, signed_one, a[0], "");
    }
    unsigned bits = bits_of(f->in);
    LLVMValueRef zero = cg_integer(e, bits, f->lanes, 0);
    LLVMValueRef positive = LLVMBuildICmp(e->b, is_signed(f->in) ? LLVMIntSGT : LLVMIntUGT, a[0], zero, "");
    LLVMValueRef r = LLVMBuildZExt(e->b, positive, LLVMTypeOf(a[0]), "");
    if (!is_signed(f->in)) return r;
    LLVMValueRef negative = LLVMBuildICmp(e->b, LLVMIntSLT, a[0], zero, "");
    return LLVMBuildOr(e->b, r, LLVMBuildSExt(e->b, negative, LLVMTypeOf(a[0]), ""), "");
}

static LLVMValueRef rounding(cg_emit *e, const LLVMValueRef *a, const char *name) {
    LLVMValueRef x = a[0];
    return cg_intrinsic1(e, name, LLVMTypeOf(x), &x, 1);
}

LLVMValueRef cg_emit_ceil(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return rounding(e, a, "llvm.ceil");
}
LLVMValueRef cg_emit_floor(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return rounding(e, a, "llvm.floor");
}
LLVMValueRef cg_emit_round_nearest_afz(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return rounding(e, a, "llvm.round");
}
LLVMValueRef cg_emit_round_nearest_even(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return rounding(e, a, "llvm.roundeven");
}
LLVMValueRef cg_emit_popcnt(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return rounding(e, a, "llvm.ctpop");
}

LLVMValueRef cg_emit_count_leading_zeros(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    LLVMValueRef args[2] = { a[0], cg_integer(e, 1, 0, 0) };
    return cg_intrinsic1(e, "llvm.ctlz", LLVMTypeOf(a[0]), args, 2);
}

/* Shifts by the width and more give zero, or the sign. */
LLVMValueRef cg_emit_shift_left(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMValueRef width = cg_integer(e, bits_of(f->in), f->lanes, bits_of(f->in)),
                 zero = LLVMConstNull(LLVMTypeOf(a[0]));
    LLVMValueRef in = LLVMBuildICmp(e->b, LLVMIntULT, a[1], width, "");
    return LLVMBuildSelect(e->b, in, LLVMBuildShl(e->b, a[0], LLVMBuildSelect(e->b, in, a[1], zero, ""), ""), zero, "");
}

LLVMValueRef cg_emit_shift_right_logical(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMValueRef width = cg_integer(e, bits_of(f->in), f->lanes, bits_of(f->in)),
                 zero = LLVMConstNull(LLVMTypeOf(a[0]));
    LLVMValueRef in = LLVMBuildICmp(e->b, LLVMIntULT, a[1], width, "");
    return LLVMBuildSelect(e->b, in, LLVMBuildLShr(e->b, a[0], LLVMBuildSelect(e->b, in, a[1], zero, ""), ""), zero,
                           "");
}

LLVMValueRef cg_emit_shift_right_arithmetic(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMValueRef most = cg_integer(e, bits_of(f->in), f->lanes, bits_of(f->in) - 1);
    LLVMValueRef in = LLVMBuildICmp(e->b, LLVMIntULT, a[1], most, "");
    return LLVMBuildAShr(e->b, a[0], LLVMBuildSelect(e->b, in, a[1], most, ""), "");
}

LLVMValueRef cg_emit_is_finite(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMValueRef x = a[0], size = cg_intrinsic1(e, "llvm.fabs", LLVMTypeOf(x), &x, 1);
    return LLVMBuildFCmp(e->b, LLVMRealOLT, size, cg_float(e, f->in, f->lanes, (double)(1.0f / 0.0f)), "");
}

LLVMValueRef cg_emit_select(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    (void)f;
    return LLVMBuildSelect(e->b, a[0], a[1], a[2], "");
}

/* Bits as integers in the order of IEEE 754's totalOrder. */
static LLVMValueRef total_order(cg_emit *e, const cg_form *f, LLVMValueRef x) {
    unsigned bits = f->in == WEFT_F64 ? 64 : 32;
    LLVMValueRef i = LLVMBuildBitCast(e->b, x, cg_int(e, bits, f->lanes), "");
    LLVMValueRef sign = LLVMBuildAShr(e->b, i, cg_integer(e, bits, f->lanes, bits - 1), "");
    return LLVMBuildXor(e->b, i, LLVMBuildLShr(e->b, sign, cg_integer(e, bits, f->lanes, 1), ""), "");
}

LLVMValueRef cg_emit_compare(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    static const struct { int real, sign, no_sign; } predicate[] = {
        [WEFT_comparison_direction_EQ - WEFT_comparison_direction_EQ] = { LLVMRealOEQ, LLVMIntEQ, LLVMIntEQ },
        [WEFT_comparison_direction_NE - WEFT_comparison_direction_EQ] = { LLVMRealUNE, LLVMIntNE, LLVMIntNE },
        [WEFT_comparison_direction_GE - WEFT_comparison_direction_EQ] = { LLVMRealOGE, LLVMIntSGE, LLVMIntUGE },
        [WEFT_comparison_direction_GT - WEFT_comparison_direction_EQ] = { LLVMRealOGT, LLVMIntSGT, LLVMIntUGT },
        [WEFT_comparison_direction_LE - WEFT_comparison_direction_EQ] = { LLVMRealOLE, LLVMIntSLE, LLVMIntULE },
        [WEFT_comparison_direction_LT - WEFT_comparison_direction_EQ] = { LLVMRealOLT, LLVMIntSLT, LLVMIntULT },
    };
    int64_t d = (f->aux & 0xffffffff) - WEFT_comparison_direction_EQ;
    if (is_float(f->in) && f->aux >> 32)
        return LLVMBuildICmp(e->b, (LLVMIntPredicate)predicate[d].sign, total_order(e, f, a[0]),
                             total_order(e, f, a[1]), "");
    if (is_float(f->in)) return LLVMBuildFCmp(e->b, (LLVMRealPredicate)predicate[d].real, a[0], a[1], "");
    return LLVMBuildICmp(e->b, (LLVMIntPredicate)(is_signed(f->in) ? predicate[d].sign : predicate[d].no_sign), a[0],
                         a[1], "");
}

/* 64 bits to 53 that make the same of every narrower float: the last one kept is odd when something was lost. */
static LLVMValueRef sticky(cg_emit *e, const cg_form *f, LLVMValueRef x, weft_dtype in) {
    LLVMValueRef low = cg_integer(e, 64, f->lanes, 0x7ff), lost = LLVMBuildAnd(e->b, x, low, "");
    LLVMValueRef bit = LLVMBuildSelect(e->b, LLVMBuildICmp(e->b, LLVMIntNE, lost, LLVMConstNull(LLVMTypeOf(x)), ""),
                                       cg_integer(e, 64, f->lanes, 0x800), LLVMConstNull(LLVMTypeOf(x)), "");
    LLVMValueRef kept = LLVMBuildOr(e->b, LLVMBuildXor(e->b, x, lost, ""), bit, ""), top = x;
    if (is_signed(in)) top = LLVMBuildXor(e->b, x, LLVMBuildAShr(e->b, x, cg_integer(e, 64, f->lanes, 63), ""), "");
    LLVMValueRef large = LLVMBuildICmp(e->b, LLVMIntUGE, top, cg_integer(e, 64, f->lanes, (int64_t)1 << 53), "");
    return LLVMBuildSelect(e->b, large, kept, x, "");
}

/* To a narrow float an f32 that cg_emit_op rounds. */
static LLVMValueRef integer_to_float(cg_emit *e, const cg_form *f, LLVMValueRef x, weft_dtype in) {
    const bool odd = weft_dtype_is_narrow_float(f->out) && bits_of(in) > 24;
    LLVMTypeRef to = cg_type(e, odd ? WEFT_F64 : f->out, f->lanes);
    if (odd && bits_of(in) == 64) x = sticky(e, f, x, in);
    LLVMValueRef v = is_signed(in) ? LLVMBuildSIToFP(e->b, x, to, "") : LLVMBuildUIToFP(e->b, x, to, "");
    return odd ? cg_round_to_odd(e, f->lanes, v) : v;
}

static LLVMValueRef float_to_float(cg_emit *e, const cg_form *f, LLVMValueRef x) {
    LLVMTypeRef from = LLVMTypeOf(x), to = cg_type(e, f->out, f->lanes);
    if (from == to) return x;
    if (f->out == WEFT_F64) return LLVMBuildFPExt(e->b, x, to, "");
    return weft_dtype_is_narrow_float(f->out) ? cg_round_to_odd(e, f->lanes, x) : LLVMBuildFPTrunc(e->b, x, to, "");
}

/* What is beyond the type becomes its first or last number, NaN 0, as llvm.fptosi.sat has it, of which LLVM 19 makes
 * scalars on x86 (4 million f32 to i8 on two threads: 1.8 ms, and 0.6 in this way). Narrow integers by way of i32. */
static LLVMValueRef float_to_integer(cg_emit *e, const cg_form *f, LLVMValueRef x) {
    const unsigned bits = bits_of(f->out), word_bits = bits < 32 ? 32 : bits;
    const bool has_sign = is_signed(f->out), wide = LLVMTypeOf(x) == cg_type(e, WEFT_F64, f->lanes);
    const uint64_t last = UINT64_MAX >> (64 - bits + has_sign), first = has_sign ? ~last : 0;
    const weft_dtype t = wide ? WEFT_F64 : WEFT_F32, word = bits > 32 ? WEFT_I64 : WEFT_I32;
    LLVMValueRef low = cg_float(e, t, f->lanes, has_sign ? -ldexp(1, (int)bits - 1) : 0),
                 high = cg_float(e, t, f->lanes, ldexp(1, (int)(bits - has_sign)));
    LLVMValueRef below = LLVMBuildFCmp(e->b, LLVMRealOLT, x, low, ""),
                 above = LLVMBuildFCmp(e->b, LLVMRealOGE, x, high, ""),
                 inside = LLVMBuildAnd(e->b, LLVMBuildFCmp(e->b, LLVMRealOGE, x, low, ""),
                                       LLVMBuildFCmp(e->b, LLVMRealOLT, x, high, ""), "");
    LLVMValueRef safe = LLVMBuildSelect(e->b, inside, x, cg_float(e, t, f->lanes, 0), "");
    LLVMTypeRef to = cg_type(e, word, f->lanes);
    LLVMValueRef v = has_sign || bits < 32 ? LLVMBuildFPToSI(e->b, safe, to, "") : LLVMBuildFPToUI(e->b, safe, to, "");
    v = LLVMBuildSelect(e->b, above, cg_integer(e, word_bits, f->lanes, (int64_t)last), v, "");
    v = LLVMBuildSelect(e->b, below, cg_integer(e, word_bits, f->lanes, (int64_t)first), v, "");
    return bits < 32 ? LLVMBuildTrunc(e->b, v, cg_type(e, f->out, f->lanes), "") : v;
}

LLVMValueRef cg_emit_convert(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    LLVMTypeRef from = LLVMTypeOf(a[0]), to = cg_type(e, f->out, f->lanes);
    weft_dtype in = (weft_dtype)f->aux, out = f->out;
    if (is_bool(out)) {
        if (is_float(in)) return LLVMBuildFCmp(e->b, LLVMRealUNE, a[0], LLVMConstNull(from), "");
        return LLVMBuildICmp(e->b, LLVMIntNE, a[0], LLVMConstNull(from), "");
    }
    if (is_float(in) && is_float(out)) return float_to_float(e, f, a[0]);
    if (is_float(in)) return float_to_integer(e, f, a[0]);
    if (is_float(out)) return integer_to_float(e, f, a[0], in);
    if (bits_of(in) >= bits_of(out)) return bits_of(in) == bits_of(out) ? a[0] : LLVMBuildTrunc(e->b, a[0], to, "");
    return is_signed(in) ? LLVMBuildSExt(e->b, a[0], to, "") : LLVMBuildZExt(e->b, a[0], to, "");
}
