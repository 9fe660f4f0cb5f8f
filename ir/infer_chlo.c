/* infer_chlo.c: CHLO's ops without a StableHLO op of the same kind: broadcasts, top_k, scan ...
 *
 * Source: the documentation of the CHLO dialect.
 */
#include "ir/infer.h"

/* The shape that operands a and b broadcast to. broadcast_dimensions, when given, place the operand of lower rank; else
 * shapes are aligned at their last dimensions as NumPy does. */
static weft_status broadcast(weft_checker *c, const weft_op *op, const weft_type *a, const weft_type *b, int64_t *dims,
                             uint32_t *rank) {
    const weft_type *big = a->rank >= b->rank ? a : b, *small = big == a ? b : a;
    const weft_attr *attr = a->rank == b->rank ? NULL : weft_op_attr(op, WEFT_A_broadcast_dimensions);
    weft_ints map = weft_op_ints(op, WEFT_A_broadcast_dimensions);
    weft_status st = WEFT_OK;
    if (attr) st = weft_check_count(c, op, WEFT_A_broadcast_dimensions, map, small->rank);
    if (st == WEFT_OK && attr) st = weft_check_dims(c, op, "broadcast_dimensions", map, big->rank);
    if (st != WEFT_OK) return st;
    *rank = big->rank;
    for (uint32_t i = 0; i < big->rank; i++) dims[i] = big->dims[i];
    for (uint32_t i = 0; i < small->rank; i++) {
        int64_t *d = &dims[attr ? map.v[i] : big->rank - small->rank + i], s = small->dims[i];
        if (s == 1) continue;
        if (*d == 1 || *d == WEFT_DYNAMIC) *d = s;
        else if (!weft_dims_agree(*d, s))
            return weft_bad(c, op, "operands of type '%s' and '%s' do not broadcast", weft_text_of(c, a),
                            weft_text_of(c, b));
    }
    return WEFT_OK;
}

static weft_status infer_binary(weft_checker *c, const weft_op *op, unsigned classes, weft_dtype dtype,
                                const weft_type **types) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank;
    weft_status st = weft_check_operands(c, op, classes);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 1, 0);
    if (st == WEFT_OK) st = broadcast(c, op, op->operands[0]->type, op->operands[1]->type, dims, &rank);
    if (st != WEFT_OK) return st;
    return dtype ? weft_set_type(c, &types[0], dtype, rank, dims)
                 : weft_set_like(c, &types[0], op->operands[0]->type, rank, dims);
}

/* CHLO leaves the element kinds to the ops of its lowering. */
weft_status weft_infer_broadcast_any(weft_checker *c, const weft_op *op, const weft_type **types) {
    return infer_binary(c, op, WEFT_IS_ANY, WEFT_DTYPE_NONE, types);
}
weft_status weft_infer_broadcast_bits(weft_checker *c, const weft_op *op, const weft_type **types) {
    return infer_binary(c, op, WEFT_IS_BITS, WEFT_DTYPE_NONE, types);
}
weft_status weft_infer_broadcast_complex(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type *t = op->operands[0]->type;
    return infer_binary(c, op, WEFT_IS_FLOAT, t->dtype == WEFT_F64 ? WEFT_C128 : WEFT_C64, types);
}

weft_status weft_infer_broadcast_compare(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_enum(c, op, WEFT_A_comparison_direction, WEFT_ENUM_chlo_comparison_direction);
    if (st == WEFT_OK) st = weft_check_enum(c, op, WEFT_A_compare_type, WEFT_ENUM_chlo_comparison_type);
    return st == WEFT_OK ? infer_binary(c, op, WEFT_IS_ANY, WEFT_I1, types) : st;
}

