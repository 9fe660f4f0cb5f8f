/* Executables made by hand and loaded: refusals of the loader, kernels' states, and images of real programs: they
 * contain no address of this process, and run wherever they are mapped. */
#include "codegen/compile.h"
#include "exec/load.h"
#include "exec/kernels/kernels.h"
#include "exec/kernels/library.h"
#include "tests/codegen/walk.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

static weft_status add_run(const void *state, void *const *b, const weft_run_env *env) {
    (void)env;
    *(int32_t *)b[0] += *(const int32_t *)state;
    return WEFT_OK;
}

static int made, released;

static weft_status twice_prepare(weft_context *cx, const void *state, size_t bytes, int parts,
                                 const weft_loc *loc, void **out) {
    static int32_t twice[8];
    int32_t n;
    (void)parts;
    memcpy(&n, state, bytes);
    if (n < 0) return weft_report(cx, WEFT_D_unsupported, loc, "nothing is twice %d", n);
    twice[made] = 2 * n;
    *out = &twice[made++];
    return WEFT_OK;
}

static void twice_release(void *prepared) {
    (void)prepared;
    released++;
}

static const weft_kernel add = { .name = "add", .run = add_run, .state_bytes = 4 },
                         twice = { .name = "twice", .run = add_run, .state_bytes = 4, .prepare = twice_prepare,
                                   .release = twice_release };
static const weft_kernel *const own[] = { &add, &twice };
static const weft_kernel_set kernels = { own, WEFT_COUNT(own), &weft_kernels };

static weft_step step_of(const char *kernel, const int32_t *state, size_t bytes) {
    return (weft_step){ .kind = WEFT_STEP_CALL, .loc = &weft_loc_unknown,
                        .code = { .kernel = kernel, .function = WEFT_NO_FUNCTION, .state = state,
                                  .state_bytes = bytes } };
}

START_TEST(prepares_and_releases) {
    static const int32_t three = 3;
    const weft_step steps[] = { step_of("twice", &three, 4), step_of("add", &three, 4), step_of("twice", &three, 4) };
    const weft_executable x = { .steps = steps, .step_count = WEFT_COUNT(steps) };
    weft_context *cx = weft_context_new(NULL);
    weft_loaded *p = NULL;
    int32_t sum = 0;
    made = released = 0;
    ck_assert_int_eq(weft_load(cx, &x, &kernels, 1, &p), WEFT_OK);
    for (int i = 0; i < 3; i++) {
        const weft_loaded_step *s = &weft_loaded_steps(p)[i];
        ck_assert_int_eq(s->fn(s->state, (void *[]){ &sum }, &(weft_run_env){ 0 }), WEFT_OK);
    }
    ck_assert_int_eq(sum, 15);
    ck_assert_int_eq(made, 2);
    weft_unload(p);
    ck_assert_int_eq(released, 2);
    weft_context_free(cx);
}
END_TEST

static const int32_t minus = -1, one = 1;
static const struct {
    const char *kernel;
    const int32_t *state;
    size_t bytes;
    const char *says;
} refused[] = {
    { "no_such", &one, 4, "no kernel 'no_such'" },
    { "add", &one, 3, "another version's" },
    { "twice", &minus, 4, "nothing is twice -1" },
    { "sort", &one, 4, "another version's" },
    { NULL, NULL, 0, "no code" },
};

/* What was prepared before is released. */
START_TEST(refuses) {
    const weft_step steps[] = { step_of("twice", &one, 4),
                                step_of(refused[_i].kernel, refused[_i].state, refused[_i].bytes) };
    const weft_executable x = { .steps = steps, .step_count = WEFT_COUNT(steps) };
    weft_context *cx = weft_context_new(NULL);
    weft_loaded *p = NULL;
    made = released = 0;
    ck_assert_int_ne(weft_load(cx, &x, &kernels, 1, &p), WEFT_OK);
    ck_assert_ptr_null(p);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_msg(strstr(weft_context_diag(cx, 0)->message, refused[_i].says) != NULL, "%s",
                  weft_context_diag(cx, 0)->message);
    ck_assert_int_eq(made, released);
    weft_context_free(cx);
}
END_TEST

/* Another machine's code, and an import that no library has. */
START_TEST(refuses_images) {
    static const uint8_t block[16];
    static const weft_image_function function = { 0, 8 };
    static const weft_image_import import = { "weft_no_such_function", 8 };
    weft_image image = { .machine = "pdp11", .block = block, .bytes = sizeof block, .functions = &function,
                         .function_count = 1 };
    weft_context *cx = weft_context_new(NULL);
    weft_mapping m;
    ck_assert_int_eq(weft_image_map(cx, &image, &m), WEFT_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "pdp11"));
    image.machine = weft_image_machine();
    image.imports = &import, image.import_count = 1;
    ck_assert_int_ne(weft_image_map(cx, &image, &m), WEFT_OK);
    ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 1)->message, import.name));
    ck_assert_ptr_null(m.at);
    weft_context_free(cx);
}
END_TEST

