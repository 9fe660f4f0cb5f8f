/* local_table.c: column `local` of ir/ops.def, the families that need no code of their own, and what can be asked of ops. */
#include "partitioner/local_ops.h"
#include "partitioner/pad.h"

/* --- questions -------------------------------------------------------------------------------------------------- */

static const weft_value *behind_markers(const weft_value *v) {
    while (v->def && weft_op_is_marker(v->def)) v = v->def->operands[0];
    return v;
}

/* Constraints on scalars come and go from pass to pass, and say nothing. */
weft_op_kind weft_reducer_kind(const weft_op *op, uint32_t region) {
    const weft_block *blk = region < op->region_count ? weft_op_body(op, region) : NULL;
    if (!blk || blk->arg_count != 2 || blk->last->operand_count != 1) return WEFT_OP_other;
    const weft_op *f = behind_markers(blk->last->operands[0])->def;
    uint32_t others = 0;
    WEFT_EACH_OP(inner, blk) others += inner != f && inner != blk->last && !weft_op_is_marker(inner);
    if (!f || f->parent != blk || others || f->operand_count != 2 || f->result_count != 1) return WEFT_OP_other;
    const weft_value *x = behind_markers(f->operands[0]), *y = behind_markers(f->operands[1]);
    bool straight = x == blk->args[0] && y == blk->args[1], crossed = x == blk->args[1] && y == blk->args[0];
    return straight || (crossed && weft_op_kind_has(f->kind, WEFT_TRAIT_COMMUTES)) ? (weft_op_kind)f->kind : WEFT_OP_other;
}

