/* emit_bits.c: instructions on the bits of elements. */
#include "codegen/emit.h"

static unsigned bits_of(weft_dtype t) { return weft_dtype_of(t)->bits; }
static bool is_whole(weft_dtype t) { return !weft_dtype_is_float(t) && !weft_dtype_is_complex(t); }

/* An element's bits as an integer, and back. */
static LLVMValueRef bits_value(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v) {
    if (is_whole(t)) return v;
    if (weft_dtype_is_narrow_float(t)) v = cg_narrow_to_memory(e, t, lanes, v);
    v = LLVMBuildBitCast(e->b, v, cg_int(e, 8 * weft_dtype_of(t)->stored_bytes, lanes), "");
    return bits_of(t) < 8 ? LLVMBuildTrunc(e->b, v, cg_int(e, bits_of(t), lanes), "") : v;
}

static LLVMValueRef value_of_bits(cg_emit *e, weft_dtype t, unsigned lanes, LLVMValueRef v) {
    if (is_whole(t)) return v;
    if (bits_of(t) < 8) v = LLVMBuildZExt(e->b, v, cg_int(e, 8, lanes), "");
    v = LLVMBuildBitCast(e->b, v, cg_memory_type(e, t, lanes), "");
    return weft_dtype_is_narrow_float(t) ? cg_narrow_from_memory(e, t, lanes, v) : v;
}

/* Between types of different width: the low bits, or zeros above. */
LLVMValueRef cg_emit_bitcast_convert(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    const weft_dtype in = (weft_dtype)f->aux;
    LLVMValueRef v = bits_value(e, in, f->lanes, a[0]);
    if (bits_of(in) < bits_of(f->out)) v = LLVMBuildZExt(e->b, v, cg_int(e, bits_of(f->out), f->lanes), "");
    if (bits_of(in) > bits_of(f->out)) v = LLVMBuildTrunc(e->b, v, cg_int(e, bits_of(f->out), f->lanes), "");
    return value_of_bits(e, f->out, f->lanes, v);
}

/* How a float is laid out; bit patterns of the largest value and of infinity or what stands for it. */
typedef struct layout { unsigned exponent_bits, mantissa_bits; int64_t bias, max, overflow; uint64_t sign; } layout;
static layout layout_of(weft_dtype t) {
    if (!weft_dtype_is_narrow_float(t)) {
        const unsigned m = t == WEFT_F64 ? 52 : 23, e = t == WEFT_F64 ? 11 : 8;
        const int64_t inf = (((int64_t)1 << e) - 1) << m;
        return (layout){ e, m, ((int64_t)1 << (e - 1)) - 1, inf - 1, inf, (uint64_t)1 << (e + m) };
    }
    const weft_float_format *f = weft_float_format_of(t);
    return (layout){ f->exponent_bits, f->mantissa_bits, f->bias, weft_float_max_code(f), weft_float_overflow_code(f),
                     f->has_sign ? (uint64_t)1 << (f->exponent_bits + f->mantissa_bits) : 0 };
}

static LLVMValueRef word(cg_emit *e, const cg_form *f, int64_t v) { return cg_integer(e, bits_of(f->in), f->lanes, v); }

/* On the bits of the type's own format: the mantissa rounded to nearest even, then exponents out of range to infinity
 * (what stands for it) or zero. NaN stays. */
LLVMValueRef cg_emit_reduce_precision(cg_emit *e, const cg_form *f, const LLVMValueRef *a) {
    const layout l = layout_of(f->in);
    const int64_t keep_exponent = f->aux & 0xffffffff, keep_mantissa = f->aux >> 32;
    LLVMBuilderRef b = e->b;
    LLVMValueRef i = bits_value(e, f->in, f->lanes, a[0]), sign = LLVMBuildAnd(b, i, word(e, f, (int64_t)l.sign), ""),
                 size = LLVMBuildXor(b, i, sign, "");
    LLVMValueRef zero = word(e, f, 0), small = NULL;
    if (keep_mantissa < l.mantissa_bits) {
        const int64_t cut = l.mantissa_bits - keep_mantissa;
        LLVMValueRef odd = LLVMBuildAnd(b, LLVMBuildLShr(b, size, word(e, f, cut), ""), word(e, f, 1), "");
        size = LLVMBuildAdd(b, LLVMBuildAdd(b, size, word(e, f, ((int64_t)1 << (cut - 1)) - 1), ""), odd, "");
        size = LLVMBuildAnd(b, size, word(e, f, -((int64_t)1 << cut)), "");
    }
    int64_t limit = l.max;
    if (keep_exponent < l.exponent_bits) {
        const int64_t top = ((int64_t)1 << (keep_exponent - 1)) - 1, last = ((l.bias + top + 1) << l.mantissa_bits) - 1;
        if (last < limit) limit = last;
        small = LLVMBuildICmp(b, LLVMIntULT, size, word(e, f, (l.bias - top + 1) << l.mantissa_bits), "");
    }
    LLVMValueRef large = LLVMBuildICmp(b, LLVMIntUGT, size, word(e, f, limit), "");
    size =
        LLVMBuildSelect(b, large, word(e, f, l.overflow), small ? LLVMBuildSelect(b, small, zero, size, "") : size, "");
    if (weft_dtype_is_narrow_float(f->in) && weft_float_format_of(f->in)->top == WEFT_TOP_UNSIGNED_ZERO)
        sign = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntEQ, size, zero, ""), zero, sign, "");
    LLVMValueRef r = value_of_bits(e, f->in, f->lanes, LLVMBuildOr(b, size, sign, ""));
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, a[0], a[0], ""), a[0], r, "");
}
