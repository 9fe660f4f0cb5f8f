/* buffers.c: an offset for every range.
 *
 * Arguments, results and constants have spaces of their own. The rest share one arena: ranges are put, largest first,
 * at the lowest offset that no other one holds at the same time. The buffers of a home lie in a tree by offset, whose
 * nodes know when anything below them lives: a search for that offset passes over what lives at other times. Where the
 * memory of a result of @main is not in use, buffers that fit lie there rather than in the arena.
 */
#include <stdlib.h>
#include "codegen/buffers.h"

enum { MOST_TRIED_TWICE = 4096 }; /* buffers */

typedef struct buffer {
    const cg_range *r;
    int64_t offset;
    uint32_t number, home;
    struct buffer *less, *more; /* of the same home, by offset and number: a treap; */
    uint32_t first, last;   /* positions between which those at and below this one live */
} buffer;

/* The memory of a result. */
typedef struct room { int64_t bytes; uint32_t home; } room;

typedef struct assigner {
    const cg_lifetimes *l;
    weft_arena arena;
    buffer *v;              /* by range */
    uint32_t n;
    buffer **in;            /* by home: the root of what lies there */
    room *rooms;            /* the smallest first */
    uint32_t room_count;
    int64_t temp_bytes;
} assigner;

/* Results that lie in memory of the caller, which is there from the start. */
static void list_rooms(assigner *a) {
    const cg_block *b = a->l->storage->block;
    if (a->l->storage->results != CG_RESULTS_GIVEN) return;
    for (uint32_t r = 0; r < b->result_count; r++) {
        const cg_node *n = cg_base(b->results[r]);
        if (a->l->writer[n->id] == CG_NONE || a->l->home[n->id] != 1 + r) continue;
        a->rooms[a->room_count++] = (room){ cg_bytes(n), 1 + r };
    }
}

static int larger(const void *x, const void *y) {
    const buffer *a = *(buffer *const *)x, *b = *(buffer *const *)y;
    if (a->r->bytes != b->r->bytes) return a->r->bytes < b->r->bytes ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

static int longer(const void *x, const void *y) {
    const buffer *a = *(buffer *const *)x, *b = *(buffer *const *)y;
    const double m = (double)a->r->bytes * (a->r->to - a->r->from + 1),
                 n = (double)b->r->bytes * (b->r->to - b->r->from + 1);
    if (m < n || m > n) return m < n ? 1 : -1;
    return a->number < b->number ? -1 : 1;
}

static int smaller_room(const void *x, const void *y) {
    const room *a = x, *b = y;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return a->home < b->home ? -1 : 1;
}

static bool lives_beside(const buffer *x, const buffer *b) { return x->r->from <= b->r->to && b->r->from <= x->r->to; }

/* Raises *offset past what lies in tree x and lives when b does, up to the first gap that takes b; false: that was
 * found. */
static bool pass(const buffer *x, const buffer *b, int64_t *offset) {
    if (!x || x->first > b->r->to || x->last < b->r->from) return true;
    if (!pass(x->less, b, offset)) return false;
    if (lives_beside(x, b)) {
        if (x->offset >= *offset + cg_align(b->r->bytes)) return false;
        *offset = weft_max_i64(*offset, x->offset + cg_align(x->r->bytes));
    }
    return pass(x->more, b, offset);
}

/* The lowest offset in home where b is alone while it lives. */
static int64_t lowest(const assigner *a, const buffer *b, uint32_t home) {
    int64_t offset = 0;
    (void)pass(a->in[home], b, &offset);
    return offset;
}

/* A node's height in a treap is drawn; by a hash of its number it is the same on every rank. */
static uint64_t height(const buffer *b) {
    const uint64_t h = (b->number + 1) * 0x9e3779b97f4a7c15u;
    return (h ^ h >> 29) * 0xff51afd7ed558ccdu;
}

static void look_below(buffer *x) {
    x->first = x->r->from, x->last = x->r->to;
    for (int side = 0; side < 2; side++) {
        const buffer *const y = side ? x->more : x->less;
        if (!y) continue;
        if (y->first < x->first) x->first = y->first;
        if (y->last > x->last) x->last = y->last;
    }
}

static bool lies_before(const buffer *a, const buffer *b) {
    return a->offset != b->offset ? a->offset < b->offset : a->number < b->number;
}

/* Tree x in two: what lies before b, and the rest. */
static void split(buffer *x, const buffer *b, buffer **less, buffer **more) {
    if (!x) {
        *less = *more = NULL;
        return;
    }
    if (lies_before(x, b)) split(x->more, b, &x->more, more), *less = x;
    else split(x->less, b, less, &x->less), *more = x;
    look_below(x);
}

static void insert(buffer **tree, buffer *b) {
    buffer *const x = *tree;
    if (x && height(x) > height(b)) {
        insert(lies_before(x, b) ? &x->more : &x->less, b);
        look_below(x);
        return;
    }
    split(x, b, &b->less, &b->more);
    look_below(b);
    *tree = b;
}

static void enter(assigner *a, buffer *b, uint32_t home, int64_t offset) {
    b->home = home;
    b->offset = offset;
    insert(&a->in[home], b);
}

/* The first room that is as large as that. */
static uint32_t first_room(const assigner *a, int64_t bytes) {
    uint32_t low = 0, high = a->room_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a->rooms[middle].bytes < bytes) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The smallest result's memory that has a place for b, else the arena. */
static void place(assigner *a, buffer *b) {
    for (uint32_t i = first_room(a, b->r->bytes); i < a->room_count && b->r->bytes; i++) {
        const int64_t offset = lowest(a, b, a->rooms[i].home);
        if (offset + b->r->bytes <= a->rooms[i].bytes) {
            enter(a, b, a->rooms[i].home, offset);
            return;
        }
    }
    enter(a, b, CG_ARENA, lowest(a, b, CG_ARENA));
    a->temp_bytes = weft_max_i64(a->temp_bytes, b->offset + cg_align(b->r->bytes));
}

/* All buffers in the order of `first`. */
static void pack_by(assigner *a, int (*first)(const void *, const void *), buffer **order) {
    uint32_t n = 0;
    memset(a->in, 0, (a->l->storage->block->result_count + 1) * sizeof(buffer *));
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->v[i].r->home != CG_ARENA) enter(a, &a->v[i], a->v[i].r->home, 0);
        else order[n++] = &a->v[i];
    }
    qsort(order, n, sizeof *order, first);
    a->temp_bytes = 0;
    for (uint32_t i = 0; i < n; i++) place(a, order[i]);
}

