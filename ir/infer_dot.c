/* infer_dot.c: sums of products over whole dimensions.
 *
 * Source: StableHLO docs/spec.md, dot_general (C1) to (C24); the documentation of chlo.ragged_dot.
 */
#include "ir/infer.h"

static weft_status check_side(weft_checker *c, const weft_op *op, const char *what, const char *both, weft_ints batch,
                              weft_ints contract, uint32_t rank) {
    weft_status st = weft_check_dims(c, op, what, batch, rank);
    if (st == WEFT_OK) st = weft_check_dims(c, op, both, contract, rank);
    for (uint32_t i = 0; i < batch.n && st == WEFT_OK; i++)
        if (weft_ints_has(contract, batch.v[i]))
            st = weft_bad(c, op, "%s and %s share dimension %lld", what, both, (long long)batch.v[i]);
    return st;
}

static weft_status check_pairs(weft_checker *c, const weft_op *op, const char *what, weft_ints l, weft_ints r) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    if (l.n != r.n)
        return weft_bad(c, op, "%s dimensions %s and %s differ in number", what, weft_text_of_ints(c, l),
                        weft_text_of_ints(c, r));
    for (uint32_t i = 0; i < l.n; i++)
        if (!weft_dims_agree(lhs->dims[l.v[i]], rhs->dims[r.v[i]]))
            return weft_bad(c, op, "%s dimensions %lld of '%s' and %lld of '%s' differ in size", what,
                            (long long)l.v[i], weft_text_of(c, lhs), (long long)r.v[i], weft_text_of(c, rhs));
    return WEFT_OK;
}

/* One per operand; MLIR takes fewer as well. */
static weft_status check_precision_of(weft_checker *c, const weft_op *op, weft_enum_set set) {
    const weft_attr *p = weft_op_attr(op, WEFT_A_precision_config);
    if (!p) return WEFT_OK;
    if (p->items.n > 2) return weft_bad(c, op, "precision_config has %u entries, expected at most 2", p->items.n);
    for (uint32_t i = 0; i < p->items.n; i++)
        if (!weft_attr_is_keyword(p->items.v[i], set))
            return weft_bad(c, op, "precision_config entry %u is not a precision of %s", i,
                            weft_enum_sets[set].dialect);
    return WEFT_OK;
}

weft_status weft_check_precision(weft_checker *c, const weft_op *op) {
    return check_precision_of(c, op, WEFT_ENUM_precision);
}

/* ---- algorithms ---- */

/* An element type of an algorithm: one of the table's, or tf32, which no tensor has. */
typedef enum precision { NO_PRECISION, ANY_F8, P_F16, P_BF16, P_TF32, P_F32, P_F64 } precision;

static precision precision_of(const weft_type *t) {
    if (t->kind == WEFT_TYPE_OPAQUE) return weft_str_is(t->text, "tf32") ? P_TF32 : NO_PRECISION;
    if (t->kind != WEFT_TYPE_SCALAR || t->quant || !weft_dtype_is_float(t->dtype)) return NO_PRECISION;
    switch (weft_dtype_of(t->dtype)->bits) {
    case 8: return t->dtype == WEFT_F8E8M0FNU ? NO_PRECISION : ANY_F8;
    case 16: return t->dtype == WEFT_F16 ? P_F16 : P_BF16;
    case 32: return P_F32;
    case 64: return P_F64;
    default: return NO_PRECISION;
    }
}

/* The combinations of known hardware: operands, sums, number of products. StableHLO, dot_general, "algorithm". */
static const struct { precision operands, sum; int64_t operations; } algorithms[] = {
    { ANY_F8, P_F32, 1 }, { P_F16, P_F16, 1 },  { P_F16, P_F32, 1 },  { P_BF16, P_BF16, 1 }, { P_BF16, P_F32, 1 }, { P_BF16, P_F32, 3 },
    { P_BF16, P_F32, 6 }, { P_BF16, P_F32, 9 }, { P_TF32, P_F32, 1 }, { P_TF32, P_F32, 3 },  { P_F32, P_F32, 1 },  { P_F64, P_F64, 1 },
};

