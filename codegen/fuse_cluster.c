/* fuse_cluster.c: what a set of clusters would be as one kernel: its roots, and its trace. */
#include "codegen/fuse_internal.h"

/* cg_inlines over the clusters in f->self and the extra nodes of f->traced. */
static bool inlines(void *user, const cg_node *n) {
    const fuser *f = user;
    const cg_node *m = cg_whole((cg_node *)n);
    if (n->uniform && !f->heavy[n->id]) return true;
    if (n->block != f->block) return cg_is(n, CG_LIGHT) && !n->in_count;
    if (f->of[m->id] != CG_NONE && (f->of[m->id] == f->self[0] || f->of[m->id] == f->self[1])) return true;
    for (uint32_t i = 0; f->traced && i < f->traced->extra_count; i++)
        if (f->traced->extra[i] == n->id) return true;
    return cg_is(n, CG_LIGHT) && !f->heavy[n->id];
}

static bool computes_again(const fuse_cluster *c, uint32_t node) {
    for (uint32_t i = 0; i < c->extra_count; i++)
        if (c->extra[i] == node) return true;
    return false;
}

bool fuse_escapes(const fuser *f, uint32_t node, uint32_t a, uint32_t b) {
    if (f->required[node]) return true;
    for (uint32_t i = 0; i < f->readers[node].n; i++) {
        uint32_t r = f->of[f->readers[node].v[i]];
        if (r == CG_NONE || (r != a && r != b && !computes_again(f->cluster[r], node))) return true;
    }
    return f->readers[node].n == 0;
}

static uint32_t roots_of(const fuser *f, const fuse_cluster *c, uint32_t a, uint32_t b, cg_node **root, uint32_t n,
                         uint32_t max) {
    for (uint32_t i = 0; c && i < c->n; i++) {
        cg_node *node = f->g->nodes[c->member[i]];
        if (!fuse_escapes(f, node->id, a, b) && !f->memory[node->id]) continue;
        if (node->result_count == 1) {
            if (n == max) return CG_NONE;
            root[n++] = node;
            continue;
        }
        /* its parts follow it */
        for (uint32_t p = node->id + 1; p <= node->id + node->result_count && p < f->g->count; p++) {
            cg_node *part = f->g->nodes[p];
            if (part->cls != CG_PART || part->in[0] != node || !f->live[p]) continue;
            if (n == max) return CG_NONE;
            root[n++] = part;
        }
    }
    return n;
}

cg_trace_result fuse_trace(fuser *f, const fuse_cluster *a, const fuse_cluster *b, int64_t total, int64_t row,
                           cg_kernel *k, const cg_node **culprit) {
    cg_node *root[CG_MAX_PARAMS];
    f->self[0] = f->of[a->member[0]];
    f->self[1] = b ? f->of[b->member[0]] : CG_NONE;
    f->traced = a;
    uint32_t n = roots_of(f, a, f->self[0], f->self[1], root, 0, CG_MAX_PARAMS);
    if (n != CG_NONE) n = roots_of(f, b, f->self[0], f->self[1], root, n, CG_MAX_PARAMS);
    if (n == CG_NONE) return CG_TRACE_NO;
    return cg_trace(f->tracer, total, row, root, n, inlines, f, k, culprit);
}
