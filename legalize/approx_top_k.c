/* approx_top_k: custom_call @ApproxTopK becomes a sort and slices of it, which are exact.
 *
 * Pass weft-expand-approx-top-k. Operands are n tensors and n scalars that pad them, which an exact result never uses;
 * @stablehlo.dynamic_approx_top_k, of programs with symbolic sizes, has the number of results as one more. The function
 * in called_computations orders the elements as stablehlo.sort's comparator does; the results are the first ones along
 * reduction_dim, as many as their type has. A call of another form is left alone. Source: jax.lax.approx_max_k, whose
 * lowering writes this call for every platform; XLA's ApproxTopK, whose fallback is a sort too.
 */
#include "legalize/called.h"
#include "legalize/chlo.h"
#include "legalize/legalize.h"

static bool calls(const weft_op *op, const char *name) {
    if (op->kind != WEFT_OP_custom_call) return false;
    const weft_attr *target = weft_op_attr(op, WEFT_A_call_target_name);
    return target && target->kind == WEFT_ATTR_STRING && weft_str_is(target->s, name);
}

static bool is_dynamic(const weft_op *op) { return calls(op, "stablehlo.dynamic_approx_top_k"); }
static bool is_approx_top_k(const weft_op *op) { return calls(op, "ApproxTopK") || is_dynamic(op); }

/* The dimension, from either of the dictionaries that a call may have; -1 if there is none. */
static int64_t reduction_dim(weft_context *cx, const weft_op *op) {
    const weft_name key = weft_name_from(cx, "reduction_dim");
    const weft_attr_name places[] = { WEFT_A_mhlo_backend_config, WEFT_A_backend_config };
    for (size_t i = 0; key && i < WEFT_COUNT(places); i++) {
        const weft_attr *dict = weft_op_attr(op, places[i]);
        const weft_attr *d = dict && dict->kind == WEFT_ATTR_DICT ? weft_dict_get(dict, key->id) : NULL;
        if (d && d->kind == WEFT_ATTR_INT) return d->i;
    }
    return -1;
}

/* The body of the one called computation, if it compares scalars of the operands' types. */
static const weft_block *comparator(const weft_op *op) {
    const weft_block *body = lg_called_body(op);
    if (!body || body->arg_count != 2 * op->result_count || !body->last || body->last->operand_count != 1) return NULL;
    for (uint32_t i = 0; i < body->arg_count; i++)
        if (body->args[i]->type->kind != WEFT_TYPE_TENSOR || body->args[i]->type->rank ||
            body->args[i]->type->dtype != op->operands[i / 2]->type->dtype)
            return NULL;
    return body;
}

/* Whether results have the shapes of the operands, shorter along d. */
static bool fits(const weft_op *op, int64_t d) {
    if (op->operand_count != 2 * op->result_count + is_dynamic(op) || !op->result_count) return false;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const weft_type *in = op->operands[i]->type, *out = op->results[i].type;
        if (in->kind != WEFT_TYPE_TENSOR || out->kind != WEFT_TYPE_TENSOR || in->rank != out->rank ||
            in->dtype != out->dtype)
            return false;
        if (d < 0 || d >= in->rank || in->rank != op->operands[0]->type->rank) return false;
        for (uint32_t k = 0; k < in->rank; k++)
            if (in->dims[k] != op->operands[0]->type->dims[k] || out->dims[k] > in->dims[k] ||
                (k != d && out->dims[k] != in->dims[k]))
                return false;
    }
    return true;
}

static weft_value *first_ones(weft_builder *b, weft_value *x, const weft_type *type) {
    int64_t zeros[WEFT_MAX_RANK] = { 0 }, ones[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < type->rank; d++) ones[d] = 1;
    return weft_build_slice(b, x, zeros, type->dims, ones);
}

static weft_status expand(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (!is_approx_top_k(op)) return WEFT_OK;
    weft_context *cx = b->m->cx;
    const int64_t d = reduction_dim(cx, op);
    const weft_block *body = fits(op, d) ? comparator(op) : NULL;
    if (!body) return WEFT_OK;
    *did = WEFT_DONE;
    const uint32_t n = op->result_count;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_value **in = weft_scratch_array(cx, weft_value *, n);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, n);
    const weft_named_attr attrs[] = { { weft_name_at(cx, WEFT_A_dimension), weft_attr_i64(cx, d) },
                                      { weft_name_at(cx, WEFT_A_is_stable), weft_attr_bool(cx, true) } };
    weft_op *sort = NULL;
    for (uint32_t i = 0; in && types && i < n; i++) {
        in[i] = r->map.to[op->operands[i]->id];
        types[i] = in[i]->type;
    }
    if (in && types)
        sort = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_sort, .operands = in, .operand_count = n,
                                                 .types = types, .result_count = n, .attrs = attrs,
                                                 .attr_count = WEFT_COUNT(attrs), .region_count = 1 });
    else b->status = weft_oom();
    weft_arena_reset(&cx->scratch, mark);
    if (sort) lg_copy_body(r, b, sort, body);
    b->loc = op->loc;
    for (uint32_t i = 0; b->status == WEFT_OK && i < n; i++) {
        weft_value *v = first_ones(b, &sort->results[i], op->results[i].type);
        if (v) v->hint = op->results[i].hint;
        r->map.to[op->results[i].id] = v;
    }
    return b->status;
}

weft_status weft_pass_expand_approx_top_k(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)p;
    return lg_run(in, expand, is_approx_top_k, out);
}
