/* check_annotations: says so when a program has shardings of a form that Weft does not read.
 *
 * Pass weft-check-annotations. Changes nothing. Shardy's export for XLA, which jax.export writes as well, has shardings as texts: xla.sdy.* in
 * mhlo.frontend_attributes, custom calls @xla.sdy.*. What the program computes does not depend on shardings outside of manual computations,
 * so this is a warning, at the first of them in program order.
 * Source: Shardy's export for XLA (xla/service/spmd/shardy).
 */
#include "legalize/legalize.h"

typedef struct finder { weft_context *cx; bool found; } finder;

static bool begins_with(weft_str s, const char *start) { return s.n >= strlen(start) && !memcmp(s.p, start, strlen(start)); }

/* The entry of mhlo.frontend_attributes that speaks of shardings, or NULL. Meshes alone shard nothing. */
static const char *shardy_entry(const weft_attr *frontend) {
    for (uint32_t i = 0; frontend && frontend->kind == WEFT_ATTR_DICT && i < frontend->entries.n; i++) {
        const char *name = frontend->entries.v[i].name->text;
        if (begins_with(weft_str_from(name), "xla.sdy.") && strcmp(name, "xla.sdy.meshes")) return name;
    }
    return NULL;
}

static weft_status warn(finder *f, const weft_loc *loc, weft_str what) {
    f->found = true;
    return weft_report(f->cx, WEFT_D_annotation, loc, "'%.*s' speaks of shardings in the form of Shardy's export for XLA, which Weft does not read: they have no effect; "
                                                      "take the program from before that export (in JAX: jit(f).lower(...).as_text())", WEFT_STR_ARG(what));
}

/* Entry i of a list of attributes: an argument's or a result's. */
static weft_status look_at_entry(finder *f, const weft_attr *list, uint32_t i, const weft_loc *loc) {
    const weft_attr *dict = list && list->kind == WEFT_ATTR_ARRAY && i < list->items.n ? list->items.v[i] : NULL;
    const char *entry = shardy_entry(weft_dict_get_named(dict, "mhlo.frontend_attributes"));
    return entry ? warn(f, loc, weft_str_from(entry)) : WEFT_OK;
}

static weft_status look_at_function(finder *f, const weft_op *func) {
    const weft_type *t = weft_func_type(func);
    const weft_block *body = func->region_count ? weft_op_body(func, 0) : NULL;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && !f->found && i < t->input_count; i++)
        st = look_at_entry(f, weft_op_attr(func, WEFT_A_arg_attrs), i, body && i < body->arg_count ? weft_value_loc(body->args[i]) : func->loc);
    for (uint32_t i = 0; st == WEFT_OK && !f->found && i < t->part_count - t->input_count; i++)
        st = look_at_entry(f, weft_op_attr(func, WEFT_A_res_attrs), i, func->loc);
    return st;
}

static weft_status look_at_call(finder *f, const weft_op *call) {
    const weft_attr *target = weft_op_attr(call, WEFT_A_call_target_name);
    if (!target || target->kind != WEFT_ATTR_STRING) return WEFT_OK;
    if (begins_with(target->s, "xla.sdy.")) return warn(f, call->loc, target->s);
    return WEFT_OK;
}

static weft_status look(void *user, weft_op *op) {
    finder *f = user;
    if (f->found) return WEFT_OK;
    if (op->kind == WEFT_OP_func) return look_at_function(f, op);
    const char *entry = shardy_entry(weft_op_attr_named(op, "mhlo.frontend_attributes"));
    if (entry) return warn(f, op->loc, weft_str_from(entry));
    return op->kind == WEFT_OP_custom_call ? look_at_call(f, op) : WEFT_OK;
}

weft_status weft_pass_check_annotations(weft_pass *p, const weft_module *in, weft_module **out) {
    (void)out;
    finder f = { p->cx, false };
    return weft_warning_wanted(p->cx, WEFT_D_annotation) ? weft_module_walk(in, look, &f) : WEFT_OK;
}
