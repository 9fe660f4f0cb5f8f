/* scan: chlo.scan as a loop that carries a counter, the partly filled outputs, and the carries.
 *
 * Source: ChloOps.td, scan, and XLA's Scan, named there: iteration i gives the body element i of each input along the
 * scanned dimension, from the other end if is_reverse, and the carries; the body returns element i of the outputs, and
 * the carries.
 */
#include "legalize/expand.h"

typedef struct scan {
    weft_rewrite *r;
    const weft_op *op;
    weft_value *const *in;
    uint32_t inputs, outputs, carries;
    int64_t dim, size;
    const weft_type *counter;
    weft_value **carried;   /* counter, outputs, carries: as a loop's operands, or arguments, or results */
    const weft_type **types;
} scan;

static uint32_t total(const scan *s) { return 1 + s->outputs + s->carries; }

static weft_status read_scan(weft_builder *b, scan *s) {
    weft_context *cx = b->m->cx;
    const weft_ints segments = weft_op_ints(s->op, WEFT_A_operandSegmentSizes);
    s->inputs = (uint32_t)segments.v[0];
    s->carries = s->op->operand_count - s->inputs;
    s->outputs = s->op->result_count - s->carries;
    s->dim = weft_op_int(s->op, WEFT_A_dimension, 0);
    s->size = weft_op_int(s->op, WEFT_A_scan_dim_size, 0);
    if (s->inputs) s->size = s->in[0]->type->dims[s->dim];
    s->counter = weft_type_tensor(cx, WEFT_I64, 0, NULL);
    s->carried = weft_scratch_array(cx, weft_value *, total(s));
    s->types = weft_scratch_array(cx, const weft_type *, total(s));
    return s->counter && s->carried && s->types ? WEFT_OK : weft_oom();
}

static weft_value *zeros(weft_builder *b, const weft_type *t) {
    static const uint8_t zero[16] = { 0 };
    const weft_attr *a = weft_attr_dense(b->m->cx, t, zero, true);
    return a ? weft_build_constant(b, a) : NULL;
}

static weft_builder inside(weft_builder *b, weft_block *blk) {
    weft_builder inner;
    weft_builder_init(&inner, b->m, blk);
    inner.loc = b->loc;
    return inner;
}

/* A block of the loop with its arguments in s->carried. */
static weft_block *open_block(weft_builder *b, scan *s, weft_region *region) {
    weft_block *blk = weft_build_block(b, region);
    for (uint32_t i = 0; blk && i < total(s); i++) s->carried[i] = weft_build_block_arg(b, blk, s->types[i], b->loc);
    return b->status == WEFT_OK ? blk : NULL;
}

static void end_block(weft_builder *b, weft_value *const *v, uint32_t n) {
    if (b->status == WEFT_OK)
        weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = v, .operand_count = n });
}

static weft_status condition(weft_builder *outer, scan *s, weft_region *region) {
    weft_block *blk = open_block(outer, s, region);
    if (!blk) return outer->status;
    weft_builder b = inside(outer, blk);
    weft_value *more = lg_lt(&b, s->carried[0], lg_const(&b, s->carried[0], (double)s->size));
    end_block(&b, &more, 1);
    return b.status;
}

static void starts(weft_builder *b, const scan *s, uint32_t rank, weft_value *at, weft_value **out) {
    weft_value *zero = zeros(b, s->counter);
    for (uint32_t d = 0; d < rank; d++) out[d] = d == s->dim ? at : zero;
}

/* Element `at` of x. */
static weft_value *take(weft_builder *b, const scan *s, weft_value *x, weft_value *at, const weft_type *type) {
    weft_value *operands[WEFT_MAX_RANK + 1] = { x };
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, x->type->dims, x->type->rank * sizeof *dims);
    dims[s->dim] = 1;
    const weft_attr_pair sizes = { WEFT_A_slice_sizes, weft_attr_ints(b->m->cx, WEFT_I64, dims, x->type->rank) };
    starts(b, s, x->type->rank, at, operands + 1);
    weft_value *slice =
        weft_build_1(b, WEFT_OP_dynamic_slice, weft_type_with_dims(b->m->cx, x->type, x->type->rank, dims), operands,
                     x->type->rank + 1, &sizes, 1);
    return slice ? weft_build_1(b, WEFT_OP_reshape, type, &slice, 1, NULL, 0) : NULL;
}

