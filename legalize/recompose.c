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

static weft_op *build(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_op_kind kind,
                      const weft_attr *attributes) {
    weft_context *cx = b->m->cx;
    const uint32_t most = op->attr_count + (attributes ? attributes->entries.n : 0);
    weft_value **in = weft_scratch_array(cx, weft_value *, op->operand_count + 1);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, op->result_count + 1);
    weft_named_attr *attrs = weft_scratch_array(cx, weft_named_attr, most + 1);
    uint32_t n = 0;
    if (!in || !types || !attrs) {
        b->status = weft_oom();
        return NULL;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = r->map.to[op->operands[i]->id];
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    for (uint32_t i = 0; attributes && i < attributes->entries.n; i++)
        if (weft_op_kind_has_attr(kind, attributes->entries.v[i].name->id)) attrs[n++] = attributes->entries.v[i];
    for (uint32_t i = 0; i < op->attr_count; i++) /* its sharding, and other attributes that are not the call's own */
        if (op->attrs[i].name->id >= WEFT_A_sdy_sharding && strncmp(op->attrs[i].name->text, "mhlo.", 5))
            attrs[n++] = op->attrs[i];
    return weft_build_op(b, &(weft_op_spec){ .kind = kind, .operands = in, .operand_count = op->operand_count,
                                             .types = types, .result_count = op->result_count, .attrs = attrs,
                                             .attr_count = n });
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
    weft_op *made = build(r, b, op, kind, attributes);
    weft_arena_reset(&cx->scratch, mark);
    if (!made) return b->status;
    for (uint32_t i = 0; i < op->result_count; i++) {
        made->results[i].hint = op->results[i].hint;
        r->map.to[op->results[i].id] = &made->results[i];
    }
    *did = WEFT_DONE;
    return weft_verify_op_within(cx, r->in, made);
}

weft_status weft_pass_recompose_mhlo_calls(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return lg_run(in, recompose, is_called, out);
}
