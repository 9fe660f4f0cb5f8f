/* sdy-explicit-gather-scatter-batching: in a gather or scatter whose i-th index vector has i for dimension 0 of the
 * operand, as x[arange(n), k] does, that dimension becomes a batching dimension, which can be sharded without
 * communication, and is removed from the index vectors. Needs: nothing. Leaves: the same values; constants and unread
 * ops as ir/tidy.h says. Source: Shardy, sdy_import_passes. Shardy accepts any iota as such an index, Weft only one
 * that provably counts along dimension 0 of the indices. */
#include "ir/tidy.h"
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

/* The common parts of gather and scatter. */
typedef struct slicer {
    const weft_value *indices;
    const weft_type *operand;
    weft_ints map, collapsed, batching;
    int64_t vector_dim;
    uint32_t indices_operand;
} slicer;

static bool slicer_of(const weft_op *op, slicer *s) {
    if (op->kind == WEFT_OP_gather) {
        const weft_gather_dims *n = &weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
        *s = (slicer){ op->operands[1], op->operands[0]->type, n->start_index_map, n->collapsed_slice_dims,
                       n->operand_batching_dims, n->index_vector_dim, 1 };
    } else if (op->kind == WEFT_OP_scatter) {
        const weft_scatter_dims *n = &weft_op_attr(op, WEFT_A_scatter_dimension_numbers)->scatter;
        uint32_t inputs = op->result_count;
        *s = (slicer){ op->operands[inputs], op->operands[0]->type, n->scatter_dims_to_operand_dims,
                       n->inserted_window_dims, n->input_batching_dims, n->index_vector_dim, inputs };
    } else {
        return false;
    }
    return s->operand->kind == WEFT_TYPE_TENSOR && s->indices->type->kind == WEFT_TYPE_TENSOR &&
           weft_type_is_static(s->operand) && weft_type_is_static(s->indices->type);
}

static int64_t position(weft_ints v, int64_t what) {
    for (uint32_t i = 0; i < v.n; i++)
        if (v.v[i] == what) return i;
    return -1;
}

/* Values that count along a dimension. */

/* The number that all elements of v equal. */
static bool all_equal(const weft_value *v, int64_t *out) {
    while (v->def && (v->def->kind == WEFT_OP_broadcast_in_dim || v->def->kind == WEFT_OP_reshape))
        v = v->def->operands[0];
    const weft_attr *a = v->def && (v->def->kind == WEFT_OP_constant || v->def->kind == WEFT_OP_sdy_constant)
                             ? weft_op_attr(v->def, WEFT_A_value)
                             : NULL;
    if (!a || a->kind != WEFT_ATTR_DENSE || !weft_type_is_tensor(v->type) || !weft_dtype_is_integer(v->type->dtype))
        return false;
    if (!a->dense.splat && weft_type_elems(v->type) != 1) return false;
    *out = weft_dense_int(a, 0);
    return true;
}

static int64_t before(const weft_op *op, uint32_t d) {
    const weft_type *in = op->operands[0]->type, *out = op->results[0].type;
    if (op->kind == WEFT_OP_reshape) return weft_type_dim_before(in, out, d);
    int64_t i = position(weft_op_ints(op, WEFT_A_broadcast_dimensions), d);
    return i >= 0 && in->dims[i] == out->dims[d] ? i : -1;
}

/* Whether pred is x < 0. */
static bool is_negative(const weft_value *pred, const weft_value *x) {
    const weft_op *op = pred->def;
    int64_t bound;
    return op && op->kind == WEFT_OP_compare &&
           weft_op_attr(op, WEFT_A_comparison_direction)->e == WEFT_comparison_direction_LT && op->operands[0] == x &&
           all_equal(op->operands[1], &bound) && bound <= 0;
}

static bool counts_in_range(const weft_op *iota, uint32_t d) {
    const weft_type *t = iota->results[0].type;
    if (weft_op_int(iota, WEFT_A_iota_dimension, -1) != d || !weft_dtype_is_integer(t->dtype)) return false;
    const uint32_t bits = weft_dtype_of(t->dtype)->bits;
    return bits > 32 || t->dims[d] <= (int64_t)1 << (bits - 1);
}

/* Whether each element of v is its own index along dimension d. */
static bool counts(const weft_value *v, uint32_t d) {
    const weft_op *op = v->def;
    int64_t low, high, in;
    if (!op || v->type->kind != WEFT_TYPE_TENSOR || d >= v->type->rank) return false;
    switch (op->kind) {
    case WEFT_OP_iota: return counts_in_range(op, d);
    case WEFT_OP_reshape:
    case WEFT_OP_broadcast_in_dim: return (in = before(op, d)) >= 0 && counts(op->operands[0], (uint32_t)in);
    case WEFT_OP_select:
        return is_negative(op->operands[0], op->operands[2]) && counts(op->operands[2], d); /* x < 0 ? x + n : x */
    case WEFT_OP_clamp:
        return all_equal(op->operands[0], &low) && low <= 0 && all_equal(op->operands[2], &high) &&
               high >= v->type->dims[d] - 1 && counts(op->operands[1], d);
    default: return false;
    }
}

static const weft_op *joined_components(const slicer *s) {
    const weft_op *join = s->indices->def;
    if (!join || join->kind != WEFT_OP_concatenate || weft_op_int(join, WEFT_A_dimension, -1) != s->vector_dim)
        return NULL;
    return (int64_t)join->operand_count == s->indices->type->dims[s->vector_dim] ? join : NULL;
}

