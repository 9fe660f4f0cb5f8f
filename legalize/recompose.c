/* recompose: custom calls @mhlo.NAME become the op NAME of CHLO, or of StableHLO; composites "chlo.NAME" that of CHLO.
 *
 * Pass weft-recompose-mhlo-calls. XLA writes ops that StableHLO does not have as such calls (@mhlo.erf, @mhlo.asinh,
 * @mhlo.topk, @mhlo.ragged_dot ...), with their attributes in `mhlo.attributes`; programs exported by JAX contain them.
 * Its clients of the PJRT C API write them as composites, with a decomposition in StableHLO for compilers that know no
 * better: a sort for top_k, polynomials for erf. A call without such an op, or with attributes that the op cannot
 * express, stays. Source: XLA's pass stablehlo-ext-chlo-recompose-ops, which knows the calls one by one.
 */
#include <stdio.h>
#include "ir/verify.h"
#include "legalize/chlo.h"
#include "legalize/legalize.h"

enum { PREFIX = 5 }; /* letters of "mhlo." and "chlo." */

/* What op calls, without the prefix; empty: it is no such call. */
static weft_str called(const weft_op *op) {
    const bool composite = op->kind == WEFT_OP_composite;
    const weft_attr *name = composite ? weft_op_attr(op, WEFT_A_name) : NULL;
    weft_str target = { 0 };
    if (op->kind == WEFT_OP_custom_call) target = weft_op_symbol(op, WEFT_A_call_target_name);
    else if (name && name->kind == WEFT_ATTR_STRING) target = name->s;
    if (target.n <= PREFIX || memcmp(target.p, composite ? "chlo." : "mhlo.", PREFIX)) return (weft_str){ 0 };
    return (weft_str){ target.p + PREFIX, target.n - PREFIX };
}

static bool is_called(const weft_op *op) { return called(op).n > 0; }

/* The op of the call, WEFT_OP_other if there is none. */
static weft_op_kind kind_of(weft_context *cx, const weft_op *op) {
    static const char *const dialects[] = { "chlo", "stablehlo" };
    const weft_str name = weft_str_is(called(op), "topk") ? WEFT_STR("top_k") : called(op);
    const size_t most = op->kind == WEFT_OP_composite ? 1 : WEFT_COUNT(dialects);
    char text[64];
    for (size_t i = 0; i < most && name.n < 40; i++) {
        snprintf(text, sizeof text, "%s.%.*s", dialects[i], WEFT_STR_ARG(name));
        const weft_name full = weft_name_from(cx, text);
        const weft_op_kind k = full ? weft_op_kind_find(cx, full) : WEFT_OP_other;
        const weft_op_info *info = weft_op_info_of(k);
        if (k != WEFT_OP_other && info->operands == (int)op->operand_count && info->results == (int)op->result_count &&
            !info->regions)
            return k;
    }
    return WEFT_OP_other;
}

/* "The smallest ones first" cannot be expressed by an op. */
static bool says_more(const weft_attr *attributes) {
    const weft_attr *largest = weft_dict_get_named(attributes, "largest");
    return largest && (largest->kind != WEFT_ATTR_BOOL || !largest->i);
}

/* Composites have plain attributes: a ragged product its six lists of dimensions, [dense<> : tensor<0xi64>, ...]. */
static const weft_attr *ragged_of(weft_context *cx, const weft_attr *a) {
    weft_attr made = { .kind = WEFT_ATTR_RAGGED };
    weft_dot_dims *dot = &made.ragged.dot;
    weft_ints *const lists[] = { &dot->lhs_batch,    &dot->rhs_batch,         &dot->lhs_contract,
                                 &dot->rhs_contract, &made.ragged.lhs_ragged, &made.ragged.rhs_group };
    if (a->kind == WEFT_ATTR_RAGGED) return a;
    if (a->kind != WEFT_ATTR_ARRAY || a->items.n != WEFT_COUNT(lists)) return NULL;
    for (uint32_t i = 0; i < WEFT_COUNT(lists); i++) {
        const weft_attr *list = a->items.v[i];
        if (list->kind != WEFT_ATTR_DENSE || list->type->rank != 1 || list->type->dims[0] > WEFT_MAX_RANK) return NULL;
        if (!weft_dtype_is_integer(list->type->dtype)) return NULL;
        int64_t *v = weft_scratch_array(cx, int64_t, (size_t)list->type->dims[0] + 1);
        if (!v) return NULL;
        for (int64_t k = 0; k < list->type->dims[0]; k++) v[k] = weft_dense_int(list, k);
        *lists[i] = (weft_ints){ v, (size_t)list->type->dims[0] };
    }
    return weft_attr_copy(cx, &made);
}

