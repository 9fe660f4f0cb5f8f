/* cholesky and triangular_solve: every flag, type and a few orders and batches, checked by the equations they
 * satisfy. */
#include <math.h>
#include <stdio.h>
#include "tests/codegen/tensor.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

static const weft_dtype types[] = { WEFT_F32, WEFT_F64, WEFT_C64, WEFT_C128, WEFT_BF16, WEFT_F16 };
static const int64_t orders[] = { 0, 1, 2, 5, 33, 130 };

enum { BATCH = 3 };

static bool small(weft_dtype t) { return t == WEFT_BF16 || t == WEFT_F16; }

static void type_text(char *out, size_t size, weft_dtype t, int64_t m, int64_t n) {
    snprintf(out, size, "tensor<%dx%lldx%lldx%s>", BATCH, (long long)m, (long long)n, weft_dtype_of(t)->name);
}

/* b b^H + n, positive definite; the triangle that is not to be read is spoiled. */
static void *positive(weft_dtype t, int64_t n, bool lower, num *whole) {
    void *b = tensor_random(WEFT_C128, BATCH * n * n, (uint64_t)n + 3),
         *a = walk_buffer((size_t)(BATCH * n * n) * weft_dtype_bytes(t));
    for (int64_t i = 0; i < BATCH * n * n; i++) {
        const num *m = (const num *)b + i / (n * n) * n * n;
        const int64_t r = i / n % n, c = i % n;
        num sum = r == c ? (double)n : 0;
        for (int64_t k = 0; k < n; k++) {
            const num x = weft_dtype_is_complex(t) ? m[r * n + k] : creal(m[r * n + k]),
                      y = weft_dtype_is_complex(t) ? m[c * n + k] : creal(m[c * n + k]);
            sum += x * conj(y);
        }
        tensor_put(t, a, i, sum);
        whole[i] = tensor_get(t, a, i);
        if (lower ? c > r : c < r) tensor_put(t, a, i, NAN);
    }
    free(b);
    return a;
}

static void check_cholesky(weft_dtype t, int64_t n, bool lower) {
    char type[64], text[512];
    num *whole = calloc((size_t)(BATCH * n * n) + 1, sizeof *whole);
    void *a = positive(t, n, lower, whole), *out[1];
    type_text(type, sizeof type, t, n, n);
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: %s) -> %s {\n %%l = \"stablehlo.cholesky\"(%%a) <{lower = %s}> : (%s) -> %s\n return %%l : %s\n}\n",
        type, type, lower ? "true" : "false", type, type, type);
    tensor_run(text, (void *[]){ a }, out);
    for (int64_t i = 0; i < BATCH * n * n; i++) {
        const int64_t first = i / (n * n) * n * n, r = i / n % n, c = i % n;
        num sum = 0;
        for (int64_t k = 0; k < n; k++) /* L L^H, U^H U */
            sum += lower ? tensor_get(t, out[0], first + r * n + k) * conj(tensor_get(t, out[0], first + c * n + k))
                         : conj(tensor_get(t, out[0], first + k * n + r)) * tensor_get(t, out[0], first + k * n + c);
        ck_assert_msg(cabs(sum - whole[i]) <= 8 * (double)(n + 1) * tensor_epsilon(t) * (double)n,
                      "%s, order %d, %d: %g", weft_dtype_of(t)->name, (int)n, (int)i, cabs(sum - whole[i]));
        if (lower ? c > r : c < r) ck_assert(tensor_get(t, out[0], i) == 0);
    }
    free(a), free(out[0]), free(whole);
}

START_TEST(test_cholesky) {
    for (size_t n = 0; n < WEFT_COUNT(orders); n++)
        for (int lower = 0; lower < 2; lower++)
            if (!small(types[_i]) || orders[n] < 10) check_cholesky(types[_i], orders[n], lower);
}
END_TEST

/* One of a batch is not positive definite: it alone becomes NaN. */
START_TEST(test_not_positive) {
    float *a = walk_buffer(8 * sizeof *a);
    const float given[8] = { 4, 2, 2, 3, 1, 2, 2, 1 };
    void *out[1];
    memcpy(a, given, sizeof given);
    tensor_run(
        "func.func @main(%a: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {\n %l = stablehlo.cholesky %a, lower = true : tensor<2x2x2xf32>\n return %l : tensor<2x2x2xf32>\n}\n",
        (void *[]){ a }, out);
    const float *l = out[0];
    ck_assert(l[0] == 2 && l[1] == 0 && l[2] == 1 && l[3] == sqrtf(2));
    for (int i = 4; i < 8; i++) ck_assert(isnan(l[i]));
    free(a), free(out[0]);
}
END_TEST

static num element(weft_dtype t, const void *a, int64_t n, int64_t r, int64_t c, bool lower, bool unit, int transpose) {
    if (transpose) {
        const int64_t x = r;
        r = c, c = x;
    }
    num v = r == c && unit ? 1 : (lower ? c > r : c < r) ? 0 : tensor_get(t, a, r * n + c);
    return transpose == 2 ? conj(v) : v;
}

