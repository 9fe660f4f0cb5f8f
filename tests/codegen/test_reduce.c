/* Reductions of one and two tensors over any dimensions, against folds in order. The seed is printed; WEFT_SEED sets
 * it. */
#include <math.h>
#include <stdio.h>
#include "tests/codegen/program.h"

enum { PER_BODY = 24 };

/* Dimension d of the operand is dimension lie[d] of the argument, of which it is a transpose. */
typedef struct case_of { uint32_t rank; int64_t dims[4]; bool reduced[4]; uint32_t lie[4]; } case_of;

static case_of random_case(weft_rng *r) {
    static const int64_t sizes[] = { 1, 2, 3, 5, 8, 17, 33, 70, 0 };
    case_of c = { .rank = 1 + (uint32_t)weft_rng_range(r, 0, 3) };
    for (uint32_t d = 0; d < c.rank; d++) {
        c.dims[d] = sizes[weft_rng_range(r, 0, c.rank > 2 ? 5 : weft_rng_range(r, 0, 19) ? 7 : 8)];
        c.reduced[d] = weft_rng_range(r, 0, 1);
        c.lie[d] = d;
    }
    if (c.rank < 3 && !weft_rng_range(r, 0, 7)) { /* long enough for sums of sums, and for these in parts */
        static const int64_t many[] = { 1024, 2500, 4099, 70000 };
        const uint32_t d = (uint32_t)weft_rng_range(r, 0, c.rank - 1);
        c.dims[d] = many[weft_rng_range(r, 0, c.rank == 1 ? 3 : 2)];
        c.reduced[d] = true;
    }
    for (uint32_t d = c.rank; d-- > 1 && weft_rng_range(r, 0, 2);) {
        const uint32_t other = (uint32_t)weft_rng_range(r, 0, d), kept = c.lie[d];
        c.lie[d] = c.lie[other], c.lie[other] = kept;
    }
    return c;
}

/* Of the argument. */
static void dims_in_memory(const case_of *c, int64_t *dims) {
    for (uint32_t d = 0; d < c->rank; d++) dims[c->lie[d]] = c->dims[d];
}

static void write_program(text *t, const case_of *c, const body *b) {
    int64_t out[4], given[4];
    uint32_t rank = 0;
    dims_in_memory(c, given);
    for (uint32_t d = 0; d < c->rank; d++)
        if (!c->reduced[d]) out[rank++] = c->dims[d];
    text_add(t, "func.func @main(");
    for (uint32_t i = 0; i < b->n; i++)
        text_add(t, "%s%%y%u: tensor<", i ? ", " : "", i), text_type(t, c->rank, given, "i32"), text_add(t, ">");
    text_add(t, ") -> (");
    for (uint32_t i = 0; i < b->n; i++)
        text_add(t, "%stensor<", i ? ", " : ""), text_type(t, rank, out, "i32"), text_add(t, ">");
    text_add(t, ") {\n");
    for (uint32_t i = 0; i < b->n; i++) {
        text_add(t, "%%x%u = stablehlo.transpose %%y%u, dims = [", i, i);
        for (uint32_t d = 0; d < c->rank; d++) text_add(t, "%s%u", d ? ", " : "", c->lie[d]);
        text_add(t, "] : (tensor<"), text_type(t, c->rank, given, "i32"), text_add(t, ">) -> tensor<");
        text_type(t, c->rank, c->dims, "i32"), text_add(t, ">\n");
    }
    for (uint32_t i = 0; i < b->n; i++)
        text_add(t, "%%i%u = stablehlo.constant dense<%d> : tensor<i32>\n", i, b->init[i]);
    text_add(t, "%%r%s = \"stablehlo.reduce\"(%s) (", b->n == 2 ? ":2" : "",
             b->n == 2 ? "%x0, %x1, %i0, %i1" : "%x0, %i0");
    text_region(t, b);
    text_add(t, ") {dimensions = array<i64");
    for (uint32_t d = 0, n = 0; d < c->rank; d++)
        if (c->reduced[d]) text_add(t, "%s%u", n++ ? ", " : ": ", d);
    text_add(t, ">} : (");
    for (uint32_t i = 0; i < b->n; i++)
        text_add(t, "tensor<"), text_type(t, c->rank, c->dims, "i32"), text_add(t, ">, ");
    text_add(t, "%s) -> (", b->n == 2 ? "tensor<i32>, tensor<i32>" : "tensor<i32>");
    for (uint32_t i = 0; i < b->n; i++)
        text_add(t, "%stensor<", i ? ", " : ""), text_type(t, rank, out, "i32"), text_add(t, ">");
    text_add(t, ")\nreturn %s : ", b->n == 2 ? "%r#0, %r#1" : "%r");
    for (uint32_t i = 0; i < b->n; i++)
        text_add(t, "%stensor<", i ? ", " : ""), text_type(t, rank, out, "i32"), text_add(t, ">");
    text_add(t, "\n}\n");
}

