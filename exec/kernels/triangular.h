/* triangular.h: systems with a triangular matrix, by inverses of its diagonal blocks.
 *
 * op(A) X = B or X op(A) = B, one A and B per entry of a batch, row-major. The diagonal is split into blocks of up to
 * WEFT_TRIANGULAR_BLOCK. In the order of substitution, what is known already is subtracted from a block's right-hand
 * sides by a matrix product, and the rest is multiplied by the block's inverse: no division depends on the one before,
 * as in substitution. The columns of a block are divided by its diagonal first, the rows of the unit triangle's inverse
 * in the end.
 *
 * The error of X is bounded as that of substitution is, component by component, by |inv(A)| |A| |X|; that of A X is
 * not. Source: Du Croz and Higham, Stability of methods for matrix inversion, IMA J. Numer. Anal. 12, 1992. XLA solves
 * in this way too; lapack_*trsm_ffi (lapack_factor.c) is substitution.
 */
#ifndef WEFT_KERNELS_TRIANGULAR_H
#define WEFT_KERNELS_TRIANGULAR_H

#include "exec/kernel.h"

enum { WEFT_TRIANGULAR_BLOCK = 32 };

typedef enum weft_triangular_flags {
    WEFT_TRIANGULAR_LEFT = 1 << 0,        /* op(A) X = B */
    WEFT_TRIANGULAR_LOWER = 1 << 1,       /* of A as it stands; the other triangle is not read */
    WEFT_TRIANGULAR_UNIT = 1 << 2,        /* the diagonal is 1 and not read */
    WEFT_TRIANGULAR_TRANSPOSED = 1 << 3,
    WEFT_TRIANGULAR_CONJUGATE = 1 << 4
} weft_triangular_flags;

/* A step's state: plain bytes, no padding. Buffers: A, B, X, scratch; X may be B. */
typedef struct weft_triangular {
    int32_t type;           /* 0 s, 1 d, 2 c, 3 z */
    int32_t order;          /* of A */
    int32_t others;         /* columns of X on the left side, rows on the right */
    uint32_t flags;
    int64_t batch;
} weft_triangular;

int64_t weft_triangular_scratch_bytes(const weft_triangular *t);

#endif
