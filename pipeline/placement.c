/* placement.c: patterns from a program's groups; writes orders into its meshes. */
#include "pipeline/placement.h"

#include "ir/builder.h"
#include "runtime/group.h"

#define MOST_MEMBERS 65536 /* of a pattern; larger ones are represented by some of their rows */
#define FEW_ROWS 64

/* --- loads -------------------------------------------------------------------------------------------------------- */

static bool same_group(const weft_group *a, const weft_group *b) {
    if (a->size != b->size || a->mesh != b->mesh || a->axis_count != b->axis_count ||
        a->group_count != b->group_count || a->pair_count != b->pair_count || !a->members != !b->members)
        return false;
    for (uint32_t i = 0; i < a->axis_count; i++)
        if (a->axes[i].axis != b->axes[i].axis || a->axes[i].pre_size != b->axes[i].pre_size ||
            a->axes[i].size != b->axes[i].size)
            return false;
    return (!a->members || !memcmp(a->members, b->members, (size_t)(a->group_count * a->size) * sizeof *a->members))
        && (!a->pair_count || !memcmp(a->pairs, b->pairs, (size_t)(2 * a->pair_count) * sizeof *a->pairs));
}

/* The pairs of senders and receivers, as rows of two. */
static weft_status pair_rows(weft_arena *arena, const weft_group *g, weft_pattern *out) {
    int32_t *m = weft_arena_array(arena, int32_t, 2 * g->pair_count);
    if (!m) return weft_oom();
    for (int64_t i = 0; i < 2 * g->pair_count; i++) m[i] = (int32_t)g->pairs[i];
    *out = (weft_pattern){ m, 2, g->pair_count };
    return WEFT_OK;
}

/* The groups, in the order of their lowest devices. */
static weft_status group_rows(weft_arena *arena, const weft_executable *x, const weft_group *g, weft_pattern *out) {
    int64_t rows = x->device_count / weft_max_i64(1, g->size), step = 1, n = 0, met = 0;
    if (g->members) rows = g->group_count;
    if (rows * g->size > MOST_MEMBERS && rows > FEW_ROWS) step = rows / FEW_ROWS;
    int *row = weft_arena_array(arena, int, g->size);
    int32_t *m = weft_arena_array(arena, int32_t, ((rows + step - 1) / step + 1) * g->size);
    if (!row || !m) return weft_oom();
    for (int64_t d = 0; d < x->device_count && met < rows; d++) {
        int count = weft_group_members(x, g, d, row), lowest = count ? row[0] : -1;
        for (int i = 1; i < count; i++) lowest = row[i] < lowest ? row[i] : lowest;
        if (lowest != d || met++ % step) continue;
        for (int64_t i = 0; i < g->size; i++) m[n * g->size + i] = i < count ? row[i] : -1;
        n++;
    }
    *out = (weft_pattern){ m, g->size, n };
    return WEFT_OK;
}

weft_status weft_program_loads(weft_context *cx, weft_arena *arena, const weft_built_program *p, const int64_t *counts,
                               weft_loads *out) {
    const weft_executable *x = p->exec;
    const weft_plan *plan = &x->plan;
    const weft_group **groups = weft_arena_array(arena, const weft_group *, plan->collective_count);
    weft_pattern *patterns = weft_arena_array(arena, weft_pattern, plan->collective_count);
    weft_load *loads = weft_arena_array(arena, weft_load, plan->collective_count);
    uint32_t n = 0;
    weft_status st = WEFT_OK;
    (void)cx;
    if (!groups || !patterns || !loads) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < x->step_count; i++) {
        const weft_coll_step *c = x->steps[i].coll;
        if (!c || c->plan_index >= plan->collective_count) continue;
        const weft_plan_collective *pc = &plan->collectives[c->plan_index];
        uint32_t k = 0;
        while (k < n && !same_group(groups[k], &c->group)) k++;
        if (k == n) {
            groups[n] = &c->group;
            st = c->group.pair_count ? pair_rows(arena, &c->group, &patterns[n])
                                     : group_rows(arena, x, &c->group, &patterns[n]);
            n++;
        }
        loads[c->plan_index] = (weft_load){ pc->kind, k, pc->group_size, pc->bytes, (double)counts[c->plan_index] };
    }
    *out = (weft_loads){ patterns, n, loads, plan->collective_count };
    return st;
}

/* --- orders of meshes --------------------------------------------------------------------------------------------- */

static int64_t places_of(const weft_attr *mesh) {
    int64_t n = 1;
    for (uint32_t a = 0; a < mesh->mesh.axis_count; a++)
        if (!weft_mul_i64(n, mesh->mesh.axes[a].size, &n)) return INT64_MAX;
    return mesh->mesh.axis_count ? n : 0;
}

static const weft_attr *largest_mesh(const weft_module *m) {
    const weft_attr *best = NULL;
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *mesh = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (mesh && places_of(mesh) > (best ? places_of(best) : 0)) best = mesh;
    }
    return best;
}

