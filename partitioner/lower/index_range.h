/* index_range.h: between which numbers one component of indices lies, as far as the ops that made them tell. */
#ifndef WEFT_PARTITIONER_INDEX_RANGE_H
#define WEFT_PARTITIONER_INDEX_RANGE_H

#include "ir/module.h"

typedef struct weft_range {
    int64_t low, high; /* both in it; INT64_MIN and INT64_MAX: not known */
} weft_range;

/* Of the elements of v, integers, whose place along dimension dim is `at`; dim = the rank: of all elements. */
weft_range weft_index_range(const weft_value *v, uint32_t dim, int64_t at);
/* Of all elements of v. */
static inline weft_range weft_index_range_of(const weft_value *v) { return weft_index_range(v, v->type->rank, 0); }
static inline bool weft_index_is_known(weft_range r) { return r.low != INT64_MIN || r.high != INT64_MAX; }
/* Whether pred, of booleans, is false everywhere: a comparison of indices that never holds. */
bool weft_index_is_never(const weft_value *pred);

#endif