/* Constants, calls of memcpy and of the C library's mathematics, a sort with a body, a loop with a sort. */
static const char program[] =
    "func.func @main(%a: tensor<64x32xf32>, %i: tensor<i32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {\n"
    "  %k = stablehlo.constant dense<1.25> : tensor<64x32xf32>\n"
    "  %r = stablehlo.remainder %a, %k : tensor<64x32xf32>\n"
    "  %s = stablehlo.sine %r : tensor<64x32xf32>\n"
    "  %t = \"stablehlo.sort\"(%s) <{dimension = 1 : i64, is_stable = true}> ({\n"
    "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "    %p = stablehlo.multiply %x, %x : tensor<f32>\n"
    "    %q = stablehlo.multiply %y, %y : tensor<f32>\n"
    "    %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  }) : (tensor<64x32xf32>) -> tensor<64x32xf32>\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %w:2 = stablehlo.while(%n = %zero, %v = %s) : tensor<i32>, tensor<64x32xf32>\n"
    "  cond {\n"
    "    %c = stablehlo.compare LT, %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n"
    "  } do {\n"
    "    %u = \"stablehlo.sort\"(%v) <{dimension = 0 : i64, is_stable = true}> ({\n"
    "    ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
    "      %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    }) : (tensor<64x32xf32>) -> tensor<64x32xf32>\n"
    "    %d = stablehlo.add %u, %u : tensor<64x32xf32>\n"
    "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "    %m = stablehlo.add %n, %one : tensor<i32>\n"
    "    stablehlo.return %m, %d : tensor<i32>, tensor<64x32xf32>\n"
    "  }\n"
    "  return %t, %w#1 : tensor<64x32xf32>, tensor<64x32xf32>\n"
    "}\n";

enum { ELEMS = 64 * 32 };

static void run_program(const weft_executable *x, float *sorted, float *looped) {
    float *a = walk_buffer(ELEMS * sizeof *a);
    int32_t *i = walk_buffer(sizeof *i);
    for (int k = 0; k < ELEMS; k++) a[k] = (float)(k * 37 % 101) / 7 - 6;
    *i = 3;
    ck_assert_int_eq(walk_run(x, (void *[]){ a, i }, (void *[]){ sorted, looped }, NULL), WEFT_OK);
    free(a), free(i);
}

/* Two compilations give the same bytes, though everything lies elsewhere the second time; loaded twice at once, both
 * compute the same. */
START_TEST(images_hold_no_addresses) {
    weft_executable *x[2] = { NULL };
    weft_context *cx = weft_context_new(NULL);
    float *out[4];
    for (int i = 0; i < 4; i++) out[i] = walk_buffer(ELEMS * sizeof(float));
    for (int i = 0; i < 2; i++) ck_assert_int_eq(walk_compile(cx, program, NULL, &x[i]), WEFT_OK);
    const weft_image *a = &x[0]->image, *b = &x[1]->image;
    ck_assert_uint_gt(a->bytes, 0);
    ck_assert_uint_eq(a->bytes, b->bytes);
    ck_assert_mem_eq(a->block, b->block, a->bytes);
    ck_assert_uint_eq(a->function_count, b->function_count);
    ck_assert_uint_eq(x[0]->fingerprint, x[1]->fingerprint);
    ck_assert_uint_eq(x[0]->step_count, x[1]->step_count);
    for (uint32_t i = 0; i < x[0]->step_count; i++) {
        const weft_code *c = &x[0]->steps[i].code, *d = &x[1]->steps[i].code;
        ck_assert_uint_eq(c->state_bytes, d->state_bytes);
        ck_assert(!c->state_bytes || !memcmp(c->state, d->state, c->state_bytes));
    }
    weft_loaded *beside = NULL;
    ck_assert_int_eq(weft_load(cx, x[1], &weft_kernels, 1, &beside), WEFT_OK);
    run_program(x[0], out[0], out[1]);
    run_program(x[1], out[2], out[3]);
    weft_unload(beside);
    ck_assert_mem_eq(out[0], out[2], ELEMS * sizeof(float));
    ck_assert_mem_eq(out[1], out[3], ELEMS * sizeof(float));
    for (int k = 1; k < 32; k++) ck_assert_float_ge(out[0][k] * out[0][k], out[0][k - 1] * out[0][k - 1]);
    for (int i = 0; i < 4; i++) free(out[i]);
    for (int i = 0; i < 2; i++) weft_executable_free(x[i]);
    weft_context_free(cx);
}
END_TEST

