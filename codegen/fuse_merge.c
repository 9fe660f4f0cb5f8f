/* fuse_merge.c: clusters joined where one loop nest can compute both.
 *
 * A producer is joined to its consumer, in program order, when the consumer's loops can compute it without doing work
 * more than a few times over (trace.c decides) and no third unit stands between them. Then clusters that read the same
 * memory over the same space are joined, so that it is read once.
 */
#include "codegen/fuse_internal.h"

enum {
    MAX_MEMBERS = 160,
    MOST_REFUSALS = 64 /* of a cluster's siblings, then it is left as it is: a value that thousands read would be asked
                          about for each pair of them */
};

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

weft_status fuse_join(fuser *f, uint32_t a, uint32_t b, int64_t total, int64_t row) {
    fuse_cluster *x = f->cluster[a], *y = f->cluster[b];
    uint32_t n = 0, i = 0, k = 0, *member = weft_arena_array(f->arena, uint32_t, x->n + y->n);
    if (!member) return weft_oom();
    weft_status st = fuse_order_join(f, a, b);
    if (st != WEFT_OK) return st;
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
    return WEFT_OK;
}

static double cluster_work(const fuser *f, const fuse_cluster *c) {
    double work = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const cg_node *n = f->g->nodes[c->member[i]];
        if (n->cls == CG_SCALAR)
            work += cg_op_table[n->op].weight * (double)n->elems /
                    (double)weft_min_i64(weft_max_i64(n->elems, 1), FUSE_LANES);
    }
    return work;
}

/* Loops over another space than the producer's own may compute a value for each of its uses, or one lane at a time.
 * That may take as long as writing the producer's values and reading them, and a step. Measured on a Xeon: a vector
 * operation takes about 0.2 ns, a byte written, fetched before and read back about 0.3 ns, a step as much as some
 * thousand operations. */
static bool pays(const fuser *f, const fuse_cluster *p, const fuse_cluster *c, const fuse_answer *joined) {
    if (p->total == c->total && !joined->singly) return true;
    double bytes = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (fuse_escapes(f, p->member[i], f->of[p->member[0]], CG_NONE))
            bytes += (double)cg_bytes(f->g->nodes[p->member[i]]);
    return joined->work <= cluster_work(f, p) + cluster_work(f, c) + f->g->costs->merge_work_per_byte * bytes +
                                 f->g->costs->merge_step_work;
}

/* Sums of sums (reduction.c) of so many elements are worth two kernels, as threads share the first: reading them takes
 * some ten times what a kernel does beside its work, and twice the cost `split`. FEW: sums, too few for threads to
 * share. */
enum { SHARED_ELEMS = 1 << 16, FEW = 16 };

/* The fewest elements that a reduction of the cluster has as its result; INT64_MAX: it has none. */
static int64_t least_sums(const fuser *f, const fuse_cluster *c) {
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < c->n; i++) {
        const cg_node *n = f->g->nodes[c->member[i]];
        if (n->cls == CG_REDUCE) least = weft_min_i64(least, n->elems);
    }
    return least;
}

/* Whether threads share the producer's reductions, and could not share the joined ones. */
static bool loses_threads(const fuser *f, const fuse_cluster *p, const fuse_cluster *c) {
    if (p->total < SHARED_ELEMS || least_sums(f, c) >= FEW) return false;
    const int64_t least = least_sums(f, p);
    return least >= FEW && least < INT64_MAX;
}

static weft_status try_join(fuser *f, uint32_t a, uint32_t b, bool *joined) {
    const fuse_cluster *x = f->cluster[a], *y = f->cluster[b];
    int64_t total, row, held;
    *joined = false;
    if (x->n + y->n > MAX_MEMBERS || !common_space(x, y, &total, &row) || loses_threads(f, x, y) ||
        !fuse_may_hold(f, a, b, &held))
        return WEFT_OK;
    const fuse_answer *r = fuse_ask(f, x, y, total, row);
    if (r && r->result == CG_TRACE_NO && row != y->row && x->total < y->total && !x->row) {
        row = y->row;
        r = fuse_ask(f, x, y, total, row);
    }
    if (!r) return weft_oom();
    if (r->result != CG_TRACE_OK || !pays(f, x, y, r) || fuse_path(f, a, b)) return WEFT_OK;
    weft_status st = fuse_join(f, a, b, total, row);
    if (st == WEFT_OK) f->cluster[b]->held = held;
    *joined = st == WEFT_OK;
    return st;
}

/* Pairs of clusters that were refused. A consumer often reads a producer from many of its members, siblings share many
 * producers, and the pair would be tried for each: but what a pair computes changes only when one of them grows, and
 * what is joined elsewhere makes paths between them, it takes none away. */
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
    size_t at = (size_t)weft_hash_end(weft_hash_mix(0, pair)) & (r->cap - 1);
    while (r->slot[at] && r->slot[at] != pair) at = (at + 1) & (r->cap - 1);
    return at;
}

