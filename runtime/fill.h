/* fill.h: values for arrays that depend on nothing but a seed, a number of the array, and the element's index. */
#ifndef WEFT_RUNTIME_FILL_H
#define WEFT_RUNTIME_FILL_H

#include "base/dtype.h"

typedef enum weft_fill_kind {
    WEFT_FILL_NORMAL,    /* floats: mean 0, deviation `scale`; integers 0 .. 15, or 0 .. scale - 1; bools even odds */
    WEFT_FILL_UNIFORM,   /* floats: [0, scale); the others as above */
    WEFT_FILL_CONSTANT   /* every element is `scale` */
} weft_fill_kind;
typedef struct weft_fill { weft_fill_kind kind; double scale; uint64_t seed; } weft_fill;

void weft_fill_element(const weft_fill *fill, weft_dtype t, uint32_t arg, int64_t index, void *out);

#endif
