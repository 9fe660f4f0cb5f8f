/* local_shape.c: constants and iota on local shapes. */
#include "partitioner/lower/local_ops.h"

/* Factors that all tensors with dimensions have: nothing is split that another does not see cut. */
weft_bits weft_factors_in_all(const weft_op *op, const weft_rule *rule) {
    weft_bits set = weft_pass_factors(op, rule);
    for (uint32_t i = 0; i < rule->tensor_count; i++)
        if (rule->tensors[i].rank) set &= rule->tensors[i].factors;
    return set;
}

/* A splat is a smaller splat; other constants are held whole and sliced. */
weft_status weft_lower_constant(weft_localizer *z, const weft_op *op) {
    const weft_value *r = &op->results[0];
    const weft_placement *l = weft_local_placement(z, r);
    const weft_attr *value = weft_op_attr(op, WEFT_A_value);
    const weft_type *type = weft_local_type(z, r);
    if (!type) return weft_oom();
    if (value->kind != WEFT_ATTR_DENSE)
        return weft_report(z->cx, WEFT_D_unsupported, op->loc, "a constant that is not dense");
    if (value->dense.splat) value = weft_attr_dense(z->cx, type, value->dense.p, true);
    if (!value) return weft_oom();
    weft_value *v = weft_build_constant(z->b, value);
    if (v && v->type != type) {
        for (uint32_t i = 0; i < l->n; i++)
            v = weft_local_pad_to(z, v, l->at[i].dim,
                                  type->dims[l->at[i].dim] * weft_placement_dim_shards(z->t, l, l->at[i].dim));
        weft_value *starts[WEFT_MAX_RANK] = { NULL };
        for (uint32_t d = 0; d < type->rank; d++)
            if (weft_placement_dim(l, d).n || weft_local_listed(z))
                starts[d] = weft_local_dim_index(z, l, d, type->dims[d]);
        v = weft_local_part(z, v, type, starts);
    }
    if (v) v->hint = r->hint;
    weft_local_map(z, r, v);
    return z->b->status;
}

/* Whether every number below n is a value of the type: then adding to numbers is exact. Narrow floats that begin at 1
 * or have few digits are not asked, nor is what the type rounds or wraps round. */
static bool counts_to(weft_dtype t, int64_t n) {
    const weft_dtype_info *info = weft_dtype_of(weft_dtype_part(t));
    const bool is_signed = info->kind == WEFT_KIND_INT;
    if (info->kind == WEFT_KIND_FLOAT) return info->bits >= 32 && n <= (int64_t)1 << (info->bits == 32 ? 24 : 53);
    return info->bits - is_signed >= 63 || n <= (int64_t)1 << (info->bits - is_signed);
}

/* The numbers of this device's part along d, in the type of indices, then as the type of the result: rounded once, as
 * those of the whole. */
static weft_value *numbered(weft_localizer *z, const weft_type *type, uint32_t d, weft_value *offset) {
    const weft_type *places = weft_type_tensor(z->cx, weft_local_offset_type(z)->dtype, type->rank, type->dims);
    weft_value *v = places ? weft_build_iota(z->b, places, d) : NULL;
    v = v && offset ? weft_build_binary(z->b, WEFT_OP_add, v, weft_local_broadcast(z, offset, places)) : NULL;
    return v ? weft_build_1(z->b, WEFT_OP_convert, type, &v, 1, NULL, 0) : NULL;
}

weft_status weft_lower_iota(weft_localizer *z, const weft_op *op) {
    const weft_value *r = &op->results[0];
    uint32_t d = (uint32_t)weft_op_int(op, WEFT_A_iota_dimension, 0);
    const weft_placement *l = weft_local_placement(z, r);
    const weft_type *type = weft_local_type(z, r);
    weft_op *made = NULL;
    if (!type) return weft_oom();
    if (weft_placement_dim(l, d).n && !counts_to(r->type->dtype, r->type->dims[d])) {
        weft_local_map(z, r, numbered(z, type, d, weft_local_dim_index(z, l, d, type->dims[d])));
        return z->b->status;
    }
    weft_status st = weft_local_clone(z, op, &made);
    if (st == WEFT_OK && l->n) st = weft_local_strip(z, made);
    if (st != WEFT_OK || weft_placement_dim(l, d).n == 0) return st;
    weft_value *v = &made->results[0];
    weft_value *offset = weft_local_dim_index(z, l, d, v->type->dims[d]);
    offset = weft_local_broadcast(z, weft_local_convert(z, offset, v->type->dtype), v->type);
    weft_local_map(z, r, weft_build_binary(z->b, WEFT_OP_add, v, offset));
    return z->b->status;
}
