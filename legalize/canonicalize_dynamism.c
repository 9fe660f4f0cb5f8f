/* canonicalize_dynamism: replaces dynamic ops whose shapes are constants by the static ops.
 *
 * Pass stablehlo-canonicalize-dynamism, as in StableHLO's own tool. Needs: static result types (stablehlo-refine-shapes
 * gives them). Leaves: dynamic ops only where a shape is not a constant. Source: StableHLO docs/spec.md, dynamic_*; the
 * dialect's documentation of real_dynamic_slice and set_dimension_size.
 */
#include "legalize/chlo.h"
#include "legalize/dynamism.h"
#include "legalize/legalize.h"

typedef struct form {
    weft_builder *b;
    const weft_op *op;
    weft_value *const *in;
    const lg_known *const *known;
    const weft_type *type;  /* of the result */
} form;

static const weft_attr *ints(const form *f, const int64_t *v, uint32_t n) {
    return weft_attr_ints(f->b->m->cx, WEFT_I64, v, n);
}

static weft_value *made(const form *f, weft_op_kind kind, uint32_t operands, const weft_attr_pair *attrs, uint32_t n) {
    return weft_build_1(f->b, kind, f->type, f->in, operands, attrs, n);
}

static weft_value *broadcast(const form *f) {
    weft_attr_pair a = { WEFT_A_broadcast_dimensions, weft_op_attr(f->op, WEFT_A_broadcast_dimensions) };
    return made(f, WEFT_OP_broadcast_in_dim, 1, &a, 1);
}

static weft_value *reshape(const form *f) { return made(f, WEFT_OP_reshape, 1, NULL, 0); }

static weft_value *iota(const form *f) {
    weft_attr_pair a = { WEFT_A_iota_dimension, weft_op_attr(f->op, WEFT_A_iota_dimension) };
    return made(f, WEFT_OP_iota, 0, &a, 1);
}

static weft_value *pad(const form *f) {
    const uint32_t n = f->type->rank;
    weft_attr_pair a[] = { { WEFT_A_edge_padding_low, ints(f, f->known[2]->v, n) },
                           { WEFT_A_edge_padding_high, ints(f, f->known[3]->v, n) },
                           { WEFT_A_interior_padding, ints(f, f->known[4]->v, n) } };
    return made(f, WEFT_OP_pad, 2, a, 3);
}

static weft_value *gather(const form *f) {
    weft_attr_pair a[3] = { { WEFT_A_dimension_numbers, weft_op_attr(f->op, WEFT_A_dimension_numbers) },
                            { WEFT_A_slice_sizes, ints(f, f->known[2]->v, (uint32_t)f->known[2]->n) },
                            { WEFT_A_indices_are_sorted, weft_op_attr(f->op, WEFT_A_indices_are_sorted) } };
    return made(f, WEFT_OP_gather, 2, a, a[2].value ? 3 : 2);
}

static weft_value *convolution(const form *f) {
    static const weft_attr_name kept[] = { WEFT_A_window_strides,    WEFT_A_lhs_dilation,
                                           WEFT_A_rhs_dilation,      WEFT_A_window_reversal,
                                           WEFT_A_dimension_numbers, WEFT_A_feature_group_count,
                                           WEFT_A_batch_group_count, WEFT_A_precision_config };
    weft_attr_pair a[WEFT_COUNT(kept) + 1];
    uint32_t n = 0;
    for (size_t i = 0; i < WEFT_COUNT(kept); i++) {
        const weft_attr *v = weft_op_attr(f->op, kept[i]);
        if (v) a[n++] = (weft_attr_pair){ kept[i], v };
    }
    a[n++] = (weft_attr_pair){ WEFT_A_padding,
                               weft_attr_dense_i64(f->b->m->cx, f->known[2]->rank, f->known[2]->dims, f->known[2]->v) };
    return made(f, WEFT_OP_convolution, 2, a, n);
}

