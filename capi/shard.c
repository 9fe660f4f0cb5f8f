/* shard.c: meshes, and the spelling of shardings: "data*model?, -, ? p1; unreduced x". */
#include "capi/graph_impl.h"

/* ---- a cursor over the spelling ---- */

typedef struct cursor {
    weft_graph *g;
    const char *p, *end;
    weft_str whole;
} cursor;

static void skip_spaces(cursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t')) c->p++;
}

static bool at_char(cursor *c, char ch) {
    skip_spaces(c);
    return c->p < c->end && *c->p == ch;
}

static bool eat(cursor *c, char ch) {
    if (!at_char(c, ch)) return false;
    c->p++;
    return true;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static weft_str word(cursor *c) {
    skip_spaces(c);
    const char *from = c->p;
    while (c->p < c->end && is_word(*c->p)) c->p++;
    return (weft_str){ from, (size_t)(c->p - from) };
}

/* -1 when there is no number or it does not fit. */
static int64_t number(weft_str s) {
    int64_t v = 0;
    if (!s.n) return -1;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9' || !weft_mul_i64(v, 10, &v) || !weft_add_i64(v, s.p[i] - '0', &v)) return -1;
    return v;
}

static void bad(cursor *c, const char *why) {
    weft_graph_fail(c->g, WEFT_D_sharding, "%s at column %d of \"%.*s\"", why, (int)(c->p - c->whole.p) + 1,
                    WEFT_STR_ARG(c->whole));
}

/* ---- meshes ---- */

static const weft_attr *mesh_parse(cursor *c) {
    weft_mesh_axis axes[64];
    uint32_t n = 0;
    int64_t devices = 1;
    do {
        weft_str name = word(c);
        if (!name.n) return bad(c, "an axis' name is missing"), NULL;
        int64_t size = eat(c, '=') ? number(word(c)) : -1;
        if (size < 1 || !weft_mul_i64(devices, size, &devices)) return bad(c, "a size above 0 is missing"), NULL;
        if (n == WEFT_COUNT(axes)) return bad(c, "more than 64 axes"), NULL;
        axes[n] = (weft_mesh_axis){ weft_name_intern(c->g->cx, name), size };
        if (!axes[n].name) return weft_graph_keep(c->g, weft_oom()), NULL;
        for (uint32_t i = 0; i < n; i++)
            if (axes[i].name == axes[n].name) return bad(c, "an axis is repeated"), NULL;
        n++;
    } while (eat(c, ','));
    skip_spaces(c);
    if (c->p != c->end) return bad(c, "expected ','"), NULL;
    const weft_attr a = { .kind = WEFT_ATTR_MESH, .mesh = { .axes = axes, .axis_count = n } };
    const weft_attr *made = weft_attr_copy(c->g->cx, &a);
    if (!made) weft_graph_keep(c->g, weft_oom());
    return made;
}

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
    weft_str text = weft_str_from(axes ? axes : "");
    cursor c = { g, text.p, text.p + text.n, text };
    const weft_attr *attr = mesh_parse(&c);
    if (!attr) return NULL;
    weft_device_mesh *mesh = weft_arena_new(&g->m->arena, weft_device_mesh);
    weft_name name = mesh_name(g);
    weft_status st = mesh && name ? weft_graph_add_mesh(g, name, attr) : weft_oom();
    if (st != WEFT_OK) return weft_graph_keep(g, st), NULL;
    g->mesh_count++;
    *mesh = (weft_device_mesh){ name, &attr->mesh, g };
    return mesh;
}

/* ---- shardings ---- */

#define MAX_AXES 256 /* in one sharding: 64 axes and their sub-axes */

typedef struct spelling {
    const weft_device_mesh *mesh;
    weft_axis_ref axes[MAX_AXES];
    uint32_t used;
} spelling;

/* "model", or "model:(1)2". */
static bool axis(cursor *c, spelling *s) {
    weft_str name = word(c);
    if (!name.n) return bad(c, "an axis' name is missing"), false;
    if (s->used == MAX_AXES) return bad(c, "too many axes"), false;
    weft_axis_ref *ref = &s->axes[s->used];
    *ref = (weft_axis_ref){ 0 };
    for (uint32_t i = 0; i < s->mesh->attr->axis_count; i++)
        if (weft_str_equal(weft_name_str(s->mesh->attr->axes[i].name), name)) ref->name = s->mesh->attr->axes[i].name;
    if (!ref->name) {
        weft_graph_fail(c->g, WEFT_D_sharding, "the mesh has no axis '%.*s'", WEFT_STR_ARG(name));
        return false;
    }
    if (eat(c, ':')) {
        ref->pre_size = eat(c, '(') ? number(word(c)) : -1;
        ref->size = eat(c, ')') ? number(word(c)) : -1;
        if (ref->pre_size < 1 || ref->size < 2) return bad(c, "a sub-axis is spelled 'axis:(pre)size'"), false;
    }
    for (uint32_t i = 0; i < s->used; i++)
        if (s->axes[i].name == ref->name && (!s->axes[i].size || !ref->size || s->axes[i].pre_size == ref->pre_size)) {
            weft_graph_fail(c->g, WEFT_D_sharding, "axis '%s' is used twice in \"%.*s\"", ref->name->text,
                            WEFT_STR_ARG(c->whole));
            return false;
        }
    s->used++;
    return true;
}

