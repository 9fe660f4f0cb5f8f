/* drop_attrs.c: see drop_attrs.h. */
#include "propagate/drop_attrs.h"

#include "ir/func_attrs.h"

static bool is_dropped(weft_name name, const weft_name *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (names[i] == name) return true;
    return false;
}

typedef struct dropping {
    weft_context *cx;
    const weft_name *names;
    size_t n;
} dropping;

/* A dictionary without the names. */
static weft_status drop_entry(void *user, uint32_t i, const weft_loc *loc, const weft_attr **dict) {
    const dropping *x = user;
    weft_named_attr *v = weft_scratch_array(x->cx, weft_named_attr, (*dict)->entries.n);
    uint32_t kept = 0;
    (void)i, (void)loc;
    if (!v) return weft_oom();
    for (uint32_t k = 0; k < (*dict)->entries.n; k++)
        if (!is_dropped((*dict)->entries.v[k].name, x->names, x->n)) v[kept++] = (*dict)->entries.v[k];
    if (kept < (*dict)->entries.n) *dict = weft_attr_dict(x->cx, v, kept);
    return *dict ? WEFT_OK : weft_oom();
}

weft_status weft_drop_attrs(weft_module *m, weft_op *op, const weft_name *names, size_t n) {
    dropping x = { m->cx, names, n };
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < n; i++) st = weft_op_set_attr(m, op, names[i], NULL);
    if (st != WEFT_OK || op->kind != WEFT_OP_func) return st;
    st = weft_func_map_entries(m, op, op, WEFT_A_arg_attrs, drop_entry, &x);
    return st == WEFT_OK ? weft_func_map_entries(m, op, op, WEFT_A_res_attrs, drop_entry, &x) : st;
}
