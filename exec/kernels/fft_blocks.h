/* fft_blocks.h: the kernel "fft": transforms along the last dimensions, one after another, in the precision of the
 * type.
 *
 * A block is what is transformed together: the last one to three dimensions. A real transform's last dimension has the
 * n / 2 + 1 numbers that its symmetry leaves. A real row of even length is half as many complex numbers, whose
 * transform is taken apart (Cooley, Lewis, Welch, J. Sound and Vibration 12(3), 1970). Dimensions after the first are
 * transformed where the result lies. Buffers: the operand, the result, scratch.
 */
#ifndef WEFT_KERNELS_FFT_BLOCKS_H
#define WEFT_KERNELS_FFT_BLOCKS_H

#include "exec/kernels/kernels.h"

/* As StableHLO names them: R has reals on one side, I is the inverse. */
typedef enum weft_fft_kind { WEFT_FFT_FFT, WEFT_FFT_IFFT, WEFT_FFT_RFFT, WEFT_FFT_IRFFT } weft_fft_kind;

typedef struct weft_fft_state {
    int64_t batch;
    int64_t length[3];      /* as the op says, slowest first; 1 where it has fewer */
    int32_t kind;           /* weft_fft_kind */
    int32_t wide;           /* f64 */
} weft_fft_state;

int64_t weft_fft_scratch_bytes(const weft_fft_state *s);

#endif
