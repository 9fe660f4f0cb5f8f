/* The ops of ops.h and the random numbers of random.h: run on several meshes and compared with plain C, and with
 * numbers of jax.random. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <weft/nn.h>
#include <weft/random.h>
#include "tests/support/suite.h"

static weft_context *cx;
static weft_graph *g;

static void setup(void) {
    cx = weft_context_new(NULL);
    g = weft_graph_new(cx, "moves");
}
static void teardown(void) {
    weft_graph_free(g);
    weft_context_free(cx);
}
static const char *last_message(void) {
    const size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1)->message : "";
}
#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())
#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { B = 8, N = 6 };
typedef float grid[B][N];

/* Each makes a tensor of x, 8x6, and the same in plain C; y starts as zeros. */
static weft_tensor *shift_2(weft_tensor *x) { return weft_graph_shift(g, x, 0, 2, -3); }
static void shift_2_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = i < 2 ? -3 : x[i - 2][j];
}
static weft_tensor *shift_back(weft_tensor *x) { return weft_graph_shift(g, x, 1, -1, 7); }
static void shift_back_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = j == N - 1 ? 7 : x[i][j + 1];
}
static weft_tensor *shift_far(weft_tensor *x) { return weft_graph_shift(g, x, 1, -100, 7); }
static void shift_far_plain(grid x, grid y) {
    (void)x;
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = 7;
}
static weft_tensor *roll_3(weft_tensor *x) { return weft_graph_roll(g, weft_graph_roll(g, x, 0, 11), 1, -1); }
static void roll_3_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = x[(i + B - 3) % B][(j + 1) % N];
}
static weft_tensor *reversed(weft_tensor *x) { return weft_graph_reverse(g, x, WEFT_DIMS(0, 1)); }
static void reversed_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = x[B - 1 - i][N - 1 - j];
}
static weft_tensor *padded(weft_tensor *x) {
    return weft_graph_slice(g, weft_graph_pad(g, x, WEFT_DIMS(1, -1), WEFT_DIMS(0, 1), 2), WEFT_DIMS(0, 0),
                            WEFT_DIMS(B, N), WEFT_NO_DIMS);
}
static void padded_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = i == 0 || j == N - 1 ? 2 : x[i - 1][j + 1];
}
static weft_tensor *running(weft_tensor *x) { return weft_graph_cumulative(g, "add", x, 0); }
static void running_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = x[i][j] + (i ? y[i - 1][j] : 0);
}
static weft_tensor *running_max(weft_tensor *x) { return weft_graph_cumulative(g, "maximum", x, 1); }
static void running_max_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = j ? fmaxf(y[i][j - 1], x[i][j]) : x[i][j];
}
static weft_tensor *sorted(weft_tensor *x) { return weft_graph_sort(g, x, 1); }
static void sorted_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) {
            int k = j;
            for (; k > 0 && y[i][k - 1] > x[i][j]; k--) y[i][k] = y[i][k - 1];
            y[i][k] = x[i][j];
        }
}
static weft_tensor *best(weft_tensor *x) {
    weft_tensor *most = weft_graph_argmax(g, x, 1), *least = weft_graph_argmin(g, x, 1);
    weft_tensor *both = weft_graph_add(g, most, weft_graph_scale(g, least, 10));
    return weft_graph_broadcast_like(g, weft_graph_convert(g, both, "f32"), x, WEFT_DIMS(0));
}
static void best_plain(grid x, grid y) {
    for (int i = 0; i < B; i++) {
        int most = 0, least = 0;
        for (int j = 1; j < N; j++) {
            if (x[i][j] > x[i][most]) most = j;
            if (x[i][j] < x[i][least]) least = j;
        }
        for (int j = 0; j < N; j++) y[i][j] = (float)(most + 10 * least);
    }
}
static weft_tensor *top(weft_tensor *x) {
    weft_tensor *out[2];
    weft_graph_top_k(g, x, 2, out);
    weft_tensor *sum = weft_graph_reduce(g, "add", weft_graph_multiply(g, out[0], weft_graph_convert(g, out[1], "f32")),
                                         WEFT_DIMS(1));
    return weft_graph_broadcast_like(g, sum, x, WEFT_DIMS(0));
}
static void top_plain(grid x, grid y) {
    for (int i = 0; i < B; i++) {
        int a = 0, b = -1;
        for (int j = 1; j < N; j++)
            if (x[i][j] > x[i][a]) a = j;
        for (int j = 0; j < N; j++)
            if (j != a && (b < 0 || x[i][j] > x[i][b])) b = j;
        for (int j = 0; j < N; j++) y[i][j] = x[i][a] * (float)a + x[i][b] * (float)b;
    }
}
static const int32_t rows[2][4] = { { 3, 0, 3, 7 }, { 99, 1, 2, 3 } };
static weft_tensor *gathered(weft_tensor *x) {
    weft_tensor *r = weft_graph_gather_rows(g, x, weft_graph_constant(g, "2x4xi32", rows, sizeof rows));
    return weft_graph_reshape(g, r, WEFT_DIMS(B, N));
}
static void gathered_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = x[rows[i / 4][i % 4] > 7 ? 7 : rows[i / 4][i % 4]][j];
}
static weft_tensor *scattered(weft_tensor *x) {
    weft_tensor *updates = weft_graph_reshape(g, x, WEFT_DIMS(2, 4, N));
    return weft_graph_scatter_rows(g, "add", x, weft_graph_constant(g, "2x4xi32", rows, sizeof rows), updates);
}
static void scattered_plain(grid x, grid y) {
    memcpy(y, x, sizeof(grid));
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N && rows[i / 4][i % 4] < B; j++) y[rows[i / 4][i % 4]][j] += x[i][j];
}
static weft_tensor *set_rows(weft_tensor *x) {
    const int32_t at = 5;
    weft_tensor *row = weft_graph_slice(g, x, WEFT_DIMS(2, 0), WEFT_DIMS(3, N), WEFT_NO_DIMS);
    return weft_graph_scatter_rows(g, "set", x, weft_graph_constant(g, "1xi32", &at, sizeof at), row);
}
static void set_rows_plain(grid x, grid y) {
    memcpy(y, x, sizeof(grid));
    memcpy(y[5], x[2], sizeof y[5]);
}
static weft_tensor *dynamic(weft_tensor *x) {
    weft_tensor *at[] = { weft_graph_fill(g, "i32", 3), weft_graph_fill(g, "i32", 4) };
    weft_tensor *to[] = { weft_graph_fill(g, "i32", 0), weft_graph_fill(g, "i32", 1) };
    return weft_graph_dynamic_update(g, x, weft_graph_dynamic_slice(g, x, at, WEFT_DIMS(2, 2)), to);
}
static void dynamic_plain(grid x, grid y) {
    memcpy(y, x, sizeof(grid));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) y[i][j + 1] = x[3 + i][4 + j];
}
/* A stencil of 3x3 with zeros outside. */
static const float stencil[9] = { 1, 2, 1, 0, 5, 0, -1, 3, 2 };
static weft_tensor *convolved(weft_tensor *x) {
    weft_tensor *image = weft_graph_reshape(g, x, WEFT_DIMS(1, B, N, 1));
    weft_tensor *kernel = weft_graph_constant(g, "3x3x1x1xf32", stencil, sizeof stencil);
    const weft_window_dims same = { .low = WEFT_DIMS(1, 1), .high = WEFT_DIMS(1, 1) };
    return weft_graph_reshape(g, weft_graph_convolution(g, "bhwf,hwio->bhwf", image, kernel, same, 1), WEFT_DIMS(B, N));
}
static void convolved_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < 9; k++) {
                const int a = i + k / 3 - 1, b = j + k % 3 - 1;
                if (a >= 0 && a < B && b >= 0 && b < N) y[i][j] += x[a][b] * stencil[k];
            }
}

