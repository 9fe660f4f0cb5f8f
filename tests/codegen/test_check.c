/* Checks: passing ones, and the diagnostic of failing ones: the first element, both values, how many. */
#include <stdio.h>
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

/* A check of two constants. why NULL: it passes. */
static const struct { const char *type, *actual, *expected, *check, *why; } cases[] = {
    /* equal values */
    { "3xi32", "[1, -2, 3]", "[1, -2, 3]", "custom eq", NULL },
    { "2x3xi32", "[[1, 2, 3], [4, 5, 6]]", "[[1, 2, 3], [4, 0, 0]]", "custom eq", "element [1, 1] is 5, expected 0; 2 of 6 elements differ" },
    { "i8", "-128", "127", "custom eq", "element [] is -128, expected 127; 1 of 1 elements differ" },
    { "ui8", "255", "0", "custom eq", "element [] is 255, expected 0; 1 of 1 elements differ" },
    { "i4", "-8", "7", "custom eq", "element [] is -8, expected 7; 1 of 1 elements differ" },
    { "ui4", "15", "7", "custom eq", "element [] is 15, expected 7; 1 of 1 elements differ" },
    { "i64", "9223372036854775807", "9223372036854775806", "custom eq", "element [] is 9223372036854775807, expected 9223372036854775806; 1 of 1 elements differ" },
    { "ui64", "18446744073709551615", "18446744073709551614", "custom eq", "element [] is 18446744073709551615, expected 18446744073709551614; 1 of 1 elements differ" },
    { "2xi1", "[true, false]", "[true, false]", "custom eq", NULL },
    { "2xi1", "[true, false]", "[true, true]", "custom eq", "element [1] is false, expected true; 1 of 2 elements differ" },
    { "2xf32", "[0.0, -0.0]", "[-0.0, 0.0]", "custom eq", NULL },
    { "f32", "0x7FC00000", "0x7FC00000", "custom eq", "element [] is nan, expected nan; 1 of 1 elements differ" },
    { "f32", "0x7F800000", "0x7F800000", "custom eq", NULL },
    { "f32", "1.0", "0x3F800001", "custom eq", "element [] is 1, expected 1.00000012; 1 of 1 elements differ" },
    { "f64", "1.0", "0x3FF0000000000001", "custom eq", "element [] is 1, expected 1.0000000000000002; 1 of 1 elements differ" },
    { "f8E4M3FN", "1.0", "1.125", "custom eq", "element [] is 1, expected 1.125; 1 of 1 elements differ" },
    { "complex<f32>", "(1.0, 2.0)", "(1.0, 2.0)", "custom eq", NULL },
    { "complex<f64>", "(1.0, 2.0)", "(1.0, 2.5)", "custom eq", "element [] is (1, 2), expected (1, 2.5); 1 of 1 elements differ" },
    { "0x2xf32", "", "", "custom eq", NULL },
    /* within 3 values */
    { "2xf32", "[1.0, 2.0]", "[0x3F800003, 2.0]", "custom close", NULL },
    { "f32", "1.0", "0x3F800004", "custom close", "element [] is 1, expected 1.00000048 within 3 ulp (it is 4 away); 1 of 1 elements differ" },
    { "f32", "0x00000001", "0x80000002", "custom close", NULL },
    { "f32", "0x00000002", "0x80000002", "custom close", "element [] is 2.80259693e-45, expected -2.80259693e-45 within 3 ulp (it is 4 away); 1 of 1 elements differ" },
    { "2xf64", "[0.0, 1.0]", "[-0.0, 0x3FF0000000000003]", "custom close", NULL },
    { "f64", "1.0", "0x3FF0000000000004", "custom close", "element [] is 1, expected 1.0000000000000009 within 3 ulp (it is 4 away); 1 of 1 elements differ" },
    { "f32", "0x7FC00000", "0xFFC00001", "custom close", NULL },
    { "f32", "0x7F800000", "0x7F800000", "custom close", NULL },
    { "f32", "0x7F7FFFFF", "0x7F800000", "custom close", "element [] is 3.40282347e+38, expected inf within 3 ulp; 1 of 1 elements differ" },
    { "f32", "0x7F800000", "0x7FC00000", "custom close", "element [] is inf, expected nan within 3 ulp; 1 of 1 elements differ" },
    { "f16", "5.0", "5.01", "custom close", NULL },
    { "bf16", "1.0", "1.0234375", "custom close", NULL },
    { "bf16", "1.0", "1.03125", "custom close", "element [] is 1, expected 1.0312 within 3 ulp (it is 4 away); 1 of 1 elements differ" },
    { "f8E5M2", "1.0", "1.75", "custom close", NULL },
    { "f8E5M2", "-1.0", "1.0", "custom close", "element [] is -1, expected 1 within 3 ulp (it is 120 away); 1 of 1 elements differ" },
    { "f8E4M3FNUZ", "0.0", "0x80", "custom close", "element [] is 0, expected nan within 3 ulp; 1 of 1 elements differ" },
    { "complex<f32>", "(1.0, 2.0)", "(1.0, 0x40000003)", "custom close", NULL },
    { "complex<f32>", "(1.0, 2.0)", "(1.0, 0x40000004)", "custom close", "element [] is (1, 2), expected (1, 2.00000095) within 3 ulp (it is 4 away); 1 of 1 elements differ" },
    { "f32", "1.0", "0x3F800004", "custom close {max_ulp_difference = 4 : ui64}", NULL },
    { "f32", "1.0", "0x3F800001", "custom close {min_ulp_difference = 2 : ui64}", "element [] is 1, expected 1.00000012 at least 2 ulp away (it is 1); 1 of 1 elements differ" },
    /* within 0.001 */
    { "2xf32", "[1.0, 0x7FC00000]", "[1.0009, 0x7FC00000]", "custom almost_eq", NULL },
    { "f32", "1000.0", "1000.01", "custom almost_eq", "element [] is 1000, expected 1000.01001 within 0.001; 1 of 1 elements differ" },
    { "f64", "0x7FF0000000000000", "0x7FF0000000000000", "custom almost_eq", NULL },
    { "f64", "0x7FF0000000000000", "0xFFF0000000000000", "custom almost_eq", "element [] is inf, expected -inf within 0.001; 1 of 1 elements differ" },
    { "f64", "0x7FF8000000000000", "1.0", "custom almost_eq", "element [] is nan, expected 1 within 0.001; 1 of 1 elements differ" },
    { "complex<f64>", "(1.0, 2.0)", "(1.0005, 1.9995)", "custom almost_eq", NULL },
    { "complex<f64>", "(1.0, 2.0)", "(1.0, 1.99)", "custom almost_eq", "element [] is (1, 2), expected (1, 1.99) within 0.001; 1 of 1 elements differ" },
    { "f32", "1.0", "1.05", "custom almost_eq {tolerance = 0.1 : f64}", NULL },
    /* the dialect's forms and defaults */
    { "2xi64", "[1, 2]", "[1, 2]", "eq", NULL },
    { "2xi64", "[1, 2]", "[1, 3]", "eq", "element [1] is 2, expected 3; 1 of 2 elements differ" },
    { "2xi64", "[1, 2]", "[1, 2]", "eq_const", NULL },
    { "2xi64", "[1, 2]", "[3, 2]", "eq_const", "element [0] is 1, expected 3; 1 of 2 elements differ" },
    { "f64", "5.0", "5.0001", "almost_eq", NULL },
    { "f64", "5.0", "5.001", "almost_eq", "element [] is 5, expected 5.0010000000000003 within 0.0001; 1 of 1 elements differ" },
    { "f64", "5.0", "5.001", "almost_eq, tolerance = 0.1", NULL },
    { "f64", "5.0", "5.0001", "almost_eq_const", NULL },
    { "f64", "5.0", "6.0", "almost_eq_const", "element [] is 5, expected 6 within 0.0001; 1 of 1 elements differ" },
    { "f16", "5.0", "5.01", "close, max_ulp_difference = 3", NULL },
    { "f16", "5.0", "5.01", "close, max_ulp_difference = 2", "element [] is 5, expected 5.0117 within 2 ulp (it is 3 away); 1 of 1 elements differ" },
    { "f16", "5.0", "5.01", "close, max_ulp_difference = 3, min_ulp_difference = 3", NULL },
    { "f16", "5.0", "5.0", "close, max_ulp_difference = 3, min_ulp_difference = 1", "element [] is 5, expected 5 at least 1 ulp away (it is 0); 1 of 1 elements differ" },
};

