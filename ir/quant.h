/* quant.h: uniform quantised element types.
 *
 * An element is an integer i of the storage type between min and max. It represents (i - zero_point) * scale, a number
 * of the expressed type. One scale and zero point serve the whole tensor (axis is WEFT_PER_TENSOR), or slice k along
 * dimension `axis` has its own, scales[k] and zero_points[k].
 *
 * A tensor type of quantised elements (type.h) has the storage type as its dtype, so sizes, layouts and literals are
 * those of the integers; `quant` gives their meaning. Code that computes with elements checks quant first.
 * Authority: StableHLO docs/spec.md, "Types", quantized element types (C1) to (C13).
 */
#ifndef WEFT_IR_QUANT_H
#define WEFT_IR_QUANT_H

#include "base/context.h"
#include "base/dtype.h"

#define WEFT_PER_TENSOR (-1)

/* Immutable; belongs to the type that has it, which belongs to the context. */
typedef struct weft_quant {
    weft_dtype storage, expressed;
    int64_t min, max;            /* of the storage */
    int32_t axis;                /* or WEFT_PER_TENSOR */
    uint32_t count;              /* of scales and of zero points; 1 when per tensor */
    const double *scales;
    const int64_t *zero_points;
} weft_quant;

static inline bool weft_quant_per_axis(const weft_quant *q) { return q->axis != WEFT_PER_TENSOR; }

/* Storage types are the integers of up to 32 bits. */
bool weft_quant_is_storage(weft_dtype t);
int64_t weft_quant_least(weft_dtype storage); /* the default min and max */
int64_t weft_quant_most(weft_dtype storage);

bool weft_quant_equal(const weft_quant *a, const weft_quant *b); /* to the last bit; either may be NULL */
/* Equal except for scales, zero points and axis: the comparison of type inference. Either may be NULL. */
bool weft_quant_agree(const weft_quant *a, const weft_quant *b);
uint64_t weft_quant_hash(const weft_quant *q);

/* Whether q is a valid element type for a tensor of that shape; if not, the reason is written to why[0..size). dims
 * NULL: for any shape. */
bool weft_quant_valid(const weft_quant *q, uint32_t rank, const int64_t *dims, char *why, size_t size);

/* As MLIR prints it: !quant.uniform<i8<-127:127>:f32:1, {1.000000e-01:2,3.000000e-01}>, but with all digits that a
 * scale needs to be read back exactly. */
void weft_quant_print(weft_buf *b, const weft_quant *q);

#endif
