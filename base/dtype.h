/* dtype.h: element types (dtypes.def). Data in memory is little-endian, one element per stored_bytes; i1 and the
 * other types under a byte take one byte each. */
#ifndef WEFT_BASE_DTYPE_H
#define WEFT_BASE_DTYPE_H

#include "base/str.h"

typedef enum weft_dtype {
    WEFT_DTYPE_NONE,
#define DTYPE(name, text, kind, bits, stored, npy) WEFT_##name,
#include "base/dtypes.def"
    WEFT_DTYPE_COUNT
} weft_dtype;

typedef enum weft_dtype_kind { WEFT_KIND_BOOL, WEFT_KIND_INT, WEFT_KIND_UINT, WEFT_KIND_FLOAT, WEFT_KIND_COMPLEX } weft_dtype_kind;

typedef struct weft_dtype_info {
    const char *name;       /* as MLIR spells it: "f32", "ui8", "complex<f32>" */
    weft_dtype_kind kind;
    uint16_t bits;          /* of the value; complex: both parts */
    uint16_t stored_bytes;  /* in memory */
    const char *npy;        /* NumPy's descr without byte order ("f4"), NULL when NumPy has none */
} weft_dtype_info;

extern const weft_dtype_info weft_dtype_table[WEFT_DTYPE_COUNT];

static inline const weft_dtype_info *weft_dtype_of(weft_dtype t) { return &weft_dtype_table[t]; }
static inline size_t weft_dtype_bytes(weft_dtype t) { return weft_dtype_table[t].stored_bytes; }
static inline bool weft_dtype_is_float(weft_dtype t) { return t && weft_dtype_table[t].kind == WEFT_KIND_FLOAT; }
static inline bool weft_dtype_is_integer(weft_dtype t) {
    return t && (weft_dtype_table[t].kind == WEFT_KIND_INT || weft_dtype_table[t].kind == WEFT_KIND_UINT);
}
static inline bool weft_dtype_is_complex(weft_dtype t) { return t && weft_dtype_table[t].kind == WEFT_KIND_COMPLEX; }

/* The type of a complex type's parts; the type itself for others. */
static inline weft_dtype weft_dtype_part(weft_dtype t) { return t == WEFT_C64 ? WEFT_F32 : t == WEFT_C128 ? WEFT_F64 : t; }

/* WEFT_DTYPE_NONE when there is no such type. */
weft_dtype weft_dtype_parse(weft_str name);
weft_dtype weft_dtype_from_npy(weft_str descr);

/* The value as a double and back, rounded to nearest even; integers saturate. Complex: the real part. */
double weft_dtype_load(weft_dtype t, const void *p);
void weft_dtype_store(weft_dtype t, void *p, double v);

#endif
