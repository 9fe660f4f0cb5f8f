/* Memory that runs out in each command: every request fails once, and half-made objects are freed, once. */
#include <glob.h>

#include "pipeline/explain.h"
#include "pipeline/verify.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

#ifndef FAILURES
#define FAILURES 8 /* a pass and stage */
#endif

/* A program with what the ways differ in: a mesh, a number of partitions, a note, a loop, a sum over a cut dimension, a
 * call. */
static const char text[] =
    "module @m attributes {mhlo.num_partitions = 2 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%a: tensor<6x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}, %b: tensor<64x6xf32>)\n"
    "      -> (tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) {\n"
    "    %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x64xf32>, tensor<64x6xf32>) -> tensor<6x6xf32>\n"
    "    %c = sdy.sharding_constraint %d <@mesh, [{\"x\"}, {}]> : tensor<6x6xf32>\n"
    "    %z = stablehlo.constant dense<0> : tensor<i32>\n"
    "    %r:2 = stablehlo.while(%i = %z, %v = %c) : tensor<i32>, tensor<6x6xf32> cond {\n"
    "      %n = stablehlo.constant dense<2> : tensor<i32>\n"
    "      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %p : tensor<i1>\n"
    "    } do {\n"
    "      %o = stablehlo.constant dense<1> : tensor<i32>\n"
    "      %j = stablehlo.add %i, %o : tensor<i32>\n"
    "      %t = stablehlo.add %v, %c : tensor<6x6xf32>\n"
    "      stablehlo.return %j, %t : tensor<i32>, tensor<6x6xf32>\n"
    "    }\n"
    "    %s = call @twice(%r#1) : (tensor<6x6xf32>) -> tensor<6x6xf32>\n"
    "    return %s : tensor<6x6xf32>\n"
    "  }\n"
    "  func.func private @twice(%x: tensor<6x6xf32>) -> tensor<6x6xf32> {\n"
    "    %y = stablehlo.add %x, %x : tensor<6x6xf32>\n"
    "    return %y : tensor<6x6xf32>\n"
    "  }\n"
    "}\n";

static weft_status read_and(weft_context *cx, const char *pass, weft_module **m) {
    weft_status st = weft_read_text(cx, weft_str_from(text), "m.mlir", 0, m);
    if (st == WEFT_OK && pass) st = weft_pipeline_run(cx, weft_str_from(pass), 0, m);
    return st;
}

static weft_status passes(weft_context *cx, void *spec) {
    weft_module *m = NULL;
    weft_status st = read_and(cx, spec, &m);
    weft_module_free(m);
    return st;
}

static weft_status plan(weft_context *cx, void *unused) {
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    (void)unused;
    weft_status st = read_and(cx, NULL, &m);
    if (st == WEFT_OK)
        st = weft_program_build(cx, m, &(weft_build_options){ .compile_flags = WEFT_COMPILE_PLAN_ONLY }, &p);
    weft_built_program_free(p);
    weft_module_free(m);
    return st;
}

static weft_status explain(weft_context *cx, void *unused) {
    weft_module *m = NULL;
    weft_explanation e = { 0 };
    (void)unused;
    weft_status st = read_and(cx, NULL, &m);
    if (st == WEFT_OK) {
        st = weft_explanation_open(cx, m, &e);
        for (uint32_t slot = 0; st == WEFT_OK && slot < e.p.slot_count; slot++)
            for (uint32_t d = 0; e.p.of[slot] && d < e.p.of[slot]->rank; d++)
                for (uint32_t i = 0; i < e.p.of[slot]->dims[d].axes.n; i++)
                    (void)weft_explanation_root(&e, (weft_slot_axis){ slot, d, e.p.of[slot]->dims[d].axes.v[i] });
        weft_explanation_close(&e);
    }
    weft_module_free(m);
    return st;
}

/* With tolerance: equal. Without any: sums that are taken in another order differ, and the place is looked for. */
static weft_status verify(weft_context *cx, void *exactly) {
    weft_module *m = NULL;
    weft_verify *v = NULL;
    const double allowed = exactly ? 0 : -1;
    weft_status st = read_and(cx, "weft-prepare", &m);
    if (st == WEFT_OK)
        st = weft_verify_open(cx, m, &(weft_verify_options){ .rtol = allowed, .atol = allowed, .seed = 3 }, &v);
    if (st == WEFT_OK) st = weft_verify_run(v, m);
    weft_verify_close(v);
    weft_module_free(m);
    return exactly && st == WEFT_ERR_MISMATCH ? WEFT_OK : st;
}

static weft_status nothing(weft_context *cx, void *unused) {
    (void)cx, (void)unused;
    return WEFT_OK;
}

