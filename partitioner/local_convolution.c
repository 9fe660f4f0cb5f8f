/* local_convolution.c: a convolution on local shapes.
 *
 * Along a spatial dimension the devices share the work between the windows, with halos of the input, or inside them, with halos of the
 * input and a sum of the results (window_view.h): the latter where the kernel is an image too, as in the gradient of a kernel. Groups
 * that are cut are fewer on each device. What is padding of features, or of a window, is zeros in both factors of its products, or in
 * the kernel: the input there is another window's.
 */
#include "partitioner/local_ops.h"
#include "partitioner/window_view.h"

static const weft_conv_dims *dims_of(const weft_op *op) { return &weft_op_attr(op, WEFT_A_dimension_numbers)->conv; }

static uint32_t views_of(const weft_placements *t, const weft_op *op, const weft_placement *kernel, weft_view_dim *out) {
    const weft_conv_dims *n = dims_of(op);
    for (uint32_t i = 0; i < n->input_spatial.n; i++) {
        uint32_t d = (uint32_t)n->input_spatial.v[i], r = (uint32_t)n->output_spatial.v[i], w = (uint32_t)n->kernel_spatial.v[i];
        weft_view v = { op->operands[0]->type->dims[d], op->results[0].type->dims[r], weft_op_int_at(op, WEFT_A_window_strides, i, 1), weft_op_padding_at(op, i, 0),
                        op->operands[1]->type->dims[w], weft_op_int_at(op, WEFT_A_rhs_dilation, i, 1), weft_op_int_at(op, WEFT_A_lhs_dilation, i, 1) };
        bool inside = weft_placement_dim_shards(t, kernel, w) > 1;
        weft_view_cut cut = !inside ? WEFT_VIEW_BETWEEN : weft_op_int_at(op, WEFT_A_window_reversal, i, 0) ? WEFT_VIEW_INSIDE_REVERSED : WEFT_VIEW_INSIDE;
        out[i] = (weft_view_dim){ d, r, i, cut, v };
    }
    return n->input_spatial.n;
}

/* --- which factors may be split ----------------------------------------------------------------------------------- */

static weft_bits first_factor(const weft_rule *rule, uint32_t tensor, int64_t dim) {
    weft_rule_dim d = rule->tensors[tensor].dims[dim];
    return d.n ? weft_bit(rule->factors[d.first]) : 0;
}

/* Spatial dimensions are cut between windows or inside them, whichever is the major factor of the input. */
weft_bits weft_any_parts_convolution(const weft_op *op, const weft_rule *rule) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers);
    weft_bits set = 0, between = weft_factors_moving(op, rule);
    for (uint32_t i = 0; a && a->kind == WEFT_ATTR_CONV && i < a->conv.input_spatial.n; i++)
        set |= first_factor(rule, 0, a->conv.input_spatial.v[i]) & (between | (rule->reduction & first_factor(rule, 1, a->conv.kernel_spatial.v[i])));
    return set;
}

weft_bits weft_factors_convolution(const weft_op *op, const weft_rule *rule) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers);
    if (!a || a->kind != WEFT_ATTR_CONV) return 0;
    weft_bits set = weft_pass_factors(op, rule) | rule->reduction;
    weft_ints spatial[3] = { a->conv.input_spatial, a->conv.kernel_spatial, a->conv.output_spatial };
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t i = 0; i < spatial[t].n; i++) {
            weft_rule_dim d = rule->tensors[t].dims[spatial[t].v[i]];
            for (uint32_t k = 0; k < d.n; k++) set &= ~weft_bit(rule->factors[d.first + k]);
        }
    return set | weft_any_parts_convolution(op, rule);
}

double weft_talk_convolution(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    weft_view_dim views[WEFT_MAX_RANK];
    return weft_view_talk(t, op, operands[0], views, views_of(t, op, weft_placement_of(t, operands[1]), views));
}

/* --- lowering ----------------------------------------------------------------------------------------------------- */