/* Each result: its elements in row-major order of the operand, folded from the initial values. */
static void fold(const case_of *c, const body *b, void *const *args, int32_t *want, int64_t results) {
    for (int64_t i = 0; i < results; i++)
        for (uint32_t k = 0; k < b->n; k++) want[2 * i + k] = b->init[k];
    int64_t at[4] = { 0 }, given[4];
    dims_in_memory(c, given);
    if (!shape_elems(c->rank, c->dims)) return;
    do {
        int64_t to = 0, n = 0, place[4] = { 0 };
        for (uint32_t d = 0; d < c->rank; d++) {
            if (!c->reduced[d]) to = to * c->dims[d] + at[d];
            place[c->lie[d]] = at[d];
        }
        for (uint32_t d = 0; d < c->rank; d++) n = n * given[d] + place[d];
        const int32_t v[2] = { ((const int32_t *)args[0])[n], b->n == 2 ? ((const int32_t *)args[1])[n] : 0 };
        b->apply(&want[2 * to], v, &want[2 * to]);
    } while (shape_next(c->rank, c->dims, at));
}

START_TEST(test_reduce) {
    const uint64_t seed = weft_test_seed(7000) + (uint64_t)_i;
    const body *b = &bodies[(uint32_t)_i % body_count];
    weft_rng r = { seed };
    const case_of c = random_case(&r);
    text t = { .n = 0 };
    program p;
    write_program(&t, &c, b);
    program_open(&p, t.v);
    for (uint32_t i = 0; i < b->n; i++)
        for (int64_t k = 0; k < p.x->args[i].bytes / 4; k++)
            ((int32_t *)p.args[i])[k] = (int32_t)weft_rng_range(&r, 0, 2) ? (int32_t)weft_rng_range(&r, -9, 9) : 0;
    program_run(&p);
    const int64_t results = p.x->results[0].bytes / 4;
    int32_t *want = calloc((size_t)results * 2 + 1, sizeof *want);
    fold(&c, b, p.args, want, results);
    for (int64_t i = 0; i < results; i++)
        for (uint32_t k = 0; k < b->n; k++)
            if (((int32_t *)p.results[k])[i] != want[2 * i + k]) {
                printf("seed %llu, %s\n%s", (unsigned long long)seed, b->name, t.v);
                ck_assert_int_eq(((int32_t *)p.results[k])[i], want[2 * i + k]);
            }
    free(want);
    program_close(&p);
}
END_TEST

/* Sums of many floats: with one term added after the other, these would be off by 1e-5 of their size. */
static const struct { const char *dims, *reduced, *out; int64_t terms, sums; } long_sums[] = {
    { "50176x3x", "0", "3x", 50176, 3 },     { "16x56x56x5x", "0, 1, 2", "5x", 50176, 5 },
    { "2x30000x4x", "1", "2x4x", 30000, 8 }, { "1048576x", "0", "", 1048576, 1 },
};

