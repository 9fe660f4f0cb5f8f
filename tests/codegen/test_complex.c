/* Complex numbers in the difficult cases: infinities, NaN and signed zeros as in C17's Annex G (by the C library's own
 * functions), parts that cancel, magnitudes with squares out of range, sums and products over reduced dimensions.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include "tests/codegen/elements.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

typedef long double real;
static const weft_dtype types[] = { WEFT_C64, WEFT_C128 };

static void put(weft_dtype t, void *p, int64_t i, double re, double im) {
    const weft_dtype part = weft_dtype_part(t);
    char *at = (char *)p + (size_t)i * weft_dtype_bytes(t);
    weft_dtype_store(part, at, re), weft_dtype_store(part, at + weft_dtype_bytes(part), im);
}

/* --- special values ----------------------------------------------------------------------------------------------- */

static double complex as_abs(double complex z) { return cabs(z); }
/* loose: C leaves signs of zeros and infinities open here. */
static const struct { const char *op; double complex (*ref)(double complex); bool loose, is_real; } functions[] = {
    { "abs", as_abs, false, true }, { "sqrt", csqrt, false, false }, { "exponential", cexp, false, false }, { "log", clog, false, false },
    { "tanh", ctanh, false, false }, { "tan", ctan, false, false }, { "sine", csin, true, false }, { "cosine", ccos, true, false },
};
static const double specials[] = { 0, -0.0, 1, -1, 0.5, -2, 25, -25, INFINITY, -INFINITY, NAN };
enum { SPECIALS = WEFT_COUNT(specials), PAIRS = SPECIALS * SPECIALS };

static bool alike(double got, double want, bool loose) {
    if (isnan(want)) return isnan(got);
    if (isfinite(want) && want != 0) return fabs(got - want) <= 4e-7 * fabs(want);
    return fabs(got) == fabs(want) && (loose || !signbit(got) == !signbit(want));
}

START_TEST(test_special) {
    const int f = _i / (int)WEFT_COUNT(types);
    const weft_dtype t = types[_i % (int)WEFT_COUNT(types)], to = functions[f].is_real ? weft_dtype_part(t) : t;
    char op[64], *in = walk_buffer(PAIRS * 16), *out = walk_buffer(PAIRS * 16);
    snprintf(op, sizeof op, "stablehlo.%s", functions[f].op);
    for (int i = 0; i < PAIRS; i++) put(t, in, i, specials[i / SPECIALS], specials[i % SPECIALS]);
    ck_assert_int_eq(elements_op(op, "", 1, &t, to, PAIRS, (void *[]){ in }, out), WEFT_OK);
    for (int i = 0; i < PAIRS; i++) {
        const double x = specials[i / SPECIALS], y = specials[i % SPECIALS];
        const double complex want = functions[f].ref(elements_complex(x, y));
        const element_value got = elements_load(to, out, i);
        ck_assert_msg(alike((double)got.re, creal(want), functions[f].loose) &&
                          (to != t || alike((double)got.im, cimag(want), functions[f].loose)),
                      "%s of (%g, %g) is (%Lg, %Lg), in C (%g, %g)", op, x, y, got.re, got.im, creal(want),
                      cimag(want));
    }
    free(in), free(out);
}
END_TEST