/* ["DEFAULT", "HIGH"] */
static const weft_attr *precisions_of(weft_context *cx, const weft_attr *a) {
    const weft_attr *v[2];
    if (a->kind != WEFT_ATTR_ARRAY || a->items.n > WEFT_COUNT(v)) return NULL;
    for (uint32_t i = 0; i < a->items.n; i++) {
        const weft_attr *word = a->items.v[i];
        const weft_enum_value e =
            word->kind == WEFT_ATTR_STRING ? weft_enum_find(WEFT_ENUM_chlo_precision, word->s) : WEFT_ENUM_COUNT;
        v[i] = word->kind == WEFT_ATTR_ENUM ? word : e != WEFT_ENUM_COUNT ? weft_attr_enum(cx, e) : NULL;
        if (!v[i]) return NULL;
    }
    return weft_attr_array(cx, v, a->items.n);
}

/* An attribute of the call as the op has it; NULL: it has no such form. */
static const weft_attr *as_of_op(weft_context *cx, const weft_op *op, const weft_named_attr *a) {
    if (op->kind != WEFT_OP_composite) return a->value;
    switch (a->name->id) {
    case WEFT_A_ragged_dot_dimension_numbers: return ragged_of(cx, a->value);
    case WEFT_A_precision_config: return precisions_of(cx, a->value);
    default: return a->value;
    }
}

typedef struct op_attrs { weft_named_attr *v; uint32_t n; } op_attrs;

/* The call's attributes that the op has, and what else the call carries (its sharding). False: one has no such form. */
static bool attrs_of(weft_context *cx, const weft_op *op, weft_op_kind kind, const weft_attr *attributes,
                     op_attrs *to) {
    for (uint32_t i = 0; attributes && i < attributes->entries.n; i++) {
        const weft_named_attr *a = &attributes->entries.v[i];
        if (!weft_op_kind_has_attr(kind, a->name->id)) continue;
        const weft_attr *value = as_of_op(cx, op, a);
        if (!value) return false;
        to->v[to->n++] = (weft_named_attr){ a->name, value };
    }
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].name->id >= WEFT_A_sdy_sharding && strncmp(op->attrs[i].name->text, "mhlo.", 5))
            to->v[to->n++] = op->attrs[i];
    return true;
}

static weft_op *build(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_op_kind kind, const op_attrs *attrs) {
    weft_context *cx = b->m->cx;
    weft_value **in = weft_scratch_array(cx, weft_value *, op->operand_count + 1);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count + 1);
    if (!in || !types) {
        b->status = weft_oom();
        return NULL;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = r->map.to[op->operands[i]->id];
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    return weft_build_op(b, &(weft_op_spec){ .kind = kind, .operands = in, .operand_count = op->operand_count,
                                             .types = types, .result_count = op->result_count, .attrs = attrs->v,
                                             .attr_count = attrs->n });
}

static weft_status remake(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_op_kind kind,
                          const weft_attr *attributes, weft_rewritten *did) {
    weft_context *cx = b->m->cx;
    op_attrs attrs = { weft_scratch_array(cx, weft_named_attr,
                                          op->attr_count + (attributes ? attributes->entries.n : 0) + 1), 0 };
    if (!attrs.v) return weft_oom();
    if (!attrs_of(cx, op, kind, attributes, &attrs)) return WEFT_OK;
    weft_op *made = build(r, b, op, kind, &attrs);
    if (!made) return b->status;
    for (uint32_t i = 0; i < op->result_count; i++) {
        made->results[i].hint = op->results[i].hint;
        r->map.to[op->results[i].id] = &made->results[i];
    }
    *did = WEFT_DONE;
    return weft_verify_op_within(cx, r->in, made);
}

static weft_status recompose(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!is_called(op)) return WEFT_OK;
    weft_context *cx = b->m->cx;
    const weft_attr *a = op->kind == WEFT_OP_composite ? weft_op_attr(op, WEFT_A_composite_attributes)
                                                       : weft_op_attr_named(op, "mhlo.attributes"),
                    *attributes = a && a->kind == WEFT_ATTR_DICT ? a : NULL;
    const weft_op_kind kind = kind_of(cx, op);
    if (kind == WEFT_OP_other || says_more(attributes)) return WEFT_OK;
    for (const weft_attr_spec *s = weft_op_info_of(kind)->attrs; s->presence != WEFT_END_OF_ATTRS; s++)
        if (s->presence == WEFT_REQUIRED && !weft_dict_get(attributes, s->name)) return WEFT_OK;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = remake(r, b, op, kind, attributes, did);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status weft_pass_recompose_mhlo_calls(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return lg_run(in, recompose, is_called, out);
}
