/* status.h: the status codes (weft/weft.h) and the few helpers every room needs with them. */
#ifndef WEFT_BASE_STATUS_H
#define WEFT_BASE_STATUS_H

#include <stdbool.h>
#include <weft/weft.h>

#define WEFT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* a + n * b, or the largest value on overflow; the operands are not negative. */
static inline int64_t weft_add_times_i64(int64_t a, int64_t n, int64_t b) {
    int64_t r;
    return __builtin_mul_overflow(n, b, &r) || __builtin_add_overflow(a, r, &r) ? INT64_MAX : r;
}

/* false if the product or sum overflows; *out is then unchanged. */
static inline bool weft_mul_i64(int64_t a, int64_t b, int64_t *out) {
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r)) return false;
    *out = r;
    return true;
}

static inline bool weft_add_i64(int64_t a, int64_t b, int64_t *out) {
    int64_t r;
    if (__builtin_add_overflow(a, b, &r)) return false;
    *out = r;
    return true;
}

static inline int64_t weft_ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static inline int64_t weft_round_up(int64_t a, int64_t b) { return weft_ceil_div(a, b) * b; }
static inline int64_t weft_floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); } /* b > 0 */
static inline int64_t weft_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t weft_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

/* The greatest common divisor; a when b is 0. */
static inline int64_t weft_gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

#endif
