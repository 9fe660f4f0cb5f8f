/* scratch.h: the scratch memory that a plan gives products and convolutions by oneDNN.
 *
 * The size of oneDNN's own scratch memory depends on the processor that runs it and on its version. A plan depends on
 * the processor that it is made for only. So a plan gives what a rule over shapes says, fitted to oneDNN 2.6. Where
 * oneDNN takes more, the loaded step has a workspace of its own for each thread (weft_library_workspace_bytes).
 */
#ifndef WEFT_KERNELS_SCRATCH_H
#define WEFT_KERNELS_SCRATCH_H

#include "exec/kernels/convolution.h"
#include "exec/kernels/product.h"

/* Of the states as they are, widens included. */
int64_t weft_matmul_scratch_bytes(const weft_matmul *m);
int64_t weft_conv_scratch_bytes(const weft_conv_task *c);

#endif
