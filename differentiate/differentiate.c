/* differentiate.c: one derivation from beginning to end; see differentiate.h. */
#include "differentiate/rules.h"

static bool is_static(const weft_value *v) { return weft_type_is_static(v->type); }

/* The cotangents at the outermost scope. */
static void run(gd *g, gd_scope *s, weft_value **out) {
    const weft_gradients *w = g->what;
    for (uint32_t i = 0; i < w->n; i++) gd_of(g, w->wrt[i])->marks |= GD_VARIED;
    for (uint32_t i = 0; i < w->of_n; i++) gd_of(g, w->of[i])->marks |= GD_USEFUL;
    gd_mark(g, s->forward);
    s->last = s->b.before ? s->b.before->prev : s->forward->last;
    for (uint32_t i = 0; i < w->of_n; i++)
        gd_add(g, w->of[i], w->seeds ? w->seeds[i] : weft_build_splat(&s->b, w->of[i]->type, 1));
    gd_sweep(g);
    for (uint32_t i = 0; i < w->n && gd_status(g) == WEFT_OK; i++) {
        weft_value *sum = *gd_slot(g, w->wrt[i]);
        out[i] = sum ? sum : gd_zeros(g, w->wrt[i]->type);
    }
}

weft_status weft_differentiate(weft_builder *b, const weft_gradients *what, weft_value **out) {
    weft_arena arena;
    weft_arena_init(&arena, &b->m->cx->chunks);
    gd g = { .cx = b->m->cx, .m = b->m, .arena = &arena, .rules = gd_rules, .what = what };
    gd_scope s = { .forward = b->block, .b = *b };
    g.scope = &s;
    for (uint32_t i = 0; i < what->n && g.status == WEFT_OK; i++)
        if (!is_static(what->wrt[i]))
            gd_fail(&g, weft_report(g.cx, WEFT_D_unsupported, weft_value_loc(what->wrt[i]),
                                    "no gradient with respect to a value of dynamic shape"));
    if (g.status == WEFT_OK) run(&g, &s, out);
    weft_status st = gd_status(&g);
    if (st == WEFT_OK) {
        gd_settle(&g, b->m->root);
        /* an op under construction is not in the module yet, but knows the block above it */
        for (weft_op *op = b->block->parent->parent; op && op != b->m->root; op = weft_op_parent(op))
            weft_op_walk(op, gd_settle_op, &g);
        st = gd_status(&g);
        for (uint32_t i = 0; i < what->n; i++)
            while (out[i]->id < g.fact_cap && g.facts[out[i]->id].instead) out[i] = g.facts[out[i]->id].instead;
    }
    const weft_loc *loc = b->loc;
    *b = s.b;
    b->loc = loc;
    b->status = st;
    weft_arena_free(&arena);
    return st;
}
