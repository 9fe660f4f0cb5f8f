/* fuse_trees.c: long sums that are written out are one cluster from the start.
 *
 * A product of small matrices or a window is written out as a tree of additions whose inner nodes no other node reads.
 * Joined node by node, the kernel would be traced again for each of them. The tree's nodes run over the same space,
 * each is read at its reader's own index and there alone, so that one trace of the whole decides. A tree that cannot be
 * traced is left to fuse_merge.c, node by node.
 */
#include "codegen/fuse_internal.h"

/* Shorter trees cost little node by node; longer ones are several. */
enum { LEAST_TREE = 12, MOST_TREE = 64 };

typedef struct tree { uint32_t member[MOST_TREE], n; } tree;

/* Whether x, an operand of reader, is computed for it alone. */
static bool inner(const fuser *f, const cg_node *x, const cg_node *reader) {
    return x->cls == CG_SCALAR && f->of[x->id] != CG_NONE && f->cluster[f->of[x->id]]->n == 1 && !f->required[x->id] &&
           f->readers[x->id].n == 1 && f->readers[x->id].v[0] == reader->id && !f->waited[x->id].n &&
           cg_same_dims(x, reader);
}

static void gather(fuser *f, uint32_t root, tree *t) {
    t->n = 1;
    t->member[0] = root;
    f->seen[root] = ++f->stamp;
    for (uint32_t at = 0; at < t->n; at++) {
        const cg_node *reader = f->g->nodes[t->member[at]];
        for (uint32_t k = 0; k < reader->in_count && t->n < MOST_TREE; k++) {
            const cg_node *x = reader->in[k];
            if (f->seen[x->id] == f->stamp || !inner(f, x, reader)) continue;
            f->seen[x->id] = f->stamp;
            t->member[t->n++] = x->id;
        }
    }
}

/* A sum of many values needs them all at once, and sums of two need three. */
static int64_t held_bytes(fuser *f, const tree *t) {
    int64_t bytes = 0;
    if (!f->g->join_bytes) return 0;
    f->stamp++;
    for (uint32_t i = 0; i < t->n; i++) f->seen[t->member[i]] = f->stamp;
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < f->reads[t->member[i]].n; k++) {
            const uint32_t id = f->reads[t->member[i]].v[k];
            if (f->seen[id] != f->stamp) bytes += fuse_passing_bytes(f, id);
            f->seen[id] = f->stamp;
        }
    return weft_max_i64(bytes - 2 * cg_bytes(f->g->nodes[t->member[0]]), 0);
}

/* The tree as one cluster, and leaves the clusters as they are. */
static const fuse_answer *ask(fuser *f, const tree *t) {
    const uint32_t whole = f->of[t->member[0]];
    uint32_t was[MOST_TREE];
    fuse_cluster all = *f->cluster[whole];
    all.member = (uint32_t *)t->member; /* the root stands first: its cluster is the one that is traced */
    all.n = t->n;
    for (uint32_t i = 0; i < t->n; i++) was[i] = f->of[t->member[i]], f->of[t->member[i]] = whole;
    const fuse_answer *r = fuse_ask(f, &all, NULL, all.total, all.row);
    for (uint32_t i = 0; i < t->n; i++) f->of[t->member[i]] = was[i];
    return r;
}

weft_status fuse_trees(fuser *f) {
    tree t;
    for (size_t i = f->g->count; i-- > 0;) { /* readers have higher ids: roots come first */
        const cg_node *root = f->g->nodes[i];
        if (root->cls != CG_SCALAR || f->of[i] == CG_NONE || f->cluster[f->of[i]]->n > 1) continue;
        gather(f, (uint32_t)i, &t);
        const int64_t held = held_bytes(f, &t);
        if (t.n < LEAST_TREE || held > f->g->join_bytes) continue;
        const fuse_answer *r = ask(f, &t);
        if (!r) return weft_oom();
        if (r->result != CG_TRACE_OK) continue;
        const uint32_t whole = f->of[i];
        weft_status st = WEFT_OK;
        for (uint32_t m = 1; m < t.n && st == WEFT_OK; m++) /* each after its reader: nothing stands between them */
            st = fuse_join(f, f->of[t.member[m]], whole, f->cluster[whole]->total, f->cluster[whole]->row);
        if (st != WEFT_OK) return st;
        f->cluster[whole]->held = held;
    }
    return WEFT_OK;
}
