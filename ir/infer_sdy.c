/* infer_sdy.c: sdy's meshes, constraints, edges and computations. Its collectives: infer_sdy_collective.c.
 *
 * Source: Shardy docs/sdy_dialect.md.
 */
#include "ir/infer.h"

weft_status weft_infer_sdy_mesh(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    return weft_check_mesh(c, op, &weft_op_attr(op, WEFT_A_mesh)->mesh);
}

/* A constraint or reshard may leave sums unreduced, and may reduce its operand's. */
static weft_status check_unreduced(weft_checker *c, const weft_op *op, const weft_sharding_attr *out) {
    const weft_value *v = op->operands[0];
    const weft_attr *in = NULL;
    while (v->def && v->def->kind == WEFT_OP_sdy_propagation_barrier) v = v->def->operands[0];
    weft_status st = weft_written_sharding(c, v, &in);
    const weft_mesh_attr *mesh = weft_find_mesh(c, op, out->mesh),
                         *from = in ? weft_find_mesh(c, op, in->sharding.mesh) : NULL;
    if (st != WEFT_OK || !mesh || !from || !weft_mesh_attr_equal(mesh, from)) return st;
    return weft_check_unreduced_change(c, op, mesh, &in->sharding, out,
                                       &(weft_unreduced_change){ .add = true, .added_by = WEFT_BY_SUM,
                                                                 .removed_by = in->sharding.unreduced_by });
}

/* sharding_constraint, reshard: the operand, in the given sharding. */
weft_status weft_infer_sdy_sharding(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_attr *sharding = weft_op_attr(op, WEFT_A_sharding);
    types[0] = op->operands[0]->type;
    weft_status st = weft_check_sharding(c, op, "", sharding, types[0]);
    return st == WEFT_OK ? check_unreduced(c, op, &sharding->sharding) : st;
}

/* The operand is static and has no other reader. */
static weft_status check_edge(weft_checker *c, const weft_op *op, const char *operand) {
    const weft_value *v = op->operands[0];
    bool shaped = v->type->kind == WEFT_TYPE_TENSOR || v->type->kind == WEFT_TYPE_FOREIGN;
    if (!shaped || !weft_type_is_static(v->type))
        return weft_bad_sharding(c, op, "expected %s to have a static-shaped result. type: '%s'", weft_name_text(op),
                                 weft_text_of(c, v->type));
    if (c->uses && v->id < c->value_count && c->uses[v->id] != 1)
        return weft_bad_sharding(c, op, "expected %s of %s to have a single user", operand, weft_name_text(op));
    return WEFT_OK;
}

static bool in_sdy(const weft_op *op) { return !strncmp(weft_op_table[op->kind].name, "sdy.", 4); }

weft_status weft_infer_sdy_data_flow_edge(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_attr *sharding = weft_op_attr(op, WEFT_A_sharding);
    const weft_op *def = op->operands[0]->def;
    types[0] = op->operands[0]->type;
    weft_status st = check_edge(c, op, "input");
    if (st != WEFT_OK) return st;
    if (def && in_sdy(def) && def->kind != WEFT_OP_sdy_named_computation &&
        def->kind != WEFT_OP_sdy_manual_computation) {
        st = weft_bad_sharding(
            c, op,
            "expected input of sdy.data_flow_edge to not be defined by an SdyDialect op (other than an sdy.named_computation).");
        weft_note(c->cx, def->loc, "sdy op defining the input of the sdy.data_flow_edge");
        return st;
    }
    return sharding ? weft_check_sharding(c, op, "", sharding, types[0]) : WEFT_OK;
}

/* Follows a function's argument or a call's result. */
weft_status weft_infer_sdy_func_data_flow_edge(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_value *v = op->operands[0];
    types[0] = v->type;
    weft_status st = check_edge(c, op, "operand");
    if (st != WEFT_OK) return st;
    if (!v->def && v->block && v->block->parent->parent->kind != WEFT_OP_func)
        return weft_bad_sharding(c, op,
                                 "expected operand of sdy.func_data_flow_edge to be a block argument of a func op.");
    if (v->def && v->def->kind != WEFT_OP_func_call)
        return weft_bad_sharding(c, op, "expected operand of sdy.func_data_flow_edge to be a result of call op.");
    return WEFT_OK;
}