static weft_value *slice(const form *f) {
    const uint32_t n = f->type->rank;
    weft_attr_pair a[] = { { WEFT_A_start_indices, ints(f, f->known[1]->v, n) },
                           { WEFT_A_limit_indices, ints(f, f->known[2]->v, n) },
                           { WEFT_A_strides, ints(f, f->known[3]->v, n) } };
    return made(f, WEFT_OP_slice, 1, a, 3);
}

/* Element i of a vector as a scalar tensor. */
static weft_value *entry(const form *f, weft_value *v, int64_t i) {
    const int64_t one = 1, end = i + 1;
    const weft_type *t1 = weft_type_with_dims(f->b->m->cx, v->type, 1, &one),
                    *t0 = weft_type_with_dims(f->b->m->cx, v->type, 0, NULL);
    if (!t1 || !t0) return NULL;
    weft_attr_pair a[] = { { WEFT_A_start_indices, ints(f, &i, 1) }, { WEFT_A_limit_indices, ints(f, &end, 1) },
                           { WEFT_A_strides, ints(f, &one, 1) } };
    weft_value *x = weft_build_1(f->b, WEFT_OP_slice, t1, &v, 1, a, 3);
    return x ? weft_build_1(f->b, WEFT_OP_reshape, t0, &x, 1, NULL, 0) : NULL;
}

/* Computed starts, known size: dynamic_slice. Elements outside have no defined value in either. */
static weft_value *dynamic_slice(const form *f) {
    weft_value *in[1 + WEFT_MAX_RANK] = { f->in[0] };
    for (uint32_t i = 0; i < f->type->rank; i++) {
        if (f->known[3]->v[i] != 1) return NULL;
        if (!(in[1 + i] = entry(f, f->in[1], i))) return NULL;
    }
    weft_attr_pair a = { WEFT_A_slice_sizes, ints(f, f->type->dims, f->type->rank) };
    return weft_build_1(f->b, WEFT_OP_dynamic_slice, f->type, in, 1 + f->type->rank, &a, 1);
}

/* The valid part of the tensor, which replaces the tensor. */
static weft_value *cut(const form *f) {
    const weft_type *t = f->in[0]->type;
    int64_t zero[WEFT_MAX_RANK] = { 0 }, one[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) one[i] = 1;
    if (!memcmp(t->dims, f->type->dims, t->rank * sizeof *t->dims)) return f->in[0];
    weft_attr_pair a[] = { { WEFT_A_start_indices, ints(f, zero, t->rank) },
                           { WEFT_A_limit_indices, ints(f, f->type->dims, t->rank) },
                           { WEFT_A_strides, ints(f, one, t->rank) } };
    return made(f, WEFT_OP_slice, 1, a, 3);
}

/* first..last: the operands that must be known. */
static const struct dynamic_form {
    weft_op_kind kind;
    uint8_t first, last;
    weft_value *(*fn)(const form *f);
} forms[] = {
    { WEFT_OP_dynamic_broadcast_in_dim, 1, 1, broadcast }, { WEFT_OP_dynamic_reshape, 1, 1, reshape }, { WEFT_OP_dynamic_iota, 0, 0, iota },
    { WEFT_OP_dynamic_pad, 2, 4, pad }, { WEFT_OP_dynamic_gather, 2, 2, gather }, { WEFT_OP_dynamic_conv, 2, 2, convolution },
    { WEFT_OP_real_dynamic_slice, 1, 3, slice }, { WEFT_OP_real_dynamic_slice, 3, 3, dynamic_slice }, { WEFT_OP_set_dimension_size, 1, 1, cut },
};

bool lg_is_dynamic_op(const weft_op *op) {
    for (size_t i = 0; i < WEFT_COUNT(forms); i++)
        if (forms[i].kind == op->kind) return true;
    return op->kind == WEFT_OP_get_dimension_size;
}

/* Whether the static type determines the shape operand: the verifier has checked that they agree if both are
 * known. */
static bool shape_is_typed(weft_op_kind k) {
    return k == WEFT_OP_dynamic_broadcast_in_dim || k == WEFT_OP_dynamic_reshape || k == WEFT_OP_dynamic_iota;
}

