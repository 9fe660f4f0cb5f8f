/* array_spec.c: the kinds of arrays: type, mesh and sharding as texts, and the layout that follows. */
#include "capi/array_impl.h"

static void print_type(weft_buf *b, const weft_layout *l) {
    for (uint32_t d = 0; d < l->rank; d++) weft_buf_printf(b, "%lldx", (long long)l->dims[d].global);
    weft_buf_puts(b, weft_dtype_of(l->dtype)->name);
}

const weft_kind *weft_kind_of_layout(weft_client *c, const weft_layout *l, const char *mesh, const char *sharding) {
    weft_context *cx = weft_client_context(c);
    weft_front *f = weft_client_front_of(c);
    for (const weft_kind *k = f->kinds; k; k = k->next)
        if (weft_layout_equal(k->layout, l) && !strcmp(k->mesh, mesh) && !strcmp(k->sharding, sharding)) return k;
    weft_kind *k = weft_arena_new(&f->arena, weft_kind);
    weft_buf type;
    weft_buf_init(&type, &cx->alloc);
    print_type(&type, l);
    if (!k || type.failed) goto out;
    *k = (weft_kind){ .type = weft_arena_strdup(&f->arena, type.p, type.n),
                      .mesh = weft_arena_strdup(&f->arena, mesh, strlen(mesh)),
                      .sharding = weft_arena_strdup(&f->arena, sharding, strlen(sharding)),
                      .layout = weft_client_layout(c, l), .next = f->kinds };
out:
    weft_buf_free(&type);
    if (!k || !k->type || !k->mesh || !k->sharding || !k->layout) return NULL;
    f->kinds = k;
    return k;
}

static const weft_kind *kind_of_io(weft_client *c, const weft_io *io, const weft_layout *l, weft_status *st) {
    weft_context *cx = weft_client_context(c);
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    const char *mesh, *sharding;
    const weft_kind *k = NULL;
    if (weft_io_texts(&cx->scratch, io, &mesh, &sharding) == WEFT_OK) k = weft_kind_of_layout(c, l, mesh, sharding);
    weft_arena_reset(&cx->scratch, mark);
    *st = k ? WEFT_OK : weft_oom();
    return k;
}

static weft_status check_mesh(weft_source at, weft_client *c, const char *text, const weft_mesh_attr *mesh) {
    weft_context *cx = weft_client_context(c);
    int64_t devices = 1;
    for (uint32_t i = 0; i < mesh->axis_count; i++) devices *= mesh->axes[i].size; /* the reader knows that it fits */
    if (devices == weft_client_devices(c)) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                       "the mesh \"%s\" has %lld devices, the client has %lld", text, (long long)devices,
                       (long long)weft_client_devices(c));
}

/* A graph with one input of this type and sharding has read the texts, and complained of them. */
static weft_status read_texts(weft_source at, weft_client *c, weft_graph *g, const char *type, const char *mesh,
                              const char *sharding, weft_io *io) {
    weft_context *cx = weft_client_context(c);
    weft_tensor *t = weft_graph_input_at(at, g, "array", type);
    const weft_device_mesh *m = mesh && *mesh ? weft_graph_mesh_at(at, g, mesh) : NULL;
    if (m) weft_shard_at(at, g, t, m, sharding);
    weft_status st = weft_graph_status(g);
    if (st == WEFT_OK && m) st = check_mesh(at, c, mesh, m->attr);
    if (st != WEFT_OK) return st;
    bool sized = t->type->kind == WEFT_TYPE_TENSOR;
    for (uint32_t d = 0; sized && d < t->type->rank; d++) sized = t->type->dims[d] >= 0;
    if (!sized)
        return weft_report(cx, WEFT_D_usage, weft_place_of(cx, at),
                           "an array's type has a size for each dimension, not '%s'",
                           type);
    *io = (weft_io){ t->type, m ? g->inputs.v[0].sharding : NULL, NULL };
    return WEFT_OK;
}

const weft_kind *weft_kind_of_texts(weft_source at, weft_client *c, const char *type, const char *mesh,
                                    const char *sharding, weft_status *st) {
    weft_context *cx = weft_client_context(c);
    weft_mark mark = weft_arena_mark(&cx->scratch);
    const weft_kind *k = NULL;
    weft_graph *g = weft_graph_new(cx, NULL);
    weft_io io = { 0 };
    weft_layout l;
    *st = g ? read_texts(at, c, g, type, mesh, sharding, &io) : weft_oom();
    if (*st == WEFT_OK && io.sharding) {
        const weft_op *op = weft_module_symbol(g->m, WEFT_STR("mesh"));
        io.mesh = op ? weft_op_attr(op, WEFT_A_mesh) : NULL;
    }
    if (*st == WEFT_OK)
        *st = weft_io_layout(cx, &cx->scratch, &io, NULL, weft_client_devices(c), weft_place_of(cx, at), &l);
    if (*st == WEFT_OK && l.term_axis_count)
        *st = weft_report(cx, WEFT_D_unsupported, weft_place_of(cx, at),
                          "an array that is left unreduced cannot be read or written");
    if (*st == WEFT_OK) k = kind_of_io(c, &io, &l, st);
    weft_graph_free(g);
    weft_arena_reset(&cx->scratch, mark);
    return k;
}
