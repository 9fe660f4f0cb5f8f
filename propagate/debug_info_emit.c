/* debug_info_emit.c: the notes about a propagation as attributes; see debug_info.h. */
#include <stdio.h>
#include <stdlib.h>

#include "propagate/debug_info.h"

/* The origins of axes: {x = "input: 0", "y:(1)2" = "self"}. */

static bool is_self(const weft_asked *a, const weft_asked *self) {
    return self && a->by == self->by && a->number == self->number && a->index == self->index;
}

static const weft_attr *asker_name(const weft_debug_info *d, const weft_asked *a, const weft_asked *self) {
    char text[64];
    switch (a->by) {
    case WEFT_ASKED_INPUT: snprintf(text, sizeof text, "input: %u", a->index); break;
    case WEFT_ASKED_OUTPUT: snprintf(text, sizeof text, "output: %u", a->index); break;
    case WEFT_ASKED_CONSTRAINT: snprintf(text, sizeof text, "constraint_%u", a->number); break;
    case WEFT_ASKED_MC_INPUT: snprintf(text, sizeof text, "mc_%u_input: %u", a->number, a->index); break;
    case WEFT_ASKED_MC_OUTPUT: snprintf(text, sizeof text, "mc_%u_output: %u", a->number, a->index); break;
    }
    return weft_attr_string(d->cx, weft_str_from(is_self(a, self) ? "self" : text));
}

static weft_name axis_name(const weft_debug_info *d, const weft_mesh *mesh, weft_axis axis) {
    weft_axis_ref ref = weft_axis_to_ref(mesh, axis);
    weft_buf b;
    if (!ref.size) return ref.name;
    weft_buf_init(&b, &d->cx->alloc);
    weft_buf_printf(&b, "%s:(%lld)%lld", ref.name->text, (long long)ref.pre_size, (long long)ref.size);
    weft_name name = b.failed ? NULL : weft_name_from(d->cx, b.p);
    weft_buf_free(&b);
    return name;
}

/* NULL when memory is out. self: the value's own name as an origin, or NULL. */
static const weft_attr *asked_dict(const weft_debug_info *d, uint32_t slot, const weft_asked *self) {
    uint32_t n = 0, k = 0;
    for (uint32_t i = d->first_asked[slot]; i != WEFT_NO_NOTE; i = d->asked[i].next) n++;
    weft_named_attr *v = weft_scratch_array(d->cx, weft_named_attr, n + 1);
    if (!v) return NULL;
    for (uint32_t i = d->first_asked[slot]; i != WEFT_NO_NOTE; i = d->asked[i].next, k++) {
        v[k] = (weft_named_attr){ axis_name(d, d->asked[i].mesh, d->asked[i].axis), asker_name(d, &d->asked[i], self) };
        if (!v[k].name || !v[k].value) return NULL;
    }
    return weft_attr_dict(d->cx, v, n);
}

static bool has_asked(const weft_debug_info *d, const weft_value *v) {
    return d->slot[v->id] == v->id && d->first_asked[v->id] != WEFT_NO_NOTE;
}

static weft_status set(weft_module *m, weft_op *op, weft_attr_name name, const weft_attr *value) {
    return value ? weft_op_set(m, op, name, value) : weft_oom();
}

/* The name of a constraint or computation as an origin. */
static weft_status emit_name(const weft_debug_info *d, weft_module *m, const weft_op *op, weft_op *copy) {
    char text[32];
    snprintf(text, sizeof text, "%s_%u", op->kind == WEFT_OP_sdy_manual_computation ? "mc" : "constraint",
             d->number[op->id]);
    return set(m, copy, WEFT_A_sdy_sharding_origin_name, weft_attr_string(d->cx, weft_str_from(text)));
}

/* The name of an edge as an origin of its computation. */
static bool edge_self(const weft_debug_info *d, const weft_op *edge, weft_asked *self) {
    const weft_value *owner = edge->operands[0];
    const weft_op *op = owner->def ? owner->def : owner->block->parent->parent;
    if (op->kind != WEFT_OP_sdy_manual_computation) return false;
    *self = (weft_asked){ .by = owner->def ? WEFT_ASKED_MC_OUTPUT : WEFT_ASKED_MC_INPUT, .number = d->number[op->id],
                          .index = owner->index };
    return true;
}

