/* values.c: shardings of values in a module; see values.h. */
#include "sharding/values.h"

static const weft_attr *entry_of(const weft_attr *per_value, uint32_t i) {
    return per_value && per_value->kind == WEFT_ATTR_SHARDINGS && i < per_value->items.n ? per_value->items.v[i] : NULL;
}

static const weft_attr *result_sharding(const weft_op *op, uint32_t result) {
    weft_op_kind kind = (weft_op_kind)op->kind;
    if (weft_op_kind_has_attr(kind, WEFT_A_sharding)) return weft_op_attr(op, WEFT_A_sharding);
    if (weft_op_kind_has_attr(kind, WEFT_A_out_sharding)) return weft_op_attr(op, WEFT_A_out_sharding);
    if (weft_op_kind_has_attr(kind, WEFT_A_out_shardings))
        return entry_of(weft_op_attr(op, WEFT_A_out_shardings), result);
    const weft_attr *a = weft_op_attr(op, WEFT_A_sdy_sharding);
    return a && a->kind == WEFT_ATTR_SHARDING && op->result_count == 1 ? a : entry_of(a, result);
}

const weft_attr *weft_value_sharding_attr(const weft_value *v) {
    if (v->def) return result_sharding(v->def, v->index);
    const weft_op *owner = v->block->parent->parent;
    if (owner->kind == WEFT_OP_func) return weft_func_arg_attr(owner, v->index, WEFT_A_sdy_sharding);
    if (weft_op_kind_has_attr((weft_op_kind)owner->kind, WEFT_A_in_shardings))
        return entry_of(weft_op_attr(owner, WEFT_A_in_shardings), v->index);
    return NULL;
}

const weft_attr *weft_func_result_sharding_attr(const weft_op *f, uint32_t result) {
    return weft_func_result_attr(f, result, WEFT_A_sdy_sharding);
}

bool weft_op_attr_says_sharding(const weft_op *op, weft_name name) {
    switch (name->id) {
    case WEFT_A_sdy_sharding: case WEFT_A_weft_given_shardings: return true;
    case WEFT_A_sharding: case WEFT_A_out_sharding: case WEFT_A_in_shardings: case WEFT_A_out_shardings:
        return weft_op_kind_has_attr((weft_op_kind)op->kind, name->id);
    default: return false;
    }
}

weft_status weft_value_sharding(weft_shardings *t, const weft_value *v, const weft_sharding **out) {
    const weft_attr *a = weft_value_sharding_attr(v);
    *out = NULL;
    return a ? weft_sharding_from_attr(t, a, weft_value_loc(v), out) : WEFT_OK;
}

weft_status weft_func_result_sharding(weft_shardings *t, const weft_op *f, uint32_t result, const weft_sharding **out) {
    const weft_attr *a = weft_func_result_sharding_attr(f, result);
    *out = NULL;
    return a ? weft_sharding_from_attr(t, a, f->loc, out) : WEFT_OK;
}

weft_status weft_op_set_shardings_attr(weft_shardings *t, weft_module *m, weft_op *op, weft_attr_name name,
                                       const weft_sharding *const *items, uint32_t n) {
    weft_arena *scratch = &m->cx->scratch;
    weft_mark mark = weft_arena_mark(scratch);
    weft_status st = weft_oom();
    const weft_attr **v = weft_arena_array(scratch, const weft_attr *, n), *all;
    if (!v) goto out;
    for (uint32_t i = 0; i < n; i++)
        if (!(v[i] = weft_sharding_to_attr(t, items[i]))) goto out;
    all = weft_attr_copy(m->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { v, n } });
    if (all) st = weft_op_set(m, op, name, all);
out:
    weft_arena_reset(scratch, mark);
    return st;
}

static unsigned attr_mentions(const weft_attr *a) {
    unsigned found = 0;
    if (a->kind == WEFT_ATTR_SHARDING)
        return (a->sharding.unreduced.n ? WEFT_MENTIONS_UNREDUCED : 0) |
               (a->sharding.mesh->kind == WEFT_ATTR_MESH ? WEFT_MENTIONS_WRITTEN_MESH : 0);
    if (a->kind == WEFT_ATTR_SHARDINGS || a->kind == WEFT_ATTR_ARRAY)
        for (uint32_t i = 0; i < a->items.n; i++) found |= attr_mentions(a->items.v[i]);
    if (a->kind == WEFT_ATTR_DICT)
        for (uint32_t i = 0; i < a->entries.n; i++) found |= attr_mentions(a->entries.v[i].value);
    return found;
}

static unsigned op_mentions(const weft_op *op) {
    unsigned found = 0;
    for (uint32_t i = 0; i < op->attr_count; i++) found |= attr_mentions(op->attrs[i].value);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b) found |= op_mentions(inner);
    return found;
}

