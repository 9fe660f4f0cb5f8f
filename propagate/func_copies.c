/* func_copies.c: copies of functions; see func_copies.h. */
#include "propagate/func_copies.h"
#include "propagate/readers.h"

static weft_status add_instance(weft_func_copies *x, uint32_t func, uint32_t call_count, uint32_t *out) {
    if (!weft_arena_grow(x->arena, (void **)&x->instances, &x->cap, x->count + 1, sizeof *x->instances))
        return weft_oom();
    uint32_t *callee = weft_arena_array(x->arena, uint32_t, call_count);
    if (!callee) return weft_oom();
    *out = (uint32_t)x->count;
    x->instances[x->count++] = (weft_func_instance){ .func = func, .callee = callee, .call_count = call_count };
    return WEFT_OK;
}

weft_status weft_func_copies_open(const weft_module *in, weft_arena *arena, weft_func_copies *out) {
    *out = (weft_func_copies){ .cx = in->cx, .arena = arena };
    const weft_call_graph *g = &out->graph;
    weft_status st = weft_call_graph_build(in, arena, &out->graph);
    if (st == WEFT_OK) st = weft_symbols_open(in, arena, &out->symbols);
    for (uint32_t f = 0, made; st == WEFT_OK && f < g->func_count; f++) {
        st = add_instance(out, f, g->first_call[f + 1] - g->first_call[f], &made);
        for (uint32_t i = g->first_call[f]; st == WEFT_OK && i < g->first_call[f + 1]; i++)
            out->instances[made].callee[i - g->first_call[f]] = g->callee[i];
    }
    return st;
}

weft_status weft_func_copies_add(weft_func_copies *x, uint32_t from, uint32_t *out) {
    uint32_t func = x->instances[from].func, call_count = x->instances[from].call_count, to;
    weft_status st = add_instance(x, func, call_count, &to);
    for (uint32_t i = 0; st == WEFT_OK && i < call_count; i++) {
        uint32_t callee = 0;
        st = weft_func_copies_add(x, x->instances[from].callee[i], &callee);
        x->instances[to].callee[i] = callee;
    }
    if (st != WEFT_OK) return st;
    weft_name name = x->instances[from].name ? x->instances[from].name : weft_symbol_name(x->cx, x->graph.funcs[func]);
    if (!name || !(x->instances[to].name = weft_symbols_add(&x->symbols, name))) return weft_oom();
    if (!weft_arena_grow(x->arena, (void **)&x->appended, &x->appended_cap, x->appended_count + 1, sizeof *x->appended))
        return weft_oom();
    x->appended[x->appended_count++] = to;
    *out = to;
    return WEFT_OK;
}

void weft_func_copies_enter(weft_func_copies *x, const weft_op *f) {
    x->making = &x->instances[x->graph.of_op[f->id]];
    x->next_call = 0;
}

weft_status weft_func_copies_retarget(weft_func_copies *x, weft_module *m, weft_op *call) {
    const weft_func_instance *callee = &x->instances[x->making->callee[x->next_call++]];
    if (!callee->name) return WEFT_OK;
    const weft_attr *a = weft_attr_symbol(x->cx, callee->name);
    return a ? weft_op_set(m, call, WEFT_A_callee, a) : weft_oom();
}

static weft_status rename_copy(weft_func_copies *x, weft_module *m, weft_op *f) {
    weft_name original = weft_func_original_name(x->cx, f);
    const weft_attr *was = original ? weft_attr_string(x->cx, weft_name_str(original)) : NULL;
    const weft_attr *is = weft_attr_string(x->cx, weft_name_str(x->making->name));
    weft_status st = was && is ? weft_op_set(m, f, WEFT_A_sdy_original_func_name, was) : weft_oom();
    return st == WEFT_OK ? weft_op_set(m, f, WEFT_A_sym_name, is) : st;
}

weft_status weft_func_copies_append(weft_func_copies *x, weft_copy *c) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < x->appended_count; i++) {
        x->making = &x->instances[x->appended[i]];
        x->next_call = 0;
        weft_op *copy = weft_copy_op(c, x->graph.funcs[x->making->func]);
        st = copy ? rename_copy(x, c->out, copy) : c->b.status;
        if (st == WEFT_OK) st = weft_readers_of_copy(c->out, copy);
    }
    return st;
}
