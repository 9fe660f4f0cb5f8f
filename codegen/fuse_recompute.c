/* fuse_recompute.c: values passed between clusters, computed again by their readers where that moves fewer bytes.
 *
 * A value that one cluster writes for others costs its bytes once to write and once per reader. A reader that computes
 * it again reads what it is made of, if it does not do so anyway, and spends the arithmetic. What it then loads for
 * that is written for it too, as long as it does not compute this again as well. Reductions are never computed twice:
 * their results are small and are kept in memory instead.
 */
#include "codegen/fuse_internal.h"

static bool has_extra(const fuse_cluster *c, uint32_t id) {
    for (uint32_t i = 0; i < c->extra_count; i++)
        if (c->extra[i] == id) return true;
    return false;
}

/* Readers in other clusters that do not compute it themselves, each cluster once. */
static uint32_t outside(const fuser *f, uint32_t v, uint32_t *cluster, uint32_t max) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->readers[v].n + f->loaders[v].n; i++) {
        uint32_t c = i < f->readers[v].n ? f->of[f->readers[v].v[i]] : f->loaders[v].v[i - f->readers[v].n];
        if (c == CG_NONE) return CG_NONE;
        bool known = c == f->of[v] || has_extra(f->cluster[c], v);
        for (uint32_t k = 0; k < n; k++) known = known || cluster[k] == c;
        if (known) continue;
        if (n == max) return CG_NONE;
        cluster[n++] = c;
    }
    return n;
}

static bool in_memory(const fuser *f, uint32_t id) {
    return f->of[id] == CG_NONE || fuse_escapes(f, id, f->of[id], f->of[id]) ||
           f->g->nodes[id]->cls == CG_REDUCE;
}

/* v and what it is made of inside its cluster, as extra nodes of c. */
static bool add_extra(fuser *f, fuse_cluster *c, uint32_t v, uint32_t own, uint32_t max) {
    if (f->of[v] == own || has_extra(c, v)) return true;
    if (c->extra_count == max) return false;
    c->extra[c->extra_count++] = v;
    for (uint32_t i = 0; i < f->reads[v].n; i++) {
        uint32_t r = f->reads[v].v[i];
        if (!in_memory(f, r) && !add_extra(f, c, r, own, max)) return false;
    }
    return true;
}

enum { MAX_READERS = 16, MAX_EXTRA = 96, MAX_GROUP = 32 };

/* Measured on a Xeon: a vector operation takes about 0.02 ns per element, a byte of memory traffic 0.1 ns. */
static double bytes_of_work(const fuser *f, double work) { return work * FUSE_LANES * f->g->costs->recompute_bytes; }

static double bytes_of_write(const fuser *f, uint32_t v) {
    return f->g->costs->write_factor * (double)cg_bytes(f->g->nodes[v]);
}

/* What the kernel that was asked for last has in memory for a while. */
static int64_t passing_bytes(const fuser *f, const fuse_answer *r) {
    int64_t bytes = 0;
    for (uint32_t i = 0; f->g->join_bytes && i < r->param_count; i++)
        bytes += fuse_passing_bytes(f, fuse_asked_node(f, r->param[i])->id);
    return bytes;
}

/* What c gains in bytes by computing the values of v itself; very negative when it cannot. c->extra is extended. */
static weft_status gain(fuser *f, fuse_cluster *c, const uint32_t *v, uint32_t n, double *out) {
    bool fits = true;
    const uint32_t before = c->extra_count;
    *out = -1e300;
    if (!c->extra && !(c->extra = weft_arena_array(f->arena, uint32_t, MAX_EXTRA))) return weft_oom();
    const fuse_answer *r = fuse_ask(f, c, NULL, c->total, c->row);
    if (!r) return weft_oom();
    if (r->result != CG_TRACE_OK) return WEFT_OK;
    const fuse_answer *old = r;
    const int64_t passing = passing_bytes(f, old);
    for (uint32_t i = 0; i < n && fits; i++) fits = add_extra(f, c, v[i], f->of[c->member[0]], MAX_EXTRA);
    if (!fits) {
        c->extra_count = before;
        return WEFT_OK;
    }
    r = fuse_ask(f, c, NULL, c->total, c->row);
    if (!r) return weft_oom();
    if (r->result == CG_TRACE_OK && passing_bytes(f, r) - passing <= f->g->join_bytes)
        *out = (double)(old->read_bytes - r->read_bytes) - bytes_of_work(f, r->work - old->work);
    return WEFT_OK;
}

