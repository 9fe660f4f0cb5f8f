/* fill: random values by counter, so that a tensor is the same however it is split.
 *
 * splitmix64's finaliser (Steele, Lea and Flood, OOPSLA 2014) hashes (seed, argument, element, draw) to 64 bits.
 */
#include <math.h>
#include "runtime/fill.h"

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* In [0, 1). */
static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

/* Box and Muller, 1958: one normal deviate of two uniform ones. */
static double normal(uint64_t a, uint64_t b) {
    return sqrt(-2 * log(1 - unit(a))) * cos(2 * 3.14159265358979323846 * unit(b));
}

static double draw(const weft_fill *fill, uint64_t key) {
    switch (fill->kind) {
    case WEFT_FILL_NORMAL: return fill->scale * normal(mix(key), mix(key ^ 0x5851f42d4c957f2du));
    case WEFT_FILL_UNIFORM: return fill->scale * unit(mix(key));
    case WEFT_FILL_CONSTANT: break;
    }
    return fill->scale;
}

void weft_fill_element(const weft_fill *fill, weft_dtype t, uint32_t arg, int64_t index, void *out) {
    const weft_dtype_info *info = weft_dtype_of(t);
    uint64_t key = mix(mix(fill->seed) ^ arg) + (uint64_t)index;
    uint64_t range = fill->scale >= 1 ? (uint64_t)fill->scale : 16;
    size_t half = info->stored_bytes / 2u;
    if (fill->kind == WEFT_FILL_CONSTANT && info->kind != WEFT_KIND_COMPLEX) {
        weft_dtype_store(t, out, fill->scale);
        return;
    }
    switch (info->kind) {
    case WEFT_KIND_BOOL: weft_dtype_store(t, out, (double)(mix(key) & 1)); break;
    case WEFT_KIND_INT:
    case WEFT_KIND_UINT: weft_dtype_store(t, out, (double)(mix(key) % range)); break;
    case WEFT_KIND_FLOAT: weft_dtype_store(t, out, draw(fill, key)); break;
    case WEFT_KIND_COMPLEX:
        weft_dtype_store(t == WEFT_C64 ? WEFT_F32 : WEFT_F64, out, draw(fill, key));
        weft_dtype_store(t == WEFT_C64 ? WEFT_F32 : WEFT_F64, (char *)out + half,
                         fill->kind == WEFT_FILL_CONSTANT ? 0 : draw(fill, ~key));
        break;
    }
}
