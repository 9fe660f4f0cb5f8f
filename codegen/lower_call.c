/* lower_call.c: a call as a step; its body, if any, as a function of the image. */
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

typedef struct body_entry { key_list key; uint32_t function; } body_entry;

/* The body's function: one for all equal bodies. */
static weft_status body_function(cg_lowering *l, const cg_block *b, uint32_t *function) {
    cg_body body;
    key_list k = { .arena = &l->g->arena };
    weft_status st = cg_body_read(&l->g->arena, b, &body, NULL);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 0; i < b->arg_count; i++) put(&k, b->args[i]->dtype);
    for (uint32_t r = 0; r < b->result_count; r++) put(&k, b->results[r]->dtype);
    cg_body_key(&body, put, &k);
    if (k.failed) return weft_oom();
    const body_entry *known = l->bodies.v;
    for (size_t i = 0; i < l->bodies.n; i++)
        if (known[i].key.n == k.n && !memcmp(known[i].key.v, k.v, k.n * sizeof *k.v)) {
            *function = known[i].function;
            return WEFT_OK;
        }
    body_entry *fresh = cg_grow(l, &l->bodies, sizeof *fresh);
    if (!fresh) return weft_oom();
    if ((st = cg_new_function(l, k.v, k.n * sizeof *k.v, function)) != WEFT_OK) return st;
    *fresh = (body_entry){ k, *function };
    return l->jit ? cg_jit_add_body(l->jit, b, *function, k.v, k.n * sizeof *k.v) : WEFT_OK;
}

static uint32_t result_of(const cg_unit *u, uint32_t r) {
    uint32_t i = 0;
    while (u->writes[i]->aux != r) i++; /* every part of a call exists: cg_call made them */
    return i;
}

/* By the time that it takes, not by its flops alone: of small matrices LAPACK reaches a small share of the rate. */
static weft_split split_of(const cg_lowering *l, const cg_unit *u, const cg_call_spec *c, uint32_t scratch) {
    cg_unit timed = *u;
    if (c->order > 0) timed.flops *= 1 + l->machine->costs.factor_ramp / (double)c->order;
    return cg_split_of_call(l, &timed, scratch, c->scratch_bytes);
}

weft_status cg_lower_call(cg_lowering *l, cg_layout *lay, uint32_t unit) {
    const cg_unit *u = &lay->units.v[unit];
    const cg_node *n = u->step;
    const cg_call_spec *c = &n->call->spec;
    const uint32_t values = n->in_count + n->result_count;
    weft_step *s = cg_new_step(l, u, WEFT_PLAN_LIBRARY);
    weft_slice *v = weft_arena_array(&l->x->arena, weft_slice, values + 1);
    void *state = weft_arena_dup(&l->x->arena, c->state, c->state_bytes, _Alignof(max_align_t));
    if (!s || !v || !state) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < n->in_count && st == WEFT_OK; i++) st = cg_slice_of(l, n->in[i], &v[i]);
    for (uint32_t r = 0; r < n->result_count && st == WEFT_OK; r++)
        st = cg_slice_of(l, u->writes[result_of(u, r)], &v[n->in_count + r]);
    v[values] = cg_scratch_of(lay, unit);
    cg_set_kernel(s, c->kernel, state, c->state_bytes);
    s->code.split = split_of(l, u, c, values);
    s->slices = v;
    s->slice_count = values + (c->scratch_bytes > 0);
    s->label = c->label;
    return st == WEFT_OK && c->body ? body_function(l, c->body, &s->code.function) : st;
}
