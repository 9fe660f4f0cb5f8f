/* Programs that share a state: initialise, train, evaluate; memory that updates take over; arrays that are kept; inputs
 * that lie otherwise; and mistakes. */
#include <math.h>
#include <weft/array.h>
#include <weft/gradients.h>
#include "tests/support/suite.h"

static weft_context *cx;
static weft_client *client;

static void setup(void) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = 4 };
    cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_client_open(cx, &o, &client), WEFT_OK);
}

static void teardown(void) {
    weft_client_close(client);
    weft_context_free(cx);
}

static const char *last_message(void) {
    size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1)->message : "";
}

#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

static weft_program *load(weft_graph *g) {
    weft_program *p;
    OK(weft_program_load(client, g, NULL, &p));
    weft_graph_free(g);
    return p;
}

/* w = 0, 1, 2 ... */
static weft_graph *initialise(const char *mesh, const char *sharding) {
    weft_graph *g = weft_graph_new(cx, "initialise");
    weft_tensor *w = weft_graph_iota(g, "8xf32", 0);
    if (mesh) weft_graph_output_sharded(g, "w", w, weft_graph_mesh(g, mesh), sharding);
    else weft_graph_output(g, "w", w);
    weft_graph_output(g, "steps", weft_graph_fill(g, "i32", 0));
    return g;
}

/* w += x, steps += 1; "sum": of w. */
static weft_graph *train(const char *sharding) {
    weft_graph *g = weft_graph_new(cx, "train");
    weft_tensor *w = weft_graph_input(g, "w", "8xf32"), *steps = weft_graph_input(g, "steps", "i32");
    weft_tensor *x = weft_graph_input(g, "x", "8xf32");
    weft_shard(g, w, weft_graph_mesh(g, "a=4"), sharding);
    weft_tensor *next = weft_graph_add(g, w, x);
    weft_graph_update(g, w, next);
    weft_graph_update(g, steps, weft_graph_add(g, steps, weft_graph_fill(g, "i32", 1)));
    weft_graph_output(g, "sum", weft_graph_reduce(g, "add", next, WEFT_DIMS(0)));
    return g;
}

/* "twice": of w. */
static weft_graph *evaluate(const char *sharding) {
    weft_graph *g = weft_graph_new(cx, "evaluate");
    weft_tensor *w = weft_graph_input(g, "w", "8xf32");
    if (sharding) weft_shard(g, w, weft_graph_mesh(g, "a=4"), sharding);
    weft_graph_output(g, "twice", weft_graph_scale(g, w, 2));
    return g;
}

static float read_scalar(weft_array *a) {
    float x = NAN;
    OK(weft_array_read(a, &x, sizeof x));
    return x;
}

static void *memory_of(weft_array *a) {
    weft_part p;
    OK(weft_array_part(a, 0, &p));
    return p.data;
}

START_TEST(test_programs_share_a_state) {
    weft_program *init = load(initialise("a=4", "a")), *step = load(train("a")), *eval = load(evaluate("a"));
    weft_state *s;
    float x[8], got[8];
    int32_t steps = 0;
    OK(weft_state_new(client, &s));
    OK(weft_program_run(init, s));
    OK(weft_program_store(init, s));
    ck_assert_ptr_null(weft_program_output(init, "w")); /* the state has it */
    ck_assert_str_eq(last_message(), "output 'w' has no value: a state has it");
    void *first = memory_of(weft_state_get(s, "w"));
    for (int i = 0; i < 8; i++) x[i] = (float)(i + 1);
    for (int k = 1; k <= 4; k++) {
        OK(weft_program_put(step, s, "x", x, sizeof x));
        OK(weft_program_run(step, s));
        ck_assert_ptr_eq(weft_program_output(step, "w"), weft_state_get(s, "w"));
        ck_assert_ptr_eq(memory_of(weft_state_get(s, "w")), first); /* it is updated in place */
        OK(weft_program_run(eval, s));
        OK(weft_array_read(weft_program_output(eval, "twice"), got, sizeof got));
        for (int i = 0; i < 8; i++) ck_assert_float_eq(got[i], (float)(2 * (i + k * (i + 1))));
        ck_assert_float_eq(read_scalar(weft_program_output(step, "sum")), (float)(28 + 36 * k));
    }
    OK(weft_array_read(weft_state_get(s, "steps"), &steps, sizeof steps));
    ck_assert_int_eq(steps, 4);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1); /* the one above */
    weft_program_close(init);
    weft_program_close(step);
    OK(weft_program_run(eval, s)); /* arrays outlive the program that made them */
    weft_program_close(eval);
    weft_state_free(s);
}
END_TEST

