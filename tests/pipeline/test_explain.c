/* The origins of shardings: every axis on every value of a propagated program goes back, step by step, to a slot that
 * had it from the beginning; every conflict is about an axis that one side has and the other has not. */
#include <dirent.h>
#include <stdio.h>

#include "pipeline/explain.h"
#include "tests/support/suite.h"

static bool has(const weft_sharding *s, weft_slot_axis of) {
    for (uint32_t i = 0; s && i < s->dims[of.dim].axes.n; i++)
        if (weft_axis_overlaps(s->dims[of.dim].axes.v[i], of.axis)) return true;
    return false;
}

static void follow(weft_explanation *e, weft_slot_axis of, const char *file) {
    weft_slot_axis at = of;
    uint32_t moment = WEFT_NOW;
    for (;;) {
        ck_assert_msg(has(weft_history_at(&e->p, at.slot, moment), at),
                      "%s: slot %u has not the axis that it is said to have", file, at.slot);
        weft_origin o = weft_history_origin(&e->p, at, moment);
        if (o.cause == WEFT_CAUSE_WRITTEN || o.cause == WEFT_CAUSE_PRIORITY) break;
        ck_assert_msg(o.moment < moment, "%s: time does not go back", file);
        ck_assert_msg(o.from.slot != at.slot, "%s: slot %u has an axis from itself, through %s", file, at.slot,
                      o.op ? o.op->name->text : "?");
        at = o.from;
        moment = o.moment;
    }
    ck_assert_msg(has(e->p.before[at.slot], at), "%s: nobody wrote the axis where slot %u is said to have it from",
                  file, of.slot);
    weft_slot_axis root = weft_explanation_root(e, of);
    ck_assert_uint_eq(root.slot, at.slot);
    ck_assert_uint_eq(root.dim, at.dim);
    ck_assert_ptr_nonnull(weft_explanation_writer(e, root.slot));
}

static void check_conflict(const weft_explanation *e, const weft_conflict *c) {
    ck_assert(has(e->p.of[c->by.slot], c->by));
    ck_assert(!has(e->p.of[c->wanted.slot], c->wanted));
    if (c->refusal == WEFT_REFUSED_ELSEWHERE || c->refusal == WEFT_REFUSED_OTHER_AXES)
        ck_assert(has(e->p.of[c->winner.slot], c->winner));
}

/* Returns how many axes were followed. */
static uint32_t check_module(weft_context *cx, const weft_module *m, const char *file) {
    weft_explanation e;
    uint32_t followed = 0;
    ck_assert_int_eq(weft_explanation_open(cx, m, &e), WEFT_OK);
    for (uint32_t slot = 0; slot < e.p.slot_count; slot++)
        for (uint32_t d = 0; e.p.of[slot] && d < e.p.of[slot]->rank; d++)
            for (uint32_t i = 0; i < e.p.of[slot]->dims[d].axes.n; i++, followed++)
                follow(&e, (weft_slot_axis){ slot, d, e.p.of[slot]->dims[d].axes.v[i] }, file);
    for (size_t i = 0; i < e.conflict_count; i++) check_conflict(&e, &e.conflicts[i]);
    weft_explanation_close(&e);
    return followed;
}

static uint32_t check_file(const char *path) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_file(cx, path, WEFT_READ_TEXT_PLACES, &m), WEFT_OK);
    uint32_t followed = check_module(cx, m, path);
    weft_module_free(m);
    weft_context_free(cx);
    return followed;
}

START_TEST(test_gpt) {
    char path[600];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/examples/gpt/gpt.mlir", top ? top : ".");
    ck_assert_uint_gt(check_file(path), 100);
}
END_TEST

/* Every program of JAX's that is there, but for the very large ones. */
START_TEST(test_shared) {
    const char *shared = getenv("WEFT_SHARED");
    char path[1200];
    uint32_t programs = 0;
    snprintf(path, sizeof path, "%s/programs", shared ? shared : ".");
    DIR *d = shared ? opendir(path) : NULL;
    for (struct dirent *f; d && (f = readdir(d)) != NULL;) {
        size_t n = strlen(f->d_name);
        if (n < 5 || strcmp(f->d_name + n - 5, ".mlir") != 0 || !strncmp(f->d_name, "gpt3", 4)) continue;
        snprintf(path, sizeof path, "%s/programs/%s", shared, f->d_name);
        check_file(path);
        programs++;
    }
    if (d) closedir(d);
    if (!programs) printf("skipped: 1 (shared/programs is not there)\n");
}
END_TEST

/* Groups, priorities, constraints, loops, conflicts: the words of `weft explain` are held in
 * tests/tool/test_explain.sh. */
static const char *const texts[] = {
    "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}p2, {?}]>}, %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"y\"}p1, {?}]>}) -> tensor<8x8xf32> {\n"
    "  %0 = stablehlo.add %a, %b : tensor<8x8xf32>\n"
    "  sdy.sharding_group %0 group_id = 7 : tensor<8x8xf32>\n"
    "  %1 = stablehlo.constant dense<1.0> : tensor<8x8xf32>\n"
    "  sdy.sharding_group %1 group_id = 7 : tensor<8x8xf32>\n"
    "  return %0 : tensor<8x8xf32>\n"
    "}",
    "sdy.mesh @m = <[\"x\"=4, \"y\"=2]>\n"
    "func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{?}, {?}]>}) -> (tensor<2x4x8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\":(1)2}, {\"x\":(2)2, \"y\"}, {}]>}) {\n"
    "  %0 = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<2x4x8xf32>\n"
    "  return %0 : tensor<2x4x8xf32>\n"
    "}",
    "sdy.mesh @m = <[\"x\"=2, \"y\"=2]>\n"
    "func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"x\"}, {?}]>}) -> tensor<8x8xf32> {\n"
    "  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}, {?}]>] out_shardings=[<@m, [{\"x\"}, {\"y\", ?}]>] manual_axes={\"x\"} (%b: tensor<4x8xf32>) {\n"
    "    %1 = stablehlo.tanh %b : tensor<4x8xf32>\n"
    "    sdy.return %1 : tensor<4x8xf32>\n"
    "  } : (tensor<8x8xf32>) -> tensor<8x8xf32>\n"
    "  return %0 : tensor<8x8xf32>\n"
    "}",
};

START_TEST(test_text) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(texts[_i]), "text", 0, &m), WEFT_OK);
    ck_assert_uint_gt(check_module(cx, m, "text"), 0);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/explain");
    TCase *t = tcase_create("explain");
    tcase_add_test(t, test_gpt);
    tcase_add_test(t, test_shared);
    tcase_add_loop_test(t, test_text, 0, WEFT_COUNT(texts));
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);
    return weft_run_suite(s);
}
