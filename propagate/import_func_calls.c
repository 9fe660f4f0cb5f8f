/* sdy-import-func-calls: makes each func.call an sdy.named_computation with the body of its function, so that
 * propagation sees through it; called functions are removed. With add-data-flow-edges-on-named-computations, the
 * default, computations get their edges too. Calls of declarations stay. Needs: nothing; a function called
 * more than once is copied, with a warning. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/data_flow.h"
#include "propagate/propagate.h"
#include "propagate/readers.h"

typedef struct importer {
    weft_arena arena;
    weft_call_graph graph;
    weft_shardings *t;
    weft_readers readers;
    bool *called;              /* by function */
    uint32_t depth;            /* of nested calls */
    bool copies;               /* some function is called twice */
} importer;

/* The second call of a function has to copy it. */
static weft_status note_calls(importer *x, weft_context *cx) {
    const weft_call_graph *g = &x->graph;
    weft_status st = WEFT_OK;
    for (uint32_t k = g->order_count; st == WEFT_OK && k-- > 0;) {
        for (uint32_t i = g->first_call[g->order[k]]; st == WEFT_OK && i < g->first_call[g->order[k] + 1]; i++) {
            uint32_t f = g->callee[i];
            if (!weft_op_body(g->funcs[f], 0)) continue;
            x->copies |= x->called[f];
            if (x->called[f])
                st = weft_report_once(
                    cx, WEFT_D_clone, g->calls[i]->loc,
                    "function @%.*s has multiple call ops, we need to clone the function body for each call",
                    WEFT_STR_ARG(weft_op_symbol(g->funcs[f], WEFT_A_sym_name)));
            x->called[f] = true;
        }
    }
    return st;
}

/* The new op reads op's operands, and then readers of op read the new op. */
static weft_status take_readers(importer *x, weft_module *m, const weft_op *op, weft_op *made) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < made->operand_count; i++)
        st = weft_op_read_since(m, made, i, ++x->readers.turns);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_readers_hand_over(&x->readers, &op->results[i], NULL);
    return st;
}

/* Name and shardings of the computation, then the call's other attributes. */
static weft_status import_attrs(const importer *x, weft_module *m, const weft_op *call, const weft_op *f,
                                weft_op *made) {
    weft_context *cx = m->cx;
    weft_name original = weft_func_original_name(cx, f);
    const weft_attr *name = original ? weft_attr_string(cx, weft_name_str(original)) : NULL,
                    *out = weft_op_attr(call, WEFT_A_sdy_sharding);
    const weft_attr *thread = weft_op_attr(f, WEFT_A_execution_thread);
    uint32_t n = weft_func_type(f)->input_count;
    const weft_sharding **in = weft_scratch_array(cx, const weft_sharding *, n);
    bool any;
    weft_status st = name && in ? weft_op_set(m, made, WEFT_A_name, name) : weft_oom();
    if (st == WEFT_OK) st = weft_func_shardings(x->t, f, WEFT_FUNC_ARGS, in, &any);
    if (st == WEFT_OK && any) st = weft_op_set_shardings_attr(x->t, m, made, WEFT_A_in_shardings, in, n);
    if (st == WEFT_OK && out && out->kind == WEFT_ATTR_SHARDINGS) st = weft_op_set(m, made, WEFT_A_out_shardings, out);
    for (uint32_t i = 0; st == WEFT_OK && i < call->attr_count; i++) {
        uint32_t id = call->attrs[i].name->id;
        bool own = id < WEFT_A_COUNT && (id == WEFT_A_sdy_sharding || weft_op_kind_has_attr(WEFT_OP_func_call, id));
        if (!own) st = weft_op_set_attr(m, made, call->attrs[i].name, call->attrs[i].value);
    }
    return st == WEFT_OK && thread ? weft_op_set(m, made, WEFT_A_execution_thread, thread) : st;
}

static weft_status import_call(weft_copy *c, const weft_op *call, const weft_op *f) {
    importer *x = c->user;
    weft_context *cx = c->b.m->cx;
    weft_op *made = weft_copy_as(c, call, WEFT_OP_sdy_named_computation, 1);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = made ? import_attrs(x, c->out, call, f, made) : c->b.status;
    weft_arena_reset(&cx->scratch, mark);
    if (st == WEFT_OK) st = take_readers(x, c->out, call, made);
    x->depth++;
    if (st == WEFT_OK) st = weft_copy_take_regions(c, f, made);
    x->depth--;
    return st;
}

static weft_status import_op(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    importer *x = c->user;
    *answer = WEFT_COPY_DONE;
    if (op->kind == WEFT_OP_func && x->called[x->graph.of_op[op->id]]) return WEFT_OK;
    if (op->kind == WEFT_OP_func_call) {
        const weft_op *f = x->graph.funcs[x->graph.callee[x->graph.of_op[op->id]]];
        if (weft_op_body(f, 0)) return import_call(c, op, f);
    }
    if (x->depth && op->kind == WEFT_OP_func_return) {
        weft_op *made = weft_copy_as(c, op, WEFT_OP_sdy_return, 0);
        return made ? take_readers(x, c->out, op, made) : c->b.status;
    }
    *answer = WEFT_COPY_AS_IS;
    return WEFT_OK;
}

static weft_status after_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    return weft_readers_write(&((const importer *)c->user)->readers, op, c->out, copy);
}

static bool is_named(const weft_op *op) { return op->kind == WEFT_OP_sdy_named_computation; }

weft_status weft_pass_import_func_calls(weft_pass *p, const weft_module *in, weft_module **out) {
    importer x = { .depth = 0 };
    weft_module *imported = NULL;
    bool edges = weft_pass_flag(p, "add-data-flow-edges-on-named-computations", true);
    if (!weft_module_has_kind(in, WEFT_OP_func_call))
        return edges ? weft_add_data_flow_edges(p, in, is_named, out) : WEFT_OK;
    weft_arena_init(&x.arena, &p->cx->chunks);
    weft_status st = weft_call_graph_build(in, &x.arena, &x.graph);
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &x.arena, &x.t);
    x.called = weft_arena_array(&x.arena, bool, x.graph.func_count);
    if (st == WEFT_OK) st = x.called ? note_calls(&x, p->cx) : weft_oom();
    const weft_pass *editor = x.copies ? NULL : p;
    if (st == WEFT_OK) st = weft_readers_open(in, weft_edited(editor, in), &x.arena, &x.readers);
    if (st == WEFT_OK)
        st = weft_edit_module(editor, in, &(weft_copy_hooks){ .visit = import_op, .after = after_op }, &x, &imported);
    weft_arena_free(&x.arena);
    if (st != WEFT_OK) return st;
    if (edges)
        st = weft_add_data_flow_edges(&(weft_pass){ .cx = p->cx, .name = p->name, .own = imported }, imported, is_named,
                                      out);
    if (st == WEFT_OK && !*out) *out = imported;
    if (st != WEFT_OK && imported != p->own) weft_module_free(imported);
    return st;
}
