/* graph_simplify.c: the makers that look at their operands: arithmetic with neutral elements, index maps of index maps.
 *
 * Views compose, so a chain of broadcasts, transposes and slices is one view. Where only dimensions of size 1 come or
 * go a view is a reshape: then loops need not take their index apart.
 */
#include <math.h>
#include "codegen/graph.h"

/* x where op with a neutral operand leaves x as it is, bit for bit; else NULL. */
static cg_node *neutral(cg_op op, cg_node *const *in) {
    const bool is_float = weft_dtype_is_float((weft_dtype)in[0]->dtype);
    static const struct { cg_op op; uint8_t side; double value; bool floats; } rule[] = {
        { CG_OP_multiply, 0, 1, true }, { CG_OP_multiply, 1, 1, true }, { CG_OP_divide, 1, 1, true }, { CG_OP_subtract, 1, 0, true },
        { CG_OP_power, 1, 1, true }, { CG_OP_add, 0, 0, false }, { CG_OP_add, 1, 0, false }, { CG_OP_or, 0, 0, false }, { CG_OP_or, 1, 0, false },
        { CG_OP_maximum, 0, -INFINITY, true }, { CG_OP_maximum, 1, -INFINITY, true }, { CG_OP_minimum, 0, INFINITY, true }, { CG_OP_minimum, 1, INFINITY, true },
    };
    for (size_t i = 0; i < WEFT_COUNT(rule); i++)
        if (rule[i].op == op && (rule[i].floats || !is_float) && cg_splat_is(in[rule[i].side], rule[i].value))
            return in[!rule[i].side];
    if (op == CG_OP_and && in[0]->dtype == WEFT_I1)
        for (int side = 0; side < 2; side++)
            if (cg_splat_is(in[side], 1)) return in[!side];
    return NULL;
}

static cg_node *simpler(cg_op op, weft_dtype t, cg_node *const *in) {
    if (cg_op_table[op].arity == 2 && cg_same_dims(in[0], in[1])) return neutral(op, in);
    if (op == CG_OP_convert && in[0]->dtype == t) return in[0];
    if (op == CG_OP_bitcast_convert && weft_dtype_of(t)->bits == weft_dtype_of((weft_dtype)in[0]->dtype)->bits &&
        in[0]->cls == CG_SCALAR && in[0]->op == op && in[0]->in[0]->dtype == t)
        return in[0]->in[0];
    if (op == CG_OP_negate && in[0]->cls == CG_SCALAR && in[0]->op == CG_OP_negate) return in[0]->in[0];
    if (op == CG_OP_select && in[1] == in[2]) return in[1];
    if ((op == CG_OP_real || op == CG_OP_imag) && in[0]->cls == CG_SCALAR && in[0]->op == CG_OP_complex)
        return in[0]->in[op == CG_OP_imag];
    if (op == CG_OP_real && in[0]->dtype == t) return in[0];
    if (op == CG_OP_select && in[0]->cls == CG_SPLAT) return cg_splat_is(in[0], 1) ? in[1] : in[2];
    return NULL;
}

cg_node *cg_scalar(cg_graph *g, cg_op op, weft_dtype t, int64_t aux, cg_node *const *in) {
    const uint32_t arity = cg_op_table[op].arity;
    const cg_node *shape = NULL;
    for (uint32_t i = 0; i < arity; i++) {
        if (!in[i]) return NULL;
        if (!shape || in[i]->rank > shape->rank) shape = in[i];
    }
    cg_node *s = simpler(op, t, in);
    if (s) return s;
    cg_node *n = cg_begin(g, CG_SCALAR, t, shape->rank, shape->dims, in, arity);
    if (!n) return NULL;
    n->op = op;
    n->aux = aux;
    return cg_finish(g, n);
}

cg_node *cg_binary(cg_graph *g, cg_op op, cg_node *a, cg_node *b) {
    if (!a || !b) return NULL;
    return cg_scalar(g, op, (weft_dtype)a->dtype, 0, (cg_node *[]){ a, b });
}

