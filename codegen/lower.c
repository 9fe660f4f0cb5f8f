/* lower.c: the units of a block, in order, as steps of the executable. */
#include <stdio.h>
#include "base/table.h"
#include "codegen/lower.h"
#include "cost/machine.h"

enum { MOST_PARTS = 1 << 20 }; /* of a call's work: how many it has, the kernel knows */

/* A kernel by what it computes; its number is that of its label. */
typedef struct cg_kernel_entry {
    const int64_t *key;
    uint32_t count, number, function;
    weft_split split;
} cg_kernel_entry;

void *cg_grow(cg_lowering *l, cg_growing *g, size_t size) {
    if (g->n == g->cap && !weft_arena_grow(&l->g->arena, &g->v, &g->cap, g->n + 1, size)) return NULL;
    void *p = (char *)g->v + g->n++ * size;
    memset(p, 0, size);
    return p;
}

weft_status cg_new_function(cg_lowering *l, const void *key, size_t bytes, uint32_t *function) {
    uint64_t *content = cg_grow(l, &l->contents, sizeof *content);
    if (!content) return weft_oom();
    *content = weft_hash_end(weft_hash_bytes(0, key, bytes));
    *function = (uint32_t)l->contents.n - 1;
    return WEFT_OK;
}

static weft_status place_constant(cg_lowering *l, const cg_node *n) {
    size_t old = l->constants.n, at = (size_t)cg_align((int64_t)old), need = at + (size_t)cg_bytes(n);
    if (need > l->constants.cap && !weft_arena_grow(&l->g->arena, &l->constants.v, &l->constants.cap, need, 1))
        return weft_oom();
    memset((char *)l->constants.v + old, 0, need - old);
    memcpy((char *)l->constants.v + at, n->data, (size_t)cg_bytes(n));
    l->constants.n = need;
    l->place[n->id] = (cg_place){ { WEFT_SPACE_CONSTANT, 0, (int64_t)at, cg_bytes(n) }, true };
    return WEFT_OK;
}

weft_status cg_slice_of(cg_lowering *l, cg_node *n, weft_slice *out) {
    n = cg_base(n);
    if (!n->elems && !l->place[n->id].known) { /* nobody computes it, nobody reads it */
        *out = (weft_slice){ WEFT_SPACE_TEMP, 0, 0, 0 };
        return WEFT_OK;
    }
    if (n->cls == CG_CONSTANT && !l->place[n->id].known) {
        weft_status st = place_constant(l, n);
        if (st != WEFT_OK) return st;
    }
    if (!l->place[n->id].known) return weft_report(l->cx, WEFT_D_internal, n->loc, "a value has no memory");
    *out = l->place[n->id].at;
    return WEFT_OK;
}

static weft_dtype dtype_of(const cg_unit *u) {
    const cg_node *n = u->step && (u->step->cls == CG_DOT || u->step->cls == CG_CONV) ? u->step->in[0]
                       : u->write_count                                               ? u->writes[0]
                                                                                      : NULL;
    return n ? (weft_dtype)n->dtype : WEFT_F32;
}

weft_step *cg_new_step(cg_lowering *l, const cg_unit *u, weft_plan_step_kind kind) {
    weft_step *s = cg_grow(l, &l->steps, sizeof *s);
    weft_plan_step *p = cg_grow(l, &l->plan_steps, sizeof *p);
    if (!s || !p) return NULL;
    s->loc = p->loc = u->loc;
    p->kind = kind;
    p->flops = u->flops;
    p->dtype = dtype_of(u);
    p->trip_count = 1;
    p->read_bytes = u->read_bytes;
    p->write_bytes = u->write_bytes;
    return s;
}

void cg_set_kernel(weft_step *s, const weft_kernel *k, const void *state, size_t state_bytes) {
    s->kind = WEFT_STEP_CALL;
    s->code = (weft_code){ .kernel = k ? k->name : NULL, .function = WEFT_NO_FUNCTION, .state = state,
                           .state_bytes = state_bytes };
}