static bool reads(const fuser *f, uint32_t cluster, uint32_t v) {
    for (uint32_t i = 0; i < f->readers[v].n; i++)
        if (f->of[f->readers[v].v[i]] == cluster) return true;
    for (uint32_t i = 0; i < f->loaders[v].n; i++)
        if (f->loaders[v].v[i] == cluster) return true;
    return false;
}

/* What the kernel of c loads for its extra nodes is stored by the kernels that compute it. */
static weft_status note_loads(fuser *f, const fuse_cluster *c) {
    const fuse_answer *r = fuse_ask(f, c, NULL, c->total, c->row);
    const uint32_t own = f->of[c->member[0]];
    if (!r) return weft_oom();
    for (uint32_t i = 0; i < r->param_count; i++) {
        const uint32_t v = cg_whole(fuse_asked_node(f, r->param[i]))->id;
        fuse_list *l = &f->loaders[v];
        if (f->of[v] == CG_NONE || reads(f, own, v)) continue;
        uint32_t *all = weft_arena_array(f->arena, uint32_t, l->n + 1);
        if (!all) return weft_oom();
        if (l->n) memcpy(all, l->v, l->n * sizeof *all);
        all[l->n++] = own;
        l->v = all;
    }
    return WEFT_OK;
}

/* One value, by all its readers or none. */
static weft_status consider(fuser *f, uint32_t v) {
    uint32_t reader[MAX_READERS], before[MAX_READERS], n = outside(f, v, reader, MAX_READERS);
    if (!n || n == CG_NONE) return WEFT_OK;
    double total = bytes_of_write(f, v); /* that its own cluster need not write */
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        double one;
        before[i] = f->cluster[reader[i]]->extra_count;
        st = gain(f, f->cluster[reader[i]], &v, 1, &one);
        total += one;
    }
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        if (total <= 0) f->cluster[reader[i]]->extra_count = before[i];
        else st = note_loads(f, f->cluster[reader[i]]);
    }
    return st;
}

static bool candidate(const fuser *f, uint32_t v) {
    const cg_node *n = f->g->nodes[v];
    if (f->of[v] == CG_NONE || f->required[v] || n->result_count > 1) return false;
    if (n->cls == CG_REDUCE || n->cls == CG_SCAN || cg_in_place(n)) return false;
    return (double)cg_bytes(n) >= f->g->costs->again_bytes;
}

/* Together, what cluster a writes for cluster c alone: what they share is computed once. */
static weft_status consider_pair(fuser *f, const fuse_cluster *a, uint32_t c) {
    uint32_t v[MAX_GROUP], n = 0, reader[2];
    double total = 0, one;
    for (uint32_t i = 0; i < a->n && n < MAX_GROUP; i++) {
        if (!candidate(f, a->member[i]) || outside(f, a->member[i], reader, 2) != 1 || reader[0] != c) continue;
        v[n++] = a->member[i];
        total += bytes_of_write(f, a->member[i]);
    }
    if (n < 2) return WEFT_OK;
    const uint32_t before = f->cluster[c]->extra_count;
    weft_status st = gain(f, f->cluster[c], v, n, &one);
    if (st != WEFT_OK) return st;
    if (total + one > 0) return note_loads(f, f->cluster[c]);
    f->cluster[c]->extra_count = before;
    return WEFT_OK;
}

static weft_status consider_groups(fuser *f) {
    uint32_t reader[2];
    for (uint32_t i = 0; i < f->cluster_count; i++) {
        const fuse_cluster *a = f->cluster[i];
        f->stamp++;
        for (uint32_t k = 0; a && k < a->n; k++) {
            if (!candidate(f, a->member[k]) || outside(f, a->member[k], reader, 2) != 1) continue;
            const uint32_t mark = f->cluster[reader[0]]->member[0]; /* each reading cluster once */
            if (f->seen[mark] == f->stamp) continue;
            f->seen[mark] = f->stamp;
            weft_status st = consider_pair(f, a, reader[0]);
            if (st != WEFT_OK) return st;
        }
    }
    return WEFT_OK;
}

weft_status fuse_recompute(fuser *f) {
    weft_status st = consider_groups(f);
    for (uint32_t v = 0; v < f->g->count && st == WEFT_OK; v++) {
        if (candidate(f, v)) st = consider(f, v);
    }
    return st;
}
