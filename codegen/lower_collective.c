/* lower_collective.c: a collective as the runtime executes it: its group, and each operand split into blocks. */
#include "codegen/lower.h"
#include "cost/link.h"

/* The mesh of all the program's devices, or NULL. */
static const weft_mesh_attr *mesh_of_all(const cg_lowering *l) {
    WEFT_EACH_OP(op, weft_module_body(l->m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        int64_t places = mesh && mesh->mesh.axis_count ? 1 : 0;
        for (uint32_t a = 0; places && a < mesh->mesh.axis_count; a++) places *= mesh->mesh.axes[a].size;
        if (places && places == l->opt->device_count) return &mesh->mesh;
    }
    return NULL;
}

/* Of groups that are lists of devices: the axes of the mesh along which members of one group lie apart; true when there
 * is any. */
static bool put_listed_axes(cg_lowering *l, const cg_coll *c, weft_buf *b) {
    const weft_mesh_attr *m = mesh_of_all(l);
    const int64_t n = m ? l->opt->device_count : 0, per_group = c->groups.size;
    weft_mark mark = weft_arena_mark(&l->cx->scratch);
    int64_t *place = weft_scratch_array(l->cx, int64_t, (size_t)n);
    bool any = false;
    for (int64_t i = 0; place && i < n; i++) place[i] = i;
    for (uint32_t i = 0; place && n && i < m->device_ids.n; i++)
        if (m->device_ids.v[i] >= 0 && m->device_ids.v[i] < n) place[m->device_ids.v[i]] = i;
    int64_t minor = n;
    for (uint32_t a = 0; place && n && a < m->axis_count; a++) {
        bool apart = false;
        minor /= m->axes[a].size;
        for (int64_t g = 0; g < c->groups.count && !apart; g++)
            for (int64_t k = 1; k < per_group && !apart; k++) {
                const int64_t x = c->groups.ids[g * per_group], y = c->groups.ids[g * per_group + k];
                if (x < 0 || y < 0 || x >= n || y >= n) continue; /* a group may be shorter than others */
                apart = place[x] / minor % m->axes[a].size != place[y] / minor % m->axes[a].size;
            }
        if (!apart) continue;
        if (any) weft_buf_putc(b, ',');
        weft_buf_puts(b, m->axes[a].name->text);
        any = true;
    }
    weft_arena_reset(&l->cx->scratch, mark);
    return any;
}

static weft_str axes_text(cg_lowering *l, const cg_coll *c) {
    weft_buf b;
    weft_buf_init(&b, &l->cx->alloc);
    const weft_axis_refs axes = c->mesh ? c->axes->mesh_axes.axes : (weft_axis_refs){ 0 };
    for (uint32_t i = 0; i < axes.n; i++) {
        if (i) weft_buf_putc(&b, ',');
        weft_buf_puts(&b, axes.v[i].name->text);
        if (axes.v[i].size)
            weft_buf_printf(&b, ":(%lld)%lld", (long long)axes.v[i].pre_size, (long long)axes.v[i].size);
    }
    if (!c->mesh && !put_listed_axes(l, c, &b)) weft_buf_puts(&b, "listed devices");
    char *p = b.failed ? NULL : weft_arena_strdup(&l->x->arena, b.p ? b.p : "", b.n);
    weft_str s = { p, p ? b.n : 0 };
    weft_buf_free(&b);
    return s;
}

/* The executable's mesh of that name; it is added at first use. */
static weft_status mesh_index(cg_lowering *l, weft_name name, uint32_t *out) {
    weft_executable *x = l->x;
    const weft_mesh_attr *m = &weft_op_attr(weft_module_symbol(l->m, weft_name_str(name)), WEFT_A_mesh)->mesh;
    weft_exec_mesh *list = (weft_exec_mesh *)x->meshes;
    for (*out = 0; *out < x->mesh_count; ++*out)
        if (((const weft_name *)l->mesh_names.v)[*out] == name) return WEFT_OK;
    weft_exec_mesh *grown = weft_arena_array(&x->arena, weft_exec_mesh, x->mesh_count + 1);
    int64_t *sizes = weft_arena_array(&x->arena, int64_t, m->axis_count);
    weft_str *names = weft_arena_array(&x->arena, weft_str, m->axis_count);
    weft_name *slot = cg_grow(l, &l->mesh_names, sizeof *slot);
    int64_t *ids = m->device_ids.n
                       ? weft_arena_dup(&x->arena, m->device_ids.v, m->device_ids.n * sizeof *ids, _Alignof(int64_t))
                       : NULL;
    if (!grown || !sizes || !names || !slot || (m->device_ids.n && !ids)) return weft_oom();
    if (x->mesh_count) memcpy(grown, list, x->mesh_count * sizeof *grown);
    for (uint32_t i = 0; i < m->axis_count; i++) {
        weft_str s = weft_name_str(m->axes[i].name);
        sizes[i] = m->axes[i].size;
        names[i] = (weft_str){ weft_arena_strdup(&x->arena, s.p, s.n), s.n };
        if (!names[i].p) return weft_oom();
    }
    *slot = name;
    grown[x->mesh_count] = (weft_exec_mesh){ sizes, m->axis_count, names, ids };
    x->meshes = grown;
    x->mesh_count++;
    return WEFT_OK;
}

static weft_status mesh_group(cg_lowering *l, const cg_coll *c, weft_group *out) {
    weft_status st = mesh_index(l, c->mesh, &out->mesh);
    if (st != WEFT_OK) return st;
    const weft_axis_refs axes = c->axes->mesh_axes.axes;
    const weft_mesh_attr *m = &weft_op_attr(weft_module_symbol(l->m, weft_name_str(c->mesh)), WEFT_A_mesh)->mesh;
    weft_group_axis *v = weft_arena_array(&l->x->arena, weft_group_axis, axes.n);
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < axes.n; i++)
        for (uint32_t k = 0; k < m->axis_count; k++)
            if (m->axes[k].name == axes.v[i].name)
                v[i] = axes.v[i].size ? (weft_group_axis){ k, axes.v[i].pre_size, axes.v[i].size }
                                      : (weft_group_axis){ k, 1, m->axes[k].size };
    out->axes = v;
    out->axis_count = axes.n;
    return WEFT_OK;
}

