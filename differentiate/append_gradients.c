/* append_gradients: @main returns, after its results, the gradients of a scalar result with respect to arguments.
 *
 * Options: of, the number of the result; wrt, the numbers of arguments ("1,2"; empty: all of floats or complex
 * numbers); keep, what the backward pass may keep (differentiate.h); bound, the most iterations of loops of unknown
 * trip count; rules, backward functions of custom calls. A gradient's sharding is its argument's. Needs: no tuples,
 * composites, CHLO broadcasts (the pipeline weft-differentiate). Leaves: functions that only replaced calls have used
 * are removed. */
#include "differentiate/append.h"
#include "ir/func_attrs.h"

static weft_status append(ap_request *r, const weft_pass *p) {
    const int64_t of = weft_pass_int(p, "of", 0);
    weft_status st = ap_read_options(r, p);
    if (st != WEFT_OK) return st;
    weft_op *ret = r->body->last;
    if (of >= 0 && of < ret->operand_count) {
        const weft_type *t = ret->operands[of]->type;
        if (t->rank || !weft_type_is_tensor(t) || !weft_dtype_is_float(t->dtype))
            return weft_report(r->m->cx, WEFT_D_usage, ret->loc, "of: result %lld of @main is not a scalar of floats",
                               (long long)of);
    }
    st = ap_add_of(r, of);
    if (st != WEFT_OK) return st;
    const weft_attr **shardings = weft_scratch_array(r->m->cx, const weft_attr *, r->what.n + 1u);
    if (!shardings) return weft_oom();
    for (uint32_t i = 0; i < r->what.n; i++)
        shardings[i] = weft_func_arg_attr(r->main, r->wrt[i]->index, WEFT_A_sdy_sharding);
    weft_builder b;
    weft_builder_init(&b, r->m, r->body);
    b.before = ret;
    b.loc = ret->loc;
    st = weft_differentiate(&b, &r->what, r->out);
    return st == WEFT_OK ? ap_return(r, &b, shardings, r->what.n) : st;
}

weft_status weft_pass_append_gradients(weft_pass *p, const weft_module *in, weft_module **out) {
    return ap_run(p, in, append, out);
}
