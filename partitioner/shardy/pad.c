/* pad.c: sizes, masks, and how an op is written by its rule; see pad.h. */
#include "ir/index_type.h"
#include "partitioner/shardy/pad.h"
#include "sharding/values.h"

int64_t weft_pad_size(const weft_padder *p, const weft_value *v, uint32_t d) {
    const weft_sharding *s = p->of[v->id];
    int64_t n = v->type->dims[d];
    return s && d < s->rank && n > 0 ? weft_round_up(n, weft_dim_shards(s, d)) : n;
}

const weft_type *weft_pad_type(weft_padder *p, const weft_value *v) {
    int64_t dims[WEFT_MAX_RANK];
    bool same = true;
    if (!weft_type_is_tensor(v->type)) return v->type;
    for (uint32_t d = 0; d < v->type->rank; d++) {
        dims[d] = weft_pad_size(p, v, d);
        same = same && dims[d] == v->type->dims[d];
    }
    return same ? v->type : weft_type_with_dims(p->cx, v->type, v->type->rank, dims);
}

weft_padded weft_pad_value(const weft_padder *p, const weft_value *v) {
    return (weft_padded){ p->rewrite->map.to[v->id], p->zero[v->id] };
}

bool weft_pad_is_dirty(const weft_value *v, const weft_padded *x, uint32_t d) {
    return x->v->type->dims[d] != v->type->dims[d] && !weft_bits_has(x->zero, d);
}

bool weft_pad_touches(weft_padder *p, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *to = p->rewrite->map.to[op->operands[i]->id];
        if (to && to->type != op->operands[i]->type && weft_type_is_tensor(to->type)) return true;
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_type *type = op->results[i].type;
        for (uint32_t d = 0; weft_type_is_tensor(type) && d < type->rank; d++)
            if (weft_pad_size(p, &op->results[i], d) != type->dims[d]) return true;
    }
    return false;
}

weft_status weft_pad_result_type(weft_padder *p, const weft_op *func, uint32_t result, const weft_type **out) {
    const weft_type *type = weft_func_type(func)->parts[weft_func_type(func)->input_count + result];
    int64_t dims[WEFT_MAX_RANK];
    const weft_sharding *s = NULL;
    *out = type;
    if (p->where != WEFT_PAD_BORDERS || !weft_type_is_tensor(type)) return WEFT_OK;
    weft_status st = weft_func_result_sharding(p->shardings, func, result, &s);
    if (st != WEFT_OK || !s) return st;
    for (uint32_t d = 0; d < type->rank; d++)
        dims[d] = d < s->rank ? weft_round_up(type->dims[d], weft_dim_shards(s, d)) : type->dims[d];
    *out = weft_type_with_dims(p->cx, type, type->rank, dims);
    return *out ? WEFT_OK : weft_oom();
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static void shard_as(weft_padder *p, const weft_sharding *s, weft_value *x) {
    const weft_attr *a = s ? weft_sharding_to_per_value(p->shardings, s) : NULL;
    if (!x || !s) return;
    weft_status st = a ? weft_op_set(p->rewrite->out, x->def, WEFT_A_sdy_sharding, a) : weft_oom();
    if (st != WEFT_OK) p->b->status = st;
}

void weft_pad_shard_like(weft_padder *p, const weft_value *v, weft_value *x) { shard_as(p, p->of[v->id], x); }

static weft_status report_uneven(weft_padder *p, const weft_op *op, const weft_value *v, uint32_t d) {
    return weft_report(p->cx, WEFT_D_partition, op->loc,
                       "%s cannot pad dimension %u: %lld elements on %lld devices; gather it before", op->name->text, d,
                       (long long)v->type->dims[d], (long long)weft_dim_shards(p->of[v->id], d));
}

/* The parts of x along d, one after the other on each device; *s, its sharding, is then without d's axes. */
static weft_value *gather_along(weft_padder *p, weft_value *x, uint32_t d, const weft_sharding **s) {
    weft_axis_list lists[WEFT_MAX_RANK] = { 0 };
    weft_dim dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < (*s)->rank; i++) dims[i] = (*s)->dims[i];
    for (uint32_t i = 0; i < dims[d].axes.n; i++) weft_axis_list_push(&lists[d], dims[d].axes.v[i]);
    dims[d] = (weft_dim){ .priority = WEFT_NO_PRIORITY };
    const weft_attr *axes = weft_axis_lists_to_attr(p->cx, (*s)->mesh, lists, (*s)->rank);
    *s = weft_sharding_make(p->shardings, (*s)->mesh, (*s)->rank, dims, (*s)->replicated, (*s)->unreduced);
    weft_attr_pair attrs[] = { { WEFT_A_out_sharding, *s ? weft_sharding_to_attr(p->shardings, *s) : NULL },
                               { WEFT_A_gathering_axes, axes } };
    weft_value *v =
        axes && attrs[0].value ? weft_build_1(p->b, WEFT_OP_sdy_all_gather, x->type, &x, 1, attrs, 2) : NULL;
    if (!v && p->b->status == WEFT_OK) p->b->status = weft_oom();
    return v;
}

