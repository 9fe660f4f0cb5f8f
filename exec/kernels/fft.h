/* fft.h: discrete Fourier transforms of complex doubles, of any length.
 *
 *   X[k] = sum over j of x[j] exp(-2 pi i j k / n)
 *
 * Lengths without large prime factors are taken apart into passes of small radix that leave the result in order
 * (Stockham; Van Loan, Computational Frameworks for the Fast Fourier Transform, 1992, 1.7). A length with a large prime
 * factor becomes a convolution of a length without (Bluestein, IEEE Trans. Audio Electroacoust. 18(4), 1970), so that
 * no length costs more than O(n log n). Roots of unity are computed one by one from reduced angles, each right to a
 * unit in the last place or so.
 *
 * Why not a packaged library: FFTW's licence does not fit, KISS FFT is quadratic in prime lengths, and oneDNN has none.
 */
#ifndef WEFT_KERNELS_FFT_H
#define WEFT_KERNELS_FFT_H

#include <stddef.h>
#include <stdint.h>

/* Numbers (doubles) in the table for length n, and in the room that transforming `inner` lines side by side needs. */
int64_t weft_fft_table_size(int64_t n);
int64_t weft_fft_work_size(int64_t n, int64_t inner);
void weft_fft_table(int64_t n, double *table);

/* Transforms the columns of x[n][inner], complex numbers as pairs, in place. The inverse, unscaled, is the same with
 * real and imaginary parts exchanged before and after. */
void weft_fft(int64_t n, int64_t inner, const double *table, double *x, double *work);

#endif
