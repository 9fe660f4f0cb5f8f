/* data_flow.c: values that are equal; see data_flow.h. */
#include "sharding/data_flow.h"

static const struct { weft_op_kind op; weft_flow_kind flow; } flows[] = {
    { WEFT_OP_while, WEFT_FLOWS_LOOP },
    { WEFT_OP_case, WEFT_FLOWS_BRANCH },
    { WEFT_OP_optimization_barrier, WEFT_FLOWS_STRAIGHT },
    { WEFT_OP_sdy_manual_computation, WEFT_FLOWS_COMPUTATION },
    { WEFT_OP_sdy_named_computation, WEFT_FLOWS_COMPUTATION },
};

weft_flow_kind weft_flow_of(const weft_op *op) {
    for (size_t i = 0; i < WEFT_COUNT(flows); i++)
        if (flows[i].op == op->kind) return flows[i].flow;
    return WEFT_FLOWS_NOT;
}

bool weft_flow_may_be_in(const weft_module *m) {
    for (size_t i = 0; i < WEFT_COUNT(flows); i++)
        if (weft_module_had(m, flows[i].op)) return true;
    return false;
}

static const weft_op *op_of(const weft_value *v) { return v->def ? v->def : v->block->parent->parent; }

const weft_value *weft_flow_owner(const weft_value *v) {
    const weft_op *op = op_of(v);
    switch (weft_flow_of(op)) {
    case WEFT_FLOWS_NOT: return NULL;
    case WEFT_FLOWS_LOOP: return v->index < op->result_count ? &op->results[v->index] : NULL;
    case WEFT_FLOWS_BRANCH:
    case WEFT_FLOWS_STRAIGHT: return v->def ? v : NULL;
    case WEFT_FLOWS_COMPUTATION: return v;
    }
    return NULL;
}

const weft_op *weft_flow_op(const weft_value *owner) { return weft_flow_owner(owner) == owner ? op_of(owner) : NULL; }

static const weft_value *returned(const weft_op *op, uint32_t region, uint32_t i) {
    const weft_block *body = weft_op_body(op, region);
    return body && body->last && i < body->last->operand_count ? body->last->operands[i] : NULL;
}

uint32_t weft_flow_source_count(const weft_value *owner) {
    const weft_op *op = op_of(owner);
    switch (weft_flow_of(op)) {
    case WEFT_FLOWS_NOT: return 0;
    case WEFT_FLOWS_LOOP: return 2;
    case WEFT_FLOWS_BRANCH: return op->region_count;
    case WEFT_FLOWS_STRAIGHT:
    case WEFT_FLOWS_COMPUTATION: return 1;
    }
    return 0;
}

const weft_value *weft_flow_source(const weft_value *owner, uint32_t i) {
    const weft_op *op = op_of(owner);
    const weft_value *operand = owner->index < op->operand_count ? op->operands[owner->index] : NULL;
    switch (weft_flow_of(op)) {
    case WEFT_FLOWS_NOT: return NULL;
    case WEFT_FLOWS_LOOP: return i == 0 ? operand : returned(op, 1, owner->index);
    case WEFT_FLOWS_BRANCH: return returned(op, i, owner->index);
    case WEFT_FLOWS_STRAIGHT: return operand;
    case WEFT_FLOWS_COMPUTATION: return owner->def ? returned(op, 0, owner->index) : operand;
    }
    return NULL;
}

const weft_value *weft_flow_owner_of_source(const weft_op *op, uint32_t operand) {
    bool inside = weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR);
    const weft_op *flow = inside ? weft_op_parent(op) : op;
    if (!flow) return NULL;
    switch (weft_flow_of(flow)) {
    case WEFT_FLOWS_NOT: return NULL;
    case WEFT_FLOWS_LOOP: /* the condition returns no value of the loop */
        return (!inside || op->parent->parent == &flow->regions[1]) && operand < flow->result_count
                   ? &flow->results[operand]
                   : NULL;
    case WEFT_FLOWS_BRANCH: return inside && operand < flow->result_count ? &flow->results[operand] : NULL;
    case WEFT_FLOWS_STRAIGHT: return operand < flow->result_count ? &flow->results[operand] : NULL;
    case WEFT_FLOWS_COMPUTATION: /* as in Shardy, an operand's edge is not told at once: its next round finds the change
                                  */
        return inside && operand < flow->result_count ? &flow->results[operand] : NULL;
    }
    return NULL;
}

