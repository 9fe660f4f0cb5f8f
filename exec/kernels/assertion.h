/* assertion.h: the kernel "assert" fails with a message where its condition is false.
 *
 * Buffers: the condition, an i1, then the numbers that the message names by {0}, {1} ...
 */
#ifndef WEFT_KERNELS_ASSERTION_H
#define WEFT_KERNELS_ASSERTION_H

#include "exec/kernels/kernels.h"

enum { WEFT_ASSERT_INPUTS = 32 };

typedef struct weft_assert_state {
    uint8_t bytes[WEFT_ASSERT_INPUTS]; /* of each number for the message */
    int32_t inputs, length;
    char message[];
} weft_assert_state;

#endif
