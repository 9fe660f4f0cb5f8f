/* Graphs on devices: data by name, updates, errors; and the law that annotations never change a result. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/graph.h>
#include "tests/support/suite.h"

static weft_context *cx;

static void setup(void) { cx = weft_context_new(NULL); }
static void teardown(void) { weft_context_free(cx); }

static const char *last_message(void) {
    size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1)->message : "";
}

#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

static const weft_job_options threads = { .launch = WEFT_LAUNCH_THREADS };

/* A counter that grows by x each step, and twice its value. */
static weft_graph *counter_of(const char *type, const char *axes, const char *spelling) {
    weft_graph *g = weft_graph_new(cx, "counter");
    weft_tensor *n = weft_graph_input(g, "n", type), *x = weft_graph_input(g, "x", type);
    if (axes) weft_shard(g, n, weft_graph_mesh(g, axes), spelling);
    weft_tensor *next = weft_graph_add(g, n, x);
    weft_graph_update(g, n, next);
    weft_graph_output(g, "twice", weft_graph_scale(g, next, 2));
    return g;
}

static weft_graph *counter(const char *axes, const char *spelling) { return counter_of("8xf32", axes, spelling); }

/* The last ones are cut unevenly: a part that is shorter, one that is empty, and several that are. */
static const struct { const char *axes, *spelling, *type; int n; } layouts[] = {
    { NULL, "", "8xf32", 8 }, { "a=1", "a", "8xf32", 8 }, { "a=2", "a", "8xf32", 8 }, { "a=4", "-", "8xf32", 8 }, { "a=8", "a", "8xf32", 8 },
    { "a=2, b=2", "b*a", "8xf32", 8 }, { "a=4", "a:(1)2", "8xf32", 8 }, { "a=4", "a", "7xf32", 7 }, { "a=4", "a", "5xf32", 5 }, { "a=2, b=3", "b*a", "3xf32", 3 },
};

START_TEST(test_steps) {
    weft_graph *g = counter_of(layouts[_i].type, layouts[_i].axes, layouts[_i].spelling);
    weft_job *job;
    OK(weft_job_open(cx, g, &threads, &job));
    weft_graph_free(g); /* the job does not need it */
    const int n = layouts[_i].n;
    const size_t bytes = (size_t)n * sizeof(float);
    float x[8], got[8];
    for (int i = 0; i < n; i++) x[i] = (float)i;
    ck_assert_int_eq(weft_job_read(job, "twice", got, bytes), WEFT_ERR_USAGE); /* nothing there yet */
    OK(weft_job_write(job, "x", x, bytes));
    for (int k = 1; k <= 3; k++) {
        OK(weft_job_step(job));
        OK(weft_job_read(job, "twice", got, bytes));
        for (int i = 0; i < n; i++) ck_assert_float_eq(got[i], (float)(2 * k * i));
        OK(weft_job_read(job, "n", got, bytes));
        for (int i = 0; i < n; i++) ck_assert_float_eq(got[i], (float)(k * i));
    }
    /* Writing an updated input replaces what the step left. */
    for (int i = 0; i < n; i++) got[i] = 100;
    OK(weft_job_write(job, "n", got, bytes));
    ck_assert_int_eq(weft_job_read(job, "n", got, bytes), WEFT_ERR_USAGE);
    OK(weft_job_step(job));
    OK(weft_job_read(job, "n", got, bytes));
    for (int i = 0; i < n; i++) ck_assert_float_eq(got[i], (float)(100 + i));
    weft_job_close(job);
}
END_TEST

/* ---- how arrays lie ---- */

/* The spelling given, that of the output (which is the input doubled), and the parts that its devices hold, as
 * start+count. */
