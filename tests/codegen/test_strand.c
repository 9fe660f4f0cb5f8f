/* Loops as one step: which loops become one, their results with steps in C, collectives and large kernels among theirs,
 * and the diagnostic of a failure inside; and that an endless one can be stopped. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include "mlir/read.h"
#include "tests/codegen/walk.h"
#include "tests/support/suite.h"

#define LESS(i, n) \
    "    %p = stablehlo.compare LT, " i ", " n \
    " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n"
#define BEGIN \
    "func.func @main(%n: tensor<i32>, %x: tensor<40xi32>) -> tensor<40xi32> {\n  %z = stablehlo.constant dense<0> : tensor<i32>\n" \
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
#define LOOP \
    "  %w:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, tensor<40xi32>\n  cond {\n" LESS( \
        "%i", "%n") "  } do {\n" \
                    "    %j = stablehlo.add %i, %one : tensor<i32>\n"
#define END "    stablehlo.return %j, %u : tensor<i32>, tensor<40xi32>\n  }\n  return %w#1 : tensor<40xi32>\n}\n"
#define SUM \
    "({\n ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n %s = stablehlo.add %a, %b : tensor<i32>\n stablehlo.return %s : tensor<i32>\n})"

/* steps: a letter for each step of the list that belongs to a loop, a branch or a collective: l for a loop that is one
 * step, w and c for loops and branches that are walked, a for a collective. */
static const struct { const char *what, *text, *steps;
} shapes[] = {
    { "one loop", BEGIN LOOP "    %u = stablehlo.add %v, %v : tensor<40xi32>\n" END, "l" },
    { "a step in C inside",
      BEGIN LOOP
      "    %u = \"stablehlo.sort\"(%v) ({\n ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
      " %c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %c : tensor<i1>\n}) : (tensor<40xi32>) -> tensor<40xi32>\n" END,
      "l" },
    { "loops and branches inside",
      BEGIN LOOP "    %q:2 = stablehlo.while(%k = %z, %y = %v) : tensor<i32>, tensor<40xi32>\n  cond {\n" LESS(
          "%k",
          "%i") "  } do {\n"
                "    %l = stablehlo.add %k, %one : tensor<i32>\n    %d = \"stablehlo.case\"(%k) ({\n stablehlo.return %y : tensor<40xi32>\n}, {\n %e = stablehlo.negate %y : tensor<40xi32>\n"
                " stablehlo.return %e : tensor<40xi32>\n}) : (tensor<i32>) -> tensor<40xi32>\n    stablehlo.return %l, %d : tensor<i32>, tensor<40xi32>\n  }\n"
                "    %u = stablehlo.add %q#1, %x : tensor<40xi32>\n" END,
      "l" },
    { "a collective inside",
      BEGIN LOOP "    %u = \"stablehlo.all_reduce\"(%v) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> " SUM
                 " : (tensor<40xi32>) -> tensor<40xi32>\n" END,
      "wa" },
    { "a collective beside an inner loop, and in a branch",
      BEGIN LOOP "    %q:2 = stablehlo.while(%k = %z, %y = %v) : tensor<i32>, tensor<40xi32>\n  cond {\n" LESS(
          "%k",
          "%i") "  } do {\n"
                "    %l = stablehlo.add %k, %one : tensor<i32>\n    %d = stablehlo.negate %y : tensor<40xi32>\n    stablehlo.return %l, %d : tensor<i32>, tensor<40xi32>\n  }\n"
                "    %u = \"stablehlo.case\"(%i) ({\n    %r = \"stablehlo.all_reduce\"(%q#1) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> " SUM
                " : (tensor<40xi32>) -> tensor<40xi32>\n"
                " stablehlo.return %r : tensor<40xi32>\n}, {\n"
                "    %q2:2 = stablehlo.while(%k = %z, %y = %v) : tensor<i32>, tensor<40xi32>\n  cond {\n" LESS(
                    "%k",
                    "%i") "  } do {\n"
                          "    %l = stablehlo.add %k, %one : tensor<i32>\n    %d = stablehlo.negate %y : tensor<40xi32>\n    stablehlo.return %l, %d : tensor<i32>, tensor<40xi32>\n  }\n"
                          " stablehlo.return %q2#1 : tensor<40xi32>\n}) : (tensor<i32>) -> tensor<40xi32>\n" END,
      "wlcal" },
    { "a branch outside of loops",
      BEGIN
      "  %u = \"stablehlo.case\"(%n) ({\n stablehlo.return %x : tensor<40xi32>\n}, {\n %e = stablehlo.negate %x : tensor<40xi32>\n"
      " stablehlo.return %e : tensor<40xi32>\n}) : (tensor<i32>) -> tensor<40xi32>\n  return %u : tensor<40xi32>\n}\n",
      "c" },
};