static weft_status emit_results(const weft_debug_info *d, weft_module *m, const weft_op *op, weft_op *copy) {
    weft_asked self = { .by = WEFT_ASKED_CONSTRAINT, .number = d->number[op->id] };
    bool any = false;
    for (uint32_t i = 0; i < op->result_count; i++) any |= has_asked(d, &op->results[i]);
    if (!any) return WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_constraint)
        return set(m, copy, WEFT_A_sdy_sharding_origins, asked_dict(d, op->results[0].id, &self));
    if (op->kind == WEFT_OP_sdy_data_flow_edge)
        return set(m, copy, WEFT_A_sdy_sharding_origins,
                   asked_dict(d, op->results[0].id, edge_self(d, op, &self) ? &self : NULL));
    const weft_attr **v = weft_scratch_array(d->cx, const weft_attr *, op->result_count);
    if (!v) return weft_oom();
    for (uint32_t i = 0; i < op->result_count; i++) {
        v[i] = has_asked(d, &op->results[i]) ? asked_dict(d, op->results[i].id, NULL) : weft_attr_dict(d->cx, NULL, 0);
        if (!v[i]) return weft_oom();
    }
    return set(m, copy, WEFT_A_sdy_sharding_origins, weft_attr_array(d->cx, v, op->result_count));
}

/* Functions: entries of arg_attrs and res_attrs. */

/* dict with its entry for name set to value. */
static const weft_attr *with(weft_context *cx, const weft_attr *dict, weft_attr_name name, const weft_attr *value) {
    uint32_t n = dict ? dict->entries.n : 0, kept = 0;
    weft_name key = weft_name_from(cx, weft_attr_names[name]);
    weft_named_attr *v = weft_scratch_array(cx, weft_named_attr, n + 1);
    if (!v || !key) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (dict->entries.v[i].name != key) v[kept++] = dict->entries.v[i];
    v[kept++] = (weft_named_attr){ key, value };
    return weft_attr_dict(cx, v, kept);
}

static weft_status set_entry(weft_module *m, weft_op *f, weft_attr_name side, uint32_t count, uint32_t at,
                             weft_attr_name name, const weft_attr *value) {
    const weft_attr *old = weft_op_attr(f, side);
    const weft_attr **v = weft_scratch_array(m->cx, const weft_attr *, count);
    if (!v || !value) return weft_oom();
    for (uint32_t i = 0; i < count; i++) {
        const weft_attr *dict = old && i < old->items.n ? old->items.v[i] : NULL;
        v[i] = i == at ? with(m->cx, dict, name, value) : dict ? dict : weft_attr_dict(m->cx, NULL, 0);
        if (!v[i]) return weft_oom();
    }
    return set(m, f, side, weft_attr_array(m->cx, v, count));
}

/* A value that is returned more than once has its note at one of the results: where MLIR's list of its readers begins.
 * After an edge that a pass inserted the oldest reader is first, else the newest. */
static bool notes_here(const weft_op *ret, uint32_t result) {
    const weft_value *v = ret->operands[result];
    bool oldest = v->def && v->def->kind == WEFT_OP_sdy_data_flow_edge;
    for (uint32_t i = 0; i < ret->operand_count; i++)
        if (ret->operands[i] == v && (oldest ? i < result : i > result)) return false;
    return true;
}

static weft_status emit_func(const weft_debug_info *d, weft_module *m, const weft_op *f, weft_op *copy) {
    const weft_block *body = weft_op_body(f, 0);
    const weft_op *ret = body ? body->last : NULL;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; body && st == WEFT_OK && i < body->arg_count; i++) {
        const weft_asked self = { .by = WEFT_ASKED_INPUT, .index = i };
        if (!has_asked(d, body->args[i])) continue;
        st = set_entry(m, copy, WEFT_A_arg_attrs, body->arg_count, i, WEFT_A_sdy_sharding_origins,
                       asked_dict(d, body->args[i]->id, &self));
    }
    for (uint32_t i = 0; ret && st == WEFT_OK && i < ret->operand_count; i++) {
        const weft_asked self = { .by = WEFT_ASKED_OUTPUT, .index = i };
        if (!has_asked(d, ret->operands[i]) || !notes_here(ret, i)) continue;
        st = set_entry(m, copy, WEFT_A_res_attrs, ret->operand_count, i, WEFT_A_sdy_sharding_origins,
                       asked_dict(d, ret->operands[i]->id, &self));
    }
    return st;
}

static weft_status emit_asked(const weft_debug_info *d, weft_module *m, const weft_op *op, weft_op *copy) {
    bool named = op->kind == WEFT_OP_sdy_sharding_constraint || op->kind == WEFT_OP_sdy_manual_computation;
    weft_status st = named ? emit_name(d, m, op, copy) : WEFT_OK;
    if (st != WEFT_OK) return st;
    return op->kind == WEFT_OP_func ? emit_func(d, m, op, copy) : emit_results(d, m, op, copy);
}

/* The steps through an op: [{step-0 = [{"x" = operand-0 -> [result-0]}]}]. */

