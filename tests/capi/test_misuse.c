/* Misuse of each function of graph.h and weft.h gives a status and one diagnostic, and has no other effect. That of
 * functions that run graphs, or make them from files, is reported at the caller's line.
 * coll.h: tests/collectives/test_misuse.c. */
#include <weft/checkpoint.h>
#include <weft/data.h>
#include <weft/dryrun.h>
#include <weft/tokenizer.h>

#include "tests/support/suite.h"

static weft_context *cx;
static weft_graph *g;
static weft_tensor *x, *whole; /* 4x4xf32, 4x4xi32 */
static const weft_device_mesh *mesh;
static weft_tensor *out[1];
static char *text;
static weft_graph *read;
static weft_job *job;

static void setup(void) {
    cx = weft_context_new(NULL);
    g = weft_graph_new(cx, "misuse");
    x = weft_graph_input(g, "x", "4x4xf32");
    whole = weft_graph_input(g, "whole", "4x4xi32");
    mesh = weft_graph_mesh(g, "a=2, b=2");
    read = NULL;
}

static void teardown(void) {
    weft_graph_free(g);
    weft_context_free(cx);
}

static weft_tensor *foreign(void) { /* of a graph that stays */
    static weft_graph *other;
    weft_graph_free(other);
    other = weft_graph_new(cx, "other");
    return weft_graph_input(other, "z", "4x4xf32");
}