/* a op b = r; C17, G.5.1 and, for powers of zero, StableHLO's reference. NaN parts as listed. */
#define INF INFINITY
static const struct { const char *op; double a[2], b[2], r[2]; } binary[] = {
    { "divide", { 1, 0 }, { 0, 0 }, { INF, NAN } },        { "divide", { 1, 2 }, { 0, 0 }, { INF, INF } },
    { "divide", { 1, 2 }, { -0.0, 0 }, { -INF, -INF } },   { "divide", { 0, 0 }, { 0, 0 }, { NAN, NAN } },
    { "divide", { INF, 0 }, { 1, 1 }, { INF, -INF } },     { "divide", { INF, NAN }, { 1, 1 }, { INF, -INF } },
    { "divide", { 1, 1 }, { INF, 0 }, { 0, 0 } },          { "divide", { 1, 1 }, { INF, NAN }, { 0, 0 } },
    { "divide", { NAN, 1 }, { 1, 0 }, { NAN, NAN } },      { "divide", { 3, 4 }, { 0, 2 }, { 2, -1.5 } },
    { "multiply", { 3, 4 }, { 3, -4 }, { 25, 0 } },        { "multiply", { INF, 0 }, { 1, 0 }, { INF, NAN } },
    { "power", { 0, 0 }, { 0, 0 }, { 1, 0 } },             { "power", { 0, 0 }, { 2, 1 }, { 0, 0 } },
    { "power", { 2, 0 }, { 3, 0 }, { 8, 0 } },             { "power", { INF, NAN }, { 0, 0 }, { 1, 0 } },
    { "maximum", { 1, 5 }, { 1, 6 }, { 1, 6 } },           { "maximum", { 2, 0 }, { 1, 6 }, { 2, 0 } },
    { "minimum", { 1, 5 }, { 1, 6 }, { 1, 5 } },           { "minimum", { 2, 0 }, { 1, 6 }, { 1, 6 } },
};

START_TEST(test_binary) {
    char op[64];
    snprintf(op, sizeof op, "stablehlo.%s", binary[_i].op);
    for (size_t k = 0; k < WEFT_COUNT(types); k++) {
        const weft_dtype t = types[k];
        char *a = walk_buffer(64), *b = walk_buffer(64), *out = walk_buffer(64);
        put(t, a, 0, binary[_i].a[0], binary[_i].a[1]), put(t, b, 0, binary[_i].b[0], binary[_i].b[1]);
        ck_assert_int_eq(elements_op(op, "", 2, (weft_dtype[]){ t, t }, t, 1, (void *[]){ a, b }, out), WEFT_OK);
        const element_value got = elements_load(t, out, 0);
        ck_assert_msg(alike((double)got.re, binary[_i].r[0], true) && alike((double)got.im, binary[_i].r[1], true),
                      "%s of %s, case %d, is (%Lg, %Lg)", op, weft_dtype_of(t)->name, _i, got.re, got.im);
        free(a), free(b), free(out);
    }
}
END_TEST

/* --- accuracy, part by part --------------------------------------------------------------------------------------- */

/* Of z with parts that are short numbers, so that their squares are exact in long double. */
static real log_re(real x, real y) { return log1pl((fabsl(x) - 1) * (fabsl(x) + 1) + y * y) / 2; }
static real log1p_re(real x, real y) { return log1pl(x * (x + 2) + y * y) / 2; }
static real sqrt_re(real x, real y) { return creall(csqrtl(elements_wide_complex(x, y))); }
static real sqrt_im(real x, real y) { return cimagl(csqrtl(elements_wide_complex(x, y))); }
static real exp_im(real x, real y) { return expl(x) * sinl(y); }
static real expm1_im(real x, real y) { return expl(x) * sinl(y); }
static real expm1_re(real x, real y) { return expm1l(x) * cosl(y) - 2 * powl(sinl(y / 2), 2); }
static real tanh_re(real x, real y) { return sinhl(2 * x) / (coshl(2 * x) + cosl(2 * y)); }
static real tanh_im(real x, real y) { return sinl(2 * y) / (coshl(2 * x) + cosl(2 * y)); }
static real tan_re(real x, real y) { return tanh_im(y, x); }
static real sine_im(real x, real y) { return cosl(x) * sinhl(y); }
static real size_of(real x, real y) { return hypotl(x, y); }
static real sign_re(real x, real y) { return x / hypotl(x, y); }

