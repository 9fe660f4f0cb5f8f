/* func_attrs.c: see func_attrs.h. */
#include "ir/func_attrs.h"

const weft_loc *weft_func_entry_loc(const weft_op *f, weft_attr_name side, uint32_t i) {
    const weft_block *body = f->region_count ? weft_op_body(f, 0) : NULL;
    return side == WEFT_A_arg_attrs && body && i < body->arg_count ? weft_value_loc(body->args[i]) : f->loc;
}

bool weft_func_arg_is_offered(const weft_op *f, uint32_t arg) {
    const weft_attr *donor = weft_func_arg_attr(f, arg, WEFT_A_jax_buffer_donor);
    return donor && donor->kind == WEFT_ATTR_BOOL && donor->i;
}

weft_status weft_func_map_entries(weft_module *m, const weft_op *from, weft_op *to, weft_attr_name side,
                                  weft_entry_fn fn, void *user) {
    const weft_attr *list = weft_op_attr(from, side);
    weft_status st = WEFT_OK;
    bool changed = false, any = false;
    if (!list || list->kind != WEFT_ATTR_ARRAY) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&m->cx->scratch);
    const weft_attr **items = weft_scratch_array(m->cx, const weft_attr *, list->items.n);
    if (!items) st = weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < list->items.n; i++) {
        items[i] = list->items.v[i];
        st = fn(user, i, weft_func_entry_loc(from, side, i), &items[i]);
        if (st != WEFT_OK) break;
        changed |= items[i] != list->items.v[i];
        any |= items[i]->entries.n > 0;
    }
    if (st == WEFT_OK && changed) {
        const weft_attr *with = any ? weft_attr_array(m->cx, items, list->items.n) : NULL;
        st = with || !any ? weft_op_set(m, to, side, with) : weft_oom();
    }
    weft_arena_reset(&m->cx->scratch, mark);
    return st;
}
