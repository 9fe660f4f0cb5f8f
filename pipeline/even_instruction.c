/* even_instruction: see even_instruction.h. */
#include "pipeline/even_instruction.h"

typedef struct evener {
    weft_context *cx;
    const weft_op *op;
    const weft_rule *rule;
    const weft_sharding *const *shardings;
    const weft_type **types;
    uint32_t count;                  /* of tensors */
    int64_t (*dims)[WEFT_MAX_RANK];  /* [tensor][dimension]: as it is to be */
} evener;

static const weft_type *type_of(const evener *e, uint32_t tensor) {
    return tensor < e->op->operand_count ? e->op->operands[tensor]->type : e->op->results[tensor - e->op->operand_count].type;
}

static int64_t shards_of(const evener *e, uint32_t tensor, uint32_t dim) { return weft_dim_shards(e->shardings[tensor], dim); }

static weft_status refuse(const evener *e, uint32_t tensor, uint32_t dim) {
    return weft_report(e->cx, WEFT_D_unsupported, e->op->loc, "%s: a dimension of %lld over %lld devices cannot be padded here", e->op->name->text,
                       (long long)type_of(e, tensor)->dims[dim], (long long)shards_of(e, tensor, dim));
}

/* Whether nothing is uneven; *tensor and *dim are the first that is. */
static bool is_even(const evener *e, uint32_t *tensor, uint32_t *dim) {
    for (uint32_t t = 0; t < e->count; t++) {
        const weft_type *type = type_of(e, t);
        for (uint32_t d = 0; weft_type_is_tensor(type) && weft_type_is_static(type) && d < type->rank; d++) {
            *tensor = t;
            *dim = d;
            if (type->dims[d] % shards_of(e, t, d)) return false;
        }
    }
    return true;
}

/* What has no operands grows as it likes; a constant does where all its elements are one. */
static weft_status even_source(evener *e) {
    const weft_attr *value = weft_op_attr(e->op, WEFT_A_value);
    if (weft_op_kind_has((weft_op_kind)e->op->kind, WEFT_TRAIT_CONSTANT) && (!value || value->kind != WEFT_ATTR_DENSE || !value->dense.splat))
        return weft_report(e->cx, WEFT_D_unsupported, e->op->loc, "%s: only a constant whose elements are all one can be padded", e->op->name->text);
    for (uint32_t t = 0; t < e->count; t++)
        for (uint32_t d = 0; d < type_of(e, t)->rank; d++) e->dims[t][d] = weft_round_up(e->dims[t][d], shards_of(e, t, d));
    return WEFT_OK;
}

/* The result grows; so does the operand, at least by what the slice then reaches. */
static weft_status even_slice(evener *e) {
    weft_ints start = weft_op_ints(e->op, WEFT_A_start_indices), stride = weft_op_ints(e->op, WEFT_A_strides);
    for (uint32_t d = 0; d < type_of(e, 0)->rank; d++) {
        e->dims[1][d] = weft_round_up(e->dims[1][d], shards_of(e, 1, d));
        int64_t reach = e->dims[1][d] ? start.v[d] + (e->dims[1][d] - 1) * stride.v[d] + 1 : 0;
        e->dims[0][d] = weft_round_up(weft_max_i64(e->dims[0][d], reach), shards_of(e, 0, d));
    }
    return WEFT_OK;
}

static weft_status even_pad(evener *e) {
    for (uint32_t d = 0; d < type_of(e, 0)->rank; d++) {
        e->dims[0][d] = weft_round_up(e->dims[0][d], shards_of(e, 0, d));
        e->dims[2][d] = weft_round_up(e->dims[2][d], shards_of(e, 2, d));
    }
    return WEFT_OK;
}

/* Dimension d of tensor t is factor f and nothing else; *has: f is in it at all. */
static bool owns(const evener *e, uint32_t t, uint32_t d, uint32_t f, bool *has) {
    const weft_rule_dim dim = e->rule->tensors[t].dims[d];
    *has = false;
    for (uint32_t i = 0; i < dim.n; i++) *has |= e->rule->factors[dim.first + i] == f;
    return dim.n == 1 && type_of(e, t)->dims[d] == e->rule->sizes[f];
}

static bool may_grow(const evener *e, uint32_t f) {
    const weft_op_kind kind = (weft_op_kind)e->op->kind;
    return weft_rule_is_pass(e->rule, f) || ((kind == WEFT_OP_dot || kind == WEFT_OP_dot_general) && weft_rule_kind(e->rule, f) == WEFT_FACTOR_REDUCTION);
}

/* All dimensions of a factor grow alike, to what all their shards divide. */
static weft_status even_factor(evener *e, uint32_t f) {
    int64_t all = 1;
    bool uneven = false, alone = may_grow(e, f), has;
    uint32_t tensor = 0, dim = 0;
    for (uint32_t t = 0; t < e->count; t++)
        for (uint32_t d = 0; d < e->rule->tensors[t].rank; d++) {
            bool own = owns(e, t, d, f, &has);
            if (!has) continue;
            int64_t n = shards_of(e, t, d);
            alone &= own;
            all = all / weft_gcd(all, n) * n;
            if (uneven || type_of(e, t)->dims[d] % n == 0) continue;
            uneven = true;
            tensor = t;
            dim = d;
        }
    if (!uneven) return WEFT_OK;
    if (!alone) return refuse(e, tensor, dim);
    for (uint32_t t = 0; t < e->count; t++)
        for (uint32_t d = 0; d < e->rule->tensors[t].rank; d++) {
            owns(e, t, d, f, &has);
            if (has) e->dims[t][d] = weft_round_up(e->dims[t][d], all);
        }
    return WEFT_OK;
}

