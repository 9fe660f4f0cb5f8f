/* import_round_trip_manual: see import_round_trip.h. A call of a function whose name has
 * "xla.sdy.manual_computation_body" becomes a manual computation with the function's body.
 *
 *     %0 = custom_call @xla.sdy.GlobalToLocalShape(%a) {in_shardings, manual_axes}
 *     %1 = call @xla.sdy.manual_computation_body(%0)
 *     %2 = custom_call @xla.sdy.LocalToGlobalShape(%1) {out_shardings, manual_axes}
 *
 * Without inputs, or outputs, that custom call is missing. Files of early 2025 have all three texts on the
 * call as well, and some only there.
 */
#include "ir/symbols.h"
#include "pipeline/import_round_trip.h"

#define MAX_DEPTH 64 /* nested manual computations: more means a function that calls itself */

/* --- finding them ------------------------------------------------------------------------------------------------- */

bool rt_names_body(weft_str callee) {
    static const char part[] = "xla.sdy.manual_computation_body";
    for (size_t i = 0; i + sizeof part - 1 <= callee.n; i++)
        if (!memcmp(callee.p + i, part, sizeof part - 1)) return true;
    return false;
}

static weft_status cannot_read(rt_importer *im, const weft_op *call, const char *why) {
    im->warned = true;
    return weft_report(im->cx, WEFT_D_annotation, call->loc,
                       "the manual computation of this call cannot be read: %s; "
                       "take the program from before its export (in JAX: jit(f).lower(...).as_text())", why);
}

/* Finds the calls around it, and the error in them, or NULL. XLA replaces values without elements by constants: each
 * custom call is found by any of the others. */
static const char *find_around(const rt_importer *im, const weft_op *call, rt_manual *m) {
    for (uint32_t i = 0; i < call->operand_count && !m->begin; i++) {
        const weft_op *def = call->operands[i]->def;
        if (def && rt_is_call(def, "xla.sdy.GlobalToLocalShape")) m->begin = def;
    }
    for (uint32_t i = 0; i < call->result_count && !m->end; i++)
        for (uint32_t u = im->uses.start[call->results[i].id]; u < im->uses.start[call->results[i].id + 1]; u++)
            if (rt_is_call(im->uses.use[u].op, "xla.sdy.LocalToGlobalShape")) m->end = im->uses.use[u].op;
    if (call->operand_count &&
        (!m->begin || m->begin->operand_count != call->operand_count || m->begin->result_count != call->operand_count))
        return "its operands do not come from one xla.sdy.GlobalToLocalShape";
    if (m->end && (m->end->operand_count != call->result_count || m->end->result_count != call->result_count))
        return "its results do not go to one xla.sdy.LocalToGlobalShape";
    for (uint32_t i = 0; i < call->result_count; i++)
        if (!m->end && weft_use_count(&im->uses, &call->results[i]) > 0)
            return "its results do not go to one xla.sdy.LocalToGlobalShape";
    return NULL;
}

typedef struct finding { rt_importer *im; const weft_symbol_table *symbols; bool *plain; } finding;

static weft_status find_one(void *user, weft_op *op) {
    const finding *f = user;
    rt_importer *im = f->im;
    if (op->kind != WEFT_OP_func_call) return WEFT_OK;
    const weft_op *function = weft_symbol_table_find(f->symbols, weft_op_symbol(op, WEFT_A_callee));
    rt_manual m = { .call = op, .function = function };
    if (!function || function->kind != WEFT_OP_func || !rt_names_body(weft_op_symbol(op, WEFT_A_callee)) ||
        !weft_op_body(function, 0)) {
        if (function) f->plain[function->id] = true;
        return WEFT_OK;
    }
    const char *why = find_around(im, op, &m);
    if (why) return f->plain[function->id] = true, cannot_read(im, op, why);
    if (!weft_arena_grow(&im->arena, (void **)&im->manual, &im->manual_cap, im->manual_count + 1, sizeof *im->manual))
        return weft_oom();
    im->manual[im->manual_count++] = m;
    im->manual_of[op->id] = (uint32_t)im->manual_count;
    if (m.begin) im->manual_of[m.begin->id] = (uint32_t)im->manual_count;
    if (m.end) im->manual_of[m.end->id] = (uint32_t)im->manual_count;
    im->body[function->id] = true;
    return WEFT_OK;
}

