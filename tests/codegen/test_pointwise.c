/* Every element-wise op of every type against a serial reference in C, on a length with a remainder after full
 * vectors. */
#include <math.h>
#include <stdio.h>
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

enum { N = 37 };

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double maximum(double a, double b) { return isnan(a) || isnan(b) ? NAN : a > b ? a : b; }
static double minimum(double a, double b) { return isnan(a) || isnan(b) ? NAN : a < b ? a : b; }
static double negate(double a, double b) { (void)b; return -a; }
static double absolute(double a, double b) { (void)b; return fabs(a); }
static double sign(double a, double b) { (void)b; return isnan(a) ? NAN : a > 0 ? 1 : a < 0 ? -1 : a; }
static double logistic(double a, double b) { (void)b; return 1 / (1 + exp(-a)); }
static double rsqrt(double a, double b) { (void)b; return 1 / sqrt(a); }
static double is_finite(double a, double b) { (void)b; return isfinite(a); }
#define LIBM(name, call) static double name(double a, double b) { (void)b; return call(a); }
LIBM(m_exp, exp)
LIBM(m_log, log) LIBM(m_tanh, tanh) LIBM(m_sqrt, sqrt) LIBM(m_sin, sin) LIBM(m_cos, cos) LIBM(m_tan, tan)
    LIBM(m_cbrt, cbrt) LIBM(m_expm1, expm1) LIBM(m_log1p, log1p) LIBM(m_ceil, ceil) LIBM(m_floor, floor)
        LIBM(m_round, round) LIBM(m_rint, rint)

/* Tolerances are in units in the last place of the type. */
    static const struct {
    const char *op;
    int arity;
    double (*ref)(double, double);
    double ulps;
    bool to_bool;
} floats[] = {
    { "add", 2, add, 0.5, false },
    { "subtract", 2, subtract, 0.5, false },
    { "multiply", 2, multiply, 0.5, false },
    { "divide", 2, divide, 0.5, false },
    { "maximum", 2, maximum, 0, false },
    { "minimum", 2, minimum, 0, false },
    { "negate", 1, negate, 0, false },
    { "abs", 1, absolute, 0, false },
    { "sign", 1, sign, 0, false },
    { "exponential", 1, m_exp, 2, false },
    { "log", 1, m_log, 2, false },
    { "tanh", 1, m_tanh, 2, false },
    { "logistic", 1, logistic, 3, false },
    { "sqrt", 1, m_sqrt, 1, false },
    { "rsqrt", 1, rsqrt, 2, false },
    { "sine", 1, m_sin, 2, false },
    { "cosine", 1, m_cos, 2, false },
    { "tan", 1, m_tan, 2, false },
    { "cbrt", 1, m_cbrt, 2, false },
    { "exponential_minus_one", 1, m_expm1, 2, false },
    { "log_plus_one", 1, m_log1p, 2, false },
    { "power", 2, pow, 2, false },
    { "atan2", 2, atan2, 2, false },
    { "remainder", 2, fmod, 0.5, false },
    { "ceil", 1, m_ceil, 0, false },
    { "floor", 1, m_floor, 0, false },
    { "round_nearest_afz", 1, m_round, 0, false },
    { "round_nearest_even", 1, m_rint, 0, false },
    { "is_finite", 1, is_finite, 0, true },
};
static const weft_dtype float_types[] = { WEFT_F32, WEFT_F64, WEFT_BF16, WEFT_F16 };

static const double float_values[] = { 0.0, -0.0, 1,        -1,        0.5, -0.5, 0.1,   2,     -3.25, 1e-3, -1e-3,
                                       7.5, 10,   -12,      30,        -30, 85,   -85,   0.61,  0.63,  1e-7, 1.5,
                                       2.5, -2.5, INFINITY, -INFINITY, NAN, 1000, -1000, 3e-39, 65000, 1e5 };

/* Runs op on args of type t into out. */
static void run_op(const char *op, int arity, weft_dtype t, weft_dtype to, void *const *args, void *out) {
    char text[512];
    const char *in = weft_dtype_of(t)->name, *res = weft_dtype_of(to)->name;
    char second[64] = "";
    if (arity == 2) snprintf(second, sizeof second, ", tensor<%dx%s>", N, in);
    snprintf(text, sizeof text,
             "func.func @main(%%a: tensor<%dx%s>, %%b: tensor<%dx%s>) -> tensor<%dx%s> {\n"
             "  %%0 = \"stablehlo.%s\"(%%a%s) : (tensor<%dx%s>%s) -> tensor<%dx%s>\n  return %%0 : tensor<%dx%s>\n}\n",
             N, in, N, in, N, res, op, arity == 2 ? ", %b" : "", N, in, second, N, res, N, res);
    walk_text(text, NULL, args, &out);
}

static double ulp_of(weft_dtype t, double v) {
    const int bits = t == WEFT_F64 ? 52 : t == WEFT_F32 ? 23 : t == WEFT_F16 ? 10 : 7;
    const double least = t == WEFT_F64 ? 1e-300 : t == WEFT_F16 ? 6.1e-5 : 1.2e-38;
    return ldexp(fmax(fabs(v), least), -bits);
}