static weft_status mesh_of(weft_arena *arena, const weft_module *m, weft_order_mesh *out, bool *fixed) {
    const weft_attr *mesh = largest_mesh(m);
    *out = (weft_order_mesh){ NULL, 0 };
    *fixed = mesh && mesh->mesh.device_ids.n > 0;
    if (!mesh) return WEFT_OK;
    weft_order_axis *axes = weft_arena_array(arena, weft_order_axis, mesh->mesh.axis_count);
    if (!axes) return weft_oom();
    for (uint32_t a = 0; a < mesh->mesh.axis_count; a++)
        axes[a] = (weft_order_axis){ weft_name_str(mesh->mesh.axes[a].name), mesh->mesh.axes[a].size };
    *out = (weft_order_mesh){ axes, mesh->mesh.axis_count };
    return WEFT_OK;
}

static const char *text_of(weft_arena *arena, weft_context *cx, const weft_order_mesh *mesh, const weft_order *order) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_order_print(&b, mesh, order);
    const char *text = b.failed ? NULL : weft_arena_strdup(arena, b.p ? b.p : "", b.n);
    weft_buf_free(&b);
    return text;
}

/* Adds the time of each collective to its axes' row. */
static void add_traffic(const weft_machine *machine, const weft_plan_collective *c, const weft_load *load,
                        const weft_reach *const reach[WEFT_ORDER_COUNT], uint32_t i, weft_axes_traffic *rows,
                        uint32_t *n) {
    uint32_t k = 0;
    while (k < *n && !weft_str_equal(rows[k].axes, c->axes)) k++;
    bool fresh = k == *n;
    if (fresh) rows[(*n)++] = (weft_axes_traffic){ .axes = c->axes };
    rows[k].wire_bytes += load->count * (double)c->wire_bytes;
    for (int o = 0; o < WEFT_ORDER_COUNT; o++) {
        if (!reach[o]) continue;
        const weft_coll_time t =
            weft_machine_reach_time(machine, load->kind, load->group_size, &reach[o][i], load->bytes);
        rows[k].time_s[o] += load->count * (t.beside_s + t.own_s);
        if (fresh || reach[o][i].level < rows[k].reach[o].level) rows[k].reach[o] = reach[o][i];
    }
}

static weft_status say_why(weft_context *cx, weft_arena *arena, const weft_order_mesh *mesh,
                           const weft_built_program *p,
                           const weft_machine *machine, const weft_loads *loads,
                           const weft_order *const order[WEFT_ORDER_COUNT], weft_order_advice *out) {
    uint32_t n = 0;
    weft_axes_traffic *rows = weft_arena_array(arena, weft_axes_traffic, loads->load_count);
    int32_t *device_of = weft_arena_array(arena, int32_t, weft_order_places(mesh));
    const weft_reach *reach[WEFT_ORDER_COUNT] = { NULL };
    weft_status st = rows && device_of ? WEFT_OK : weft_oom();
    for (int o = 0; o < WEFT_ORDER_COUNT && st == WEFT_OK; o++) {
        weft_reach *r = order[o] ? weft_arena_array(arena, weft_reach, loads->load_count) : NULL;
        if (!order[o]) continue;
        if (!r) return weft_oom();
        weft_order_devices(mesh, order[o], device_of);
        st = weft_load_reaches(cx, machine, loads, device_of, r);
        reach[o] = r;
    }
    for (uint32_t i = 0; st == WEFT_OK && i < loads->load_count; i++)
        if (loads->loads[i].count > 0)
            add_traffic(machine, &p->exec->plan.collectives[i], &loads->loads[i], reach, i, rows, &n);
    for (uint32_t i = 1; i < n; i++) /* a handful */
        for (uint32_t k = i; k > 0 && rows[k].wire_bytes > rows[k - 1].wire_bytes; k--) {
            const weft_axes_traffic t = rows[k];
            rows[k] = rows[k - 1], rows[k - 1] = t;
        }
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) { /* the plan may go before the advice */
        rows[i].axes.p = weft_arena_strdup(arena, rows[i].axes.p, rows[i].axes.n);
        if (!rows[i].axes.p) st = weft_oom();
    }
    out->traffic = rows;
    out->traffic_count = n;
    return st;
}

bool weft_advice_is_contiguous(const weft_order_advice *a) {
    return a->text[WEFT_ORDER_BEST] == a->text[WEFT_ORDER_CONTIGUOUS];
}