START_TEST(test_long) {
    const int64_t terms = long_sums[_i].terms, sums = long_sums[_i].sums, inner = _i == 2 ? 4 : sums;
    weft_rng r = { weft_test_seed(7700) + (uint64_t)_i };
    text t = { .n = 0 };
    program p;
    text_add(&t, "func.func @main(%%x: tensor<%sf32>) -> tensor<%sf32> {\n%%z = stablehlo.constant dense<0.5> : tensor<f32>\n",
             long_sums[_i].dims, long_sums[_i].out);
    text_add(&t, "%%r = stablehlo.reduce(%%x init: %%z) applies stablehlo.add across dimensions = [%s] : (tensor<%sf32>, tensor<f32>) -> tensor<%sf32>\n",
             long_sums[_i].reduced, long_sums[_i].dims, long_sums[_i].out);
    text_add(&t, "return %%r : tensor<%sf32>\n}\n", long_sums[_i].out);
    program_open(&p, t.v);
    double *want = calloc((size_t)sums, sizeof *want);
    for (int64_t i = 0; i < terms * sums; i++) {
        const float v = (float)weft_rng_unit(&r);
        ((float *)p.args[0])[i] = v;
        want[i / (terms * inner) * inner + i % inner] += v;
    }
    program_run(&p);
    for (int64_t i = 0; i < sums; i++)
        ck_assert_double_eq_tol(((const float *)p.results[0])[i], want[i] + 0.5, 1e-6 * want[i]);
    free(want);
    program_close(&p);
}
END_TEST

/* Types that reducers widen or that are moved in other ways; a body promoted to a wider type. */
START_TEST(test_types) {
    static const struct { const char *in, *body; double from, step, want; } lines[] = {
        { "bf16", "bf16", 1, 0, 300 },     /* summed in f32: 256 + 1 is lost in bf16 */
        { "f16", "f16", 1, 0, 300 },
        { "f16", "f32", 1, 0.0009765625, 343.798828125 },
        { "i8", "i32", 100, 0, 30000 },
        { "f32", "f64", 1, 0, 300 },
        { "ui8", "ui8", 1, 0, 44 },
        { "f64", "f64", 0.5, 1, 45000 },
    };
    const char *in = lines[_i].in, *to = lines[_i].body;
    text t = { .n = 0 };
    program p;
    text_add(&t,
             "func.func @main(%%x: tensor<300x%s>) -> tensor<%s> {\n%%i = stablehlo.constant dense<0%s> : tensor<%s>\n",
             in, to, in[0] == 'i' || in[0] == 'u' ? "" : ".0", in);
    text_add(
        &t,
        "%%r = \"stablehlo.reduce\"(%%x, %%i) ({\n^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n%%s = stablehlo.add %%a, %%b : tensor<%s>\nstablehlo.return %%s : tensor<%s>\n})",
        to, to, to, to);
    text_add(&t,
             " {dimensions = array<i64: 0>} : (tensor<300x%s>, tensor<%s>) -> tensor<%s>\nreturn %%r : tensor<%s>\n}\n",
             in, in, to, to);
    program_open(&p, t.v);
    const weft_dtype dtype = p.x->args[0].dtype;
    for (int64_t i = 0; i < 300; i++)
        weft_dtype_store(dtype, (char *)p.args[0] + i * (int64_t)weft_dtype_bytes(dtype),
                         lines[_i].from + lines[_i].step * (double)i);
    program_run(&p);
    ck_assert_double_eq_tol(weft_dtype_load(p.x->results[0].dtype, p.results[0]), lines[_i].want, 0.6);
    program_close(&p);
}
END_TEST

/* JAX's argmax: of equal values the first one's index, and the first NaN's where there are any, though the body does
 * not say so of two NaNs. */
