/* gen_scatter.c: column `gen` of scatter.
 *
 * Where every element of the result can be hit by one update at most, because all scatter dimensions are batching ones or
 * of size 1 (a take_along_axis going backwards), the scatter is a comparison of the index with the element's place and
 * fuses like any other element-wise code. Otherwise the operand is copied and the updates are applied to the copy, one
 * after another in row-major order.
 */
#include "codegen/import.h"

static bool listed(weft_ints v, int64_t x, uint32_t *at) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == x) {
            if (at) *at = i;
            return true;
        }
    return false;
}

typedef struct scatter {
    cg_node *operand, *indices, *update;
    weft_scatter_dims d;
    cg_block *body;
} scatter;

/* Dimension of the update that scatter dimension number k of the indices (index vector left out) runs along. */
static uint32_t scatter_dim(const scatter *s, uint32_t k) {
    uint32_t seen = 0;
    for (uint32_t d = 0; d < s->update->rank; d++)
        if (!listed(s->d.update_window_dims, d, NULL) && seen++ == k) return d;
    return 0;
}

static uint32_t without_vector(const scatter *s, uint32_t dim) { return dim > s->d.index_vector_dim ? dim - 1 : dim; }

/* One update at most per element: only whole windows, and single places along the indexed dimensions. */
static bool hits_once(const scatter *s) {
    uint32_t window = 0;
    for (uint32_t d = 0; d < s->indices->rank; d++)
        if (d != s->d.index_vector_dim && s->indices->dims[d] != 1 && !listed(s->d.scatter_indices_batching_dims, d, NULL)) return false;
    for (uint32_t d = 0; d < s->operand->rank; d++) {
        bool inserted = listed(s->d.inserted_window_dims, d, NULL), batching = listed(s->d.input_batching_dims, d, NULL);
        bool indexed = listed(s->d.scatter_dims_to_operand_dims, d, NULL);
        if (inserted || batching) {
            if (inserted && !indexed && s->operand->dims[d] != 1) return false;
            continue;
        }
        int64_t size = s->update->dims[s->d.update_window_dims.v[window++]];
        if (indexed ? size != 1 : size != s->operand->dims[d]) return false;
    }
    return true;
}

/* Index component k, spread over the operand's shape. */
static cg_node *start_of(cg_graph *g, const scatter *s, uint32_t k) {
    cg_view_dim view[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < s->indices->rank; d++) {
        uint32_t at;
        view[d] = cg_along(-1, 0, 1);
        if (d == s->d.index_vector_dim) view[d].offset = k;
        else if (listed(s->d.scatter_indices_batching_dims, d, &at)) view[d].dim = (int32_t)s->d.input_batching_dims.v[at];
    }
    return cg_view(g, s->indices, s->operand->rank, s->operand->dims, view);
}

static cg_node *as_comparison(cg_graph *g, const scatter *s) {
    const cg_node *x = s->operand;
    cg_view_dim view[WEFT_MAX_RANK];
    uint32_t window = 0;
    for (uint32_t d = 0; d < s->update->rank; d++) view[d] = cg_along(-1, 0, 1);
    for (uint32_t d = 0; d < x->rank; d++) {
        uint32_t at;
        if (listed(s->d.input_batching_dims, d, &at)) view[scatter_dim(s, without_vector(s, (uint32_t)s->d.scatter_indices_batching_dims.v[at]))].dim = (int32_t)d;
        else if (!listed(s->d.inserted_window_dims, d, NULL)) {
            uint32_t u = (uint32_t)s->d.update_window_dims.v[window++];
            if (s->update->dims[u] != 1) view[u].dim = (int32_t)d;
        }
    }
    cg_node *hit = NULL, *update = cg_view(g, s->update, x->rank, x->dims, view);
    for (uint32_t k = 0; k < s->d.scatter_dims_to_operand_dims.n; k++) {
        cg_node *both[2] = { cg_iota(g, (weft_dtype)s->indices->dtype, x->rank, x->dims, s->d.scatter_dims_to_operand_dims.v[k]), start_of(g, s, k) };
        cg_node *here = cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_EQ, both);
        hit = hit ? cg_binary(g, CG_OP_and, hit, here) : here;
    }
    cg_node *args[2] = { s->operand, update };
    cg_node *changed = update ? cg_inline_body(g, s->body, args, 0) : NULL;
    if (!hit || !changed) return changed;
    return cg_scalar(g, CG_OP_select, (weft_dtype)x->dtype, 0, (cg_node *[]){ hit, changed, s->operand });
}

static bool plain(const cg_block *body, const cg_node *n) {
    if (n->cls == CG_SPLAT) return true;
    if (n->cls == CG_ARGUMENT) return n->block == body;
    for (uint32_t i = 0; i < n->in_count; i++)
        if (!plain(body, n->in[i])) return false;
    return n->cls == CG_SCALAR;
}

weft_status weft_gen_scatter(cg_import *im, const weft_op *op) {
    cg_graph *g = im->g;
    if (op->result_count != 1) return weft_gen_unsupported(im, op);
    scatter s = { cg_of(im, op, 0), cg_of(im, op, 1), cg_of(im, op, 2), weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter, NULL };
    weft_status st = cg_import_region(im, &op->regions[0], &s.body);
    if (st != WEFT_OK) return st;
    if (s.body->result_count != 1 || !plain(s.body, s.body->results[0])) return weft_gen_unsupported(im, op);
    if (!s.update->elems || !s.operand->elems) return cg_set(im, op, 0, s.operand);
    if (hits_once(&s)) return cg_set(im, op, 0, as_comparison(g, &s));
    cg_node *in[3] = { cg_copy(g, s.operand), s.indices, s.update };
    cg_node *n = cg_begin(g, CG_SCATTER, (weft_dtype)s.operand->dtype, s.operand->rank, s.operand->dims, in, 3);
    if (!n) return weft_oom();
    n->scatter.dims = s.d;
    n->scatter.body = s.body;
    return cg_set(im, op, 0, cg_finish(g, n));
}
