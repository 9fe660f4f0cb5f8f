/* Programs of graphs that are kept: another process, here another context, finds what one has compiled, with its
 * results, shardings and warnings; of programs that differ in anything each is compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weft/array.h>
#include "exec/cache.h"
#include "tests/support/suite.h"

static char folder[] = "/tmp/weft-kept-XXXXXX";

static void setup(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("WEFT_CACHE_DIR", folder, 1), 0);
}

static void teardown(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static bool count_one(void *user, const weft_cache_entry *e) {
    ck_assert(e->whole);
    *(int *)user += e->kind == WEFT_CACHE_PROGRAM;
    return true;
}

static int programs_kept(void) {
    weft_context *cx = weft_context_new(NULL);
    weft_cache *c;
    int n = 0;
    ck_assert_int_eq(weft_cache_open(cx, &(weft_cache_place){ .dir = folder }, &c), WEFT_OK);
    ck_assert(weft_cache_each(c, count_one, &n));
    weft_cache_close(c);
    weft_context_free(cx);
    return n;
}

/* What may differ. */
typedef struct variant {
    const char *input, *output, *mesh;
    double factor;
    int64_t memory_bytes;
    int obeyed, line, silent;
} variant;

static const variant usual = { "w", "sum", "a=2, b=2", 2, 0, 0, 10, 0 };

typedef struct outcome {
    float sum;
    char in[32], out[32];     /* shardings */
    size_t said;              /* diagnostics */
    char message[256];        /* the first of them */
    int64_t said_line;
} outcome;

/* w = w * factor in each step, "sum" its sum; w is left unreduced over an axis, which the build warns of. */
static weft_graph *make(weft_context *cx, const variant *v) {
    const weft_source at = { "kept.c", v->line };
    weft_graph *g = weft_graph_new(cx, "kept");
    weft_tensor *w = weft_graph_input_at(at, g, v->input, "8x4xf32");
    weft_tensor *u = weft_graph_input_at(at, g, "u", "8x4xf32");
    const weft_device_mesh *mesh = weft_graph_mesh_at(at, g, v->mesh);
    weft_shard_at(at, g, w, mesh, "a, -");
    weft_shard_at(at, g, u, mesh, "-, -; unreduced b");
    weft_tensor *next = weft_graph_add(g, weft_graph_scale_at(at, g, w, v->factor), weft_graph_sine(g, u));
    weft_graph_update_at(at, g, w, next);
    weft_graph_output_at(at, g, v->output, weft_graph_reduce_at(at, g, "add", next, WEFT_DIMS(0, 1)));
    return g;
}

static outcome run(const variant *v) {
    weft_context *cx = weft_context_new(NULL);
    weft_graph *g = make(cx, v);
    const weft_job_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o, .memory_bytes = v->memory_bytes,
                                 .constraints = v->obeyed ? WEFT_CONSTRAINTS_OBEYED : WEFT_CONSTRAINTS_WEIGHED };
    weft_job *j = NULL;
    outcome r = { 0 };
    float w[32];
    for (int i = 0; i < 32; i++) w[i] = (float)i;
    if (v->silent) ck_assert_int_eq(weft_context_silence(cx, "constraint"), WEFT_OK);
    weft_status st = weft_job_open(cx, g, &o, &j);
    if (st == WEFT_OK) st = weft_job_write(j, v->input, w, sizeof w);
    for (int i = 0; i < 2 && st == WEFT_OK; i++) st = weft_job_step(j);
    if (st == WEFT_OK) st = weft_job_read(j, v->output, &r.sum, sizeof r.sum);
    r.said = weft_context_diag_count(cx);
    if (r.said) {
        snprintf(r.message, sizeof r.message, "%s", weft_context_diag(cx, 0)->message);
        r.said_line = weft_context_diag(cx, 0)->line;
    }
    ck_assert_msg(st == WEFT_OK, "%s", r.message);
    snprintf(r.in, sizeof r.in, "%s", weft_job_input_sharding(j, v->input));
    snprintf(r.out, sizeof r.out, "%s", weft_job_output_sharding(j, v->input));
    weft_job_close(j);
    weft_graph_free(g);
    weft_context_free(cx);
    return r;
}

