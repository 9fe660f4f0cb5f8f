/* verify_rule.c: an op's sharding rule gives a factor for every dimension of every operand and result.
 *
 * The rules, their order and their words are Shardy's (shardy/dialect/sdy/ir/verifiers.cc, verifyOpShardingRuleAttr).
 */
#include "ir/check.h"

#include <stdio.h>

enum { IN_OPERAND = 1, IN_RESULT = 2, IN_TENSOR = 4, SPECIAL = 8 };

/* One tensor's part of the rule. seen: by factor. */
static weft_status check_tensor(weft_checker *c, const weft_op *op, const weft_rule_attr *r, const char *what,
                                uint32_t t, const weft_type *type, uint8_t *seen) {
    const uint8_t kind = t < r->operand_count ? IN_OPERAND : IN_RESULT;
    if ((type->kind != WEFT_TYPE_TENSOR && type->kind != WEFT_TYPE_FOREIGN) || !weft_type_is_static(type))
        return weft_bad_sharding(c, op, "%sexpected a ranked tensor with a static shape. type: '%s'", what,
                                 weft_text_of(c, type));
    if (r->ranks[t] != type->rank)
        return weft_bad_sharding(c, op, "%smapping rank must match: %u != %u", what, r->ranks[t], type->rank);
    for (uint32_t f = 0; f < r->factor_sizes.n; f++) seen[f] &= (uint8_t)~IN_TENSOR;
    for (uint32_t d = 0; d < type->rank; d++) {
        weft_ints factors = r->dims[t][d];
        if (!factors.n) return weft_bad_sharding(c, op, "%sdim mapping must have at least one factor", what);
        for (uint32_t i = 0; i < factors.n; i++) {
            int64_t f = factors.v[i];
            if (f < 0 || f >= r->factor_sizes.n)
                return weft_bad_sharding(
                    c, op,
                    "%sexpecting factor indices to be within 0<=...<num_factors; received: %lld, num_factors: %u", what,
                    (long long)f, r->factor_sizes.n);
            if (seen[f] & IN_TENSOR)
                return weft_bad_sharding(c, op, "%scannot reuse factors for the same tensor value", what);
            if (factors.n > 1 && r->factor_sizes.v[f] == 1)
                return weft_bad_sharding(c, op,
                                         "%sdim mapping can't have a factor of size 1 if there are multiple factors",
                                         what);
            seen[f] |= (uint8_t)(kind | IN_TENSOR);
        }
    }
    return WEFT_OK;
}

static weft_status check_side(weft_checker *c, const weft_op *op, const weft_rule_attr *r, const char *side,
                              uint32_t values, uint32_t first, uint32_t mappings, uint8_t *seen) {
    if (values != mappings)
        return weft_bad_sharding(c, op, "number of %ss and mappings must match: %u != %u", side, values, mappings);
    if (!mappings)
        return weft_bad_sharding(
            c, op,
            "number of %ss mappings cannot be 0. Op sharding rules can only be defined on operations with at least one operand and result.",
            side);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < values && st == WEFT_OK; i++) {
        char what[40];
        if (values == 1) snprintf(what, sizeof what, "%s - ", side);
        else snprintf(what, sizeof what, "%s %u - ", side, i);
        st = check_tensor(c, op, r, what, first + i, first ? op->results[i].type : op->operands[i]->type, seen);
    }
    return st;
}

/* Shardy does not check this: sizes that passes multiply are not negative, and those of one tensor's factors have a
 * product that fits. */
static weft_status check_sizes(weft_checker *c, const weft_op *op, const weft_rule_attr *r) {
    for (uint32_t f = 0; f < r->factor_sizes.n; f++)
        if (r->factor_sizes.v[f] < 0)
            return weft_bad_sharding(c, op, "factor %u has the size %lld", f, (long long)r->factor_sizes.v[f]);
    for (uint32_t t = 0; t < r->operand_count + r->result_count; t++) {
        int64_t product = 1;
        for (uint32_t d = 0; d < r->ranks[t]; d++)
            for (uint32_t i = 0; i < r->dims[t][d].n; i++) {
                const int64_t size = r->factor_sizes.v[r->dims[t][d].v[i]];
                if (size && !weft_mul_i64(product, size, &product))
                    return weft_bad_sharding(c, op, "the factors of one tensor have a product over 2^63-1");
            }
    }
    return WEFT_OK;
}

/* A set of factors is ascending and in range. */
static weft_status check_set(weft_checker *c, const weft_op *op, weft_ints set, uint32_t factors) {
    for (uint32_t i = 1; i < set.n; i++)
        if (set.v[i] < set.v[i - 1]) return weft_bad_sharding(c, op, "indices of special factors must be sorted");
    for (uint32_t i = 1; i < set.n; i++)
        if (set.v[i] == set.v[i - 1]) return weft_bad_sharding(c, op, "indices of special factors must be unique");
    if (set.n && set.v[0] < 0) return weft_bad_sharding(c, op, "index must be non-negative");
    if (set.n && set.v[set.n - 1] >= factors)
        return weft_bad_sharding(c, op, "index must be less than %u, got: %lld", factors, (long long)set.v[set.n - 1]);
    return WEFT_OK;
}

/* i .. z, z_1, z_2, ... */
static void factor_text(char *out, size_t size, uint32_t f) {
    const uint32_t last = 'z' - 'i';
    if (f <= last) snprintf(out, size, "%c", (char)('i' + f));
    else snprintf(out, size, "z_%u", f - last);
}

weft_status weft_check_rule(weft_checker *c, const weft_op *op, const weft_rule_attr *r) {
    const uint32_t n = r->factor_sizes.n;
    const weft_ints special[] = { r->reduction, r->need_replication, r->permutation };
    uint8_t *seen = weft_scratch_array(c->cx, uint8_t, n);
    if (!seen) return weft_oom();
    weft_status st = check_side(c, op, r, "operand", op->operand_count, 0, r->operand_count, seen);
    if (st == WEFT_OK) st = check_side(c, op, r, "result", op->result_count, r->operand_count, r->result_count, seen);
    for (uint32_t f = 0; f < n && st == WEFT_OK; f++) {
        if (seen[f] & (IN_OPERAND | IN_RESULT)) continue;
        char text[24];
        factor_text(text, sizeof text, f);
        st = weft_bad_sharding(c, op, "has factor %s=%lld that isn't used in operand and result mappings", text,
                               (long long)r->factor_sizes.v[f]);
    }
    for (size_t s = 0; s < WEFT_COUNT(special) && st == WEFT_OK; s++) st = check_set(c, op, special[s], n);
    if (st == WEFT_OK) st = check_sizes(c, op, r);
    for (size_t s = 0; s < WEFT_COUNT(special) && st == WEFT_OK; s++)
        for (uint32_t i = 0; i < special[s].n && st == WEFT_OK; i++) {
            if (seen[special[s].v[i]] & SPECIAL)
                st = weft_bad_sharding(
                    c, op,
                    "a factor can only be in one of the reduction, need replication, or permutation factor sets");
            seen[special[s].v[i]] |= SPECIAL;
        }
    if (st == WEFT_OK) st = check_set(c, op, r->blocked, n);
    for (uint32_t i = 0; i < r->reduction.n && st == WEFT_OK; i++)
        if (seen[r->reduction.v[i]] & IN_RESULT)
            st = weft_bad_sharding(c, op, "reduction factor cannot be in result mappings");
    return st;
}
