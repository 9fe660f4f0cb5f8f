/* calls.c: functions and their calls; see calls.h. */
#include "propagate/calls.h"

weft_name weft_func_original_name(weft_context *cx, const weft_op *f) {
    const weft_attr *a = weft_op_attr(f, WEFT_A_sdy_original_func_name);
    return a && a->kind == WEFT_ATTR_STRING ? weft_name_intern(cx, a->s) : weft_symbol_name(cx, f);
}

/* The graph. */

typedef struct grapher {
    weft_arena *arena;
    weft_call_graph *g;
    weft_symbols symbols;
    size_t call_cap, callee_cap;
} grapher;

static weft_status add_call(grapher *x, const weft_op *call) {
    weft_call_graph *g = x->g;
    const weft_attr *callee = weft_op_attr(call, WEFT_A_callee);
    const weft_op *f =
        callee && callee->kind == WEFT_ATTR_SYMBOL ? weft_symbols_find(&x->symbols, callee->names.v[0]) : NULL;
    if (!f || f->kind != WEFT_OP_func)
        return weft_report(x->symbols.cx, WEFT_D_verify, call->loc, "the function called is not there");
    if (!weft_arena_grow(x->arena, (void **)&g->calls, &x->call_cap, g->call_count + 1, sizeof *g->calls))
        return weft_oom();
    if (!weft_arena_grow(x->arena, (void **)&g->callee, &x->callee_cap, g->call_count + 1, sizeof *g->callee))
        return weft_oom();
    g->of_op[call->id] = g->call_count;
    g->calls[g->call_count] = call;
    g->callee[g->call_count++] = g->of_op[f->id];
    return WEFT_OK;
}

static const weft_op *func_of(const weft_op *op) {
    while (op && op->kind != WEFT_OP_func) op = weft_op_parent(op);
    return op;
}

/* The calls in op's regions. */
static weft_status find_calls(grapher *x, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            for (const weft_op *inner = b->first; inner && st == WEFT_OK; inner = inner->next) {
                if (inner->kind == WEFT_OP_func_call) st = add_call(x, inner);
                else if (inner->region_count) st = find_calls(x, inner);
            }
    return st;
}

static weft_status find_calls_of(grapher *x, const weft_module *in, uint32_t f, uint32_t *listed) {
    const weft_op *func = x->g->funcs[f];
    weft_status st = WEFT_OK;
    if (!weft_module_had(in, WEFT_OP_func_call)) return WEFT_OK;
    if (!in->calls_known) return find_calls(x, func);
    for (; st == WEFT_OK && *listed < in->call_count && func_of(in->calls[*listed]) == func; ++*listed)
        st = add_call(x, in->calls[*listed]);
    return st;
}

/* Depth first from root, with a stack of (function, next of its calls). */
static void visit(weft_call_graph *g, uint32_t root, bool *seen, uint32_t *stack, uint32_t *next) {
    uint32_t depth = 0;
    seen[root] = true;
    stack[depth] = root;
    next[depth++] = g->first_call[root];
    while (depth) {
        uint32_t f = stack[depth - 1], call = next[depth - 1]++;
        if (call == g->first_call[f + 1]) {
            g->order[g->order_count++] = f;
            depth--;
        } else if (!seen[g->callee[call]]) {
            uint32_t callee = g->callee[call];
            seen[callee] = true;
            stack[depth] = callee;
            next[depth++] = g->first_call[callee];
        }
    }
}

static weft_status sort_graph(weft_arena *arena, weft_call_graph *g) {
    bool *seen = weft_arena_array(arena, bool, g->func_count);
    uint32_t *stack = weft_arena_array(arena, uint32_t, g->func_count),
             *next = weft_arena_array(arena, uint32_t, g->func_count);
    g->order = weft_arena_array(arena, uint32_t, g->func_count);
    if (!seen || !stack || !next || !g->order) return weft_oom();
    for (uint32_t f = 0; f < g->func_count; f++) seen[f] = !weft_op_body(g->funcs[f], 0);
    for (uint32_t f = 0; f < g->func_count; f++)
        if (!seen[f]) visit(g, f, seen, stack, next);
    for (uint32_t i = 0; i < g->order_count / 2; i++) {
        uint32_t f = g->order[i];
        g->order[i] = g->order[g->order_count - 1 - i];
        g->order[g->order_count - 1 - i] = f;
    }
    return WEFT_OK;
}

/* The order in which MLIR finds the uses of symbols in a function: the ops of a region before those of any nested
 * region, and of pending regions the last one found first. The aggressive strategy uses it to break ties between
 * callers. Source: MLIR, mlir/lib/IR/SymbolTable.cpp, walkSymbolTable. */
static weft_status order_uses(weft_arena *arena, const weft_call_graph *g, const weft_op *f, uint32_t *out,
                              uint32_t *n) {
    const weft_region **left = NULL;
    size_t cap = 0, count = 0;
    for (const weft_op *op = f; op;) {
        if (op->kind == WEFT_OP_func_call) out[(*n)++] = g->of_op[op->id];
        if (!weft_arena_grow(arena, (void **)&left, &cap, count + op->region_count, sizeof *left)) return weft_oom();
        for (uint32_t r = 0; r < op->region_count; r++) left[count++] = &op->regions[r];
        op = op == f ? NULL : op->next;
        while (!op && count) {
            const weft_block *b = left[--count]->first;
            op = b ? b->first : NULL;
        }
    }
    return WEFT_OK;
}

