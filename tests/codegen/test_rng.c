/* Random bits against the generators' published answers and XLA's; random numbers against their distributions.
 */
#include <math.h>
#include <stdio.h>
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

/* Runs text; results are made here and given to the caller. */
static void run(const char *text, void *const *args, void **results, uint32_t result_count) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    const weft_status st = walk_compile(cx, text, NULL, &x);
    ck_assert_msg(st == WEFT_OK, "%s\n%s", text, weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    ck_assert_uint_eq(x->result_count, result_count);
    for (uint32_t i = 0; i < result_count; i++) results[i] = walk_buffer((size_t)x->results[i].bytes);
    ck_assert_int_eq(walk_run(x, args, results, NULL), WEFT_OK);
    weft_executable_free(x);
    weft_context_free(cx);
}

static void draw(const char *algorithm, int words, const char *type, const uint64_t *state, void *results[2]) {
    char text[512];
    snprintf(text, sizeof text,
             "func.func @main(%%a: tensor<%dxui64>) -> (tensor<%dxui64>, tensor<%s>) {\n"
             "  %%s, %%o = stablehlo.rng_bit_generator %%a, algorithm = %s : (tensor<%dxui64>) -> (tensor<%dxui64>, tensor<%s>)\n"
             "  return %%s, %%o : tensor<%dxui64>, tensor<%s>\n}\n",
             words, words, type, algorithm, words, words, type, words, type);
    uint64_t *arg = walk_buffer(64);
    memcpy(arg, state, (size_t)words * 8);
    run(text, (void *[]){ arg }, results, 2);
    free(arg);
}

