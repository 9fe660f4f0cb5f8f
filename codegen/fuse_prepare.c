/* fuse_prepare.c: which nodes count, which must stand in memory, what each reads; one cluster for each node.
 *
 * Results of the block and operands of steps must stand in memory. A light node is computed wherever it is used, unless
 * it must stand in memory itself or cannot be taken apart there (a reshape that loops cannot follow).
 */
#include "codegen/fuse_internal.h"
#include "codegen/operand.h"

/* Several results that one another's next element is computed from, in memory. */
static bool in_memory_only(const cg_node *n) {
    if (n->result_count == 1) return false;
    return n->cls == CG_SCATTER || n->cls == CG_SCAN ||
           (n->cls == CG_REDUCE && !weft_bits_has(n->reduce.dims, n->in[0]->rank - 1));
}

static void need_parts(fuser *f, const cg_node *n) {
    for (uint32_t p = n->id + 1; p <= n->id + n->result_count && p < f->g->count; p++)
        if (f->g->nodes[p]->cls == CG_PART && f->g->nodes[p]->in[0] == n) f->live[p] = true;
}

/* Operands have smaller ids than what they are used by. */
static void mark_live(fuser *f) {
    for (uint32_t i = 0; i < f->block->result_count; i++) f->live[f->block->results[i]->id] = true;
    for (size_t i = 0; i < f->g->count; i++) f->live[i] = f->live[i] || f->g->nodes[i]->effects;
    for (size_t i = f->g->count; i-- > 0;) {
        const cg_node *n = f->g->nodes[i];
        if (n->block != f->block) f->live[i] = false;
        for (uint32_t k = 0; f->live[i] && k < n->in_count; k++) f->live[n->in[k]->id] = true;
        if (f->live[i] && in_memory_only(n)) need_parts(f, n);
    }
}

static void require(fuser *f, cg_node *n) {
    n = cg_base(n);
    f->required[n->id] = true;
    if (cg_is(n, CG_LOOP) && n->block == f->block) f->heavy[n->id] = true;
    if (n->cls == CG_PART && cg_is(n->in[0], CG_LOOP)) f->heavy[n->in[0]->id] = f->required[n->in[0]->id] = true;
}

static void require_operands(fuser *f, cg_node *n) {
    for (uint32_t i = 0; i < n->in_count; i++) require(f, cg_operand_memory(n, i));
}

/* A scatter works where its operands stand. */
static void require_in_place(fuser *f, cg_node *n) {
    f->required[n->id] = true;
    for (uint32_t r = 0; r < n->result_count; r++) require(f, n->in[r]);
    for (uint32_t i = n->result_count; n->aux && i < n->in_count; i++) require(f, n->in[i]);
}

static bool in_loops(const fuser *f, const cg_node *n) {
    if (n->block != f->block || !f->live[n->id]) return false;
    if (n->cls == CG_PART) return cg_is(n->in[0], CG_LOOP);
    return cg_is(n, CG_LOOP);
}

typedef struct edge_set { uint32_t *v; size_t n, cap; } edge_set;

/* The heavy nodes and memory that n's value is made of, through light nodes. */
static bool collect(fuser *f, cg_node *n, edge_set *out) {
    if (f->seen[n->id] == f->stamp) return true;
    f->seen[n->id] = f->stamp;
    bool through = in_loops(f, n) && !f->heavy[n->id];
    if (n->cls == CG_PART && cg_is(n->in[0], CG_LOOP)) return collect(f, n->in[0], out);
    if (through) {
        for (uint32_t i = 0; i < (cg_is_gated(n) ? 1 : n->in_count); i++)
            if (!collect(f, n->in[i], out)) return false;
        return true;
    }
    if (out->n == out->cap && !weft_arena_grow(f->arena, (void **)&out->v, &out->cap, out->n + 1, sizeof *out->v))
        return false;
    out->v[out->n++] = n->id;
    return true;
}

/* The gates in front of the values that n is made of, through light nodes. */
static bool collect_gates(fuser *f, const cg_node *n, edge_set *out) {
    if (f->seen[n->id] == f->stamp) return true;
    f->seen[n->id] = f->stamp;
    if (n->cls == CG_GATE) {
        if (out->n == out->cap && !weft_arena_grow(f->arena, (void **)&out->v, &out->cap, out->n + 1, sizeof *out->v))
            return false;
        out->v[out->n++] = n->id;
        return true;
    }
    if (!in_loops(f, n) || f->heavy[n->id]) return true;
    for (uint32_t i = 0; i < n->in_count; i++)
        if (!collect_gates(f, n->in[i], out)) return false;
    return true;
}

/* to[k] are all i with k in from[i]. */
static weft_status invert(fuser *f, const fuse_list *from, fuse_list *to) {
    const size_t n = f->g->count;
    uint32_t *count = weft_arena_array(f->arena, uint32_t, n);
    if (!count) return weft_oom();
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < from[i].n; k++) count[from[i].v[k]]++;
    for (size_t i = 0; i < n; i++)
        if (count[i] && !(to[i].v = weft_arena_array(f->arena, uint32_t, count[i]))) return weft_oom();
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < from[i].n; k++) {
            fuse_list *r = &to[from[i].v[k]];
            r->v[r->n++] = i;
        }
    return WEFT_OK;
}

