/* read.c: a graph from StableHLO text, and the names of its inputs and outputs. */
#include "capi/graph_impl.h"
#include "mlir/read.h"
#include "pipeline/pipeline.h"

static weft_status read_inputs(weft_graph *g, const char *const *names) {
    const weft_block *body = weft_op_body(g->func, 0);
    size_t n = body->arg_count;
    g->inputs = (weft_graph_ports){ .v = weft_arena_array(&g->m->arena, weft_graph_port, n), .cap = n };
    if (!g->inputs.v) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        const weft_attr *alias = weft_func_arg_attr(g->func, i, WEFT_A_tf_aliasing_output);
        weft_graph_port *p = &g->inputs.v[g->inputs.n++];
        *p = (weft_graph_port){ .name = weft_name_from(g->cx, names[i]), .value = body->args[i],
                                .loc = weft_value_loc(body->args[i]), .update = -1 };
        if (!p->name) return weft_oom();
        if (alias && alias->kind == WEFT_ATTR_INT && alias->i >= 0 && alias->i < (int64_t)g->outputs.n)
            p->update = alias->i;
    }
    return WEFT_OK;
}

static weft_status read_outputs(weft_graph *g, const char *const *names) {
    const weft_op *ret = weft_block_terminator(weft_op_body(g->func, 0));
    size_t n = ret->operand_count;
    g->outputs = (weft_graph_ports){ .v = weft_arena_array(&g->m->arena, weft_graph_port, n), .cap = n };
    if (!g->outputs.v) return weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        const weft_name name = weft_name_from(g->cx, names[i]);
        if (!name) return weft_oom();
        g->outputs.v[g->outputs.n++] =
            (weft_graph_port){ .name = name, .value = ret->operands[i], .loc = ret->loc, .update = -1 };
    }
    return WEFT_OK;
}

static weft_status read_ports(weft_graph *g) {
    weft_arena arena;
    weft_port_names names;
    weft_arena_init(&arena, &g->cx->alloc);
    weft_status st = weft_module_port_names(g->m, &arena, &names);
    if (st == WEFT_OK) st = read_outputs(g, names.results);
    if (st == WEFT_OK) st = read_inputs(g, names.args);
    weft_arena_free(&arena);
    return st;
}

/* The graph of module m, which it owns from here on, also after a failure. */
static weft_status from_module(weft_context *cx, weft_module *m, weft_graph **out) {
    weft_graph *g = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *g);
    if (!g) {
        weft_module_free(m);
        return weft_oom();
    }
    *g = (weft_graph){ .cx = cx, .m = m, .finished = true };
    weft_builder_init(&g->b, g->m, NULL);
    g->func = weft_module_main(g->m);
    weft_status st = WEFT_OK;
    if (!g->func || !weft_op_body(g->func, 0))
        st = weft_report(cx, WEFT_D_verify, g->m->root->loc, "the module has no function @main");
    if (st == WEFT_OK) st = read_ports(g);
    if (st == WEFT_OK) *out = g;
    else weft_graph_free(g);
    return st;
}

static weft_status no_place(weft_context *cx) {
    return weft_report(cx, WEFT_D_usage, NULL, "the graph has no output pointer: out is NULL");
}

weft_status(weft_graph_read)(weft_context *cx, const char *path, weft_graph **out) {
    if (!out) return no_place(cx);
    *out = NULL;
    if (!path) return weft_report(cx, WEFT_D_usage, NULL, "the path of a program is NULL");
    weft_module *m;
    weft_status st = weft_read_file(cx, path, 0, &m);
    return st == WEFT_OK ? from_module(cx, m, out) : st;
}

weft_status weft_graph_read_at(weft_source at, weft_context *cx, const char *path, weft_graph **out) {
    const weft_call call = weft_call_begin(cx, at);
    return weft_call_end(call, (weft_graph_read)(cx, path, out));
}

weft_status(weft_graph_read_text)(weft_context *cx, const char *name, const char *text, size_t bytes,
                                  weft_graph **out) {
    if (!out) return no_place(cx);
    *out = NULL;
    if (bytes && !text) return weft_report(cx, WEFT_D_usage, NULL, "the text of a program is NULL");
    weft_module *m;
    weft_status st = weft_read_text(cx, (weft_str){ text ? text : "", bytes }, name ? name : "text", 0, &m);
    return st == WEFT_OK ? from_module(cx, m, out) : st;
}

weft_status weft_graph_read_text_at(weft_source at, weft_context *cx, const char *name, const char *text, size_t bytes,
                                    weft_graph **out) {
    const weft_call call = weft_call_begin(cx, at);
    return weft_call_end(call, (weft_graph_read_text)(cx, name, text, bytes, out));
}

static weft_tensor *get_port(const weft_graph_ports *ports, size_t i, const char **name) {
    if (i >= ports->n) return NULL;
    if (name) *name = ports->v[i].name->text;
    return ports->v[i].value;
}

weft_tensor *weft_graph_get_input(const weft_graph *g, size_t i, const char **name) {
    return g ? get_port(&g->inputs, i, name) : NULL;
}
weft_tensor *weft_graph_get_output(const weft_graph *g, size_t i, const char **name) {
    return g ? get_port(&g->outputs, i, name) : NULL;
}