weft_status weft_manual_axes(weft_context *cx, const weft_op *op, const weft_mesh *mesh, weft_bits *out) {
    const weft_attr *axes = op ? weft_op_attr(op, WEFT_A_manual_axes) : NULL;
    *out = 0;
    for (uint32_t i = 0; axes && axes->kind == WEFT_ATTR_AXES && i < axes->axes.n; i++) {
        uint32_t axis = weft_mesh_find(mesh, axes->axes.v[i].name);
        if (axis == WEFT_NO_AXIS)
            return weft_report(cx, WEFT_D_sharding, op->loc, "manual axis \"%s\" is not in the mesh",
                               axes->axes.v[i].name->text);
        *out |= weft_bit(axis);
    }
    return WEFT_OK;
}

static uint32_t manual_prefix(weft_axes a, weft_bits manual) {
    uint32_t n = 0;
    while (n < a.n && weft_bits_has(manual, a.v[n].axis)) n++;
    return n;
}

static void keep_free(weft_axes a, weft_bits manual, weft_axis_list *out) {
    *out = (weft_axis_list){ 0 };
    for (uint32_t i = 0; i < a.n; i++)
        if (!weft_bits_has(manual, a.v[i].axis)) weft_axis_list_push(out, a.v[i]);
}

const weft_sharding *weft_sharding_drop_manual(weft_shardings *t, const weft_sharding *s, weft_bits manual) {
    weft_dim dims[WEFT_MAX_RANK];
    weft_axis_list replicated, unreduced;
    if (!s || !manual) return s;
    for (uint32_t d = 0; d < s->rank; d++) {
        dims[d] = s->dims[d];
        dims[d].axes = weft_axes_from(s->dims[d].axes, manual_prefix(s->dims[d].axes, manual));
    }
    keep_free(s->replicated, manual, &replicated);
    keep_free(s->unreduced, manual, &unreduced);
    weft_axes partial = weft_axes_of(&unreduced);
    partial.by = s->unreduced.by;
    return weft_sharding_make(t, s->mesh, s->rank, dims, weft_axes_of(&replicated), partial);
}

const weft_sharding *weft_sharding_add_free(weft_shardings *t, const weft_sharding *outer, const weft_sharding *inner,
                                            weft_bits manual) {
    weft_dim dims[WEFT_MAX_RANK];
    weft_axis store[WEFT_MAX_MESH_AXES + 32];
    uint32_t used = 0;
    if (!outer || !inner) return inner;
    for (uint32_t d = 0; d < inner->rank; d++) {
        uint32_t n = d < outer->rank ? manual_prefix(outer->dims[d].axes, manual) : 0, first = used;
        for (uint32_t i = 0; i < n; i++) store[used++] = outer->dims[d].axes.v[i];
        for (uint32_t i = 0; i < inner->dims[d].axes.n; i++) store[used++] = inner->dims[d].axes.v[i];
        dims[d] = (weft_dim){ .axes = weft_axes_at(store + first, used - first), .open = inner->dims[d].open,
                              .priority = inner->dims[d].priority };
    }
    return weft_sharding_make(t, inner->mesh, inner->rank, dims, outer->replicated, outer->unreduced);
}

weft_status weft_value_sharding_inside(weft_context *cx, weft_shardings *t, const weft_value *v,
                                       const weft_sharding **out) {
    const weft_value *owner = weft_flow_owner(v);
    weft_bits manual = 0;
    weft_status st = weft_value_sharding(t, owner ? owner : v, out);
    if (st != WEFT_OK || !*out || !owner || owner->def) return st;
    st = weft_manual_axes(cx, weft_flow_op(owner), (*out)->mesh, &manual);
    if (st == WEFT_OK && !(*out = weft_sharding_drop_manual(t, *out, manual))) st = weft_oom();
    return st;
}