static const struct { const char *axes, *type, *given, *got, *parts; } lies[] = {
    { NULL, "4x2xf32", NULL, "-, -", "0+4,0+2;" },
    { "a=2", "4x2xf32", "a, -", "a, -", "0+2,0+2;2+2,0+2;" },
    { "a=2", "4x2xf32", "-, -", "-, -", "0+4,0+2;0+4,0+2;" },
    { "a=2, b=2", "4x2xf32", "b, a", "b, a", "0+2,0+1;2+2,0+1;0+2,1+1;2+2,1+1;" },
    { "a=2, b=2", "4x2xf32", "b*a, -", "b*a, -", "0+1,0+2;2+1,0+2;1+1,0+2;3+1,0+2;" },
    { "a=4", "4x2xf32", "a:(2)2, -", "a:(2)2, -", "0+2,0+2;2+2,0+2;0+2,0+2;2+2,0+2;" },
    { "a=4", "5x2xf32", "a, -", "a, -", "0+2,0+2;2+2,0+2;4+1,0+2;5+0,0+2;" }, /* the last is empty */
    { "a=2", "f32", "", "", ";;" },
};

START_TEST(test_how_arrays_lie) {
    weft_graph *g = weft_graph_new(cx, "lies");
    weft_job *job;
    weft_tensor *x = weft_graph_input(g, "x", lies[_i].type);
    const weft_device_mesh *mesh = lies[_i].axes ? weft_graph_mesh(g, lies[_i].axes) : NULL;
    if (mesh) weft_shard(g, x, mesh, lies[_i].given);
    weft_tensor *y = weft_graph_add(g, x, x);
    if (mesh) weft_graph_output_sharded(g, "y", y, mesh, lies[_i].given);
    else weft_graph_output(g, "y", y);
    OK(weft_job_open(cx, g, &threads, &job));
    ck_assert_str_eq(weft_job_input_sharding(job, "x"), lies[_i].got);
    ck_assert_str_eq(weft_job_output_sharding(job, "y"), lies[_i].got);
    for (int output = 0; output < 2; output++) {
        char parts[256] = "";
        int64_t start[2], count[2];
        const size_t rank = weft_tensor_rank(x);
        for (int64_t device = 0; device < weft_job_devices(job); device++, strcat(parts, ";")) {
            if (output) OK(weft_job_output_part(job, "y", device, start, count, rank));
            else OK(weft_job_input_part(job, "x", device, start, count, rank));
            for (size_t d = 0; d < rank; d++)
                sprintf(parts + strlen(parts), "%s%lld+%lld", d ? "," : "", (long long)start[d], (long long)count[d]);
        }
        ck_assert_str_eq(parts, lies[_i].parts);
    }
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_job_close(job);
    weft_graph_free(g);
}
END_TEST

START_TEST(test_questions_that_make_no_sense) {
    weft_graph *g = counter("a=2", "a");
    weft_job *job;
    int64_t start[2], count[2];
    OK(weft_job_open(cx, g, &threads, &job));
    ck_assert_ptr_null(weft_job_output_sharding(job, "thrice"));
    ck_assert_str_eq(last_message(), "there is no output 'thrice'; did you mean 'twice'?");
    ck_assert_ptr_null(weft_job_input_sharding(job, NULL));
    ck_assert_str_eq(last_message(), "there is no input ''");
    ck_assert_int_eq(weft_job_output_part(job, "twice", 2, start, count, 1), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "there is no device 2: the job has 2");
    ck_assert_int_eq(weft_job_output_part(job, "twice", -1, start, count, 1), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_output_part(job, "twice", 0, start, count, 2), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "'twice' has 1 dimensions, not 2");
    ck_assert_int_eq(weft_job_input_part(job, "x", 0, start, NULL, 1), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_write(job, "x", NULL, 32), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the data for input 'x' is NULL");
    OK(weft_job_step(job));
    ck_assert_int_eq(weft_job_read(job, "twice", NULL, 32), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "output 'twice' has no buffer: data is NULL");
    weft_job_close(job);
    ck_assert_int_eq(weft_job_open(cx, NULL, &threads, &job), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "a job needs a graph; this one is NULL");
    ck_assert_int_eq(weft_job_open(cx, g, &(weft_job_options){ .launch = (weft_launch)7 }, &job), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_open(cx, g,
                                   &(weft_job_options){ .size = sizeof(weft_job_options),
                                                        .constraints = (weft_constraints)2 },
                                   &job),
                     WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "weft_job_options.constraints is 2, which is not a weft_constraints");
    const weft_job_options other = { .size = sizeof other, .precision = (weft_precision)3 };
    ck_assert_int_eq(weft_job_open(cx, g, &other, &job), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "weft_job_options.precision is 3, which is not a weft_precision");
    const weft_job_options many = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof many, .threads = -1 };
    ck_assert_int_eq(weft_job_open(cx, g, &many, &job), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "weft_job_options.threads is -1, not a number of threads up to 1024");
    const weft_job_options negative = { .size = sizeof negative, .memory_bytes = -8 };
    ck_assert_int_eq(weft_job_open(cx, g, &negative, &job), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "weft_job_options.memory_bytes is -8, a negative number");
    ck_assert_int_eq(weft_job_open(cx, g, &threads, NULL), WEFT_ERR_USAGE);
    weft_graph_free(g);
}
END_TEST

