/* rule_gather.c: rules of gather and scatter. In both, slices of an input are read or written at indices:
 *
 *   input    batching dimensions, collapsed dimensions (an index picks one), window dimensions
 *   indices  batch dimensions, and the vector of indices
 *   slices   the same batch dimensions, and the window dimensions ("offset" or "update window")
 *
 * so scatter's updates correspond to gather's result. Authority: StableHLO, gather and scatter; Shardy's rules for
 * them. */
#include "sharding/rule_build.h"

void weft_rule_gather(weft_rule_builder *b);
void weft_rule_scatter(weft_rule_builder *b);

typedef struct slicing {
    weft_rule_builder *b;
    bool scatter;
    uint32_t inputs;                     /* gather: 1 */
    const weft_type *input, *indices, *slices;
    weft_ints window, collapsed, input_batch, indices_batch;
    int64_t index_vector_dim;
    weft_factor_kind batch_kind;         /* of dimensions that only indices and slices have */
} slicing;

static void add(const slicing *s, int64_t input, int64_t indices, int64_t slices, int64_t size, weft_factor_kind kind,
                weft_rule_flow flow) {
    weft_rule_builder *b = s->b;
    uint32_t f = weft_rule_factor(b, size, kind, flow);
    for (uint32_t i = 0; i < s->inputs; i++) {
        weft_rule_map(b, i, input, f);
        if (s->scatter) {
            weft_rule_map(b, s->inputs + 1 + i, slices, f);
            weft_rule_map(b, weft_rule_result(b, i), input, f);
        }
    }
    weft_rule_map(b, s->inputs, indices, f);
    if (!s->scatter) weft_rule_map(b, weft_rule_result(b, 0), slices, f);
}

static void add_flows(const slicing *s, int64_t input, int64_t indices, int64_t slices, int64_t size,
                      weft_factor_kind kind) {
    add(s, input, indices, slices, size, kind, WEFT_RULE_FLOWS);
}

static void window_dim(const slicing *s, int64_t input, int64_t slices) {
    int64_t whole = s->input->dims[input], slice = s->slices->dims[slices];
    if (whole == slice) {
        add_flows(s, input, WEFT_NO_DIM, slices, whole, WEFT_FACTOR_PASS);
    } else if (s->b->mode == WEFT_RULE_WORK) { /* each device does the part of a window in its shard, possibly none */
        add_flows(s, input, WEFT_NO_DIM, WEFT_NO_DIM, whole, s->scatter ? WEFT_FACTOR_PASS : WEFT_FACTOR_REDUCTION);
        add_flows(s, WEFT_NO_DIM, WEFT_NO_DIM, slices, slice, WEFT_FACTOR_REPLICATED);
    } else if (s->scatter) {
        add_flows(s, input, WEFT_NO_DIM, WEFT_NO_DIM, whole, WEFT_FACTOR_REPLICATED);
        add_flows(s, WEFT_NO_DIM, WEFT_NO_DIM, slices, slice, WEFT_FACTOR_REPLICATED);
    } else if (slice == 1) { /* each device looks up its own elements; the results are added */
        add_flows(s, input, WEFT_NO_DIM, WEFT_NO_DIM, whole, WEFT_FACTOR_REDUCTION);
        add_flows(s, WEFT_NO_DIM, WEFT_NO_DIM, slices, slice, WEFT_FACTOR_REPLICATED);
    } else {
        add(s, input, WEFT_NO_DIM, slices, whole, WEFT_FACTOR_REPLICATED, WEFT_RULE_BLOCKED);
    }
}

/* batch counts the slices' batch dimensions, which run over the indices' dimensions except the vector. */
static void batch_dim(const slicing *s, int64_t batch, int64_t slices) {
    int64_t indices = batch < s->index_vector_dim ? batch : batch + 1, input = WEFT_NO_DIM;
    for (uint32_t i = 0; i < s->indices_batch.n; i++)
        if (s->indices_batch.v[i] == indices) input = s->input_batch.v[i];
    add_flows(s, input, indices, slices, s->slices->dims[slices],
              input == WEFT_NO_DIM ? s->batch_kind : WEFT_FACTOR_PASS);
}

