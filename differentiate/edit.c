/* edit.c: changes of the forward program, and of what was made; see grad.h. */
#include "differentiate/grad.h"

void gd_open(gd *g, gd_scope *s, const weft_op *op, weft_block *blk) {
    s->outer = g->scope;
    s->op = op;
    s->forward = blk;
    weft_builder_init(&s->b, g->m, weft_arena_new(&g->m->arena, weft_block));
    s->b.loc = op->loc;
    s->b.status = s->b.block ? gd_status(g) : weft_oom();
    g->scope = s;
}

void gd_close(gd *g, gd_scope *s) {
    if (s->b.status != WEFT_OK) gd_fail(g, s->b.status);
    g->scope = s->outer;
}

bool gd_note_saved(gd *g, gd_scope *s, weft_value *v, weft_value *here) {
    if (!here || !weft_arena_grow(g->arena, (void **)&s->saved, &s->saved_cap, s->saved_count + 1, sizeof *s->saved)) {
        gd_fail(g, weft_oom());
        return false;
    }
    s->saved[s->saved_count++] = (gd_saved){ v, here };
    return true;
}

weft_value *gd_stand_in(gd *g, const weft_type *t) {
    weft_builder b;
    if (!g->stand_ins) g->stand_ins = weft_arena_new(&g->m->arena, weft_block);
    weft_builder_init(&b, g->m, g->stand_ins);
    weft_value *v = g->stand_ins ? weft_build_block_arg(&b, g->stand_ins, t, &weft_loc_unknown) : NULL;
    if (!v) gd_fail(g, weft_oom());
    return v;
}

void gd_instead(gd *g, weft_value *v, weft_value *other) {
    if (v && other) gd_of(g, v)->instead = other;
}

void gd_move_region(weft_region *from, weft_region *to) {
    to->first = from->first;
    to->last = from->last;
    WEFT_EACH_BLOCK(blk, to) blk->parent = to;
    from->first = from->last = NULL;
}

void gd_put_block(weft_block *blk, weft_region *r) {
    r->first = r->last = blk;
    blk->parent = r;
}

/* No axes: each dimension may get some. */
static const weft_attr *open_sharding(gd *g, const weft_attr *mesh, uint32_t rank) {
    static const weft_dim_sharding open = { .open = true, .priority = WEFT_NO_PRIORITY };
    weft_dim_sharding *dims = weft_arena_array(g->arena, weft_dim_sharding, rank + 1);
    for (uint32_t d = 0; dims && d < rank; d++) dims[d] = open;
    const weft_attr a = { .kind = WEFT_ATTR_SHARDING, .sharding = { .mesh = mesh, .dims = dims, .rank = rank } };
    return dims ? weft_attr_copy(g->cx, &a) : NULL;
}

void gd_extend_shardings(gd *g, const weft_op *old, weft_op *made) {
    const weft_attr *all = weft_op_attr(made, WEFT_A_sdy_sharding);
    const uint32_t had = old->result_count, n = made->result_count;
    weft_status st = n == had ? WEFT_OK : weft_op_set(g->m, made, WEFT_A_sdy_sharding_rule, NULL);
    if (st == WEFT_OK && n > had && had && all && all->kind == WEFT_ATTR_SHARDINGS && all->items.n == had) {
        const weft_attr **v = weft_arena_array(g->arena, const weft_attr *, n);
        bool made_all = v != NULL;
        for (uint32_t i = 0; made_all && i < n; i++) {
            const weft_type *t = made->results[i].type;
            v[i] = i < had ? all->items.v[i]
                           : open_sharding(g, all->items.v[0]->sharding.mesh, weft_type_is_tensor(t) ? t->rank : 0);
            made_all = v[i] != NULL;
        }
        const weft_attr longer = { .kind = WEFT_ATTR_SHARDINGS, .items = { v, n } };
        all = made_all ? weft_attr_copy(g->cx, &longer) : NULL;
        st = all ? weft_op_set(g->m, made, WEFT_A_sdy_sharding, all) : weft_oom();
    }
    if (st != WEFT_OK) gd_fail(g, st);
}

void gd_extend_operands(gd *g, weft_op *op, weft_value *const *more, size_t n) {
    const size_t old = op->operand_count;
    weft_value **all = weft_arena_array(&g->m->arena, weft_value *, old + n + 1);
    uint32_t *turns = op->turns ? weft_arena_array(&g->m->arena, uint32_t, old + n + 1) : NULL;
    if (!all || (op->turns && !turns)) {
        gd_fail(g, weft_oom());
        return;
    }
    if (old) memcpy(all, op->operands, old * sizeof *all);
    if (old && turns) memcpy(turns, op->turns, old * sizeof *turns);
    for (size_t i = 0; i < n; i++)
        if (!(all[old + i] = more[i])) gd_fail(g, weft_oom());
    if (g->status != WEFT_OK) return;
    op->operands = all;
    op->turns = turns;
    op->operand_count = (uint32_t)(old + n);
}

void gd_build_return(gd *g, weft_builder *b, weft_op_kind kind, weft_value *const *v, size_t n) {
    (void)g;
    weft_build_op(b, &(weft_op_spec){ .kind = kind, .operands = v, .operand_count = (uint32_t)n });
}

void gd_replace(gd *g, weft_op *op, weft_value *const *by) {
    weft_value **first = by ? weft_arena_array(&g->m->arena, weft_value *, op->result_count + 1) : NULL;
    if (!first || !weft_arena_grow(g->arena, (void **)&g->replaced, &g->replaced_cap, g->replaced_count + 1,
                                   sizeof *g->replaced)) {
        gd_fail(g, weft_oom());
        return;
    }
    g->replaced[g->replaced_count++] = op;
    for (uint32_t i = 0; i < op->result_count; i++) first[i] = by[i];
    op->kind = WEFT_OP_optimization_barrier;
    op->name = weft_name_at(g->cx, WEFT_A_COUNT + WEFT_OP_optimization_barrier);
    op->operands = first;
    op->operand_count = op->result_count;
    op->region_count = 0;
    op->attr_count = 0;
    op->turns = NULL;
    g->m->had[WEFT_OP_optimization_barrier / 64] |= (uint64_t)1 << (WEFT_OP_optimization_barrier % 64);
}

void gd_replace_by_op(gd *g, weft_op *op, weft_op *by) {
    weft_value **v = by ? weft_arena_array(g->arena, weft_value *, op->result_count + 1) : NULL;
    if (!v) {
        gd_fail(g, weft_oom());
        return;
    }
    for (uint32_t i = 0; i < op->result_count; i++) v[i] = &by->results[i];
    gd_replace(g, op, v);
}

/* ---- when all is made ---- */

static weft_value *final(gd *g, weft_value *v) {
    for (weft_value *next; v->id < g->fact_cap && (next = g->facts[v->id].instead);) v = next;
    return v;
}

weft_status gd_settle_op(void *user, weft_op *op) {
    gd *g = user;
    for (uint32_t i = 0; i < op->operand_count; i++) op->operands[i] = final(g, op->operands[i]);
    return WEFT_OK;
}

void gd_settle(gd *g, weft_op *root) {
    if (g->what->replaced == WEFT_REPLACED_REMOVE)
        for (size_t i = 0; i < g->replaced_count; i++) {
            weft_op *op = g->replaced[i];
            for (uint32_t r = 0; r < op->result_count; r++) gd_instead(g, &op->results[r], op->operands[r]);
            weft_op_remove(op);
        }
    weft_op_walk(root, gd_settle_op, g);
}