/* It is said where the program is loaded, before anything starts: the program's own place has no file. */
START_TEST(test_memory_that_will_not_do) {
    const weft_program_options o = { .memory_bytes = 8, .size = sizeof o };
    const weft_job_options job = { .memory_bytes = 8, .size = sizeof job };
    weft_program *p;
    weft_job *j;
    weft_graph *g = train("a"), *again = train("a");
    const int line = __LINE__;
    ck_assert_int_eq(weft_program_load(client, g, &o, &p), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_open(cx, again, &job, &j), WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(cx), 4); /* each with a note */
    for (int i = 0; i < 4; i++) {
        const weft_diag *d = weft_context_diag(cx, (size_t)i);
        if (i % 2 == 0) ck_assert_ptr_nonnull(strstr(d->message, "of a device's memory at least, and may take 8"));
        ck_assert(d->file && strstr(d->file, "test_program.c"));
        ck_assert_int_eq(d->line, line + 1 + i / 2);
    }
    weft_graph_free(g);
    weft_graph_free(again);
}
END_TEST

START_TEST(test_who_keeps_an_array_keeps_its_value) {
    weft_program *step = load(train("a"));
    weft_state *s;
    float ones[8], got[8];
    OK(weft_state_new(client, &s));
    OK(weft_program_put_zeros(step, s));
    for (int i = 0; i < 8; i++) ones[i] = 1;
    OK(weft_program_put(step, s, "x", ones, sizeof ones));
    weft_array *kept[4];
    for (int k = 0; k < 4; k++) {
        kept[k] = weft_array_retain(weft_state_get(s, "w"));
        OK(weft_program_run(step, s));
    }
    for (int k = 0; k < 4; k++) {
        OK(weft_array_read(kept[k], got, sizeof got));
        for (int i = 0; i < 8; i++) ck_assert_float_eq(got[i], (float)k);
        weft_array_release(kept[k]);
    }
    /* One array under two names is kept, too: each name has its value. */
    OK(weft_state_set(s, "x", weft_state_get(s, "w")));
    OK(weft_program_run(step, s));
    OK(weft_array_read(weft_state_get(s, "w"), got, sizeof got));
    for (int i = 0; i < 8; i++) ck_assert_float_eq(got[i], 8);
    OK(weft_array_read(weft_state_get(s, "x"), got, sizeof got));
    for (int i = 0; i < 8; i++) ck_assert_float_eq(got[i], 4);
    /* Two programs that train the same state: neither keeps the other's outputs. */
    weft_program *other = load(train("a"));
    void *memory = memory_of(weft_state_get(s, "w"));
    OK(weft_program_run(other, s));
    ck_assert_ptr_eq(memory_of(weft_state_get(s, "w")), memory);
    ck_assert_int_eq(weft_array_read(weft_program_output(step, "w"), got, sizeof got), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(),
                     "an array of type 8xf32 has no data: a program has taken its memory for an update");
    weft_program_close(other);
    weft_program_close(step);
    weft_state_free(s);
}
END_TEST

/* The state's sharding, the program's, and what is said of them. */
static const struct { const char *mesh, *sharding, *program, *said; } moves[] = {
    { "a=4", "a", "a", NULL },
    { "a=4", "-", "a", "the state's 'w' is sharded \"-\" and the program's \"a\": all of it moves in each run" },
    { "a=2, b=2", "b*a", "a", "the state's 'w' is sharded \"b*a\" over \"a=2, b=2\" and the program's \"a\" over \"a=4\": all of it moves in each run" },
    { NULL, NULL, "a", "the state's 'w' is sharded \"-\" over \"\" and the program's \"a\" over \"a=4\": all of it moves in each run" },
    { "a=2, b=2", "a*b", "a", NULL }, /* the same parts on the same devices */
};

