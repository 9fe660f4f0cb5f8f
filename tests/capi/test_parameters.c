/* Parameters and variables: their names, patterns, layers of them, and what they begin with on any mesh. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/gradients.h>
#include <weft/nn.h>
#include <weft/optim.h>
#include <weft/strategy.h>
#include "capi/program_impl.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static const weft_job_options threads = { .launch = WEFT_LAUNCH_THREADS };
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define OK(call) ck_assert_int_eq((call), WEFT_OK)

static weft_context *cx;
static weft_graph *g;

static void setup(void) {
    cx = weft_context_new(NULL);
    g = weft_graph_new(cx, "parameters");
}
static void teardown(void) {
    weft_graph_free(g);
    weft_context_free(cx);
}

static void check_graph(weft_graph *of) {
    ck_assert_msg(weft_graph_status(of) == WEFT_OK, "%s", weft_context_diag(cx, 0)->message);
}

/* ---- names ---- */

static const struct { const char *pattern, *names; } patterns[] = {
    { "*", "embed blocks/0/wq blocks/0/norm/bias blocks/1/wq blocks/1/norm/bias head/bias " },
    { "embed", "embed " },
    { "blocks/*", "blocks/0/wq blocks/0/norm/bias blocks/1/wq blocks/1/norm/bias " },
    { "*/wq", "blocks/0/wq blocks/1/wq " },
    { "blocks/?/wq", "blocks/0/wq blocks/1/wq " },
    { "*0*a*", "blocks/0/norm/bias " },
    { "embed, head/*", "embed head/bias " },
    { "*, !*bias", "embed blocks/0/wq blocks/1/wq " },
    { "!*bias, *, !blocks/*", "embed head/bias " },
    { "blocks/1/*bias,embed", "embed blocks/1/norm/bias " },
};

START_TEST(test_pattern) {
    weft_parameter(g, "embed", "8x4xf32", weft_init_zeros());
    for (int i = 0; i < 2; i++) {
        weft_graph_push(g, i ? "blocks/1" : "blocks/0");
        weft_parameter(g, "wq", "4x4xf32", weft_init_zeros());
        weft_graph_push(g, "norm");
        weft_parameter(g, "bias", "4xf32", weft_init_zeros());
        weft_graph_pop(g);
        weft_graph_pop(g);
    }
    weft_parameter(g, "head/bias", "8xf32", weft_init_zeros());
    weft_variable(g, "count", "i32", weft_init_zeros());
    weft_graph_input(g, "x", "8xf32");
    char names[256] = "";
    const weft_tensors t = weft_parameters(g, patterns[_i].pattern);
    check_graph(g);
    for (size_t i = 0; i < t.n; i++) strcat(strcat(names, weft_tensor_name(g, t.v[i])), " ");
    ck_assert_str_eq(names, patterns[_i].names);
    ck_assert_uint_eq(weft_variables(g, "*").n, 1);
    ck_assert_uint_eq(weft_variables(g, "x").n, 0);
    ck_assert_ptr_null(weft_tensor_name(g, weft_graph_fill(g, "f32", 1)));
}
END_TEST

/* ---- layers: by a scan and one by one they compute the same ---- */

static void block(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_graph_push(gr, "mlp");
    weft_tensor *w = weft_parameter(gr, "weight", "4x4xf32", weft_init_normal(1));
    weft_graph_pop(gr);
    weft_tensor *h = weft_graph_tanh(gr, weft_graph_einsum(gr, "bi,io->bo", x[0], w));
    y[0] = weft_graph_add(gr, h, weft_graph_broadcast_like(gr, weft_graph_convert(gr, x[1], "f32"), h, WEFT_NO_DIMS));
}

static void group(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    weft_layers(gr, "inner", 3, x, 1, block, user, y);
}

