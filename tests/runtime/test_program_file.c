/* Compiled programs as files: written and read they are equal; files cut off at any byte, damaged, of another format,
 * build or processor are refused in one diagnostic; changed bytes under a hash that fits are refused or whole. */
#include <stdio.h>
#include "exec/file.h"
#include "exec/build.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "runtime/program_file.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { FORMAT_AT = WEFT_FILE_FORMAT_AT, BODY_AT = WEFT_FILE_BODY_AT };

/* Uneven parts, an axis of two, devices in an order of their own, a donated argument, a name for a result. */
static const char text[] =
    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2], device_ids=[3, 1, 2, 0]>\n"
    "func.func @main(%a: tensor<7x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>,\n"
    "                                     tf.aliasing_output = 0 : i32},\n"
    "                %n: tensor<i32>)\n"
    "    -> (tensor<7x8xf32> {jax.result_info = \"next\"}, tensor<i32>) {\n"
    "  %s = stablehlo.sine %a : tensor<7x8xf32>\n"
    "  return %s, %n : tensor<7x8xf32>, tensor<i32>\n}\n";

typedef struct written { weft_context *cx; weft_built_program *p; weft_port_names names; weft_buf bytes; } written;

static void write_program(written *w) {
    weft_module *m = NULL;
    w->cx = weft_context_new(NULL);
    w->p = NULL;
    weft_buf_init(&w->bytes, &w->cx->alloc);
    ck_assert_int_eq(weft_read_text(w->cx, weft_str_from(text), "some.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_module_port_names(m, &w->cx->arena, &w->names), WEFT_OK);
    ck_assert_int_eq(weft_program_build(w->cx, m, NULL, &w->p), WEFT_OK);
    ck_assert_int_eq(weft_built_program_write(w->p, &w->names, &w->bytes), WEFT_OK);
    weft_module_free(m);
}

static void drop(written *w) {
    weft_buf_free(&w->bytes);
    weft_built_program_free(w->p);
    weft_context_free(w->cx);
}

START_TEST(reads_what_it_writes) {
    written w;
    write_program(&w);
    weft_context *cx = weft_context_new(NULL);
    weft_program_file *f = NULL;
    weft_buf again;
    weft_buf_init(&again, &cx->alloc);
    ck_assert(weft_program_file_is(w.bytes.p, w.bytes.n));
    ck_assert(!weft_program_file_is(text, sizeof text));
    ck_assert(!weft_program_file_is("WEFT", 4));
    ck_assert_int_eq(weft_program_file_read(cx, w.bytes.p, w.bytes.n, "some.weft", &f), WEFT_OK);
    ck_assert_uint_eq(f->exec->fingerprint, w.p->exec->fingerprint);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert(weft_layout_equal(&f->arg_layouts[i], &w.p->arg_layouts[i]));
        ck_assert(weft_layout_equal(&f->result_layouts[i], &w.p->result_layouts[i]));
    }
    ck_assert_str_eq(f->args[0].name, "a");
    ck_assert_str_eq(f->args[0].mesh, "x=2, y=2");
    ck_assert_str_eq(f->args[0].sharding, "x, y");
    ck_assert_str_eq(f->results[0].name, "next");
    ck_assert_str_eq(f->results[1].name, "out1");
    ck_assert_int_eq(f->exec->results[0].becomes, 0);
    ck_assert_int_eq(weft_program_file_write(f, &again), WEFT_OK);
    ck_assert_uint_eq(again.n, w.bytes.n);
    ck_assert_mem_eq(again.p, w.bytes.p, again.n);
    weft_buf_free(&again);
    weft_program_file_free(f);
    weft_context_free(cx);
    drop(&w);
}
END_TEST

static void expect_refused(const char *bytes, size_t n, weft_status status, const char *says) {
    weft_context *cx = weft_context_new(NULL);
    weft_program_file *f = NULL;
    ck_assert_int_eq(weft_program_file_read(cx, bytes, n, "some.weft", &f), status);
    ck_assert_ptr_null(f);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const char *message = weft_context_diag(cx, 0)->message;
    ck_assert_msg(strstr(message, says) != NULL, "%s", message);
    weft_context_free(cx);
}

START_TEST(refuses_other_files) {
    written w;
    write_program(&w);
    expect_refused("", 0, WEFT_ERR_INVALID, "'some.weft' is no compiled program");
    expect_refused(text, sizeof text, WEFT_ERR_INVALID, "'some.weft' is no compiled program");
    for (size_t n = 0; n < w.bytes.n; n++) expect_refused(w.bytes.p, n, WEFT_ERR_INVALID, "'some.weft' is ");
    weft_buf_putc(&w.bytes, 0);
    expect_refused(w.bytes.p, w.bytes.n, WEFT_ERR_INVALID, "is damaged or cut off");
    w.bytes.n--;
    w.bytes.p[FORMAT_AT] ^= 64;
    expect_refused(w.bytes.p, w.bytes.n, WEFT_ERR_INVALID, "of compiled programs, and this Weft reads");
    w.bytes.p[FORMAT_AT] ^= 64;
    char *build = w.bytes.p + BODY_AT + 8; /* after its length */
    ck_assert_str_eq(build, weft_build_name());
    build[strlen(build) - 1] ^= 1;
    weft_file_seal(w.bytes.p, w.bytes.n);
    expect_refused(w.bytes.p, w.bytes.n, WEFT_ERR_INVALID, "compile it again");
    drop(&w);
}
END_TEST

/* Under a hash that fits, as another machine would have written it. */
static void expect_image_refused(const char *machine, const char *needs, const char *says) {
    written w;
    write_program(&w);
    weft_executable other = *w.p->exec;
    if (machine) other.image.machine = machine;
    if (needs) other.image.needs = needs;
    if (!machine && !needs) other.image = (weft_image){ .machine = NULL }, other.content_count = 0;
    weft_built_program p = *w.p;
    p.exec = &other;
    w.bytes.n = 0;
    ck_assert_int_eq(weft_built_program_write(&p, &w.names, &w.bytes), WEFT_OK);
    expect_refused(w.bytes.p, w.bytes.n, WEFT_ERR_UNSUPPORTED, says);
    drop(&w);
}

START_TEST(refuses_other_processors) {
    expect_image_refused("vax", NULL, "the program's code is for vax, and this machine is ");
    expect_image_refused(NULL, "+sixfold", "compiled for a processor with sixfold, which this one lacks");
    expect_image_refused(NULL, "-sixfold,+more", "compiled for a processor with more, which this one lacks");
}
END_TEST

START_TEST(finds_damage) {
    const uint64_t seed = weft_test_seed(1);
    weft_rng r = { seed };
    written w;
    printf("damage: seed %llu\n", (unsigned long long)seed);
    write_program(&w);
    for (int k = 0; k < 500; k++) {
        const size_t at = BODY_AT + weft_rng_below(&r, (uint32_t)w.bytes.n - BODY_AT);
        const char bit = (char)(1u << weft_rng_below(&r, 8));
        w.bytes.p[at] ^= bit;
        expect_refused(w.bytes.p, w.bytes.n, WEFT_ERR_INVALID, "is damaged or cut off");
        w.bytes.p[at] ^= bit;
    }
    drop(&w);
}
END_TEST

/* What a session would divide by, allocate or index with. */
static void expect_whole(const weft_program_file *f) {
    for (uint32_t i = 0; i < f->exec->arg_count; i++) {
        const weft_layout *l = &f->arg_layouts[i];
        ck_assert_int_ge(weft_layout_global_bytes(l), 0);
        for (uint32_t d = 0; d < l->rank; d++)
            for (int64_t device = 0; device < l->device_count; device++)
                ck_assert_int_ge(weft_layout_shard(l, d, device), 0);
    }
}

START_TEST(survives_changes) {
    const uint64_t seed = weft_test_seed(2);
    weft_rng r = { seed };
    written w;
    int read = 0;
    printf("changes: seed %llu\n", (unsigned long long)seed);
    write_program(&w);
    for (int k = 0; k < weft_test_long(4000); k++) {
        weft_context *cx = weft_context_new(NULL);
        weft_program_file *f = NULL;
        /* half of them in the ports, which are at the beginning */
        const uint32_t span = k % 2 ? (uint32_t)w.bytes.n - BODY_AT : 600;
        const size_t at = BODY_AT + weft_rng_below(&r, span);
        const char old = w.bytes.p[at];
        w.bytes.p[at] = (char)weft_rng_below(&r, 256);
        weft_file_seal(w.bytes.p, w.bytes.n);
        if (weft_program_file_read(cx, w.bytes.p, w.bytes.n, "changed", &f) == WEFT_OK) expect_whole(f), read++;
        else ck_assert_uint_eq(weft_context_diag_count(cx), 1);
        weft_program_file_free(f);
        weft_context_free(cx);
        w.bytes.p[at] = old;
    }
    ck_assert_int_gt(read, 0);
    drop(&w);
}
END_TEST

static weft_status read_bytes(weft_context *cx, void *user) {
    const written *w = user;
    weft_program_file *f = NULL;
    const weft_status st = weft_program_file_read(cx, w->bytes.p, w->bytes.n, "some.weft", &f);
    weft_program_file_free(f);
    return st;
}

START_TEST(survives_failing_memory) {
    written w;
    write_program(&w);
    weft_test_each_failure(read_bytes, &w);
    drop(&w);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/program_file");
    TCase *tc = tcase_create("program_file");
    tcase_set_timeout(tc, 240);
    tcase_add_test(tc, reads_what_it_writes);
    tcase_add_test(tc, refuses_other_files);
    tcase_add_test(tc, refuses_other_processors);
    tcase_add_test(tc, finds_damage);
    tcase_add_test(tc, survives_changes);
    tcase_add_test(tc, survives_failing_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
