/* gradients.h: the gradients of a step's parameters, found from the program alone.
 *
 * The new value of a parameter is computed element by element from the old one, the optimizer's state and its gradient.
 * So of all values that it is computed from, element by element, the gradient is the first that depends on all those
 * that come from elsewhere (products, sums, loops), and on no argument.
 */
#ifndef WEFT_PIPELINE_DRYRUN_GRADIENTS_H
#define WEFT_PIPELINE_DRYRUN_GRADIENTS_H

#include "pipeline/dryrun/roles.h"

/* of[i]: of argument i, or NULL: it is no parameter, or none is found. In arena. */
weft_status weft_gradients_find(const weft_module *m, const weft_roles *roles, weft_arena *arena,
                                const weft_value *const **of);

#endif