START_TEST(test_layers) {
    weft_tensor *x = weft_graph_input(g, "x", "2x4xf32"), *y[2], *gradient[3];
    weft_layers(g, "blocks", 2, &x, 1, block, NULL, &y[0]);
    weft_layers_unrolled(g, "single", 2, &x, 1, block, NULL, &y[1]);
    const weft_tensors p = weft_parameters(g, "*");
    check_graph(g);
    ck_assert_uint_eq(p.n, 3);
    ck_assert_str_eq(weft_tensor_name(g, p.v[0]), "blocks/mlp/weight");
    ck_assert_str_eq(weft_tensor_name(g, p.v[1]), "single/0/mlp/weight");
    ck_assert_str_eq(weft_tensor_name(g, p.v[2]), "single/1/mlp/weight");
    ck_assert_uint_eq(weft_tensor_rank(p.v[0]), 3);
    weft_tensor *loss = weft_graph_reduce(g, "add", weft_graph_multiply(g, y[0], y[1]), WEFT_DIMS(0, 1));
    weft_graph_gradients(g, loss, p.v, p.n, gradient);
    weft_graph_output(g, "y0", y[0]);
    weft_graph_output(g, "y1", y[1]);
    weft_graph_output(g, "d0", gradient[0]);
    weft_graph_output(g, "d1", gradient[1]);
    weft_job *job;
    float in[8], w[32], a[8], b[8], d[32], e[16];
    for (int i = 0; i < 8; i++) in[i] = (float)sin(i);
    for (int i = 0; i < 32; i++) w[i] = (float)cos(i);
    OK(weft_job_open(cx, g, &threads, &job));
    OK(weft_job_write(job, "x", in, sizeof in));
    OK(weft_job_write(job, "blocks/mlp/weight", w, sizeof w));
    OK(weft_job_write(job, "single/0/mlp/weight", w, sizeof w / 2));
    OK(weft_job_write(job, "single/1/mlp/weight", w + 16, sizeof w / 2));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "y0", a, sizeof a));
    OK(weft_job_read(job, "y1", b, sizeof b));
    OK(weft_job_read(job, "d0", d, sizeof d));
    OK(weft_job_read(job, "d1", e, sizeof e));
    for (int i = 0; i < 8; i++) ck_assert_float_eq_tol(a[i], b[i], 1e-6);
    for (int i = 0; i < 16; i++) ck_assert_float_eq_tol(d[i], e[i], 1e-5);
    weft_job_close(job);
}
END_TEST

START_TEST(test_layers_in_layers) {
    weft_tensor *x = weft_graph_input(g, "x", "2x4xf32"), *y;
    weft_layers(g, "outer", 2, &x, 1, group, NULL, &y);
    weft_graph_output(g, "y", y);
    const weft_tensors p = weft_parameters(g, "outer/inner/mlp/weight");
    check_graph(g);
    const int64_t want[] = { 2, 3, 4, 4 };
    ck_assert_uint_eq(weft_tensor_rank(p.v[0]), 4);
    for (size_t d = 0; d < 4; d++) ck_assert_int_eq(weft_tensor_dim(p.v[0], d), want[d]);
    /* Against the same six layers as plain products. */
    float in[8], w[96], h[8], got[8];
    for (int i = 0; i < 8; i++) in[i] = h[i] = (float)sin(i);
    for (int i = 0; i < 96; i++) w[i] = (float)cos(i) / 2;
    for (int l = 0; l < 6; l++) {
        float next[8];
        for (int r = 0; r < 2; r++)
            for (int o = 0; o < 4; o++) {
                float sum = 0;
                for (int i = 0; i < 4; i++) sum += h[4 * r + i] * w[16 * l + 4 * i + o];
                next[4 * r + o] = tanhf(sum) + (float)(l % 3);
            }
        memcpy(h, next, sizeof h);
    }
    weft_job *job;
    OK(weft_job_open(cx, g, &threads, &job));
    OK(weft_job_write(job, "x", in, sizeof in));
    OK(weft_job_write(job, "outer/inner/mlp/weight", w, sizeof w));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "y", got, sizeof got));
    for (int i = 0; i < 8; i++) ck_assert_float_eq_tol(got[i], h[i], 1e-5);
    weft_job_close(job);
}
END_TEST