static int compare_refs(weft_edge_ref a, weft_edge_ref b) {
    if (a.of != b.of) return a.of < b.of ? -1 : 1;
    return a.index < b.index ? -1 : a.index > b.index;
}

static int compare_axes(const weft_passed *a, const weft_passed *b) {
    weft_axis_ref x = weft_axis_to_ref(a->mesh, a->axis), y = weft_axis_to_ref(b->mesh, b->axis);
    int c = strcmp(x.name->text, y.name->text);
    if (c) return c;
    if (x.pre_size != y.pre_size) return x.pre_size < y.pre_size ? -1 : 1;
    return x.size < y.size ? -1 : x.size > y.size;
}

static int compare_passages(const weft_passed *a, const weft_passed *b) {
    int c = compare_axes(a, b);
    if (!c) c = compare_refs(a->source, b->source);
    return c ? c : compare_refs(a->target, b->target);
}

static int by_passage(const void *x, const void *y) {
    const weft_passed *a = x, *b = y;
    int c = compare_passages(a, b);
    return c ? c : a->step < b->step ? -1 : a->step > b->step;
}

static int by_step(const void *x, const void *y) {
    const weft_passed *a = x, *b = y;
    return a->step != b->step ? (a->step < b->step ? -1 : 1) : compare_passages(a, b);
}

/* Sorts the edges of one op, keeping each passage at its first step only. */
static uint32_t sort_edges(weft_passed *v, uint32_t n) {
    uint32_t kept = 0;
    qsort(v, n, sizeof *v, by_passage);
    for (uint32_t i = 0; i < n; i++)
        if (!kept || compare_passages(&v[kept - 1], &v[i])) v[kept++] = v[i];
    qsort(v, kept, sizeof *v, by_step);
    return kept;
}

static const weft_attr *edges_attr(weft_context *cx, const weft_passed *v, uint32_t n) {
    weft_edge_step *steps = weft_scratch_array(cx, weft_edge_step, n);
    weft_edge_axis *axes = weft_scratch_array(cx, weft_edge_axis, n);
    weft_edge_ref *targets = weft_scratch_array(cx, weft_edge_ref, n);
    uint32_t step_count = 0, axis_count = 0;
    if (!steps || !axes || !targets) return NULL;
    for (uint32_t i = 0; i < n; i++) {
        bool new_step = !i || v[i].step != v[i - 1].step;
        if (new_step) steps[step_count++] = (weft_edge_step){ v[i].step, &axes[axis_count], 0 };
        if (new_step || compare_axes(&v[i - 1], &v[i]) || compare_refs(v[i - 1].source, v[i].source)) {
            axes[axis_count++] =
                (weft_edge_axis){ weft_axis_to_ref(v[i].mesh, v[i].axis), v[i].source, &targets[i], 0 };
            steps[step_count - 1].axis_count++;
        }
        targets[i] = v[i].target;
        axes[axis_count - 1].target_count++;
    }
    weft_attr a = { .kind = WEFT_ATTR_EDGES };
    a.edges.v = steps;
    a.edges.n = step_count;
    return weft_attr_copy(cx, &a);
}

static weft_status emit_passed(const weft_debug_info *d, weft_module *m, const weft_op *op, weft_op *copy) {
    uint32_t n = 0, k = 0;
    for (uint32_t i = d->first_passed[op->id]; i != WEFT_NO_NOTE; i = d->passed[i].next) n++;
    if (!n) return WEFT_OK;
    weft_passed *v = weft_scratch_array(d->cx, weft_passed, n);
    if (!v) return weft_oom();
    for (uint32_t i = d->first_passed[op->id]; i != WEFT_NO_NOTE; i = d->passed[i].next) v[k++] = d->passed[i];
    const weft_attr *edges = edges_attr(d->cx, v, sort_edges(v, n));
    if (op->kind != WEFT_OP_func) return set(m, copy, WEFT_A_sdy_propagation_edges, edges);
    const weft_type *type = weft_func_type(op);
    return set_entry(m, copy, WEFT_A_res_attrs, type->part_count - type->input_count, 0, WEFT_A_sdy_propagation_edges,
                     edges);
}

weft_status weft_debug_emit(const weft_debug_info *d, weft_module *m, const weft_op *op, weft_op *copy) {
    weft_mark mark = weft_arena_mark(&d->cx->scratch);
    weft_status st = d->origins ? emit_asked(d, m, op, copy) : WEFT_OK;
    if (st == WEFT_OK && d->edges) st = emit_passed(d, m, op, copy);
    weft_arena_reset(&d->cx->scratch, mark);
    return st;
}