/* A hidden layer annotated as replicated by mistake: the plan ignores that with a warning, or obeys without
 * one. */
START_TEST(test_constraints) {
    for (weft_constraints how = WEFT_CONSTRAINTS_WEIGHED; how <= WEFT_CONSTRAINTS_OBEYED; how++) {
        weft_graph *g = weft_graph_new(cx, "constraint");
        weft_job *job;
        const weft_device_mesh *mesh = weft_graph_mesh(g, "d=2, m=2");
        weft_tensor *x = weft_shard(g, weft_graph_input(g, "x", "1024x256xf32"), mesh, "d, -"),
                    *v = weft_shard(g, weft_graph_input(g, "v", "256x1024xf32"), mesh, "-, m");
        weft_tensor *w = weft_shard(g, weft_graph_input(g, "w", "1024x256xf32"), mesh, "m, -");
        weft_tensor *h = weft_shard(g, weft_graph_einsum(g, "ij,jk->ik", x, v), mesh, "-, -");
        weft_graph_output_sharded(g, "y", weft_graph_einsum(g, "ik,kl->il", h, w), mesh, "d, -");
        OK(weft_job_open(cx, g, &(weft_job_options){ .size = sizeof(weft_job_options), .launch = WEFT_LAUNCH_THREADS, .constraints = how }, &job));
        size_t said = 0;
        for (size_t i = 0; i < weft_context_diag_count(cx); i++)
            said += !strcmp(weft_context_diag(cx, i)->flag, "constraint");
        ck_assert_uint_eq(said, 1); /* by the first plan only */
        weft_job_close(job);
        weft_graph_free(g);
    }
}
END_TEST

/* 1 + 2^-10 is 1 in bf16: the product's operands are rounded where the job says so, its sum and other ops are not.
 * A job that is found in the cache by its graph is another one. */
START_TEST(test_precision) {
    enum { N = 64 };
    const float a = 1 + 1.0f / 1024;
    float x[N], y;
    for (int i = 0; i < N; i++) x[i] = a;
    for (int round = 0; round < 4; round++) {
        weft_graph *g = weft_graph_new(cx, "precision");
        weft_job *job;
        weft_tensor *in = weft_graph_input(g, "x", "64xf32");
        weft_graph_output(g, "y", weft_graph_einsum(g, "i,i->", in, weft_graph_add(g, in, in)));
        weft_graph_output(g, "plain", weft_graph_add(g, in, in));
        OK(weft_job_open(cx, g, &(weft_job_options){ .size = sizeof(weft_job_options), .launch = WEFT_LAUNCH_THREADS,
                                                     .precision = (weft_precision)(round % 2) }, &job));
        OK(weft_job_write(job, "x", x, sizeof x));
        OK(weft_job_step(job));
        OK(weft_job_read(job, "y", &y, sizeof y));
        if (round % 2) ck_assert_float_eq(y, 2 * N);
        else ck_assert_float_eq_tol(y, 2 * N * a * a, 1e-4f);
        float plain[N];
        OK(weft_job_read(job, "plain", plain, sizeof plain));
        ck_assert_float_eq(plain[N - 1], 2 * a);
        weft_job_close(job);
        weft_graph_free(g);
    }
}
END_TEST

