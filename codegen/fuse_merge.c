/* fuse_merge.c: clusters joined where one loop nest can compute both.
 *
 * A producer is joined to its consumer, in program order, when the consumer's loops can compute it without doing work
 * more than a few times over (trace.c decides) and no third unit stands between them. Then clusters that read the same
 * memory over the same space are joined, so that it is read once.
 */
#include "codegen/fuse_internal.h"

enum {
    MAX_MEMBERS = 160,
    MAX_VISITS = 4096   /* of a search for a path; a longer one counts as found, which keeps fusion linear and is never wrong */
};

/* A vector operation takes about 0.2 ns, a byte written, fetched before and read back about 0.3 ns; a step costs as much as
 * some thousand operations. */
static const double WORK_PER_BYTE = 1.5, SMALL_WORK = 4000;
enum { LANES = 8 };

/* No path that has passed this id comes back to b: no cluster that starts before it ends behind it. */
static uint32_t bound_of(const fuser *f, const fuse_cluster *b) {
    uint32_t bound = b->member[b->n - 1];
    for (uint32_t s = 0; s <= bound / FUSE_STRIDE; s++)
        if (f->far[s] > bound) bound = f->far[s];
    return bound;
}

static void note_extent(fuser *f, const fuse_cluster *c) {
    uint32_t *far = &f->far[c->member[0] / FUSE_STRIDE];
    if (c->member[c->n - 1] > *far) *far = c->member[c->n - 1];
}

/* What comes after node i: who reads it, and gates that wait for it or who waits for this gate. */
static uint32_t followers(const fuser *f, uint32_t i) { return f->readers[i].n + f->waited[i].n; }

static uint32_t follower(const fuser *f, uint32_t i, uint32_t k) {
    return k < f->readers[i].n ? f->readers[i].v[k] : f->waited[i].v[k - f->readers[i].n];
}

/* Does a path lead from cluster a to cluster b through a unit or a gate outside both? */
static bool path_between(fuser *f, uint32_t a, uint32_t b) {
    const fuse_cluster *from = f->cluster[a];
    const uint32_t bound = bound_of(f, f->cluster[b]);
    uint32_t *stack = f->stack;
    size_t top = 0, visits = 0;
    bool found = false;
    f->stamp++;
    for (uint32_t i = 0; i < from->n; i++)
        for (uint32_t k = 0; k < followers(f, from->member[i]); k++) {
            uint32_t r = follower(f, from->member[i], k);
            if (f->of[r] != CG_NONE && (f->of[r] == a || f->of[r] == b)) continue;
            if (f->seen[r] == f->stamp) continue;
            f->seen[r] = f->stamp;
            stack[top++] = r;
        }
    while (top && !found) {
        uint32_t at = stack[--top];
        if (at > bound) continue;
        if (++visits > MAX_VISITS) return true;
        const fuse_cluster *c = f->of[at] == CG_NONE ? NULL : f->cluster[f->of[at]];
        const uint32_t *node = c ? c->member : &at;
        for (uint32_t i = 0; i < (c ? c->n : 1) && !found; i++) {
            for (uint32_t k = 0; k < followers(f, node[i]); k++) {
                uint32_t r = follower(f, node[i], k);
                if (f->of[r] == b && b != CG_NONE) found = true;
                if (f->seen[r] == f->stamp || (f->of[r] != CG_NONE && f->of[r] == a)) continue;
                f->seen[r] = f->stamp;
                stack[top++] = r;
            }
            f->seen[node[i]] = f->stamp;
        }
    }
    return found;
}

/* The space in which both may run; false when there is none. */
static bool common_space(const fuse_cluster *p, const fuse_cluster *c, int64_t *total, int64_t *row) {
    *total = c->total;
    *row = c->row;
    if (p->total == c->total) {
        if (p->row && c->row && p->row != c->row) return false;
        if (p->row) *row = p->row;
        return true;
    }
    if (c->row && p->total == c->total / c->row) return p->total > 1 || c->total == c->row; /* per row */
    if (p->row && c->total == p->total / p->row) {
        *total = p->total;
        *row = p->row;
        return true;
    }
    if (!c->row && p->total > 1 && p->total < c->total && c->total % p->total == 0 && !p->row) { /* maybe one per row */
        *row = c->total / p->total;
        return true;
    }
    return !p->row; /* maybe inside the consumer's loops, at an index of its own */
}

