/* sum_unreduced: whole arguments and results.
 *
 * JAX lets a program hand partial sums to the next one (PartitionSpec's `unreduced`). What Weft's callers give and get
 * are arrays, which lie on devices in parts or in copies, never in terms of a sum.
 */
#include "ir/builder.h"
#include "pipeline/pipeline.h"

/* The same sharding, nothing left unreduced; NULL only when memory is out. */
static const weft_attr *summed(weft_context *cx, const weft_attr *sharding) {
    weft_attr whole = *sharding;
    whole.sharding.unreduced = (weft_axis_refs){ NULL, 0 };
    whole.sharding.unreduced_by = WEFT_BY_SUM;
    return weft_attr_copy(cx, &whole);
}

/* entry with its sdy.sharding summed. */
static weft_status sum_entry(weft_context *cx, const weft_attr **entry, const weft_loc *loc, const char *what,
                             uint32_t i) {
    const weft_attr *sharding = weft_dict_get(*entry, WEFT_A_sdy_sharding);
    if (!sharding || sharding->kind != WEFT_ATTR_SHARDING || !sharding->sharding.unreduced.n) return WEFT_OK;
    const weft_attr *whole = summed(cx, sharding);
    weft_named_attr *named = weft_scratch_array(cx, weft_named_attr, (*entry)->entries.n);
    if (!whole || !named) return weft_oom();
    for (uint32_t k = 0; k < (*entry)->entries.n; k++) {
        named[k] = (*entry)->entries.v[k];
        if (named[k].value == sharding) named[k].value = whole;
    }
    *entry = weft_attr_dict(cx, named, (*entry)->entries.n);
    if (!*entry) return weft_oom();
    return weft_report(cx, WEFT_D_constraint, loc,
                       "%s %u is left unreduced: the program's arguments and results are complete sums, so Weft reduces it here",
                       what, i);
}

static weft_status sum_entries(weft_module *m, weft_op *main, weft_attr_name name, const char *what) {
    const weft_attr *list = weft_op_attr(main, name);
    const weft_block *body = weft_op_body(main, 0);
    weft_status st = WEFT_OK;
    bool changed = false;
    if (!list || list->kind != WEFT_ATTR_ARRAY) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&m->cx->scratch);
    const weft_attr **items = weft_scratch_array(m->cx, const weft_attr *, list->items.n);
    if (!items) st = weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < list->items.n; i++) {
        items[i] = list->items.v[i];
        st = sum_entry(m->cx, &items[i],
                       name == WEFT_A_arg_attrs && i < body->arg_count ? weft_value_loc(body->args[i]) : main->loc,
                       what, i);
        changed |= items[i] != list->items.v[i];
    }
    if (st == WEFT_OK && changed) {
        const weft_attr *with = weft_attr_array(m->cx, items, list->items.n);
        st = with ? weft_op_set(m, main, name, with) : weft_oom();
    }
    weft_arena_reset(&m->cx->scratch, mark);
    return st;
}

weft_status weft_module_sum_unreduced(weft_module *m) {
    weft_op *main = weft_module_main(m);
    if (!main || !weft_op_body(main, 0)) return WEFT_OK;
    weft_status st = sum_entries(m, main, WEFT_A_arg_attrs, "argument");
    return st == WEFT_OK ? sum_entries(m, main, WEFT_A_res_attrs, "result") : st;
}
