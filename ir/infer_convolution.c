/* infer_convolution.c: convolution, and its form with padding as an operand.
 *
 * Source: StableHLO docs/spec.md, convolution (C1) to (C27).
 */
#include "ir/infer.h"

/* Three kinds of dimension, each named once: rank of them in all. */
static weft_status check_layout(weft_checker *c, const weft_op *op, const char *what, int64_t first, int64_t second,
                                weft_ints spatial, uint32_t rank) {
    int64_t dims[WEFT_MAX_RANK];
    if (spatial.n + 2 != rank)
        return weft_bad(c, op, "%s has %u spatial dimensions, expected %d", what, spatial.n, (int)rank - 2);
    dims[0] = first;
    dims[1] = second;
    for (uint32_t i = 0; i < spatial.n; i++) dims[2 + i] = spatial.v[i];
    return weft_check_dims(c, op, what, (weft_ints){ dims, rank }, rank);
}

static weft_status check_layouts(weft_checker *c, const weft_op *op, const weft_conv_dims *d) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    weft_status st = weft_check_rank(c, op, 1, lhs->rank);
    if (st != WEFT_OK) return st;
    if (lhs->rank < 2)
        return weft_bad(c, op, "operand 0 has type '%s', expected at least 2 dimensions", weft_text_of(c, lhs));
    st = check_layout(c, op, "input dimensions", d->input_batch, d->input_feature, d->input_spatial, lhs->rank);
    if (st == WEFT_OK)
        st = check_layout(c, op, "kernel dimensions", d->kernel_input_feature, d->kernel_output_feature,
                          d->kernel_spatial, rhs->rank);
    if (st == WEFT_OK)
        st = check_layout(c, op, "output dimensions", d->output_batch, d->output_feature, d->output_spatial, lhs->rank);
    return st;
}

static weft_status check_divides(weft_checker *c, const weft_op *op, const char *what, int64_t size,
                                 weft_attr_name name) {
    int64_t groups = weft_op_int(op, name, 1);
    if (size == WEFT_DYNAMIC || size % groups == 0) return WEFT_OK;
    return weft_bad(c, op, "the %s of size %lld does not divide by %s %lld", what, (long long)size,
                    weft_attr_names[name], (long long)groups);
}

static weft_status check_groups(weft_checker *c, const weft_op *op, const weft_conv_dims *d) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    int64_t features = weft_op_int(op, WEFT_A_feature_group_count, 1),
            batches = weft_op_int(op, WEFT_A_batch_group_count, 1);
    if (features < 1) return weft_bad(c, op, "feature_group_count is %lld, expected at least 1", (long long)features);
    if (batches < 1) return weft_bad(c, op, "batch_group_count is %lld, expected at least 1", (long long)batches);
    if (features > 1 && batches > 1)
        return weft_bad(c, op, "feature_group_count and batch_group_count are both over 1");
    weft_status st = check_divides(c, op, "input batch", lhs->dims[d->input_batch], WEFT_A_batch_group_count);
    if (st == WEFT_OK)
        st = check_divides(c, op, "input feature", lhs->dims[d->input_feature], WEFT_A_feature_group_count);
    if (st == WEFT_OK)
        st = check_divides(c, op, "kernel output feature", rhs->dims[d->kernel_output_feature],
                           WEFT_A_batch_group_count);
    if (st == WEFT_OK)
        st = check_divides(c, op, "kernel output feature", rhs->dims[d->kernel_output_feature],
                           WEFT_A_feature_group_count);
    if (st != WEFT_OK) return st;
    int64_t in = lhs->dims[d->input_feature];
    if (!weft_dims_agree(rhs->dims[d->kernel_input_feature], in == WEFT_DYNAMIC ? in : in / features))
        return weft_bad(c, op, "operand 1 of type '%s' has input feature dimension %lld, expected %lld",
                        weft_text_of(c, rhs), (long long)rhs->dims[d->kernel_input_feature],
                        (long long)(in / features));
    return WEFT_OK;
}

static weft_status check_operands(weft_checker *c, const weft_op *op) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    return st == WEFT_OK ? weft_check_operand(c, op, 1, WEFT_IS_ANY_AXIS) : st;
}

