/* The error of every element-wise function, in units in the last place.
 *
 * f32 and f64: every exponent and sign with mantissas at the ends and random ones, the neighbours of special points,
 * and random numbers where the function changes most; 16-bit types: every number. References are the C
 * library's in long double, or series of this file's own (reference.c). WEFT_SEED changes the random ones,
 * WEFT_ONLY=TEXT tries only functions whose names contain it. Prints the worst of each function.
 */
#include <math.h>
#include <stdio.h>
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/reference.h"
#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

typedef long double real;
typedef struct function {
    const char *op;
    int arity;
    real (*one)(real);
    real (*two)(real, real);
    double low, high;           /* where the function changes most */
    double f32, f64;            /* units allowed, or ... */
    double f64_absolute;        /* ... an error this small, times what is larger of 1 and the result */
    double special[8];          /* points with something beside them; ends with NAN */
} function;

#define END NAN
static const function functions[] = {
    { "stablehlo.exponential", 1, expl, NULL, -110, 95, 2, 2, 0, { 0, 88.7228394, -87.3365, -103.9720, 709.782712893384, END } },
    { "stablehlo.exponential_minus_one", 1, expm1l, NULL, -20, 90, 2, 2, 0, { 0, 88.7228394, -0.34657359, 0.34657359, 1.0397208, END } },
    { "stablehlo.log", 1, logl, NULL, 0, 4, 2, 2, 0, { 0, 1, 0.70710678, 1.41421356, 1.17549435e-38, END } },
    { "stablehlo.log_plus_one", 1, log1pl, NULL, -1, 3, 2, 2, 0, { 0, -1, -0.29289322, 0.41421356, 1073741824, END } },
    { "stablehlo.logistic", 1, ref_logistic, NULL, -110, 40, 2, 2.5, 0, { 0, -88.7228394, -103.972, END } },
    { "stablehlo.tanh", 1, tanhl, NULL, -10, 10, 2, 2.5, 0, { 0, 0.625, -0.625, 9, END } },
    { "stablehlo.sine", 1, sinl, NULL, -400, 400, 2, 2, 0, { 0, M_PI, M_PI_2, 3 * M_PI, 355, 268435456, END } },
    { "stablehlo.cosine", 1, cosl, NULL, -400, 400, 2, 2, 0, { 0, M_PI, M_PI_2, 1.5 * M_PI, 16367173, END } },
    { "stablehlo.tan", 1, tanl, NULL, -400, 400, 2, 2.5, 0, { 0, M_PI, M_PI_2, M_PI_4, 16367173, END } },
    { "stablehlo.sqrt", 1, sqrtl, NULL, 0, 10, 0.5, 0.5, 0, { 0, 1, END } },
    { "stablehlo.rsqrt", 1, ref_rsqrt, NULL, 0, 10, 2, 2, 0, { 0, 1, END } },
    { "stablehlo.cbrt", 1, cbrtl, NULL, -10, 10, 2, 2, 0, { 0, 1, 8, 27, END } },
    { "stablehlo.power", 2, NULL, powl, 0, 3, 2, 2, 0, { 1, END } },
    { "stablehlo.atan2", 2, NULL, atan2l, -3, 3, 2, 2.5, 0, { 0, 1, END } },
    { "stablehlo.remainder", 2, NULL, fmodl, -100, 100, 0, 0, 0, { 1, END } },
    { "chlo.acos", 1, acosl, NULL, -1, 1, 2, 3, 0, { 0, 0.5, -0.5, 1, -1, END } },
    { "chlo.acosh", 1, acoshl, NULL, 1, 4, 2, 4, 0, { 1, 2, 0x1p60, END } },
    { "chlo.asin", 1, asinl, NULL, -1, 1, 2, 3, 0, { 0, 0.5, -0.5, 1, -1, END } },
    { "chlo.asinh", 1, asinhl, NULL, -4, 4, 2, 4, 0, { 0, 0x1p60, END } },
    { "chlo.atan", 1, atanl, NULL, -4, 4, 2, 2.5, 0, { 0, 1, 0.4142136, END } },
    { "chlo.atanh", 1, atanhl, NULL, -1, 1, 2, 4, 0, { 0, 1, -1, 0.5, END } },
    { "chlo.cosh", 1, coshl, NULL, -90, 90, 2, 3, 0, { 0, 89.4159851, 64, 710.4758600739439, END } },
    { "chlo.sinh", 1, sinhl, NULL, -90, 90, 2, 3, 0, { 0, 1, 89.4159851, 64, 710.4758600739439, END } },
    { "chlo.tan", 1, tanl, NULL, -400, 400, 2, 2.5, 0, { 0, M_PI_2, END } },
    { "chlo.erf", 1, erfl, NULL, -5, 5, 2, 3, 0, { 0, 1, 1.25, 3.95, END } },
    { "chlo.erfc", 1, erfcl, NULL, -5, 28, 2, 8, 0, { 0, 0.5, -0.5, 10.0542, 26.543, END } },
    { "chlo.erf_inv", 1, ref_erf_inv, NULL, -1, 1, 2, 8, 0, { 0, 1, -1, 0.5, 0.998760, END } },
    { "chlo.bessel_i1e", 1, ref_bessel_i1e, NULL, -30, 30, 2, 8, 0, { 0, 8, -8, END } },
    { "chlo.lgamma", 1, ref_lgamma, NULL, -20, 20, 2, 8, 2e-14, { 0, 1, 2, 0.5, 2.5, -2.457024738, END } },
    { "chlo.digamma", 1, ref_digamma, NULL, -20, 20, 2, 8, 2e-14, { 0, 1, 1.461632144968, 0.5, 2.5, -0.504083008, END } },
    { "chlo.zeta", 2, NULL, ref_zeta, 1, 40, 2, 100, 0, { END } },
    { "chlo.polygamma", 2, NULL, ref_polygamma, 0, 40, 2, 1000, 0, { END } },
};

