/* fuse_order.c: does a path lead from one cluster to another through a third?
 *
 * Clusters, steps, gates and what is in memory are the vertices of a graph without circles. Each vertex has a position,
 * and every edge leads to a higher one: the ids of the nodes at first, kept up when two clusters become one. A path
 * from a to b then stays between their positions, so that a search looks at what lies there and no further, and against
 * the order there is none. Source: Pearce and Kelly, A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs,
 * ACM JEA 11, 2006; what is new here is that two vertices are contracted instead of an edge added.
 *
 * A vertex has a list of its neighbours on either side, each once. Two clusters that become one have their lists
 * joined: the members of a large cluster read the same few vertices hundreds of times over. A search visits the vertex
 * nearest to its end first: nine in ten searches that meet more than one vertex end on a path.
 */
#include <assert.h>
#include <stdlib.h>
#include "codegen/fuse_internal.h"

/* Of a search; a longer one counts as found, which keeps fusion linear and is never wrong. With 1024 clusters are those
 * of 4096 in every program of shared/programs; with 256 the unrolled GPT-2 has others. */
enum { MAX_VISITS = 1024 };

typedef enum side { AFTER, BEFORE } side;

typedef struct spot { uint32_t position, vertex; } spot;

struct fuse_order {
    uint32_t *position;     /* of a vertex: the id of a node, for a cluster that of the node it began with */
    uint32_t *vertex;       /* of a node: itself, or that of its cluster */
    /* By side and vertex: who reads it, gates that wait for it and who waits for this gate; or what comes right before
     * it. Nodes whose vertices differed when the list was made. */
    fuse_list *next[2];
    uint32_t *seen, stamp;  /* marks of a search, by vertex */
    spot *heap;             /* put aside by a search, the nearest to its end first */
    spot *after, *before;   /* what the last searches found */
    uint32_t *slot;         /* positions to be given out anew */
};

/* a, then b, where both are given. */
static bool both(weft_arena *arena, const fuse_list *a, const fuse_list *b, fuse_list *out) {
    *out = a->n ? *a : *b;
    if (!a->n || !b->n) return true;
    *out = (fuse_list){ weft_arena_array(arena, uint32_t, a->n + b->n), a->n + b->n };
    if (!out->v) return false;
    memcpy(out->v, a->v, a->n * sizeof *a->v);
    memcpy(out->v + a->n, b->v, b->n * sizeof *b->v);
    return true;
}

fuse_order *fuse_order_new(const fuser *f) {
    const size_t n = f->g->count;
    fuse_order *o = weft_arena_new(f->arena, fuse_order);
    if (!o) return NULL;
    o->position = weft_arena_array(f->arena, uint32_t, n);
    o->vertex = weft_arena_array(f->arena, uint32_t, n);
    o->next[AFTER] = weft_arena_array(f->arena, fuse_list, n);
    o->next[BEFORE] = weft_arena_array(f->arena, fuse_list, n);
    o->seen = weft_arena_array(f->arena, uint32_t, n);
    o->heap = weft_arena_array(f->arena, spot, n);
    o->after = weft_arena_array(f->arena, spot, n);
    o->before = weft_arena_array(f->arena, spot, n);
    o->slot = weft_arena_array(f->arena, uint32_t, n + 2);
    if (!o->position || !o->vertex || !o->next[AFTER] || !o->next[BEFORE] || !o->seen || !o->heap || !o->after ||
        !o->before || !o->slot)
        return NULL;
    for (uint32_t i = 0; i < n; i++) {
        o->position[i] = o->vertex[i] = i;
        if (!both(f->arena, &f->readers[i], &f->waited[i], &o->next[AFTER][i]) ||
            !both(f->arena, &f->reads[i], &f->waits[i], &o->next[BEFORE][i]))
            return NULL;
    }
    return o;
}

typedef struct search {
    fuse_order *o;
    side side;
    uint32_t from, to;      /* vertices, in the direction of the search */
    uint32_t limit;         /* position of `to` */
    uint32_t most;          /* visits */
    uint32_t waiting;       /* in the heap */
} search;

static bool inside(const search *s, uint32_t position) {
    return s->side == AFTER ? position < s->limit : position > s->limit;
}

static bool nearer(const search *s, spot a, spot b) {
    return s->side == AFTER ? a.position > b.position : a.position < b.position;
}

