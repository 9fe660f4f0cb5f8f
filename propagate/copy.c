/* copy.c: copies a module through a pass's hooks; see copy.h. */
#include "propagate/copy.h"

static weft_status copy_op(weft_copy *c, const weft_op *op) {
    weft_copy_answer answer = WEFT_COPY_AS_IS;
    weft_status st = c->hooks->visit ? c->hooks->visit(c, op, &answer) : WEFT_OK;
    if (st != WEFT_OK || answer == WEFT_COPY_DONE) return st;
    return weft_copy_op(c, op) ? WEFT_OK : c->b.status;
}

static weft_status copy_block(weft_copy *c, const weft_op *op, const weft_block *from, weft_region *to) {
    weft_builder outer = c->b;
    weft_block *copy = weft_build_block(&c->b, to);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; copy && i < from->arg_count; i++) {
        weft_value *arg = weft_build_block_arg(&c->b, copy, from->args[i]->type, from->args[i]->loc);
        if (arg) arg->hint = from->args[i]->hint;
        weft_copy_map(c, from->args[i], arg);
    }
    c->b.block = copy;
    c->b.before = NULL;
    if (copy && c->b.status == WEFT_OK && c->hooks->entered) st = c->hooks->entered(c, op, from, copy);
    for (const weft_op *inner = from->first; inner && st == WEFT_OK && c->b.status == WEFT_OK; inner = inner->next)
        st = copy_op(c, inner);
    if (st == WEFT_OK) st = c->b.status;
    outer.status = c->b.status;
    c->b = outer;
    return st;
}

weft_status weft_copy_regions(weft_copy *c, const weft_op *op, weft_op *to) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        for (const weft_block *b = op->regions[r].first; b && st == WEFT_OK; b = b->next)
            st = copy_block(c, op, b, &to->regions[r]);
    return st;
}

/* The op described by spec, with op's operands, as the pass chooses them, and op's results, which are mapped. */
static weft_op *build_in_place(weft_copy *c, const weft_op *op, weft_op_spec spec) {
    weft_context *cx = c->b.m->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_value **operands = weft_scratch_array(cx, weft_value *, op->operand_count);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count);
    weft_op *made = NULL;
    if (operands && types) {
        for (uint32_t i = 0; i < op->operand_count; i++)
            operands[i] = c->hooks->operand ? c->hooks->operand(c, op, i) : weft_copy_of(c, op->operands[i]);
        for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
        spec.operands = operands;
        spec.operand_count = op->operand_count;
        spec.types = types;
        spec.result_count = op->result_count;
        c->b.loc = op->loc;
        made = weft_build_op(&c->b, &spec);
    } else {
        c->b.status = weft_oom();
    }
    if (made) c->b.status = weft_op_read_as(c->out, made, op);
    for (uint32_t i = 0; made && i < op->result_count; i++) {
        made->results[i].hint = op->results[i].hint;
        weft_copy_map(c, &op->results[i], &made->results[i]);
    }
    weft_arena_reset(&cx->scratch, mark);
    return made;
}

weft_op *weft_copy_as(weft_copy *c, const weft_op *op, weft_op_kind kind, uint32_t region_count) {
    return build_in_place(c, op, (weft_op_spec){ .kind = kind, .region_count = region_count });
}

static weft_op *build_shell(weft_copy *c, const weft_op *op) {
    weft_value *few[8], **operands = few;
    weft_op *made = NULL;
    if (!c->mapped && !weft_copy_begin_map(c)) return NULL;
    if (!c->hooks->operand) return weft_clone_shell(&c->b, op, &c->map, NULL);
    weft_arena *scratch = &c->b.m->cx->scratch;
    weft_mark mark = weft_arena_mark(scratch);
    if (op->operand_count > WEFT_COUNT(few)) operands = weft_arena_array(scratch, weft_value *, op->operand_count);
    for (uint32_t i = 0; operands && i < op->operand_count; i++) operands[i] = c->hooks->operand(c, op, i);
    c->b.loc = op->loc; /* for the ops that hooks build around it */
    if (operands) made = weft_clone_shell_over(&c->b, op, &c->map, operands);
    else c->b.status = weft_oom();
    weft_arena_reset(scratch, mark);
    return made;
}

weft_op *weft_copy_op(weft_copy *c, const weft_op *op) {
    weft_op *copy = build_shell(c, op);
    weft_status st = copy ? weft_copy_regions(c, op, copy) : c->b.status;
    if (st == WEFT_OK && c->hooks->after) st = c->hooks->after(c, op, copy);
    if (st != WEFT_OK && c->b.status == WEFT_OK) c->b.status = st;
    return c->b.status == WEFT_OK ? copy : NULL;
}

weft_status weft_copy_module(const weft_module *in, const weft_copy_hooks *hooks, void *user, weft_module **out) {
    weft_arena arena;
    weft_copy c = { .in = in, .hooks = hooks, .user = user, .arena = &arena };
    weft_status st = WEFT_OK;
    weft_arena_init(&arena, &in->cx->chunks);
    c.out = weft_module_new(in->cx);
    if (!c.out) st = weft_oom();
    if (st == WEFT_OK) {
        weft_builder_init(&c.b, c.out, weft_module_body(c.out));
        if (!weft_copy_begin_map(&c)) st = c.b.status;
        c.out->root->loc = in->root->loc;
        c.out->reading = in->reading;
        for (uint32_t i = 0; st == WEFT_OK && i < in->root->attr_count; i++)
            st = weft_op_set_attr(c.out, c.out->root, in->root->attrs[i].name, in->root->attrs[i].value);
    }
    if (st == WEFT_OK && hooks->entered)
        st = hooks->entered(&c, in->root, weft_module_body(in), weft_module_body(c.out));
    for (const weft_op *op = weft_module_body(in)->first; op && st == WEFT_OK; op = op->next) st = copy_op(&c, op);
    if (st == WEFT_OK && hooks->after) st = hooks->after(&c, in->root, c.out->root);
    weft_arena_free(&arena);
    if (st == WEFT_OK) *out = c.out;
    else weft_module_free(c.out);
    return st;
}
