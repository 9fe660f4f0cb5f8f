/* replace: shared by the passes of this room: whether there is anything to do, and replacing an op by new
 * ones. */
#include "legalize/chlo.h"

static bool is_static(const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!weft_type_is_static(op->operands[i]->type)) return false;
    return weft_type_is_static(op->results[0].type);
}

/* A pass that expands an op before propagation must not lose its sharding. */
static weft_status keep_annotations(weft_builder *b, const weft_op *op, weft_op *made) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->attr_count; i++)
        if (op->attrs[i].name->id >= WEFT_A_sdy_sharding)
            st = weft_op_set_attr(b->m, made, op->attrs[i].name, op->attrs[i].value);
    return st;
}

weft_status lg_replace(weft_rewrite *r, weft_builder *b, const weft_op *op, lg_maker make, weft_rewritten *did) {
    weft_value *in[3] = { NULL };
    const uint32_t first_new = b->m->op_count;
    if (!is_static(op)) return WEFT_OK;
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = r->map.to[op->operands[i]->id];
    weft_value *v = make(b, op, in);
    if (!v) return b->status;
    *did = WEFT_DONE;
    r->map.to[op->results[0].id] = v;
    if (!v->def || v->def->id < first_new) return WEFT_OK; /* an operand replaces the result */
    v->hint = op->results[0].hint;
    return keep_annotations(b, op, v->def);
}

typedef struct search { bool (*wanted)(const weft_op *); bool found; } search;

static weft_status look_at(void *user, weft_op *op) {
    search *s = user;
    s->found = s->found || s->wanted(op);
    return WEFT_OK;
}

weft_status lg_run(const weft_module *in,
                   weft_status (*fn)(weft_rewrite *, weft_builder *, const weft_op *, weft_rewritten *),
                   bool (*wanted)(const weft_op *), weft_module **out) {
    search s = { wanted, false };
    weft_status st = weft_module_walk(in, look_at, &s);
    if (st != WEFT_OK || !s.found) return st;
    weft_arena arena;
    weft_arena_init(&arena, &in->cx->chunks);
    st = weft_rewrite_module(&(weft_rewrite){ .op = fn }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
