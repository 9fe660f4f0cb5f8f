/* Programs in files: what was compiled is read by another client and trains on, inputs updated in place; files that are
 * not there, are of other devices or are no programs leave the client as it was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <weft/array.h>
#include "tests/support/suite.h"

static weft_context *cx;
static weft_client *client;
static char path[] = "/tmp/weft-program-XXXXXX";

static void open_client(int devices) {
    const weft_client_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .devices = devices };
    cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_client_open(cx, &o, &client), WEFT_OK);
}

static void close_client(void) {
    weft_client_close(client);
    weft_context_free(cx);
}

static void setup(void) {
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    open_client(4);
}

static void teardown(void) {
    close_client();
    unlink(path);
}

static const char *last_message(void) {
    size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1)->message : "";
}

#define OK(call) ck_assert_msg((call) == WEFT_OK, "%s: %s", #call, last_message())

/* w += x; "sum": of w. */
static weft_program *compile(void) {
    weft_graph *g = weft_graph_new(cx, "train");
    weft_program *p;
    weft_tensor *w = weft_graph_input(g, "w", "6x8xf32"), *x = weft_graph_input(g, "x", "6x8xf32");
    weft_shard(g, w, weft_graph_mesh(g, "a=2, b=2"), "a, b");
    weft_tensor *next = weft_graph_add(g, w, x);
    weft_graph_update(g, w, next);
    weft_graph_output(g, "sum", weft_graph_reduce(g, "add", next, WEFT_DIMS(0, 1)));
    OK(weft_program_load(client, g, NULL, &p));
    weft_graph_free(g);
    return p;
}

static float step(weft_program *p, weft_state *s) {
    float sum = NAN;
    OK(weft_program_run(p, s));
    OK(weft_array_read(weft_program_output(p, "sum"), &sum, sizeof sum));
    return sum;
}

START_TEST(test_a_file_trains_on) {
    weft_program *p = compile(), *q;
    weft_state *s;
    float ones[48], sum;
    for (int i = 0; i < 48; i++) ones[i] = 1;
    OK(weft_program_write(p, path));
    weft_program_close(p);
    close_client();

    open_client(4);
    OK(weft_program_read(client, path, &q));
    ck_assert_str_eq(weft_program_input_name(q, 0), "w");
    ck_assert_str_eq(weft_program_input_name(q, 1), "x");
    ck_assert_ptr_null(weft_program_input_name(q, 2));
    ck_assert_str_eq(weft_program_input_type(q, "w"), "6x8xf32");
    ck_assert_str_eq(weft_program_input_mesh(q, "w"), "a=2, b=2");
    ck_assert_str_eq(weft_program_input_sharding(q, "w"), "a, b");
    OK(weft_state_new(client, &s));
    OK(weft_program_put_zeros(q, s));
    OK(weft_program_put(q, s, "x", ones, sizeof ones));
    for (int k = 1; k <= 3; k++) {
        sum = step(q, s);
        ck_assert_float_eq(sum, (float)(48 * k));
    }
    ck_assert_ptr_eq(weft_program_output(q, "w"), weft_state_get(s, "w")); /* an update */

    /* What was read is written again, and the graph's arrays lie as that program wants them. */
    OK(weft_program_write(q, path));
    weft_program_close(q);
    OK(weft_program_read(client, path, &q));
    sum = step(q, s);
    ck_assert_float_eq(sum, 48 * 4);
    weft_program_close(q);
    p = compile();
    sum = step(p, s);
    ck_assert_float_eq(sum, 48 * 5);
    weft_program_close(p);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0); /* nothing was moved */
    weft_state_free(s);
}
END_TEST

/* The functions of a graph are kept in the folder that the environment names. */
START_TEST(test_functions_are_kept) {
    char folder[] = "/tmp/weft-kept-XXXXXX", command[128];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    setenv("WEFT_CACHE_DIR", folder, 1);
    weft_program_close(compile());
    snprintf(command, sizeof command, "[ \"$(ls '%s' | grep -c '^kernel-')\" -ge 1 ]", folder);
    ck_assert_int_eq(system(command), 0);
    weft_program *p = compile(); /* from there */
    weft_state *s;
    OK(weft_state_new(client, &s));
    OK(weft_program_put_zeros(p, s));
    const float sum = step(p, s);
    ck_assert_float_eq(sum, 0);
    weft_state_free(s);
    weft_program_close(p);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    setenv("WEFT_CACHE_DIR", "none", 1);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
}
END_TEST

static void expect_refused(weft_status want, const char *from, const char *says) {
    weft_program *p = (weft_program *)path;
    ck_assert_int_eq(weft_program_read(client, from, &p), want);
    ck_assert_ptr_null(p);
    ck_assert_msg(strstr(last_message(), says) != NULL, "%s", last_message());
}

START_TEST(test_mistakes) {
    weft_program *p = compile();
    OK(weft_program_write(p, path));
    ck_assert_int_eq(weft_program_write(p, "/no/such/folder/x"), WEFT_ERR_IO);
    ck_assert_str_eq(last_message(), "'/no/such/folder/x' cannot be written: No such file or directory");
    ck_assert_int_eq(weft_program_write(p, NULL), WEFT_ERR_USAGE);
    weft_program_close(p);
    expect_refused(WEFT_ERR_IO, "/no/such/folder/x", "'/no/such/folder/x' cannot be opened");
    expect_refused(WEFT_ERR_USAGE, NULL, "the path of a program is NULL");
    ck_assert_int_eq(weft_program_read(client, path, NULL), WEFT_ERR_USAGE);
    ck_assert_int_eq(weft_program_read(NULL, path, &p), WEFT_ERR_USAGE);
    ck_assert_ptr_null(p);
    ck_assert_int_eq(weft_program_write(NULL, path), WEFT_ERR_USAGE);
    OK(weft_program_read(client, path, &p)); /* the client has gone on */
    weft_program_close(p);
    close_client();

    open_client(2);
    expect_refused(WEFT_ERR_USAGE, path, "is compiled for 4 devices, the client has 2");
    ck_assert_int_eq(truncate(path, 100), 0);
    expect_refused(WEFT_ERR_INVALID, path, "is damaged or cut off");
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs("module @main {}\n", f);
    fclose(f);
    expect_refused(WEFT_ERR_INVALID, path, "is no compiled program");
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/program_file");
    TCase *tc = tcase_create("program_file");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_a_file_trains_on);
    tcase_add_test(tc, test_functions_are_kept);
    tcase_add_test(tc, test_mistakes);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