static weft_status dense_group(cg_lowering *l, const cg_coll *c, weft_group *out) {
    const size_t bytes = (size_t)(c->groups.count * c->groups.size) * sizeof *c->groups.ids;
    const int64_t *v = weft_arena_dup(&l->x->arena, c->groups.ids, bytes, _Alignof(int64_t));
    if (!v) return weft_oom();
    if (c->kind == WEFT_PLAN_COLLECTIVE_PERMUTE) {
        out->pairs = v;
        out->pair_count = c->groups.count;
        out->size = 2;
    } else {
        out->members = v;
        out->group_count = c->groups.count;
    }
    return WEFT_OK;
}

weft_status cg_coll_group(cg_lowering *l, const cg_node *n, weft_group *out) {
    const cg_coll *c = n->coll;
    weft_group g = { .size = c->group_size };
    if (!l->group[n->id]) {
        weft_status st = c->mesh ? mesh_group(l, c, &g) : dense_group(l, c, &g);
        if (st != WEFT_OK) return st;
        l->group[n->id] = weft_arena_dup(&l->x->arena, &g, sizeof g, _Alignof(weft_group));
        if (!l->group[n->id]) return weft_oom();
    }
    *out = *l->group[n->id];
    return WEFT_OK;
}

static int64_t product(const int64_t *v, uint32_t from, uint32_t to) {
    int64_t p = 1;
    for (uint32_t i = from; i < to; i++) p *= v[i];
    return p;
}

/* Blocks of the operand; see weft_coll_operand. */
static void cut(const cg_coll *c, const cg_node *in, const cg_node *out, weft_coll_operand *o) {
    const uint32_t d = (uint32_t)c->dim, e = (uint32_t)c->concat_dim;
    o->outer = o->middle = 1;
    o->inner = in->elems;
    if (c->tables == CG_RAGGED_TABLES) {
        o->inner = product(in->dims, 1, in->rank);
        return;
    }
    switch ((weft_coll_kind_plan)c->kind) {
    case WEFT_PLAN_ALL_GATHER:
        o->outer = product(in->dims, 0, d);
        o->inner = product(in->dims, d, in->rank);
        break;
    case WEFT_PLAN_REDUCE_SCATTER:
        o->outer = product(out->dims, 0, d);
        o->inner = product(out->dims, d, out->rank);
        break;
    case WEFT_PLAN_ALL_TO_ALL:
        /* in: split dimension is group x its part, out: concat dimension is group x the operand's */
        if (d <= e) {
            o->outer = product(in->dims, 0, d);
            o->middle = product(out->dims, d, e);
            o->inner = product(in->dims, e, in->rank);
            if (d == e) o->inner = product(out->dims, d, out->rank) / c->group_size;
        } else {
            o->outer = product(in->dims, 0, e);
            o->middle = product(in->dims, e, d);
            o->inner = product(out->dims, d, out->rank);
        }
        o->split_first = d <= e;
        break;
    case WEFT_PLAN_ALL_REDUCE: case WEFT_PLAN_COLLECTIVE_PERMUTE: case WEFT_PLAN_COLLECTIVE_BROADCAST: break;
    }
    if (!o->outer || !o->middle) o->outer = o->middle = 1, o->inner = 0; /* no elements: that is inner's to say */
}