static weft_status link(fuser *f) {
    cg_graph *g = f->g;
    bool gates = false;
    for (uint32_t i = 0; i < g->count; i++) {
        cg_node *n = g->nodes[i];
        const bool part = n->cls == CG_PART && cg_is(n->in[0], CG_STEP), gate = n->cls == CG_GATE;
        if (!f->live[i] || n->block != f->block || !(f->heavy[i] || part || gate || cg_is(n, CG_STEP))) continue;
        edge_set e = { 0 };
        f->stamp++;
        for (uint32_t k = 0; k < n->in_count; k++)
            if (!collect(f, cg_operand_memory(n, k), &e)) return weft_oom();
        (gate ? f->waits : f->reads)[i] = (fuse_list){ e.v, (uint32_t)e.n };
        gates = gates || gate; /* gates have smaller ids than what reads after them */
        if (gate || !gates) continue;
        e = (edge_set){ 0 };
        f->stamp++;
        for (uint32_t k = 0; k < n->in_count; k++)
            if (!collect_gates(f, n->in[k], &e)) return weft_oom();
        f->waits[i] = (fuse_list){ e.v, (uint32_t)e.n };
    }
    weft_status st = invert(f, f->reads, f->readers);
    return st == WEFT_OK && gates ? invert(f, f->waits, f->waited) : st;
}

/* Space of a node alone: what its loops run over. */
static void space(const cg_node *n, fuse_cluster *c) {
    c->total = n->elems;
    c->row = 0;
    if (n->cls == CG_PLACE) c->total = n->in[1]->elems;
    if (n->cls == CG_SCATTER) c->total = n->in[n->result_count + 1]->elems;
    if (n->cls != CG_REDUCE) return;
    const cg_node *x = n->in[0];
    c->total = x->elems;
    if (weft_bits_has(n->reduce.dims, x->rank - 1)) c->row = x->dims[x->rank - 1];
}

static weft_status cluster_of(fuser *f, uint32_t id) {
    fuse_cluster *c = weft_arena_new(f->arena, fuse_cluster);
    uint32_t *member = weft_arena_array(f->arena, uint32_t, 1);
    if (!c || !member) return weft_oom();
    member[0] = c->vertex = id;
    c->member = member;
    c->n = 1;
    space(f->g->nodes[id], c);
    f->of[id] = f->cluster_count;
    f->cluster[f->cluster_count++] = c;
    return WEFT_OK;
}

/* Traces each cluster alone; a light node that stands in the way gets memory of its own. */
static weft_status settle(fuser *f, bool *again) {
    *again = false;
    for (uint32_t c = 0; c < f->cluster_count; c++) {
        const fuse_cluster *cl = f->cluster[c];
        const fuse_answer *r = fuse_ask(f, cl, NULL, cl->total, cl->row);
        if (!r) return weft_oom();
        if (r->result == CG_TRACE_OK) continue;
        const cg_node *culprit = r->culprit == CG_NONE ? NULL : fuse_asked_node(f, r->culprit);
        cg_node *n = f->g->nodes[cl->member[0]];
        if (culprit && !f->heavy[culprit->id] && in_loops(f, culprit)) {
            f->heavy[culprit->id] = f->required[culprit->id] = true;
            *again = true;
            continue;
        }
        bool promoted = false;
        for (uint32_t i = 0; i < n->in_count; i++) /* its light operands, one level at a time */
            if (in_loops(f, n->in[i]) && !f->heavy[n->in[i]->id] && !n->in[i]->uniform) {
                cg_node *x = n->in[i];
                f->heavy[x->id] = f->required[x->id] = promoted = true;
            }
        if (!promoted)
            return weft_report(f->g->cx, WEFT_D_unsupported, n->loc, "no loops can be made for this operation");
        *again = true;
    }
    return WEFT_OK;
}

weft_status fuse_prepare(fuser *f) {
    cg_graph *g = f->g;
    mark_live(f);
    for (uint32_t i = 0; i < g->count; i++) {
        cg_node *n = g->nodes[i];
        if (!f->live[i]) continue;
        if (cg_is(n, CG_LOOP) && !cg_is(n, CG_LIGHT) && !n->uniform) f->heavy[i] = true;
    }
    for (uint32_t i = 0; i < g->count; i++)
        if (f->live[i] && cg_is(g->nodes[i], CG_STEP)) require_operands(f, g->nodes[i]);
    for (uint32_t i = 0; i < g->count; i++)
        if (f->live[i] && cg_in_place(g->nodes[i])) require_in_place(f, g->nodes[i]);
    for (uint32_t i = 0; i < f->block->result_count; i++) require(f, f->block->results[i]);
    for (bool again = true; again;) {
        memset(f->reads, 0, g->count * sizeof *f->reads);
        memset(f->readers, 0, g->count * sizeof *f->readers);
        memset(f->waits, 0, g->count * sizeof *f->waits);
        memset(f->waited, 0, g->count * sizeof *f->waited);
        f->cluster_count = 0;
        weft_status st = link(f);
        for (uint32_t i = 0; i < g->count && st == WEFT_OK; i++) {
            f->of[i] = CG_NONE;
            if (f->heavy[i] && f->live[i] && in_loops(f, g->nodes[i])) st = cluster_of(f, i);
        }
        if (st == WEFT_OK) st = settle(f, &again);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}
