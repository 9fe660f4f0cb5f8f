/* trace_scatter.c: what is folded in memory element by element: updates of a scatter, prefixes of a scan. */
#include "codegen/trace.h"

/* StableHLO spec, scatter: the update's scatter dimensions select a start index, its window dimensions an element after
 * that; updates outside of the operand are dropped. */
static uint32_t place(tracer *t, const cg_node *n, const cg_ix *parts, cg_ix *at) {
    cg_node *x = n->in[0], *indices = n->in[n->result_count];
    const weft_scatter_dims *s = &n->scatter.dims;
    cg_ix batch[WEFT_MAX_RANK];
    uint32_t b = 0, window = 0, which, guard = CG_NONE;
    for (uint32_t d = 0; d < n->in[n->result_count + 1]->rank; d++) {
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
        start.sym = trace_signed(t, v, (weft_dtype)indices->dtype);
        at[d] = trace_add(t, &at[d], &start, 1);
        guard = trace_within(t, &at[d], 0, x->dims[d], guard);
    }
    return guard;
}

/* Over the space of the updates. The operands, already in the memory of the results, must be complete before: another
 * kernel's work. */
void trace_scatter(tracer *t, cg_node *n) {
    const uint32_t count = n->result_count;
    cg_node *update = n->in[count + 1];
    cg_ix full = trace_natural_full(t), parts[WEFT_MAX_RANK], at[WEFT_MAX_RANK];
    element whole = { true, &full };
    cg_fold f = { .node = n, .body = n->scatter.body, .n = count };
    for (uint32_t r = 0; r < count; r++)
        if (t->inlines(t->user, n->in[r])) trace_fail(t, n);
    for (uint32_t i = count; n->aux && i < n->in_count; i++)
        if (t->inlines(t->user, cg_base(n->in[i]))) trace_fail(t, n);
    if (update->elems != t->k->total || count > WEFT_COUNT(f.value)) trace_fail(t, n);
    if (t->failed || !trace_apart(t, update, &whole, parts)) return;
    cg_store s = { .kind = CG_UPDATE, .level = (uint8_t)t->k->var_count };
    s.guard = place(t, n, parts, at);
    s.ix = trace_number(t, n->in[0], &(element){ false, at });
    for (uint32_t r = 0; r < count && !t->failed; r++) {
        f.init[r] = f.value[r] = trace_value(t, n->in[count + 1 + r], &whole, CG_NONE);
        trace_param(t, n->in[r]); /* stands in the same memory, and must be there before */
    }
    if (!t->failed) trace_fold_store(t, n, f, s);
}

/* Over the space of the operands, which is walked in row-major order: what the prefix before gave stands in memory. */
void trace_scan(tracer *t, cg_node *n) {
    cg_node *x = n->in[0];
    cg_ix full = trace_natural_full(t), parts[WEFT_MAX_RANK];
    element whole = { true, &full };
    if (x->elems != t->k->total) trace_fail(t, n);
    if (t->failed || !trace_apart(t, x, &whole, parts)) return;
    cg_store s = { .kind = CG_RUNNING, .level = (uint8_t)t->k->var_count, .ix = full, .back = 1 };
    for (uint32_t d = (uint32_t)n->aux + 1; d < x->rank; d++) s.back *= x->dims[d];
    cg_ins first = trace_blank(CG_I_RANGE, WEFT_I1);
    first.ix = parts[n->aux];
    first.lo = 1;
    first.hi = x->dims[n->aux];
    s.guard = trace_emit(t, first);
    const cg_fold f = trace_fold(t, n, &whole);
    if (!t->failed) trace_fold_store(t, n, f, s);
}

/* Over the space of the update. */
void trace_place(tracer *t, cg_node *n) {
    cg_node *x = n->in[0], *update = n->in[1];
    cg_ix full = trace_natural_full(t), parts[WEFT_MAX_RANK], at[WEFT_MAX_RANK];
    element whole = { true, &full };
    if (t->inlines(t->user, x) || (n->aux && t->inlines(t->user, cg_base(update))) || update->elems != t->k->total)
        trace_fail(t, n);
    if (t->failed || !trace_apart(t, update, &whole, parts)) return;
    for (uint32_t d = 0; d < x->rank && !t->failed; d++) {
        const cg_ix start = trace_start(t, n->in[2 + d], x->dims[d] - update->dims[d]);
        if (!t->failed) at[d] = trace_add(t, &parts[d], &start, 1);
    }
    const uint32_t v = t->failed ? CG_NONE : trace_value(t, update, &whole, CG_NONE);
    if (t->failed) return;
    trace_param(t, x); /* stands in the same memory, and must be there before */
    if (!t->failed) trace_store(t, n, v, trace_number(t, x, &(element){ false, at }), t->k->var_count);
}