/* The check as text: "custom KIND {attrs}" or "KIND, limits" of the dialect. */
static void check_text(int i, char *out, size_t n) {
    char kind[64] = { 0 };
    const char *check = cases[i].check, *type = cases[i].type;
    const bool custom = !strncmp(check, "custom ", 7);
    if (custom) check += 7;
    const size_t length = strcspn(check, " ,");
    memcpy(kind, check, length);
    const char *rest = check + length;
    if (custom)
        snprintf(out, n, "stablehlo.custom_call @check.expect_%s(%%a, %%b)%s : (tensor<%s>, tensor<%s>) -> ()", kind,
                 rest, type, type);
    else if (strstr(kind, "_const"))
        snprintf(out, n, "check.expect_%s %%a, dense<%s> : tensor<%s>%s", kind, cases[i].expected, type, rest);
    else if (!strcmp(kind, "close"))
        snprintf(out, n, "check.expect_close %%a, %%b%s : tensor<%s>, tensor<%s>", rest, type, type);
    else snprintf(out, n, "check.expect_%s %%a, %%b%s : tensor<%s>", kind, rest, type);
}

static weft_status compile(weft_context *cx, const char *text, weft_executable **x) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, NULL, x);
    weft_module_free(m);
    return st;
}

static const char *message(const weft_context *cx) {
    const weft_diag *d = weft_context_diag(cx, 0);
    return d ? d->message : "";
}

