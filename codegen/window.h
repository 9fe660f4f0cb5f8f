/* window.h: windows that move over a tensor, as reduce_window, select_and_scatter and pooling have them. */
#ifndef WEFT_CODEGEN_WINDOW_H
#define WEFT_CODEGEN_WINDOW_H

#include "codegen/reduction.h"

/* Along one dimension; the padded operand has low + (dim - 1) * base + 1 + high elements there. */
typedef struct cg_window { int64_t size, stride, base, dilation, low, high; } cg_window;

/* The op's attributes, w[rank]; what is absent is 1 or 0. */
void cg_window_read(const weft_op *op, uint32_t rank, cg_window *w);

/* r->x, all of one shape, reduced over each window; out are the numbers of windows. Results into r->x. */
weft_status cg_window_reduce(cg_import *im, cg_reduction *r, const cg_window *w, const int64_t *out);

#endif
