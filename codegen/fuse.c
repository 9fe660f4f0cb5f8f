/* fuse.c: fusion from start to end: prepare, merge, recompute, and the kernels of what came out. */
#include "codegen/call.h"
#include "codegen/fuse_internal.h"
#include "codegen/operand.h"

static weft_status kernel_unit(fuser *f, const fuse_cluster *c, cg_unit *u) {
    const cg_node *culprit = NULL;
    cg_graph *g = f->g;
    cg_kernel traced, *k;
    cg_trace_result r = fuse_trace(f, c, NULL, c->total, c->row, &traced, &culprit);
    if (r == CG_TRACE_MEMORY) return weft_oom();
    if (r != CG_TRACE_OK)
        return weft_report(g->cx, WEFT_D_internal, g->nodes[c->member[0]]->loc,
                           "fusion made a kernel that cannot be traced");
    if (!(k = u->kernel = cg_kernel_copy(&traced, &g->arena))) return weft_oom();
    cg_kernel_collapse(k);
    cg_kernel_bytes(k, &u->read_bytes, &u->write_bytes);
    cg_kernel_tile(k);
    u->kind = CG_UNIT_KERNEL;
    u->loc = g->nodes[c->member[c->n - 1]]->loc;
    u->order = c->member[c->n - 1];
    for (uint32_t i = 0; i < c->n; i++) u->flops += g->nodes[c->member[i]]->flops;
    u->reads = weft_arena_array(&g->arena, cg_node *, k->param_count);
    u->writes = weft_arena_array(&g->arena, cg_node *, k->param_count);
    if (!u->reads || !u->writes) return weft_oom();
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (weft_bits_has(k->written, i)) u->writes[u->write_count++] = k->params[i];
        else u->reads[u->read_count++] = k->params[i];
    }
    return WEFT_OK;
}

static weft_status step_unit(fuser *f, cg_node *n, cg_unit *u) {
    cg_graph *g = f->g;
    u->kind = CG_UNIT_STEP;
    u->step = n;
    u->loc = n->loc;
    u->order = n->id;
    u->flops = n->flops;
    u->reads = weft_arena_array(&g->arena, cg_node *, n->in_count);
    u->writes = weft_arena_array(&g->arena, cg_node *, n->result_count);
    if (!u->reads || !u->writes) return weft_oom();
    f->stamp++;
    for (uint32_t i = 0; i < n->in_count; i++) {
        cg_node *x = cg_operand_memory(n, i);
        const int64_t touched = weft_min_i64(cg_bytes(n->in[i]), cg_bytes(x)); /* a view may take a part */
        if (f->seen[x->id] != f->stamp || touched < cg_bytes(x)) u->read_bytes += touched;
        if (f->seen[x->id] == f->stamp) continue;
        f->seen[x->id] = f->stamp;
        u->reads[u->read_count++] = x;
    }
    if (n->result_count == 1 && n->cls != CG_COLLECTIVE && n->cls != CG_WHILE && n->cls != CG_CASE && n->cls != CG_CALL)
        u->writes[u->write_count++] = n;
    else
        for (uint32_t p = n->id + 1; p <= n->id + n->result_count && p < g->count; p++)
            if (g->nodes[p]->cls == CG_PART && g->nodes[p]->in[0] == n) {
                u->writes[u->write_count++] = g->nodes[p];
                if (n->cls == CG_CALL) u->flops += g->nodes[p]->flops; /* where import charged the op's */
            }
    for (uint32_t i = 0; i < u->write_count; i++) u->write_bytes += cg_bytes(u->writes[i]);
    if (n->cls == CG_CALL && n->call->spec.bytes != CG_BYTES_OF_TYPES)
        u->read_bytes = n->call->spec.bytes, u->write_bytes = 0;
    return WEFT_OK;
}

/* --- units that wait without reading ----------------------------------------------------------------------------- */

typedef struct waiting {
    fuser *f;
    uint32_t *unit_of;      /* by node id; CG_NONE: none in this block, or what readers compute themselves */
    uint32_t *found, n;     /* units that the one at hand waits for */
} waiting;

/* What node id is made by, or, when all its readers compute it again, what that is made of. */
static void wait_for(waiting *w, uint32_t id) {
    fuser *f = w->f;
    if (f->seen[id] == f->stamp) return;
    f->seen[id] = f->stamp;
    if (w->unit_of[id] != CG_NONE) {
        w->found[w->n++] = w->unit_of[id];
        return;
    }
    for (uint32_t k = 0; k < f->reads[id].n; k++) wait_for(w, f->reads[id].v[k]);
}

