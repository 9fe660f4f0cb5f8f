/* Products in parts, as threads do them: of random sizes and strides, with a printed seed, each element is what a
 * double loop adds up, whatever the number of parts. Where oneDNN has its newest code for a product of few rows, it has
 * it for its parts. */
#include <math.h>
#include "base/context.h"
#include "exec/kernels/kernels.h"
#include "exec/kernels/library.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { PRODUCTS = 60, MOST_PARTS = 4 };

typedef struct filled { float *v; int64_t n; } filled;

static filled fill(weft_rng *r, int64_t n) {
    filled f = { malloc((size_t)n * sizeof(float)), n };
    ck_assert_ptr_nonnull(f.v);
    for (int64_t i = 0; i < n; i++) f.v[i] = r ? (float)weft_rng_range(r, -64, 64) / 64 : NAN;
    return f;
}

/* rows x columns per batch, by rows or by columns, `gap` elements after each. */
static weft_matrix matrix(uint32_t buffer, int64_t rows, int64_t columns, bool by_columns, int64_t gap) {
    weft_matrix x = { .dtype = WEFT_F32, .buffer = buffer };
    x.row = by_columns ? 1 : columns + gap, x.column = by_columns ? rows + gap : 1;
    x.batch[0] = by_columns ? columns * x.column : rows * x.row;
    return x;
}

static double sum_of(const weft_matmul *m, const filled *x, int64_t batch, int64_t row, int64_t column) {
    double sum = 0;
    for (int64_t p = 0; p < m->k; p++)
        sum += (double)x[0].v[batch * m->a.batch[0] + row * m->a.row + p * m->a.column] *
               (double)x[1].v[batch * m->b.batch[0] + p * m->b.row + column * m->b.column];
    return sum;
}

/* The kernel's state for so many threads; all of its grains on x. */
static void *prepared(weft_context *cx, const weft_matmul *m, int parts) {
    void *state;
    ck_assert_int_eq(weft_kernel_product.prepare(cx, m, sizeof *m, parts, NULL, &state), WEFT_OK);
    ck_assert_int_le(weft_kernel_product.grains(state), parts);
    return state;
}

static void check(weft_context *cx, const weft_matmul *m, int parts, uint64_t seed) {
    weft_rng r = { seed };
    filled x[3] = { fill(&r, m->batch[0] * m->a.batch[0]), fill(&r, m->batch[0] * m->b.batch[0]),
                    fill(NULL, m->batch[0] * m->c.batch[0]) };
    void *state = prepared(cx, m, parts), *buffers[WEFT_LIBRARY_BUFFERS] = { x[0].v, x[1].v, x[2].v };
    const int64_t grains = weft_kernel_product.grains(state);
    for (int64_t g = grains; g-- > 0;) {
        const weft_run_env env = { .first_grain = g, .end_grain = g + 1 };
        ck_assert_int_eq(weft_kernel_product.run(state, buffers, &env), WEFT_OK);
    }
    for (int64_t b = 0; b < m->batch[0]; b++)
        for (int64_t i = 0; i < m->m; i++)
            for (int64_t j = 0; j < m->n; j++) {
                const double want = sum_of(m, x, b, i, j), got = (double)x[2].v[b * m->c.batch[0] + i * m->c.row + j];
                ASSERT_EACH(fabs(got - want) <= 1e-4, "seed %llu: %d parts, batch %lld, row %lld, column %lld: %g, not %g",
                            (unsigned long long)seed, parts, (long long)b, (long long)i, (long long)j, got, want);
            }
    weft_kernel_product.release(state);
    for (int i = 0; i < 3; i++) free(x[i].v);
}

START_TEST(multiplies) {
    const uint64_t seed = weft_test_seed(1) + (uint64_t)_i;
    weft_rng r = { seed };
    weft_context *cx = weft_context_new(NULL);
    ck_assert_ptr_nonnull(cx);
    weft_matmul m = { .batch_rank = 1, .batch = { weft_rng_range(&r, 1, 3) }, .m = weft_rng_range(&r, 1, 90),
                      .n = weft_rng_range(&r, 1, 300), .k = weft_rng_range(&r, 1, 80) };
    m.a = matrix(0, m.m, m.k, weft_rng_chance(&r, 0.3), weft_rng_range(&r, 0, 2));
    m.b = matrix(1, m.k, m.n, weft_rng_chance(&r, 0.3), weft_rng_range(&r, 0, 2));
    m.c = matrix(2, m.m, m.n, false, 0);
    check(cx, &m, (int)weft_rng_range(&r, 1, MOST_PARTS), seed);
    weft_context_free(cx);
}
END_TEST

START_TEST(keeps_code) {
    weft_context *cx = weft_context_new(NULL);
    ck_assert_ptr_nonnull(cx);
    weft_matmul m = { .batch_rank = 1, .batch = { 1 }, .m = 32, .n = 1024, .k = 256 };
    m.a = matrix(0, m.m, m.k, false, 0), m.b = matrix(1, m.k, m.n, false, 0), m.c = matrix(2, m.m, m.n, false, 0);
    void *whole = prepared(cx, &m, 1), *parts = prepared(cx, &m, 2);
    ck_assert_int_eq(weft_kernel_product.grains(parts), 2);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(weft_library_is_older(weft_library_part(parts, i)),
                         weft_library_is_older(weft_library_part(whole, 0)));
    weft_kernel_product.release(whole), weft_kernel_product.release(parts);
    check(cx, &m, 2, 1);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("exec/parts");
    TCase *tc = tcase_create("parts");
    tcase_add_loop_test(tc, multiplies, 0, PRODUCTS);
    tcase_add_test(tc, keeps_code);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
