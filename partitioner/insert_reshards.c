/* insert_reshards: every op gets operands that fit the cheapest way to share its work.
 *
 * Pass weft-insert-reshards. Needs a propagated module: shardings on functions and on ops where they are known. Leaves
 * a module in which the placements of each op's operands and results follow from one assignment of mesh axes to the factors
 * of its rule: where a value is not where its reader wants it, an sdy.reshard brings it there; where a loop that sums is
 * shared, the result is marked unreduced and finished by the reshard of its reader; maxima and minima are finished by an
 * sdy.all_reduce behind the op. Global shapes, all locations; a reshard carries the place of the op that needs it.
 *
 * A value may exist in several placements at once; each is made once and found again by later readers, which is what keeps a
 * weight gathered in the forward pass from being gathered again. Inside the body of a loop or branch new placements of outer
 * values are forgotten at its end. Constants and broadcast scalars are made anew wherever they are wanted.
 *
 * The choice is Weft's own (factor_choice.h); Shardy's way is explicit_reshards.c.
 */
#include "partitioner/factor_choice.h"
#include "partitioner/partition.h"

typedef struct version {
    weft_placement_id id;
    weft_value *value;             /* in the new module */
    struct version *next;
} version;

typedef struct inserter {
    weft_context *cx;
    const weft_module *in;
    weft_module *out;
    weft_arena arena;
    weft_placements *t;
    weft_planner *planner;
    weft_chooser *chooser;
    weft_rules *rules;
    weft_uses uses;
    weft_map map;                  /* scratch for cloning: set just before, op by op */
    version **of;                  /* by id of the old value */
    uint32_t *log;                 /* values that got a version, in order, so that a body's end can forget them */
    size_t log_count, log_cap;
    double total;                  /* bytes sent and work done, in bytes; what is in loops counts LOOP_WEIGHT times */
    double weight;
    weft_atoms manual;             /* of the manual computations around */
} inserter;

/* How often a loop's body is taken to run when plans are compared. */
#define LOOP_WEIGHT 10

/* --- versions -------------------------------------------------------------------------------------------------- */

/* Reshards and markers are the same value in another place. */
static const weft_value *root_of(const weft_value *v) {
    while (v->def && weft_op_is_marker(v->def)) v = v->def->operands[0];
    return v;
}

static weft_status add_version(inserter *s, const weft_value *old, weft_placement_id id, weft_value *value) {
    version *v = weft_arena_new(&s->arena, version);
    if (!v) return weft_oom();
    if (s->log_count == s->log_cap && !weft_arena_grow(&s->arena, (void **)&s->log, &s->log_cap, s->log_count + 1, sizeof *s->log))
        return weft_oom();
    *v = (version){ id, value, s->of[old->id] };
    s->of[old->id] = v;
    s->log[s->log_count++] = old->id;
    return WEFT_OK;
}

static void forget_since(inserter *s, size_t mark) {
    while (s->log_count > mark) {
        version **head = &s->of[s->log[--s->log_count]];
        *head = (*head)->next;
    }
}

static weft_value *find_version(const inserter *s, const weft_value *old, weft_placement_id id) {
    for (version *v = s->of[old->id]; v; v = v->next)
        if (v->id == id) return v->value;
    return NULL;
}

/* Whether v can be made in any placement without moving data. */
static bool is_free(const inserter *s, const weft_value *v) {
    const weft_op *op = v->def;
    if (!op) return false;
    if (op->kind == WEFT_OP_iota) return true;
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_CONSTANT)) {
        const weft_attr *dense = weft_op_attr(op, WEFT_A_value);
        return dense && dense->kind == WEFT_ATTR_DENSE && dense->dense.splat;
    }
    return op->kind == WEFT_OP_broadcast_in_dim && op->operands[0]->type->rank == 0 && find_version(s, root_of(op->operands[0]), WEFT_REPLICATED);
}

