/* The order that fusion maintains of its clusters: fuse_path equals an exhaustive search, whatever was joined
 * before. */
#include "codegen/fuse_internal.h"
#include "tests/support/alloc.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

enum { NODES = 60, EDGES = 5 };

typedef struct graph {
    weft_test_alloc alloc;
    weft_arena arena;
    cg_graph g;
    fuser f;
    bool edge[NODES][NODES]; /* from the first to the second */
    bool reach[NODES][NODES]; /* by vertex: a path leads there, of one edge or more */
} graph;

static void add(graph *x, fuse_list *of, uint32_t i, uint32_t v) {
    if (!of[i].v) ck_assert_ptr_nonnull(of[i].v = weft_arena_array(&x->arena, uint32_t, NODES));
    of[i].v[of[i].n++] = v;
}

/* Some nodes are steps, the others a cluster each; edges are what is read, or what waits at gates. */
static void make(graph *x, weft_rng *r) {
    memset(x, 0, sizeof *x);
    weft_test_alloc_init(&x->alloc, -1);
    weft_arena_init(&x->arena, &x->alloc.alloc);
    fuser *f = &x->f;
    x->g.count = NODES;
    *f = (fuser){ .g = &x->g, .arena = &x->arena };
    fuse_list *list[4];
    for (int i = 0; i < 4; i++) ck_assert_ptr_nonnull(list[i] = weft_arena_array(&x->arena, fuse_list, NODES));
    f->reads = list[0], f->readers = list[1], f->waits = list[2], f->waited = list[3];
    f->of = weft_arena_array(&x->arena, uint32_t, NODES);
    f->cluster = weft_arena_array(&x->arena, fuse_cluster *, NODES);
    ck_assert(f->of && f->cluster);
    const uint32_t near = 2 + weft_rng_below(r, NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        f->of[i] = CG_NONE;
        for (uint32_t k = weft_rng_below(r, EDGES); i && k > 0; k--) {
            const uint32_t back = 1 + weft_rng_below(r, i < near ? i : near), from = i - back;
            if (x->edge[from][i]) continue;
            x->edge[from][i] = true;
            const bool gate = weft_rng_below(r, 4) == 0;
            add(x, gate ? f->waits : f->reads, i, from), add(x, gate ? f->waited : f->readers, from, i);
        }
        if (weft_rng_below(r, 4) == 0) continue;
        fuse_cluster *c = f->cluster[f->cluster_count] = weft_arena_new(&x->arena, fuse_cluster);
        ck_assert_ptr_nonnull(c);
        c->member = weft_arena_array(&x->arena, uint32_t, NODES);
        ck_assert_ptr_nonnull(c->member);
        c->member[0] = c->vertex = i;
        c->n = 1;
        f->of[i] = f->cluster_count++;
    }
    ck_assert_ptr_nonnull(f->order = fuse_order_new(f));
}

static uint32_t vertex(const graph *x, uint32_t i) {
    return x->f.of[i] == CG_NONE ? i : x->f.cluster[x->f.of[i]]->vertex;
}

/* Warshall's closure over what nodes have become. */
static void close_up(graph *x) {
    memset(x->reach, 0, sizeof x->reach);
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t k = 0; k < NODES; k++)
            if (x->edge[i][k] && vertex(x, i) != vertex(x, k)) x->reach[vertex(x, i)][vertex(x, k)] = true;
    for (uint32_t m = 0; m < NODES; m++)
        for (uint32_t i = 0; i < NODES; i++)
            for (uint32_t k = 0; x->reach[i][m] && k < NODES; k++) x->reach[i][k] |= x->reach[m][k];
}

static bool through_a_third(const graph *x, uint32_t a, uint32_t b) {
    const uint32_t from = x->f.cluster[a]->vertex, to = x->f.cluster[b]->vertex;
    for (uint32_t m = 0; m < NODES; m++)
        if (m != from && m != to && x->reach[from][m] && x->reach[m][to]) return true;
    return false;
}

static void join(graph *x, uint32_t a, uint32_t b) {
    fuse_cluster *from = x->f.cluster[a], *to = x->f.cluster[b];
    ck_assert_int_eq(fuse_order_join(&x->f, a, b), WEFT_OK);
    for (uint32_t i = 0; i < from->n; i++) {
        to->member[to->n++] = from->member[i];
        x->f.of[from->member[i]] = b;
    }
    x->f.cluster[a] = NULL;
}

START_TEST(test_paths) {
    const uint64_t seed = weft_test_seed(0x0de5 + (uint64_t)_i);
    weft_rng r = { seed };
    static graph x;
    int joins = 0, refused = 0;
    make(&x, &r);
    const uint32_t n = x.f.cluster_count;
    for (int step = 0; n > 1 && step < 400; step++) {
        const uint32_t a = weft_rng_below(&r, n), b = weft_rng_below(&r, n);
        if (a == b || !x.f.cluster[a] || !x.f.cluster[b]) continue;
        close_up(&x);
        const bool forth = fuse_path(&x.f, a, b), back = fuse_path(&x.f, b, a);
        ASSERT_EACH(forth == through_a_third(&x, a, b) && back == through_a_third(&x, b, a),
                    "WEFT_SEED=%llu step %d: a path between %u and %u", (unsigned long long)seed, step, a, b);
        if (forth || back) refused++;
        else join(&x, a, b), joins++;
    }
    ck_assert_msg(joins > 0, "WEFT_SEED=%llu: nothing was joined, %d refused", (unsigned long long)seed, refused);
    weft_arena_free(&x.arena);
}
END_TEST

int main(void) {
    Suite *s = suite_create("codegen/fuse_order");
    TCase *tc = tcase_create("paths");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, test_paths, 0, weft_test_long(40));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
