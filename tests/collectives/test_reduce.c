/* test_reduce.c: every kernel against one element at a time, for 1 to 9 sources, lengths around the kernels' blocks,
 * and values that random data misses. Buffers are never aligned to their type: they are the caller's.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif
#include "collectives/reduce.h"
#include "tests/collectives/law.h"
#include "tests/support/suite.h"

static const int64_t lengths[] = { 0, 1, 7, 1023, 1025 };

/* All bit patterns of the type are fair, NaN and infinities too; two NaN are equal. */
static int same(weft_dtype t, const void *a, const void *b) {
    size_t bytes = weft_dtype_bytes(t);
    if (!memcmp(a, b, bytes)) return 1;
    if (weft_dtype_is_complex(t)) {
        weft_dtype part = t == WEFT_C64 ? WEFT_F32 : WEFT_F64;
        return same(part, a, b) && same(part, (const char *)a + bytes / 2, (const char *)b + bytes / 2);
    }
    return weft_dtype_is_float(t) && isnan(weft_dtype_load(t, a)) && isnan(weft_dtype_load(t, b));
}

static void fill(weft_dtype t, char *p, int64_t n, uint64_t *state) {
    size_t bytes = weft_dtype_bytes(t);
    for (int64_t j = 0; j < n; j++) {
        uint64_t r[2] = { law_random(state), law_random(state) };
        if (t == WEFT_I1) r[0] &= 1;
        else if (bytes == 1 && weft_dtype_is_float(t))
            weft_dtype_store(t, r, (double)(int8_t)r[1] / 4); /* a value of the type */
        memcpy(p + (size_t)j * bytes, r, bytes);
    }
}

START_TEST(test_kernel) {
    weft_dtype t = (weft_dtype)(1 + _i / WEFT_REDUCE_COUNT);
    weft_op_reduce op = (weft_op_reduce)(_i % WEFT_REDUCE_COUNT);
    weft_reduce_fn f = weft_reduce_find(t, op);
    int mean = op == WEFT_MEAN;
    int expected = weft_dtype_is_complex(t) ? op <= WEFT_PRODUCT || mean
                   : weft_dtype_is_float(t) ? op <= WEFT_MAX || mean
                                            : !mean || t != WEFT_I1;
    ck_assert_int_eq(f != NULL, expected);
    if (!f) return;
    uint64_t state = law_seed(7) + (uint64_t)_i;
    size_t bytes = weft_dtype_bytes(t);
    for (size_t l = 0; l < WEFT_COUNT(lengths); l++)
        for (int k = 1; k <= 9; k += k < 5 ? 1 : 2) {
            int64_t n = lengths[l];
            char *room = malloc((size_t)n * bytes * 9 + 1), *data = room + 1, *out_room = malloc((size_t)n * bytes + 2),
                 *out = out_room + 1, want[16];
            const void *src[9], *elem[9];
            fill(t, data, n * 9, &state);
            for (int s = 0; s < k; s++) src[s] = data + (size_t)s * (size_t)n * bytes;
            out[(size_t)n * bytes] = 77;
            f(out, src, k, n);
            ck_assert_int_eq(out[(size_t)n * bytes], 77);
            for (int64_t j = 0; j < n; j++) {
                for (int s = 0; s < k; s++) elem[s] = (const char *)src[s] + (size_t)j * bytes;
                if (k == 1 && !mean) memcpy(want, elem[0], bytes); /* nothing is added */
                else law_reduce(t, op, elem, NULL, k, want);
                ck_assert_msg(same(t, out + (size_t)j * bytes, want),
                              "%s, reduction %d, %d sources, element %lld of %lld", weft_dtype_of(t)->name, (int)op, k,
                              (long long)j, (long long)n);
            }
            free(room);
            free(out_room);
        }
}
END_TEST

/* Every 16-bit pattern comes through a sum with zero as base/ converts it. */
START_TEST(test_halves) {
    weft_dtype t = _i ? WEFT_BF16 : WEFT_F16;
    static uint16_t a[65536], b[65536], out[65536];
    for (int i = 0; i < 65536; i++) a[i] = (uint16_t)i, b[i] = (uint16_t)(i * 40503u);
    const void *src[] = { a, b };
    weft_reduce_find(t, WEFT_SUM)(out, src, 2, 65536);
    for (int i = 0; i < 65536; i++) {
        const void *elem[] = { &a[i], &b[i] };
        uint16_t want;
        law_reduce(t, WEFT_SUM, elem, NULL, 2, &want);
        ck_assert_msg(same(t, &out[i], &want), "%04x + %04x = %04x, not %04x", a[i], b[i], want, out[i]);
    }
}
END_TEST

#ifdef __SSE__
/* A program linked with -ffast-math has denormals taken for zeros, as operands and as results (Intel SDM 1, 10.2.3):
 * which no half is in f32. */
