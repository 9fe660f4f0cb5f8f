/* print_float.c: a float as MLIR writes it.
 *
 * Six significant digits with an exponent (1.000000e+00) where they read back to the same value; else as many digits as
 * the format can carry, without an exponent for numbers of moderate size (1.22070313E-4, 3.14159274); else, and for
 * infinities and NaNs, the bit pattern in hexadecimal.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "mlir/writer.h"

/* digit[0] . digit[1] ... times 10^exponent */
typedef struct decimal {
    char digit[48];
    int n, exponent;
} decimal;

#define EXACT_DIGITS 45 /* enough that cutting them to 17 cannot mistake a number near a tie */

/* snprintf's separator follows the locale, so only the digits are taken from it. */
static decimal expand(double v) {
    char text[80];
    decimal d = { .n = 0 };
    snprintf(text, sizeof text, "%.*e", EXACT_DIGITS - 1, v);
    const char *q = text;
    for (; *q && *q != 'e'; q++)
        if (*q >= '0' && *q <= '9' && d.n < EXACT_DIGITS) d.digit[d.n++] = *q;
    d.exponent = *q ? atoi(q + 1) : 0;
    return d;
}

/* To at most n digits, halves away from zero, zeros at the end dropped. */
static decimal cut(decimal d, int n) {
    if (d.n > n) {
        bool up = d.digit[n] >= '5';
        d.n = n;
        while (up && d.n) {
            up = d.digit[d.n - 1] == '9';
            if (up) d.n--;
            else d.digit[d.n - 1]++;
        }
        if (up) {
            d.digit[0] = '1';
            d.n = 1;
            d.exponent++;
        }
    }
    while (d.n > 1 && d.digit[d.n - 1] == '0') d.n--;
    return d;
}

static uint64_t bits_of(weft_dtype t, const void *p) {
    uint64_t bits = 0;
    memcpy(&bits, p, weft_dtype_bytes(t));
    return bits;
}

/* Whether digits, read by MLIR's rule (through double), give back the element at p. */
static bool reads_back(weft_dtype t, const void *p, const decimal *d, bool negative) {
    char text[64], stored[16] = { 0 };
    int n = 0;
    if (negative) text[n++] = '-';
    for (int i = 0; i < d->n; i++) text[n++] = d->digit[i];
    snprintf(text + n, sizeof text - (size_t)n, "e%d", d->exponent - d->n + 1); /* no separator, so no locale */
    weft_dtype_store(t, stored, strtod(text, NULL));
    return bits_of(t, stored) == bits_of(t, p);
}

static void scientific(weft_buf *b, const decimal *d, int fraction, const char *e, int exponent_digits) {
    weft_buf_putc(b, d->digit[0]);
    weft_buf_putc(b, '.');
    weft_buf_put(b, d->digit + 1, (size_t)d->n - 1);
    for (int i = d->n - 1; i < fraction; i++) weft_buf_putc(b, '0');
    weft_buf_puts(b, e);
    weft_buf_putc(b, d->exponent < 0 ? '-' : '+');
    weft_buf_printf(b, "%0*d", exponent_digits, abs(d->exponent));
}

/* The long form; false when it would have no point, which MLIR then writes as bits. */
static bool plain(weft_buf *b, const decimal *d, int most, bool negative) {
    int trailing = d->exponent - d->n + 1; /* zeros behind the digits, or minus the fraction's length */
    bool long_exponent = trailing >= 0 ? trailing > 3 || d->n + trailing > most : d->exponent < 0 && -d->exponent > 3;
    if (long_exponent) {
        if (negative) weft_buf_putc(b, '-');
        scientific(b, d, 1, "E", 1);
        return true;
    }
    if (trailing >= 0) return false;
    if (negative) weft_buf_putc(b, '-');
    int whole = d->exponent + 1;
    if (whole <= 0) {
        weft_buf_puts(b, "0.");
        for (int i = whole; i < 0; i++) weft_buf_putc(b, '0');
        weft_buf_put(b, d->digit, (size_t)d->n);
    } else {
        weft_buf_put(b, d->digit, (size_t)whole);
        weft_buf_putc(b, '.');
        weft_buf_put(b, d->digit + whole, (size_t)(d->n - whole));
    }
    return true;
}

/* 2 + floor(precision * log10(2)) digits tell any two values apart. Steele and White, PLDI 1990. */
static int digits_of(weft_dtype t) {
    static const uint8_t precision[WEFT_DTYPE_COUNT] = {
        [WEFT_F64] = 53, [WEFT_F32] = 24, [WEFT_F16] = 11, [WEFT_BF16] = 8, [WEFT_F8E3M4] = 5, [WEFT_F8E4M3] = 4,
        [WEFT_F8E4M3FN] = 4, [WEFT_F8E4M3FNUZ] = 4, [WEFT_F8E4M3B11FNUZ] = 4, [WEFT_F8E5M2] = 3, [WEFT_F8E5M2FNUZ] = 3,
        [WEFT_F8E8M0FNU] = 1, [WEFT_F6E2M3FN] = 4, [WEFT_F6E3M2FN] = 3, [WEFT_F4E2M1FN] = 2,
    };
    return 2 + precision[t] * 59 / 196;
}

void pr_float(weft_buf *b, weft_dtype t, const void *p) {
    double v = weft_dtype_load(t, p);
    if (!isnan(v) && !isinf(v)) {
        bool negative = signbit(v);
        if (v == 0) {
            weft_buf_puts(b, negative ? "-0.000000e+00" : "0.000000e+00");
            return;
        }
        decimal all = expand(v), d = cut(all, 6);
        if (reads_back(t, p, &d, negative)) {
            if (negative) weft_buf_putc(b, '-');
            scientific(b, &d, 6, "e", 2);
            return;
        }
        d = cut(all, digits_of(t));
        if (plain(b, &d, digits_of(t), negative)) return;
    }
    weft_buf_printf(b, "0x%llX", (unsigned long long)bits_of(t, p));
}
