/* rewrite.c: see rewrite.h. */
#include "ir/rewrite.h"

/* A copy of op without regions' contents, with the result types of r. */
static weft_op *clone_retyped(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    weft_context *cx = b->m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count);
    weft_op *made = NULL;
    for (uint32_t i = 0; types && i < op->result_count; i++) types[i] = r->type(r, &op->results[i]);
    if (types) made = weft_clone_shell(b, op, &r->map, types);
    else b->status = weft_oom();
    weft_arena_reset(&cx->scratch, mark);
    return made;
}

static weft_status clone(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    weft_op *made = r->type && op->result_count ? clone_retyped(r, b, op) : weft_clone_shell(b, op, &r->map, NULL);
    return made ? weft_rewrite_regions(r, op, made) : b->status;
}

static weft_status offer(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    weft_rewritten did = WEFT_KEEP;
    b->loc = op->loc;
    weft_status st = r->op(r, b, op, &did);
    if (st == WEFT_OK && did == WEFT_KEEP) st = clone(r, b, op);
    return st == WEFT_OK ? b->status : st;
}

weft_status weft_rewrite_block(weft_rewrite *r, const weft_block *from, weft_block *to) {
    weft_builder b;
    weft_builder_init(&b, r->out, to);
    weft_status st = r->enter ? r->enter(r, from, to) : WEFT_OK;
    const weft_op *const *ops = NULL;
    uint32_t n = 0;
    if (st == WEFT_OK && r->order) st = r->order(r, from, &ops, &n);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++) st = offer(r, &b, ops[i]);
    for (const weft_op *op = r->order ? NULL : from->first; op && st == WEFT_OK; op = op->next) st = offer(r, &b, op);
    return st;
}

weft_status weft_rewrite_regions(weft_rewrite *r, const weft_op *old, weft_op *made) {
    for (uint32_t i = 0; i < old->region_count; i++)
        WEFT_EACH_BLOCK(blk, &old->regions[i]) {
            weft_builder b;
            weft_builder_init(&b, r->out, NULL);
            weft_block *copy = weft_build_block(&b, &made->regions[i]);
            for (uint32_t k = 0; copy && k < blk->arg_count; k++) {
                const weft_type *type = r->type ? r->type(r, blk->args[k]) : blk->args[k]->type;
                weft_value *arg = type ? weft_build_block_arg(&b, copy, type, blk->args[k]->loc) : NULL;
                if (!arg) return weft_oom();
                arg->hint = blk->args[k]->hint;
                r->map.to[blk->args[k]->id] = arg;
            }
            if (!copy) return weft_oom();
            weft_status st = weft_rewrite_block(r, blk, copy);
            if (st != WEFT_OK) return st;
        }
    return WEFT_OK;
}

/* The comparator of old for other operands. */
static weft_status rewrite_comparator(weft_rewrite *r, const weft_op *old, weft_op *made, const uint32_t *from) {
    const weft_block *blk = weft_op_body(old, 0);
    weft_builder b;
    weft_builder_init(&b, r->out, NULL);
    weft_block *copy = weft_build_block(&b, &made->regions[0]);
    if (!copy) return weft_oom();
    for (uint32_t i = 0; i < 2 * made->operand_count; i++) {
        const uint32_t of = from[i / 2];
        const weft_value *arg = of == WEFT_NOT_COMPARED ? NULL : blk->args[2 * of + i % 2];
        const weft_type *type =
            arg ? arg->type
                : weft_type_tensor(r->out->cx, (weft_dtype)made->operands[i / 2]->type->dtype, 0, NULL);
        weft_value *v = type ? weft_build_block_arg(&b, copy, type, arg ? arg->loc : made->loc) : NULL;
        if (!v) return weft_oom();
        if (!arg) continue;
        v->hint = arg->hint;
        r->map.to[arg->id] = v;
    }
    return weft_rewrite_block(r, blk, copy);
}

weft_op *weft_rewrite_sort(weft_rewrite *r, weft_builder *b, const weft_op *old, weft_value *const *x,
                           const uint32_t *from, uint32_t n, const weft_named_attr *attrs, uint32_t attr_count) {
    weft_context *cx = b->m->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, n);
    weft_op *made = NULL;
    bool all = types != NULL;
    for (uint32_t i = 0; all && i < n; i++)
        if ((all = x[i] != NULL)) types[i] = x[i]->type;
    if (all)
        made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_sort, .operands = x, .operand_count = n,
                                                 .types = types, .result_count = n, .attrs = attrs,
                                                 .attr_count = attr_count, .region_count = 1 });
    else if (b->status == WEFT_OK) b->status = weft_oom();
    weft_arena_reset(&cx->scratch, mark);
    weft_status st = made ? rewrite_comparator(r, old, made, from) : b->status;
    if (st == WEFT_OK && n != old->operand_count) /* a rule speaks of old's operands */
        st = weft_op_set(b->m, made, WEFT_A_sdy_sharding_rule, NULL);
    if (st != WEFT_OK && b->status == WEFT_OK) b->status = st;
    return st == WEFT_OK ? made : NULL;
}

weft_status weft_rewrite_inline(weft_rewrite *r, weft_builder *b, const weft_block *blk) {
    weft_status st = WEFT_OK;
    for (const weft_op *op = blk->first; op != blk->last && st == WEFT_OK; op = op->next) st = offer(r, b, op);
    return st;
}

weft_status weft_rewrite_module(weft_rewrite *r, const weft_module *in, weft_arena *arena, weft_module **out) {
    r->in = in;
    r->out = weft_module_new(in->cx);
    if (!r->out) return weft_oom();
    weft_status st = weft_map_init(&r->map, arena, in);
    r->out->root->loc = in->root->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < in->root->attr_count; i++)
        st = weft_op_set_attr(r->out, r->out->root, in->root->attrs[i].name, in->root->attrs[i].value);
    if (st == WEFT_OK) st = weft_rewrite_block(r, weft_module_body(in), weft_module_body(r->out));
    if (st == WEFT_OK) *out = r->out;
    else weft_module_free(r->out);
    return st;
}