static bool was_refused(const refusals *r, uint64_t pair) {
    return pair && r->cap && r->slot[place_of(r, pair)] == pair;
}

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

static weft_status with_consumers(fuser *f) {
    refusals refused = { 0 };
    for (uint32_t i = 0; i < f->g->count; i++) {
        if (f->of[i] == CG_NONE) continue;
        for (uint32_t k = 0; k < f->reads[i].n; k++) {
            uint32_t p = f->reads[i].v[k];
            if (f->of[p] == CG_NONE || f->of[p] == f->of[i]) continue;
            const uint64_t pair = pair_of(f, f->of[p], f->of[i]);
            bool joined;
            if (was_refused(&refused, pair)) continue;
            weft_status st = try_join(f, f->of[p], f->of[i], &joined);
            if (st == WEFT_OK && !joined) st = refuse(f, &refused, pair);
            if (st != WEFT_OK) return st;
        }
    }
    return WEFT_OK;
}

static weft_status try_siblings(fuser *f, refusals *refused, uint32_t a, uint32_t b, bool *joined) {
    const uint64_t pair = pair_of(f, a, b);
    *joined = false;
    if (was_refused(refused, pair)) return WEFT_OK;
    weft_status st = fuse_path(f, b, a) || fuse_path(f, a, b) ? WEFT_OK : try_join(f, a, b, joined);
    return st == WEFT_OK && !*joined ? refuse(f, refused, pair) : st;
}

/* Readers of one value, pair by pair. */
typedef struct siblings {
    fuser *f;
    refusals refused;
    const cg_node *of;      /* the value */
    uint32_t joins;         /* so far */
    uint64_t *asked;        /* by cluster: the value and the joins as they were when it had asked all others in vain */
    uint32_t *tried, try;   /* by cluster: who asks has asked it already, with all as it is now */
} siblings;

static uint64_t state_of(const siblings *s) { return (uint64_t)(s->of->id + 1) << 32 | s->joins; }

/* Both run over the same space, and the value is worth reading once. */
static bool alike(const siblings *s, uint32_t a, uint32_t b) {
    const fuse_cluster *x = s->f->cluster[a], *y = s->f->cluster[b];
    if (x->total != y->total || (x->row && y->row && x->row != y->row) || x->n + y->n > MAX_MEMBERS) return false;
    return (double)cg_bytes(s->of) >= s->f->g->costs->sibling_bytes || cg_bytes(s->of) >= 4 * x->total;
}

/* Reader number x with those that come after it. */
static weft_status ask_later(siblings *s, const fuse_list *readers, uint32_t x) {
    const fuser *f = s->f;
    const uint32_t joins = s->joins;
    uint32_t refusals = 0;
    s->try++;
    for (uint32_t y = x + 1; y < readers->n && refusals < MOST_REFUSALS; y++) {
        const uint32_t a = f->of[readers->v[x]], b = f->of[readers->v[y]];
        bool joined;
        if (b == CG_NONE || a == b || s->tried[b] == s->try || !alike(s, a, b)) continue;
        s->tried[b] = s->try;
        weft_status st = try_siblings(s->f, &s->refused, a, b, &joined);
        if (st != WEFT_OK) return st;
        refusals += !joined;
        s->joins += joined, s->try += joined;
    }
    if (s->joins == joins) s->asked[f->of[readers->v[x]]] = state_of(s);
    return WEFT_OK;
}

static weft_status with_siblings(fuser *f) {
    siblings s = { .f = f, .asked = weft_arena_array(f->arena, uint64_t, f->cluster_count),
                   .tried = weft_arena_array(f->arena, uint32_t, f->cluster_count) };
    if (!s.asked || !s.tried) return weft_oom();
    for (uint32_t i = 0; i < f->g->count; i++) {
        const fuse_list *readers = &f->readers[i];
        s.of = f->g->nodes[i];
        if (s.of->elems < 2 && s.of->elems > 0 && readers->n > 16) continue;
        for (uint32_t x = 0; x < readers->n; x++) {
            const uint32_t a = f->of[readers->v[x]];
            if (a == CG_NONE || s.asked[a] == state_of(&s)) continue;
            weft_status st = ask_later(&s, readers, x);
            if (st != WEFT_OK) return st;
        }
    }
    return WEFT_OK;
}

weft_status fuse_merge(fuser *f) {
    if (!(f->order = fuse_order_new(f))) return weft_oom();
    weft_status st = fuse_trees(f);
    if (st == WEFT_OK) st = with_consumers(f);
    return st == WEFT_OK ? with_siblings(f) : st;
}