/* x with v as element `at`. */
static weft_value *put(weft_builder *b, const scan *s, weft_value *x, weft_value *at, weft_value *v) {
    int64_t dims[WEFT_MAX_RANK];
    memcpy(dims, x->type->dims, x->type->rank * sizeof *dims);
    dims[s->dim] = 1;
    weft_value *slice =
        weft_build_1(b, WEFT_OP_reshape, weft_type_with_dims(b->m->cx, x->type, x->type->rank, dims), &v, 1, NULL, 0);
    weft_value *operands[WEFT_MAX_RANK + 2] = { x, slice };
    starts(b, s, x->type->rank, at, operands + 2);
    return slice ? weft_build_1(b, WEFT_OP_dynamic_update_slice, x->type, operands, x->type->rank + 2, NULL, 0) : NULL;
}

static weft_status body(weft_builder *outer, scan *s, weft_region *region) {
    const weft_block *old = weft_op_body(s->op, 0);
    weft_block *blk = open_block(outer, s, region);
    if (!blk) return outer->status;
    weft_builder b = inside(outer, blk);
    weft_value *turn = s->carried[0], *at = turn, **to = s->r->map.to;
    const weft_attr *reverse = weft_op_attr(s->op, WEFT_A_is_reverse);
    if (reverse && reverse->i) at = lg_sub(&b, lg_const(&b, turn, (double)(s->size - 1)), turn);
    for (uint32_t i = 0; i < s->inputs; i++) to[old->args[i]->id] = take(&b, s, s->in[i], at, old->args[i]->type);
    for (uint32_t i = 0; i < s->carries; i++) to[old->args[s->inputs + i]->id] = s->carried[1 + s->outputs + i];
    weft_status st = b.status;
    for (const weft_op *op = old->first; op && op != old->last && st == WEFT_OK; op = op->next)
        st = lg_offer(s->r, &b, op);
    if (st != WEFT_OK) return st;
    s->carried[0] = lg_add_c(&b, turn, 1);
    for (uint32_t i = 0; i < s->outputs; i++)
        s->carried[1 + i] = put(&b, s, s->carried[1 + i], at, to[old->last->operands[i]->id]);
    for (uint32_t i = 0; i < s->carries; i++)
        s->carried[1 + s->outputs + i] = to[old->last->operands[s->outputs + i]->id];
    end_block(&b, s->carried, total(s));
    return b.status;
}

weft_status lg_scan(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in, weft_value **out) {
    scan s = { .r = r, .op = op, .in = in };
    weft_status st = read_scan(b, &s);
    if (st != WEFT_OK) return st;
    s.carried[0] = zeros(b, s.counter);
    for (uint32_t i = 0; i < s.outputs; i++) s.carried[1 + i] = zeros(b, op->results[i].type);
    for (uint32_t i = 0; i < s.carries; i++) s.carried[1 + s.outputs + i] = in[s.inputs + i];
    if (b->status != WEFT_OK) return b->status;
    for (uint32_t i = 0; i < total(&s); i++) s.types[i] = s.carried[i]->type;
    weft_op *loop = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_while, .operands = s.carried,
                                                      .operand_count = total(&s), .types = s.types,
                                                      .result_count = total(&s), .region_count = 2 });
    if (!loop) return b->status;
    st = condition(b, &s, &loop->regions[0]);
    if (st == WEFT_OK) st = body(b, &s, &loop->regions[1]);
    for (uint32_t i = 0; i < op->result_count; i++) out[i] = &loop->results[1 + i];
    return st;
}