/* Pieces of 2x6 at rows that indices say, the last of which would leave x. */
static const int32_t piece_rows[4] = { 5, 0, 3, 7 };
static weft_tensor *pieces(weft_tensor *x) {
    weft_tensor *rows = weft_graph_constant(g, "4x1xi32", piece_rows, sizeof piece_rows);
    const weft_gather_numbers dims = { .window = WEFT_DIMS(1, 2), .places = WEFT_DIMS(0), .vector = 1 };
    return weft_graph_reshape(g, weft_graph_gather(g, x, rows, dims, WEFT_DIMS(2, N)), WEFT_DIMS(B, N));
}
static void pieces_plain(grid x, grid y) {
    for (int i = 0; i < B; i++) {
        const int row = piece_rows[i / 2] < B - 2 ? piece_rows[i / 2] : B - 2;
        memcpy(y[i], x[row + i % 2], sizeof y[i]);
    }
}
/* The sum of the real and the imaginary part of each frequency. */
static weft_tensor *transformed(weft_tensor *x) {
    weft_tensor *z = weft_graph_fft(g, "FFT", weft_graph_complex(g, x, weft_graph_scale(g, x, 2)), WEFT_DIMS(B, N));
    return weft_graph_add(g, weft_graph_real(g, z), weft_graph_imag(g, z));
}
static void transformed_plain(grid x, grid y) {
    for (int k = 0; k < B * N; k++)
        for (int i = 0; i < B * N; i++) {
            const double angle = 2 * M_PI * ((double)(k / N * (i / N)) / B + (double)(k % N * (i % N)) / N);
            y[k / N][k % N] += (float)(x[i / N][i % N] * (3 * cos(angle) + sin(angle)));
        }
}
/* The first half of the frequencies, of which the second is the conjugate: backwards it reverses x. */
static weft_tensor *real_transforms(weft_tensor *x) {
    weft_tensor *z = weft_graph_fft(g, "RFFT", x, WEFT_DIMS(N));
    z = weft_graph_complex(g, weft_graph_real(g, z), weft_graph_negate(g, weft_graph_imag(g, z)));
    return weft_graph_fft(g, "IRFFT", z, WEFT_DIMS(N));
}
static void real_transforms_plain(grid x, grid y) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) y[i][j] = x[i][(N - j) % N];
}
/* The matrix has 4 on its diagonal and -2 beside it. */
static weft_tensor *solved(weft_tensor *x) {
    float a[B][B] = { { 0 } };
    for (int i = 0; i < B; i++) {
        a[i][i] = 4;
        if (i) a[i][i - 1] = a[i - 1][i] = -2;
    }
    weft_tensor *l = weft_graph_cholesky(g, weft_graph_constant(g, "8x8xf32", a, sizeof a), 0);
    weft_tensor *y = weft_graph_triangular_solve(g, l, x, 0);
    return weft_graph_triangular_solve(g, l, y, WEFT_MATRIX_ADJOINT);
}
static void solved_plain(grid x, grid y) { /* by elimination */
    float d[B];
    memcpy(y, x, sizeof(grid));
    for (int i = 0; i < B; i++) {
        d[i] = i ? 4 - 4 / d[i - 1] : 4;
        for (int j = 0; j < N && i; j++) y[i][j] += 2 * y[i - 1][j] / d[i - 1];
    }
    for (int i = B - 1; i >= 0; i--)
        for (int j = 0; j < N; j++) y[i][j] = (y[i][j] + (i < B - 1 ? 2 * y[i + 1][j] : 0)) / d[i];
}
/* x by its bytes, rounded to bf16's bits. */
static weft_tensor *bits(weft_tensor *x) {
    weft_tensor *y = weft_graph_bitcast_convert(g, weft_graph_bitcast_convert(g, x, "ui8"), "f32");
    y = weft_graph_reduce_precision(g, weft_graph_scale(g, y, 1.001), 8, 7);
    weft_graph_optimization_barrier(g, &y, 1, &y);
    return y;
}
static void bits_plain(grid x, grid y) { memcpy(y, x, sizeof(grid)); } /* integers of four bits, 1.001 rounded away */