/* Whether all calls of function f are in its own body: then MLIR's order is the program's. */
static bool calls_in_body(const weft_call_graph *g, uint32_t f) {
    for (uint32_t i = g->first_call[f]; i < g->first_call[f + 1]; i++)
        if (weft_op_parent(g->calls[i]) != g->funcs[f] || g->funcs[f]->regions[0].first->next) return false;
    return true;
}

static weft_status list_callers(weft_arena *arena, weft_call_graph *g) {
    uint32_t total = 0, n = 0;
    uint32_t *uses = weft_arena_array(arena, uint32_t, g->call_count);
    if (!uses) return weft_oom();
    for (uint32_t f = 0; f < g->func_count; f++) {
        if (calls_in_body(g, f)) {
            for (uint32_t i = g->first_call[f]; i < g->first_call[f + 1]; i++) uses[n++] = i;
            continue;
        }
        weft_status st = order_uses(arena, g, g->funcs[f], uses, &n);
        if (st != WEFT_OK) return st;
    }
    g->first_caller = weft_arena_array(arena, uint32_t, g->func_count + 1);
    g->callers = weft_arena_array(arena, uint32_t, g->call_count);
    if (!g->first_caller || !g->callers) return weft_oom();
    for (uint32_t i = 0; i < g->call_count; i++) g->first_caller[g->callee[i]]++;
    for (uint32_t f = 0; f <= g->func_count; f++) g->first_caller[f] = total += g->first_caller[f];
    /* from ends to offsets */
    for (uint32_t i = g->call_count; i-- > 0;) g->callers[--g->first_caller[g->callee[uses[i]]]] = uses[i];
    return WEFT_OK;
}

weft_status weft_call_graph_build(const weft_module *in, weft_arena *arena, weft_call_graph *out) {
    grapher x = { .arena = arena, .g = out };
    uint32_t n = 0, listed = 0;
    *out = (weft_call_graph){ 0 };
    weft_status st = weft_symbols_open(in, arena, &x.symbols);
    WEFT_EACH_OP(op, weft_module_body(in)) out->func_count += op->kind == WEFT_OP_func;
    out->funcs = weft_arena_array(arena, const weft_op *, out->func_count);
    out->of_op = weft_arena_array(arena, uint32_t, in->op_count);
    out->first_call = weft_arena_array(arena, uint32_t, out->func_count + 1);
    if (!out->funcs || !out->of_op || !out->first_call) st = weft_oom();
    if (st != WEFT_OK) return st;
    WEFT_EACH_OP(op, weft_module_body(in)) {
        if (op->kind != WEFT_OP_func) continue;
        out->of_op[op->id] = n;
        out->funcs[n++] = op;
    }
    for (uint32_t f = 0; st == WEFT_OK && f < n; f++) {
        out->first_call[f] = out->call_count;
        st = find_calls_of(&x, in, f, &listed);
    }
    out->first_call[n] = out->call_count;
    if (st == WEFT_OK) st = list_callers(arena, out);
    return st == WEFT_OK ? sort_graph(arena, out) : st;
}

/* Shardings of a function's arguments and results. */

weft_status weft_func_shardings(weft_shardings *t, const weft_op *f, weft_func_side side, const weft_sharding **of,
                                bool *any) {
    const weft_type *type = weft_func_type(f);
    uint32_t from = side == WEFT_FUNC_ARGS ? 0 : type->input_count,
             to = side == WEFT_FUNC_ARGS ? type->input_count : type->part_count;
    const weft_mesh *mesh = NULL;
    *any = false;
    for (uint32_t i = 0; i < to - from; i++) {
        const weft_attr *a = side == WEFT_FUNC_ARGS ? weft_func_arg_attr(f, i, WEFT_A_sdy_sharding)
                                                    : weft_func_result_attr(f, i, WEFT_A_sdy_sharding);
        of[i] = NULL;
        weft_status st = a ? weft_sharding_from_attr(t, a, f->loc, &of[i]) : WEFT_OK;
        if (st != WEFT_OK) return st;
        if (!mesh && of[i] && !weft_mesh_is_maximal(of[i]->mesh)) mesh = of[i]->mesh;
    }
    if (!mesh) return WEFT_OK;
    *any = true;
    for (uint32_t i = 0; i < to - from; i++) {
        const weft_type *part = type->parts[from + i];
        if (!of[i] && !(of[i] = weft_sharding_empty(t, mesh, weft_type_is_tensor(part) ? part->rank : 0, WEFT_OPEN)))
            return weft_oom();
    }
    return WEFT_OK;
}

weft_status weft_main_or_only_func(const weft_module *in, const weft_op **out) {
    const weft_op *only = NULL;
    uint32_t n = 0;
    WEFT_EACH_OP(op, weft_module_body(in)) {
        if (op->kind != WEFT_OP_func) continue;
        n++;
        if (!only || weft_str_is(weft_op_symbol(op, WEFT_A_sym_name), "main")) only = op;
    }
    *out = only;
    if (n == 1 || (only && weft_str_is(weft_op_symbol(only, WEFT_A_sym_name), "main"))) return WEFT_OK;
    *out = weft_module_main(in);
    return *out ? WEFT_OK : weft_report(in->cx, WEFT_D_unsupported, in->root->loc, "there is no function @main");
}