static void put_aside(search *s, spot x) {
    spot *h = s->o->heap;
    uint32_t at = s->waiting++;
    for (; at && nearer(s, x, h[(at - 1) / 2]); at = (at - 1) / 2) h[at] = h[(at - 1) / 2];
    h[at] = x;
}

static uint32_t take_nearest(search *s) {
    spot *h = s->o->heap;
    const spot first = h[0], x = h[--s->waiting];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < s->waiting; at = child) {
        if (child + 1 < s->waiting && nearer(s, h[child + 1], h[child])) child++;
        if (!nearer(s, h[child], x)) break;
        h[at] = h[child];
    }
    h[at] = x;
    return first.vertex;
}

/* Puts aside what vertex v leads to; true when that is the end of the search. */
static bool look_around(search *s, uint32_t v) {
    fuse_order *o = s->o;
    const fuse_list *next = &o->next[s->side][v];
    for (uint32_t k = 0; k < next->n; k++) {
        const uint32_t w = o->vertex[next->v[k]];
        if (w == s->to && v != s->from) return true;
        if (w == s->from || o->seen[w] == o->stamp || !inside(s, o->position[w])) continue;
        o->seen[w] = o->stamp;
        put_aside(s, (spot){ o->position[w], w });
    }
    return false;
}

/* Visits what lies between: into found, when that is given. CG_NONE when a way to the end was found, or the search took
 * too long. */
static uint32_t visit_between(search s, spot *found) {
    fuse_order *o = s.o;
    uint32_t n = 0;
    s.limit = o->position[s.to];
    o->stamp++;
    if (look_around(&s, s.from)) return CG_NONE;
    while (s.waiting) {
        const uint32_t v = take_nearest(&s);
        if (n == s.most) return CG_NONE;
        if (found) found[n] = (spot){ o->position[v], v };
        n++;
        if (look_around(&s, v)) return CG_NONE;
    }
    return n;
}

bool fuse_path(const fuser *f, uint32_t a, uint32_t b) {
    const search s = { .o = f->order, .side = AFTER, .from = f->cluster[a]->vertex, .to = f->cluster[b]->vertex,
                       .most = MAX_VISITS };
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

/* Neighbours of y, into which x has gone: those of both, each once, and neither of the two. */
static bool join_neighbours(weft_arena *arena, fuse_order *o, side d, uint32_t x, uint32_t y) {
    const fuse_list *part[] = { &o->next[d][x], &o->next[d][y] };
    fuse_list all = { weft_arena_array(arena, uint32_t, part[0]->n + part[1]->n), 0 };
    if (!all.v) return false;
    o->seen[y] = ++o->stamp;
    for (int p = 0; p < 2; p++)
        for (uint32_t k = 0; k < part[p]->n; k++) {
            const uint32_t w = o->vertex[part[p]->v[k]];
            if (o->seen[w] == o->stamp) continue;
            o->seen[w] = o->stamp;
            all.v[all.n++] = w;
        }
    o->next[d][y] = all;
    return true;
}

weft_status fuse_order_join(const fuser *f, uint32_t a, uint32_t b) {
    fuse_order *o = f->order;
    const uint32_t x = f->cluster[a]->vertex, y = f->cluster[b]->vertex;
    const bool rising = o->position[x] < o->position[y];
    const uint32_t first = rising ? x : y, last = rising ? y : x, ends[] = { o->position[first], o->position[last] };
    search s = { .o = o, .side = AFTER, .from = first, .to = last, .most = CG_NONE };
    const uint32_t after = visit_between(s, o->after);
    uint32_t before = 0;
    if (after) {
        s.side = BEFORE, s.from = last, s.to = first;
        before = visit_between(s, o->before);
    }
    assert(after != CG_NONE && before != CG_NONE);
    if (after) move(o, y, ends, before, after);
    else o->position[y] = ends[1]; /* nothing stands in the way of the later one's place */
    for (uint32_t i = 0; i < f->cluster[a]->n; i++) o->vertex[f->cluster[a]->member[i]] = y;
    return join_neighbours(f->arena, o, AFTER, x, y) && join_neighbours(f->arena, o, BEFORE, x, y) ? WEFT_OK
                                                                                                 : weft_oom();
}