typedef struct range { double low, high; } range; /* |x| and |y| are 2^u, u uniform in it */
static const struct {
    const char *op;
    real (*re)(real, real), (*im)(real, real);
    range x, y;
    double ulps;
    bool near_one;
} accurate[] = {
    { "log", log_re, NULL, { -1, 0 }, { -10, 0 }, 3, true },
    { "log_plus_one", log1p_re, NULL, { -20, -1 }, { -20, -1 }, 3, false },
    { "sqrt", sqrt_re, sqrt_im, { -100, 100 }, { -100, 100 }, 3, false },
    { "sqrt", sqrt_re, sqrt_im, { -2, 2 }, { -60, -30 }, 3, false },
    { "exponential", NULL, exp_im, { -6, 6 }, { -40, 3 }, 3, false },
    { "exponential_minus_one", expm1_re, expm1_im, { -30, -10 }, { -60, -40 }, 3, false },
    { "tanh", tanh_re, tanh_im, { -30, 3 }, { -30, -1 }, 6, false },
    { "tan", tan_re, NULL, { -30, -1 }, { -30, 3 }, 6, false },
    { "sine", NULL, sine_im, { -20, -1 }, { -30, 4 }, 4, false },
    { "sign", sign_re, NULL, { -100, 100 }, { -100, 100 }, 3, false },
    { "abs", size_of, NULL, { -120, 120 }, { -120, 120 }, 2, false },
};

static double power_of(weft_rng *r, range u) {
    const double v = exp2(u.low + (u.high - u.low) * weft_rng_unit(r));
    /* 21 digits */
    return ldexp(nearbyint(ldexp(v, 20 - ilogb(v))), ilogb(v) - 20) * (weft_rng_chance(r, 0.5) ? -1 : 1);
}

static void check_part(const char *op, weft_dtype part, real x, real y, real got, real want, double ulps) {
    const real unit =
        fmaxl(ldexpl(1, part == WEFT_F64 ? -1074 : -149), ldexpl(fabsl(want), part == WEFT_F64 ? -52 : -23));
    ck_assert_msg(fabsl(got - want) <= ulps * unit, "%s of (%La, %La): part %.20Lg, not %.20Lg: %Lg ulp", op, x, y, got,
                  want, fabsl(got - want) / unit);
}

START_TEST(test_accuracy) {
    enum { N = 4001 };
    const int f = _i / (int)WEFT_COUNT(types);
    const weft_dtype t = types[_i % (int)WEFT_COUNT(types)], part = weft_dtype_part(t),
                     to = accurate[f].re == size_of ? part : t;
    weft_rng r = { weft_test_seed(5) + (uint64_t)_i };
    char op[64], *in = walk_buffer(N * 16), *out = walk_buffer(N * 16);
    snprintf(op, sizeof op, "stablehlo.%s", accurate[f].op);
    for (int i = 0; i < N; i++) {
        double x = power_of(&r, accurate[f].x), y = power_of(&r, accurate[f].y);
        if (accurate[f].near_one)
            x = ldexp(nearbyint(ldexp(sqrt(fmax(1 - y * y, 0)) + ldexp(weft_rng_unit(&r), -8), 20)), -20);
        put(t, in, i, x, y);
    }
    ck_assert_int_eq(elements_op(op, "", 1, &t, to, N, (void *[]){ in }, out), WEFT_OK);
    for (int i = 0; i < N; i++) {
        const element_value z = elements_load(t, in, i), got = elements_load(to, out, i);
        if (accurate[f].re) check_part(op, part, z.re, z.im, got.re, accurate[f].re(z.re, z.im), accurate[f].ulps);
        if (accurate[f].im) check_part(op, part, z.re, z.im, got.im, accurate[f].im(z.re, z.im), accurate[f].ulps);
    }
    free(in), free(out);
}
END_TEST

