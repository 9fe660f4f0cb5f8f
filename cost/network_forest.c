/* network_forest.c: choices at a random forest of the graph that are the best together, for what all other nodes have
 * chosen. Nodes are taken in a random order, each unless two of its edges lead to one tree. */
#include "cost/network_impl.h"

#define NOBODY UINT32_MAX

struct network_forest {
    weft_network *x;
    uint64_t state;              /* of the random numbers */
    uint32_t *order;             /* of drawing */
    uint32_t *tree;              /* by node: union and find; NOBODY: not in the forest */
    uint32_t *met;               /* by root: the node that has met it last */
    uint32_t *walk; uint32_t walked; /* the forest's nodes, each after its parent */
    uint32_t *parent, *by;       /* by node: its parent, and the edge to it; NOBODY: a root */
    double *sum;                 /* by choice: with all of its subtree */
    uint32_t *best;              /* by edge and choice of the parent: that of the child */
};

/* xorshift64*: Vigna, ACM TOMS 42, 2016. */
static uint64_t draw(network_forest *f) {
    f->state ^= f->state >> 12;
    f->state ^= f->state << 25;
    f->state ^= f->state >> 27;
    return f->state * UINT64_C(2685821657736338717);
}

network_forest *network_forest_new(weft_network *x, uint64_t seed) {
    weft_arena *arena = x->arena;
    const size_t n = x->node_count + 1u;
    network_forest *f = weft_arena_new(arena, network_forest);
    if (!f) return NULL;
    *f = (network_forest){ .x = x, .state = seed | 1 };
    f->order = weft_arena_array(arena, uint32_t, n);
    f->tree = weft_arena_array(arena, uint32_t, n);
    f->walk = weft_arena_array(arena, uint32_t, n);
    f->parent = weft_arena_array(arena, uint32_t, n);
    f->by = weft_arena_array(arena, uint32_t, n);
    f->sum = weft_arena_array(arena, double, x->choice_count + 1u);
    f->met = weft_arena_array(arena, uint32_t, n);
    f->best = weft_arena_array(arena, uint32_t, x->ends + 1);
    if (!f->met || !f->order || !f->tree || !f->walk || !f->parent || !f->by || !f->sum || !f->best) return NULL;
    for (uint32_t i = 0; i < x->node_count; i++) f->order[i] = i;
    return f;
}

/* ---- drawing ---- */

static uint32_t root_of(network_forest *f, uint32_t i) {
    while (f->tree[i] != i) i = f->tree[i] = f->tree[f->tree[i]];
    return i;
}

/* Joins the node to the trees around it, unless two of its edges lead to one. */
static void join(network_forest *f, uint32_t node) {
    const weft_network *x = f->x;
    const network_node *o = &x->node[node];
    for (int joins = 0; joins < 2; joins++)
        for (uint32_t i = 0; i < o->near_count; i++) {
            const uint32_t other = network_other(&x->edge[x->near[o->near + i]], node);
            if (f->tree[other] == NOBODY || other == node) continue;
            const uint32_t root = root_of(f, other);
            if (joins) f->tree[root] = node;
            else if (f->met[root] == node) return;
            else f->met[root] = node;
        }
    f->tree[node] = node;
}

static void draw_forest(network_forest *f) {
    const uint32_t n = f->x->node_count;
    for (uint32_t i = n; i-- > 1;) {
        const uint32_t k = (uint32_t)(draw(f) % (i + 1u)), was = f->order[i];
        f->order[i] = f->order[k];
        f->order[k] = was;
    }
    for (uint32_t i = 0; i < n; i++) f->tree[i] = f->met[i] = NOBODY;
    for (uint32_t i = 0; i < n; i++) join(f, f->order[i]);
}

/* ---- choosing ---- */

/* All nodes of the tree of this root, each after its parent. */
static void walk_tree(network_forest *f, uint32_t root) {
    const weft_network *x = f->x;
    uint32_t i = f->walked;
    f->parent[root] = f->by[root] = NOBODY;
    f->walk[f->walked++] = root;
    for (; i < f->walked; i++) {
        const uint32_t node = f->walk[i];
        const network_node *o = &x->node[node];
        for (uint32_t k = 0; k < o->near_count; k++) {
            const uint32_t e = x->near[o->near + k], other = network_other(&x->edge[e], node);
            if (f->tree[other] == NOBODY || other == f->parent[node]) continue;
            f->parent[other] = node;
            f->by[other] = e;
            f->walk[f->walked++] = other;
        }
    }
}

/* Its own costs, and those of its edges to nodes outside of the forest. */
static void begin_sum(network_forest *f, uint32_t node, const uint32_t *choice) {
    const weft_network *x = f->x;
    const network_node *o = &x->node[node];
    double *sum = f->sum + o->first;
    for (uint32_t k = 0; k < o->n; k++) sum[k] = x->paid[o->first + k];
    for (uint32_t i = 0; i < o->near_count; i++) {
        const network_edge *e = &x->edge[x->near[o->near + i]];
        const uint32_t other = network_other(e, node), columns = x->node[e->b].n;
        if (f->tree[other] != NOBODY) continue;
        if (e->a == node)
            for (uint32_t k = 0; k < o->n; k++) sum[k] += e->cost[(size_t)k * columns + choice[other]];
        else
            for (uint32_t k = 0; k < o->n; k++) sum[k] += e->cost[(size_t)choice[other] * columns + k];
    }
}

/* Adds to the parent what the child's subtree costs at best for each of its choices. */
static void add_child(network_forest *f, uint32_t child) {
    const weft_network *x = f->x;
    const network_node *o = &x->node[child], *up = &x->node[f->parent[child]];
    const network_edge *e = &x->edge[f->by[child]];
    const uint32_t columns = x->node[e->b].n;
    const double *sum = f->sum + o->first;
    for (uint32_t p = 0; p < up->n; p++) {
        double least = 1e300;
        uint32_t best = 0;
        for (uint32_t k = 0; k < o->n; k++) {
            const double c = sum[k] + e->cost[e->a == child ? (size_t)k * columns + p : (size_t)p * columns + k];
            if (c < least) least = c, best = k;
        }
        f->sum[up->first + p] += least;
        f->best[e->at + p] = best;
    }
}

void network_forest_turn(network_forest *f, uint32_t *choice) {
    const weft_network *x = f->x;
    draw_forest(f);
    f->walked = 0;
    for (uint32_t i = 0; i < x->node_count; i++) f->parent[i] = i; /* not walked */
    for (uint32_t i = 0; i < x->node_count; i++)
        if (f->tree[f->order[i]] != NOBODY && f->parent[f->order[i]] == f->order[i]) walk_tree(f, f->order[i]);
    for (uint32_t i = 0; i < f->walked; i++) begin_sum(f, f->walk[i], choice);
    for (uint32_t i = f->walked; i-- > 0;)
        if (f->parent[f->walk[i]] != NOBODY) add_child(f, f->walk[i]);
    for (uint32_t i = 0; i < f->walked; i++) {
        const uint32_t node = f->walk[i], up = f->parent[node];
        const network_node *o = &x->node[node];
        if (up != NOBODY) {
            choice[node] = f->best[x->edge[f->by[node]].at + choice[up]];
            continue;
        }
        for (uint32_t k = 0; k < o->n; k++)
            if (f->sum[o->first + k] < f->sum[o->first + choice[node]]) choice[node] = k;
    }
}