static weft_status even_dims(evener *e, weft_rules *rules, uint32_t tensor, uint32_t dim) {
    if (!e->op->operand_count && !e->op->region_count) return even_source(e);
    if (e->op->kind == WEFT_OP_slice) return even_slice(e);
    if (e->op->kind == WEFT_OP_pad) return even_pad(e);
    weft_status st = e->op->kind == WEFT_OP_sdy_reshard ? weft_rule_identity(rules, e->op->results[0].type, 1, 1, &e->rule)
                                                        : weft_rule_of(rules, e->op, WEFT_RULE_LIBERAL, NULL, &e->rule);
    if (st == WEFT_OK && (!e->rule || e->rule->tensor_count != e->count)) return refuse(e, tensor, dim);
    for (uint32_t f = 0; st == WEFT_OK && f < e->rule->factor_count; f++) st = even_factor(e, f);
    return st;
}

weft_status weft_even_types(weft_context *cx, weft_rules *rules, const weft_op *op, const weft_sharding *const *shardings, const weft_type **types) {
    evener e = { .cx = cx, .op = op, .shardings = shardings, .types = types, .count = op->operand_count + op->result_count };
    uint32_t tensor, dim;
    for (uint32_t t = 0; t < e.count; t++) types[t] = type_of(&e, t);
    if (is_even(&e, &tensor, &dim)) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    e.dims = weft_arena_alloc(&cx->scratch, e.count * sizeof *e.dims, _Alignof(int64_t));
    for (uint32_t t = 0; e.dims && t < e.count; t++)
        if (weft_type_is_tensor(types[t])) memcpy(e.dims[t], types[t]->dims, types[t]->rank * sizeof e.dims[t][0]);
    weft_status st = e.dims ? even_dims(&e, rules, tensor, dim) : weft_oom();
    for (uint32_t t = 0; st == WEFT_OK && t < e.count; t++)
        if (weft_type_is_tensor(types[t]) && !(types[t] = weft_type_with_dims(cx, types[t], types[t]->rank, e.dims[t]))) st = weft_oom();
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

/* Attributes. */

static weft_status limit_slice(weft_module *m, const weft_op *op, const weft_type *result, weft_op *copy) {
    weft_ints start = weft_op_ints(op, WEFT_A_start_indices), stride = weft_op_ints(op, WEFT_A_strides), limit = weft_op_ints(op, WEFT_A_limit_indices);
    int64_t v[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < result->rank; d++)
        v[d] = result->dims[d] == op->results[0].type->dims[d] ? limit.v[d] : start.v[d] + (result->dims[d] - 1) * stride.v[d] + 1;
    return weft_op_set_ints(m, copy, WEFT_A_limit_indices, v, result->rank);
}

/* The operand's own padding, which has the same value, counts as part of the op's; what is too much is cut off. */
static weft_status limit_pad(weft_module *m, const weft_op *op, const weft_type *operand, const weft_type *result, weft_op *copy) {
    weft_ints low = weft_op_ints(op, WEFT_A_edge_padding_low), high = weft_op_ints(op, WEFT_A_edge_padding_high);
    weft_ints interior = weft_op_ints(op, WEFT_A_interior_padding);
    int64_t v[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < result->rank; d++) {
        int64_t spread = operand->dims[d] ? (operand->dims[d] - 1) * (interior.v[d] + 1) + 1 : 0;
        bool same = operand->dims[d] == op->operands[0]->type->dims[d] && result->dims[d] == op->results[0].type->dims[d];
        v[d] = same ? high.v[d] : result->dims[d] - low.v[d] - spread;
    }
    return weft_op_set_ints(m, copy, WEFT_A_edge_padding_high, v, result->rank);
}

/* slice_sizes of dimensions that are taken whole. */
static weft_status size_slices(weft_module *m, const weft_op *op, const weft_type *operand, weft_op *copy) {
    weft_ints sizes = weft_op_ints(op, WEFT_A_slice_sizes);
    const weft_type *old = op->operands[0]->type;
    int64_t v[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < old->rank; d++) v[d] = sizes.v[d] == old->dims[d] ? operand->dims[d] : sizes.v[d];
    return weft_op_set_ints(m, copy, WEFT_A_slice_sizes, v, old->rank);
}

static weft_status fill_constant(weft_module *m, const weft_op *op, const weft_type *result, weft_op *copy) {
    const weft_attr *value = weft_attr_dense(m->cx, result, weft_op_attr(op, WEFT_A_value)->dense.p, true);
    return value ? weft_op_set(m, copy, WEFT_A_value, value) : weft_oom();
}

weft_status weft_even_copy(weft_module *m, const weft_op *op, const weft_type *const *types, weft_op *copy) {
    const weft_type *const *results = types + op->operand_count;
    bool grown = false;
    for (uint32_t i = 0; i < op->operand_count; i++) grown |= types[i] != op->operands[i]->type;
    for (uint32_t i = 0; i < op->result_count; i++) {
        grown |= results[i] != op->results[i].type;
        copy->results[i].type = results[i];
    }
    if (!grown) return WEFT_OK;
    if (op->kind == WEFT_OP_slice) return limit_slice(m, op, results[0], copy);
    if (op->kind == WEFT_OP_pad) return limit_pad(m, op, types[0], results[0], copy);
    if (op->kind == WEFT_OP_dynamic_slice || op->kind == WEFT_OP_gather) return size_slices(m, op, types[0], copy);
    return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONSTANT) ? fill_constant(m, op, results[0], copy) : WEFT_OK;
}