/* A product of bf16 that is widened takes scratch memory on every host: the step's where the plan gives enough, else a
 * workspace of its own. Both compute the same. */
enum { ROWS = 12, DEPTH = 20, COLUMNS = 24 };

static void multiply(int64_t scratch_bytes, const uint16_t *a, const uint16_t *b, float *c) {
    weft_matmul m;
    memset(&m, 0, sizeof m);
    m.m = ROWS, m.n = COLUMNS, m.k = DEPTH;
    m.a = (weft_matrix){ .dtype = WEFT_BF16, .buffer = 0, .row = DEPTH, .column = 1 };
    m.b = (weft_matrix){ .dtype = WEFT_BF16, .buffer = 1, .row = COLUMNS, .column = 1 };
    m.c = (weft_matrix){ .dtype = WEFT_F32, .row = COLUMNS, .column = 1 };
    m.widens = 1;
    m.scratch_bytes = scratch_bytes;
    const weft_step step = { .kind = WEFT_STEP_CALL, .loc = &weft_loc_unknown,
                             .code = { .kernel = "product", .function = WEFT_NO_FUNCTION, .state = &m,
                                       .state_bytes = sizeof m } };
    const weft_executable x = { .steps = &step, .step_count = 1 };
    weft_context *cx = weft_context_new(NULL);
    weft_loaded *p = NULL;
    ck_assert_int_eq(weft_load(cx, &x, &weft_kernels, 1, &p), WEFT_OK);
    void *scratch = walk_buffer((size_t)scratch_bytes);
    const weft_loaded_step *s = weft_loaded_steps(p);
    void *buffers[] = { (void *)a, (void *)b, c, scratch_bytes ? scratch : NULL };
    ck_assert_int_eq(weft_library_workspace_bytes(weft_library_part(s->state, 0)) > 0, scratch_bytes == 0);
    for (int i = 0; i < 2; i++) ck_assert_int_eq(s->fn(s->state, buffers, &(weft_run_env){ WEFT_ALL_GRAINS }), WEFT_OK);
    free(scratch);
    weft_unload(p);
    weft_context_free(cx);
}

START_TEST(works_in_the_workspace) {
    uint16_t *a = walk_buffer(ROWS * DEPTH * sizeof *a), *b = walk_buffer(DEPTH * COLUMNS * sizeof *b);
    float *c[2] = { walk_buffer(ROWS * COLUMNS * sizeof(float)), walk_buffer(ROWS * COLUMNS * sizeof(float)) };
    for (int i = 0; i < ROWS * DEPTH; i++) weft_dtype_store(WEFT_BF16, &a[i], i % 7 - 3);
    for (int i = 0; i < DEPTH * COLUMNS; i++) weft_dtype_store(WEFT_BF16, &b[i], i % 5 - 2);
    multiply(1 << 20, a, b, c[0]);
    multiply(0, a, b, c[1]);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int sum = 0;
            for (int k = 0; k < DEPTH; k++) sum += ((i * DEPTH + k) % 7 - 3) * ((k * COLUMNS + j) % 5 - 2);
            for (int w = 0; w < 2; w++) ck_assert_int_eq((int)c[w][i * COLUMNS + j], sum);
        }
    free(a), free(b), free(c[0]), free(c[1]);
}
END_TEST

static weft_status load_again(weft_context *cx, void *user) {
    weft_loaded *p = NULL;
    const weft_status st = weft_load(cx, user, &weft_kernels, 1, &p);
    weft_unload(p);
    return st;
}

START_TEST(survives_failing_memory) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    ck_assert_int_eq(walk_compile(cx, program, NULL, &x), WEFT_OK);
    weft_test_each_failure(load_again, x);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

/* The table is in the order of its names, each once. */
START_TEST(kernels_by_name) {
    for (size_t i = 0; i < weft_kernels.count; i++) {
        const weft_kernel *k = weft_kernels.kernels[i];
        if (i) ck_assert_msg(strcmp(weft_kernels.kernels[i - 1]->name, k->name) < 0, "%s", k->name);
        ck_assert_ptr_eq(weft_kernel_find(&weft_kernels, k->name), k);
        ck_assert_int_eq(k->prepare != NULL, k->release != NULL);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("exec/load");
    TCase *tc = tcase_create("load");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, prepares_and_releases);
    tcase_add_loop_test(tc, refuses, 0, WEFT_COUNT(refused));
    tcase_add_test(tc, refuses_images);
    tcase_add_test(tc, images_hold_no_addresses);
    tcase_add_test(tc, works_in_the_workspace);
    tcase_add_test(tc, survives_failing_memory);
    tcase_add_test(tc, kernels_by_name);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
