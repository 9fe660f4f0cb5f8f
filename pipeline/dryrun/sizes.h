/* sizes.h: sizes for a program of jax.export that leaves some open.
 *
 * Such a program calls a function whose first arguments, integers marked jax.global_constant = "seq", are its named
 * sizes; @main computes them from the dimensions of its arguments, and asserts what other dimensions are in terms of
 * them. Here the names are given and the dimensions follow: of a size's own dimension the least for which the program
 * computes that size, of the others what is asserted of them. The pass stablehlo-refine-arguments then gives
 * them to the arguments; weft-prepare, which is the caller's, refines the rest and checks it.
 */
#ifndef WEFT_PIPELINE_DRYRUN_SIZES_H
#define WEFT_PIPELINE_DRYRUN_SIZES_H

#include "ir/module.h"

/* "seq=8192", n of them, or "seq=8192,b=4". Every size must be given. *m, the caller's, as read, becomes the program
 * with arguments of these sizes. Reports. */
weft_status weft_module_set_sizes(weft_module **m, const char *const *texts, size_t n);

#endif
