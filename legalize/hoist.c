/* hoist: computes loop invariants once, before the loop, and stops carrying them.
 *
 * Pass weft-hoist-loop-invariants. Needs: nothing, but works best after inlining. Leaves: loops that carry only values
 * that change; their regions use other values directly from outside. A result that was carried unchanged becomes the
 * loop's initial value. invariants.c determines which ops move. Each round moves ops out of one loop; rounds follow
 * until ops invariant in all loops of a nest are before the outermost.
 */
#include "ir/rewrite.h"
#include "legalize/hoist.h"
#include "legalize/legalize.h"

typedef struct hoister { lg_invariants v; weft_context *cx; } hoister;

typedef struct mapping { const lg_invariants *v; weft_map *map; } mapping;

static bool map_used(void *user, const weft_value *x) {
    const mapping *m = user;
    m->map->to[x->id] = m->map->to[lg_resolve(m->v, x)->id];
    return true;
}

/* The ops of blk that move before their loop. */
static weft_status move_ops(weft_rewrite *r, weft_builder *b, const weft_block *blk) {
    const hoister *h = r->user;
    mapping m = { &h->v, &r->map };
    WEFT_EACH_OP(op, blk) {
        if (!h->v.before[op->id]) continue;
        lg_each_used(op, map_used, &m);
        b->loc = op->loc;
        if (!weft_clone_op(b, op, &r->map)) return b->status;
    }
    return WEFT_OK;
}

/* The attribute with an entry per result, for the remaining results. */
static weft_status keep_shardings(const hoister *h, weft_module *m, const weft_op *loop, weft_op *made) {
    const weft_attr *all = weft_op_attr(loop, WEFT_A_sdy_sharding);
    if (!all || all->kind != WEFT_ATTR_SHARDINGS || all->items.n != loop->result_count ||
        made->result_count == loop->result_count)
        return WEFT_OK;
    const weft_mark mark = weft_arena_mark(&h->cx->scratch);
    const weft_attr **v = weft_scratch_array(h->cx, const weft_attr *, made->result_count);
    uint32_t n = 0;
    for (uint32_t i = 0; v && i < loop->result_count; i++)
        if (!lg_unchanged(&h->v, loop, i)) v[n++] = all->items.v[i];
    weft_attr kept = *all;
    kept.items.v = v;
    kept.items.n = n;
    const weft_attr *attr = n ? weft_attr_copy(h->cx, &kept) : NULL;
    weft_arena_reset(&h->cx->scratch, mark);
    return v && (attr || !n) ? weft_op_set(m, made, WEFT_A_sdy_sharding, attr) : weft_oom();
}

/* The loop without the values that it carries unchanged, its regions empty. */
static weft_op *shell(weft_rewrite *r, weft_builder *b, const weft_op *loop) {
    const hoister *h = r->user;
    weft_op *made = NULL;
    const weft_mark mark = weft_arena_mark(&h->cx->scratch);
    weft_value **operands = weft_scratch_array(h->cx, weft_value *, loop->operand_count);
    const weft_type **types = weft_scratch_array(h->cx, const weft_type *, loop->result_count);
    uint32_t n = 0;
    for (uint32_t i = 0; operands && types && i < loop->result_count; i++) {
        if (lg_unchanged(&h->v, loop, i)) continue;
        operands[n] = r->map.to[loop->operands[i]->id];
        types[n++] = loop->results[i].type;
    }
    b->loc = loop->loc;
    if (operands && types)
        made = weft_build_op(b, &(weft_op_spec){ .kind = loop->kind, .operands = operands, .operand_count = n,
                                                 .types = types, .result_count = n, .attrs = loop->attrs,
                                                 .attr_count = loop->attr_count, .region_count = loop->region_count });
    else b->status = weft_oom();
    weft_arena_reset(&h->cx->scratch, mark);
    if (made && (b->status = keep_shardings(h, r->out, loop, made)) != WEFT_OK) return NULL;
    for (uint32_t i = 0, k = 0; made && i < loop->result_count; i++) {
        const weft_value *same = h->v.same[loop->results[i].id];
        weft_value *now = same ? r->map.to[same->id] : &made->results[k++];
        if (!same) now->hint = loop->results[i].hint;
        r->map.to[loop->results[i].id] = now;
    }
    return made;
}