/* Quotients, square roots and magnitudes of numbers whose squares overflow or vanish. */
START_TEST(test_range) {
    const weft_dtype t = types[_i];
    const double big = t == WEFT_C64 ? 0x1p120 : 0x1p1000;
    const double z[][2] = { { big, big / 2 }, { 1 / big, 2 / big }, { big, 1 / big }, { 1 / big, big } };
    char *a = walk_buffer(64), *b = walk_buffer(64), *out = walk_buffer(64);
    for (int i = 0; i < 4; i++) put(t, a, i, z[i][0], z[i][1]), put(t, b, i, z[i][0], -z[i][1]);
    ck_assert_int_eq(elements_op("stablehlo.divide", "", 2, (weft_dtype[]){ t, t }, t, 4, (void *[]){ a, b }, out),
                     WEFT_OK);
    const double quotients[][2] = { { 0.6, 0.8 }, { -0.6, 0.8 }, { 1, 0 }, { -1, 0 } };
    for (int i = 0; i < 4; i++) {
        const element_value q = elements_load(t, out, i);
        ck_assert_double_eq_tol((double)q.re, quotients[i][0], 1e-7);
        ck_assert_double_eq_tol((double)q.im, quotients[i][1], 1e-7);
    }
    ck_assert_int_eq(elements_op("stablehlo.sqrt", "", 1, &t, t, 4, (void *[]){ a }, out), WEFT_OK);
    for (int i = 0; i < 4; i++) {
        const element_value q = elements_load(t, out, i), x = elements_load(t, a, i);
        ck_assert_double_eq_tol((double)((q.re * q.re - q.im * q.im - x.re) / hypotl(x.re, x.im)), 0, 1e-6);
    }
    free(a), free(b), free(out);
}
END_TEST

/* --- bodies, constants, moves ------------------------------------------------------------------------------------- */

static const struct {
    const char *body, *init;
} reductions[] = { { "add", "(0.0, 0.0)" }, { "multiply", "(1.0, 0.0)" } };

START_TEST(test_reduce) {
    const weft_dtype t = types[_i % 2];
    const char *name = weft_dtype_of(t)->name, *body = reductions[_i / 2].body;
    enum { ROWS = 3, COLS = 21 };
    char text[1024], *in = walk_buffer(ROWS * COLS * 16), *out = walk_buffer(COLS * 16);
    for (int i = 0; i < ROWS * COLS; i++) put(t, in, i, 1 + i % 4 * 0.25, i % 5 * 0.25 - 0.5);
    for (int dim = 0; dim < 2; dim++) {
        const int kept = dim ? ROWS : COLS, count = dim ? COLS : ROWS;
        snprintf(
            text, sizeof text,
            "func.func @main(%%a: tensor<%dx%dx%s>) -> tensor<%dx%s> {\n  %%i = stablehlo.constant dense<%s> : tensor<%s>\n"
            "  %%0 = stablehlo.reduce(%%a init: %%i) applies stablehlo.%s across dimensions = [%d] : (tensor<%dx%dx%s>, tensor<%s>) -> tensor<%dx%s>\n"
            "  return %%0 : tensor<%dx%s>\n}\n",
            ROWS, COLS, name, kept, name, reductions[_i / 2].init, name, body, dim, ROWS, COLS, name, name, kept, name,
            kept, name);
        ck_assert_int_eq(elements_run(text, (void *[]){ in }, (void *[]){ out }), WEFT_OK);
        for (int k = 0; k < kept; k++) {
            double complex want = *body == 'a' ? 0 : 1;
            for (int j = 0; j < count; j++) {
                const element_value z = elements_load(t, in, dim ? k * COLS + j : j * COLS + k);
                want = *body == 'a' ? want + elements_complex((double)z.re, (double)z.im)
                                    : want * elements_complex((double)z.re, (double)z.im);
            }
            const element_value got = elements_load(t, out, k);
            ck_assert_double_eq_tol((double)got.re, creal(want), 1e-5 * cabs(want));
            ck_assert_double_eq_tol((double)got.im, cimag(want), 1e-5 * cabs(want));
        }
    }
    free(in), free(out);
}
END_TEST