/* op(a) x = b, or x op(a) = b. */
static void check_solve(weft_dtype t, int64_t n, int64_t other, bool left, bool lower, bool unit, int transpose) {
    static const char *const names[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };
    const int64_t rows = left ? n : other, columns = left ? other : n;
    char ta[64], tb[64], text[1024];
    void *a = tensor_random(t, BATCH * n * n, 5), *b = tensor_random(t, BATCH * rows * columns, 6), *out[1];
    /* well conditioned, with or without its diagonal; the rest is not read */
    for (int64_t i = 0; i < BATCH * n * n; i++) {
        const int64_t r = i / n % n, c = i % n;
        if (r == c) tensor_put(t, a, i, unit ? NAN : tensor_get(t, a, i) + 2);
        else if (lower ? c > r : c < r) tensor_put(t, a, i, NAN);
        else tensor_put(t, a, i, tensor_get(t, a, i) / (double)n);
    }
    type_text(ta, sizeof ta, t, n, n);
    type_text(tb, sizeof tb, t, rows, columns);
    snprintf(
        text, sizeof text,
        "func.func @main(%%a: %s, %%b: %s) -> %s {\n %%x = \"stablehlo.triangular_solve\"(%%a, %%b) <{left_side = %s, lower = %s, unit_diagonal = %s, transpose_a = #stablehlo<transpose %s>}> :"
        " (%s, %s) -> %s\n return %%x : %s\n}\n",
        ta, tb, tb, left ? "true" : "false", lower ? "true" : "false", unit ? "true" : "false", names[transpose], ta,
        tb, tb, tb);
    tensor_run(text, (void *[]){ a, b }, out);
    for (int64_t i = 0; i < BATCH * rows * columns; i++) {
        const int64_t batch = i / (rows * columns), r = i / columns % rows, c = i % columns;
        const char *matrix = (const char *)a + (size_t)(batch * n * n) * weft_dtype_bytes(t);
        num sum = 0;
        for (int64_t k = 0; k < n; k++)
            sum += left ? element(t, matrix, n, r, k, lower, unit, transpose) *
                              tensor_get(t, out[0], batch * rows * columns + k * columns + c)
                        : tensor_get(t, out[0], batch * rows * columns + r * columns + k) *
                              element(t, matrix, n, k, c, lower, unit, transpose);
        ck_assert_msg(cabs(sum - tensor_get(t, b, i)) <= 16 * tensor_epsilon(t), "%s\n%d: %g", text, (int)i,
                      cabs(sum - tensor_get(t, b, i)));
    }
    free(a), free(b), free(out[0]);
}

START_TEST(test_triangular_solve) {
    for (int flags = 0; flags < 24; flags++)
        for (size_t n = 0; n < WEFT_COUNT(orders); n++) {
            if ((small(types[_i]) && orders[n] > 10) || (orders[n] > 100 && flags % 5)) continue;
            check_solve(types[_i], orders[n], orders[n] > 100 ? 2 : 3, flags & 1, flags & 2, flags & 4, flags / 8);
        }
    check_solve(types[_i], 4, 0, true, true, false, 0);
}
END_TEST

/* What is not a number stays in its right-hand side and in the unknowns that are found from there on, on either side,
 * within a block and beyond it. */
START_TEST(test_solve_nan) {
    enum { N = 40, OTHERS = 3, AT = 5, WHICH = 1 };
    const bool left = _i & 1, lower = _i & 2;
    const bool forward = left == lower;
    char text[512], tb[32];
    float *a = tensor_random(WEFT_F32, N * N, 3), *b = tensor_random(WEFT_F32, N * OTHERS, 4);
    void *out[1];
    snprintf(tb, sizeof tb, left ? "tensor<%dx%dxf32>" : "tensor<%2$dx%1$dxf32>", N, OTHERS);
    for (int i = 0; i < N; i++) a[i * N + i] += 4;
    b[left ? AT * OTHERS + WHICH : WHICH * N + AT] = NAN;
    snprintf(text, sizeof text,
             "func.func @main(%%a: tensor<40x40xf32>, %%b: %s) -> %s {\n %%x = \"stablehlo.triangular_solve\"(%%a, %%b) <{left_side = %s, lower = %s, unit_diagonal = false,"
             " transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<40x40xf32>, %s) -> %s\n return %%x : %s\n}\n",
             tb, tb, left ? "true" : "false", lower ? "true" : "false", tb, tb, tb);
    tensor_run(text, (void *[]){ a, b }, out);
    for (int i = 0; i < N; i++)
        for (int r = 0; r < OTHERS; r++)
            ck_assert_msg(!isnan(((float *)out[0])[left ? i * OTHERS + r : r * N + i]) ==
                              (r != WHICH || (forward ? i < AT : i > AT)),
                          "unknown %d of %d", i, r);
    free(a), free(b), free(out[0]);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/linalg");
    TCase *tc = tcase_create("linalg");
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, test_cholesky, 0, WEFT_COUNT(types));
    tcase_add_test(tc, test_not_positive);
    tcase_add_loop_test(tc, test_triangular_solve, 0, WEFT_COUNT(types));
    tcase_add_loop_test(tc, test_solve_nan, 0, 4);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
