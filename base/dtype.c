/* dtype.c: the table of element types and their conversion to and from double.
 *
 * Small floats are described by floats.def and converted by one pair of functions. */
#include "base/dtype.h"

#include <math.h>
#include <string.h>

const weft_dtype_info weft_dtype_table[WEFT_DTYPE_COUNT] = {
    [WEFT_DTYPE_NONE] = { "none", WEFT_KIND_BOOL, 0, 0, NULL },
#define DTYPE(name, text, kind, bits, stored, npy) [WEFT_##name] = { text, WEFT_KIND_##kind, bits, stored, npy },
#include "base/dtypes.def"
};

weft_dtype weft_dtype_parse(weft_str name) {
    for (int t = 1; t < WEFT_DTYPE_COUNT; t++)
        if (weft_str_is(name, weft_dtype_table[t].name)) return (weft_dtype)t;
    return WEFT_DTYPE_NONE;
}

weft_dtype weft_dtype_from_npy(weft_str descr) {
    for (int t = 1; t < WEFT_DTYPE_COUNT; t++)
        if (weft_dtype_table[t].npy && weft_str_is(descr, weft_dtype_table[t].npy)) return (weft_dtype)t;
    return WEFT_DTYPE_NONE;
}

static const weft_float_format formats[WEFT_DTYPE_COUNT] = {
#define FLOAT(name, exponent_bits, mantissa_bits, bias, top, sign_bits) \
    [WEFT_##name] = { exponent_bits, mantissa_bits, bias, WEFT_TOP_##top, sign_bits },
#include "base/floats.def"
};

const weft_float_format *weft_float_format_of(weft_dtype t) { return &formats[t]; }

static uint32_t all_ones(const weft_float_format *f) { return (1u << (f->exponent_bits + f->mantissa_bits)) - 1; }

uint32_t weft_float_max_code(const weft_float_format *f) {
    if (f->top == WEFT_TOP_IEEE) return all_ones(f) - (1u << f->mantissa_bits);
    return f->top == WEFT_TOP_ONE_NAN ? all_ones(f) - 1 : all_ones(f);
}

uint32_t weft_float_nan_code(const weft_float_format *f) {
    switch ((weft_float_top)f->top) {
    case WEFT_TOP_IEEE: return all_ones(f) - ((1u << f->mantissa_bits) - 1) + (1u << (f->mantissa_bits - 1));
    case WEFT_TOP_ONE_NAN: return all_ones(f);
    case WEFT_TOP_UNSIGNED_ZERO: return all_ones(f) + 1;
    case WEFT_TOP_FINITE: break;
    }
    return 0;
}

uint32_t weft_float_overflow_code(const weft_float_format *f) {
    if (f->top == WEFT_TOP_IEEE) return weft_float_max_code(f) + 1;
    return f->top == WEFT_TOP_FINITE ? weft_float_max_code(f) : weft_float_nan_code(f);
}

/* The exponents of normal doubles suffice here; ldexp and frexp, which handle any, took most of the time.
 */
static double power_of_two(int e) {
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* The e of 2^e <= v < 2^(e+1); -1023 for zero and values below normal doubles. *upper_half: v >= 1.5 * 2^e. v is
 * finite, its sign does not matter. */
static int exponent_of(double v, bool *upper_half) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    *upper_half = bits >> 51 & 1;
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

static double small_load(const weft_float_format *f, uint32_t code) {
    uint32_t mantissa = code & ((1u << f->mantissa_bits) - 1);
    uint32_t exponent = code >> f->mantissa_bits & ((1u << f->exponent_bits) - 1);
    uint32_t top = (1u << f->exponent_bits) - 1;
    bool negative = f->has_sign && code >> (f->mantissa_bits + f->exponent_bits) & 1;
    double v;
    if (f->top == WEFT_TOP_UNSIGNED_ZERO && negative && !exponent && !mantissa) return NAN;
    if (f->top == WEFT_TOP_IEEE && exponent == top) v = mantissa ? NAN : INFINITY;
    else if (f->top == WEFT_TOP_ONE_NAN && exponent == top && mantissa == (1u << f->mantissa_bits) - 1) v = NAN;
    else if (exponent || !f->has_sign)
        v = (mantissa + (1u << f->mantissa_bits)) * power_of_two((int)exponent - f->bias - f->mantissa_bits);
    else v = mantissa * power_of_two(1 - f->bias - f->mantissa_bits);
    return negative ? -v : v;
}

/* Powers of two: rounds to the nearest, ties up. */
static uint32_t power_store(const weft_float_format *f, double v) {
    if (isnan(v) || v <= 0 || isinf(v)) return weft_float_nan_code(f);
    bool upper_half;
    int64_t exponent = exponent_of(v, &upper_half) + f->bias;
    exponent += upper_half;
    return exponent < 0 ? 0 : exponent > weft_float_max_code(f) ? weft_float_nan_code(f) : (uint32_t)exponent;
}

/* Rounds to nearest even. Above the largest finite value: infinity, NaN, or the largest value, by type. */
static uint32_t small_store(const weft_float_format *f, double v) {
    if (!f->has_sign) return power_store(f, v);
    const uint32_t sign_bit = 1u << (f->exponent_bits + f->mantissa_bits), max = weft_float_max_code(f);
    uint32_t sign = signbit(v) ? sign_bit : 0, code;
    if (isnan(v) && f->top == WEFT_TOP_FINITE) return sign ^ sign_bit;
    if (isnan(v)) code = weft_float_nan_code(f);
    else if (isinf(v)) code = weft_float_overflow_code(f);
    else {
        bool upper_half;
        int e = exponent_of(v, &upper_half), exponent = e + f->bias > 0 ? e : 1 - f->bias;
        double units = nearbyint(fabs(v) * power_of_two(f->mantissa_bits - exponent));
        /* a carry moves to the next exponent */
        double wide = (double)(exponent - (1 - f->bias)) * (1u << f->mantissa_bits) + units;
        code = wide > max ? weft_float_overflow_code(f) : (uint32_t)wide;
    }
    if (f->top == WEFT_TOP_UNSIGNED_ZERO && (!code || code == sign_bit)) return code;
    return sign | code;
}

int64_t weft_dtype_load_int(weft_dtype t, const void *p) {
    const weft_dtype_info *info = weft_dtype_of(t);
    uint64_t raw = 0;
    memcpy(&raw, p, info->stored_bytes);
    if (info->kind == WEFT_KIND_BOOL) return raw != 0;
    raw <<= 64 - info->bits;
    return info->kind == WEFT_KIND_UINT ? (int64_t)(raw >> (64 - info->bits)) : (int64_t)raw >> (64 - info->bits);
}

void weft_dtype_store_int(weft_dtype t, void *p, int64_t v) {
    const weft_dtype_info *info = weft_dtype_of(t);
    uint64_t raw = (uint64_t)v << (64 - info->bits);
    raw = info->kind == WEFT_KIND_BOOL   ? v != 0
          : info->kind == WEFT_KIND_UINT ? raw >> (64 - info->bits)
                                         : (uint64_t)((int64_t)raw >> (64 - info->bits));
    memcpy(p, &raw, info->stored_bytes);
}

bool weft_dtype_holds_int(weft_dtype t, int64_t v) {
    char bytes[8];
    if (t == WEFT_UI64) return v >= 0;
    weft_dtype_store_int(t, bytes, v);
    return weft_dtype_load_int(t, bytes) == v;
}

double weft_dtype_load(weft_dtype t, const void *p) {
    const weft_dtype_info *info = weft_dtype_of(t);
    uint64_t raw = 0;
    switch (t) {
    case WEFT_F32: case WEFT_C64: { float v; memcpy(&v, p, sizeof v); return v; }
    case WEFT_F64: case WEFT_C128: { double v; memcpy(&v, p, sizeof v); return v; }
    default: memcpy(&raw, p, info->stored_bytes);
    }
    if (info->kind == WEFT_KIND_FLOAT) return small_load(&formats[t], (uint32_t)raw);
    const int64_t v = weft_dtype_load_int(t, p);
    return info->kind == WEFT_KIND_UINT ? (double)(uint64_t)v : (double)v;
}

static uint64_t integer_of(const weft_dtype_info *info, double v) {
    if (isnan(v)) return 0;
    if (info->kind == WEFT_KIND_UINT) {
        if (v <= 0) return 0;
        return v >= power_of_two(info->bits) ? ~(uint64_t)0 >> (64 - info->bits) : (uint64_t)v;
    }
    double limit = power_of_two(info->bits - 1);
    if (v >= limit) return ((uint64_t)1 << (info->bits - 1)) - 1;
    if (v < -limit) return ~(uint64_t)0 << (info->bits - 1);
    return (uint64_t)(int64_t)v;
}

void weft_dtype_store(weft_dtype t, void *p, double v) {
    const weft_dtype_info *info = weft_dtype_of(t);
    uint64_t raw;
    if (t == WEFT_C64 || t == WEFT_C128) memset(p, 0, info->stored_bytes);
    switch (t) {
    case WEFT_F32: case WEFT_C64: { float f = (float)v; memcpy(p, &f, sizeof f); return; }
    case WEFT_F64: case WEFT_C128: memcpy(p, &v, sizeof v); return;
    default: break;
    }
    if (info->kind == WEFT_KIND_FLOAT) raw = small_store(&formats[t], v);
    else if (info->kind == WEFT_KIND_BOOL) raw = v != 0;
    else raw = integer_of(info, v);
    memcpy(p, &raw, info->stored_bytes);
}

double weft_dtype_greatest(weft_dtype t) {
    if (weft_dtype_of(t)->kind == WEFT_KIND_BOOL) return 1;
    if (!weft_dtype_is_narrow_float(t) || formats[t].top == WEFT_TOP_IEEE) return INFINITY;
    const uint32_t code = weft_float_max_code(&formats[t]);
    return weft_dtype_load(t, &code);
}

double weft_dtype_least(weft_dtype t) {
    const uint32_t first = 0;
    if (weft_dtype_of(t)->kind == WEFT_KIND_BOOL) return 0;
    if (!weft_dtype_is_narrow_float(t)) return -INFINITY;
    return formats[t].has_sign ? -weft_dtype_greatest(t) : weft_dtype_load(t, &first);
}