static bool applies(const struct dynamic_form *d, const weft_op *op, const lg_known *const *known) {
    if (d->kind != op->kind) return false;
    for (uint32_t i = d->first; i <= d->last && !shape_is_typed(op->kind); i++)
        if (!known[i]->v) return false;
    return true;
}

weft_value *lg_static_form(weft_builder *b, const weft_op *op, weft_value *const *in, const lg_known *const *known,
                           const weft_type *type) {
    const form f = { b, op, in, known, type };
    if (!weft_type_is_static(type)) return NULL;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!weft_type_is_static(in[i]->type)) return NULL;
    for (size_t i = 0; i < WEFT_COUNT(forms); i++) {
        weft_value *v = applies(&forms[i], op, known) ? forms[i].fn(&f) : NULL;
        if (v || b->status != WEFT_OK) return v;
    }
    return NULL;
}

/* ---- a result's dimensions from shape operands ---- */

static weft_status refine_one(weft_context *cx, const weft_op *op, uint32_t d, int64_t size, int64_t *dims) {
    if (dims[d] == WEFT_DYNAMIC) dims[d] = size;
    if (dims[d] == size && size >= 0) return WEFT_OK;
    if (size < 0)
        return weft_report(cx, WEFT_D_verify, op->loc, "'%s': dimension %u of the result has the size %lld",
                           op->name->text, d, (long long)size);
    return weft_report(cx, WEFT_D_verify, op->loc,
                       "'%s': dimension %u of the result is %lld by its type and %lld by its operands", op->name->text,
                       d, (long long)dims[d], (long long)size);
}

static weft_status refine_pad(weft_context *cx, const weft_op *op, const lg_known *const *known,
                              const weft_type *const *types, int64_t *dims) {
    const weft_type *from = types[0];
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; d < from->rank && st == WEFT_OK; d++) {
        if (from->dims[d] == WEFT_DYNAMIC || !known[2]->v || !known[3]->v || !known[4]->v) continue;
        const int64_t inner = weft_max_i64(from->dims[d] - 1, 0) * known[4]->v[d];
        st = refine_one(cx, op, d, from->dims[d] + known[2]->v[d] + known[3]->v[d] + inner, dims);
    }
    return st;
}

static weft_status refine_slice(weft_context *cx, const weft_op *op, const lg_known *const *known,
                                const weft_type *const *types, int64_t *dims) {
    const weft_type *from = types[0];
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; d < from->rank && st == WEFT_OK; d++) {
        if (!known[1]->v || !known[2]->v || !known[3]->v) continue;
        if (known[3]->v[d] < 1)
            return weft_report(cx, WEFT_D_verify, op->loc, "'%s': stride %u is %lld", op->name->text, d,
                               (long long)known[3]->v[d]);
        st = refine_one(cx, op, d, weft_max_i64(0, weft_ceil_div(known[2]->v[d] - known[1]->v[d], known[3]->v[d])),
                        dims);
    }
    return st;
}

static weft_status refine_gather(weft_context *cx, const weft_op *op, const lg_known *const *known,
                                 const weft_type *const *types, int64_t *dims) {
    const weft_type *indices = types[1];
    const weft_attr *a = weft_op_attr(op, WEFT_A_dimension_numbers);
    const uint32_t rank = op->results[0].type->rank;
    uint32_t batch = 0, offset = 0;
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; d < rank && st == WEFT_OK; d++) {
        bool is_offset = false;
        for (uint32_t i = 0; i < a->gather.offset_dims.n; i++) is_offset = is_offset || a->gather.offset_dims.v[i] == d;
        if (!is_offset) {
            if (batch == (uint32_t)a->gather.index_vector_dim) batch++;
            if (batch < indices->rank && indices->dims[batch] != WEFT_DYNAMIC)
                st = refine_one(cx, op, d, indices->dims[batch], dims);
            batch++;
            continue;
        }
        for (bool dropped = true; dropped && known[2]->v && offset < known[2]->n; offset += dropped) {
            dropped = false;
            for (uint32_t i = 0; i < a->gather.collapsed_slice_dims.n; i++)
                dropped = dropped || a->gather.collapsed_slice_dims.v[i] == offset;
            for (uint32_t i = 0; i < a->gather.operand_batching_dims.n; i++)
                dropped = dropped || a->gather.operand_batching_dims.v[i] == offset;
        }
        if (known[2]->v && offset < known[2]->n) st = refine_one(cx, op, d, known[2]->v[offset++], dims);
    }
    return st;
}

