/* write_plan: a plan's module; part of pass weft-insert-reshards (layout_plan.h).
 *
 * Each op is copied to where the plan has it: the moves that stand before it, as sdy.reshard or as copies of ops that
 * are made anew, then the op with operands in their placements, its results' shardings on it. Nothing is chosen here.
 */
#include "partitioner/plan/layout_plan.h"

/* A value of the module read in one placement, as a value of the module written. */
typedef struct version {
    weft_placement_id at;
    weft_value *value;
    struct version *next;
} version;

typedef struct plan_writer {
    weft_context *cx;
    const weft_layout_plan *p;
    weft_placements *t;
    weft_module *out;
    weft_arena arena;
    weft_map map;                  /* scratch for cloning: set just before, op by op */
    version **of;                  /* by id of the value, the newest first */
    uint32_t *log;                 /* values that got a version, in order, so that a body's end can forget them */
    size_t log_count, log_cap;
} plan_writer;

/* --- versions -------------------------------------------------------------------------------------------------- */

static weft_status add_version(plan_writer *w, const weft_value *v, weft_placement_id at, weft_value *value) {
    version *x = weft_arena_new(&w->arena, version);
    if (!x) return weft_oom();
    if (w->log_count == w->log_cap &&
        !weft_arena_grow(&w->arena, (void **)&w->log, &w->log_cap, w->log_count + 1, sizeof *w->log))
        return weft_oom();
    *x = (version){ at, value, w->of[v->id] };
    w->of[v->id] = x;
    w->log[w->log_count++] = v->id;
    return WEFT_OK;
}

static void forget_versions(plan_writer *w, size_t mark) {
    while (w->log_count > mark) {
        version **head = &w->of[w->log[--w->log_count]];
        *head = (*head)->next;
    }
}

static weft_status find_version(const plan_writer *w, const weft_value *v, weft_placement_id at, const weft_loc *loc,
                                weft_value **out) {
    const version *x = w->of[v->id];
    while (x && x->at != at) x = x->next;
    if (!x) return weft_report(w->cx, WEFT_D_internal, loc, "the plan has a value nowhere that its reader wants");
    *out = x->value;
    return WEFT_OK;
}

/* --- ops ------------------------------------------------------------------------------------------------------- */

static weft_status set_shardings(plan_writer *w, weft_op *op, const weft_placement_id *ids) {
    weft_status st = WEFT_OK;
    const weft_attr *value = NULL;
    bool any = false;
    for (uint32_t i = 0; i < op->result_count; i++) any = any || ids[i] != WEFT_REPLICATED;
    if (any) {
        weft_mark mark = weft_arena_mark(&w->cx->scratch);
        const weft_attr **items = weft_scratch_array(w->cx, const weft_attr *, op->result_count);
        if (!items) st = weft_oom();
        for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
            uint32_t rank = weft_type_is_tensor(op->results[i].type) ? op->results[i].type->rank : 0;
            items[i] = weft_placement_to_attr(w->t, ids[i], rank);
            if (!items[i]) st = weft_oom();
        }
        weft_attr a = { .kind = WEFT_ATTR_SHARDINGS, .items = { items, op->result_count } };
        if (st == WEFT_OK && !(value = weft_attr_copy(w->cx, &a))) st = weft_oom();
        weft_arena_reset(&w->cx->scratch, mark);
    }
    return st == WEFT_OK ? weft_op_set(w->out, op, WEFT_A_sdy_sharding, value) : st;
}

static weft_status build_reshard(plan_writer *w, weft_builder *b, const weft_moved *m, weft_value **out) {
    weft_value *from = NULL;
    weft_status st = find_version(w, m->value, m->from, m->loc, &from);
    if (st != WEFT_OK) return st;
    const weft_attr *sharding = weft_placement_to_attr(w->t, m->to, m->value->type->rank);
    if (!sharding) return weft_oom();
    weft_attr_pair attrs[] = { { WEFT_A_sharding, sharding } };
    b->loc = m->loc;
    *out = weft_build_1(b, WEFT_OP_sdy_reshard, m->value->type, &from, 1, attrs, 1);
    return b->status;
}

