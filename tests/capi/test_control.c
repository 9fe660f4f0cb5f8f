/* Bodies by callbacks: loops, branches, scans, functions and ops with any body, run on several meshes and compared with
 * a plain C reference; mistakes at the body's line; scopes. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/control.h>
#include <weft/gradients.h>
#include <weft/ops.h>
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_context *cx;
static weft_graph *g;

static void setup(void) {
    cx = weft_context_new(NULL);
    g = weft_graph_new(cx, "control");
}
static void teardown(void) {
    weft_graph_free(g);
    weft_context_free(cx);
}

static const weft_diag *diag(size_t from_the_last) {
    const size_t n = weft_context_diag_count(cx);
    return n > from_the_last ? weft_context_diag(cx, n - 1 - from_the_last) : NULL;
}
static const char *last_message(void) { return diag(0) ? diag(0)->message : ""; }

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

/* ---- programs over x of 8x6 and w of 5x6x6, with y of 8x6 ---- */

enum { B = 8, N = 6, L = 5 };
typedef struct data { float x[B][N], w[L][N][N], y[B][N]; } data;
typedef struct inputs { weft_tensor *x, *w; } inputs;

/* Halves what is above 1 until nothing is, and counts the turns from outside. */
static void any_above(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_tensor *most = weft_graph_reduce(gr, "maximum", x[0], WEFT_DIMS(0, 1));
    y[0] = weft_graph_compare(gr, "GT", most, weft_graph_fill_like(gr, most, 1));
}
static void halve(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    inputs *in = user; /* a value from outside */
    weft_tensor *some = weft_graph_scale(gr, in->x, 1.0 / 64);
    y[0] = weft_graph_add(gr, weft_graph_scale(gr, x[0], 0.5), some);
    y[1] = weft_graph_add(gr, x[1], weft_graph_fill_like(gr, x[1], 1));
}
static weft_tensor *while_graph(inputs *in) {
    weft_tensor *init[] = { weft_graph_scale(g, in->x, 9), weft_graph_fill(g, "f32", 0) }, *out[2];
    weft_graph_while(g, init, 2, any_above, halve, in, out);
    return weft_graph_add(g, out[0], weft_graph_broadcast_like(g, out[1], in->x, WEFT_NO_DIMS));
}
static void while_plain(data *d) {
    float v[B][N], most = INFINITY, turns = -1;
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) v[i][j] = 9 * d->x[i][j];
    for (; most > 1; turns++) {
        most = -INFINITY;
        for (int i = 0; i < B; i++)
            for (int j = 0; j < N; j++) most = fmaxf(most, v[i][j]);
        for (int i = 0; most > 1 && i < B; i++)
            for (int j = 0; j < N; j++) v[i][j] = v[i][j] * 0.5f + d->x[i][j] / 64;
    }
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) d->y[i][j] = v[i][j] + turns;
}

/* For i = 7, 5, 3: adds i where i is above 4, else doubles; a for within a for squares the last column's factor. */
static void add_it(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x;
    weft_tensor **v = user;
    weft_tensor *f = weft_graph_convert(gr, v[0], "f32");
    y[0] = weft_graph_add(gr, v[1], weft_graph_broadcast_like(gr, f, v[1], WEFT_NO_DIMS));
}
static void double_it(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x;
    weft_tensor **v = user;
    y[0] = weft_graph_add(gr, v[1], v[1]);
}
static void scale_down(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_scale(gr, x[1], 0.75);
}
static void by_parity(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_tensor *v[] = { x[0], x[1] }, *r;
    weft_graph_if(gr, weft_graph_compare(gr, "GT", x[0], weft_graph_fill_like(gr, x[0], 4)), add_it, double_it, v, &r,
        1);
    weft_graph_for(gr, 0, 2, 1, &r, 1, scale_down, NULL, y);
}
static weft_tensor *for_graph(inputs *in) {
    weft_tensor *v = in->x; /* the results may lie where the operands are */
    weft_graph_for(g, 7, 2, -2, &v, 1, by_parity, NULL, &v);
    return v;
}
static void for_plain(data *d) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) {
            float v = d->x[i][j];
            for (int k = 7; k > 2; k -= 2) v = (k > 4 ? v + (float)k : v + v) * 0.75f * 0.75f;
            d->y[i][j] = v;
        }
}

