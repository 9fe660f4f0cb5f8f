/* arguments.h: arguments of @main by patterns, as a user writes them.
 *
 * A pattern is an argument's number, or a name in which * stands for any characters and ? for one. JAX names an
 * argument by its path, params['layers']['wq'] or state[0].mu['wq']; a pattern may also be for the same path with dots,
 * params.layers.wq and state.0.mu.wq. An argument without a name in its location has that of the text (%x or x), or of
 * the result to which it is donated.
 */
#ifndef WEFT_PIPELINE_DRYRUN_ARGUMENTS_H
#define WEFT_PIPELINE_DRYRUN_ARGUMENTS_H

#include "ir/given_name.h"

/* The argument's path with dots; empty if it has no name. In arena; .p NULL: memory is out. */
weft_str weft_argument_path(const weft_op *func, uint32_t argument, weft_arena *arena);

/* The numbers of all arguments that the pattern covers, in arena. None is an error at loc, with the nearest names. */
weft_status weft_arguments_matching(const weft_module *m, const weft_loc *loc, weft_str pattern, weft_arena *arena,
                                    const uint32_t **out, uint32_t *count);

#endif