weft_status weft_infer_sdy_propagation_barrier(weft_checker *c, const weft_op *op, const weft_type **types) {
    types[0] = op->operands[0]->type;
    weft_status st = weft_check_enum(c, op, WEFT_A_allowed_direction, WEFT_ENUM_propagation_direction);
    if (st == WEFT_OK && weft_op_attr(op, WEFT_A_allowed_direction)->e == WEFT_propagation_direction_BOTH)
        st = weft_bad_sharding(
            c, op,
            "cannot specify `BOTH` as the direction. Not blocking propagation direction makes the op redundant.");
    return st;
}

weft_status weft_infer_sdy_sharding_group(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    const weft_type *t = op->operands[0]->type;
    if (t->kind != WEFT_TYPE_TENSOR && t->kind != WEFT_TYPE_FOREIGN)
        return weft_bad(c, op, "operand 0 has type '%s', expected a tensor", weft_text_of(c, t));
    return WEFT_OK;
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

/* "'tensor<4xf32>', 'f32'" */
static const char *types_text(weft_checker *c, const weft_type *const *types, uint32_t n) {
    weft_buf b;
    weft_buf_init(&b, &c->cx->alloc);
    for (uint32_t i = 0; i < n; i++) {
        weft_buf_puts(&b, i ? ", '" : "'");
        weft_type_print(&b, types[i]);
        weft_buf_putc(&b, '\'');
    }
    const char *text = b.failed ? NULL : weft_arena_strdup(&c->cx->scratch, b.p ? b.p : "", b.n);
    weft_buf_free(&b);
    return text ? text : "?";
}

/* The results have the types of the values that the body returns. */
static weft_status check_returned(weft_checker *c, const weft_op *op, const weft_op *yields,
                                  const weft_type *const *out) {
    const weft_type **types = operand_types(c, yields);
    bool same = yields->operand_count == op->result_count;
    if (!types) return weft_oom();
    for (uint32_t i = 0; same && i < op->result_count; i++) same = weft_types_agree(types[i], out[i]);
    if (same) return WEFT_OK;
    weft_bad_sharding(c, op, "inferred type(s) %s are incompatible with return type(s) of operation %s",
                      types_text(c, types, yields->operand_count), types_text(c, out, op->result_count));
    return weft_bad_sharding(c, op, "failed to infer returned types");
}

weft_status weft_infer_sdy_named_computation(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_type **in = operand_types(c, op), **out = result_types(c, op);
    const weft_attr *in_sh = weft_op_attr(op, WEFT_A_in_shardings), *out_sh = weft_op_attr(op, WEFT_A_out_shardings);
    const weft_block *body = op->regions[0].first;
    const weft_op *yields = NULL;
    if (!in || !out) return weft_oom();
    if (body && body->arg_count != op->operand_count)
        return weft_bad_sharding(c, op, "number of block arguments must match the number of operands: %u != %u",
                                 body->arg_count, op->operand_count);
    for (uint32_t i = 0; body && i < op->operand_count; i++)
        if (!weft_types_agree(body->args[i]->type, in[i]))
            return weft_bad_sharding(
                c, op,
                "expected the type of the %u'th block argument to match the type of the corresponding operand: '%s' vs '%s'",
                i, weft_text_of(c, body->args[i]->type), weft_text_of(c, in[i]));
    weft_status st = weft_check_body(c, op, 0, in, op->operand_count, WEFT_OP_sdy_return, &yields);
    if (st == WEFT_OK) st = check_returned(c, op, yields, out);
    if (st == WEFT_OK && in_sh) st = weft_check_shardings(c, op, "in_shardings", in_sh, in, op->operand_count);
    if (st == WEFT_OK && out_sh) st = weft_check_shardings(c, op, "out_shardings", out_sh, out, op->result_count);
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = out[i];
    return st;
}

static bool is_manual(const weft_attr *manual, weft_name axis) {
    for (uint32_t i = 0; i < manual->axes.n; i++)
        if (manual->axes.v[i].name == axis) return true;
    return false;
}

/* In each dimension manual axes come first. */
static weft_status check_manual_first(weft_checker *c, const weft_op *op, const char *what, uint32_t index,
                                      const weft_attr *manual, const weft_sharding_attr *s) {
    for (uint32_t d = 0; d < s->rank; d++)
        for (uint32_t i = 1; i < s->dims[d].axes.n; i++) {
            const weft_axis_ref *a = &s->dims[d].axes.v[i];
            if (is_manual(manual, a->name) && !is_manual(manual, a[-1].name))
                return weft_bad_sharding(
                    c, op,
                    "%s sharding at index %u must have all manual axes come before free axes in its dimension sharding at index %u. "
                    "Saw manual axis %s after free axis %s",
                    what, index, d, weft_text_of_axis(c, a), weft_text_of_axis(c, a - 1));
        }
    return WEFT_OK;
}

/* The local size is the global one divided by the manual axes. */
static weft_status local_type(weft_checker *c, const weft_op *op, const char *what, const weft_attr *manual,
                              const weft_attr *sharding, const weft_type *global, const weft_type **local) {
    const weft_sharding_attr *s = &sharding->sharding;
    const weft_mesh_attr *mesh = weft_find_mesh(c, op, s->mesh);
    int64_t dims[WEFT_MAX_RANK];
    *local = global;
    if (!mesh || s->rank != global->rank) return WEFT_OK; /* of a maximal mesh */
    for (uint32_t d = 0; d < global->rank; d++) {
        int64_t parts = 1;
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++) {
            const weft_axis_ref *a = &s->dims[d].axes.v[i];
            if (is_manual(manual, a->name)) parts *= a->size ? a->size : weft_mesh_axis_size(mesh, a->name);
        }
        dims[d] = global->dims[d];
        if (dims[d] == WEFT_DYNAMIC) continue;
        if (dims[d] % parts) {
            weft_status st =
                weft_bad_sharding(c, op, "%s dimension size %lld is not divisible by the manual axes size %lld", what,
                                  (long long)dims[d], (long long)parts);
            weft_help(
                c->cx, op->loc,
                "dimension %u of '%s' sharded as %s has no even parts: shard another dimension, or pad this one to %lld first",
                d, weft_text_of(c, global), weft_text_of_sharding(c, sharding),
                (long long)weft_round_up(dims[d], parts));
            return st;
        }
        dims[d] /= parts;
    }
    *local = weft_type_with_dims(c->cx, global, global->rank, dims);
    return *local ? WEFT_OK : weft_oom();
}

