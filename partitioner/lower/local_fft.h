/* local_fft.h: Fourier transforms along split dimensions: what those of complex numbers (local_fft.c) and the dimension
 * in which a transform has real numbers on one side (local_rfft.c) have in common.
 *
 * NULL values pass a failure on, as everywhere in lower/.
 */
#ifndef WEFT_PARTITIONER_LOCAL_FFT_H
#define WEFT_PARTITIONER_LOCAL_FFT_H

#include "partitioner/lower/local_ops.h"

static inline bool weft_fft_is_inverse(const weft_op *op) {
    const weft_enum_value v = weft_op_attr(op, WEFT_A_fft_type)->e;
    return v == WEFT_fft_type_IFFT || v == WEFT_fft_type_IRFFT;
}

/* The devices along which a dimension is split. */
typedef struct weft_fft_over {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n;
    int64_t devices;
} weft_fft_over;

/* The dimension other than d to which so many devices can carry their parts of d, with least padding; the type's rank:
 * there is none. What it has then, as a multiple of what it has now. */
uint32_t weft_fft_other_dim(const weft_type *local, uint32_t d, int64_t devices);
double weft_fft_widened(const weft_type *local, uint32_t other, int64_t devices);

/* x, split along dimension `from` in parts that have `size` elements together, whole along it and split along `to`,
 * which is padded where the devices do not divide it. */
weft_value *weft_fft_exchange(weft_localizer *z, weft_value *x, const weft_fft_over *over, uint32_t from, uint32_t to,
                              int64_t size);

/* The transform of this kind of x along its last dimension, to lines of n numbers, or of the half of those that are
 * complex (RFFT), of this element type. */
weft_value *weft_fft_lines(weft_localizer *z, weft_value *x, weft_enum_value kind, int64_t n, weft_dtype dtype);

weft_value *weft_fft_complex(weft_localizer *z, weft_value *re, weft_value *im); /* NULL where either is */

/* w^(i k), w = exp(-2 pi i / size), for x [rows, i, k], i counted from that of this device on; of an inverse its
 * conjugate. */
weft_value *weft_fft_twiddles(weft_localizer *z, const weft_op *op, const weft_value *x, const weft_fft_over *over,
                              int64_t size);

/* Whether a line of `size` real numbers can be transformed in parts: it has columns (local_rfft.c). */
bool weft_rfft_has_columns(int64_t size, int64_t devices);
/* The last dimension, of `size` real numbers, which is split. local: a device's part of either side. Bytes that a
 * device sends; below 0: it cannot be done, or a gather sends less. */
double weft_rfft_sent(weft_context *cx, const weft_op *op, const weft_type *local, int64_t size, int64_t devices);
/* x, parts of the operand's last dimension, transformed to those of the result's. */
weft_value *weft_rfft_parts(weft_localizer *z, const weft_op *op, weft_value *x, const weft_fft_over *over,
                            int64_t size);

#endif