/* Groups are the major part of the dimension that has them, so they are cut first. */
static int64_t groups_left(const weft_localizer *z, int64_t groups, const weft_placement *l, int64_t dim) {
    return groups / weft_min_i64(groups, weft_placement_dim_shards(z->t, l, (uint32_t)dim));
}

static weft_status set_groups(weft_localizer *z, const weft_op *op, weft_op *made) {
    const weft_placement *lhs = weft_local_placement(z, op->operands[0]), *rhs = weft_local_placement(z, op->operands[1]);
    const weft_conv_dims *n = dims_of(op);
    int64_t features = weft_op_int(op, WEFT_A_feature_group_count, 1), batches = weft_op_int(op, WEFT_A_batch_group_count, 1);
    weft_status st = WEFT_OK;
    if (features > 1) {
        const weft_attr *a = weft_attr_i64(z->cx, groups_left(z, features, rhs, n->kernel_output_feature));
        st = a ? weft_op_set(z->rewrite->out, made, WEFT_A_feature_group_count, a) : weft_oom();
    }
    if (st == WEFT_OK && batches > 1) {
        const weft_attr *a = weft_attr_i64(z->cx, groups_left(z, batches, lhs, n->input_batch));
        st = a ? weft_op_set(z->rewrite->out, made, WEFT_A_batch_group_count, a) : weft_oom();
    }
    return st;
}

/* The operands as the op sees them, with zeros in the padding of what is summed over. */
static weft_status operands_of(weft_localizer *z, const weft_op *op, const weft_view_dim *views, uint32_t n, weft_sight *s, weft_value **rhs) {
    const weft_conv_dims *c = dims_of(op);
    const weft_value *lhs = op->operands[0];
    const weft_placement *l = weft_local_placement(z, lhs);
    weft_bits window = 0;
    bool cut = false;
    for (uint32_t i = 0; i < n; i++) {
        cut = cut || (weft_placement_dim(l, views[i].dim).n && !weft_view_is_plain(&views[i]));
        if (views[i].cut == WEFT_VIEW_BETWEEN) continue;
        if (weft_placement_dim(weft_local_placement(z, &op->results[0]), views[i].result_dim).n)
            return weft_report(z->cx, WEFT_D_unsupported, op->loc, "dimension %u of %s is cut between its windows and inside them", views[i].dim, op->name->text);
        window |= weft_bit(c->kernel_spatial.v[i]);
    }
    weft_value *fill = cut ? weft_build_splat(z->b, weft_type_tensor(z->cx, lhs->type->dtype, 0, NULL), 0) : NULL;
    weft_status st = weft_view_look(z, op, views, n, 1, &fill, s);
    if (st != WEFT_OK) return st;
    s->x[0] = weft_local_masked(z, lhs, s->x[0], weft_bit(c->input_feature), NULL);
    *rhs = weft_local_masked(z, op->operands[1], weft_local_value(z, op->operands[1]), window | weft_bit(c->kernel_input_feature), NULL);
    return z->b->status;
}

weft_status weft_lower_convolution(weft_localizer *z, const weft_op *op) {
    weft_view_dim views[WEFT_MAX_RANK];
    uint32_t n = views_of(z->t, op, weft_local_placement(z, op->operands[1]), views);
    weft_value *rhs = NULL;
    weft_op *made = NULL;
    weft_sight s;
    weft_status st = operands_of(z, op, views, n, &s, &rhs);
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !(weft_local_placement(z, op->operands[0])->n || weft_local_placement(z, op->operands[1])->n)) return st;
    made->operands[0] = s.x[0];
    made->operands[1] = rhs;
    st = weft_local_strip(z, made);
    if (st == WEFT_OK) st = set_groups(z, op, made);
    if (st == WEFT_OK && s.any) st = weft_view_set_padding(z, made, op, &s, n);
    return st == WEFT_OK && s.any ? weft_view_cut_results(z, made, op, views, n, &s) : st;
}
