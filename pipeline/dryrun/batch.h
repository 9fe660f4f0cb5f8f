/* batch.h: a program's step on another batch.
 *
 * The batch is the class of dimensions (dims.h) that weft_roles finds. Every dimension of that class, which has the
 * batch as its major factor, grows or shrinks as it does: 8 x 1024 tokens in one dimension become 16 x 1024. A program
 * that does more with its batch than to pass it on (constants of its size, parts of it, padding) is refused. Numbers
 * that are computed from the size, as a mean's divisor, stay what they are: they change results, not costs.
 */
#ifndef WEFT_PIPELINE_DRYRUN_BATCH_H
#define WEFT_PIPELINE_DRYRUN_BATCH_H

#include "ir/module.h"

/* *m, the caller's, becomes the program (of one function, as after weft-prepare) with a batch of that size. Reports. */
weft_status weft_module_set_batch(weft_module **m, int64_t batch);

#endif