weft_status weft_infer_broadcast_select(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank;
    const weft_type *choice;
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 0, WEFT_IS_BOOL);
    if (st == WEFT_OK) st = weft_check_same_dtype(c, op, 2, 1);
    if (st == WEFT_OK) st = broadcast(c, op, op->operands[1]->type, op->operands[2]->type, dims, &rank);
    if (st == WEFT_OK) st = weft_set_like(c, &choice, op->operands[1]->type, rank, dims);
    if (st == WEFT_OK) st = broadcast(c, op, op->operands[0]->type, choice, dims, &rank);
    return st == WEFT_OK ? weft_set_like(c, &types[0], choice, rank, dims) : st;
}

/* value everywhere, in the operand's shape. */
weft_status weft_infer_constant_like(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_attr *v = weft_op_attr(op, WEFT_A_value);
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_ANY);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    bool typed = v->type && (v->type->kind == WEFT_TYPE_SCALAR || v->type->kind == WEFT_TYPE_TENSOR);
    if (v->kind == WEFT_ATTR_BOOL) return weft_set_type(c, &types[0], WEFT_I1, t->rank, t->dims);
    if (!typed && v->kind != WEFT_ATTR_OPAQUE) return weft_bad(c, op, "value is not a number");
    return weft_set_type(c, &types[0], typed ? v->type->dtype : op->results[0].type->dtype, t->rank, t->dims);
}

weft_status weft_infer_top_k(weft_checker *c, const weft_op *op, const weft_type **types) {
    int64_t k = weft_op_int(op, WEFT_A_k, 0), dims[WEFT_MAX_RANK];
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    if (!t->rank) return weft_bad(c, op, "operand 0 has type '%s', expected at least 1 dimension", weft_text_of(c, t));
    if (k < 0 || (t->dims[t->rank - 1] != WEFT_DYNAMIC && k > t->dims[t->rank - 1]))
        return weft_bad(c, op, "k is %lld, but operand 0 has type '%s'", (long long)k, weft_text_of(c, t));
    for (uint32_t i = 0; i < t->rank; i++) dims[i] = t->dims[i];
    dims[t->rank - 1] = k;
    st = weft_set_like(c, &types[0], t, t->rank, dims);
    return st == WEFT_OK ? weft_set_type(c, &types[1], WEFT_I32, t->rank, dims) : st;
}

/* The number of operands that are inputs (the rest are carries), and of results that are outputs. */
static weft_status scan_segments(weft_checker *c, const weft_op *op, uint32_t *inputs, uint32_t *outputs) {
    weft_ints in = weft_op_ints(op, WEFT_A_operandSegmentSizes), out = weft_op_ints(op, WEFT_A_resultSegmentSizes);
    weft_status st = weft_check_count(c, op, WEFT_A_operandSegmentSizes, in, 2);
    if (st == WEFT_OK) st = weft_check_count(c, op, WEFT_A_resultSegmentSizes, out, 2);
    if (st == WEFT_OK) st = weft_check_at_least(c, op, "operandSegmentSizes", in, 0);
    if (st == WEFT_OK) st = weft_check_at_least(c, op, "resultSegmentSizes", out, 0);
    if (st != WEFT_OK) return st;
    if (in.v[0] > op->operand_count || in.v[1] != op->operand_count - in.v[0])
        return weft_bad(c, op, "operandSegmentSizes %s do not add up to %u operands", weft_text_of_ints(c, in),
                        op->operand_count);
    if (out.v[0] > op->result_count || out.v[1] != op->result_count - out.v[0])
        return weft_bad(c, op, "resultSegmentSizes %s do not add up to %u results", weft_text_of_ints(c, out),
                        op->result_count);
    if (in.v[1] != out.v[1])
        return weft_bad(c, op, "has %lld carries, but %lld results for them", (long long)in.v[1], (long long)out.v[1]);
    if (!in.v[0] && !out.v[0]) return weft_bad(c, op, "has neither inputs nor outputs");
    *inputs = (uint32_t)in.v[0];
    *outputs = (uint32_t)out.v[0];
    return WEFT_OK;
}