typedef struct manual_values {       /* the operands, or the results, of a manual computation */
    const char *what;
    const weft_type *const *global;
    uint32_t global_count;
    const weft_type *const *local;
    uint32_t local_count;
    const weft_attr *shardings;
} manual_values;

/* Suggests the region's types, or the places for the manual axes. */
static void help_local_shape(weft_checker *c, const weft_op *op, const weft_attr *manual, const manual_values *v,
                             uint32_t i, const weft_type *want) {
    const bool operand = v->what[0] == 'o';
    const weft_value *outer = operand ? op->operands[i] : &op->results[i];
    const weft_attr *outside = NULL;
    if (operand && weft_written_sharding(c, outer, &outside) == WEFT_OK && outside)
        weft_help(c->cx, weft_value_loc(outer), "operand %u comes sharded as %s, and the region takes it as %s", i,
                  weft_text_of_sharding(c, outside), weft_text_of_sharding(c, v->shardings->items.v[i]));
    weft_help(
        c->cx, op->loc,
        "%s %u is '%s' outside; one part of it under %s_shardings %s along manual_axes=%s is '%s': %s that, or change the sharding",
        v->what, i, weft_text_of(c, v->global[i]), operand ? "in" : "out",
        weft_text_of_sharding(c, v->shardings->items.v[i]), weft_text_of_axes(c, manual->axes), weft_text_of(c, want),
        operand ? "make the region's argument" : "return");
}