/* A call as an expression: MAKES of the graph, whose status it leaves; RETURNS a status itself. */
#define MAKES(number, call) case number: call; return weft_graph_status(g);
#define RETURNS(number, call) case number: return call;
#define NULL_DIMS ((weft_dims){ NULL, 2 })
enum { CALLS = 80 };
static weft_status misuse(int i) {
    switch (i) {
    MAKES(0, weft_graph_input(g, "q", NULL))
    MAKES(1, weft_graph_input(g, NULL, "4xf32"))
    MAKES(2, weft_graph_input(g, "x", "4xf32"))
    MAKES(3, weft_graph_output(g, "y", NULL))
    MAKES(4, weft_graph_output(g, NULL, x))
    MAKES(5, weft_graph_output(g, "y", x); weft_graph_output(g, "y", x))
    MAKES(6, weft_graph_mesh(g, NULL))
    MAKES(7, weft_graph_mesh(g, "a=0"))
    MAKES(8, weft_graph_mesh(g, "a=9999999999999999999"))
    MAKES(9, weft_graph_mesh(g, "a=4294967296, b=4294967296"))
    MAKES(10, weft_shard(g, x, mesh, NULL))
    MAKES(11, weft_shard(g, x, NULL, "a, -"))
    MAKES(12, weft_shard(g, x, mesh, "a, -"); weft_shard(g, x, mesh, "a, -"))
    MAKES(13, weft_shard(g, x, mesh, "a"))
    MAKES(14, weft_shard(g, x, mesh, "z, -"))
    MAKES(15, weft_shard(g, NULL, mesh, "a, -"))
    MAKES(16, weft_graph_pointwise(g, NULL, x))
    MAKES(17, weft_graph_pointwise(g, "frob", x))
    MAKES(18, weft_graph_pointwise(g, "add", x))
    MAKES(19, weft_graph_pointwise_at(WEFT_HERE, g, "add", NULL, 2))
    MAKES(20, weft_graph_add(g, x, whole))
    MAKES(21, weft_graph_add(g, x, NULL))
    MAKES(22, weft_graph_add(g, x, foreign()))
    MAKES(23, weft_graph_and(g, x, x))
    MAKES(24, weft_graph_compare(g, NULL, x, x))
    MAKES(25, weft_graph_compare(g, "lt", x, x))
    MAKES(26, weft_graph_convert(g, x, NULL))
    MAKES(27, weft_graph_convert(g, x, "f31"))
    MAKES(28, weft_graph_scale(g, NULL, 2))
    MAKES(29, weft_graph_broadcast(g, x, WEFT_DIMS(4, 4), WEFT_DIMS(1)))
    MAKES(30, weft_graph_broadcast(g, x, NULL_DIMS, WEFT_DIMS(0, 1)))
    MAKES(31, weft_graph_broadcast(g, x, WEFT_DIMS(4, 4), NULL_DIMS))
    MAKES(32, weft_graph_broadcast(g, x, WEFT_DIMS(-4, 4), WEFT_DIMS(0, 1)))
    MAKES(33, weft_graph_broadcast(g, x, WEFT_DIMS(INT64_MAX, 4, 4), WEFT_DIMS(1, 2)))
    MAKES(34, weft_graph_broadcast_like(g, x, NULL, WEFT_DIMS(0, 1)))
    MAKES(35, weft_graph_broadcast_like(g, x, x, NULL_DIMS))
    MAKES(36, weft_graph_reshape(g, x, WEFT_DIMS(3)))
    MAKES(37, weft_graph_reshape(g, x, NULL_DIMS))
    MAKES(38, weft_graph_reshape(g, x, WEFT_DIMS((int64_t)1 << 62, (int64_t)1 << 62)))
    MAKES(39, weft_graph_transpose(g, x, WEFT_DIMS(0, 0)))
    MAKES(40, weft_graph_transpose(g, x, WEFT_DIMS(0, 99)))
    MAKES(41, weft_graph_transpose(g, x, NULL_DIMS))
    MAKES(42, weft_graph_slice(g, x, WEFT_DIMS(0), WEFT_DIMS(4, 4), WEFT_NO_DIMS))
    MAKES(43, weft_graph_slice(g, x, WEFT_DIMS(-1, 0), WEFT_DIMS(4, 4), WEFT_NO_DIMS))
    MAKES(44, weft_graph_slice(g, x, WEFT_DIMS(0, 0), WEFT_DIMS(4, 4), WEFT_DIMS(0, 1)))
    MAKES(45, weft_graph_slice(g, x, NULL_DIMS, WEFT_DIMS(4, 4), WEFT_NO_DIMS))
    MAKES(46, weft_graph_concatenate(g, NULL, 2, 0))
    MAKES(47, weft_graph_concatenate(g, &x, 0, 0))
    MAKES(48, weft_graph_concatenate(g, &x, 1, 7))
    MAKES(49, weft_graph_einsum(g, NULL, x, x))
    MAKES(50, weft_graph_einsum(g, "ij,jk", x, x))
    MAKES(51, weft_graph_einsum(g, "i,j->ij", x, x))
    MAKES(52, weft_graph_einsum(g, "ij,jk->ik", x, whole))
    MAKES(53, weft_graph_reduce(g, NULL, x, WEFT_DIMS(0)))
    MAKES(54, weft_graph_reduce(g, "divide", x, WEFT_DIMS(0)))
    MAKES(55, weft_graph_reduce(g, "add", x, WEFT_DIMS(0, 5)))
    MAKES(56, weft_graph_reduce(g, "add", x, WEFT_DIMS(0, 0)))
    MAKES(57, weft_graph_reduce(g, "add", x, NULL_DIMS))
    MAKES(58, weft_graph_reduce(g, "xor", x, WEFT_DIMS(0)))
    MAKES(59, weft_graph_constant(g, "4xf32", NULL, 16))
    MAKES(60, weft_graph_constant(g, "4xf32", "....", 4))
    MAKES(61, weft_graph_fill(g, NULL, 1))
    MAKES(62, weft_graph_fill_like(g, NULL, 1))
    MAKES(63, weft_graph_iota(g, "4xf32", -1))
    MAKES(64, weft_graph_op(g, NULL, &x, 1, NULL, NULL, out, 1))
    MAKES(65, weft_graph_op(g, "stablehlo.reverse", &x, 1, "{nonsense", NULL, out, 1))
    MAKES(66, weft_graph_op(g, "stablehlo.tanh", &x, 1, NULL, "4xf32; 4xf32", out, 1))
    MAKES(67, weft_graph_op(g, "stablehlo.tanh", &x, 1, NULL, NULL, NULL, 1))
    MAKES(68, weft_graph_op(g, "stablehlo.tanh", NULL, 1, NULL, NULL, out, 1))
    MAKES(69, weft_graph_update(g, NULL, x))
    MAKES(70, weft_graph_update(g, x, whole))
    MAKES(71, weft_graph_update(g, weft_graph_tanh(g, x), x))
    RETURNS(72, weft_rule_register(cx, NULL, "ij->ij"))
    RETURNS(73, weft_graph_text(g, NULL))
    RETURNS(74, weft_graph_read(cx, NULL, &read))
    RETURNS(75, weft_graph_read(cx, "-", NULL))
    RETURNS(76, weft_graph_read_text(cx, "text", NULL, 7, &read))
    RETURNS(77, weft_graph_read_text(cx, NULL, NULL, 0, &read))
    RETURNS(78, weft_context_werror(cx, NULL))
    RETURNS(79, weft_context_silence(cx, NULL))
    }
    return WEFT_OK;
}

START_TEST(test_calls) {
    const weft_status st = misuse(_i);
    ck_assert_msg(st == WEFT_ERR_USAGE || st == WEFT_ERR_INVALID, "call %d: %s", _i, weft_status_name(st));
    size_t errors = 0, places = 0; /* of an error or of its notes */
    for (size_t i = 0; i < weft_context_diag_count(cx); i++) {
        const weft_diag *d = weft_context_diag(cx, i);
        errors += d->severity == WEFT_ERROR;
        places += d->file && strstr(d->file, "test_misuse.c");
    }
    ck_assert_msg(errors == 1 && (places || _i >= 77), "call %d: %zu errors, %zu places: %s", _i, errors, places,
                  weft_context_diag(cx, 0)->message);
    ck_assert_ptr_null(read);
}
END_TEST

