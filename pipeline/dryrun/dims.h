/* dims.h: dimensions of a program that belong together.
 *
 * Two dimensions are of one class if an op's rule (sharding/rule.h) gives them a common major factor, or a loop or
 * branch passes them on: what is split along one is split alike along the others. The batch of a training step is one
 * class, so are a layer's hidden units with the rows and columns of their matrices, their gradients and moments.
 * Dimensions of size 1 are in no class.
 */
#ifndef WEFT_PIPELINE_DRYRUN_DIMS_H
#define WEFT_PIPELINE_DRYRUN_DIMS_H

#include "ir/module.h"

#define WEFT_NO_CLASS UINT32_MAX

typedef struct weft_dim_classes {
    const uint32_t *first;     /* by value id: the number of its dimension 0 */
    uint32_t *parent;          /* by number of a dimension */
    uint32_t count;
} weft_dim_classes;

/* m: of one function, with static shapes (weft-prepare). In arena. */
weft_status weft_dim_classes_find(const weft_module *m, weft_arena *arena, weft_dim_classes *out);

/* Below count, equal for dimensions of one class; WEFT_NO_CLASS for a size of 1. */
uint32_t weft_dim_class(const weft_dim_classes *c, const weft_value *v, uint32_t dim);

#endif
