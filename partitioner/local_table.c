/* local_table.c: column `local` of ir/ops.def: the families as rows. What a row names is described where it is. */
#include "partitioner/lower/local_ops.h"
#include "partitioner/shardy/pad.h"

static const weft_local weft_local_pointwise = { .factors = weft_pass_factors, .uneven = weft_pass_factors };
static const weft_local weft_local_converted = { .factors = weft_pass_factors, .uneven = weft_pass_factors, .terms = weft_terms_convert };
static const weft_local weft_local_selected = { .factors = weft_pass_factors, .uneven = weft_pass_factors, .terms = weft_terms_select };
static const weft_local weft_local_linear = { .factors = weft_pass_factors, .uneven = weft_pass_factors, .linear = weft_linear_joint };
static const weft_local weft_local_product = { .factors = weft_pass_factors, .uneven = weft_pass_factors, .linear = weft_linear_each };
static const weft_local weft_local_quotient = { .factors = weft_pass_factors, .uneven = weft_pass_factors, .linear = weft_linear_first };
static const weft_local weft_local_shaped = { .factors = weft_pass_factors, .uneven = weft_pass_factors };
static const weft_local weft_local_reduce_window = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .uneven = weft_factors_window, .talk = weft_talk_reduce_window, .lower = weft_lower_reduce_window };
static const weft_local weft_local_sort = { .factors = weft_factors_sort, .any_parts = weft_factors_sort, .uneven = weft_pass_factors, .talk = weft_talk_sort, .room = weft_room_sort, .lower = weft_lower_sort };
static const weft_local weft_local_fft = { .factors = weft_factors_fft, .any_parts = weft_factors_fft, .uneven = weft_pass_factors, .talk = weft_talk_fft, .talks_by_rule = weft_talks_by_rule, .lower = weft_lower_fft };
static const weft_local weft_local_top_k = { .factors = weft_factors_top_k, .any_parts = weft_factors_top_k, .uneven = weft_pass_factors, .talk = weft_talk_top_k, .talks_by_rule = weft_talks_by_rule, .lower = weft_lower_top_k };
static const weft_local weft_local_whole = { .factors = weft_factors_none };
static const weft_local weft_local_dot = { .factors = weft_factors_sum, .uneven = weft_factors_sum, .partial = weft_partial_product, .linear = weft_linear_each, .lower = weft_lower_dot, .pad = weft_pad_dot };
static const weft_local weft_local_convolution = { .factors = weft_factors_convolution, .any_parts = weft_any_parts_convolution, .uneven = weft_factors_convolution, .talk = weft_talk_convolution, .lower = weft_lower_convolution, .partial = weft_partial_product, .linear = weft_linear_each, .pad = weft_pad_convolution };
static const weft_local weft_local_reduce = { .factors = weft_factors_sum, .uneven = weft_factors_sum, .partial = weft_partial_reduce, .linear = weft_linear_reduce, .talk = weft_talk_reduce, .talks_by_rule = weft_talks_by_rule, .lower = weft_lower_reduce, .pad = weft_pad_reduce };
static const weft_local weft_local_reshape = { .factors = weft_factors_reshape, .uneven = weft_factors_reshape, .linear = weft_linear_joint, .resolve = weft_resolve_reshape };
static const weft_local weft_local_custom_call = { .factors = weft_factors_custom_call, .uneven = weft_uneven_call, .partial = weft_partial_call, .lower = weft_lower_grouped };
static const weft_local weft_local_reverse = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .terms = weft_linear_joint, .uneven = weft_pass_factors, .talk = weft_talk_reverse, .lower = weft_lower_reverse, .resolve = weft_resolve_reverse, .reorders = true };
static const weft_local weft_local_pad = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .terms = weft_terms_pad, .talk = weft_talk_pad, .lower = weft_lower_pad, .listed = weft_listed_pad, .pad = weft_pad_pad, .resolve = weft_resolve_pad, .alone = weft_alone_pad };
static const weft_local weft_local_concatenate = { .factors = weft_factors_concatenate, .any_parts = weft_factors_concatenate, .uneven = weft_pass_factors, .terms = weft_linear_joint, .talk = weft_talk_assemble, .lower = weft_lower_assemble, .listed = weft_listed_concatenate };
static const weft_local weft_local_assemble = { .factors = weft_factors_concatenate, .any_parts = weft_factors_concatenate, .uneven = weft_pass_factors, .talk = weft_talk_assemble, .lower = weft_lower_assemble };
static const weft_local weft_local_slice = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .terms = weft_linear_joint, .talk = weft_talk_slice, .lower = weft_lower_slice, .listed = weft_listed_slice, .pad = weft_pad_slice, .resolve = weft_resolve_slice, .alone = weft_alone_slice };
static const weft_local weft_local_select_and_scatter = { .factors = weft_factors_moving, .any_parts = weft_factors_moving, .uneven = weft_factors_window, .talk = weft_talk_select_and_scatter, .lower = weft_lower_select_and_scatter };
static const weft_local weft_local_dynamic_slice = { .factors = weft_factors_dynamic_slice, .any_parts = weft_factors_dynamic_slice, .uneven = weft_pass_factors, .places = weft_places_dynamic_slice, .partial = weft_partial_dynamic_slice, .linear = weft_linear_piece, .talk = weft_talk_dynamic_slice, .talks_by_rule = weft_starts_unknown, .lower = weft_lower_dynamic_slice, .pad = weft_pad_dynamic_slice };
static const weft_local weft_local_dynamic_update_slice = { .factors = weft_factors_dynamic_update_slice, .any_parts = weft_factors_dynamic_update_slice, .uneven = weft_factors_in_all, .places = weft_places_dynamic_update_slice, .terms = weft_terms_update, .talk = weft_talk_dynamic_update_slice, .talks_by_rule = weft_starts_unknown, .lower = weft_lower_dynamic_update_slice, .listed = weft_listed_dynamic_update_slice };
static const weft_local weft_local_constant = { .lower = weft_lower_constant, .pad = weft_pad_constant };
static const weft_local weft_local_iota = { .lower = weft_lower_iota, .pad = weft_pad_made };
static const weft_local weft_local_gather = { .factors = weft_factors_gather, .uneven = weft_factors_gather, .terms = weft_linear_piece, .partial = weft_partial_gather, .lower = weft_lower_gather, .listed = weft_listed_gather, .pad = weft_pad_gather };
static const weft_local weft_local_scatter = { .factors = weft_factors_scatter, .uneven = weft_uneven_scatter, .partial = weft_partial_scatter, .lower = weft_lower_scatter, .listed = weft_listed_scatter, .pad = weft_pad_scatter };
static const weft_local weft_local_region = { .factors = weft_factors_none, .pad = weft_pad_sources };
static const weft_local weft_local_through = { .factors = weft_factors_none, .through = true, .pad = weft_pad_through };
static const weft_local weft_local_terminator = { .factors = weft_factors_none, .reorders = true, .pad = weft_pad_sources };
static const weft_local weft_local_device_id = { .factors = weft_factors_none };
static const weft_local weft_local_none = { .factors = weft_factors_none };
static const weft_local weft_local_marker = { .factors = weft_factors_none, .pad = weft_pad_move };
static const weft_local weft_local_collective = { .factors = weft_pass_factors, .linear = weft_linear_collective, .grouped = true, .lower = weft_lower_grouped };
static const weft_local weft_local_manual_computation = { .factors = weft_factors_none, .lower = weft_lower_manual_computation, .pad = weft_pad_sources };
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
#define OP(id, text, operands, results, regions, attrs, traits, syntax, infer, rule, local, gen, cost, grad) [WEFT_OP_##id] = &weft_local_##local,
#include "ir/ops.def"
};

const weft_local *weft_local_of(weft_op_kind kind) { return locals[kind]; }

weft_linearity weft_op_linearity(const weft_op *op) {
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    return l->linear ? l->linear(op) : WEFT_LINEAR_NOT;
}

weft_linearity weft_op_terms(const weft_op *op) {
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    const weft_linearity at = weft_op_linearity(op);
    return at == WEFT_LINEAR_NOT && l->terms ? l->terms(op) : at;
}

weft_bits weft_uneven_factors(const weft_op *op, const weft_rule *rule) {
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    weft_bits set = l->uneven ? l->uneven(op, rule) : 0;
    for (uint32_t i = 0; set && i < rule->tensor_count; i++) {
        const weft_type *type = weft_op_value(op, i)->type;
        for (uint32_t d = 0; d < rule->tensors[i].rank; d++) {
            weft_rule_dim dim = rule->tensors[i].dims[d];
            bool plain = dim.n == 1 && rule->sizes[rule->factors[dim.first]] == type->dims[d];
            for (uint32_t k = 0; k < dim.n && !plain; k++) set &= ~weft_bit(rule->factors[dim.first + k]);
        }
    }
    return set;
}