/* The end of what another step has begun. */
static weft_status lower_done(cg_lowering *l, const cg_unit *u, const cg_begun *begun) {
    weft_step *s = cg_new_step(l, u, WEFT_PLAN_DONE);
    if (!s) return weft_oom();
    weft_plan_step *p = (weft_plan_step *)l->plan_steps.v + l->plan_steps.n - 1;
    p->flops = 0;
    p->read_bytes = p->write_bytes = 0;
    p->collective = begun->coll->plan_index;
    s->kind = WEFT_STEP_DONE;
    s->coll = begun->coll;
    s->ticket = begun->ticket;
    s->label = "done";
    return WEFT_OK;
}

weft_status cg_lower_collective(cg_lowering *l, cg_layout *lay, uint32_t unit, cg_phase phase) {
    const cg_unit *u = &lay->units.v[unit];
    const cg_node *n = u->step;
    const cg_coll *c = n->coll;
    if (phase == CG_PHASE_DONE) return lower_done(l, u, &lay->begun[unit]);
    const bool starts = phase == CG_PHASE_START;
    const uint32_t operand_count = n->in_count - c->tables;
    const bool ragged = c->tables == CG_RAGGED_TABLES;
    weft_coll_operand *operands = weft_arena_array(&l->x->arena, weft_coll_operand, operand_count);
    weft_coll_step *coll = weft_arena_new(&l->x->arena, weft_coll_step);
    weft_plan_collective *plan = cg_grow(l, &l->colls, sizeof *plan);
    weft_step *s = cg_new_step(l, u, starts ? WEFT_PLAN_START : WEFT_PLAN_COLLECTIVE);
    if (!operands || !coll || !plan || !s) return weft_oom();
    weft_status st = cg_coll_group(l, n, &coll->group);
    int64_t bytes = 0;
    for (uint32_t i = 0; i < operand_count && st == WEFT_OK; i++) {
        cg_node *in = n->in[i], *out = NULL;
        for (uint32_t w = 0; w < u->write_count; w++)
            if (u->writes[w]->aux == i) out = u->writes[w];
        operands[i].dtype = (weft_dtype)in->dtype;
        cut(c, in, out, &operands[i]);
        bytes += c->kind == WEFT_PLAN_ALL_GATHER ? cg_bytes(out) : cg_bytes(in);
        st = cg_slice_of(l, in, &operands[i].in);
        if (st == WEFT_OK) st = cg_slice_of(l, out, &operands[i].out);
    }
    weft_slice *tables = weft_arena_array(&l->x->arena, weft_slice, c->tables);
    if (st == WEFT_OK && !tables) st = weft_oom();
    for (uint32_t i = 0; i < c->tables && st == WEFT_OK; i++) st = cg_slice_of(l, n->in[operand_count + i], &tables[i]);
    if (st != WEFT_OK) return st;
    coll->tables = tables;
    coll->table_count = c->tables;
    coll->kind = (weft_coll_kind_plan)c->kind;
    coll->reduction = (weft_reduction)c->reduction;
    coll->operands = operands;
    coll->operand_count = operand_count;
    coll->plan_index = (uint32_t)l->colls.n - 1;
    *plan = (weft_plan_collective){ coll->kind, axes_text(l, c), coll->group.size,
                                    weft_group_stride(l->x, &coll->group), bytes,
                                    ragged ? bytes : weft_wire_bytes(coll->kind, coll->group.size, bytes), ragged,
                                    u->loc };
    if (!plan->axes.p) return weft_oom();
    ((weft_plan_step *)l->plan_steps.v)[l->plan_steps.n - 1].collective = coll->plan_index;
    if (starts) s->ticket = l->x->ticket_count++;
    lay->begun[unit] = (cg_begun){ coll, s->ticket };
    s->kind = starts ? WEFT_STEP_START : WEFT_STEP_COLLECTIVE;
    s->coll = coll;
    s->label = ragged ? "ragged_all_to_all" : weft_coll_kind_name(coll->kind);
    return WEFT_OK;
}