/* (C27) to (C34): quantised kernels have a scale per output feature. */
static weft_status check_elements(weft_checker *c, const weft_op *op, const weft_conv_dims *d) {
    const weft_quant *rhs = op->operands[1]->type->quant, *out = op->results[0].type->quant;
    if (!op->operands[0]->type->quant && !rhs && !out) return weft_check_same_dtype(c, op, 1, 0);
    if (rhs && weft_quant_per_axis(rhs) && rhs->axis != d->kernel_output_feature)
        return weft_bad(
            c, op, "operand 1 is quantised along dimension %d, expected the kernel's output feature dimension %lld",
            rhs->axis, (long long)d->kernel_output_feature);
    if (out && weft_quant_per_axis(out) && out->axis != d->output_feature)
        return weft_bad(c, op, "result 0 is quantised along dimension %d, expected the output's feature dimension %lld",
                        out->axis, (long long)d->output_feature);
    return weft_check_quant_product(c, op);
}

static weft_status infer(weft_checker *c, const weft_op *op, const weft_type **types, weft_attr_name padding) {
    const weft_window_names names = { WEFT_A_window_strides, WEFT_A_lhs_dilation, WEFT_A_rhs_dilation, padding };
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers);
    if (a->kind == WEFT_ATTR_OPAQUE)
        return weft_report(c->cx, WEFT_D_unsupported, op->loc, "'%s': dimension_numbers in the raw form",
                           weft_name_text(op));
    if (a->kind != WEFT_ATTR_CONV) return weft_bad(c, op, "dimension_numbers is not a #stablehlo.conv attribute");
    const weft_conv_dims *d = &a->conv;
    weft_status st = check_layouts(c, op, d);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = check_elements(c, op, d);
    if (st == WEFT_OK) st = check_groups(c, op, d);
    if (st == WEFT_OK) st = weft_check_precision(c, op);
    if (st != WEFT_OK) return st;
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    int64_t sizes[WEFT_MAX_RANK], dims[WEFT_MAX_RANK], batch = lhs->dims[d->input_batch];
    weft_window w[WEFT_MAX_RANK];
    uint32_t n = d->input_spatial.n;
    bool known = padding != WEFT_A_COUNT;
    for (uint32_t i = 0; i < n; i++) {
        sizes[i] = rhs->dims[d->kernel_spatial.v[i]];
        known = known && sizes[i] != WEFT_DYNAMIC;
        if (sizes[i] == WEFT_DYNAMIC) sizes[i] = 1;
    }
    const weft_attr *turned = weft_op_attr(op, WEFT_A_window_reversal);
    if (turned && turned->ints.n) st = weft_check_count(c, op, WEFT_A_window_reversal, turned->ints, n);
    if (st == WEFT_OK) st = weft_check_window(c, op, (weft_ints){ sizes, n }, &names, w);
    if (st != WEFT_OK) return st;
    dims[d->output_batch] = batch == WEFT_DYNAMIC ? batch : batch / weft_op_int(op, WEFT_A_batch_group_count, 1);
    dims[d->output_feature] = rhs->dims[d->kernel_output_feature];
    for (uint32_t i = 0; i < n; i++)
        dims[d->output_spatial.v[i]] =
            known ? weft_window_count(lhs->dims[d->input_spatial.v[i]], &w[i]) : WEFT_DYNAMIC;
    return weft_set_like(c, &types[0], op->results[0].type, lhs->rank, dims);
}

weft_status weft_infer_convolution(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_operands(c, op);
    return st == WEFT_OK ? infer(c, op, types, WEFT_A_padding) : st;
}

/* Operand 2 holds the padding, [spatial][2]. */
weft_status weft_infer_dynamic_conv(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_operands(c, op);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 2, WEFT_IS_INTEGER);
    if (st == WEFT_OK) st = weft_check_rank(c, op, 2, 2);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[2]->type;
    if (!weft_dims_agree(t->dims[0], (int64_t)op->operands[0]->type->rank - 2) || !weft_dims_agree(t->dims[1], 2))
        return weft_bad(c, op, "operand 2 has type '%s', expected %d pairs", weft_text_of(c, t),
                        (int)op->operands[0]->type->rank - 2);
    return st == WEFT_OK ? infer(c, op, types, WEFT_A_COUNT) : st;
}
