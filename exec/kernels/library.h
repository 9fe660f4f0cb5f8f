/* library.h: products and convolutions that oneDNN computes: the kernels "product", whose state is a weft_matmul, and
 * "convolution", whose state is a weft_conv_task.
 *
 * What is loaded is a list of oneDNN primitives over the step's buffers: operands, result, scratch. It is made once,
 * with the program, and run by many threads: scratch memory is the caller's, memory objects are made per call. Scratch
 * memory is the step's, if what its plan gives is enough, else the list's own (scratch.h).
 */
#ifndef WEFT_KERNELS_LIBRARY_H
#define WEFT_KERNELS_LIBRARY_H

#include "exec/kernels/convolution.h"
#include "exec/kernels/product.h"
#include "exec/executable.h"

/* The step's buffers, in this order. */
enum { WEFT_LIBRARY_LHS, WEFT_LIBRARY_RHS, WEFT_LIBRARY_RESULT, WEFT_LIBRARY_SCRATCH, WEFT_LIBRARY_BUFFERS };

typedef struct weft_library weft_library;
/* Refuses, with a report, dimensions of 2^31 elements or more, which oneDNN's 32 bits cannot count: it would end the
 * process. The makers below refuse them too. */
weft_status weft_library_accepts_matmul(weft_context *cx, const weft_matmul *m, const weft_loc *loc);
weft_status weft_library_accepts_conv(weft_context *cx, const weft_conv_task *c, const weft_loc *loc);
weft_status weft_library_matmul(weft_context *cx, const weft_matmul *m, const weft_loc *loc, weft_library **out);
weft_status weft_library_conv(weft_context *cx, const weft_conv_task *c, const weft_loc *loc, weft_library **out);
/* Whether oneDNN has no code for a part of it and leaves that to its reference, which takes some hundred times as long.
 */
bool weft_library_is_reference(const weft_library *s);
/* Whether a part of it is done by oneDNN's code for any strides, or by BLAS in its place: code that knows the processor
 * takes matrices without gaps only. */
bool weft_library_is_older(const weft_library *s);
bool weft_library_is_blas(const weft_library *s); /* BLAS does the product in oneDNN's place: dnn_blas.h */
int64_t weft_library_scratch_bytes(const weft_library *s); /* that it takes, wherever */
/* Of those what no plan shows, for each thread that runs it: all of it where the plan gives too little, else 0. */
int64_t weft_library_workspace_bytes(const weft_library *s);
/* Only the list's spare scratch memory changes: any number of threads run it at once. */
weft_status weft_library_run(weft_library *s, void *const *buffers);
void weft_library_free(weft_library *s); /* NULL is fine */

/* Part i of what the kernels "product" and "convolution" prepared. library_parts.c */
const weft_library *weft_library_part(const void *prepared, int i);

#endif