static const struct { const char *name; weft_tensor *(*graph)(weft_tensor *); void (*plain)(grid, grid); } moves[] = {
#define M(name) { #name, name, name##_plain }
    M(shift_2), M(shift_back), M(shift_far), M(roll_3), M(reversed), M(padded), M(running), M(running_max), M(sorted),
    M(best), M(top), M(gathered), M(scattered), M(set_rows), M(dynamic), M(convolved), M(pieces), M(transformed),
    M(real_transforms), M(solved), M(bits)
#undef M
};

static const weft_job_options threads = { .launch = WEFT_LAUNCH_THREADS };
static const char *const meshes[] = { NULL, "a=2, b=1", "a=1, b=2", "a=2, b=2", "a=4, b=1" };

static void run(const char *axes, weft_tensor *x, grid in, grid *out) {
    if (axes) weft_shard(g, x, weft_graph_mesh(g, axes), "a, b");
    for (size_t i = 0; i < COUNT(moves); i++) weft_graph_output(g, moves[i].name, moves[i].graph(x));
    weft_job *job;
    OK(weft_job_open(cx, g, &threads, &job));
    OK(weft_job_write(job, "x", in, sizeof(grid)));
    OK(weft_job_step(job));
    for (size_t i = 0; i < COUNT(moves); i++) OK(weft_job_read(job, moves[i].name, out[i], sizeof(grid)));
    weft_job_close(job);
}

