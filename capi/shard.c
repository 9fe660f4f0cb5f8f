/* shard.c: meshes, shardings and constraints of a graph; sharding/spelling.h reads their text. */
#include "capi/graph_impl.h"
#include "sharding/spelling.h"

/* ---- meshes ---- */

/* "mesh", "mesh_1", ... */
static weft_name mesh_name(weft_graph *g) {
    weft_buf b;
    weft_buf_init(&b, &g->cx->alloc);
    weft_buf_puts(&b, "mesh");
    if (g->mesh_count) weft_buf_printf(&b, "_%u", g->mesh_count);
    weft_name name = b.failed ? NULL : weft_name_intern(g->cx, (weft_str){ b.p, b.n });
    weft_buf_free(&b);
    return name;
}

weft_status weft_graph_add_mesh(weft_graph *g, weft_name name, const weft_attr *attr) {
    const weft_named_attr attrs[] = {
        { weft_name_from(g->cx, weft_attr_names[WEFT_A_sym_name]), weft_attr_string(g->cx, weft_name_str(name)) },
        { weft_name_from(g->cx, weft_attr_names[WEFT_A_mesh]), attr },
    };
    if (!attrs[0].name || !attrs[0].value || !attrs[1].name) return weft_oom();
    weft_builder top;
    weft_builder_init(&top, g->m, weft_module_body(g->m));
    top.before = g->func;
    top.loc = g->b.loc;
    weft_op *op =
        weft_build_op(&top,
                      &(weft_op_spec){ .kind = WEFT_OP_sdy_mesh, .attrs = attrs, .attr_count = WEFT_COUNT(attrs) });
    return op ? weft_verify_op(g->cx, op) : top.status;
}

const weft_device_mesh *weft_graph_mesh_at(weft_source at, weft_graph *g, const char *axes) {
    if (!weft_graph_begin(g, at)) return NULL;
    const weft_attr *attr = NULL;
    weft_status st = weft_mesh_spelled(g->cx, g->b.loc, weft_str_from(axes ? axes : ""), &attr);
    if (st != WEFT_OK) return weft_graph_keep(g, st), NULL;
    weft_device_mesh *mesh = weft_arena_new(&g->m->arena, weft_device_mesh);
    weft_name name = mesh_name(g);
    st = mesh && name ? weft_graph_add_mesh(g, name, attr) : weft_oom();
    if (st != WEFT_OK) return weft_graph_keep(g, st), NULL;
    g->mesh_count++;
    *mesh = (weft_device_mesh){ name, &attr->mesh, g };
    return mesh;
}

/* ---- shardings ---- */

const weft_attr *weft_graph_sharding(weft_graph *g, const weft_device_mesh *mesh, uint32_t rank, weft_str text) {
    if (!mesh || mesh->graph != g)
        return (void)weft_graph_fail(g, WEFT_D_usage, "the mesh is NULL or of another graph"), NULL;
    const weft_attr *ref = weft_attr_symbol(g->cx, mesh->name), *made = NULL;
    const weft_status st =
        ref ? weft_sharding_spelled(g->cx, g->b.loc, ref, mesh->attr, rank, text, &made) : weft_oom();
    if (st != WEFT_OK) return weft_graph_keep(g, st), NULL;
    return made;
}

weft_tensor *weft_shard_at(weft_source at, weft_graph *g, weft_tensor *t, const weft_device_mesh *mesh,
                           const char *text) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "shard", &t, 1)) return NULL;
    const weft_attr *sharding = weft_graph_sharding(g, mesh, t->type->rank, weft_str_from(text ? text : ""));
    if (!sharding) return NULL;
    if (t->def || t->block != g->main.block)
        return weft_graph_build_1(g, WEFT_OP_sdy_sharding_constraint, &t, 1,
                                  (weft_attr_pair[]){ { WEFT_A_sharding, sharding } }, 1, NULL);
    weft_graph_port *in = &g->inputs.v[t->index];
    if (in->sharding) return weft_graph_fail(g, WEFT_D_usage, "input '%s' is annotated already", in->name->text);
    in->sharding = sharding;
    return t;
}
