/* Transforms of any length against sums of n products in long double; the op's four kinds, one to three dimensions,
 * batches. */
#include <math.h>
#include <stdio.h>
#include "exec/kernels/fft.h"
#include "tests/codegen/tensor.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

/* x[n] with `stride` between its elements, in place, by definition. */
static void dft(num *x, int64_t n, int64_t stride, int sign) {
    const long double two_pi = 6.283185307179586476925286766559L;
    long double *re = calloc((size_t)n, sizeof *re), *im = calloc((size_t)n, sizeof *im),
                *c = calloc((size_t)n, sizeof *c), *s = calloc((size_t)n, sizeof *s);
    for (int64_t k = 0; k < n; k++) {
        c[k] = cosl(two_pi * (long double)k / (long double)n);
        s[k] = (long double)sign * sinl(two_pi * (long double)k / (long double)n);
    }
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++) {
            const int64_t w = j * k % n;
            const long double a = creal(x[j * stride]), b = cimag(x[j * stride]);
            re[k] += a * c[w] - b * s[w];
            im[k] += a * s[w] + b * c[w];
        }
    for (int64_t k = 0; k < n; k++) x[k * stride] = tensor_num((double)re[k], (double)im[k]);
    free(re), free(im), free(c), free(s);
}

static double largest(const num *x, int64_t n) {
    double m = 1e-300;
    for (int64_t i = 0; i < n; i++) m = fmax(m, cabs(x[i]));
    return m;
}

/* Lines of a type, one after another or side by side. */
typedef struct line_set {
    weft_fft_type type;
    weft_fft_lie lie;
    int64_t n, lines;
    bool inverse;
    double scale;
} line_set;

