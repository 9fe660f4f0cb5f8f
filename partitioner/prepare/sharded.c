/* sharded.c: see sharded.h. */
#include "partitioner/prepare/sharded.h"

#include "sharding/data_flow.h"

typedef struct search { bool (*concerns)(const weft_op *op); bool any; } search;

static weft_status look(void *user, weft_op *op) {
    search *s = user;
    s->any = s->any || s->concerns(op);
    return WEFT_OK;
}

weft_status weft_sharded_rewrite(weft_pass *p, const weft_module *in, bool (*concerns)(const weft_op *op),
                                 weft_status (*offered)(weft_rewrite *r, weft_builder *b, const weft_op *op,
                                                        weft_rewritten *did),
                                 weft_module **out) {
    weft_arena arena;
    weft_sharded w = { .cx = p->cx };
    search s = { concerns, false };
    weft_status st = weft_module_walk(in, look, &s);
    if (st != WEFT_OK || !s.any) return st;
    weft_arena_init(&arena, &p->cx->chunks);
    st = weft_shardings_open(p->cx, in, &arena, &w.shardings);
    if (st == WEFT_OK) st = weft_rewrite_module(&(weft_rewrite){ .user = &w, .op = offered }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}

weft_value *weft_sharded_like(weft_builder *b, const weft_op *op, weft_value *v) {
    const weft_attr *a = weft_op_attr(op, WEFT_A_sdy_sharding);
    if (v && a && b->status == WEFT_OK) b->status = weft_op_set(b->m, v->def, WEFT_A_sdy_sharding, a);
    return b->status == WEFT_OK ? v : NULL;
}

weft_value *weft_sharded_as(const weft_sharded *w, weft_builder *b, const weft_value *like, const uint32_t *from,
                            weft_value *v) {
    weft_dim dims[WEFT_MAX_RANK];
    const weft_sharding *s;
    if (!v) return NULL;
    b->status = weft_value_sharding_inside(w->cx, w->shardings, like, &s);
    if (b->status != WEFT_OK || !s) return b->status == WEFT_OK ? v : NULL;
    for (uint32_t d = 0; d < v->type->rank; d++)
        dims[d] = from[d] == WEFT_NO_DIM ? (weft_dim){ .priority = WEFT_NO_PRIORITY } : s->dims[from[d]];
    s = weft_sharding_make(w->shardings, s->mesh, v->type->rank, dims, s->replicated, s->unreduced);
    b->status = s ? weft_op_set_shardings(w->shardings, b->m, v->def, &s) : weft_oom();
    return b->status == WEFT_OK ? v : NULL;
}
