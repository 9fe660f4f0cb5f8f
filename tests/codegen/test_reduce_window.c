/* Windows of every kind (strided, dilated, padded, cut, prefixes, larger than what is unrolled), against folds in order
 * over the operand padded with the initial values. The seed is printed; WEFT_SEED sets it. */
#include <stdio.h>
#include "ir/infer.h"
#include "tests/codegen/program.h"

enum { PER_BODY = 16, PER_BODY_PREFIX = 3, RANK = 3 };

typedef struct case_of { uint32_t rank; int64_t dims[RANK], out[RANK]; weft_window w[RANK]; } case_of;

static case_of random_case(weft_rng *r) {
    case_of c = { .rank = 1 + (uint32_t)weft_rng_range(r, 0, RANK - 1) };
    const bool large = weft_rng_range(r, 0, 2) == 0;
    for (uint32_t d = 0; d < c.rank; d++) {
        weft_window *w = &c.w[d];
        c.dims[d] = weft_rng_range(r, 1, c.rank == 1 ? 90 : 12);
        *w = (weft_window){ weft_rng_range(r, 1, large ? 13 : 4), weft_rng_range(r, 1, 3), 1, 1,
                            weft_rng_range(r, -1, 4), weft_rng_range(r, -1, 4) };
        if (weft_rng_range(r, 0, 2) == 0) w->base_dilation = weft_rng_range(r, 1, 3);
        if (weft_rng_range(r, 0, 2) == 0) w->dilation = weft_rng_range(r, 1, 3);
        if (weft_rng_range(r, 0, 2) == 0) w->stride = w->size;
        c.out[d] = weft_window_count(c.dims[d], w);
    }
    return c;
}

/* One dimension from an end, the others untouched. */
static case_of prefix_case(weft_rng *r) {
    case_of c = { .rank = 1 + (uint32_t)weft_rng_range(r, 0, RANK - 1) };
    const uint32_t along = (uint32_t)weft_rng_range(r, 0, c.rank - 1);
    for (uint32_t d = 0; d < c.rank; d++) {
        c.dims[d] = c.out[d] = d == along ? weft_rng_range(r, 17, 70) : weft_rng_range(r, 1, 9);
        c.w[d] = (weft_window){ 1, 1, 1, 1, 0, 0 };
    }
    weft_window *w = &c.w[along];
    w->size = c.dims[along];
    *(weft_rng_range(r, 0, 1) ? &w->low : &w->high) = w->size - 1;
    return c;
}

static void ints(text *t, const char *name, const case_of *c, size_t field) {
    text_add(t, "%s = array<i64", name);
    for (uint32_t d = 0; d < c->rank; d++)
        text_add(t, "%s%lld", d ? ", " : ": ", (long long)*(const int64_t *)((const char *)&c->w[d] + field));
    text_add(t, ">, ");
}

static void tensors(text *t, const body *b, uint32_t rank, const int64_t *dims, const char *before) {
    for (uint32_t i = 0; i < b->n; i++) {
        text_add(t, "%s", i ? ", " : "");
        if (before) text_add(t, "%s%u: ", before, i);
        text_add(t, "tensor<");
        text_type(t, rank, dims, "i32");
        text_add(t, ">");
    }
}

