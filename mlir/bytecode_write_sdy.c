/* bytecode_write_sdy.c: Shardy's attributes in bytecode. */
#include "mlir/bytecode_write.h"

static uint32_t end(bc_writer *w, weft_buf *b) { return bw_end(w, "sdy", b); }

static uint32_t axis_ref(bc_writer *w, const weft_axis_ref *x) {
    weft_buf b, sub;
    bw_begin(w, &b, SDY_AXIS_REF);
    bw_int(&b, bw_string(w, weft_name_str(x->name)));
    if (!x->size) {
        bw_flagged(&b, 0, false);
        return end(w, &b);
    }
    bw_begin(w, &sub, SDY_SUB_AXIS);
    bw_signed(&sub, x->pre_size);
    bw_signed(&sub, x->size);
    bw_flagged(&b, end(w, &sub), true);
    return end(w, &b);
}

static void axis_refs(bc_writer *w, weft_buf *b, weft_axis_refs axes) {
    bw_int(b, axes.n);
    for (uint32_t i = 0; i < axes.n; i++) bw_int(b, axis_ref(w, &axes.v[i]));
}

uint32_t bw_manual_axes(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, SDY_MANUAL_AXES);
    bw_int(&b, a->axes.n);
    for (uint32_t i = 0; i < a->axes.n; i++) bw_int(&b, bw_string_attr(w, weft_name_str(a->axes.v[i].name)));
    return end(w, &b);
}

static uint32_t mesh(bc_writer *w, const weft_mesh_attr *m) {
    weft_buf b, axis;
    bw_begin(w, &b, SDY_MESH);
    bw_int(&b, m->axis_count);
    for (uint32_t i = 0; i < m->axis_count; i++) {
        bw_begin(w, &axis, SDY_MESH_AXIS);
        bw_int(&axis, bw_string(w, weft_name_str(m->axes[i].name)));
        bw_signed(&axis, m->axes[i].size);
        bw_int(&b, end(w, &axis));
    }
    bw_ints(&b, m->device_ids);
    return end(w, &b);
}

static uint32_t dim_sharding(bc_writer *w, const weft_dim_sharding *d) {
    weft_buf b;
    const bool has = d->priority != WEFT_NO_PRIORITY;
    bw_begin(w, &b, SDY_DIM_SHARDING);
    axis_refs(w, &b, d->axes);
    weft_buf_putc(&b, !d->open);
    bw_flagged(&b, has ? (uint64_t)d->priority : 0, has);
    return end(w, &b);
}

/* The oldest version that has it. */
static uint32_t sharding(bc_writer *w, const weft_sharding_attr *s) {
    weft_buf b;
    const bool reduced = s->unreduced.n, by = s->unreduced_by != WEFT_BY_SUM;
    bw_begin(w, &b, by ? SDY_SHARDING_V3 : reduced ? SDY_SHARDING_V2 : SDY_SHARDING);
    bw_int(&b, bw_attr(w, s->mesh));
    bw_int(&b, s->rank);
    for (uint32_t i = 0; i < s->rank; i++) bw_int(&b, dim_sharding(w, &s->dims[i]));
    axis_refs(w, &b, s->replicated);
    if (reduced || by) axis_refs(w, &b, s->unreduced);
    if (by) bw_signed(&b, s->unreduced_by);
    return end(w, &b);
}

static uint32_t shardings(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, SDY_SHARDINGS);
    bw_int(&b, a->items.n);
    for (uint32_t i = 0; i < a->items.n; i++) bw_int(&b, bw_attr(w, a->items.v[i]));
    return end(w, &b);
}

static uint32_t dim_mapping(bc_writer *w, weft_ints factors) {
    weft_buf b;
    bw_begin(w, &b, SDY_DIM_MAPPING);
    bw_ints(&b, factors);
    return end(w, &b);
}

static uint32_t tensor_mapping(bc_writer *w, const weft_rule_attr *r, uint32_t tensor) {
    weft_buf b;
    bw_begin(w, &b, SDY_TENSOR_MAPPING);
    bw_int(&b, r->ranks[tensor]);
    for (uint32_t d = 0; d < r->ranks[tensor]; d++) bw_int(&b, dim_mapping(w, r->dims[tensor][d]));
    return end(w, &b);
}

static uint32_t rule(bc_writer *w, const weft_rule_attr *r) {
    weft_buf b;
    bw_begin(w, &b, SDY_RULE);
    bw_ints(&b, r->factor_sizes);
    bw_int(&b, r->operand_count);
    for (uint32_t t = 0; t < r->operand_count; t++) bw_int(&b, tensor_mapping(w, r, t));
    bw_int(&b, r->result_count);
    for (uint32_t t = 0; t < r->result_count; t++) bw_int(&b, tensor_mapping(w, r, r->operand_count + t));
    bw_ints(&b, r->reduction);
    bw_ints(&b, r->need_replication);
    bw_ints(&b, r->permutation);
    bw_ints(&b, r->blocked);
    weft_buf_putc(&b, r->custom);
    return end(w, &b);
}

static uint32_t axes(bc_writer *w, weft_axis_refs list) {
    weft_buf b;
    bw_begin(w, &b, SDY_AXES);
    axis_refs(w, &b, list);
    return end(w, &b);
}

static uint32_t axes_per_dim(bc_writer *w, const weft_attr *a) {
    weft_buf b;
    bw_begin(w, &b, SDY_AXES_PER_DIM);
    bw_int(&b, a->axes_per_dim.n);
    for (uint32_t i = 0; i < a->axes_per_dim.n; i++) bw_int(&b, axes(w, a->axes_per_dim.v[i]));
    return end(w, &b);
}

static uint32_t a2a_params(bc_writer *w, const weft_attr *a) {
    weft_buf b, one;
    bw_begin(w, &b, SDY_A2A_PARAMS);
    bw_int(&b, a->a2a.n);
    for (uint32_t i = 0; i < a->a2a.n; i++) {
        bw_begin(w, &one, SDY_A2A_PARAM);
        axis_refs(w, &one, a->a2a.v[i].axes);
        bw_signed(&one, a->a2a.v[i].src_dim);
        bw_signed(&one, a->a2a.v[i].tgt_dim);
        bw_int(&b, end(w, &one));
    }
    return end(w, &b);
}

uint32_t bw_sdy_attr(bc_writer *w, const weft_attr *a) {
    switch ((int)a->kind) {
    case WEFT_ATTR_MESH: return mesh(w, &a->mesh);
    case WEFT_ATTR_SHARDING: return sharding(w, &a->sharding);
    case WEFT_ATTR_SHARDINGS: return shardings(w, a);
    case WEFT_ATTR_RULE: return rule(w, &a->rule);
    case WEFT_ATTR_AXES: return axes(w, a->axes);
    case WEFT_ATTR_AXES_PER_DIM: return axes_per_dim(w, a);
    default: return a2a_params(w, a);
    }
}
