/* check.h: the kernel "check" compares two tensors and fails where they differ; check.c says what equal means.
 *
 * Buffers: actual, expected.
 */
#ifndef WEFT_KERNELS_CHECK_H
#define WEFT_KERNELS_CHECK_H

#include "base/dtype.h"
#include "exec/kernels/kernels.h"

enum { WEFT_CHECK_RANK = 64 }; /* the most dimensions */

typedef enum weft_check_kind { WEFT_CHECK_EXACT, WEFT_CHECK_ALMOST, WEFT_CHECK_CLOSE } weft_check_kind;

typedef struct weft_check_state {
    uint16_t kind;          /* weft_check_kind */
    uint16_t dtype;         /* of both tensors */
    uint32_t rank;
    uint64_t min_ulp, max_ulp; /* CLOSE */
    double tolerance;       /* ALMOST */
    int64_t dims[WEFT_CHECK_RANK];
} weft_check_state;

#endif