/* Moves of every kind: constants, reversal, transposition, padding, concatenation, gathering; results as bytes. */
static const char moves[] =
    "func.func @main(%%a: tensor<3x5x%s>, %%i: tensor<7xi32>) -> (tensor<5x3x%s>, tensor<4x13x%s>, tensor<7x5x%s>) {\n"
    "  %%c = stablehlo.constant dense<(2.5, -1.0)> : tensor<%s>\n"
    "  %%d = stablehlo.constant dense<[(0.0, 1.0), (2.0, 3.0), (4.0, 5.0), (6.0, 7.0)]> : tensor<4x%s>\n"
    "  %%t = stablehlo.transpose %%a, dims = [1, 0] : (tensor<3x5x%s>) -> tensor<5x3x%s>\n"
    "  %%r = stablehlo.reverse %%t, dims = [0] : tensor<5x3x%s>\n"
    "  %%p = stablehlo.pad %%a, %%c, low = [1, 2], high = [0, 1], interior = [0, 1] : (tensor<3x5x%s>, tensor<%s>) -> tensor<4x12x%s>\n"
    "  %%e = stablehlo.reshape %%d : (tensor<4x%s>) -> tensor<4x1x%s>\n"
    "  %%j = stablehlo.concatenate %%p, %%e, dim = 1 : (tensor<4x12x%s>, tensor<4x1x%s>) -> tensor<4x13x%s>\n"
    "  %%g = \"stablehlo.gather\"(%%a, %%i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
    "index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<3x5x%s>, tensor<7xi32>) -> tensor<7x5x%s>\n"
    "  return %%r, %%j, %%g : tensor<5x3x%s>, tensor<4x13x%s>, tensor<7x5x%s>\n}\n";

static void check_moved(weft_dtype t, const void *out, int64_t i, double re, double im) {
    const element_value got = elements_load(t, out, i);
    ck_assert_msg(got.re == re && got.im == im, "element %lld is (%Lg, %Lg), not (%g, %g)", (long long)i, got.re,
                  got.im, re, im);
}

START_TEST(test_moves) {
    const weft_dtype t = types[_i];
    const char *n = weft_dtype_of(t)->name;
    char text[4096];
    snprintf(text, sizeof text, moves, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
    char *in = walk_buffer(15 * 16), *out[3] = { walk_buffer(15 * 16), walk_buffer(52 * 16), walk_buffer(35 * 16) };
    int32_t *rows = walk_buffer(7 * 4);
    for (int i = 0; i < 15; i++) put(t, in, i, i, -i);
    for (int i = 0; i < 7; i++) rows[i] = (i * 2 + 1) % 3;
    ck_assert_int_eq(elements_run(text, (void *[]){ in, rows }, (void *const *)out), WEFT_OK);
    for (int i = 0; i < 15; i++) check_moved(t, out[0], i, i % 3 * 5 + 4 - i / 3, -(i % 3 * 5 + 4 - i / 3));
    for (int i = 0; i < 52; i++) {
        const int row = i / 13 - 1, col = i % 13 - 2, from = row * 5 + col / 2;
        const bool inside = row >= 0 && col >= 0 && col <= 8 && col % 2 == 0;
        if (i % 13 == 12) check_moved(t, out[1], i, i / 13 * 2, i / 13 * 2 + 1);
        else check_moved(t, out[1], i, inside ? from : 2.5, inside ? -from : -1);
    }
    for (int i = 0; i < 35; i++) check_moved(t, out[2], i, rows[i / 5] * 5 + i % 5, -(rows[i / 5] * 5 + i % 5));
    free(in), free(rows);
    for (int i = 0; i < 3; i++) free(out[i]);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/complex");
    TCase *tc = tcase_create("complex");
    printf("seed %llu\n", (unsigned long long)weft_test_seed(5));
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_special, 0, (int)(WEFT_COUNT(functions) * WEFT_COUNT(types)));
    tcase_add_loop_test(tc, test_binary, 0, (int)WEFT_COUNT(binary));
    tcase_add_loop_test(tc, test_accuracy, 0, (int)(WEFT_COUNT(accurate) * WEFT_COUNT(types)));
    tcase_add_loop_test(tc, test_range, 0, (int)WEFT_COUNT(types));
    tcase_add_loop_test(tc, test_reduce, 0, (int)(WEFT_COUNT(reductions) * WEFT_COUNT(types)));
    tcase_add_loop_test(tc, test_moves, 0, (int)WEFT_COUNT(types));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