static weft_status check_manual_values(weft_checker *c, const weft_op *op, const weft_attr *manual,
                                       const manual_values *v) {
    if (!v->global_count && !v->local_count && !v->shardings->items.n) return WEFT_OK;
    weft_status st = weft_check_shardings(c, op, v->what, v->shardings, v->global, v->global_count);
    if (st != WEFT_OK) return st;
    if (v->global_count != v->local_count)
        return weft_bad_sharding(c, op,
                                 "number of op %ss and region %ss must match. Op has %u op %ss and %u region %ss",
                                 v->what, v->what, v->global_count, v->what, v->local_count, v->what);
    for (uint32_t i = 0; i < v->global_count; i++) {
        const weft_type *want;
        st = check_manual_first(c, op, v->what, i, manual, &v->shardings->items.v[i]->sharding);
        if (st != WEFT_OK) return st;
        if (v->global[i]->kind != WEFT_TYPE_TENSOR && v->global[i]->kind != WEFT_TYPE_FOREIGN) continue;
        st = local_type(c, op, v->what, manual, v->shardings->items.v[i], v->global[i], &want);
        if (st != WEFT_OK) return st;
        if (want != v->local[i]) {
            st = weft_bad_sharding(
                c, op,
                "%s shape, corresponding sharding, and region %s shape at index %u must match. Expected local shape '%s', actual local shape '%s'",
                v->what, v->what, i, weft_text_of(c, want), weft_text_of(c, v->local[i]));
            help_local_shape(c, op, manual, v, i, want);
            return st;
        }
    }
    return WEFT_OK;
}

static bool is_empty(const weft_mesh_attr *m) { return !m->axis_count && !m->device_ids.n; }

static weft_status check_manual_mesh(weft_checker *c, const weft_op *op, const weft_attr *manual, const weft_attr *in,
                                     const weft_attr *out) {
    const weft_mesh_attr *common = NULL;
    for (uint32_t s = 0; s < in->items.n + out->items.n; s++) {
        const weft_attr *sharding = s < in->items.n ? in->items.v[s] : out->items.v[s - in->items.n];
        const weft_mesh_attr *mesh = weft_find_mesh(c, op, sharding->sharding.mesh);
        if (!mesh || (common && is_empty(mesh))) continue;
        if (common && !is_empty(common) && manual->axes.n && !weft_mesh_attr_equal(common, mesh))
            return weft_bad_sharding(c, op,
                                     "all in and out shardings must be bound to the same mesh or an empty mesh.");
        common = mesh;
    }
    for (uint32_t i = 0; common && i < manual->axes.n; i++)
        if (weft_mesh_axis_index(common, manual->axes.v[i].name) < 0)
            return weft_bad_sharding(c, op, "unknown manual axis: \"%s\"", manual->axes.v[i].name->text);
    return WEFT_OK;
}

static const weft_type **argument_types(weft_checker *c, const weft_block *b) {
    const weft_type **t = weft_scratch_array(c->cx, const weft_type *, b->arg_count);
    for (uint32_t i = 0; t && i < b->arg_count; i++) t[i] = b->args[i]->type;
    return t;
}

weft_status weft_infer_sdy_manual_computation(weft_checker *c, const weft_op *op, const weft_type **types) {
    const weft_attr *manual = weft_op_attr(op, WEFT_A_manual_axes);
    const weft_attr *in_sh = weft_op_attr(op, WEFT_A_in_shardings), *out_sh = weft_op_attr(op, WEFT_A_out_shardings);
    const weft_op *yields = NULL;
    const weft_block *body = op->regions[0].first;
    for (uint32_t i = 0; i < manual->axes.n; i++) {
        const weft_op *owner = weft_manual_owner(op, manual->axes.v[i].name);
        if (owner) return weft_report_manual(c, op, "", manual->axes.v[i].name, owner);
    }
    weft_status st = weft_check_body(c, op, 0, NULL, body ? body->arg_count : 0, WEFT_OP_sdy_return, &yields);
    if (st != WEFT_OK) return st;
    const weft_type **in = operand_types(c, op), **out = result_types(c, op), **args = argument_types(c, body),
                    **ends = operand_types(c, yields);
    if (!in || !out || !args || !ends) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = out[i];
    st = check_manual_values(c, op, manual,
                             &(manual_values){ "operand", in, op->operand_count, args, body->arg_count, in_sh });
    if (st == WEFT_OK)
        st = check_manual_values(c, op, manual,
                                 &(manual_values){ "result", out, op->result_count, ends, yields->operand_count,
                                                   out_sh });
    return st == WEFT_OK ? check_manual_mesh(c, op, manual, in_sh, out_sh) : st;
}