const weft_attr *weft_value_splat(const weft_value *v) {
    while (v->def && (v->def->kind == WEFT_OP_broadcast_in_dim || v->def->kind == WEFT_OP_reshape || weft_op_is_marker(v->def))) v = v->def->operands[0];
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

weft_status weft_illegal(weft_context *cx, const weft_op *op, weft_status st) {
    if (st != WEFT_ERR_INVALID) return st;
    return weft_report(cx, WEFT_D_partition, op->loc, "failed to legalize operation '%s' that was explicitly marked illegal", op->name->text);
}

weft_linearity weft_op_linearity(const weft_op *op) {
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    return l->linear ? l->linear(op) : WEFT_LINEAR_NOT;
}

bool weft_op_is_marker(const weft_op *op) { return weft_local_of((weft_op_kind)op->kind)->marker; }

static weft_linearity linear_joint(const weft_op *op) {
    (void)op;
    return WEFT_LINEAR_JOINT;
}
static weft_linearity linear_each(const weft_op *op) {
    (void)op;
    return WEFT_LINEAR_EACH;
}
static weft_linearity linear_first(const weft_op *op) {
    return weft_dtype_is_integer(op->results[0].type->dtype) ? WEFT_LINEAR_NOT : WEFT_LINEAR_FIRST; /* integers round down */
}

static weft_linearity linear_piece(const weft_op *op) {
    (void)op;
    return WEFT_LINEAR_FIRST;
}

/* What moves values, or adds them, does so with partial sums too. */
static weft_linearity linear_collective(const weft_op *op) {
    return op->region_count && weft_partial_of_reducer(op, 0, op->results[0].type->dtype) != WEFT_PARTIAL_SUM ? WEFT_LINEAR_NOT : WEFT_LINEAR_JOINT;
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

/* --- which factors may be split ---------------------------------------------------------------------------------- */

/* A factor that an op resizes (a slice of a window) is not the same loop on both sides. */
static weft_bits resized(const weft_op *op, const weft_rule *rule) {
    weft_bits set = 0;
    for (uint32_t i = 0; i < rule->tensor_count; i++) {
        const weft_type *type = i < rule->operand_count ? op->operands[i]->type : op->results[i - rule->operand_count].type;
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

static weft_bits factors_pass(const weft_op *op, const weft_rule *rule) { return weft_pass_factors(op, rule); }
static weft_bits factors_none(const weft_op *op, const weft_rule *rule) {
    (void)op, (void)rule;
    return 0;
}

/* Pass-through factors and the loops that sum. */
static weft_bits factors_sum(const weft_op *op, const weft_rule *rule) { return weft_pass_factors(op, rule) | rule->reduction; }

/* Less the factors of dimension d of the first operand and of the results. */
static weft_bits without_dim(weft_bits set, const weft_rule *rule, uint32_t d) {
    for (uint32_t t = 0; t < rule->tensor_count; t++) {
        if ((t > 0 && t < rule->operand_count) || d >= rule->tensors[t].rank) continue;
        weft_rule_dim dim = rule->tensors[t].dims[d];
        for (uint32_t k = 0; k < dim.n; k++) set &= ~weft_bit(rule->factors[dim.first + k]);
    }
    return set;
}

/* Where both shapes share no divisor (2x3 to 3x2) a dimension has a factor to itself, whose elements come from all over the operand. */
static weft_bits factors_reshape(const weft_op *op, const weft_rule *rule) { return weft_pass_factors(op, rule) & rule->tensors[0].factors; }

/* What a call computes is known from its rule of work, which its writer gave or the table of targets has, and only of loops that
 * operands have. That results over parts of a loop add up is what weft_rule_register promises; a rule on the op does not say how
 * they combine. */
static weft_bits factors_custom_call(const weft_op *op, const weft_rule *rule) {
    weft_bits in_operands = 0;
    if (weft_op_int(op, WEFT_A_has_side_effect, 0)) return 0;
    for (uint32_t i = 0; i < rule->operand_count; i++) in_operands |= rule->tensors[i].factors;
    return (weft_pass_factors(op, rule) | (rule->registered ? rule->reduction : 0)) & in_operands;
}

/* Dimensions along which a window sees more than its own element, or is shifted by padding. */
static weft_bits factors_window(const weft_op *op, const weft_rule *rule) {
    static const weft_attr_name sizes[] = { WEFT_A_window_dimensions, WEFT_A_window_strides, WEFT_A_base_dilations, WEFT_A_window_dilations };
    weft_bits set = weft_pass_factors(op, rule);
    const weft_attr *padding = weft_op_attr(op, WEFT_A_padding);
    for (size_t i = 0; i < WEFT_COUNT(sizes); i++) {
        weft_ints v = weft_op_ints(op, sizes[i]);
        for (uint32_t d = 0; d < v.n; d++)
            if (v.v[d] != 1) set = without_dim(set, rule, d);
    }
    for (uint32_t d = 0; padding && d < rule->tensors[0].rank; d++)
        if (padding->kind != WEFT_ATTR_DENSE || weft_dense_int(padding, 2 * d) || weft_dense_int(padding, 2 * d + 1)) set = without_dim(set, rule, d);
    return set;
}

static weft_bits factors_sort(const weft_op *op, const weft_rule *rule) {
    int64_t d = weft_op_int(op, WEFT_A_dimension, -1);
    return without_dim(weft_pass_factors(op, rule), rule, (uint32_t)(d < 0 ? d + (int64_t)rule->tensors[0].rank : d));
}

/* --- dot, convolution, reduce ------------------------------------------------------------------------------------ */

/* Of truth values the sum is whether any product is true. */
static weft_partial partial_product(const weft_op *op) { return op->results[0].type->dtype == WEFT_I1 ? WEFT_PARTIAL_MAX : WEFT_PARTIAL_SUM; }

static weft_partial partial_call(const weft_op *op) {
    const weft_type *type = op->result_count == 1 ? op->results[0].type : NULL;
    return type && weft_type_is_tensor(type) && type->dtype != WEFT_I1 ? WEFT_PARTIAL_SUM : WEFT_PARTIAL_NONE;
}

static weft_linearity linear_reduce(const weft_op *op) {
    return weft_partial_reduce(op) == WEFT_PARTIAL_SUM ? WEFT_LINEAR_FIRST : WEFT_LINEAR_NOT;
}

static bool talks_by_rule(const weft_op *op) {
    (void)op;
    return true;
}

/* --- the families ------------------------------------------------------------------------------------------------ */

static const weft_local weft_local_pointwise = { .factors = factors_pass, .uneven = factors_pass };
static const weft_local weft_local_linear = { .factors = factors_pass, .uneven = factors_pass, .linear = linear_joint };
static const weft_local weft_local_product = { .factors = factors_pass, .uneven = factors_pass, .linear = linear_each };
static const weft_local weft_local_quotient = { .factors = factors_pass, .uneven = factors_pass, .linear = linear_first };
static const weft_local weft_local_shaped = { .factors = factors_pass, .uneven = factors_pass };
static const weft_local weft_local_reduce_window = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .uneven = factors_window, .talk = weft_talk_reduce_window, .lower = weft_lower_reduce_window };
static const weft_local weft_local_sort = { .factors = factors_sort, .uneven = factors_sort };
static const weft_local weft_local_whole = { .factors = factors_none };
static const weft_local weft_local_dot = { .factors = factors_sum, .uneven = factors_sum, .partial = partial_product, .linear = linear_each, .lower = weft_lower_dot, .pad = weft_pad_dot };
static const weft_local weft_local_convolution = { .factors = weft_factors_convolution, .any_parts = weft_any_parts_convolution, .uneven = weft_factors_convolution, .talk = weft_talk_convolution, .lower = weft_lower_convolution, .partial = partial_product, .linear = linear_each, .pad = weft_pad_convolution };
static const weft_local weft_local_reduce = { .factors = factors_sum, .uneven = factors_sum, .partial = weft_partial_reduce, .linear = linear_reduce, .talk = weft_talk_reduce, .talks_by_rule = talks_by_rule, .lower = weft_lower_reduce, .pad = weft_pad_reduce };
static const weft_local weft_local_reshape = { .factors = factors_reshape, .uneven = factors_reshape, .linear = linear_joint, .resolve = weft_resolve_reshape };
static const weft_local weft_local_custom_call = { .factors = factors_custom_call, .partial = partial_call };
static const weft_local weft_local_reverse = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .uneven = factors_pass, .talk = weft_talk_reverse, .lower = weft_lower_reverse, .resolve = weft_resolve_reverse, .reorders = true };
static const weft_local weft_local_pad = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .talk = weft_talk_pad, .lower = weft_lower_pad, .listed = weft_listed_pad, .pad = weft_pad_pad, .resolve = weft_resolve_pad, .alone = weft_alone_pad };
static const weft_local weft_local_concatenate = { .factors = weft_factors_concatenate, .any_parts = weft_factors_concatenate, .uneven = factors_pass, .talk = weft_talk_assemble, .lower = weft_lower_assemble, .listed = weft_listed_concatenate };
static const weft_local weft_local_assemble = { .factors = weft_factors_concatenate, .any_parts = weft_factors_concatenate, .uneven = factors_pass, .talk = weft_talk_assemble, .lower = weft_lower_assemble };
static const weft_local weft_local_slice = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .talk = weft_talk_slice, .lower = weft_lower_slice, .listed = weft_listed_slice, .pad = weft_pad_slice, .resolve = weft_resolve_slice, .alone = weft_alone_slice };
static const weft_local weft_local_select_and_scatter = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .uneven = factors_window, .talk = weft_talk_select_and_scatter, .lower = weft_lower_select_and_scatter };
static const weft_local weft_local_dynamic_slice = { .factors = weft_factors_dynamic_slice, .any_parts = weft_factors_dynamic_slice, .uneven = factors_pass, .places = weft_places_dynamic_slice, .partial = weft_partial_dynamic_slice, .linear = linear_piece, .talk = weft_talk_dynamic_slice, .talks_by_rule = weft_starts_unknown, .lower = weft_lower_dynamic_slice, .pad = weft_pad_dynamic_slice };
static const weft_local weft_local_dynamic_update_slice = { .factors = weft_factors_dynamic_update_slice, .any_parts = weft_factors_dynamic_update_slice, .uneven = weft_factors_in_all, .places = weft_places_dynamic_update_slice, .talk = weft_talk_dynamic_update_slice, .talks_by_rule = weft_starts_unknown, .lower = weft_lower_dynamic_update_slice, .listed = weft_listed_dynamic_update_slice };
static const weft_local weft_local_constant = { .lower = weft_lower_constant, .pad = weft_pad_constant };
static const weft_local weft_local_iota = { .lower = weft_lower_iota, .pad = weft_pad_made };
static const weft_local weft_local_gather = { .factors = weft_factors_gather, .uneven = weft_factors_gather, .partial = weft_partial_gather, .lower = weft_lower_gather, .listed = weft_listed_gather, .pad = weft_pad_gather };
static const weft_local weft_local_scatter = { .factors = weft_factors_scatter, .uneven = weft_uneven_scatter, .partial = weft_partial_scatter, .lower = weft_lower_scatter, .listed = weft_listed_scatter, .pad = weft_pad_scatter };
static const weft_local weft_local_region = { .factors = factors_none, .pad = weft_pad_sources };
static const weft_local weft_local_through = { .factors = factors_none, .through = true, .pad = weft_pad_through };
static const weft_local weft_local_terminator = { .factors = factors_none, .reorders = true, .pad = weft_pad_sources };
static const weft_local weft_local_device_id = { .factors = factors_none };
static const weft_local weft_local_none = { .factors = factors_none };
static const weft_local weft_local_marker = { .factors = factors_none, .marker = true, .pad = weft_pad_move };
static const weft_local weft_local_collective = { .factors = factors_pass, .linear = linear_collective, .grouped = true, .lower = weft_lower_grouped };
static const weft_local weft_local_manual_computation = { .factors = factors_none, .lower = weft_lower_manual_computation, .pad = weft_pad_sources };
static const weft_local weft_local_legalized = { .unsupported = true }; /* replaced before, or nobody asked for it */
static const weft_local weft_local_refused = { .unsupported = true };   /* legalize/flatten.c has said why */
static const weft_local weft_local_sdy_all_slice = { .lower = weft_lower_all_slice, .pad = weft_pad_move };
static const weft_local weft_local_sdy_all_gather = { .lower = weft_lower_all_gather, .listed = weft_listed_all_gather, .pad = weft_pad_move };
static const weft_local weft_local_sdy_all_to_all = { .lower = weft_lower_all_to_all, .listed = weft_listed_all_to_all, .pad = weft_pad_move };
static const weft_local weft_local_sdy_collective_permute = { .lower = weft_lower_collective_permute, .listed = weft_listed_collective_permute, .pad = weft_pad_move, .reorders = true };
static const weft_local weft_local_sdy_all_reduce = { .lower = weft_lower_all_reduce, .pad = weft_pad_move };
static const weft_local weft_local_sdy_reduce_scatter = { .lower = weft_lower_reduce_scatter, .listed = weft_listed_reduce_scatter, .pad = weft_pad_move };
static const weft_local weft_local_sdy_sharded_to_unreduced = { .lower = weft_lower_sharded_to_unreduced, .pad = weft_pad_move };
static const weft_local weft_local_sdy_replicated_to_unreduced = { .lower = weft_lower_replicated_to_unreduced, .pad = weft_pad_move };

static const weft_local *const locals[WEFT_OP_COUNT] = {
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost) [WEFT_OP_##id] = &weft_local_##local,
#include "ir/ops.def"
};

const weft_local *weft_local_of(weft_op_kind kind) { return locals[kind]; }

weft_bits weft_uneven_factors(const weft_op *op, const weft_rule *rule) {
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    weft_bits set = l->uneven ? l->uneven(op, rule) : 0;
    for (uint32_t i = 0; set && i < rule->tensor_count; i++) {
        const weft_type *type = i < rule->operand_count ? op->operands[i]->type : op->results[i - rule->operand_count].type;
        for (uint32_t d = 0; d < rule->tensors[i].rank; d++) {
            weft_rule_dim dim = rule->tensors[i].dims[d];
            bool plain = dim.n == 1 && rule->sizes[rule->factors[dim.first]] == type->dims[d];
            for (uint32_t k = 0; k < dim.n && !plain; k++) set &= ~weft_bit(rule->factors[dim.first + k]);
        }
    }
    return set;
}