static bool is_known(const weft_dot_algorithm *d) {
    precision lhs = precision_of(d->lhs), rhs = precision_of(d->rhs), sum = precision_of(d->accumulation);
    if (lhs != rhs || d->lhs_components != 1 || d->rhs_components != 1 || (d->imprecise && lhs != ANY_F8)) return false;
    for (size_t i = 0; i < WEFT_COUNT(algorithms); i++)
        if (algorithms[i].operands == lhs && algorithms[i].sum == sum && algorithms[i].operations == d->operations)
            return true;
    return false;
}

/* (C21) to (C24) */
static weft_status check_algorithm(weft_checker *c, const weft_op *op) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_algorithm), *p = weft_op_attr(op, WEFT_A_precision_config);
    if (!a) return WEFT_OK;
    const weft_dot_algorithm *d = &a->algorithm;
    for (uint32_t i = 0; p && i < p->items.n; i++)
        if (p->items.v[i]->e != WEFT_precision_DEFAULT)
            return weft_bad(c, op, "precision_config is %s, expected DEFAULT where an algorithm is given",
                            weft_enum_table[p->items.v[i]->e].keyword);
    const struct { const char *name; int64_t n; } counts[] = {
        { "lhs_component_count", d->lhs_components }, { "rhs_component_count", d->rhs_components }, { "num_primitive_operations", d->operations },
    };
    for (size_t i = 0; i < WEFT_COUNT(counts); i++)
        if (counts[i].n < 1)
            return weft_bad(c, op, "%s of the algorithm is %lld, expected at least 1", counts[i].name,
                            (long long)counts[i].n);
    if (is_known(d)) return WEFT_OK;
    return weft_bad(
        c, op,
        "the algorithm of %s and %s with sums in %s, %lld and %lld components, %lld operations%s is unknown",
        weft_text_of(c, d->lhs), weft_text_of(c, d->rhs), weft_text_of(c, d->accumulation),
        (long long)d->lhs_components, (long long)d->rhs_components, (long long)d->operations,
        d->imprecise ? " and imprecise sums" : "");
}

/* ---- dot_general ---- */

/* The element type is the result's own choice among those that hold a product (f32 from bf16 operands). */
static weft_status set_result(weft_checker *c, const weft_op *op, const weft_type **types, uint32_t rank,
                              const int64_t *dims) {
    const weft_type *t = op->results[0].type;
    weft_status st = weft_check_result(c, op, 0, WEFT_IS_ANY_AXIS);
    if (st == WEFT_OK) st = weft_check_quant_product(c, op);
    if (st != WEFT_OK) return st;
    if (weft_dtype_is_complex(t->dtype) != weft_dtype_is_complex(op->operands[0]->type->dtype))
        return weft_bad(c, op, "result 0 has type '%s' for operands of %s", weft_text_of(c, t),
                        weft_dtype_of(op->operands[0]->type->dtype)->name);
    return weft_set_like(c, &types[0], t, rank, dims);
}

static weft_status check_operands(weft_checker *c, const weft_op *op) {
    weft_status st = weft_check_operand(c, op, 0, WEFT_IS_ANY);
    return st == WEFT_OK ? weft_check_operand(c, op, 1, WEFT_IS_ANY_AXIS) : st;
}

/* (C15), (C16): zero points would add a term per element of lhs, and a sum over slices has no single scale. */
static weft_status check_quant(weft_checker *c, const weft_op *op, weft_ints rhs_contract) {
    const weft_quant *q = op->operands[1]->type->quant;
    for (uint32_t i = 0; q && i < q->count; i++)
        if (q->zero_points[i])
            return weft_bad(c, op, "operand 1 has type '%s', expected zero points of 0",
                            weft_text_of(c, op->operands[1]->type));
    if (q && weft_quant_per_axis(q) && weft_ints_has(rhs_contract, q->axis))
        return weft_bad(c, op, "operand 1 of type '%s' is quantised along dimension %d, which is contracted",
                        weft_text_of(c, op->operands[1]->type), q->axis);
    return WEFT_OK;
}

static weft_status check_dims(weft_checker *c, const weft_op *op, const weft_dot_dims *d) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    weft_status st = check_side(c, op, "lhs batching dimensions", "lhs contracting dimensions", d->lhs_batch,
                                d->lhs_contract, lhs->rank);
    if (st == WEFT_OK)
        st = check_side(c, op, "rhs batching dimensions", "rhs contracting dimensions", d->rhs_batch, d->rhs_contract,
                        rhs->rank);
    if (st == WEFT_OK) st = check_pairs(c, op, "batching", d->lhs_batch, d->rhs_batch);
    if (st == WEFT_OK) st = check_pairs(c, op, "contracting", d->lhs_contract, d->rhs_contract);
    return st;
}