static void write_program(text *t, const case_of *c, const body *b) {
    text_add(t, "func.func @main(");
    tensors(t, b, c->rank, c->dims, "%x");
    text_add(t, ") -> (");
    tensors(t, b, c->rank, c->out, NULL);
    text_add(t, ") {\n");
    for (uint32_t i = 0; i < b->n; i++)
        text_add(t, "%%i%u = stablehlo.constant dense<%d> : tensor<i32>\n", i, b->init[i]);
    text_add(t, "%%r%s = \"stablehlo.reduce_window\"(%s) (", b->n == 2 ? ":2" : "",
             b->n == 2 ? "%x0, %x1, %i0, %i1" : "%x0, %i0");
    text_region(t, b);
    text_add(t, ") {");
    ints(t, "window_dimensions", c, offsetof(weft_window, size));
    ints(t, "window_strides", c, offsetof(weft_window, stride));
    ints(t, "base_dilations", c, offsetof(weft_window, base_dilation));
    ints(t, "window_dilations", c, offsetof(weft_window, dilation));
    text_add(t, "padding = dense<[");
    for (uint32_t d = 0; d < c->rank; d++)
        text_add(t, "%s[%lld, %lld]", d ? ", " : "", (long long)c->w[d].low, (long long)c->w[d].high);
    text_add(t, "]> : tensor<%ux2xi64>} : (", c->rank);
    tensors(t, b, c->rank, c->dims, NULL);
    text_add(t, b->n == 2 ? ", tensor<i32>, tensor<i32>) -> (" : ", tensor<i32>) -> (");
    tensors(t, b, c->rank, c->out, NULL);
    text_add(t, ")\nreturn %s : ", b->n == 2 ? "%r#0, %r#1" : "%r");
    tensors(t, b, c->rank, c->out, NULL);
    text_add(t, "\n}\n");
}

/* Number of the operand's element at place `at` of the padded one, or -1. */
static int64_t source(const case_of *c, const int64_t *window, const int64_t *inside) {
    int64_t n = 0;
    for (uint32_t d = 0; d < c->rank; d++) {
        const weft_window *w = &c->w[d];
        const int64_t at = window[d] * w->stride + inside[d] * w->dilation - w->low;
        if (at < 0 || at % w->base_dilation || at / w->base_dilation >= c->dims[d]) return -1;
        n = n * c->dims[d] + at / w->base_dilation;
    }
    return n;
}

static void fold(const case_of *c, const body *b, void *const *args, const int64_t *window, int32_t *want) {
    int64_t inside[RANK] = { 0 }, size[RANK];
    for (uint32_t d = 0; d < c->rank; d++) size[d] = c->w[d].size;
    memcpy(want, b->init, 2 * sizeof *want);
    do {
        const int64_t n = source(c, window, inside);
        int32_t v[2] = { b->init[0], b->init[1] };
        for (uint32_t k = 0; k < b->n && n >= 0; k++) v[k] = ((const int32_t *)args[k])[n];
        b->apply(want, v, want);
    } while (shape_next(c->rank, size, inside));
}

static void check(const case_of *c, const body *b, uint64_t seed, weft_rng *r) {
    text t = { .n = 0 };
    program p;
    write_program(&t, c, b);
    program_open(&p, t.v);
    for (uint32_t i = 0; i < b->n; i++)
        for (int64_t k = 0; k < p.x->args[i].bytes / 4; k++)
            ((int32_t *)p.args[i])[k] = weft_rng_range(r, 0, 2) ? (int32_t)weft_rng_range(r, -9, 9) : 0;
    program_run(&p);
    int64_t window[RANK] = { 0 }, n = 0;
    if (shape_elems(c->rank, c->out)) do {
            int32_t want[2];
            fold(c, b, p.args, window, want);
            for (uint32_t k = 0; k < b->n; k++) {
                if (((int32_t *)p.results[k])[n] != want[k])
                    printf("seed %llu, %s, window %lld\n%s", (unsigned long long)seed, b->name, (long long)n, t.v);
                ck_assert_int_eq(((int32_t *)p.results[k])[n], want[k]);
            }
            n++;
        } while (shape_next(c->rank, c->out, window));
    program_close(&p);
}

START_TEST(test_windows) {
    const uint64_t seed = weft_test_seed(8000) + (uint64_t)_i;
    weft_rng r = { seed };
    const case_of c = random_case(&r);
    check(&c, &bodies[(uint32_t)_i % body_count], seed, &r);
}
END_TEST

START_TEST(test_prefixes) {
    const uint64_t seed = weft_test_seed(9000) + (uint64_t)_i;
    weft_rng r = { seed };
    const case_of c = prefix_case(&r);
    check(&c, &bodies[(uint32_t)_i % body_count], seed, &r);
}
END_TEST

/* What costs more than the number of elements times the logarithm of the window would not end here: 2^20 windows of
 * 2^20. */