cg_node *cg_convert(cg_graph *g, cg_node *x, weft_dtype t) {
    return x ? cg_scalar(g, CG_OP_convert, t, x->dtype, &x) : NULL;
}

/* The dims that are not 1, and where they are. */
static uint32_t solid(uint32_t rank, const int64_t *dims, uint32_t *where) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] != 1) where[n++] = i;
    return n;
}

static bool same_solid(uint32_t ra, const int64_t *a, uint32_t rb, const int64_t *b, uint32_t *wa, uint32_t *wb,
                       uint32_t *count) {
    uint32_t na = solid(ra, a, wa), nb = solid(rb, b, wb);
    *count = na;
    if (na != nb) return false;
    for (uint32_t i = 0; i < na; i++)
        if (a[wa[i]] != b[wb[i]]) return false;
    return true;
}

/* Every solid dimension of x is read whole and in order by the result's solid dimensions. */
static bool is_reshape(const cg_node *x, uint32_t rank, const int64_t *dims, const cg_view_dim *view) {
    uint32_t wx[WEFT_MAX_RANK], wr[WEFT_MAX_RANK], n;
    if (!same_solid(x->rank, x->dims, rank, dims, wx, wr, &n)) return false;
    for (uint32_t i = 0; i < n; i++) {
        const cg_view_dim *v = &view[wx[i]];
        if (v->dim != (int32_t)wr[i] || v->offset || v->stride != 1 || v->also) return false;
    }
    return true;
}

/* v with step * index[dim] added to what it indexes; false when that would be a third dimension. */
static bool add_term(cg_view_dim *v, int32_t dim, int64_t step) {
    if (dim < 0) return true;
    if (v->dim == dim) v->stride += step;
    else if (v->also == (uint32_t)dim + 1) v->step += step;
    else if (v->dim < 0) v->dim = dim, v->stride = step;
    else if (!v->also) v->also = (uint32_t)dim + 1, v->step = step;
    else return false;
    return true;
}

/* v with times what w indexes added. */
static bool add_dim(cg_view_dim *v, const cg_view_dim *w, int64_t times) {
    v->offset += times * w->offset;
    return add_term(v, w->dim, times * w->stride) && (!w->also || add_term(v, (int32_t)w->also - 1, times * w->step));
}

/* Dimensions of size 1 add nothing. */
static cg_view_dim without_ones(const cg_view_dim *v, const int64_t *dims) {
    cg_view_dim r = cg_along(-1, v->offset, 0);
    if (v->dim >= 0 && dims[v->dim] != 1) add_term(&r, v->dim, v->stride);
    if (v->also && dims[v->also - 1] != 1) add_term(&r, (int32_t)v->also - 1, v->step);
    return r;
}

/* A view of a view, or of a reshape that only moves 1s, as a view of the inner operand; NULL when it is none. */
static cg_node *through(cg_graph *g, cg_node *x, uint32_t rank, const int64_t *dims, const cg_view_dim *view) {
    cg_view_dim inner[WEFT_MAX_RANK];
    cg_node *y = x->in[0];
    if (x->cls == CG_VIEW) {
        for (uint32_t i = 0; i < y->rank; i++) {
            const cg_view_dim *a = &x->view[i];
            inner[i] = cg_along(-1, a->offset, 0);
            if (a->dim >= 0 && !add_dim(&inner[i], &view[a->dim], a->stride)) return NULL;
            if (a->also && !add_dim(&inner[i], &view[a->also - 1], a->step)) return NULL;
        }
        return cg_view(g, y, rank, dims, inner);
    }
    uint32_t wx[WEFT_MAX_RANK], wy[WEFT_MAX_RANK], n;
    if (!same_solid(x->rank, x->dims, y->rank, y->dims, wx, wy, &n)) return NULL;
    for (uint32_t i = 0; i < y->rank; i++) inner[i] = cg_along(-1, 0, 0);
    for (uint32_t i = 0; i < n; i++) inner[wy[i]] = view[wx[i]];
    return cg_view(g, y, rank, dims, inner);
}

