/* quantity.h: numbers with their units, as descriptions of machines and tables of measurements have them: 450GB/s,
 * 400Gbit/s, 2us, 989Tflop/s, 80GB, 96GiB. Where only sizes can be meant (options, variables, rules by size) the unit
 * may be left out, and K, M, G and T alone are powers of 1024. Read and printed without the locale. */
#ifndef WEFT_BASE_QUANTITY_H
#define WEFT_BASE_QUANTITY_H

#include "base/str.h"

/* bytes/s, s, flop/s, bytes, and what has no unit */
typedef enum weft_quantity {
    WEFT_RATE,
    WEFT_TIME,
    WEFT_FLOPS,
    WEFT_SIZE,
    WEFT_NUMBER,
    WEFT_QUANTITIES
} weft_quantity;

/* The quantity that s is, as a whole; WEFT_QUANTITIES: none, and *out is unchanged. */
weft_quantity weft_quantity_read(weft_str s, double *out);
/* Whether such a value is in range: above 0, but a time may be 0. */
bool weft_quantity_fits(weft_quantity q, double v);
/* Its name in messages: "a bandwidth, as 450GB/s or 400Gbit/s". */
const char *weft_quantity_about(weft_quantity q);

/* Reads a size at the beginning of *s: 4096, 64K, 1.5GiB, 80GB; *s goes on after it. false, and neither is changed:
 * there is none, or it is 2^53 bytes or more. */
bool weft_size_take(weft_str *s, int64_t *out);

/* "450GB/s": with three digits, or more if needed to keep the value. And "2us". */
void weft_scaled_print(weft_buf *b, double v, const char *unit);
void weft_time_print(weft_buf *b, double s);

#endif