static void opens_scope(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)user;
    weft_graph_push(gr, "left");
    y[0] = x[0];
}
static void sets_nothing(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    (void)gr, (void)x, (void)y, (void)user;
}

static void makes_parameter(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *type) {
    weft_parameter(gr, "p", type, weft_init_zeros());
    y[0] = x[0];
}

static const struct { const char *said; weft_body *body; int64_t unrolled, layers, wide; } mistakes[] = {
    { "the body did not set result 0 of 1", sets_nothing, 2, 0, 0 },
    { "the body left a scope open", opens_scope, 2, 0, 0 },
    { "a tensor has at most 64 dimensions", makes_parameter, 0, 2, 1 },
    { "the layers' parameter has more bytes than can be counted", makes_parameter, 0, INT64_MAX / 2, 0 },
    { "a parameter cannot be made inside a function: make it outside and pass it", makes_parameter, 0, 0, 0 },
};

START_TEST(test_mistakes) {
    char type[2 * 64 + 4] = "4xf32";
    weft_tensor *x = weft_graph_input(g, "x", "4xf32");
    if (mistakes[_i].wide) {
        *type = 0;
        for (int d = 0; d < 64; d++) strcat(type, "1x");
        strcat(type, "f32");
    }
    if (mistakes[_i].unrolled)
        weft_layers_unrolled(g, "l", mistakes[_i].unrolled, &x, 1, mistakes[_i].body, type, &x);
    else if (mistakes[_i].layers) weft_layers(g, "l", mistakes[_i].layers, &x, 1, mistakes[_i].body, type, &x);
    else weft_graph_function(g, "f", (const weft_tensor *const *)&x, 1, 1, mistakes[_i].body, type);
    ck_assert_int_ne(weft_graph_status(g), WEFT_OK);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_msg(strstr(d->message, mistakes[_i].said) != NULL, "%s", d->message);
    ck_assert(strstr(d->file, "test_parameters.c"));
}
END_TEST

/* ---- what they begin with ---- */

enum { ROWS = 64, COLUMNS = 96, ELEMENTS = ROWS * COLUMNS };

/* Mean, standard deviation and largest magnitude of the numbers that a rule asks for. */
static const struct { const char *name; weft_init (*init)(void); double mean, deviation, most; } starts[] = {
    { "zeros", weft_init_zeros, 0, 0, 0 },
    { "ones", weft_init_ones, 1, 0, 1 },
    { "xavier", weft_init_xavier, 0, 0.111803, 0.193650 }, /* sqrt(2 / 160), sqrt(6 / 160) */
    { "he", weft_init_he, 0, 0.176777, 1 },                /* sqrt(2 / 64) */
    { "lecun", weft_init_lecun, 0, 0.125, 1 },             /* sqrt(1 / 64) */
};
static weft_init normal(void) { return weft_init_normal(0.02); }
static weft_init truncated(void) { return weft_init_truncated_normal(3); }
static weft_init uniform(void) { return weft_init_uniform(-1, 3); }
static weft_init constant(void) { return weft_init_constant(-2.5); }
static const struct { const char *name; weft_init (*init)(void); double mean, deviation, most; } given[] = {
    { "normal", normal, 0, 0.02, 0.1 },
    { "truncated", truncated, 0, 3 * 0.879626, 6 }, /* the deviation of normal numbers within 2 */
    { "uniform", uniform, 1, 1.154701, 3 },         /* 4 / sqrt(12) */
    { "constant", constant, -2.5, 0, 2.5 },
};

static void declare(weft_graph *in, const char *axes) {
    const weft_device_mesh *mesh = axes ? weft_graph_mesh(in, axes) : NULL;
    for (size_t i = 0; i < COUNT(starts) + COUNT(given); i++) {
        const bool first = i < COUNT(starts);
        const char *name = first ? starts[i].name : given[i - COUNT(starts)].name;
        weft_init (*const init)(void) = first ? starts[i].init : given[i - COUNT(starts)].init;
        weft_tensor *p = weft_parameter(in, name, "64x96xf32", init());
        if (mesh) weft_shard(in, p, mesh, i % 2 ? "a, b" : "-, a");
    }
    weft_tensor *he = weft_parameters(in, "he").v[0];
    weft_graph_push(in, "ema");
    weft_variable_of(in, he, WEFT_DIMS(0, 1), NULL, weft_init_copy());
    weft_variable_of(in, weft_parameters(in, "xavier").v[0], WEFT_DIMS(1), "f64", weft_init_ones());
    weft_graph_pop(in);
    weft_variable(in, "step", "i64", weft_init_constant(7));
}

