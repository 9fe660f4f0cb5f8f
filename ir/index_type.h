/* index_type.h: which integer type the indices of a program have, where a pass computes them.
 *
 * i32 for most programs, which machines compute fastest; i64 once a dimension is so large that the sum of two places in
 * it, or a size rounded up to whole parts, may not fit. Who writes index arithmetic asks here and nowhere else.
 */
#ifndef WEFT_IR_INDEX_TYPE_H
#define WEFT_IR_INDEX_TYPE_H

#include "ir/module.h"

#define WEFT_INDEX_NARROW_MOST ((int64_t)1 << 30) /* dimensions up to here, and places as far from 0 on either side */

/* For places in dimensions of up to this many elements. */
static inline weft_dtype weft_index_dtype(int64_t elems) {
    return elems <= WEFT_INDEX_NARROW_MOST ? WEFT_I32 : WEFT_I64;
}
/* Whether an index of type t (i32 or i64) can be at place v with as much room again. */
static inline bool weft_index_holds(weft_dtype t, int64_t v) {
    return t == WEFT_I64 || (v <= WEFT_INDEX_NARROW_MOST && v >= -WEFT_INDEX_NARROW_MOST);
}
/* For places in any dimension of any value of m. */
weft_dtype weft_module_index_dtype(const weft_module *m);

#endif