START_TEST(test_moves) {
    grid in, got[COUNT(moves)];
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) in[i][j] = (float)((i * 29 + j * 17) % 23) - 9;
    run(meshes[_i], weft_graph_input(g, "x", "8x6xf32"), in, got);
    for (size_t m = 0; m < COUNT(moves); m++) {
        grid want = { { 0 } };
        moves[m].plain(in, want);
        for (int i = 0; i < B; i++)
            for (int j = 0; j < N; j++)
                ck_assert_msg(fabsf(want[i][j] - got[m][i][j]) < 1e-4f, "%s on %s at %d, %d: %g, expected %g",
                              moves[m].name, meshes[_i] ? meshes[_i] : "one device", i, j, (double)got[m][i][j],
                              (double)want[i][j]);
    }
}
END_TEST

/* ---- random numbers ---- jax.random of JAX 0.10.2, key 7; folded: the key data of fold_in 5 */

static const uint32_t jax_bits[2][3] = { { 2895194379u, 4185947648u, 1300703658u }, { 1906787632u, 3139134342u,
    2709822315u } };
static const uint32_t jax_folded[2] = { 3583082021u, 1947592014u };
static const float jax_uniform[4] = { 1.3704495429992676f, 2.873084545135498f, -0.4857821464538574f,
    0.21979260444641113f };
static const float jax_normal[4] = { 0.4512351453304291f, 1.9534509181976318f, -0.5162394642829895f,
    -0.14094029366970062f };
static const int32_t jax_categorical[4] = { 1, 0, 2, 2 };
static const float weights[4][3] = { { 1, 2, 3 }, { 5, 1, 1 }, { 1, 1, 8 }, { 2, 2, 2 } };

