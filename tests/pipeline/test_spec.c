/* Specs of passes as users write them. */
#include <stdio.h>
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

#define FAST "device 989Tflop/s bandwidth 3.35TB/s engine nodes * { gpu 8 nvlink 450GB/s 2us } fabric 50GB/s 5us"

/* Which machine a pass goes by: a ring of products is made on FAST, and not on the default machine, whose devices move
 * the bytes themselves. */
static const struct { const char *environment, *given, *option; bool ring; } machines[] = {
    { NULL, NULL, NULL, false },
    { FAST, NULL, NULL, true },
    { NULL, NULL, FAST, true },
    { NULL, FAST, NULL, true },
    { FAST, NULL, "cpu-node", false }, /* the option wins, */
    { FAST, NULL, "", true },          /* an empty one says nothing, */
    { NULL, "cpu-node", FAST, false }, /* and one that was handed over wins over the text's */
};

static size_t count_of(const weft_module *m, const char *what) {
    weft_buf text;
    size_t n = 0;
    weft_buf_init(&text, &m->cx->alloc);
    ck_assert_int_eq(weft_print_module(m, 0, &text), WEFT_OK);
    for (const char *p = text.p; (p = strstr(p, what)); p++) n++;
    weft_buf_free(&text);
    return n;
}

START_TEST(finds_the_machine) {
    static const char text[] =
        "sdy.mesh @mesh = <[\"x\"=4]>\n"
        "func.func @main(%x: tensor<1024x8192xf32>, %w: tensor<8192x4096xf32>) -> tensor<4096x4096xf32> {\n"
        "  %g = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = \"x\">]>, use_global_device_ids}> "
        ": (tensor<1024x8192xf32>) -> tensor<4096x8192xf32>\n"
        "  %y = stablehlo.dot_general %g, %w, contracting_dims = [1] x [0] : (tensor<4096x8192xf32>, tensor<8192x4096xf32>) -> tensor<4096x4096xf32>\n"
        "  return %y : tensor<4096x4096xf32>\n}\n";
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_machine machine;
    char spec[512] = "weft-collective-matmul";
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "text", 0, &m), WEFT_OK);
    if (machines[_i].environment)
        ck_assert_int_eq(weft_machine_open(cx, machines[_i].environment, NULL, &machine), WEFT_OK);
    if (machines[_i].option) snprintf(spec, sizeof spec, "weft-collective-matmul=machine={%s}", machines[_i].option);
    const weft_environment environment = { .machine = machines[_i].environment ? &machine : NULL };
    const weft_pass_option given = { WEFT_STR("machine"),
                                     weft_str_from(machines[_i].given ? machines[_i].given : "") };
    const weft_pipeline_call call = { .spec = weft_str_from(spec), .options = &given,
                                      .option_count = machines[_i].given != NULL, .environment = &environment };
    ck_assert_int_eq(weft_pipeline_call_run(cx, &call, &m), WEFT_OK);
    ck_assert_uint_eq(count_of(m, "collective_permute"), machines[_i].ring ? 3 : 0);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

static void count_passes(void *user, const char *pass, const weft_module *m) {
    (void)pass;
    (void)m;
    ++*(size_t *)user;
}

/* A machine that cannot be read is refused before any pass runs. */
START_TEST(reads_the_machine_first) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    size_t passes = 0;
    const weft_pipeline_observer observer = { .after = count_passes, .user = &passes };
    const weft_pipeline_call call = { .spec = WEFT_STR("weft-partition=machine=no-such-machine"),
                                      .observer = &observer };
    ck_assert_int_eq(weft_read_text(cx, WEFT_STR("func.func @main() { return }"), "text", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_pipeline_call_run(cx, &call, &m), WEFT_ERR_USAGE);
    ck_assert_uint_eq(passes, 0);
    ck_assert_int_eq(weft_pipeline_check(cx, call.spec), WEFT_ERR_USAGE);
    weft_module_free(m);
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
    tcase_add_loop_test(tc, finds_the_machine, 0, (int)WEFT_COUNT(machines));
    tcase_add_test(tc, reads_the_machine_first);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
