/* Building, cloning and reading modules. */
#include <check.h>
#include <stdlib.h>
#include "ir/builder.h"
#include "ir/verify.h"
#include "tests/support/alloc.h"
#include "tests/support/suite.h"

/* func.func @main(%a, %b: tensor<2x3xf32>) { %0 = a + b; %1 = -%0; return %1 } */
static weft_status build(weft_context *cx, weft_module **out) {
    weft_module *m = weft_module_new(cx);
    if (!m) return WEFT_ERR_MEMORY;
    weft_builder b;
    weft_builder_init(&b, m, weft_module_body(m));
    const weft_type *t = weft_type_tensor(cx, WEFT_F32, 2, (int64_t[]){ 2, 3 });
    const weft_type *in[] = { t, t };
    const weft_named_attr attrs[] = {
        { weft_name_from(cx, "sym_name"), weft_attr_string(cx, WEFT_STR("main")) },
        { weft_name_from(cx, "function_type"), weft_attr_type(cx, t ? weft_type_function(cx, in, 2, &t, 1) : NULL) },
    };
    weft_op *f =
        attrs[0].name && attrs[1].name
            ? weft_build_op(&b,
                            &(weft_op_spec){ .kind = WEFT_OP_func, .attrs = attrs, .attr_count = 2, .region_count = 1 })
            : NULL;
    weft_block *body = f ? weft_build_block(&b, &f->regions[0]) : NULL;
    weft_value *x = weft_build_block_arg(&b, body, t, NULL), *y = weft_build_block_arg(&b, body, t, NULL);
    b.block = body;
    weft_value *r = body ? weft_build_unary(&b, WEFT_OP_negate, weft_build_binary(&b, WEFT_OP_add, x, y)) : NULL;
    if (body) weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_func_return, .operands = &r, .operand_count = 1 });
    weft_status st = f ? b.status : WEFT_ERR_MEMORY;
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}

static weft_status build_clone_verify(weft_context *cx, void *user) {
    (void)user;
    weft_module *m = NULL, *copy = NULL;
    weft_status st = build(cx, &m);
    if (st == WEFT_OK) st = weft_verify_module(cx, m);
    if (st == WEFT_OK) st = weft_module_clone(m, &copy);
    if (st == WEFT_OK) st = weft_verify_module(cx, copy);
    if (st == WEFT_OK) {
        ck_assert_uint_eq(copy->op_count, m->op_count);
        ck_assert_uint_eq(copy->value_count, m->value_count);
    }
    weft_module_free(copy);
    weft_module_free(m);
    return st;
}

START_TEST(builds_clones_verifies) {
    weft_context *cx = weft_context_new(NULL);
    ck_assert_int_eq(build_clone_verify(cx, NULL), WEFT_OK);
    weft_context_free(cx);
}
END_TEST

START_TEST(survives_failing_memory) { weft_test_each_failure(build_clone_verify, NULL); }
END_TEST

static bool had(const weft_module *m, weft_op_kind kind) { return weft_module_had(m, kind); }

/* What a module knows of its ops: kinds that were there, since it was numbered; its calls, once it is numbered. */
START_TEST(knows_its_ops) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL, *copy = NULL;
    weft_builder b;
    ck_assert_int_eq(build(cx, &m), WEFT_OK);
    weft_op *ret = weft_op_body(weft_module_main(m), 0)->last, *add = ret->prev->prev;
    ck_assert(had(m, WEFT_OP_module) && had(m, WEFT_OP_func) && had(m, WEFT_OP_add) && !had(m, WEFT_OP_subtract) &&
              !had(m, WEFT_OP_func_call));
    ck_assert_int_eq(weft_module_clone(m, &copy), WEFT_OK);
    ck_assert(had(copy, WEFT_OP_add) && had(copy, WEFT_OP_func) && !had(copy, WEFT_OP_subtract));
    ck_assert(!m->calls_known);
    weft_module_renumber(m);
    ck_assert(m->calls_known && m->call_count == 0 && had(m, WEFT_OP_add));
    weft_builder_init(&b, m, ret->parent);
    b.before = ret;
    weft_op *calls[10];
    for (int i = 9; i >= 0; i--) {
        calls[i] = weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_func_call });
        b.before = calls[i];
    }
    ck_assert(!m->calls_known && had(m, WEFT_OP_func_call));
    weft_module_renumber(m);
    ck_assert(m->calls_known);
    ck_assert_uint_eq(m->call_count, 10);
    for (int i = 0; i < 10; i++) ck_assert_ptr_eq(m->calls[i], calls[i]);
    for (int i = 0; i < 10; i++) weft_op_remove(calls[i]);
    weft_op_remove(ret->prev); /* what reads the sum is gone first */
    weft_op_remove(add);
    ck_assert(had(m, WEFT_OP_add)); /* it was there */
    weft_module_renumber(m);
    ck_assert(!had(m, WEFT_OP_add) && !had(m, WEFT_OP_func_call) && m->calls_known && m->call_count == 0);
    weft_module_free(copy);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

START_TEST(finds_uses) {
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    ck_assert_int_eq(build(cx, &m), WEFT_OK);
    weft_arena arena;
    weft_uses u;
    weft_arena_init(&arena, &cx->alloc);
    ck_assert_int_eq(weft_uses_build(m, &arena, &u), WEFT_OK);
    const weft_op *f = weft_module_main(m), *add = weft_op_body(f, 0)->first;
    for (uint32_t i = 0; i < 2; i++) {
        const weft_value *x = add->operands[i];
        ck_assert_uint_eq(weft_use_count(&u, x), 1);
        ck_assert_ptr_eq(u.use[u.start[x->id]].op, add);
        ck_assert_uint_eq(u.use[u.start[x->id]].operand, i);
    }
    ck_assert_uint_eq(weft_use_count(&u, &add->results[0]), 1);
    weft_arena_free(&arena);
    weft_module_free(m);
    weft_context_free(cx);
}
END_TEST

int main(void) {
    Suite *s = suite_create("ir/module");
    TCase *tc = tcase_create("module");
    tcase_add_test(tc, builds_clones_verifies);
    tcase_add_test(tc, survives_failing_memory);
    tcase_add_test(tc, knows_its_ops);
    tcase_add_test(tc, finds_uses);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
