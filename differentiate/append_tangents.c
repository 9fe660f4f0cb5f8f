/* append_tangents: @main takes, after its arguments, a tangent of each of some of them, and returns, after its results,
 * the derivatives of results along these: forward mode (forward.c).
 *
 * Options: of, the numbers of results ("0,1"; empty: all of floats or complex numbers); wrt, keep, bound, rules as of
 * append_gradients. A tangent's sharding is that of its argument or result. Leaves ops that nothing uses. */
#include "differentiate/append.h"
#include "ir/func_attrs.h"

/* The new arguments, with the attributes of all. */
static weft_status add_arguments(ap_request *r, weft_value **tangents) {
    weft_context *cx = r->m->cx;
    const weft_attr *list = weft_op_attr(r->main, WEFT_A_arg_attrs);
    const uint32_t old = r->body->arg_count, all = old + r->what.n;
    const weft_attr **items = weft_scratch_array(cx, const weft_attr *, all + 1);
    weft_builder b;
    if (!items) return weft_oom();
    weft_builder_init(&b, r->m, r->body);
    bool any = list != NULL;
    for (uint32_t i = 0; i < all; i++) {
        const weft_attr *sharding =
            i < old ? NULL : weft_func_arg_attr(r->main, r->wrt[i - old]->index, WEFT_A_sdy_sharding);
        const weft_named_attr one = { weft_name_at(cx, WEFT_A_sdy_sharding), sharding };
        any |= sharding != NULL;
        items[i] = i < old && list && i < list->items.n ? list->items.v[i]
                                                        : weft_attr_dict(cx, &one, sharding != NULL);
        if (!items[i]) return weft_oom();
        if (i < old) continue;
        const weft_value *like = r->wrt[i - old];
        tangents[i - old] = weft_build_block_arg(&b, r->body, like->type, weft_value_loc(like));
    }
    if (b.status != WEFT_OK || !any) return b.status;
    const weft_attr *attrs = weft_attr_array(cx, items, all);
    return attrs ? weft_op_set(r->m, r->main, WEFT_A_arg_attrs, attrs) : weft_oom();
}

static const weft_attr *sharding_of_result(const ap_request *r, uint32_t i) {
    const weft_attr *list = weft_op_attr(r->main, WEFT_A_res_attrs);
    return list && i < list->items.n ? weft_dict_get(list->items.v[i], WEFT_A_sdy_sharding) : NULL;
}

static weft_status append(ap_request *r, const weft_pass *p) {
    const weft_str of = weft_pass_text(p, "of", WEFT_STR(""));
    weft_status st = ap_read_options(r, p);
    if (st != WEFT_OK) return st;
    weft_op *ret = r->body->last;
    for (uint32_t i = 0; st == WEFT_OK && !of.n && i < ret->operand_count; i++)
        if (weft_type_has_derivative(ret->operands[i]->type)) st = ap_add_of(r, i);
    if (st == WEFT_OK) st = ap_read_list(r, "of", of, ap_add_of);
    if (st != WEFT_OK) return st;
    const weft_attr **shardings = weft_scratch_array(r->m->cx, const weft_attr *, r->what.of_n + 1u);
    weft_value **tangents = weft_scratch_array(r->m->cx, weft_value *, r->what.n + 1u);
    if (!shardings || !tangents) return weft_oom();
    for (uint32_t i = 0; i < r->what.of_n; i++) shardings[i] = sharding_of_result(r, r->of_index[i]);
    st = add_arguments(r, tangents);
    if (st != WEFT_OK) return st;
    weft_builder b;
    weft_builder_init(&b, r->m, r->body);
    b.before = ret;
    b.loc = ret->loc;
    st = weft_differentiate_along(&b, &r->what, tangents, r->out);
    return st == WEFT_OK ? ap_return(r, &b, shardings, r->what.of_n) : st;
}

weft_status weft_pass_append_tangents(weft_pass *p, const weft_module *in, weft_module **out) {
    return ap_run(p, in, append, out);
}