/* The size of the scanned dimension, equal for all inputs; WEFT_DYNAMIC if none gives it. */
static weft_status scan_size(weft_checker *c, const weft_op *op, uint32_t inputs, int64_t *size) {
    int64_t dim = weft_op_int(op, WEFT_A_dimension, 0);
    const weft_attr *given = weft_op_attr(op, WEFT_A_scan_dim_size);
    *size = given ? given->i : WEFT_DYNAMIC;
    if (given && given->i < 0)
        return weft_bad(c, op, "scan_dim_size is %lld, expected at least 0", (long long)given->i);
    if (dim < 0) return weft_bad(c, op, "dimension is %lld, expected at least 0", (long long)dim);
    for (uint32_t i = 0; i < inputs; i++) {
        const weft_type *t = op->operands[i]->type;
        weft_status st = weft_check_dim(c, op, WEFT_A_dimension, dim, t->rank);
        if (st != WEFT_OK) return st;
        if (!weft_dims_agree(t->dims[dim], *size))
            return weft_bad(c, op, "operand %u has type '%s', expected %lld in dimension %lld", i, weft_text_of(c, t),
                            (long long)*size, (long long)dim);
        if (*size == WEFT_DYNAMIC) *size = t->dims[dim];
    }
    return WEFT_OK;
}

/* t without, or with, a dimension of that size at dim. */
static weft_status without_dim(weft_checker *c, const weft_type **slot, const weft_type *t, int64_t dim) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (i != dim) dims[n++] = t->dims[i];
    return weft_set_like(c, slot, t, n, dims);
}

static weft_status with_dim(weft_checker *c, const weft_op *op, const weft_type **slot, const weft_type *t, int64_t dim,
                            int64_t size) {
    int64_t dims[WEFT_MAX_RANK];
    if (dim > t->rank || t->rank == WEFT_MAX_RANK)
        return weft_bad(c, op, "dimension is %lld, but an output of the body has type '%s'", (long long)dim,
                        weft_text_of(c, t));
    for (uint32_t i = 0; i < t->rank; i++) dims[i + (i >= dim)] = t->dims[i];
    dims[dim] = size;
    return weft_set_like(c, slot, t, t->rank + 1, dims);
}

/* The body takes a slice of each input and the carries, and returns a slice of each output and the next carries. */
weft_status weft_infer_scan(weft_checker *c, const weft_op *op, const weft_type **types) {
    uint32_t inputs = 0, outputs = 0;
    int64_t size = 0, dim = weft_op_int(op, WEFT_A_dimension, 0);
    weft_status st = scan_segments(c, op, &inputs, &outputs);
    if (st == WEFT_OK) st = weft_check_operands(c, op, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = scan_size(c, op, inputs, &size);
    if (st != WEFT_OK) return st;
    const weft_type **want = weft_scratch_array(c->cx, const weft_type *, op->operand_count);
    const weft_op *yields = NULL;
    if (!want) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        want[i] = op->operands[i]->type;
        if (i < inputs) st = without_dim(c, &want[i], want[i], dim);
    }
    if (st == WEFT_OK) st = weft_check_body(c, op, 0, want, op->operand_count, WEFT_OP_return, &yields);
    if (st != WEFT_OK) return st;
    if (yields->operand_count != op->result_count)
        return weft_bad(c, op, "region 0 returns %u values, expected %u", yields->operand_count, op->result_count);
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) {
        const weft_type *t = yields->operands[i]->type;
        types[i] = t;
        if (!weft_type_is_tensor(t))
            st = weft_bad(c, op, "region 0 returns value %u of type '%s', expected a tensor", i, weft_text_of(c, t));
        else if (i < outputs) st = with_dim(c, op, &types[i], t, dim, size);
        else if (!weft_types_agree(t, op->operands[inputs + i - outputs]->type))
            st = weft_bad(c, op, "region 0 returns value %u of type '%s', but the carry has type '%s'", i,
                          weft_text_of(c, t), weft_text_of(c, op->operands[inputs + i - outputs]->type));
    }
    return st;
}
