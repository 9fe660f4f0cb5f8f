/* graph.c: a graph's life: inputs, outputs, updates, and the finished module. */
#include <stdio.h>

#include "capi/graph_impl.h"
#include "mlir/print.h"

weft_graph *weft_graph_new(weft_context *cx, const char *name) {
    weft_graph *g = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *g);
    if (!g) return NULL;
    *g = (weft_graph){ .cx = cx, .m = weft_module_new(cx) };
    if (!g->m) goto fail;
    if (name && weft_op_set(g->m, g->m->root, WEFT_A_sym_name, weft_attr_string(cx, weft_str_from(name))) != WEFT_OK)
        goto fail;

    weft_builder top;
    weft_builder_init(&top, g->m, weft_module_body(g->m));
    const weft_type *none = weft_type_function(cx, NULL, 0, NULL, 0);
    if (!none) goto fail;
    weft_named_attr attrs[] = {
        { weft_name_from(cx, weft_attr_names[WEFT_A_sym_name]), weft_attr_string(cx, WEFT_STR("main")) },
        { weft_name_from(cx, weft_attr_names[WEFT_A_function_type]), weft_attr_type(cx, none) },
        { weft_name_from(cx, weft_attr_names[WEFT_A_sym_visibility]), weft_attr_string(cx, WEFT_STR("public")) },
    };
    for (size_t i = 0; i < WEFT_COUNT(attrs); i++)
        if (!attrs[i].name || !attrs[i].value) goto fail;
    g->func =
        weft_build_op(&top,
                      &(weft_op_spec){
                          .kind = WEFT_OP_func, .attrs = attrs, .attr_count = WEFT_COUNT(attrs), .region_count = 1 });
    weft_block *body = g->func ? weft_build_block(&top, &g->func->regions[0]) : NULL;
    if (!body) goto fail;
    weft_builder_init(&g->b, g->m, body);
    g->main.block = body;
    g->open = &g->main;
    return g;
fail:
    weft_graph_free(g);
    return NULL;
}

void weft_graph_free(weft_graph *g) {
    if (!g) return;
    weft_module_free(g->m);
    g->cx->alloc.resize(g->cx->alloc.user, g, sizeof *g, 0);
}

weft_status weft_graph_status(const weft_graph *g) { return g ? g->b.status : WEFT_ERR_USAGE; }

const char *weft_tensor_dtype(const weft_tensor *t) { return t ? weft_dtype_of(t->type->dtype)->name : ""; }
size_t weft_tensor_rank(const weft_tensor *t) { return t ? t->type->rank : 0; }
int64_t weft_tensor_dim(const weft_tensor *t, size_t i) { return i < weft_tensor_rank(t) ? t->type->dims[i] : 0; }

/* ---- inputs and outputs ---- */

static bool port_known(const weft_graph_ports *ports, weft_name name) {
    size_t probe = 0;
    for (const void *n; (n = weft_table_next(&ports->names, name->hash, &probe));)
        if (n == name) return true;
    return false;
}

/* A port of a name that is not in the list yet, or NULL with the failure kept. */
static weft_graph_port *port_add(weft_graph *g, weft_graph_ports *ports, const char *what, const char *name) {
    if (!name || !*name) return (void)weft_graph_fail(g, WEFT_D_usage, "an %s needs a name", what), NULL;
    weft_name n = weft_name_from(g->cx, name);
    if (!n) return (void)weft_graph_keep(g, weft_oom()), NULL;
    if (port_known(ports, n))
        return (void)weft_graph_fail(g, WEFT_D_usage, "there is an %s '%s' already", what, name), NULL;
    const bool room = ports->n < ports->cap ||
                      weft_arena_grow(&g->m->arena, (void **)&ports->v, &ports->cap, ports->n + 1, sizeof *ports->v);
    if (!room || !weft_table_add(&ports->names, &g->m->arena, n->hash, n))
        return (void)weft_graph_keep(g, weft_oom()), NULL;
    weft_graph_port *p = &ports->v[ports->n];
    *p = (weft_graph_port){ .name = n, .loc = g->b.loc, .update = -1 };
    return p;
}

weft_graph_port *weft_graph_add_input(weft_graph *g, const char *name, const weft_type *type) {
    weft_graph_port *p = port_add(g, &g->inputs, "input", name);
    if (!p) return NULL;
    p->value = weft_build_block_arg(&g->b, g->main.block, type, g->b.loc);
    if (!p->value) return (void)weft_graph_keep(g, weft_oom()), NULL;
    p->value->hint = p->name;
    g->inputs.n++;
    return p;
}