static weft_job *begin(const char *axes) {
    weft_graph *in = weft_graph_new(cx, "model");
    declare(in, axes);
    check_graph(in);
    weft_graph *start = weft_graph_initialiser(in, 42);
    check_graph(start);
    weft_job *job;
    OK(weft_job_open(cx, start, &threads, &job));
    OK(weft_job_step(job));
    weft_graph_free(start);
    weft_graph_free(in);
    return job;
}

START_TEST(test_numbers) {
    static float x[ELEMENTS], y[ELEMENTS];
    weft_job *job = begin(NULL);
    for (size_t i = 0; i < COUNT(starts) + COUNT(given); i++) {
        const bool first = i < COUNT(starts);
        const size_t k = first ? i : i - COUNT(starts);
        const char *name = first ? starts[k].name : given[k].name;
        const double mean = first ? starts[k].mean : given[k].mean, most = first ? starts[k].most : given[k].most,
                     deviation = first ? starts[k].deviation : given[k].deviation;
        double sum = 0, squares = 0, largest = 0;
        OK(weft_job_read(job, name, x, sizeof x));
        for (int e = 0; e < ELEMENTS; e++) {
            sum += x[e];
            squares += (x[e] - mean) * (x[e] - mean);
            if (fabs(x[e]) > largest) largest = fabs(x[e]);
        }
        /* Six standard errors of a mean, and of a variance of normal numbers. */
        const double centre = sum / ELEMENTS;
        ck_assert_msg(fabs(centre - mean) <= 6 * deviation / sqrt(ELEMENTS), "%s: mean %g", name, centre);
        const double found = sqrt(squares / ELEMENTS);
        ck_assert_msg(fabs(found - deviation) <= 6 * deviation / sqrt(2 * ELEMENTS), "%s: deviation %g", name, found);
        ck_assert_msg(largest <= most * (1 + 1e-6), "%s: largest %g", name, largest);
    }
    OK(weft_job_read(job, "he", x, sizeof x));
    OK(weft_job_read(job, "ema/he", y, sizeof y));
    ck_assert_mem_eq(x, y, sizeof x);
    int64_t step;
    double one[COLUMNS];
    OK(weft_job_read(job, "step", &step, sizeof step));
    OK(weft_job_read(job, "ema/xavier", one, sizeof one));
    ck_assert_int_eq(step, 7);
    ck_assert_double_eq(one[5], 1);
    weft_job_close(job);
}
END_TEST

/* What layers begin with: each parameter's mean and deviation, by default, and where the call says it: then weights are
 * uniform from 1 to 3, and biases 4. LeCun's deviation is sqrt(1 / fan_in). */
static const struct { const char *name; double mean, deviation; bool said; } begun[] = {
    { "linear/weight", 0, 0.125, true },            { "linear/bias", 0, 0, true },
    { "embed/weight", 0, 0.02, true },              { "conv/weight", 0, 0.0416667, true }, /* 3 * 3 * 64 */
    { "conv/bias", 0, 0, true },                    { "groups/weight", 0, 0.0833333, true }, /* 3 * 3 * 16 */
    { "mlp/gate/weight", 0, 0.125, true },          { "mlp/up/weight", 0, 0.125, true },
    { "mlp/down/weight", 0, 0.0883883, true },      /* 128 */
    { "experts/gate/weight", 0, 0.125, true },      { "experts/up/weight", 0, 0.125, true },
    { "experts/down/weight", 0, 0.0883883, true },  { "experts/router/weight", 0, 0.125, false },
    { "layer_norm/scale", 1, 0, false },            { "layer_norm/bias", 0, 0, false },
    { "rms_norm/scale", 1, 0, false },              { "batch_norm/scale", 1, 0, false },
    { "batch_norm/bias", 0, 0, false },             { "batch_norm/mean", 0, 0, false },
    { "batch_norm/variance", 1, 0, false },
};