static weft_status region(weft_rewrite *r, const weft_op *loop, weft_op *made, uint32_t which) {
    const hoister *h = r->user;
    const weft_block *old = weft_op_body(loop, which);
    weft_builder b;
    weft_builder_init(&b, r->out, NULL);
    weft_block *blk = weft_build_block(&b, &made->regions[which]);
    for (uint32_t i = 0; blk && i < old->arg_count; i++) {
        if (lg_unchanged(&h->v, loop, i)) continue;
        weft_value *arg = weft_build_block_arg(&b, blk, old->args[i]->type, old->args[i]->loc);
        if (!arg) return b.status;
        arg->hint = old->args[i]->hint;
        r->map.to[old->args[i]->id] = arg;
    }
    return blk ? weft_rewrite_block(r, old, blk) : b.status;
}

static weft_status rewrite_loop(weft_rewrite *r, weft_builder *b, const weft_op *loop) {
    const hoister *h = r->user;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < loop->result_count; i++)
        for (uint32_t w = 0; lg_unchanged(&h->v, loop, i) && w < 2; w++)
            r->map.to[weft_op_body(loop, w)->args[i]->id] = r->map.to[h->v.same[loop->results[i].id]->id];
    for (uint32_t w = 0; w < 2 && st == WEFT_OK; w++) st = move_ops(r, b, weft_op_body(loop, w));
    weft_op *made = st == WEFT_OK ? shell(r, b, loop) : NULL;
    if (!made) return st == WEFT_OK ? b->status : st;
    for (uint32_t w = 0; w < 2 && st == WEFT_OK; w++) st = region(r, loop, made, w);
    return st;
}

/* The body's returned values, without the unchanged ones. */
static weft_status end_turn(weft_rewrite *r, weft_builder *b, const weft_op *end, const weft_op *loop) {
    const hoister *h = r->user;
    const weft_mark mark = weft_arena_mark(&h->cx->scratch);
    weft_value **v = weft_scratch_array(h->cx, weft_value *, end->operand_count);
    uint32_t n = 0;
    for (uint32_t i = 0; v && i < end->operand_count; i++)
        if (!lg_unchanged(&h->v, loop, i)) v[n++] = r->map.to[end->operands[i]->id];
    if (v)
        weft_build_op(b, &(weft_op_spec){ .kind = end->kind, .operands = v, .operand_count = n, .attrs = end->attrs,
                                          .attr_count = end->attr_count });
    else b->status = weft_oom();
    weft_arena_reset(&h->cx->scratch, mark);
    return b->status;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const hoister *h = r->user;
    const weft_op *around = weft_op_parent(op);
    *did = WEFT_DONE;
    if (!h->v.inside[op->id]) return WEFT_OK;
    if (op->kind == WEFT_OP_while) return rewrite_loop(r, b, op);
    if (around && around->kind == WEFT_OP_while && op->parent == weft_op_body(around, 1) && op == op->parent->last)
        return end_turn(r, b, op, around);
    *did = WEFT_KEEP;
    return WEFT_OK;
}

typedef struct hoisting { weft_context *cx; const weft_costs *costs; bool collectives; } hoisting;

/* Moves ops out of one loop; *out stays NULL if none can move. */
static weft_status round_out(void *user, const weft_module *in, weft_module **out) {
    const hoisting *how = user;
    weft_context *cx = how->cx;
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    hoister h = { .cx = cx };
    weft_rewrite r = { .user = &h, .op = offered };
    weft_status st = lg_invariants_find(in, how->costs, &arena, how->collectives, &h.v);
    if (st == WEFT_OK && h.v.any) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}

weft_status weft_pass_hoist_loop_invariants(weft_pass *p, const weft_module *in, weft_module **out) {
    hoisting h = { p->cx, &weft_pass_machine(p)->costs, weft_pass_flag(p, "collectives", false) };
    return weft_pass_rounds(in, out, round_out, &h);
}