/* The axes that leave each dimension. */
static const weft_attr *axes_given(plan_writer *w, const weft_moved *m, uint32_t rank, bool *any) {
    const weft_mark mark = weft_arena_mark(&w->cx->scratch);
    weft_axis_ref *refs = weft_scratch_array(w->cx, weft_axis_ref, WEFT_MAX_ATOMS * rank);
    weft_axis_refs *lists = weft_scratch_array(w->cx, weft_axis_refs, rank);
    uint8_t atoms[WEFT_MAX_ATOMS];
    *any = false;
    for (uint32_t d = 0; refs && lists && d < rank; d++) {
        const uint32_t n = weft_placement_dim_tail(weft_placement_of(w->t, m->to), weft_placement_of(w->t, m->from), d,
                                                   atoms);
        weft_axis_ref *of = refs + WEFT_MAX_ATOMS * d;
        lists[d] = (weft_axis_refs){ of, weft_atoms_to_refs(w->t, atoms, n, of) };
        *any = *any || n;
    }
    const weft_attr a = { .kind = WEFT_ATTR_AXES_PER_DIM, .axes_per_dim = { lists, rank } };
    const weft_attr *made = refs && lists ? weft_attr_copy(w->cx, &a) : NULL;
    weft_arena_reset(&w->cx->scratch, mark);
    return made;
}

/* Each device keeps its part, or the one that is first along the axes its value. */
static weft_status build_terms(plan_writer *w, weft_builder *b, const weft_moved *m, weft_value **out) {
    const uint32_t rank = m->value->type->rank;
    weft_value *from = NULL;
    weft_axis_ref refs[WEFT_MAX_ATOMS];
    const weft_atoms over = weft_placement_of(w->t, m->to)->unreduced;
    const weft_attr axes = { .kind = WEFT_ATTR_AXES, .axes = { refs, weft_atom_set_to_refs(w->t, over, refs) } };
    bool parts;
    weft_status st = find_version(w, m->value, m->from, m->loc, &from);
    if (st != WEFT_OK) return st;
    const weft_attr *given = axes_given(w, m, rank, &parts);
    weft_attr_pair attrs[] = { { WEFT_A_axes, parts ? given : weft_attr_copy(w->cx, &axes) },
                               { WEFT_A_out_sharding, weft_placement_to_attr(w->t, m->to, rank) } };
    if (!given || !attrs[0].value || !attrs[1].value) return weft_oom();
    b->loc = m->loc;
    if (m->from == WEFT_REPLICATED) { /* it may have no sharding, which this op wants */
        weft_attr_pair whole[] = { { WEFT_A_sharding, weft_placement_to_attr(w->t, m->from, rank) } };
        if (!whole[0].value) return weft_oom();
        from = weft_build_1(b, WEFT_OP_sdy_reshard, m->value->type, &from, 1, whole, 1);
        if (!from) return b->status;
    }
    *out = weft_build_1(b, parts ? WEFT_OP_sdy_sharded_to_unreduced : WEFT_OP_sdy_replicated_to_unreduced,
                        m->value->type, &from, 1, attrs, WEFT_COUNT(attrs));
    return b->status;
}

static weft_status build_anew(plan_writer *w, weft_builder *b, const weft_moved *m, weft_value **out) {
    const weft_op *op = m->value->def;
    if (op->operand_count) {
        weft_status st =
            find_version(w, weft_plan_root(op->operands[0]), m->from, m->loc, &w->map.to[op->operands[0]->id]);
        if (st != WEFT_OK) return st;
    }
    weft_op *copy = weft_clone_op(b, op, &w->map);
    if (!copy) return b->status;
    *out = &copy->results[0];
    return set_shardings(w, copy, &m->to);
}