static weft_status set_result_shardings(inserter *s, weft_op *op, const weft_placement_id *ids) {
    weft_status st = WEFT_OK;
    const weft_attr *value = NULL;
    bool any = false;
    for (uint32_t i = 0; i < op->result_count; i++) any = any || ids[i] != WEFT_REPLICATED;
    if (any) {
        weft_mark mark = weft_arena_mark(&s->cx->scratch);
        const weft_attr **items = weft_scratch_array(s->cx, const weft_attr *, op->result_count);
        if (!items) st = weft_oom();
        for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
            uint32_t rank = weft_type_is_tensor(op->results[i].type) ? op->results[i].type->rank : 0;
            items[i] = weft_placement_to_attr(s->t, ids[i], rank);
            if (!items[i]) st = weft_oom();
        }
        weft_attr a = { .kind = WEFT_ATTR_SHARDINGS, .items = { items, op->result_count } };
        if (st == WEFT_OK && !(value = weft_attr_copy(s->cx, &a))) st = weft_oom();
        weft_arena_reset(&s->cx->scratch, mark);
    }
    return st == WEFT_OK ? weft_op_set(s->out, op, WEFT_A_sdy_sharding, value) : st;
}

static weft_status materialize(inserter *s, weft_builder *b, const weft_value *v, weft_placement_id id, const weft_loc *loc, weft_value **out);

static weft_status rebuild_free(inserter *s, weft_builder *b, const weft_value *v, weft_placement_id id, weft_value **out) {
    const weft_op *op = v->def;
    if (op->operand_count) {
        const weft_value *scalar = op->operands[0];
        weft_status st = materialize(s, b, scalar, WEFT_REPLICATED, op->loc, &s->map.to[scalar->id]);
        if (st != WEFT_OK) return st;
    }
    weft_op *copy = weft_clone_op(b, op, &s->map);
    if (!copy) return b->status;
    *out = &copy->results[0];
    return set_result_shardings(s, copy, &id);
}

static weft_status build_reshard(inserter *s, weft_builder *b, const weft_value *v, weft_placement_id id, weft_value **out) {
    version *best = NULL;
    double best_cost = 0;
    for (version *x = s->of[v->id]; x; x = x->next) {
        const weft_reshard_plan *plan = NULL;
        weft_status st = weft_reshard_plan_find(s->planner, x->id, id, v->type, &plan);
        if (st != WEFT_OK) return st;
        if (!plan) continue;
        double cost = plan->wire_bytes + plan->n;
        if (!best || cost < best_cost) {
            best = x;
            best_cost = cost;
        }
    }
    if (!best) return weft_report(s->cx, WEFT_D_internal, weft_value_loc(v), "a value has no placement to be resharded from");
    const weft_attr *sharding = weft_placement_to_attr(s->t, id, v->type->rank);
    if (!sharding) return weft_oom();
    s->total += s->weight * best_cost;
    weft_attr_pair attrs[] = { { WEFT_A_sharding, sharding } };
    *out = weft_build_1(b, WEFT_OP_sdy_reshard, v->type, &best->value, 1, attrs, 1);
    return b->status;
}

/* The new value that stands for v in placement id; loc: who wants it. */
static weft_status materialize(inserter *s, weft_builder *b, const weft_value *v, weft_placement_id id, const weft_loc *loc, weft_value **out) {
    v = root_of(v);
    *out = find_version(s, v, id);
    if (*out) return WEFT_OK;
    b->loc = loc;
    weft_status st = is_free(s, v) ? rebuild_free(s, b, v, id, out) : build_reshard(s, b, v, id, out);
    return st == WEFT_OK ? add_version(s, v, id, *out) : st;
}

/* --- ops ------------------------------------------------------------------------------------------------------- */

/* A copy of op whose operands are in these placements. Results are not recorded. */
static weft_status emit(inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *ids, weft_op **out) {
    weft_mark mark = weft_arena_mark(&s->cx->scratch);
    weft_status st = WEFT_OK;
    weft_value **operands = weft_scratch_array(s->cx, weft_value *, op->operand_count);
    if (!operands) st = weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        st = materialize(s, b, op->operands[i], ids[i], op->loc, &operands[i]);
        s->map.to[op->operands[i]->id] = operands[i];
    }
    if (st == WEFT_OK) {
        weft_op *copy = weft_op_kind_has(op->kind, WEFT_TRAIT_CONTROL) ? weft_clone_shell(b, op, &s->map, NULL) : weft_clone_op(b, op, &s->map);
        st = b->status;
        for (uint32_t i = 0; copy && i < op->operand_count; i++) copy->operands[i] = operands[i]; /* one value, two placements */
        *out = copy;
    }
    weft_arena_reset(&s->cx->scratch, mark);
    return st;
}

