/* library.h: products and convolutions that oneDNN computes: the kernels "product", whose state is a cg_matmul, and
 * "convolution", whose state is a cg_conv_task.
 *
 * What is loaded is a list of oneDNN primitives over the step's buffers: operands, result, scratch. It is made once,
 * with the program, and run by many threads: scratch memory is the caller's, memory objects are made per call.
 */
#ifndef WEFT_CODEGEN_LIBRARY_H
#define WEFT_CODEGEN_LIBRARY_H

#include "codegen/conv.h"
#include "codegen/dot.h"
#include "exec/executable.h"

/* The step's buffers, in this order. */
enum { CG_LIBRARY_LHS, CG_LIBRARY_RHS, CG_LIBRARY_RESULT, CG_LIBRARY_SCRATCH, CG_LIBRARY_BUFFERS };

typedef struct cg_library cg_library;
weft_status cg_library_matmul(weft_context *cx, const cg_matmul *m, const weft_loc *loc, cg_library **out);
weft_status cg_library_conv(weft_context *cx, const cg_conv_task *c, const weft_loc *loc, cg_library **out);
/* Whether oneDNN has no code for a part of it and leaves that to its reference, which takes some hundred times as long.
 */
bool cg_library_is_reference(const cg_library *s);
int64_t cg_library_scratch_bytes(const cg_library *s);
void cg_library_free(cg_library *s); /* NULL is fine */

#endif
