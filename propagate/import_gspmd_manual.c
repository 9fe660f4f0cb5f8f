/* import_gspmd_manual: see import_gspmd.h. Makes a region of calls an sdy.manual_computation.
 *
 * Its operands are those of the SPMDFullToShardShape calls, with their shardings, and its results those of the
 * SPMDShardToFullShape calls. The calls give the manual axes: "{manual}" is every axis, a grid names some in
 * last_tile_dims.
 */
#include "propagate/import_gspmd.h"

typedef struct manual { /* one under construction */
    gspmd_importer *im;
    const manual_region *region;
    const gspmd_mesh *mesh;
    weft_axis_ref axes[64];
    uint32_t axis_count;
    const char *why;          /* it cannot be expressed */
    const weft_attr **in, **out;
} manual;

/* The sharding annotated on an operand of SPMDFullToShardShape at its definition. */
static const gspmd_sharding *said_of(const gspmd_importer *im, const weft_value *v) {
    if (v->def) return gspmd_said(im, weft_op_attr(v->def, WEFT_A_mhlo_sharding), v->index);
    const weft_op *func = v->block->parent->parent;
    return func->kind == WEFT_OP_func
        ? gspmd_said(im, gspmd_entry_text(weft_op_attr(func, WEFT_A_arg_attrs), v->index), 0) : NULL;
}

/* The mesh and the manual axes, which must be equal in every call of the region. */
static void agree(manual *m, const gspmd_sharding *s) {
    if (!s || !s->mesh) return;
    if (m->mesh && m->mesh != s->mesh)
        m->why = "its shardings need meshes of different orders of devices or of different axes";
    m->mesh = s->mesh;
}

static weft_status find_axes(manual *m, const gspmd_sharding *by_hand) {
    weft_axis_ref refs[64];
    uint32_t n = 0;
    bool oom = false;
    if (!by_hand || m->why) return WEFT_OK;
    if (by_hand->kind == GSPMD_MANUAL) n = gspmd_all_axes(m->im->cx, m->mesh, refs, n, &oom);
    if (by_hand->kind == GSPMD_GRID) n = gspmd_axes_for(m->im->cx, by_hand, GSPMD_BY_HAND, refs, &oom);
    if (n && m->axis_count && !weft_axis_refs_equal((weft_axis_refs){ refs, n },
                                                    (weft_axis_refs){ m->axes, m->axis_count }))
        m->why = "its calls have different manual axes";
    for (uint32_t i = 0; i < n; i++)
        if (refs[i].size) m->why = "part of an axis is manual";
    if (n) memcpy(m->axes, refs, n * sizeof *refs), m->axis_count = n;
    return oom ? weft_oom() : WEFT_OK;
}

static const weft_attr *own_attr(const weft_op *op) { return weft_op_attr(op, WEFT_A_mhlo_sharding); }

static weft_status find_mesh(manual *m) {
    const manual_region *r = m->region;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < r->input_count; i++)
        agree(m, gspmd_said(m->im, own_attr(r->inputs[i]), 0)), agree(m, said_of(m->im, r->inputs[i]->operands[0]));
    for (uint32_t i = 0; i < r->output_count; i++)
        agree(m, gspmd_said(m->im, own_attr(r->outputs[i]), 0)), agree(m, said_of(m->im, r->outputs[i]->operands[0]));
    if (!m->mesh) m->mesh = gspmd_main_mesh(m->im);
    if (!m->mesh) m->why = "no sharding of the program names the devices";
    for (uint32_t i = 0; st == WEFT_OK && i < r->input_count; i++)
        st = find_axes(m, gspmd_said(m->im, own_attr(r->inputs[i]), 0));
    for (uint32_t i = 0; st == WEFT_OK && i < r->output_count; i++)
        st = find_axes(m, said_of(m->im, r->outputs[i]->operands[0]));
    if (!m->why && !m->axis_count) m->why = "no sharding of it names the manual axes";
    return st;
}

static bool is_manual(const manual *m, weft_name axis) {
    for (uint32_t i = 0; i < m->axis_count; i++)
        if (m->axes[i].name == axis) return true;
    return false;
}