START_TEST(test_random) {
    const weft_device_mesh *mesh = meshes[_i] ? weft_graph_mesh(g, meshes[_i]) : NULL;
    weft_tensor *key = weft_graph_random_key(g, 7);
    weft_tensor *bits = weft_graph_random_bits(g, key, "2x3xui32"), *normal = weft_graph_random_normal(g, key, "4xf32");
    weft_tensor *large = weft_graph_random_bits(g, weft_graph_random_key(g, 1), "16x12xui32");
    if (mesh) {
        normal = weft_shard(g, normal, mesh, "a*b");
        large = weft_shard(g, large, mesh, "a, b");
    }
    weft_graph_output(g, "bits", bits);
    weft_graph_output(g, "large", large);
    weft_graph_output(g, "folded", weft_graph_random_fold(g, key, weft_graph_fill(g, "i32", 5)));
    weft_graph_output(g, "uniform", weft_graph_random_uniform(g, key, "4xf32", -2, 3));
    weft_graph_output(g, "normal", normal);
    weft_graph_output(g, "often", weft_graph_random_bernoulli(g, key, "10000xi1", 0.3));
    weft_tensor *w = weft_graph_constant(g, "4x3xf32", weights, sizeof weights);
    weft_graph_output(g, "choice", weft_graph_random_categorical(g, key, weft_graph_log(g, w)));
    weft_job *job;
    uint32_t got_bits[2][3], folded[2], many[16][12];
    static uint32_t first[16][12]; /* of one device */
    float uniform[4], norm[4];
    int32_t choice[4];
    unsigned char often[10000];
    OK(weft_job_open(cx, g, &threads, &job));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "bits", got_bits, sizeof got_bits));
    OK(weft_job_read(job, "large", many, sizeof many));
    OK(weft_job_read(job, "folded", folded, sizeof folded));
    OK(weft_job_read(job, "uniform", uniform, sizeof uniform));
    OK(weft_job_read(job, "normal", norm, sizeof norm));
    OK(weft_job_read(job, "often", often, sizeof often));
    OK(weft_job_read(job, "choice", choice, sizeof choice));
    weft_job_close(job);
    ck_assert_mem_eq(got_bits, jax_bits, sizeof jax_bits);
    ck_assert_mem_eq(folded, jax_folded, sizeof folded);
    ck_assert_mem_eq(choice, jax_categorical, sizeof choice);
    for (int i = 0; i < 4; i++) {
        ck_assert_float_eq(uniform[i], jax_uniform[i]);
        ck_assert_float_eq_tol(norm[i], jax_normal[i], 2e-6f);
    }
    int yes = 0;
    for (int i = 0; i < 10000; i++) yes += often[i];
    ck_assert_int_gt(yes, 2800); /* 3000 with a standard deviation of 46 */
    ck_assert_int_lt(yes, 3200);
    if (!_i) return;
    weft_graph *one = weft_graph_new(cx, "one");
    weft_graph_output(one, "large", weft_graph_random_bits(one, weft_graph_random_key(one, 1), "16x12xui32"));
    OK(weft_job_open(cx, one, &threads, &job));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "large", first, sizeof first));
    weft_job_close(job);
    weft_graph_free(one);
    ck_assert_mem_eq(many, first, sizeof many);
}
END_TEST

/* ---- mistakes ---- */