/* One of three by the number of rows above 0.3 in column 0, the last for all larger ones. */
static void first_case(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x;
    y[0] = weft_graph_negate(gr, user);
}
static void second_case(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x;
    y[0] = weft_graph_multiply(gr, user, user);
}
static void third_case(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x;
    y[0] = weft_graph_tanh(gr, user);
}
static weft_tensor *case_graph(inputs *in) {
    weft_body *const branch[] = { first_case, second_case, third_case };
    weft_tensor *column = weft_graph_slice(g, in->x, WEFT_DIMS(0, 0), WEFT_DIMS(B, 1), WEFT_NO_DIMS);
    weft_tensor *above = weft_graph_compare(g, "GT", column, weft_graph_fill_like(g, column, 0.3));
    weft_tensor *count = weft_graph_reduce(g, "add", weft_graph_convert(g, above, "i32"), WEFT_DIMS(0, 1)), *out;
    weft_graph_case(g, count, branch, 3, in->x, &out, 1);
    return out;
}
static void case_plain(data *d) {
    int count = 0;
    for (int i = 0; i < B; i++) count += d->x[i][0] > 0.3f;
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) {
            const float v = d->x[i][j];
            d->y[i][j] = count == 0 ? -v : count == 1 ? v * v : tanhf(v);
        }
}

/* v = tanh(v w[l] + l) over all layers; what the layers saw is added up afterwards. */
static void layer(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_tensor *p = weft_graph_einsum(gr, "bi,io->bo", x[0], x[1]);
    weft_tensor *l = weft_graph_scale(gr, weft_graph_convert(gr, x[2], "f32"), 0.125);
    y[0] = weft_graph_tanh(gr, weft_graph_add(gr, p, weft_graph_broadcast_like(gr, l, p, WEFT_NO_DIMS)));
    y[1] = x[0];
}
static weft_tensor *scan_graph(inputs *in) {
    weft_tensor *out[2];
    weft_graph_scan(g, L, &in->x, 1, &in->w, 1, 1, layer, NULL, out);
    ck_assert_uint_eq(weft_tensor_rank(out[1]), 3);
    ck_assert_int_eq(weft_tensor_dim(out[1], 0), L);
    return weft_graph_add(g, out[0], weft_graph_reduce(g, "add", out[1], WEFT_DIMS(0)));
}
static void plain_layer(float v[B][N], float w[N][N], float bias) {
    float to[B][N];
    for (int i = 0; i < B; i++)
        for (int o = 0; o < N; o++) {
            float sum = 0;
            for (int k = 0; k < N; k++) sum += v[i][k] * w[k][o];
            to[i][o] = tanhf(sum + bias);
        }
    memcpy(v, to, sizeof to);
}
static void scan_plain(data *d) {
    float v[B][N], seen[B][N] = { 0 };
    memcpy(v, d->x, sizeof v);
    for (int l = 0; l < L; l++) {
        for (int i = 0; i < B * N; i++) seen[i / N][i % N] += v[i / N][i % N];
        plain_layer(v, d->w[l], 0.125f * (float)l);
    }
    for (int i = 0; i < B * N; i++) d->y[i / N][i % N] = v[i / N][i % N] + seen[i / N][i % N];
}