static char letter(const weft_step *s) {
    switch (s->kind) {
    case WEFT_STEP_CALL: return !strcmp(s->label, "loop") ? 'l' : 0;
    case WEFT_STEP_WHILE: return 'w';
    case WEFT_STEP_CASE: return 'c';
    case WEFT_STEP_COLLECTIVE: return 'a';
    case WEFT_STEP_START: return 's';
    case WEFT_STEP_DONE: return 'd';
    }
    return '?';
}

/* Steps that hold others hold exactly those up to where they say: the walk over a level ends where its holder says. */
static uint32_t checked_span(const weft_executable *x, uint32_t at) {
    const weft_step *s = &x->steps[at];
    uint32_t parts[8] = { 0 }, n = 0, from = at + 1;
    if (s->kind == WEFT_STEP_WHILE) parts[n++] = s->cond_steps, parts[n++] = s->body_steps;
    for (uint32_t b = 0; s->kind == WEFT_STEP_CASE && b < s->branch_count; b++) parts[n++] = s->branch_steps[b];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t end = from + parts[i];
        while (from < end) from += checked_span(x, from);
        ck_assert_uint_eq(from, end);
    }
    return from - at;
}

/* Groups of one device would be no collectives. */
static weft_status compile_for_two(weft_context *cx, const char *text, weft_executable **x) {
    weft_module *m = NULL;
    weft_status st = weft_read_text(cx, weft_str_from(text), "test", 0, &m);
    if (st == WEFT_OK) st = weft_codegen_compile(cx, m, &(weft_compile_options){ .device_count = 2 }, x);
    weft_module_free(m);
    return st;
}