weft_status weft_pad_resize(weft_padder *p, const weft_op *op, const weft_value *v, const int64_t *dims,
                            weft_padded *x) {
    int64_t none[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK], more[WEFT_MAX_RANK], step[WEFT_MAX_RANK];
    bool cuts = false, grows = false;
    if (!x->v || !weft_type_is_tensor(v->type)) return p->b->status;
    const weft_sharding *s = p->of[v->id];
    for (uint32_t d = 0; d < v->type->rank; d++) {
        int64_t has = x->v->type->dims[d];
        if (dims[d] < has && s && d < s->rank && dims[d] % weft_dim_shards(s, d)) {
            if (dims[d] != 1) return report_uneven(p, op, v, d);
            if (!(x->v = gather_along(p, x->v, d, &s))) return p->b->status;
        }
        high[d] = weft_min_i64(dims[d], has);
        more[d] = dims[d] - high[d];
        step[d] = 1;
        cuts = cuts || high[d] < has;
        grows = grows || more[d];
        /* what is put after dirty padding does not make it clean */
        if (weft_pad_is_dirty(v, x, d) && high[d] != v->type->dims[d]) x->zero &= ~weft_bit(d);
        else x->zero |= weft_bit(d);
    }
    if (cuts) shard_as(p, s, x->v = weft_build_slice(p->b, x->v, none, high, step));
    if (!grows || !x->v) return p->b->status;
    weft_value *zero = weft_build_splat(p->b, weft_type_tensor(p->cx, x->v->type->dtype, 0, NULL), 0);
    shard_as(p, s, x->v = weft_build_pad(p->b, x->v, zero, none, more, none));
    return p->b->status;
}

/* --- masks -------------------------------------------------------------------------------------------------------- */

/* i1 in the shape of x: which elements lie before `size` along d. */
static weft_value *own_elements(weft_padder *p, const weft_value *v, const weft_value *x, uint32_t d, int64_t size) {
    weft_dtype dtype = weft_index_dtype(x->type->dims[d]);
    const weft_type *type = weft_type_with_dtype(p->cx, x->type, dtype),
                    *scalar = weft_type_tensor(p->cx, dtype, 0, NULL);
    weft_attr_pair along[] = { { WEFT_A_iota_dimension, weft_attr_i64(p->cx, d) } };
    weft_attr_pair less[] = { { WEFT_A_comparison_direction, weft_attr_enum(p->cx, WEFT_comparison_direction_LT) } };
    weft_value *sides[2] = { weft_build_1(p->b, WEFT_OP_iota, type, NULL, 0, along, 1), NULL };
    weft_pad_shard_like(p, v, sides[0]);
    sides[1] = weft_build_broadcast(p->b, weft_build_integer(p->b, scalar, size), type, NULL);
    weft_pad_shard_like(p, v, sides[1]);
    if (!sides[1]) return NULL;
    weft_value *mine =
        weft_build_1(p->b, WEFT_OP_compare, weft_type_with_dtype(p->cx, x->type, WEFT_I1), sides, 2, less, 1);
    weft_pad_shard_like(p, v, mine);
    return mine;
}

void weft_pad_mask(weft_padder *p, const weft_value *v, weft_bits dims, weft_value *fill, weft_padded *x) {
    weft_value *mask = NULL;
    if (!x->v || !fill) return;
    for (uint32_t d = 0; d < v->type->rank && p->b->status == WEFT_OK; d++) {
        if (!weft_bits_has(dims, d) || x->v->type->dims[d] == v->type->dims[d]) continue;
        weft_value *mine = own_elements(p, v, x->v, d, v->type->dims[d]);
        mask = mask && mine ? weft_build_binary(p->b, WEFT_OP_and, mask, mine) : mine;
        if (mask && mask != mine) weft_pad_shard_like(p, v, mask);
        x->zero &= ~weft_bit(d);
    }
    if (!mask) return;
    weft_value *select[3] = { mask, x->v, weft_build_broadcast(p->b, fill, x->v->type, NULL) };
    weft_pad_shard_like(p, v, select[2]);
    x->v = select[2] ? weft_build_1(p->b, WEFT_OP_select, x->v->type, select, 3, NULL, 0) : NULL;
    weft_pad_shard_like(p, v, x->v);
}