static const struct { const char *name; weft_test_body body; const char *with; } ways[] = {
    { "read", passes, NULL },
    { "propagate", passes, "sdy-propagation-pipeline" },
    { "partition", passes, "weft-partition" },
    { "draw", passes, "weft-draw-shardings=seed=3" },
    { "plan", plan, NULL },
    { "explain", explain, NULL },
    { "verify", verify, NULL },
    { "verify and locate", verify, "exactly" },
};

START_TEST(every_request_fails_once) {
    if (!weft_test_wanted(ways[_i].name)) return;
    weft_test_each_failure(ways[_i].body, (void *)ways[_i].with);
    ck_assert(weft_test_any_failure(nothing, ways[_i].body, (void *)ways[_i].with, weft_test_long(FAILURES)));
}
END_TEST

/* ---- each pass alone ---- */

/* What a pass may be for: the program as it was read, with shardings, with reshards, with collectives. */
static const char *const stages[] = { NULL, "sdy-propagation-pipeline", "weft-insert-reshards", "weft-lower-reshards" };
typedef struct alone { const char *text, *pass; } alone;

static weft_status read_stage(weft_context *cx, void *user) {
    const alone *a = user;
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(a->text), "m.mlir", 0, &m);
    weft_module_free(m);
    return st;
}

static weft_status run_pass(weft_context *cx, void *user) {
    const alone *a = user;
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(a->text), "m.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, weft_str_from(a->pass), 0, &m);
    weft_module_free(m);
    return st;
}

static char *text_of_stage(int n) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_buf b;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "m.mlir", 0, &m), WEFT_OK);
    for (int i = 1; i <= n; i++) ck_assert_int_eq(weft_pipeline_run(cx, weft_str_from(stages[i]), 0, &m), WEFT_OK);
    weft_buf_init(&b, &cx->alloc);
    ck_assert_int_eq(weft_print_module(m, WEFT_PRINT_PRETTY, &b), WEFT_OK);
    char *copy = strdup(b.p);
    weft_buf_free(&b);
    weft_module_free(m);
    weft_context_free(cx);
    return copy;
}

/* Passes that nothing of the program gives something to do say WEFT_OK, too: the other stages may. */
START_TEST(every_pass_bears_any_failure) {
    char *of = text_of_stage(_i);
    int ran = 0;
    for (size_t i = 0; i < weft_pass_count(); i++) {
        const weft_pass_info *p = weft_pass_at(i);
        alone a = { of, p->name };
        if (p->is_pipeline || !weft_test_wanted(p->name)) continue;
        ran += weft_test_any_failure(read_stage, run_pass, &a, weft_test_long(FAILURES));
    }
    free(of);
    ck_assert(ran > 0 || getenv("WEFT_ONLY"));
}
END_TEST

/* ---- programs that are refused ---- */

static weft_status partition_file_part(weft_context *cx, const char *part, size_t n) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, (weft_str){ part, n }, "m.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-partition"), 0, &m);
    weft_module_free(m);
    return st;
}

/* Each input of a file of cases: up to "// ==>". Returns how many there are. */
static int try_file(const char *path) {
    FILE *f = fopen(path, "rb");
    int count = 0;
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    const long size = ftell(f);
    rewind(f);
    char *all = calloc(1, (size_t)size + 1), *next;
    ck_assert_uint_eq(fread(all, 1, (size_t)size, f), (size_t)size);
    fclose(f);
    for (char *part = all; part; part = next, count++) {
        next = strstr(part, "\n// -----");
        if (next) *next = '\0', next += 9;
        const char *end = strstr(part, "\n// ==>");
        weft_test_alloc t;
        weft_test_alloc_init(&t, -1);
        weft_context *cx = weft_context_new(&t.alloc);
        (void)partition_file_part(cx, part, end ? (size_t)(end - part) : strlen(part));
        weft_context_free(cx);
        ck_assert_msg(t.live_blocks == 0, "%s, case %d: %ld blocks of %zu bytes are not given back", path, count + 1,
                      t.live_blocks, t.live_bytes);
    }
    free(all);
    return count;
}

/* Whatever becomes of a program, and most of these are made to be refused: what was drawn for it is given back. */
START_TEST(all_is_given_back) {
    const char *top = getenv("top_srcdir");
    char pattern[1024];
    glob_t files;
    int count = 0;
    snprintf(pattern, sizeof pattern, "%s/tests/*/*.mlir", top && *top ? top : ".");
    ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) count += try_file(files.gl_pathv[i]);
    globfree(&files);
    ck_assert_int_gt(count, 100);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/memory");
    TCase *tc = tcase_create("memory");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, every_request_fails_once, 0, (int)WEFT_COUNT(ways));
    tcase_add_loop_test(tc, every_pass_bears_any_failure, 0, (int)WEFT_COUNT(stages));
    tcase_add_test(tc, all_is_given_back);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
