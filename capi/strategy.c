/* strategy.c: axes of a mesh added to the shardings of inputs by their names; see weft/strategy.h. */
#include <weft/strategy.h>

#include "base/nearest.h"
#include "capi/pattern.h"

/* ---- one axis of one dimension ---- */

typedef struct axis {
    const weft_device_mesh *mesh;
    weft_name name;
    int64_t size;
} axis;

static bool find_axis(weft_graph *g, const weft_device_mesh *mesh, const char *name, axis *out) {
    if (!mesh || mesh->graph != g)
        return weft_graph_fail(g, WEFT_D_usage, "the mesh is NULL or of another graph") != NULL;
    for (uint32_t i = 0; name && i < mesh->attr->axis_count; i++)
        if (weft_str_is(weft_name_str(mesh->attr->axes[i].name), name)) {
            *out = (axis){ mesh, mesh->attr->axes[i].name, mesh->attr->axes[i].size };
            return true;
        }
    return weft_graph_fail(g, WEFT_D_sharding, "the mesh has no axis '%s'", name ? name : "") != NULL;
}

static int64_t size_of(const weft_device_mesh *mesh, const weft_axis_ref *ref) {
    if (ref->size) return ref->size;
    for (uint32_t i = 0; i < mesh->attr->axis_count; i++)
        if (mesh->attr->axes[i].name == ref->name) return mesh->attr->axes[i].size;
    return 1;
}

/* Whether the axis divides what axes that dimension d has leave of it. */
static bool divides(const axis *a, const weft_graph_port *p, uint32_t d) {
    int64_t devices = a->size;
    const weft_axis_refs *has = p->sharding ? &p->sharding->sharding.dims[d].axes : NULL;
    for (uint32_t i = 0; has && i < has->n; i++)
        if (!weft_mul_i64(devices, size_of(a->mesh, &has->v[i]), &devices)) return false;
    return p->value->type->dims[d] % devices == 0;
}

static bool has_axis(const weft_sharding_attr *s, weft_name name) {
    for (uint32_t d = 0; d < s->rank; d++)
        for (uint32_t i = 0; i < s->dims[d].axes.n; i++)
            if (s->dims[d].axes.v[i].name == name) return true;
    return false;
}

/* Whether the sharding that p has can take the axis; reports. */
static bool can_take(weft_graph *g, const axis *a, const weft_graph_port *p) {
    if (!p->sharding) return true;
    const weft_sharding_attr *s = &p->sharding->sharding;
    if (s->mesh->kind != WEFT_ATTR_SYMBOL || s->mesh->names.n != 1 || s->mesh->names.v[0] != a->mesh->name)
        return weft_graph_fail(g, WEFT_D_sharding, "'%s' lies on another mesh already", p->name->text) != NULL;
    if (has_axis(s, a->name))
        return weft_graph_fail(g, WEFT_D_sharding, "'%s' is split over axis '%s' already", p->name->text,
                               a->name->text) != NULL;
    return true;
}

/* Splits dimension d of p over the axis, too, if that divides it. */
static void split(weft_graph *g, const axis *a, weft_graph_port *p, uint32_t d) {
    weft_dim_sharding dims[WEFT_MAX_RANK];
    weft_axis_ref axes[65];
    if (!can_take(g, a, p) || !divides(a, p, d)) return;
    weft_attr made = { .kind = WEFT_ATTR_SHARDING };
    if (p->sharding) made = *p->sharding;
    else made.sharding.mesh = weft_attr_symbol(g->cx, a->mesh->name);
    made.sharding.rank = p->value->type->rank;
    for (uint32_t i = 0; i < made.sharding.rank; i++)
        dims[i] = p->sharding ? p->sharding->sharding.dims[i] : (weft_dim_sharding){ .priority = WEFT_NO_PRIORITY };
    uint32_t n = dims[d].axes.n;
    if (n > 64) return;
    for (uint32_t i = 0; i < n; i++) axes[i] = dims[d].axes.v[i];
    axes[n++] = (weft_axis_ref){ .name = a->name };
    dims[d].axes = (weft_axis_refs){ axes, n };
    made.sharding.dims = dims;
    const weft_attr *kept = made.sharding.mesh ? weft_attr_copy(g->cx, &made) : NULL;
    if (kept) p->sharding = kept;
    else weft_graph_keep(g, weft_oom());
}

/* ---- which dimension ---- */

static int64_t first_dim(const weft_graph_port *p) { return p->value->type->rank ? 0 : -1; }

static int64_t first_after_layers(const weft_graph_port *p) {
    return p->kept->layers < p->value->type->rank ? (int64_t)p->kept->layers : -1;
}

static int64_t first_of_outputs(const weft_graph_port *p) {
    size_t stacked, summed;
    weft_graph_kept_dims(p, &stacked, &summed);
    return stacked + summed < p->value->type->rank ? (int64_t)(stacked + summed) : -1;
}

static int64_t first_summed(const weft_graph_port *p) {
    size_t stacked, summed;
    weft_graph_kept_dims(p, &stacked, &summed);
    return summed ? (int64_t)stacked : -1;
}

static void for_each(weft_graph *g, const char *what, const weft_device_mesh *mesh, const char *name,
                     const char *pattern, int role, int64_t (*dim)(const weft_graph_port *)) {
    axis a;
    size_t *v, n;
    if (!find_axis(g, mesh, name, &a)) return;
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    if (weft_pattern_choose(g, pattern, role, &v, &n)) {
        if (!n) weft_pattern_fail(g, what, pattern, role);
        for (size_t i = 0; i < n && g->b.status == WEFT_OK; i++) {
            const int64_t d = dim(&g->inputs.v[v[i]]);
            if (d >= 0) split(g, &a, &g->inputs.v[v[i]], (uint32_t)d);
        }
    }
    weft_arena_reset(&g->cx->scratch, mark);
}

