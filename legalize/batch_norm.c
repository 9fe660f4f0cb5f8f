/* batch_norm: the three batch_norm_* ops as arithmetic.
 *
 * Source: StableHLO docs/spec.md, batch_norm_inference, batch_norm_training, batch_norm_grad, whose names are kept.
 */
#include "legalize/expand.h"

typedef struct norm {
    weft_builder *b;
    const weft_type *type, *feature_type; /* of the operand; of one number per feature */
    int64_t feature;
    double count;                         /* elements per feature */
    lg_value epsilon;
} norm;

static norm begin(weft_builder *b, const weft_op *op, weft_value *x) {
    norm n = { .b = b, .type = x->type, .feature = weft_op_int(op, WEFT_A_feature_index, 0), .count = 1 };
    const weft_attr *epsilon = weft_op_attr(op, WEFT_A_epsilon);
    n.feature_type = weft_type_tensor(b->m->cx, x->type->dtype, 1, &x->type->dims[n.feature]);
    for (uint32_t d = 0; d < x->type->rank; d++)
        if (d != n.feature) n.count *= (double)x->type->dims[d];
    if (!n.feature_type) b->status = weft_oom();
    n.epsilon = lg_const(b, x, epsilon ? epsilon->f : 0);
    return n;
}

/* One number per feature, at every element. */
static lg_value spread(const norm *n, lg_value x) {
    const weft_attr_pair attr = { WEFT_A_broadcast_dimensions, weft_attr_ints(n->b->m->cx, WEFT_I64, &n->feature, 1) };
    return x ? weft_build_1(n->b, WEFT_OP_broadcast_in_dim, n->type, &x, 1, &attr, 1) : NULL;
}

/* compute_sum */
static lg_value sum(const norm *n, lg_value x) {
    weft_builder *b = n->b;
    weft_context *cx = b->m->cx;
    int64_t dims[WEFT_MAX_RANK];
    uint32_t count = 0;
    for (uint32_t d = 0; d < n->type->rank; d++)
        if (d != n->feature) dims[count++] = d;
    const weft_type *scalar = weft_type_tensor(cx, n->type->dtype, 0, NULL);
    if (!x || !scalar) return NULL;
    weft_value *in[2] = { x, weft_build_splat(b, scalar, 0) };
    const weft_named_attr attr = { weft_name_at(cx, WEFT_A_dimensions), weft_attr_ints(cx, WEFT_I64, dims, count) };
    if (!in[1] || !attr.value) return NULL;
    weft_op *op = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_reduce, .operands = in, .operand_count = 2,
                                                    .types = &n->feature_type, .result_count = 1, .attrs = &attr,
                                                    .attr_count = 1, .region_count = 1 });
    weft_block *blk = op ? weft_build_block(b, &op->regions[0]) : NULL;
    if (!blk) return NULL;
    weft_builder body;
    weft_builder_init(&body, b->m, blk);
    body.loc = b->loc;
    weft_value *left = weft_build_block_arg(&body, blk, scalar, b->loc),
               *right = weft_build_block_arg(&body, blk, scalar, b->loc);
    weft_value *total = weft_build_binary(&body, WEFT_OP_add, left, right);
    if (total) weft_build_op(&body, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = &total, .operand_count = 1 });
    if (body.status != WEFT_OK) b->status = body.status;
    return b->status == WEFT_OK ? &op->results[0] : NULL;
}

static lg_value mean(const norm *n, lg_value x) {
    lg_value total = sum(n, x);
    return total ? lg_div(n->b, total, lg_const(n->b, total, n->count)) : NULL;
}

static lg_value inference(const norm *n, lg_value x, lg_value scale, lg_value offset, lg_value mean_of,
                          lg_value variance) {
    lg *g = n->b;
    lg_value centered = lg_sub(g, x, spread(n, mean_of)),
             stddev = lg_sqrt(g, lg_add(g, spread(n, variance), n->epsilon));
    lg_value normalized = lg_div(g, centered, stddev);
    return lg_add(g, lg_mul(g, spread(n, scale), normalized), spread(n, offset));
}

weft_status lg_batch_norm_inference(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                    weft_value **out) {
    (void)r;
    const norm n = begin(b, op, in[0]);
    out[0] = inference(&n, in[0], in[1], in[2], in[3], in[4]);
    return b->status;
}

weft_status lg_batch_norm_training(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                   weft_value **out) {
    (void)r;
    const norm n = begin(b, op, in[0]);
    out[1] = mean(&n, in[0]);
    lg_value centered = lg_sub(b, in[0], spread(&n, out[1]));
    out[2] = mean(&n, lg_mul(b, centered, centered));
    out[0] = inference(&n, in[0], in[1], in[2], out[1], out[2]);
    return b->status;
}

weft_status lg_batch_norm_grad(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                               weft_value **out) {
    (void)r;
    const norm n = begin(b, op, in[0]);
    lg_value scale = spread(&n, in[1]), variance = lg_add(b, spread(&n, in[3]), n.epsilon), grad = in[4];
    lg_value centered = lg_sub(b, in[0], spread(&n, in[2])), stddev = lg_sqrt(b, variance),
             count = lg_const(b, in[0], n.count);
    lg_value normalized = lg_div(b, centered, stddev);
    out[2] = sum(&n, grad);
    lg_value i1 = lg_mul(b, grad, count), i2 = spread(&n, out[2]), i3 = spread(&n, sum(&n, lg_mul(b, grad, centered)));
    lg_value i5 = lg_div(b, lg_mul(b, i3, centered), variance), i6 = lg_sub(b, lg_sub(b, i1, i2), i5);
    out[0] = lg_mul(b, lg_div(b, lg_div(b, scale, stddev), count), i6);
    out[1] = sum(&n, lg_mul(b, grad, normalized));
    return b->status;
}
