/* reduction_order.c: the order of a reduction's dimensions, by how its operand lies in memory.
 *
 * A program may reduce over the last dimension of a transpose (jnp.trapezoid along columns, sums after moveaxis). Read
 * in that order, each sum goes through memory by long strides. In memory's order rows are added up, which are read one
 * after another, and the result, which is smaller, is transposed back.
 */
#include "codegen/reduction.h"
#include "codegen/strided.h"

/* A row of so many elements is worth it; and a bound on the values that are looked at. */
enum { LEAST_ROW = 16, MOST_VISITS = 64 };

typedef struct lying { int64_t elems, stride[WEFT_MAX_RANK]; } lying;

/* Lies somewhere before its readers are known. The layout of a product follows them (layout.c). */
static bool is_memory(const cg_node *n) {
    return n->cls == CG_ARGUMENT || n->cls == CG_CONSTANT || n->cls == CG_PART ||
           (cg_is(n, CG_STEP) && n->cls != CG_DOT && n->cls != CG_CONV);
}

/* The largest memory that x is made of by arithmetic and views, in strides along x's dimensions. elems 0: there is
 * none. */
static lying lie_of(cg_node *x, uint32_t *visits) {
    lying best = { 0 };
    cg_strided at;
    if (++*visits > MOST_VISITS) return best;
    if (x->cls == CG_SCALAR) {
        for (uint32_t i = 0; i < x->in_count; i++) {
            const lying one = x->in[i]->rank == x->rank ? lie_of(x->in[i], visits) : best;
            if (one.elems > best.elems) best = one;
        }
    } else if (x->cls == CG_VIEW) {
        const lying of = lie_of(x->in[0], visits);
        best.elems = of.elems;
        for (uint32_t d = 0; d < x->in[0]->rank; d++) {
            const cg_view_dim *v = &x->view[d];
            if (v->dim >= 0) best.stride[v->dim] += of.stride[d] * v->stride;
            if (v->also) best.stride[v->also - 1] += of.stride[d] * v->step;
        }
    } else if (cg_follow(x, &at) && is_memory(at.base)) {
        best.elems = at.base->elems;
        memcpy(best.stride, at.stride, x->rank * sizeof *at.stride);
    }
    return best;
}

static int64_t size_of(int64_t stride) { return stride < 0 ? -stride : stride; }

/* Whether x is read by strides where its last dimension is reduced, and side by side along another one. */
static bool is_turned(const cg_node *x, const lying *lie, weft_bits reduced) {
    uint32_t last = x->rank;
    while (last > 0 && x->dims[last - 1] == 1) last--;
    if (!last || !weft_bits_has(reduced, last - 1) || size_of(lie->stride[last - 1]) <= 1) return false;
    for (uint32_t d = 0; d < last; d++)
        if (!weft_bits_has(reduced, d) && x->dims[d] >= LEAST_ROW && size_of(lie->stride[d]) == 1) return true;
    return false;
}

bool cg_reduction_order(const cg_reduction *r, weft_bits reduced, int64_t *order) {
    cg_node *x = r->x[0];
    uint32_t visits = 0;
    const lying lie = lie_of(x, &visits);
    if (!lie.elems || !is_turned(x, &lie, reduced)) return false;
    for (uint32_t i = 0; i < x->rank; i++) {
        uint32_t k = i;
        for (; k > 0 && size_of(lie.stride[order[k - 1]]) < size_of(lie.stride[i]); k--) order[k] = order[k - 1];
        order[k] = i;
    }
    int64_t before = -1;
    for (uint32_t i = 0; i < x->rank; i++) { /* where the reducer has an order, reduced dimensions keep theirs */
        if (!weft_bits_has(reduced, (unsigned)order[i])) continue;
        if (r->order != CG_ANY_ORDER && order[i] < before) return false;
        before = order[i];
    }
    return true;
}

/* x with its dimensions in that order. Arithmetic is done in that order, too: the reduction then takes it in, as
 * arithmetic of its own order. */
static cg_node *turned_value(cg_graph *g, cg_node *x, weft_ints order, uint32_t *visits) {
    if (!x || x->cls != CG_SCALAR || x->uniform || ++*visits > MOST_VISITS) return cg_transpose(g, x, order);
    cg_node *in[4];
    if (x->in_count > WEFT_COUNT(in)) return cg_transpose(g, x, order);
    for (uint32_t i = 0; i < x->in_count; i++)
        in[i] = x->in[i]->rank == x->rank ? turned_value(g, x->in[i], order, visits) : x->in[i];
    return cg_scalar(g, (cg_op)x->op, (weft_dtype)x->dtype, x->aux, in);
}

weft_status cg_reduction_in_order(cg_import *im, cg_reduction *r, weft_bits reduced, int64_t *order) {
    cg_graph *g = im->g;
    int64_t dims[WEFT_MAX_RANK], left[WEFT_MAX_RANK], back[WEFT_MAX_RANK], kept[WEFT_MAX_RANK];
    const uint32_t rank = r->x[0]->rank;
    uint32_t n = 0;
    weft_bits turned = 0;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = r->x[0]->dims[order[i]];
        if (weft_bits_has(reduced, (unsigned)order[i])) turned |= weft_bit(i);
        else kept[n] = order[i], left[n++] = dims[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = 0;
        for (uint32_t k = 0; k < n; k++) at += kept[k] < kept[i];
        back[at] = i;
    }
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t visits = 0;
        if (!(r->x[i] = turned_value(g, r->x[i], (weft_ints){ order, rank }, &visits))) return g->status;
    }
    weft_status st = cg_reduction_along(im, r, rank, dims, turned);
    for (uint32_t i = 0; i < r->n && st == WEFT_OK; i++) {
        r->x[i] = cg_transpose(g, cg_reshape(g, r->x[i], n, left), (weft_ints){ back, n });
        if (!r->x[i]) st = g->status;
    }
    return st;
}
