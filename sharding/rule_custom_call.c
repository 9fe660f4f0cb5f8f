/* rule_custom_call.c: rules of the custom calls that JAX and XLA emit, by target name, and of those that the user
 * registered. Any other target has no rule: nothing propagates through it.
 *
 * Propagation follows Shardy's rules. Splitting work is another matter: Shardy lets shardings through a "Cholesky" as
 * if it were element by element, but a part of a matrix has other factors than the matrix. So a target has a second
 * rule, of work. */
#include "sharding/rule_build.h"
#include "sharding/rule_text.h"

void weft_rule_custom_call(weft_rule_builder *b);
void weft_rule_none(weft_rule_builder *b);
void weft_rule_pointwise(weft_rule_builder *b);

/* All but the last two dimensions pass; *row is the first of those two. False, and no rule, for less than a matrix. */
static bool batch_of_matrices(weft_rule_builder *b, int64_t *row) {
    b->none = weft_rule_rank(b, 0) < 2;
    if (b->none) return false;
    *row = (int64_t)weft_rule_rank(b, 0) - 2;
    weft_rule_all_dims(b, weft_rule_in(b, 0), (uint32_t)*row);
    return true;
}

/* [.., m, m] -> vectors [.., m, m], values [.., m]. */
static void eigh(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0);
    int64_t row, col;
    if (!batch_of_matrices(b, &row)) return;
    col = row + 1;
    weft_rule_in_out(b, row, row, in->dims[row], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
    uint32_t f = weft_rule_factor(b, in->dims[col], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
    weft_rule_map(b, 0, col, f);
    weft_rule_map(b, weft_rule_result(b, 0), col, f);
    weft_rule_map(b, weft_rule_result(b, 1), row, f);
}

/* [.., m, n] -> [.., m, n], each device working on whole matrices. */
static bool whole_matrices(weft_rule_builder *b, int64_t *row) {
    if (!batch_of_matrices(b, row)) return false;
    for (int64_t d = *row; d < *row + 2; d++)
        weft_rule_in_out(b, d, d, weft_rule_in(b, 0)->dims[d], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS);
    return true;
}

/* The same, and taus [.., min(m, n)]. */
static void qr(weft_rule_builder *b) {
    int64_t row;
    if (!whole_matrices(b, &row)) return;
    weft_rule_map(b, weft_rule_result(b, 1), row,
                  weft_rule_factor(b, weft_rule_out(b, 1)->dims[row], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS));
}

/* [.., m, n], taus [.., k] -> [.., m, n]. */
static void householder(weft_rule_builder *b) {
    int64_t row;
    if (!whole_matrices(b, &row)) return;
    weft_rule_map(b, 1, row,
                  weft_rule_factor(b, weft_rule_in(b, 1)->dims[row], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS));
}

static void top_k(weft_rule_builder *b) {
    weft_rule_mismatch(b, weft_rule_in(b, 0), weft_rule_out(b, 0), WEFT_FACTOR_REPLICATED, WEFT_RULE_BLOCKED);
}

/* operand, iota, two scalars -> values, indices. The reduced dimension can be reduced in parts. */
static void approx_top_k(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0);
    for (uint32_t d = 0; d < in->rank; d++) {
        if (in->dims[d] == out->dims[d]) {
            weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
            continue;
        }
        uint32_t f = weft_rule_factor(b, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
        weft_rule_map(b, 0, d, f);
        weft_rule_map(b, 1, d, f);
        f = weft_rule_factor(b, out->dims[d], WEFT_FACTOR_REPLICATED, WEFT_RULE_BLOCKED);
        weft_rule_map(b, weft_rule_result(b, 0), d, f);
        weft_rule_map(b, weft_rule_result(b, 1), d, f);
    }
}

/* rows, output, four tables -> output: rows go to any place of any device, whole. */
static void ragged_all_to_all(weft_rule_builder *b) {
    const weft_type *rows = weft_rule_in(b, 0);
    const uint32_t out = weft_rule_result(b, 0);
    b->none = !weft_rule_rank(b, 0) || weft_rule_rank(b, 1) != weft_rule_rank(b, 0) || b->operand_count != 6;
    if (b->none) return;
    weft_rule_map(b, 0, 0, weft_rule_factor(b, rows->dims[0], WEFT_FACTOR_REPLICATED, WEFT_RULE_BLOCKED));
    for (int64_t d = 0; d < weft_rule_rank(b, 0); d++) {
        const uint32_t f = d ? weft_rule_factor(b, rows->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS)
                             : weft_rule_factor(b, weft_rule_in(b, 1)->dims[0], WEFT_FACTOR_REPLICATED,
                                                WEFT_RULE_BLOCKED);
        if (d) weft_rule_map(b, 0, d, f);
        weft_rule_map(b, 1, d, f);
        weft_rule_map(b, out, d, f);
    }
    const uint32_t f = weft_rule_factor(b, weft_rule_in(b, 2)->dims[0], WEFT_FACTOR_REPLICATED, WEFT_RULE_BLOCKED);
    for (uint32_t i = 2; i < 6; i++) weft_rule_map(b, i, 0, f);
}

/* A 64-bit value from two halves. The state of a random generator stays unchanged. */
static void combine(weft_rule_builder *b) {
    const weft_value *v = &b->op->results[0];
    for (uint32_t i = b->uses ? b->uses->start[v->id] : 0; b->uses && i < b->uses->start[v->id + 1]; i++) {
        if (b->uses->use[i].op->kind != WEFT_OP_rng_bit_generator) continue;
        weft_rule_all(b, 0, v->type->dims[0], WEFT_FACTOR_REPLICATED, WEFT_RULE_BLOCKED);
        return;
    }
    weft_rule_pointwise(b);
}

/* --- of work ------------------------------------------------------------------------------------------------------ */

/* Each device takes some of a stack of matrices: operands and results have the stack's dimensions first, and no other
 * dimension is split. */
static void stack_work(weft_rule_builder *b) {
    int64_t rank = weft_rule_rank(b, 0), shared = 0;
    for (bool all = true; all && shared + 2 < rank; shared += all)
        for (uint32_t i = 0; i < b->tensor_count; i++)
            all = all && shared < weft_rule_rank(b, i) && b->types[i]->dims[shared] == b->types[0]->dims[shared];
    b->none = shared + 2 < rank;
    for (int64_t d = 0; d < shared; d++) weft_rule_all(b, d, b->types[0]->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
    for (uint32_t i = 0; i < b->tensor_count; i++)
        for (int64_t d = shared; d < weft_rule_rank(b, i); d++)
            weft_rule_map(b, i, d, weft_rule_factor(b, b->types[i]->dims[d], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS));
}

/* Along `chosen` elements are compared with each other. */
static void top_work(weft_rule_builder *b, uint32_t chosen) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0);
    for (uint32_t d = 0; d < in->rank; d++) {
        if (d != chosen) {
            weft_rule_all(b, d, in->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
            continue;
        }
        weft_rule_span(b, 0, b->operand_count, d,
                       weft_rule_factor(b, in->dims[d], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS));
        weft_rule_span(b, b->operand_count, b->tensor_count, d,
                       weft_rule_factor(b, out->dims[d], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS));
    }
}

/* Each device takes some of a batch: of what the first dimensions of all tensors number. */
static void batch_work(weft_rule_builder *b, uint32_t batch) {
    for (uint32_t d = 0; d < batch; d++) weft_rule_all(b, d, b->types[0]->dims[d], WEFT_FACTOR_PASS, WEFT_RULE_FLOWS);
    for (uint32_t i = 0; i < b->tensor_count; i++)
        for (int64_t d = batch; d < weft_rule_rank(b, i); d++)
            weft_rule_map(b, i, d, weft_rule_factor(b, b->types[i]->dims[d], WEFT_FACTOR_REPLICATED, WEFT_RULE_FLOWS));
}

static void top_k_work(weft_rule_builder *b) { top_work(b, weft_rule_rank(b, 0) - 1); }

/* The dimension is named in the call's configuration, which has two forms; usually it is the one that changes
 * its size. */
static void approx_top_k_work(weft_rule_builder *b) {
    const weft_type *in = weft_rule_in(b, 0), *out = weft_rule_out(b, 0);
    uint32_t chosen = 0, n = 0;
    for (uint32_t d = 0; d < in->rank; d++) {
        if (in->dims[d] == out->dims[d]) continue;
        chosen = d;
        n++;
    }
    if (n == 1) top_work(b, chosen);
    else b->none = true;
}

/* padding: each line along a passing factor is computed for itself, in bounded time whatever its elements are. A
 * factorization of padding may not end. */
static const struct target {
    const char *target;
    weft_rule_fn rule, work;
    uint32_t operands, results;
    bool padding;
} targets[] = {
    { "annotate_device_placement", weft_rule_pointwise, weft_rule_pointwise, 1, 1, true },
    { "Cholesky", weft_rule_pointwise, stack_work, 1, 1, false },
    { "CompactWyHelper", weft_rule_pointwise, stack_work, 1, 1, false },
    { "InspectSharding", weft_rule_pointwise, weft_rule_pointwise, 1, 0, false },
    { "InvertDiagBlocksLowerTriangular", weft_rule_pointwise, stack_work, 1, 1, false },
    { "InvertDiagBlocksUpperTriangular", weft_rule_pointwise, stack_work, 1, 1, false },
    { "LayoutConstraint", weft_rule_pointwise, weft_rule_pointwise, 1, 1, true },
    { "mhlo.erf", weft_rule_pointwise, weft_rule_pointwise, 1, 1, true },
    { "MoveToDevice", weft_rule_pointwise, weft_rule_pointwise, 1, 1, true },
    { "MoveToHost", weft_rule_pointwise, weft_rule_pointwise, 1, 1, true },
    { "X64SplitHigh", weft_rule_pointwise, weft_rule_pointwise, 1, 1, true },
    { "X64SplitLow", weft_rule_pointwise, weft_rule_pointwise, 1, 1, true },
    { "xla.megascale.provide_metadata", weft_rule_pointwise, weft_rule_pointwise, 1, 1, false },
    { "_SPMDInternalOp_MultiPad", weft_rule_pointwise, weft_rule_none, 1, 1, false },
    { "_SPMDInternalOp_RotateRight", weft_rule_pointwise, weft_rule_none, 1, 1, false },
    { "_SPMDInternalOp_MultiRotate", weft_rule_pointwise, weft_rule_none, 1, 1, false },
    { "_SPMDInternalOp_MultiSlice", weft_rule_pointwise, weft_rule_none, 1, 1, false },
    { "_SPMDInternalOp_Wrap", weft_rule_pointwise, weft_rule_none, 1, 1, false },
    { "Eigh", eigh, stack_work, 1, 2, false },
    { "Qr", qr, stack_work, 1, 2, false },
    { "QrDecompositionBlock", qr, stack_work, 1, 2, false },
    { "ProductOfElementaryHouseholderReflectors", householder, stack_work, 2, 1, false },
    { "mhlo.topk", top_k, top_k_work, 1, 2, true },
    { "ApproxTopK", approx_top_k, approx_top_k_work, 4, 2, true },
    { "PartialReduce", approx_top_k, approx_top_k_work, 4, 2, true },
    { "ragged_all_to_all", ragged_all_to_all, ragged_all_to_all, 6, 1, false },
    { "X64Combine", combine, weft_rule_pointwise, 1, 1, true },
    /* These are not to propagate anything. */
    { "sdy_testonly", weft_rule_none, weft_rule_none, 0, 0, false },
    { "tpu_custom_call", weft_rule_none, weft_rule_none, 0, 0, false },
    { "xla_python_cpu_callback", weft_rule_none, weft_rule_none, 0, 0, false },
    { "xla_python_gpu_callback", weft_rule_none, weft_rule_none, 0, 0, false },
    { "xla_ffi_python_cpu_callback", weft_rule_none, weft_rule_none, 0, 0, false },
    { "xla_ffi_python_gpu_callback", weft_rule_none, weft_rule_none, 0, 0, false },
    { "weft_callback", weft_rule_none, weft_rule_none, 0, 0, false },
    { "xla.debug.Log", weft_rule_none, weft_rule_none, 0, 0, false },
};

static const struct target *known(const weft_op *op, weft_str name) {
    for (size_t i = 0; i < WEFT_COUNT(targets); i++)
        if (weft_str_is(name, targets[i].target) && op->operand_count >= targets[i].operands &&
            op->result_count >= targets[i].results)
            return &targets[i];
    return NULL;
}

static weft_str target_of(const weft_op *op) {
    const weft_attr *target = weft_op_attr(op, WEFT_A_call_target_name);
    return target ? target->s : (weft_str){ 0 };
}

uint32_t weft_rule_batch_dims(const weft_op *op) {
    const weft_attr *text = weft_dict_get_named(weft_op_attr_named(op, "mhlo.frontend_attributes"), "num_batch_dims");
    const uint32_t tensors = op->operand_count + op->result_count;
    if (!text || text->kind != WEFT_ATTR_STRING || text->s.n != 1 || text->s.p[0] < '1' || text->s.p[0] > '9' ||
        !tensors)
        return 0;
    const uint32_t n = (uint32_t)(text->s.p[0] - '0');
    for (uint32_t t = 0; t < tensors; t++) {
        const weft_type *type = weft_op_value(op, t)->type;
        if (!weft_type_is_tensor(type) || !weft_type_is_static(type) || type->rank < n) return 0;
        for (uint32_t d = 0; d < n; d++)
            if (type->dims[d] != weft_op_value(op, 0)->type->dims[d]) return 0;
    }
    return n;
}

void weft_rule_custom_call(weft_rule_builder *b) {
    const weft_rule_text *text = weft_rule_text_find(b->cx, target_of(b->op));
    const struct target *target = known(b->op, target_of(b->op));
    const uint32_t batch = !text && !target && b->mode == WEFT_RULE_WORK ? weft_rule_batch_dims(b->op) : 0;
    if (text) weft_rule_text_build(b, text);
    else if (batch) batch_work(b, batch);
    else if (!target) b->none = true;
    else {
        b->padding = target->padding;
        (b->mode == WEFT_RULE_WORK ? target->work : target->rule)(b);
    }
}

bool weft_rule_is_unknown(const weft_context *cx, const weft_op *op) {
    return op->kind == WEFT_OP_custom_call && !weft_op_attr(op, WEFT_A_sdy_sharding_rule) &&
           !weft_rule_text_find(cx, target_of(op)) && !known(op, target_of(op)) && !weft_rule_batch_dims(op);
}

weft_status weft_rule_warn_unknown(weft_context *cx, const weft_op *op) {
    return weft_report(cx, WEFT_D_rule, op->loc,
                       "custom call @%.*s is unknown to SDY sharding rule registry; sdy.sharding_rule on it or "
                       "weft_rule_register says how it is sharded",
                       WEFT_STR_ARG(target_of(op)));
}