/* The component of the index vectors that op does not need, or -1. */
static int64_t batch_component(const weft_op *op) {
    slicer s;
    if (!slicer_of(op, &s) || s.batching.n || !s.operand->rank) return -1;
    const weft_type *t = s.indices->type;
    if (s.vector_dim < 1 || s.vector_dim >= t->rank || t->dims[s.vector_dim] <= 1 || t->dims[0] != s.operand->dims[0])
        return -1;
    int64_t component = position(s.map, 0);
    if (component < 0 || position(s.collapsed, 0) < 0) return -1;
    const weft_op *join = joined_components(&s);
    return counts(join ? join->operands[component] : s.indices, 0) ? component : -1;
}

static bool is_batched(const weft_op *op) { return batch_component(op) >= 0; }

/* Copying. */

static weft_ints ints_without(weft_ints v, int64_t at, int64_t *store) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < v.n; i++)
        if (i != at) store[n++] = v.v[i];
    return (weft_ints){ store, n };
}

/* The dimension numbers with dimension 0 as batching dimension of operand and indices. */
static const weft_attr *batched_numbers(weft_context *cx, const weft_op *op, const slicer *s, int64_t component) {
    static const int64_t zero[1];
    const weft_ints first = { zero, 1 };
    int64_t *map = weft_scratch_array(cx, int64_t, s->map.n),
            *collapsed = weft_scratch_array(cx, int64_t, s->collapsed.n);
    if (!map || !collapsed) return NULL;
    const weft_ints new_map = ints_without(s->map, component, map);
    const weft_ints new_collapsed = ints_without(s->collapsed, position(s->collapsed, 0), collapsed);
    weft_attr a =
        *weft_op_attr(op, op->kind == WEFT_OP_gather ? WEFT_A_dimension_numbers : WEFT_A_scatter_dimension_numbers);
    if (op->kind == WEFT_OP_gather) {
        a.gather.operand_batching_dims = a.gather.start_indices_batching_dims = first;
        a.gather.start_index_map = new_map;
        a.gather.collapsed_slice_dims = new_collapsed;
    } else {
        a.scatter.input_batching_dims = a.scatter.scatter_indices_batching_dims = first;
        a.scatter.scatter_dims_to_operand_dims = new_map;
        a.scatter.inserted_window_dims = new_collapsed;
    }
    return weft_attr_copy(cx, &a);
}

/* Components [from, to) of the index vectors. */
static weft_value *slice_components(weft_copy *c, const slicer *s, int64_t from, int64_t to) {
    return weft_build_cut(&c->b, weft_copy_of(c, s->indices), (uint32_t)s->vector_dim, from, to);
}

static weft_value *join(weft_copy *c, const slicer *s, weft_value **parts, uint32_t n) {
    return n == 1 ? parts[0] : weft_build_concatenate(&c->b, parts, n, (uint32_t)s->vector_dim);
}

/* The index vectors without the component. */
static weft_value *shorter_vectors(weft_copy *c, const slicer *s, int64_t component) {
    const weft_op *joined = joined_components(s);
    int64_t length = s->indices->type->dims[s->vector_dim];
    weft_value **parts = weft_scratch_array(c->b.m->cx, weft_value *, joined ? joined->operand_count : 2);
    uint32_t n = 0;
    if (!parts) {
        c->b.status = weft_oom();
        return NULL;
    }
    for (uint32_t i = 0; joined && i < joined->operand_count; i++)
        if (i != component) parts[n++] = weft_copy_of(c, joined->operands[i]);
    if (!joined && component > 0) parts[n++] = slice_components(c, s, 0, component);
    if (!joined && component + 1 < length) parts[n++] = slice_components(c, s, component + 1, length);
    return c->b.status == WEFT_OK ? join(c, s, parts, n) : NULL;
}

static weft_status batch(weft_copy *c, const weft_op *op, int64_t component) {
    weft_context *cx = c->b.m->cx;
    slicer s;
    slicer_of(op, &s);
    c->b.loc = op->loc;
    weft_value *plain = weft_copy_of(c, s.indices), *indices = shorter_vectors(c, &s, component);
    const weft_attr *numbers = indices ? batched_numbers(cx, op, &s, component) : NULL;
    if (!numbers) return c->b.status == WEFT_OK ? weft_oom() : c->b.status;
    weft_copy_map(c, s.indices, indices); /* for this operand alone; other readers keep plain */
    weft_op *copy = weft_copy_op(c, op);
    weft_copy_map(c, s.indices, plain);
    if (!copy) return c->b.status;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (i != s.indices_operand && op->operands[i] == s.indices) copy->operands[i] = plain;
    return weft_op_set(c->out, copy,
                       op->kind == WEFT_OP_gather ? WEFT_A_dimension_numbers : WEFT_A_scatter_dimension_numbers,
                       numbers);
}

static weft_status visit(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    int64_t component = batch_component(op);
    if (component < 0) return WEFT_OK;
    *answer = WEFT_COPY_DONE;
    weft_mark mark = weft_arena_mark(&c->b.m->cx->scratch);
    weft_status st = batch(c, op, component);
    weft_arena_reset(&c->b.m->cx->scratch, mark);
    return st;
}

weft_status weft_pass_explicit_gather_scatter_batching(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_module *batched = NULL, *tidy = NULL;
    (void)p;
    weft_status st = weft_module_has(in, is_batched)
                         ? weft_copy_module(in, &(weft_copy_hooks){ .visit = visit }, NULL, &batched)
                         : WEFT_OK;
    if (st == WEFT_OK) st = weft_tidy(batched ? batched : in, &tidy);
    if (st == WEFT_OK) *out = tidy ? tidy : batched;
    if (st != WEFT_OK || tidy) weft_module_free(batched);
    return st;
}
