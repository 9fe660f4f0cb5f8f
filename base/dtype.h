/* dtype.h: element types (dtypes.def). Data in memory is little-endian, one element per stored_bytes; i1 and the
 * other types under a byte take one byte each. */
#ifndef WEFT_BASE_DTYPE_H
#define WEFT_BASE_DTYPE_H

#include "base/str.h"

typedef enum weft_dtype {
    WEFT_DTYPE_NONE,
#define NAME(name) WEFT_##name,
#include "base/dtypes-name.def"
    WEFT_DTYPE_COUNT
} weft_dtype;

typedef enum weft_dtype_kind {
    WEFT_KIND_BOOL,
    WEFT_KIND_INT,
    WEFT_KIND_UINT,
    WEFT_KIND_FLOAT,
    WEFT_KIND_COMPLEX
} weft_dtype_kind;

typedef struct weft_dtype_info {
    const char *name;       /* as MLIR spells it: "f32", "ui8", "complex<f32>" */
    weft_dtype_kind kind;
    uint16_t bits;          /* of the value; complex: both parts */
    uint16_t stored_bytes;  /* in memory */
    const char *npy;        /* NumPy's descr without byte order ("f4"), NULL when NumPy has none */
} weft_dtype_info;

/* The meaning of the codes with all exponent bits set. */
typedef enum weft_float_top {
    WEFT_TOP_IEEE,         /* infinity, and NaN where the mantissa is not zero */
    WEFT_TOP_ONE_NAN,      /* finite, except for the one code of all ones, NaN (FN) */
    /* finite: values too large become the largest, NaN becomes zero of the opposite sign */
    WEFT_TOP_FINITE,
    WEFT_TOP_UNSIGNED_ZERO /* finite; the code of minus zero is the one NaN (FNUZ) */
} weft_float_top;

/* A float narrower than f32 (floats.def). A value is (-1)^sign 2^(exponent - bias) 1.mantissa; exponent 0: denormal.
 * A type without a sign bit has no mantissa and no zero either: its values are powers of two from exponent 0 on, and a
 * value that is not positive is NaN. */
typedef struct weft_float_format {
    uint8_t exponent_bits, mantissa_bits;
    int16_t bias;
    uint8_t top;            /* weft_float_top */
    bool has_sign;
} weft_float_format;

extern const weft_dtype_info weft_dtype_table[WEFT_DTYPE_COUNT];

static inline const weft_dtype_info *weft_dtype_of(weft_dtype t) { return &weft_dtype_table[t]; }
static inline size_t weft_dtype_bytes(weft_dtype t) { return weft_dtype_table[t].stored_bytes; }
static inline bool weft_dtype_is_float(weft_dtype t) { return t && weft_dtype_table[t].kind == WEFT_KIND_FLOAT; }
static inline bool weft_dtype_is_integer(weft_dtype t) {
    return t && (weft_dtype_table[t].kind == WEFT_KIND_INT || weft_dtype_table[t].kind == WEFT_KIND_UINT);
}
static inline bool weft_dtype_is_complex(weft_dtype t) { return t && weft_dtype_table[t].kind == WEFT_KIND_COMPLEX; }

/* The type of a complex type's parts; other types themselves. */
static inline weft_dtype weft_dtype_part(weft_dtype t) {
    return t == WEFT_C64 ? WEFT_F32 : t == WEFT_C128 ? WEFT_F64 : t;
}

static inline bool weft_dtype_is_narrow_float(weft_dtype t) {
    return weft_dtype_is_float(t) && weft_dtype_table[t].bits < 32;
}
/* The bits of a stored byte that are the value's. In a type under a byte the others repeat an integer's sign, or are
 * 0. */
static inline unsigned weft_dtype_value_bits(weft_dtype t) {
    return weft_dtype_table[t].bits < 8 ? (1u << weft_dtype_table[t].bits) - 1 : 0xFF;
}
/* Of a narrow float. */
const weft_float_format *weft_float_format_of(weft_dtype t);
/* The codes of the largest finite value, of infinity or its substitute, and of NaN or its substitute (all without
 * sign). */
uint32_t weft_float_max_code(const weft_float_format *f);
uint32_t weft_float_overflow_code(const weft_float_format *f);
uint32_t weft_float_nan_code(const weft_float_format *f);

/* WEFT_DTYPE_NONE when there is no such type. */
weft_dtype weft_dtype_parse(weft_str name);
weft_dtype weft_dtype_from_npy(weft_str descr);

/* The value as a double and back, rounded to nearest even; integers saturate, i2 and i4 extend their sign over the
 * byte. Complex: the real part. */
double weft_dtype_load(weft_dtype t, const void *p);
void weft_dtype_store(weft_dtype t, void *p, double v);

/* What no value of t is less, or greater, than: the infinities where t has them (and of integers, for stores saturate),
 * else the ends of its range; false and true. Not of complex types. */
double weft_dtype_least(weft_dtype t);
double weft_dtype_greatest(weft_dtype t);
/* For integers and booleans, exact; values above INT64_MAX as their two's complement. */
int64_t weft_dtype_load_int(weft_dtype t, const void *p);
/* The low bits of v; i2 and i4 extend their sign over the byte. */
void weft_dtype_store_int(weft_dtype t, void *p, int64_t v);
/* Whether an element of this type of integers or bools has the value, which does not wrap round then. */
bool weft_dtype_holds_int(weft_dtype t, int64_t v);

#endif
