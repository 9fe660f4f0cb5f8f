/* infer_custom_call.c: a custom call's layouts and aliases of operands and results.
 *
 * Source: StableHLO docs/spec.md, custom_call; the dialect's documentation for layouts and aliases.
 */
#include "ir/infer.h"

#include <stdlib.h>
#include <string.h>

/* The values laid out by `name`: the results of one tuple are its parts. */
static weft_status check_layout(weft_checker *c, const weft_op *op, const char *list, uint32_t i,
                                const weft_attr *layout, const weft_type *t) {
    if (layout->kind != WEFT_ATTR_DENSE || layout->type->rank != 1 || !weft_dtype_is_integer(layout->type->dtype))
        return weft_bad(c, op, "%s entry %u is not a dense vector of indices", list, i);
    int64_t n = weft_type_elems(layout->type);
    if (t->kind == WEFT_TYPE_TUPLE) return weft_bad(c, op, "%s entry %u is of a tuple, which has no layout", list, i);
    if (t->kind != WEFT_TYPE_TENSOR && t->kind != WEFT_TYPE_FOREIGN) {
        if (!n || t->kind == WEFT_TYPE_OPAQUE) return WEFT_OK;
        return weft_bad(c, op, "%s entry %u has %lld dimensions, but '%s' has no layout", list, i, (long long)n,
                        weft_text_of(c, t));
    }
    weft_bits seen = 0;
    bool ok = n == t->rank;
    for (int64_t k = 0; ok && k < n; k++) {
        int64_t d = weft_dense_int(layout, k);
        ok = d >= 0 && d < n && !weft_bits_has(seen, (unsigned)d);
        if (ok) seen |= weft_bit((unsigned)d);
    }
    return ok ? WEFT_OK
              : weft_bad(c, op, "%s entry %u does not list the dimensions of '%s'", list, i, weft_text_of(c, t));
}

static weft_status check_layouts(weft_checker *c, const weft_op *op) {
    const weft_attr *in = weft_op_attr(op, WEFT_A_operand_layouts), *out = weft_op_attr(op, WEFT_A_result_layouts);
    if (!in != !out) return weft_bad(c, op, "operand_layouts and result_layouts are given only together");
    if (!in) return WEFT_OK;
    bool tuple = op->result_count == 1 && op->results[0].type->kind == WEFT_TYPE_TUPLE;
    uint32_t n = tuple ? op->results[0].type->part_count : op->result_count;
    if (in->items.n != op->operand_count)
        return weft_bad(c, op, "operand_layouts has %u entries for %u operands", in->items.n, op->operand_count);
    if (out->items.n != n) return weft_bad(c, op, "result_layouts has %u entries for %u results", out->items.n, n);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < in->items.n && st == WEFT_OK; i++)
        st = check_layout(c, op, "operand_layouts", i, in->items.v[i], op->operands[i]->type);
    for (uint32_t i = 0; i < n && st == WEFT_OK; i++)
        st = check_layout(c, op, "result_layouts", i, out->items.v[i],
                          tuple ? op->results[0].type->parts[i] : op->results[i].type);
    return st;
}

/* The part of a tuple at the end of a path; NULL if there is none. */
static const weft_type *part_of(const weft_type *t, weft_ints path, uint32_t from) {
    for (uint32_t i = from; t && i < path.n; i++)
        t = t->kind == WEFT_TYPE_TUPLE && path.v[i] >= 0 && path.v[i] < t->part_count ? t->parts[path.v[i]] : NULL;
    return t;
}

static weft_status check_alias(weft_checker *c, const weft_op *op, uint32_t i, const weft_attr *a) {
    if (a->kind != WEFT_ATTR_ALIAS)
        return weft_bad(c, op, "output_operand_aliases entry %u is not a #stablehlo.output_operand_alias attribute", i);
    const weft_alias *d = &a->alias;
    if (d->operand < 0 || d->operand >= op->operand_count)
        return weft_bad(c, op, "output_operand_aliases entry %u has operand_index %lld, but there are %u operands", i,
                        (long long)d->operand, op->operand_count);
    const weft_type *in = part_of(op->operands[d->operand]->type, d->operand_indices, 0), *out = NULL;
    if (op->result_count == 1) out = part_of(op->results[0].type, d->output_indices, 0);
    else if (d->output_indices.n && d->output_indices.v[0] >= 0 && d->output_indices.v[0] < op->result_count)
        out = part_of(op->results[d->output_indices.v[0]].type, d->output_indices, 1);
    if (!in)
        return weft_bad(c, op, "output_operand_aliases entry %u: operand_tuple_indices %s lead nowhere", i,
                        weft_text_of_ints(c, d->operand_indices));
    if (!out)
        return weft_bad(c, op, "output_operand_aliases entry %u: output_tuple_indices %s lead nowhere", i,
                        weft_text_of_ints(c, d->output_indices));
    if (in == out) return WEFT_OK;
    return weft_bad(c, op, "output_operand_aliases entry %u: the operand's part is '%s', the output's '%s'", i,
                    weft_text_of(c, in), weft_text_of(c, out));
}