static weft_status record_results(inserter *s, const weft_op *op, weft_op *copy, const weft_placement_id *ids) {
    weft_status st = set_result_shardings(s, copy, ids);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) st = add_version(s, &op->results[i], ids[i], &copy->results[i]);
    return st;
}

static bool may_stay_partial(const inserter *s, const weft_value *v) {
    for (;; v = v->def->operands[0]) {
        if (weft_use_count(&s->uses, v) != 1) return false;
        if (!v->def || !weft_op_is_marker(v->def)) return true;
    }
}

static weft_status describe_operands(inserter *s, const weft_op *op, weft_choice_operand *operands) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *v = root_of(op->operands[i]);
        uint32_t n = 0;
        for (version *x = s->of[v->id]; x; x = x->next) n++;
        weft_placement_id *have = weft_scratch_array(s->cx, weft_placement_id, n);
        if (!have) return weft_oom();
        /* oldest first: where the value was born is where the first proposals look */
        for (version *x = s->of[v->id]; x; x = x->next) have[--n] = x->id;
        for (version *x = s->of[v->id]; x; x = x->next) n++;
        operands[i] = (weft_choice_operand){ v, have, n, is_free(s, v), may_stay_partial(s, op->operands[i]) };
    }
    return WEFT_OK;
}

static weft_status build_all_reduce(inserter *s, weft_builder *b, const weft_choice *c, uint32_t i, weft_value *x, weft_value **out) {
    weft_axis_ref refs[WEFT_MAX_ATOMS];
    weft_attr axes = { .kind = WEFT_ATTR_AXES, .axes = { refs, weft_atom_set_to_refs(s->t, c->reduce_over, refs) } };
    weft_attr_pair attrs[] = {
        { WEFT_A_reduction_axes, weft_attr_copy(s->cx, &axes) },
        { WEFT_A_reduction_op, weft_attr_enum(s->cx, c->partial == WEFT_PARTIAL_MAX ? WEFT_reduction_op_max : WEFT_reduction_op_min) },
        { WEFT_A_out_sharding, weft_placement_to_attr(s->t, c->results[i], x->type->rank) },
    };
    for (uint32_t k = 0; k < WEFT_COUNT(attrs); k++)
        if (!attrs[k].value) return weft_oom();
    *out = weft_build_1(b, WEFT_OP_sdy_all_reduce, x->type, &x, 1, attrs, WEFT_COUNT(attrs));
    return b->status;
}

static weft_status insert_by_rule(inserter *s, weft_builder *b, const weft_op *op, const weft_rule *rule, const weft_placement_id *declared) {
    weft_choice_operand *operands = weft_scratch_array(s->cx, weft_choice_operand, op->operand_count);
    weft_choice choice = { .operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count),
                           .results = weft_scratch_array(s->cx, weft_placement_id, op->result_count) };
    if (!operands || !choice.operands || !choice.results) return weft_oom();
    weft_op *copy = NULL;
    weft_status st = describe_operands(s, op, operands);
    if (st == WEFT_OK) st = weft_choose_factors(s->chooser, &(weft_choice_request){ op, rule, operands, declared }, &choice);
    if (st == WEFT_OK) st = emit(s, b, op, choice.operands, &copy);
    if (st != WEFT_OK) return st;
    s->total += s->weight * choice.steps_cost;
    if (!choice.reduce_over) return record_results(s, op, copy, choice.results);
    st = set_result_shardings(s, copy, choice.results);
    b->loc = op->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        weft_value *whole = NULL;
        st = build_all_reduce(s, b, &choice, i, &copy->results[i], &whole);
        s->total += s->weight * weft_move_wire_bytes(WEFT_MOVE_REDUCE, weft_placement_local_bytes(s->t, weft_placement_of(s->t, choice.results[i]), op->results[i].type),
                                                     weft_atoms_size(s->t, choice.reduce_over));
        if (st == WEFT_OK) st = add_version(s, &op->results[i], choice.results[i], whole);
    }
    return st;
}

