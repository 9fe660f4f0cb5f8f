/* drop_attrs.c: see drop_attrs.h. */
#include "propagate/drop_attrs.h"

static bool is_dropped(weft_name name, const weft_name *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (names[i] == name) return true;
    return false;
}

/* dict without the names; NULL when memory is out. */
static const weft_attr *without(weft_context *cx, const weft_attr *dict, const weft_name *names, size_t n) {
    weft_named_attr *v = weft_scratch_array(cx, weft_named_attr, dict->entries.n);
    uint32_t kept = 0;
    if (!v) return NULL;
    for (uint32_t i = 0; i < dict->entries.n; i++)
        if (!is_dropped(dict->entries.v[i].name, names, n)) v[kept++] = dict->entries.v[i];
    return kept == dict->entries.n ? dict : weft_attr_dict(cx, v, kept);
}

/* arg_attrs or res_attrs, which go when nothing is left in them. */
static weft_status drop_from_dicts(weft_module *m, weft_op *f, weft_attr_name side, const weft_name *names, size_t n) {
    const weft_attr *dicts = weft_op_attr(f, side), *all;
    if (!dicts) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&m->cx->scratch);
    const weft_attr **v = weft_scratch_array(m->cx, const weft_attr *, dicts->items.n);
    weft_status st = v ? WEFT_OK : weft_oom();
    bool any = false;
    for (uint32_t i = 0; st == WEFT_OK && i < dicts->items.n; i++) {
        if (!(v[i] = without(m->cx, dicts->items.v[i], names, n))) st = weft_oom();
        else any |= v[i]->entries.n > 0;
    }
    if (st == WEFT_OK && !any) st = weft_op_set(m, f, side, NULL);
    else if (st == WEFT_OK)
        st = (all = weft_attr_array(m->cx, v, dicts->items.n)) ? weft_op_set(m, f, side, all) : weft_oom();
    weft_arena_reset(&m->cx->scratch, mark);
    return st;
}

weft_status weft_drop_attrs(weft_module *m, weft_op *op, const weft_name *names, size_t n) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < n; i++) st = weft_op_set_attr(m, op, names[i], NULL);
    if (st != WEFT_OK || op->kind != WEFT_OP_func) return st;
    st = drop_from_dicts(m, op, WEFT_A_arg_attrs, names, n);
    return st == WEFT_OK ? drop_from_dicts(m, op, WEFT_A_res_attrs, names, n) : st;
}