/* The typed interface takes a dictionary, the others text. */
static weft_status check_config(weft_checker *c, const weft_op *op) {
    const weft_attr *config = weft_op_attr(op, WEFT_A_backend_config), *version = weft_op_attr(op, WEFT_A_api_version);
    if (!config) return WEFT_OK;
    bool typed =
        version && version->kind == WEFT_ATTR_ENUM && version->e == WEFT_custom_call_api_version_API_VERSION_TYPED_FFI;
    if (config->kind == (typed ? WEFT_ATTR_DICT : WEFT_ATTR_STRING)) return WEFT_OK;
    return weft_bad(c, op, "backend_config is not a %s, which %s takes", typed ? "dictionary" : "string",
                    version && version->kind == WEFT_ATTR_ENUM ? weft_enum_table[version->e].keyword
                                                               : "a call without api_version");
}

/* The target decides whether the computations exist, as in StableHLO; a pass that needs one looks it up. */
static weft_status check_called(weft_checker *c, const weft_op *op) {
    const weft_attr *called = weft_op_attr(op, WEFT_A_called_computations);
    for (uint32_t i = 0; called && i < called->items.n; i++) {
        if (!weft_attr_is_flat_symbol(called->items.v[i]))
            return weft_bad(c, op, "called_computations entry %u is not a symbol of one name", i);
    }
    return WEFT_OK;
}

/* ---- buffers ---- */

/* A memref is a buffer: made by CreateBuffer, or from a tensor by Pin, back into one by Unpin, and passed from call to
 * call in place. */
static bool is_buffer(const weft_type *t) {
    return t->kind == WEFT_TYPE_OPAQUE && t->text.n > 7 && !memcmp(t->text.p, "memref<", 7);
}

/* The buffer has the shape and the elements of the tensor; '?' is any size. */
static bool holds(weft_checker *c, const weft_type *buffer, const weft_type *tensor) {
    const char *p = buffer->text.p + 7, *element = weft_text_of_element(c, tensor);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        char *end;
        int64_t size = WEFT_DYNAMIC;
        if (*p == '?') end = (char *)p + 1;
        else size = strtoll(p, &end, 10);
        if (end == p || *end != 'x' || !weft_dims_agree(size, tensor->dims[i])) return false;
        p = end + 1;
    }
    size_t n = strlen(element);
    return !strncmp(p, element, n) && (p[n] == ',' || p[n] == '>');
}

/* One value in, one out, of these kinds and with the same content. */
static weft_status check_pin(weft_checker *c, const weft_op *op, const char *target, bool pins) {
    if (op->operand_count != 1 || op->result_count != 1)
        return weft_bad(c, op, "%s has %u operands and %u results, expected one of each", target, op->operand_count,
                        op->result_count);
    const weft_type *in = op->operands[0]->type, *out = op->results[0].type, *buffer = pins ? out : in,
                    *tensor = pins ? in : out;
    if (!weft_type_is_tensor(tensor) || !is_buffer(buffer))
        return weft_bad(c, op, "%s is from '%s' to '%s', expected from a %s", target, weft_text_of(c, in),
                        weft_text_of(c, out), pins ? "tensor to a memref" : "memref to a tensor");
    if (holds(c, buffer, tensor)) return WEFT_OK;
    return weft_bad(c, op, "%s is from '%s' to '%s', which differ in shape or elements", target, weft_text_of(c, in),
                    weft_text_of(c, out));
}

static int compare_ints(weft_ints a, weft_ints b) {
    for (uint32_t i = 0; i < a.n && i < b.n; i++)
        if (a.v[i] != b.v[i]) return a.v[i] < b.v[i] ? -1 : 1;
    return (a.n > b.n) - (a.n < b.n);
}

static int by_output(const void *x, const void *y) {
    const weft_alias *const *a = x, *const *b = y;
    return compare_ints((*a)->output_indices, (*b)->output_indices);
}

static int by_operand(const void *x, const void *y) {
    const weft_alias *const *a = x, *const *b = y;
    if ((*a)->operand != (*b)->operand) return (*a)->operand < (*b)->operand ? -1 : 1;
    return compare_ints((*a)->operand_indices, (*b)->operand_indices);
}