/* Ops without a rule: replicated, unless they have no operands. */
static weft_status insert_whole(inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    if (!operands || !results) return weft_oom();
    if (op->operand_count == 0 && op->result_count && is_free(s, &op->results[0])) results[0] = declared[0];
    weft_op *copy = NULL;
    weft_status st = emit(s, b, op, operands, &copy);
    return st == WEFT_OK ? record_results(s, op, copy, results) : st;
}

/* --- control flow ---------------------------------------------------------------------------------------------- */

static weft_status insert_block(inserter *s, const weft_block *from, weft_block *to, const weft_placement_id *returned);

static weft_status insert_region(inserter *s, const weft_region *from, weft_region *to, const weft_placement_id *args, const weft_placement_id *returned) {
    weft_builder b;
    size_t mark = s->log_count;
    weft_status st = WEFT_OK;
    WEFT_EACH_BLOCK(blk, from) {
        weft_builder_init(&b, s->out, NULL);
        weft_block *copy = weft_build_block(&b, to);
        for (uint32_t i = 0; copy && i < blk->arg_count; i++) {
            weft_value *arg = weft_build_block_arg(&b, copy, blk->args[i]->type, blk->args[i]->loc);
            if (!arg) break;
            arg->hint = blk->args[i]->hint;
            st = add_version(s, blk->args[i], args ? args[i] : WEFT_REPLICATED, arg);
            if (st != WEFT_OK) return st;
        }
        if (b.status != WEFT_OK) return b.status;
        st = insert_block(s, blk, copy, returned);
        if (st != WEFT_OK) return st;
    }
    forget_since(s, mark);
    return st;
}

/* Loop-carried values and branch results stay in the results' placements. */
static weft_status insert_control(inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id whole[1] = { WEFT_REPLICATED };
    if (!operands) return weft_oom();
    bool loop = op->kind == WEFT_OP_while;
    for (uint32_t i = 0; loop && i < op->operand_count; i++) operands[i] = declared[i];
    weft_op *copy = NULL;
    weft_status st = emit(s, b, op, operands, &copy);
    double outside = s->weight;
    if (loop) s->weight *= LOOP_WEIGHT;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        st = insert_region(s, &op->regions[r], &copy->regions[r], loop ? declared : NULL, loop && r == 0 ? whole : declared);
    s->weight = outside;
    return st == WEFT_OK ? record_results(s, op, copy, declared) : st;
}

/* Manual and named computations: operands and results are where their shardings say. A manual computation's body sees local
 * sizes along the manual axes, and what is there is placed along the other axes only. */
static weft_status insert_computation(inserter *s, weft_builder *b, const weft_op *op) {
    const weft_block *body = weft_op_body(op, 0);
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *args = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    weft_placement_id *returned = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    weft_atoms manual, outside = s->manual;
    weft_op *copy = NULL;
    if (!operands || !args || !results || !returned) return weft_oom();
    weft_status st = weft_manual_atoms(s->t, op, &manual);
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        st = weft_placement_of_operand(s->t, op, i, &operands[i]);
        if (st == WEFT_OK) st = weft_placement_of_value(s->t, body->args[i], &args[i]);
    }
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        st = weft_placement_of_result(s->t, op, i, &results[i]);
        if (st == WEFT_OK) st = weft_placement_inside(s->t, results[i], manual, &returned[i]);
    }
    if (st == WEFT_OK) st = emit(s, b, op, operands, &copy);
    s->manual |= manual;
    if (st == WEFT_OK) st = insert_region(s, &op->regions[0], &copy->regions[0], args, returned);
    s->manual = outside;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) st = add_version(s, &op->results[i], results[i], &copy->results[i]);
    return st;
}

/* Result i is operand i, so it stays in the result's placement. */
static weft_status insert_through(inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *declared) {
    weft_op *copy = NULL;
    weft_status st = emit(s, b, op, declared, &copy);
    return st == WEFT_OK ? record_results(s, op, copy, declared) : st;
}

