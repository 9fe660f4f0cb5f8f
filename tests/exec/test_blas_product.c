/* Products at whose strides oneDNN's code for processors without AVX-512 is slow are BLAS's: of random sizes, strides
 * and batches, with a printed seed, each is what a double loop adds up, and BLAS does those that it should. oneDNN is
 * told not to use AVX-512, so that this is tested on every processor. */
#include <math.h>
#include <oneapi/dnnl/dnnl_version.h>
#include <stdlib.h>
#include "base/context.h"
#include "exec/kernels/lapack.h"
#include "exec/kernels/library.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { PAGE_FLOATS = 1024, LOOPS = 40 };

/* oneDNN 3 may have newer code for such processors, and then none of this is BLAS's. */
static void check_choice(bool by_blas, bool slow, uint64_t seed) {
    const bool wanted = slow && weft_lapack_is_openmp();
    ck_assert_msg(by_blas == wanted || (DNNL_VERSION_MAJOR >= 3 && !by_blas), "seed %llu: %s",
                  (unsigned long long)seed, by_blas ? "by BLAS" : "by oneDNN");
}

/* rows x columns per batch; step between rows, or between columns where elements of a column are side by side. */
static weft_matrix matrix(uint32_t buffer, weft_dtype t, int64_t step, bool by_columns, int64_t batch) {
    return (weft_matrix){ .dtype = t, .buffer = buffer, .row = by_columns ? 1 : step, .column = by_columns ? step : 1,
                          .batch = { batch } };
}

static int64_t room(const weft_matrix *x, int64_t rows, int64_t columns) {
    return weft_max_i64(rows * x->row, columns * x->column);
}

/* Numbers of bf16, so that both types hold them. */
static float number(weft_rng *r) { return (float)weft_rng_range(r, -64, 64) / 64; }

static void *numbers(weft_rng *r, weft_dtype t, int64_t n) {
    void *p = malloc((size_t)n * weft_dtype_bytes(t));
    ck_assert_ptr_nonnull(p);
    for (int64_t i = 0; i < n; i++) {
        const float x = number(r);
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        if (t == WEFT_F32) ((float *)p)[i] = x;
        else ((uint16_t *)p)[i] = (uint16_t)(bits >> 16);
    }
    return p;
}

static double at(const void *p, weft_dtype t, int64_t i) {
    if (t == WEFT_F32) return (double)((const float *)p)[i];
    const uint32_t bits = (uint32_t)((const uint16_t *)p)[i] << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static double sum_of(const weft_matmul *m, void *const *buffers, int64_t batch, int64_t row, int64_t column) {
    double sum = 0;
    for (int64_t p = 0; p < m->k; p++)
        sum += at(buffers[0], m->a.dtype, batch * m->a.batch[0] + row * m->a.row + p * m->a.column) *
               at(buffers[1], m->b.dtype, batch * m->b.batch[0] + p * m->b.row + column * m->b.column);
    return sum;
}

static void check(const weft_matmul *m, void *const *buffers, uint64_t seed) {
    const float *c = buffers[WEFT_LIBRARY_RESULT];
    for (int64_t b = 0; b < m->batch[0]; b++)
        for (int64_t i = 0; i < m->m; i++)
            for (int64_t j = 0; j < m->n; j++) {
                const double want = sum_of(m, buffers, b, i, j), got = (double)c[b * m->c.batch[0] + i * m->c.row + j];
                ck_assert_msg(fabs(got - want) <= 1e-4, "seed %llu: batch %lld, row %lld, column %lld: %g, not %g",
                              (unsigned long long)seed, (long long)b, (long long)i, (long long)j, got, want);
            }
}

static bool run(weft_context *cx, weft_matmul *m, uint64_t seed) {
    weft_rng r = { seed };
    weft_library *lib;
    ck_assert_int_eq(weft_library_matmul(cx, m, NULL, &lib), WEFT_OK);
    void *buffers[WEFT_LIBRARY_BUFFERS] = {
        numbers(&r, m->a.dtype, m->batch[0] * room(&m->a, m->m, m->k)),
        numbers(&r, m->b.dtype, m->batch[0] * room(&m->b, m->k, m->n)),
        numbers(&r, WEFT_F32, m->batch[0] * m->m * m->c.row),
    };
    const bool by_blas = weft_library_is_blas(lib);
    ck_assert_int_eq(weft_library_run(lib, buffers), WEFT_OK);
    check(m, buffers, seed);
    for (int i = 0; i < 3; i++) free(buffers[i]);
    weft_library_free(lib);
    return by_blas;
}

static weft_matmul product(weft_dtype t, int64_t batch, const int64_t size[3], const int64_t step[2],
                           const bool by_columns[2]) {
    weft_matmul m = { .batch_rank = 1, .batch = { batch }, .m = size[0], .n = size[1], .k = size[2] };
    m.a = matrix(0, t, step[0], by_columns[0], 0), m.b = matrix(1, t, step[1], by_columns[1], 0);
    m.c = matrix(2, WEFT_F32, m.n, false, m.m * m.n);
    m.a.batch[0] = room(&m.a, m.m, m.k), m.b.batch[0] = room(&m.b, m.k, m.n);
    return m;
}

/* Both operands by rows or by columns, steps as long as these or whole pages; the seed says which. */
START_TEST(multiplies) {
    const uint64_t seed = weft_test_seed(1) + (uint64_t)_i;
    weft_rng r = { seed };
    const int64_t size[3] = { weft_rng_range(&r, 1, 70), weft_rng_range(&r, 1, 70), weft_rng_range(&r, 1, 150) };
    const bool by_columns[2] = { weft_rng_chance(&r, 0.5), weft_rng_chance(&r, 0.5) };
    const int64_t side[2] = { by_columns[0] ? size[0] : size[2], by_columns[1] ? size[2] : size[1] };
    int64_t step[2];
    for (int i = 0; i < 2; i++) step[i] = weft_rng_chance(&r, 0.6) ? PAGE_FLOATS : side[i] + weft_rng_range(&r, 0, 3);
    weft_context *cx = weft_context_new(NULL);
    ck_assert_ptr_nonnull(cx);
    weft_matmul m = product(weft_rng_chance(&r, 0.3) ? WEFT_BF16 : WEFT_F32, weft_rng_range(&r, 1, 3), size, step,
                            by_columns);
    const bool slow = (by_columns[0] && step[0] == PAGE_FLOATS) || (!by_columns[1] && step[1] == PAGE_FLOATS);
    const bool large = size[0] >= 16 && size[1] >= 16 && size[2] >= 64;
    const bool by_blas = run(cx, &m, seed);
    if (m.a.dtype == WEFT_F32) check_choice(by_blas, slow && large, seed);
    weft_context_free(cx);
}
END_TEST

/* The gradient of a weight; where the other side is long, oneDNN copies panels itself. */
START_TEST(leaves_long_sides) {
    weft_context *cx = weft_context_new(NULL);
    ck_assert_ptr_nonnull(cx);
    for (int64_t n = 256; n <= 257; n++) {
        weft_matmul m = product(WEFT_F32, 1, (int64_t[]){ 32, n, 64 }, (int64_t[]){ PAGE_FLOATS, n },
                                (bool[]){ true, false });
        check_choice(run(cx, &m, (uint64_t)n), n == 256, (uint64_t)n);
    }
    weft_context_free(cx);
}
END_TEST

int main(void) {
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    Suite *s = suite_create("exec/blas_product");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, multiplies, 0, LOOPS);
    tcase_add_test(tc, leaves_long_sides);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
