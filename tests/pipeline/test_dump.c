/* Modules that pipelines write to a directory: Shardy's files, under its names and numbers, each of which reads again;
 * and the diagnostic for a directory that cannot be made. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/pipeline.h"
#include "tests/support/suite.h"

static const char program[] =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\", ?}, {?}]>},\n"
    "                %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"y\", ?}p2, {?}]>}) -> tensor<8x8xf32> {\n"
    "  %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
    "  %1 = stablehlo.dot %0, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  return %1 : tensor<8x8xf32>\n"
    "}\n";

#define MOST 8
static const struct { const char *spec, *files[MOST];
} cases[] = {
    { "sdy-import-pipeline=dump-directory=%s", { "00.before_propagation.mlir" } },
    { "sdy-user-priority-propagate=module-dump-directory=%s", { "00.propagation_after_user_priority_0.mlir" } },
    { "sdy-basic-propagate=module-dump-directory=%s", { NULL } },
    { "sdy-save-module=dump-directory=%s dump-index=7 name=here", { "07.here.mlir" } },
    { "sdy-export-pipeline=dump-directory=%s",
      { "00.after_propagation.mlir", "01.after_minimal_partitioner_with_global_shapes.mlir" } },
    { "sdy-export-pipeline=dump-directory=%s enable-insert-explicit-collectives=true",
      { "00.after_propagation.mlir", "01.after_explicit_reshards.mlir",
        "02.after_partitioner_with_global_shapes.mlir" } },
    { "sdy-export-pipeline=dump-directory=%s enable-per-instruction-partitioning=true",
      { "00.after_propagation.mlir", "01.before_per_instruction_partitioning.mlir",
        "02.after_per_instruction_partitioning.mlir", "03.after_minimal_partitioner_with_global_shapes.mlir" } },
    { "sdy-export-pipeline=dump-directory=%s avoid-export-for-partitioning=true", { "00.after_propagation.mlir" } },
    { "sdy-propagation-pipeline=dump-directory=%s enable-insert-explicit-collectives=true",
      { "01.before_propagation.mlir", "02.after_propagation.mlir", "02.propagation_after_user_priority_0.mlir",
        "03.after_explicit_reshards.mlir", "04.after_partitioner_with_global_shapes.mlir" } },
    { "sdy-propagation-pipeline", { NULL } },
};

static char directory[64];

static void make_name(void) {
    snprintf(directory, sizeof directory, "/tmp/weft-dump-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(rmdir(directory), 0); /* the pipeline is to make it */
}

static weft_status run(weft_context *cx, const char *spec) {
    char text[512];
    weft_module *m = NULL;
    snprintf(text, sizeof text, spec, directory);
    weft_status st = weft_read_text(cx, weft_str_from(program), "program", 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, weft_str_from(text), WEFT_PIPELINE_VERIFY_EACH, &m);
    weft_module_free(m);
    return st;
}

static void ck_reads(const char *path) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_status st = weft_read_file(cx, path, 0, &m);
    ck_assert_msg(st == WEFT_OK, "%s: %s", path,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "cannot be read");
    weft_module_free(m);
    weft_context_free(cx);
}

static int count_files(void) {
    DIR *d = opendir(directory);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

START_TEST(leaves_shardys_files) {
    weft_context *cx = weft_context_new(NULL);
    int n = 0;
    make_name();
    weft_status st = run(cx, cases[_i].spec);
    ck_assert_msg(st == WEFT_OK, "%s: %s", cases[_i].spec,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "failed");
    for (; n < MOST && cases[_i].files[n]; n++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", directory, cases[_i].files[n]);
        ck_reads(path);
    }
    ck_assert_int_eq(count_files(), n);
    for (int i = 0; i < n; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", directory, cases[_i].files[i]);
        ck_assert_int_eq(unlink(path), 0);
    }
    rmdir(directory);
    weft_context_free(cx);
}
END_TEST

/* A file stands where the directory is to be, and where one above it is to be. */
static const char *const bad[] = { "sdy-import-pipeline=dump-directory=%s",
                                   "sdy-import-pipeline=dump-directory=%s/below" };

START_TEST(reports_a_bad_directory) {
    weft_context *cx = weft_context_new(NULL);
    make_name();
    FILE *f = fopen(directory, "w");
    ck_assert_ptr_nonnull(f);
    fclose(f);
    ck_assert_int_eq(run(cx, bad[_i]), WEFT_ERR_IO);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, directory));
    ck_assert_int_eq(unlink(directory), 0);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/dump");
    TCase *tc = tcase_create("dump");
    tcase_add_loop_test(tc, leaves_shardys_files, 0, WEFT_COUNT(cases));
    tcase_add_loop_test(tc, reports_a_bad_directory, 0, WEFT_COUNT(bad));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