/* A layer as a function, called with two of the stacked matrices, and once in a loop's body. */
static void dense(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_tanh(gr, weft_graph_einsum(gr, "bi,io->bo", x[0], x[1]));
    y[1] = weft_graph_reduce(gr, "add", y[0], WEFT_DIMS(0, 1));
}
typedef struct calls { weft_function *f; weft_tensor *w; } calls;
static weft_tensor *matrix(weft_graph *gr, weft_tensor *w, int64_t l) {
    return weft_graph_reshape(gr, weft_graph_slice(gr, w, WEFT_DIMS(l, 0, 0), WEFT_DIMS(l + 1, N, N), WEFT_NO_DIMS),
                              WEFT_DIMS(N, N));
}
static void call_it(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    calls *c = user;
    weft_tensor *out[2];
    weft_graph_call(gr, c->f, ((weft_tensor *const[]){ x[1], c->w }), 2, out, 2);
    y[0] = out[0];
}
static weft_tensor *function_graph(inputs *in) {
    weft_tensor *w0 = matrix(g, in->w, 0), *w3 = matrix(g, in->w, 3), *out[2], *last;
    const weft_tensor *const like[] = { in->x, w0 };
    calls c = { weft_graph_function(g, "dense", like, 2, 2, dense, NULL), w3 };
    weft_graph_call(g, c.f, ((weft_tensor *const[]){ in->x, w0 }), 2, out, 2);
    weft_graph_for(g, 0, 3, 1, out, 1, call_it, &c, &last);
    return weft_graph_add(g, last, weft_graph_broadcast_like(g, out[1], last, WEFT_NO_DIMS));
}
static void function_plain(data *d) {
    float v[B][N], sum = 0;
    memcpy(v, d->x, sizeof v);
    plain_layer(v, d->w[0], 0);
    for (int i = 0; i < B * N; i++) sum += v[i / N][i % N];
    for (int k = 0; k < 3; k++) plain_layer(v, d->w[3], 0);
    for (int i = 0; i < B * N; i++) d->y[i / N][i % N] = v[i / N][i % N] + sum;
}

/* The largest of each row and its column, by a reduction of two values. */
static void larger(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_tensor *first = weft_graph_compare(gr, "GE", x[0], x[2]);
    y[0] = weft_graph_select(gr, first, x[0], x[2]);
    y[1] = weft_graph_select(gr, first, x[1], x[3]);
}
static weft_tensor *reduce_graph(inputs *in) {
    weft_tensor *x[] = { in->x, weft_graph_iota(g, "8x6xi32", 1) }, *out[2];
    weft_tensor *init[] = { weft_graph_fill(g, "f32", -INFINITY), weft_graph_fill(g, "i32", 0) };
    weft_graph_reduce_by(g, x, init, 2, WEFT_DIMS(1), larger, NULL, out);
    weft_tensor *both = weft_graph_add(g, out[0], weft_graph_convert(g, out[1], "f32"));
    return weft_graph_add(g, in->x, weft_graph_broadcast_like(g, both, in->x, WEFT_DIMS(0)));
}
static void reduce_plain(data *d) {
    for (int i = 0; i < B; i++) {
        int best = 0;
        for (int j = 1; j < N; j++)
            if (d->x[i][j] > d->x[i][best]) best = j;
        for (int j = 0; j < N; j++) d->y[i][j] = d->x[i][j] + d->x[i][best] + (float)best;
    }
}

/* Each row in falling order, and the columns the elements came from. */
static void falling(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_compare(gr, "GT", x[0], x[1]);
}
static weft_tensor *sort_graph(inputs *in) {
    weft_tensor *x[] = { in->x, weft_graph_iota(g, "8x6xi32", 1) }, *out[2];
    weft_graph_sort_by(g, x, 2, 1, falling, NULL, out);
    return weft_graph_add(g, out[0], weft_graph_convert(g, out[1], "f32"));
}
static void sort_plain(data *d) {
    for (int i = 0; i < B; i++) {
        int from[N];
        for (int j = 0; j < N; j++) {
            int k = j;
            for (; k > 0 && d->x[i][from[k - 1]] < d->x[i][j]; k--) from[k] = from[k - 1];
            from[k] = j;
        }
        for (int j = 0; j < N; j++) d->y[i][j] = d->x[i][from[j]] + (float)from[j];
    }
}