START_TEST(test_moved_inputs) {
    weft_program *eval = load(evaluate(moves[_i].program));
    weft_state *s;
    weft_array *w;
    float x[8], got[8];
    for (int i = 0; i < 8; i++) x[i] = (float)i;
    OK(weft_state_new(client, &s));
    OK(weft_array_from(client, "8xf32", moves[_i].mesh, moves[_i].sharding, x, sizeof x, &w));
    OK(weft_state_set(s, "w", w));
    weft_array_release(w);
    for (int k = 0; k < 2; k++) {
        OK(weft_program_run(eval, s));
        OK(weft_array_read(weft_program_output(eval, "twice"), got, sizeof got));
        for (int i = 0; i < 8; i++) ck_assert_float_eq(got[i], (float)(2 * i));
    }
    ck_assert_uint_eq(weft_context_diag_count(cx), moves[_i].said ? 1 : 0); /* once */
    if (moves[_i].said) {
        const weft_diag *d = weft_context_diag(cx, 0);
        ck_assert_str_eq(d->message, moves[_i].said);
        ck_assert_int_eq(d->severity, WEFT_WARNING);
        ck_assert_str_eq(d->flag, "fallback");
        ck_assert(d->file && strstr(d->file, "test_program.c"));
    }
    ck_assert_ptr_eq(weft_state_get(s, "w"), w); /* the state's array stays */
    weft_program_close(eval);
    weft_state_free(s);
}
END_TEST

START_TEST(test_a_moved_update) {
    weft_program *init = load(initialise("a=4", "-")), *step = load(train("a"));
    weft_state *s;
    float got[8];
    OK(weft_state_new(client, &s));
    OK(weft_program_run(init, s));
    OK(weft_program_store(init, s));
    OK(weft_program_put_zeros(step, s)); /* x */
    for (int k = 0; k < 3; k++) OK(weft_program_run(step, s));
    ck_assert_str_eq(weft_array_sharding(weft_state_get(s, "w")), "a");
    OK(weft_array_read(weft_state_get(s, "w"), got, sizeof got));
    for (int i = 0; i < 8; i++) ck_assert_float_eq(got[i], (float)i);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_str_eq(last_message(), "the state's 'w' is sharded \"-\" and the program's \"a\": all of it moves before the first run");
    weft_program_close(init);
    weft_program_close(step);
    weft_state_free(s);
}
END_TEST

/* An update that lies otherwise than its input can be run again and again. */
START_TEST(test_an_update_that_lies_otherwise) {
    weft_graph *g = weft_graph_new(cx, "turn");
    const weft_device_mesh *mesh = weft_graph_mesh(g, "a=4");
    weft_tensor *w = weft_graph_input(g, "w", "8x8xf32");
    weft_shard(g, w, mesh, "a, -");
    weft_tensor *t = weft_shard(g, weft_graph_transpose(g, w, WEFT_DIMS(1, 0)), mesh, "-, a");
    weft_graph_update(g, w, weft_graph_add(g, t, t));
    weft_program *p = load(g);
    weft_state *s;
    float x[64], got[64];
    for (int i = 0; i < 64; i++) x[i] = (float)i;
    OK(weft_state_new(client, &s));
    OK(weft_program_put(p, s, "w", x, sizeof x));
    for (int k = 0; k < 2; k++) OK(weft_program_run(p, s));
    OK(weft_array_read(weft_state_get(s, "w"), got, sizeof got));
    for (int i = 0; i < 64; i++) ck_assert_float_eq(got[i], 4 * x[i]);
    weft_program_close(p);
    weft_state_free(s);
}
END_TEST

static weft_status fill(void *user, const weft_part *p) {
    for (int64_t i = 0; i < p->count[0]; i++)
        ((float *)p->data)[i * p->stride[0]] = *(float *)user * (float)(p->start[0] + i);
    return WEFT_OK;
}

/* A graph without a mesh runs whole on each device, in the same client. */
/* Nothing before it is asked for; then a line for each kind of step, with all collectives, whose times are those of the
 * runs since then. */