/* Known answers of the Random123 distribution (kat_vectors): threefry2x32 with 20 rounds, philox4x32 with 10. */
static const struct { uint64_t key, counter, out; } threefry[] = {
    { 0, 0, 0x99ba4efe6b200159u },
    { UINT64_MAX, UINT64_MAX, 0xbb002be71cb996fcu },
    { 0x0370734413198a2eu, 0x85a308d3243f6a88u, 0x483df7a0c4923a9cu },
};
static const struct { uint64_t key, low, high; uint32_t out[4]; } philox[] = {
    { 0, 0, 0, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { UINT64_MAX, UINT64_MAX, UINT64_MAX, { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { 0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x0370734413198a2eu, { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
};

START_TEST(test_threefry) {
    void *r[2];
    draw("THREE_FRY", 2, "ui64", (uint64_t[]){ threefry[_i].key, threefry[_i].counter }, r);
    ck_assert_uint_eq(*(uint64_t *)r[1], threefry[_i].out);
    ck_assert_uint_eq(((uint64_t *)r[0])[1], threefry[_i].counter + 1);
    free(r[0]), free(r[1]);
}
END_TEST

START_TEST(test_philox) {
    void *r[2];
    draw("PHILOX", 3, "4xui32", (uint64_t[]){ philox[_i].key, philox[_i].low, philox[_i].high }, r);
    ck_assert_mem_eq(r[1], philox[_i].out, sizeof philox[_i].out);
    ck_assert_uint_eq(((uint64_t *)r[0])[2], philox[_i].high + (philox[_i].low == UINT64_MAX));
    free(r[0]), free(r[1]);
}
END_TEST

/* Which element gets which word: as XLA's CPU back end (jaxlib 0.10.2) does. The elements are folded into a number:
 * h = h * 0x100000001b3 + element. */
static const struct {
    const char *algorithm;
    int words;
    const char *type;
    int bytes, elems;
    uint64_t state[3], h;
} layout[] = {
    { "THREE_FRY", 2, "7xui8", 1, 7, { 0x0123456789abcdefu, 0x0000000000000003u }, 0x4c044f700ffb01f6u },
    { "THREE_FRY", 2, "3x5xui16", 2, 15, { 0x0123456789abcdefu, 0x0000000000000008u }, 0xc725f7bbd3f91dcau },
    { "THREE_FRY", 2, "4x6xui32", 4, 24, { 0x0123456789abcdefu, 0x000000000000000bu }, 0xda3b275f5d5aeed7u },
    { "THREE_FRY", 2, "3x7x9xui32", 4, 189, { 0x0123456789abcdefu, 0x0000000000000068u }, 0x8e3adccf979c7b9fu },
    { "THREE_FRY", 2, "ui32", 4, 1, { 0x0123456789abcdefu, 0x0000000000000000u }, 0x000000000b3d7494u },
    { "THREE_FRY", 2, "5x2x3xui64", 8, 30, { 0x0123456789abcdefu, 0x000000000000001du }, 0x23ed0cfe57d20f7fu },
    { "THREE_FRY", 2, "5000xui32", 4, 5000, { 0x0123456789abcdefu, 0x00000000000009c3u }, 0xa57e4462da4f8846u },
    { "PHILOX", 2, "7xui8", 1, 7, { 0x0123456789abcdefu, 0x0000000000000001u }, 0x4c5a3bfe063fb8f4u },
    { "PHILOX", 2, "3x5xui16", 2, 15, { 0x0123456789abcdefu, 0x0000000000000003u }, 0xc5d9ae5a34e7ab7bu },
    { "PHILOX", 2, "4x6xui32", 4, 24, { 0x0123456789abcdefu, 0x0000000000000005u }, 0xb1d7f2bc8da7cb61u },
    { "PHILOX", 2, "1001xui32", 4, 1001, { 0x0123456789abcdefu, 0x00000000000000fau }, 0xd7489044fdd973e8u },
    { "PHILOX", 2, "5x3x3xui64", 8, 45, { 0x0123456789abcdefu, 0x0000000000000016u }, 0x77e5f25b4f29d0c3u },
    { "PHILOX",
      3,
      "3x7xui32",
      4,
      21,
      { 0x0123456789abcdefu, 0x0000000000000005u, 0x8000000000000002u },
      0x5f373af355984ac2u },
    { "PHILOX",
      3,
      "ui64",
      8,
      1,
      { 0x0123456789abcdefu, 0x0000000000000000u, 0x8000000000000002u },
      0x7f399276b2793853u },
    { "DEFAULT", 2, "3x3xui32", 4, 9, { 0x0123456789abcdefu, 0x0000000000000002u }, 0xed0ba1c72b5d3eddu },
    { "DEFAULT",
      3,
      "9xui64",
      8,
      9,
      { 0x0123456789abcdefu, 0x0000000000000004u, 0x8000000000000002u },
      0x5d6794b7d92afe03u },
};

START_TEST(test_layout) {
    const uint64_t state[] = { 0x0123456789abcdefu, 0xffffffffffffffffu, 0x8000000000000001u };
    void *r[2];
    draw(layout[_i].algorithm, layout[_i].words, layout[_i].type, state, r);
    ck_assert_mem_eq(r[0], layout[_i].state, (size_t)layout[_i].words * 8);
    uint64_t h = 0;
    for (int i = 0; i < layout[_i].elems; i++) {
        uint64_t v = 0;
        memcpy(&v, (char *)r[1] + (size_t)i * (size_t)layout[_i].bytes, (size_t)layout[_i].bytes);
        h = h * 0x100000001b3u + v;
    }
    ck_assert_msg(h == layout[_i].h, "%s %s gives %016llx", layout[_i].algorithm, layout[_i].type,
                  (unsigned long long)h);
    free(r[0]), free(r[1]);
}
END_TEST

/* ---- stablehlo.rng ---- */

enum { N = 40000 };

static double *numbers(const char *distribution, weft_dtype t, const char *a, const char *b) {
    char text[1024];
    const char *type = weft_dtype_of(t)->name;
    snprintf(
        text, sizeof text,
        "func.func @main() -> tensor<%dx%s> {\n"
        "  %%a = stablehlo.constant dense<%s> : tensor<%s>\n  %%b = stablehlo.constant dense<%s> : tensor<%s>\n"
        "  %%n = stablehlo.constant dense<%d> : tensor<1xi64>\n"
        "  %%0 = stablehlo.rng %%a, %%b, %%n, distribution = %s : (tensor<%s>, tensor<%s>, tensor<1xi64>) -> tensor<%dx%s>\n"
        "  return %%0 : tensor<%dx%s>\n}\n",
        N, type, a, type, b, type, N, distribution, type, type, N, type, N, type);
    void *r;
    double *v = walk_buffer(N * sizeof *v);
    run(text, NULL, &r, 1);
    for (int i = 0; i < N; i++) v[i] = weft_dtype_load(t, (char *)r + (size_t)i * weft_dtype_bytes(t));
    free(r);
    return v;
}

/* Values in [low, high); mean and deviation as a uniform distribution's, within 5 standard errors. */
static const struct { weft_dtype t; const char *a, *b; double low, high, step; } uniforms[] = {
    { WEFT_F32, "0.0", "1.0", 0, 1, 0 },       { WEFT_F64, "-3.0", "5.0", -3, 5, 0 },     { WEFT_F16, "-1.0", "1.0", -1, 1, 0 },
    { WEFT_BF16, "0.0", "4.0", 0, 4, 0 },      { WEFT_I32, "-10", "11", -10, 11, 1 },     { WEFT_UI8, "3", "250", 3, 250, 1 },
    { WEFT_I64, "-500", "700", -500, 700, 1 }, { WEFT_UI32, "5", "6", 5, 6, 1 },          { WEFT_I8, "-128", "127", -128, 127, 1 },
    { WEFT_I1, "false", "true", 0, 2, 1 },
};

/* As many bits as the type has digits: all are multiples of 2^-digits, and about half of them odd ones. */
static const struct { weft_dtype t; const char *a, *b; double grain; } digits[] = {
    { WEFT_F32, "0.0", "1.0", 0x1p-24 },
    { WEFT_F64, "0.0", "1.0", 0x1p-53 },
    { WEFT_F16, "-1.0", "1.0", 0x1p-10 },
    { WEFT_BF16, "0.0", "4.0", 0x1p-6 },
};

START_TEST(test_digits) {
    double *v = numbers("UNIFORM", digits[_i].t, digits[_i].a, digits[_i].b);
    int odd = 0;
    for (int i = 0; i < N; i++) {
        const double grains = v[i] / digits[_i].grain;
        ck_assert_msg(grains == floor(grains), "element %d is %a", i, v[i]);
        odd += fmod(grains, 2) != 0;
    }
    ck_assert_int_gt(odd, 2 * N / 5);
    free(v);
}
END_TEST

START_TEST(test_uniform) {
    const double low = uniforms[_i].low, high = uniforms[_i].high, step = uniforms[_i].step, span = high - low;
    double *v = numbers("UNIFORM", uniforms[_i].t, uniforms[_i].a, uniforms[_i].b), sum = 0, squares = 0;
    const double mean = (low + high - step) / 2, variance = (span * span - step * step) / 12;
    for (int i = 0; i < N; i++) {
        ck_assert_msg(v[i] >= low && v[i] < high, "element %d is %g", i, v[i]);
        sum += v[i] - mean;
        squares += (v[i] - mean) * (v[i] - mean);
    }
    ck_assert_double_le(fabs(sum / N), 5 * sqrt(variance / N) + 1e-12 + span * 0x1p-8 * (uniforms[_i].t == WEFT_BF16));
    ck_assert_double_le(fabs(squares / N - variance),
                        5 * variance * sqrt(0.8 / N) + 1e-12 + span * span * 0x1p-8 * (uniforms[_i].t == WEFT_BF16));
    free(v);
}
END_TEST

/* A share of 0.6827 within one deviation, 0.9545 within two, 0.9973 within three; as many above the mean as below. */
START_TEST(test_normal) {
    static const weft_dtype types[] = { WEFT_F32, WEFT_F64 };
    static const double within[] = { 0.682689, 0.954500, 0.997300 };
    double *v = numbers("NORMAL", types[_i], "2.0", "3.0");
    int inside[3] = { 0 }, above = 0;
    for (int i = 0; i < N; i++) {
        ck_assert(isfinite(v[i]));
        above += v[i] > 2;
        for (int k = 0; k < 3; k++) inside[k] += fabs(v[i] - 2) < 3 * (k + 1);
    }
    for (int k = 0; k < 3; k++)
        ck_assert_double_le(fabs((double)inside[k] / N - within[k]), 5 * sqrt(within[k] * (1 - within[k]) / N));
    ck_assert_double_le(fabs((double)above / N - 0.5), 5 * 0.5 / sqrt(N));
    free(v);
}
END_TEST

/* Equal programs draw equal numbers; two ops, two turns of a loop, and two loops draw different ones. */
START_TEST(test_streams) {
    static const char text[] =
        "func.func private @draw() -> tensor<ui64> {\n"
        "  %a = stablehlo.constant dense<0> : tensor<ui64>\n  %b = stablehlo.constant dense<9000000000000000000> : tensor<ui64>\n"
        "  %n = stablehlo.constant dense<> : tensor<0xi64>\n"
        "  %0 = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<ui64>, tensor<ui64>, tensor<0xi64>) -> tensor<ui64>\n"
        "  return %0 : tensor<ui64>\n}\n"
        "func.func @main() -> (tensor<ui64>, tensor<ui64>, tensor<24xui64>) {\n"
        "  %0 = func.call @draw() : () -> tensor<ui64>\n  %1 = call @draw() : () -> tensor<ui64>\n"
        "  %i = stablehlo.constant dense<0> : tensor<i32>\n  %z = stablehlo.constant dense<0> : tensor<24xui64>\n"
        "  %one = stablehlo.constant dense<1> : tensor<i32>\n  %n = stablehlo.constant dense<4> : tensor<i32>\n"
        "  %m = stablehlo.constant dense<3> : tensor<i32>\n"
        "  %2:2 = stablehlo.while(%x = %i, %v = %z) : tensor<i32>, tensor<24xui64>\n"
        "  cond { %c = stablehlo.compare LT, %x, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %c : tensor<i1> }\n"
        "  do {\n"
        "    %p = stablehlo.compare EQ, %x, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    %r = \"stablehlo.if\"(%p) ({\n"
        "      %d = func.call @draw() : () -> tensor<ui64>\n stablehlo.return %d : tensor<ui64> }, {\n"
        "      %d = func.call @draw() : () -> tensor<ui64>\n stablehlo.return %d : tensor<ui64> }) : (tensor<i1>) -> tensor<ui64>\n"
        "    %w = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<ui64>) -> tensor<1xui64>\n"
        "    %six = stablehlo.constant dense<6> : tensor<i32>\n    %at = stablehlo.multiply %x, %six : tensor<i32>\n"
        "    %u = stablehlo.dynamic_update_slice %v, %w, %at : (tensor<24xui64>, tensor<1xui64>, tensor<i32>) -> tensor<24xui64>\n"
        "    %q:2 = stablehlo.while(%y = %i, %t = %u) : tensor<i32>, tensor<24xui64>\n"
        "    cond { %c = stablehlo.compare LT, %y, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %c : tensor<i1> }\n"
        "    do {\n"
        "      %d = func.call @draw() : () -> tensor<ui64>\n"
        "      %e = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<ui64>) -> tensor<1xui64>\n"
        "      %s = stablehlo.add %at, %y : tensor<i32>\n      %s1 = stablehlo.add %s, %one : tensor<i32>\n"
        "      %f = stablehlo.dynamic_update_slice %t, %e, %s1 : (tensor<24xui64>, tensor<1xui64>, tensor<i32>) -> tensor<24xui64>\n"
        "      %k = stablehlo.add %y, %one : tensor<i32>\n      stablehlo.return %k, %f : tensor<i32>, tensor<24xui64> }\n"
        "    %j = stablehlo.add %x, %one : tensor<i32>\n"
        "    stablehlo.return %j, %q#1 : tensor<i32>, tensor<24xui64> }\n"
        "  return %0, %1, %2#1 : tensor<ui64>, tensor<ui64>, tensor<24xui64>\n}\n";
    void *r[3], *again[3];
    run(text, NULL, r, 3);
    run(text, NULL, again, 3);
    uint64_t seen[18] = { *(uint64_t *)r[0], *(uint64_t *)r[1] };
    for (int i = 0, n = 2; i < 24; i++) {
        if (i % 6 < 4) seen[n++] = ((uint64_t *)r[2])[i];
        else ck_assert_uint_eq(((uint64_t *)r[2])[i], 0);
    }
    for (int i = 0; i < 18; i++)
        for (int k = 0; k < i; k++) ck_assert_uint_ne(seen[i], seen[k]);
    ck_assert_mem_eq(r[2], again[2], 24 * 8);
    for (int i = 0; i < 3; i++) free(r[i]), free(again[i]);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/rng");
    TCase *tc = tcase_create("bits");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_threefry, 0, (int)WEFT_COUNT(threefry));
    tcase_add_loop_test(tc, test_philox, 0, (int)WEFT_COUNT(philox));
    tcase_add_loop_test(tc, test_layout, 0, (int)WEFT_COUNT(layout));
    tcase_add_loop_test(tc, test_digits, 0, (int)WEFT_COUNT(digits));
    tcase_add_loop_test(tc, test_uniform, 0, (int)WEFT_COUNT(uniforms));
    tcase_add_loop_test(tc, test_normal, 0, 2);
    tcase_add_test(tc, test_streams);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
