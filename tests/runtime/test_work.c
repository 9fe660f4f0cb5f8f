/* The work of an executable's steps: a loop that became a function has the work of all iterations that it counted, and
 * the steps after it their own; before a run a case has that of its dearest branch. */
#include <stdio.h>
#include <string.h>
#include "runtime/work.h"
#include "tests/codegen/program.h"

/* Ten iterations of 8 x 8 elements, by a loop; then a product of 64 x 64 x 64. */
static const char text_of_loop[] =
    "func.func @main(%a: tensor<8x8xf32>, %b: tensor<64x64xf32>) -> (tensor<8x8xf32>, tensor<64x64xf32>) {\n"
    "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "%r:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<8x8xf32>\n"
    "cond {\n"
    "%end = stablehlo.constant dense<10> : tensor<i32>\n"
    "%more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "stablehlo.return %more : tensor<i1>\n"
    "} do {\n"
    "%one = stablehlo.constant dense<1> : tensor<i32>\n"
    "%j = stablehlo.add %i, %one : tensor<i32>\n"
    "%t = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "%y = stablehlo.add %x, %t : tensor<8x8xf32>\n"
    "stablehlo.return %j, %y : tensor<i32>, tensor<8x8xf32>\n"
    "}\n"
    "%c = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> "
    "tensor<64x64xf32>\n"
    "return %r#1, %c : tensor<8x8xf32>, tensor<64x64xf32>\n"
    "}\n";

START_TEST(of_steps) {
    program p;
    weft_arena arena;
    double flops = 0, bytes = 0;
    bool loop = false, product = false;
    program_open(&p, text_of_loop);
    weft_arena_init(&arena, &p.cx->alloc);
    const weft_step_work *w = weft_step_works(&arena, p.x);
    const weft_work all = weft_plan_work(&p.x->plan);
    ck_assert_ptr_nonnull(w);
    ck_assert_msg(p.x->plan.step_count > p.x->step_count, "the loop is no function");
    for (uint32_t i = 0; i < p.x->step_count; i++) {
        const weft_step *s = &p.x->steps[i];
        const weft_work done = weft_step_done(&w[i], (const int64_t[]){ 10 });
        flops += done.flops, bytes += done.bytes;
        if (s->code.kernel && !strcmp(s->code.kernel, "product")) {
            ck_assert_double_eq_tol(w[i].flops, 2.0 * 64 * 64 * 64, 0.5);
            product = true;
        } else if (w[i].loop) {
            ck_assert_uint_eq(w[i].turns, 1);
            ck_assert_double_eq_tol(done.flops, 10 * (64 + 1 + 1), 0.5); /* the sums, the counter and its test */
            ck_assert_double_eq_tol(weft_step_done(&w[i], (const int64_t[]){ 1000 }).flops, 100 * done.flops, 0.5);
            ck_assert_double_eq(weft_step_done(&w[i], (const int64_t[]){ 0 }).flops, 0);
            loop = true;
        }
    }
    ck_assert(loop && product);
    ck_assert_double_eq_tol(flops, all.flops, 0.5);
    ck_assert_double_eq_tol(bytes, all.bytes, 0.5);
    weft_arena_free(&arena);
    program_close(&p);
}
END_TEST

/* 100 sums, or 1000 of them twice; which it is a constant says, or the argument. */
static const char text_of_case[] =
    "func.func @main(%%n: tensor<i32>, %%a: tensor<100xf32>, %%b: tensor<1000xf32>) -> tensor<f32> {\n"
    "%%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "%%one = stablehlo.constant dense<0> : tensor<i32>\n"
    "%%r = \"stablehlo.case\"(%s) ({\n"
    "%%s = stablehlo.reduce(%%a init: %%zero) applies stablehlo.add across dimensions = [0] : "
    "(tensor<100xf32>, tensor<f32>) -> tensor<f32>\n"
    "stablehlo.return %%s : tensor<f32>\n"
    "}, {\n"
    "%%c = stablehlo.sine %%b : tensor<1000xf32>\n"
    "%%d = stablehlo.add %%c, %%b : tensor<1000xf32>\n"
    "%%s = stablehlo.reduce(%%d init: %%zero) applies stablehlo.add across dimensions = [0] : "
    "(tensor<1000xf32>, tensor<f32>) -> tensor<f32>\n"
    "stablehlo.return %%s : tensor<f32>\n"
    "}) : (tensor<i32>) -> tensor<f32>\n"
    "return %%r : tensor<f32>\n"
    "}\n";

START_TEST(of_branches) {
    for (int known = 0; known < 2; known++) {
        char text[sizeof text_of_case];
        program p;
        snprintf(text, sizeof text, text_of_case, known ? "%one" : "%n");
        program_open(&p, text);
        ck_assert_double_eq_tol(weft_plan_work(&p.x->plan).flops, known ? 100 : 2000, 20);
        program_close(&p);
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/work");
    TCase *tc = tcase_create("work");
    tcase_add_test(tc, of_steps);
    tcase_add_test(tc, of_branches);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
