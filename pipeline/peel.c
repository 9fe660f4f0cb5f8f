/* peel: a loop that stops early, and one iteration of it written out; see verify_internal.h. */
#include "ir/rewrite.h"
#include "pipeline/verify_internal.h"

typedef struct peeler {
    const weft_op *loop;
    int64_t turns;
    weft_peeled how;
    weft_op *made;
} peeler;

/* The loop's shardings and one more, for a scalar. */
static weft_status lengthen_shardings(weft_rewrite *r, weft_op *made) {
    weft_context *cx = r->out->cx;
    const weft_attr *old = weft_op_attr(made, WEFT_A_sdy_sharding);
    if (!old || old->kind != WEFT_ATTR_SHARDINGS || !old->items.n) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_attr **items = weft_scratch_array(cx, const weft_attr *, old->items.n + 1);
    const weft_attr scalar = { .kind = WEFT_ATTR_SHARDING, .sharding = { .mesh = old->items.v[0]->sharding.mesh } };
    const weft_attr *value = NULL;
    if (items) {
        memcpy(items, old->items.v, old->items.n * sizeof *items);
        items[old->items.n] = weft_attr_copy(cx, &scalar);
        const weft_attr all = { .kind = WEFT_ATTR_SHARDINGS, .items = { items, old->items.n + 1 } };
        if (items[old->items.n]) value = weft_attr_copy(cx, &all);
    }
    weft_arena_reset(&cx->scratch, mark);
    return value ? weft_op_set(r->out, made, WEFT_A_sdy_sharding, value) : weft_oom();
}

/* The loop's own region with the counter after its arguments. */
static weft_status region(peeler *p, weft_rewrite *r, weft_op *made, uint32_t w) {
    const weft_block *old = weft_op_body(p->loop, w);
    const weft_type *counter = made->results[made->result_count - 1].type;
    const uint32_t n = old->last->operand_count;
    weft_context *cx = r->out->cx;
    weft_builder b;
    weft_builder_init(&b, r->out, NULL);
    weft_block *blk = weft_build_block(&b, &made->regions[w]);
    for (uint32_t i = 0; blk && i < old->arg_count; i++)
        r->map.to[old->args[i]->id] = weft_build_block_arg(&b, blk, old->args[i]->type, old->args[i]->loc);
    weft_value *turn = blk ? weft_build_block_arg(&b, blk, counter, p->loop->loc) : NULL;
    if (!turn) return weft_oom();
    weft_builder_init(&b, r->out, blk);
    weft_status st = weft_rewrite_inline(r, &b, old);
    weft_value **ends = weft_scratch_array(cx, weft_value *, n + 1);
    if (st != WEFT_OK || !ends) return st != WEFT_OK ? st : weft_oom();
    b.loc = p->loop->loc;
    for (uint32_t i = 0; i < n; i++) ends[i] = r->map.to[old->last->operands[i]->id];
    if (w == 0) {
        weft_value *in[2] = { turn, weft_build_splat(&b, counter, (double)p->turns) };
        const weft_attr_pair less = { WEFT_A_comparison_direction, weft_attr_enum(cx, WEFT_comparison_direction_LT) };
        weft_value *more = less.value ? weft_build_1(&b, WEFT_OP_compare, ends[0]->type, in, 2, &less, 1) : NULL;
        ends[0] = weft_build_binary(&b, WEFT_OP_and, ends[0], more);
    } else ends[n] = weft_build_binary(&b, WEFT_OP_add, turn, weft_build_splat(&b, counter, 1));
    if (b.status == WEFT_OK)
        weft_build_op(&b, &(weft_op_spec){
                              .kind = (weft_op_kind)old->last->kind, .operands = ends, .operand_count = n + (w == 1) });
    return b.status;
}

static weft_status shorten(peeler *p, weft_rewrite *r, weft_builder *b) {
    const weft_op *loop = p->loop;
    const uint32_t n = loop->operand_count;
    weft_context *cx = r->out->cx;
    weft_value **in = weft_scratch_array(cx, weft_value *, n + 1);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, n + 1);
    if (!in || !types || !(types[n] = weft_type_tensor(cx, WEFT_I64, 0, NULL))) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        in[i] = r->map.to[loop->operands[i]->id];
        types[i] = loop->results[i].type;
    }
    in[n] = weft_build_splat(b, types[n], 0);
    if (b->status != WEFT_OK) return b->status;
    p->made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_while, .operands = in, .operand_count = n + 1,
                                                .types = types, .result_count = n + 1, .attrs = loop->attrs,
                                                .attr_count = loop->attr_count, .region_count = 2 });
    weft_status st = p->made ? lengthen_shardings(r, p->made) : b->status;
    for (uint32_t w = 0; w < 2 && st == WEFT_OK; w++) st = region(p, r, p->made, w);
    for (uint32_t i = 0; i < n; i++) r->map.to[loop->results[i].id] = &p->made->results[i];
    return st;
}

/* The body once more, on the results of the earlier iterations. */
static weft_status write_out(peeler *p, weft_rewrite *r, weft_builder *b) {
    const weft_block *body = weft_op_body(p->loop, 1);
    for (uint32_t i = 0; i < body->arg_count; i++) r->map.to[body->args[i]->id] = &p->made->results[i];
    weft_status st = weft_rewrite_inline(r, b, body);
    for (uint32_t i = 0; i < p->loop->result_count; i++)
        r->map.to[p->loop->results[i].id] = r->map.to[body->last->operands[i]->id];
    return st;
}

static weft_status visit(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    peeler *p = r->user;
    if (op != p->loop) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&r->out->cx->scratch);
    weft_status st = shorten(p, r, b);
    if (st == WEFT_OK && p->how == WEFT_PEEL_NEXT) st = write_out(p, r, b);
    weft_arena_reset(&r->out->cx->scratch, mark);
    *did = WEFT_DONE;
    return st;
}

weft_status weft_module_peel(const weft_module *m, const weft_op *loop, int64_t turns, weft_peeled how,
                             weft_module **out, weft_op **made) {
    peeler p = { loop, turns, how, NULL };
    weft_arena arena;
    weft_arena_init(&arena, &m->cx->chunks);
    weft_status st = weft_rewrite_module(&(weft_rewrite){ .user = &p, .op = visit }, m, &arena, out);
    weft_arena_free(&arena);
    *made = p.made;
    return st;
}
