/* reverse.c: cotangents and their sums, and the visit of a block's ops from last to first; see grad.h. */
#include "differentiate/grad.h"
#include "ir/trips.h"

/* ---- facts ---- */

gd_fact *gd_of(gd *g, const weft_value *v) {
    static const gd_fact none;
    if (v->id >= g->fact_cap) {
        size_t old = g->fact_cap;
        if (!weft_arena_grow(g->arena, (void **)&g->facts, &g->fact_cap, (size_t)v->id + 1, sizeof *g->facts)) {
            gd_fail(g, weft_oom());
            g->spare = none;
            return &g->spare;
        }
        memset(g->facts + old, 0, (g->fact_cap - old) * sizeof *g->facts);
    }
    return &g->facts[v->id];
}

weft_map *gd_map(gd *g) {
    weft_map *map = &g->map;
    const uint32_t need = g->m->value_count;
    if (map->count >= need) return map;
    weft_value **to = weft_arena_array(g->arena, weft_value *, 2 * (size_t)need);
    if (!to) return NULL;
    if (map->count) memcpy(to, map->to, map->count * sizeof *to);
    *map = (weft_map){ to, 2 * need };
    return map;
}

void gd_fail(gd *g, weft_status st) {
    if (g->status == WEFT_OK) g->status = st;
}

weft_status gd_status(const gd *g) {
    for (const gd_scope *s = g->scope; s && g->status == WEFT_OK; s = s->outer)
        if (s->b.status != WEFT_OK) return s->b.status;
    return g->status;
}

/* ---- sums ---- */


weft_value *gd_origin(gd *g, weft_value *v) {
    for (const gd_scope *s = g->scope; s; s = s->outer) {
        if (v->def || v->block != s->forward || !s->op || s->op->kind != WEFT_OP_while) continue;
        const weft_value *outer = weft_loop_unchanged(s->op, v->index);
        if (!outer) return v;
        v = s->op->operands[v->index];
    }
    return v;
}

gd_captured *gd_capture(gd *g, gd_scope *s, weft_value *v) {
    for (size_t i = 0; i < s->captured_count; i++)
        if (s->captured[i].outer == v) return &s->captured[i];
    if (!weft_arena_grow(g->arena, (void **)&s->captured, &s->captured_cap, s->captured_count + 1,
                         sizeof *s->captured)) {
        gd_fail(g, weft_oom());
        return NULL;
    }
    gd_captured *c = &s->captured[s->captured_count++];
    *c = (gd_captured){ .outer = v };
    if (s->begin) s->begin(g, s, c);
    return c;
}

weft_value **gd_slot(gd *g, weft_value *v) {
    v = gd_origin(g, v);
    if (weft_value_block(v) == g->scope->forward) return &gd_of(g, v)->ct;
    gd_captured *c = gd_capture(g, g->scope, v);
    return c ? &c->sum : &g->spare.ct;
}

weft_value *gd_ct(gd *g, const weft_op *op, uint32_t result) { return gd_of(g, &op->results[result])->ct; }

weft_value *gd_ct_full(gd *g, const weft_op *op, uint32_t result) {
    weft_value *c = gd_ct(g, op, result);
    return c ? c : gd_zeros(g, op->results[result].type);
}

weft_value *gd_zeros(gd *g, const weft_type *t) { return weft_build_splat(gd_b(g), t, 0); }

bool gd_varies(gd *g, const weft_value *v) {
    return weft_type_has_derivative(v->type) && gd_of(g, v)->marks & GD_VARIED;
}

bool gd_wants(gd *g, const weft_op *op, uint32_t operand) { return gd_varies(g, op->operands[operand]); }

void gd_add(gd *g, weft_value *v, weft_value *ct) {
    if (!ct || !gd_varies(g, v)) return;
    weft_value **sum = gd_slot(g, v);
    *sum = *sum ? lg_add(gd_b(g), *sum, ct) : ct;
}

void gd_give(gd *g, const weft_op *op, uint32_t operand, weft_value *ct) { gd_add(g, op->operands[operand], ct); }

weft_value *gd_as(gd *g, weft_value *x, const weft_value *like) { return lg_convert(gd_b(g), x, like->type->dtype); }

/* ---- the visit ---- */

/* A result without elements has nothing to pass on. */
static bool any_ct(gd *g, const weft_op *op) {
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_value *v = &op->results[i];
        if (gd_ct(g, op, i) && gd_varies(g, v) && weft_type_elems(v->type)) return true;
    }
    return false;
}

void gd_sweep(gd *g) {
    weft_builder *b = gd_b(g);
    /* the rules append to this block, or before an op of it: neither is visited */
    weft_op *op = g->scope->op || !b->before ? g->scope->forward->last : b->before->prev;
    /* a rule may put ops before its own: they are visited next */
    for (; op && gd_status(g) == WEFT_OK; op = op->prev) {
        if (!any_ct(g, op)) continue;
        b->loc = op->loc;
        g->rules[op->kind](g, op);
    }
}

void gd_refuse(gd *g, const weft_op *op, const char *why) {
    if (gd_status(g) != WEFT_OK) return;
    gd_fail(g, weft_report(g->cx, WEFT_D_unsupported, op->loc, "no gradient through '%s': %s", op->name->text, why));
}

void gd_rule_zero(gd *g, const weft_op *op) {
    (void)g;
    (void)op;
}

void gd_rule_terminator(gd *g, const weft_op *op) {
    (void)g;
    (void)op;
}

void gd_rule_missing(gd *g, const weft_op *op) { gd_refuse(g, op, "the op has no derivative rule"); }
