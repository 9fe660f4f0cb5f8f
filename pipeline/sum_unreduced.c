/* sum_unreduced: makes unreduced arguments and results complete.
 *
 * JAX lets a program pass partial sums to the next one (PartitionSpec's `unreduced`). Callers of Weft pass and get
 * arrays, which are split or replicated over devices, never terms of a sum.
 */
#include "ir/func_attrs.h"
#include "pipeline/pipeline.h"

/* The same sharding without unreduced axes; NULL only when memory is out. */
static const weft_attr *summed(weft_context *cx, const weft_attr *sharding) {
    weft_attr whole = *sharding;
    whole.sharding.unreduced = (weft_axis_refs){ NULL, 0 };
    whole.sharding.unreduced_by = WEFT_BY_SUM;
    return weft_attr_copy(cx, &whole);
}

typedef struct summing {
    weft_context *cx;
    const char *what;   /* "argument" or "result" */
} summing;

/* An entry with its sdy.sharding summed. */
static weft_status sum_entry(void *user, uint32_t i, const weft_loc *loc, const weft_attr **entry) {
    const summing *x = user;
    const weft_attr *sharding = weft_dict_get(*entry, WEFT_A_sdy_sharding);
    if (!sharding || sharding->kind != WEFT_ATTR_SHARDING || !sharding->sharding.unreduced.n) return WEFT_OK;
    const weft_attr *whole = summed(x->cx, sharding);
    weft_named_attr *named = weft_scratch_array(x->cx, weft_named_attr, (*entry)->entries.n);
    if (!whole || !named) return weft_oom();
    for (uint32_t k = 0; k < (*entry)->entries.n; k++) {
        named[k] = (*entry)->entries.v[k];
        if (named[k].value == sharding) named[k].value = whole;
    }
    *entry = weft_attr_dict(x->cx, named, (*entry)->entries.n);
    if (!*entry) return weft_oom();
    return weft_report(x->cx, WEFT_D_constraint, loc,
                       "%s %u is left unreduced: the program's arguments and results are complete sums, so Weft reduces it here",
                       x->what, i);
}

weft_status weft_module_sum_unreduced(weft_module *m) {
    weft_op *main = weft_module_main(m);
    summing args = { m->cx, "argument" }, results = { m->cx, "result" };
    if (!main || !weft_op_body(main, 0)) return WEFT_OK;
    weft_status st = weft_func_map_entries(m, main, main, WEFT_A_arg_attrs, sum_entry, &args);
    return st == WEFT_OK ? weft_func_map_entries(m, main, main, WEFT_A_res_attrs, sum_entry, &results) : st;
}
