/* Broken modules: a random valid program, damaged at random, is accepted or refused with a message, without other
 * effects. Damage changes what the builder does not check: operands, types, attributes, counts, order. */
#include <stdio.h>
#include "base/context.h"
#include "cost/op.h"
#include "ir/builder.h"
#include "ir/verify.h"
#include "tests/support/random_module.h"
#include "tests/support/suite.h"

typedef struct pool { weft_op *ops[4096]; weft_value *values[4096]; uint32_t op_count, value_count; } pool;

static weft_status collect(void *user, weft_op *op) {
    pool *p = user;
    if (p->op_count < 4096) p->ops[p->op_count++] = op;
    for (uint32_t i = 0; i < op->result_count && p->value_count < 4096; i++)
        p->values[p->value_count++] = &op->results[i];
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (uint32_t i = 0; i < b->arg_count && p->value_count < 4096; i++)
                p->values[p->value_count++] = b->args[i];
    return WEFT_OK;
}

static const weft_type *some_type(weft_context *cx, weft_rng *r) {
    int64_t dims[4];
    uint32_t rank = weft_rng_below(r, 5);
    for (uint32_t i = 0; i < rank; i++) dims[i] = weft_rng_chance(r, 0.1) ? WEFT_DYNAMIC : weft_rng_range(r, 0, 9);
    switch (weft_rng_below(r, 12)) {
    case 0: return weft_type_simple(cx, WEFT_TYPE_TOKEN);
    case 1: return weft_type_scalar(cx, WEFT_F32);
    case 2: return weft_type_tuple(cx, NULL, 0);
    case 3: return weft_type_opaque(cx, WEFT_STR("!some.type"));
    default: return weft_type_tensor(cx, (weft_dtype)(1 + weft_rng_below(r, WEFT_DTYPE_COUNT - 1)), rank, dims);
    }
}

static const weft_attr *some_attr(weft_context *cx, weft_rng *r, const pool *p) {
    int64_t v[6];
    uint32_t n = weft_rng_below(r, 6);
    for (uint32_t i = 0; i < n; i++)
        v[i] = weft_rng_chance(r, 0.1) ? INT64_MAX - (int64_t)weft_rng_below(r, 3) : weft_rng_range(r, -2, 9);
    if (weft_rng_chance(r, 0.5)) { /* one that stands elsewhere */
        const weft_op *op = p->ops[weft_rng_below(r, p->op_count)];
        if (op->attr_count) return op->attrs[weft_rng_below(r, op->attr_count)].value;
    }
    switch (weft_rng_below(r, 7)) {
    case 0: return weft_attr_unit(cx);
    case 1: return weft_attr_i64(cx, n ? v[0] : 0);
    case 2: return weft_attr_string(cx, WEFT_STR("main"));
    case 3: return weft_attr_type(cx, some_type(cx, r));
    case 4: return weft_attr_array(cx, NULL, 0);
    case 5: return weft_attr_enum(cx, (weft_enum_value)weft_rng_below(r, WEFT_ENUM_COUNT));
    default: return weft_attr_ints(cx, WEFT_I64, v, n);
    }
}

static void damage(weft_module *m, weft_rng *r, const pool *p) {
    weft_op *op = p->ops[weft_rng_below(r, p->op_count)];
    weft_value *v = p->values[weft_rng_below(r, p->value_count)];
    switch (weft_rng_below(r, 9)) {
    case 0: case 1:
        if (op->operand_count) op->operands[weft_rng_below(r, op->operand_count)] = v;
        break;
    case 2: v->type = some_type(m->cx, r); break;
    case 3: case 4:
        if (op->attr_count) op->attrs[weft_rng_below(r, op->attr_count)].value = some_attr(m->cx, r, p);
        break;
    case 5:
        if (op->attr_count) op->attr_count--;
        break;
    case 6:
        if (op->operand_count) op->operand_count--;
        break;
    case 7: op->kind = (uint16_t)weft_rng_below(r, WEFT_OP_COUNT); break;
    case 8:
        if (op->region_count && op->parent) op->regions[0].first = op->regions[0].last = NULL;
        break;
    }
}

START_TEST(is_refused_or_sound) {
    int refused = 0;
    for (int i = 0; i < 1500; i++) {
        uint64_t seed = weft_test_seed(1000 * (uint64_t)_i) + (uint64_t)i;
        weft_random_options opt = { .seed = seed, .ops = 12,
                                    .flags = i % 2 ? WEFT_RANDOM_MESH | WEFT_RANDOM_SUB_AXES : 0 };
        weft_context *cx = weft_context_new(NULL);
        weft_module *m = NULL;
        weft_rng r = { seed };
        pool p = { .op_count = 0 };
        ck_assert_int_eq(weft_random_module(cx, &opt, &m), WEFT_OK);
        ck_assert_int_eq(weft_module_walk(m, collect, &p), WEFT_OK);
        for (uint32_t n = 1 + weft_rng_below(&r, 3); n > 0; n--) damage(m, &r, &p);
        weft_status st = weft_verify_module(cx, m);
        ck_assert_msg((st == WEFT_OK) == (weft_context_diag_count(cx) == 0), "WEFT_SEED=%llu: %s with %zu messages",
                      (unsigned long long)seed, weft_status_name(st), weft_context_diag_count(cx));
        ck_assert_msg(st == WEFT_OK || st == WEFT_ERR_INVALID || st == WEFT_ERR_UNSUPPORTED, "WEFT_SEED=%llu: %s",
                      (unsigned long long)seed, weft_status_name(st));
        refused += st != WEFT_OK;
        weft_op_cost cost;
        if (st == WEFT_OK) (void)!weft_cost_block(weft_op_body(m->root, 0), &cost);
        weft_module_free(m);
        weft_context_free(cx);
    }
    ck_assert_int_gt(refused, 700);
}
END_TEST

int main(void) {
    Suite *s = suite_create("ir/broken");
    TCase *tc = tcase_create("broken");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, is_refused_or_sound, 0, 4);
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
