/* cholesky.h: Cholesky factors of a batch of row-major matrices, by LAPACK; NaN where one is not positive definite.
 *
 * Buffers: the matrices, the factors, which may be the same memory. The other triangle becomes 0, as XLA has it.
 */
#ifndef WEFT_KERNELS_CHOLESKY_H
#define WEFT_KERNELS_CHOLESKY_H

#include "exec/kernels/kernels.h"

typedef struct weft_cholesky_state {
    int32_t type;           /* 0 s, 1 d, 2 c, 3 z */
    int32_t order;
    char uplo[8];           /* for the column-major side */
    int64_t batch;
} weft_cholesky_state;

#endif
