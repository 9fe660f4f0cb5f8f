/* bodies.c: reductions, windows, sorts and scatters by callbacks. */
#include "capi/graph_impl.h"

/* The scalar types of a body that gets two of each of x[0..n): all of the first and then all of the second (apart 1),
 * or in pairs (apart n). NULL with the failure kept. */
typedef enum order { ALL_FIRST, IN_PAIRS } order;
static const weft_type **scalars(weft_graph *g, weft_tensor *const *x, size_t n, order o) {
    const weft_type **t = weft_scratch_array(g->cx, const weft_type *, 2 * n);
    for (size_t i = 0; t && i < n; i++) {
        const weft_type *s = weft_type_with_dims(g->cx, x[i]->type, 0, NULL);
        if (!s) t = NULL;
        else if (o == IN_PAIRS) t[2 * i] = t[2 * i + 1] = s;
        else t[i] = t[n + i] = s;
    }
    return t ? t : (void *)weft_graph_keep(g, weft_oom());
}

/* An op of one region over x[0..n), whose body gets two scalars of each of `of`. */
typedef struct one_body {
    weft_op_kind kind;
    order order;
    weft_tensor *const *of;          /* as many as the op has results */
    size_t n;
    weft_body *body;
    void *user;
    size_t results;                  /* of the body */
} one_body;

static void make(weft_graph *g, const one_body *m, weft_tensor *const *x, size_t n, const weft_attr_pair *attrs,
                 size_t attr_count, weft_tensor **out) {
    const weft_type **t = scalars(g, m->of, m->n, m->order);
    weft_op *shell = t ? weft_graph_shell(g, m->kind, 1) : NULL;
    const weft_graph_body body = { .fn = m->body, .user = m->user, .args = t, .arg_count = 2 * m->n,
                                   .result_count = m->results };
    const bool filled = shell && x && weft_graph_fill_region(g, shell, 0, &body);
    weft_graph_results(filled ? weft_graph_build_shell(g, shell, x, n, attrs, attr_count, NULL, m->n) : NULL, out,
        m->n);
}

/* a[0..n), b[0..m) and c[0..k) one after another, on scratch memory. */
static weft_tensor **joined(weft_graph *g, weft_tensor *const *a, size_t n, weft_tensor *const *b, size_t m,
                            weft_tensor *const *c, size_t k) {
    weft_tensor **all = weft_scratch_array(g->cx, weft_tensor *, n + m + k);
    if (!all) return (void)weft_graph_keep(g, weft_oom()), NULL;
    if (n) memcpy(all, a, n * sizeof *all);
    if (m) memcpy(all + n, b, m * sizeof *all);
    if (k) memcpy(all + n + m, c, k * sizeof *all);
    return all;
}

/* ---- reductions and sorts ---- */

void weft_graph_reduce_by_at(weft_source at, weft_graph *g, weft_tensor *const *x, weft_tensor *const *init, size_t n,
                             weft_dims dims, weft_body *body, void *user, weft_tensor **out) {
    if (!weft_graph_begin_to(g, at, "reduce_by", out, n) || !weft_graph_owns(g, "reduce_by", x, n) ||
        !weft_graph_owns(g, "reduce_by", init, n) || !weft_graph_lists(g, "reduce_by", &dims, 1)) {
        weft_graph_results(NULL, out, n);
        return;
    }
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_tensor **all = joined(g, x, n, init, n, NULL, 0);
    const one_body m = { WEFT_OP_reduce, ALL_FIRST, init, n, body, user, n };
    const weft_attr_pair attr = { WEFT_A_dimensions, weft_graph_ints(g, dims) };
    make(g, &m, all, 2 * n, &attr, 1, out);
    weft_arena_reset(&g->cx->scratch, mark);
}