const char *cg_label(cg_lowering *l, const char *what, uint32_t number) {
    char text[64];
    int n = snprintf(text, sizeof text, "%s.%u", what, number);
    return weft_arena_strdup(&l->x->arena, text, (size_t)n);
}

weft_status cg_slices(cg_lowering *l, cg_node *const *nodes, uint32_t n, uint32_t extra, weft_step *s) {
    weft_slice *v = weft_arena_array(&l->x->arena, weft_slice, n + extra);
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        weft_status st = cg_slice_of(l, nodes[i], &v[i]);
        if (st != WEFT_OK) return st;
    }
    s->slices = v;
    s->slice_count = n + extra;
    return WEFT_OK;
}

weft_split cg_split_of(const cg_lowering *l, const cg_unit *u, int64_t grains) {
    const double time_s = weft_machine_kernel_time_s(l->machine, u->flops, u->read_bytes + u->write_bytes),
                 worth = time_s / l->machine->costs.split_s;
    if (grains < 2 || worth < 2) return (weft_split){ .grains = 1, .least = 1 };
    const int64_t least = worth < (double)grains ? weft_ceil_div(grains, (int64_t)worth) : 1;
    return (weft_split){ .grains = grains, .least = least };
}

weft_split cg_split_of_call(const cg_lowering *l, const cg_unit *u, uint32_t scratch, int64_t scratch_bytes) {
    weft_split s = cg_split_of(l, u, MOST_PARTS);
    s.scratch = scratch_bytes ? scratch : 0;
    s.scratch_bytes = scratch_bytes;
    return s;
}

/* The kernel among kernels, by what it computes; new ones are handed to the code generator. */
static weft_status find_kernel(cg_lowering *l, const cg_unit *u, const cg_kernel_entry **out) {
    const cg_kernel *k = u->kernel;
    int64_t *key = NULL;
    uint32_t count = 0;
    if (!cg_kernel_key(k, &l->g->arena, &key, &count)) return weft_oom();
    const uint64_t hash = weft_hash_end(weft_hash_bytes(0, key, count * sizeof *key));
    size_t probe = 0;
    for (const cg_kernel_entry *e; (e = weft_table_next(&l->kernels, hash, &probe));)
        if (e->count == count && !memcmp(e->key, key, count * sizeof *key)) {
            *out = e;
            return WEFT_OK;
        }
    cg_kernel_entry *fresh = weft_arena_new(&l->g->arena, cg_kernel_entry);
    if (!fresh) return weft_oom();
    const cg_split split = cg_kernel_split(k);
    *fresh = (cg_kernel_entry){ .key = key, .count = count, .number = (uint32_t)l->kernels.count,
                                .split = cg_split_of(l, u, split.grains) };
    fresh->split.apart = split.apart;
    *out = fresh;
    weft_status st = cg_new_function(l, key, count * sizeof *key, &fresh->function);
    if (st != WEFT_OK) return st;
    if (!weft_table_add(&l->kernels, &l->g->arena, hash, fresh)) return weft_oom();
    return l->jit ? cg_jit_add(l->jit, k, fresh->split.grains > 1, fresh->function, key, count * sizeof *key) : WEFT_OK;
}

static weft_status lower_kernel(cg_lowering *l, const cg_unit *u) {
    const cg_kernel_entry *e = NULL;
    weft_status st = find_kernel(l, u, &e);
    weft_step *s = st == WEFT_OK ? cg_new_step(l, u, WEFT_PLAN_KERNEL) : NULL;
    if (!s) return st == WEFT_OK ? weft_oom() : st;
    s->kind = WEFT_STEP_CALL;
    s->code.function = e->function;
    s->code.split = e->split;
    s->label = cg_label(l, "fusion", e->number);
    return s->label ? cg_slices(l, u->kernel->params, u->kernel->param_count, 0, s) : weft_oom();
}

/* Per class of step: what must be known before memory is assigned, and the steps. */
static const struct {
    weft_status (*prepare)(cg_lowering *l, cg_layout *lay, uint32_t unit);
    weft_status (*lower)(cg_lowering *l, cg_layout *lay, uint32_t unit);
} lower_of[CG_CLASS_COUNT] = {
    [CG_DOT] = { cg_prepare_library, cg_lower_library },
    [CG_CONV] = { cg_prepare_library, cg_lower_library },
    [CG_WHILE] = { cg_layout_control, cg_lower_while },
    [CG_CASE] = { cg_layout_control, cg_lower_case },
    [CG_CALL] = { cg_prepare_call, cg_lower_call },
};

