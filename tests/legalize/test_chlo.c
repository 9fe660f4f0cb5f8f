/* CHLO's ops on bits: mulhi of every integer type against 128-bit products, next_after against C's, the predicates of
 * infinity. */
#include <math.h>
#include <stdio.h>
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/walk.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { N = 500 };

static void run(const char *op, int arity, const char *from, const char *to, void *const *in, void *out) {
    char text[512];
    if (arity == 1)
        snprintf(
            text, sizeof text,
            "func.func @main(%%a: tensor<%dx%s>) -> tensor<%dx%s> {\n  %%0 = \"chlo.%s\"(%%a) : (tensor<%dx%s>) -> tensor<%dx%s>\n"
            "  return %%0 : tensor<%dx%s>\n}\n",
            N, from, N, to, op, N, from, N, to, N, to);
    else
        snprintf(
            text, sizeof text,
            "func.func @main(%%a: tensor<%dx%s>, %%b: tensor<%dx%s>) -> tensor<%dx%s> {\n  %%0 = \"chlo.%s\"(%%a, %%b) : "
            "(tensor<%dx%s>, tensor<%dx%s>) -> tensor<%dx%s>\n  return %%0 : tensor<%dx%s>\n}\n",
            N, from, N, from, N, to, op, N, from, N, from, N, to, N, to);
    walk_text(text, "chlo-legalize-to-stablehlo", in, &out);
}

/* Random bits, with the ends of the type at the front. */
static char *numbers(weft_rng *r, size_t size, int shift) {
    const uint64_t top = (uint64_t)1 << (8 * size - 1), ends[] = { 0, 1, top, top - 1, ~(uint64_t)0 };
    char *p = walk_buffer(N * size);
    for (size_t i = 0; i < N; i++) {
        uint64_t v = i < 25 ? ends[shift ? i % 5 : i / 5] : weft_rng_next(r);
        memcpy(p + i * size, &v, size);
    }
    return p;
}

static const weft_dtype integers[] = {
    WEFT_I8, WEFT_UI8, WEFT_I16, WEFT_UI16, WEFT_I32, WEFT_UI32, WEFT_I64, WEFT_UI64
};

START_TEST(high_half_of_products) {
    const weft_dtype t = integers[_i];
    const size_t size = weft_dtype_bytes(t);
    const int up = 64 - 8 * (int)size;
    weft_rng r = { weft_test_seed(20261122) };
    char *in[2] = { numbers(&r, size, 0), numbers(&r, size, 1) }, *out = walk_buffer(N * size);
    run("mulhi", 2, weft_dtype_of(t)->name, weft_dtype_of(t)->name, (void *const *)in, out);
    for (size_t i = 0; i < N; i++) {
        uint64_t a = 0, b = 0, got = 0, want;
        memcpy(&a, in[0] + i * size, size), memcpy(&b, in[1] + i * size, size), memcpy(&got, out + i * size, size);
        if (weft_dtype_of(t)->kind == WEFT_KIND_INT)
            want = (uint64_t)((__int128)((int64_t)(a << up) >> up) * ((int64_t)(b << up) >> up) >> (8 * size));
        else want = (uint64_t)((unsigned __int128)a * b >> (8 * size));
        ck_assert_msg(got == want << up >> up, "mulhi of %s: %llx, %llx gives %llx, not %llx", weft_dtype_of(t)->name,
                      (unsigned long long)a, (unsigned long long)b, (unsigned long long)got,
                      (unsigned long long)(want << up >> up));
    }
    free(in[0]), free(in[1]), free(out);
}
END_TEST

START_TEST(numbers_beside) {
    static const double ends[] = { 0.0,       -0.0, 1,      -1,         INFINITY,
                                   -INFINITY, NAN,  1e-320, -0x1p-1022, 0x1.fffffffffffffp1023, 0.1 };
    double *a = walk_buffer(N * 8), *b = walk_buffer(N * 8), *d = walk_buffer(N * 8);
    float *af = walk_buffer(N * 4), *bf = walk_buffer(N * 4), *f = walk_buffer(N * 4);
    for (int i = 0; i < N; i++) {
        a[i] = ends[i % 11], b[i] = ends[i / 11 % 11];
        af[i] = (float)a[i], bf[i] = (float)b[i];
    }
    run("next_after", 2, "f64", "f64", (void *[]){ a, b }, d);
    run("next_after", 2, "f32", "f32", (void *[]){ af, bf }, f);
    for (int i = 0; i < N; i++) {
        const double want = nextafter(a[i], b[i]);
        const float wantf = nextafterf(af[i], bf[i]);
        ck_assert_msg((isnan(want) && isnan(d[i])) || !memcmp(&want, &d[i], 8), "%a to %a: %a, not %a", a[i], b[i],
                      d[i], want);
        ck_assert_msg((isnan(wantf) && isnan(f[i])) || !memcmp(&wantf, &f[i], 4), "%a to %a: %a, not %a", (double)af[i],
                      (double)bf[i], (double)f[i], (double)wantf);
    }
    free(a), free(b), free(d), free(af), free(bf), free(f);
}
END_TEST

START_TEST(infinities) {
    static const struct {
        const char *op;
        double a, b;
    } predicates[] = { { "is_inf", INFINITY, -INFINITY }, { "is_pos_inf", INFINITY, INFINITY },
                       { "is_neg_inf", -INFINITY, -INFINITY } };
    static const float ends[] = { 0.0f, 1, INFINITY, -INFINITY, NAN, 0x1.fffffep127f };
    float *a = walk_buffer(N * 4);
    bool *out = walk_buffer(N);
    for (int i = 0; i < N; i++) a[i] = ends[i % 6];
    run(predicates[_i].op, 1, "f32", "i1", (void *[]){ a }, out);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(out[i], (double)a[i] == predicates[_i].a || (double)a[i] == predicates[_i].b);
    free(a), free(out);
}
END_TEST

int main(void) {
    Suite *s = suite_create("legalize/chlo");
    TCase *tc = tcase_create("bits");
    tcase_add_loop_test(tc, high_half_of_products, 0, (int)WEFT_COUNT(integers));
    tcase_add_test(tc, numbers_beside);
    tcase_add_loop_test(tc, infinities, 0, 3);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
