/* csr.h: the kernel "csr": a sparse matrix by rows times a dense vector or matrix.
 *
 * Buffers: values, where each row begins (rows + 1 indices), the values' columns, the dense operand, the result.
 */
#ifndef WEFT_KERNELS_CSR_H
#define WEFT_KERNELS_CSR_H

#include "base/dtype.h"
#include "exec/kernels/kernels.h"

typedef struct weft_csr_state {
    int64_t rows, columns, width, stored; /* width: columns of the dense operand */
    int32_t dtype;
    int32_t wide_index;
} weft_csr_state;

bool weft_csr_has(weft_dtype t); /* values of this type */

#endif
