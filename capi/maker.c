/* maker.c: what all makers of graph.h share: their place, their first error, whose tensors they take, types as text. */
#include <stdarg.h>

#include "capi/graph_impl.h"
#include "mlir/read.h"

weft_value *weft_graph_keep(weft_graph *g, weft_status st) {
    if (g->b.status == WEFT_OK) g->b.status = st;
    return NULL;
}

weft_value *weft_graph_fail(weft_graph *g, weft_diag_class cls, const char *fmt, ...) {
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    return weft_graph_keep(g, weft_report(g->cx, cls, g->b.loc, "%s", text));
}

bool weft_graph_begin(weft_graph *g, weft_source at) {
    if (!g || g->b.status != WEFT_OK) return false;
    weft_name file = weft_name_from(g->cx, at.file ? at.file : "");
    const weft_loc *loc = file ? weft_loc_file(g->cx, file, (uint32_t)at.line, 0) : NULL;
    if (loc && g->scope) loc = weft_loc_scope(g->cx, g->scope->path, loc);
    if (!loc) return weft_graph_keep(g, weft_oom()) != NULL;
    g->b.loc = loc;
    if (g->finished)
        return weft_graph_fail(g, WEFT_D_usage, "the graph is finished: nothing can be added to it") != NULL;
    return true;
}

weft_source weft_graph_source(const weft_graph *g) {
    const weft_loc *p = weft_loc_place(g->b.loc);
    return p ? (weft_source){ p->name->text, (int)p->line } : (weft_source){ "", 0 };
}

bool weft_graph_at_main(weft_graph *g, const char *what) {
    if (g->open == &g->main) return true;
    weft_graph_fail(g, WEFT_D_usage, "an %s cannot be made inside a body", what);
    return false;
}

static bool is_open(const weft_graph *g, const weft_block *home) {
    const weft_graph_open *o = g->open;
    while (o && o->block != home) o = o->sees == WEFT_SEES_OUTER ? o->outer : NULL;
    return o != NULL;
}

/* Why a value of home cannot be used here. */
static const char *closed_why(const weft_graph *g, const weft_block *home) {
    const weft_op *top = home && home->parent ? home->parent->parent : NULL, *func = NULL;
    for (; top && weft_op_parent(top); top = weft_op_parent(top))
        if (top->kind == WEFT_OP_func) func = top;
    if (!top || top != g->m->root) return "belongs to another graph";
    for (const weft_graph_open *o = g->open; o; o = o->outer)
        if (o->block == home) return "is from outside of the function, which has its arguments only";
    return func == g->func ? "belongs to a body that is complete" : "belongs to a function that is complete";
}

bool weft_graph_owns(weft_graph *g, const char *what, weft_tensor *const *x, size_t n) {
    if (n && !x) return weft_graph_fail(g, WEFT_D_usage, "the list of operands of '%s' is NULL", what) != NULL;
    for (size_t i = 0; i < n; i++) {
        if (!x[i]) return weft_graph_fail(g, WEFT_D_usage, "operand %zu of '%s' is NULL", i + 1, what) != NULL;
        const weft_block *home = weft_value_block(x[i]);
        if (!is_open(g, home))
            return weft_graph_fail(g, WEFT_D_usage, "operand %zu of '%s' %s", i + 1, what, closed_why(g, home)) != NULL;
    }
    return true;
}

bool weft_graph_lists(weft_graph *g, const char *what, const weft_dims *d, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (d[i].n && !d[i].v)
            return weft_graph_fail(g, WEFT_D_usage, "a list of %zu dimensions of '%s' is NULL", d[i].n, what) != NULL;
    return true;
}

/* ---- types ---- */

const weft_type *weft_graph_type(weft_graph *g, weft_str text) {
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = 0;
    size_t i = 0;
    while (i < text.n && text.p[i] >= '0' && text.p[i] <= '9') {
        int64_t d = 0;
        for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++)
            if (!weft_mul_i64(d, 10, &d) || !weft_add_i64(d, text.p[i] - '0', &d)) goto bad;
        if (i == text.n || text.p[i] != 'x' || rank == WEFT_MAX_RANK) goto bad;
        dims[rank++] = d;
        i++;
    }
    weft_dtype dtype = weft_dtype_parse((weft_str){ text.p + i, text.n - i });
    if (dtype == WEFT_DTYPE_NONE) goto bad;
    const weft_type *t = weft_type_tensor(g->cx, dtype, rank, dims);
    if (!t) weft_graph_keep(g, weft_oom());
    else if (weft_type_bytes(t) < 0) goto bad;
    return t;
bad:
    weft_graph_fail(g, WEFT_D_verify, "'%.*s' is not a tensor's type, such as \"64x256xf32\" or \"f32\"",
                    WEFT_STR_ARG(text));
    return NULL;
}

weft_status weft_graph_parse(weft_graph *g, const char *where, const char *name, weft_str text, const weft_attr **attr,
                            const weft_type **type) {
    weft_diag said; /* its place is none in the caller's file */
    const weft_status st = weft_read_quietly(g->cx, text, attr, type, &said);
    if (st == WEFT_OK || !said.message) return st;
    return weft_report(g->cx, st == WEFT_ERR_UNSUPPORTED ? WEFT_D_unsupported : WEFT_D_syntax, g->b.loc,
                       "%s '%s', at character %lld: %s", where, name, (long long)said.column, said.message);
}

const weft_type *weft_graph_any_type(weft_graph *g, weft_str text) {
    const bool is_mlir = text.n && (text.p[0] == '!' || memchr(text.p, '<', text.n)) &&
                         text.p[0] != 'c' && (text.p[0] < '0' || text.p[0] > '9');
    if (!is_mlir) return weft_graph_type(g, text);
    const weft_type *t = NULL;
    const weft_name name = weft_name_intern(g->cx, text);
    weft_status st = name ? weft_graph_parse(g, "in the type", name->text, text, NULL, &t) : weft_oom();
    if (st == WEFT_OK) return t;
    weft_graph_keep(g, st);
    return NULL;
}

/* The text up to a ';' that is in no bracket; *text moves behind it. */
static weft_str next_type(const char **text) {
    const char *p = *text + strspn(*text, " "), *from = p;
    for (int depth = 0; *p && (depth || *p != ';'); p++) depth += (*p == '<' || *p == '(') - (*p == '>' || *p == ')');
    const char *end = p;
    while (end > from && end[-1] == ' ') end--;
    *text = *p ? p + 1 : p;
    return (weft_str){ from, (size_t)(end - from) };
}

size_t weft_graph_count_types(const char *text) {
    size_t n = 0;
    for (text += strspn(text, " "); *text; n++) (void)next_type(&text);
    return n;
}

bool weft_graph_types(weft_graph *g, const char *text, const weft_type **types, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(types[i] = weft_graph_any_type(g, next_type(&text)))) return false;
    if (text[strspn(text, " ")]) weft_graph_fail(g, WEFT_D_usage, "more types than results");
    return g->b.status == WEFT_OK;
}