START_TEST(test_times) {
    const weft_program_time *v;
    size_t n = 9;
    double run_s = 9;
    weft_state *s;
    weft_program *start = load(initialise("a=4", "a")), *p = load(train("a"));
    const float x[8] = { 1 };
    OK(weft_state_new(client, &s));
    OK(weft_program_run(start, s));
    OK(weft_program_store(start, s));
    OK(weft_program_put(p, s, "x", x, sizeof x));
    OK(weft_program_run(p, s));
    OK(weft_program_times(p, &v, &n, &run_s));
    ck_assert_uint_eq(n, 0);
    ck_assert_double_eq(run_s, 0);
    for (int round = 0; round < 2; round++) {
        double sum = 0, collectives = 0;
        OK(weft_program_measure(p));
        for (int i = 0; i < 3; i++) OK(weft_program_run(p, s));
        OK(weft_program_times(p, &v, &n, &run_s));
        ck_assert_uint_gt(n, 1);
        for (size_t i = 0; i < n; i++) {
            ck_assert_double_eq(v[i].calls, 1);
            ck_assert(i == 0 || v[i].time_s <= v[i - 1].time_s);
            sum += v[i].time_s;
            if (strcmp(v[i].kind, "collectives")) continue;
            collectives += v[i].calls;
            ck_assert_str_eq(v[i].name, "all_reduce");
            ck_assert_ptr_nonnull(strstr(v[i].place, "test_program.c"));
            ck_assert_double_gt(v[i].bytes, 0);
        }
        ck_assert_double_eq(collectives, 1);
        ck_assert_double_gt(sum, 0);
        ck_assert_double_le(sum, run_s * (1 + 1e-9));
    }
    weft_program_close(start);
    weft_program_close(p);
    weft_state_free(s);
}
END_TEST

/* Said with bytes and at the caller's line before any device has memory for it, unless the caller wants to try. */
START_TEST(test_more_memory_than_there_is) {
    weft_graph *g = weft_graph_new(cx, "large");
    weft_program *p = (weft_program *)1;
    weft_tensor *x = weft_graph_input(g, "x", "4398046511104xf32");
    weft_shard(g, x, weft_graph_mesh(g, "a=4"), "a");
    weft_graph_output(g, "y", weft_graph_negate(g, x));
    const int line = __LINE__ + 1;
    ck_assert_int_eq(weft_program_load(client, g, NULL, &p), WEFT_ERR_MEMORY);
    ck_assert_ptr_null(p);
    ck_assert_uint_eq(weft_context_diag_count(cx), 3);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_int_eq(d->severity, WEFT_ERROR);
    ck_assert_int_eq(d->line, line);
    ck_assert_msg(strstr(d->message, "the program does not fit: ") &&
                      strstr(d->message, " of memory may be used here, and 4 devices together need 32.0 TiB"),
                  "%s", d->message);
    ck_assert_str_eq(weft_context_diag(cx, 1)->message, "each device needs 8.0 TiB");
    ck_assert_str_eq(weft_context_diag(cx, 2)->message, "warnings of the flag 'memory' silenced, it runs all the same");
    OK(weft_context_silence(cx, "memory")); /* now a device tries */
    ck_assert_int_eq(weft_program_load(client, g, NULL, &p), WEFT_ERR_MEMORY);
    ck_assert_ptr_nonnull(strstr(last_message(), "the memory that the devices of a machine share is used up"));
    weft_graph_free(g);
}
END_TEST

/* So is what a job and a client say when they open. */
START_TEST(test_openings_have_lines) {
    weft_graph *g = weft_graph_new(cx, "large");
    weft_job *j;
    weft_client *c;
    const weft_client_options most = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof most, .devices = 1 << 20 };
    weft_graph_output(g, "y", weft_graph_negate(g, weft_graph_input(g, "x", "4398046511104xf32")));
    const int line = __LINE__ + 1;
    ck_assert_int_ne(weft_job_open(cx, g, &(weft_job_options){ .launch = WEFT_LAUNCH_THREADS }, &j), WEFT_OK);
    ck_assert_int_eq(weft_context_diag(cx, 0)->line, line);
    const size_t n = weft_context_diag_count(cx);
    ck_assert_int_ne(weft_client_open(cx, &most, &c), WEFT_OK);
    ck_assert_int_eq(weft_context_diag(cx, n)->line, line + 3);
    weft_graph_free(g);
}
END_TEST