static void mistake(int i, weft_tensor *x) {
    const int32_t at[] = { 0, 1 };
    weft_tensor *two = weft_graph_constant(g, "2xi32", at, sizeof at), *out[2];
    weft_tensor *key = weft_graph_random_key(g, 1);
    switch (i) {
    case 0: weft_graph_shift(g, x, 2, 1, 0); break;
    case 1: weft_graph_roll(g, x, -1, 1); break;
    case 2: weft_graph_cumulative(g, "set", x, 0); break;
    case 3: weft_graph_scatter_rows(g, "divide", x, two, x); break;
    case 4: weft_graph_gather_rows(g, x, x); break;
    case 5: weft_graph_argmax(g, x, 5); break;
    case 6: weft_graph_convolution(g, "bhf,hio->bhf", x, x, (weft_window_dims){ .size = WEFT_NO_DIMS }, 1); break;
    case 7: weft_graph_convolution(g, "bhwf->hwio", x, x, (weft_window_dims){ .size = WEFT_NO_DIMS }, 1); break;
    case 8: weft_graph_top_k(g, x, 9, out); break;
    case 9: weft_graph_random_bits(g, x, "2xui32"); break;
    case 10: weft_graph_random_bits(g, key, "2xf32"); break;
    case 11: weft_graph_random_uniform(g, key, "2xi32", 0, 1); break;
    case 12: weft_graph_random_bernoulli(g, key, "2xf32", 0.5); break;
    case 13: weft_graph_random_fold(g, key, x); break;
    case 14: weft_graph_random_categorical(g, key, weft_graph_fill(g, "f32", 0)); break;
    case 15: weft_graph_pad(g, x, WEFT_DIMS(1), WEFT_DIMS(1, 1), 0); break;
    case 16: weft_graph_gather_rows(g, weft_graph_fill(g, "f32", 0), two); break;
    case 17: weft_graph_fft(g, "DCT", x, WEFT_DIMS(6)); break;
    case 18: weft_graph_fft(g, "FFT", x, WEFT_DIMS(6)); break;
    case 19: weft_graph_fft(g, "RFFT", x, WEFT_DIMS(8)); break;
    case 20: weft_graph_fft(g, NULL, x, WEFT_DIMS(8)); break;
    case 21: weft_graph_cholesky(g, x, 0); break;
    case 22: weft_graph_cholesky(g, x, WEFT_MATRIX_UNIT); break;
    case 23: weft_graph_triangular_solve(g, x, x, 0); break;
    case 24: weft_graph_triangular_solve(g, x, x, WEFT_MATRIX_TRANSPOSED | WEFT_MATRIX_ADJOINT); break;
    case 25: weft_graph_bitcast_convert(g, x, "f128"); break;
    case 26: weft_graph_bitcast_convert(g, x, "f64"); break;
    case 27: weft_graph_reduce_precision(g, x, 0, 7); break;
    case 28: weft_graph_gather(g, x, two, (weft_gather_numbers){ .window = WEFT_DIMS(0) }, WEFT_DIMS(1)); break;
    case 29: weft_graph_fft(g, "RFFT", x, (weft_dims){ NULL, 1 }); break;
    case 30: weft_graph_optimization_barrier(g, (weft_tensor *[]){ x, NULL }, 2, out); break;
    }
}
static const char *const mistakes[] = {
    "'shift' has no dimension 2: the tensor has 2", "'roll' has no dimension -1",
    "'set' combines no values: add, multiply, maximum, minimum", "'divide' combines no values", "stablehlo.gather",
    "'argmax' has no dimension 5", "\"bhf,hio->bhf\" names 3 dimensions, the operands have 2 and 2",
    "is not of the form \"bhwf,hwio->bhwf\"", "chlo.top_k", "a key has the type 2xui32", "random bits are of ui32",
    "'random_uniform' makes floats, not '2xi32'",
    "'random_bernoulli' makes i1, not '2xf32'", "what is folded into a key is an integer scalar",
    "the logits of 'random_categorical'", "stablehlo.pad", "'gather_rows' has no dimension 0",
    "'DCT' is not a transform: FFT, IFFT, RFFT or IRFFT", "stablehlo.fft", "stablehlo.fft", "'' is not a transform",
    "stablehlo.cholesky", "'cholesky' does not take the flags 0x2", "stablehlo.triangular_solve",
    "'triangular_solve' takes a matrix as transposed or as adjoint, not both", "'f128' is not an element type",
    "stablehlo.bitcast_convert", "stablehlo.reduce_precision", "stablehlo.gather", "'fft'", "'optimization_barrier'",
};

START_TEST(test_mistake) {
    weft_tensor *x = weft_graph_input(g, "x", "8x6xf32");
    mistake(_i, x);
    ck_assert_int_ne(weft_graph_status(g), WEFT_OK);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_msg(strstr(last_message(), mistakes[_i]), "%d: %s", _i, last_message());
    ck_assert_msg(strstr(weft_context_diag(cx, 0)->file, "test_moves.c"), "%d", _i);
}
END_TEST

/* ---- the largest and the smallest, also of types without infinities ---- */

static const char *const kinds[] = { "i1",         "i8",            "ui8",      "i64",      "ui64",
                                     "f32",        "bf16",          "f8E5M2",   "f8E4M3FN", "f8E4M3FNUZ",
                                     "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f4E2M1FN", "f6E2M3FN" };

