/* call_sources.c: see call_sources.h. A class is the sources of one sharding: a heap of their numbers. A source that
 * has moved to another class is removed only when it reaches the top. */
#include <stdlib.h>

#include "propagate/call_sources.h"

#define NONE UINT32_MAX /* class, or WEFT_NO_SLOT */

typedef struct ranked { uint32_t first, class; } ranked; /* a class by its first source */

typedef struct source_class {
    const weft_sharding *of;
    /* sources, the lowest first; stale if class_of differs, and some may be in it twice */
    uint32_t *heap;
    size_t n, cap;
    uint32_t count;               /* current number of sources */
    uint32_t place;               /* in live, or NONE */
} source_class;

struct weft_call_sources {
    weft_arena *arena;
    const uint32_t *slots;
    const weft_sharding *const *of;
    uint32_t n;
    uint32_t *class_of;           /* by source; NONE before the first look */
    uint32_t *changed, changed_count;
    bool *is_changed;
    source_class *classes;
    size_t class_count, class_cap;
    uint32_t *live;               /* classes with sources, in no order */
    size_t live_count, live_cap;
    uint32_t *table;              /* open addressing by sharding id: class + 1; power of two, at most half full */
    size_t table_size;
    const weft_sharding **few;
    ranked *order;                /* classes as in few */
    size_t few_cap, order_cap;
    weft_source_change *becoming;
    size_t becoming_cap;
};

weft_call_sources *weft_call_sources_open(weft_arena *arena, const uint32_t *slots, uint32_t n,
                                          const weft_sharding *const *of) {
    weft_call_sources *c = weft_arena_new(arena, weft_call_sources);
    if (!c) return NULL;
    *c = (weft_call_sources){ .arena = arena, .slots = slots, .of = of, .n = n, .changed_count = n, .table_size = 16 };
    c->class_of = weft_arena_array(arena, uint32_t, n);
    c->changed = weft_arena_array(arena, uint32_t, n);
    c->is_changed = weft_arena_array(arena, bool, n);
    c->table = weft_arena_array(arena, uint32_t, c->table_size);
    if (!c->class_of || !c->changed || !c->is_changed || !c->table) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        c->class_of[i] = NONE;
        c->changed[i] = i;
        c->is_changed[i] = true;
    }
    return c;
}

void weft_call_sources_changed(weft_call_sources *c, uint32_t source) {
    if (source >= c->n || c->is_changed[source]) return;
    c->is_changed[source] = true;
    c->changed[c->changed_count++] = source;
}

/* ---- classes ---- */

static size_t table_place(const weft_call_sources *c, const uint32_t *table, size_t size, const weft_sharding *s) {
    size_t k = (s ? s->id + 1 : 0) * (size_t)0x9e3779b1u & (size - 1);
    while (table[k] && c->classes[table[k] - 1].of != s) k = (k + 1) & (size - 1);
    return k;
}

static bool grow_table(weft_call_sources *c) {
    size_t size = 2 * c->table_size;
    uint32_t *table = weft_arena_array(c->arena, uint32_t, size);
    if (!table) return false;
    for (uint32_t i = 0; i < c->class_count; i++) table[table_place(c, table, size, c->classes[i].of)] = i + 1;
    c->table = table;
    c->table_size = size;
    return true;
}

/* The class of s, made if there is none; NONE: memory is out. */
static uint32_t class_for(weft_call_sources *c, const weft_sharding *s) {
    size_t k = table_place(c, c->table, c->table_size, s);
    if (c->table[k]) return c->table[k] - 1;
    if (!weft_arena_grow(c->arena, (void **)&c->classes, &c->class_cap, c->class_count + 1, sizeof *c->classes))
        return NONE;
    c->classes[c->class_count++] = (source_class){ .of = s, .place = NONE };
    c->table[k] = (uint32_t)c->class_count;
    return 2 * c->class_count <= c->table_size || grow_table(c) ? (uint32_t)c->class_count - 1 : NONE;
}

static bool push(weft_call_sources *c, source_class *k, uint32_t source) {
    if (!weft_arena_grow(c->arena, (void **)&k->heap, &k->cap, k->n + 1, sizeof *k->heap)) return false;
    size_t at = k->n++;
    for (; at && k->heap[(at - 1) / 2] > source; at = (at - 1) / 2) k->heap[at] = k->heap[(at - 1) / 2];
    k->heap[at] = source;
    return true;
}