/* Batch dimensions, then those that only lhs has, then those that only rhs has; `but` are left out of the latter. Room
 * for twice WEFT_MAX_RANK. */
static uint32_t product_dims(const weft_op *op, const weft_dot_dims *d, weft_ints but, int64_t *dims) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->lhs_batch.n; i++) dims[n++] = lhs->dims[d->lhs_batch.v[i]];
    for (uint32_t i = 0; i < lhs->rank; i++)
        if (!weft_ints_has(d->lhs_batch, i) && !weft_ints_has(d->lhs_contract, i)) dims[n++] = lhs->dims[i];
    for (uint32_t i = 0; i < rhs->rank; i++)
        if (!weft_ints_has(d->rhs_batch, i) && !weft_ints_has(d->rhs_contract, i) && !weft_ints_has(but, i))
            dims[n++] = rhs->dims[i];
    return n;
}

weft_status weft_infer_dot_general(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_dot_dims *d = &weft_op_attr(op, WEFT_A_dot_dimension_numbers)->dot;
    int64_t dims[2 * WEFT_MAX_RANK];
    weft_status st = check_operands(c, op);
    if (st == WEFT_OK) st = check_dims(c, op, d);
    if (st == WEFT_OK) st = weft_check_precision(c, op);
    if (st == WEFT_OK) st = check_algorithm(c, op);
    if (st != WEFT_OK) return st;
    uint32_t n = product_dims(op, d, (weft_ints){ NULL, 0 }, dims);
    if (n > WEFT_MAX_RANK) return weft_bad(c, op, "the result has more than %d dimensions", WEFT_MAX_RANK);
    st = check_quant(c, op, d->rhs_contract);
    return st == WEFT_OK ? set_result(c, op, types, n, dims) : st;
}

/* ---- chlo.ragged_dot ---- */

/* group_sizes has one dimension, or one for each dimension of lhs outside of the ragged one, batch dimensions first,
 * and then the groups'. */
static weft_status check_group_sizes(weft_checker *c, const weft_op *op, const weft_ragged_dims *d, int64_t ragged) {
    const weft_type *lhs = op->operands[0]->type, *sizes = op->operands[2]->type;
    int64_t outer[WEFT_MAX_RANK];
    uint32_t n = 0;
    bool in_batch = weft_ints_has(d->dot.lhs_batch, ragged), contracted = weft_ints_has(d->dot.lhs_contract, ragged);
    for (uint32_t i = 0; i < d->dot.lhs_batch.n && !(in_batch && d->dot.lhs_batch.v[i] == ragged); i++)
        outer[n++] = d->dot.lhs_batch.v[i];
    for (uint32_t i = 0; contracted && d->dot.lhs_contract.v[i] != ragged; i++) outer[n++] = d->dot.lhs_contract.v[i];
    for (uint32_t i = 0; !in_batch && !contracted && i < ragged; i++)
        if (!weft_ints_has(d->dot.lhs_batch, i) && !weft_ints_has(d->dot.lhs_contract, i)) outer[n++] = i;
    if (sizes->rank == 1) return WEFT_OK;
    if (sizes->rank != n + 1)
        return weft_bad(c, op, "operand 2 has type '%s', expected rank 1%s", weft_text_of(c, sizes),
                        n ? " or one more than the dimensions around the ragged one" : "");
    for (uint32_t i = 0; i < n; i++)
        if (!weft_dims_agree(sizes->dims[i], lhs->dims[outer[i]]))
            return weft_bad(
                c, op,
                "operand 2 has type '%s', expected dimension %u of the size of dimension %lld of operand 0 of type '%s'",
                weft_text_of(c, sizes), i, (long long)outer[i], weft_text_of(c, lhs));
    return WEFT_OK;
}

