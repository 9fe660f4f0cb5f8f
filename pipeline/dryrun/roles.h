/* roles.h: what the arguments of a step are for.
 *
 * Found from the program alone, not from names:
 *   updated     a result takes its memory (tf.aliasing_output), or else is the first left of its type that depends on
 *               it
 *   parameter   of floats, updated, and read by a result of other sizes (the loss; other parameters, by their
 *               gradients); where nothing is so: of floats, without the batch
 *   state       updated and not a parameter: moments of an optimizer, counters; caches, overwritten in part; and what
 *               only results of its own sizes depend on (a moment whose result has another type)
 *   data        the others: integers, and what has the batch
 * The batch is the class (dims.h) of the leading dimension of the first argument that is not updated: of integers, else
 * of two dimensions or more. If no parameter is updated, the results have it first. The leading dimension is the first
 * that no loop goes through one by one, as through micro-batches or steps of time; where loops go through all, the
 * first.
 */
#ifndef WEFT_PIPELINE_DRYRUN_ROLES_H
#define WEFT_PIPELINE_DRYRUN_ROLES_H

#include "pipeline/dryrun/dims.h"

typedef enum weft_role { WEFT_ROLE_PARAMETER, WEFT_ROLE_STATE, WEFT_ROLE_DATA } weft_role;

typedef struct weft_roles {
    weft_role *of;             /* by argument */
    int64_t *result;           /* by argument: the one that updates it; -1: none */
    uint32_t argument_count, result_count;
    uint32_t batch;            /* class; WEFT_NO_CLASS: none */
    const bool *scanned;       /* by class: loops go through it one by one */
} weft_roles;

/* The number of v's leading dimension; 0 also where it has none. */
uint32_t weft_leading_dim(const weft_roles *r, const weft_dim_classes *c, const weft_value *v);
/* Its class. */
uint32_t weft_leading_class(const weft_roles *r, const weft_dim_classes *c, const weft_value *v);

/* "parameter", "state", "data" */
const char *weft_role_name(weft_role role);

/* Of m's @main. m and c as in dims.h; in arena. */
weft_status weft_roles_find(const weft_module *m, const weft_dim_classes *c, weft_arena *arena, weft_roles *out);

#endif