START_TEST(test_without_a_mesh) {
    weft_program *eval = load(evaluate(NULL));
    weft_state *s;
    float factor = 3, got[8];
    OK(weft_state_new(client, &s));
    OK(weft_program_make(eval, s, "w", fill, &factor));
    OK(weft_program_run(eval, s));
    OK(weft_array_read_all(weft_program_output(eval, "twice"), got, sizeof got));
    for (int i = 0; i < 8; i++) ck_assert_float_eq(got[i], (float)(6 * i));
    ck_assert_str_eq(weft_program_input_name(eval, 0), "w");
    ck_assert_ptr_null(weft_program_input_name(eval, 1));
    ck_assert_str_eq(weft_program_output_name(eval, 0), "twice");
    ck_assert_ptr_null(weft_program_output_name(eval, 1));
    ck_assert_str_eq(weft_program_input_type(eval, "w"), "8xf32");
    ck_assert_str_eq(weft_program_input_sharding(eval, "w"), "-");
    ck_assert_str_eq(weft_program_input_mesh(eval, "w"), "");
    ck_assert_str_eq(weft_program_output_type(eval, "twice"), "8xf32");
    ck_assert_str_eq(weft_program_output_sharding(eval, "twice"), "-");
    ck_assert_str_eq(weft_program_output_mesh(eval, "twice"), "");
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    weft_program_close(eval);
    weft_state_free(s);
}
END_TEST

