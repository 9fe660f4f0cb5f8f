/* build.c: one op, with or without regions. Result types come from inference, so that makers refuse the same programs
 * as the verifier, at the caller's line. */
#include "capi/graph_impl.h"

/* The blocks of the shell's regions become the op's. */
static void give_regions(const weft_op *shell, weft_op *op) {
    for (uint32_t r = 0; r < shell->region_count; r++) {
        op->regions[r].first = shell->regions[r].first;
        op->regions[r].last = shell->regions[r].last;
        WEFT_EACH_BLOCK(blk, &op->regions[r]) blk->parent = &op->regions[r];
    }
}

/* What a result's type is before inference, for an op that may choose: that of its operand, or of what its body
 * returns. */
static const weft_type *guess(const weft_op *op, const weft_type *given, uint32_t i) {
    if (given) return given;
    if (op->operand_count && (!op->region_count || op->kind == WEFT_OP_while))
        return op->operands[i < op->operand_count ? i : 0]->type;
    size_t n = 0;
    weft_value *const *yields = op->region_count ? weft_graph_yields(op, op->region_count - 1u, &n) : NULL;
    if (i < n) return yields[i]->type;
    return op->operand_count ? op->operands[0]->type : NULL;
}

/* The types of the probe's results, where types (which may be NULL) has none; reports. */
static weft_status infer(weft_graph *g, weft_op *probe, const weft_type **types, const weft_type **inferred) {
    bool known = true;
    for (uint32_t i = 0; i < probe->result_count; i++) {
        const weft_type *t = guess(probe, types ? types[i] : NULL, i);
        probe->results[i] = (weft_value){ .def = probe, .index = i, .type = t };
        known = known && t;
    }
    weft_status st = known ? weft_infer(g->cx, probe, inferred) : WEFT_OK;
    for (uint32_t i = 0; i < probe->result_count && st == WEFT_OK; i++) {
        if (types && types[i]) inferred[i] = types[i];
        known = known && inferred[i];
    }
    if (st == WEFT_OK && !known)
        st = weft_report(g->cx, WEFT_D_usage, g->b.loc, "the result type of '%s' must be given", probe->name->text);
    for (uint32_t i = 0; st == WEFT_OK && i < probe->result_count; i++)
        if (weft_type_is_tensor(inferred[i]) && weft_type_is_static(inferred[i]) && weft_type_bytes(inferred[i]) < 0)
            st = weft_report(g->cx, WEFT_D_verify, g->b.loc, "a result of '%s' has more bytes than can be counted",
                             probe->name->text);
    return st;
}

/* With the regions of shell, which may be NULL. */
static weft_op *build(weft_graph *g, weft_op_kind kind, weft_op *shell, weft_value *const *x, size_t n,
                      const weft_attr_pair *attrs, size_t attr_count, const weft_type **types, size_t result_count) {
    weft_context *cx = g->cx;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_op *made = NULL, alone = { 0 }, *probe = shell ? shell : &alone; /* outside of the module */
    weft_status st = WEFT_ERR_MEMORY;
    weft_named_attr *named = weft_scratch_array(cx, weft_named_attr, attr_count);
    weft_value **operands = weft_scratch_array(cx, weft_value *, n);
    weft_value *results = weft_scratch_array(cx, weft_value, result_count);
    const weft_type **inferred = weft_scratch_array(cx, const weft_type *, result_count);
    weft_name name = weft_name_from(cx, weft_op_info_of(kind)->name);
    if (!named || !operands || !results || !inferred || !name) goto out;
    for (size_t i = 0; i < attr_count; i++) {
        named[i] = (weft_named_attr){ weft_name_from(cx, weft_attr_names[attrs[i].name]), attrs[i].value };
        if (!named[i].name || !named[i].value) goto out;
    }
    if (n) memcpy(operands, x, n * sizeof *operands);
    *probe = (weft_op){ .kind = (uint16_t)kind, .name = name, .loc = g->b.loc, .parent = g->b.block,
                        .operands = operands, .operand_count = (uint32_t)n, .results = results,
                        .result_count = (uint32_t)result_count, .attrs = named, .attr_count = (uint32_t)attr_count,
                        .regions = probe->regions, .region_count = probe->region_count };
    st = infer(g, probe, types, inferred);
    if (st != WEFT_OK) goto out;
    made = weft_build_op(&g->b, &(weft_op_spec){ .kind = kind, .operands = operands, .operand_count = (uint32_t)n,
                                                 .types = inferred, .result_count = (uint32_t)result_count,
                                                 .attrs = named, .attr_count = (uint32_t)attr_count,
                                                 .region_count = probe->region_count });
    if (made) give_regions(probe, made);
    st = made ? weft_verify_op(cx, made) : g->b.status;
out:
    weft_arena_reset(&cx->scratch, mark);
    if (st == WEFT_OK) return made;
    /* A mistake in what a body returned is shown there. */
    if (shell && st != WEFT_ERR_MEMORY && cx->error.line != weft_loc_place(g->b.loc)->line)
        weft_note(cx, g->b.loc, "in a body of this '%s'", name->text);
    weft_graph_keep(g, st);
    return NULL;
}

weft_op *weft_graph_build(weft_graph *g, weft_op_kind kind, weft_value *const *x, size_t n, const weft_attr_pair *attrs,
                          size_t attr_count, const weft_type **types, size_t result_count) {
    return build(g, kind, NULL, x, n, attrs, attr_count, types, result_count);
}

weft_op *weft_graph_build_shell(weft_graph *g, weft_op *shell, weft_value *const *x, size_t n,
                                const weft_attr_pair *attrs, size_t attr_count, const weft_type **types,
                                size_t result_count) {
    return build(g, (weft_op_kind)shell->kind, shell, x, n, attrs, attr_count, types, result_count);
}

weft_value *weft_graph_build_1(weft_graph *g, weft_op_kind kind, weft_value *const *x, size_t n,
                               const weft_attr_pair *attrs, size_t attr_count, const weft_type *type) {
    weft_op *op = weft_graph_build(g, kind, x, n, attrs, attr_count, &type, 1);
    return op ? &op->results[0] : NULL;
}
