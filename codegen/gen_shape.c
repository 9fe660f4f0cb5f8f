/* gen_shape.c: column `gen` of constants and of the ops that only move elements. */
#include "codegen/call.h"
#include "codegen/import.h"

weft_status weft_gen_constant(cg_import *im, const weft_op *op) {
    return cg_set(im, op, 0, cg_constant(im->g, weft_op_attr(op, WEFT_A_value)));
}

weft_status weft_gen_iota(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    return cg_set(im, op, 0, cg_iota(im->g, t->dtype, t->rank, t->dims, weft_op_int(op, WEFT_A_iota_dimension, 0)));
}

weft_status weft_gen_broadcast(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    cg_node *x = cg_of(im, op, 0);
    int64_t where[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) where[i] = t->rank - x->rank + i;
    return cg_set(im, op, 0, cg_broadcast(im->g, x, t->rank, t->dims, (weft_ints){ where, x->rank }));
}

weft_status weft_gen_broadcast_in_dim(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    return cg_set(im, op, 0,
                  cg_broadcast(im->g, cg_of(im, op, 0), t->rank, t->dims,
                               weft_op_ints(op, WEFT_A_broadcast_dimensions)));
}

weft_status weft_gen_reshape(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    return cg_set(im, op, 0, cg_reshape(im->g, cg_of(im, op, 0), t->rank, t->dims));
}

weft_status weft_gen_transpose(cg_import *im, const weft_op *op) {
    return cg_set(im, op, 0, cg_transpose(im->g, cg_of(im, op, 0), weft_op_ints(op, WEFT_A_permutation)));
}

weft_status weft_gen_reverse(cg_import *im, const weft_op *op) {
    cg_node *x = cg_of(im, op, 0);
    weft_ints dims = weft_op_ints(op, WEFT_A_dimensions);
    cg_view_dim view[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) view[i] = cg_along((int32_t)i, 0, 1);
    for (uint32_t i = 0; i < dims.n; i++) view[dims.v[i]] = cg_along((int32_t)dims.v[i], x->dims[dims.v[i]] - 1, -1);
    return cg_set(im, op, 0, cg_view(im->g, x, x->rank, x->dims, view));
}

weft_status weft_gen_slice(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    weft_ints start = weft_op_ints(op, WEFT_A_start_indices), step = weft_op_ints(op, WEFT_A_strides);
    cg_view_dim view[WEFT_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) view[i] = cg_along((int32_t)i, start.v[i], step.n ? step.v[i] : 1);
    return cg_set(im, op, 0, cg_view(im->g, cg_of(im, op, 0), t->rank, t->dims, view));
}

/* Negative padding cuts: a slice first. */
weft_status weft_gen_pad(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    cg_node *x = cg_of(im, op, 0), *value = cg_of(im, op, 1);
    weft_ints low = weft_op_ints(op, WEFT_A_edge_padding_low), interior = weft_op_ints(op, WEFT_A_interior_padding);
    if (!x->elems) return cg_set(im, op, 0, cg_broadcast(im->g, value, t->rank, t->dims, (weft_ints){ 0 }));
    return cg_set(im, op, 0, cg_pad(im->g, x, value, low.v, interior.v, t->dims));
}

weft_status weft_gen_concatenate(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    const int64_t dim = weft_op_int(op, WEFT_A_dimension, 0);
    cg_node **in = weft_arena_array(&im->g->arena, cg_node *, op->operand_count);
    uint32_t n = 0;
    if (!in) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (cg_of(im, op, i)->dims[dim]) in[n++] = cg_of(im, op, i);
    return cg_set(im, op, 0, n ? cg_concat(im->g, in, n, dim, t->dims) : cg_of(im, op, 0));
}

static weft_status sliced(cg_import *im, const weft_op *op, cg_class cls) {
    const weft_type *t = op->results[0].type;
    cg_node **in = weft_arena_array(&im->g->arena, cg_node *, op->operand_count);
    if (!in) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = cg_of(im, op, i);
    return cg_set(im, op, 0, cg_finish(im->g, cg_begin(im->g, cls, t->dtype, t->rank, t->dims, in, op->operand_count)));
}

weft_status weft_gen_dynamic_slice(cg_import *im, const weft_op *op) { return sliced(im, op, CG_DYNAMIC_SLICE); }
/* A small part of a large operand is written where that stands: the rest is copied at once, or not at all (slots.c). */
static weft_status place(cg_import *im, const weft_op *op) {
    cg_node **in = weft_arena_array(&im->g->arena, cg_node *, op->operand_count);
    if (!in) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = cg_of(im, op, i);
    const bool apart = cg_reads(in[1], cg_base(in[0]));
    if (!(in[0] = cg_call_copy(im->g, in[0]))) return weft_oom();
    if (apart) in[1] = cg_in_memory(im->g, in[1]);
    cg_node *n = cg_begin(im->g, CG_PLACE, (weft_dtype)in[0]->dtype, in[0]->rank, in[0]->dims, in, op->operand_count);
    if (n) n->aux = apart;
    return cg_set(im, op, 0, cg_finish(im->g, n));
}

weft_status weft_gen_dynamic_update_slice(cg_import *im, const weft_op *op) {
    const cg_node *x = cg_of(im, op, 0), *update = cg_of(im, op, 1);
    return cg_is_small_part(x, update) ? place(im, op) : sliced(im, op, CG_DYNAMIC_UPDATE);
}

weft_status weft_gen_gather(cg_import *im, const weft_op *op) {
    const weft_type *t = op->results[0].type;
    cg_node *in[2] = { cg_of(im, op, 0), cg_of(im, op, 1) };
    cg_node *n = cg_begin(im->g, CG_GATHER, t->dtype, t->rank, t->dims, in, 2);
    if (!n) return weft_oom();
    n->gather.dims = weft_op_attr(op, WEFT_A_dimension_numbers)->gather;
    n->gather.sizes = weft_op_ints(op, WEFT_A_slice_sizes).v;
    return cg_set(im, op, 0, cg_finish(im->g, n));
}

static weft_status device_id(cg_import *im, const weft_op *op, int64_t which) {
    const weft_type *t = op->results[0].type;
    cg_node *n = cg_begin(im->g, CG_DEVICE_ID, t->dtype, t->rank, t->dims, NULL, 0);
    if (n) n->aux = which;
    return cg_set(im, op, 0, cg_finish(im->g, n));
}

weft_status weft_gen_partition_id(cg_import *im, const weft_op *op) { return device_id(im, op, 0); }
weft_status weft_gen_replica_id(cg_import *im, const weft_op *op) { return device_id(im, op, 1); }