START_TEST(test_shapes) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    char got[64];
    size_t n = 0;
    ck_assert_msg(compile_for_two(cx, shapes[_i].text, &x) == WEFT_OK, "%s: %s", shapes[_i].what,
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    for (uint32_t i = 0; i < x->step_count; i++)
        if (letter(&x->steps[i])) got[n++] = letter(&x->steps[i]);
    got[n] = '\0';
    ck_assert_msg(!strcmp(got, shapes[_i].steps), "%s: %s, not %s", shapes[_i].what, got, shapes[_i].steps);
    for (uint32_t i = 0; i < x->step_count;) i += checked_span(x, i);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

/* main(n, x): what holds for n = 3 and x[i] = 40 - i. */
static int32_t same(int32_t i) { return 8 * (40 - i); }
static int32_t sorted(int32_t i) { return i + 1; }
static int32_t chosen(int32_t i) { return -2 * (40 - i); } /* x + x; 2x + x; in the third turn k = 1 negates: -3x + x */
static int32_t negated(int32_t i) { return i - 40; }
static const struct { uint32_t shape; int32_t (*want)(int32_t i); int32_t n; } values[] = {
    { 0, same, 3 }, { 1, sorted, 3 }, { 2, chosen, 3 }, { 5, negated, 1 },
};

START_TEST(test_values) {
    int32_t *n = walk_buffer(4), *x = walk_buffer(160), *r = walk_buffer(160);
    *n = values[_i].n;
    for (int32_t i = 0; i < 40; i++) x[i] = 40 - i;
    walk_text(shapes[values[_i].shape].text, NULL, (void *[]){ n, x }, (void *[]){ r });
    for (int32_t i = 0; i < 40; i++)
        ck_assert_msg(r[i] == values[_i].want(i), "%s: element %d is %d, not %d", shapes[values[_i].shape].what, i,
                      r[i], values[_i].want(i));
    for (int32_t i = 0; i < 40; i++) ck_assert_int_eq(x[i], 40 - i);
    free(n), free(x), free(r);
}
END_TEST

/* A check inside: it fails in the turn in which it does not hold, and says where it stands. */
START_TEST(test_failure) {
    static const char text[] = BEGIN LOOP
        "    %five = stablehlo.constant dense<5> : tensor<i32>\n    %m = stablehlo.minimum %i, %five : tensor<i32>\n"
        "    stablehlo.custom_call @check.expect_eq(%i, %m) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()\n"
        "    %u = stablehlo.add %v, %v : tensor<40xi32>\n" END;
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    weft_failure why;
    int32_t *n = walk_buffer(4), *in = walk_buffer(160), *r = walk_buffer(160);
    ck_assert_int_eq(walk_compile(cx, text, NULL, &x), WEFT_OK);
    *n = 6;
    ck_assert_int_eq(walk_run_why(x, (void *[]){ n, in }, (void *[]){ r }, &why, NULL), WEFT_OK);
    *n = 7;
    ck_assert_int_eq(walk_run_why(x, (void *[]){ n, in }, (void *[]){ r }, &why, NULL), WEFT_ERR_MISMATCH);
    ck_assert_msg(strstr(why.text, "6") && strstr(why.text, "5"), "%s", why.text);
    ck_assert_ptr_nonnull(why.loc);
    ck_assert_uint_eq(weft_loc_place(why.loc)->line, 12);
    ck_assert_int_eq(walk_run(x, (void *[]){ n, in }, (void *[]){ r }, NULL), WEFT_ERR_MISMATCH); /* nobody asks why */
    weft_executable_free(x);
    weft_context_free(cx);
    free(n), free(in), free(r);
}
END_TEST

/* Loops that never end by themselves: one, one in a loop, one in a branch. */
#define ENDLESS(v, from, body) \
    "    " v " = stablehlo.while(%e = " from \
    ") : tensor<40xi32>\n  cond {\n    %t = stablehlo.constant dense<true> : tensor<i1>\n" \
    "    stablehlo.return %t : tensor<i1>\n  } do {\n" body "    stablehlo.return %f : tensor<40xi32>\n  }\n"
#define ONCE "    %f = stablehlo.multiply %e, %e : tensor<40xi32>\n"
static const char *const endless[] = {
    BEGIN ENDLESS("%w", "%x", ONCE) "  return %w : tensor<40xi32>\n}\n",
    BEGIN LOOP ENDLESS("%u", "%v", ONCE) END,
    BEGIN LOOP "    %u = \"stablehlo.case\"(%i) ({\n" ENDLESS(
        "%d", "%v", ONCE) " stablehlo.return %d : tensor<40xi32>\n}, {\n stablehlo.return %v : tensor<40xi32>\n}) "
                          ": (tensor<i32>) -> tensor<40xi32>\n" END,
    BEGIN ENDLESS(
        "%w", "%x",
        "    %f = \"stablehlo.sort\"(%e) ({\n ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
        " %c = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n stablehlo.return %c : tensor<i1>\n}) : (tensor<40xi32>) -> tensor<40xi32>\n") "  return %w : tensor<40xi32>\n}\n",
};

typedef struct running {
    const weft_executable *x;
    _Atomic uint32_t stop;
    weft_status st;
} running;

static void *run_endless(void *p) {
    running *r = p;
    int32_t *n = walk_buffer(4), *in = walk_buffer(160), *out = walk_buffer(160);
    *n = 1;
    r->st = walk_run_until(r->x, (void *[]){ n, in }, (void *[]){ out }, &r->stop);
    free(n), free(in), free(out);
    return NULL;
}

/* Told to stop before it begins, and while it runs, from another thread. The pause only makes it likely that the loop
 * is entered before: where the flag were read once, the test would not end. */
START_TEST(test_endless) {
    weft_context *cx = weft_context_new(NULL);
    weft_executable *x = NULL;
    ck_assert_msg(walk_compile(cx, endless[_i], NULL, &x) == WEFT_OK, "%s",
                  weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "");
    running told = { .x = x, .stop = 1 }, runs = { .x = x };
    (void)run_endless(&told);
    ck_assert_int_eq(told.st, WEFT_ERR_PEER);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, run_endless, &runs), 0);
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    atomic_store(&runs.stop, 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(runs.st, WEFT_ERR_PEER);
    weft_executable_free(x);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/strand");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_shapes, 0, (int)WEFT_COUNT(shapes));
    tcase_add_loop_test(tc, test_values, 0, (int)WEFT_COUNT(values));
    tcase_add_test(tc, test_failure);
    tcase_add_loop_test(tc, test_endless, 0, (int)WEFT_COUNT(endless));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
