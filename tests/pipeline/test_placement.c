/* test_placement.c: orders in meshes, patterns of a program's collectives, and the advice for a program. */
#include "base/context.h"
#include "pipeline/placement.h"
#include "tests/support/suite.h"

static weft_context *cx;
static void begin(void) { cx = weft_context_new(NULL); }
static void end(void) { weft_context_free(cx); }

/* Sums over "b" of a large tensor and over "a" of a small one. */
static const char text[] =
    "sdy.mesh @mesh = <[\"a\"=4, \"b\"=2]>\n"
    "func.func @main(%x: tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {\"b\"}]>},\n"
    "                %y: tensor<1024x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"b\"}, {}]>})\n"
    "    -> (tensor<64x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>}) {\n"
    "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x1024xf32>, tensor<1024x1024xf32>) -> tensor<64x1024xf32>\n"
    "  return %0 : tensor<64x1024xf32>\n"
    "}\n";

static weft_module *module_of(const char *source) {
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(source), "test", 0, &m), WEFT_OK);
    return m;
}

static weft_built_program *program_of(const weft_module *m, const char *mesh, const char *order) {
    weft_build_options opt = { .compile_flags = WEFT_COMPILE_PLAN_ONLY, .mesh = mesh, .order = order };
    weft_built_program *p = NULL;
    ck_assert_int_eq(weft_program_build(cx, m, &opt, &p), WEFT_OK);
    return p;
}

/* The groups over "b", by the order of the devices: the first row. */
static const struct { const char *order; int32_t first, second; } orders[] = {
    { NULL, 0, 1 }, { "a,b", 0, 1 }, { "b,a", 0, 4 }, { "\"a\":(1)2,b,\"a\":(2)2", 0, 2 },
};

