/* gen_scatter.c: column `gen` of scatter and map.
 *
 * Where every element of the result can be hit by one update at most, because all scatter dimensions are batching ones
 * or of size 1 (a take_along_axis going backwards), the scatter is a comparison of the index with the element's place
 * and fuses like any other element-wise code. Otherwise, and where few elements of an operand in memory change (a
 * position of each sequence in a cache), the updates are applied to the operand's memory, or to a copy where the
 * operand is needed later, one after another in row-major order.
 */
#include "codegen/body.h"
#include "codegen/call.h"
#include "codegen/import.h"

typedef struct scatter {
    cg_node **operands, *indices, **updates;
    uint32_t n;
    cg_node *operand, *update; /* the first ones: all have the same shapes */
    weft_scatter_dims d;
    cg_block *body;
} scatter;

/* Dimension of the update that scatter dimension number k of the indices (index vector left out) runs along. */
static uint32_t scatter_dim(const scatter *s, uint32_t k) {
    uint32_t seen = 0;
    for (uint32_t d = 0; d < s->update->rank; d++)
        if (!weft_ints_has(s->d.update_window_dims, d) && seen++ == k) return d;
    return 0;
}

static uint32_t without_vector(const scatter *s, uint32_t dim) { return dim > s->d.index_vector_dim ? dim - 1 : dim; }

/* One update at most per element: only whole windows, and single places along the indexed dimensions. */
static bool hits_once(const scatter *s) {
    uint32_t window = 0;
    for (uint32_t d = 0; d < s->indices->rank; d++)
        if (d != s->d.index_vector_dim && s->indices->dims[d] != 1 &&
            !weft_ints_has(s->d.scatter_indices_batching_dims, d))
            return false;
    for (uint32_t d = 0; d < s->operand->rank; d++) {
        bool inserted = weft_ints_has(s->d.inserted_window_dims, d),
             batching = weft_ints_has(s->d.input_batching_dims, d);
        bool indexed = weft_ints_has(s->d.scatter_dims_to_operand_dims, d);
        if (inserted || batching) {
            if (inserted && !indexed && s->operand->dims[d] != 1) return false;
            continue;
        }
        int64_t size = s->update->dims[s->d.update_window_dims.v[window++]];
        if (indexed ? size != 1 : size != s->operand->dims[d]) return false;
    }
    return true;
}

/* A type that holds every place along the operand's dimensions and every index. */
static weft_dtype index_type(const scatter *s) {
    const weft_dtype t = (weft_dtype)s->indices->dtype;
    const int64_t most = (int64_t)1 << (8 * weft_dtype_bytes(t) - 2);
    for (uint32_t d = 0; d < s->operand->rank; d++)
        if (s->operand->dims[d] > most) return WEFT_I64;
    return t;
}

/* Index component k, spread over the operand's shape. */
static cg_node *start_of(cg_graph *g, const scatter *s, uint32_t k) {
    cg_view_dim view[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < s->indices->rank; d++) {
        const uint32_t at = weft_ints_place(s->d.scatter_indices_batching_dims, d);
        view[d] = cg_along(-1, 0, 1);
        if (d == s->d.index_vector_dim) view[d].offset = k;
        else if (at < s->d.scatter_indices_batching_dims.n)
            view[d].dim = (int32_t)s->d.input_batching_dims.v[at];
    }
    return cg_convert(g, cg_view(g, s->indices, s->operand->rank, s->operand->dims, view), index_type(s));
}

/* Where an element of the operand finds its update, when that is the one that hits it. */
static cg_node *spread_update(cg_graph *g, const scatter *s, cg_node *update) {
    const cg_node *x = s->operand;
    cg_view_dim view[WEFT_MAX_RANK];
    uint32_t window = 0;
    for (uint32_t d = 0; d < update->rank; d++) view[d] = cg_along(-1, 0, 1);
    for (uint32_t d = 0; d < x->rank; d++) {
        const uint32_t at = weft_ints_place(s->d.input_batching_dims, d);
        if (at < s->d.input_batching_dims.n)
            view[scatter_dim(s, without_vector(s, (uint32_t)s->d.scatter_indices_batching_dims.v[at]))].dim =
                (int32_t)d;
        else if (!weft_ints_has(s->d.inserted_window_dims, d)) {
            uint32_t u = (uint32_t)s->d.update_window_dims.v[window++];
            if (update->dims[u] != 1) view[u].dim = (int32_t)d;
        }
    }
    return cg_view(g, update, x->rank, x->dims, view);
}