/* What each step needs to know of itself; blocks of loops and branches go through all passes first. */
static weft_status prepare(cg_lowering *l, cg_layout *lay) {
    const uint32_t n = lay->units.count;
    weft_arena *a = &l->g->arena;
    lay->scratch_bytes = weft_arena_array(a, int64_t, n);
    lay->inner = weft_arena_array(a, cg_layout **, n);
    lay->begun = weft_arena_array(a, cg_begun, n);
    if (!lay->scratch_bytes || !lay->inner || !lay->begun) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) {
        const cg_unit *u = &lay->units.v[i];
        if (u->kind == CG_UNIT_STEP && lower_of[u->step->cls].prepare) st = lower_of[u->step->cls].prepare(l, lay, i);
    }
    return st;
}

/* The order as scheduled, or with collectives under way beside other units. */
static weft_status find_order(cg_lowering *l, cg_layout *lay, weft_arena *a) {
    cg_lifetimes plain;
    weft_status st = cg_schedule(l->g, &lay->storage, &lay->order);
    if (st != WEFT_OK || l->opt->flags & WEFT_COMPILE_NO_OVERLAP) return st;
    st = cg_time_block(l, lay);
    if (st != WEFT_OK || !lay->has_collectives) return st;
    const cg_order order = lay->order;
    st = cg_lifetimes_of(l->g, &lay->storage, &order, lay->scratch_bytes, a, &plain);
    return st == WEFT_OK ? cg_overlap(l, lay, &plain, a, &lay->order) : st;
}

static weft_status find_memory(cg_lowering *l, cg_layout *lay, weft_arena *a) {
    const uint32_t results = lay->block->result_count;
    weft_arena *keep = &l->g->arena;
    cg_lifetimes lifetimes;
    weft_status st = cg_lifetimes_of(l->g, &lay->storage, &lay->order, lay->scratch_bytes, a, &lifetimes);
    if (st == WEFT_OK) st = cg_assign(l->g, &lifetimes, &lay->memory);
    if (st != WEFT_OK) return st;
    lay->in_slot = weft_arena_dup(keep, lifetimes.in_slot, results * sizeof *lay->in_slot, _Alignof(bool));
    lay->alias = weft_arena_dup(keep, lifetimes.alias, results * sizeof *lay->alias, _Alignof(int32_t));
    return lay->in_slot && lay->alias ? WEFT_OK : weft_oom();
}

weft_status cg_layout_block(cg_lowering *l, const cg_block *b, cg_results results, int32_t *donor, cg_layout **out) {
    cg_layout *lay = weft_arena_new(&l->g->arena, cg_layout);
    if (!lay) return weft_oom();
    lay->block = b;
    cg_fuse_mode mode = l->opt->flags & WEFT_COMPILE_NO_FUSION ? CG_FUSE_NONE : CG_FUSE_ALL;
    weft_status st = cg_fuse(l->g, b, mode, &lay->units);
    if (st == WEFT_OK) st = prepare(l, lay);
    lay->storage = (cg_storage){ .block = b, .units = &lay->units, .results = results, .donor = donor };
    if (st == WEFT_OK) st = cg_storage_of(l->g, lay->inner, &lay->storage);
    weft_arena arena;
    weft_arena_init(&arena, &l->cx->alloc);
    if (st == WEFT_OK) st = find_order(l, lay, &arena);
    if (st == WEFT_OK) st = find_memory(l, lay, &arena);
    weft_arena_free(&arena);
    *out = lay;
    return st;
}

/* What counts from the beginning of the block's share. */
static weft_slice moved(const cg_layout *lay, weft_slice at) {
    return (weft_slice){ lay->base.space, lay->base.index, lay->base.offset + at.offset, at.bytes };
}