void weft_graph_sort_by_at(weft_source at, weft_graph *g, weft_tensor *const *x, size_t n, int64_t dim, weft_body *body,
                           void *user, weft_tensor **out) {
    if (!weft_graph_begin_to(g, at, "sort_by", out, n) || !weft_graph_owns(g, "sort_by", x, n)) {
        weft_graph_results(NULL, out, n);
        return;
    }
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    const one_body m = { WEFT_OP_sort, IN_PAIRS, x, n, body, user, 1 };
    const weft_attr_pair attrs[] = { { WEFT_A_dimension, weft_attr_i64(g->cx, dim) },
                                     { WEFT_A_is_stable, weft_attr_bool(g->cx, true) } };
    make(g, &m, x, n, attrs, WEFT_COUNT(attrs), out);
    weft_arena_reset(&g->cx->scratch, mark);
}

/* ---- windows ---- */

const weft_attr *weft_graph_padding(weft_graph *g, const char *what, weft_dims low, weft_dims high, size_t rank) {
    if ((low.n && low.n != rank) || (high.n && high.n != rank))
        return (void)weft_graph_fail(g, WEFT_D_usage, "'%s' has %zu and %zu numbers of padding for %zu dimensions",
            what,
                                     low.n, high.n, rank), NULL;
    int64_t *v = weft_scratch_array(g->cx, int64_t, 2 * rank);
    for (size_t d = 0; v && d < rank; d++) {
        v[2 * d] = low.n ? low.v[d] : 0;
        v[2 * d + 1] = high.n ? high.v[d] : 0;
    }
    const int64_t dims[] = { (int64_t)rank, 2 };
    const weft_type *t = v ? weft_type_tensor(g->cx, WEFT_I64, 2, dims) : NULL;
    const weft_attr *a = t ? weft_attr_dense(g->cx, t, v, false) : NULL;
    return a ? a : (void *)weft_graph_keep(g, weft_oom());
}

/* The window's attributes; *n of them. */
static bool window_attrs(weft_graph *g, const char *what, const weft_window_dims *w, weft_attr_pair attrs[5],
                         size_t *n) {
    if (!weft_graph_lists(g, what,
                          (weft_dims[]){ w->size, w->strides, w->low, w->high, w->dilation, w->base_dilation }, 6))
        return false;
    const struct { weft_attr_name name; weft_dims v; } lists[] = { { WEFT_A_window_strides, w->strides },
                                                                   { WEFT_A_base_dilations, w->base_dilation },
                                                                   { WEFT_A_window_dilations, w->dilation } };
    *n = 0;
    attrs[(*n)++] = (weft_attr_pair){ WEFT_A_window_dimensions, weft_graph_ints(g, w->size) };
    for (size_t i = 0; i < WEFT_COUNT(lists); i++)
        if (lists[i].v.n) attrs[(*n)++] = (weft_attr_pair){ lists[i].name, weft_graph_ints(g, lists[i].v) };
    if (!w->low.n && !w->high.n) return true;
    attrs[*n] = (weft_attr_pair){ WEFT_A_padding, weft_graph_padding(g, what, w->low, w->high, w->size.n) };
    return attrs[(*n)++].value != NULL;
}

void weft_graph_reduce_window_at(weft_source at, weft_graph *g, weft_tensor *const *x, weft_tensor *const *init,
                                 size_t n, weft_window_dims window, weft_body *body, void *user, weft_tensor **out) {
    if (!weft_graph_begin_to(g, at, "reduce_window", out, n) || !weft_graph_owns(g, "reduce_window", x, n) ||
        !weft_graph_owns(g, "reduce_window", init, n)) {
        weft_graph_results(NULL, out, n);
        return;
    }
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_attr_pair attrs[5];
    size_t count = 0;
    weft_tensor **all = joined(g, x, n, init, n, NULL, 0);
    const one_body m = { WEFT_OP_reduce_window, ALL_FIRST, init, n, body, user, n };
    if (!window_attrs(g, "reduce_window", &window, attrs, &count)) all = NULL;
    make(g, &m, all, 2 * n, attrs, count, out);
    weft_arena_reset(&g->cx->scratch, mark);
}

