/* expand: writes out ops that are short programs of others: batch_norm_*, einsum, torch_index_select,
 * chlo.ragged_dot, chlo.scan. Custom calls @ragged_all_to_all get their groups as attributes.
 *
 * Pass weft-expand-ops. Needs static shapes; other ops are left alone. Leaves: none of these ops, except the last. It
 * runs before propagation, so that shardings propagate through the simpler ops. A sharding on the op moves to the op
 * that makes its result.
 */
#include "legalize/chlo.h"
#include "legalize/expand.h"
#include "legalize/legalize.h"
#include "legalize/product.h"

/* XLA's TorchIndexSelect: the operand's `dim` is looked up, its batch dimensions are those of the index. */
static weft_status torch_index_select(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                                      weft_value **out) {
    (void)r;
    const weft_type *x = in[0]->type, *index = in[1]->type;
    const int64_t dim = weft_op_int(op, WEFT_A_dim, 0), batch = weft_op_int(op, WEFT_A_batch_dims, 0);
    int64_t sizes[WEFT_MAX_RANK], offset[WEFT_MAX_RANK], batches[WEFT_MAX_RANK];
    uint32_t offsets = 0;
    for (uint32_t d = 0; d < x->rank; d++) {
        sizes[d] = d == dim || d < batch ? 1 : x->dims[d];
        if (d < batch) batches[d] = d;
        else if (d != dim) offset[offsets++] = d < dim ? d : d - 1 + index->rank - batch;
    }
    weft_attr dims = { .kind = WEFT_ATTR_GATHER };
    dims.gather = (weft_gather_dims){ .offset_dims = { offset, offsets }, .collapsed_slice_dims = { &dim, 1 },
                                      .operand_batching_dims = { batches, (uint32_t)batch },
                                      .start_indices_batching_dims = { batches, (uint32_t)batch },
                                      .start_index_map = { &dim, 1 }, .index_vector_dim = index->rank };
    const weft_attr_pair attrs[] = { { WEFT_A_dimension_numbers, weft_attr_copy(b->m->cx, &dims) },
                                     { WEFT_A_slice_sizes, weft_attr_ints(b->m->cx, WEFT_I64, sizes, x->rank) } };
    out[0] = weft_build_1(b, WEFT_OP_gather, op->results[0].type, in, 2, attrs, 2);
    return b->status;
}

static const lg_expander expander_of[WEFT_OP_COUNT] = {
    [WEFT_OP_batch_norm_inference] = lg_batch_norm_inference,
    [WEFT_OP_batch_norm_training] = lg_batch_norm_training,
    [WEFT_OP_batch_norm_grad] = lg_batch_norm_grad,
    [WEFT_OP_torch_index_select] = torch_index_select,
    [WEFT_OP_chlo_scan] = lg_scan,
    [WEFT_OP_chlo_ragged_dot] = lg_ragged_dot,
    [WEFT_OP_einsum] = lg_einsum,
    [WEFT_OP_unary_einsum] = lg_einsum,
};

static lg_expander find_expander(const weft_op *op) {
    return lg_is_ragged_all_to_all(op) ? lg_ragged_all_to_all : expander_of[op->kind];
}

static bool wanted(const weft_op *op) { return find_expander(op) != NULL; }

static bool is_static(const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!weft_type_is_static(op->operands[i]->type)) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!weft_type_is_static(op->results[i].type)) return false;
    return true;
}

/* Puts result i's sharding, if op has one, on the op that makes v. */
static weft_status keep_sharding(weft_builder *b, const weft_op *op, uint32_t i, weft_value *v) {
    const weft_attr *all = weft_op_attr(op, WEFT_A_sdy_sharding);
    if (!all || !v->def || v->def->result_count != 1 || all->kind != WEFT_ATTR_SHARDINGS || i >= all->items.n)
        return WEFT_OK;
    weft_attr one = *all;
    one.items.v = &all->items.v[i];
    one.items.n = 1;
    const weft_attr *kept = weft_attr_copy(b->m->cx, &one);
    return kept ? weft_op_set(b->m, v->def, WEFT_A_sdy_sharding, kept) : weft_oom();
}

static weft_status expand(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!wanted(op) || !is_static(op)) return WEFT_OK;
    weft_context *cx = b->m->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    const uint32_t first_new = b->m->op_count;
    weft_value **in = weft_scratch_array(cx, weft_value *, op->operand_count + 1),
               **out = weft_scratch_array(cx, weft_value *, op->result_count + 1);
    weft_status st = in && out ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) in[i] = r->map.to[op->operands[i]->id];
    if (st == WEFT_OK) st = find_expander(op)(r, b, op, in, out);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        r->map.to[op->results[i].id] = out[i];
        if (!out[i]->def || out[i]->def->id < first_new) continue;
        out[i]->hint = op->results[i].hint;
        st = keep_sharding(b, op, i, out[i]);
    }
    weft_arena_reset(&cx->scratch, mark);
    *did = WEFT_DONE;
    return st;
}

weft_status lg_offer(weft_rewrite *r, weft_builder *b, const weft_op *op) {
    weft_rewritten did = WEFT_KEEP;
    const weft_loc *loc = b->loc;
    b->loc = op->loc;
    weft_status st = r->op(r, b, op, &did);
    if (st == WEFT_OK && did == WEFT_KEEP) {
        weft_op *made = op->region_count ? weft_clone_shell(b, op, &r->map, NULL) : weft_clone_op(b, op, &r->map);
        st = b->status;
        if (st == WEFT_OK && op->region_count) st = weft_rewrite_regions(r, op, made);
    }
    b->loc = loc;
    return st;
}

weft_status weft_pass_expand_ops(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return lg_run(in, expand, wanted, out);
}
