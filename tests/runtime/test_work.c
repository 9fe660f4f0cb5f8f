/* The work of an executable's steps: a loop that became a function has the work of all its iterations, and the steps
 * after it their own. */
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
    const weft_work *w = weft_step_works(&arena, p.x), all = weft_plan_work(&p.x->plan);
    ck_assert_ptr_nonnull(w);
    ck_assert_msg(p.x->plan.step_count > p.x->step_count, "the loop is no function");
    for (uint32_t i = 0; i < p.x->step_count; i++) {
        const weft_step *s = &p.x->steps[i];
        flops += w[i].flops, bytes += w[i].bytes;
        if (s->code.kernel && !strcmp(s->code.kernel, "product")) {
            ck_assert_double_eq_tol(w[i].flops, 2.0 * 64 * 64 * 64, 0.5);
            product = true;
        } else if (w[i].flops >= 10 * 64) loop = true;
    }
    ck_assert(loop && product);
    ck_assert_double_eq_tol(flops, all.flops, 0.5);
    ck_assert_double_eq_tol(bytes, all.bytes, 0.5);
    weft_arena_free(&arena);
    program_close(&p);
}
END_TEST

int main(void) {
    Suite *s = suite_create("runtime/work");
    TCase *tc = tcase_create("work");
    tcase_add_test(tc, of_steps);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