START_TEST(test_is_found) {
    const outcome first = run(&usual);
    ck_assert_int_eq(programs_kept(), 1);
    const outcome second = run(&usual);
    ck_assert_int_eq(programs_kept(), 1);
    ck_assert_float_eq(first.sum, 4 * 496);
    ck_assert_float_eq(second.sum, first.sum);
    ck_assert_str_eq(first.in, "a, -");
    ck_assert_str_eq(second.in, first.in);
    ck_assert_str_eq(second.out, first.out);
    ck_assert_uint_eq(first.said, 1);
    ck_assert_uint_eq(second.said, 1);
    ck_assert_str_eq(second.message, first.message);
    ck_assert_int_eq(first.said_line, 10);
    ck_assert_int_eq(second.said_line, 10);
}
END_TEST

/* Each differs from the usual one in one thing, and is a program of its own. */
START_TEST(test_counts) {
    variant v[] = { usual, usual, usual, usual, usual, usual, usual, usual, usual };
    v[1].input = "v";
    v[2].output = "out put"; /* no name of MLIR's */
    v[3].mesh = "a=4, b=1";
    v[4].factor = 3;
    v[5].memory_bytes = 1 << 20;
    v[6].obeyed = 1;
    v[7].line = 11;          /* errors name it */
    v[8].silent = 1;
    for (int i = 0; i < (int)(sizeof v / sizeof *v); i++) {
        for (int again = 0; again < 2; again++) {
            const outcome r = run(&v[i]);
            ck_assert_msg(programs_kept() == i + 1, "variant %d: %d programs are kept", i, programs_kept());
            ck_assert_float_eq(r.sum, i == 4 ? 9 * 496 : 4 * 496);
            if (i == 8) ck_assert_uint_eq(r.said, 0);
            else ck_assert_int_eq(r.said_line, v[i].line);
        }
    }
}
END_TEST

/* Rules of the context's own are not in the key. */
START_TEST(test_is_not_kept_with_rules) {
    for (int i = 0; i < 2; i++) {
        weft_context *cx = weft_context_new(NULL);
        weft_graph *g = make(cx, &usual);
        weft_job *j;
        ck_assert_int_eq(weft_rule_register(cx, "mine", "ij->ij"), WEFT_OK);
        ck_assert_int_eq(weft_job_open(cx, g, &(weft_job_options){ .launch = WEFT_LAUNCH_THREADS }, &j), WEFT_OK);
        weft_job_close(j);
        weft_graph_free(g);
        weft_context_free(cx);
    }
    ck_assert_int_eq(programs_kept(), 0);
}
END_TEST

/* Processes that want it at once all have it, and it is compiled once. */
START_TEST(test_is_shared) {
    pid_t pids[6];
    for (int i = 0; i < 6; i++) {
        pids[i] = fork();
        ck_assert_int_ge(pids[i], 0);
        if (!pids[i]) _exit(run(&usual).sum == 4 * 496 ? 0 : 1);
    }
    for (int i = 0; i < 6; i++) {
        int status;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
    }
    ck_assert_int_eq(programs_kept(), 1);
}
END_TEST

/* An entry that is no program, as of another format, is none. */
START_TEST(test_survives_damage) {
    char command[256];
    (void)run(&usual);
    snprintf(command, sizeof command, "for f in '%s'/program-*; do dd if=/dev/zero of=$f bs=1 seek=%d count=40 conv=notrunc status=none; done",
             folder, 2000);
    ck_assert_int_eq(system(command), 0);
    const outcome r = run(&usual);
    ck_assert_float_eq(r.sum, 4 * 496);
    ck_assert_uint_eq(r.said, 1);
    ck_assert_int_eq(programs_kept(), 1);
}
END_TEST

int main(void) {
    Suite *s = suite_create("capi/kept");
    TCase *tc = tcase_create("kept");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_is_found);
    tcase_add_test(tc, test_counts);
    tcase_add_test(tc, test_is_not_kept_with_rules);
    tcase_add_test(tc, test_is_shared);
    tcase_add_test(tc, test_survives_damage);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
