/* infer_sdy.c: sdy's meshes, constraints, edges and computations. Its collectives: infer_sdy_collective.c.
 *
 * Source: Shardy docs/sdy_dialect.md.
 */
#include "ir/infer.h"

weft_status weft_infer_sdy_mesh(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    return weft_check_mesh(c, op, &weft_op_attr(op, WEFT_A_mesh)->mesh);
}

/* sharding_constraint, reshard: the operand, laid out as said. */
weft_status weft_infer_sdy_sharding(weft_checker *c, const weft_op *op, const weft_type **types) {
    types[0] = op->operands[0]->type;
    return weft_check_sharding(c, op, "sharding", weft_op_attr(op, WEFT_A_sharding), types[0]);
}

static weft_status check_static(weft_checker *c, const weft_op *op) {
    const weft_type *t = op->operands[0]->type;
    return t->kind != WEFT_TYPE_TENSOR || weft_type_is_static(t) ? WEFT_OK : weft_bad(c, op, "operand 0 has type '%s', expected a static shape", weft_text_of(c, t));
}

weft_status weft_infer_sdy_data_flow_edge(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_attr *sharding = weft_op_attr(op, WEFT_A_sharding);
    types[0] = op->operands[0]->type;
    weft_status st = check_static(c, op);
    return st == WEFT_OK && sharding ? weft_check_sharding(c, op, "sharding", sharding, types[0]) : st;
}

/* Stands behind a function's argument or a call's result. */
weft_status weft_infer_sdy_func_data_flow_edge(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_value *v = op->operands[0];
    types[0] = v->type;
    bool argument = !v->def && v->block && v->block->parent->parent->kind == WEFT_OP_func;
    if (!argument && !(v->def && v->def->kind == WEFT_OP_func_call))
        return weft_bad(c, op, "operand 0 is neither an argument of a function nor a result of a call");
    return check_static(c, op);
}

weft_status weft_infer_sdy_propagation_barrier(weft_checker *c, const weft_op *op, const weft_type **types) {
    types[0] = op->operands[0]->type;
    weft_status st = weft_check_enum(c, op, WEFT_A_allowed_direction, WEFT_ENUM_propagation_direction);
    if (st == WEFT_OK && weft_op_attr(op, WEFT_A_allowed_direction)->e == WEFT_propagation_direction_BOTH)
        st = weft_bad(c, op, "a barrier that allows both directions blocks nothing");
    return st;
}

weft_status weft_infer_sdy_sharding_group(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    int64_t group = weft_op_int(op, WEFT_A_group_id, 0);
    const weft_type *t = op->operands[0]->type;
    if (t->kind != WEFT_TYPE_TENSOR && t->kind != WEFT_TYPE_FOREIGN)
        return weft_bad(c, op, "operand 0 has type '%s', expected a tensor", weft_text_of(c, t));
    return group >= 0 ? WEFT_OK : weft_bad(c, op, "group_id is %lld, expected at least 0", (long long)group);
}

/* ---- computations ---- */

static const weft_type **operand_types(weft_checker *c, const weft_op *op) {
    const weft_type **t = weft_scratch_array(c->cx, const weft_type *, op->operand_count);
    for (uint32_t i = 0; t && i < op->operand_count; i++) t[i] = op->operands[i]->type;
    return t;
}

static const weft_type **result_types(weft_checker *c, const weft_op *op) {
    const weft_type **t = weft_scratch_array(c->cx, const weft_type *, op->result_count);
    for (uint32_t i = 0; t && i < op->result_count; i++) t[i] = op->results[i].type;
    return t;
}

weft_status weft_infer_sdy_named_computation(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type **in = operand_types(c, op), **out = result_types(c, op);
    const weft_attr *in_sh = weft_op_attr(op, WEFT_A_in_shardings), *out_sh = weft_op_attr(op, WEFT_A_out_shardings);
    const weft_op *yields = NULL;
    if (!in || !out) return weft_oom();
    weft_status st = weft_check_body(c, op, 0, in, op->operand_count, WEFT_OP_sdy_return, &yields);
    if (st == WEFT_OK) st = weft_check_yields(c, op, yields, out, op->result_count);
    if (st == WEFT_OK && in_sh) st = weft_check_shardings(c, op, "sharding of operand", in_sh, in, op->operand_count);
    if (st == WEFT_OK && out_sh) st = weft_check_shardings(c, op, "sharding of result", out_sh, out, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = out[i];
    return st;
}

static bool is_manual(const weft_attr *manual, weft_name axis) {
    for (uint32_t i = 0; i < manual->axes.n; i++)
        if (manual->axes.v[i].name == axis) return true;
    return false;
}

/* In each dimension manual axes come first, and the local size is the global one divided by them. */
static weft_status local_type(weft_checker *c, const weft_op *op, const char *what, uint32_t index, const weft_attr *manual,
                              const weft_attr *sharding, const weft_type *global, const weft_type **local) {
    *local = global;
    if (!weft_type_is_tensor(global)) return WEFT_OK;
    const weft_sharding_attr *s = &sharding->sharding;
    const weft_mesh_attr *mesh = weft_check_mesh_ref(c, op, what, s->mesh);
    if (!mesh) return WEFT_ERR_INVALID;
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < global->rank; d++) {
        int64_t parts = 1;
        bool free_axis = false;
        dims[d] = global->dims[d];
        if (s->rank != global->rank) continue;
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++) {
            const weft_axis_ref *a = &s->dims[d].axes.v[i];
            if (!is_manual(manual, a->name)) {
                free_axis = true;
                continue;
            }
            if (free_axis)
                return weft_bad_sharding(c, op, "%s %u: manual axis \"%s\" comes after a free axis in dimension %u", what, index, a->name->text, d);
            parts *= a->size ? a->size : weft_mesh_axis_size(mesh, a->name);
        }
        if (dims[d] == WEFT_DYNAMIC) continue;
        if (dims[d] % parts)
            return weft_bad_sharding(c, op, "%s %u: dimension %u of '%s' does not divide among manual axes of %lld devices", what, index, d,
                                     weft_text_of(c, global), (long long)parts);
        dims[d] /= parts;
    }
    *local = weft_type_with_dims(c->cx, global, global->rank, dims);
    return *local ? WEFT_OK : weft_oom();
}