weft_status rt_find_manual(rt_importer *im, const weft_module *in) {
    weft_symbol_table symbols;
    bool *plain = weft_arena_array(&im->arena, bool, in->op_count);
    im->manual_of = weft_arena_array(&im->arena, uint32_t, in->op_count);
    im->body = weft_arena_array(&im->arena, bool, in->op_count);
    if (!plain || !im->manual_of || !im->body) return weft_oom();
    weft_status st = weft_symbol_table_open(in, &im->arena, &symbols, NULL);
    if (st == WEFT_OK) st = weft_module_walk(in, find_one, &(finding){ im, &symbols, plain });
    for (uint32_t i = 0; i < in->op_count; i++) im->body[i] = im->body[i] && !plain[i];
    return st;
}

bool rt_is_manual(const rt_importer *im, const weft_op *call) { return im->manual_of[call->id]; }
bool rt_is_part(const rt_importer *im, const weft_op *op) {
    return op->kind == WEFT_OP_func ? im->body[op->id] : op->kind == WEFT_OP_custom_call && im->manual_of[op->id];
}

/* --- making one --------------------------------------------------------------------------------------------------- */

/* A text of the custom call, else of the call itself. */
static weft_status read_of(rt_importer *im, const weft_op *around, const weft_op *call, const char *name,
                           weft_attr_kind kind, const weft_attr **out) {
    *out = NULL;
    weft_status st = around ? rt_read(im->cx, rt_dict(around), name, kind, around->loc, out) : WEFT_OK;
    return st == WEFT_OK && !*out ? rt_read(im->cx, rt_dict(call), name, kind, call->loc, out) : st;
}

static const weft_attr *nothing(weft_context *cx, weft_attr_kind kind) {
    return weft_attr_copy(cx, &(weft_attr){ .kind = kind });
}

/* in_shardings, out_shardings and manual_axes. */
static weft_status read_texts(rt_importer *im, const rt_manual *m, const weft_attr *out[3]) {
    weft_status st = read_of(im, m->begin, m->call, "xla.sdy.in_shardings", WEFT_ATTR_SHARDINGS, &out[0]);
    if (st == WEFT_OK) st = read_of(im, m->end, m->call, "xla.sdy.out_shardings", WEFT_ATTR_SHARDINGS, &out[1]);
    if (st == WEFT_OK && m->begin) st = read_of(im, m->begin, m->call, "xla.sdy.manual_axes", WEFT_ATTR_AXES, &out[2]);
    if (st == WEFT_OK && !out[2]) st = read_of(im, m->end, m->call, "xla.sdy.manual_axes", WEFT_ATTR_AXES, &out[2]);
    if (st == WEFT_OK && ((m->begin && !out[0]) || (m->end && !out[1]) || ((m->begin || m->end) && !out[2])))
        return weft_report(im->cx, WEFT_D_sharding, m->call->loc,
                           "the custom calls around this manual computation have no 'xla.sdy.in_shardings', "
                                                                  "'xla.sdy.out_shardings' or 'xla.sdy.manual_axes'");
    for (uint32_t i = 0; st == WEFT_OK && i < 3; i++)
        if (!out[i] && !(out[i] = nothing(im->cx, i == 2 ? WEFT_ATTR_AXES : WEFT_ATTR_SHARDINGS))) st = weft_oom();
    return st;
}

