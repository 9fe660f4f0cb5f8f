/* infer_pointwise.c: ops that work element by element; conversions of the element type.
 *
 * Source: StableHLO docs/spec.md; CHLO's ops follow their StableHLO namesakes.
 */
#include "ir/infer.h"

/* An op of CHLO and its StableHLO namesake differ in accepting quantised elements. */
static unsigned with_quant(const weft_op *op, unsigned classes) {
    return weft_op_kind_has(op->kind, WEFT_TRAIT_QUANT) ? classes | WEFT_IS_QUANT : classes;
}

/* All operands have one tensor type, of an element kind in classes; so has the result. */
static weft_status same(weft_checker *c, const weft_op *op, unsigned classes, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, with_quant(op, classes));
    for (uint32_t i = 1; i < op->operand_count && st == WEFT_OK; i++) st = weft_check_same_type(c, op, i, 0);
    if (st == WEFT_OK) types[0] = op->operands[0]->type;
    return st;
}

weft_status weft_infer_same(weft_checker *c, const weft_op *op, const weft_type **types) {
    return same(c, op, WEFT_IS_ANY, types);
}
weft_status weft_infer_same_float(weft_checker *c, const weft_op *op, const weft_type **types) {
    return same(c, op, WEFT_IS_FLOAT, types);
}
weft_status weft_infer_same_math(weft_checker *c, const weft_op *op, const weft_type **types) {
    return same(c, op, WEFT_IS_MATH, types);
}
weft_status weft_infer_same_integer(weft_checker *c, const weft_op *op, const weft_type **types) {
    return same(c, op, WEFT_IS_INTEGER, types);
}
weft_status weft_infer_same_bits(weft_checker *c, const weft_op *op, const weft_type **types) {
    return same(c, op, WEFT_IS_BITS, types);
}
weft_status weft_infer_same_number(weft_checker *c, const weft_op *op, const weft_type **types) {
    return same(c, op, WEFT_IS_NUMBER, types);
}
weft_status weft_infer_same_signed(weft_checker *c, const weft_op *op, const weft_type **types) {
    return same(c, op, WEFT_IS_INT | WEFT_IS_MATH, types);
}

/* spec.md, add (C1) to (C7): quantised elements may have a scale per slice, on either side and in the result alike. */
weft_status weft_infer_add(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type *l = op->operands[0]->type, *r = op->operands[1]->type, *out = op->results[0].type;
    if (!l->quant && !r->quant) return same(c, op, WEFT_IS_PLAIN, types);
    weft_status st = weft_check_operands(c, op, WEFT_IS_QUANT | WEFT_IS_QUANT_AXIS);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_QUANT | WEFT_IS_QUANT_AXIS);
    if (st == WEFT_OK) st = weft_check_same_shape(c, op, 1, 0);
    if (st != WEFT_OK) return st;
    const weft_quant *of[2] = { l->quant, r->quant }, *sum = out->quant;
    for (uint32_t i = 0; i < 2; i++)
        if (of[i]->storage != sum->storage || of[i]->expressed != sum->expressed)
            return weft_bad(
                c, op,
                "operand %u has type '%s' and result 0 has type '%s', expected the same storage and expressed types", i,
                weft_text_of(c, op->operands[i]->type), weft_text_of(c, out));
    bool sliced = weft_quant_per_axis(of[0]) || weft_quant_per_axis(of[1]);
    if (sliced != weft_quant_per_axis(sum))
        return weft_bad(c, op, "result 0 has type '%s', expected %s quantisation as of the operands",
                        weft_text_of(c, out), sliced ? "per-axis" : "per-tensor");
    for (uint32_t i = 0; i < 2; i++)
        if (weft_quant_per_axis(of[i]) && of[i]->axis != sum->axis)
            return weft_bad(c, op, "operand %u is quantised along dimension %d and result 0 along %d", i, of[i]->axis,
                            sum->axis);
    *types = weft_type_with_dims(c->cx, out, l->rank, l->dims);
    return *types ? WEFT_OK : weft_oom();
}

/* Each result has the type of its operand: tensors and tokens. */
weft_status weft_infer_same_each(weft_checker *c, const weft_op *op, const weft_type **types) {
    if (op->result_count != op->operand_count)
        return weft_bad(c, op, "has %u results for %u operands", op->result_count, op->operand_count);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        types[i] = op->operands[i]->type;
        if (types[i]->kind != WEFT_TYPE_TOKEN) st = weft_check_operand(c, op, i, WEFT_IS_ANY);
    }
    return st;
}