/* The largest first; or what is large for long, where that takes less: a result's memory then is not spent on scratch
 * of a single step. */
static weft_status pack(assigner *a) {
    buffer **order = weft_arena_array(&a->arena, buffer *, a->n);
    if (!order) return weft_oom();
    qsort(a->rooms, a->room_count, sizeof *a->rooms, smaller_room);
    pack_by(a, larger, order);
    if (a->n > MOST_TRIED_TWICE) return WEFT_OK;
    buffer *kept = weft_arena_dup(&a->arena, a->v, a->n * sizeof *a->v, _Alignof(buffer));
    const int64_t bytes = a->temp_bytes;
    if (!kept) return weft_oom();
    pack_by(a, longer, order);
    if (a->temp_bytes < bytes) return WEFT_OK;
    memcpy(a->v, kept, a->n * sizeof *a->v); /* places are read, and no tree any more */
    a->temp_bytes = bytes;
    return WEFT_OK;
}

static weft_slice slice_of(const buffer *b) {
    if (b->home == CG_ARENA) return (weft_slice){ WEFT_SPACE_TEMP, 0, b->offset, b->r->bytes };
    return (weft_slice){ WEFT_SPACE_RESULT, b->home - 1, b->offset, b->r->bytes };
}

/* Where value n lies: in the memory of its home, or in its range. */
static weft_slice place_of(const assigner *a, const cg_node *n) {
    const uint32_t home = a->l->home[n->id];
    return home ? (weft_slice){ WEFT_SPACE_RESULT, home - 1, 0, cg_bytes(n) } : slice_of(&a->v[a->l->of[n->id]]);
}

static void list_places(const assigner *a, cg_memory *out) {
    const cg_units *u = a->l->storage->units;
    weft_slice *value = out->value;
    for (uint32_t i = 0; i < u->count; i++) {
        for (uint32_t k = 0; k < u->v[i].write_count; k++) *value++ = place_of(a, u->v[i].writes[k]);
        const uint32_t scratch = a->l->scratch[i];
        out->scratch[i] = scratch == CG_NONE ? (weft_slice){ .space = WEFT_SPACE_TEMP } : slice_of(&a->v[scratch]);
    }
    out->temp_bytes = a->temp_bytes;
}

weft_status cg_assign(cg_graph *g, const cg_lifetimes *l, cg_memory *out) {
    assigner a = { .l = l, .n = l->range_count };
    const cg_units *u = l->storage->units;
    size_t values = 0;
    for (uint32_t i = 0; i < u->count; i++) values += u->v[i].write_count;
    weft_arena_init(&a.arena, &g->cx->alloc);
    a.v = weft_arena_array(&a.arena, buffer, a.n);
    a.in = weft_arena_array(&a.arena, buffer *, l->storage->block->result_count + 1);
    a.rooms = weft_arena_array(&a.arena, room, l->storage->block->result_count);
    out->value = weft_arena_array(&g->arena, weft_slice, values);
    out->scratch = weft_arena_array(&g->arena, weft_slice, u->count);
    weft_status st = weft_oom();
    if (a.v && a.in && a.rooms && out->value && out->scratch) {
        for (uint32_t i = 0; i < a.n; i++) a.v[i] = (buffer){ .r = &l->range[i], .number = i };
        list_rooms(&a);
        st = pack(&a);
        if (st == WEFT_OK) list_places(&a, out);
    }
    weft_arena_free(&a.arena);
    return st;
}
