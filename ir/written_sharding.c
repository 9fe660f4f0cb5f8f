/* written_sharding.c: the sharding of a value in the program's text, before propagation.
 *
 * Source: Shardy, shardy/dialect/sdy/ir/utils.cc, getSharding.
 */
#include "ir/check.h"

/* axes without the manual ones, in scratch memory. */
static bool keep_free(weft_checker *c, weft_axis_refs axes, const weft_attr *manual, weft_axis_refs *out) {
    weft_axis_ref *v = weft_scratch_array(c->cx, weft_axis_ref, axes.n);
    uint32_t n = 0;
    for (uint32_t i = 0; v && i < axes.n; i++) {
        bool is_manual = false;
        for (uint32_t k = 0; k < manual->axes.n; k++) is_manual |= manual->axes.v[k].name == axes.v[i].name;
        if (!is_manual) v[n++] = axes.v[i];
    }
    *out = (weft_axis_refs){ v, n };
    return v != NULL;
}

/* The operand's sharding as seen in the body of a manual computation. */
static weft_status inside(weft_checker *c, const weft_attr *manual, const weft_attr *global, const weft_attr **out) {
    const weft_sharding_attr *s = &global->sharding;
    weft_attr *local = weft_arena_new(&c->cx->scratch, weft_attr);
    weft_dim_sharding *dims = weft_scratch_array(c->cx, weft_dim_sharding, s->rank);
    if (!local || !dims) return weft_oom();
    *local = *global;
    local->sharding.dims = dims;
    bool ok = keep_free(c, s->replicated, manual, &local->sharding.replicated) &&
              keep_free(c, s->unreduced, manual, &local->sharding.unreduced);
    for (uint32_t d = 0; ok && d < s->rank; d++) {
        dims[d] = s->dims[d];
        ok = keep_free(c, s->dims[d].axes, manual, &dims[d].axes);
    }
    *out = local;
    return ok ? WEFT_OK : weft_oom();
}

static const weft_attr *item(const weft_attr *list, uint32_t i) {
    return list && list->kind == WEFT_ATTR_SHARDINGS && i < list->items.n ? list->items.v[i] : NULL;
}

static weft_status of_argument(weft_checker *c, const weft_value *v, const weft_attr **out) {
    const weft_op *op = v->block && v->block->parent ? v->block->parent->parent : NULL;
    const weft_attr *a = NULL, *manual;
    if (!op) return WEFT_OK;
    switch ((int)op->kind) {
    case WEFT_OP_func: a = weft_func_arg_attr(op, v->index, WEFT_A_sdy_sharding); break;
    case WEFT_OP_while: a = item(weft_op_attr(op, WEFT_A_sdy_sharding), v->index); break;
    case WEFT_OP_sdy_named_computation: a = item(weft_op_attr(op, WEFT_A_in_shardings), v->index); break;
    case WEFT_OP_sdy_manual_computation:
        a = item(weft_op_attr(op, WEFT_A_in_shardings), v->index);
        manual = weft_op_attr(op, WEFT_A_manual_axes);
        if (a && a->kind == WEFT_ATTR_SHARDING && manual && manual->kind == WEFT_ATTR_AXES)
            return inside(c, manual, a, out);
        break;
    }
    *out = a && a->kind == WEFT_ATTR_SHARDING ? a : NULL;
    return WEFT_OK;
}

weft_status weft_written_sharding(weft_checker *c, const weft_value *v, const weft_attr **out) {
    static const weft_attr_name own[] = { WEFT_A_sharding, WEFT_A_out_sharding };
    *out = NULL;
    if (!v->def) return of_argument(c, v, out);
    for (size_t i = 0; i < WEFT_COUNT(own); i++) {
        const weft_attr *a = weft_op_kind_has_attr(v->def->kind, own[i]) ? weft_op_attr(v->def, own[i]) : NULL;
        if (a && a->kind == WEFT_ATTR_SHARDING) return *out = a, WEFT_OK;
    }
    bool computation = v->def->kind == WEFT_OP_sdy_manual_computation || v->def->kind == WEFT_OP_sdy_named_computation;
    const weft_attr *a = item(weft_op_attr(v->def, computation ? WEFT_A_out_shardings : WEFT_A_sdy_sharding), v->index);
    if (a && a->kind == WEFT_ATTR_SHARDING) *out = a;
    return WEFT_OK;
}

/* ---- unreduced axes ---- */

static const char *const by_name[] = { [WEFT_BY_SUM] = "sum", [WEFT_BY_MAX] = "max", [WEFT_BY_MIN] = "min" };

static void reach(const weft_mesh_attr *mesh, const weft_axis_ref *a, int64_t *from, int64_t *to) {
    *from = a->size ? a->pre_size : 1;
    *to = a->size ? a->pre_size * a->size : weft_mesh_axis_size(mesh, a->name);
}

static bool parts_meet(const weft_mesh_attr *mesh, const weft_axis_ref *a, const weft_axis_ref *b) {
    int64_t a0, a1, b0, b1;
    if (a->name != b->name) return false;
    reach(mesh, a, &a0, &a1);
    reach(mesh, b, &b0, &b1);
    return a0 < b1 && b0 < a1;
}

/* Every part of a is in some axis of list. */
static bool covered(const weft_mesh_attr *mesh, const weft_axis_ref *a, weft_axis_refs list) {
    int64_t at, end, from, to;
    reach(mesh, a, &at, &end);
    for (bool moved = true; at < end && moved;) {
        moved = false;
        for (uint32_t i = 0; i < list.n && !moved; i++) {
            if (list.v[i].name != a->name) continue;
            reach(mesh, &list.v[i], &from, &to);
            if ((moved = from <= at && to > at)) at = to;
        }
    }
    return at >= end;
}

static const weft_axis_ref *first_not_in(const weft_mesh_attr *mesh, weft_axis_refs of, weft_axis_refs in) {
    for (uint32_t i = 0; i < of.n; i++)
        if (!covered(mesh, &of.v[i], in)) return &of.v[i];
    return NULL;
}

weft_status weft_check_unreduced_change(weft_checker *c, const weft_op *op, const weft_mesh_attr *mesh,
                                        const weft_sharding_attr *in, const weft_sharding_attr *out,
                                        const weft_unreduced_change *may) {
    const weft_axis_ref *added = first_not_in(mesh, out->unreduced, in->unreduced),
                        *removed = first_not_in(mesh, in->unreduced, out->unreduced);
    if (added && !may->add) return weft_bad_sharding(c, op, "cannot add new unreduced axis '%s'.", added->name->text);
    if (added && out->unreduced_by != may->added_by)
        return weft_bad_sharding(c, op, "cannot introduce '%s' unreduced axes. Expected '%s'.",
                                 by_name[out->unreduced_by], by_name[may->added_by]);
    if (removed && in->unreduced_by != may->removed_by)
        return weft_bad_sharding(c, op, "cannot reduce '%s' unreduced axes. Expected '%s'.", by_name[in->unreduced_by],
                                 by_name[may->removed_by]);
    for (uint32_t i = 0; i < out->unreduced.n; i++)
        for (uint32_t k = 0; k < in->unreduced.n; k++)
            if (in->unreduced_by != out->unreduced_by && parts_meet(mesh, &out->unreduced.v[i], &in->unreduced.v[k]))
                return weft_bad_sharding(c, op,
                                         "cannot change the reduction operator of kept unreduced axes from %s to %s.",
                                         by_name[in->unreduced_by], by_name[out->unreduced_by]);
    return WEFT_OK;
}