static weft_status write_moves(plan_writer *w, weft_builder *b, size_t first, size_t end) {
    weft_status st = WEFT_OK;
    for (size_t i = first; st == WEFT_OK && i < end; i++) {
        const weft_moved *m = &w->p->moved[i];
        weft_value *value = NULL;
        st = m->anew    ? build_anew(w, b, m, &value)
             : m->terms ? build_terms(w, b, m, &value)
                        : build_reshard(w, b, m, &value);
        if (st == WEFT_OK) st = add_version(w, m->value, m->to, value);
    }
    return st;
}

static weft_status write_all_reduce(plan_writer *w, weft_builder *b, const weft_op_layout *l, weft_placement_id at,
                                    weft_value **x) {
    weft_axis_ref refs[WEFT_MAX_ATOMS];
    weft_attr axes = { .kind = WEFT_ATTR_AXES, .axes = { refs, weft_atom_set_to_refs(w->t, l->reduce_over, refs) } };
    const bool max = l->partial == WEFT_PARTIAL_MAX;
    weft_attr_pair attrs[] = {
        { WEFT_A_reduction_axes, weft_attr_copy(w->cx, &axes) },
        { WEFT_A_reduction_op, weft_attr_enum(w->cx, max ? WEFT_reduction_op_max : WEFT_reduction_op_min) },
        { WEFT_A_out_sharding, weft_placement_to_attr(w->t, at, (*x)->type->rank) },
    };
    for (uint32_t k = 0; k < WEFT_COUNT(attrs); k++)
        if (!attrs[k].value) return weft_oom();
    *x = weft_build_1(b, WEFT_OP_sdy_all_reduce, (*x)->type, x, 1, attrs, WEFT_COUNT(attrs));
    return b->status;
}

/* The copy of op: its results get their placements, and are combined where the plan says. */
static weft_status write_results(plan_writer *w, weft_builder *b, const weft_op *op, weft_op *copy) {
    const weft_op_layout *l = weft_layout_plan_op(w->p, op);
    weft_placement_id *ids = weft_scratch_array(w->cx, weft_placement_id, op->result_count);
    weft_status st = ids ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) ids[i] = w->p->born[op->results[i].id];
    if (st == WEFT_OK && l->marked) st = set_shardings(w, copy, ids);
    b->loc = op->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        weft_value *x = &copy->results[i];
        if (l->reduce_over) st = write_all_reduce(w, b, l, ids[i], &x);
        if (st == WEFT_OK) st = add_version(w, &op->results[i], ids[i], x);
    }
    return st;
}

static weft_status write_copy(plan_writer *w, weft_builder *b, const weft_op *op, weft_op **out) {
    const weft_placement_id *ids = weft_layout_plan_operands(w->p, op);
    weft_value **operands = weft_scratch_array(w->cx, weft_value *, op->operand_count);
    weft_status st = operands ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        st = find_version(w, weft_plan_root(op->operands[i]), ids[i], op->loc, &operands[i]);
        if (st == WEFT_OK) w->map.to[op->operands[i]->id] = operands[i];
    }
    if (st != WEFT_OK) return st;
    *out = weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONTROL) ? weft_clone_shell(b, op, &w->map, NULL)
                                                                        : weft_clone_op(b, op, &w->map);
    /* one value, two placements */
    for (uint32_t i = 0; *out && i < op->operand_count; i++) (*out)->operands[i] = operands[i];
    return b->status;
}

/* A marker is no op of its own, but for one that is obeyed, which is the move before it. */
static weft_status write_marker(plan_writer *w, const weft_op *op) {
    const weft_placement_id at = *weft_layout_plan_operands(w->p, op);
    weft_value *there = NULL;
    if (weft_plan_passes(op)) return WEFT_OK;
    weft_status st = find_version(w, weft_plan_root(op->operands[0]), at, op->loc, &there);
    return st == WEFT_OK ? add_version(w, &op->results[0], at, there) : st;
}

