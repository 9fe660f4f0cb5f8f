/* lower_call.c: a call as a step; its body, if any, as a function that the step's state points to. */
#include "codegen/body.h"
#include "codegen/call.h"
#include "codegen/lower.h"

weft_status cg_prepare_call(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    (void)l;
    lay->scratch_bytes[unit] = lay->units.v[unit].step->call->spec.scratch_bytes;
    return WEFT_OK;
}

typedef struct key_list { weft_arena *arena; int64_t *v; size_t n, cap; bool failed; } key_list;

static void put(void *user, int64_t v) {
    key_list *k = user;
    if (k->n == k->cap && !weft_arena_grow(k->arena, (void **)&k->v, &k->cap, k->n + 1, sizeof *k->v)) k->failed = true;
    if (!k->failed) k->v[k->n++] = v;
}

/* The number of the body's function: one for all equal bodies. */
static weft_status body_number(cg_lowering *l, const cg_block *b, uint32_t *number) {
    cg_body body;
    key_list k = { .arena = &l->g->arena };
    weft_status st = cg_body_read(&l->g->arena, b, &body, NULL);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < b->arg_count; i++) put(&k, b->args[i]->dtype);
    for (uint32_t r = 0; r < b->result_count; r++) put(&k, b->results[r]->dtype);
    cg_body_key(&body, put, &k);
    if (k.failed) return weft_oom();
    cg_mix(l, k.v, k.n * sizeof *k.v);
    const key_list *known = l->bodies.v;
    for (*number = 0; *number < l->bodies.n; ++*number)
        if (known[*number].n == k.n && !memcmp(known[*number].v, k.v, k.n * sizeof *k.v)) return WEFT_OK;
    key_list *fresh = cg_grow(l, &l->bodies, sizeof *fresh);
    if (!fresh) return weft_oom();
    *fresh = k;
    return l->jit ? cg_jit_add_body(l->jit, b, *number) : WEFT_OK;
}

/* Where the address goes when the code is there: the step's state, which belongs to the executable. */
static weft_status want_body(cg_lowering *l, const cg_block *b, void *state) {
    uint32_t number;
    weft_status st = body_number(l, b, &number);
    if (st != WEFT_OK) return st;
    cg_wanted_body *w = cg_grow(l, &l->wanted, sizeof *w);
    if (!w) return weft_oom();
    *w = (cg_wanted_body){ number, state };
    return WEFT_OK;
}

/* In the executable's arena: the state, and after it its tables, which a mere plan does not need. */
static void *state_of(cg_lowering *l, const cg_call_spec *c) {
    if (!c->derive || !l->jit) return weft_arena_dup(&l->x->arena, c->state, c->state_bytes, _Alignof(max_align_t));
    const size_t at = (size_t)((const char *)cg_call_tables(c->state, c->state_bytes) - (const char *)c->state);
    char *p = weft_arena_alloc(&l->x->arena, at + c->derived_bytes, WEFT_BUFFER_ALIGN);
    if (!p) return NULL;
    memset(p, 0, at + c->derived_bytes);
    memcpy(p, c->state, c->state_bytes);
    c->derive(p, p + at);
    return p;
}

static uint32_t result_of(const cg_unit *u, uint32_t r) {
    uint32_t i = 0;
    while (u->writes[i]->aux != r) i++; /* every part of a call exists: cg_call made them */
    return i;
}

weft_status cg_lower_call(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_unit *u = &lay->units.v[unit];
    const cg_node *n = u->step;
    const cg_call_spec *c = &n->call->spec;
    const uint32_t values = n->in_count + n->result_count;
    weft_step *s = cg_new_step(l, u, WEFT_PLAN_LIBRARY);
    weft_slice *v = weft_arena_array(&l->x->arena, weft_slice, values + 1);
    void *state = state_of(l, c);
    if (!s || !v || !state) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < n->in_count && st == WEFT_OK; i++) st = cg_slice_of(l, n->in[i], &v[i]);
    for (uint32_t r = 0; r < n->result_count && st == WEFT_OK; r++)
        st = cg_slice_of(l, u->writes[result_of(u, r)], &v[n->in_count + r]);
    v[values] = cg_scratch_of(lay, unit);
    cg_mix(l, c->label, strlen(c->label));
    cg_mix(l, c->state, c->state_bytes);
    for (uint32_t i = 0; i <= values; i++) {
        const int64_t where[] = { v[i].space, v[i].index, v[i].offset, v[i].bytes };
        cg_mix(l, where, sizeof where);
    }
    s->kind = WEFT_STEP_CALL;
    s->fn = l->jit ? c->fn : NULL;
    s->state = state;
    s->slices = v;
    s->slice_count = values + (c->scratch_bytes > 0);
    s->label = c->label;
    return st == WEFT_OK && c->body ? want_body(l, c->body, state) : st;
}
