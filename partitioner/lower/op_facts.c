/* op_facts.c: what several passes ask of an op and of a value; see op_facts.h. */
#include "partitioner/lower/op_facts.h"

const weft_attr *weft_value_splat(const weft_value *v) {
    while (v->def &&
           (v->def->kind == WEFT_OP_broadcast_in_dim || v->def->kind == WEFT_OP_reshape || weft_op_is_marker(v->def)))
        v = v->def->operands[0];
    if (!v->def || !weft_op_kind_has(v->def->kind, WEFT_TRAIT_CONSTANT)) return NULL;
    const weft_attr *a = weft_op_attr(v->def, WEFT_A_value);
    return a && a->kind == WEFT_ATTR_DENSE && a->dense.splat ? a : NULL;
}

bool weft_value_is(const weft_value *v, double want) {
    const weft_attr *a = weft_value_splat(v);
    weft_dtype t = v->type->dtype;
    if (!a || weft_dtype_load(t, a->dense.p) != want) return false;
    return !weft_dtype_is_complex(t) || weft_dtype_load(t, (const char *)a->dense.p + weft_dtype_bytes(t) / 2) == 0;
}

bool weft_value_is_zero(const weft_value *v) { return weft_value_is(v, 0); }

weft_partial weft_partial_of_kind(weft_op_kind k, weft_dtype dtype) {
    bool boolean = dtype == WEFT_I1;
    if (weft_dtype_is_complex(dtype)) return k == WEFT_OP_add ? WEFT_PARTIAL_SUM : WEFT_PARTIAL_NONE;
    if (k == WEFT_OP_add && !boolean) return WEFT_PARTIAL_SUM;
    if (k == WEFT_OP_maximum || (boolean && (k == WEFT_OP_or || k == WEFT_OP_add))) return WEFT_PARTIAL_MAX;
    if (k == WEFT_OP_minimum || (boolean && (k == WEFT_OP_and || k == WEFT_OP_multiply))) return WEFT_PARTIAL_MIN;
    return WEFT_PARTIAL_NONE;
}

weft_partial weft_partial_of_reducer(const weft_op *op, uint32_t region, weft_dtype dtype) {
    return weft_partial_of_kind(weft_reducer_kind(op, region), dtype);
}

static weft_bits set_of(weft_ints dims) {
    weft_bits set = 0;
    for (uint32_t i = 0; i < dims.n; i++) set |= weft_bit((uint32_t)dims.v[i]);
    return set;
}

weft_bits weft_dot_summed(const weft_op *op, uint32_t operand) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_dot_dimension_numbers);
    if (a) return set_of(operand ? a->dot.rhs_contract : a->dot.lhs_contract);
    return weft_bit(operand ? 0 : op->operands[0]->type->rank - 1);
}

weft_bits weft_reduced_dims(const weft_op *op) { return set_of(weft_op_ints(op, WEFT_A_dimensions)); }

/* A factor that an op resizes (a slice of a window) is not the same loop on both sides. */
static weft_bits resized(const weft_op *op, const weft_rule *rule) {
    weft_bits set = 0;
    for (uint32_t i = 0; i < rule->tensor_count; i++) {
        const weft_type *type = weft_op_value(op, i)->type;
        const weft_rule_tensor *rt = &rule->tensors[i];
        for (uint32_t d = 0; d < rt->rank; d++) {
            int64_t size = 1;
            weft_bits here = 0;
            for (uint32_t k = 0; k < rt->dims[d].n; k++) {
                size *= rule->sizes[rule->factors[rt->dims[d].first + k]];
                here |= weft_bit(rule->factors[rt->dims[d].first + k]);
            }
            if (size != type->dims[d]) set |= here;
        }
    }
    return set;
}

weft_bits weft_pass_factors(const weft_op *op, const weft_rule *rule) {
    weft_bits in_results = 0, all = weft_bits_below(rule->factor_count);
    for (uint32_t i = rule->operand_count; i < rule->tensor_count; i++) in_results |= rule->tensors[i].factors;
    return all & in_results & ~(rule->reduction | rule->replicated | rule->permutation | resized(op, rule));
}

weft_status weft_illegal(weft_context *cx, const weft_op *op, weft_status st) {
    if (st != WEFT_ERR_INVALID) return st;
    return weft_report(cx, WEFT_D_partition, op->loc,
                       "failed to legalize operation '%s' that was explicitly marked illegal", op->name->text);
}
