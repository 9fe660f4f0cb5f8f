/* inline: replaces every func.call by the body of its function.
 *
 * Needs: functions that do not call themselves. Leaves: a module without func.call; called private functions are
 * removed, all other symbols stay. An op from a callee has the location "callee called from caller". Source: MLIR's
 * pass of this name; func dialect, func.call.
 */
#include "ir/builder.h"
#include "ir/pass.h"
#include "ir/symbols.h"

#define MAX_DEPTH 256 /* nested calls: more means a function that calls itself */

weft_status weft_pass_inline(weft_pass *p, const weft_module *in, weft_module **out);

typedef struct inliner {
    weft_context *cx;
    const weft_module *in;
    weft_symbol_table symbols;
    weft_map map;
    bool *called;            /* by id of the func.func op */
    const weft_loc *caller;  /* NULL in the function itself */
    int depth;
} inliner;

static void copy_ops(inliner *n, weft_builder *b, const weft_block *blk);

static weft_value *mapped(const inliner *n, const weft_value *v) { return n->map.to[v->id]; }

static void copy_call(inliner *n, weft_builder *b, const weft_op *call) {
    const weft_op *f = weft_symbol_table_find(&n->symbols, weft_op_symbol(call, WEFT_A_callee));
    const weft_block *body = f && f->kind == WEFT_OP_func ? weft_op_body(f, 0) : NULL;
    if (!body || body->arg_count != call->operand_count ||
        weft_block_terminator(body)->operand_count != call->result_count) {
        b->status =
            weft_report(n->cx, WEFT_D_verify, call->loc, "the function called does not exist here or has another type");
        return;
    }
    if (n->depth == MAX_DEPTH) {
        b->status =
            weft_report(n->cx, WEFT_D_unsupported, call->loc, "functions that call themselves cannot be inlined");
        return;
    }
    const weft_loc *outer = n->caller;
    n->called[f->id] = true;
    n->caller = outer ? weft_loc_call(n->cx, call->loc, outer) : call->loc;
    n->depth++;
    for (uint32_t i = 0; i < body->arg_count; i++) n->map.to[body->args[i]->id] = mapped(n, call->operands[i]);
    copy_ops(n, b, body);
    if (b->status == WEFT_OK)
        for (uint32_t i = 0; i < call->result_count; i++)
            n->map.to[call->results[i].id] = mapped(n, weft_block_terminator(body)->operands[i]);
    n->depth--;
    n->caller = outer;
}

static void copy_region(inliner *n, weft_builder *b, const weft_region *from, weft_region *to) {
    WEFT_EACH_BLOCK(blk, from) {
        weft_block *copy = weft_build_block(b, to);
        for (uint32_t i = 0; copy && i < blk->arg_count; i++) {
            weft_value *arg = weft_build_block_arg(b, copy, blk->args[i]->type, blk->args[i]->loc);
            if (arg) arg->hint = blk->args[i]->hint;
            n->map.to[blk->args[i]->id] = arg;
        }
        weft_builder inner = *b;
        inner.block = copy;
        inner.before = NULL;
        copy_ops(n, &inner, blk);
        b->status = inner.status;
    }
}

static void copy_op(inliner *n, weft_builder *b, const weft_op *op) {
    weft_op *copy = weft_clone_shell(b, op, &n->map, NULL);
    if (!copy) return;
    if (n->caller) copy->loc = weft_loc_call(n->cx, op->loc, n->caller);
    if (!copy->loc) b->status = weft_oom();
    for (uint32_t i = 0; b->status == WEFT_OK && i < op->region_count; i++)
        copy_region(n, b, &op->regions[i], &copy->regions[i]);
}

/* The ops of a block, except, inside a callee, its return: the caller takes the operands. */
static void copy_ops(inliner *n, weft_builder *b, const weft_block *blk) {
    WEFT_EACH_OP(op, blk) {
        if (b->status != WEFT_OK) return;
        bool returns = op == blk->last && weft_op_parent(op)->kind == WEFT_OP_func;
        if (op->kind == WEFT_OP_func_call) copy_call(n, b, op);
        else if (!returns || !n->caller) copy_op(n, b, op);
    }
}

static weft_status note_call(void *user, weft_op *op) {
    inliner *n = user;
    const weft_op *f =
        op->kind == WEFT_OP_func_call ? weft_symbol_table_find(&n->symbols, weft_op_symbol(op, WEFT_A_callee)) : NULL;
    if (f) n->called[f->id] = true;
    return WEFT_OK;
}

static weft_status copy_module(inliner *n, weft_module *m) {
    weft_builder b;
    weft_status st = weft_module_walk(n->in, note_call, n);
    weft_builder_init(&b, m, weft_module_body(m));
    m->root->loc = n->in->root->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < n->in->root->attr_count; i++)
        st = weft_op_set_attr(m, m->root, n->in->root->attrs[i].name, n->in->root->attrs[i].value);
    WEFT_EACH_OP(op, weft_module_body(n->in)) {
        if (st != WEFT_OK) break;
        bool hidden = op->kind == WEFT_OP_func && weft_str_is(weft_op_symbol(op, WEFT_A_sym_visibility), "private");
        if (!(hidden && n->called[op->id])) copy_op(n, &b, op);
        st = b.status;
    }
    return st;
}

weft_status weft_pass_inline(weft_pass *p, const weft_module *in, weft_module **out) {
    inliner n = { .cx = p->cx, .in = in };
    weft_mark mark = weft_arena_mark(&p->cx->scratch);
    weft_module *m = weft_module_new(p->cx);
    n.called = weft_scratch_array(p->cx, bool, in->op_count);
    weft_status st = m && n.called ? weft_map_init(&n.map, &p->cx->scratch, in) : weft_oom();
    if (st == WEFT_OK) st = weft_symbol_table_open(in, &p->cx->scratch, &n.symbols, NULL);
    if (st == WEFT_OK) st = copy_module(&n, m);
    weft_arena_reset(&p->cx->scratch, mark);
    if (st == WEFT_OK) *out = m;
    else weft_module_free(m);
    return st;
}
