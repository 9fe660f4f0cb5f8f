/* Rules as text: valid ones, refused ones with their places, and the rule of a call for which one is registered. */
#include "sharding/rule_text.h"

#include "mlir/print.h"
#include "mlir/read.h"
#include "propagate/propagate.h"
#include "tests/support/suite.h"

static weft_context *cx;

static void set_up(void) { cx = weft_context_new(NULL); }
static void tear_down(void) { weft_context_free(cx); }

static const char *last_message(void) {
    size_t n = weft_context_diag_count(cx);
    return n ? weft_context_diag(cx, n - 1)->message : "";
}

/* A call of @f with these types, and the rule it gets; what else is said where it gets none. */
static const struct { const char *rule, *types, *want; } uses[] = {
    { "ij,jk->ik", "(tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>",
      "#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=2, j=3, k=5} reduction={j}>" },
    { " i j , j k -> i k ; passing j", "(tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>",
      "#sdy.op_sharding_rule<([i, j], [j, k])->([i, k]) {i=2, j=3, k=5}>" },
    { "yx->xy", "(tensor<2x3xf32>) -> tensor<3x2xf32>", "#sdy.op_sharding_rule<([i, j])->([j, i]) {i=2, j=3}>" },
    { "(hd)n->hdn", "(tensor<6x5xf32>) -> tensor<2x3x5xf32>", "#sdy.op_sharding_rule<([ij, k])->([i, j, k]) {i=2, j=3, k=5}>" },
    { "(hd)n->hdn", "(tensor<3x5xf32>) -> tensor<1x3x5xf32>", "#sdy.op_sharding_rule<([j, k])->([i, j, k]) {i=1, j=3, k=5}>" },
    { "(hd)n,h->n", "(tensor<1x5xf32>, tensor<1xf32>) -> tensor<5xf32>", "#sdy.op_sharding_rule<([i, j], [i])->([j]) {i=1, j=5} reduction={i}>" },
    { "(ab)c,(bc)->c", "(tensor<6x5xf32>, tensor<15xf32>) -> tensor<5xf32>",
      "#sdy.op_sharding_rule<([ij, k], [jk])->([k]) {i=2, j=3, k=5} reduction={i, j}>" },
    { "bn,->bn,b", "(tensor<2x3xf32>, tensor<f32>) -> (tensor<2x3xf32>, tensor<2xf32>)",
      "#sdy.op_sharding_rule<([i, j], [])->([i, j], [i]) {i=2, j=3}>" },
    { "ij->", "(tensor<2x3xf32>) -> tensor<f32>", "#sdy.op_sharding_rule<([i, j])->([]) {i=2, j=3} reduction={i, j}>" },
    { "ij->", "(tensor<2x3xf32>) -> ()", "#sdy.op_sharding_rule<([i, j])->() {i=2, j=3} reduction={i, j}>" },
    { "->i", "() -> tensor<4xf32>", "#sdy.op_sharding_rule<()->([i]) {i=4}>" },
    { "ijkl->ijkl; replicated j; permuted k; blocked il", "(tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>",
      "#sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=3, k=5, l=7} need_replication={j} permutation={k} blocked_propagation={i, l}>" },
    { "ij->ij", "(tensor<2x3xf32>) -> tensor<2x4xf32>", "two dimensions of one letter differ in size" },
    { "ij->ij", "(tensor<2x3xf32>) -> tensor<2x3x1xf32>", "the ranks differ" },
    { "ij,j->ij", "(tensor<2x3xf32>) -> tensor<2x3xf32>", "another number of operands" },
    { "ij->ij,i", "(tensor<2x3xf32>) -> tensor<2x3xf32>", "another number of results" },
    { "(ij)->(ij)", "(tensor<6xf32>) -> tensor<6xf32>", "do not follow from the others" },
    { "(ij),i->j", "(tensor<6xf32>, tensor<4xf32>) -> tensor<2xf32>", "differ in size" },
    { "a,b->(ab)", "(tensor<1099511627776xi1>, tensor<1099511627776xi1>) -> tensor<0xi1>", "no product below 2^63" }, /* 2^80 is 0 in 64 bits */
    { "a,b->(abc)", "(tensor<4294967296xi1>, tensor<4294967296xi1>) -> tensor<0xi1>", "no product below 2^63" },
};

/* A function whose arguments are the call's operands. */
static void write_program(const char *types, weft_buf *b) {
    const char *end = strchr(types, ')');
    int n = 0;
    weft_buf_puts(b, "func.func @g(");
    for (const char *p = types + 1; p < end; n++) {
        size_t length = strcspn(p, ",)");
        weft_buf_printf(b, "%s%%a%d: %.*s", n ? ", " : "", n, (int)length, p);
        p += length + (p[length] == ',');
    }
    weft_buf_puts(b, ") {\n  \"stablehlo.custom_call\"(");
    for (int i = 0; i < n; i++) weft_buf_printf(b, "%s%%a%d", i ? ", " : "", i);
    weft_buf_printf(b, ") <{call_target_name = \"f\"}> : %s\n  return\n}\n", types);
}

