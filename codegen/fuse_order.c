/* fuse_order.c: does a path lead from one cluster to another through a third?
 *
 * Clusters, steps, gates and what is in memory are the vertices of a graph without circles. Each vertex has a position,
 * and every edge leads to a higher one: the ids of the nodes at first, kept up when two clusters become one. A path
 * from a to b then stays between their positions, so that a search looks at what lies there and no further, and against
 * the order there is none. Source: Pearce and Kelly, A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs,
 * ACM JEA 11, 2006; what is new here is that two vertices are contracted instead of an edge added.
 */
#include <assert.h>
#include <stdlib.h>
#include "codegen/fuse_internal.h"

/* Of a search; a longer one counts as found, which keeps fusion linear and is never wrong. With 1024 clusters are those
 * of 4096 in every program of shared/programs; with 256 the unrolled GPT-2 has others. */
enum { MAX_VISITS = 1024 };

typedef struct spot { uint32_t position, vertex; } spot;

struct fuse_order {
    uint32_t *position;     /* of a vertex: the id of a node, for a cluster that of the node it began with */
    uint32_t *vertex;       /* of a node: itself, or that of its cluster */
    uint32_t *seen, stamp;  /* marks of a search, by vertex */
    uint32_t *stack;
    spot *after, *before;   /* what the last searches found */
    uint32_t *slot;         /* positions to be given out anew */
};

fuse_order *fuse_order_new(const fuser *f) {
    const size_t n = f->g->count;
    fuse_order *o = weft_arena_new(f->arena, fuse_order);
    if (!o) return NULL;
    o->position = weft_arena_array(f->arena, uint32_t, n);
    o->vertex = weft_arena_array(f->arena, uint32_t, n);
    o->seen = weft_arena_array(f->arena, uint32_t, n);
    o->stack = weft_arena_array(f->arena, uint32_t, n + 1);
    o->after = weft_arena_array(f->arena, spot, n);
    o->before = weft_arena_array(f->arena, spot, n);
    o->slot = weft_arena_array(f->arena, uint32_t, n + 2);
    if (!o->position || !o->vertex || !o->seen || !o->stack || !o->after || !o->before || !o->slot) return NULL;
    for (uint32_t i = 0; i < n; i++) o->position[i] = o->vertex[i] = i;
    return o;
}

typedef enum side { AFTER, BEFORE } side;

/* What comes right after node i: who reads it, gates that wait for it and who waits for this gate. Or right before it.
 */
static uint32_t neighbour_count(const fuser *f, side s, uint32_t i) {
    return s == AFTER ? f->readers[i].n + f->waited[i].n : f->reads[i].n + f->waits[i].n;
}

static uint32_t neighbour(const fuser *f, side s, uint32_t i, uint32_t k) {
    const fuse_list *first = s == AFTER ? &f->readers[i] : &f->reads[i],
                    *then = s == AFTER ? &f->waited[i] : &f->waits[i];
    return f->order->vertex[k < first->n ? first->v[k] : then->v[k - first->n]];
}

typedef struct search {
    const fuser *f;
    side side;
    uint32_t from, to;      /* vertices, in the direction of the search */
    uint32_t limit;         /* position of `to` */
    uint32_t most;          /* visits */
    size_t top;
} search;

static bool inside(const search *s, uint32_t position) {
    return s->side == AFTER ? position < s->limit : position > s->limit;
}

/* Puts aside what vertex v leads to; true when that is the end of the search. */
static bool look_around(search *s, uint32_t v) {
    const fuser *f = s->f;
    fuse_order *o = f->order;
    const fuse_cluster *c = f->of[v] == CG_NONE ? NULL : f->cluster[f->of[v]];
    const uint32_t *node = c ? c->member : &v;
    for (uint32_t i = 0; i < (c ? c->n : 1); i++)
        for (uint32_t k = 0; k < neighbour_count(f, s->side, node[i]); k++) {
            const uint32_t w = neighbour(f, s->side, node[i], k);
            if (w == s->to && v != s->from) return true;
            if (w == s->from || o->seen[w] == o->stamp || !inside(s, o->position[w])) continue;
            o->seen[w] = o->stamp;
            o->stack[s->top++] = w;
        }
    return false;
}

/* Visits what lies between: into found, when that is given. CG_NONE when a way to the end was found, or the search took
 * too long. */
static uint32_t visit_between(search s, spot *found) {
    fuse_order *o = s.f->order;
    uint32_t n = 0;
    s.limit = o->position[s.to];
    o->stamp++;
    if (look_around(&s, s.from)) return CG_NONE;
    while (s.top) {
        const uint32_t v = o->stack[--s.top];
        if (n == s.most) return CG_NONE;
        if (found) found[n] = (spot){ o->position[v], v };
        n++;
        if (look_around(&s, v)) return CG_NONE;
    }
    return n;
}

bool fuse_path(const fuser *f, uint32_t a, uint32_t b) {
    const search s = {
        .f = f, .side = AFTER, .from = f->cluster[a]->vertex, .to = f->cluster[b]->vertex, .most = MAX_VISITS
    };
    if (f->order->position[s.from] > f->order->position[s.to]) return false;
    return visit_between(s, NULL) == CG_NONE;
}

static int earlier(const void *x, const void *y) {
    const uint32_t a = ((const spot *)x)->position, b = ((const spot *)y)->position;
    return (a > b) - (a < b);
}

static int smaller(const void *x, const void *y) {
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* The places of all that is moved, given out anew: first to what leads to the later one, then to the new vertex, last
 * to what the earlier one leads to. */
static void move(fuse_order *o, uint32_t vertex, const uint32_t *ends, uint32_t before, uint32_t after) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < before; i++) o->slot[n++] = o->before[i].position;
    for (uint32_t i = 0; i < after; i++) o->slot[n++] = o->after[i].position;
    o->slot[n++] = ends[0], o->slot[n++] = ends[1];
    qsort(o->slot, n, sizeof *o->slot, smaller);
    qsort(o->before, before, sizeof *o->before, earlier);
    qsort(o->after, after, sizeof *o->after, earlier);
    for (uint32_t i = 0; i < before; i++) o->position[o->before[i].vertex] = o->slot[i];
    o->position[vertex] = o->slot[before];
    for (uint32_t i = 0; i < after; i++) o->position[o->after[i].vertex] = o->slot[n - after + i];
}

void fuse_order_join(const fuser *f, uint32_t a, uint32_t b) {
    fuse_order *o = f->order;
    const uint32_t x = f->cluster[a]->vertex, y = f->cluster[b]->vertex;
    const bool rising = o->position[x] < o->position[y];
    const uint32_t first = rising ? x : y, last = rising ? y : x, ends[] = { o->position[first], o->position[last] };
    const uint32_t after =
        visit_between((search){ .f = f, .side = AFTER, .from = first, .to = last, .most = CG_NONE }, o->after);
    uint32_t before = 0;
    if (after)
        before =
            visit_between((search){ .f = f, .side = BEFORE, .from = last, .to = first, .most = CG_NONE }, o->before);
    assert(after != CG_NONE && before != CG_NONE);
    if (after) move(o, y, ends, before, after);
    else o->position[y] = ends[1]; /* nothing stands in the way of the later one's place */
    for (uint32_t i = 0; i < f->cluster[a]->n; i++) o->vertex[f->cluster[a]->member[i]] = y;
}