/* The sharding of one operand or result: global outside, local in the region. */
static weft_status share(manual *m, const gspmd_sharding *s, const weft_type *global, const weft_type *local,
                         weft_bits open, const weft_attr **out) {
    static const gspmd_sharding replicated = { .kind = GSPMD_REPLICATED };
    const weft_attr *mesh = gspmd_mesh_attr(m->im->cx, m->mesh);
    const bool same = weft_type_is_tensor(global) && weft_type_is_tensor(local) && global->rank == local->rank;
    if (!mesh) return weft_oom();
    if (!s && global == local) s = &replicated;
    weft_status st = s ? gspmd_to_sdy(m->im, s, global, open, m->mesh, out, &m->why) : WEFT_OK;
    if (st != WEFT_OK || m->why) return st;
    if (!s || !*out || !same) return m->why = "an operand or result has no sharding", WEFT_OK;
    for (uint32_t d = 0; d < global->rank; d++) {
        const weft_axis_refs axes = (*out)->sharding.dims[d].axes;
        int64_t parts = 1;
        for (uint32_t i = 0; i < axes.n; i++)
            for (uint32_t a = 0; is_manual(m, axes.v[i].name) && a < mesh->mesh.axis_count; a++)
                if (mesh->mesh.axes[a].name == axes.v[i].name)
                    parts *= axes.v[i].size ? axes.v[i].size : mesh->mesh.axes[a].size;
        if (global->dims[d] != local->dims[d] * parts) m->why = "a value's local shape is not its sharding's";
    }
    return WEFT_OK;
}

static weft_status share_all(manual *m) {
    const manual_region *r = m->region;
    weft_status st = WEFT_OK;
    m->in = weft_scratch_array(m->im->cx, const weft_attr *, r->input_count);
    m->out = weft_scratch_array(m->im->cx, const weft_attr *, r->output_count);
    if (!m->in || !m->out) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && !m->why && i < r->input_count; i++) {
        const weft_op *op = r->inputs[i];
        st = share(m, said_of(m->im, op->operands[0]), op->operands[0]->type, op->results[0].type, gspmd_open_dims(op),
                   &m->in[i]);
    }
    for (uint32_t i = 0; st == WEFT_OK && !m->why && i < r->output_count; i++) {
        const weft_op *op = r->outputs[i];
        st = share(m, gspmd_said(m->im, own_attr(op), 0), op->results[0].type, op->operands[0]->type,
                   gspmd_open_dims(op), &m->out[i]);
    }
    return st;
}

/* While a region is filled: its ops. For any other block: all. */
static weft_status members_of(weft_rewrite *r, const weft_block *old, const weft_op *const **ops, uint32_t *count) {
    gspmd_importer *im = r->user;
    uint32_t n = 0;
    if (im->filling->block == old) return *ops = im->filling->members, *count = im->filling->member_count, WEFT_OK;
    WEFT_EACH_OP(op, old) n++, (void)op;
    const weft_op **all = weft_arena_array(&im->arena, const weft_op *, n);
    if (!all) return weft_oom();
    *count = 0;
    WEFT_EACH_OP(op, old) all[(*count)++] = op;
    *ops = all;
    return WEFT_OK;
}

static weft_status fill_region(manual *m, weft_op *made) {
    gspmd_importer *im = m->im;
    const manual_region *r = m->region;
    weft_builder b;
    weft_builder_init(&b, im->rewrite.out, NULL);
    weft_block *block = weft_build_block(&b, &made->regions[0]);
    for (uint32_t i = 0; block && i < r->input_count; i++) {
        weft_value *arg = weft_build_block_arg(&b, block, r->inputs[i]->results[0].type, r->inputs[i]->loc);
        if (!arg) return weft_oom();
        im->rewrite.map.to[r->inputs[i]->results[0].id] = arg;
    }
    if (!block) return weft_oom();
    const manual_region *outer = im->filling;
    im->filling = r;
    im->rewrite.order = members_of;
    weft_status st = weft_rewrite_block(&im->rewrite, r->block, block);
    im->filling = outer;
    im->rewrite.order = outer ? members_of : NULL;
    weft_value **ends = weft_scratch_array(im->cx, weft_value *, r->output_count);
    if (st != WEFT_OK || !ends) return st == WEFT_OK ? weft_oom() : st;
    for (uint32_t i = 0; i < r->output_count; i++) ends[i] = gspmd_now(im, r->outputs[i]->operands[0]);
    weft_builder_init(&b, im->rewrite.out, block);
    b.loc = made->loc;
    return weft_build_op(&b, &(weft_op_spec){ .kind = WEFT_OP_sdy_return, .operands = ends,
                                              .operand_count = r->output_count }) ? WEFT_OK : b.status;
}

static const weft_attr *list_attr(gspmd_importer *im, const weft_attr *const *v, uint32_t n) {
    return weft_attr_copy(im->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { v, n } });
}

