/* function.c: functions of a graph, calls of them, and scopes. */
#include "capi/graph_impl.h"

struct weft_function {
    weft_name name;
    weft_graph *graph;
    size_t args, results;
};

/* ---- functions ---- */

/* name, or name_1, name_2 ... : the first that no symbol has. */
static weft_name free_name(weft_graph *g, const char *name) {
    weft_name n = weft_name_from(g->cx, name);
    weft_buf b;
    weft_buf_init(&b, &g->cx->alloc);
    for (uint32_t i = 1; n && weft_module_symbol(g->m, weft_name_str(n)); i++) {
        b.n = 0;
        weft_buf_printf(&b, "%s_%u", name, i);
        n = b.failed ? NULL : weft_name_intern(g->cx, (weft_str){ b.p, b.n });
    }
    weft_buf_free(&b);
    if (!n) weft_graph_keep(g, weft_oom());
    return n;
}

static weft_op *make_function(weft_graph *g, weft_name name, weft_op *shell, const weft_type *const *args, size_t n) {
    size_t results;
    weft_value *const *y = weft_graph_yields(shell, 0, &results);
    const weft_type **types = weft_scratch_array(g->cx, const weft_type *, results);
    if (!types) return (void)weft_graph_keep(g, weft_oom()), NULL;
    for (size_t i = 0; i < results; i++) types[i] = y[i]->type;
    const weft_type *f = weft_type_function(g->cx, args, (uint32_t)n, types, (uint32_t)results);
    const weft_attr_pair attrs[] = {
        { WEFT_A_sym_name, weft_attr_string(g->cx, weft_name_str(name)) },
        { WEFT_A_function_type, f ? weft_attr_type(g->cx, f) : NULL },
        { WEFT_A_sym_visibility, weft_attr_string(g->cx, WEFT_STR("private")) },
    };
    return weft_graph_build_shell(g, shell, NULL, 0, attrs, WEFT_COUNT(attrs), NULL, 0);
}

static weft_function *build(weft_graph *g, const char *name, const weft_tensor *const *like, size_t n,
                            weft_graph_body body) {
    const weft_type **args = weft_scratch_array(g->cx, const weft_type *, n);
    weft_function *f = weft_arena_new(&g->m->arena, weft_function);
    weft_op *shell = args && f ? weft_graph_shell(g, WEFT_OP_func, 1) : NULL;
    if (!shell) return (void)weft_graph_keep(g, weft_oom()), NULL;
    for (size_t i = 0; i < n; i++) args[i] = like[i]->type;
    body.args = args;
    body.arg_count = n;
    if (!weft_graph_fill_region(g, shell, 0, &body)) return NULL;
    weft_name free = free_name(g, name); /* after the body, which may have made functions too */
    if (!free || !make_function(g, free, shell, args, n)) return NULL;
    *f = (weft_function){ free, g, n, body.result_count };
    return f;
}

weft_function *weft_graph_function_at(weft_source at, weft_graph *g, const char *name, const weft_tensor *const *like,
                                      size_t n, size_t results, weft_body *body, void *user) {
    if (!weft_graph_begin(g, at)) return NULL;
    if (!name || !*name) return (void)weft_graph_fail(g, WEFT_D_usage, "a function needs a name"), NULL;
    if (n && !like)
        return (void)weft_graph_fail(g, WEFT_D_usage, "the list of arguments of function '%s' is NULL", name), NULL;
    for (size_t i = 0; i < n; i++)
        if (!like[i])
            return (void)weft_graph_fail(g, WEFT_D_usage, "argument %zu of function '%s' is NULL", i, name), NULL;
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    const weft_builder outer = g->b;
    g->b.block = weft_module_body(g->m);
    g->b.before = NULL;
    weft_function *f = build(g, name, like, n, (weft_graph_body){ .fn = body, .user = user, .result_count = results });
    const weft_status st = g->b.status;
    g->b = outer;
    g->b.status = st;
    weft_arena_reset(&g->cx->scratch, mark);
    return f;
}

void weft_graph_call_at(weft_source at, weft_graph *g, const weft_function *f, weft_tensor *const *x, size_t n,
                        weft_tensor **out, size_t results) {
    if (!weft_graph_begin_to(g, at, "call", out, results) || !weft_graph_owns(g, "call", x, n)) {
        weft_graph_results(NULL, out, results);
        return;
    }
    if (!f || f->graph != g) {
        weft_graph_fail(g, WEFT_D_usage, "the function is NULL or of another graph");
        weft_graph_results(NULL, out, results);
        return;
    }
    if (n != f->args || results != f->results) {
        weft_graph_fail(g, WEFT_D_usage, "function '%s' has %zu arguments and %zu results, not %zu and %zu",
                        f->name->text, f->args, f->results, n, results);
        weft_graph_results(NULL, out, results);
        return;
    }
    const weft_op *func = weft_module_symbol(g->m, weft_name_str(f->name));
    const weft_type *type = weft_func_type(func);
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    const weft_type **types = weft_scratch_array(g->cx, const weft_type *, results);
    for (size_t i = 0; types && i < results; i++) types[i] = type->parts[type->input_count + i];
    const weft_attr_pair callee = { WEFT_A_callee, weft_attr_symbol(g->cx, f->name) };
    weft_op *op = types ? weft_graph_build(g, WEFT_OP_func_call, x, n, &callee, 1, types, results) : NULL;
    if (!types) weft_graph_keep(g, weft_oom());
    weft_graph_results(op, out, results);
    weft_arena_reset(&g->cx->scratch, mark);
}

/* ---- scopes ---- */

void weft_graph_push_at(weft_source at, weft_graph *g, const char *name) {
    if (!weft_graph_begin(g, at)) return;
    if (!name || !*name) {
        weft_graph_fail(g, WEFT_D_usage, "a scope needs a name");
        return;
    }
    weft_buf b;
    weft_buf_init(&b, &g->cx->alloc);
    weft_buf_printf(&b, "%s%s%s", g->scope ? g->scope->path->text : "", g->scope ? "/" : "", name);
    weft_name path = b.failed ? NULL : weft_name_intern(g->cx, (weft_str){ b.p, b.n });
    weft_buf_free(&b);
    weft_graph_scope *s = path ? weft_arena_new(&g->m->arena, weft_graph_scope) : NULL;
    if (!s) {
        weft_graph_keep(g, weft_oom());
        return;
    }
    *s = (weft_graph_scope){ path, g->scope };
    g->scope = s;
}

void weft_graph_pop_at(weft_source at, weft_graph *g) {
    if (!weft_graph_begin(g, at)) return;
    if (!g->scope) weft_graph_fail(g, WEFT_D_usage, "no scope is open");
    else g->scope = g->scope->outer;
}