static void pop(source_class *k) {
    uint32_t last = k->heap[--k->n];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < k->n; at = child) {
        if (child + 1 < k->n && k->heap[child + 1] < k->heap[child]) child++;
        if (k->heap[child] >= last) break;
        k->heap[at] = k->heap[child];
    }
    k->heap[at] = last;
}

/* The first source of a non-empty class. */
static uint32_t first_of(weft_call_sources *c, uint32_t class) {
    source_class *k = &c->classes[class];
    while (c->class_of[k->heap[0]] != class) pop(k);
    return k->heap[0];
}

static void leave(weft_call_sources *c, uint32_t class) {
    source_class *k = class == NONE ? NULL : &c->classes[class];
    if (!k || --k->count) return;
    c->live[k->place] = c->live[--c->live_count];
    c->classes[c->live[k->place]].place = k->place;
    k->place = NONE;
    k->n = 0;
}

static weft_status enter(weft_call_sources *c, uint32_t source) {
    const uint32_t slot = c->slots[source];
    uint32_t to = class_for(c, slot == NONE ? NULL : c->of[slot]);
    if (to == NONE) return weft_oom();
    if (c->class_of[source] == to) return WEFT_OK;
    leave(c, c->class_of[source]);
    source_class *k = &c->classes[to];
    if (!push(c, k, source) ||
        !weft_arena_grow(c->arena, (void **)&c->live, &c->live_cap, c->live_count + 1, sizeof *c->live))
        return weft_oom();
    c->class_of[source] = to;
    if (k->count++) return WEFT_OK;
    k->place = (uint32_t)c->live_count;
    c->live[c->live_count++] = to;
    return WEFT_OK;
}

/* ---- visits ---- */

static int by_first(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

weft_status weft_call_sources_now(weft_call_sources *c, const weft_sharding *const **few, uint32_t *count) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < c->changed_count; i++) {
        c->is_changed[c->changed[i]] = false;
        st = enter(c, c->changed[i]);
    }
    c->changed_count = 0;
    if (st != WEFT_OK) return st;
    if (!weft_arena_grow(c->arena, (void **)&c->few, &c->few_cap, c->live_count, sizeof *c->few)) return weft_oom();
    if (!weft_arena_grow(c->arena, (void **)&c->order, &c->order_cap, c->live_count, sizeof *c->order))
        return weft_oom();
    ranked *v = c->order;
    for (size_t i = 0; i < c->live_count; i++) v[i] = (ranked){ first_of(c, c->live[i]), c->live[i] };
    qsort(v, c->live_count, sizeof *v, by_first);
    for (size_t i = 0; i < c->live_count; i++) c->few[i] = c->classes[v[i].class].of;
    *few = c->few;
    *count = (uint32_t)c->live_count;
    return WEFT_OK;
}

static int by_source(const void *a, const void *b) {
    const weft_source_change *x = a, *y = b;
    return (x->source > y->source) - (x->source < y->source);
}

weft_status weft_call_sources_becoming(weft_call_sources *c, const weft_sharding *const *after,
                                       const weft_source_change **out, uint32_t *count) {
    size_t n = 0, kept = 0;
    for (uint32_t i = 0; i < c->live_count; i++) {
        const uint32_t class = c->order[i].class;
        const source_class *k = &c->classes[class];
        if (after[i] == k->of) continue;
        if (!weft_arena_grow(c->arena, (void **)&c->becoming, &c->becoming_cap, n + k->n, sizeof *c->becoming))
            return weft_oom();
        for (size_t h = 0; h < k->n; h++)
            if (c->class_of[k->heap[h]] == class) c->becoming[n++] = (weft_source_change){ k->heap[h], i };
    }
    if (n) qsort(c->becoming, n, sizeof *c->becoming, by_source);
    for (size_t i = 0; i < n; i++)
        if (!i || c->becoming[i].source != c->becoming[i - 1].source) c->becoming[kept++] = c->becoming[i];
    *out = c->becoming;
    *count = (uint32_t)kept;
    return WEFT_OK;
}
