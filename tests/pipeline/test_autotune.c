/* Races of steps, on times that are given; and the search for costs, whose every end but the fastest program is known:
 * no test depends on the times of this machine. */
#include <string.h>
#include "pipeline/autotune.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

/* ---- races ---- */

static weft_race raced(double ratio, double noise, uint32_t pairs, weft_rng *rng) {
    weft_race r = { .n = 0 };
    while (r.n < pairs) {
        const double old_s = 1 + noise * (double)weft_rng_below(rng, 1000) / 1000;
        const double new_s = ratio * (1 + noise * (double)weft_rng_below(rng, 1000) / 1000);
        weft_race_add(&r, old_s, new_s);
    }
    return r;
}

static const struct {
    double ratio;
    uint32_t pairs;
    weft_race_state want;
} steady[] = {
    { 0.5, 0, WEFT_RACE_OPEN },   { 0.5, 7, WEFT_RACE_OPEN },     { 0.5, 8, WEFT_RACE_FASTER },
    { 0.98, 8, WEFT_RACE_OPEN },  { 0.98, 16, WEFT_RACE_FASTER }, { 0.993, 16, WEFT_RACE_NOT_FASTER },
    { 1, 3, WEFT_RACE_OPEN },     { 1, 4, WEFT_RACE_NOT_FASTER }, { 2, 4, WEFT_RACE_NOT_FASTER },
};

START_TEST(a_steady_ratio_decides) {
    weft_rng rng = { 1 };
    const weft_race r = raced(steady[_i].ratio, 0, steady[_i].pairs, &rng);
    ck_assert_int_eq(weft_race_judge(&r), steady[_i].want);
    if (r.n) ck_assert_double_eq_tol(weft_race_median(&r), steady[_i].ratio, 1e-12);
}
END_TEST

/* One pair in four in which another program took part says nothing; a median of them would not be the mean. */
START_TEST(a_few_odd_pairs_change_nothing) {
    weft_race faster = { .n = 0 }, equal = { .n = 0 };
    for (uint32_t i = 0; i < WEFT_RACE_PAIRS; i++) {
        weft_race_add(&faster, 1, i % 4 ? 0.9 : 5);
        weft_race_add(&equal, i % 4 ? 1 : 5, 1);
    }
    ck_assert_int_eq(weft_race_judge(&faster), WEFT_RACE_FASTER);
    ck_assert_double_eq_tol(weft_race_median(&faster), 0.9, 1e-12);
    ck_assert_int_eq(weft_race_judge(&equal), WEFT_RACE_NOT_FASTER);
}
END_TEST

/* Steps of equal times that vary by a tenth are hardly ever found to be faster, twice in a row. */
START_TEST(equal_steps_rarely_win) {
    weft_rng rng = { weft_test_seed(1) };
    int won = 0;
    for (int k = 0; k < 500; k++) {
        const weft_race a = raced(1, 0.1, WEFT_RACE_PAIRS, &rng), b = raced(1, 0.1, WEFT_RACE_PAIRS, &rng);
        won += weft_race_judge(&a) == WEFT_RACE_FASTER && weft_race_judge(&b) == WEFT_RACE_FASTER;
    }
    ck_assert_msg(won <= 25, "WEFT_SEED=%llu: %d of 500", (unsigned long long)weft_test_seed(1), won);
}
END_TEST

/* ---- what is tried ---- */

static const struct { size_t cost; double value; } tried[] = {
#define TRY(field, value, devices, about) { WEFT_COST_##field, value },
#include "pipeline/autotune.def"
};

/* Another value than the default, which a list of costs may have. */
START_TEST(alternatives_can_be_written) {
    weft_context *cx = weft_context_new(NULL);
    weft_machine m = weft_machine_default, again = weft_machine_default;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    const double usual = weft_cost_get(&m.costs, tried[_i].cost), value = tried[_i].value;
    ck_assert(value < usual || value > usual);
    weft_cost_set(&m.costs, tried[_i].cost, value);
    weft_costs_print(&b, &m.costs, &weft_machine_default.costs);
    ck_assert_int_eq(weft_costs_open(cx, b.p, &again), WEFT_OK);
    ck_assert_double_eq_tol(weft_cost_get(&again.costs, tried[_i].cost), value, 1e-8 * value); /* nine digits */
    weft_cost_set(&again.costs, tried[_i].cost, usual);
    b.n = 0;
    weft_costs_print(&b, &again.costs, &weft_machine_default.costs);
    ck_assert_uint_eq(b.n, 0);
    weft_buf_free(&b);
    weft_context_free(cx);
}
END_TEST

/* ---- the search ---- */