typedef struct buffer_walk {
    weft_checker *c;
    const weft_op *op;
    const weft_alias *const *next, *const *end; /* the aliases of buffers in the order of their outputs */
    int64_t *path;
} buffer_walk;

/* The buffers within t, at path[0..n), are those that aliases name, in order. */
static weft_status check_outputs(buffer_walk *w, const weft_type *t, uint32_t n) {
    const weft_ints path = { w->path, n };
    weft_status st = WEFT_OK;
    if (is_buffer(t)) {
        if (w->next == w->end || compare_ints((*w->next)->output_indices, path))
            return weft_bad(w->c, w->op, "buffer output %s is not in output_operand_aliases",
                            weft_text_of_ints(w->c, path));
        w->next++;
    }
    for (uint32_t i = 0; t->kind == WEFT_TYPE_TUPLE && i < t->part_count && st == WEFT_OK; i++) {
        w->path[n] = i;
        st = check_outputs(w, t->parts[i], n + 1);
    }
    return st;
}

static uint32_t depth_of(const weft_type *t) {
    uint32_t most = 0;
    for (uint32_t i = 0; t->kind == WEFT_TYPE_TUPLE && i < t->part_count; i++) {
        uint32_t d = 1 + depth_of(t->parts[i]);
        if (d > most) most = d;
    }
    return most;
}

/* Each buffer that comes out is one that went in, and goes to one place. */
static weft_status check_buffers(weft_checker *c, const weft_op *op) {
    const weft_attr *aliases = weft_op_attr(op, WEFT_A_output_operand_aliases);
    uint32_t given = aliases ? aliases->items.n : 0, n = 0, depth = 0;
    const weft_alias **list = weft_scratch_array(c->cx, const weft_alias *, given);
    if (!list) return weft_oom();
    for (uint32_t i = 0; i < given; i++) {
        const weft_alias *a = &aliases->items.v[i]->alias;
        if (is_buffer(part_of(op->operands[a->operand]->type, a->operand_indices, 0))) list[n++] = a;
    }
    if (n) qsort(list, n, sizeof *list, by_operand);
    for (uint32_t i = 1; i < n; i++)
        if (!by_operand(&list[i - 1], &list[i]))
            return weft_bad(c, op, "buffer operand %lld%s is in output_operand_aliases twice",
                            (long long)list[i]->operand, weft_text_of_ints(c, list[i]->operand_indices));
    if (n) qsort(list, n, sizeof *list, by_output);
    for (uint32_t i = 1; i < n; i++)
        if (!by_output(&list[i - 1], &list[i]))
            return weft_bad(c, op, "buffer output %s is in output_operand_aliases twice",
                            weft_text_of_ints(c, list[i]->output_indices));
    for (uint32_t i = 0; i < op->result_count; i++) {
        uint32_t d = depth_of(op->results[i].type);
        if (d > depth) depth = d;
    }
    buffer_walk w = { c, op, list, list + n, weft_scratch_array(c->cx, int64_t, depth + 1) };
    if (!w.path) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) {
        w.path[0] = i;
        st = check_outputs(&w, op->results[i].type, op->result_count > 1);
    }
    return st;
}

static weft_status check_target(weft_checker *c, const weft_op *op) {
    weft_str target = weft_op_attr(op, WEFT_A_call_target_name)->s;
    if (weft_str_is(target, "Pin")) return check_pin(c, op, "Pin", true);
    if (weft_str_is(target, "Unpin")) return check_pin(c, op, "Unpin", false);
    if (!weft_str_is(target, "CreateBuffer")) return check_buffers(c, op);
    if (op->operand_count) return weft_bad(c, op, "CreateBuffer has %u operands, expected none", op->operand_count);
    if (op->result_count == 1 && is_buffer(op->results[0].type)) return WEFT_OK;
    return weft_bad(c, op, "CreateBuffer has not one result that is a memref");
}

weft_status weft_infer_custom_call(weft_checker *c, const weft_op *op, const weft_type **types) {
    (void)types;
    const weft_attr *aliases = weft_op_attr(op, WEFT_A_output_operand_aliases);
    weft_status st = weft_check_enum(c, op, WEFT_A_api_version, WEFT_ENUM_custom_call_api_version);
    if (st == WEFT_OK) st = check_layouts(c, op);
    for (uint32_t i = 0; aliases && i < aliases->items.n && st == WEFT_OK; i++)
        st = check_alias(c, op, i, aliases->items.v[i]);
    if (st == WEFT_OK) st = check_config(c, op);
    if (st == WEFT_OK) st = check_called(c, op);
    return st == WEFT_OK ? check_target(c, op) : st;
}