/* Turns global types into the body's, in place. */
static weft_status localize(weft_checker *c, const weft_op *op, const char *what, const weft_attr *manual, const weft_attr *shardings,
                            const weft_type **types, uint32_t n) {
    weft_status st = weft_check_shardings(c, op, what, shardings, types, n);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) st = local_type(c, op, what, i, manual, shardings->items.v[i], types[i], &types[i]);
    return st;
}

static bool same_mesh(const weft_mesh_attr *a, const weft_mesh_attr *b) {
    if (a->axis_count != b->axis_count || a->device_ids.n != b->device_ids.n) return false;
    for (uint32_t i = 0; i < a->axis_count; i++)
        if (a->axes[i].name != b->axes[i].name || a->axes[i].size != b->axes[i].size) return false;
    return !a->device_ids.n || !memcmp(a->device_ids.v, b->device_ids.v, a->device_ids.n * sizeof *a->device_ids.v);
}

static weft_status check_manual_axes(weft_checker *c, const weft_op *op, const weft_attr *manual, const weft_attr *in, const weft_attr *out) {
    const weft_mesh_attr *common = NULL;
    for (const weft_op *up = weft_op_parent(op); up; up = weft_op_parent(up)) {
        const weft_attr *outer = up->kind == WEFT_OP_sdy_manual_computation ? weft_op_attr(up, WEFT_A_manual_axes) : NULL;
        for (uint32_t i = 0; outer && outer->kind == WEFT_ATTR_AXES && i < manual->axes.n; i++)
            if (is_manual(outer, manual->axes.v[i].name))
                return weft_bad_sharding(c, op, "axis \"%s\" is manual already in the surrounding sdy.manual_computation", manual->axes.v[i].name->text);
    }
    for (uint32_t s = 0; s < in->items.n + out->items.n; s++) {
        const weft_attr *sharding = s < in->items.n ? in->items.v[s] : out->items.v[s - in->items.n];
        const weft_mesh_attr *mesh = weft_check_mesh_ref(c, op, "sharding", sharding->sharding.mesh);
        if (!mesh) return WEFT_ERR_INVALID;
        if (!mesh->axis_count) continue; /* a token's, say */
        if (common && manual->axes.n && !same_mesh(common, mesh)) return weft_bad_sharding(c, op, "the shardings of operands and results are on different meshes");
        common = mesh;
        for (uint32_t i = 0; i < manual->axes.n; i++)
            if (weft_mesh_axis_index(mesh, manual->axes.v[i].name) < 0)
                return weft_bad_sharding(c, op, "manual axis \"%s\" is not in the mesh", manual->axes.v[i].name->text);
    }
    return WEFT_OK;
}

weft_status weft_infer_sdy_manual_computation(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_attr *manual = weft_op_attr(op, WEFT_A_manual_axes);
    const weft_attr *in_sh = weft_op_attr(op, WEFT_A_in_shardings), *out_sh = weft_op_attr(op, WEFT_A_out_shardings);
    const weft_type **in = operand_types(c, op), **out = result_types(c, op);
    const weft_op *yields = NULL;
    if (!in || !out) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = out[i];
    weft_status st = localize(c, op, "sharding of operand", manual, in_sh, in, op->operand_count);
    if (st == WEFT_OK) st = localize(c, op, "sharding of result", manual, out_sh, out, op->result_count);
    if (st == WEFT_OK) st = check_manual_axes(c, op, manual, in_sh, out_sh);
    if (st == WEFT_OK) st = weft_check_body(c, op, 0, in, op->operand_count, WEFT_OP_sdy_return, &yields);
    if (st == WEFT_OK) st = weft_check_yields(c, op, yields, out, op->result_count);
    return st;
}