/* A product that is a loop by one of the costs, and nothing that the others decide. */
static const char text[] =
    "func.func @main(%a: tensor<24x24xf32>, %b: tensor<24x24xf32>) -> (tensor<24x24xf32>, tensor<f32>) {\n"
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x24xf32>, tensor<24x24xf32>) -> "
    "tensor<24x24xf32>\n"
    "  %1 = stablehlo.tanh %0 : tensor<24x24xf32>\n"
    "  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x24xf32>, "
    "tensor<f32>) -> tensor<f32>\n"
    "  return %1, %2 : tensor<24x24xf32>, tensor<f32>\n"
    "}\n";

typedef struct seen {
    int loads;
    const weft_built_program *first; /* of which the first load was */
    size_t ends[WEFT_TRIAL_FAILED + 1];
    bool product;                /* loop-product was run */
} seen;

static weft_status fill(seen *user, const weft_built_program *p, weft_session *s, weft_fill how) {
    weft_status st = WEFT_OK;
    if (!user->loads++) user->first = p;
    for (uint32_t i = 0; i < p->exec->arg_count && st == WEFT_OK; i++) st = weft_session_fill(s, i, &how);
    return st;
}

static weft_status load(void *user, const weft_built_program *p, weft_session *s) {
    return fill(user, p, s, (weft_fill){ WEFT_FILL_UNIFORM, 1, 7 });
}

static weft_status load_normal(void *user, const weft_built_program *p, weft_session *s) {
    return fill(user, p, s, (weft_fill){ WEFT_FILL_NORMAL, 0.02, 0 });
}

/* Other arguments at every call: what a trial computes is not what the program did. */
static weft_status load_others(void *user, const weft_built_program *p, weft_session *s) {
    return fill(user, p, s, (weft_fill){ WEFT_FILL_UNIFORM, 1, (uint64_t)((seen *)user)->loads });
}

/* Fails at one of its calls. */
static int fails_at;
static weft_status load_some(void *user, const weft_built_program *p, weft_session *s) {
    const weft_status st = load(user, p, s);
    if (((seen *)user)->loads != fails_at) return st;
    return WEFT_ERR_IO;
}

static void tell(void *user, const weft_trial *t) {
    seen *s = user;
    s->ends[t->end]++;
    s->product = s->product || (t->cost == WEFT_COST_loop_product && t->end != WEFT_TRIAL_KNOWN);
    ck_assert(t->about && *t->about);
    if (t->end == WEFT_TRIAL_KNOWN || t->end == WEFT_TRIAL_DIFFERS) ck_assert_uint_eq(t->race.n, 0);
    if (t->end == WEFT_TRIAL_FASTER) ck_assert_int_eq(weft_race_judge(&t->race), WEFT_RACE_FASTER);
}

/* Products of which the library does in a fiftieth of the time what a loop does. */
static const char products[] =
    "func.func @main(%a: tensor<384x384xf32>, %b: tensor<384x384xf32>) -> tensor<384x384xf32> {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<384x384xf32>, tensor<384x384xf32>) -> "
    "tensor<384x384xf32>\n"
    "  %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<384x384xf32>, tensor<384x384xf32>) -> "
    "tensor<384x384xf32>\n"
    "  return %1 : tensor<384x384xf32>\n"
    "}\n";

