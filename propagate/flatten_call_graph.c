/* sdy-flatten-call-graph: each function is called once. From its second call on a function is copied, and all that it calls
 * with it; copies stand at the end of the module and remember the name of what they copy as sdy.original_func_name.
 * Needs: nothing. Leaves: one call per function. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/calls.h"
#include "propagate/copy.h"
#include "propagate/propagate.h"

typedef struct instance {      /* a function of the new module */
    uint32_t func;             /* what it is a copy of */
    weft_name name;
    uint32_t *callee;          /* by call of func: the instance called */
} instance;

typedef struct flattener {
    weft_context *cx;
    weft_arena arena;
    weft_call_graph graph;
    weft_symbols symbols;
    instance *instances;       /* the module's own functions first */
    size_t count, cap;
    uint32_t *appended;        /* copies in the order in which they come into the module */
    size_t appended_count, appended_cap;
    const instance *making;    /* while copying: the instance under work and its next call */
    uint32_t next_call;
} flattener;

static uint32_t calls_of(const flattener *x, uint32_t func) { return x->graph.first_call[func + 1] - x->graph.first_call[func]; }

static weft_status add_instance(flattener *x, uint32_t func, weft_name name, uint32_t *out) {
    if (!weft_arena_grow(&x->arena, (void **)&x->instances, &x->cap, x->count + 1, sizeof *x->instances)) return weft_oom();
    uint32_t *callee = weft_arena_array(&x->arena, uint32_t, calls_of(x, func));
    if (!callee) return weft_oom();
    *out = (uint32_t)x->count;
    x->instances[x->count++] = (instance){ func, name, callee };
    return WEFT_OK;
}

/* A copy of an instance and, before it in the module, of all that it calls. */
static weft_status copy_instance(flattener *x, uint32_t from, uint32_t *out) {
    uint32_t func = x->instances[from].func, to;
    weft_status st = add_instance(x, func, NULL, &to);
    for (uint32_t i = 0; st == WEFT_OK && i < calls_of(x, func); i++) {
        uint32_t callee = 0;
        st = copy_instance(x, x->instances[from].callee[i], &callee);
        x->instances[to].callee[i] = callee;
    }
    if (st != WEFT_OK) return st;
    weft_name name = x->instances[from].name ? x->instances[from].name : weft_symbol_name(x->cx, x->graph.funcs[func]);
    if (!name || !(x->instances[to].name = weft_symbols_add(&x->symbols, name))) return weft_oom();
    if (!weft_arena_grow(&x->arena, (void **)&x->appended, &x->appended_cap, x->appended_count + 1, sizeof *x->appended)) return weft_oom();
    x->appended[x->appended_count++] = to;
    *out = to;
    return WEFT_OK;
}

/* Callees first, so that what is copied is flat already. */
static weft_status flatten(flattener *x) {
    const weft_call_graph *g = &x->graph;
    bool *called = weft_arena_array(&x->arena, bool, g->func_count);
    weft_status st = called ? WEFT_OK : weft_oom();
    for (uint32_t f = 0, made; st == WEFT_OK && f < g->func_count; f++) {
        st = add_instance(x, f, NULL, &made);
        for (uint32_t i = 0; st == WEFT_OK && i < calls_of(x, f); i++) x->instances[made].callee[i] = g->callee[g->first_call[f] + i];
    }
    for (uint32_t k = g->order_count; st == WEFT_OK && k-- > 0;) {
        uint32_t f = g->order[k];
        for (uint32_t i = 0; st == WEFT_OK && i < calls_of(x, f); i++) {
            uint32_t callee = g->callee[g->first_call[f] + i], copy = callee;
            if (called[callee]) st = copy_instance(x, callee, &copy);
            called[callee] = true;
            x->instances[f].callee[i] = copy;
        }
    }
    return st;
}

static weft_status enter_func(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    flattener *x = c->user;
    (void)answer;
    if (op->kind != WEFT_OP_func) return WEFT_OK;
    x->making = &x->instances[x->graph.of_op[op->id]];
    x->next_call = 0;
    return WEFT_OK;
}

static weft_status retarget_call(flattener *x, weft_module *m, weft_op *call) {
    const instance *callee = &x->instances[x->making->callee[x->next_call++]];
    if (!callee->name) return WEFT_OK;
    const weft_attr *a = weft_attr_symbol(x->cx, callee->name);
    return a ? weft_op_set(m, call, WEFT_A_callee, a) : weft_oom();
}

static weft_status rename_copy(flattener *x, weft_module *m, weft_op *f) {
    weft_name original = weft_func_original_name(x->cx, f);
    const weft_attr *was = original ? weft_attr_string(x->cx, weft_name_str(original)) : NULL;
    const weft_attr *is = weft_attr_string(x->cx, weft_name_str(x->making->name));
    weft_status st = was && is ? weft_op_set(m, f, WEFT_A_sdy_original_func_name, was) : weft_oom();
    return st == WEFT_OK ? weft_op_set(m, f, WEFT_A_sym_name, is) : st;
}

static weft_status append_copies(flattener *x, weft_copy *c) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < x->appended_count; i++) {
        x->making = &x->instances[x->appended[i]];
        x->next_call = 0;
        weft_op *copy = weft_copy_op(c, x->graph.funcs[x->making->func]);
        st = copy ? rename_copy(x, c->out, copy) : c->b.status;
    }
    return st;
}

static weft_status after_op(weft_copy *c, const weft_op *op, weft_op *copy) {
    flattener *x = c->user;
    if (op->kind == WEFT_OP_func_call) return retarget_call(x, c->out, copy);
    return op == c->in->root ? append_copies(x, c) : WEFT_OK;
}

weft_status weft_pass_flatten_call_graph(weft_pass *p, const weft_module *in, weft_module **out) {
    flattener x = { .cx = p->cx };
    weft_arena_init(&x.arena, &p->cx->chunks);
    weft_status st = weft_call_graph_build(in, &x.arena, &x.graph);
    if (st == WEFT_OK) st = weft_symbols_open(in, &x.arena, &x.symbols);
    if (st == WEFT_OK) st = flatten(&x);
    if (st == WEFT_OK && x.appended_count) st = weft_copy_module(in, &(weft_copy_hooks){ .visit = enter_func, .after = after_op }, &x, out);
    weft_arena_free(&x.arena);
    return st;
}
