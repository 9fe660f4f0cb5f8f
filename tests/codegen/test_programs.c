/* Small programs with their results written beside them; and what holds for any program: results survive the context,
 * many threads run one executable, allocations may fail. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include "mlir/read.h"
#include "pipeline/pipeline.h"
#include "tests/codegen/walk.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* body of @main() -> result; the results in order, up to 12 */
static const struct { const char *name, *result, *body; double want[12];
} cases[] = {
    { "while",
      "tensor<i32>",
      "%z = stablehlo.constant dense<0> : tensor<i32>\n %one = stablehlo.constant dense<1> : tensor<i32>\n %n = stablehlo.constant dense<5> : tensor<i32>\n"
      "%r:2 = stablehlo.while(%i = %z, %s = %one) : tensor<i32>, tensor<i32>\n cond {\n %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "stablehlo.return %c : tensor<i1>\n } do {\n %j = stablehlo.add %i, %one : tensor<i32>\n %t = stablehlo.multiply %s, %j : tensor<i32>\n"
      "stablehlo.return %j, %t : tensor<i32>, tensor<i32>\n }\n return %r#1 : tensor<i32>",
      { 120 } },
    { "a loop that swaps",
      "tensor<2xf32>",
      "%z = stablehlo.constant dense<0> : tensor<i32>\n %one = stablehlo.constant dense<1> : tensor<i32>\n %n = stablehlo.constant dense<3> : tensor<i32>\n"
      "%a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>\n"
      "%r:3 = stablehlo.while(%i = %z, %x = %a, %y = %b) : tensor<i32>, tensor<2xf32>, tensor<2xf32>\n cond {\n"
      "%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %c : tensor<i1>\n } do {\n"
      "%j = stablehlo.add %i, %one : tensor<i32>\n stablehlo.return %j, %y, %x : tensor<i32>, tensor<2xf32>, tensor<2xf32>\n }\n return %r#1 : tensor<2xf32>",
      { 3, 4 } },
    { "case, out of range",
      "tensor<f32>",
      "%k = stablehlo.constant dense<7> : tensor<i32>\n %a = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "%r = \"stablehlo.case\"(%k) ({\n stablehlo.return %a : tensor<f32>\n}, {\n %b = stablehlo.add %a, %a : tensor<f32>\n stablehlo.return %b : tensor<f32>\n})"
      " : (tensor<i32>) -> tensor<f32>\n return %r : tensor<f32>",
      { 2 } },
    { "if",
      "tensor<f32>",
      "%k = stablehlo.constant dense<true> : tensor<i1>\n %a = stablehlo.constant dense<3.0> : tensor<f32>\n"
      "%r = \"stablehlo.if\"(%k) ({\n %b = stablehlo.negate %a : tensor<f32>\n stablehlo.return %b : tensor<f32>\n}, {\n stablehlo.return %a : tensor<f32>\n})"
      " : (tensor<i1>) -> tensor<f32>\n return %r : tensor<f32>",
      { -3 } },
    { "map of a loop",
      "tensor<2x2xi32>",
      "%a = stablehlo.constant dense<[[1, 2], [3, 5]]> : tensor<2x2xi32>\n %b = stablehlo.constant dense<[[10, 20], [30, 40]]> : tensor<2x2xi32>\n"
      "%r = \"stablehlo.map\"(%a, %b) ({\n ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "%w:2 = stablehlo.while(%i = %one, %p = %y) : tensor<i32>, tensor<i32>\n cond {\n %c = stablehlo.compare LT, %i, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "stablehlo.return %c : tensor<i1>\n } do {\n %j = stablehlo.add %i, %one : tensor<i32>\n %q = stablehlo.add %p, %y : tensor<i32>\n"
      "stablehlo.return %j, %q : tensor<i32>, tensor<i32>\n }\n stablehlo.return %w#1 : tensor<i32>\n}) {dimensions = array<i64: 0, 1>} :"
      " (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>\n return %r : tensor<2x2xi32>",
      { 10, 40, 90, 200 } },
    { "a reducer that uses a value from outside",
      "tensor<i32>",
      "%a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>\n %z = stablehlo.constant dense<0> : tensor<i32>\n %k = stablehlo.slice %a [2:3] : (tensor<3xi32>) -> tensor<1xi32>\n"
      "%s = stablehlo.reshape %k : (tensor<1xi32>) -> tensor<i32>\n %r = \"stablehlo.reduce\"(%a, %z) ({\n ^bb0(%x: tensor<i32>, %y: tensor<i32>):\n"
      "%m = stablehlo.multiply %y, %s : tensor<i32>\n %t = stablehlo.add %x, %m : tensor<i32>\n stablehlo.return %t : tensor<i32>\n}) {dimensions = array<i64: 0>} :"
      " (tensor<3xi32>, tensor<i32>) -> tensor<i32>\n return %r : tensor<i32>",
      { 18 } },
    { "reduce over a middle dimension",
      "tensor<2x2xf32>",
      "%a = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xf32>\n"
      "%z = stablehlo.constant dense<1.0> : tensor<f32>\n %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]"
      " : (tensor<2x3x2xf32>, tensor<f32>) -> tensor<2x2xf32>\n return %r : tensor<2x2xf32>",
      { 10, 13, 28, 31 } },
    { "reduce over first and last, initial value counted once",
      "tensor<3xf32>",
      "%a = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 10.0], [11.0, 12.0]]]> : tensor<2x3x2xf32>\n"
      "%z = stablehlo.constant dense<100.0> : tensor<f32>\n %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 2]"
      " : (tensor<2x3x2xf32>, tensor<f32>) -> tensor<3xf32>\n return %r : tensor<3xf32>",
      { 118, 126, 134 } },
    { "a slice from where no signed integer reaches",
      "tensor<2xi32>", /* 2^64 - 1 */
      "%a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n %k = stablehlo.constant dense<18446744073709551615> : tensor<ui64>\n"
      "%i = stablehlo.optimization_barrier %k : tensor<ui64>\n %r = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xi32>, tensor<ui64>) -> tensor<2xi32>\n return %r : tensor<2xi32>",
      { 3, 4 } },
    { "a gather from there",
      "tensor<2x2xi32>",
      "%a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n %k = stablehlo.constant dense<[[18446744073709551615], [1]]> : tensor<2x1xui64>\n"
      "%i = stablehlo.optimization_barrier %k : tensor<2x1xui64>\n %r = \"stablehlo.gather\"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0],"
      " index_vector_dim = 1>, slice_sizes = array<i64: 2>} : (tensor<4xi32>, tensor<2x1xui64>) -> tensor<2x2xi32>\n return %r : tensor<2x2xi32>",
      { 3, 4, 2, 3 } },
    { "a scatter to there is none",
      "tensor<4xi32>",
      "%a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n %k = stablehlo.constant dense<[[18446744073709551615], [2]]> : tensor<2x1xui64>\n"
      "%i = stablehlo.optimization_barrier %k : tensor<2x1xui64>\n %u = stablehlo.constant dense<10> : tensor<2x2xi32>\n"
      "%r = \"stablehlo.scatter\"(%a, %i, %u) ({\n^bb0(%p: tensor<i32>, %q: tensor<i32>):\n%s = stablehlo.add %p, %q : tensor<i32>\nstablehlo.return %s : tensor<i32>\n})"
      " {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}"
      " : (tensor<4xi32>, tensor<2x1xui64>, tensor<2x2xi32>) -> tensor<4xi32>\n return %r : tensor<4xi32>",
      { 1, 2, 13, 14 } },
    { "interior and negative padding",
      "tensor<6xf32>",
      "%a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n %z = stablehlo.constant dense<9.0> : tensor<f32>\n"
      "%r = stablehlo.pad %a, %z, low = [-1], high = [0], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>\n return %r : tensor<6xf32>",
      { 9, 2, 9, 3, 9, 4 } },
    { "concatenate, sliced across the seam",
      "tensor<3xf32>",
      "%a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>\n"
      "%c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>\n %d = stablehlo.add %c, %c : tensor<4xf32>\n"
      "%r = stablehlo.slice %d [1:4] : (tensor<4xf32>) -> tensor<3xf32>\n return %r : tensor<3xf32>",
      { 4, 6, 8 } },
    { "dynamic_slice clamps",
      "tensor<2xf32>",
      "%a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n %i = stablehlo.constant dense<9> : tensor<i32>\n"
      "%r = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>\n return %r : tensor<2xf32>",
      { 3, 4 } },
    { "dynamic_update_slice clamps",
      "tensor<4xf32>",
      "%a = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n %u = stablehlo.constant dense<[8.0, 9.0]> : tensor<2xf32>\n"
      "%i = stablehlo.constant dense<-3> : tensor<i32>\n %r = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>\n"
      "return %r : tensor<4xf32>",
      { 8, 9, 3, 4 } },
    { "scatter adds in order and drops what is outside",
      "tensor<4xf32>",
      "%a = stablehlo.constant dense<0.0> : tensor<4xf32>\n %i = stablehlo.constant dense<[[1], [1], [7], [3]]> : tensor<4x1xi32>\n"
      "%u = stablehlo.constant dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf32>\n %r = \"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers ="
      " #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
      "%s = stablehlo.add %x, %y : tensor<f32>\n stablehlo.return %s : tensor<f32>\n}) : (tensor<4xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<4xf32>\n"
      "return %r : tensor<4xf32>",
      { 0, 3, 0, 8 } },
    { "dot of integers",
      "tensor<2x2xi32>",
      "%a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>\n"
      "%r = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>\n return %r : tensor<2x2xi32>",
      { 7, 10, 15, 22 } },
    { "dot, transposed behind and before",
      "tensor<2x3xf32>",
      "%a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>\n %b = stablehlo.constant dense<[[1.0, 0.0], [1.0, 1.0]]> : tensor<2x2xf32>\n"
      "%t = stablehlo.transpose %b, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>\n"
      "%d = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>\n"
      "%r = stablehlo.transpose %d, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>\n %s = stablehlo.negate %r : tensor<2x3xf32>\n return %s : tensor<2x3xf32>",
      { -1, -3, -5, -3, -7, -11 } },
    { "a result that is a constant",
      "tensor<2xf32>",
      "%a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n return %a : tensor<2xf32>",
      { 1, 2 } },
    { "a call that got a future, whose layout lists no dimensions",
      "tensor<2x2xf32>",
      "%a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n %f = \"stablehlo.async_start\"(%a) ({\n ^bb0(%x: tensor<2x2xf32>):\n"
      "%s = stablehlo.slice %x [0:2, 0:2] : (tensor<2x2xf32>) -> tensor<2x2xf32>\n stablehlo.return %s : tensor<2x2xf32>\n})"
      " : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>>\n"
      "%y = \"stablehlo.async_done\"(%f) : (!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32>\n"
      "stablehlo.custom_call @control_dep(%f, %y) {has_side_effect = true, operand_layouts = [dense<> : tensor<0xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = []}"
      " : (!stablehlo.future<tensor<2x2xf32>>, tensor<2x2xf32>) -> ()\n return %y : tensor<2x2xf32>",
      { 1, 2, 3, 4 } },
    { "an empty tensor on the way",
      "tensor<f32>",
      "%a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n %e = stablehlo.slice %a [1:1] : (tensor<2xf32>) -> tensor<0xf32>\n %z = stablehlo.constant dense<4.0> : tensor<f32>\n"
      "%r = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0] : (tensor<0xf32>, tensor<f32>) -> tensor<f32>\n return %r : tensor<f32>",
      { 4 } },
};

static void text_of(int i, char *out, size_t n) {
    snprintf(out, n, "func.func @main() -> %s {\n%s\n}\n", cases[i].result, cases[i].body);
}

static const unsigned FLATTENED = 1u << 31; /* beside flags of compilation */

static weft_status compile_for(const weft_machine *machine, weft_context *cx, const char *text, unsigned flags,
                               weft_executable **x) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    const weft_compile_options opt = { .flags = flags & ~FLATTENED, .device_count = 1, .machine = machine };
    if (st == WEFT_OK && flags & FLATTENED) st = weft_pipeline_run(cx, WEFT_STR("weft-flatten"), 0, &m);
    if (st == WEFT_OK) st = weft_pipeline_run(cx, WEFT_STR("weft-legalize"), 0, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, &opt, x);
    weft_module_free(m);
    return st;
}