static double get(weft_fft_type t, const void *p, int64_t i) {
    return t == WEFT_FFT_F64 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static size_t bytes_of(weft_fft_type t) { return t == WEFT_FFT_F64 ? sizeof(double) : sizeof(float); }

/* In place, with room of exactly the sizes that fft.h says. */
static void run_lines(const line_set *s, void *x) {
    weft_context *cx = weft_context_new(NULL);
    const weft_fft_plan p = weft_fft_plan_of(s->type, s->lie, s->n, s->lines);
    void *table = walk_buffer((size_t)weft_fft_table_size(&p) * bytes_of(s->type)),
         *work = walk_buffer((size_t)weft_fft_work_size(&p, s->lie, s->lines) * bytes_of(s->type));
    const int64_t step = s->lie == WEFT_FFT_COLUMNS ? s->lines : 1, line = s->lie == WEFT_FFT_COLUMNS ? 1 : s->n;
    ck_assert_int_eq(weft_fft_table(cx, &p, table), WEFT_OK);
    weft_fft(&(weft_fft_task){ .plan = &p, .table = table, .in = x, .out = x, .work = work, .in_step = step,
                               .in_line = line, .out_step = step, .out_line = line, .lines = s->lines,
                               .inverse = s->inverse, .scale = s->scale });
    free(table), free(work);
    weft_context_free(cx);
}

/* A few units in the last place of the largest element. */
static void check_lines(const line_set *s) {
    const int64_t count = s->n * s->lines, step = s->lie == WEFT_FFT_COLUMNS ? s->lines : 1;
    num *want = tensor_random(WEFT_C128, count, (uint64_t)(s->n * 31 + s->lines));
    void *got = walk_buffer((size_t)(2 * count) * bytes_of(s->type));
    for (int64_t i = 0; i < count; i++) {
        const double re = creal(want[i]), im = cimag(want[i]);
        if (s->type == WEFT_FFT_F64) ((double *)got)[2 * i] = re, ((double *)got)[2 * i + 1] = im;
        else {
            ((float *)got)[2 * i] = (float)re, ((float *)got)[2 * i + 1] = (float)im;
            want[i] = tensor_num((double)(float)re, (double)(float)im);
        }
    }
    run_lines(s, got);
    for (int64_t q = 0; q < s->lines; q++)
        dft(want + (step == 1 ? q * s->n : q), s->n, step, s->inverse ? 1 : -1);
    const double limit = (s->type == WEFT_FFT_F64 ? 16 * 0x1p-53 : 8 * 0x1p-24) * largest(want, count);
    for (int64_t i = 0; i < count; i++) {
        const double re = get(s->type, got, 2 * i) / s->scale, im = get(s->type, got, 2 * i + 1) / s->scale;
        const double off = cabs(tensor_num(re, im) - want[i]);
        ck_assert_msg(off <= limit, "f%d, length %d, %d lines, %s: number %d is off by %g of the limit",
                      (int)bytes_of(s->type) * 8, (int)s->n, (int)s->lines, step == 1 ? "rows" : "columns", (int)i,
                      off / limit);
    }
    free(want), free(got);
}

static void check_length(int64_t n, int64_t lines) {
    for (int t = 0; t < 2; t++)
        for (int lie = 0; lie < 2; lie++)
            check_lines(&(line_set){ .type = (weft_fft_type)t, .lie = (weft_fft_lie)lie, .n = n, .lines = lines,
                                     .inverse = (n + t) % 2, .scale = n % 3 ? 1 : 0.5 });
}

START_TEST(test_short_lengths) {
    for (int64_t n = 1 + _i * 16; n <= 16 + _i * 16; n++) check_length(n, 1), check_length(n, 3), check_length(n, 8);
}
END_TEST

/* Lines that fill vectors, and some that do not: with enough of them a length goes another way. */
START_TEST(test_many_lines) {
    static const int64_t of[] = { 2, 6, 7, 16, 30, 37, 64, 100, 105, 254, 256, 333 };
    check_length(of[_i], 32), check_length(of[_i], 45);
}
END_TEST

static const int64_t lengths[] = { 257,  331,  337,  343,  500,  512,  961,  1000, 1009, 1024,
                                   1155, 1369, 2048, 2187, 2209, 2310, 2032, 4099, 4096 };
START_TEST(test_long_lengths) { check_length(lengths[_i], 1), check_length(lengths[_i], 2); }
END_TEST

/* A prime near a million takes seconds by definition, and well under one by convolution: the inverse gives the numbers
 * back. */
START_TEST(test_large_prime) {
    const int64_t n = 100003;
    num *x = tensor_random(WEFT_C128, n, 9), *y = walk_buffer((size_t)n * sizeof *y);
    memcpy(y, x, (size_t)n * sizeof *y);
    run_lines(&(line_set){ WEFT_FFT_F64, WEFT_FFT_ROWS, n, 1, false, 1 }, y);
    run_lines(&(line_set){ WEFT_FFT_F64, WEFT_FFT_ROWS, n, 1, true, 1.0 / (double)n }, y);
    for (int64_t i = 0; i < n; i++) ck_assert(cabs(y[i] - x[i]) < 1e-13);
    free(x), free(y);
}
END_TEST

/* ---- the op ---- */

enum kind { FFT, IFFT, RFFT, IRFFT };
static const char *const kinds[] = { "FFT", "IFFT", "RFFT", "IRFFT" };
typedef struct shape { int64_t batch; uint32_t n; int64_t length[3]; } shape;
static const shape shapes[] = {
    { 1, 1, { 1 } }, { 3, 1, { 2 } }, { 2, 1, { 7 } }, { 2, 1, { 12 } }, { 1, 1, { 37 } }, { 2, 1, { 45 } }, { 1, 1, { 128 } },
    { 2, 2, { 4, 6 } }, { 1, 2, { 5, 7 } }, { 2, 2, { 1, 9 } }, { 2, 2, { 9, 1 } }, { 1, 2, { 41, 6 } }, { 2, 3, { 3, 4, 5 } }, { 1, 3, { 2, 1, 8 } }, { 2, 3, { 1, 1, 1 } },
};

static int64_t half(int64_t n) { return n / 2 + 1; }

static void type_text(char *out, size_t n, const shape *s, int64_t last, weft_dtype t) {
    size_t used = (size_t)snprintf(out, n, "tensor<%lldx", (long long)s->batch);
    for (uint32_t d = 0; d < s->n; d++)
        used += (size_t)snprintf(out + used, n - used, "%lldx", (long long)(d + 1 == s->n ? last : s->length[d]));
    snprintf(out + used, n - used, "%s>", weft_dtype_of(t)->name);
}

/* The whole complex block, transformed by definition along each dimension. */
static void transform(num *x, const int64_t *length, uint32_t n, int sign) {
    int64_t all = 1, inner = 1;
    for (uint32_t d = 0; d < n; d++) all *= length[d];
    for (uint32_t d = n; d-- > 0; inner *= length[d])
        for (int64_t i = 0; i < all; i++)
            if (i / inner % length[d] == 0) dft(x + i, length[d], inner, sign);
}

static void check_op(const shape *s, enum kind kind, weft_dtype real, weft_dtype complex_type) {
    const uint32_t n = s->n;
    const int64_t *length = s->length, last = length[n - 1], batch = s->batch;
    const weft_dtype in_type = kind == RFFT ? real : complex_type, out_type = kind == IRFFT ? real : complex_type;
    const int64_t in_last = kind == IRFFT ? half(last) : last, out_last = kind == RFFT ? half(last) : last;
    char in[128], out[128], text[1024], list[64];
    int64_t rows = 1;
    for (uint32_t d = 0; d + 1 < n; d++) rows *= length[d];
    snprintf(list, sizeof list,
             n == 1   ? "%lld"
             : n == 2 ? "%lld, %lld"
                      : "%lld, %lld, %lld",
             (long long)length[0], (long long)length[1], (long long)length[2]);
    type_text(in, sizeof in, s, in_last, in_type);
    type_text(out, sizeof out, s, out_last, out_type);
    snprintf(
        text, sizeof text,
        "func.func @main(%%x: %s) -> %s {\n %%y = stablehlo.fft %%x, type = %s, length = [%s] : (%s) -> %s\n return %%y : %s\n}\n",
        in, out, kinds[kind], list, in, out, out);
    void *x = tensor_random(in_type, batch * rows * in_last, (uint64_t)(last * 7 + (int64_t)n * 31 + (int)kind)), *y[1];
    num *block = calloc((size_t)(rows * last), sizeof *block);
    if (kind == IRFFT) /* what a real row has: checked apart is that the rest does not count */
        for (int64_t i = 0; i < batch * rows; i++)
            for (int64_t k = 0; k < in_last; k++)
                if (n == 1 && (k == 0 || 2 * k == last))
                    tensor_put(in_type, x, i * in_last + k, creal(tensor_get(in_type, x, i * in_last + k)));
    tensor_run(text, (void *[]){ x }, y);
    for (int64_t b = 0; b < batch; b++) {
        for (int64_t i = 0; i < rows * last; i++) {
            const int64_t row = i / last, k = i % last;
            if (kind != IRFFT) block[i] = tensor_get(in_type, x, b * rows * last + i);
            else if (k < in_last) block[i] = tensor_get(in_type, x, (b * rows + row) * in_last + k);
        }
        if (kind == IRFFT) { /* the dimensions before first, then the row's second half */
            for (uint32_t d = 0; d + 1 < n; d++) {
                int64_t inner = last;
                for (uint32_t e = d + 1; e + 1 < n; e++) inner *= length[e];
                for (int64_t i = 0; i < rows * last; i++)
                    if (i / inner % length[d] == 0) dft(block + i, length[d], inner, 1);
            }
            for (int64_t row = 0; row < rows; row++) {
                num *r = block + row * last;
                for (int64_t k = 0; k < in_last; k++)
                    if (k == 0 || 2 * k == last) r[k] = creal(r[k]);
                for (int64_t k = in_last; k < last; k++) r[k] = conj(r[last - k]);
                dft(r, last, 1, 1);
            }
        } else transform(block, length, n, kind == IFFT ? 1 : -1);
        const double scale = kind == IFFT || kind == IRFFT ? 1.0 / (double)(rows * last) : 1,
                     limit = (out_type == WEFT_F64 || out_type == WEFT_C128 ? 16 : 4) * tensor_epsilon(out_type) *
                             largest(block, rows * last) * scale;
        for (int64_t i = 0; i < rows * out_last; i++) {
            const num want = block[i / out_last * last + i % out_last] * scale,
                      got = tensor_get(out_type, y[0], b * rows * out_last + i);
            ck_assert_msg(cabs(got - (kind == IRFFT ? creal(want) : want)) <= limit,
                          "%snumber %d: %g%+gi instead of %g%+gi", text, (int)i, creal(got), cimag(got), creal(want),
                          cimag(want));
        }
    }
    free(x), free(y[0]), free(block);
}

START_TEST(test_op) {
    for (int k = 0; k < 4; k++) {
        check_op(&shapes[_i], (enum kind)k, WEFT_F32, WEFT_C64);
        check_op(&shapes[_i], (enum kind)k, WEFT_F64, WEFT_C128);
    }
}
END_TEST

/* Shapes drawn from a seed, which is the test's number: one to three dimensions of up to 400 numbers together. */
START_TEST(test_random_shapes) {
    uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(_i + 1);
    shape s = { 1, 1, { 1, 1, 1 } };
    int64_t room = 400;
    printf("seed %d\n", _i);
    state = state * 6364136223846793005u + 1442695040888963407u;
    s.n = 1 + (uint32_t)(state >> 33) % 3;
    for (uint32_t d = 0; d < s.n; d++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        s.length[d] = 1 + (int64_t)(state >> 33) % (d + 1 < s.n && room > 20 ? 20 : room);
        room /= s.length[d];
    }
    s.batch = 1 + _i % 3;
    check_op(&s, (enum kind)(_i % 4), WEFT_F32, WEFT_C64);
    check_op(&s, (enum kind)(_i % 4), WEFT_F64, WEFT_C128);
}
END_TEST

/* A row's first and middle number are real; an imaginary part there does not count. */
START_TEST(test_imaginary_parts_dropped) {
    static const char text[] =
        "func.func @main(%x: tensor<3xcomplex<f64>>) -> tensor<4xf64> {\n %y = stablehlo.fft %x, type = IRFFT, length = [4] : (tensor<3xcomplex<f64>>) -> tensor<4xf64>\n"
        " return %y : tensor<4xf64>\n}\n";
    double *x = walk_buffer(6 * sizeof *x), *first, *second;
    void *y[1];
    for (int i = 0; i < 6; i++) x[i] = 1 + i;
    tensor_run(text, (void *[]){ x }, y);
    first = y[0];
    x[1] = 77, x[5] = -5;
    tensor_run(text, (void *[]){ x }, y);
    second = y[0];
    ck_assert_mem_eq(first, second, 4 * sizeof *first);
    free(x), free(first), free(second);
}
END_TEST

START_TEST(test_empty) {
    void *x = walk_buffer(8), *y[1];
    tensor_run(
        "func.func @main(%x: tensor<2x0x3xcomplex<f32>>) -> tensor<2x0x3xcomplex<f32>> {\n %y = stablehlo.fft %x, type = FFT, length = [3] :"
        " (tensor<2x0x3xcomplex<f32>>) -> tensor<2x0x3xcomplex<f32>>\n return %y : tensor<2x0x3xcomplex<f32>>\n}\n",
        (void *[]){ x }, y);
    free(x), free(y[0]);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/fft");
    TCase *tc = tcase_create("fft");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_short_lengths, 0, 9);
    tcase_add_loop_test(tc, test_long_lengths, 0, WEFT_COUNT(lengths));
    tcase_add_loop_test(tc, test_many_lines, 0, 12);
    tcase_add_test(tc, test_large_prime);
    tcase_add_loop_test(tc, test_op, 0, WEFT_COUNT(shapes));
    tcase_add_loop_test(tc, test_random_shapes, 0, 40);
    tcase_add_test(tc, test_imaginary_parts_dropped);
    tcase_add_test(tc, test_empty);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