START_TEST(test_argmax) {
    enum { ROWS = 6 };
    weft_rng r = { weft_test_seed(7100) + (uint64_t)_i };
    const int n = (int)weft_rng_range(&r, 1, weft_rng_chance(&r, 0.3) ? 300 : 40);
    text t = { .n = 0 };
    program p;
    text_add(
        &t,
        "func.func @main(%%x: tensor<%dx%dxf32>) -> (tensor<%dxf32>, tensor<%dxi32>) {\n%%i = stablehlo.iota dim = 1 : tensor<%dx%dxi32>\n",
        ROWS, n, ROWS, ROWS, ROWS, n);
    text_add(
        &t,
        "%%l = stablehlo.constant dense<0xFF800000> : tensor<f32>\n%%z = stablehlo.constant dense<0> : tensor<i32>\n");
    text_add(
        &t,
        "%%r:2 = \"stablehlo.reduce\"(%%x, %%i, %%l, %%z) ({\n^bb0(%%a: tensor<f32>, %%b: tensor<i32>, %%c: tensor<f32>, %%d: tensor<i32>):\n"
        "%%0 = stablehlo.compare GT, %%a, %%c : (tensor<f32>, tensor<f32>) -> tensor<i1>\n%%1 = stablehlo.compare NE, %%a, %%a : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "%%2 = stablehlo.or %%0, %%1 : tensor<i1>\n%%3 = stablehlo.compare EQ, %%a, %%c : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "%%4 = stablehlo.compare LT, %%b, %%d : (tensor<i32>, tensor<i32>) -> tensor<i1>\n%%5 = stablehlo.and %%3, %%4 : tensor<i1>\n%%6 = stablehlo.or %%2, %%5 : tensor<i1>\n"
        "%%7 = stablehlo.select %%2, %%a, %%c : tensor<i1>, tensor<f32>\n%%8 = stablehlo.select %%6, %%b, %%d : tensor<i1>, tensor<i32>\n"
        "stablehlo.return %%7, %%8 : tensor<f32>, tensor<i32>\n}) {dimensions = array<i64: 1>}");
    text_add(
        &t,
        " : (tensor<%dx%dxf32>, tensor<%dx%dxi32>, tensor<f32>, tensor<i32>) -> (tensor<%dxf32>, tensor<%dxi32>)\nreturn %%r#0, %%r#1 : tensor<%dxf32>, tensor<%dxi32>\n}\n",
        ROWS, n, ROWS, n, ROWS, ROWS, ROWS, ROWS);
    program_open(&p, t.v);
    float *x = p.args[0];
    for (int i = 0; i < ROWS * n; i++)
        x[i] = i / n % 2 && weft_rng_chance(&r, 0.1) ? NAN : (float)weft_rng_range(&r, -3, 3);
    program_run(&p);
    for (int row = 0; row < ROWS; row++, x += n) {
        int want = 0;
        for (int i = 1; i < n; i++)
            if (!isnan(x[want]) && (isnan(x[i]) || x[i] > x[want])) want = i;
        const float got = ((float *)p.results[0])[row];
        ck_assert_msg(((int32_t *)p.results[1])[row] == want && (got == x[want] || (isnan(got) && isnan(x[want]))),
                      "row %d of %d: %g at %d, want %g at %d", row, n, (double)got, ((int32_t *)p.results[1])[row],
                      (double)x[want], want);
    }
    program_close(&p);
}
END_TEST

/* Truth values: none, all, the last alone, all but the last. */
START_TEST(test_truth) {
    static const struct { const char *op, *init; bool none, all, last, rest; } lines[] = {
        { "maximum", "false", false, true, true, true },
        { "minimum", "true", false, true, false, false },
        { "or", "false", false, true, true, true },
        { "and", "true", false, true, false, false },
        { "xor", "false", false, true, true, false },
        { "add", "false", false, true, true, true },
        { "multiply", "true", false, true, false, false },
    };
    enum { SIZE = 37 };
    text t = { .n = 0 };
    program p;
    text_add(&t,
             "func.func @main(%%x: tensor<%dxi1>) -> tensor<i1> {\n%%i = stablehlo.constant dense<%s> : tensor<i1>\n",
             SIZE, lines[_i].init);
    text_add(
        &t,
        "%%r = stablehlo.reduce(%%x init: %%i) applies stablehlo.%s across dimensions = [0] : (tensor<%dxi1>, tensor<i1>) -> tensor<i1>\nreturn %%r : tensor<i1>\n}\n",
        lines[_i].op, SIZE);
    program_open(&p, t.v);
    bool *x = p.args[0];
    const bool want[4] = { lines[_i].none, lines[_i].all, lines[_i].last, lines[_i].rest };
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < SIZE; i++) x[i] = k == 1 || (k == 2 && i == SIZE - 1) || (k == 3 && i < SIZE - 1);
        program_run(&p);
        ck_assert_msg(*(bool *)p.results[0] == want[k], "%s of filling %d is %d", lines[_i].op, k, !want[k]);
    }
    program_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/reduce");
    TCase *tc = tcase_create("reduce");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_reduce, 0, PER_BODY * (int)body_count);
    tcase_add_loop_test(tc, test_long, 0, WEFT_COUNT(long_sums));
    tcase_add_loop_test(tc, test_types, 0, 7);
    tcase_add_loop_test(tc, test_argmax, 0, 20);
    tcase_add_loop_test(tc, test_truth, 0, 7);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