static void layers(weft_graph *in, bool said) {
    const weft_init own = { .kind = WEFT_INIT_DEFAULT }, w = said ? weft_init_uniform(1, 3) : own,
                    b = said ? weft_init_constant(4) : own;
    weft_tensor *x = weft_graph_input(in, "x", "2x8x8x64xf32"), *rows = weft_graph_input(in, "rows", "4xi32"),
                *t = weft_graph_input(in, "t", "2x8x64xf32");
    weft_linear(in, "linear", t, WEFT_DIMS(96), &(weft_linear_options){ .weight_init = w, .bias_init = b });
    weft_embedding(in, "embed", rows, 100, 64, w, NULL);
    weft_conv(in, "conv", x, WEFT_DIMS(3, 3), 32, &(weft_conv_options){ .weight_init = w, .bias_init = b });
    weft_conv(in, "groups", x, WEFT_DIMS(3, 3), 32, &(weft_conv_options){ .groups = 4, .weight_init = w,
                                                                         .bias = WEFT_WITHOUT_BIAS });
    weft_swiglu(in, "mlp", t, 128, w);
    weft_experts(in, "experts", t, &(weft_experts_options){ .experts = 8, .hidden = 128, .weight_init = w }, NULL);
    weft_layer_norm(in, "layer_norm", t, 1e-5);
    weft_rms_norm(in, "rms_norm", t, 1e-5);
    weft_batch_norm(in, "batch_norm", x, WEFT_BY_BATCH, 0.9, 1e-5);
    check_graph(in);
}

START_TEST(test_what_layers_begin_with) {
    static float x[8 * 64 * 128];
    const bool said = _i;
    layers(g, said);
    weft_graph *start = weft_graph_initialiser(g, 7);
    check_graph(start);
    weft_job *job;
    OK(weft_job_open(cx, start, &threads, &job));
    OK(weft_job_step(job));
    size_t found = 0;
    for (int kind = 0; kind < 2; kind++) { /* parameters, and the variables of norms */
        const weft_tensors all = kind ? weft_variables(g, "*") : weft_parameters(g, "*");
        for (size_t i = 0; i < all.n; i++) {
            const char *name = weft_tensor_name(g, all.v[i]);
            size_t k = 0;
            while (k < COUNT(begun) && strcmp(begun[k].name, name)) k++;
            ck_assert_msg(k < COUNT(begun), "%s", name);
            found++;
            const bool is_bias = strstr(name, "/bias"), by_call = said && begun[k].said;
            const double mean = by_call ? is_bias ? 4 : 2 : begun[k].mean;
            const double deviation = by_call ? is_bias ? 0 : 0.577350 : begun[k].deviation;
            const size_t n = (size_t)weft_type_elems(all.v[i]->type);
            double sum = 0, squares = 0;
            OK(weft_job_read(job, name, x, n * sizeof *x));
            for (size_t e = 0; e < n; e++) sum += x[e], squares += (x[e] - mean) * (x[e] - mean);
            ck_assert_msg(fabs(sum / (double)n - mean) <= 6 * deviation / sqrt((double)n), "%s: mean %g", name,
                          sum / (double)n);
            ck_assert_msg(fabs(sqrt(squares / (double)n) - deviation) <= 6 * deviation / sqrt(2 * (double)n),
                          "%s: deviation %g", name, sqrt(squares / (double)n));
        }
    }
    ck_assert_uint_eq(found, COUNT(begun));
    weft_job_close(job);
    weft_graph_free(start);
}
END_TEST