/* Calls on what a graph is run by, and on what it is made from. */
static weft_client *client;
static weft_state *state;
static weft_tokenizer *tokenizer;
static weft_dryrun *plan;
static weft_program *program;
static const weft_program_time *times;
static size_t count;
static float data[4];
static int64_t place[2];
#define REPORTS(number, call) case number: (void)(call); return;
enum { RUN_CALLS = 27 };
static void misuse_running(int i) {
    switch (i) {
    REPORTS(0, weft_job_write(job, "nothing", data, sizeof data))
    REPORTS(1, weft_job_write(job, "x", data, 3))
    REPORTS(2, weft_job_write(job, "x", NULL, sizeof data))
    REPORTS(3, weft_job_read(job, "y", data, sizeof data))
    REPORTS(4, weft_job_read(job, "nothing", data, sizeof data))
    REPORTS(5, weft_job_read(job, "y", data, 1))
    REPORTS(6, weft_job_input_sharding(job, "nothing"))
    REPORTS(7, weft_job_output_sharding(job, "nothing"))
    REPORTS(8, weft_job_input_part(job, "x", 5, place, place, 1))
    REPORTS(9, weft_job_output_part(job, "y", 0, place, place, 2))
    REPORTS(10, weft_job_output_part(job, "y", 0, NULL, place, 1))
    REPORTS(11, weft_job_open(cx, g, NULL, NULL))
    REPORTS(12, weft_client_open(cx, NULL, NULL))
    REPORTS(13, weft_state_new(client, NULL))
    REPORTS(14, weft_checkpoint_load(client, "/nothing/here", state, NULL, NULL))
    REPORTS(15, weft_program_times(program, NULL, &count, NULL))
    REPORTS(16, weft_program_times(program, &times, &count, NULL))
    REPORTS(17, weft_dryrun_make(cx, NULL, NULL, &plan))
    REPORTS(18, weft_dryrun_make(cx, g, NULL, NULL))
    REPORTS(19, weft_tokenizer_open(cx, NULL, &tokenizer))
    REPORTS(20, weft_tokenizer_open(cx, "/nothing/here", &tokenizer))
    REPORTS(21, weft_graph_read(cx, "/nothing/here.mlir", &read))
    REPORTS(22, weft_program_run(program, state))
    REPORTS(23, weft_checkpoint_save(client, NULL, state, 1, NULL))
    REPORTS(24, weft_array_from(client, "4xf32", NULL, NULL, data, 3, NULL))
    REPORTS(25, weft_tokens_open(cx, "/nothing/here", NULL, NULL))
    REPORTS(26, weft_program_load(client, NULL, NULL, &program))
    }
}

START_TEST(test_running) {
    weft_graph *h = weft_graph_new(cx, "running");
    weft_tensor *v = weft_graph_input(h, "x", "4xf32");
    weft_graph_output(h, "y", weft_graph_tanh(h, v));
    ck_assert_int_eq(weft_job_open(cx, h, &(weft_job_options){ .launch = WEFT_LAUNCH_THREADS }, &job), WEFT_OK);
    ck_assert_int_eq(weft_client_open(cx, &(weft_client_options){ .devices = 1 }, &client), WEFT_OK);
    ck_assert_int_eq(weft_program_load(client, h, NULL, &program), WEFT_OK);
    weft_program *loaded = program;
    ck_assert_int_eq(weft_state_new(client, &state), WEFT_OK);
    misuse_running(_i);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_msg(d != NULL, "call %d reports nothing", _i);
    ck_assert_msg(d->severity == WEFT_ERROR && d->file && strstr(d->file, "test_misuse.c"), "call %d: %s:%lld: %s", _i,
                  d->file ? d->file : "nowhere", (long long)d->line, d->message);
    weft_state_free(state);
    weft_program_close(loaded);
    weft_client_close(client);
    weft_job_close(job);
    weft_graph_free(h);
}
END_TEST

/* What weft_graph_new returned when memory was out goes through a whole program. */
START_TEST(test_no_graph) {
    weft_tensor *y = weft_graph_tanh(NULL, weft_graph_input(NULL, "y", "4xf32"));
    const weft_device_mesh *none = weft_graph_mesh(NULL, "a=2");
    y = weft_shard(NULL, y, none, "a");
    weft_graph_op(NULL, "stablehlo.tanh", &y, 1, NULL, NULL, out, 1);
    weft_graph_update(NULL, y, y);
    weft_graph_output(NULL, "y", weft_graph_reduce(NULL, "add", y, WEFT_DIMS(0)));
    ck_assert(!y && !none && !out[0]);
    ck_assert_int_eq(weft_graph_status(NULL), WEFT_ERR_USAGE);
    ck_assert_ptr_null(weft_graph_get_input(NULL, 0, NULL));
    ck_assert_ptr_null(weft_graph_get_output(NULL, 0, NULL));
    ck_assert_int_eq(weft_graph_text(NULL, &text), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_job_open(cx, NULL, &(weft_job_options){ .launch = WEFT_LAUNCH_THREADS }, &job),
                     WEFT_ERR_USAGE);
    ck_assert_ptr_null(job);
    weft_graph_free(NULL);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/misuse");
    TCase *tc = tcase_create("misuse");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, test_calls, 0, CALLS);
    tcase_add_loop_test(tc, test_running, 0, RUN_CALLS);
    tcase_add_test(tc, test_no_graph);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