/* What a failed run was to update is gone; the other arrays, and the client, are as they were. */
START_TEST(test_a_run_that_fails) {
    static const char text[] =
        "func.func @main(%fine: tensor<i1>, %w: tensor<8xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<8xf32>) -> "
        "(tensor<8xf32> {jax.result_info = \"w\"}) {\n"
        "  stablehlo.custom_call @shape_assertion(%fine) {error_message = \"not fine\", has_side_effect = true} : "
        "(tensor<i1>) -> ()\n"
        "  %0 = stablehlo.add %w, %x : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n";
    weft_graph *g;
    OK(weft_graph_read_text(cx, "fragile.mlir", text, sizeof text - 1, &g));
    weft_program *p = load(g), *eval = load(evaluate(NULL));
    weft_state *s;
    float x[8], got[8];
    const unsigned char yes = 1, no = 0;
    for (int i = 0; i < 8; i++) x[i] = (float)i;
    OK(weft_state_new(client, &s));
    OK(weft_program_put_zeros(p, s));
    OK(weft_program_put(p, s, "x", x, sizeof x));
    OK(weft_program_put(p, s, "fine", &yes, 1));
    OK(weft_program_run(p, s));
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    OK(weft_program_put(p, s, "fine", &no, 1));
    ck_assert_int_eq(weft_program_run(p, s), WEFT_ERR_INVALID);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert(strstr(last_message(), "not fine"));
    ck_assert_ptr_null(weft_program_output(p, "w"));
    ck_assert_str_eq(last_message(), "output 'w' has no value: the program has not run");
    ck_assert_int_eq(weft_program_run(eval, s), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the state's 'w' has no data: the run that was to update it failed");
    OK(weft_array_read(weft_state_get(s, "x"), got, sizeof got));
    ck_assert_int_eq(memcmp(got, x, sizeof x), 0);
    OK(weft_program_put(p, s, "fine", &yes, 1));
    OK(weft_program_put(p, s, "w", x, sizeof x));
    OK(weft_program_run(p, s));
    OK(weft_array_read(weft_state_get(s, "w"), got, sizeof got));
    for (int i = 0; i < 8; i++) ck_assert_float_eq(got[i], 2 * x[i]);
    weft_program_close(p);
    weft_program_close(eval);
    weft_state_free(s);
}
END_TEST

/* Device 3 alone fails, before the others' last collective. It takes part in those that are left, unless one is in a
 * loop: how often, only the data says. Then the client's world has failed. */
static const struct { const char *name, *body; bool goes_on; } lonely[] = {
    { "a loop without collectives", "%n = stablehlo.add %i, %one : tensor<i32>\n", true },
    { "a loop with one",
      "%most_i = \"stablehlo.all_reduce\"(%i) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, "
      "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({\n"
      "^bb0(%p: tensor<i32>, %q: tensor<i32>):\n %m = stablehlo.maximum %p, %q : tensor<i32>\n"
      " stablehlo.return %m : tensor<i32>\n}) : (tensor<i32>) -> tensor<i32>\n"
      "%n = stablehlo.add %most_i, %one : tensor<i32>\n", false },
};

START_TEST(test_a_device_that_fails_alone) {
    static const char form[] =
        "sdy.mesh @m = <[\"x\"=4]>\n"
        "func.func @main(%%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}]>}, %%limit: tensor<i32>) -> "
        "tensor<8xf32> {\n"
        "%%0 = sdy.manual_computation(%%a, %%limit) in_shardings=[<@m, [{\"x\"}]>, <@m, []>] "
        "out_shardings=[<@m, [{}]>] manual_axes={\"x\"} (%%b: tensor<2xf32>, %%most: tensor<i32>) {\n"
        "%%u = stablehlo.partition_id : tensor<ui32>\n"
        "%%id = stablehlo.convert %%u : (tensor<ui32>) -> tensor<i32>\n"
        "%%ok = stablehlo.compare LE, %%id, %%most : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "stablehlo.custom_call @shape_assertion(%%ok) {error_message = \"over the limit\", has_side_effect = true} : "
        "(tensor<i1>) -> ()\n"
        "%%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "%%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "%%t:2 = stablehlo.while(%%i = %%zero, %%c = %%b) : tensor<i32>, tensor<2xf32>\n"
        "cond {\n%%l = stablehlo.constant dense<9> : tensor<i32>\n"
        "%%y = stablehlo.compare LT, %%i, %%l : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "stablehlo.return %%y : tensor<i1>\n} do {\n%s%%d = stablehlo.add %%c, %%c : tensor<2xf32>\n"
        "stablehlo.return %%n, %%d : tensor<i32>, tensor<2xf32>\n}\n"
        "%%g = \"stablehlo.all_gather\"(%%t#1) <{all_gather_dim = 0 : i64, channel_handle = "
        "#stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, "
        "use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>\n"
        "sdy.return %%g : tensor<8xf32>\n} : (tensor<8xf32>, tensor<i32>) -> tensor<8xf32>\n"
        "return %%0 : tensor<8xf32>\n}\n";
    char text[4096];
    weft_graph *g;
    weft_state *s;
    float a[8];
    const int32_t fine = 3, low = 2;
    snprintf(text, sizeof text, form, lonely[_i].body);
    OK(weft_graph_read_text(cx, "lonely.mlir", text, strlen(text), &g));
    weft_program *p = load(g);
    for (int i = 0; i < 8; i++) a[i] = 1;
    OK(weft_state_new(client, &s));
    OK(weft_program_put_zeros(p, s));
    OK(weft_program_put(p, s, "a", a, sizeof a));
    OK(weft_program_put(p, s, "limit", &fine, sizeof fine));
    OK(weft_program_run(p, s));
    OK(weft_program_put(p, s, "limit", &low, sizeof low));
    ck_assert_int_ne(weft_program_run(p, s), WEFT_OK);
    ck_assert_msg(strstr(last_message(), "over the limit"), "%s: %s", lonely[_i].name, last_message());
    weft_status st = weft_program_put(p, s, "limit", &fine, sizeof fine);
    if (st == WEFT_OK) st = weft_program_run(p, s);
    ck_assert_msg((st == WEFT_OK) == lonely[_i].goes_on, "%s: %s", lonely[_i].name, last_message());
    weft_program_close(p);
    weft_state_free(s);
}
END_TEST

/* ---- mistakes ---- */

typedef struct given { weft_program *p; weft_state *s, *others; float *data; weft_graph *g; } given;

/* Name, what is said, what is done before, the call. */
#define MISTAKES(M) \
    M(missing, "the state has no array for input 'w'", weft_state_set(s, "w", NULL), weft_program_run(p, s)) \
    M(other_type, "the state's 'w' is 8xi32, the program's is 8xf32", put(s, "w", "8xi32"), weft_program_run(p, s)) \
    M(other_shape, "the state's 'w' is 4x2xf32, the program's is 8xf32", put(s, "w", "4x2xf32"), weft_program_run(p, s)) \
    M(other_client, "the state is of another client than the program", WEFT_OK, weft_program_run(p, others)) \
    M(no_output, "the program has no output 'twise'; did you mean 'twice'?", weft_program_run(p, s), weft_program_output(p, "twise") ? WEFT_OK : WEFT_ERR_USAGE) \
    M(not_run, "output 'twice' has no value: the program has not run", WEFT_OK, weft_program_output(p, "twice") ? WEFT_OK : WEFT_ERR_USAGE) \
    M(store_of_nothing, "the program has no outputs to store: it has not run", WEFT_OK, weft_program_store(p, s)) \
    M(store_elsewhere, "the state is of another client than the program", weft_program_run(p, s), weft_program_store(p, others)) \
    M(no_input, "the program has no input 'v'", WEFT_OK, weft_program_put(p, s, "v", data, 32)) \
    M(no_question, "the program has no input ''", WEFT_OK, weft_program_input_type(p, NULL) ? WEFT_OK : WEFT_ERR_USAGE) \
    M(no_question_of_output, "the program has no output 'w'", WEFT_OK, weft_program_output_sharding(p, "w") ? WEFT_OK : WEFT_ERR_USAGE) \
    M(put_elsewhere, "the state is of another client than the program", WEFT_OK, weft_program_put(p, others, "w", data, 32)) \
    M(put_bytes, "input 'w' of type 8xf32 has 32 bytes, not 28", WEFT_OK, weft_program_put(p, s, "w", data, 28)) \
    M(put_null, "the data of input 'w' is NULL", WEFT_OK, weft_program_put(p, s, "w", NULL, 32)) \
    M(make_null, "the callback that fills the parts is NULL", WEFT_OK, weft_program_make(p, s, "w", NULL, NULL)) \
    M(no_graph, "a program needs a graph; this one is NULL", WEFT_OK, weft_program_load(client, NULL, NULL, &other)) \
    M(no_out, "the program has no output pointer: out is NULL", WEFT_OK, weft_program_load(client, g, NULL, NULL)) \
    M(constraints, "weft_program_options.constraints is 9, which is not a weft_constraints", WEFT_OK, weft_program_load(client, g, &wrong, &other)) \
    M(precision, "weft_program_options.precision is 7, which is not a weft_precision", WEFT_OK, weft_program_load(client, g, &of_none, &other)) \
    M(memory, "weft_program_options.memory_bytes is -1, a negative number", WEFT_OK, weft_program_load(client, g, &less_than_none, &other)) \
    M(devices, "the program is for 2 devices, the client has 4", (void)weft_graph_mesh(g, "a=2"), weft_program_load(client, g, NULL, &other)) \
    M(graph_error, "'f31' is not an element type", (void)weft_graph_convert(g, weft_graph_input(g, "y", "f32"), "f31"), weft_program_load(client, g, NULL, &other))

static weft_status put(weft_state *s, const char *name, const char *type) {
    weft_array *a;
    weft_status st = weft_array_of_zeros(client, type, NULL, NULL, &a);
    if (st == WEFT_OK) st = weft_state_set(s, name, a);
    weft_array_release(a);
    return st;
}

#define FUNCTION(name, want, before, call) \
    static weft_status make_##name(given v) { \
        weft_program *p = v.p, *other = v.p; \
        weft_state *s = v.s, *others = v.others; \
        float *data = v.data; \
        weft_graph *g = v.g; \
        const weft_program_options wrong = { .constraints = (weft_constraints)9 }, \
                                   of_none = { .size = sizeof of_none, .precision = (weft_precision)7 }, \
                                   less_than_none = { .size = sizeof less_than_none, .memory_bytes = -1 }; \
        (void)p, (void)s, (void)others, (void)data, (void)g, (void)wrong, (void)less_than_none, (void)of_none; \
        (void)(before); \
        weft_status st = call; \
        ck_assert(other == v.p || !other); \
        return st; \
    }
MISTAKES(FUNCTION)
#define ROW(name, want, before, call) { make_##name, want },
static const struct { weft_status (*make)(given); const char *want; } mistakes[] = { MISTAKES(ROW) };

START_TEST(test_mistakes) {
    float data[8] = { 0 };
    weft_client *another;
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = 1 };
    given v = { .p = load(evaluate(NULL)), .data = data, .g = weft_graph_new(cx, "g") };
    OK(weft_client_open(cx, &o, &another));
    OK(weft_state_new(client, &v.s));
    OK(weft_state_new(another, &v.others));
    OK(put(v.s, "v", "8xf32"));
    OK(put(v.s, "w", "8xf32"));
    weft_graph_output(v.g, "y", weft_graph_fill(v.g, "f32", 1));
    ck_assert_int_ne(mistakes[_i].make(v), WEFT_OK);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_str_eq(d->message, mistakes[_i].want);
    ck_assert(d->file && strstr(d->file, "test_program.c"));
    OK(put(v.s, "w", "8xf32"));
    OK(weft_program_run(v.p, v.s)); /* the client goes on */
    weft_graph_free(v.g);
    weft_state_free(v.s);
    weft_state_free(v.others);
    weft_program_close(v.p);
    weft_client_close(another);
}
END_TEST

