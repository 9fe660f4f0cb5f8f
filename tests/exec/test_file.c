/* Executables as bytes: written, read and written again they are equal; damage, other formats and random changes
 * under a valid hash are refused or read completely; a file that is read has its writer's fingerprint. */
#include <stdio.h>
#include "exec/file.h"
#include "exec/walk.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { FORMAT_AT = WEFT_FILE_FORMAT_AT, BODY_AT = WEFT_FILE_BODY_AT };

/* Loops with and without collectives, begun and waited for; branches; sorts; dense groups and groups of axes. */
static const char *const texts[] = {
    "func.func @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {\n"
    "  %r = stablehlo.sine %a : tensor<8x16xf32>\n  return %r : tensor<8x16xf32>\n}\n",

    "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>},\n"
    "                %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"y\"}, {}]>}) -> tensor<8x32xf32> {\n"
    "  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]\n"
    "    : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>\n"
    "  %t = stablehlo.tanh %r : tensor<8x32xf32>\n  return %t : tensor<8x32xf32>\n}\n",

    "sdy.mesh @mesh = <[\"x\"=4], device_ids=[3, 1, 2, 0]>\n"
    "func.func @main(%a: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, %n: tensor<i32>)\n"
    "    -> (tensor<16x8xf32>, tensor<8x16xf32>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %w:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<16x8xf32>\n"
    "  cond {\n"
    "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  } do {\n"
    "    %u = \"stablehlo.sort\"(%v) <{dimension = 0 : i64, is_stable = true}> ({\n"
    "    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "      %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %m = stablehlo.add %i, %one : tensor<i32>\n"
    "    stablehlo.return %m, %u : tensor<i32>, tensor<16x8xf32>\n"
    "  }\n"
    "  %s = \"stablehlo.case\"(%n) ({\n"
    "    %e = stablehlo.exponential %a : tensor<16x8xf32>\n    stablehlo.return %e : tensor<16x8xf32>\n"
    "  }, {\n"
    "    stablehlo.return %w#1 : tensor<16x8xf32>\n"
    "  }) : (tensor<i32>) -> tensor<16x8xf32>\n"
    "  %t = stablehlo.transpose %s, dims = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>\n"
    "  return %w#1, %t : tensor<16x8xf32>, tensor<8x16xf32>\n}\n",
};

static weft_status build(weft_context *cx, const char *text, unsigned flags, weft_built_program **out) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "some.mlir", 0, &m);
    if (st == WEFT_OK) st = weft_program_build(cx, m, &(weft_build_options){ .compile_flags = flags }, out);
    weft_module_free(m);
    return st;
}

static void expect_same(const weft_executable *x) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *read = NULL;
    weft_buf once, twice;
    weft_buf_init(&once, &cx->alloc);
    weft_buf_init(&twice, &cx->alloc);
    const char *wrong = weft_executable_wrong(x);
    ck_assert_msg(!wrong, "%s", wrong);
    ck_assert_int_eq(weft_executable_write(x, &once), WEFT_OK);
    const weft_status st = weft_executable_read(cx, once.p, once.n, "once", &read);
    ck_assert_msg(st == WEFT_OK, "%s", weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    ck_assert_uint_eq(read->fingerprint, x->fingerprint);
    ck_assert_int_eq(weft_plan_peak_bytes(&read->plan), weft_plan_peak_bytes(&x->plan));
    for (uint32_t i = 0; i < x->step_count; i++) {
        weft_buf a, b;
        weft_buf_init(&a, &cx->alloc);
        weft_buf_init(&b, &cx->alloc);
        weft_loc_print(&a, x->steps[i].loc);
        weft_loc_print(&b, read->steps[i].loc);
        ck_assert_str_eq(a.p, b.p);
        weft_buf_free(&a);
        weft_buf_free(&b);
    }
    ck_assert_int_eq(weft_executable_write(read, &twice), WEFT_OK);
    ck_assert_uint_eq(once.n, twice.n);
    ck_assert_mem_eq(once.p, twice.p, once.n);
    weft_executable_free(read);
    weft_buf_free(&once);
    weft_buf_free(&twice);
    weft_context_free(cx);
}