static weft_status insert_collective(inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_op *copy = NULL;
    if (!operands) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) st = weft_placement_of_value(s->t, op->operands[i], &operands[i]);
    if (st == WEFT_OK) st = emit(s, b, op, operands, &copy);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) st = add_version(s, &op->results[i], declared[i], &copy->results[i]);
    return st;
}

/* The program's own collectives work on parts along axes that no group of theirs crosses. Along the others each device brings
 * its whole value. */
static weft_status insert_grouped(inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *declared) {
    weft_atoms crossed;
    const weft_rule *rule = NULL;
    weft_status st = weft_group_atoms(s->t, s->in, op, &crossed);
    if (st == WEFT_OK && !(crossed & ~s->manual)) st = weft_rule_of(s->rules, op, WEFT_RULE_WORK, &s->uses, &rule);
    if (st != WEFT_OK) return st;
    return rule ? insert_by_rule(s, b, op, rule, declared) : insert_whole(s, b, op, declared);
}

static weft_status insert_call(inserter *s, weft_builder *b, const weft_op *op) {
    weft_str callee = weft_op_symbol(op, WEFT_A_callee);
    const weft_op *f = weft_module_symbol(s->in, callee);
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    if (!f || !operands || !results) return f ? weft_oom() : weft_report(s->cx, WEFT_D_verify, op->loc, "call of a function that is not there");
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++)
        st = weft_placement_from_attr(s->t, weft_func_arg_attr(f, i, WEFT_A_sdy_sharding), op->operands[i]->type, op->loc, &operands[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_placement_from_attr(s->t, weft_func_result_attr(f, i, WEFT_A_sdy_sharding), op->results[i].type, op->loc, &results[i]);
    weft_op *copy = NULL;
    if (st == WEFT_OK) st = emit(s, b, op, operands, &copy);
    return st == WEFT_OK ? record_results(s, op, copy, results) : st;
}

static weft_status insert_op(inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *returned) {
    weft_placement_id *declared = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    weft_op *copy = NULL;
    if (!declared) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        st = weft_placement_of_value(s->t, &op->results[i], &declared[i]);
    }
    if (st != WEFT_OK) return st;
    if (weft_op_is_marker(op)) {
        weft_value *placed = NULL;
        bool forced = op->kind == WEFT_OP_sdy_reshard || op->kind == WEFT_OP_sdy_sharding_constraint;
        return forced ? materialize(s, b, op->operands[0], declared[0], op->loc, &placed) : WEFT_OK;
    }
    if (op->kind == WEFT_OP_sdy_sharding_group) return WEFT_OK;
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_TERMINATOR)) return emit(s, b, op, returned, &copy);
    if (op->kind == WEFT_OP_sdy_manual_computation || op->kind == WEFT_OP_sdy_named_computation) return insert_computation(s, b, op);
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_CONTROL)) return insert_control(s, b, op, declared);
    if (weft_local_of((weft_op_kind)op->kind)->grouped) return insert_grouped(s, b, op, declared);
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_COLLECTIVE)) return insert_collective(s, b, op, declared);
    if (weft_local_of((weft_op_kind)op->kind)->through) return insert_through(s, b, op, declared);
    if (op->kind == WEFT_OP_func_call) return insert_call(s, b, op);
    const weft_rule *rule = NULL;
    st = weft_rule_of(s->rules, op, WEFT_RULE_WORK, &s->uses, &rule);
    if (st != WEFT_OK) return st;
    return rule && op->operand_count ? insert_by_rule(s, b, op, rule, declared) : insert_whole(s, b, op, declared);
}

static weft_status insert_block(inserter *s, const weft_block *from, weft_block *to, const weft_placement_id *returned) {
    weft_builder b;
    weft_builder_init(&b, s->out, to);
    WEFT_EACH_OP(op, from) {
        weft_mark mark = weft_arena_mark(&s->cx->scratch);
        weft_status st = insert_op(s, &b, op, returned);
        weft_arena_reset(&s->cx->scratch, mark);
        if (st != WEFT_OK) return st;
    }
    return b.status;
}

