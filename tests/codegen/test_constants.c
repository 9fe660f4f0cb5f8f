/* Long computations of constants alone, as of a program that steps from one number to the next a hundred times: more
 * than one kernel holds. Read by ops around a loop and inside of it, in chains, sums of many and pieces: exactly. */
#include <stdio.h>

#include "tests/codegen/program.h"

static weft_context *cx; /* of the text of a case: begin opens it, check closes it */

/* %NAMEn, after n steps from a constant; its value. */
static uint32_t chain(weft_buf *t, const char *name, int n, uint32_t x) {
    weft_buf_printf(t, "  %%%s0 = stablehlo.constant dense<%d> : tensor<i32>\n", name, (int32_t)x);
    for (int i = 1; i <= n; i++) {
        static const char *const ops[] = { "multiply", "xor", "add" };
        const char *by[] = { "three", "mask", "three" };
        weft_buf_printf(t, "  %%%s%d = stablehlo.%s %%%s%d, %%%s : tensor<i32>\n", name, i, ops[i % 3], name, i - 1,
                        by[i % 3]);
        x = i % 3 == 0 ? x * 3 : i % 3 == 1 ? x ^ 0x5a5a5 : x + 3;
    }
    return x;
}

static void begin(weft_buf *t, const char *result) {
    ck_assert((cx = weft_context_new(NULL)) != NULL);
    weft_buf_init(t, &cx->alloc);
    weft_buf_printf(t, "func.func @main(%%x: tensor<4xi32>) -> %s {\n  %%three = stablehlo.constant dense<3> : tensor<i32>\n", result);
    weft_buf_printf(t, "  %%mask = stablehlo.constant dense<%d> : tensor<i32>\n  %%zero = stablehlo.constant dense<0> : tensor<i32>\n",
        0x5a5a5);
}

/* Runs the program for x = 1, 2, 3, 4 and compares n results. */
static void check(weft_buf *t, const uint32_t *want, int n, const char *what, int length) {
    program p;
    ck_assert(!t->failed);
    program_open(&p, t->p);
    for (int i = 0; i < 4; i++) ((int32_t *)p.args[0])[i] = i + 1;
    program_run(&p);
    for (int i = 0; i < n; i++)
        ck_assert_msg(((uint32_t *)p.results[0])[i] == want[i], "%s of %d: element %d is %d, not %d", what, length, i,
                      ((int32_t *)p.results[0])[i], (int32_t)want[i]);
    program_close(&p);
    weft_buf_free(t);
    weft_context_free(cx);
}

static const int lengths[] = { 1, 60, 64, 65, 200, 1499, 1600, 5000 };

START_TEST(read_outside) {
    weft_buf t;
    const int n = lengths[_i];
    uint32_t want[4];
    begin(&t, "tensor<4xi32>");
    const uint32_t c = chain(&t, "c", n, 7);
    weft_buf_printf(&t, "  %%b = stablehlo.broadcast_in_dim %%c%d, dims = [] : (tensor<i32>) -> tensor<4xi32>\n", n);
    weft_buf_printf(&t, "  %%r = stablehlo.add %%x, %%b : tensor<4xi32>\n  return %%r : tensor<4xi32>\n}\n");
    for (uint32_t i = 0; i < 4; i++) want[i] = i + 1 + c;
    check(&t, want, 4, "a chain", n);
}
END_TEST

/* One chain around a loop and one inside of it, both read by its condition and its body. */
START_TEST(read_in_a_loop) {
    weft_buf t;
    const int n = lengths[_i];
    uint32_t want[4];
    begin(&t, "tensor<4xi32>");
    const uint32_t c = chain(&t, "c", n, 7);
    weft_buf_printf(&t, "  %%five = stablehlo.constant dense<5> : tensor<i32>\n  %%one = stablehlo.constant dense<1> : tensor<i32>\n");
    weft_buf_printf(&t, "  %%w:2 = stablehlo.while(%%i = %%zero, %%v = %%x) : tensor<i32>, tensor<4xi32>\n  cond {\n");
    weft_buf_printf(&t, "    %%s = stablehlo.subtract %%c%d, %%c%d : tensor<i32>\n    %%e = stablehlo.add %%five, %%s : tensor<i32>\n", n, n);
    weft_buf_printf(&t, "    %%p = stablehlo.compare LT, %%i, %%e : (tensor<i32>, tensor<i32>) -> tensor<i1>\n");
    weft_buf_printf(&t, "    stablehlo.return %%p : tensor<i1>\n  } do {\n    %%j = stablehlo.add %%i, %%one : tensor<i32>\n");
    const uint32_t d = chain(&t, "d", n, 11);
    weft_buf_printf(&t, "    %%k = stablehlo.multiply %%c%d, %%d%d : tensor<i32>\n", n, n);
    weft_buf_printf(&t, "    %%b = stablehlo.broadcast_in_dim %%k, dims = [] : (tensor<i32>) -> tensor<4xi32>\n");
    weft_buf_printf(&t, "    %%u = stablehlo.add %%v, %%b : tensor<4xi32>\n    stablehlo.return %%j, %%u : tensor<i32>, tensor<4xi32>\n  }\n");
    weft_buf_printf(&t, "  return %%w#1 : tensor<4xi32>\n}\n");
    for (uint32_t i = 0; i < 4; i++) want[i] = i + 1 + 5 * c * d;
    check(&t, want, 4, "a chain in a loop", n);
}
END_TEST