START_TEST(test_extremes) {
    enum { ROWS = 7, EXTREMES = 5 };
    static const float values[ROWS][2] = { { 1, 0 }, { 2, 0 }, { 4, 1 }, { 0, 0 }, { 1, 2 }, { 4, 1 }, { 1, 1 } };
    const char *const type = kinds[_i];
    const int is_float = *type == 'f' || *type == 'b';
    const weft_device_mesh *mesh = weft_graph_mesh(g, "a=3");
    weft_tensor *x = weft_graph_input(g, "x", "7x2xf32");
    weft_shard(g, x, mesh, "a, -");
    x = weft_graph_convert(g, x, type);
    if (is_float && strcmp(type, "f4E2M1FN") && strcmp(type, "f6E2M3FN"))
        x = weft_graph_pointwise(g, "negate", x); /* all below what a wrong identity might be */
    weft_tensor *made[] = { weft_graph_argmax(g, x, 0), weft_graph_argmin(g, x, 0),
                            weft_graph_reduce(g, "maximum", x, WEFT_DIMS(0)),
                            weft_graph_reduce(g, "minimum", x, WEFT_DIMS(0)),
                            weft_graph_cumulative(g, "maximum", x, 0), NULL };
    const weft_dims image = WEFT_DIMS(1, ROWS, 2); /* padded by one row on either side */
    weft_tensor *one = weft_graph_reshape(g, x, image);
    if (is_float) made[5] = weft_max_pool(g, one, WEFT_DIMS(3), WEFT_DIMS(1), WEFT_PADDING_SAME);
    weft_graph_output(g, "x", weft_graph_convert(g, x, "f32"));
    for (int k = 0; k < EXTREMES + is_float; k++) {
        const char name[] = { (char)('0' + k), 0 };
        weft_graph_output(g, name, weft_graph_convert(g, made[k], "f32"));
    }
    weft_job *j = NULL;
    float is[ROWS][2], most[2], least[2], where[2][2], running[ROWS][2], pooled[ROWS][2];
    OK(weft_job_open(cx, g, NULL, &j));
    OK(weft_job_write(j, "x", values, sizeof values));
    OK(weft_job_step(j));
    OK(weft_job_read(j, "x", is, sizeof is));
    OK(weft_job_read(j, "0", where[0], sizeof where[0]));
    OK(weft_job_read(j, "1", where[1], sizeof where[1]));
    OK(weft_job_read(j, "2", most, sizeof most));
    OK(weft_job_read(j, "3", least, sizeof least));
    OK(weft_job_read(j, "4", running, sizeof running));
    if (is_float) OK(weft_job_read(j, "5", pooled, sizeof pooled));
    for (int c = 0; c < 2; c++) {
        int high = 0, low = 0;
        for (int r = 0; r < ROWS; r++) {
            if (is[r][c] > is[high][c]) high = r;
            if (is[r][c] < is[low][c]) low = r;
            ck_assert_float_eq(running[r][c], is[high][c]);
            float near = is[r][c];
            if (r > 0) near = fmaxf(near, is[r - 1][c]);
            if (r < ROWS - 1) near = fmaxf(near, is[r + 1][c]);
            if (is_float) ck_assert_float_eq(pooled[r][c], near);
        }
        ck_assert_msg(where[0][c] == (float)high && where[1][c] == (float)low, "%s: %g, %g", type, (double)where[0][c],
                      (double)where[1][c]);
        ck_assert_msg(most[c] == is[high][c] && least[c] == is[low][c], "%s: %g, %g", type, (double)most[c],
                      (double)least[c]);
    }
    weft_job_close(j);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/moves");
    TCase *tc = tcase_create("moves");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_moves, 0, (int)COUNT(meshes));
    tcase_add_loop_test(tc, test_random, 0, (int)COUNT(meshes));
    tcase_add_loop_test(tc, test_mistake, 0, (int)COUNT(mistakes));
    tcase_add_loop_test(tc, test_extremes, 0, (int)COUNT(kinds));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