/* Fans that are not given are those of the shape: parameters drawn by one name are the same with them. */
static const struct { const char *type; size_t elems; int64_t stacked, in, out; } fans[] = {
    { "f32", 1, 0, 1, 1 },         { "5xf32", 5, 0, 1, 5 },       { "3x5xf32", 15, 0, 3, 5 },
    { "2x3x5xf32", 30, 0, 6, 5 },  { "2x3x5xf32", 30, 1, 3, 5 },  { "2x3x5xf32", 30, 2, 1, 5 },
    { "2x3x5xf32", 30, 4, 6, 5 },  { "2x3x5xf32", 30, -1, 6, 5 },
};

static void draw_one(weft_init init, int i, float out[30]) {
    weft_graph *in = weft_graph_new(cx, "model");
    weft_parameter(in, "w", fans[i].type, init);
    weft_graph *start = weft_graph_initialiser(in, 42);
    check_graph(start);
    weft_job *job;
    OK(weft_job_open(cx, start, &threads, &job));
    OK(weft_job_step(job));
    memset(out, 0, 30 * sizeof *out);
    OK(weft_job_read(job, "w", out, fans[i].elems * sizeof *out));
    weft_job_close(job);
    weft_graph_free(start);
    weft_graph_free(in);
}

START_TEST(test_fans) {
    static weft_init (*const of[])(void) = { weft_init_xavier, weft_init_he, weft_init_lecun };
    for (size_t k = 0; k < COUNT(of); k++) {
        float x[30], y[30];
        weft_init init = of[k]();
        init.stacked = fans[_i].stacked;
        draw_one(init, _i, x);
        init.fan_in = fans[_i].in, init.fan_out = fans[_i].out;
        draw_one(init, _i, y);
        ck_assert_mem_eq(x, y, sizeof x);
        init.fan_in = k ? 7 : fans[_i].in, init.fan_out = 7;
        draw_one(init, _i, y);
        ck_assert_mem_ne(x, y, sizeof x);
    }
}
END_TEST

/* On every mesh the same numbers, where they lie. */
static const char *const meshes[] = { "a=2, b=2", "a=4, b=2", "a=2, b=3" };

START_TEST(test_meshes) {
    static float x[ELEMENTS], y[ELEMENTS];
    weft_job *one = begin(NULL), *many = begin(meshes[_i]);
    for (size_t i = 0; i < COUNT(starts) + COUNT(given); i++) {
        const char *name = i < COUNT(starts) ? starts[i].name : given[i - COUNT(starts)].name;
        OK(weft_job_read(one, name, x, sizeof x));
        OK(weft_job_read(many, name, y, sizeof y));
        ck_assert_msg(!memcmp(x, y, sizeof x), "%s differs on %s", name, meshes[_i]);
        ck_assert_str_eq(weft_job_output_sharding(many, name), i % 2 ? "a, b" : "-, a");
    }
    ck_assert_str_eq(weft_job_output_sharding(many, "ema/he"), "a, b");
    ck_assert_str_eq(weft_job_output_sharding(many, "ema/xavier"), "a");
    weft_job_close(one);
    weft_job_close(many);
}
END_TEST

START_TEST(test_no_start) {
    weft_graph *start = weft_graph_initialiser(g, 1);
    ck_assert_int_eq(weft_graph_status(start), WEFT_ERR_USAGE);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, "the graph has no parameters or variables to begin with");
    weft_graph_free(start);
    weft_parameter(g, "p", "4y", weft_init_zeros());
    start = weft_graph_initialiser(g, 1);
    ck_assert_int_eq(weft_graph_status(start), weft_graph_status(g));
    weft_graph_free(start);
    ck_assert_ptr_null(weft_graph_initialiser(NULL, 1));
}
END_TEST

static void micro(weft_graph *gr, weft_tensor *const *x, weft_tensor **y, void *user) {
    weft_tensor *h = x[0];
    weft_layers(gr, "micro", 2, &h, 1, block, user, &h);
    y[0] = weft_mean(gr, weft_rms_norm(gr, "norm", h, 1e-5), WEFT_DIMS(0, 1));
}