/* Many that are each short: more than one kernel holds together. */
START_TEST(pieces) {
    enum { PIECES = 120 };
    weft_buf t;
    const int n = lengths[_i] < 70 ? lengths[_i] : 40;
    uint32_t want[PIECES];
    char name[16];
    begin(&t, "tensor<120xi32>");
    for (int i = 0; i < PIECES; i++) {
        snprintf(name, sizeof name, "c%d_", i);
        want[i] = chain(&t, name, n, (uint32_t)i) + 1;
        weft_buf_printf(&t, "  %%p%d = stablehlo.broadcast_in_dim %%c%d_%d, dims = [] : (tensor<i32>) -> tensor<1xi32>\n", i, i, n);
    }
    weft_buf_printf(&t, "  %%q = stablehlo.concatenate ");
    for (int i = 0; i < PIECES; i++) weft_buf_printf(&t, "%s%%p%d", i ? ", " : "", i);
    weft_buf_printf(&t, ", dim = 0 : (");
    for (int i = 0; i < PIECES; i++) weft_buf_printf(&t, "%stensor<1xi32>", i ? ", " : "");
    weft_buf_printf(&t, ") -> tensor<120xi32>\n  %%f = stablehlo.slice %%x [0:1] : (tensor<4xi32>) -> tensor<1xi32>\n");
    weft_buf_printf(&t, "  %%g = stablehlo.reshape %%f : (tensor<1xi32>) -> tensor<i32>\n");
    weft_buf_printf(&t, "  %%h = stablehlo.broadcast_in_dim %%g, dims = [] : (tensor<i32>) -> tensor<120xi32>\n");
    weft_buf_printf(&t, "  %%r = stablehlo.add %%q, %%h : tensor<120xi32>\n  return %%r : tensor<120xi32>\n}\n");
    check(&t, want, PIECES, "pieces", n);
}
END_TEST

/* A sum of many short ones, as a tree that is not deep. */
START_TEST(a_sum_of_many) {
    weft_buf t;
    uint32_t sum = 0;
    char name[16];
    begin(&t, "tensor<i32>");
    for (int i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "c%d_", i);
        sum += chain(&t, name, 50, (uint32_t)i);
        weft_buf_printf(&t, "  %%s%d = stablehlo.add %%c%d_50, %%zero : tensor<i32>\n", 64 + i, i);
    }
    for (int i = 63; i > 0; i--)
        weft_buf_printf(&t, "  %%s%d = stablehlo.add %%s%d, %%s%d : tensor<i32>\n", i, 2 * i, 2 * i + 1);
    weft_buf_printf(&t, "  %%f = stablehlo.slice %%x [0:1] : (tensor<4xi32>) -> tensor<1xi32>\n");
    weft_buf_printf(&t, "  %%g = stablehlo.reshape %%f : (tensor<1xi32>) -> tensor<i32>\n  %%r = stablehlo.add %%g, %%s1 : tensor<i32>\n");
    weft_buf_printf(&t, "  return %%r : tensor<i32>\n}\n");
    sum += 1;
    check(&t, &sum, 1, "a sum", 64);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/constants");
    TCase *tc = tcase_create("long");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, read_outside, 0, (int)WEFT_COUNT(lengths));
    tcase_add_loop_test(tc, read_in_a_loop, 0, (int)WEFT_COUNT(lengths));
    tcase_add_loop_test(tc, pieces, 0, 4);
    tcase_add_test(tc, a_sum_of_many);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