static weft_status write_region(plan_writer *w, const weft_region *from, weft_region *to);

static weft_status write_op(plan_writer *w, weft_builder *b, const weft_op *op) {
    const weft_op_layout *l = weft_layout_plan_op(w->p, op);
    weft_op *copy = NULL;
    if (!l->planned) return WEFT_OK; /* sdy.sharding_group: the plan has done with it */
    weft_status st = write_moves(w, b, l->first, l->ready);
    if (st == WEFT_OK && weft_op_is_marker(op)) return write_marker(w, op);
    if (st == WEFT_OK) st = write_copy(w, b, op, &copy);
    if (st == WEFT_OK && weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONTROL))
        for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
            st = write_region(w, &op->regions[r], &copy->regions[r]);
    if (st == WEFT_OK) st = write_results(w, b, op, copy);
    return st == WEFT_OK ? write_moves(w, b, l->ready, l->end) : st;
}

static weft_status write_block(plan_writer *w, const weft_block *from, weft_region *to) {
    weft_builder b;
    weft_builder_init(&b, w->out, NULL);
    weft_block *copy = weft_build_block(&b, to);
    for (uint32_t i = 0; copy && i < from->arg_count; i++) {
        weft_value *arg = weft_build_block_arg(&b, copy, from->args[i]->type, from->args[i]->loc);
        if (!arg) break;
        arg->hint = from->args[i]->hint;
        weft_status st = add_version(w, from->args[i], w->p->born[from->args[i]->id], arg);
        if (st != WEFT_OK) return st;
    }
    if (b.status != WEFT_OK) return b.status;
    weft_builder_init(&b, w->out, copy);
    WEFT_EACH_OP(op, from) {
        weft_mark mark = weft_arena_mark(&w->cx->scratch);
        weft_status st = write_op(w, &b, op);
        weft_arena_reset(&w->cx->scratch, mark);
        if (st != WEFT_OK) return st;
    }
    return b.status;
}

static weft_status write_region(plan_writer *w, const weft_region *from, weft_region *to) {
    const size_t mark = w->log_count;
    WEFT_EACH_BLOCK(blk, from) {
        weft_status st = write_block(w, blk, to);
        if (st != WEFT_OK) return st;
    }
    forget_versions(w, mark);
    return WEFT_OK;
}

/* --- modules --------------------------------------------------------------------------------------------------- */

static weft_status write_module(plan_writer *w) {
    const weft_op *root = w->p->of->root;
    weft_builder b;
    weft_status st = WEFT_OK;
    w->out->root->loc = root->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < root->attr_count; i++)
        st = weft_op_set_attr(w->out, w->out->root, root->attrs[i].name, root->attrs[i].value);
    weft_builder_init(&b, w->out, weft_module_body(w->out));
    for (const weft_op *op = weft_module_body(w->p->of)->first; op && st == WEFT_OK; op = op->next) {
        const bool planned = op->kind == WEFT_OP_func && weft_op_body(op, 0);
        weft_op *copy = planned ? weft_clone_shell(&b, op, &w->map, NULL) : weft_clone_op(&b, op, &w->map);
        st = !copy ? b.status : planned ? write_region(w, &op->regions[0], &copy->regions[0]) : WEFT_OK;
    }
    return st;
}

weft_status weft_plan_write(const weft_layout_plan *p, weft_placements *t, weft_module **out) {
    plan_writer w = { .cx = p->of->cx, .p = p, .t = t, .out = weft_module_new(p->of->cx) };
    if (!w.out) return weft_oom();
    weft_arena_init(&w.arena, &w.cx->chunks);
    weft_status st = weft_map_init(&w.map, &w.arena, p->of);
    w.of = weft_arena_array(&w.arena, version *, p->of->value_count);
    if (st == WEFT_OK) st = w.of ? write_module(&w) : weft_oom();
    if (st == WEFT_OK) *out = w.out;
    else weft_module_free(w.out);
    weft_arena_free(&w.arena);
    return st;
}