cg_node *cg_view(cg_graph *g, cg_node *x, uint32_t rank, const int64_t *dims, const cg_view_dim *view) {
    if (!x) return NULL;
    if (x->cls == CG_SPLAT) return cg_splat(g, (weft_dtype)x->dtype, rank, dims, x->splat);
    cg_view_dim clean[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) clean[i] = without_ones(&view[i], dims);
    if (is_reshape(x, rank, dims, clean)) return cg_reshape(g, x, rank, dims);
    if (x->cls == CG_VIEW || (x->cls == CG_RESHAPE && !cg_is_gated(x))) {
        cg_node *y = through(g, x, rank, dims, clean);
        if (y || g->status != WEFT_OK) return y;
    }
    cg_node *n = cg_begin(g, CG_VIEW, (weft_dtype)x->dtype, rank, dims, &x, 1);
    if (!n) return NULL;
    n->view = weft_arena_dup(&g->arena, clean, x->rank * sizeof *clean, _Alignof(cg_view_dim));
    if (!n->view) g->status = weft_oom();
    return cg_finish(g, n);
}

cg_node *cg_broadcast(cg_graph *g, cg_node *x, uint32_t rank, const int64_t *dims, weft_ints where) {
    if (!x) return NULL;
    cg_view_dim view[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++)
        view[i] = x->dims[i] == 1 ? cg_along(-1, 0, 0) : cg_along((int32_t)where.v[i], 0, 1);
    return cg_view(g, x, rank, dims, view);
}

cg_node *cg_transpose(cg_graph *g, cg_node *x, weft_ints permutation) {
    if (!x) return NULL;
    cg_view_dim view[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) {
        view[permutation.v[i]] = cg_along((int32_t)i, 0, 1);
        dims[i] = x->dims[permutation.v[i]];
    }
    return cg_view(g, x, x->rank, dims, view);
}

/* A reshape that only moves 1s, of a view: the view with other result dimensions. */
static cg_node *view_reshaped(cg_graph *g, cg_node *v, uint32_t rank, const int64_t *dims) {
    uint32_t wv[WEFT_MAX_RANK], wr[WEFT_MAX_RANK], n;
    if (!same_solid(v->rank, v->dims, rank, dims, wv, wr, &n)) return NULL;
    int32_t moved[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < v->rank; i++) moved[i] = -1;
    for (uint32_t i = 0; i < n; i++) moved[wv[i]] = (int32_t)wr[i];
    cg_view_dim view[WEFT_MAX_RANK];
    cg_node *x = v->in[0];
    for (uint32_t i = 0; i < x->rank; i++) {
        view[i] = v->view[i];
        if (view[i].dim >= 0) view[i].dim = moved[view[i].dim];
        if (view[i].also) view[i].also = (uint32_t)(moved[view[i].also - 1] + 1);
    }
    return cg_view(g, x, rank, dims, view);
}

cg_node *cg_reshape(cg_graph *g, cg_node *x, uint32_t rank, const int64_t *dims) {
    if (!x) return NULL;
    if (x->cls == CG_SPLAT) return cg_splat(g, (weft_dtype)x->dtype, rank, dims, x->splat);
    if (x->cls == CG_RESHAPE && !cg_is_gated(x)) x = x->in[0];
    if (x->rank == rank && (!rank || !memcmp(x->dims, dims, rank * sizeof *dims))) return x;
    if (x->cls == CG_VIEW) {
        cg_node *y = view_reshaped(g, x, rank, dims);
        if (y || g->status != WEFT_OK) return y;
    }
    cg_node *n = cg_begin(g, CG_RESHAPE, (weft_dtype)x->dtype, rank, dims, &x, 1);
    return cg_finish(g, n);
}

