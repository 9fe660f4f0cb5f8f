/* task_call.c: the group of a collective on a machine, from the axes or the list that it names. */
#include "cost/fuse_internal.h"

#include "cost/op_internal.h"

typedef struct op_kind { weft_op_kind op; weft_coll_kind kind; } op_kind;
static const op_kind kinds[] = {
    { WEFT_OP_all_reduce, WEFT_PLAN_ALL_REDUCE }, { WEFT_OP_all_gather, WEFT_PLAN_ALL_GATHER },
    { WEFT_OP_reduce_scatter, WEFT_PLAN_REDUCE_SCATTER }, { WEFT_OP_all_to_all, WEFT_PLAN_ALL_TO_ALL },
    { WEFT_OP_collective_permute, WEFT_PLAN_COLLECTIVE_PERMUTE },
    { WEFT_OP_collective_broadcast, WEFT_PLAN_COLLECTIVE_BROADCAST }, { WEFT_OP_collective_reduce, WEFT_PLAN_REDUCE },
};

/* The axes as places of the mesh: size and stride of each. */
typedef struct digit { int64_t size, stride; } digit;

static digit digit_of(const weft_mesh_attr *mesh, const weft_axis_ref *a) {
    int64_t below = 1;
    for (uint32_t k = mesh->axis_count; k-- > 0; below *= mesh->axes[k].size) {
        if (mesh->axes[k].name != a->name) continue;
        if (!a->size) return (digit){ mesh->axes[k].size, below };
        return (digit){ a->size, below * (mesh->axes[k].size / (a->pre_size * a->size)) };
    }
    return (digit){ 1, 1 };
}

static weft_status print_axes(weft_context *cx, weft_arena *arena, weft_axis_refs axes, weft_str *out) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    for (uint32_t i = 0; i < axes.n; i++) {
        if (i) weft_buf_putc(&b, ',');
        weft_buf_puts(&b, axes.v[i].name->text);
        if (axes.v[i].size)
            weft_buf_printf(&b, ":(%lld)%lld", (long long)axes.v[i].pre_size, (long long)axes.v[i].size);
    }
    const char *p = b.failed ? NULL : weft_arena_strdup(arena, b.p ? b.p : "", b.n);
    *out = (weft_str){ p, p ? b.n : 0 };
    weft_buf_free(&b);
    return p ? WEFT_OK : weft_oom();
}

static weft_status along_axes(const weft_module *m, const weft_attr *groups, const weft_machine *machine,
                              weft_arena *arena, weft_task_call *out) {
    const weft_attr *named = groups->mesh_axes.mesh;
    const weft_op *symbol =
        named->kind == WEFT_ATTR_SYMBOL ? weft_module_symbol(m, weft_name_str(named->names.v[0])) : NULL;
    const weft_mesh_attr *mesh = symbol ? &weft_op_attr(symbol, WEFT_A_mesh)->mesh : &named->mesh;
    const weft_axis_refs axes = groups->mesh_axes.axes;
    int64_t n = 1;
    for (uint32_t i = 0; i < axes.n; i++) n *= digit_of(mesh, &axes.v[i]).size;
    int32_t *members = weft_arena_array(arena, int32_t, n);
    if (!members) return weft_oom();
    for (int64_t k = 0; k < n; k++) {
        int64_t place = 0, rest = k;
        for (uint32_t i = axes.n; i-- > 0;) {
            const digit d = digit_of(mesh, &axes.v[i]);
            place += rest % d.size * d.stride;
            rest /= d.size;
        }
        members[k] = (int32_t)(mesh->device_ids.n ? mesh->device_ids.v[place] : place);
    }
    out->group_size = n;
    out->reach = weft_machine_reach(machine, members, n);
    return print_axes(m->cx, arena, axes, &out->axes);
}

/* The longest way counts: a permute sends along its pairs at once. */
static weft_status farthest(fuse *f, const weft_process_groups *all, weft_reach *out) {
    int32_t *row = weft_arena_array(&f->scratch, int32_t, all->size);
    if (!row) return weft_oom();
    *out = (weft_reach){ .level = -1 };
    for (int64_t g = 0; g < all->count; g++) {
        int64_t n = 0;
        while (n < all->size && all->ids[g * all->size + n] >= 0) row[n] = (int32_t)all->ids[g * all->size + n], n++;
        const weft_reach r = weft_machine_reach(f->opt->machine, row, n);
        if (out->level < 0 || (r.level >= 0 && r.level < out->level)) *out = r;
    }
    return WEFT_OK;
}

static weft_status along_list(fuse *f, const weft_op *op, weft_task_call *out) {
    const weft_known_groups *known;
    const uint32_t before = f->groups.count;
    weft_grid grid;
    weft_status st = weft_grid_of(f->m, f->opt->devices, &grid);
    if (st == WEFT_OK) st = weft_known_groups_of(&f->groups, f->m, op, grid, &known);
    if (st != WEFT_OK) return st;
    if (f->groups.count > before) {
        if (!weft_arena_grow(&f->scratch, (void **)&f->reaches, &f->reach_cap, known->number + 1u, sizeof *f->reaches))
            return weft_oom();
        st = farthest(f, &known->groups, &f->reaches[known->number]);
        if (st != WEFT_OK) return st;
    }
    out->axes = WEFT_STR("listed devices");
    out->group_size = known->groups.size;
    out->reach = f->reaches[known->number];
    return WEFT_OK;
}

weft_status fuse_call_of(fuse *f, const weft_op *op, weft_task_call *out) {
    const weft_attr *groups = weft_op_attr(op, WEFT_A_replica_groups);
    *out = (weft_task_call){ .kind = WEFT_PLAN_COLLECTIVE_BROADCAST, .reach = { .level = -1 } };
    for (size_t i = 0; i < WEFT_COUNT(kinds); i++)
        if (kinds[i].op == op->kind) out->kind = kinds[i].kind;
    weft_status st = groups && groups->kind == WEFT_ATTR_MESH_AXES
                         ? along_axes(f->m, groups, f->opt->machine, f->arena, out)
                         : along_list(f, op, out);
    for (uint32_t i = 0; i < op->operand_count && i < op->result_count; i++)
        out->bytes += weft_cost_bytes(out->kind == WEFT_PLAN_ALL_GATHER ? &op->results[i] : op->operands[i]);
    out->wire_bytes = weft_wire_bytes(out->kind, out->group_size, out->bytes);
    return st;
}