static const weft_dtype types[] = { WEFT_F32, WEFT_F64, WEFT_BF16, WEFT_F16 };

/* ---- numbers ---- */

static double uniform(weft_rng *s, double low, double high) { return low + (high - low) * weft_rng_unit(s); }

typedef struct numbers { char *p; size_t n, cap, size; } numbers;

static void put_bits(numbers *v, uint64_t bits) {
    if (v->n == v->cap) {
        v->cap = v->cap ? 2 * v->cap : 1 << 16;
        v->p = realloc(v->p, v->cap * v->size);
        ck_assert_ptr_nonnull(v->p);
    }
    memcpy(v->p + v->n++ * v->size, &bits, v->size);
}

static void put_value(numbers *v, weft_dtype t, double x) {
    uint64_t bits = 0;
    weft_dtype_store(t, &bits, x);
    put_bits(v, bits);
}

static void put_beside(numbers *v, weft_dtype t, double x, int far) {
    uint64_t bits = 0;
    weft_dtype_store(t, &bits, x);
    for (int k = -far; k <= far; k++) put_bits(v, bits + (uint64_t)(int64_t)k);
}

static void all_exponents(numbers *v, weft_dtype t, weft_rng *seed, int mantissas) {
    const int wide = t == WEFT_F64, bits = wide ? 52 : 23, exponents = wide ? 2048 : 256;
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (uint64_t e = 0; e < (uint64_t)exponents; e++)
        for (uint64_t sign = 0; sign < 2; sign++)
            for (int k = 0; k < mantissas; k++) {
                const uint64_t ends[] = { 0, 1, mask, mask - 1, mask / 2 + 1 };
                uint64_t m = k < 5 ? ends[k] : weft_rng_next(seed) & mask;
                put_bits(v, sign << (wide ? 63 : 31) | e << bits | m);
            }
}

static void arguments_of_one(const function *f, weft_dtype t, weft_rng seed, numbers *v) {
    if (v->size == 2) {
        for (uint64_t i = 0; i < 65536; i++) put_bits(v, i);
        return;
    }
    all_exponents(v, t, &seed, t == WEFT_F64 ? 12 : 100);
    for (const double *s = f->special; !isnan(*s); s++) put_beside(v, t, *s, 200);
    for (int i = 0; i < 60000; i++) put_value(v, t, uniform(&seed, f->low, f->high));
}

/* Pairs: of all exponents at random, of special numbers, and where the function changes most. */
static void arguments_of_two(const function *f, weft_dtype t, weft_rng seed, numbers *a, numbers *b) {
    static const double ends[] = { 0.0,      -0.0,      1,   -1,    2,      -2,   0.5, -0.5, 3,     -3,
                                   INFINITY, -INFINITY, NAN, 1e-40, -1e-40, 1e30, 10,  33,   0x1p24 };
    for (size_t i = 0; i < WEFT_COUNT(ends); i++)
        for (size_t k = 0; k < WEFT_COUNT(ends); k++) put_value(a, t, ends[i]), put_value(b, t, ends[k]);
    const int fewer = f->two == ref_zeta || f->two == ref_polygamma ? 6 : 1; /* whose references are slow */
    for (int i = 0; i < 30000 / fewer; i++) put_bits(a, weft_rng_next(&seed)), put_bits(b, weft_rng_next(&seed));
    for (int i = 0; i < 60000 / fewer; i++) {
        double x = uniform(&seed, f->low, f->high), y = uniform(&seed, f->low, f->high);
        if (f->two == powl) { /* results over the whole range, bases near 1 too */
            const double top = t == WEFT_F64 ? 700 : 87;
            x = i & 1 ? exp(uniform(&seed, -top, top)) : 1 + uniform(&seed, -1, 1) * pow(2, -20 * uniform(&seed, 0, 1));
            y = uniform(&seed, -1.2 * top, 1.03 * top) / log(x);
            if (i % 8 == 0) x = -x, y = rint(y);
        }
        if (f->two == ref_polygamma) x = floor(x);
        put_value(a, t, x);
        put_value(b, t, y);
    }
}