weft_status weft_infer_reduce_precision(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = same(c, op, WEFT_IS_FLOAT, types);
    if (st != WEFT_OK) return st;
    int64_t e = weft_op_int(op, WEFT_A_exponent_bits, 0), m = weft_op_int(op, WEFT_A_mantissa_bits, 0);
    if (e < 1) return weft_bad(c, op, "exponent_bits is %lld, expected at least 1", (long long)e);
    if (m < 0) return weft_bad(c, op, "mantissa_bits is %lld, expected at least 0", (long long)m);
    return WEFT_OK;
}

static weft_dtype part_of(weft_dtype t) { return t == WEFT_C64 ? WEFT_F32 : t == WEFT_C128 ? WEFT_F64 : t; }

static weft_status set_like(weft_checker *c, const weft_type **slot, const weft_type *t, weft_dtype dtype) {
    *slot = dtype == t->dtype ? t : weft_type_with_dtype(c->cx, t, dtype);
    return *slot ? WEFT_OK : weft_oom();
}

/* |x| of a complex number is real. */
weft_status weft_infer_abs(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_INT | WEFT_IS_MATH | WEFT_IS_QUANT);
    return st == WEFT_OK ? set_like(c, &types[0], op->operands[0]->type, part_of(op->operands[0]->type->dtype)) : st;
}

weft_status weft_infer_complex_part(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_MATH);
    return st == WEFT_OK ? set_like(c, &types[0], op->operands[0]->type, part_of(op->operands[0]->type->dtype)) : st;
}

weft_status weft_infer_complex(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operands(c, op, WEFT_IS_FLOAT);
    if (st == WEFT_OK) st = weft_check_same_type(c, op, 1, 0);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    if (t->dtype != WEFT_F32 && t->dtype != WEFT_F64)
        return weft_bad(c, op, "operand 0 has type '%s', expected elements of f32 or f64", weft_text_of(c, t));
    return set_like(c, &types[0], t, t->dtype == WEFT_F32 ? WEFT_C64 : WEFT_C128);
}

/* A boolean per element. */
weft_status weft_infer_predicate(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, with_quant(op, WEFT_IS_FLOAT));
    return st == WEFT_OK ? set_like(c, &types[0], op->operands[0]->type, WEFT_I1) : st;
}

/* Which comparison types fit an element type. spec.md, compare (C3); a missing one is chosen by the element type. */
static bool compares(weft_dtype_kind kind, const char *how) {
    switch (kind) {
    case WEFT_KIND_INT: return *how == 'S' || *how == 'N';
    case WEFT_KIND_BOOL:
    case WEFT_KIND_UINT: return *how == 'U' || *how == 'N';
    case WEFT_KIND_FLOAT: return *how == 'F' || *how == 'T' || *how == 'N';
    case WEFT_KIND_COMPLEX: return *how == 'F' || *how == 'N';
    }
    return false;
}

/* Direction and type of comparison are keywords of the op's own dialect. */
static weft_status check_comparison(weft_checker *c, const weft_op *op, weft_enum_set direction, weft_enum_set type,
                                    weft_enum_value eq, weft_enum_value ne) {
    weft_status st = weft_check_enum(c, op, WEFT_A_comparison_direction, direction);
    if (st == WEFT_OK) st = weft_check_enum(c, op, WEFT_A_compare_type, type);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type;
    weft_dtype_kind kind = weft_dtype_of(t->dtype)->kind;
    const weft_attr *how = weft_op_attr(op, WEFT_A_compare_type);
    if (t->quant) kind = WEFT_KIND_FLOAT; /* the represented numbers are compared */
    if (how && !compares(kind, weft_enum_table[how->e].keyword))
        return weft_bad(c, op, "compare_type %s does not fit elements of '%s'", weft_enum_table[how->e].keyword,
                        weft_text_of(c, t));
    const weft_attr *dir = weft_op_attr(op, WEFT_A_comparison_direction);
    if (kind == WEFT_KIND_COMPLEX && dir->e != eq && dir->e != ne)
        return weft_bad(c, op, "comparison_direction %s has no meaning for complex elements",
                        weft_enum_table[dir->e].keyword);
    return WEFT_OK;
}

