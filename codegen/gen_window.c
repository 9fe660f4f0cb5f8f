/* gen_window.c: column `gen` of reduce_window.
 *
 * The operands are padded and dilated with the initial values (spec, reduce_window); a window's elements are then views
 * of them. Four ways, by what they cost:
 *   prefixes   windows that begin at one end (cumsum): a scan, linear in the elements
 *   unrolled   few elements per window: the body once for each, all in one loop over the windows
 *   reduced    windows that hardly overlap: a reduction over a view with a dimension for each window dimension
 *   doubled    windows of 1, 2, 4 ... elements along a dimension from two of half the size, one dimension after another
 *              from the last, and of those the sum of powers that the size is: n log(size) per dimension
 * All keep the order of the elements and bracket them anew, as the spec lets reductions do.
 */
#include "codegen/body.h"
#include "codegen/window.h"

/* Windows of up to ROUNDED narrow floats are rounded after each element, as the body says. Longer ones are added up in
 * f32: a running sum of bf16 stops growing at 256 times what is added to it. */
enum { UNROLLED = 40, SHORT_PREFIX = 16, OVERLAP = 4, ROUNDED = 16 };

void cg_window_read(const weft_op *op, uint32_t rank, cg_window *w) {
    const weft_ints size = weft_op_ints(op, WEFT_A_window_dimensions), stride = weft_op_ints(op, WEFT_A_window_strides);
    const weft_ints base = weft_op_ints(op, WEFT_A_base_dilations),
                    dilation = weft_op_ints(op, WEFT_A_window_dilations);
    const weft_attr *pad = weft_op_attr(op, WEFT_A_padding);
    for (uint32_t d = 0; d < rank; d++) {
        w[d] = (cg_window){ size.n ? size.v[d] : 1, stride.n ? stride.v[d] : 1, base.n ? base.v[d] : 1,
                            dilation.n ? dilation.v[d] : 1, 0, 0 };
        if (!pad) continue;
        w[d].low = weft_dense_int(pad, 2 * (int64_t)d);
        w[d].high = weft_dense_int(pad, 2 * (int64_t)d + 1);
    }
}

/* Every result is made by one commuting instruction, so that it is known what an initial value is worth. */
static bool known(const cg_reduction *r) {
    for (uint32_t i = 0; i < r->n; i++)
        if (cg_body_op_of(r->body, i) == CG_OP_COUNT) return false;
    return true;
}

/* The one dimension that windows run along from an end, if there is one: *back when from the last element. Initial
 * values of bodies of which nothing is known are taken to be worth nothing beside themselves, as cumlogsumexp's are. */
static bool prefixes(const cg_reduction *r, const cg_window *w, uint32_t *dim, bool *back) {
    const cg_node *x = r->x[0];
    uint32_t found = x->rank;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (w[d].stride != 1 || w[d].base != 1 || (w[d].dilation != 1 && w[d].size != 1)) return false;
        if (w[d].size == 1 && !w[d].low && !w[d].high) continue;
        if (found != x->rank || w[d].size < x->dims[d]) return false;
        const bool forth = w[d].low == w[d].size - 1 && !w[d].high;
        if (!forth && (w[d].low || w[d].high != w[d].size - 1)) return false;
        *back = !forth;
        found = d;
    }
    *dim = found;
    return found != x->rank && x->dims[found] > SHORT_PREFIX && (!known(r) || cg_reduction_starts_neutral(r));
}

static cg_node *turned(cg_graph *g, cg_node *x, uint32_t dim) {
    cg_view_dim view[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->rank; d++)
        view[d] = d == dim ? cg_along((int32_t)d, x->dims[d] - 1, -1) : cg_along((int32_t)d, 0, 1);
    return cg_view(g, x, x->rank, x->dims, view);
}

/* The body with its sides exchanged: a scan from the last element meets the later ones first. */
static weft_status exchange(cg_import *im, cg_reduction *r) {
    cg_graph *g = im->g;
    cg_block *outer = g->block, *b = cg_block_new(g, outer);
    cg_node **sides = weft_arena_array(&g->arena, cg_node *, 2 * r->n);
    if (!b || !sides || !(b->args = weft_arena_array(&g->arena, cg_node *, 2 * r->n)) ||
        !(b->results = weft_arena_array(&g->arena, cg_node *, r->n)))
        return weft_oom();
    g->block = b;
    b->arg_count = 2 * r->n;
    b->result_count = r->n;
    for (uint32_t i = 0; i < 2 * r->n; i++) {
        const weft_type *t = weft_type_tensor(g->cx, (weft_dtype)r->body->args[i]->dtype, 0, NULL);
        b->args[i] = sides[(i + r->n) % (2 * r->n)] = t ? cg_argument(g, b, i, t) : NULL;
        if (!b->args[i]) return weft_oom();
    }
    for (uint32_t i = 0; i < r->n; i++)
        if (!(b->results[i] = cg_inline_body(g, r->body, sides, i))) return weft_oom();
    g->block = outer;
    r->body = b;
    return WEFT_OK;
}