/* Windows of 3 rows, the largest; and the gradient of such a pool over columns. */
static void most(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_maximum(gr, x[0], x[1]);
}
static void sum(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_add(gr, x[0], x[1]);
}
static void at_least(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_compare(gr, "GE", x[0], x[1]);
}
static weft_tensor *window_graph(inputs *in) {
    weft_tensor *low = weft_graph_fill(g, "f32", -INFINITY), *zero = weft_graph_fill(g, "f32", 0), *pool;
    weft_graph_reduce_window(g, &in->x, &low, 1,
                             ((weft_window_dims){ .size = WEFT_DIMS(3, 1), .low = WEFT_DIMS(1, 0),
                                 .high = WEFT_DIMS(1, 0) }),
                             most, NULL, &pool);
    weft_tensor *source = weft_graph_fill(g, "8x3xf32", 2);
    weft_tensor *back = weft_graph_select_and_scatter(
        g, in->x, source, zero, ((weft_window_dims){ .size = WEFT_DIMS(1, 2), .strides = WEFT_DIMS(1, 2) }), at_least,
            sum, NULL);
    return weft_graph_add(g, pool, back);
}
static void window_plain(data *d) {
    for (int i = 0; i < B; i++)
        for (int j = 0; j < N; j++) {
            float v = d->x[i][j];
            for (int k = i - 1; k <= i + 1; k++)
                if (k >= 0 && k < B) v = fmaxf(v, d->x[k][j]);
            const float *pair = d->x[i] + (j & ~1);
            d->y[i][j] = v + (j == (j & ~1) + !(pair[0] >= pair[1]) ? 2 : 0);
        }
}

/* Rows 6, 1 and 6 become the larger of what they are and of rows 0, 1 and 2. */
static weft_tensor *scatter_graph(inputs *in) {
    const int32_t rows[] = { 6, 1, 6, 99 };
    weft_tensor *at = weft_graph_constant(g, "4x1xi32", rows, sizeof rows), *out;
    weft_tensor *updates = weft_graph_slice(g, in->x, WEFT_DIMS(0, 0), WEFT_DIMS(4, N), WEFT_NO_DIMS);
    weft_graph_scatter(g, &in->x, 1, at, &updates,
                       ((weft_scatter_numbers){ .window = WEFT_DIMS(1), .inserted = WEFT_DIMS(0),
                           .places = WEFT_DIMS(0), .vector = 1 }),
                       most, NULL, &out);
    return out;
}
static void scatter_plain(data *d) {
    const int rows[] = { 6, 1, 6 };
    memcpy(d->y, d->x, sizeof d->y);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < N; j++) d->y[rows[k]][j] = fmaxf(d->y[rows[k]][j], d->x[k][j]);
}

/* A scan in a function in a branch of a while. */
static void all_layers(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_tensor *out[2];
    weft_graph_scan(gr, L, x, 1, x + 1, 1, 1, layer, NULL, out);
    y[0] = out[0];
}
typedef struct deep { weft_function *f; inputs *in; weft_tensor *v; } deep;
static void run_all(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x;
    deep *d = user;
    weft_graph_call(gr, d->f, ((weft_tensor *const[]){ d->v, d->in->w }), 2, y, 1);
}
static void leave(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x;
    (void)gr;
    y[0] = ((deep *)user)->v;
}
static void every_other(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    deep *d = user;
    d->v = x[1];
    weft_tensor *two = weft_graph_fill_like(gr, x[0], 2);
    weft_tensor *odd = weft_graph_compare(gr, "EQ", weft_graph_remainder(gr, x[0], two), weft_graph_fill_like(gr,
        x[0], 1));
    weft_graph_if(gr, odd, run_all, leave, d, y, 1);
}
static weft_tensor *deep_graph(inputs *in) {
    const weft_tensor *const like[] = { in->x, in->w };
    deep d = { weft_graph_function(g, "all", like, 2, 1, all_layers, NULL), in, NULL };
    weft_tensor *out;
    weft_graph_for(g, 0, 4, 1, &in->x, 1, every_other, &d, &out);
    return out;
}
static void deep_plain(data *d) {
    memcpy(d->y, d->x, sizeof d->y);
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < L; l++) plain_layer(d->y, d->w[l], 0.125f * (float)l);
}

static const struct { const char *name; weft_tensor *(*graph)(inputs *); void (*plain)(data *); } programs[] = {
    { "while", while_graph, while_plain },   { "for", for_graph, for_plain },
    { "case", case_graph, case_plain },      { "scan", scan_graph, scan_plain },
    { "function", function_graph, function_plain }, { "reduce", reduce_graph, reduce_plain },
    { "sort", sort_graph, sort_plain },      { "window", window_graph, window_plain },
    { "scatter", scatter_graph, scatter_plain }, { "deep", deep_graph, deep_plain },
};
static const struct { const char *axes, *x, *w; } meshes[] = {
    { NULL, NULL, NULL },
    { "a=2", "a, -", "-, -, -" },
    { "a=2", "-, a", "-, a, -" },
    { "a=2, b=2", "a, b", "-, -, b" },
    { "a=4", "a, -", "-, -, a" },
};