static weft_tensor *select_and_scatter(weft_graph *g, weft_tensor *const *x, const weft_window_dims *window,
                                       weft_graph_body select, weft_graph_body scatter) {
    weft_attr_pair attrs[5];
    size_t count = 0;
    const weft_type **of_x = scalars(g, x, 1, ALL_FIRST), **of_init = of_x ? scalars(g, x + 2, 1, ALL_FIRST) : NULL;
    if (!of_init || !window_attrs(g, "select_and_scatter", window, attrs, &count)) return NULL;
    if (window->dilation.n || window->base_dilation.n)
        return weft_graph_fail(g, WEFT_D_usage, "the windows of 'select_and_scatter' have no dilation");
    select.args = of_x;
    scatter.args = of_init;
    select.arg_count = scatter.arg_count = 2;
    select.result_count = scatter.result_count = 1;
    weft_op *shell = weft_graph_shell(g, WEFT_OP_select_and_scatter, 2);
    if (!shell || !weft_graph_fill_region(g, shell, 0, &select) || !weft_graph_fill_region(g, shell, 1, &scatter))
        return NULL;
    weft_op *op = weft_graph_build_shell(g, shell, x, 3, attrs, count, NULL, 1);
    return op ? &op->results[0] : NULL;
}

weft_tensor *weft_graph_select_and_scatter_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *source,
                                              weft_tensor *init, weft_window_dims window, weft_body *select,
                                              weft_body *scatter, void *user) {
    weft_tensor *const all[] = { x, source, init };
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "select_and_scatter", all, 3)) return NULL;
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_tensor *r = select_and_scatter(g, all, &window, (weft_graph_body){ .fn = select, .user = user },
                                        (weft_graph_body){ .fn = scatter, .user = user });
    weft_arena_reset(&g->cx->scratch, mark);
    return r;
}

/* ---- scatter ---- */

const weft_attr *weft_graph_scatter_numbers(weft_graph *g, const weft_scatter_numbers *d) {
    const weft_attr a = { .kind = WEFT_ATTR_SCATTER,
                          .scatter = { .update_window_dims = weft_ints_of(d->window),
                                       .inserted_window_dims = weft_ints_of(d->inserted),
                                       .input_batching_dims = weft_ints_of(d->batch),
                                       .scatter_indices_batching_dims = weft_ints_of(d->index_batch),
                                       .scatter_dims_to_operand_dims = weft_ints_of(d->places),
                                       .index_vector_dim = d->vector } };
    return weft_attr_copy(g->cx, &a);
}

void weft_graph_scatter_at(weft_source at, weft_graph *g, weft_tensor *const *x, size_t n, weft_tensor *indices,
                           weft_tensor *const *updates, weft_scatter_numbers dims, weft_body *body, void *user,
                           weft_tensor **out) {
    if (!weft_graph_begin_to(g, at, "scatter", out, n) || !weft_graph_owns(g, "scatter", x, n) ||
        !weft_graph_owns(g, "scatter", &indices, 1) || !weft_graph_owns(g, "scatter", updates, n) ||
        !weft_graph_lists(g, "scatter",
                          (weft_dims[]){ dims.window, dims.inserted, dims.batch, dims.index_batch, dims.places }, 5)) {
        weft_graph_results(NULL, out, n);
        return;
    }
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    weft_tensor **all = joined(g, x, n, &indices, 1, updates, n);
    const one_body m = { WEFT_OP_scatter, ALL_FIRST, x, n, body, user, n };
    const weft_attr_pair attr = { WEFT_A_scatter_dimension_numbers, weft_graph_scatter_numbers(g, &dims) };
    make(g, &m, all, 2 * n + 1, &attr, 1, out);
    weft_arena_reset(&g->cx->scratch, mark);
}
