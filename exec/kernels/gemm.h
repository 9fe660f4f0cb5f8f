/* gemm.h: matrix products of the types that oneDNN does not multiply: f64, and integers of 32 and 64 bits, which wrap
 * around.
 *
 * Panels of both operands are copied side by side into scratch memory, tiles of the result are summed up in registers.
 * Rows and columns of an operand are several dimensions of any strides (weft_product_axes): the windows of a
 * convolution are packed straight from the image, and a left operand that meets few columns is not packed at all.
 * Source of the scheme: Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34(3), 2008.
 */
#ifndef WEFT_KERNELS_GEMM_H
#define WEFT_KERNELS_GEMM_H

#include "exec/kernels/product.h"

bool weft_gemm_has(weft_dtype t); /* products of this type */

/* Scratch memory of the kernel "gemm", whose state is a weft_matmul. Buffers: lhs, rhs, result, scratch (library.h). */
int64_t weft_gemm_scratch_bytes(const weft_matmul *m);

#endif
