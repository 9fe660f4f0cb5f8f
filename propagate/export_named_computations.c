/* sdy-export-named-computations: makes each sdy.named_computation a call of a new private function of its name, or its
 * name and a number if that is taken, at the end of the module; inner computations come before outer ones. The function
 * keeps the name as sdy.original_func_name. The shardings of the computations' data-flow edges move to the function's
 * arguments and to the call, and the edges are removed. Needs: nothing. Leaves: no sdy.named_computation;
 * results of the functions without shardings (propagate_to_func_results.c). Source: Shardy, docs/sdy_export_passes.md.
 */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/data_flow.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

typedef struct exporter {
    weft_context *cx;
    weft_arena arena;
    weft_shardings *t;
    weft_uses uses;
    weft_symbols symbols;
    const weft_op **computations;  /* inner ones first */
    size_t count, cap;
    weft_name *name;               /* by op id: of the function made */
    bool *inside;                  /* by op id: an edge of a computation, or its body's terminator */
} exporter;

static bool is_named(const weft_op *op) { return op && op->kind == WEFT_OP_sdy_named_computation; }

/* Determined before anything moves: in a function an argument belongs to no edge. */
static bool is_inside(const weft_op *op) {
    if (op->kind == WEFT_OP_sdy_return) return is_named(weft_op_parent(op));
    return op->kind == WEFT_OP_sdy_data_flow_edge && is_named(weft_flow_op(op->operands[0]));
}

static weft_status find_computations(exporter *x, const weft_op *op) {
    weft_status st = WEFT_OK;
    x->inside[op->id] = is_inside(op);
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (const weft_op *inner = b->first; inner && st == WEFT_OK; inner = inner->next)
                st = find_computations(x, inner);
    if (st != WEFT_OK || op->kind != WEFT_OP_sdy_named_computation) return st;
    if (!weft_arena_grow(&x->arena, (void **)&x->computations, &x->cap, x->count + 1, sizeof *x->computations))
        return weft_oom();
    x->computations[x->count++] = op;
    weft_name name = weft_name_intern(x->cx, weft_op_symbol(op, WEFT_A_name));
    x->name[op->id] = name ? weft_symbols_add(&x->symbols, name) : NULL;
    return x->name[op->id] ? WEFT_OK : weft_oom();
}

/* The shardings of edges, else those of the computation's own attribute; NULL: neither. */
static weft_status border(const exporter *x, const weft_op *op, const weft_value *const *owners, uint32_t n,
                          weft_attr_name own, const weft_attr **out) {
    weft_mark mark = weft_arena_mark(&x->cx->scratch);
    const weft_sharding **of = weft_scratch_array(x->cx, const weft_sharding *, n);
    const weft_attr **items = weft_scratch_array(x->cx, const weft_attr *, n);
    bool any = false;
    weft_status st = of && items ? weft_edge_shardings(x->t, &x->uses, owners, n, of, &any) : weft_oom();
    *out = weft_op_attr(op, own);
    for (uint32_t i = 0; st == WEFT_OK && any && i < n; i++)
        if (!(items[i] = weft_sharding_to_attr(x->t, of[i]))) st = weft_oom();
    if (st == WEFT_OK && any &&
        !(*out = weft_attr_copy(x->cx, &(weft_attr){ .kind = WEFT_ATTR_SHARDINGS, .items = { items, n } })))
        st = weft_oom();
    weft_arena_reset(&x->cx->scratch, mark);
    return st;
}

/* The call has all attributes of the computation that are not about its body. */
static weft_status call_attrs(const exporter *x, weft_module *m, const weft_op *op, weft_op *call) {
    const weft_value **owners = weft_scratch_array(x->cx, const weft_value *, op->result_count);
    const weft_attr *shardings = NULL, *callee = weft_attr_symbol(x->cx, x->name[op->id]);
    for (uint32_t i = 0; owners && i < op->result_count; i++) owners[i] = &op->results[i];
    weft_status st = owners && callee ? weft_op_set(m, call, WEFT_A_callee, callee) : weft_oom();
    if (st == WEFT_OK) st = border(x, op, owners, op->result_count, WEFT_A_out_shardings, &shardings);
    for (uint32_t i = 0; st == WEFT_OK && i < op->attr_count; i++) {
        uint32_t id = op->attrs[i].name->id;
        bool own = id < WEFT_A_COUNT &&
                   (id == WEFT_A_execution_thread || weft_op_kind_has_attr(WEFT_OP_sdy_named_computation, id));
        if (!own) st = weft_op_set_attr(m, call, op->attrs[i].name, op->attrs[i].value);
    }
    return st == WEFT_OK && shardings ? weft_op_set(m, call, WEFT_A_sdy_sharding, shardings) : st;
}