static weft_status as_comparison(cg_import *im, const weft_op *op, const scatter *s) {
    cg_graph *g = im->g;
    const cg_node *x = s->operand;
    cg_node *hit = NULL, **args = weft_arena_array(&g->arena, cg_node *, 2 * s->n);
    if (!args) return weft_oom();
    for (uint32_t k = 0; k < s->d.scatter_dims_to_operand_dims.n; k++) {
        cg_node *both[2] = { cg_iota(g, index_type(s), x->rank, x->dims, s->d.scatter_dims_to_operand_dims.v[k]),
                             start_of(g, s, k) };
        cg_node *here = cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_EQ, both);
        hit = hit ? cg_binary(g, CG_OP_and, hit, here) : here;
    }
    for (uint32_t r = 0; r < s->n; r++) {
        args[r] = s->operands[r];
        if (!(args[s->n + r] = spread_update(g, s, s->updates[r]))) return weft_oom();
    }
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; r < s->n && st == WEFT_OK; r++) {
        cg_node *changed = cg_inline_body(g, s->body, args, r);
        cg_node *picked = hit && changed ? cg_scalar(g, CG_OP_select, (weft_dtype)args[r]->dtype, 0,
                                                     (cg_node *[]){ hit, changed, args[r] })
                                         : changed;
        st = cg_set(im, op, r, picked);
    }
    return st;
}

/* The updates one after another, where the operands stand. */
static weft_status in_turn(cg_import *im, const weft_op *op, const scatter *s) {
    cg_graph *g = im->g;
    cg_node **in = weft_arena_array(&g->arena, cg_node *, 2 * s->n + 1);
    if (!in) return weft_oom();
    bool apart = false; /* what the updates are made of must be read before they are written */
    for (uint32_t r = 0; r < s->n; r++)
        for (uint32_t k = 0; k < s->n; k++)
            apart = apart || cg_reads(s->updates[k], cg_base(s->operands[r])) ||
                    cg_reads(s->indices, cg_base(s->operands[r]));
    for (uint32_t r = 0; r < s->n; r++) {
        in[r] = cg_call_copy(g, s->operands[r]);
        in[s->n + 1 + r] = apart ? cg_in_memory(g, s->updates[r]) : s->updates[r];
    }
    in[s->n] = apart ? cg_in_memory(g, s->indices) : s->indices;
    cg_node *n =
        cg_begin(g, CG_SCATTER, (weft_dtype)s->operand->dtype, s->operand->rank, s->operand->dims, in, 2 * s->n + 1);
    if (!n) return weft_oom();
    n->result_count = s->n;
    n->aux = apart;
    n->scatter.dims = s->d;
    n->scatter.body = s->body;
    n = cg_finish(g, n);
    weft_status st = n ? WEFT_OK : weft_oom();
    for (uint32_t r = 0; r < s->n && st == WEFT_OK; r++)
        st = cg_set(im, op, r, s->n == 1 ? n : cg_part(g, n, r, op->results[r].type));
    return st;
}

static weft_status read_scatter(cg_import *im, const weft_op *op, scatter *s) {
    cg_graph *g = im->g;
    s->n = op->result_count;
    s->d = weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
    s->operands = weft_arena_array(&g->arena, cg_node *, s->n);
    s->updates = weft_arena_array(&g->arena, cg_node *, s->n);
    if (!s->operands || !s->updates) return weft_oom();
    weft_status st = cg_import_body(im, &op->regions[0], &s->body);
    for (uint32_t r = 0; r < s->n && st == WEFT_OK; r++) {
        const weft_dtype t = (weft_dtype)s->body->args[r]->dtype; /* spec, scatter: is_promotable */
        s->operands[r] = cg_convert(g, cg_of(im, op, r), t);
        s->updates[r] = cg_convert(g, cg_of(im, op, s->n + 1 + r), t);
        if (!s->operands[r] || !s->updates[r]) st = weft_oom();
    }
    s->operand = s->operands[0];
    s->update = s->updates[0];
    s->indices = cg_of(im, op, s->n);
    return st;
}

enum { MAX_SCATTERED = 16 };

/* Not made by a loop, into which a comparison could be fused. */
static bool is_in_memory(cg_node *x) {
    const cg_node *base = cg_base(x);
    return !cg_is(base, CG_LOOP) || cg_in_place(base);
}

weft_status weft_gen_scatter(cg_import *im, const weft_op *op) {
    scatter s = { 0 };
    weft_status st = read_scatter(im, op, &s);
    if (st != WEFT_OK) return st;
    if (!s.update->elems || !s.operand->elems) {
        for (uint32_t r = 0; r < s.n && st == WEFT_OK; r++) st = cg_set(im, op, r, s.operands[r]);
        return st;
    }
    /* in a loop, most likely: see slots.c */
    const bool inside = im->g->block->parent, few = cg_is_small_part(s.operand, s.update) && s.n <= MAX_SCATTERED;
    if (hits_once(&s) && !(few && (inside || is_in_memory(s.operand)))) return as_comparison(im, op, &s);
    if (s.n > MAX_SCATTERED)
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc,
                           "no code can be made for a scatter of more than %d tensors", MAX_SCATTERED);
    return in_turn(im, op, &s);
}

/* The body at every element. */
weft_status weft_gen_map(cg_import *im, const weft_op *op) {
    cg_graph *g = im->g;
    cg_block *body = NULL;
    weft_status st = cg_import_body(im, &op->regions[0], &body);
    cg_node **args = weft_arena_array(&g->arena, cg_node *, op->operand_count);
    if (st != WEFT_OK || !args) return st != WEFT_OK ? st : weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) args[i] = cg_of(im, op, i);
    return cg_set(im, op, 0, cg_inline_body(g, body, args, 0));
}