START_TEST(test_halves_without_denormals) {
    static uint16_t a[65536], b[65536], sum[65536], least[65536], mean[65536];
    static float partial[65536];
    for (int i = 0; i < 65536; i++) a[i] = (uint16_t)i, b[i] = (uint16_t)(i * 40503u);
    const void *src[] = { a, b };
    const weft_adder *add = weft_adder_find(WEFT_F16, WEFT_SUM);
    unsigned csr = _mm_getcsr();
    _mm_setcsr(csr | 0x8040u);
    add->partial(partial, src, 1, 65536);
    add->whole(sum, src, 2, 65536);
    weft_reduce_find(WEFT_F16, WEFT_MIN)(least, src, 2, 65536);
    weft_reduce_find(WEFT_F16, WEFT_MEAN)(mean, src, 1, 65536);
    _mm_setcsr(csr);
    for (int i = 0; i < 65536; i++) {
        const void *elem[] = { &a[i], &b[i] };
        uint16_t want_sum, want_least;
        double value = weft_dtype_load(WEFT_F16, &a[i]);
        law_reduce(WEFT_F16, WEFT_SUM, elem, NULL, 2, &want_sum);
        law_reduce(WEFT_F16, WEFT_MIN, elem, NULL, 2, &want_least);
        ASSERT_EACH(partial[i] == value || isnan(value), "%04x is %a, not %a", a[i], (double)partial[i], value);
        ASSERT_EACH(same(WEFT_F16, &sum[i], &want_sum), "%04x + %04x = %04x, not %04x", a[i], b[i], want_sum, sum[i]);
        ASSERT_EACH(same(WEFT_F16, &least[i], &want_least), "min(%04x, %04x) = %04x, not %04x", a[i], b[i], want_least, least[i]);
        ASSERT_EACH(same(WEFT_F16, &mean[i], &a[i]), "mean of %04x = %04x", a[i], mean[i]);
    }
}
END_TEST
#endif

static const struct { weft_op_reduce op; float a, b, want; } special[] = {
    { WEFT_MAX, -0.0f, 0.0f, 0.0f },      { WEFT_MAX, 0.0f, -0.0f, 0.0f },
    { WEFT_MIN, -0.0f, 0.0f, -0.0f },     { WEFT_MIN, 0.0f, -0.0f, -0.0f },
    { WEFT_MAX, NAN, 1, NAN },            { WEFT_MAX, 1, NAN, NAN },
    { WEFT_MIN, NAN, -INFINITY, NAN },    { WEFT_MIN, -INFINITY, NAN, NAN },
    { WEFT_MAX, -INFINITY, -1, -1 },      { WEFT_SUM, INFINITY, -INFINITY, NAN },
};

START_TEST(test_special) {
    float a[40], b[40], out[40];
    for (int i = 0; i < 40; i++) a[i] = special[_i].a, b[i] = special[_i].b;
    const void *src[] = { a, b };
    weft_reduce_find(WEFT_F32, special[_i].op)(out, src, 2, 40);
    for (int i = 0; i < 40; i++) ck_assert(same(WEFT_F32, &out[i], &special[_i].want));
}
END_TEST

/* Means that would wrap, or be off by one, if they were taken another way. */
static const struct { weft_dtype t; int64_t a, b, c, want; } means[] = {
    { WEFT_I8, 100, 120, 110, 110 },   { WEFT_I8, -128, -128, -128, -128 }, { WEFT_I32, -1, -1, 0, 0 },  { WEFT_I32, -5, -5, -6, -5 },
    { WEFT_I64, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX }, { WEFT_I64, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN },
    { WEFT_UI8, 255, 255, 254, 254 },  { WEFT_UI64, -1, -1, -1, -1 },       { WEFT_I4, 7, 7, 7, 7 },     { WEFT_I4, -8, -8, 7, -3 },
};

START_TEST(test_means) {
    int64_t out = 0, v[] = { means[_i].a, means[_i].b, means[_i].c };
    const void *src[] = { &v[0], &v[1], &v[2] };
    weft_reduce_find(means[_i].t, WEFT_MEAN)(&out, src, 3, 1);
    ck_assert_mem_eq(&out, &means[_i].want, weft_dtype_bytes(means[_i].t));
}
END_TEST

int main(void) {
    Suite *s = suite_create("reduce");
    TCase *tc = tcase_create("reduce");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_kernel, 0, (WEFT_DTYPE_COUNT - 1) * WEFT_REDUCE_COUNT);
    tcase_add_loop_test(tc, test_halves, 0, 2);
#ifdef __SSE__
    tcase_add_test(tc, test_halves_without_denormals);
#endif
    tcase_add_loop_test(tc, test_means, 0, (int)WEFT_COUNT(means));
    tcase_add_loop_test(tc, test_special, 0, (int)WEFT_COUNT(special));
    suite_add_tcase(s, tc);
    SRunner *r = srunner_create(s);
    srunner_set_fork_status(r, CK_NOFORK);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
