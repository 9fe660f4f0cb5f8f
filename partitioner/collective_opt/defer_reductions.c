/* defer_reductions: a sum over devices that a loop only adds up is made once, after the loop.
 *
 * Pass weft-defer-reductions. Needs: plain StableHLO on local shapes. A loop that carries c and gives c + all_reduce(x)
 * to its next turn, and uses c for nothing else, carries the sum of its own device's x instead, from zero; after it the
 * result is the first c plus all_reduce of that sum. Gradients accumulated over micro-batches are so reduced once, not
 * in each turn. The carried value keeps its size; a reduce_scatter stays where it is, for to carry its operand costs as
 * many times the memory as there are devices. Only the order of additions changes: what an all_reduce converts (a sum
 * of bf16 as f32) stays, since the loop would add in the narrower type, and so does a sum in a type whose range is
 * small (f16, f8), since one device's sum may leave it where the terms of several cancel. bf16 has the range of f32.
 * Rounds follow until a sum has left all loops of a nest.
 */
#include "ir/rewrite.h"
#include "partitioner/lower/local.h"
#include "partitioner/partition.h"

typedef struct deferrer {
    weft_context *cx;
    uint32_t *uses;       /* by value id */
    const weft_op **sum;  /* by value id, of a loop's result: the all_reduce to be made after the loop */
    const weft_op **turn; /* by op id, of the addition in the loop: that all_reduce */
    bool *moved;          /* by op id: that all_reduce */
    bool any;
} deferrer;

/* ---- what can be ---- */

static void count_uses(deferrer *d, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) d->uses[op->operands[i]->id]++;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk) count_uses(d, inner);
}

static const weft_op *made_here(const deferrer *d, const weft_value *v, weft_op_kind kind, const weft_block *blk) {
    return v->def && v->def->kind == kind && v->def->parent == blk && d->uses[v->id] == 1 ? v->def : NULL;
}

/* Sums of many turns fit where those of one do: integers wrap round alike, and floats have the range of f32 at least.
 */
static bool has_range(weft_dtype t) {
    return !weft_dtype_is_narrow_float(t) || weft_float_format_of(t)->exponent_bits >= 8;
}

static void consider(deferrer *d, const weft_op *loop, uint32_t i) {
    const weft_block *cond = weft_op_body(loop, 0), *body = weft_op_body(loop, 1);
    const weft_value *carried = body->args[i];
    const weft_op *add = made_here(d, body->last->operands[i], WEFT_OP_add, body);
    if (!add || d->uses[carried->id] != 1 || d->uses[cond->args[i]->id] || carried->type->quant) return;
    if (add->operands[0] != carried && add->operands[1] != carried) return;
    const weft_op *reduce = made_here(d, add->operands[add->operands[0] == carried], WEFT_OP_all_reduce, body);
    if (!reduce || reduce->operand_count != 1 || weft_reducer_kind(reduce, 0) != WEFT_OP_add) return;
    if (reduce->operands[0]->type != carried->type || !has_range(carried->type->dtype)) return;
    d->sum[loop->results[i].id] = d->turn[add->id] = reduce;
    d->moved[reduce->id] = d->any = true;
}

static void find(deferrer *d, const weft_op *op) {
    for (uint32_t i = 0; op->kind == WEFT_OP_while && i < op->result_count; i++) consider(d, op, i);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk) find(d, inner);
}

/* ---- the rewriting ---- */

/* The loop, its sums beginning at zero. */
static weft_op *shell(weft_rewrite *r, weft_builder *b, const weft_op *loop) {
    const deferrer *d = r->user;
    weft_op *made = NULL;
    const weft_mark mark = weft_arena_mark(&d->cx->scratch);
    weft_value **operands = weft_scratch_array(d->cx, weft_value *, loop->operand_count);
    const weft_type **types = weft_scratch_array(d->cx, const weft_type *, loop->result_count);
    if (!operands || !types) b->status = weft_oom();
    for (uint32_t i = 0; operands && types && i < loop->result_count; i++) {
        types[i] = loop->results[i].type;
        operands[i] = d->sum[loop->results[i].id] ? weft_build_splat(b, types[i], 0) : r->map.to[loop->operands[i]->id];
    }
    if (b->status == WEFT_OK)
        made = weft_build_op(b, &(weft_op_spec){ .kind = loop->kind, .operands = operands,
                                                 .operand_count = loop->operand_count, .types = types,
                                                 .result_count = loop->result_count, .attrs = loop->attrs,
                                                 .attr_count = loop->attr_count, .region_count = loop->region_count });
    weft_arena_reset(&d->cx->scratch, mark);
    for (uint32_t i = 0; made && i < loop->result_count; i++) {
        made->results[i].hint = loop->results[i].hint;
        r->map.to[loop->results[i].id] = &made->results[i];
    }
    return made;
}

static weft_status rewrite_loop(weft_rewrite *r, weft_builder *b, const weft_op *loop) {
    const deferrer *d = r->user;
    b->loc = loop->loc;
    weft_op *made = shell(r, b, loop);
    weft_status st = made ? weft_rewrite_regions(r, loop, made) : b->status;
    for (uint32_t i = 0; st == WEFT_OK && i < loop->result_count; i++) {
        const weft_op *reduce = d->sum[loop->results[i].id];
        if (!reduce) continue;
        r->map.to[reduce->operands[0]->id] = &made->results[i];
        b->loc = reduce->loc;
        weft_op *sum = weft_clone_op(b, reduce, &r->map);
        r->map.to[loop->results[i].id] =
            sum ? weft_build_binary(b, WEFT_OP_add, r->map.to[loop->operands[i]->id], &sum->results[0]) : NULL;
        st = b->status;
    }
    return st;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const deferrer *d = r->user;
    bool is_loop = false;
    for (uint32_t i = 0; i < op->result_count; i++) is_loop = is_loop || d->sum[op->results[i].id];
    *did = is_loop || d->moved[op->id] || d->turn[op->id] ? WEFT_DONE : WEFT_KEEP;
    if (is_loop) return rewrite_loop(r, b, op);
    if (!d->turn[op->id]) return WEFT_OK;
    weft_value *in[2];
    for (uint32_t k = 0; k < 2; k++) {
        const weft_op *def = op->operands[k]->def;
        in[k] = r->map.to[(def == d->turn[op->id] ? def->operands[0] : op->operands[k])->id];
    }
    b->loc = op->loc;
    r->map.to[op->results[0].id] = weft_build_binary(b, WEFT_OP_add, in[0], in[1]);
    return b->status;
}

/* *out stays NULL when nothing can be deferred. */
static weft_status round_out(void *user, const weft_module *in, weft_module **out) {
    weft_context *cx = user;
    weft_arena arena;
    weft_arena_init(&arena, &cx->alloc);
    deferrer d = { .cx = cx };
    weft_rewrite r = { .user = &d, .op = offered };
    d.uses = weft_arena_array(&arena, uint32_t, in->value_count);
    d.sum = weft_arena_array(&arena, const weft_op *, in->value_count);
    d.turn = weft_arena_array(&arena, const weft_op *, in->op_count);
    d.moved = weft_arena_array(&arena, bool, in->op_count);
    weft_status st = d.uses && d.sum && d.turn && d.moved ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) {
        count_uses(&d, in->root);
        find(&d, in->root);
    }
    if (st == WEFT_OK && d.any) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}

weft_status weft_pass_defer_reductions(weft_pass *p, const weft_module *in, weft_module **out) {
    return weft_pass_rounds(in, out, round_out, p->cx);
}