static weft_status check_ragged(weft_checker *c, const weft_op *op, const weft_ragged_dims *d) {
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type, *sizes = op->operands[2]->type;
    if (d->lhs_ragged.n != 1)
        return weft_bad(c, op, "lhs_ragged_dimensions has %u entries, expected 1", d->lhs_ragged.n);
    weft_status st = weft_check_dims(c, op, "lhs_ragged_dimensions", d->lhs_ragged, lhs->rank);
    if (st == WEFT_OK) st = check_group_sizes(c, op, d, d->lhs_ragged.v[0]);
    if (st == WEFT_OK) st = weft_check_dims(c, op, "rhs_group_dimensions", d->rhs_group, rhs->rank);
    for (uint32_t i = 0; i < d->rhs_group.n && st == WEFT_OK; i++)
        if (weft_ints_has(d->dot.rhs_batch, d->rhs_group.v[i]) || weft_ints_has(d->dot.rhs_contract, d->rhs_group.v[i]))
            st = weft_bad(c, op, "rhs_group_dimensions names dimension %lld, which is batched or contracted",
                          (long long)d->rhs_group.v[i]);
    if (st != WEFT_OK) return st;
    int64_t ragged = d->lhs_ragged.v[0];
    bool shared = weft_ints_has(d->dot.lhs_batch, ragged) || weft_ints_has(d->dot.lhs_contract, ragged);
    if (d->rhs_group.n != !shared)
        return weft_bad(c, op, "rhs_group_dimensions has %u entries, expected %s", d->rhs_group.n,
                        shared ? "none where the ragged dimension is batched or contracted"
                               : "1 where the ragged dimension is lhs's alone");
    if (!shared && !weft_dims_agree(rhs->dims[d->rhs_group.v[0]], sizes->dims[sizes->rank - 1]))
        return weft_bad(c, op, "operand 1 of type '%s' has not as many groups as operand 2 of type '%s'",
                        weft_text_of(c, rhs), weft_text_of(c, sizes));
    return WEFT_OK;
}

weft_status weft_infer_ragged_dot(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_ragged_dims *d = &weft_op_attr(op, WEFT_A_ragged_dot_dimension_numbers)->ragged;
    int64_t dims[2 * WEFT_MAX_RANK + 1];
    weft_status st = check_operands(c, op);
    if (st == WEFT_OK) st = weft_check_operand(c, op, 2, WEFT_IS_INTEGER);
    if (st == WEFT_OK && !op->operands[2]->type->rank)
        st = weft_bad(c, op, "operand 2 has type '%s', expected at least 1 dimension",
                      weft_text_of(c, op->operands[2]->type));
    if (st == WEFT_OK) st = check_precision_of(c, op, WEFT_ENUM_chlo_precision);
    if (st == WEFT_OK) st = check_dims(c, op, &d->dot);
    if (st == WEFT_OK) st = check_ragged(c, op, d);
    if (st != WEFT_OK) return st;
    const weft_type *sizes = op->operands[2]->type;
    bool contracted = weft_ints_has(d->dot.lhs_contract, d->lhs_ragged.v[0]);
    if (contracted) dims[0] = sizes->dims[sizes->rank - 1]; /* a product per group */
    uint32_t n = contracted + product_dims(op, &d->dot, d->rhs_group, dims + contracted);
    if (n > WEFT_MAX_RANK) return weft_bad(c, op, "the result has more than %d dimensions", WEFT_MAX_RANK);
    return set_result(c, op, types, n, dims);
}

/* Vectors and matrices: the last dimension of lhs with the first of rhs. */
weft_status weft_infer_dot(weft_checker *c, const weft_op *op, const weft_type **types) {
    weft_status st = check_operands(c, op);
    if (st == WEFT_OK) st = weft_check_precision(c, op);
    if (st != WEFT_OK) return st;
    const weft_type *lhs = op->operands[0]->type, *rhs = op->operands[1]->type;
    if (lhs->rank < 1 || lhs->rank > 2 || rhs->rank < 1 || rhs->rank > 2 ||
        !weft_dims_agree(lhs->dims[lhs->rank - 1], rhs->dims[0]))
        return weft_bad(c, op, "operands of type '%s' and '%s' are not vectors or matrices that fit",
                        weft_text_of(c, lhs), weft_text_of(c, rhs));
    int64_t dims[2];
    uint32_t n = 0;
    if (lhs->rank == 2) dims[n++] = lhs->dims[0];
    if (rhs->rank == 2) dims[n++] = rhs->dims[1];
    return set_result(c, op, types, n, dims);
}