START_TEST(test_cost) {
    static const char *const padding[] = { "[1048575, 0]", "[524288, 524287]" };
    text t = { .n = 0 };
    program p;
    text_add(
        &t,
        "func.func @main(%%x: tensor<1048576xi32>) -> tensor<1048576xi32> {\n%%i = stablehlo.constant dense<0> : tensor<i32>\n"
        "%%r = \"stablehlo.reduce_window\"(%%x, %%i) ({\n^bb0(%%a: tensor<i32>, %%b: tensor<i32>):\n%%s = stablehlo.add %%a, %%b : tensor<i32>\n"
        "stablehlo.return %%s : tensor<i32>\n}) {window_dimensions = array<i64: 1048576>, padding = dense<[%s]> : tensor<1x2xi64>} : "
        "(tensor<1048576xi32>, tensor<i32>) -> tensor<1048576xi32>\nreturn %%r : tensor<1048576xi32>\n}\n",
        padding[_i]);
    program_open(&p, t.v);
    for (int32_t i = 0; i < 1048576; i++) ((int32_t *)p.args[0])[i] = i % 7;
    program_run(&p);
    int32_t sum = 0;
    for (int32_t i = 0; i < 1048576; i++) {
        sum += i % 7;
        if (_i == 0) ck_assert_int_eq(((int32_t *)p.results[0])[i], sum);
    }
    if (_i == 1) ck_assert_int_eq(((int32_t *)p.results[0])[524288], sum);
    program_close(&p);
}
END_TEST

/* Short running sums are rounded to the type after every element, as the body says; long ones must not stop growing,
 * which a bf16 does at 256 when it is added 1. */
START_TEST(test_rounding) {
    static const int64_t sizes[] = { 2, 6, 16, 300 };
    const int64_t size = sizes[_i];
    text t = { .n = 0 };
    program p;
    text_add(
        &t,
        "func.func @main(%%x: tensor<%lldxbf16>) -> tensor<%lldxbf16> {\n%%i = stablehlo.constant dense<0.0> : tensor<bf16>\n"
        "%%r = \"stablehlo.reduce_window\"(%%x, %%i) ({\n^bb0(%%a: tensor<bf16>, %%b: tensor<bf16>):\n%%s = stablehlo.add %%a, %%b : tensor<bf16>\n"
        "stablehlo.return %%s : tensor<bf16>\n}) {window_dimensions = array<i64: %lld>, padding = dense<[[%lld, 0]]> : tensor<1x2xi64>} : "
        "(tensor<%lldxbf16>, tensor<bf16>) -> tensor<%lldxbf16>\nreturn %%r : tensor<%lldxbf16>\n}\n",
        (long long)size, (long long)size, (long long)size, (long long)size - 1, (long long)size, (long long)size,
        (long long)size);
    program_open(&p, t.v);
    const bool is_long = size > 16;
    uint16_t sum = 0;
    for (int64_t i = 0; i < size; i++)
        weft_dtype_store(WEFT_BF16, (uint16_t *)p.args[0] + i, is_long ? 1 : (i % 3 - 1.3) * (double)(i + 1));
    program_run(&p);
    for (int64_t i = 0; i < size; i++) {
        const uint16_t *x = (const uint16_t *)p.args[0] + i;
        weft_dtype_store(WEFT_BF16, &sum, weft_dtype_load(WEFT_BF16, &sum) + weft_dtype_load(WEFT_BF16, x));
        if (!is_long) ck_assert_uint_eq(((const uint16_t *)p.results[0])[i], sum);
    }
    if (is_long)
        ck_assert_double_eq(weft_dtype_load(WEFT_BF16, (const uint16_t *)p.results[0] + size - 1), (double)size);
    program_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/reduce_window");
    TCase *tc = tcase_create("windows");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_windows, 0, PER_BODY * (int)body_count);
    tcase_add_loop_test(tc, test_prefixes, 0, PER_BODY_PREFIX * (int)body_count);
    tcase_add_loop_test(tc, test_cost, 0, 2);
    tcase_add_loop_test(tc, test_rounding, 0, 4);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
