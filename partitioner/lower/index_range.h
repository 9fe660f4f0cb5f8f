/* index_range.h: between which numbers one component of indices lies, as far as the ops that made them tell. */
#ifndef WEFT_PARTITIONER_INDEX_RANGE_H
#define WEFT_PARTITIONER_INDEX_RANGE_H

#include "ir/module.h"

typedef struct weft_range {
    int64_t low, high; /* both in it; INT64_MIN and INT64_MAX: not known */
} weft_range;

/* Of the elements of v, integers, whose place along dimension dim is `at`; dim = the rank: of all elements. */
weft_range weft_index_range(const weft_value *v, uint32_t dim, int64_t at);

#endif
