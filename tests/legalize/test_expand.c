/* The numbers of ops that weft-expand-ops writes out: batch norms, torch_index_select, scans. */
#include <math.h>
#include "tests/codegen/program.h"

enum { A = 3, F = 4, C = 5 }; /* [3, 4, 5], 4 features */

static float x[A * F * C], grad[A * F * C], scale[F], offset[F];

static void fill(void) {
    weft_rng r = { weft_test_seed(16000) };
    for (int i = 0; i < A * F * C; i++)
        x[i] = (float)(4 * weft_rng_unit(&r) - 1), grad[i] = (float)(2 * weft_rng_unit(&r) - 1);
    for (int i = 0; i < F; i++) scale[i] = (float)(1 + weft_rng_unit(&r)), offset[i] = (float)weft_rng_unit(&r);
}

static int feature_of(int i) { return i / C % F; }

static void moments(double *mean, double *variance) {
    for (int f = 0; f < F; f++) mean[f] = variance[f] = 0;
    for (int i = 0; i < A * F * C; i++) mean[feature_of(i)] += x[i] / (double)(A * C);
    for (int i = 0; i < A * F * C; i++)
        variance[feature_of(i)] += (x[i] - mean[feature_of(i)]) * (x[i] - mean[feature_of(i)]) / (A * C);
}

static void close_to(const float *got, double want) { ck_assert_double_eq_tol(*got, want, 2e-5); }

#define X "tensor<3x4x5xf32>"
#define V "tensor<4xf32>"

START_TEST(test_training) {
    program p;
    double mean[F], variance[F];
    program_open(
        &p,
        "func.func @main(%x: " X ", %s: " V ", %o: " V ") -> (" X ", " V ", " V ") {\n"
        "%y, %m, %v = \"stablehlo.batch_norm_training\"(%x, %s, %o) {epsilon = 0.01 : f32, feature_index = 1 : i64} : (" X
        ", " V ", " V ") -> (" X ", " V ", " V ")\n"
        "return %y, %m, %v : " X ", " V ", " V "\n}\n");
    memcpy(p.args[0], x, sizeof x), memcpy(p.args[1], scale, sizeof scale), memcpy(p.args[2], offset, sizeof offset);
    program_run(&p);
    moments(mean, variance);
    for (int f = 0; f < F; f++)
        close_to((float *)p.results[1] + f, mean[f]), close_to((float *)p.results[2] + f, variance[f]);
    for (int i = 0; i < A * F * C; i++) {
        const int f = feature_of(i);
        close_to((float *)p.results[0] + i, (x[i] - mean[f]) / sqrt(variance[f] + 0.01) * scale[f] + offset[f]);
    }
    program_close(&p);
}
END_TEST

/* The loss sum(grad * batch_norm_training(x)), by differences in f64. */
static double loss(int at, double step, int which) {
    double mean[F], variance[F], sum = 0;
    const float kept = which ? scale[at] : x[at];
    double v[A * F * C], s[F];
    for (int i = 0; i < A * F * C; i++) v[i] = x[i];
    for (int f = 0; f < F; f++) s[f] = scale[f], mean[f] = variance[f] = 0;
    *(which ? &s[at] : &v[at]) = kept + step;
    for (int i = 0; i < A * F * C; i++) mean[feature_of(i)] += v[i] / (A * C);
    for (int i = 0; i < A * F * C; i++)
        variance[feature_of(i)] += (v[i] - mean[feature_of(i)]) * (v[i] - mean[feature_of(i)]) / (A * C);
    for (int i = 0; i < A * F * C; i++)
        sum += grad[i] * ((v[i] - mean[feature_of(i)]) / sqrt(variance[feature_of(i)] + 0.01) * s[feature_of(i)]);
    return sum;
}

START_TEST(test_grad) {
    program p;
    double mean[F], variance[F];
    program_open(
        &p,
        "func.func @main(%x: " X ", %s: " V ", %m: " V ", %v: " V ", %g: " X ") -> (" X ", " V ", " V ") {\n"
        "%a, %b, %c = \"stablehlo.batch_norm_grad\"(%x, %s, %m, %v, %g) {epsilon = 0.01 : f32, feature_index = 1 : i64} : (" X
        ", " V ", " V ", " V ", " X ") -> (" X ", " V ", " V ")\n"
        "return %a, %b, %c : " X ", " V ", " V "\n}\n");
    moments(mean, variance);
    memcpy(p.args[0], x, sizeof x), memcpy(p.args[1], scale, sizeof scale), memcpy(p.args[4], grad, sizeof grad);
    for (int f = 0; f < F; f++) ((float *)p.args[2])[f] = (float)mean[f], ((float *)p.args[3])[f] = (float)variance[f];
    program_run(&p);
    for (int i = 0; i < A * F * C; i++)
        close_to((float *)p.results[0] + i, (loss(i, 1e-4, 0) - loss(i, -1e-4, 0)) / 2e-4);
    for (int f = 0; f < F; f++) {
        double sum = 0;
        for (int i = 0; i < A * F * C; i++) sum += feature_of(i) == f ? grad[i] : 0;
        close_to((float *)p.results[1] + f, (loss(f, 1e-4, 1) - loss(f, -1e-4, 1)) / 2e-4);
        close_to((float *)p.results[2] + f, sum);
    }
    program_close(&p);
}
END_TEST