/* ---- running ---- */

static void run(const function *f, weft_dtype t, size_t n, void *const *args, void *out) {
    char type[64], text[1024];
    snprintf(type, sizeof type, "tensor<%zux%s>", n, weft_dtype_of(t)->name);
    snprintf(
        text, sizeof text,
        f->arity == 1
            ? "func.func @main(%%a: %s) -> %s {\n  %%0 = \"%s\"(%%a) : (%s) -> %s\n  return %%0 : %s\n}\n"
            : "func.func @main(%%a: %s, %%b: %s) -> %s {\n  %%0 = \"%s\"(%%a, %%b) : (%s, %s) -> %s\n  return %%0 : %s\n}\n",
        type, type, f->arity == 1 ? f->op : type, f->arity == 1 ? type : f->op, type, type, type, type);
    walk_text(text, "weft-legalize", args, &out);
}

/* The distance of two numbers of the type at and below the exact result. */
static real unit_at(weft_dtype t, real want) {
    const int digits = t == WEFT_F64   ? 53
                       : t == WEFT_F32 ? 24
                       : t == WEFT_F16 ? 11
                                       : 8,
              least = t == WEFT_F64   ? -1074
                      : t == WEFT_F32 ? -149
                      : t == WEFT_F16 ? -24
                                      : -133;
    int e = 0;
    frexpl(want, &e);
    return ldexpl(1, e - digits > least ? e - digits : least);
}

static real largest(weft_dtype t) {
    return t == WEFT_F64   ? 0x1.fffffffffffffp1023L
           : t == WEFT_F32 ? 0x1.fffffep127L
           : t == WEFT_F16 ? 65504.0L
                           : 0x1.fep127L;
}

/* Infinity is right where the result rounds to it, and counts as the number after the largest. */
static real units_between(weft_dtype t, real got, real want) {
    const real top = largest(t), beyond = top + unit_at(t, top);
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0 : HUGE_VALL;
    if (isinf(want) || fabsl(want) > beyond) want = copysignl(beyond, want);
    if (isinf(got)) got = copysignl(beyond, got);
    if (want == 0 && got == 0) return signbit(got) == signbit(want) ? 0 : HUGE_VALL;
    return fabsl(got - want) / unit_at(t, want);
}

START_TEST(test_function) {
    const function *f = &functions[_i / (int)WEFT_COUNT(types)];
    const weft_dtype t = types[_i % (int)WEFT_COUNT(types)];
    if (!weft_test_wanted(f->op)) return;
    const size_t size = weft_dtype_bytes(t);
    const uint64_t seed = weft_test_seed(20261122);
    numbers a = { .size = size }, b = { .size = size };
    if (f->arity == 1) arguments_of_one(f, t, (weft_rng){ seed }, &a);
    else arguments_of_two(f, t, (weft_rng){ seed }, &a, &b);
    char *in[2] = { walk_buffer(a.n * size), walk_buffer(a.n * size) }, *out = walk_buffer(a.n * size);
    memcpy(in[0], a.p, a.n * size);
    if (f->arity == 2) memcpy(in[1], b.p, a.n * size);
    run(f, t, a.n, (void *const *)in, out);
    real worst = -1;
    size_t at = 0;
    const double allowed = t == WEFT_F64 ? f->f64 : t == WEFT_F32 ? f->f32 : 1;
    for (size_t i = 0; i < a.n; i++) {
        real x = weft_dtype_load(t, in[0] + i * size), y = f->arity == 2 ? weft_dtype_load(t, in[1] + i * size) : 0;
        /* see chlo_gamma.c; terms of both signs overflow */
        if ((f->two == ref_zeta || f->two == ref_polygamma) && (y < -9 || (y < 0 && x > 60))) continue;
        real got = weft_dtype_load(t, out + i * size), want = f->arity == 1 ? f->one(x) : f->two(x, y),
             off = units_between(t, got, want);
        if (t == WEFT_F64 && f->f64_absolute && fabsl(got - want) <= f->f64_absolute * fmaxl(1, fabsl(want))) continue;
        if (off > worst) worst = off, at = i;
    }
    double x = weft_dtype_load(t, in[0] + at * size), y = f->arity == 2 ? weft_dtype_load(t, in[1] + at * size) : 0,
           got = weft_dtype_load(t, out + at * size);
    printf("%-34s %-4s %8.3Lf at %a (%.9g), %a: %.17g\n", f->op, weft_dtype_of(t)->name, worst, x, x, y, got);
    ck_assert_msg(worst <= allowed, "%s of %s is %Lg units off at %a, %a: %.17g, not %.17Lg; seed %llu", f->op,
                  weft_dtype_of(t)->name, worst, x, y, got, f->arity == 1 ? f->one(x) : f->two(x, y),
                  (unsigned long long)seed);
    free(a.p), free(b.p), free(in[0]), free(in[1]), free(out);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/math");
    TCase *tc = tcase_create("units in the last place");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_function, 0, (int)(WEFT_COUNT(functions) * WEFT_COUNT(types)));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