weft_slice cg_scratch_of(const cg_layout *lay, uint32_t unit) {
    const weft_slice at = lay->memory.scratch[unit];
    return at.space == WEFT_SPACE_TEMP ? moved(lay, at) : at;
}

/* The block's values are where its share and its results are. */
static void place_block(cg_lowering *l, const cg_layout *lay, const weft_slice *results) {
    const weft_slice *at = lay->memory.value;
    for (uint32_t i = 0; i < lay->units.count; i++)
        for (uint32_t k = 0; k < lay->units.v[i].write_count; k++, at++) {
            cg_place *p = &l->place[lay->units.v[i].writes[k]->id];
            *p = (cg_place){ *at, true };
            if (at->space == WEFT_SPACE_TEMP) p->at = moved(lay, *at);
            else if (results) p->at = results[at->index];
        }
}

/* s, or the same memory as part of the argument that a result of @main shares it with. */
static weft_slice shared_memory(const cg_lowering *l, weft_slice s) {
    const int32_t alias = s.space == WEFT_SPACE_RESULT ? l->x->results[s.index].alias : -1;
    if (alias < 0) return s;
    s.space = WEFT_SPACE_ARGUMENT;
    s.index = (uint32_t)alias;
    return s;
}

/* A unit that copies memory to itself, when its places are known: a slot or a donated argument that is taken over as it
 * is. */
bool cg_copies_itself(cg_lowering *l, const cg_unit *u) {
    weft_slice from, to;
    if (u->read_count != 1 || u->write_count != 1 || cg_copied(u->writes[0]) != u->reads[0]) return false;
    if (cg_slice_of(l, u->reads[0], &from) != WEFT_OK || cg_slice_of(l, u->writes[0], &to) != WEFT_OK) return false;
    from = shared_memory(l, from);
    to = shared_memory(l, to);
    return from.space == to.space && from.index == to.index && from.offset == to.offset && from.bytes == to.bytes;
}

/* Large temporaries that u writes, for the plan. */
static weft_status list_values(cg_lowering *l, const cg_unit *u) {
    for (uint32_t k = 0; k < u->write_count; k++) {
        const cg_node *w = u->writes[k];
        const cg_place *p = &l->place[w->id];
        if (!p->known || p->at.space != WEFT_SPACE_TEMP || cg_bytes(w) < WEFT_PLAN_LARGE) continue;
        weft_plan_value *v = cg_grow(l, &l->plan_values, sizeof *v);
        if (!v) return weft_oom();
        *v = (weft_plan_value){ .loc = w->loc,
                                .dtype = (weft_dtype)w->dtype,
                                .rank = w->rank,
                                .bytes = cg_bytes(w),
                                .dims = weft_arena_dup(&l->x->arena, w->dims, w->rank * sizeof *w->dims,
                                                       _Alignof(int64_t)) };
        if (!v->dims) return weft_oom();
    }
    return WEFT_OK;
}

static weft_status lower_unit(cg_lowering *l, cg_layout *lay, const cg_position *p) {
    const cg_unit *u = &lay->units.v[p->unit];
    if (u->kind == CG_UNIT_KERNEL) return lower_kernel(l, u);
    if (u->step->cls == CG_COLLECTIVE) return cg_lower_collective(l, lay, p->unit, p->phase);
    if (lower_of[u->step->cls].lower) return lower_of[u->step->cls].lower(l, lay, p->unit);
    return weft_report(l->cx, WEFT_D_internal, u->loc, "no step can be made for this operation");
}

weft_status cg_lower_block(cg_lowering *l, cg_layout *lay, weft_slice base, const weft_slice *results) {
    weft_status st = WEFT_OK;
    lay->base = base;
    place_block(l, lay, results);
    for (uint32_t i = 0; i < lay->order.count && st == WEFT_OK; i++) {
        const cg_position *p = &lay->order.v[i];
        const cg_unit *u = &lay->units.v[p->unit];
        if (p->phase != CG_PHASE_DONE && cg_copies_itself(l, u)) continue;
        if (p->phase != CG_PHASE_DONE) st = list_values(l, u);
        if (st == WEFT_OK) st = lower_unit(l, lay, p);
    }
    return st;
}
