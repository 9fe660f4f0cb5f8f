/* return_values: a program that returns more of its values; see variants.h. */
#include "ir/rewrite.h"
#include "pipeline/variants.h"
#include "sharding/values.h"

bool weft_op_is_check(const weft_op *op) {
    const weft_attr *target = op->kind == WEFT_OP_custom_call ? weft_op_attr(op, WEFT_A_call_target_name) : NULL;
    const weft_str name = target && target->kind == WEFT_ATTR_STRING ? target->s : weft_name_str(op->name),
                   prefix = WEFT_STR("check.");
    return name.n > prefix.n && !memcmp(name.p, prefix.p, prefix.n);
}

typedef struct returner {
    weft_context *cx;
    const weft_op *main;
    const weft_value *const *values;
    uint32_t count;
} returner;

static const weft_type *longer_type(returner *t, const weft_type *old) {
    const uint32_t own = old->part_count - old->input_count;
    const weft_type **results = weft_scratch_array(t->cx, const weft_type *, own + t->count);
    if (!results) return NULL;
    memcpy(results, old->parts + old->input_count, own * sizeof *results);
    for (uint32_t i = 0; i < t->count; i++) results[own + i] = t->values[i]->type;
    return weft_type_function(t->cx, old->parts, old->input_count, results, own + t->count);
}

/* res_attrs: those of the function's own results, then the shardings of the values. */
static const weft_attr *longer_attrs(returner *t, uint32_t own) {
    const weft_attr *old = weft_op_attr(t->main, WEFT_A_res_attrs);
    const weft_attr **dicts = weft_scratch_array(t->cx, const weft_attr *, own + t->count);
    for (uint32_t i = 0; dicts && i < own + t->count; i++) {
        const weft_attr *sharding = i < own ? NULL : weft_value_sharding_attr(t->values[i - own]);
        const weft_named_attr entry = { weft_name_at(t->cx, WEFT_A_sdy_sharding), sharding };
        dicts[i] =
            i < own && old && i < old->items.n ? old->items.v[i] : weft_attr_dict(t->cx, &entry, sharding ? 1 : 0);
        if (!dicts[i]) return NULL;
    }
    return dicts ? weft_attr_array(t->cx, dicts, own + t->count) : NULL;
}

static weft_status longer_main(returner *t, weft_rewrite *r, weft_builder *b) {
    const weft_type *old = weft_func_type(t->main);
    weft_mark mark = weft_arena_mark(&t->cx->scratch);
    const weft_type *type = longer_type(t, old);
    const weft_attr *attr = type ? weft_attr_type(t->cx, type) : NULL,
                    *results = longer_attrs(t, old->part_count - old->input_count);
    weft_arena_reset(&t->cx->scratch, mark);
    weft_op *made = attr && results ? weft_clone_shell(b, t->main, &r->map, NULL) : NULL;
    if (!made) return weft_oom();
    weft_status st = weft_op_set(r->out, made, WEFT_A_function_type, attr);
    if (st == WEFT_OK) st = weft_op_set(r->out, made, WEFT_A_res_attrs, results);
    return st == WEFT_OK ? weft_rewrite_regions(r, t->main, made) : st;
}

static weft_status longer_return(returner *t, weft_rewrite *r, weft_builder *b, const weft_op *end) {
    weft_mark mark = weft_arena_mark(&t->cx->scratch);
    weft_value **in = weft_scratch_array(t->cx, weft_value *, end->operand_count + t->count);
    for (uint32_t i = 0; in && i < end->operand_count; i++) in[i] = r->map.to[end->operands[i]->id];
    for (uint32_t i = 0; in && i < t->count; i++) in[end->operand_count + i] = r->map.to[t->values[i]->id];
    if (in)
        weft_build_op(b, &(weft_op_spec){ .kind = (weft_op_kind)end->kind, .operands = in,
                                          .operand_count = end->operand_count + t->count, .attrs = end->attrs,
                                          .attr_count = end->attr_count });
    weft_arena_reset(&t->cx->scratch, mark);
    return in ? b->status : weft_oom();
}

static weft_status visit(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    returner *t = r->user;
    const bool end = op->parent == weft_op_body(t->main, 0) && op == weft_block_terminator(op->parent);
    if (op != t->main && !end && !weft_op_is_check(op)) return WEFT_OK;
    *did = WEFT_DONE;
    if (op == t->main) return longer_main(t, r, b);
    return end ? longer_return(t, r, b, op) : WEFT_OK;
}

weft_status weft_module_return_values(const weft_module *m, const weft_value *const *values, uint32_t n,
                                      weft_module **out) {
    returner t = { m->cx, weft_module_main(m), values, n };
    weft_arena arena;
    weft_arena_init(&arena, &m->cx->chunks);
    weft_status st = weft_rewrite_module(&(weft_rewrite){ .user = &t, .op = visit }, m, &arena, out);
    weft_arena_free(&arena);
    return st;
}