static void wait_at_gates(waiting *w, const uint32_t *node, uint32_t n) {
    fuser *f = w->f;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < f->waits[node[i]].n; k++) {
            const uint32_t gate = f->waits[node[i]].v[k];
            if (f->seen[gate] == f->stamp) continue;
            f->seen[gate] = f->stamp;
            for (uint32_t x = 0; x < f->waits[gate].n; x++) wait_for(w, f->waits[gate].v[x]);
        }
}

static weft_status wait_units(fuser *f, const cg_units *units, const fuse_cluster *const *cluster) {
    const size_t n = f->g->count;
    waiting w = { .f = f, .unit_of = weft_arena_array(f->arena, uint32_t, n),
                  .found = weft_arena_array(f->arena, uint32_t, n) };
    if (!w.unit_of || !w.found) return weft_oom();
    for (size_t i = 0; i < n; i++) w.unit_of[i] = CG_NONE;
    for (uint32_t u = 0; u < units->count; u++) {
        for (uint32_t i = 0; cluster[u] && i < cluster[u]->n; i++) w.unit_of[cluster[u]->member[i]] = u;
        if (!cluster[u]) w.unit_of[units->v[u].step->id] = u;
    }
    for (uint32_t u = 0; u < units->count; u++) {
        cg_unit *unit = &units->v[u];
        w.n = 0;
        f->stamp++;
        if (cluster[u])
            wait_at_gates(&w, cluster[u]->member, cluster[u]->n),
                wait_at_gates(&w, cluster[u]->extra, cluster[u]->extra_count);
        else wait_at_gates(&w, &unit->step->id, 1);
        unit->after = w.n ? weft_arena_dup(&f->g->arena, w.found, w.n * sizeof *w.found, _Alignof(uint32_t)) : NULL;
        if (w.n && !unit->after) return weft_oom();
        unit->after_count = w.n;
    }
    return WEFT_OK;
}

static weft_status units(fuser *f, cg_units *out) {
    cg_graph *g = f->g;
    uint32_t n = f->cluster_count;
    bool gates = false;
    for (uint32_t i = 0; i < g->count; i++)
        n += f->live[i] && cg_is(g->nodes[i], CG_STEP), gates = gates || f->waited[i].n;
    out->v = weft_arena_array(&g->arena, cg_unit, n);
    const fuse_cluster **cluster = weft_arena_array(f->arena, const fuse_cluster *, n); /* of each unit; NULL: a step */
    if (!out->v || !cluster) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t c = 0; c < f->cluster_count && st == WEFT_OK; c++) {
        if (!f->cluster[c] || !f->cluster[c]->total) continue;
        cluster[out->count] = f->cluster[c];
        st = kernel_unit(f, f->cluster[c], &out->v[out->count++]);
    }
    for (uint32_t i = 0; i < g->count && st == WEFT_OK; i++)
        if (f->live[i] && cg_is(g->nodes[i], CG_STEP)) st = step_unit(f, g->nodes[i], &out->v[out->count++]);
    return st == WEFT_OK && gates ? wait_units(f, out, cluster) : st;
}

static bool make_room(fuser *f) {
    size_t n = f->g->count;
    weft_arena *a = f->arena;
    f->live = weft_arena_array(a, bool, n);
    f->heavy = weft_arena_array(a, bool, n);
    f->required = weft_arena_array(a, bool, n);
    f->reads = weft_arena_array(a, fuse_list, n);
    f->readers = weft_arena_array(a, fuse_list, n);
    f->waits = weft_arena_array(a, fuse_list, n);
    f->waited = weft_arena_array(a, fuse_list, n);
    f->loaders = weft_arena_array(a, fuse_list, n);
    f->of = weft_arena_array(a, uint32_t, n);
    f->cluster = weft_arena_array(a, fuse_cluster *, n);
    f->seen = weft_arena_array(a, uint32_t, n);
    f->tracer = cg_tracer_new(f->g, a);
    f->keys = fuse_keys_new(f->g, a);
    return f->live && f->heavy && f->required && f->reads && f->readers && f->loaders && f->waits &&
           f->waited && f->of && f->cluster && f->seen && f->tracer && f->keys;
}

weft_status cg_fuse(cg_graph *g, const cg_block *b, cg_fuse_mode mode, cg_units *out) {
    weft_arena arena;
    weft_arena_init(&arena, &g->cx->alloc);
    fuser f = { .g = g, .block = b, .arena = &arena };
    weft_status st = make_room(&f) ? fuse_prepare(&f) : weft_oom();
    if (st == WEFT_OK) st = fuse_note_lasting(&f);
    if (st == WEFT_OK && mode == CG_FUSE_ALL) st = fuse_merge(&f);
    if (st == WEFT_OK && mode == CG_FUSE_ALL) st = fuse_recompute(&f);
    if (st == WEFT_OK) st = units(&f, out);
    weft_arena_free(&arena);
    return st;
}
