/* Conversions between all pairs of element types: every code of types of up to 16 bits, special and random values of
 * wider ones. Each is rounded once: the reference rounds the exact value, in long double, which holds 64 bits.
 * bitcast_convert between all pairs whose bits fit; reduce_precision to every format that 16 bits hold, and some of
 * wider ones. WEFT_SEED changes the random values. */
#include <math.h>
#include <stdio.h>
#include "tests/codegen/elements.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

typedef long double real;
enum { MOST = 65536 + 4096 };

static bool is_whole(weft_dtype t) { return weft_dtype_is_integer(t); }

/* Bits at random, on and beside borders of narrower types, and in a range that all types share. */
static int64_t fill(weft_dtype t, weft_rng *r, void *p) {
    const unsigned bits = weft_dtype_of(t)->bits;
    int64_t n = 0;
    if (bits <= 16) {
        for (uint64_t code = 0; code < (uint64_t)1 << bits; code++) elements_store_bits(t, p, n++, code);
        return n;
    }
    const weft_dtype part = weft_dtype_part(t);
    const int64_t parts = part == t ? 1 : 2, most = 8192 * parts;
    for (; n < most; n++) {
        char *at = (char *)p + (size_t)n * weft_dtype_bytes(part);
        const double places[] = { weft_rng_unit(r) * 2 - 1,
                                  ldexp(weft_rng_unit(r) * 2 - 1, (int)(weft_rng_next(r) % 64)),
                                  ldexp(weft_rng_unit(r) * 2 - 1, (int)(weft_rng_next(r) % 300) - 150) };
        const uint64_t whole = weft_rng_next(r) >> weft_rng_next(r) % 63,
                       odd[] = { whole, 0 - whole, ((uint64_t)1 << weft_rng_next(r) % 64) + weft_rng_next(r) % 3 - 1,
                                 0 };
        /* of f64: what is rounded to f32 first is then taken for the border itself */
        const double beside = n % 8 == 1 ? 1 + 0x1p-40 : n % 8 == 5 ? 1 - 0x1p-40 : 1;
        if (weft_dtype_is_float(part) && n % 4)
            weft_dtype_store(part, at,
                             beside *
                                 ldexp(nearbyint(ldexp(places[n % 4 - 1], 12 + (int)(weft_rng_next(r) % 4))), -12));
        else elements_store_bits(part, p, n, is_whole(part) ? odd[n % 4] : weft_rng_next(r));
    }
    return n / parts;
}

/* v as t holds it, rounded to nearest even. */
static real rounded(weft_dtype t, real v) {
    uint8_t element[16];
    const weft_float_format *f = weft_float_format_of(t);
    const int digits = t == WEFT_F64   ? 52
                       : t == WEFT_F32 ? 23
                                       : f->mantissa_bits,
              lowest = t == WEFT_F64   ? -1022
                       : t == WEFT_F32 ? -126
                                       : 1 - f->bias;
    if (isfinite(v) && v != 0) {
        int e;
        const bool up = frexpl(v, &e) >= 0.75L;
        const int unit = (e - 1 < lowest ? lowest : e - 1) - digits;
        if (t == WEFT_F8E8M0FNU) v = v < 0 ? v : ldexpl(1, up ? e : e - 1);
        else v = ldexpl(rintl(ldexpl(v, -unit)), unit);
    }
    weft_dtype_store(t, element, (double)v);
    return weft_dtype_load(t, element);
}

static uint64_t saturated(weft_dtype t, real v) {
    const unsigned bits = weft_dtype_of(t)->bits;
    const bool is_signed = weft_dtype_of(t)->kind == WEFT_KIND_INT;
    const uint64_t all = UINT64_MAX >> (64 - bits), high = is_signed ? all >> 1 : all;
    if (isnan(v)) return 0;
    if (v >= ldexpl(1, (int)bits - is_signed)) return high;
    if (!is_signed && v < 0) return 0;
    if (v < -ldexpl(1, (int)bits - 1)) return all - high;
    return (v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v) & all;
}

static bool same(real a, real b) { return (a == b && !signbit(a) == !signbit(b)) || (isnan(a) && isnan(b)); }

static void check_convert(weft_dtype from, weft_dtype to, const void *in, const void *out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        const element_value x = elements_load(from, in, i), got = elements_load(to, out, i);
        const weft_dtype part = weft_dtype_part(to);
        bool right;
        if (to == WEFT_I1) right = got.re == (x.re != 0);
        else if (is_whole(to)) {
            const uint64_t want = weft_dtype_is_float(weft_dtype_part(from)) ? saturated(to, x.re)
                                  : x.re < 0                                 ? (uint64_t)(int64_t)x.re
                                                                             : (uint64_t)x.re;
            right = elements_bits(to, out, i) == (want & UINT64_MAX >> (64 - weft_dtype_of(to)->bits));
        } else right = same(got.re, rounded(part, x.re)) && (part == to || same(got.im, rounded(part, x.im)));
        ASSERT_EACH(right, "%s to %s: (%.20Lg, %Lg) gives (%.20Lg, %Lg)", weft_dtype_of(from)->name, weft_dtype_of(to)->name, x.re, x.im, got.re, got.im);
    }
}

