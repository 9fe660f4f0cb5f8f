/* Conditions on two reports' numbers, sweeps of meshes, and the frontier of time and memory. */
#include "pipeline/dryrun/condition.h"

#include "pipeline/dryrun/sweep.h"
#include "tests/support/suite.h"

static weft_context *cx;
static weft_arena arena;

static void set_up(void) {
    cx = weft_context_new(NULL);
    weft_arena_init(&arena, &cx->alloc);
}

static void tear_down(void) {
    weft_arena_free(&arena);
    weft_context_free(cx);
}

/* fails: 1, 0; -1: the text is none. */
static const struct { const char *text; double before, now; int fails; } conditions[] = {
    { "a>+1%", 100, 101, 0 },  { "a>+1%", 100, 101.1, 1 }, { "a>+1%", 100, 50, 0 },   { "a>+0%", 100, 100, 0 },
    { "a>+1%", 0, 0, 0 },      { "a>+1%", 0, 1, 1 },       { "a>+1%", -100, -98, 1 }, { "a<-2%", 50, 49.5, 0 },
    { "a<-2%", 50, 48, 1 },    { "a>+10", 5, 15, 0 },      { "a>+10", 5, 15.5, 1 },   { "a<-10", 5, -6, 1 },
    { "a>80e9", 0, 79e9, 0 },  { "a>80e9", 90e9, 81e9, 1 }, { "a<0.4", 0, 0.3, 1 },   { "a.b.c>1", 0, 2, 1 },
    { "a", 0, 0, -1 },         { ">1", 0, 0, -1 },         { "a>", 0, 0, -1 },        { "a>+", 0, 0, -1 },
    { "a>+1%%", 0, 0, -1 },    { "a>1%", 0, 0, -1 },       { "a>1 ", 0, 0, -1 },      { "a>inf", 0, 0, -1 },
};

START_TEST(fails_when) {
    weft_condition c;
    const weft_status st = weft_condition_read(cx, conditions[_i].text, &c);
    ck_assert_msg((st == WEFT_OK) == (conditions[_i].fails >= 0), "%s", conditions[_i].text);
    if (st == WEFT_OK)
        ck_assert_msg(weft_condition_fails(&c, conditions[_i].before,
                                           conditions[_i].now) == (conditions[_i].fails == 1),
                      "%s of %g and %g", conditions[_i].text, conditions[_i].before, conditions[_i].now);
    else ck_assert_ptr_nonnull(strstr(weft_context_diag(cx, 0)->message, "is no condition such as 'wire_bytes>+1%'"));
}
END_TEST

/* want: the meshes, joined; or what is said. */
static const struct { const char *text; int64_t devices; const char *want; } sweeps[] = {
    { "data=2", 0, "data=2;" },
    { "data=1..4", 0, "data=1;data=2;data=4;" },
    { "data=3..12", 0, "data=3;data=6;data=12;" },
    { "data=1..5", 0, "data=1;data=2;data=4;" },
    { "data=1..4,model=2..4", 0, "data=1,model=2;data=1,model=4;data=2,model=2;data=2,model=4;data=4,model=2;data=4,model=4;" },
    { "data=1..4,model=1..4", 4, "data=1,model=4;data=2,model=2;data=4,model=1;" },
    { "data=1..4", 8, "no mesh of the sweep 'data=1..4' has 8 devices" },
    { "data", 0, "'data' is no sweep such as 'data=8..512,model=1..16'" },
    { "data=0..4", 0, "is no sweep such as" },
    { "data=4..2", 0, "is no sweep such as" },
    { "data=1..", 0, "is no sweep such as" },
    { "data=1..2,", 0, "is no sweep such as" },
    { "data=1,data=2", 0, "is no sweep such as" },
    { "=1", 0, "is no sweep such as" },
    { "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", 0, "a sweep has at most 8 axes" },
    { "a=1..1000000,b=1..1000000,c=1..1000000,d=1..1000000", 0, "the sweep has more than 10000 points" },
};

START_TEST(reads_sweeps) {
    const weft_sweep_point *v;
    size_t n;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    const weft_status st = weft_sweep_read(cx, sweeps[_i].text, sweeps[_i].devices, &arena, &v, &n);
    for (size_t i = 0; st == WEFT_OK && i < n; i++) weft_buf_printf(&b, "%s;", v[i].mesh);
    if (st != WEFT_OK) weft_buf_puts(&b, weft_context_diag(cx, 0)->message);
    ck_assert_msg(st == WEFT_OK ? !strcmp(b.p, sweeps[_i].want) : strstr(b.p, sweeps[_i].want) != NULL, "%s: %s",
                  sweeps[_i].text, b.p);
    weft_buf_free(&b);
}
END_TEST

/* A point is on the frontier if and only if no point that fits as well is better: checked against the definition, and
 * every point off it has one on it that is better. */
START_TEST(frontier) {
    const char *seed = getenv("WEFT_SEED");
    srand(seed ? (unsigned)atoi(seed) : 26);
    for (int round = 0; round < weft_test_long(300); round++) {
        weft_sweep_cost v[12];
        const size_t n = 1 + (size_t)rand() % 12;
        for (size_t i = 0; i < n; i++)
            v[i] = (weft_sweep_cost){ rand() % 5, rand() % 5, rand() % 8 != 0, rand() % 3 != 0, false, false };
        for (size_t i = 1; i < n; i++) /* what is less is lower, and of two only one is */
            ck_assert(weft_cost_is_less(&v[i], &v[0]) <= weft_cost_is_lower(&v[i], &v[0]) &&
                      !(v[i].known && v[0].known && weft_cost_is_lower(&v[i], &v[0]) &&
                        weft_cost_is_lower(&v[0], &v[i])));
        weft_sweep_frontier(v, n);
        for (size_t i = 0; i < n; i++) {
            bool beaten = false, by_best = false;
            for (size_t k = 0; k < n; k++) {
                const bool as_good = v[k].known && v[k].fits >= v[i].fits && v[k].step_s <= v[i].step_s &&
                    v[k].bytes <= v[i].bytes;
                const bool better = as_good && (v[k].step_s < v[i].step_s || v[k].bytes < v[i].bytes ||
                                                v[k].fits > v[i].fits);
                beaten |= better;
                by_best |= better && v[k].best;
            }
            ASSERT_EACH(v[i].best == (v[i].known && !beaten), "round %d, point %zu (WEFT_SEED=%s)", round, i, seed ? seed : "26");
            ASSERT_EACH(!v[i].known || v[i].best || by_best, "round %d, point %zu (WEFT_SEED=%s)", round, i, seed ? seed : "26");
        }
    }
}
END_TEST

int main(void) {
    Suite *s = suite_create("pipeline/condition");
    TCase *tc = tcase_create("condition");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, fails_when, 0, WEFT_COUNT(conditions));
    tcase_add_loop_test(tc, reads_sweeps, 0, WEFT_COUNT(sweeps));
    tcase_add_test(tc, frontier);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