START_TEST(test_bad_names_and_sizes) {
    weft_graph *g = counter("a=2", "a");
    weft_job *job;
    float v[8] = { 0 };
    OK(weft_job_open(cx, g, &threads, &job));
    ck_assert_int_eq(weft_job_write(job, "y", v, sizeof v), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "there is no input 'y'");
    ck_assert_int_eq(weft_job_write(job, "x", v, 4), WEFT_ERR_INVALID);
    ck_assert_str_eq(last_message(), "input 'x' has 32 bytes, not 4");
    OK(weft_job_step(job));
    ck_assert_int_eq(weft_job_read(job, "thrice", v, sizeof v), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_read(job, "twice", v, 4), WEFT_ERR_INVALID);
    ck_assert_int_eq(weft_job_devices(job), 2);
    ck_assert_int_eq(weft_job_process(job), 0);
    weft_job_close(job);
    weft_graph_free(g);
}
END_TEST

START_TEST(test_failed_graph_does_not_open) {
    weft_graph *g = weft_graph_new(cx, "bad");
    weft_job *job = NULL;
    weft_graph_output(g, "y", weft_graph_tanh(g, weft_graph_input(g, "x", "8xf31")));
    ck_assert_int_eq(weft_job_open(cx, g, &threads, &job), WEFT_ERR_INVALID);
    ck_assert_ptr_null(job);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    weft_graph_free(g);
}
END_TEST

/* ---- programs from text ---- */

static weft_status read_text(const char *text, weft_graph **g) {
    return weft_graph_read_text(cx, "text", text, strlen(text), g);
}

START_TEST(test_text) {
    weft_graph *g;
    weft_job *job;
    const char *name;
    OK(read_text(
        "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = \"y\"}, tensor<2xf32> {jax.result_info = \"y\"}, tensor<2xf32>) {\n"
        "  %0 = stablehlo.negate %x : tensor<2xf32>\n  %1 = stablehlo.add %x, %x : tensor<2xf32>\n"
        "  return %0, %1, %x : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>\n}\n",
        &g));
    for (size_t i = 0; i < 3; i++) {
        ck_assert_str_eq(weft_tensor_dtype(weft_graph_get_output(g, i, &name)), "f32");
        ck_assert_str_eq(name, ((const char *[]){ "y", "out1", "out2" })[i]);
    }
    OK(weft_job_open(cx, g, &threads, &job));
    float x[2] = { 1, -3 }, got[2];
    OK(weft_job_write(job, "x", x, sizeof x));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "y", got, sizeof got));
    ck_assert(got[0] == -1 && got[1] == 3);
    OK(weft_job_read(job, "out1", got, sizeof got));
    ck_assert(got[0] == 2 && got[1] == -6);
    weft_job_close(job);
    weft_graph_free(g);
}
END_TEST

/* A warning for each program, not for each context. */
START_TEST(test_unread_sharding) {
    for (size_t n = 1; n <= 2; n++) {
        weft_graph *g;
        weft_job *job;
        OK(read_text("func.func @main(%x: tensor<2xf32> {mhlo.sharding = \"{devices=[2]}\"}) -> tensor<2xf32> { return %x : tensor<2xf32> }", &g));
        OK(weft_job_open(cx, g, &threads, &job));
        ck_assert_uint_eq(weft_context_diag_count(cx), n);
        const weft_diag *d = weft_context_diag(cx, n - 1);
        ck_assert(d->severity == WEFT_WARNING && d->line == 1 && d->column == 17);
        ck_assert_str_eq(d->flag, "annotation");
        weft_job_close(job);
        weft_graph_free(g);
    }
}
END_TEST