/* ---- strategies of inputs ---- */

void weft_strategy_dp_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *axis,
                         const char *pattern) {
    if (weft_graph_begin(g, at)) for_each(g, "dp", mesh, axis, pattern, WEFT_ROLE_INPUT, first_dim);
}

void weft_strategy_tp_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *axis,
                         const char *columns, const char *rows) {
    if (!weft_graph_begin(g, at)) return;
    if (!columns && !rows) weft_graph_fail(g, WEFT_D_usage, "a pattern of names is empty: \"*\" is all");
    if (columns) for_each(g, "tp", mesh, axis, columns, WEFT_KEPT_PARAMETER, first_of_outputs);
    if (rows && g->b.status == WEFT_OK) for_each(g, "tp", mesh, axis, rows, WEFT_KEPT_PARAMETER, first_summed);
}

void weft_strategy_ep_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *axis,
                         const char *pattern) {
    if (weft_graph_begin(g, at)) for_each(g, "ep", mesh, axis, pattern, WEFT_KEPT_PARAMETER, first_after_layers);
}

void weft_strategy_fsdp_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *name,
                           const char *pattern) {
    axis a;
    size_t *v, n;
    if (!weft_graph_begin(g, at) || !find_axis(g, mesh, name, &a)) return;
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    if (!weft_pattern_choose(g, pattern, WEFT_KEPT_PARAMETER, &v, &n)) n = 0;
    else if (!n) weft_pattern_fail(g, "fsdp", pattern, WEFT_KEPT_PARAMETER);
    for (size_t i = 0; i < n && g->b.status == WEFT_OK; i++) {
        weft_graph_port *p = &g->inputs.v[v[i]];
        int64_t best = -1;
        for (uint32_t d = p->kept->layers; d < p->value->type->rank; d++)
            if (divides(&a, p, d) && (best < 0 || p->value->type->dims[d] > p->value->type->dims[best])) best = d;
        if (best >= 0) split(g, &a, p, (uint32_t)best);
    }
    weft_arena_reset(&g->cx->scratch, mark);
}

/* ---- activations ---- */

void weft_strategy_sp_at(weft_source at, weft_graph *g, const weft_device_mesh *mesh, const char *name,
                         const char *pattern) {
    axis a;
    if (!weft_graph_begin(g, at) || !find_axis(g, mesh, name, &a)) return;
    if (!pattern || !*pattern) {
        weft_graph_fail(g, WEFT_D_usage, "a pattern of names is empty: \"*\" is all");
        return;
    }
    weft_graph_sequence *s = weft_arena_new(&g->m->arena, weft_graph_sequence);
    char *text = weft_arena_strdup(&g->m->arena, pattern, strlen(pattern));
    if (!s || !text) {
        weft_graph_keep(g, weft_oom());
        return;
    }
    *s = (weft_graph_sequence){ .pattern = text, .mesh = mesh, .axis = a.name, .loc = g->b.loc, .next = g->sequences };
    weft_nearest *near = weft_arena_new(&g->m->arena, weft_nearest);
    if (near) *near = weft_nearest_to(weft_str_from(text));
    s->near = near;
    g->sequences = s;
}

weft_tensor *weft_activation_at(weft_source at, weft_graph *g, const char *name, weft_tensor *x) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "activation", &x, 1)) return NULL;
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    const char *path = weft_graph_path(g, "activation", name);
    weft_name whole = path ? weft_name_from(g->cx, path) : NULL;
    if (path && !whole) weft_graph_keep(g, weft_oom());
    weft_arena_reset(&g->cx->scratch, mark);
    if (!whole) return NULL;
    for (weft_graph_sequence *s = g->sequences; s && x; s = s->next) {
        if (s->near) weft_nearest_offer(s->near, weft_name_str(whole));
        if (!weft_pattern_matches(weft_str_from(s->pattern), weft_name_str(whole))) continue;
        if (x->type->rank < 2)
            return weft_graph_fail(g, WEFT_D_usage, "activation '%s' has no tokens: its rank is %u", whole->text,
                                   x->type->rank);
        s->used = true;
        weft_dim_sharding dims[WEFT_MAX_RANK];
        const weft_axis_ref ref = { .name = s->axis };
        for (uint32_t d = 0; d < x->type->rank; d++)
            dims[d] = (weft_dim_sharding){ .priority = WEFT_NO_PRIORITY, .open = d != 1 };
        dims[1].axes = (weft_axis_refs){ &ref, 1 };
        weft_attr a = { .kind = WEFT_ATTR_SHARDING, .sharding = { .dims = dims, .rank = x->type->rank } };
        a.sharding.mesh = weft_attr_symbol(g->cx, s->mesh->name);
        const weft_attr_pair attr = { WEFT_A_sharding, a.sharding.mesh ? weft_attr_copy(g->cx, &a) : NULL };
        if (!attr.value) return weft_graph_keep(g, weft_oom());
        x = weft_graph_build_1(g, WEFT_OP_sdy_sharding_constraint, &x, 1, &attr, 1, NULL);
    }
    return x;
}

void weft_graph_check_sequences(weft_graph *g) {
    for (const weft_graph_sequence *s = g->sequences; s && g->b.status == WEFT_OK; s = s->next) {
        const weft_nearest none = { 0 }, near = s->near ? *s->near : none;
        if (s->used) continue;
        g->b.loc = s->loc;
        weft_graph_fail(g, WEFT_D_usage, "sp: no activation made since is called \"%s\"" WEFT_NEAREST, s->pattern,
                        WEFT_NEAREST_ARG(near));
    }
}