static void join(fuser *f, uint32_t a, uint32_t b, int64_t total, int64_t row, uint32_t *member) {
    fuse_cluster *x = f->cluster[a], *y = f->cluster[b];
    uint32_t n = 0, i = 0, k = 0;
    while (i < x->n || k < y->n) {
        if (k == y->n || (i < x->n && x->member[i] < y->member[k])) member[n++] = x->member[i++];
        else member[n++] = y->member[k++];
    }
    for (uint32_t m = 0; m < n; m++) f->of[member[m]] = b;
    y->member = member;
    y->n = n;
    y->total = total;
    y->row = row;
    f->cluster[a] = NULL;
    note_extent(f, y);
}

/* Time of the arithmetic in vector operations. Lanes run along the last variable: where that is short they stay empty. */
static double kernel_work(const cg_kernel *k) {
    double work = 0;
    for (uint32_t i = 0; i < k->ins_count; i++) {
        const cg_ins *x = &k->ins[i];
        double times = 1;
        for (uint32_t v = 0; v < x->level; v++) times *= (double)k->extent[v];
        const int64_t along = x->level && x->level == k->var_count ? k->extent[x->level - 1] : 1;
        if (x->kind == CG_I_SCALAR) work += cg_op_table[x->op].weight * times / (double)weft_min_i64(along, LANES);
    }
    return work;
}

static double cluster_work(const fuser *f, const fuse_cluster *c) {
    double work = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const cg_node *n = f->g->nodes[c->member[i]];
        if (n->cls == CG_SCALAR) work += cg_op_table[n->op].weight * (double)n->elems / (double)weft_min_i64(weft_max_i64(n->elems, 1), LANES);
    }
    return work;
}

/* Loops over another space than the producer's own may compute a value for each of its uses, or one lane at a time. That
 * may take as long as writing the producer's values and reading them. */
static bool pays(const fuser *f, const fuse_cluster *p, const fuse_cluster *c, const cg_kernel *k) {
    if (p->total == c->total) return true;
    double bytes = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (fuse_escapes(f, p->member[i], f->of[p->member[0]], CG_NONE)) bytes += (double)cg_bytes(f->g->nodes[p->member[i]]);
    return kernel_work(k) <= cluster_work(f, p) + cluster_work(f, c) + WORK_PER_BYTE * bytes + SMALL_WORK;
}

static weft_status try_join(fuser *f, uint32_t a, uint32_t b, bool *joined) {
    const fuse_cluster *x = f->cluster[a], *y = f->cluster[b];
    int64_t total, row;
    *joined = false;
    if (x->n + y->n > MAX_MEMBERS || !common_space(x, y, &total, &row)) return WEFT_OK;
    cg_kernel k;
    cg_trace_result r = fuse_trace(f, x, y, total, row, &k, NULL);
    if (r == CG_TRACE_NO && row != y->row && x->total < y->total && !x->row) {
        row = y->row;
        r = fuse_trace(f, x, y, total, row, &k, NULL);
    }
    if (r == CG_TRACE_MEMORY) return weft_oom();
    if (r != CG_TRACE_OK || !pays(f, x, y, &k) || path_between(f, a, b)) return WEFT_OK;
    uint32_t *member = weft_arena_array(f->arena, uint32_t, x->n + y->n);
    if (!member) return weft_oom();
    join(f, a, b, total, row, member);
    *joined = true;
    return WEFT_OK;
}