weft_status weft_infer_compare(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type *t;
    weft_status st = same(c, op, WEFT_IS_ANY, &t);
    if (st == WEFT_OK)
        st = check_comparison(c, op, WEFT_ENUM_comparison_direction, WEFT_ENUM_comparison_type,
                              WEFT_comparison_direction_EQ, WEFT_comparison_direction_NE);
    return st == WEFT_OK ? set_like(c, &types[0], t, WEFT_I1) : st;
}

weft_status weft_infer_convert(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_PLAIN);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_PLAIN);
    return st == WEFT_OK ? set_like(c, &types[0], op->operands[0]->type, op->results[0].type->dtype) : st;
}

weft_status weft_infer_select(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_BOOL);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 1, WEFT_IS_ANY);
    if (st == WEFT_OK) st = weft_check_same_type(c, op, 2, 1);
    if (st == WEFT_OK && op->operands[0]->type->rank) st = weft_check_same_shape(c, op, 1, 0);
    if (st == WEFT_OK) types[0] = op->operands[1]->type;
    return st;
}

weft_status weft_infer_clamp(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    for (uint32_t i = 0; i < 3 && st == WEFT_OK; i += 2) {
        st = weft_check_same_dtype(c, op, i, 1);
        if (st == WEFT_OK && op->operands[i]->type->rank) st = weft_check_same_shape(c, op, i, 1);
    }
    if (st == WEFT_OK) types[0] = op->operands[1]->type;
    return st;
}

weft_status weft_infer_map(weft_checker *c, const weft_op *op, const weft_type **types) {
    if (!op->operand_count) return weft_bad(c, op, "has no operands");
    weft_status st = weft_check_operands(c, op, WEFT_IS_ANY);
    for (uint32_t i = 1; i < op->operand_count && st == WEFT_OK; i++) st = weft_check_same_shape(c, op, i, 0);
    if (st != WEFT_OK) return st;
    const weft_type *t = op->operands[0]->type,
                    **scalars = weft_scratch_array(c->cx, const weft_type *, op->operand_count);
    if (!scalars) return weft_oom();
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    bool all = dims.n == t->rank;
    for (uint32_t i = 0; all && i < dims.n; i++) all = dims.v[i] == i;
    if (!all)
        return weft_bad(c, op, "dimensions %s must list all %u dimensions in order", weft_text_of_ints(c, dims),
                        t->rank);
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++)
        st = weft_set_like(c, &scalars[i], op->operands[i]->type, 0, NULL);
    const weft_op *yields = NULL;
    if (st == WEFT_OK) st = weft_check_body(c, op, 0, scalars, op->operand_count, WEFT_OP_return, &yields);
    if (st != WEFT_OK) return st;
    if (yields->operand_count != 1)
        return weft_bad(c, op, "region 0 returns %u values, expected 1", yields->operand_count);
    const weft_type *y = yields->operands[0]->type;
    if (!weft_type_is_tensor(y) || y->rank)
        return weft_bad(c, op, "region 0 returns '%s', expected a tensor of rank 0", weft_text_of(c, y));
    return set_like(c, &types[0], t, y->dtype);
}

/* The bits of an element are split into, or put together from, a last dimension. spec.md, bitcast_convert (C1). */
weft_status weft_infer_bitcast_convert(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = weft_check_result(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st != WEFT_OK) return st;
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    int64_t from_bits = weft_dtype_of(from->dtype)->bits, to_bits = weft_dtype_of(to->dtype)->bits;
    bool fits = weft_dtype_is_complex(from->dtype) == weft_dtype_is_complex(to->dtype);
    const weft_type *wide = from_bits >= to_bits ? from : to, *narrow = from_bits >= to_bits ? to : from;
    int64_t ratio = weft_max_i64(from_bits, to_bits) / weft_min_i64(from_bits, to_bits);
    fits = fits && weft_max_i64(from_bits, to_bits) % weft_min_i64(from_bits, to_bits) == 0 &&
           narrow->rank == wide->rank + (from_bits != to_bits);
    for (uint32_t i = 0; fits && i < wide->rank; i++) fits = weft_dims_agree(wide->dims[i], narrow->dims[i]);
    if (fits && from_bits != to_bits) fits = weft_dims_agree(narrow->dims[wide->rank], ratio);
    if (fits) return WEFT_OK;
    return weft_bad(c, op, "the bits of '%s' do not make up '%s'", weft_text_of(c, from), weft_text_of(c, to));
}
