/* dtype.c: the table of element types and their conversion to and from double.
 *
 * Small floats are described by their exponent and mantissa widths, bias and what the top codes mean (StableHLO spec,
 * "Types"; ml_dtypes gives the same values), and converted by one pair of functions. */
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

/* How the codes with all exponent bits set are read. */
typedef enum top_codes {
    TOP_IEEE,     /* infinity, and NaN where the mantissa is not zero */
    TOP_ONE_NAN,  /* finite but for the one code of all ones (FN) */
    TOP_FINITE,   /* finite */
    TOP_UNSIGNED_ZERO /* finite; the code of minus zero is the one NaN (FNUZ) */
} top_codes;

typedef struct small_float {
    uint8_t exponent_bits, mantissa_bits;
    int16_t bias;
    uint8_t top;
    bool has_sign;
} small_float;

static const small_float small_floats[WEFT_DTYPE_COUNT] = {
    [WEFT_F4E2M1FN] = { 2, 1, 1, TOP_FINITE, true },
    [WEFT_F6E2M3FN] = { 2, 3, 1, TOP_FINITE, true },
    [WEFT_F6E3M2FN] = { 3, 2, 3, TOP_FINITE, true },
    [WEFT_F8E3M4] = { 3, 4, 3, TOP_IEEE, true },
    [WEFT_F8E4M3] = { 4, 3, 7, TOP_IEEE, true },
    [WEFT_F8E4M3FN] = { 4, 3, 7, TOP_ONE_NAN, true },
    [WEFT_F8E4M3FNUZ] = { 4, 3, 8, TOP_UNSIGNED_ZERO, true },
    [WEFT_F8E4M3B11FNUZ] = { 4, 3, 11, TOP_UNSIGNED_ZERO, true },
    [WEFT_F8E5M2] = { 5, 2, 15, TOP_IEEE, true },
    [WEFT_F8E5M2FNUZ] = { 5, 2, 16, TOP_UNSIGNED_ZERO, true },
    [WEFT_F8E8M0FNU] = { 8, 0, 127, TOP_ONE_NAN, false },
    [WEFT_BF16] = { 8, 7, 127, TOP_IEEE, true },
    [WEFT_F16] = { 5, 10, 15, TOP_IEEE, true },
};

static double small_load(const small_float *f, uint32_t code) {
    uint32_t mantissa = code & ((1u << f->mantissa_bits) - 1);
    uint32_t exponent = code >> f->mantissa_bits & ((1u << f->exponent_bits) - 1);
    uint32_t top = (1u << f->exponent_bits) - 1;
    bool negative = f->has_sign && code >> (f->mantissa_bits + f->exponent_bits) & 1;
    double v;
    if (f->top == TOP_UNSIGNED_ZERO && negative && !exponent && !mantissa) return NAN;
    if (f->top == TOP_IEEE && exponent == top) v = mantissa ? NAN : INFINITY;
    else if (f->top == TOP_ONE_NAN && exponent == top && mantissa == (1u << f->mantissa_bits) - 1) v = NAN;
    else if (exponent || !f->has_sign) v = ldexp(1 + ldexp(mantissa, -f->mantissa_bits), (int)exponent - f->bias);
    else v = ldexp(mantissa, 1 - f->bias - f->mantissa_bits);
    return negative ? -v : v;
}

/* Largest finite magnitude's code, without sign. */
static uint32_t small_max(const small_float *f) {
    uint32_t all = (1u << (f->exponent_bits + f->mantissa_bits)) - 1;
    if (f->top == TOP_IEEE) return all - (1u << f->mantissa_bits);
    return f->top == TOP_ONE_NAN ? all - 1 : all;
}