START_TEST(test_patterns) {
    weft_module *m = module_of(text);
    weft_built_program *p = program_of(m, NULL, orders[_i].order);
    int64_t counts[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    weft_loads l;
    ck_assert_uint_eq(p->exec->plan.collective_count, 1);
    ck_assert_int_eq(weft_program_loads(cx, &cx->arena, p, counts, &l), WEFT_OK);
    ck_assert_uint_eq(l.pattern_count, 1);
    ck_assert_uint_eq(l.load_count, 1);
    ck_assert_int_eq(l.patterns[0].size, 2);
    ck_assert_int_eq(l.patterns[0].rows, 4);
    ck_assert_int_eq(l.patterns[0].members[0], orders[_i].first);
    ck_assert_int_eq(l.patterns[0].members[1], orders[_i].second);
    ck_assert_int_eq(l.loads[0].bytes, 16 * 1024 * 4);
    weft_built_program_free(p);
    weft_module_free(m);
}
END_TEST

/* An order that is advised costs what a program built in it does. */
static const struct { const char *mesh; } advices[] = { { NULL }, { "a=2,b=4" }, { "a=2,b=8" } };

START_TEST(test_advice) {
    weft_module *m = module_of(text);
    weft_built_program *p = program_of(m, advices[_i].mesh, NULL);
    weft_machine machine;
    weft_order_advice advice;
    int64_t counts[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    ck_assert_int_eq(weft_machine_read(cx, WEFT_STR("nodes * { gpu 4 100GB/s 1us } 1GB/s 5us"), "m", &machine),
                     WEFT_OK);
    ck_assert_int_eq(weft_machine_hold(cx, &machine, p->device_count), WEFT_OK);
    ck_assert_int_eq(weft_program_order(cx, &cx->arena, m, advices[_i].mesh, p, &machine, counts, "b,a", &advice),
                     WEFT_OK);
    ck_assert_str_eq(advice.text[WEFT_ORDER_CONTIGUOUS], "a,b");
    ck_assert_str_eq(advice.text[WEFT_ORDER_ASKED], "b,a");
    ck_assert_double_le(advice.time_s[WEFT_ORDER_BEST], advice.time_s[WEFT_ORDER_CONTIGUOUS]);
    ck_assert_double_le(advice.time_s[WEFT_ORDER_BEST], advice.time_s[WEFT_ORDER_ASKED]);
    ck_assert_int_ge(advice.tried, 2);
    ck_assert_uint_eq(advice.traffic_count, 1); /* the sum over "b", and what it costs is all that there is */
    ck_assert_str_eq(advice.traffic[0].axes.p, "b");
    ck_assert_double_gt(advice.traffic[0].wire_bytes, 0);
    for (int o = 0; o < WEFT_ORDER_COUNT; o++) { /* what is said of an order is what a program in it costs */
        weft_built_program *q = program_of(m, advices[_i].mesh, advice.text[o]);
        weft_loads l;
        double t;
        ck_assert_double_eq_tol(advice.traffic[0].time_s[o], advice.time_s[o], 1e-12);
        ck_assert_int_eq(weft_program_loads(cx, &cx->arena, q, counts, &l), WEFT_OK);
        ck_assert_int_eq(weft_order_time(cx, &machine, &l, NULL, &t), WEFT_OK);
        ck_assert_double_eq_tol(t, advice.time_s[o], 1e-12);
        weft_built_program_free(q);
    }
    weft_built_program_free(p);
    weft_module_free(m);
}
END_TEST

static const struct { const char *source, *why; } nothing[] = {
    { "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n", "no mesh" },
    { "sdy.mesh @mesh = <[\"a\"=4], device_ids=[3, 2, 1, 0]>\nfunc.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}]>}) -> tensor<4xf32> {\n"
      "  return %x : tensor<4xf32>\n}\n", "device ids" },
};

START_TEST(test_nothing) {
    weft_module *m = module_of(nothing[_i].source);
    weft_built_program *p = program_of(m, NULL, NULL);
    weft_order_advice advice;
    int64_t counts[8] = { 0 };
    ck_assert_int_eq(weft_program_order(cx, &cx->arena, m, NULL, p, &weft_machine_default, counts, NULL, &advice),
                     WEFT_OK);
    ck_assert_ptr_null(advice.text[WEFT_ORDER_CONTIGUOUS]);
    ck_assert_ptr_nonnull(strstr(advice.why, nothing[_i].why));
    weft_build_options opt = { .compile_flags = WEFT_COMPILE_PLAN_ONLY, .order = "a" };
    weft_built_program *q = NULL;
    weft_status st = weft_program_build(cx, m, &opt, &q);
    ck_assert_int_eq(st, _i == 0 ? WEFT_ERR_USAGE : WEFT_OK); /* one axis: contiguous, so that the ids stay */
    weft_built_program_free(q);
    weft_built_program_free(p);
    weft_module_free(m);
}
END_TEST

/* Without options: those of an empty struct. */
START_TEST(test_no_options) {
    weft_module *m = module_of(text);
    weft_built_program *none = NULL, *empty = NULL;
    ck_assert_int_eq(weft_program_build(cx, m, NULL, &none), WEFT_OK);
    ck_assert_int_eq(weft_program_build(cx, m, &(weft_build_options){ .mesh = NULL }, &empty), WEFT_OK);
    ck_assert_uint_eq(none->exec->plan.step_count, empty->exec->plan.step_count);
    for (uint32_t i = 0; i < none->exec->step_count; i++)
        ck_assert_ptr_eq(none->exec->steps[i].code.kernel, empty->exec->steps[i].code.kernel);
    weft_built_program_free(none);
    weft_built_program_free(empty);
    weft_module_free(m);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/placement");
    TCase *tc = tcase_create("placement");
    tcase_add_checked_fixture(tc, begin, end);
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_patterns, 0, (int)WEFT_COUNT(orders));
    tcase_add_loop_test(tc, test_advice, 0, (int)WEFT_COUNT(advices));
    tcase_add_loop_test(tc, test_nothing, 0, (int)WEFT_COUNT(nothing));
    tcase_add_test(tc, test_no_options);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