static weft_status compile_text(weft_context *cx, const char *text, unsigned flags, weft_executable **x) {
    return compile_for(walk_machine(), cx, text, flags, x);
}

START_TEST(test_case) {
    char text[4096];
    text_of(_i, text, sizeof text);
    for (unsigned flags = 0; flags <= WEFT_COMPILE_NO_FUSION; flags += WEFT_COMPILE_NO_FUSION) {
        weft_context *cx = weft_context_new(NULL);
        weft_executable *x = NULL;
        weft_status st = compile_text(cx, text, flags | FLATTENED, &x);
        ck_assert_msg(st == WEFT_OK, "%s: %s", cases[_i].name,
                      weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
        void *out = walk_buffer((size_t)x->results[0].bytes);
        ck_assert_int_eq(walk_run(x, NULL, &out, NULL), WEFT_OK);
        const weft_dtype t = x->results[0].dtype;
        for (int64_t k = 0; k < x->results[0].bytes / (int64_t)weft_dtype_bytes(t); k++) {
            double got = weft_dtype_load(t, (char *)out + k * (int64_t)weft_dtype_bytes(t));
            ck_assert_msg(fabs(got - cases[_i].want[k]) < 1e-5, "%s: element %d is %g, not %g", cases[_i].name, (int)k,
                          got, cases[_i].want[k]);
        }
        free(out);
        weft_executable_free(x);
        weft_context_free(cx);
    }
}
END_TEST

static const char perceptron[] =
    "func.func @main(%x: tensor<16x24xf32>, %w: tensor<24x40xf32>, %b: tensor<40xf32>) -> (tensor<16x40xf32>, tensor<40xf32>) {\n"
    "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x24xf32>, tensor<24x40xf32>) -> tensor<16x40xf32>\n"
    "  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<40xf32>) -> tensor<16x40xf32>\n"
    "  %2 = stablehlo.add %0, %1 : tensor<16x40xf32>\n  %3 = stablehlo.tanh %2 : tensor<16x40xf32>\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<16x40xf32>, tensor<f32>) -> tensor<40xf32>\n"
    "  return %3, %4 : tensor<16x40xf32>, tensor<40xf32>\n}\n";

static float *numbers(size_t n) {
    float *p = walk_buffer(n * sizeof *p);
    for (size_t i = 0; i < n; i++) p[i] = (float)((i * 37 % 101) / 101.0 - 0.5);
    return p;
}

typedef struct job { const weft_executable *x; void **args; float *out[2]; weft_status st; } job;

static void *run_job(void *p) {
    job *j = p;
    for (int k = 0; k < 20 && j->st == WEFT_OK; k++) j->st = walk_run(j->x, j->args, (void *const *)j->out, NULL);
    return NULL;
}

START_TEST(test_threads) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    ck_assert_int_eq(compile_text(cx, perceptron, 0, &x), WEFT_OK);
    void *args[3] = { numbers(16 * 24), numbers(24 * 40), numbers(40) };
    job jobs[4];
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) jobs[i] = (job){ x, args, { walk_buffer(16 * 40 * 4), walk_buffer(40 * 4) }, WEFT_OK };
    for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_create(&thread[i], NULL, run_job, &jobs[i]), 0);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(jobs[i].st, WEFT_OK);
        ck_assert_mem_eq(jobs[i].out[0], jobs[0].out[0], 16 * 40 * 4);
        ck_assert_mem_eq(jobs[i].out[1], jobs[0].out[1], 40 * 4);
    }
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 40; c++) {
            double sum = ((float *)args[2])[c];
            for (int k = 0; k < 24; k++) sum += (double)((float *)args[0])[r * 24 + k] * ((float *)args[1])[k * 40 + c];
            ck_assert_double_eq_tol(jobs[0].out[0][r * 40 + c], tanh(sum), 1e-5);
        }
    for (int i = 0; i < 4; i++) free(jobs[i].out[0]), free(jobs[i].out[1]);
    for (int i = 0; i < 3; i++) free(args[i]);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