/* --- functions ------------------------------------------------------------------------------------------------- */

static weft_status insert_func(inserter *s, weft_builder *b, const weft_op *f) {
    weft_mark mark = weft_arena_mark(&s->cx->scratch);
    const weft_type *type = weft_func_type(f);
    uint32_t n = type->part_count - type->input_count;
    weft_placement_id *args = weft_scratch_array(s->cx, weft_placement_id, type->input_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, n);
    weft_status st = args && results ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < type->input_count; i++)
        st = weft_placement_from_attr(s->t, weft_func_arg_attr(f, i, WEFT_A_sdy_sharding), type->parts[i], f->loc, &args[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++)
        st = weft_placement_from_attr(s->t, weft_func_result_attr(f, i, WEFT_A_sdy_sharding), type->parts[type->input_count + i], f->loc, &results[i]);
    if (st == WEFT_OK) {
        weft_op *copy = weft_clone_shell(b, f, &s->map, NULL);
        st = copy ? insert_region(s, &f->regions[0], &copy->regions[0], args, results) : b->status;
    }
    weft_arena_reset(&s->cx->scratch, mark);
    return st;
}

static weft_status open_inserter(inserter *s) {
    weft_status st = weft_placements_open(s->in, &s->arena, &s->t);
    if (st == WEFT_OK) st = weft_planner_open(s->t, &s->arena, &s->planner);
    if (st == WEFT_OK) st = weft_chooser_open(s->t, s->planner, &s->arena, &s->chooser);
    if (st == WEFT_OK) st = weft_rules_open(s->cx, &s->arena, &s->rules);
    if (st == WEFT_OK) st = weft_uses_build(s->in, &s->arena, &s->uses);
    if (st == WEFT_OK) st = weft_map_init(&s->map, &s->arena, s->in);
    s->of = weft_arena_array(&s->arena, version *, s->in->value_count);
    return st == WEFT_OK && !s->of ? weft_oom() : st;
}

/* One plan, into s->out; s->total says what it costs. */
static weft_status insert_module(inserter *s) {
    weft_builder b;
    weft_status st = WEFT_OK;
    s->total = 0;
    s->weight = 1;
    s->log_count = 0;
    s->manual = 0;
    memset(s->of, 0, s->in->value_count * sizeof *s->of);
    s->out = weft_module_new(s->cx);
    if (!s->out) return weft_oom();
    weft_builder_init(&b, s->out, weft_module_body(s->out));
    s->out->root->loc = s->in->root->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < s->in->root->attr_count; i++)
        st = weft_op_set_attr(s->out, s->out->root, s->in->root->attrs[i].name, s->in->root->attrs[i].value);
    for (weft_op *op = weft_module_body(s->in)->first; op && st == WEFT_OK; op = op->next) {
        if (op->kind == WEFT_OP_func && weft_op_body(op, 0)) st = insert_func(s, &b, op);
        else st = weft_clone_op(&b, op, &s->map) ? WEFT_OK : b.status;
    }
    return st;
}

/* Choices are made op by op, so how far propagation's wishes should count cannot be known: a few answers are tried, and the
 * plan that is cheapest in all is kept. The first wins ties. */
static const double trusts[] = { 1, 0.25, 0.01 };

weft_status weft_pass_insert_reshards(weft_pass *p, const weft_module *in, weft_module **out) {
    inserter s = { .cx = p->cx, .in = in };
    weft_module *best = NULL;
    double best_total = 0;
    weft_arena_init(&s.arena, &p->cx->chunks);
    weft_status st = open_inserter(&s);
    for (size_t i = 0; i < WEFT_COUNT(trusts) && st == WEFT_OK; i++) {
        weft_chooser_set_trust(s.chooser, trusts[i]);
        st = insert_module(&s);
        bool better = st == WEFT_OK && (!best || s.total < best_total);
        weft_module_free(better ? best : s.out);
        if (!better) continue;
        best = s.out;
        best_total = s.total;
    }
    if (st == WEFT_OK) *out = best;
    else weft_module_free(best);
    weft_arena_free(&s.arena);
    return st;
}