static const struct { const char *text, *message; } bad_texts[] = {
    { "func.func @f() { return } func.func @g() { return }", "the module has no function @main" },
    { "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %y : tensor<2xf32> }", "'%y' is not defined here" },
    { "", "the module has no function @main" },
};

START_TEST(test_bad_text) {
    weft_graph *g = NULL;
    ck_assert_int_eq(read_text(bad_texts[_i].text, &g), WEFT_ERR_INVALID);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, bad_texts[_i].message);
    ck_assert_str_eq(weft_context_diag(cx, 0)->file, "text");
    ck_assert_ptr_null(g);
}
END_TEST

/* ---- the law ---- */

enum { A = 8, B = 12, C = 4, LAWS = 24 };

static uint64_t seed_of(int i) {
    const char *s = getenv("WEFT_SEED");
    return s ? strtoull(s, NULL, 0) : (uint64_t)i + 1;
}

static unsigned draw(uint64_t *state, unsigned below) {
    *state = *state * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
    return (unsigned)(*state >> 33) % below;
}

/* Each axis of the mesh goes to one of the dimensions or to none. */
static const char *draw_spelling(uint64_t *state, unsigned rank, char *out) {
    unsigned where[2] = { draw(state, rank + 1), draw(state, rank + 1) };
    *out = 0;
    for (unsigned d = 0; d < rank; d++) {
        if (d) strcat(out, ", ");
        if (where[0] == d) strcat(out, "a");
        if (where[1] == d) strcat(out, where[0] == d ? "*b" : "b");
        if (where[0] != d && where[1] != d) strcat(out, draw(state, 2) ? "-" : "?");
    }
    return out;
}

/* The graph, annotated at random when there is a mesh. */
static weft_graph *law_graph(uint64_t seed, const char *axes) {
    uint64_t state = seed;
    char text[64];
    weft_graph *g = weft_graph_new(cx, "law");
    weft_tensor *x = weft_graph_input(g, "x", "8x12xf32"), *w = weft_graph_input(g, "w", "12x4xf32"),
                *b = weft_graph_input(g, "b", "4xf32");
    const weft_device_mesh *mesh = axes ? weft_graph_mesh(g, axes) : NULL;
    if (mesh) weft_shard(g, x, mesh, draw_spelling(&state, 2, text));
    if (mesh) weft_shard(g, w, mesh, draw_spelling(&state, 2, text));
    if (mesh) weft_shard(g, b, mesh, draw_spelling(&state, 1, text));
    weft_tensor *y = weft_graph_einsum(g, seed % 2 ? "ij,jk->ik" : "ij,jk->ki", x, w);
    if (mesh) y = weft_shard(g, y, mesh, draw_spelling(&state, 2, text));
    weft_tensor *z =
        weft_graph_tanh(g, weft_graph_add(g, y,
                                          weft_graph_broadcast_like(g, b, y, seed % 2 ? WEFT_DIMS(1) : WEFT_DIMS(0))));
    weft_tensor *top = weft_graph_reduce(g, "maximum", z, WEFT_DIMS(0)),
                *sum = weft_graph_reduce(g, "add", z, WEFT_DIMS(1));
    if (mesh) sum = weft_shard(g, sum, mesh, draw_spelling(&state, 1, text));
    weft_graph_output(g, "z", weft_graph_subtract(g, z, weft_graph_broadcast_like(g, top, z, WEFT_DIMS(1))));
    weft_graph_output(g, "g", weft_graph_einsum(g, seed % 2 ? "ij,ik->jk" : "ij,ki->jk", x, z));
    weft_graph_output(g, "sum", sum);
    return g;
}