static weft_status scan(cg_import *im, cg_reduction *r, uint32_t dim, bool back) {
    const cg_node *x = r->x[0];
    int64_t dims[3] = { 1, x->dims[dim], 1 };
    for (uint32_t d = 0; d < x->rank; d++)
        if (d != dim) dims[d < dim ? 0 : 2] *= x->dims[d];
    for (uint32_t i = 0; i < r->n; i++) {
        cg_node *flat = cg_reshape(im->g, r->x[i], 3, dims);
        r->x[i] = back ? turned(im->g, flat, 1) : flat;
    }
    weft_status st = back && r->order != CG_ANY_ORDER ? exchange(im, r) : WEFT_OK;
    if (st == WEFT_OK) st = cg_reduction_node(im, r, CG_SCAN, 1, 3, dims);
    for (uint32_t i = 0; i < r->n && st == WEFT_OK; i++) {
        cg_node *whole = back ? turned(im->g, r->x[i], 1) : r->x[i];
        r->x[i] = cg_reshape(im->g, whole, x->rank, x->dims);
    }
    return st;
}

static void pad(cg_import *im, cg_reduction *r, const cg_window *w) {
    const cg_node *x = r->x[0];
    int64_t low[WEFT_MAX_RANK], interior[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < x->rank; d++) {
        low[d] = w[d].low;
        interior[d] = w[d].base - 1;
        dims[d] = w[d].low + w[d].high + (x->dims[d] ? (x->dims[d] - 1) * w[d].base + 1 : 0);
    }
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->x[i]->elems) r->x[i] = cg_pad(im->g, r->x[i], r->init[i], low, interior, dims);
        else r->x[i] = cg_broadcast(im->g, r->init[i], x->rank, dims, (weft_ints){ 0 });
    }
}

/* Every element `at` of the windows. */
static cg_node *element(cg_graph *g, cg_node *x, const cg_window *w, const int64_t *at, const int64_t *out) {
    cg_view_dim view[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->rank; d++) view[d] = cg_along((int32_t)d, at[d] * w[d].dilation, w[d].stride);
    return cg_view(g, x, x->rank, out, view);
}

/* left[0..n) = body(left, right). */
static weft_status combine(cg_import *im, const cg_reduction *r, cg_node **left, cg_node *const *right) {
    cg_node **args = weft_arena_array(&im->g->arena, cg_node *, 2 * r->n);
    if (!args) return weft_oom();
    memcpy(args, left, r->n * sizeof *args);
    memcpy(args + r->n, right, r->n * sizeof *args);
    for (uint32_t i = 0; i < r->n; i++)
        if (!(left[i] = cg_inline_body(im->g, r->body, args, i))) return im->g->status;
    return WEFT_OK;
}

static weft_status unrolled(cg_import *im, cg_reduction *r, const cg_window *w, const int64_t *out) {
    const uint32_t rank = r->x[0]->rank;
    cg_node **sum = weft_arena_array(&im->g->arena, cg_node *, r->n),
            **next = weft_arena_array(&im->g->arena, cg_node *, r->n);
    if (!sum || !next) return weft_oom();
    int64_t at[WEFT_MAX_RANK] = { 0 };
    bool first = cg_reduction_starts_neutral(r), more = true;
    for (uint32_t i = 0; i < r->n; i++) sum[i] = cg_broadcast(im->g, r->init[i], rank, out, (weft_ints){ 0 });
    weft_status st = WEFT_OK;
    while (more && st == WEFT_OK) {
        for (uint32_t i = 0; i < r->n; i++) next[i] = element(im->g, r->x[i], w, at, out);
        if (first) memcpy(sum, next, r->n * sizeof *sum);
        else st = combine(im, r, sum, next);
        first = false;
        more = false;
        for (uint32_t d = rank; d-- > 0 && !more;) {
            more = ++at[d] < w[d].size;
            if (!more) at[d] = 0;
        }
    }
    r->x = sum;
    return st;
}

