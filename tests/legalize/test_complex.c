/* CHLO's functions of complex numbers against C's in long double: each part within a few units in the last place, on
 * the axes, at the branch points, beside them, on both sides of every cut, and at random over many magnitudes. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

typedef long double complex wide;
static const struct { const char *op; wide (*ref)(wide); double largest; } functions[] = {
    { "acos", cacosl, INFINITY }, { "acosh", cacoshl, INFINITY }, { "asin", casinl, INFINITY }, { "asinh", casinhl, INFINITY },
    { "atan", catanl, INFINITY }, { "atanh", catanhl, INFINITY }, { "cosh", ccoshl, 700 }, { "sinh", csinhl, 700 }, { "tan", ctanl, 1e4 },
};
static const double ends[] = { 0.0,    -0.0, 1,     -1,    0.5, -0.5,       2,          -2, 1e-30,
                               -1e-30, 1e30, -1e30, -1e-8, 1e8, 0.99999994, 1.00000012, 80, -100 };
enum { RANDOM = 3000, N = (int)(WEFT_COUNT(ends) * WEFT_COUNT(ends)) + RANDOM };

static double any_size(weft_rng *r) { return (weft_rng_unit(r) - 0.5) * exp(20 * weft_rng_unit(r) - 12); }

static void run(const char *op, const char *type, void *in, void *out) {
    char text[512];
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: tensor<%dx%s>) -> tensor<%dx%s> {\n  %%0 = \"chlo.%s\"(%%a) : (tensor<%dx%s>) -> tensor<%dx%s>\n"
        "  return %%0 : tensor<%dx%s>\n}\n",
        N, type, N, type, op, N, type, N, type, N, type);
    walk_text(text, "weft-legalize", &in, &out);
}

static long double units(long double got, long double want, int digits, int least) {
    int e = 0;
    if (isnan(got) && isnan(want)) return 0;
    if (got == want) return signbit(got) == signbit(want) ? 0 : INFINITY;
    frexpl(want, &e);
    return fabsl(got - want) / ldexpl(1, e - digits > least ? e - digits : least);
}

START_TEST(test_function) {
    const int which = _i / 2, is_double = _i % 2;
    const uint64_t seed = weft_test_seed(20261122);
    weft_rng r = { seed };
    double *z = walk_buffer(N * 16), *w = walk_buffer(N * 16);
    float *zf = walk_buffer(N * 8), *wf = walk_buffer(N * 8);
    for (int i = 0; i < N; i++) {
        const int k = i - RANDOM, n = (int)WEFT_COUNT(ends);
        double re = k < 0 ? any_size(&r) : ends[k / n], im = k < 0 ? any_size(&r) : ends[k % n];
        if (fabs(re) > functions[which].largest || fabs(im) > functions[which].largest) re = im = 0.75;
        zf[2 * i] = (float)re, zf[2 * i + 1] = (float)im;
        z[2 * i] = is_double ? re : (double)zf[2 * i], z[2 * i + 1] = is_double ? im : (double)zf[2 * i + 1];
    }
    run(functions[which].op, is_double ? "complex<f64>" : "complex<f32>", is_double ? (void *)z : (void *)zf,
        is_double ? (void *)w : (void *)wf);
    long double worst = 0;
    for (int i = 0; i < N; i++) {
        /* re + im * I would lose signs of zeros */
        const union { long double part[2]; wide z; } at = { { z[2 * i], z[2 * i + 1] } };
        const wide want = functions[which].ref(at.z);
        for (int part = 0; part < 2; part++) {
            const long double got = is_double ? w[2 * i + part] : wf[2 * i + part],
                              exact = part ? cimagl(want) : creall(want);
            if (!is_double && fabsl(exact) > 3.4e38L) continue;
            const long double off = is_double ? units(got, exact, 53, -1074) : units(got, exact, 24, -149);
            if (off > worst) worst = off;
            ck_assert_msg(off <= (is_double ? 6 : 2), "%s of (%a, %a) has %s %.17Lg, not %.17Lg: %Lg units; seed %llu",
                          functions[which].op, z[2 * i], z[2 * i + 1], part ? "imaginary part" : "real part", got,
                          exact, off, (unsigned long long)seed);
        }
    }
    printf("%-6s %s %8.3Lf\n", functions[which].op, is_double ? "complex<f64>" : "complex<f32>", worst);
    free(z), free(w), free(zf), free(wf);
}
END_TEST

int main(void) {
    Suite *s = suite_create("legalize/complex");
    TCase *tc = tcase_create("parts");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_function, 0, 2 * (int)WEFT_COUNT(functions));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
