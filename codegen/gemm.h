/* gemm.h: matrix products of the types that oneDNN does not multiply: f64, and integers of 32 and 64 bits, which wrap
 * around.
 *
 * Panels of both operands are copied side by side into scratch memory, tiles of the result are summed up in registers.
 * Rows and columns of an operand are several dimensions of any strides (cg_axes): the windows of a convolution are
 * packed straight from the image, and a left operand that meets few columns is not packed at all. Source of the scheme:
 * Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, ACM TOMS 34(3), 2008.
 */
#ifndef WEFT_CODEGEN_GEMM_H
#define WEFT_CODEGEN_GEMM_H

#include "codegen/dot.h"

bool cg_gemm_has(weft_dtype t);

/* Scratch memory of the kernel "gemm", whose state is a cg_matmul. Buffers: lhs, rhs, result, scratch (library.h). */
int64_t cg_gemm_scratch_bytes(const cg_matmul *m);

#endif