weft_tensor *weft_graph_input_at(weft_source at, weft_graph *g, const char *name, const char *type) {
    if (!weft_graph_begin(g, at) || !weft_graph_at_main(g, "input")) return NULL;
    const weft_type *t = weft_graph_any_type(g, weft_str_from(type ? type : ""));
    weft_graph_port *p = t ? weft_graph_add_input(g, name, t) : NULL;
    return p ? p->value : NULL;
}

/* Where sharding is NULL and weft_shard gave t one: t's constraint alone would leave the result's sharding open. */
void weft_graph_add_output(weft_graph *g, const char *name, weft_tensor *t, const weft_attr *sharding) {
    weft_graph_port *p = port_add(g, &g->outputs, "output", name);
    if (!p) return;
    if (!sharding && t->def && t->def->kind == WEFT_OP_sdy_sharding_constraint)
        sharding = weft_op_attr(t->def, WEFT_A_sharding);
    p->value = t;
    p->sharding = sharding;
    g->outputs.n++;
}

void weft_graph_output_at(weft_source at, weft_graph *g, const char *name, weft_tensor *t) {
    if (weft_graph_begin(g, at) && weft_graph_at_main(g, "output") && weft_graph_owns(g, "output", &t, 1))
        weft_graph_add_output(g, name, t, NULL);
}

void weft_graph_output_sharded_at(weft_source at, weft_graph *g, const char *name, weft_tensor *t,
                                  const weft_device_mesh *mesh, const char *text) {
    if (!weft_graph_begin(g, at) || !weft_graph_at_main(g, "output") || !weft_graph_owns(g, "output", &t, 1)) return;
    const weft_attr *sharding = weft_graph_sharding(g, mesh, t->type->rank, weft_str_from(text ? text : ""));
    if (sharding) weft_graph_add_output(g, name, t, sharding);
}

void weft_graph_update_at(weft_source at, weft_graph *g, weft_tensor *input, weft_tensor *next) {
    if (!weft_graph_begin(g, at) || !weft_graph_at_main(g, "update") ||
        !weft_graph_owns(g, "update", (weft_tensor *const[]){ input, next }, 2)) return;
    if (input->def) {
        weft_graph_fail(g, WEFT_D_usage, "only an input can be updated");
        return;
    }
    weft_graph_port *in = &g->inputs.v[input->index];
    if (in->update >= 0) {
        weft_graph_fail(g, WEFT_D_usage, "input '%s' has an update already", in->name->text);
        return;
    }
    if (input->type != next->type) {
        weft_graph_fail(g, WEFT_D_verify, "the update of '%s' must have the type of the input", in->name->text);
        return;
    }
    weft_graph_port *p = port_add(g, &g->outputs, "output", in->name->text);
    if (!p) return;
    p->value = next;
    in->update = (int64_t)g->outputs.n++;
}

/* ---- the finished module ---- */

/* One dictionary per port, for arg_attrs and res_attrs. */
static const weft_attr *port_attrs(weft_graph *g, const weft_graph_port *p, bool is_input) {
    weft_context *cx = g->cx;
    weft_named_attr v[2];
    uint32_t n = 0;
    if (p->sharding)
        v[n++] = (weft_named_attr){ weft_name_from(cx, weft_attr_names[WEFT_A_sdy_sharding]), p->sharding };
    if (is_input && p->update >= 0) {
        const weft_type *i32 = weft_type_scalar(cx, WEFT_I32);
        v[n++] = (weft_named_attr){ weft_name_from(cx, weft_attr_names[WEFT_A_tf_aliasing_output]),
                                    i32 ? weft_attr_int(cx, p->update, i32) : NULL };
    }
    if (!is_input)
        v[n++] = (weft_named_attr){ weft_name_from(cx, weft_attr_names[WEFT_A_jax_result_info]),
                                    weft_attr_string(cx, weft_name_str(p->name)) };
    for (uint32_t i = 0; i < n; i++)
        if (!v[i].name || !v[i].value) return NULL;
    return weft_attr_dict(cx, v, n);
}