START_TEST(test_floats) {
    const weft_dtype t = float_types[_i % (int)WEFT_COUNT(float_types)];
    const int op = _i / (int)WEFT_COUNT(float_types);
    const weft_dtype to = floats[op].to_bool ? WEFT_I1 : t;
    const size_t size = weft_dtype_bytes(t);
    char *a = walk_buffer(N * size), *b = walk_buffer(N * size), *out = walk_buffer(N * 8);
    for (size_t i = 0; i < N; i++) {
        weft_dtype_store(t, a + i * size, float_values[i % WEFT_COUNT(float_values)]);
        weft_dtype_store(t, b + i * size, float_values[(i * 5 + 3) % WEFT_COUNT(float_values)]);
    }
    run_op(floats[op].op, floats[op].arity, t, to, (void *[]){ a, b }, out);
    for (size_t i = 0; i < N; i++) {
        uint8_t rounded[8];
        double x = weft_dtype_load(t, a + i * size), y = weft_dtype_load(t, b + i * size),
               got = weft_dtype_load(to, out + i * weft_dtype_bytes(to));
        weft_dtype_store(to, rounded, floats[op].ref(x, y));
        double want = weft_dtype_load(to, rounded);
        bool same = got == want || (isnan(got) && isnan(want)) ||
                    fabs(got - want) <= fmax(floats[op].ulps, 1) * ulp_of(t, want);
        ck_assert_msg(same, "%s of %s: %g, %g gives %.9g, not %.9g", floats[op].op, weft_dtype_of(t)->name, x, y, got,
                      want);
    }
    free(a), free(b), free(out);
}
END_TEST

static int64_t i_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t i_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static int64_t i_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t i_div(int64_t a, int64_t b) { return b == 0 ? -1 : b == -1 ? i_sub(0, a) : a / b; }
static int64_t i_rem(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static int64_t i_max(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t i_min(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t i_and(int64_t a, int64_t b) { return a & b; }
static int64_t i_or(int64_t a, int64_t b) { return a | b; }
static int64_t i_xor(int64_t a, int64_t b) { return a ^ b; }
static int64_t i_neg(int64_t a, int64_t b) { (void)b; return i_sub(0, a); }
static int64_t i_not(int64_t a, int64_t b) { (void)b; return ~a; }
static int64_t i_abs(int64_t a, int64_t b) { (void)b; return a < 0 ? i_sub(0, a) : a; }
static int64_t i_sign(int64_t a, int64_t b) { (void)b; return (a > 0) - (a < 0); }

static const struct { const char *op; int arity; int64_t (*ref)(int64_t, int64_t); } integers[] = {
    { "add", 2, i_add }, { "subtract", 2, i_sub }, { "multiply", 2, i_mul }, { "divide", 2, i_div }, { "remainder", 2, i_rem },
    { "maximum", 2, i_max }, { "minimum", 2, i_min }, { "and", 2, i_and }, { "or", 2, i_or }, { "xor", 2, i_xor },
    { "negate", 1, i_neg }, { "not", 1, i_not }, { "abs", 1, i_abs }, { "sign", 1, i_sign },
};
static const weft_dtype integer_types[] = { WEFT_I8, WEFT_I16, WEFT_I32, WEFT_I64 };
static const int64_t integer_values[] = { 0,         1,         -1,        2,         -2,   3,     7,
                                          -7,        100,       -100,      127,       -128, 32767, -32768,
                                          INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 13 };

static int64_t load_integer(size_t size, const char *p) {
    uint64_t v = 0;
    memcpy(&v, p, size);
    return (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

START_TEST(test_integers) {
    const weft_dtype t = integer_types[_i % (int)WEFT_COUNT(integer_types)];
    const int op = _i / (int)WEFT_COUNT(integer_types);
    const size_t size = weft_dtype_bytes(t);
    char *a = walk_buffer(N * size), *b = walk_buffer(N * size), *out = walk_buffer(N * size);
    for (size_t i = 0; i < N; i++) {
        memcpy(a + i * size, &integer_values[i % WEFT_COUNT(integer_values)], size);
        memcpy(b + i * size, &integer_values[(i * 7 + 2) % WEFT_COUNT(integer_values)], size);
    }
    run_op(integers[op].op, integers[op].arity, t, t, (void *[]){ a, b }, out);
    for (size_t i = 0; i < N; i++) {
        int64_t x = load_integer(size, a + i * size), y = load_integer(size, b + i * size),
                want = integers[op].ref(x, y);
        want = load_integer(size, (const char *)&want);
        ck_assert_msg(load_integer(size, out + i * size) == want, "%s of %s: %lld, %lld gives %lld, not %lld",
                      integers[op].op, weft_dtype_of(t)->name, (long long)x, (long long)y,
                      (long long)load_integer(size, out + i * size), (long long)want);
    }
    free(a), free(b), free(out);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/pointwise");
    TCase *tc = tcase_create("pointwise");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_floats, 0, (int)(WEFT_COUNT(floats) * WEFT_COUNT(float_types)));
    tcase_add_loop_test(tc, test_integers, 0, (int)(WEFT_COUNT(integers) * WEFT_COUNT(integer_types)));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