static weft_status with_consumers(fuser *f) {
    for (uint32_t i = 0; i < f->g->count; i++) {
        if (f->of[i] == CG_NONE) continue;
        for (uint32_t k = 0; k < f->reads[i].n; k++) {
            uint32_t p = f->reads[i].v[k];
            if (f->of[p] == CG_NONE || f->of[p] == f->of[i]) continue;
            bool joined;
            weft_status st = try_join(f, f->of[p], f->of[i], &joined);
            if (st != WEFT_OK) return st;
        }
    }
    return WEFT_OK;
}

enum { SIBLING_BYTES = 1 << 12 };

/* Pairs of siblings that were refused. They often share many producers, and would be tried for each: but what a pair computes
 * changes only when one of them grows, and what is joined elsewhere makes paths between them, it takes none away. */
typedef struct refusals {
    uint64_t *slot; /* open addressing; 0: free */
    size_t cap, count;
} refusals;

/* Both clusters and their sizes; 0 when they do not fit in one word, and are not kept. */
static uint64_t pair_of(const fuser *f, uint32_t a, uint32_t b) {
    const uint64_t x = f->cluster[a]->n, y = f->cluster[b]->n;
    return a >> 24 || b >> 24 || x >> 8 || y >> 8 ? 0 : (uint64_t)a << 40 | (uint64_t)b << 16 | x << 8 | y;
}

static size_t place_of(const refusals *r, uint64_t pair) {
    size_t at = (size_t)((pair * 0x9e3779b97f4a7c15u) >> 20) & (r->cap - 1);
    while (r->slot[at] && r->slot[at] != pair) at = (at + 1) & (r->cap - 1);
    return at;
}

static bool was_refused(const refusals *r, uint64_t pair) { return pair && r->cap && r->slot[place_of(r, pair)] == pair; }

static weft_status refuse(fuser *f, refusals *r, uint64_t pair) {
    if (!pair) return WEFT_OK;
    if (2 * r->count >= r->cap) {
        const refusals old = *r;
        r->cap = old.cap ? 2 * old.cap : 256;
        r->slot = weft_arena_array(f->arena, uint64_t, r->cap);
        if (!r->slot) return weft_oom();
        for (size_t i = 0; i < old.cap; i++)
            if (old.slot[i]) r->slot[place_of(r, old.slot[i])] = old.slot[i];
    }
    r->slot[place_of(r, pair)] = pair;
    r->count++;
    return WEFT_OK;
}

static weft_status try_siblings(fuser *f, refusals *refused, uint32_t a, uint32_t b) {
    const uint64_t pair = pair_of(f, a, b);
    bool joined = false;
    if (was_refused(refused, pair)) return WEFT_OK;
    weft_status st = path_between(f, b, a) ? WEFT_OK : try_join(f, a, b, &joined);
    return st == WEFT_OK && !joined ? refuse(f, refused, pair) : st;
}

static weft_status with_siblings(fuser *f) {
    refusals refused = { 0 };
    for (uint32_t i = 0; i < f->g->count; i++) {
        const fuse_list *readers = &f->readers[i];
        if (f->g->nodes[i]->elems < 2 && f->g->nodes[i]->elems > 0 && readers->n > 16) continue;
        for (uint32_t x = 0; x < readers->n; x++)
            for (uint32_t y = x + 1; y < readers->n; y++) {
                uint32_t a = f->of[readers->v[x]], b = f->of[readers->v[y]];
                if (a == CG_NONE || b == CG_NONE || a == b) continue;
                const fuse_cluster *ca = f->cluster[a], *cb = f->cluster[b];
                if (ca->total != cb->total || (ca->row && cb->row && ca->row != cb->row)) continue;
                if (cg_bytes(f->g->nodes[i]) < SIBLING_BYTES && cg_bytes(f->g->nodes[i]) < 4 * ca->total) continue;
                weft_status st = try_siblings(f, &refused, a, b);
                if (st != WEFT_OK) return st;
            }
    }
    return WEFT_OK;
}

weft_status fuse_merge(fuser *f) {
    for (uint32_t c = 0; c < f->cluster_count; c++) note_extent(f, f->cluster[c]);
    weft_status st = with_consumers(f);
    return st == WEFT_OK ? with_siblings(f) : st;
}