static weft_status set_port_attrs(weft_graph *g, const weft_graph_ports *ports, weft_attr_name name) {
    const weft_attr **v = weft_arena_array(&g->m->arena, const weft_attr *, ports->n);
    if (!v) return weft_oom();
    for (size_t i = 0; i < ports->n; i++)
        if (!(v[i] = port_attrs(g, &ports->v[i], ports == &g->inputs))) return weft_oom();
    const weft_attr *all = weft_attr_array(g->cx, v, (uint32_t)ports->n);
    return all ? weft_op_set(g->m, g->func, name, all) : weft_oom();
}

/* An updated input keeps its sharding: its new value is requested in it. */
static void share_update_shardings(weft_graph *g) {
    for (size_t i = 0; i < g->inputs.n; i++)
        if (g->inputs.v[i].update >= 0) g->outputs.v[g->inputs.v[i].update].sharding = g->inputs.v[i].sharding;
}

static weft_status write_signature(weft_graph *g) {
    weft_arena *a = &g->m->arena;
    const weft_type **in = weft_arena_array(a, const weft_type *, g->inputs.n);
    const weft_type **out = weft_arena_array(a, const weft_type *, g->outputs.n);
    weft_value **results = weft_arena_array(a, weft_value *, g->outputs.n);
    if (!in || !out || !results) return weft_oom();
    for (size_t i = 0; i < g->inputs.n; i++) in[i] = g->inputs.v[i].value->type;
    for (size_t i = 0; i < g->outputs.n; i++) {
        results[i] = g->outputs.v[i].value;
        out[i] = results[i]->type;
    }
    const weft_type *f = weft_type_function(g->cx, in, (uint32_t)g->inputs.n, out, (uint32_t)g->outputs.n);
    const weft_attr *type = f ? weft_attr_type(g->cx, f) : NULL;
    if (!type) return weft_oom();
    weft_status st = weft_op_set(g->m, g->func, WEFT_A_function_type, type);
    if (st == WEFT_OK) st = set_port_attrs(g, &g->inputs, WEFT_A_arg_attrs);
    if (st == WEFT_OK) st = set_port_attrs(g, &g->outputs, WEFT_A_res_attrs);
    if (st != WEFT_OK) return st;
    weft_build_op(&g->b, &(weft_op_spec){ .kind = WEFT_OP_func_return, .operands = results,
                                          .operand_count = (uint32_t)g->outputs.n });
    return g->b.status;
}

weft_status weft_graph_finish(weft_graph *g) {
    if (g->b.status != WEFT_OK || g->finished) return g->b.status;
    if (g->open != &g->main) {
        weft_graph_fail(g, WEFT_D_usage, "the graph cannot be finished inside a body");
        return g->b.status;
    }
    weft_graph_check_sequences(g);
    if (g->b.status != WEFT_OK) return g->b.status;
    weft_graph_share_shardings(g);
    share_update_shardings(g);
    weft_status st = write_signature(g);
    if (st == WEFT_OK) st = weft_verify_module(g->cx, g->m);
    weft_graph_keep(g, st);
    g->finished = true;
    return st;
}

weft_status(weft_graph_text)(weft_graph *g, char **text) {
    if (!g) return WEFT_ERR_USAGE;
    if (!text) return weft_report(g->cx, WEFT_D_usage, NULL, "the graph's text has no output pointer: text is NULL");
    weft_status st = weft_graph_finish(g);
    if (st != WEFT_OK) return st;
    weft_buf b;
    weft_buf_init(&b, &g->cx->alloc);
    st = weft_print_module(g->m, WEFT_PRINT_HINTS, &b);
    if (st == WEFT_OK && b.failed) st = weft_oom();
    /* The caller's block has exactly its text's length, so that weft_text_free knows its size. */
    char *p = st == WEFT_OK ? g->cx->alloc.resize(g->cx->alloc.user, NULL, 0, b.n + 1) : NULL;
    if (p) {
        memcpy(p, b.p ? b.p : "", b.n + 1);
        *text = p;
    } else if (st == WEFT_OK) {
        st = weft_oom();
    }
    weft_buf_free(&b);
    return st;
}

weft_status weft_graph_text_at(weft_source at, weft_graph *g, char **text) {
    const weft_call call = weft_call_begin(g ? g->cx : NULL, at);
    return weft_call_end(call, (weft_graph_text)(g, text));
}

void weft_text_free(weft_context *cx, char *text) {
    if (text) cx->alloc.resize(cx->alloc.user, text, strlen(text) + 1, 0);
}