/* Between -0.75 and 1.25. */
static float next(unsigned *state) {
    *state = *state * 1103515245u + 12345u;
    return (float)((int)(*state >> 9 & 0x3fff) - 0x1800) / 0x2000;
}

static void fill(data *d) {
    unsigned state = 7;
    for (size_t i = 0; i < B * N; i++) d->x[i / N][i % N] = next(&state);
    for (size_t i = 0; i < L * N * N; i++) d->w[i / (N * N)][i / N % N][i % N] = next(&state) / 2;
}

START_TEST(test_program) {
    const int p = _i / (int)COUNT(meshes), m = _i % (int)COUNT(meshes);
    inputs in = { weft_graph_input(g, "x", "8x6xf32"), weft_graph_input(g, "w", "5x6x6xf32") };
    if (meshes[m].axes) {
        const weft_device_mesh *mesh = weft_graph_mesh(g, meshes[m].axes);
        weft_shard(g, in.x, mesh, meshes[m].x);
        weft_shard(g, in.w, mesh, meshes[m].w);
    }
    weft_graph_output(g, "y", programs[p].graph(&in));
    const weft_job_options threads = { .launch = WEFT_LAUNCH_THREADS };
    weft_job *job;
    data d = { 0 };
    float got[B][N];
    fill(&d);
    programs[p].plain(&d);
    OK(weft_job_open(cx, g, &threads, &job));
    OK(weft_job_write(job, "x", d.x, sizeof d.x));
    OK(weft_job_write(job, "w", d.w, sizeof d.w));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "y", got, sizeof got));
    weft_job_close(job);
    for (int i = 0; i < B * N; i++)
        ck_assert_msg(fabsf(got[i / N][i % N] - d.y[i / N][i % N]) <= 2e-5f * fmaxf(1, fabsf(d.y[i / N][i % N])),
                      "%s on %s: element %d is %g, expected %g", programs[p].name,
                      meshes[m].axes ? meshes[m].axes : "one device", i, (double)got[i / N][i % N],
                          (double)d.y[i / N][i % N]);
}
END_TEST

/* ---- depth costs nothing: a scan's program has its body once ---- */

static size_t text_of_scan(int64_t steps) {
    weft_graph *mine = weft_graph_new(cx, "deep");
    char type[64], *text = NULL;
    snprintf(type, sizeof type, "%lldx6x6xf32", (long long)steps);
    weft_tensor *x = weft_graph_input(mine, "x", "8x6xf32"), *w = weft_graph_input(mine, "w", type), *out[2];
    weft_graph_scan(mine, steps, &x, 1, &w, 1, 1, layer, NULL, out);
    weft_graph_output(mine, "y", out[0]);
    OK(weft_graph_text(mine, &text));
    const size_t lines = strlen(text);
    ck_assert_ptr_eq(strstr(text, "tanh"), strstr(text, "stablehlo.tanh") + strlen("stablehlo."));
    weft_text_free(cx, text);
    weft_graph_free(mine);
    return lines;
}

START_TEST(test_depth) { ck_assert_uint_eq(text_of_scan(100), text_of_scan(999)); }
END_TEST

/* ---- mistakes: at the body's line, and a note at the call's ---- */

static weft_tensor *kept; /* of a body that is complete */

static void adds_shapes(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    y[0] = weft_graph_add(gr, x[0], user); /* BODY adds_shapes */
}
static void returns_nothing(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) { (void)gr, (void)x,
    (void)y, (void)user; }
static void returns_float(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_convert(gr, x[0], "f64"); /* BODY returns_float */
}
static void returns_itself(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)gr, (void)user;
    y[0] = kept = x[0];
}
static void makes_input(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x, (void)user;
    y[0] = weft_graph_input(gr, "inner", "2xf32"); /* BODY makes_input */
}
static void makes_output(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_graph_output(gr, "inner", x[0]); /* BODY makes_output */
    y[0] = x[0];
}
static void opens_scope(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_graph_push(gr, "inner");
    y[0] = x[0];
}
static void finishes(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    char *text = NULL;
    (void)weft_graph_text(gr, &text);
    y[0] = x[0];
}
static void uses_outer(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x;
    y[0] = weft_graph_negate(gr, user); /* BODY uses_outer */
}
static void never(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)x, (void)user;
    y[0] = weft_graph_fill(gr, "i1", 0);
}

