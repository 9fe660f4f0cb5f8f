/* index_steps.h: indices that rise evenly along their dimensions, as far as the ops that made them tell. */
#ifndef WEFT_PARTITIONER_INDEX_STEPS_H
#define WEFT_PARTITIONER_INDEX_STEPS_H

#include "ir/module.h"

/* The element at i is start + the sum of step[d] * i[d]. */
typedef struct weft_steps { int64_t start, step[WEFT_MAX_RANK]; } weft_steps;

/* Of the elements of v, integers, whose place along dimension dim is `at` (dim = the rank: of all elements). step[dim]
 * is 0 then. False: not known. */
bool weft_index_steps(const weft_value *v, uint32_t dim, int64_t at, weft_steps *out);

#endif