unsigned weft_module_mentions(const weft_module *m) { return op_mentions(m->root); }

static uint32_t rank_of(const weft_type *type) { return weft_type_is_tensor(type) ? type->rank : 0; }

static weft_status set_per_value(weft_shardings *t, weft_module *m, weft_op *op, weft_attr_name name,
                                 const weft_sharding *const *of, const weft_mesh *mesh) {
    weft_arena *scratch = &m->cx->scratch;
    weft_mark mark = weft_arena_mark(scratch);
    weft_status st = weft_oom();
    const weft_sharding **items = weft_arena_array(scratch, const weft_sharding *, op->result_count);
    if (!items) goto out;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!(items[i] = of[i] ? of[i] : weft_sharding_empty(t, mesh, rank_of(op->results[i].type), WEFT_OPEN)))
            goto out;
    st = weft_op_set_shardings_attr(t, m, op, name, items, op->result_count);
out:
    weft_arena_reset(scratch, mark);
    return st;
}

static weft_status set_single(weft_shardings *t, weft_module *m, weft_op *op, weft_attr_name name,
                              const weft_sharding *s) {
    const weft_attr *a = weft_sharding_to_attr(t, s);
    return a ? weft_op_set(m, op, name, a) : weft_oom();
}

weft_status weft_op_set_shardings(weft_shardings *t, weft_module *m, weft_op *op, const weft_sharding *const *of) {
    weft_op_kind kind = (weft_op_kind)op->kind;
    uint32_t first = 0;
    while (first < op->result_count && !of[first]) first++;
    if (first == op->result_count) return weft_op_set(m, op, WEFT_A_sdy_sharding, NULL);
    if (weft_op_kind_has_attr(kind, WEFT_A_sharding)) return set_single(t, m, op, WEFT_A_sharding, of[0]);
    if (weft_op_kind_has_attr(kind, WEFT_A_out_sharding)) return set_single(t, m, op, WEFT_A_out_sharding, of[0]);
    weft_attr_name name =
        weft_op_kind_has_attr(kind, WEFT_A_out_shardings) ? WEFT_A_out_shardings : WEFT_A_sdy_sharding;
    if (op->result_count == 1) {
        const weft_attr *one = weft_sharding_to_per_value(t, of[0]);
        return one ? weft_op_set(m, op, name, one) : weft_oom();
    }
    return set_per_value(t, m, op, name, of, of[first]->mesh);
}

/* dict with its entry for sdy.sharding set, or removed when value is NULL. */
static const weft_attr *with_sharding(weft_context *cx, const weft_attr *dict, const weft_attr *value) {
    uint32_t n = dict ? dict->entries.n : 0, kept = 0;
    weft_name name = weft_name_from(cx, weft_attr_names[WEFT_A_sdy_sharding]);
    weft_named_attr *v = weft_scratch_array(cx, weft_named_attr, n + 1);
    if (!v || !name) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (dict->entries.v[i].name != name) v[kept++] = dict->entries.v[i];
    if (value) v[kept++] = (weft_named_attr){ name, value };
    return weft_attr_dict(cx, v, kept);
}

static weft_status set_dicts(weft_shardings *t, weft_module *m, weft_op *f, weft_attr_name name,
                             const weft_sharding *const *of, uint32_t n) {
    weft_context *cx = m->cx;
    const weft_attr *old = weft_op_attr(f, name), *all;
    const weft_attr **v = weft_scratch_array(cx, const weft_attr *, n);
    bool any = false;
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        const weft_attr *value = of[i] ? weft_sharding_to_attr(t, of[i]) : NULL;
        v[i] = with_sharding(cx, old && i < old->items.n ? old->items.v[i] : NULL, value);
        if (!v[i] || (of[i] && !value)) return weft_oom();
        any |= v[i]->entries.n > 0;
    }
    if (!any) return weft_op_set(m, f, name, NULL);
    all = weft_attr_array(cx, v, n);
    return all ? weft_op_set(m, f, name, all) : weft_oom();
}

weft_status weft_func_set_shardings(weft_shardings *t, weft_module *m, weft_op *f, const weft_sharding *const *args,
                                    const weft_sharding *const *results) {
    const weft_type *type = weft_func_type(f);
    weft_mark mark = weft_arena_mark(&m->cx->scratch);
    weft_status st = WEFT_OK;
    if (args) st = set_dicts(t, m, f, WEFT_A_arg_attrs, args, type->input_count);
    if (st == WEFT_OK && results)
        st = set_dicts(t, m, f, WEFT_A_res_attrs, results, type->part_count - type->input_count);
    weft_arena_reset(&m->cx->scratch, mark);
    return st;
}
