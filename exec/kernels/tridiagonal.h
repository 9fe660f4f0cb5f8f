/* tridiagonal.h: the kernel "tridiagonal": tridiagonal systems that may be singular, right-hand sides column by column.
 *
 * Buffers: the diagonal below, the diagonal, the one above, right-hand sides, solutions, scratch.
 */
#ifndef WEFT_KERNELS_TRIDIAGONAL_H
#define WEFT_KERNELS_TRIDIAGONAL_H

#include "exec/kernels/kernels.h"

typedef struct weft_tridiagonal_state {
    int64_t batch, n, width;
    int32_t type;           /* weft_lapack_type */
    int32_t zero;
} weft_tridiagonal_state;

int64_t weft_tridiagonal_scratch_bytes(const weft_tridiagonal_state *s);

#endif
