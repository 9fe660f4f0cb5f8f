/* float_text.c: a float as MLIR writes it.
 *
 * Six significant digits with an exponent (1.000000e+00) if they read back to the same value; else as many digits as
 * the format can carry, without an exponent for numbers of moderate size (1.22070313E-4, 3.14159274); else, and for
 * infinities and NaNs, the bit pattern in hexadecimal.
 *
 * MLIR does not round to n digits: it writes the value as an integer times a power of ten, drops decimal digits of that
 * integer as long as its bits surely hold n digits, and rounds only the rest. So 1e-05 as f32 becomes 9.99999974E-6. To
 * print the same text, this code takes the same steps, in exact arithmetic.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "ir/type.h"

/* digit[0] . digit[1] ... times 10^exponent */
typedef struct decimal {
    char digit[24];
    int n, exponent;
} decimal;

/* A natural number, least significant word first; 53 bits times 5^1074 fit. */
typedef struct natural {
    uint32_t w[84];
    int n;
} natural;

static void times(natural *a, uint32_t by) {
    uint64_t carry = 0;
    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->w[i] * by;
        a->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) a->w[a->n++] = (uint32_t)carry;
}

static void divided(natural *a, uint32_t by) {
    uint64_t rest = 0;
    for (int i = a->n - 1; i >= 0; i--) {
        rest = rest << 32 | a->w[i];
        a->w[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    while (a->n && !a->w[a->n - 1]) a->n--;
}

static int bit_length(const natural *a) { return a->n ? 32 * a->n - __builtin_clz(a->w[a->n - 1]) : 0; }

/* v > 0 as an integer times 10^*exponent. */
static natural decompose(double v, int *exponent) {
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(v, &e), 53);
    int zeros = __builtin_ctzll(m);
    m >>= zeros;
    e += zeros - 53;
    natural a = { { (uint32_t)m, (uint32_t)(m >> 32) }, m >> 32 ? 2 : 1 };
    *exponent = e < 0 ? e : 0;
    for (; e >= 31; e -= 31) times(&a, UINT32_C(1) << 31);
    if (e > 0) times(&a, UINT32_C(1) << e);
    for (; e <= -13; e += 13) times(&a, 1220703125); /* 5^13 */
    for (; e < 0; e++) times(&a, 5);
    return a;
}

/* At most n digits of v > 0. The fractions are LLVM's estimates of log2(10), which decide how many digits are
 * dropped. */
static decimal shorten(double v, int n) {
    decimal d = { .n = 0 };
    natural a = decompose(v, &d.exponent);
    int bits = bit_length(&a), needed = (n * 196 + 58) / 59;
    int cut = bits > needed ? (bits - needed) * 59 / 196 : 0;
    d.exponent += cut;
    for (; cut >= 9; cut -= 9) divided(&a, 1000000000);
    for (; cut > 0; cut--) divided(&a, 10);
    uint64_t left = a.w[0] | (a.n > 1 ? (uint64_t)a.w[1] << 32 : 0);
    int count = 0;
    for (uint64_t u = left; u; u /= 10) count++;
    if (count > n) {
        uint64_t unit = 1;
        for (int i = n; i < count; i++) unit *= 10;
        d.exponent += count - n;
        left = left / unit + (left % unit >= unit / 2);
    }
    while (left % 10 == 0) {
        left /= 10;
        d.exponent++;
    }
    char text[24];
    d.n = snprintf(text, sizeof text, "%llu", (unsigned long long)left);
    memcpy(d.digit, text, (size_t)d.n);
    d.exponent += d.n - 1;
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
    int trailing = d->exponent - d->n + 1; /* zeros after the digits, or minus the fraction's length */
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

void weft_float_print(weft_buf *b, weft_dtype t, const void *p) {
    double v = weft_dtype_load(t, p);
    if (!isnan(v) && !isinf(v)) {
        bool negative = signbit(v);
        if (v == 0) {
            weft_buf_puts(b, negative ? "-0.000000e+00" : "0.000000e+00");
            return;
        }
        decimal d = shorten(fabs(v), 6);
        if (reads_back(t, p, &d, negative)) {
            if (negative) weft_buf_putc(b, '-');
            scientific(b, &d, 6, "e", 2);
            return;
        }
        d = shorten(fabs(v), digits_of(t));
        if (plain(b, &d, digits_of(t), negative)) return;
    }
    weft_buf_printf(b, "0x%llX", (unsigned long long)bits_of(t, p));
}