/* A program that is compiled as badly as costs can say is found to be, and what is kept is the default. */
START_TEST(bad_costs_are_found) {
    weft_context *cx = weft_context_new(NULL);
    weft_machine machine = weft_machine_default;
    weft_module *m = NULL;
    weft_autotune_result r;
    seen s = { .loads = 0 };
    const weft_autotune_options opt = { .build = { .machine = &machine }, .processes = { .processes = 1 },
                                        .seconds = 1000, .exact = _i, .load = load, .tell = tell, .user = &s };
    machine.costs.loop_product = 1e8;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(products), "m.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_autotune(cx, m, &opt, &r), WEFT_OK);
    if (_i) { /* the library adds in another order */
        ck_assert_uint_ge(s.ends[WEFT_TRIAL_DIFFERS], 1);
        ck_assert(r.costs.loop_product > 9e7);
    } else {
        ck_assert_uint_eq(s.ends[WEFT_TRIAL_DIFFERS], 0);
        ck_assert(r.wins && r.costs.loop_product < 9e7);
        ck_assert_int_eq(weft_race_judge(&r.last), WEFT_RACE_FASTER);
        ck_assert_double_lt(r.after_s, r.before_s);
        ck_assert(r.before_s >= r.last.old_s[0] && r.before_s <= r.last.old_s[r.last.n - 1]);
        ck_assert(r.after_s >= r.last.new_s[0] && r.after_s <= r.last.new_s[r.last.n - 1]);
    }
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* Each step doubles the turns of the next one's loop: only what ends a round by time, and begins each with the
 * arguments, ends at all. */
START_TEST(growing_loops_end) {
    static const char growing[] =
        "func.func @main(%n: tensor<i64> {tf.aliasing_output = 0 : i32}, %x: tensor<64xf32>) -> "
        "(tensor<i64>, tensor<64xf32>) {\n"
        "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
        "  %z = stablehlo.constant dense<0> : tensor<i64>\n"
        "  %r:2 = stablehlo.while(%i = %z, %y = %x) : tensor<i64>, tensor<64xf32>\n"
        "  cond {\n"
        "    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "    stablehlo.return %p : tensor<i1>\n"
        "  } do {\n"
        "    %j = stablehlo.add %i, %one : tensor<i64>\n"
        "    %q = stablehlo.tanh %y : tensor<64xf32>\n"
        "    stablehlo.return %j, %q : tensor<i64>, tensor<64xf32>\n"
        "  }\n"
        "  %m = stablehlo.add %n, %n : tensor<i64>\n"
        "  %m2 = stablehlo.add %m, %one : tensor<i64>\n"
        "  return %m2, %r#1 : tensor<i64>, tensor<64xf32>\n"
        "}\n";
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_autotune_result r;
    seen s = { .loads = 0 };
    const weft_autotune_options opt = { .build = { .machine = &weft_machine_default }, .processes = { .processes = 1 },
                                        .seconds = 3, .load = load, .tell = tell, .user = &s };
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(growing), "m.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_autotune(cx, m, &opt, &r), WEFT_OK);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

static const struct {
    const char *what;
    double seconds;
    bool exact, others;
} searches[] = {
    { "all alternatives", 1000, false, false },
    { "only equal bits", 1000, true, false },
    { "no time", -1, false, false },
    { "other results", 1000, false, true },
};

START_TEST(a_search_ends_with_costs) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_autotune_result r;
    seen s = { .loads = 0 };
    const weft_autotune_options opt = { .build = { .machine = &weft_machine_default },
                                        .processes = { .processes = 1 }, .seconds = searches[_i].seconds,
                                        .exact = searches[_i].exact, .load = searches[_i].others ? load_others : load,
                                        .tell = tell, .user = &s };
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "m.mlir", 0, &m), WEFT_OK);
    ck_assert_msg(weft_autotune(cx, m, &opt, &r) == WEFT_OK, "%s", searches[_i].what);
    ck_assert_uint_eq(weft_context_diag_count(cx), 0);
    const bool same = !memcmp(&r.costs, &weft_machine_default.costs, sizeof r.costs);
    size_t told = 0;
    for (size_t i = 0; i <= WEFT_TRIAL_FAILED; i++) told += s.ends[i];
    ck_assert_uint_eq(told, r.tried);
    ck_assert_uint_eq(r.ran, told - s.ends[WEFT_TRIAL_KNOWN]);
    ck_assert_uint_eq(s.ends[WEFT_TRIAL_FAILED], 0);
    if (searches[_i].seconds < 0) ck_assert_uint_eq(r.tried, 0);
    else ck_assert(s.product && s.ends[WEFT_TRIAL_KNOWN] > 0);
    if (searches[_i].others) ck_assert_uint_eq(s.ends[WEFT_TRIAL_DIFFERS], r.ran);
    /* what is kept won at last, too */
    ck_assert(same != r.wins);
    if (!same) ck_assert_int_eq(weft_race_judge(&r.last), WEFT_RACE_FASTER);
    if (!s.ends[WEFT_TRIAL_FASTER]) ck_assert(same);
    ck_assert(r.before_s > 0 && r.after_s > 0);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* The caller's program is lent. */
START_TEST(a_program_that_is_built_is_not_built_again) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_autotune_result r;
    seen s = { .loads = 0 };
    weft_autotune_options opt = { .build = { .machine = &weft_machine_default }, .processes = { .processes = 1 },
                                  .seconds = _i ? 1000 : -1, .load = load, .tell = tell, .user = &s };
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "m.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_program_build(cx, m, &opt.build, &opt.built), WEFT_OK);
    ck_assert_int_eq(weft_autotune(cx, m, &opt, &r), WEFT_OK);
    ck_assert_ptr_eq(s.first, opt.built);
    ck_assert_int_eq(opt.built->device_count, 1);
    weft_built_program_free(opt.built);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* What cannot run is an error, not a trial. */