void weft_pad_mask_zero(weft_padder *p, const weft_value *v, weft_bits dims, weft_padded *x) {
    weft_bits dirty = 0;
    for (uint32_t d = 0; x->v && d < v->type->rank; d++)
        if (weft_bits_has(dims, d) && weft_pad_is_dirty(v, x, d)) dirty |= weft_bit(d);
    if (!dirty) return;
    weft_pad_mask(p, v, dirty, weft_build_splat(p->b, weft_type_tensor(p->cx, v->type->dtype, 0, NULL), 0), x);
    x->zero |= dirty;
}

/* --- ops ---------------------------------------------------------------------------------------------------------- */

weft_status weft_pad_open(weft_padder *p, const weft_op *op, weft_padding *out) {
    out->operands = weft_scratch_array(p->cx, weft_padded, op->operand_count);
    out->results = weft_scratch_array(p->cx, const weft_type *, op->result_count);
    if (!out->operands || !out->results) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) out->operands[i] = weft_pad_value(p, op->operands[i]);
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!(out->results[i] = weft_pad_type(p, &op->results[i]))) return weft_oom();
    return WEFT_OK;
}

/* The factor that is all of dimension d of tensor t and may be padded, or -1. */
static int factor_at(const weft_rule *rule, weft_bits uneven, uint32_t t, uint32_t d) {
    weft_rule_dim dim = rule && d < rule->tensors[t].rank ? rule->tensors[t].dims[d] : (weft_rule_dim){ 0, 0 };
    return dim.n == 1 && weft_bits_has(uneven, rule->factors[dim.first]) ? rule->factors[dim.first] : -1;
}

weft_status weft_pad_by_rule(weft_padder *p, const weft_op *op, weft_padding *out) {
    const weft_rule *rule = NULL;
    int64_t size[WEFT_MAX_FACTORS] = { 0 }, dims[WEFT_MAX_RANK];
    weft_status st = weft_pad_open(p, op, out);
    if (st == WEFT_OK) st = weft_rule_of(p->rules, op, WEFT_RULE_LIBERAL, NULL, &rule);
    weft_bits uneven = rule ? p->uneven_factors(op, rule) : 0;
    int f;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count + op->result_count; i++) {
        bool in = i < op->operand_count;
        const weft_type *type = in ? out->operands[i].v->type : out->results[i - op->operand_count];
        for (uint32_t d = 0; weft_type_is_tensor(type) && d < type->rank; d++)
            if ((f = factor_at(rule, uneven, i, d)) >= 0) size[f] = weft_max_i64(size[f], type->dims[d]);
    }
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        const weft_type *type = op->operands[i]->type;
        if (!weft_type_is_tensor(type)) continue;
        for (uint32_t d = 0; d < type->rank; d++)
            dims[d] = (f = factor_at(rule, uneven, i, d)) >= 0 ? size[f] : type->dims[d];
        st = weft_pad_resize(p, op, op->operands[i], dims, &out->operands[i]);
    }
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        const weft_type *type = op->results[i].type;
        if (!weft_type_is_tensor(type)) continue;
        for (uint32_t d = 0; st == WEFT_OK && d < type->rank; d++) {
            dims[d] = (f = factor_at(rule, uneven, op->operand_count + i, d)) >= 0 ? size[f] : type->dims[d];
            if (dims[d] < out->results[i]->dims[d]) st = report_uneven(p, op, &op->results[i], d);
        }
        if (st == WEFT_OK && !(out->results[i] = weft_type_with_dims(p->cx, type, type->rank, dims))) st = weft_oom();
    }
    return st;
}

weft_status weft_pad_close(weft_padder *p, const weft_op *op, const weft_padding *with, weft_op **out) {
    if (p->b->status != WEFT_OK) return p->b->status;
    weft_op *made = weft_clone_shell(p->b, op, &p->rewrite->map, with->results);
    if (!made) return p->b->status;
    for (uint32_t i = 0; i < op->operand_count; i++) made->operands[i] = with->operands[i].v;
    if (out) *out = made;
    weft_status st = weft_op_attr(op, WEFT_A_sdy_sharding_rule)
                         ? weft_op_set(p->rewrite->out, made, WEFT_A_sdy_sharding_rule, NULL)
                         : WEFT_OK;
    return st == WEFT_OK ? weft_rewrite_regions(p->rewrite, op, made) : st;
}

weft_status weft_pad_finish(weft_padder *p, const weft_op *op, uint32_t i, const int64_t *dims) {
    weft_padded x = weft_pad_value(p, &op->results[i]);
    weft_status st = weft_pad_resize(p, op, &op->results[i], dims, &x);
    p->rewrite->map.to[op->results[i].id] = x.v;
    p->zero[op->results[i].id] = x.zero;
    return st;
}