START_TEST(reads_what_it_writes) {
    static const unsigned flags[] = { 0, WEFT_COMPILE_PLAN_ONLY, WEFT_COMPILE_NO_OVERLAP };
    uint64_t print[WEFT_COUNT(flags)];
    for (size_t i = 0; i < WEFT_COUNT(flags); i++) {
        weft_context *cx = weft_context_new(NULL);
        weft_built_program *p = NULL;
        ck_assert_int_eq(build(cx, texts[_i], flags[i], &p), WEFT_OK);
        expect_same(p->exec);
        print[i] = p->exec->fingerprint;
        weft_built_program_free(p);
        weft_context_free(cx);
    }
    ck_assert_uint_eq(print[0], print[1]); /* a plan is the program's, with or without machine code */
}
END_TEST

/* Every program that the tests of the whole way have, where they are here. */
START_TEST(reads_shared_programs) {
    static const char *const names[] = { "embed",      "decode",      "conv_dp",       "conv_spatial", "dropout_rng",
                                         "fft_linalg", "gpt_s_fsdp_tp", "gpt_s_scan_fsdp" };
    const char *shared = getenv("WEFT_SHARED");
    char path[1024];
    snprintf(path, sizeof path, "%s/programs/%s.mlir", shared ? shared : "../shared", names[_i]);
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_built_program *p = NULL;
    FILE *f = fopen(path, "rb");
    if (!f) {
        printf("skipped: 1 (%s is not here)\n", path);
        weft_context_free(cx);
        return;
    }
    fclose(f);
    ck_assert_int_eq(weft_read_file(cx, path, 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_program_build(cx, m, NULL, &p), WEFT_OK);
    expect_same(p->exec);
    weft_built_program_free(p);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* ---- what is refused ---- */

typedef struct written { weft_context *cx; weft_built_program *p; weft_buf bytes; } written;

static void write_first(written *w, int which) {
    w->cx = weft_context_new(NULL);
    w->p = NULL;
    weft_buf_init(&w->bytes, &w->cx->alloc);
    ck_assert_int_eq(build(w->cx, texts[which], 0, &w->p), WEFT_OK);
    ck_assert_int_eq(weft_executable_write(w->p->exec, &w->bytes), WEFT_OK);
}

static void drop(written *w) {
    weft_buf_free(&w->bytes);
    weft_built_program_free(w->p);
    weft_context_free(w->cx);
}

static void expect_refused(const char *bytes, size_t n, const char *says) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    ck_assert_int_eq(weft_executable_read(cx, bytes, n, "some.weft", &x), WEFT_ERR_INVALID);
    ck_assert_ptr_null(x);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    const char *message = weft_context_diag(cx, 0)->message;
    ck_assert_msg(strstr(message, says) && strstr(message, "some.weft"), "%s", message);
    weft_context_free(cx);
}

START_TEST(refuses_other_files) {
    written w;
    write_first(&w, 0);
    expect_refused("", 0, "is no compiled program");
    expect_refused("module @main {}\n and more", 24, "is no compiled program");
    for (size_t n = BODY_AT; n < w.bytes.n; n += 1 + w.bytes.n / 50) expect_refused(w.bytes.p, n, "damaged");
    weft_buf_putc(&w.bytes, 0);
    expect_refused(w.bytes.p, w.bytes.n, "damaged");
    weft_file_seal(w.bytes.p, w.bytes.n);
    expect_refused(w.bytes.p, w.bytes.n, "is no compiled program: there is more after its end");
    w.bytes.n -= 2;
    weft_file_seal(w.bytes.p, w.bytes.n);
    expect_refused(w.bytes.p, w.bytes.n, "is no compiled program: a field of it cannot be");
    w.bytes.n++;
    w.bytes.p[FORMAT_AT]++;
    expect_refused(w.bytes.p, w.bytes.n, "has format 3 of compiled programs, and this Weft reads 2");
    w.bytes.p[FORMAT_AT]--;
    w.bytes.p[BODY_AT + 8]++; /* the version's first character, after its length */
    weft_file_seal(w.bytes.p, w.bytes.n);
    expect_refused(w.bytes.p, w.bytes.n, "was compiled by Weft");
    memset(w.bytes.p + BODY_AT, 0, 8); /* a text of no bytes is none */
    weft_file_seal(w.bytes.p, w.bytes.n);
    expect_refused(w.bytes.p, w.bytes.n, "was compiled by Weft without a version, and this is Weft");
    drop(&w);
}
END_TEST

/* Executables that were written whole and are wrong: each breaks one of the rules that exec/check.c holds. */
typedef struct wrong { weft_executable x; void *copy; } wrong;

static void *copy_of(wrong *w, const void *p, size_t bytes) {
    ck_assert_uint_gt(bytes, 0);
    ck_assert_ptr_nonnull(w->copy = malloc(bytes));
    return memcpy(w->copy, p, bytes);
}

static void no_memory(wrong *w) { w->x.temp_bytes = -1; }
static void third_of_a_replica(wrong *w) { w->x.device_count = w->x.partition_count + 1; }
static void negative_argument(wrong *w) {
    weft_exec_value *v = copy_of(w, w->x.args, w->x.arg_count * sizeof *v);
    v[0].bytes = -1;
    w->x.args = v;
}
static void alias_of_nothing(wrong *w) {
    weft_exec_value *v = copy_of(w, w->x.results, w->x.result_count * sizeof *v);
    v[0].alias = w->x.arg_count;
    w->x.results = v;
}
static void axis_without_devices(wrong *w) {
    weft_exec_mesh *m = copy_of(w, w->x.meshes, w->x.mesh_count * sizeof *m);
    static const int64_t none[8];
    ck_assert_uint_le(m[0].axis_count, WEFT_COUNT(none));
    m[0].sizes = none;
    w->x.meshes = m;
}
static void plan_past_its_end(wrong *w) {
    weft_plan_step *s = copy_of(w, w->x.plan.steps, w->x.plan.step_count * sizeof *s);
    s[0].kind = WEFT_PLAN_LOOP, s[0].body_steps = w->x.plan.step_count;
    w->x.plan.steps = s;
}
static void slice_past_its_end(wrong *w) {
    weft_step *s = copy_of(w, w->x.steps, w->x.step_count * sizeof *s);
    static const weft_slice far = { .space = WEFT_SPACE_RESULT, .index = 99 };
    s[0].slices = &far, s[0].slice_count = 1;
    w->x.steps = s;
}
static void scratch_of_no_buffer(wrong *w) {
    weft_step *s = copy_of(w, w->x.steps, w->x.step_count * sizeof *s);
    uint32_t i = 0;
    while (i + 1 < w->x.step_count && s[i].kind != WEFT_STEP_CALL) i++;
    s[i].code.split.scratch = s[i].slice_count;
    w->x.steps = s;
}
static void half_an_image(wrong *w) { w->x.image.function_count--; }

static const struct { void (*make)(wrong *w); const char *says; } wrongs[] = {
    { no_memory, "its memory has a negative size" },
    { third_of_a_replica, "its devices are not whole replicas" },
    { negative_argument, "an argument of it cannot be" },
    { alias_of_nothing, "a result of it cannot be" },
    { axis_without_devices, "a mesh of it has an axis without devices" },
    { plan_past_its_end, "its plan is not whole" },
    { slice_past_its_end, "a step of it refers to what is not there" },
    { scratch_of_no_buffer, "a step of it refers to what is not there" },
    { half_an_image, "its machine code is not whole" },
};

START_TEST(refuses_what_cannot_be) {
    written w;
    write_first(&w, 2);
    wrong bad = { *w.p->exec, NULL };
    wrongs[_i].make(&bad);
    w.bytes.n = 0;
    ck_assert_int_eq(weft_executable_write(&bad.x, &w.bytes), WEFT_OK);
    expect_refused(w.bytes.p, w.bytes.n, wrongs[_i].says);
    free(bad.copy);
    drop(&w);
}
END_TEST

START_TEST(finds_damage) {
    const uint64_t seed = weft_test_seed(1);
    weft_rng r = { seed };
    written w;
    printf("damage: seed %llu\n", (unsigned long long)seed);
    write_first(&w, _i);
    for (int k = 0; k < 200; k++) {
        const size_t at = BODY_AT + weft_rng_below(&r, (uint32_t)w.bytes.n - BODY_AT);
        const char bit = (char)(1u << weft_rng_below(&r, 8));
        w.bytes.p[at] ^= bit;
        expect_refused(w.bytes.p, w.bytes.n, "damaged");
        w.bytes.p[at] ^= bit;
    }
    drop(&w);
}
END_TEST

/* Changed bytes under a hash that fits: what is read is whole, what is not is reported, and nothing else happens. */
START_TEST(survives_changes) {
    const uint64_t seed = weft_test_seed(2);
    weft_rng r = { seed };
    written w;
    int read = 0;
    printf("changes: seed %llu\n", (unsigned long long)seed);
    write_first(&w, _i);
    for (int k = 0; k < weft_test_long(3000); k++) {
        weft_context *cx = weft_context_new(NULL);
        weft_executable *x = NULL;
        const size_t at = BODY_AT + weft_rng_below(&r, (uint32_t)w.bytes.n - BODY_AT);
        const char old = w.bytes.p[at];
        w.bytes.p[at] = (char)weft_rng_below(&r, 256);
        weft_file_seal(w.bytes.p, w.bytes.n);
        if (weft_executable_read(cx, w.bytes.p, w.bytes.n, "changed", &x) == WEFT_OK) {
            ck_assert_ptr_null(weft_executable_wrong(x));
            read++;
        } else ck_assert_uint_eq(weft_context_diag_count(cx), 1);
        weft_executable_free(x);
        weft_context_free(cx);
        w.bytes.p[at] = old;
    }
    ck_assert_int_gt(read, 0);
    drop(&w);
}
END_TEST

/* ---- memory ---- */

static weft_status read_bytes(weft_context *cx, void *user) {
    const written *w = user;
    weft_executable *x = NULL;
    const weft_status st = weft_executable_read(cx, w->bytes.p, w->bytes.n, "some.weft", &x);
    weft_executable_free(x);
    return st;
}

static weft_status write_bytes(weft_context *cx, void *user) {
    const written *w = user;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    const weft_status st = weft_executable_write(w->p->exec, &b);
    weft_buf_free(&b);
    return st;
}

START_TEST(survives_failing_memory) {
    written w;
    write_first(&w, 2);
    weft_test_each_failure(read_bytes, &w);
    weft_test_each_failure(write_bytes, &w);
    drop(&w);
}
END_TEST

int main(void) {
    Suite *s = suite_create("exec/file");
    TCase *tc = tcase_create("file");
    tcase_set_timeout(tc, 240);
    tcase_add_loop_test(tc, reads_what_it_writes, 0, WEFT_COUNT(texts));
    tcase_add_loop_test(tc, reads_shared_programs, 0, 8);
    tcase_add_test(tc, refuses_other_files);
    tcase_add_loop_test(tc, refuses_what_cannot_be, 0, WEFT_COUNT(wrongs));
    tcase_add_loop_test(tc, finds_damage, 0, WEFT_COUNT(texts));
    tcase_add_loop_test(tc, survives_changes, 0, WEFT_COUNT(texts));
    tcase_add_test(tc, survives_failing_memory);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
