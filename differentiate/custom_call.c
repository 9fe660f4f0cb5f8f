/* custom_call.c: rules of custom calls, and of named computations.
 *
 * A custom call whose derivative a user knows names a function of the module: by its attribute weft.backward = @f, or
 * by the pass's option rules ("target=@f"). Some of jaxlib's calls to LAPACK have rules of their own (lapack.c). The
 * function is called with the operands, the results and the cotangents of those results that are floats or complex
 * numbers; it returns the cotangents of those operands.
 */
#include "differentiate/matrix.h"

/* The name after "target=@" in "target=@f,other=@g"; n == 0: there is none. */
static weft_str named_rule(weft_str rules, weft_str target) {
    for (size_t i = 0; i < rules.n;) {
        size_t end = i;
        while (end < rules.n && rules.p[end] != ',') end++;
        if (end - i > target.n + 2 && !memcmp(rules.p + i, target.p, target.n) && rules.p[i + target.n] == '=' &&
            rules.p[i + target.n + 1] == '@')
            return (weft_str){ rules.p + i + target.n + 2, end - i - target.n - 2 };
        i = end + 1;
    }
    return (weft_str){ NULL, 0 };
}

static weft_str rule_of(gd *g, const weft_op *op) {
    const weft_attr *given = weft_op_attr_named(op, "weft.backward");
    const weft_attr *target = weft_op_attr(op, WEFT_A_call_target_name);
    if (given && given->kind == WEFT_ATTR_SYMBOL && given->names.n)
        return (weft_str){ given->names.v[0]->text, given->names.v[0]->n };
    return target ? named_rule(g->what->rules, target->s) : (weft_str){ NULL, 0 };
}

/* Whether f takes and returns what a rule of op does; types[0..*n) are those it takes. */
static bool fits(const weft_op *f, const weft_op *op) {
    const weft_type *t = weft_func_type(f);
    uint32_t k = 0, r = 0;
    for (uint32_t i = 0; i < op->operand_count; i++, k++)
        if (k >= t->input_count || t->parts[k] != op->operands[i]->type) return false;
    for (uint32_t i = 0; i < op->result_count; i++, k++)
        if (k >= t->input_count || t->parts[k] != op->results[i].type) return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (weft_type_has_derivative(op->results[i].type) &&
            (k >= t->input_count || t->parts[k++] != op->results[i].type))
            return false;
    if (k != t->input_count) return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (weft_type_has_derivative(op->operands[i]->type) &&
            (k + r >= t->part_count || t->parts[k + r++] != op->operands[i]->type))
            return false;
    return k + r == t->part_count;
}

void gd_rule_custom_call(gd *g, const weft_op *op) {
    const weft_str name = rule_of(g, op);
    const weft_op *f = name.n ? weft_module_symbol(g->m, name) : NULL;
    if (!name.n && gd_rule_lapack(g, op)) return;
    if (!name.n) {
        gd_refuse(g, op, "its target has no rule; name its backward function by the attribute weft.backward, or by "
                          "the option rules");
        return;
    }
    if (!f || f->kind != WEFT_OP_func || !fits(f, op)) {
        gd_refuse(g, op, f ? "its backward function does not take its operands, results and their cotangents, or does "
                             "not return its operands' cotangents"
                           : "its backward function is not in the module");
        return;
    }
    const weft_type *t = weft_func_type(f);
    weft_value **in = weft_arena_array(g->arena, weft_value *, t->input_count + 1);
    uint32_t k = 0, r = 0;
    if (!in) {
        gd_fail(g, weft_oom());
        return;
    }
    for (uint32_t i = 0; i < op->operand_count; i++) in[k++] = gd_in(g, op, i);
    for (uint32_t i = 0; i < op->result_count; i++) in[k++] = gd_out(g, op, i);
    for (uint32_t i = 0; i < op->result_count; i++)
        if (weft_type_has_derivative(op->results[i].type)) in[k++] = gd_ct_full(g, op, i);
    weft_name interned = weft_name_intern(g->cx, name);
    const weft_attr *symbol = interned ? weft_attr_symbol(g->cx, interned) : NULL;
    const weft_named_attr to = { weft_name_at(g->cx, WEFT_A_callee), symbol };
    weft_op *call = weft_build_op(gd_b(g), &(weft_op_spec){ .kind = WEFT_OP_func_call, .operands = in,
                                                            .operand_count = k, .types = t->parts + t->input_count,
                                                            .result_count = t->part_count - t->input_count,
                                                            .attrs = &to, .attr_count = 1 });
    for (uint32_t i = 0; call && i < op->operand_count; i++)
        if (weft_type_has_derivative(op->operands[i]->type)) gd_give(g, op, i, &call->results[r++]);
}

/* Its ops take its place. */
void gd_rule_named_computation(gd *g, const weft_op *op) { gd_put_in_place(g, (weft_op *)op, weft_op_body(op, 0)); }