static weft_status refine_by_vector(weft_context *cx, const weft_op *op, const lg_known *shape, int64_t *dims) {
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; shape->v && d < op->results[0].type->rank && d < shape->n && st == WEFT_OK; d++)
        st = refine_one(cx, op, d, shape->v[d], dims);
    return st;
}

static weft_status refine_set(weft_context *cx, const weft_op *op, const lg_known *const *known,
                              const weft_type *const *types, int64_t *dims) {
    const weft_type *from = types[0];
    const uint32_t at = (uint32_t)weft_op_int(op, WEFT_A_dimension, 0);
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; d < from->rank && st == WEFT_OK; d++) {
        if (d == at && known[1]->v && from->dims[d] != WEFT_DYNAMIC && known[1]->v[0] > from->dims[d])
            return weft_report(cx, WEFT_D_verify, op->loc,
                               "'%s': the size %lld is larger than that of the operand, %lld", op->name->text,
                               (long long)known[1]->v[0], (long long)from->dims[d]);
        if (d == at && known[1]->v) { /* the type may have the bound */
            dims[d] = WEFT_DYNAMIC;
            st = refine_one(cx, op, d, known[1]->v[0], dims);
        }
        if (d != at && from->dims[d] != WEFT_DYNAMIC) st = refine_one(cx, op, d, from->dims[d], dims);
    }
    return st;
}

static weft_status refine_conv(weft_context *cx, const weft_op *op, const lg_known *const *known,
                               const weft_type *const *types, int64_t *dims) {
    const weft_conv_dims *c = &weft_op_attr(op, WEFT_A_dimension_numbers)->conv;
    const weft_ints by = weft_op_ints(op, WEFT_A_window_strides), base = weft_op_ints(op, WEFT_A_lhs_dilation),
                    window = weft_op_ints(op, WEFT_A_rhs_dilation);
    const weft_type *x = types[0], *k = types[1];
    const int64_t batch = x->dims[c->input_batch], features = k->dims[c->kernel_output_feature];
    weft_status st = WEFT_OK;
    if (batch != WEFT_DYNAMIC)
        st = refine_one(cx, op, (uint32_t)c->output_batch, batch / weft_op_int(op, WEFT_A_batch_group_count, 1), dims);
    if (st == WEFT_OK && features != WEFT_DYNAMIC) st = refine_one(cx, op, (uint32_t)c->output_feature, features, dims);
    for (uint32_t i = 0; i < c->input_spatial.n && st == WEFT_OK; i++) {
        const int64_t size = x->dims[c->input_spatial.v[i]], taps = k->dims[c->kernel_spatial.v[i]];
        if (size == WEFT_DYNAMIC || taps == WEFT_DYNAMIC || !known[2]->v || 2 * i + 1 >= known[2]->n) continue;
        const int64_t spread = size ? (size - 1) * (base.n ? base.v[i] : 1) + 1 : 0,
                      reach = taps ? (taps - 1) * (window.n ? window.v[i] : 1) + 1 : 0;
        const int64_t room = spread + known[2]->v[2 * i] + known[2]->v[2 * i + 1] - reach;
        st = refine_one(cx, op, (uint32_t)c->output_spatial.v[i], room < 0 ? 0 : room / (by.n ? by.v[i] : 1) + 1, dims);
    }
    return st;
}

static weft_status refine_by_first(weft_context *cx, const weft_op *op, const lg_known *const *known,
                                   const weft_type *const *types, int64_t *dims) {
    (void)types;
    return refine_by_vector(cx, op, known[0], dims);
}

static weft_status refine_by_second(weft_context *cx, const weft_op *op, const lg_known *const *known,
                                    const weft_type *const *types, int64_t *dims) {
    (void)types;
    return refine_by_vector(cx, op, known[1], dims);
}