/* Under sanitizers every fourth pair of types, but in ./check long: the build without runs all, and the code that is
 * generated has no sanitizers. */
#ifdef WEFT_SANITIZERS
#define EVERY (weft_test_long(1) > 1 ? 1 : 4)
#else
#define EVERY 1
#endif

START_TEST(test_convert) {
    const weft_dtype from = (weft_dtype)(_i + 1);
    const uint64_t seed = weft_test_seed(31);
    weft_rng r = { seed + (uint64_t)_i };
    char *in = walk_buffer(MOST * 16), *out = walk_buffer(MOST * 16);
    const int64_t n = fill(from, &r, in);
    for (int to = 1; to < WEFT_DTYPE_COUNT; to++) {
        if ((from + to) % EVERY) continue;
        ck_assert_int_eq(elements_op("stablehlo.convert", "", 1, &from, (weft_dtype)to, n, (void *[]){ in }, out),
                         WEFT_OK);
        check_convert(from, (weft_dtype)to, in, out, n);
    }
    free(in), free(out);
}
END_TEST

/* --- reduce_precision --------------------------------------------------------------------------------------------- */

/* v, an element of t, with so many bits left: what leaves the exponents goes to infinity or, for there are no
 * denormals, to zero. */
static real reduced(weft_dtype t, real v, int exponent, int mantissa) {
    const int lowest = t == WEFT_F64 ? -1022 : t == WEFT_F32 ? -126 : 1 - weft_float_format_of(t)->bias;
    const int digits = t == WEFT_F64 ? 52 : t == WEFT_F32 ? 23 : weft_float_format_of(t)->mantissa_bits;
    const int of_t = t == WEFT_F64   ? 11
                     : t == WEFT_F32 ? 8
                                     : weft_float_format_of(t)->exponent_bits,
              bias = (1 << (exponent - 1)) - 1;
    int e;
    if (!isfinite(v) || v == 0) return v;
    frexpl(v, &e);
    if (mantissa < digits) {
        const int unit = (e - 1 < lowest ? lowest : e - 1) - mantissa;
        const bool tie = e > lowest && fabsl(v) == ldexpl(1.5L, e - 1);
        /* Without a mantissa the last bit, which decides ties, is the exponent's: XLA and StableHLO's interpreter round
         * the bits. */
        if (!mantissa && tie && (e - 1 - lowest) % 2) v = copysignl(ldexpl(1, e - 1), v);
        else v = ldexpl(rintl(ldexpl(v, -unit)), unit);
    }
    if (v == 0) return v;
    frexpl(v, &e);
    if (e - 1 > -lowest + 1) return v < 0 ? -INFINITY : INFINITY; /* rounded beyond t itself */
    if (exponent >= of_t) return v;
    if (e - 1 > bias) return v < 0 ? -INFINITY : INFINITY;
    return e - 1 <= -bias ? copysignl(0, v) : v;
}

static void check_reduced(weft_dtype t, int exponent, int mantissa, const void *in, void *out, int64_t n) {
    char attrs[80];
    snprintf(attrs, sizeof attrs, "<{exponent_bits = %d : i32, mantissa_bits = %d : i32}>", exponent, mantissa);
    ck_assert_int_eq(elements_op("stablehlo.reduce_precision", attrs, 1, &t, t, n, (void *[]){ (void *)in }, out),
                     WEFT_OK);
    for (int64_t i = 0; i < n; i++) {
        const real x = elements_load(t, in, i).re, got = elements_load(t, out, i).re,
                   want = reduced(t, x, exponent, mantissa);
        ASSERT_EACH(same(got, want), "%s e%dm%d: %.20Lg gives %.20Lg, not %.20Lg", weft_dtype_of(t)->name, exponent, mantissa, x, got, want);
    }
}

/* Formats of more bits than the type has are there too. */
static const struct { weft_dtype t; int exponent, mantissa, draws; } reductions[] = {
    { WEFT_F16, 6, 11, 0 }, { WEFT_BF16, 9, 8, 0 }, { WEFT_F32, 9, 24, 40 }, { WEFT_F64, 12, 53, 40 }, /* draws 0: every format */
};