/* The body in a while over v of 2xf32; the message; whether it is at the body's line. */
static const struct { weft_body *body; const char *want, *mark; } body_mistakes[] = {
    { adds_shapes, "operand", "BODY adds_shapes" },
    { returns_nothing, "the body did not set result 0 of 1", NULL },
    { returns_float, "region 1 returns value 0 of type 'tensor<2xf64>', expected 'tensor<2xf32>'", "BODY returns_float" },
    { makes_input, "an input cannot be made inside a body", "BODY makes_input" },
    { makes_output, "an output cannot be made inside a body", "BODY makes_output" },
    { opens_scope, "the body left a scope open", NULL },
    { finishes, "the graph cannot be finished inside a body", NULL },
    { NULL, "has no body: it is NULL", NULL },
};

/* The line of this file that has mark. */
static int line_of(const char *mark) {
    char path[4096], text[512];
    snprintf(path, sizeof path, "%s/tests/capi/test_control.c", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    int line = 0, found = 0;
    while (!found && fgets(text, sizeof text, f)) {
        line++;
        if (strstr(text, mark)) found = line;
    }
    fclose(f);
    return found;
}

START_TEST(test_mistake_in_body) {
    weft_tensor *v = weft_graph_input(g, "v", "2xf32"), *other = weft_graph_input(g, "other", "3xf32"), *out = v;
    const int line = __LINE__ + 1;
    weft_graph_while(g, &v, 1, never, body_mistakes[_i].body, other, &out);
    ck_assert_ptr_null(out);
    ck_assert_int_ne(weft_graph_status(g), WEFT_OK);
    size_t k = 0;
    while (diag(k) && diag(k)->severity == WEFT_NOTE) k++;
    ck_assert_ptr_nonnull(diag(k));
    ck_assert_msg(strstr(diag(k)->message, body_mistakes[_i].want), "%s", diag(k)->message);
    if (body_mistakes[_i].mark) {
        ck_assert_int_eq(diag(k)->line, line_of(body_mistakes[_i].mark));
        ck_assert_int_eq(diag(0)->severity, WEFT_NOTE);
        ck_assert_int_eq(diag(0)->line, line);
    }
}
END_TEST

static void returns_twice(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)gr, (void)user;
    y[0] = y[1] = x[0];
}

