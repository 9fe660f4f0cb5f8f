/* fuse_cluster.c: what a set of clusters would be as one kernel: its roots, and its trace. */
#include <assert.h>
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
    for (uint32_t i = 0; i < f->loaders[node].n; i++) {
        const uint32_t r = f->loaders[node].v[i];
        if (r != a && r != b && !computes_again(f->cluster[r], node)) return true;
    }
    return f->readers[node].n == 0;
}

static uint32_t roots_of(const fuser *f, const fuse_cluster *c, uint32_t a, uint32_t b, cg_node **root, uint32_t n,
                         uint32_t max) {
    for (uint32_t i = 0; c && i < c->n; i++) {
        cg_node *node = f->g->nodes[c->member[i]];
        if (!fuse_escapes(f, node->id, a, b)) continue;
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

/* Makes a, and b unless it is NULL, the clusters that `inlines` takes in, and lists their roots; CG_NONE: too many. */
static uint32_t begin(fuser *f, const fuse_cluster *a, const fuse_cluster *b, cg_node **root) {
    f->self[0] = f->of[a->member[0]];
    f->self[1] = b ? f->of[b->member[0]] : CG_NONE;
    f->traced = a;
    const uint32_t n = roots_of(f, a, f->self[0], f->self[1], root, 0, CG_MAX_PARAMS);
    return n == CG_NONE ? n : roots_of(f, b, f->self[0], f->self[1], root, n, CG_MAX_PARAMS);
}

cg_trace_result fuse_trace(fuser *f, const fuse_cluster *a, const fuse_cluster *b, int64_t total, int64_t row,
                           cg_kernel *k, const cg_node **culprit) {
    cg_node *root[CG_MAX_PARAMS];
    const uint32_t n = begin(f, a, b, root);
    if (n == CG_NONE) return CG_TRACE_NO;
    return cg_trace(f->tracer, total, row, root, n, inlines, f, k, culprit);
}

/* Updates of a scatter whose places change with the last variable: elements are done one after another, and so is the
 * arithmetic that they are made of. */
static bool goes_singly(const cg_kernel *k) {
    for (uint32_t i = 0; i < k->store_count; i++) {
        const cg_store *s = &k->stores[i];
        if (s->kind == CG_UPDATE && s->ix.sym != CG_NONE && k->ins[s->ix.sym].level == k->var_count) return true;
    }
    return false;
}

/* Time of the arithmetic in vector operations. Lanes run along the last variable: where that is short they stay empty.
 */
static double kernel_work(const cg_kernel *k, bool singly) {
    const int64_t lanes = singly ? 1 : FUSE_LANES;
    double work = 0;
    for (uint32_t i = 0; i < k->ins_count; i++) {
        const cg_ins *x = &k->ins[i];
        double times = 1;
        for (uint32_t v = 0; v < x->level; v++) times *= (double)k->extent[v];
        const int64_t along = x->level && x->level == k->var_count ? k->extent[x->level - 1] : 1;
        if (x->kind == CG_I_SCALAR) work += cg_op_table[x->op].weight * times / (double)weft_min_i64(along, lanes);
    }
    return work;
}

/* What a trace said, under the key of it. */
static fuse_answer *note_answer(fuser *f, const fuse_key *key, cg_trace_result r, const cg_kernel *k,
                                const cg_node *culprit) {
    fuse_answer *a = weft_arena_new(f->arena, fuse_answer);
    if (!a) return NULL;
    a->word = weft_arena_dup(f->arena, key->word, key->word_count * sizeof *key->word, _Alignof(uint32_t));
    a->word_count = key->word_count;
    a->result = r;
    a->culprit = culprit ? fuse_key_number(f->keys, culprit) : CG_NONE;
    if (!a->word) return NULL;
    if (r == CG_TRACE_OK) {
        int64_t written;
        a->singly = goes_singly(k);
        a->work = kernel_work(k, a->singly);
        cg_kernel_bytes(k, &a->read_bytes, &written);
        a->param_count = k->param_count;
        a->param = weft_arena_array(f->arena, uint32_t, k->param_count);
        if (!a->param) return NULL;
        for (uint32_t i = 0; i < k->param_count; i++) {
            a->param[i] = fuse_key_number(f->keys, k->params[i]);
            assert(a->param[i] != CG_NONE);
        }
    }
    return weft_table_add(&f->answers, f->arena, key->hash, a) ? a : NULL;
}

static const fuse_answer too_many_roots = { .result = CG_TRACE_NO, .culprit = CG_NONE };

const fuse_answer *fuse_ask(fuser *f, const fuse_cluster *a, const fuse_cluster *b, int64_t total, int64_t row) {
    cg_node *root[CG_MAX_PARAMS];
    const uint32_t n = begin(f, a, b, root);
    if (n == CG_NONE) return &too_many_roots;
    const fuse_key *key = fuse_key_of(f->keys, total, row, root, n, inlines, f);
    size_t probe = 0;
    if (!key) return NULL;
    for (const fuse_answer *x; (x = weft_table_next(&f->answers, key->hash, &probe));)
        if (x->word_count == key->word_count && !memcmp(x->word, key->word, x->word_count * sizeof *x->word)) return x;
    cg_kernel k;
    const cg_node *culprit = NULL;
    const cg_trace_result r = cg_trace(f->tracer, total, row, root, n, inlines, f, &k, &culprit);
    return r == CG_TRACE_MEMORY ? NULL : note_answer(f, key, r, &k, culprit);
}