static weft_status training(weft_context *in, void *user) {
    (void)user;
    weft_graph *model = weft_graph_new(in, "model");
    if (!model) return WEFT_ERR_MEMORY;
    weft_tensor *x = weft_graph_input(model, "x", "4x4xf32");
    const weft_tensors d = weft_accumulate(model, 2, &x, 1, micro, NULL, "*", NULL), p = weft_parameters(model, "*");
    weft_adamw(model, p, d, weft_schedule_constant(model, 0.1), NULL);
    weft_status st = weft_graph_status(model);
    char *text;
    if (st == WEFT_OK && (st = weft_graph_text(model, &text)) == WEFT_OK) weft_text_free(in, text);
    weft_graph_free(model);
    return st;
}

static weft_status everything(weft_context *in, void *user) {
    (void)user;
    weft_graph *model = weft_graph_new(in, "model");
    if (!model) return WEFT_ERR_MEMORY;
    weft_tensor *x = weft_graph_input(model, "x", "2x4xf32"), *y;
    const weft_device_mesh *mesh = weft_graph_mesh(model, "a=2");
    weft_layers(model, "outer", 2, &x, 1, group, NULL, &y);
    weft_layers_unrolled(model, "blocks", 2, &y, 1, block, NULL, &y);
    weft_tensors p = weft_parameters(model, "*");
    if (p.n) weft_shard(model, p.v[0], mesh, "-, -, -, a");
    weft_graph_push(model, "m");
    for (size_t i = 0; i < p.n; i++) weft_variable_of(model, p.v[i], WEFT_DIMS(0), "f64", weft_init_zeros());
    weft_graph_pop(model);
    weft_graph *start = weft_graph_initialiser(model, 3);
    weft_status st = start ? weft_graph_status(start) : WEFT_ERR_MEMORY;
    char *text;
    if (st == WEFT_OK && (st = weft_graph_text(start, &text)) == WEFT_OK) weft_text_free(in, text);
    if (st == WEFT_OK) st = weft_graph_status(model);
    weft_graph_free(start);
    weft_graph_free(model);
    return st;
}

/* Nothing of the size of a part is held beside the parameters: what the draws of several share, as the index of an
 * element in its array, is computed again for each. */
START_TEST(test_start_in_its_parts) {
    weft_client *c;
    weft_program *p;
    const weft_client_options o = { .size = sizeof o, .devices = 4 };
    weft_parameter(g, "up", "8x64x256xf32", weft_init_lecun()); /* on a device of the size of down's part, */
    weft_parameter(g, "down", "8x256x64xf32", weft_init_lecun());
    weft_parameter(g, "gate", "8x64x256xf32", weft_init_normal(0.02)); /* and the same elements as gate's */
    weft_parameter(g, "embed", "64x256xbf16", weft_init_truncated_normal(1));
    weft_strategy_fsdp(g, weft_graph_mesh(g, "data=4"), "data", "*");
    weft_graph *start = weft_graph_initialiser(g, 1);
    ck_assert_int_eq(weft_client_open(cx, &o, &c), WEFT_OK);
    ck_assert_int_eq(weft_program_load(c, start, NULL, &p), WEFT_OK);
    ck_assert_int_lt(p->code.exec->temp_bytes, 4096);
    weft_program_close(p);
    weft_client_close(c);
    weft_graph_free(start);
}
END_TEST

START_TEST(test_memory) { weft_test_each_failure(_i ? training : everything, NULL); }
END_TEST

int main(void) {
    Suite *s = suite_create("capi/parameters");
    TCase *tc = tcase_create("parameters");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, test_pattern, 0, (int)COUNT(patterns));
    tcase_add_test(tc, test_layers);
    tcase_add_test(tc, test_layers_in_layers);
    tcase_add_loop_test(tc, test_mistakes, 0, (int)COUNT(mistakes));
    tcase_add_test(tc, test_numbers);
    tcase_add_loop_test(tc, test_what_layers_begin_with, 0, 2);
    tcase_add_loop_test(tc, test_fans, 0, (int)COUNT(fans));
    tcase_add_loop_test(tc, test_meshes, 0, (int)COUNT(meshes));
    tcase_add_test(tc, test_no_start);
    tcase_add_test(tc, test_start_in_its_parts);
    tcase_add_loop_test(tc, test_memory, 0, 2);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