cg_node *cg_gate(cg_graph *g, cg_node *const *in, uint32_t n) {
    cg_node **waits = weft_arena_array(&g->arena, cg_node *, n);
    uint32_t count = 0;
    if (!waits) g->status = weft_oom();
    for (uint32_t i = 0; waits && i < n; i++) {
        if (!in[i]) return NULL;
        const cg_node *made = cg_base(in[i]);
        if (made->block == g->block && made->cls != CG_ARGUMENT && made->cls != CG_CONSTANT && !made->uniform)
            waits[count++] = in[i];
    }
    return count ? cg_finish(g, cg_begin(g, CG_GATE, WEFT_I1, 0, NULL, waits, count)) : NULL;
}

cg_node *cg_after_gate(cg_graph *g, cg_node *x, cg_node *gate) {
    if (!x || !gate || x->elems < 2 || cg_is_rewritten(x)) return x;
    if (gate->in_count == 1 && gate->in[0] == x) return x;
    return cg_finish(g, cg_begin(g, CG_RESHAPE, (weft_dtype)x->dtype, x->rank, x->dims, (cg_node *[]){ x, gate }, 2));
}

static int64_t *keep(cg_graph *g, const int64_t *v, uint32_t n) {
    int64_t *p = weft_arena_dup(&g->arena, v, n * sizeof *v, _Alignof(int64_t));
    if (!p) g->status = weft_oom();
    return p;
}

cg_node *cg_pad(cg_graph *g, cg_node *x, cg_node *value, const int64_t *low, const int64_t *interior,
                const int64_t *dims) {
    if (!x || !value) return NULL;
    bool nothing = true;
    for (uint32_t i = 0; i < x->rank; i++) nothing = nothing && !low[i] && !interior[i] && dims[i] == x->dims[i];
    if (nothing) return x;
    cg_node *n = cg_begin(g, CG_PAD, (weft_dtype)x->dtype, x->rank, dims, (cg_node *[]){ x, value }, 2);
    if (!n) return NULL;
    n->pad.low = keep(g, low, x->rank);
    n->pad.interior = keep(g, interior, x->rank);
    return g->status == WEFT_OK ? cg_finish(g, n) : NULL;
}

enum { MAX_JOINED = 16 }; /* operands of one concatenation: each is looked at for every element */

/* Pieces of up to MAX_JOINED operands first, then those. */
static cg_node *concat_pieces(cg_graph *g, cg_node *const *in, uint32_t n, int64_t dim, const int64_t *dims) {
    const uint32_t each =
        (n + MAX_JOINED - 1) / MAX_JOINED > MAX_JOINED ? (n + MAX_JOINED - 1) / MAX_JOINED : MAX_JOINED;
    cg_node *piece[MAX_JOINED];
    int64_t shape[WEFT_MAX_RANK];
    uint32_t pieces = 0;
    memcpy(shape, dims, in[0]->rank * sizeof *dims);
    for (uint32_t i = 0; i < n; i += each) {
        const uint32_t count = n - i < each ? n - i : each;
        shape[dim] = 0;
        for (uint32_t k = i; k < i + count; k++) {
            if (!in[k]) return NULL;
            shape[dim] += in[k]->dims[dim];
        }
        piece[pieces++] = cg_concat(g, in + i, count, dim, shape);
    }
    return cg_concat(g, piece, pieces, dim, dims);
}

cg_node *cg_concat(cg_graph *g, cg_node *const *in, uint32_t n, int64_t dim, const int64_t *dims) {
    if (n == 1) return in[0];
    if (!n || !in[0]) return NULL;
    if (n > MAX_JOINED) return concat_pieces(g, in, n, dim, dims);
    cg_node *c = cg_begin(g, CG_CONCAT, (weft_dtype)in[0]->dtype, in[0]->rank, dims, in, n);
    if (c) c->aux = dim;
    return cg_finish(g, c);
}
