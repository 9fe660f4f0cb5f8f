/* symbol-dce: removes private functions without reachable callers. Source: MLIR's pass of this name. */
#include "ir/symbols.h"
#include "propagate/copy.h"
#include "propagate/propagate.h"

typedef struct reach {
    weft_context *cx;
    weft_symbol_table symbols;
    bool *live;               /* by op id, of functions */
} reach;

static bool is_private(const weft_op *f) {
    const weft_attr *v = weft_op_attr(f, WEFT_A_sym_visibility);
    return v && v->kind == WEFT_ATTR_STRING && weft_str_is(v->s, "private");
}

static weft_status mark(reach *r, const weft_op *op);

/* The function that a symbol names, and all that it names. */
static weft_status mark_symbol(reach *r, const weft_attr *a) {
    const weft_op *f = weft_symbol_table_find(&r->symbols, weft_name_str(a->names.v[0]));
    if (!f || f->kind != WEFT_OP_func || r->live[f->id]) return WEFT_OK;
    r->live[f->id] = true;
    return mark(r, f);
}

static weft_status mark_attr(reach *r, const weft_attr *a) {
    weft_status st = WEFT_OK;
    if (a->kind == WEFT_ATTR_SYMBOL) return mark_symbol(r, a);
    if (a->kind == WEFT_ATTR_ARRAY)
        for (uint32_t i = 0; st == WEFT_OK && i < a->items.n; i++) st = mark_attr(r, a->items.v[i]);
    if (a->kind == WEFT_ATTR_DICT)
        for (uint32_t i = 0; st == WEFT_OK && i < a->entries.n; i++) st = mark_attr(r, a->entries.v[i].value);
    return st;
}

static bool may_name(const weft_attr *a) {
    return a->kind == WEFT_ATTR_SYMBOL || a->kind == WEFT_ATTR_ARRAY || a->kind == WEFT_ATTR_DICT;
}

static weft_status mark(reach *r, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->attr_count; i++)
        if (may_name(op->attrs[i].value)) st = mark_attr(r, op->attrs[i].value);
    for (uint32_t k = 0; st == WEFT_OK && k < op->region_count; k++)
        WEFT_EACH_BLOCK(b, &op->regions[k])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK && (inner->attr_count || inner->region_count)) st = mark(r, inner);
    return st;
}

static weft_status drop_dead(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const reach *r = c->user;
    if (op->kind == WEFT_OP_func && is_private(op) && !r->live[op->id]) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

weft_status weft_pass_symbol_dce(weft_pass *p, const weft_module *in, weft_module **out) {
    reach r = { .cx = p->cx };
    weft_arena arena;
    bool any = false;
    WEFT_EACH_OP(op, weft_module_body(in)) any |= op->kind == WEFT_OP_func && is_private(op);
    if (!any) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->chunks);
    r.live = weft_arena_array(&arena, bool, in->op_count);
    weft_status st = r.live ? weft_symbol_table_open(in, &arena, &r.symbols, NULL) : weft_oom();
    for (const weft_op *op = weft_module_body(in)->first; op && st == WEFT_OK; op = op->next)
        if (op->kind != WEFT_OP_func || !is_private(op)) st = mark(&r, op);
    any = false;
    WEFT_EACH_OP (op, weft_module_body(in))
        any |= op->kind == WEFT_OP_func && is_private(op) && st == WEFT_OK && !r.live[op->id];
    if (st == WEFT_OK && any)
        st = weft_edit_module(p, in, &(weft_copy_hooks){ .visit = drop_dead, .outermost = true }, &r, out);
    weft_arena_free(&arena);
    return st;
}
