/* layers.c: equal layers after one another, by a scan or one by one; see weft/parameters.h. */
#include <stdio.h>

#include "capi/graph_impl.h"

typedef struct layers {
    int64_t count;
    size_t n;
    weft_body *body;
    void *user;
} layers;

/* x is the carried values and the layer's number, as the user's body has them. */
static void one_layer(weft_graph *g, weft_tensor *const *x, weft_tensor **y, void *user) {
    const layers *l = user;
    const weft_graph_stack *outer = g->stack, here = { l->count, x[l->n], outer };
    g->stack = &here;
    l->body(g, x, y, l->user);
    g->stack = outer;
}

static bool may_begin(weft_source at, weft_graph *g, const char *name, int64_t count, weft_tensor *const *init,
                      size_t n, weft_body *body, weft_tensor **out) {
    if (weft_graph_begin_to(g, at, "layers", out, n) && weft_graph_owns(g, "layers", init, n)) {
        if (count < 1) weft_graph_fail(g, WEFT_D_usage, "'layers' has %lld layers", (long long)count);
        else if (!name || !*name) weft_graph_fail(g, WEFT_D_usage, "'layers' needs a name");
        else if (!body) weft_graph_fail(g, WEFT_D_usage, "'layers' has no body: it is NULL");
        else return true;
    }
    weft_graph_results(NULL, out, n);
    return false;
}

void weft_layers_at(weft_source at, weft_graph *g, const char *name, int64_t count, weft_tensor *const *init, size_t n,
                    weft_body *body, void *user, weft_tensor **out) {
    if (!may_begin(at, g, name, count, init, n, body, out)) return;
    layers l = { count, n, body, user };
    const weft_graph_scope *outer = g->scope;
    weft_graph_push_at(at, g, name);
    weft_graph_scan_at(at, g, count, init, n, NULL, 0, 0, one_layer, &l, out);
    g->scope = outer;
}

/* Layer i, from x[0..n) to y[0..n); false with the failure kept. */
static bool unrolled(weft_source at, weft_graph *g, const char *name, int64_t i, const layers *l, weft_tensor **x,
                     weft_tensor **y) {
    char number[32];
    const weft_graph_scope *outer = g->scope;
    const weft_type *i64 = weft_type_tensor(g->cx, WEFT_I64, 0, NULL);
    x[l->n] = i64 ? weft_build_integer(&g->b, i64, i) : NULL;
    if (!x[l->n]) return weft_graph_keep(g, weft_oom()) != NULL;
    snprintf(number, sizeof number, "%lld", (long long)i);
    weft_graph_push_at(at, g, name);
    weft_graph_push_at(at, g, number);
    const weft_graph_scope *mine = g->scope;
    for (size_t k = 0; k < l->n; k++) y[k] = NULL;
    l->body(g, x, y, l->user);
    if (!weft_graph_begin(g, at)) return false;
    if (g->scope != mine)
        weft_graph_fail(g, WEFT_D_usage, "the body left a scope open, or closed one that it did not open");
    g->scope = outer;
    for (size_t k = 0; k < l->n && g->b.status == WEFT_OK; k++)
        if (!y[k]) weft_graph_fail(g, WEFT_D_usage, "the body did not set result %zu of %zu", k, l->n);
    return g->b.status == WEFT_OK && weft_graph_owns(g, "layers", y, l->n);
}

void weft_layers_unrolled_at(weft_source at, weft_graph *g, const char *name, int64_t count, weft_tensor *const *init,
                             size_t n, weft_body *body, void *user, weft_tensor **out) {
    if (!may_begin(at, g, name, count, init, n, body, out)) return;
    const layers l = { count, n, body, user };
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_tensor **x = weft_scratch_array(g->cx, weft_tensor *, n + 1);
    weft_tensor **y = weft_scratch_array(g->cx, weft_tensor *, n);
    bool ok = x && y;
    if (!ok) weft_graph_keep(g, weft_oom());
    for (size_t k = 0; k < n && ok; k++) x[k] = init[k];
    for (int64_t i = 0; i < count && ok; i++) {
        ok = unrolled(at, g, name, i, &l, x, y);
        for (size_t k = 0; k < n && ok; k++) x[k] = y[k];
    }
    for (size_t k = 0; k < n; k++) out[k] = ok ? x[k] : NULL;
    weft_arena_reset(&g->cx->scratch, mark);
}