typedef struct law_results { float z[A * C], g[B * C], sum[A]; } law_results;

static void law_run(uint64_t seed, const char *axes, law_results *out) {
    weft_graph *g = law_graph(seed, axes);
    weft_job *job;
    static float x[A * B], w[B * C], b[C];
    uint64_t state = 7;
    for (int i = 0; i < A * B; i++) x[i] = (float)draw(&state, 2000) / 1000 - 1;
    for (int i = 0; i < B * C; i++) w[i] = (float)draw(&state, 2000) / 1000 - 1;
    for (int i = 0; i < C; i++) b[i] = (float)draw(&state, 2000) / 1000 - 1;
    ck_assert_msg(weft_job_open(cx, g, &threads, &job) == WEFT_OK, "seed %llu: %s", (unsigned long long)seed,
                  last_message());
    OK(weft_job_write(job, "x", x, sizeof x));
    OK(weft_job_write(job, "w", w, sizeof w));
    OK(weft_job_write(job, "b", b, sizeof b));
    OK(weft_job_step(job));
    OK(weft_job_read(job, "z", out->z, sizeof out->z));
    OK(weft_job_read(job, "g", out->g, sizeof out->g));
    OK(weft_job_read(job, "sum", out->sum, seed % 2 ? sizeof out->sum : C * sizeof(float)));
    weft_job_close(job);
    weft_graph_free(g);
}

/* What did not open is NULL, and calls on it are refused. */
START_TEST(test_no_job) {
    weft_graph *g = counter(NULL, "");
    weft_job *job = (weft_job *)cx;
    float x[8] = { 0 };
    ck_assert_int_eq(weft_job_open(cx, g, &(weft_job_options){ .size = 3 }, &job), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "weft_job_options.size is 3: it has to be 0 or sizeof(weft_job_options)");
    ck_assert_ptr_null(job);
    ck_assert_int_eq(weft_job_write(job, "x", x, sizeof x), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_step(job), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_read(job, "x", x, sizeof x), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_process(job), -1);
    ck_assert_int_eq(weft_job_devices(job), 0);
    weft_job_close(job);
    weft_graph_free(g);
}
END_TEST

START_TEST(test_annotations_change_nothing) {
    uint64_t seed = seed_of(_i);
    law_results one = { 0 }, many = { 0 };
    law_run(seed, NULL, &one);
    law_run(seed, draw(&(uint64_t){ seed }, 2) ? "a=2, b=2" : "a=4, b=2", &many);
    const float *want = (const float *)&one, *got = (const float *)&many;
    for (size_t i = 0; i < sizeof one / sizeof *want; i++)
        ck_assert_msg(fabsf(got[i] - want[i]) <= 1e-5f + 1e-5f * fabsf(want[i]),
                      "WEFT_SEED=%llu: element %zu is %g, not %g", (unsigned long long)seed, i, got[i], want[i]);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/job");
    TCase *tc = tcase_create("job");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_no_job);
    tcase_add_loop_test(tc, test_steps, 0, sizeof layouts / sizeof *layouts);
    tcase_add_loop_test(tc, test_how_arrays_lie, 0, sizeof lies / sizeof *lies);
    tcase_add_test(tc, test_questions_that_make_no_sense);
    tcase_add_test(tc, test_constraints);
    tcase_add_test(tc, test_precision);
    tcase_add_test(tc, test_bad_names_and_sizes);
    tcase_add_test(tc, test_failed_graph_does_not_open);
    tcase_add_test(tc, test_text);
    tcase_add_test(tc, test_unread_sharding);
    tcase_add_loop_test(tc, test_bad_text, 0, sizeof bad_texts / sizeof *bad_texts);
    tcase_add_loop_test(tc, test_annotations_change_nothing, 0, getenv("WEFT_SEED") ? 1 : weft_test_long(LAWS));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
