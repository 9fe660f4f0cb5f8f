/* Which integers of a loop's body change by a constant. */
#include "ir/line.h"
#include "ir/trips.h"
#include "mlir/read.h"
#include "tests/support/suite.h"

/* An i in a type, from a start by ones; ops that make %v, of type `result`. by 0 with `is` set: a constant. */
static const struct {
    const char *type, *from, *end, *ops, *result;
    bool is;
    int64_t first, by;
} lines[] = {
    { "i32", "0", "9", "%v = stablehlo.add %i, %two : tensor<i32>", "i32", true, 2, 1 },
    { "i32", "3", "9", "%v = stablehlo.subtract %two, %i : tensor<i32>", "i32", true, -1, -1 },
    { "i32", "3", "9", "%v = stablehlo.add %i, %i : tensor<i32>", "i32", true, 6, 2 },
    { "i32", "0", "9", "%v = stablehlo.add %two, %two : tensor<i32>", "i32", true, 4, 0 },
    { "i32", "0", "9", "%v = stablehlo.add %k, %i : tensor<i32>", "i32", true, 2, 1 },        /* carried unchanged */
    { "i32", "0", "9", "%v = stablehlo.multiply %i, %two : tensor<i32>", "i32", false, 0, 0 },
    { "i32", "0", "9", "%v = stablehlo.add %i, %n : tensor<i32>", "i32", false, 0, 0 },        /* nobody knows it */
    { "i32", "0", "9", "%v = stablehlo.convert %i : (tensor<i32>) -> tensor<i8>", "i8", true, 0, 1 },
    { "i32", "0", "128", "%v = stablehlo.convert %i : (tensor<i32>) -> tensor<i8>", "i8", true, 0, 1 },
    { "i32", "0", "129", "%v = stablehlo.convert %i : (tensor<i32>) -> tensor<i8>", "i8", false, 0, 0 }, /* wraps */
    { "i32", "-1", "9", "%v = stablehlo.convert %i : (tensor<i32>) -> tensor<ui64>", "ui64", false, 0, 0 },
    { "ui8", "0", "9", "%v = stablehlo.subtract %i, %two : tensor<ui8>", "ui8", false, 0, 0 },
    { "ui8", "2", "9", "%v = stablehlo.subtract %i, %two : tensor<ui8>", "ui8", true, 0, 1 },
    { "i8", "100", "127", "%v = stablehlo.add %i, %two : tensor<i8>", "i8", false, 0, 0 },
    { "i32", "0", "9",
      "%neg = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n %m = stablehlo.add %i, %two : tensor<i32>\n"
      "%v = stablehlo.select %neg, %m, %i : tensor<i1>, tensor<i32>", "i32", true, 0, 1 },
    { "i32", "-3", "9",
      "%neg = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n %m = stablehlo.add %i, %two : tensor<i32>\n"
      "%v = stablehlo.select %neg, %m, %i : tensor<i1>, tensor<i32>", "i32", false, 0, 0 },
    { "i32", "0", "9",
      "%neg = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n %m = stablehlo.add %i, %two : tensor<i32>\n"
      "%v = stablehlo.select %neg, %m, %i : tensor<i1>, tensor<i32>", "i32", false, 0, 0 },
};

static const weft_value *origin(void *user, const weft_value *v) {
    const weft_op *loop = user;
    const weft_value *outer = v->def || v->block != weft_op_body(loop, 1) ? NULL : weft_loop_unchanged(loop, v->index);
    return outer ? outer : v;
}

START_TEST(a_line) {
    char text[2048];
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_counter c;
    weft_line got;
    const char *t = lines[_i].type;
    snprintf(text, sizeof text,
             "func.func @main(%%n: tensor<%s>) -> tensor<%s> {\n"
             "  %%c = stablehlo.constant dense<%s> : tensor<%s>\n  %%c2 = stablehlo.constant dense<2> : tensor<%s>\n"
             "  %%0:2 = stablehlo.while(%%i = %%c, %%k = %%c2) : tensor<%s>, tensor<%s>\n  cond {\n"
             "    %%e = stablehlo.constant dense<%s> : tensor<%s>\n"
             "    %%t = stablehlo.compare LT, %%i, %%e : (tensor<%s>, tensor<%s>) -> tensor<i1>\n    stablehlo.return %%t : tensor<i1>\n  } do {\n"
             "    %%one = stablehlo.constant dense<1> : tensor<%s>\n    %%two = stablehlo.constant dense<2> : tensor<%s>\n"
             "    %%zero = stablehlo.constant dense<0> : tensor<%s>\n    %s\n    %%w = stablehlo.negate %%v : tensor<%s>\n"
             "    %%s = stablehlo.add %%i, %%one : tensor<%s>\n    stablehlo.return %%s, %%k : tensor<%s>, tensor<%s>\n  }\n"
             "  return %%0#0 : tensor<%s>\n}\n",
             t, t, lines[_i].from, t, t, t, t, lines[_i].end, t, t, t, t, t, t, lines[_i].ops,
             lines[_i].result, t, t, t, t);
    ck_assert_msg(weft_read_text(cx, weft_str_from(text), "line.mlir", 0, &m) == WEFT_OK, "%s", text);
    const weft_op *loop = weft_op_body(weft_module_main(m), 0)->first;
    while (loop->kind != WEFT_OP_while) loop = loop->next;
    ck_assert(weft_loop_counter(loop, &c));
    const weft_op *last = weft_op_body(loop, 1)->first;
    while (last->kind != WEFT_OP_negate) last = last->next;
    const weft_lines in = { .counter = weft_op_body(loop, 1)->args[0], .from = c.from, .by = c.by,
                            .trips = weft_counter_trips(&c), .origin = origin, .user = (void *)loop };
    ck_assert_int_eq(weft_line_of(&in, last->operands[0], &got), lines[_i].is);
    if (lines[_i].is) {
        ck_assert_int_eq(got.from, lines[_i].first);
        ck_assert_int_eq(got.by, lines[_i].by);
    }
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("ir/line");
    TCase *tc = tcase_create("line");
    tcase_add_loop_test(tc, a_line, 0, WEFT_COUNT(lines));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