START_TEST(test_case) {
    char check[512], text[2048];
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    weft_failure why;
    check_text(_i, check, sizeof check);
    snprintf(
        text, sizeof text,
        "func.func @main() {\n %%a = stablehlo.constant dense<%s> : tensor<%s>\n %%b = stablehlo.constant dense<%s> : tensor<%s>\n %s\n return\n}\n",
        cases[_i].actual, cases[_i].type, cases[_i].expected, cases[_i].type, check);
    ck_assert_msg(compile(cx, text, &x) == WEFT_OK, "%s\n%s", text, message(cx));
    weft_status st = walk_run_why(x, NULL, NULL, &why, NULL);
    ck_assert_msg(st == (cases[_i].why ? WEFT_ERR_MISMATCH : WEFT_OK), "%s: %s", check, why.text);
    ck_assert_str_eq(why.text, cases[_i].why ? cases[_i].why : "");
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

/* @main's body, and what becomes of it: "" passes, at compile time when it starts with "!". */
static const struct { const char *body, *why;
} programs[] = {
    /* the first failing check, in program order, speaks */
    { "%a = stablehlo.constant dense<1> : tensor<i32>\n %b = stablehlo.constant dense<2> : tensor<i32>\n"
      "stablehlo.custom_call @check.expect_eq(%a, %a) : (tensor<i32>, tensor<i32>) -> ()\n"
      "stablehlo.custom_call @check.expect_eq(%a, %b) : (tensor<i32>, tensor<i32>) -> ()\n"
      "stablehlo.custom_call @check.expect_eq(%b, %a) : (tensor<i32>, tensor<i32>) -> ()\n return",
      "element [] is 1, expected 2; 1 of 1 elements differ" },
    /* the second, although it waits for a large temporary and the third for nothing */
    { "%a = stablehlo.constant dense<1> : tensor<i32>\n %b = stablehlo.constant dense<3> : tensor<i32>\n %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "%i = stablehlo.iota dim = 0 : tensor<4096xi32>\n %r = \"stablehlo.sort\"(%i) <{dimension = 0 : i64}> ({\n ^bb0(%p: tensor<i32>, %q: tensor<i32>):\n"
      " %l = stablehlo.compare GT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %l : tensor<i1>\n}) : (tensor<4096xi32>) -> tensor<4096xi32>\n"
      "%f = stablehlo.slice %r [0:1] : (tensor<4096xi32>) -> tensor<1xi32>\n %s = stablehlo.reshape %f : (tensor<1xi32>) -> tensor<i32>\n"
      "stablehlo.custom_call @check.expect_eq(%a, %a) : (tensor<i32>, tensor<i32>) -> ()\n"
      "stablehlo.custom_call @check.expect_eq(%s, %b) : (tensor<i32>, tensor<i32>) -> ()\n"
      "stablehlo.custom_call @check.expect_eq(%b, %a) : (tensor<i32>, tensor<i32>) -> ()\n return",
      "element [] is 4095, expected 3; 1 of 1 elements differ" },
    /* inside a loop, whose results nobody uses */
    { "%z = stablehlo.constant dense<0> : tensor<i32>\n %one = stablehlo.constant dense<1> : tensor<i32>\n %n = stablehlo.constant dense<5> : tensor<i32>\n"
      "%r = stablehlo.while(%i = %z) : tensor<i32>\n cond {\n %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "stablehlo.return %c : tensor<i1>\n } do {\n check.expect_eq %i, %z : tensor<i32>\n %j = stablehlo.add %i, %one : tensor<i32>\n"
      "stablehlo.return %j : tensor<i32>\n }\n return",
      "element [] is 1, expected 0; 1 of 1 elements differ" },
    /* inside the branch that is taken, and only there */
    { "%k = stablehlo.constant dense<true> : tensor<i1>\n %a = stablehlo.constant dense<3.0> : tensor<f32>\n %b = stablehlo.constant dense<4.0> : tensor<f32>\n"
      "%r = \"stablehlo.if\"(%k) ({\n check.expect_eq %a, %a : tensor<f32>\n stablehlo.return %a : tensor<f32>\n}, {\n check.expect_eq %a, %b : tensor<f32>\n"
      "stablehlo.return %a : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>\n return",
      "" },
    /* the second result of a reduction after a matrix product: computed before it is checked */
    { "%x = stablehlo.constant dense<[[1.0, 2.0, 3.0], [0.0, 5.0, 1.0]]> : tensor<2x3xf32>\n %y = stablehlo.constant dense<[[1.0], [2.0], [0.5]]> : tensor<3x1xf32>\n"
      "%d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x1xf32>) -> tensor<2x1xf32>\n"
      "%v = stablehlo.reshape %d : (tensor<2x1xf32>) -> tensor<2xf32>\n %i = stablehlo.iota dim = 0 : tensor<2xi32>\n"
      "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n %z = stablehlo.constant dense<0> : tensor<i32>\n"
      "%r:2 = stablehlo.reduce(%v init: %low), (%i init: %z) across dimensions = [0] : (tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)\n"
      " reducer(%p: tensor<f32>, %q: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {\n %c = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      " %s = stablehlo.select %c, %p, %q : tensor<i1>, tensor<f32>\n %t = stablehlo.select %c, %k, %l : tensor<i1>, tensor<i32>\n"
      " stablehlo.return %s, %t : tensor<f32>, tensor<i32>\n }\n %e = stablehlo.constant dense<1> : tensor<i32>\n check.expect_eq %r#1, %e : tensor<i32>\n return",
      "" },
    /* check.eq gives whether it holds, and fails where it does not */
    { "%a = stablehlo.constant dense<1.0> : tensor<f32>\n %b = stablehlo.constant dense<1.00005> : tensor<f32>\n %t = stablehlo.constant dense<true> : tensor<i1>\n"
      "%r = stablehlo.custom_call @check.eq(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<i1>\n check.expect_eq %r, %t : tensor<i1>\n return",
      "" },
    { "%a = stablehlo.constant dense<1> : tensor<i8>\n %b = stablehlo.constant dense<2> : tensor<i8>\n"
      "%r = stablehlo.custom_call @check.eq(%a, %b) : (tensor<i8>, tensor<i8>) -> tensor<i1>\n return",
      "element [] is 1, expected 2; 1 of 1 elements differ" },
    /* refused */
    { "%a = stablehlo.constant dense<1> : tensor<i8>\n stablehlo.custom_call @check.expect_close(%a, %a) : (tensor<i8>, tensor<i8>) -> ()\n return",
      "!a check of floats does not take 'i8'" },
    { "%a = stablehlo.constant dense<1> : tensor<i8>\n %b = stablehlo.constant dense<1> : tensor<2xi8>\n"
      "stablehlo.custom_call @check.expect_eq(%a, %b) : (tensor<i8>, tensor<2xi8>) -> ()\n return",
      "!a check compares tensors of one type" },
    { "%a = stablehlo.constant dense<1> : tensor<i8>\n stablehlo.custom_call @check.expect_eq(%a) : (tensor<i8>) -> ()\n return",
      "!custom call 'check.expect_eq' has 1 operands and 0 results instead of 2 and 0" },
    { "%a = stablehlo.constant dense<1> : tensor<i8>\n %r = stablehlo.custom_call @check.eq(%a, %a) : (tensor<i8>, tensor<i8>) -> tensor<i8>\n return",
      "!custom call 'check.eq' needs results of type i1" },
    { "%a = stablehlo.constant dense<1> : tensor<i8>\n %r = stablehlo.custom_call @nowhere(%a) : (tensor<i8>) -> tensor<i8>\n return",
      "!no code for custom call target 'nowhere'" },
};

START_TEST(test_program) {
    char text[4096];
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    weft_failure why;
    snprintf(text, sizeof text, "func.func @main() {\n %s\n}\n", programs[_i].body);
    weft_status st = compile(cx, text, &x);
    if (programs[_i].why[0] == '!') {
        ck_assert_int_ne(st, WEFT_OK);
        ck_assert_str_eq(message(cx), programs[_i].why + 1);
        ck_assert_uint_eq(weft_context_diag_count(cx), 1);
    } else {
        ck_assert_msg(st == WEFT_OK, "%s", message(cx));
        st = walk_run_why(x, NULL, NULL, &why, NULL);
        ck_assert_str_eq(why.text, programs[_i].why);
        ck_assert_int_eq(st, programs[_i].why[0] ? WEFT_ERR_MISMATCH : WEFT_OK);
    }
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/check");
    TCase *tc = tcase_create("check");
    tcase_add_loop_test(tc, test_case, 0, WEFT_COUNT(cases));
    tcase_add_loop_test(tc, test_program, 0, WEFT_COUNT(programs));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