/* Axes joined by '*'. */
static bool axis_list(cursor *c, spelling *s, weft_axis_refs *out) {
    uint32_t first = s->used;
    do
        if (!axis(c, s)) return false;
    while (eat(c, '*'));
    *out = (weft_axis_refs){ s->axes + first, s->used - first };
    return true;
}

static bool dimension(cursor *c, spelling *s, weft_dim_sharding *d) {
    *d = (weft_dim_sharding){ .priority = WEFT_NO_PRIORITY };
    if (eat(c, '-')) return true;
    if (!at_char(c, '?') && !axis_list(c, s, &d->axes)) return false;
    d->open = eat(c, '?');
    if (at_char(c, 'p')) {
        c->p++;
        int64_t p = number(word(c));
        if (p < 0 || p > INT32_MAX) return bad(c, "a priority is spelled 'p' and a number"), false;
        d->priority = (int32_t)p;
    }
    return true;
}

/* "; replicated x*y; unreduced z" */
static bool extras(cursor *c, spelling *s, weft_sharding_attr *sh) {
    while (eat(c, ';')) {
        weft_str what = word(c);
        weft_axis_refs *to = weft_str_is(what, "replicated")  ? &sh->replicated
                             : weft_str_is(what, "unreduced") ? &sh->unreduced
                                                              : NULL;
        if (!to || to->n) return bad(c, "expected 'replicated' or 'unreduced', once each"), false;
        if (!axis_list(c, s, to)) return false;
    }
    skip_spaces(c);
    if (c->p != c->end) return bad(c, "expected ',' or ';'"), false;
    return true;
}

const weft_attr *weft_graph_sharding(weft_graph *g, const weft_device_mesh *mesh, uint32_t rank, weft_str text) {
    if (!mesh || mesh->graph != g)
        return (void)weft_graph_fail(g, WEFT_D_usage, "the mesh is NULL or of another graph"), NULL;
    cursor c = { g, text.p, text.p + text.n, text };
    spelling s = { .mesh = mesh };
    weft_dim_sharding dims[WEFT_MAX_RANK];
    uint32_t n = 0;
    skip_spaces(&c);
    if (c.p < c.end && *c.p != ';') {
        do {
            if (n == WEFT_MAX_RANK) return bad(&c, "too many dimensions"), NULL;
            if (!dimension(&c, &s, &dims[n++])) return NULL;
        } while (eat(&c, ','));
    }
    weft_attr a = { .kind = WEFT_ATTR_SHARDING, .sharding = { .dims = dims, .rank = n } };
    if (!extras(&c, &s, &a.sharding)) return NULL;
    if (n != rank) {
        weft_graph_fail(g, WEFT_D_sharding, "\"%.*s\" has %u dimensions, the tensor has %u", WEFT_STR_ARG(text), n,
                        rank);
        return NULL;
    }
    a.sharding.mesh = weft_attr_symbol(g->cx, mesh->name);
    const weft_attr *made = a.sharding.mesh ? weft_attr_copy(g->cx, &a) : NULL;
    if (!made) weft_graph_keep(g, weft_oom());
    return made;
}

const char *weft_sharding_spelling(weft_context *cx, weft_arena *arena, const weft_io *io) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    for (uint32_t d = 0; d < io->global->rank; d++) {
        const weft_axis_refs *axes = io->sharding ? &io->sharding->sharding.dims[d].axes : NULL;
        if (d) weft_buf_puts(&b, ", ");
        if (!axes || !axes->n) weft_buf_putc(&b, '-');
        for (uint32_t i = 0; axes && i < axes->n; i++) {
            weft_buf_printf(&b, "%s%s", i ? "*" : "", axes->v[i].name->text);
            if (axes->v[i].size)
                weft_buf_printf(&b, ":(%lld)%lld", (long long)axes->v[i].pre_size, (long long)axes->v[i].size);
        }
    }
    const char *text = b.failed ? NULL : weft_arena_strdup(arena, b.p ? b.p : "", b.n);
    weft_buf_free(&b);
    if (!text) (void)weft_report(cx, WEFT_D_system, NULL, "there is not enough memory for the text of a sharding");
    return text;
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