static weft_status advise(weft_context *cx, weft_arena *arena, const weft_order_mesh *mesh, const weft_built_program *p,
                          const weft_machine *machine, const int64_t *counts, const char *asked,
                          weft_order_advice *out) {
    weft_loads loads;
    weft_order_found found;
    const weft_order contiguous = weft_order_contiguous(mesh);
    weft_order own;
    const weft_order *order[WEFT_ORDER_COUNT] = { &contiguous, asked ? &own : NULL, &contiguous };
    int32_t *device_of = weft_arena_array(arena, int32_t, weft_order_places(mesh));
    weft_status st = device_of ? weft_program_loads(cx, arena, p, counts, &loads) : weft_oom();
    if (st == WEFT_OK && asked) st = weft_order_read(cx, mesh, asked, &own);
    if (st == WEFT_OK) st = weft_order_search(cx, machine, mesh, &loads, &found);
    if (st == WEFT_OK && found.time_s < found.contiguous_s) order[WEFT_ORDER_BEST] = &found.order;
    for (int o = 0; o < WEFT_ORDER_COUNT && st == WEFT_OK; o++) {
        if (!order[o]) continue;
        bool known = o == WEFT_ORDER_BEST && order[o] == &contiguous;
        out->text[o] = known ? out->text[WEFT_ORDER_CONTIGUOUS] : text_of(arena, cx, mesh, order[o]);
        if (!out->text[o]) return weft_oom();
        weft_order_devices(mesh, order[o], device_of);
        st = weft_order_time(cx, machine, &loads, device_of, &out->time_s[o]);
    }
    out->tried = st == WEFT_OK ? found.tried : 0;
    return st == WEFT_OK ? say_why(cx, arena, mesh, p, machine, &loads, order, out) : st;
}

weft_status weft_program_order(weft_context *cx, weft_arena *arena, const weft_module *m, const char *sizes,
                               const weft_built_program *p, const weft_machine *machine, const int64_t *counts,
                               const char *asked, weft_order_advice *out) {
    weft_module *sized = NULL;
    weft_order_mesh mesh;
    bool fixed = false;
    *out = (weft_order_advice){ .why = NULL };
    weft_status st = sizes ? weft_module_resize_mesh(m, sizes, &sized) : WEFT_OK;
    if (st == WEFT_OK) st = mesh_of(arena, sized ? sized : m, &mesh, &fixed);
    weft_module_free(sized); /* names belong to the context */
    if (st != WEFT_OK) return st;
    if (!mesh.axis_count) out->why = "the program has no mesh";
    else if (fixed) out->why = "its mesh has device ids";
    else if (mesh.axis_count > WEFT_ORDER_PIECES) out->why = "its mesh has too many axes";
    else if (weft_order_places(&mesh) != p->device_count) out->why = "it has replicas besides its mesh";
    return out->why ? WEFT_OK : advise(cx, arena, &mesh, p, machine, counts, asked, out);
}

static weft_status set_ids(weft_module *m, int64_t places, const int64_t *ids) {
    WEFT_EACH_OP(op, weft_module_body(m)) {
        const weft_attr *old = op->kind == WEFT_OP_sdy_mesh ? weft_op_attr(op, WEFT_A_mesh) : NULL;
        if (!old || places_of(old) != places) continue;
        if (old->mesh.device_ids.n)
            return weft_report(m->cx, WEFT_D_usage, op->loc,
                               "a mesh of the program has device ids, which give its device order");
        weft_attr a = *old;
        a.mesh.device_ids = (weft_ints){ (int64_t *)(uintptr_t)ids, (size_t)places };
        const weft_attr *mesh = weft_attr_copy(m->cx, &a);
        weft_status st = mesh ? weft_op_set(m, op, WEFT_A_mesh, mesh) : weft_oom();
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

weft_status weft_module_order_devices(weft_module *m, const char *text) {
    weft_context *cx = m->cx;
    weft_order_mesh mesh;
    weft_order order;
    bool fixed;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = mesh_of(&cx->scratch, m, &mesh, &fixed);
    if (st == WEFT_OK && !mesh.axis_count)
        st = weft_report(cx, WEFT_D_usage, NULL, "a program without a mesh has no device order");
    if (st == WEFT_OK) st = weft_order_read(cx, &mesh, text, &order);
    int64_t places = st == WEFT_OK ? weft_order_places(&mesh) : 0;
    if (st == WEFT_OK && places > WEFT_MACHINE_DEVICES)
        st =
            weft_report(cx, WEFT_D_usage, NULL, "an order is of at most %lld devices", (long long)WEFT_MACHINE_DEVICES);
    int32_t *device_of = st == WEFT_OK ? weft_scratch_array(cx, int32_t, places) : NULL;
    int64_t *ids = st == WEFT_OK ? weft_scratch_array(cx, int64_t, places) : NULL;
    if (st == WEFT_OK && (!device_of || !ids)) st = weft_oom();
    if (st == WEFT_OK) weft_order_devices(&mesh, &order, device_of);
    bool iota = true;
    for (int64_t i = 0; st == WEFT_OK && i < places; i++) {
        ids[i] = device_of[i];
        iota &= ids[i] == i;
    }
    if (st == WEFT_OK && !iota) st = set_ids(m, places, ids);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}