/* Values that the region computes for itself have another copy outside, which keeps its place in the map. */
static weft_status fill_beside(manual *m, weft_op *made) {
    const manual_region *r = m->region;
    weft_value **to = m->im->rewrite.map.to, **kept;
    uint32_t n = 0, k = 0;
    for (uint32_t i = 0; i < r->member_count; i++) n += r->members[i]->result_count;
    kept = weft_scratch_array(m->im->cx, weft_value *, n);
    if (!kept) return weft_oom();
    for (uint32_t i = 0; i < r->member_count; i++)
        for (uint32_t j = 0; j < r->members[i]->result_count; j++) kept[k++] = to[r->members[i]->results[j].id];
    weft_status st = fill_region(m, made);
    for (uint32_t i = k = 0; i < r->member_count; i++)
        for (uint32_t j = 0; j < r->members[i]->result_count; j++) to[r->members[i]->results[j].id] = kept[k++];
    return st;
}

/* A constraint right before a SPMDFullToShardShape repeats in_shardings. */
static const weft_value *behind_constraint(const weft_value *v) {
    return v->def && gspmd_is_sharding_call(v->def) ? v->def->operands[0] : v;
}

static weft_status build_region(manual *m, weft_builder *b) {
    gspmd_importer *im = m->im;
    const manual_region *r = m->region;
    weft_value **operands = weft_scratch_array(im->cx, weft_value *, r->input_count);
    const weft_type **types = weft_scratch_array(im->cx, const weft_type *, r->output_count);
    const weft_attr *values[] = { list_attr(im, m->in, r->input_count), list_attr(im, m->out, r->output_count),
                                  weft_attr_copy(im->cx,
                                                 &(weft_attr){ .kind = WEFT_ATTR_AXES,
                                                               .axes = { m->axes, m->axis_count } }) };
    static const weft_attr_name names[] = { WEFT_A_in_shardings, WEFT_A_out_shardings, WEFT_A_manual_axes };
    weft_named_attr attrs[WEFT_COUNT(names)];
    if (!operands || !types) return weft_oom();
    for (uint32_t i = 0; i < WEFT_COUNT(names); i++) {
        attrs[i] = (weft_named_attr){ weft_name_at(im->cx, names[i]), values[i] };
        if (!values[i]) return weft_oom();
    }
    for (uint32_t i = 0; i < r->input_count; i++)
        operands[i] = gspmd_now(im, behind_constraint(r->inputs[i]->operands[0]));
    for (uint32_t i = 0; i < r->output_count; i++) types[i] = r->outputs[i]->results[0].type;
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_sdy_manual_computation, .operands = operands,
                                                      .operand_count = r->input_count, .types = types,
                                                      .result_count = r->output_count, .attrs = attrs,
                                                          .attr_count = WEFT_COUNT(attrs), .region_count = 1 });
    weft_status st = made ? fill_beside(m, made) : b->status;
    for (uint32_t i = 0; st == WEFT_OK && i < r->output_count; i++)
        im->rewrite.map.to[r->outputs[i]->results[0].id] = &made->results[i];
    return st;
}

/* Decides whether a region can be expressed before anything is built; one that cannot stays a sequence of calls, which
 * no device can run. */
static weft_status plan_region(manual *m, manual_region *r) {
    weft_status st = WEFT_OK;
    m->region = r;
    m->why = r->unread;
    if (!m->why) st = find_mesh(m);
    if (st == WEFT_OK && !m->why) st = share_all(m);
    r->unread = m->why;
    return st;
}

weft_status gspmd_check_regions(gspmd_importer *im) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < im->regions.count; i++) {
        manual_region *r = &im->regions.v[i];
        manual m = { .im = im };
        weft_mark mark = weft_arena_mark(&im->cx->scratch);
        st = plan_region(&m, r);
        weft_arena_reset(&im->cx->scratch, mark);
        if (st == WEFT_OK && r->unread)
            st = weft_report(im->cx, WEFT_D_annotation, r->place->loc,
                             "the manual computation around this place cannot be read: %s; " GSPMD_REMEDY, r->unread);
    }
    return st;
}

weft_status gspmd_import_region(gspmd_importer *im, weft_builder *b, manual_region *r) {
    manual m = { .im = im };
    weft_mark mark = weft_arena_mark(&im->cx->scratch);
    weft_status st = plan_region(&m, r);
    if (st == WEFT_OK) st = build_region(&m, b);
    weft_arena_reset(&im->cx->scratch, mark);
    return st;
}

