/* select_and_scatter against the spec's words: for each window the element that the select region keeps, for each
 * element of the operand the source's elements that picked it, in order. The seed is printed; WEFT_SEED sets it. */
#include <stdio.h>
#include "ir/infer.h"
#include "tests/codegen/program.h"

enum { RANK = 3, CASES = 60 };

typedef struct case_of {
    uint32_t rank;
    int64_t dims[RANK], out[RANK];
    weft_window w[RANK];
    const char *select;
    const body *scatter;
} case_of;

static bool selects(const char *how, int32_t a, int32_t b) {
    if (!strcmp(how, "GE")) return a >= b;
    if (!strcmp(how, "GT")) return a > b;
    return a <= b;
}

static case_of random_case(weft_rng *r) {
    static const char *const how[] = { "GE", "GT", "LE" };
    static const uint8_t scatters[] = { 0, 1, 2, 3, 5, 6, 12, 13 };
    case_of c = { .rank = 1 + (uint32_t)weft_rng_range(r, 0, RANK - 1), .select = how[weft_rng_range(r, 0, 2)] };
    c.scatter = &bodies[scatters[weft_rng_range(r, 0, WEFT_COUNT(scatters) - 1)]];
    const bool large = weft_rng_range(r, 0, 3) == 0;
    for (uint32_t d = 0; d < c.rank; d++) {
        weft_window *w = &c.w[d];
        do {
            c.dims[d] = weft_rng_range(r, 1, 14);
            *w = (weft_window){ weft_rng_range(r, 1, large ? 9 : 3), weft_rng_range(r, 1, 3), 1, 1, 0, 0 };
            w->low = weft_rng_range(r, 0, w->size - 1); /* windows of padding alone are left open by the spec */
            w->high = weft_rng_range(r, 0, w->size - 1);
            c.out[d] = weft_window_count(c.dims[d], w);
        } while (!c.out[d]);
    }
    return c;
}

static void tensor(text *t, uint32_t rank, const int64_t *dims) {
    text_add(t, "tensor<");
    text_type(t, rank, dims, "i32");
    text_add(t, ">");
}

static void write_program(text *t, const case_of *c) {
    text_add(t, "func.func @main(%%x: ");
    tensor(t, c->rank, c->dims);
    text_add(t, ", %%s: ");
    tensor(t, c->rank, c->out);
    text_add(t, ") -> ");
    tensor(t, c->rank, c->dims);
    text_add(
        t,
        " {\n%%i = stablehlo.constant dense<%d> : tensor<i32>\n%%r = \"stablehlo.select_and_scatter\"(%%x, %%s, %%i) ({\n",
        c->scatter->init[0]);
    text_add(
        t,
        "^bb0(%%a: tensor<i32>, %%b: tensor<i32>):\n%%p = stablehlo.compare %s, %%a, %%b : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %%p : tensor<i1>\n}, ",
        c->select);
    text_region(t, c->scatter);
    text_add(t, ") {window_dimensions = array<i64: ");
    for (uint32_t d = 0; d < c->rank; d++) text_add(t, "%s%lld", d ? ", " : "", (long long)c->w[d].size);
    text_add(t, ">, window_strides = array<i64: ");
    for (uint32_t d = 0; d < c->rank; d++) text_add(t, "%s%lld", d ? ", " : "", (long long)c->w[d].stride);
    text_add(t, ">, padding = dense<[");
    for (uint32_t d = 0; d < c->rank; d++)
        text_add(t, "%s[%lld, %lld]", d ? ", " : "", (long long)c->w[d].low, (long long)c->w[d].high);
    text_add(t, "]> : tensor<%ux2xi64>} : (", c->rank);
    tensor(t, c->rank, c->dims);
    text_add(t, ", ");
    tensor(t, c->rank, c->out);
    text_add(t, ", tensor<i32>) -> ");
    tensor(t, c->rank, c->dims);
    text_add(t, "\nreturn %%r : ");
    tensor(t, c->rank, c->dims);
    text_add(t, "\n}\n");
}

/* Number of the element that window picks. */
static int64_t picked(const case_of *c, const int32_t *x, const int64_t *window) {
    int64_t inside[RANK] = { 0 }, size[RANK], best = -1;
    for (uint32_t d = 0; d < c->rank; d++) size[d] = c->w[d].size;
    do {
        int64_t at[RANK];
        bool within = true;
        for (uint32_t d = 0; d < c->rank; d++) {
            at[d] = window[d] * c->w[d].stride + inside[d] - c->w[d].low;
            within = within && at[d] >= 0 && at[d] < c->dims[d];
        }
        if (!within) continue;
        const int64_t n = shape_number(c->rank, c->dims, at);
        if (best < 0 || !selects(c->select, x[best], x[n])) best = n;
    } while (shape_next(c->rank, size, inside));
    return best;
}

START_TEST(test_random) {
    const uint64_t seed = weft_test_seed(11000) + (uint64_t)_i;
    weft_rng r = { seed };
    const case_of c = random_case(&r);
    const int64_t n = shape_elems(c.rank, c.dims);
    text t = { .n = 0 };
    program p;
    write_program(&t, &c);
    program_open(&p, t.v);
    int32_t *x = p.args[0], *source = p.args[1], *want = calloc((size_t)n, sizeof *want);
    for (int64_t i = 0; i < n; i++) x[i] = (int32_t)weft_rng_range(&r, -5, 5), want[i] = c.scatter->init[0];
    for (int64_t i = 0; i < shape_elems(c.rank, c.out); i++) source[i] = (int32_t)weft_rng_range(&r, -9, 9);
    program_run(&p);
    int64_t window[RANK] = { 0 }, k = 0;
    do {
        const int64_t to = picked(&c, x, window);
        c.scatter->apply(&want[to], &source[k++], &want[to]);
    } while (shape_next(c.rank, c.out, window));
    for (int64_t i = 0; i < n; i++) {
        if (((int32_t *)p.results[0])[i] != want[i])
            printf("seed %llu, element %lld\n%s", (unsigned long long)seed, (long long)i, t.v);
        ck_assert_int_eq(((int32_t *)p.results[0])[i], want[i]);
    }
    free(want);
    program_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/select_and_scatter");
    TCase *tc = tcase_create("random");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_random, 0, CASES);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