START_TEST(test_inference) {
    program p;
    program_open(
        &p,
        "func.func @main(%x: " X ", %s: " V ", %o: " V ") -> " X " {\n"
        "%y = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %o, %s) {epsilon = 0.5 : f32, feature_index = 1 : i64} : (" X
        ", " V ", " V ", " V ", " V ") -> " X "\n"
        "return %y : " X "\n}\n");
    memcpy(p.args[0], x, sizeof x), memcpy(p.args[1], scale, sizeof scale), memcpy(p.args[2], offset, sizeof offset);
    program_run(&p);
    for (int i = 0; i < A * F * C; i++) {
        const int f = feature_of(i);
        close_to((float *)p.results[0] + i, (x[i] - offset[f]) / sqrt(scale[f] + 0.5) * scale[f] + offset[f]);
    }
    program_close(&p);
}
END_TEST

/* [3, 4, 5] looked up along dimension 2 with one batch dimension. */
START_TEST(test_select) {
    static const int32_t index[A * 2] = { 4, 0, 2, 2, 1, 3 };
    program p;
    program_open(&p, "func.func @main(%x: " X ", %i: tensor<3x2xi32>) -> tensor<3x4x2xf32> {\n"
                     "%y = \"stablehlo.torch_index_select\"(%x, %i) {dim = 2 : i64, batch_dims = 1 : i64} : (" X
                     ", tensor<3x2xi32>) -> tensor<3x4x2xf32>\n"
                     "return %y : tensor<3x4x2xf32>\n}\n");
    memcpy(p.args[0], x, sizeof x), memcpy(p.args[1], index, sizeof index);
    program_run(&p);
    for (int a = 0; a < A; a++)
        for (int f = 0; f < F; f++)
            for (int k = 0; k < 2; k++)
                close_to((float *)p.results[0] + (a * F + f) * 2 + k, x[(a * F + f) * C + index[2 * a + k]]);
    program_close(&p);
}
END_TEST

/* Running sums from either end of any dimension, and what is left in the carry; no inputs but a counter. */
START_TEST(test_scan) {
    static const char *const slices[] = { "tensor<4x5xf32>", "tensor<3x5xf32>", "tensor<3x4xf32>" };
    const int dim = _i % 3, reverse = _i / 3,
              size = dim == 0   ? A
                     : dim == 1 ? F
                                : C,
              step = dim == 0   ? F * C
                     : dim == 1 ? C
                                : 1;
    text t = { .n = 0 };
    program p;
    text_add(
        &t,
        "func.func @main(%%x: " X ", %%c: %s) -> (" X
        ", %s) {\n%%y, %%e = \"chlo.scan\"(%%x, %%c) ({\n^bb0(%%i: %s, %%k: %s):\n%%s = stablehlo.add %%i, %%k : %s\n",
        slices[dim], slices[dim], slices[dim], slices[dim], slices[dim]);
    text_add(
        &t,
        "stablehlo.return %%s, %%s : %s, %s\n}) {dimension = %d : i64, is_reverse = %s, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (" X
        ", %s) -> (" X ", %s)\n"
        "return %%y, %%e : " X ", %s\n}\n",
        slices[dim], slices[dim], dim, reverse ? "true" : "false", slices[dim], slices[dim], slices[dim]);
    program_open(&p, t.v);
    memcpy(p.args[0], x, sizeof x);
    for (int i = 0; i < A * F * C / size; i++) ((float *)p.args[1])[i] = (float)i;
    program_run(&p);
    for (int i = 0; i < A * F * C; i++) {
        const int at = i / step % size, outside = i / (step * size) * step + i % step;
        double sum = outside;
        for (int k = reverse ? size - 1 : 0; reverse ? k >= at : k <= at; k += reverse ? -1 : 1)
            sum += x[i + (k - at) * step];
        close_to((float *)p.results[0] + i, sum);
        if (at == (reverse ? 0 : size - 1)) close_to((float *)p.results[1] + outside, sum);
    }
    program_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("legalize/expand");
    TCase *tc = tcase_create("numbers");
    tcase_add_unchecked_fixture(tc, fill, NULL);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, test_training);
    tcase_add_test(tc, test_grad);
    tcase_add_test(tc, test_inference);
    tcase_add_test(tc, test_select);
    tcase_add_loop_test(tc, test_scan, 0, 6);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
