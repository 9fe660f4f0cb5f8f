/* The hook for an automatic partitioner: when it runs, its input, and the use of its result. */
#include "pipeline/pipeline.h"
#include "propagate/auto_partition.h"
#include "propagate/transform.h"
#include "tests/support/suite.h"

static const char program[] =
    "module {\n"
    "  sdy.mesh @mesh = <[\"a\"=2, \"b\"=2]>\n"
    "  func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"a\"}, {}]>}) -> tensor<8x4xf32> {\n"
    "    %0 = stablehlo.tanh %x : tensor<8x4xf32>\n"
    "    return %0 : tensor<8x4xf32>\n"
    "  }\n"
    "}\n";

#define WITH "sdy-propagation-pipeline=enable-auto-partitioning=true"

typedef struct witness {
    int calls;
    bool spread;   /* tanh was sharded when the partitioner came */
    enum { GATHERS, LEAVES, FAILS, BREAKS } does;
} witness;

static weft_op *tanh_of(const weft_module *m) {
    const weft_op *f = weft_module_main(m);
    for (weft_op *op = f ? weft_op_body(f, 0)->first : NULL; op; op = op->next)
        if (op->kind == WEFT_OP_tanh) return op;
    return NULL;
}

static const weft_sharding *gathered(weft_shardings *t, const weft_sharding *s, void *user) {
    (void)user;
    return weft_sharding_empty(t, s->mesh, s->rank, WEFT_CLOSED);
}

static weft_status partition(weft_pass *p, const weft_module *in, weft_module **out, void *user) {
    witness *w = user;
    w->calls++;
    w->spread = tanh_of(in) && weft_op_attr(tanh_of(in), WEFT_A_sdy_sharding);
    if (w->does == LEAVES) return WEFT_OK;
    if (w->does == FAILS) return weft_report(p->cx, WEFT_D_unsupported, NULL, "nothing fits");
    weft_status st = weft_transform_shardings(NULL, in, gathered, NULL, out);
    if (st != WEFT_OK || w->does == GATHERS) return st;
    tanh_of(*out)->results[0].type = weft_type_tensor(p->cx, WEFT_F32, 1, (const int64_t[]){ 3 });
    return WEFT_OK;
}

static weft_status run(weft_context *cx, const char *spec, weft_module **m) {
    *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, WEFT_STR(program), "test", 0, m), WEFT_OK);
    return weft_pipeline_run(cx, weft_str_from(spec), 0, m);
}

static void ck_said(const weft_context *cx, const char *what) {
    bool found = false;
    for (size_t i = 0; i < weft_context_diag_count(cx); i++)
        found |= strstr(weft_context_diag(cx, i)->message, what) != NULL;
    ck_assert_msg(found, "no diagnostic has \"%s\"", what);
}

static bool is_sharded(weft_context *cx, const weft_module *m) {
    weft_buf text;
    weft_buf_init(&text, &cx->alloc);
    weft_print_attr(&text, weft_op_attr(tanh_of(m), WEFT_A_sdy_sharding));
    bool sharded = strstr(text.p, "\"a\"") != NULL;
    weft_buf_free(&text);
    return sharded;
}

START_TEST(runs_behind_propagation_where_it_is_asked_for) {
    static const struct { const char *spec; int does, calls; bool sharded; } rows[] = {
        { "sdy-propagation-pipeline", GATHERS, 0, true }, { "sdy-propagation-pipeline=enable-auto-partitioning=false", GATHERS, 0, true },
        { WITH, GATHERS, 1, false }, { WITH, LEAVES, 1, true }, { WITH " dedup-functions-fully=true", GATHERS, 1, false },
    };
    for (size_t i = 0; i < WEFT_COUNT(rows); i++) {
        weft_context *cx = weft_context_new(NULL);
        witness w = { .does = rows[i].does };
        weft_module *m;
        ck_assert_int_eq(weft_auto_partitioner_register(cx, partition, &w), WEFT_OK);
        ck_assert_msg(run(cx, rows[i].spec, &m) == WEFT_OK, "row %zu fails", i);
        ck_assert_msg(w.calls == rows[i].calls && w.spread == (w.calls > 0), "row %zu: %d calls", i, w.calls);
        ck_assert_msg(is_sharded(cx, m) == rows[i].sharded, "row %zu has other shardings", i);
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

START_TEST(what_goes_wrong_is_said) {
    static const struct {
        int does;
        const char *says;
    } rows[] = { { FAILS, "nothing fits" }, { BREAKS, "the module was broken by the auto-partitioner" } };
    for (size_t i = 0; i < WEFT_COUNT(rows); i++) {
        weft_context *cx = weft_context_new(NULL);
        witness w = { .does = rows[i].does };
        weft_module *m;
        ck_assert_int_eq(weft_auto_partitioner_register(cx, partition, &w), WEFT_OK);
        ck_assert_int_ne(run(cx, WITH, &m), WEFT_OK);
        ck_said(cx, rows[i].says);
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

START_TEST(there_is_one_or_none) {
    weft_context *cx = weft_context_new(NULL);
    witness w = { .does = GATHERS };
    weft_module *m;
    ck_assert(!weft_auto_partitioner_is_registered(cx));
    ck_assert_int_eq(run(cx, WITH, &m), WEFT_ERR_USAGE);
    ck_said(cx, "auto-partitioner callback wasn't registered");
    weft_module_free(m);
    ck_assert_int_eq(weft_auto_partitioner_register(cx, NULL, &w), WEFT_ERR_USAGE);
    ck_assert(!weft_auto_partitioner_is_registered(cx));
    ck_assert_int_eq(weft_auto_partitioner_register(cx, partition, &w), WEFT_OK);
    ck_assert(weft_auto_partitioner_is_registered(cx));
    ck_assert_int_eq(weft_auto_partitioner_register(cx, partition, &w), WEFT_ERR_USAGE);
    ck_said(cx, "auto-partitioner callback already registered");
    weft_auto_partitioner_clear(cx);
    ck_assert(!weft_auto_partitioner_is_registered(cx));
    ck_assert_int_eq(weft_auto_partitioner_register(cx, partition, &w), WEFT_OK);
    ck_assert_int_eq(run(cx, WITH, &m), WEFT_OK);
    ck_assert_int_eq(w.calls, 1);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("propagate/auto_partition");
    TCase *tc = tcase_create("hook");
    tcase_add_test(tc, runs_behind_propagation_where_it_is_asked_for);
    tcase_add_test(tc, what_goes_wrong_is_said);
    tcase_add_test(tc, there_is_one_or_none);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