START_TEST(test_a_graph_of_another_context) {
    weft_context *other = weft_context_new(NULL);
    weft_graph *g = weft_graph_new(other, "g");
    weft_program *p;
    ck_assert_int_eq(weft_program_load(client, g, NULL, &p), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the graph is of another context than the client");
    weft_graph_free(g);
    weft_context_free(other);
}
END_TEST

START_TEST(test_nothing_is_done_with_nothing) {
    weft_program *p = NULL;
    weft_state *s;
    OK(weft_state_new(client, &s));
    ck_assert_int_eq(weft_program_load(NULL, NULL, NULL, &p), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_program_run(NULL, s), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_program_store(NULL, s), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_program_put(NULL, s, "w", "", 0), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_program_make(NULL, s, "w", fill, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_program_put_zeros(NULL, s), WEFT_ERR_USAGE);
    ck_assert_ptr_null(weft_program_output(NULL, "w"));
    ck_assert_ptr_null(weft_program_input_name(NULL, 0));
    ck_assert_ptr_null(weft_program_input_sharding(NULL, "w"));
    weft_program_close(NULL);
    weft_state_free(s);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

/* An array that somebody holds is copied before a program updates it; more than the caches hold goes around them. */
START_TEST(test_large_copies) {
    enum { MANY = (36 << 18) + 5 };
    weft_graph *h = weft_graph_new(cx, "doubling");
    weft_client *c = NULL;
    weft_state *s = NULL;
    weft_program *p = NULL;
    weft_tensor *w = weft_graph_input(h, "w", "9437189xf32");
    float *v = malloc(MANY * sizeof *v);
    ck_assert_ptr_nonnull(v);
    weft_graph_update(h, w, weft_graph_add(h, w, w));
    OK(weft_client_open(cx, &(weft_client_options){ .devices = 1 }, &c));
    OK(weft_state_new(c, &s));
    OK(weft_program_load(c, h, NULL, &p));
    for (int i = 0; i < MANY; i++) v[i] = (float)(i % 1009);
    OK(weft_program_put(p, s, "w", v, MANY * sizeof *v));
    weft_array *before = weft_array_retain(weft_state_get(s, "w"));
    OK(weft_program_run(p, s));
    for (int of = 1; of <= 2; of++) {
        OK(weft_array_read(of == 1 ? before : weft_state_get(s, "w"), v, MANY * sizeof *v));
        for (int i = 0; i < MANY; i++)
            if (v[i] != (float)(of * (i % 1009))) ck_abort_msg("%d times element %d is %g", of, i, (double)v[i]);
    }
    weft_array_release(before);
    free(v);
    weft_program_close(p);
    weft_state_free(s);
    weft_client_close(c);
    weft_graph_free(h);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/program");
    TCase *tc = tcase_create("program");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_programs_share_a_state);
    tcase_add_test(tc, test_memory_that_will_not_do);
    tcase_add_test(tc, test_who_keeps_an_array_keeps_its_value);
    tcase_add_loop_test(tc, test_moved_inputs, 0, (int)(sizeof moves / sizeof *moves));
    tcase_add_test(tc, test_a_moved_update);
    tcase_add_test(tc, test_an_update_that_lies_otherwise);
    tcase_add_test(tc, test_times);
    tcase_add_test(tc, test_more_memory_than_there_is);
    tcase_add_test(tc, test_openings_have_lines);
    tcase_add_test(tc, test_without_a_mesh);
    tcase_add_test(tc, test_a_run_that_fails);
    tcase_add_loop_test(tc, test_a_device_that_fails_alone, 0, (int)(sizeof lonely / sizeof *lonely));
    tcase_add_loop_test(tc, test_mistakes, 0, (int)(sizeof mistakes / sizeof *mistakes));
    tcase_add_test(tc, test_a_graph_of_another_context);
    tcase_add_test(tc, test_nothing_is_done_with_nothing);
    tcase_add_test(tc, test_large_copies);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