/* The rule of the call as a module prints it, or "". */
static weft_status rule_of(const char *types, weft_buf *text) {
    weft_buf program;
    weft_module *m = NULL, *out = NULL;
    weft_buf_init(&program, &cx->alloc);
    write_program(types, &program);
    weft_status st = weft_read_text(cx, (weft_str){ program.p, program.n }, "uses", 0, &m);
    ck_assert_msg(st == WEFT_OK, "%s\n%s", last_message(), program.p);
    weft_pass pass = { .cx = cx, .name = "sdy-populate-op-sharding-rules" };
    st = weft_pass_populate_op_sharding_rules(&pass, m, &out);
    if (st == WEFT_OK) st = weft_print_module(out, 0, text);
    weft_module_free(m);
    weft_module_free(out);
    weft_buf_free(&program);
    return st;
}

START_TEST(test_use) {
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    ck_assert_msg(weft_rule_text_register(cx, WEFT_STR("f"), weft_str_from(uses[_i].rule), NULL) == WEFT_OK, "%s",
                  last_message());
    weft_status st = rule_of(uses[_i].types, &text);
    if (st == WEFT_OK) ck_assert_msg(strstr(text.p, uses[_i].want) != NULL, "%s", text.p);
    else ck_assert_msg(strstr(last_message(), uses[_i].want) != NULL, "%s", last_message());
    weft_buf_free(&text);
}
END_TEST

static const struct { const char *rule, *message; } wrong[] = {
    { "", "expected a letter, ',' or '->' at column 1" },
    { "ij", "expected a letter, ',' or '->' at column 3" },
    { "ij,j3->ik", "expected a letter, ',' or '->' at column 5" },
    { "ii->i", "a letter that this tensor has already at column 2" },
    { "(ij->i", "')' is missing at column 4" },
    { "()->i", "a letter is missing at column 2" },
    { "i->i;", "expected 'reduced'" },
    { "i->i; gathered i", "expected 'reduced', 'replicated', 'permuted', 'passing' or 'blocked' at column 7" },
    { "i->i; replicated", "a letter is missing at column 17" },
    { "i->i; replicated k", "a letter that no tensor has at column 18" },
    { "i->i; replicated i; permuted i", "a letter of two kinds at column 30" },
    { "ij->i; reduced i", "a result's letter, which cannot be reduced, at column 16" },
    { "i->i 3", "unexpected text at column 6" },
    { "i->i)", "unexpected text at column 5" },
};

START_TEST(test_wrong) {
    ck_assert_int_eq(weft_rule_text_register(cx, WEFT_STR("f"), weft_str_from(wrong[_i].rule), NULL), WEFT_ERR_INVALID);
    ck_assert_msg(strstr(last_message(), wrong[_i].message) != NULL, "%s", last_message());
    ck_assert_ptr_null(weft_rule_text_find(cx, WEFT_STR("f")));
}
END_TEST

START_TEST(test_twice) {
    ck_assert_int_eq(weft_rule_text_register(cx, WEFT_STR("f"), WEFT_STR("i->i"), NULL), WEFT_OK);
    ck_assert_int_eq(weft_rule_text_register(cx, WEFT_STR("f"), WEFT_STR("i->i"), NULL), WEFT_OK);
    ck_assert_int_eq(weft_rule_text_register(cx, WEFT_STR("g"), WEFT_STR("ij->ij"), NULL), WEFT_OK);
    ck_assert_int_eq(weft_rule_text_register(cx, WEFT_STR("f"), WEFT_STR("ij->ij"), NULL), WEFT_ERR_USAGE);
    ck_assert_str_eq(last_message(), "the rule for 'f' is \"i->i\" already");
    /* Of a text that is no rule that is said, whatever the target has. */
    ck_assert_int_eq(weft_rule_text_register(cx, WEFT_STR("f"), WEFT_STR("ij"), NULL), WEFT_ERR_INVALID);
    ck_assert_msg(strstr(last_message(), "at column 3") != NULL, "%s", last_message());
    ck_assert_int_eq(weft_rule_text_register(cx, WEFT_STR(""), WEFT_STR("ij->ij"), NULL), WEFT_ERR_USAGE);
}
END_TEST

int main(void) {
    Suite *s = suite_create("sharding/rule_text");
    TCase *tc = tcase_create("rules as text");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, test_use, 0, WEFT_COUNT(uses));
    tcase_add_loop_test(tc, test_wrong, 0, WEFT_COUNT(wrong));
    tcase_add_test(tc, test_twice);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