/* Dimensions: windows, then elements along each dimension with more than one. */
static weft_status reduced(cg_import *im, cg_reduction *r, const cg_window *w, const int64_t *out) {
    const uint32_t from = r->x[0]->rank;
    cg_view_dim view[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK];
    uint32_t rank = from;
    weft_bits inside = 0;
    memcpy(dims, out, from * sizeof *dims);
    for (uint32_t d = 0; d < from; d++) {
        view[d] = cg_along((int32_t)d, 0, w[d].stride);
        if (w[d].size == 1) continue;
        inside |= weft_bit(rank);
        dims[rank++] = w[d].size;
        view[d].also = rank;
        view[d].step = w[d].dilation;
    }
    for (uint32_t i = 0; i < r->n; i++)
        if (!(r->x[i] = cg_view(im->g, r->x[i], rank, dims, view))) return im->g->status;
    return cg_reduction_along(im, r, rank, dims, inside);
}

/* x from `from` on along dim, every step-th, count of them. */
static cg_node *part_of(cg_graph *g, cg_node *x, uint32_t dim, int64_t from, int64_t step, int64_t count) {
    cg_view_dim view[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->rank; d++) {
        view[d] = d == dim ? cg_along((int32_t)d, from, step) : cg_along((int32_t)d, 0, 1);
        dims[d] = d == dim ? count : x->dims[d];
    }
    return cg_view(g, x, x->rank, dims, view);
}

static weft_status doubled_along(cg_import *im, cg_reduction *r, uint32_t dim, const cg_window *w, int64_t out) {
    cg_graph *g = im->g;
    cg_node **sum = weft_arena_array(&g->arena, cg_node *, r->n), **half = weft_arena_array(&g->arena, cg_node *, r->n);
    if (!sum || !half) return weft_oom();
    weft_status st = WEFT_OK;
    int64_t done = 0;
    for (int64_t power = 1; st == WEFT_OK; power *= 2) {
        if (w->size & power) {
            for (uint32_t i = 0; i < r->n; i++) half[i] = part_of(g, r->x[i], dim, done * w->dilation, w->stride, out);
            if (done) st = combine(im, r, sum, half);
            else memcpy(sum, half, r->n * sizeof *sum);
            done += power;
        }
        if (st != WEFT_OK || 2 * power > w->size) break;
        const int64_t left = r->x[0]->dims[dim] - power * w->dilation;
        for (uint32_t i = 0; i < r->n; i++) {
            half[i] = part_of(g, r->x[i], dim, power * w->dilation, 1, left);
            r->x[i] = part_of(g, r->x[i], dim, 0, 1, left);
        }
        st = combine(im, r, r->x, half);
    }
    memcpy(r->x, sum, r->n * sizeof *sum);
    return st;
}

static weft_status doubled(cg_import *im, cg_reduction *r, const cg_window *w, const int64_t *out) {
    weft_status st = WEFT_OK;
    for (uint32_t d = r->x[0]->rank; d-- > 0 && st == WEFT_OK;) st = doubled_along(im, r, d, &w[d], out[d]);
    return st == WEFT_OK ? cg_reduction_once(im, r) : st;
}

static double product(uint32_t n, const int64_t *v) {
    double p = 1;
    for (uint32_t i = 0; i < n; i++) p *= (double)v[i];
    return p;
}

static double elements(const cg_window *w, uint32_t rank) {
    double n = 1;
    for (uint32_t d = 0; d < rank; d++) n *= (double)w[d].size;
    return n;
}

weft_status cg_window_reduce(cg_import *im, cg_reduction *r, const cg_window *w, const int64_t *out) {
    const uint32_t rank = r->x[0]->rank;
    uint32_t dim, wide = rank;
    bool back = false;
    if (product(rank, out) == 0) {
        for (uint32_t i = 0; i < r->n; i++) r->x[i] = cg_broadcast(im->g, r->init[i], rank, out, (weft_ints){ 0 });
        return WEFT_OK;
    }
    if (prefixes(r, w, &dim, &back)) return scan(im, r, dim, back);
    pad(im, r, w);
    if (!r->x[0]) return im->g->status;
    const double inside = elements(w, rank);
    for (uint32_t d = 0; d < rank; d++) wide += w[d].size > 1;
    if (inside * r->n <= UNROLLED) return unrolled(im, r, w, out);
    if (wide <= WEFT_MAX_RANK && inside * product(rank, out) <= OVERLAP * (double)r->x[0]->elems)
        return reduced(im, r, w, out);
    return doubled(im, r, w, out);
}

weft_status weft_gen_reduce_window(cg_import *im, const weft_op *op) {
    cg_reduction r = { 0 };
    cg_window w[WEFT_MAX_RANK];
    weft_status st = cg_reduction_read(im, op, &r);
    if (st != WEFT_OK) return st;
    cg_window_read(op, r.x[0]->rank, w);
    if (elements(w, r.x[0]->rank) > ROUNDED) st = cg_reduction_widen(im, &r);
    if (st == WEFT_OK) st = cg_window_reduce(im, &r, w, op->results[0].type->dims);
    return st == WEFT_OK ? cg_reduction_set(im, op, &r) : st;
}