/* The fingerprint is the program's: the same from another context, another one for another program. */
START_TEST(test_fingerprint) {
    uint64_t print[3];
    for (int i = 0; i < 3; i++) {
        char text[2048];
        weft_context *cx = weft_context_new(NULL);
        weft_executable *x = NULL;
        snprintf(text, sizeof text, "%s", perceptron);
        if (i == 2) memcpy(strstr(text, "tanh %2"), "sqrt %2", 7);
        ck_assert_int_eq(compile_for(NULL, cx, text, i == 1 ? WEFT_COMPILE_PLAN_ONLY : 0, &x), WEFT_OK);
        print[i] = x->fingerprint;
        weft_executable_free(x);
        weft_context_free(cx);
    }
    ck_assert_uint_eq(print[0], print[1]);
    ck_assert_uint_ne(print[0], print[2]);
}
END_TEST

/* More operands than a kernel has parameters. */
START_TEST(test_long_concatenation) {
    enum { PIECES = 300 };
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_buf_puts(&b, "func.func @main(%a: tensor<2xf32>) -> tensor<600xf32> {\n");
    for (int i = 0; i < PIECES; i++)
        weft_buf_printf(
            &b,
            "%%c%d = stablehlo.constant dense<%d.0> : tensor<2xf32>\n%%p%d = stablehlo.multiply %%a, %%c%d : tensor<2xf32>\n",
            i, i, i, i);
    weft_buf_puts(&b, "%r = \"stablehlo.concatenate\"(");
    for (int i = 0; i < PIECES; i++) weft_buf_printf(&b, "%s%%p%d", i ? ", " : "", i);
    weft_buf_puts(&b, ") <{dimension = 0 : i64}> : (");
    for (int i = 0; i < PIECES; i++) weft_buf_puts(&b, i ? ", tensor<2xf32>" : "tensor<2xf32>");
    weft_buf_puts(&b, ") -> tensor<600xf32>\nreturn %r : tensor<600xf32>\n}\n");
    ck_assert(!b.failed);
    ck_assert_int_eq(compile_text(cx, b.p, 0, &x), WEFT_OK);
    float *arg = walk_buffer(8), *out = walk_buffer(2400);
    arg[0] = 1, arg[1] = -1;
    ck_assert_int_eq(walk_run(x, (void *[]){ arg }, (void *[]){ out }, NULL), WEFT_OK);
    for (int i = 0; i < 2 * PIECES; i++) ck_assert(out[i] == (float)(i % 2 ? -(i / 2) : i / 2));
    free(arg);
    free(out);
    weft_buf_free(&b);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

static weft_status plan_it(weft_context *cx, void *text) {
    weft_executable *x = NULL;
    weft_status st = compile_text(cx, text, WEFT_COMPILE_PLAN_ONLY, &x);
    weft_executable_free(x);
    return st;
}

static weft_status build_it(weft_context *cx, void *text) {
    weft_executable *x = NULL;
    weft_status st = compile_text(cx, text, 0, &x);
    weft_executable_free(x);
    return st;
}

START_TEST(test_failing_allocations) {
    char text[4096];
    snprintf(text, sizeof text, "%s", perceptron);
    weft_test_each_failure(plan_it, text);
    for (int i = 0; i < (int)WEFT_COUNT(cases); i++) {
        if (strcmp(cases[i].name, "while") && strcmp(cases[i].name, "map of a loop") &&
            strcmp(cases[i].name, "a reducer that uses a value from outside"))
            continue;
        text_of(i, text, sizeof text);
        weft_test_each_failure(plan_it, text);
    }
    text_of(0, text, sizeof text);
    weft_test_each_failure(build_it, text); /* a loop as one step */
}
END_TEST

static const struct { const char *text, *message; int line; } unsupported[] = {
    { "func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {\n %0 = stablehlo.remainder %a, %a : tensor<4xcomplex<f32>>\n return %0 : tensor<4xcomplex<f32>>\n}\n",
      "'stablehlo.remainder' of complex numbers has no meaning here", 2 },
    { "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n %0 = stablehlo.add %a, %a : tensor<?xf32>\n return %0 : tensor<?xf32>\n}\n",
      "'func.func' has an argument of dynamic shape", 1 },
    { "func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {\n %0 = \"stablehlo.add\"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<?xf32>\n return %0 : tensor<?xf32>\n}\n",
      "'stablehlo.add' has a result of dynamic shape", 2 },
    { "func.func @main(%a: tuple<tensor<4xf32>>) {\n return\n}\n", "'func.func' has an argument that is not a tensor", 1 },
    { "func.func @main(%a: tensor<4x!quant.uniform<i8:f32, 0.5>>) {\n return\n}\n", "'func.func' has an argument of quantised elements", 1 },
};

START_TEST(test_unsupported) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    ck_assert_int_eq(compile_text(cx, unsupported[_i].text, 0, &x), WEFT_ERR_UNSUPPORTED);
    ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    ck_assert_str_eq(weft_context_diag(cx, 0)->message, unsupported[_i].message);
    ck_assert_int_eq(weft_context_diag(cx, 0)->line, unsupported[_i].line);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/programs");
    TCase *tc = tcase_create("programs");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, test_case, 0, (int)WEFT_COUNT(cases));
    tcase_add_test(tc, test_threads);
    tcase_add_test(tc, test_fingerprint);
    tcase_add_test(tc, test_long_concatenation);
    tcase_add_test(tc, test_failing_allocations);
    tcase_add_loop_test(tc, test_unsupported, 0, (int)WEFT_COUNT(unsupported));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