/* Mistakes of calls; each is one diagnostic here. */
static void mistake(int i, weft_tensor *v, weft_tensor *other) {
    weft_tensor *out[2] = { v, v };
    weft_function *f = NULL;
    const weft_tensor *like[] = { v };
    switch (i) {
    case 0:
        weft_graph_while(g, &v, 1, never, returns_itself, NULL, out);
        weft_graph_negate(g, kept);
        break;
    case 1: weft_graph_for(g, 0, 2, 0, &v, 1, scale_down, NULL, out); break;
    case 2: weft_graph_scan(g, 3, &v, 1, &other, 1, 0, returns_itself, NULL, out); break;
    case 3: weft_graph_scan(g, -1, &v, 1, NULL, 0, 0, returns_itself, NULL, out); break;
    case 4: weft_graph_if(g, v, third_case, third_case, v, out, 1); break;
    case 5: weft_graph_function(g, "f", like, 1, 1, uses_outer, v); break;
    case 6:
        f = weft_graph_function(g, "f", like, 1, 1, returns_itself, NULL);
        weft_graph_call(g, f, &v, 1, out, 2);
        break;
    case 7:
        f = weft_graph_function(g, "f", like, 1, 1, returns_itself, NULL);
        weft_graph_call(g, f, &other, 1, out, 1);
        break;
    case 8: weft_graph_call(g, NULL, &v, 1, out, 1); break;
    case 9: weft_graph_pop(g); break;
    case 10: weft_graph_push(g, ""); break;
    case 11: weft_graph_case(g, weft_graph_fill(g, "i32", 0), NULL, 0, NULL, out, 1); break;
    case 12: weft_graph_while(g, &v, 1, never, scale_down, NULL, NULL); break;
    case 13: weft_graph_sort_by(g, &v, 1, 4, falling, NULL, out); break;
    case 14:
        weft_graph_function(g, "f", like, 1, 1, returns_itself, NULL);
        weft_graph_negate(g, kept);
        break;
    case 15: weft_graph_function(g, NULL, like, 1, 1, returns_itself, NULL); break;
    case 16: weft_graph_scan(g, 2, &v, 1, NULL, 0, 1, returns_itself, NULL, out); break;
    case 17:
    case 18: {
        weft_tensor *zero = weft_graph_fill(g, "f32", 0);
        const weft_window_dims short_list = { .size = WEFT_DIMS(1, 1), .low = WEFT_DIMS(1) };
        const weft_window_dims dilated = { .size = WEFT_DIMS(1, 1), .dilation = WEFT_DIMS(2, 2) };
        if (i == 17) weft_graph_reduce_window(g, &other, &zero, 1, short_list, most, NULL, out);
        else weft_graph_select_and_scatter(g, other, other, zero, dilated, at_least, sum, NULL);
        break;
    }
    case 19:
        like[0] = NULL;
        weft_graph_function(g, "f", like, 1, 1, returns_itself, NULL);
        break;
    case 20: {
        char type[200] = "";
        for (int d = 0; d < 64; d++) strcat(type, "1x");
        weft_tensor *many = weft_graph_fill(g, strcat(type, "f32"), 0), *both[2];
        weft_graph_scan(g, 2, &many, 1, NULL, 0, 1, returns_twice, NULL, both);
        break;
    }
    }
}
static const char *const mistakes[] = {
    "belongs to a body that is complete", "the step of 'for' is 0",
    "stacked tensor 0 of 'scan' has 2 elements in dimension 0, expected 3",
    "'scan' has -1 steps", "operand 0 has type 'tensor<2xf32>'", "is from outside of the function",
    "function 'f' has 1 arguments and 1 results, not 1 and 2",
    "operand 0 has type", "the function is NULL or of another graph", "no scope is open", "a scope needs a name",
    "'case' needs between 1",
    "there is no place for the results of 'while': out is NULL", "dimension",
    "belongs to a function that is complete", "a function needs a name",
    "the body did not set result 1 of 2", "'reduce_window' has 1 and 0 numbers of padding for 2 dimensions",
    "the windows of 'select_and_scatter' have no dilation", "argument 0 of function 'f' is NULL",
    "what 'scan' stacks has 64 dimensions already",
};

START_TEST(test_mistake) {
    weft_tensor *v = weft_graph_input(g, "v", "2xf32"), *other = weft_graph_input(g, "other", "2x2xf32");
    if (_i == 4) v = weft_graph_reshape(g, v, WEFT_DIMS(2));
    mistake(_i, v, other);
    ck_assert_int_ne(weft_graph_status(g), WEFT_OK);
    size_t k = 0;
    while (diag(k) && diag(k)->severity == WEFT_NOTE) k++;
    ck_assert_msg(diag(k) && strstr(diag(k)->message, mistakes[_i]), "%d: %s", _i, diag(k) ? diag(k)->message : "");
    ck_assert_ptr_null(diag(k + 1));
    ck_assert_msg(diag(k)->file && strstr(diag(k)->file, "test_control.c"), "%d: at %s", _i, diag(k)->file);
}
END_TEST

/* ---- scopes ---- */

START_TEST(test_scopes) {
    weft_graph_push(g, "block 1");
    weft_graph_push(g, "attention");
    weft_tensor *x = weft_graph_input(g, "x", "2xf32");
    weft_graph_add(g, x, weft_graph_fill(g, "3xf32", 0));
    ck_assert_msg(strstr(last_message(), "(in \"block 1/attention\")"), "%s", last_message());
    ck_assert_int_eq(diag(0)->line, __LINE__ - 2);
}
END_TEST

START_TEST(test_scope_ends) {
    weft_graph_push(g, "block 1");
    weft_tensor *x = weft_graph_input(g, "x", "2xf32");
    weft_graph_pop(g);
    weft_graph_add(g, x, weft_graph_fill(g, "3xf32", 0));
    ck_assert_msg(!strstr(last_message(), "block"), "%s", last_message());
}
END_TEST

