/* conv_zeros.h: what the zeros around and between the elements of a convolution's operand do to what is not finite.
 *
 * StableHLO writes zeros there and multiplies: by an infinite element of the kernel that is no number. Libraries leave
 * such products out. So results whose windows meet an infinite element over a zero are put right after them. Whether
 * there is any is seen in a result that meets every element over a real one, where there is such; else the kernel is
 * looked through.
 */
#ifndef WEFT_KERNELS_CONV_ZEROS_H
#define WEFT_KERNELS_CONV_ZEROS_H

#include "exec/kernels/convolution.h"

/* Bytes of scratch memory that weft_conv_zeros needs; 0: no window meets a zero. */
int64_t weft_conv_zeros_room(const weft_conv_task *c);
/* buffers: lhs, rhs, result, as c's tensors lie in them. */
void weft_conv_zeros(const weft_conv_task *c, void *const *buffers, uint8_t *room);

#endif