START_TEST(a_program_that_fails_is_reported) {
    static const char bad[] = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                              "  %0 = stablehlo.custom_call @nobody(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
                              "  return %0 : tensor<2xf32>\n}\n";
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_autotune_result r;
    seen s = { .loads = 0 };
    const weft_autotune_options opt = { .build = { .machine = &weft_machine_default }, .processes = { .processes = 1 },
                                        .seconds = 10, .load = load, .tell = tell, .user = &s };
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(bad), "m.mlir", 0, &m), WEFT_OK);
    ck_assert_int_ne(weft_autotune(cx, m, &opt, &r), WEFT_OK);
    ck_assert_uint_gt(weft_context_diag_count(cx), 0);
    ck_assert_uint_eq(r.tried, 0);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* A trial that fails is left out; a failure of the program itself, or of the best one, ends the search with its
 * status: the first call of load is the program's, then come a trial's and the best one's in turns. */
START_TEST(a_failure_ends_what_it_is_of) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_autotune_result r;
    seen s = { .loads = 0 };
    const weft_autotune_options opt = { .build = { .machine = &weft_machine_default }, .processes = { .processes = 1 },
                                        .seconds = 1000, .load = load_some, .tell = tell, .user = &s };
    fails_at = _i + 1;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(text), "m.mlir", 0, &m), WEFT_OK);
    const weft_status st = weft_autotune(cx, m, &opt, &r);
    if (_i == 0 || _i == 2) ck_assert_int_eq(st, WEFT_ERR_IO);
    if (_i == 1) ck_assert_int_eq(st, WEFT_OK);
    if (st == WEFT_OK) ck_assert_uint_eq(s.ends[WEFT_TRIAL_FAILED], s.loads >= fails_at);
    else ck_assert_int_eq(st, WEFT_ERR_IO);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

/* What a function computes that @main calls is as coarse as its types. */
START_TEST(called_functions_have_their_digits) {
    static const char called[] =
        "func.func @main(%a: tensor<200x200xf32>, %b: tensor<200x200xf32>) -> tensor<200x200xf32> {\n"
        "  %0 = func.call @f(%a, %b) : (tensor<200x200xf32>, tensor<200x200xf32>) -> tensor<200x200xf32>\n"
        "  return %0 : tensor<200x200xf32>\n}\n"
        "func.func private @f(%a: tensor<200x200xf32>, %b: tensor<200x200xf32>) -> tensor<200x200xf32> {\n"
        "  %0 = stablehlo.convert %a : (tensor<200x200xf32>) -> tensor<200x200xbf16>\n"
        "  %1 = stablehlo.convert %b : (tensor<200x200xf32>) -> tensor<200x200xbf16>\n"
        "  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<200x200xbf16>, "
        "tensor<200x200xbf16>) -> tensor<200x200xbf16>\n"
        "  %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<200x200xbf16>, "
        "tensor<200x200xbf16>) -> tensor<200x200xbf16>\n"
        "  %4 = stablehlo.convert %3 : (tensor<200x200xbf16>) -> tensor<200x200xf32>\n"
        "  return %4 : tensor<200x200xf32>\n}\n";
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_autotune_result r;
    seen s = { .loads = 0 };
    weft_machine machine = weft_machine_default;
    const weft_autotune_options opt = { .build = { .machine = &machine }, .processes = { .processes = 1 },
                                        .seconds = 1000, .load = load_normal, .tell = tell, .user = &s };
    machine.costs.loop_product = 99e6;
    ck_assert_int_eq(weft_read_text(cx, weft_str_from(called), "m.mlir", 0, &m), WEFT_OK);
    ck_assert_int_eq(weft_autotune(cx, m, &opt, &r), WEFT_OK);
    ck_assert(s.product);
    ck_assert_uint_eq(s.ends[WEFT_TRIAL_DIFFERS], 0);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/autotune");
    TCase *tc = tcase_create("autotune");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, a_steady_ratio_decides, 0, (int)WEFT_COUNT(steady));
    tcase_add_test(tc, a_few_odd_pairs_change_nothing);
    tcase_add_test(tc, equal_steps_rarely_win);
    tcase_add_loop_test(tc, alternatives_can_be_written, 0, (int)WEFT_COUNT(tried));
    tcase_add_loop_test(tc, a_search_ends_with_costs, 0, (int)WEFT_COUNT(searches));
    tcase_add_loop_test(tc, a_program_that_is_built_is_not_built_again, 0, 2);
    tcase_add_test(tc, a_program_that_fails_is_reported);
    tcase_add_loop_test(tc, a_failure_ends_what_it_is_of, 0, 8);
    tcase_add_loop_test(tc, bad_costs_are_found, 0, 2);
    tcase_add_test(tc, growing_loops_end);
    tcase_add_test(tc, called_functions_have_their_digits);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