static void slicing_rule(const slicing *s) {
    int64_t input = 0, batch = 0;
    for (uint32_t d = 0; d < s->slices->rank; d++) {
        if (weft_ints_has(s->window, d)) {
            while (weft_ints_has(s->collapsed, input) || weft_ints_has(s->input_batch, input)) input++;
            if (input >= s->input->rank) return; /* the verifier refuses such dimension numbers */
            window_dim(s, input++, d);
        } else {
            batch_dim(s, batch++, d);
        }
    }
    for (uint32_t i = 0; i < s->collapsed.n; i++) {
        int64_t size = s->input->dims[s->collapsed.v[i]];
        weft_factor_kind kind = s->scatter  ? WEFT_FACTOR_PASS
                                : size == 1 ? WEFT_FACTOR_REPLICATED
                                            : WEFT_FACTOR_REDUCTION;
        add_flows(s, s->collapsed.v[i], WEFT_NO_DIM, WEFT_NO_DIM, size, kind);
    }
    if (s->index_vector_dim < s->indices->rank)
        add_flows(s, WEFT_NO_DIM, s->index_vector_dim, WEFT_NO_DIM, s->indices->dims[s->index_vector_dim],
                  WEFT_FACTOR_REPLICATED);
}

void weft_rule_gather(weft_rule_builder *b) {
    const weft_gather_dims *n = &weft_op_attr(b->op, WEFT_A_dimension_numbers)->gather;
    slicing_rule(&(slicing){ .b = b, .inputs = 1, .input = weft_rule_in(b, 0), .indices = weft_rule_in(b, 1),
                             .slices = weft_rule_out(b, 0), .window = n->offset_dims,
                             .collapsed = n->collapsed_slice_dims, .input_batch = n->operand_batching_dims,
                             .indices_batch = n->start_indices_batching_dims, .index_vector_dim = n->index_vector_dim,
                             .batch_kind = WEFT_FACTOR_PASS });
}

/* Ops that devices can apply to their own parts first, in any order. */
static const struct { weft_op_kind kind; bool logical_only; } partial[] = {
    { WEFT_OP_add, false }, { WEFT_OP_multiply, false }, { WEFT_OP_maximum, false }, { WEFT_OP_minimum, false }, { WEFT_OP_and, true }, { WEFT_OP_or, true },
};

static bool can_be_partial(const weft_op *op, const weft_type *type) {
    for (size_t i = 0; i < WEFT_COUNT(partial); i++)
        if (op->kind == partial[i].kind) return !partial[i].logical_only || type->dtype == WEFT_I1;
    return false;
}

static bool is_arg(const weft_value *v, const weft_block *body, uint32_t index) {
    return !v->def && v->block == body && v->index == index;
}

/* Whether each result of scatter's body is the same such op of its old value and its update. */
static bool scatter_combines(const weft_op *scatter, uint32_t inputs) {
    const weft_block *body = weft_op_body(scatter, 0);
    if (!body || body->arg_count != 2 * inputs || !body->last || body->last->operand_count != inputs) return false;
    for (uint32_t i = 0; i < inputs; i++) {
        const weft_value *v = body->last->operands[i];
        const weft_op *op = v->def;
        if (!op || op->operand_count != 2 || !weft_type_is_tensor(v->type) || !can_be_partial(op, v->type))
            return false;
        if (op->kind != body->last->operands[0]->def->kind) return false;
        bool straight = is_arg(op->operands[0], body, i) && is_arg(op->operands[1], body, inputs + i);
        bool crossed = is_arg(op->operands[0], body, inputs + i) && is_arg(op->operands[1], body, i);
        if (!straight && !crossed) return false;
    }
    return true;
}

void weft_rule_scatter(weft_rule_builder *b) {
    const weft_scatter_dims *n = &weft_op_attr(b->op, WEFT_A_scatter_dimension_numbers)->scatter;
    uint32_t inputs = b->op->result_count;
    slicing_rule(
        &(slicing){ .b = b, .scatter = true, .inputs = inputs, .input = weft_rule_in(b, 0),
                    .indices = weft_rule_in(b, inputs), .slices = weft_rule_in(b, inputs + 1),
                    .window = n->update_window_dims, .collapsed = n->inserted_window_dims,
                    .input_batch = n->input_batching_dims, .indices_batch = n->scatter_indices_batching_dims,
                    .index_vector_dim = n->index_vector_dim,
                    .batch_kind = scatter_combines(b->op, inputs) ? WEFT_FACTOR_REDUCTION : WEFT_FACTOR_REPLICATED });
}
