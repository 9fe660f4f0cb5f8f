/* index_type.h: the integer type of indices that a pass computes in a program.
 *
 * i32 for most programs, the fastest on machines; i64 once a dimension is so large that the sum of two positions in it,
 * or a size rounded up to equal parts, may overflow. All index arithmetic takes its type from here.
 */
#ifndef WEFT_IR_INDEX_TYPE_H
#define WEFT_IR_INDEX_TYPE_H

#include "ir/module.h"

#define WEFT_INDEX_NARROW_MOST ((int64_t)1 << 30) /* largest dimension, and distance of a position from 0 */

/* For positions in dimensions of at most this many elements. */
static inline weft_dtype weft_index_dtype(int64_t elems) {
    return elems <= WEFT_INDEX_NARROW_MOST ? WEFT_I32 : WEFT_I64;
}
/* Whether an index of type t (i32 or i64) can hold position v with as much room again. */
static inline bool weft_index_holds(weft_dtype t, int64_t v) {
    return t == WEFT_I64 || (v <= WEFT_INDEX_NARROW_MOST && v >= -WEFT_INDEX_NARROW_MOST);
}
/* For positions in any dimension of any value of m. */
weft_dtype weft_module_index_dtype(const weft_module *m);

#endif
