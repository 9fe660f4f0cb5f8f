/* Specs of passes as users write them. */
#include <stdlib.h>
#include "pipeline/pipeline.h"
#include "pipeline/registry.h"
#include "tests/support/suite.h"

static const struct { const char *text, *name, *options; } specs[] = {
    { "a", "a", "" },
    { "a=", "a", "" },
    { "a-b=x=1 y=2", "a-b", "x=1 y=2" },
};

START_TEST(splits_at_first_equals) {
    weft_spec s = weft_spec_split(weft_str_from(specs[_i].text));
    ck_assert(weft_str_is(s.name, specs[_i].name));
    ck_assert(weft_str_is(s.options, specs[_i].options));
}
END_TEST

/* want: "key=value|key=value", or NULL when the text must be refused */
static const struct { const char *text, *want; } options[] = {
    { "", "" },
    { "a", "a=true" },
    { "a=1", "a=1" },
    { "  a=1   b=two ", "a=1|b=two" },
    { "a='x y' b=\"p=q\"", "a=x y|b=p=q" },
    { "a={x {y} z},b=1", "a=x {y} z|b=1" },
    { "a=x,y,z", "a=x,y,z" },
    { "a=", "a=" },
    { "a='x", NULL },
    { "a={x", NULL },
    { "=x", NULL },
    { "a=1 a=2", NULL },
};

START_TEST(parses_options) {
    weft_context *cx = weft_context_new(NULL);
    weft_option_list list;
    weft_buf got;
    weft_buf_init(&got, &cx->alloc);
    weft_status st = weft_options_parse(cx, "p", weft_str_from(options[_i].text), &list);
    ck_assert_int_eq(st, options[_i].want ? WEFT_OK : WEFT_ERR_USAGE);
    ck_assert_uint_eq(weft_context_diag_count(cx), options[_i].want ? 0 : 1);
    if (st == WEFT_OK) {
        for (size_t i = 0; i < list.n; i++)
            weft_buf_printf(&got, "%s%.*s=%.*s", i ? "|" : "", WEFT_STR_ARG(list.v[i].key),
                            WEFT_STR_ARG(list.v[i].value));
        ck_assert_str_eq(got.p ? got.p : "", options[_i].want);
    }
    weft_buf_free(&got);
    weft_context_free(cx);
}
END_TEST

static const struct { const char *list, *names; } lists[] = {
    { "", "" },
    { "a", "a;" },
    { "a,b{x=1 y={2,3}},c", "a;b;c;" },
    { " a , b ", "a;b;" },
};

START_TEST(walks_lists) {
    weft_str list = weft_str_from(lists[_i].list);
    weft_spec s;
    char got[64] = "";
    while (weft_spec_next(&list, &s)) {
        strncat(got, s.name.p, s.name.n);
        strcat(got, ";");
    }
    ck_assert_str_eq(got, lists[_i].names);
}
END_TEST

static const struct { const char *absent, *value; weft_status want; } values[] = {
    { "false", "true", WEFT_OK }, { "true", "0", WEFT_OK }, { "true", "maybe", WEFT_ERR_USAGE },
    { "4", "17", WEFT_OK }, { "4", "-1", WEFT_OK }, { "4", "x", WEFT_ERR_USAGE }, { "4", "", WEFT_ERR_USAGE },
    { "", "anything", WEFT_OK }, { "word", "other", WEFT_OK },
};

START_TEST(checks_types) {
    weft_context *cx = weft_context_new(NULL);
    ck_assert_int_eq(weft_option_check(cx, "p", WEFT_STR("k"), weft_str_from(values[_i].value),
                                       weft_str_from(values[_i].absent)),
                     values[_i].want);
    weft_context_free(cx);
}
END_TEST

START_TEST(finds_declared) {
    weft_str absent;
    ck_assert(weft_option_declared("a=1,bb=two,c", WEFT_STR("bb"), &absent) && weft_str_is(absent, "two"));
    ck_assert(weft_option_declared("a=1,bb=two,c", WEFT_STR("c"), &absent) && absent.n == 0);
    ck_assert(!weft_option_declared("a=1,bb=two,c", WEFT_STR("b"), &absent));
}
END_TEST

/* Every line of passes.def: names are unique, pipelines resolve with the options that they give. */
/* A pipeline that changes the module and then fails: what was lent is as it was, what was given away is gone. */
START_TEST(gives_back_what_was_lent) {
    static const char text[] = "sdy.mesh @m = <[\"x\"=2]>\n"
                               "func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{}], unreduced={\"x\"}>}) -> tensor<4xf32> {\n"
                               "  %0 = stablehlo.exponential %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n";
    static const unsigned flags[] = { 0, WEFT_PIPELINE_TAKE };
    weft_context *cx = weft_context_new(NULL);
    weft_buf before, after;
    weft_module *m = NULL;
    weft_buf_init(&before, &cx->alloc);
    weft_buf_init(&after, &cx->alloc);
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "text", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_print_module(m, 0, &before), WEFT_OK);
    const weft_module *lent = m;
    ck_assert_int_eq(weft_pipeline_run(cx, WEFT_STR("sdy-propagation-pipeline"), flags[_i], &m), WEFT_ERR_INVALID);
    if (flags[_i] & WEFT_PIPELINE_TAKE) {
        ck_assert_ptr_null(m);
    } else {
        ck_assert_ptr_eq(m, lent);
        ck_assert_int_eq(weft_print_module(m, 0, &after), WEFT_OK);
        ck_assert_str_eq(before.p, after.p);
    }
    weft_module_free(m);
    weft_buf_free(&before);
    weft_buf_free(&after);
    weft_context_free(cx);
}
END_TEST

START_TEST(table_resolves) {
    weft_context *cx = weft_context_new(NULL);
    for (size_t i = 0; i < weft_pass_count(); i++) {
        const weft_pass_info *p = weft_pass_at(i);
        ck_assert_ptr_eq(weft_pass_find(weft_str_from(p->name)), p);
        ck_assert_msg(*p->help, "%s has no help", p->name);
        ck_assert_msg(weft_pipeline_check(cx, weft_str_from(p->name)) == WEFT_OK, "%s", p->name);
    }
    ck_assert_int_eq(weft_pipeline_check(cx, WEFT_STR("no-such-pass")), WEFT_ERR_USAGE);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/spec");
    TCase *tc = tcase_create("spec");
    tcase_add_loop_test(tc, splits_at_first_equals, 0, (int)WEFT_COUNT(specs));
    tcase_add_loop_test(tc, parses_options, 0, (int)WEFT_COUNT(options));
    tcase_add_loop_test(tc, walks_lists, 0, (int)WEFT_COUNT(lists));
    tcase_add_loop_test(tc, checks_types, 0, (int)WEFT_COUNT(values));
    tcase_add_test(tc, finds_declared);
    tcase_add_test(tc, table_resolves);
    tcase_add_loop_test(tc, gives_back_what_was_lent, 0, 2);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