static weft_op *build(rt_importer *im, weft_builder *b, const rt_manual *m, const weft_attr *const texts[3]) {
    static const weft_attr_name names[] = { WEFT_A_in_shardings, WEFT_A_out_shardings, WEFT_A_manual_axes };
    const uint32_t inputs = m->begin ? m->begin->operand_count : 0, outputs = m->end ? m->end->result_count : 0;
    weft_value **operands = weft_scratch_array(im->cx, weft_value *, inputs);
    const weft_type **types = weft_scratch_array(im->cx, const weft_type *, outputs);
    weft_named_attr attrs[WEFT_COUNT(names)];
    if (!operands || !types) return b->status = weft_oom(), NULL;
    for (uint32_t i = 0; i < WEFT_COUNT(names); i++)
        attrs[i] = (weft_named_attr){ weft_name_at(im->cx, names[i]), texts[i] };
    for (uint32_t i = 0; i < inputs; i++) operands[i] = im->rewrite.map.to[m->begin->operands[i]->id];
    for (uint32_t i = 0; i < outputs; i++) types[i] = m->end->results[i].type;
    return weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_sdy_manual_computation, .operands = operands,
                                             .operand_count = inputs, .types = types,
                                             .result_count = outputs, .attrs = attrs, .attr_count = WEFT_COUNT(attrs),
                                                 .region_count = 1 });
}

static weft_status fill(rt_importer *im, const rt_manual *m, weft_op *made) {
    const weft_block *body = weft_op_body(m->function, 0), *outer = im->filling;
    weft_builder inner;
    weft_builder_init(&inner, im->rewrite.out, NULL);
    weft_block *block = weft_build_block(&inner, &made->regions[0]);
    for (uint32_t i = 0; block && i < body->arg_count; i++) {
        weft_value *arg = weft_build_block_arg(&inner, block, body->args[i]->type, body->args[i]->loc);
        if (!arg) return weft_oom();
        arg->hint = body->args[i]->hint;
        im->rewrite.map.to[body->args[i]->id] = arg;
    }
    if (!block) return weft_oom();
    if (im->depth++ == MAX_DEPTH)
        return weft_report(im->cx, WEFT_D_unsupported, m->call->loc,
                           "manual computations that call themselves cannot be read");
    im->filling = body;
    weft_status st = weft_rewrite_block(&im->rewrite, body, block);
    im->filling = outer;
    im->depth--;
    return st;
}

weft_status rt_import_manual(rt_importer *im, weft_builder *b, const weft_op *call) {
    const rt_manual *m = &im->manual[im->manual_of[call->id] - 1];
    const weft_attr *texts[3] = { NULL, NULL, NULL };
    if (call->result_count && !m->end) return WEFT_OK; /* it has no readers: values without elements */
    weft_mark mark = weft_arena_mark(&im->cx->scratch);
    weft_status st = read_texts(im, m, texts);
    weft_op *made = st == WEFT_OK ? build(im, b, m, texts) : NULL;
    if (st == WEFT_OK) st = made ? fill(im, m, made) : b->status;
    weft_arena_reset(&im->cx->scratch, mark);
    for (uint32_t i = 0; st == WEFT_OK && m->end && i < m->end->result_count; i++)
        im->rewrite.map.to[m->end->results[i].id] = &made->results[i];
    return st;
}

weft_status rt_end_manual(rt_importer *im, weft_builder *b, const weft_op *end) {
    weft_mark mark = weft_arena_mark(&im->cx->scratch);
    weft_value **values = weft_scratch_array(im->cx, weft_value *, end->operand_count);
    for (uint32_t i = 0; values && i < end->operand_count; i++) values[i] = im->rewrite.map.to[end->operands[i]->id];
    const bool made = values &&
        weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_sdy_return, .operands = values,
                                          .operand_count = end->operand_count });
    weft_arena_reset(&im->cx->scratch, mark);
    return made ? WEFT_OK : values ? b->status : weft_oom();
}