static weft_status refine_by_third(weft_context *cx, const weft_op *op, const lg_known *const *known,
                                   const weft_type *const *types, int64_t *dims) {
    (void)types;
    return refine_by_vector(cx, op, known[2], dims);
}

/* Elements of one width keep the shape; others keep the leading dimensions. */
static weft_status refine_bits(weft_context *cx, const weft_op *op, const lg_known *const *known,
                               const weft_type *const *types, int64_t *dims) {
    (void)known;
    weft_status st = WEFT_OK;
    for (uint32_t d = 0; d < types[0]->rank && d < op->results[0].type->rank && st == WEFT_OK; d++)
        if (types[0]->dims[d] != WEFT_DYNAMIC) st = refine_one(cx, op, d, types[0]->dims[d], dims);
    return st;
}

static const struct {
    weft_op_kind kind;
    weft_status (*fn)(weft_context *cx, const weft_op *op, const lg_known *const *known, const weft_type *const *types,
                      int64_t *dims);
} refined[] = {
    { WEFT_OP_dynamic_broadcast_in_dim, refine_by_second }, { WEFT_OP_dynamic_reshape, refine_by_second }, { WEFT_OP_dynamic_iota, refine_by_first },
    { WEFT_OP_rng, refine_by_third }, { WEFT_OP_dynamic_pad, refine_pad }, { WEFT_OP_dynamic_gather, refine_gather },
    { WEFT_OP_real_dynamic_slice, refine_slice }, { WEFT_OP_set_dimension_size, refine_set }, { WEFT_OP_dynamic_conv, refine_conv },
    { WEFT_OP_bitcast_convert, refine_bits },
};

weft_status lg_refine_dims(weft_context *cx, const weft_op *op, const lg_known *const *known,
                           const weft_type *const *types, int64_t *dims) {
    for (size_t i = 0; i < WEFT_COUNT(refined); i++)
        if (refined[i].kind == op->kind) return refined[i].fn(cx, op, known, types, dims);
    return WEFT_OK;
}

/* ---- the pass ---- */

/* The value of a constant, possibly under sharding constraints; else NULL. */
static const weft_attr *constant_of(const weft_value *v) {
    while (v->def && v->def->kind == WEFT_OP_sdy_sharding_constraint) v = v->def->operands[0];
    return v->def && v->def->kind == WEFT_OP_constant ? weft_op_attr(v->def, WEFT_A_value) : NULL;
}

static weft_status canonicalize(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (lg_is_dynamic_call(op)) return lg_static_call(r, b, op, did);
    if (!lg_is_dynamic_op(op) || op->operand_count > 5) return WEFT_OK;
    weft_context *cx = b->m->cx;
    weft_value *in[5] = { NULL }, *v = NULL;
    const weft_type *types[5];
    lg_known value[5];
    const lg_known *known[5];
    weft_arena arena;
    weft_arena_init(&arena, &cx->chunks);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count && st == WEFT_OK; i++) {
        in[i] = r->map.to[op->operands[i]->id];
        types[i] = in[i]->type;
        known[i] = &value[i];
        st = lg_known_constant(&arena, constant_of(in[i]), &value[i]);
    }
    lg_known size = { 0 };
    if (st == WEFT_OK && op->kind == WEFT_OP_get_dimension_size) st = lg_fold(&arena, op, known, types, &size);
    if (st == WEFT_OK && size.v) v = weft_build_splat(b, op->results[0].type, (double)size.v[0]);
    else if (st == WEFT_OK) v = lg_static_form(b, op, in, known, op->results[0].type);
    weft_arena_free(&arena);
    if (!v) return st == WEFT_OK ? b->status : st;
    r->map.to[op->results[0].id] = v;
    if (v != in[0]) v->hint = op->results[0].hint;
    *did = WEFT_DONE;
    return WEFT_OK;
}

static bool wanted(const weft_op *op) { return lg_is_dynamic_op(op) || lg_is_dynamic_call(op); }

weft_status weft_pass_canonicalize_dynamism(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return lg_run(in, canonicalize, wanted, out);
}