static uint32_t small_nan(const small_float *f) {
    uint32_t all = (1u << (f->exponent_bits + f->mantissa_bits)) - 1;
    switch ((top_codes)f->top) {
    case TOP_IEEE: return all - ((1u << f->mantissa_bits) - 1) + (1u << (f->mantissa_bits - 1));
    case TOP_ONE_NAN: return all;
    case TOP_UNSIGNED_ZERO: return all + 1;
    case TOP_FINITE: break;
    }
    return 0; /* no NaN: zero, as ml_dtypes does */
}

/* Rounds to nearest even. Past the largest finite value: infinity, NaN, or the largest value, as the type has them. */
static uint32_t small_store(const small_float *f, double v) {
    uint32_t sign = f->has_sign && signbit(v) ? 1u << (f->exponent_bits + f->mantissa_bits) : 0;
    uint32_t max = small_max(f);
    if (isnan(v) || (!f->has_sign && v < 0)) return f->top == TOP_UNSIGNED_ZERO ? small_nan(f) : sign | small_nan(f);
    double a = fabs(v);
    uint32_t code;
    if (isinf(v)) {
        code = max + 1;
    } else if (!f->has_sign) { /* powers of two only; zero becomes the smallest */
        int e;
        double m = a > 0 ? frexp(a, &e) : 0;
        int64_t exponent = a > 0 ? e - 1 + f->bias + (m * 2 >= 1.5) : 0;
        code = exponent < 0 ? 0 : exponent > max ? max + 1 : (uint32_t)exponent;
    } else {
        int e;
        frexp(a, &e);
        int exponent = a > 0 && e - 1 + f->bias > 0 ? e - 1 : 1 - f->bias;
        double units = nearbyint(ldexp(a, f->mantissa_bits - exponent));
        double base = (double)(exponent - (1 - f->bias)) * (1u << f->mantissa_bits); /* a carry in units moves to the next exponent */
        double wide = base + units;
        code = wide > max ? max + 1 : (uint32_t)wide;
    }
    if (code > max) {
        if (f->top == TOP_IEEE) code = max + 1;
        else if (f->top == TOP_FINITE) code = max;
        else return f->top == TOP_UNSIGNED_ZERO ? small_nan(f) : sign | small_nan(f);
    }
    if (f->top == TOP_UNSIGNED_ZERO && !code) return 0;
    return sign | code;
}

double weft_dtype_load(weft_dtype t, const void *p) {
    const weft_dtype_info *info = weft_dtype_of(t);
    uint64_t raw = 0;
    switch (t) {
    case WEFT_F32: case WEFT_C64: { float v; memcpy(&v, p, sizeof v); return v; }
    case WEFT_F64: case WEFT_C128: { double v; memcpy(&v, p, sizeof v); return v; }
    default: memcpy(&raw, p, info->stored_bytes);
    }
    if (info->kind == WEFT_KIND_FLOAT) return small_load(&small_floats[t], (uint32_t)raw);
    if (info->kind == WEFT_KIND_BOOL) return raw != 0;
    if (info->kind == WEFT_KIND_UINT) return (double)(raw & (~(uint64_t)0 >> (64 - info->bits)));
    return (double)((int64_t)(raw << (64 - info->bits)) >> (64 - info->bits));
}

static uint64_t integer_of(const weft_dtype_info *info, double v) {
    if (isnan(v)) return 0;
    if (info->kind == WEFT_KIND_UINT) {
        if (v <= 0) return 0;
        return v >= ldexp(1, info->bits) ? ~(uint64_t)0 >> (64 - info->bits) : (uint64_t)v;
    }
    double limit = ldexp(1, info->bits - 1);
    if (v >= limit) return ((uint64_t)1 << (info->bits - 1)) - 1;
    if (v < -limit) return (uint64_t)1 << (info->bits - 1);
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
    if (info->kind == WEFT_KIND_FLOAT) raw = small_store(&small_floats[t], v);
    else if (info->kind == WEFT_KIND_BOOL) raw = v != 0;
    else raw = integer_of(info, v);
    memcpy(p, &raw, info->stored_bytes);
}