static weft_status export_call(weft_copy *c, const weft_op *op) {
    const exporter *x = c->user;
    weft_op *call = weft_copy_as(c, op, WEFT_OP_func_call, 0);
    weft_mark mark = weft_arena_mark(&x->cx->scratch);
    weft_status st = call ? call_attrs(x, c->out, op, call) : c->b.status;
    weft_arena_reset(&x->cx->scratch, mark);
    return st;
}

static weft_status export_op(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const exporter *x = c->user;
    if (!is_named(op) && !x->inside[op->id]) return WEFT_OK;
    *answer = WEFT_COPY_DONE;
    if (is_named(op)) return export_call(c, op);
    if (op->kind == WEFT_OP_sdy_return) return weft_copy_as(c, op, WEFT_OP_func_return, 0) ? WEFT_OK : c->b.status;
    weft_copy_map(c, &op->results[0], weft_copy_of(c, op->operands[0]));
    return WEFT_OK;
}

static weft_status func_attrs(const exporter *x, weft_module *m, const weft_op *op, weft_op *f) {
    const weft_block *body = weft_op_body(op, 0);
    uint32_t n_in = body->arg_count;
    const weft_type **in = weft_scratch_array(x->cx, const weft_type *, n_in),
                    **out = weft_scratch_array(x->cx, const weft_type *, op->result_count);
    const weft_attr **dicts = weft_scratch_array(x->cx, const weft_attr *, n_in), *shardings = NULL, *all = NULL;
    if (!in || !out || !dicts) return weft_oom();
    for (uint32_t i = 0; i < n_in; i++) in[i] = body->args[i]->type;
    for (uint32_t i = 0; i < op->result_count; i++) out[i] = op->results[i].type;
    const weft_type *type = weft_type_function(x->cx, in, n_in, out, op->result_count);
    const weft_attr_pair own[] = { { WEFT_A_sym_name, weft_attr_string(x->cx, weft_name_str(x->name[op->id])) },
                                   { WEFT_A_function_type, type ? weft_attr_type(x->cx, type) : NULL },
                                   { WEFT_A_sym_visibility, weft_attr_string(x->cx, WEFT_STR("private")) },
                                   { WEFT_A_sdy_original_func_name, weft_op_attr(op, WEFT_A_name) } };
    weft_status st = border(x, op, (const weft_value *const *)body->args, n_in, WEFT_A_in_shardings, &shardings);
    for (size_t i = 0; st == WEFT_OK && i < WEFT_COUNT(own); i++)
        st = own[i].value ? weft_op_set(m, f, own[i].name, own[i].value) : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && shardings && i < n_in; i++) {
        weft_named_attr entry = { weft_name_at(x->cx, WEFT_A_sdy_sharding), shardings->items.v[i] };
        if (!(dicts[i] = weft_attr_dict(x->cx, &entry, 1))) st = weft_oom();
    }
    if (st == WEFT_OK && shardings && n_in)
        st = (all = weft_attr_array(x->cx, dicts, n_in)) ? weft_op_set(m, f, WEFT_A_arg_attrs, all) : weft_oom();
    const weft_attr *thread = weft_op_attr(op, WEFT_A_execution_thread);
    return st == WEFT_OK && thread ? weft_op_set(m, f, WEFT_A_execution_thread, thread) : st;
}

static weft_status append_funcs(weft_copy *c, const weft_op *op, weft_op *copy) {
    const exporter *x = c->user;
    weft_status st = WEFT_OK;
    (void)copy;
    for (size_t i = 0; op == c->in->root && st == WEFT_OK && i < x->count; i++) {
        c->b.loc = x->computations[i]->loc;
        weft_op *f = weft_build_op(&c->b, &(weft_op_spec){ .kind = WEFT_OP_func, .region_count = 1 });
        weft_mark mark = weft_arena_mark(&x->cx->scratch);
        st = f ? func_attrs(x, c->out, x->computations[i], f) : weft_oom();
        weft_arena_reset(&x->cx->scratch, mark);
        if (st == WEFT_OK) st = weft_copy_take_regions(c, x->computations[i], f);
    }
    return st;
}

weft_status weft_pass_export_named_computations(weft_pass *p, const weft_module *in, weft_module **out) {
    exporter x = { .cx = p->cx };
    if (!weft_module_has_kind(in, WEFT_OP_sdy_named_computation)) return WEFT_OK;
    weft_arena_init(&x.arena, &p->cx->chunks);
    x.name = weft_arena_array(&x.arena, weft_name, in->op_count);
    x.inside = weft_arena_array(&x.arena, bool, in->op_count);
    weft_status st = x.name && x.inside ? weft_symbols_open(in, &x.arena, &x.symbols) : weft_oom();
    if (st == WEFT_OK) st = find_computations(&x, in->root);
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &x.arena, &x.t);
    if (st == WEFT_OK) st = weft_uses_build(in, &x.arena, &x.uses);
    if (st == WEFT_OK)
        st = weft_edit_module(p, in, &(weft_copy_hooks){ .visit = export_op, .after = append_funcs }, &x, out);
    weft_arena_free(&x.arena);
    return st;
}
