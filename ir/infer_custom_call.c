/* infer_custom_call.c: what a custom call says of the memory of its operands and results.
 *
 * Source: StableHLO docs/spec.md, custom_call; the dialect's documentation for layouts and aliases.
 */
#include "ir/infer.h"

/* The values that `name` lays out: results of one tuple stand for its parts. */
static weft_status check_layout(weft_checker *c, const weft_op *op, const char *list, uint32_t i, const weft_attr *layout, const weft_type *t) {
    if (layout->kind != WEFT_ATTR_DENSE || layout->type->rank != 1 || !weft_dtype_is_integer(layout->type->dtype))
        return weft_bad(c, op, "%s entry %u is not a dense vector of indices", list, i);
    int64_t n = weft_type_elems(layout->type);
    if (t->kind == WEFT_TYPE_TUPLE) return weft_bad(c, op, "%s entry %u is of a tuple, which has no layout", list, i);
    if (t->kind != WEFT_TYPE_TENSOR && t->kind != WEFT_TYPE_FOREIGN) {
        if (!n || t->kind == WEFT_TYPE_OPAQUE) return WEFT_OK;
        return weft_bad(c, op, "%s entry %u has %lld dimensions, but '%s' has no layout", list, i, (long long)n, weft_text_of(c, t));
    }
    weft_bits seen = 0;
    bool ok = n == t->rank;
    for (int64_t k = 0; ok && k < n; k++) {
        int64_t d = weft_dense_int(layout, k);
        ok = d >= 0 && d < n && !weft_bits_has(seen, (unsigned)d);
        if (ok) seen |= weft_bit((unsigned)d);
    }
    return ok ? WEFT_OK : weft_bad(c, op, "%s entry %u does not list the dimensions of '%s'", list, i, weft_text_of(c, t));
}

static weft_status check_layouts(weft_checker *c, const weft_op *op) {
    const weft_attr *in = weft_op_attr(op, WEFT_A_operand_layouts), *out = weft_op_attr(op, WEFT_A_result_layouts);
    if (!in != !out) return weft_bad(c, op, "operand_layouts and result_layouts are given only together");
    if (!in) return WEFT_OK;
    bool tuple = op->result_count == 1 && op->results[0].type->kind == WEFT_TYPE_TUPLE;
    uint32_t n = tuple ? op->results[0].type->part_count : op->result_count;
    if (in->items.n != op->operand_count) return weft_bad(c, op, "operand_layouts has %u entries for %u operands", in->items.n, op->operand_count);
    if (out->items.n != n) return weft_bad(c, op, "result_layouts has %u entries for %u results", out->items.n, n);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < in->items.n && st == WEFT_OK; i++) st = check_layout(c, op, "operand_layouts", i, in->items.v[i], op->operands[i]->type);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++)
        st = check_layout(c, op, "result_layouts", i, out->items.v[i], tuple ? op->results[0].type->parts[i] : op->results[i].type);
    return st;
}

/* The part of a tuple that a path leads to; NULL when it leads nowhere. */
static const weft_type *part_of(const weft_type *t, weft_ints path, uint32_t from) {
    for (uint32_t i = from; t && i < path.n; i++)
        t = t->kind == WEFT_TYPE_TUPLE && path.v[i] >= 0 && path.v[i] < t->part_count ? t->parts[path.v[i]] : NULL;
    return t;
}

static weft_status check_alias(weft_checker *c, const weft_op *op, uint32_t i, const weft_attr *a) {
    if (a->kind != WEFT_ATTR_ALIAS) return weft_bad(c, op, "output_operand_aliases entry %u is not a #stablehlo.output_operand_alias attribute", i);
    const weft_alias *d = &a->alias;
    if (d->operand < 0 || d->operand >= op->operand_count)
        return weft_bad(c, op, "output_operand_aliases entry %u has operand_index %lld, but there are %u operands", i, (long long)d->operand, op->operand_count);
    const weft_type *in = part_of(op->operands[d->operand]->type, d->operand_indices, 0), *out = NULL;
    if (op->result_count == 1) out = part_of(op->results[0].type, d->output_indices, 0);
    else if (d->output_indices.n && d->output_indices.v[0] >= 0 && d->output_indices.v[0] < op->result_count)
        out = part_of(op->results[d->output_indices.v[0]].type, d->output_indices, 1);
    if (!in) return weft_bad(c, op, "output_operand_aliases entry %u: operand_tuple_indices %s lead nowhere", i, weft_text_of_ints(c, d->operand_indices));
    if (!out) return weft_bad(c, op, "output_operand_aliases entry %u: output_tuple_indices %s lead nowhere", i, weft_text_of_ints(c, d->output_indices));
    if (in == out) return WEFT_OK;
    return weft_bad(c, op, "output_operand_aliases entry %u: the operand's part is '%s', the output's '%s'", i, weft_text_of(c, in), weft_text_of(c, out));
}

/* The typed interface takes a dictionary, the others text. */
static weft_status check_config(weft_checker *c, const weft_op *op) {
    const weft_attr *config = weft_op_attr(op, WEFT_A_backend_config), *version = weft_op_attr(op, WEFT_A_api_version);
    if (!config) return WEFT_OK;
    bool typed = version && version->kind == WEFT_ATTR_ENUM && version->e == WEFT_custom_call_api_version_API_VERSION_TYPED_FFI;
    if (config->kind == (typed ? WEFT_ATTR_DICT : WEFT_ATTR_STRING)) return WEFT_OK;
    return weft_bad(c, op, "backend_config is not a %s, which %s takes", typed ? "dictionary" : "string",
                    version && version->kind == WEFT_ATTR_ENUM ? weft_enum_table[version->e].keyword : "a call without api_version");
}

/* Whether the computations exist is the target's affair, as in StableHLO; who needs one looks for it. */
static weft_status check_called(weft_checker *c, const weft_op *op) {
    const weft_attr *called = weft_op_attr(op, WEFT_A_called_computations);
    for (uint32_t i = 0; called && i < called->items.n; i++) {
        if (called->items.v[i]->kind != WEFT_ATTR_SYMBOL) return weft_bad(c, op, "called_computations entry %u is not a symbol", i);
    }
    return WEFT_OK;
}

weft_status weft_infer_custom_call(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    const weft_attr *aliases = weft_op_attr(op, WEFT_A_output_operand_aliases);
    weft_status st = weft_check_enum(c, op, WEFT_A_api_version, WEFT_ENUM_custom_call_api_version);
    if (st == WEFT_OK) st = check_layouts(c, op);
    for (uint32_t i = 0; aliases && i < aliases->items.n && st == WEFT_OK; i++) st = check_alias(c, op, i, aliases->items.v[i]);
    if (st == WEFT_OK) st = check_config(c, op);
    return st == WEFT_OK ? check_called(c, op) : st;
}
