/* read_number.c: number literals.
 *
 * As in MLIR, a decimal is read as a double and then rounded to its element type; a hexadecimal literal for a float is
 * its bit pattern.
 */
#include "mlir/reader.h"

#include <stdlib.h>

bool rd_number_read(weft_reader *r, rd_number *out) {
    const char *q = r->p;
    *out = (rd_number){ .at = r->p };
    if (*q == '-') {
        out->negative = true;
        q++;
    }
    if (!rd_is_digit(*q)) return rd_unexpected(r, "a number");
    if (q[0] == '0' && q[1] == 'x') {
        out->is_hex = true;
        const char *digits = q += 2;
        while (rd_is_digit(*q) || (*q >= 'a' && *q <= 'f') || (*q >= 'A' && *q <= 'F')) q++;
        if (q == digits) return rd_fail(r, out->at, "'0x' without digits");
    } else {
        while (rd_is_digit(*q)) q++;
        if (*q == '.') {
            out->is_float = true;
            q++;
            while (rd_is_digit(*q)) q++;
        }
        const char *e = q;
        if (*e == 'e' || *e == 'E') {
            e++;
            if (*e == '+' || *e == '-') e++;
            if (out->is_float && rd_is_digit(*e)) {
                while (rd_is_digit(*e)) e++;
                q = e;
            }
        }
    }
    if (q - r->p > INT32_MAX) return rd_fail(r, r->p, "a number of too many digits");
    out->n = (uint32_t)(q - r->p);
    r->p = q;
    rd_skip(r);
    return true;
}

/* 10^0 .. 10^22 are exact in double, so one product or quotient of two exact numbers is correctly rounded.
 * Clinger, How to read floating point numbers accurately, PLDI 1990. */
static const double exact_power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static bool fast_double(const rd_number *n, double *out) {
    const char *q = n->at + n->negative, *end = n->at + n->n;
    uint64_t m = 0;
    int scale = 0, exponent = 0;
    bool fraction = false;
    for (; q < end && *q != 'e' && *q != 'E'; q++) {
        if (*q == '.') {
            fraction = true;
            continue;
        }
        if (m > (UINT64_C(1) << 53) / 10 - 1) return false;
        m = m * 10 + (uint64_t)(*q - '0');
        scale -= fraction;
    }
    if (q < end) {
        bool minus = *++q == '-';
        if (*q == '+' || *q == '-') q++;
        for (; q < end; q++) {
            exponent = exponent * 10 + (*q - '0');
            if (exponent > 1000) return false;
        }
        if (minus) exponent = -exponent;
    }
    exponent += scale;
    if (exponent < -22 || exponent > 22) return false;
    double v = exponent < 0 ? (double)m / exact_power[-exponent] : (double)m * exact_power[exponent];
    *out = n->negative ? -v : v;
    return true;
}

double rd_number_double(const rd_number *n) {
    double v;
    return fast_double(n, &v) ? v : weft_read_double(n->at, NULL);
}

/* The digits as 64 bits; false when they do not fit. */
static bool magnitude(const rd_number *n, uint64_t *out) {
    const char *q = n->at + n->negative, *end = n->at + n->n;
    uint64_t u = 0, base = 10;
    if (n->is_hex) {
        base = 16;
        q += 2;
    }
    for (; q < end; q++) {
        uint64_t digit = (uint64_t)(*q <= '9' ? *q - '0' : (*q | 32) - 'a' + 10);
        if (__builtin_mul_overflow(u, base, &u) || __builtin_add_overflow(u, digit, &u)) return false;
    }
    *out = u;
    return true;
}

static bool store_int(weft_reader *r, const rd_number *n, weft_dtype dtype, void *out) {
    const weft_dtype_info *info = weft_dtype_of(dtype);
    if (n->is_float) return rd_fail(r, n->at, "a float where '%s' is wanted", info->name);
    uint64_t u;
    bool fits = magnitude(n, &u);
    uint64_t most = info->bits == 64 ? UINT64_MAX : (UINT64_C(1) << info->bits) - 1; /* signless: 255 is an i8 */
    if (n->negative) fits = fits && info->kind != WEFT_KIND_UINT && u <= most / 2 + 1;
    else fits = fits && u <= most;
    if (!fits) return rd_fail(r, n->at, "'%.*s' does not fit '%s'", (int)n->n, n->at, info->name);
    if (n->negative) u = 0 - u;
    if (info->bits < 8 && info->kind == WEFT_KIND_INT && (u & ((most >> 1) + 1))) u |= ~most; /* sign of i2, i4 */
    memcpy(out, &u, info->stored_bytes); /* little-endian */
    return true;
}

bool rd_number_store(weft_reader *r, const rd_number *n, weft_dtype dtype, void *out) {
    if (!weft_dtype_is_float(dtype)) return store_int(r, n, dtype, out);
    const weft_dtype_info *info = weft_dtype_of(dtype);
    if (n->is_hex) {
        uint64_t bits;
        if (n->negative) return rd_fail(r, n->at, "a bit pattern has no sign");
        if (!magnitude(n, &bits) || (info->bits < 64 && bits >> info->bits))
            return rd_fail(r, n->at, "'%.*s' has more bits than '%s'", (int)n->n, n->at, info->name);
        memcpy(out, &bits, info->stored_bytes);
        return true;
    }
    if (!n->is_float)
        return rd_fail(r, n->at, "an integer where '%s' is wanted; write %.*s.0", info->name, (int)n->n, n->at);
    weft_dtype_store(dtype, out, rd_number_double(n));
    return true;
}