START_TEST(test_reduce_precision) {
    const weft_dtype t = reductions[_i].t;
    const int most_e = reductions[_i].exponent, most_m = reductions[_i].mantissa;
    weft_rng r = { weft_test_seed(53) + (uint64_t)_i };
    char *in = walk_buffer(MOST * 16), *out = walk_buffer(MOST * 16);
    const int64_t n = fill(t, &r, in);
    for (int k = 0; k < reductions[_i].draws; k++)
        check_reduced(t, 1 + (int)(weft_rng_next(&r) % (uint64_t)most_e),
                      (int)(weft_rng_next(&r) % (uint64_t)(most_m + 1)), in, out, n);
    for (int e = 1; e <= most_e && !reductions[_i].draws; e++)
        for (int m = 0; m <= most_m; m++) check_reduced(t, e, m, in, out, n);
    free(in), free(out);
}
END_TEST

/* --- bits --------------------------------------------------------------------------------------------------------- */

static unsigned bits_of(weft_dtype t) { return weft_dtype_of(t)->bits; }

/* Bit k of a list of elements; those of a complex number one part after the other. */
static bool bit_at(weft_dtype t, const void *p, int64_t k) {
    const weft_dtype part = weft_dtype_part(t);
    return elements_bits(part, p, k / bits_of(part)) >> (k % bits_of(part)) & 1;
}

static bool is_nan_at(weft_dtype t, const void *p, int64_t k) {
    const weft_dtype part = weft_dtype_part(t);
    return weft_dtype_is_float(part) && isnan(elements_load(part, p, k / bits_of(part)).re);
}

/* NaN of 16 bits may become quiet on the way. */
static void check_bits(weft_dtype from, weft_dtype to, const void *in, const void *out, int64_t bits) {
    for (int64_t k = 0; k < bits; k++) {
        const bool nan = is_nan_at(from, in, k) || is_nan_at(to, out, k);
        ASSERT_EACH(nan || bit_at(from, in, k) == bit_at(to, out, k), "%s to %s: bit %lld differs", weft_dtype_of(from)->name, weft_dtype_of(to)->name, (long long)k);
    }
}

START_TEST(test_bitcast) {
    enum { WIDE = 45 }; /* elements of the wider type */
    const weft_dtype from = (weft_dtype)(_i + 1);
    weft_rng r = { weft_test_seed(47) + (uint64_t)_i };
    char *in = walk_buffer(WIDE * 128 * 16), *out = walk_buffer(WIDE * 128 * 16), text[512], shapes[2][64];
    for (int k = 1; k < WEFT_DTYPE_COUNT; k++) {
        if ((from + k) % EVERY) continue;
        const weft_dtype to = (weft_dtype)k, wide = bits_of(from) > bits_of(to) ? from : to,
                         narrow = wide == from ? to : from, part = weft_dtype_part(from);
        const unsigned ratio = bits_of(wide) / bits_of(narrow);
        if (bits_of(wide) % bits_of(narrow) || weft_dtype_is_complex(from) != weft_dtype_is_complex(to)) continue;
        for (int64_t i = 0; i < WIDE * (int64_t)ratio * 2; i++) elements_store_bits(part, in, i, weft_rng_next(&r));
        for (int side = 0; side < 2; side++) {
            const weft_dtype t = side ? to : from;
            if (t == wide) snprintf(shapes[side], sizeof shapes[side], "tensor<%dx%s>", WIDE, weft_dtype_of(t)->name);
            else snprintf(shapes[side], sizeof shapes[side], "tensor<%dx%ux%s>", WIDE, ratio, weft_dtype_of(t)->name);
            if (ratio == 1) snprintf(shapes[side], sizeof shapes[side], "tensor<%dx%s>", WIDE, weft_dtype_of(t)->name);
        }
        snprintf(
            text, sizeof text,
            "func.func @main(%%a: %s) -> %s {\n  %%0 = stablehlo.bitcast_convert %%a : (%s) -> %s\n  return %%0 : %s\n}\n",
            shapes[0], shapes[1], shapes[0], shapes[1], shapes[1]);
        ck_assert_int_eq(elements_run(text, (void *[]){ in }, (void *[]){ out }), WEFT_OK);
        check_bits(from, to, in, out, WIDE * (int64_t)bits_of(wide));
    }
    free(in), free(out);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/convert");
    TCase *tc = tcase_create("convert");
    printf("seeds %llu, %llu, %llu\n", (unsigned long long)weft_test_seed(31), (unsigned long long)weft_test_seed(47),
           (unsigned long long)weft_test_seed(53));
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_convert, 0, WEFT_DTYPE_COUNT - 1);
    tcase_add_loop_test(tc, test_reduce_precision, 0, WEFT_COUNT(reductions));
    tcase_add_loop_test(tc, test_bitcast, 0, WEFT_DTYPE_COUNT - 1);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
