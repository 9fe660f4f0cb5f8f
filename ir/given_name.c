/* given_name.c: names from locations and attributes of a function. */
#include "ir/given_name.h"

static weft_name name_in(const weft_loc *read) {
    const weft_loc *loc = weft_loc_given(read);
    if (!loc || loc->kind == WEFT_LOC_NAME) return loc ? loc->name : NULL;
    /* the place in the text, and the location there */
    for (uint32_t i = 0; loc->kind == WEFT_LOC_FUSED && i < loc->n; i++) {
        const weft_name n = name_in(loc->a[i]);
        if (n) return n;
    }
    return NULL;
}

static const weft_value *argument_of(const weft_op *func, uint32_t argument) {
    const weft_block *body = func->region_count ? weft_op_body(func, 0) : NULL;
    return body && argument < body->arg_count ? body->args[argument] : NULL;
}

weft_str weft_argument_given_name(const weft_op *func, uint32_t argument) {
    const weft_value *v = argument_of(func, argument);
    const weft_name n = v ? name_in(v->loc) : NULL;
    return n ? weft_name_str(n) : (weft_str){ NULL, 0 };
}

weft_str weft_result_given_name(const weft_op *func, uint32_t result) {
    const weft_attr *list = weft_op_attr(func, WEFT_A_res_attrs), *info = NULL;
    if (list && list->kind == WEFT_ATTR_ARRAY && result < list->items.n)
        info = weft_dict_get_named(list->items.v[result], "jax.result_info");
    return info && info->kind == WEFT_ATTR_STRING ? info->s : (weft_str){ NULL, 0 };
}

void weft_argument_print(weft_buf *b, const weft_op *func, uint32_t argument) {
    const weft_str given = weft_argument_given_name(func, argument);
    const weft_attr *alias = weft_func_arg_attr(func, argument, WEFT_A_tf_aliasing_output);
    const bool donated = alias && alias->kind == WEFT_ATTR_INT && alias->i >= 0 && alias->i <= UINT32_MAX;
    const weft_str becomes = donated ? weft_result_given_name(func, (uint32_t)alias->i) : (weft_str){ NULL, 0 };
    const weft_value *v = argument_of(func, argument);
    weft_buf_printf(b, "argument %u", argument);
    if (given.n) weft_buf_printf(b, " (%.*s)", WEFT_STR_ARG(given));
    else if (becomes.n) weft_buf_printf(b, " (donated to %.*s)", WEFT_STR_ARG(becomes));
    else if (v && v->hint) weft_buf_printf(b, " (%%%s)", v->hint->text);
}

void weft_result_print(weft_buf *b, const weft_op *func, uint32_t result) {
    const weft_str given = weft_result_given_name(func, result);
    weft_buf_printf(b, "result %u", result);
    if (given.n) weft_buf_printf(b, " (%.*s)", WEFT_STR_ARG(given));
}