/* ---- operands as compound literals, whose commas are no commas of a macro's ---- */

static void sum_of(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    y[0] = weft_graph_add(gr, x[0], x[1]);
}
static void keep_both(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)gr, (void)user;
    y[0] = x[1], y[1] = x[2];
}

START_TEST(test_literals) {
    weft_tensor *x = weft_graph_input(g, "x", "1x4x4x1xf32"), *k = weft_graph_input(g, "k", "2x2x1x1xf32"), *out[2];
    weft_tensor *zero = weft_graph_fill(g, "f32", 0);
    weft_graph_for(g, 0, 2, 1, (weft_tensor *[]){ x, k }, 2, keep_both, NULL, out);
    weft_tensor *c = weft_graph_convolution(g, "bhwf,hwio->bhwf", out[0], out[1],
                                            (weft_window_dims){ .strides = WEFT_DIMS(1, 2), .high = WEFT_DIMS(1, 0) },
                                            1);
    weft_graph_reduce_window(g, (weft_tensor *[]){ c, }, (weft_tensor *[]){ zero, }, 1,
                             (weft_window_dims){ .size = WEFT_DIMS(1, 2, 2, 1), .strides = WEFT_DIMS(1, 2, 2, 1) },
                             sum_of, NULL, &c);
    weft_tensor *all = weft_graph_reduce(g, "add", c, ((weft_dims){ (int64_t[]){ 0, 1, 2, 3 }, 4 }));
    weft_tensor *same = weft_graph_reduce(g, "add", c, (weft_dims){ (int64_t[]){ 0, 1, 2, 3 }, 4 });
    weft_graph_gradients(g, weft_graph_add(g, all, same), (weft_tensor *[]){ x, k }, 2, out);
    OK(weft_graph_status(g));
    ck_assert_uint_eq(weft_tensor_rank(out[0]), 4);
    ck_assert_int_eq(weft_tensor_dim(out[1], 0), 2);
    weft_graph_tangents(g, (weft_tensor *[]){ all, same }, 2, (weft_tensor *[]){ x, k },
                        (weft_tensor *[]){ x, k }, 2, out);
    OK(weft_graph_status(g));
}
END_TEST

/* ---- memory ---- */

static weft_status build_all(weft_context *mine, void *user) {
    (void)user;
    weft_context *outer = cx;
    cx = mine;
    g = weft_graph_new(cx, "memory");
    weft_status st = g ? WEFT_OK : WEFT_ERR_MEMORY;
    if (g) {
        weft_graph_push(g, "all");
        inputs in = { weft_graph_input(g, "x", "8x6xf32"), weft_graph_input(g, "w", "5x6x6xf32") };
        weft_tensor *out[2];
        weft_graph_scan(g, L, &in.x, 1, &in.w, 1, 1, layer, NULL, out);
        const weft_tensor *const like[] = { in.x };
        weft_function *f = weft_graph_function(g, "f", like, 1, 1, returns_itself, NULL);
        weft_graph_call(g, f, &in.x, 1, out, 1);
        weft_graph_output(g, "y", deep_graph(&in));
        weft_graph_output(g, "window", window_graph(&in));
        weft_graph_output(g, "scatter", scatter_graph(&in));
        st = weft_graph_status(g);
    }
    weft_graph_free(g);
    g = NULL;
    cx = outer;
    return st;
}

START_TEST(test_failing_allocator) {
    weft_graph_free(g);
    g = NULL;
    weft_test_each_failure(build_all, NULL);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/control");
    TCase *tc = tcase_create("control");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_program, 0, (int)(COUNT(programs) * COUNT(meshes)));
    tcase_add_test(tc, test_depth);
    tcase_add_loop_test(tc, test_mistake_in_body, 0, (int)COUNT(body_mistakes));
    tcase_add_loop_test(tc, test_mistake, 0, (int)COUNT(mistakes));
    tcase_add_test(tc, test_scopes);
    tcase_add_test(tc, test_scope_ends);
    tcase_add_test(tc, test_literals);
    tcase_add_test(tc, test_failing_allocator);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
