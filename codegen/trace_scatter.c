/* trace_scatter.c: the updates of a scatter as stores at computed places, over the space of the updates. */
#include "codegen/trace.h"

/* StableHLO spec, scatter: the update's scatter dimensions select a start index, its window dimensions an element behind
 * that; updates outside of the operand are dropped. */
static uint32_t place(tracer *t, const cg_node *n, const cg_ix *parts, cg_ix *at) {
    cg_node *x = n->in[0], *indices = n->in[1];
    const weft_scatter_dims *s = &n->scatter.dims;
    cg_ix batch[WEFT_MAX_RANK];
    uint32_t b = 0, window = 0, which, guard = CG_NONE;
    for (uint32_t d = 0; d < n->in[2]->rank; d++) {
        if (trace_listed(s->update_window_dims, d, NULL)) continue;
        if (b == (uint32_t)s->index_vector_dim) b++;
        batch[b++] = parts[d];
    }
    for (uint32_t d = 0; d < x->rank && !t->failed; d++) {
        at[d] = trace_fixed(0);
        if (trace_listed(s->input_batching_dims, d, &which)) {
            at[d] = batch[s->scatter_indices_batching_dims.v[which]];
            continue;
        }
        if (!trace_listed(s->inserted_window_dims, d, NULL)) at[d] = parts[s->update_window_dims.v[window++]];
        if (!trace_listed(s->scatter_dims_to_operand_dims, d, &which)) continue;
        if (s->index_vector_dim < indices->rank) batch[s->index_vector_dim] = trace_fixed(which);
        cg_ix start = trace_fixed(0);
        uint32_t v = trace_value(t, indices, &(element){ false, batch }, CG_NONE);
        if (t->failed) return CG_NONE;
        if (indices->dtype != WEFT_I64) v = trace_scalar(t, CG_OP_convert, WEFT_I64, indices->dtype, v, CG_NONE, CG_NONE);
        start.sym = v;
        at[d] = trace_add(t, &at[d], &start, 1);
        guard = trace_within(t, &at[d], 0, x->dims[d], guard);
    }
    return guard;
}

/* The operand, already in the memory of the result, must be complete before: another kernel's work. */
void trace_scatter(tracer *t, cg_node *n) {
    cg_kernel *k = t->k;
    cg_ix full = trace_natural_full(t), parts[WEFT_MAX_RANK], at[WEFT_MAX_RANK];
    element whole = { true, &full };
    if (t->inlines(t->user, n->in[0]) || n->in[2]->elems != k->total || k->sum_count == WEFT_COUNT(k->sums) || k->store_count == CG_MAX_PARAMS) {
        trace_fail(t, n);
        return;
    }
    if (!trace_apart(t, n->in[2], &whole, parts)) return;
    cg_store s = { .kind = CG_UPDATE, .level = (uint8_t)k->var_count, .fold = k->sum_count };
    s.guard = place(t, n, parts, at);
    s.ix = trace_number(t, n, &(element){ false, at });
    s.value = trace_value(t, n->in[2], &whole, CG_NONE);
    s.param = trace_param(t, n);
    trace_param(t, n->in[0]); /* stands in the same memory, and must be there before */
    if (t->failed) return;
    s.phase = k->ins[s.value].ready;
    if (s.guard != CG_NONE && k->ins[s.guard].ready > s.phase) s.phase = k->ins[s.guard].ready;
    if (s.ix.sym != CG_NONE && k->ins[s.ix.sym].ready > s.phase) s.phase = k->ins[s.ix.sym].ready;
    k->written |= weft_bit(s.param);
    k->sums[k->sum_count++] = (cg_fold){ .node = n, .body = n->scatter.body, .n = 1, .value = { s.value }, .init = { s.value }, .phase = s.phase };
    k->stores[k->store_count++] = s;
}
