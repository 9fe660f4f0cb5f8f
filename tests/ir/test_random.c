/* Random programs are valid, equal for equal seeds, and survive cloning. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "ir/builder.h"
#include "ir/verify.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "tests/support/alloc.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

static const unsigned flags[] = {
    0,
    WEFT_RANDOM_MESH,
    WEFT_RANDOM_MESH | WEFT_RANDOM_UNEVEN,
    WEFT_RANDOM_MESH | WEFT_RANDOM_SUB_AXES | WEFT_RANDOM_PRIORITIES,
    WEFT_RANDOM_NO_INDEX,
    WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED,
    WEFT_RANDOM_MESH | WEFT_RANDOM_MIXED | WEFT_RANDOM_WINDOWS,
};

#define PROGRAMS 200

static weft_random_options options(int i) {
    return (weft_random_options){ .seed = weft_test_seed(1) + (uint64_t)i, .flags = flags[i % WEFT_COUNT(flags)],
                                  .ops = 4 + (uint32_t)(i * 7 % 60), .devices = 1 + i % 8 };
}

START_TEST(is_valid) {
    for (int i = 0; i < PROGRAMS; i++) {
        weft_random_options opt = options(i);
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL, *copy = NULL;
        ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
        if (weft_verify_module(cx, m) != WEFT_OK)
            ck_abort_msg("WEFT_SEED=%llu: %s", (unsigned long long)opt.seed,
                         weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "?");
        ck_assert_int_eq(weft_module_clone(m, &copy), WEFT_OK);
        ck_assert_int_eq(weft_verify_module(cx, copy), WEFT_OK);
        ck_assert_uint_eq(copy->op_count, m->op_count);
        ck_assert_uint_eq(copy->value_count, m->value_count);
        weft_module_free(copy);
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

static const weft_op_kind expected[] = {
    WEFT_OP_tanh,
    WEFT_OP_exponential,
    WEFT_OP_log,
    WEFT_OP_rsqrt,
    WEFT_OP_add,
    WEFT_OP_maximum,
    WEFT_OP_compare,
    WEFT_OP_select,
    WEFT_OP_clamp,
    WEFT_OP_convert,
    WEFT_OP_constant,
    WEFT_OP_iota,
    WEFT_OP_broadcast_in_dim,
    WEFT_OP_reshape,
    WEFT_OP_transpose,
    WEFT_OP_reverse,
    WEFT_OP_slice,
    WEFT_OP_pad,
    WEFT_OP_concatenate,
    WEFT_OP_dynamic_slice,
    WEFT_OP_dynamic_update_slice,
    WEFT_OP_dot_general,
    WEFT_OP_reduce,
    WEFT_OP_gather,
    WEFT_OP_scatter,
    WEFT_OP_sdy_sharding_constraint,
};

static weft_status count_kind(void *user, weft_op *op) {
    ((long *)user)[op->kind]++;
    return WEFT_OK;
}

START_TEST(covers_its_ops) {
    long count[WEFT_OP_COUNT] = { 0 };
    for (int i = 0; i < PROGRAMS; i++) {
        weft_random_options opt = options(i);
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
        ck_assert_int_eq(weft_module_walk(m, count_kind, count), WEFT_OK);
        weft_module_free(m);
        weft_context_free(cx);
    }
    for (size_t i = 0; i < WEFT_COUNT(expected); i++)
        ck_assert_msg(count[expected[i]] >= 10, "%s appears %ld times", weft_op_table[expected[i]].name,
                      count[expected[i]]);
}
END_TEST

/* read(print(m)) prints as m does, in every form. */
static const unsigned forms[] = { WEFT_PRINT_PRETTY, WEFT_PRINT_GENERIC, WEFT_PRINT_PRETTY | WEFT_PRINT_LOCS,
                                  WEFT_PRINT_GENERIC | WEFT_PRINT_LOCS };

START_TEST(comes_back_from_text) {
    for (int i = 0; i < PROGRAMS; i++) {
        weft_random_options opt = options(i);
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL, *again = NULL;
        weft_buf a, b;
        weft_buf_init(&a, &cx->alloc);
        weft_buf_init(&b, &cx->alloc);
        ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
        ck_assert_int_eq(weft_print_module(m, forms[_i], &a), WEFT_OK);
        weft_status st = weft_read_text(cx, (weft_str){ a.p, a.n }, "random.mlir", 0, &again);
        ck_assert_msg(st == WEFT_OK, "WEFT_SEED=%llu: %s\n%s", (unsigned long long)opt.seed,
                      weft_context_diag_count(cx) ? weft_context_diag(cx, 0)->message : "?", a.p);
        ck_assert_int_eq(weft_print_module(again, forms[_i], &b), WEFT_OK);
        ck_assert_msg(a.n == b.n && !memcmp(a.p, b.p, a.n), "WEFT_SEED=%llu", (unsigned long long)opt.seed);
        ck_assert_uint_eq(again->op_count, m->op_count);
        weft_buf_free(&a);
        weft_buf_free(&b);
        weft_module_free(again);
        weft_module_free(m);
        weft_context_free(cx);
    }
}
END_TEST

/* Folds what tells two programs apart into one number. */
static weft_status fold(void *user, weft_op *op) {
    uint64_t *h = user;
    *h = (*h ^ op->kind) * 1099511628211u;
    for (uint32_t i = 0; i < op->operand_count; i++) *h = (*h ^ op->operands[i]->id) * 1099511628211u;
    for (uint32_t i = 0; i < op->attr_count; i++) *h = (*h ^ weft_attr_hash(op->attrs[i].value)) * 1099511628211u;
    return WEFT_OK;
}

START_TEST(repeats_itself) {
    for (int i = 0; i < 20; i++) {
        uint64_t h[2] = { 1, 1 };
        for (int k = 0; k < 2; k++) {
            weft_random_options opt = options(i);
            weft_context *cx = weft_context_new(NULL);
            weft_module *m = NULL;
            ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
            ck_assert_int_eq(weft_module_walk(m, fold, &h[k]), WEFT_OK);
            weft_module_free(m);
            weft_context_free(cx);
        }
        ck_assert_uint_eq(h[0], h[1]);
    }
}
END_TEST

static weft_status make_one(weft_context *cx, void *user) {
    weft_random_options opt = options(*(int *)user);
    weft_module *m = NULL, *copy = NULL;
    weft_status st = weft_random_module(cx, &opt, &m);
    if (st == WEFT_OK) st = weft_verify_module(cx, m);
    if (st == WEFT_OK) st = weft_module_clone(m, &copy);
    weft_module_free(copy);
    weft_module_free(m);
    return st;
}

START_TEST(survives_failing_memory) { weft_test_each_failure(make_one, &(int){ 3 * _i + 1 }); }
END_TEST

int main(void) {
    Suite *s = suite_create("ir/random");
    TCase *tc = tcase_create("random");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, is_valid);
    tcase_add_test(tc, covers_its_ops);
    tcase_add_test(tc, repeats_itself);
    tcase_add_loop_test(tc, comes_back_from_text, 0, WEFT_COUNT(forms));
    tcase_add_loop_test(tc, survives_failing_memory, 0, 3);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
