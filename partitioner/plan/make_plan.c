/* make_plan: one plan of a module, op by op in order; part of pass weft-insert-reshards (layout_planner.h).
 *
 * The placements of each op's operands and results follow from one assignment of mesh axes to the factors of its rule
 * (factor_choice.h). An op does not see its readers: where they want its results is in the plan's input. Inside the
 * body of a loop or branch new placements of outer values are forgotten at its end.
 */
#include "ir/trips.h"
#include "partitioner/plan/plan_moves.h"

#define UNKNOWN_TURNS 10     /* of a loop that does not say */

/* --- what is known --------------------------------------------------------------------------------------------- */

weft_status weft_plan_declared(const weft_layout_planner *s, const weft_value *v, weft_placement_id *id) {
    weft_status st = WEFT_OK;
    if (v == s->changed) *id = s->changed_to;
    else if (s->declared[v->id]) *id = s->declared[v->id] - 1;
    else if ((st = weft_placement_of_value(s->t, v, id)) == WEFT_OK) s->declared[v->id] = *id + 1;
    return st;
}

/* The rule of op's work; *rule is NULL where there is none. */
static weft_status find_rule(weft_layout_planner *s, const weft_op *op, const weft_rule **rule) {
    weft_known_rule *k = &s->rule_of[op->id];
    weft_status st = k->known ? WEFT_OK : weft_rule_of(s->rules, op, WEFT_RULE_WORK, &s->uses, &k->rule);
    k->known = st == WEFT_OK;
    *rule = k->rule;
    return st;
}

/* --- ops ------------------------------------------------------------------------------------------------------- */

static const weft_forced_op *forced_of(const weft_layout_planner *s, const weft_op *op) {
    return s->how->forced ? s->how->forced->of[op->id] : NULL;
}

/* The plan that is to be followed has a value elsewhere than the program leaves it. */
static weft_status report_fixed(const weft_layout_planner *s, const weft_op *op, const weft_forced_op *f,
                                const char *what, uint32_t i, weft_placement_id at) {
    weft_buf b;
    const weft_type *type = *what == 'o' ? op->operands[i]->type : op->results[i].type;
    weft_buf_init(&b, &s->cx->alloc);
    weft_status st = weft_placement_print(s->t, &b, at, weft_type_is_tensor(type) ? type->rank : 0);
    if (st == WEFT_OK)
        st = b.failed ? weft_oom()
                      : weft_report(s->cx, WEFT_D_partition, f->loc, "%s %u of '%s' cannot be there: it has to be %s",
                                    what, i, op->name->text, b.p ? b.p : "whole");
    weft_note(s->cx, op->loc, "the op is here");
    weft_buf_free(&b);
    return st;
}

/* The plan that is to be followed asks for what no assignment of axes to the op's loops gives. */
static weft_status report_unfit(const weft_layout_planner *s, const weft_op *op, const weft_forced_op *f) {
    weft_status st = weft_report(s->cx, WEFT_D_partition, f->loc,
                                 "'%s' cannot have its operands and results so: no axes given to its loops lead there",
                                 op->name->text);
    weft_note(s->cx, op->loc, "the op is here");
    return st;
}

/* Brings op's operands to these placements, and adds it to the plan. */
static weft_status place_operands(weft_layout_planner *s, const weft_op *op, const weft_placement_id *ids) {
    const weft_forced_op *f = forced_of(s, op);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        const weft_placed *there = NULL;
        if (f && f->operands[i] != ids[i]) return report_fixed(s, op, f, "operand", i, ids[i]);
        st = weft_plan_bring(s, op->operands[i], ids[i], op->loc, &there);
        if (st == WEFT_OK) weft_version_read(s, there);
    }
    return st == WEFT_OK ? weft_layout_plan_add_op(s->plan, op, ids) : st;
}

/* The same for an op that cannot do with other placements. */
static weft_status place_fixed(weft_layout_planner *s, const weft_op *op, const weft_placement_id *ids) {
    const bool tell = s->how->telling_ops;
    weft_mark mark = weft_arena_mark(&s->cx->scratch);
    const weft_value **values = tell ? weft_scratch_array(s->cx, const weft_value *, op->operand_count) : NULL;
    weft_status st = tell && !values ? weft_oom() : WEFT_OK;
    for (uint32_t i = 0; values && i < op->operand_count; i++) values[i] = weft_plan_root(op->operands[i]);
    if (values) st = weft_worth_note_fixed(s->how->told, op, values, ids, op->operand_count);
    weft_arena_reset(&s->cx->scratch, mark);
    return st == WEFT_OK ? place_operands(s, op, ids) : st;
}

static weft_status place_results(weft_layout_planner *s, const weft_op *op, const weft_placement_id *ids) {
    const weft_forced_op *f = forced_of(s, op);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        if (f && f->results[i] != ids[i]) return report_fixed(s, op, f, "result", i, ids[i]);
        st = weft_version_add(s, &op->results[i], ids[i]);
    }
    return st;
}

/* The same where the op says its results' shardings. */
static weft_status mark_results(weft_layout_planner *s, const weft_op *op, const weft_placement_id *ids) {
    s->plan->ops[op->id].marked = true;
    return place_results(s, op, ids);
}

static bool may_stay_partial(const weft_layout_planner *s, const weft_value *v) {
    for (;; v = v->def->operands[0]) {
        if (weft_use_count(&s->uses, v) != 1) return false;
        if (!v->def || !weft_plan_passes(v->def)) return true;
    }
}

static const weft_wishes *wishes_of(const weft_layout_planner *s, const weft_value *v) {
    return s->how->wishes && s->how->wishes[v->id].n ? &s->how->wishes[v->id] : NULL;
}

/* v, a result of the op at work on, in this placement too. */
static weft_status bring_after(weft_layout_planner *s, const weft_value *v, weft_placement_id at) {
    const weft_placed *done = NULL;
    weft_status st = weft_plan_bring(s, v, at, v->def->loc, &done);
    s->plan->ops[v->def->id].end = s->plan->moved_count;
    return st;
}

/* A sum with several readers has to be finished by the first of them, who does not know what the others want; this one
 * does. */
static weft_status finish_shared_sum(weft_layout_planner *s, const weft_value *v, weft_placement_id at) {
    const weft_wishes *wishes = weft_placement_of(s->t, at)->unreduced ? wishes_of(s, v) : NULL;
    double least = 0;
    weft_placement_id best = at;
    if (!wishes || may_stay_partial(s, v)) return WEFT_OK;
    for (uint32_t i = 0; i < wishes->n; i++) {
        const weft_reshard_plan *plan = NULL;
        if (weft_placement_of(s->t, wishes->v[i].at)->unreduced) continue;
        weft_status st = weft_reshard_plan_find(s->planner, at, wishes->v[i].at, v->type, &plan);
        if (st != WEFT_OK) return st;
        if (!plan || (best != at && plan->price + wishes->v[i].cost >= least)) continue;
        best = wishes->v[i].at;
        least = plan->price + wishes->v[i].cost;
    }
    return bring_after(s, v, best);
}

static weft_status describe_value(weft_layout_planner *s, const weft_value *v, weft_choice_operand *o) {
    const weft_placement_id *have = NULL;
    uint32_t n = 0;
    weft_status st = weft_versions_list(s, v, &have, &n);
    if (st != WEFT_OK) return st;
    *o = (weft_choice_operand){ .value = v, .have = have, .have_count = n };
    weft_plan_describe_turns(s, v, o);
    return WEFT_OK;
}

static weft_status describe_operands(weft_layout_planner *s, const weft_op *op, weft_choice_operand *operands) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        weft_choice_operand *o = &operands[i], *source = NULL;
        const weft_value *v = weft_plan_root(op->operands[i]);
        const weft_op *spread = s->how->spreading ? weft_choice_spread(v) : NULL;
        weft_status st = describe_value(s, v, o);
        o->free = weft_plan_is_free(s, v);
        o->may_stay_partial = may_stay_partial(s, op->operands[i]);
        if (st == WEFT_OK && spread) {
            if (!(source = weft_scratch_array(s->cx, weft_choice_operand, 1))) return weft_oom();
            st = describe_value(s, weft_plan_root(spread->operands[0]), source);
            o->source = source;
        }
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

static weft_status find_wishes(weft_layout_planner *s, const weft_op *op, weft_choice_request *r) {
    const weft_wishes **wishes = weft_scratch_array(s->cx, const weft_wishes *, op->result_count);
    for (uint32_t i = 0; wishes && i < op->result_count; i++) wishes[i] = wishes_of(s, &op->results[i]);
    r->wishes = wishes;
    return wishes ? WEFT_OK : weft_oom();
}

static weft_status tell_worth(weft_layout_planner *s, const weft_choice_request *r) {
    weft_status st = weft_worth_note_shared(s->how->told, r);
    for (uint32_t i = 0; st == WEFT_OK && i < r->op->result_count; i++)
        st = weft_worth_note(s->how->told, &r->op->results[i], r->declared[i]);
    return st;
}

/* What readers want goes into r where it is known, and r to those who find it out where they ask. */
static weft_status ask_readers(weft_layout_planner *s, weft_choice_request *r) {
    if (s->how->wishes) return find_wishes(s, r->op, r);
    return s->how->telling_ops ? tell_worth(s, r) : WEFT_OK;
}

static void note_repeated(weft_layout_planner *s, const weft_op *op, const weft_choice *c) {
    const weft_atoms idle = c->idle & ~s->manual;
    const double cost = c->steps_cost * (1 - 1 / (double)weft_atoms_size(s->t, idle)) * s->weight;
    const weft_repeated repeated = { op, idle, cost, s->weight };
    if (idle && cost > 0) weft_layout_plan_add_repeated(s->plan, &repeated);
}

/* What op's choice costs beside its moves. */
static void add_work(weft_layout_planner *s, const weft_op *op, const weft_choice *c) {
    weft_op_layout *l = &s->plan->ops[op->id];
    l->partial = c->partial;
    l->reduce_over = c->reduce_over;
    l->cost = s->weight * c->steps_cost;
    s->plan->total += l->cost;
    s->plan->work += s->weight * (c->steps_cost - c->talk);
    note_repeated(s, op, c);
    for (uint32_t i = 0; c->reduce_over && i < op->result_count; i++) {
        const weft_placement *at = weft_placement_of(s->t, c->results[i]);
        const double reduced =
            s->weight * weft_move_price_sent(&s->machine->costs, WEFT_MOVE_REDUCE,
                                             weft_placement_local_bytes(s->t, at, op->results[i].type),
                                             weft_atoms_size(s->t, c->reduce_over));
        l->cost += reduced;
        s->plan->total += reduced;
    }
}

/* The choice that f asks for. */
static weft_status follow(weft_layout_planner *s, const weft_choice_request *r, const weft_forced_op *f,
                          weft_choice *out) {
    const weft_choice only = { .operands = (weft_placement_id *)f->operands,
                               .results = (weft_placement_id *)f->results };
    weft_choice_request asked = *r;
    bool found = false;
    asked.only = &only;
    weft_status st = weft_choose_if_any(s->chooser, &asked, out, &found);
    return st == WEFT_OK && !found ? report_unfit(s, r->op, f) : st;
}

/* The runner-up of the choice. */
static weft_status add_rival(weft_layout_planner *s, const weft_choice_request *r, const weft_choice *c) {
    const weft_op *op = r->op;
    weft_op_rival *rival = weft_arena_new(&s->arena, weft_op_rival);
    weft_choice other = { .operands = weft_arena_array(&s->arena, weft_placement_id, op->operand_count),
                          .results = weft_arena_array(&s->arena, weft_placement_id, op->result_count) };
    weft_choice_request asked = *r;
    bool found = false;
    if (!rival || !other.operands || !other.results) return weft_oom();
    asked.but = c;
    weft_status st = weft_choose_if_any(s->chooser, &asked, &other, &found);
    if (st != WEFT_OK || !found) return st;
    *rival = (weft_op_rival){ .cost = s->weight * other.own, .onward = s->weight * (other.cost - other.own),
                              .own_onward = s->weight * (c->cost - c->own), .operands = other.operands,
                              .results = other.results };
    s->plan->rivals[op->id] = rival;
    return WEFT_OK;
}

/* What is the same for all devices is made complete: a copy of it on each would not be terms of it. *terms is then what
 * was declared. */
static weft_status declare_whole(weft_layout_planner *s, const weft_op *op, weft_placement_id *declared,
                                 weft_placement_id *terms) {
    *terms = declared[0];
    if (!weft_placement_of(s->t, *terms)->unreduced || !weft_plan_is_free(s, &op->results[0])) return WEFT_OK;
    return weft_plan_complete(s, *terms, &declared[0]);
}

/* Where terms are declared, operands stay terms whoever else reads them. */
static void allow_declared_terms(const weft_layout_planner *s, const weft_op *op, const weft_placement_id *declared,
                                 weft_choice_operand *operands) {
    bool declares = false;
    for (uint32_t i = 0; i < op->result_count; i++)
        declares = declares || weft_placement_of(s->t, declared[i])->unreduced;
    for (uint32_t i = 0; declares && i < op->operand_count; i++) operands[i].may_stay_partial = true;
}

/* The best choice. An op of complete operands, whose results are declared as terms that it does not leave, makes them
 * complete first (ends_as_terms). */
static weft_status choose(weft_layout_planner *s, weft_choice_request *r, weft_choice *out, bool *ends_as_terms) {
    bool found = false, has_terms = false;
    weft_status st = weft_choose_if_any(s->chooser, r, out, &found);
    if (st != WEFT_OK || found) return st;
    for (uint32_t i = 0; i < r->op->operand_count; i++)
        for (uint32_t k = 0; k < r->operands[i].have_count; k++)
            has_terms = has_terms || weft_placement_of(s->t, r->operands[i].have[k])->unreduced;
    if (has_terms) return weft_choose_factors(s->chooser, r, out); /* which says why there is none */
    weft_placement_id *whole = weft_scratch_array(s->cx, weft_placement_id, r->op->result_count);
    if (!whole) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < r->op->result_count; i++)
        st = weft_plan_complete(s, r->declared[i], &whole[i]);
    weft_choice_request again = *r;
    again.declared = whole;
    again.wishes = NULL;
    *ends_as_terms = true;
    if (st == WEFT_OK) st = weft_choose_factors(s->chooser, &again, out);
    return st;
}

static weft_status plan_by_rule(weft_layout_planner *s, const weft_op *op, const weft_rule *rule,
                                  const weft_placement_id *declared, weft_atoms barred) {
    weft_choice_operand *operands = weft_scratch_array(s->cx, weft_choice_operand, op->operand_count);
    weft_choice choice = { .operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count),
                           .results = weft_scratch_array(s->cx, weft_placement_id, op->result_count) };
    if (!operands || !choice.operands || !choice.results) return weft_oom();
    const weft_forced_op *f = forced_of(s, op);
    weft_status st = describe_operands(s, op, operands);
    allow_declared_terms(s, op, declared, operands);
    weft_choice_request r = { .op = op, .rule = rule, .operands = operands, .declared = declared, .barred = barred };
    if (st == WEFT_OK) st = ask_readers(s, &r);
    bool ends_as_terms = false;
    if (st == WEFT_OK) st = f ? follow(s, &r, f, &choice) : choose(s, &r, &choice, &ends_as_terms);
    if (st == WEFT_OK && s->how->rivals) st = add_rival(s, &r, &choice);
    if (st == WEFT_OK) st = place_operands(s, op, choice.operands);
    if (st != WEFT_OK) return st;
    add_work(s, op, &choice);
    st = mark_results(s, op, choice.results);
    for (uint32_t i = 0; ends_as_terms && st == WEFT_OK && i < op->result_count; i++)
        st = bring_after(s, &op->results[i], declared[i]);
    for (uint32_t i = 0; !ends_as_terms && !choice.reduce_over && st == WEFT_OK && i < op->result_count; i++)
        st = f ? bring_after(s, &op->results[i], f->then ? f->then[i] : choice.results[i])
               : finish_shared_sum(s, &op->results[i], choice.results[i]);
    return st;
}

/* Ops without a rule: replicated, unless they have no operands. */
static weft_status plan_whole(weft_layout_planner *s, const weft_op *op,
                                const weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    if (!operands || !results) return weft_oom();
    if (op->operand_count == 0 && op->result_count && weft_plan_is_free(s, &op->results[0])) results[0] = declared[0];
    weft_status st = place_fixed(s, op, operands);
    return st == WEFT_OK ? mark_results(s, op, results) : st;
}

/* --- control flow ---------------------------------------------------------------------------------------------- */

static weft_status plan_block(weft_layout_planner *s, const weft_block *blk, const weft_placement_id *returned);

static weft_status plan_region(weft_layout_planner *s, const weft_region *region, const weft_placement_id *args,
                               const weft_placement_id *returned) {
    size_t mark = s->log_count;
    weft_status st = WEFT_OK;
    WEFT_EACH_BLOCK(blk, region) {
        for (uint32_t i = 0; st == WEFT_OK && i < blk->arg_count; i++)
            st = weft_version_add(s, blk->args[i], args ? args[i] : WEFT_REPLICATED);
        if (st == WEFT_OK) st = plan_block(s, blk, returned);
        if (st != WEFT_OK) return st;
    }
    weft_versions_forget(s, mark);
    return st;
}

static int64_t bytes_at(const weft_layout_planner *s, weft_placement_id id, const weft_type *type) {
    return weft_placement_local_bytes(s->t, weft_placement_of(s->t, id), type);
}

/* Where value i of a loop is carried. What no turn changes may stay where it comes from, what turns write into where
 * they leave it, but no loop holds more of it than propagation laid down. */
static weft_placement_id carried_in(const weft_layout_planner *s, const weft_op *loop, uint32_t i,
                                    weft_placement_id declared) {
    const weft_value *from = weft_plan_root(loop->operands[i]);
    const weft_placed *born = s->of[from->id];
    weft_placement_id at = s->how->carried ? s->how->carried[loop->results[i].id] : 0;
    if (!s->how->carried || &loop->results[i] == s->changed) return declared;
    while (born && born->next) born = born->next;
    if (weft_loop_unchanged(loop, i)) at = born && !weft_plan_is_free(s, from) ? born->id + 1 : 0;
    if (!at || weft_placement_of(s->t, at - 1)->unreduced ||
        bytes_at(s, at - 1, from->type) > bytes_at(s, declared, from->type))
        return declared;
    return at - 1;
}

/* The place of an array that takes an update where the update is. */
static weft_status place_of_updated(weft_layout_planner *s, const weft_op *op, weft_placement_id *out) {
    const weft_rule *rule = NULL;
    weft_choice_operand *operands = weft_scratch_array(s->cx, weft_choice_operand, op->operand_count);
    weft_choice choice = { .operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count),
                           .results = weft_scratch_array(s->cx, weft_placement_id, op->result_count) };
    if (!operands || !choice.operands || !choice.results) return weft_oom();
    weft_status st = find_rule(s, op, &rule);
    if (st != WEFT_OK || !rule) return st;
    st = describe_operands(s, op, operands);
    operands[0].free = true;
    /* where it was born: by now it has been brought to where the array is */
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (operands[i].have_count) operands[i].have_count = 1;
    weft_chooser_set_trust(s->chooser, WEFT_LEAST_TRUST);
    weft_choice_request r = { .op = op, .rule = rule, .operands = operands, .declared = out };
    if (st == WEFT_OK) st = weft_choose_factors(s->chooser, &r, &choice);
    if (st == WEFT_OK) *out = choice.results[0];
    weft_chooser_set_trust(s->chooser, s->how->trust);
    return st;
}

/* Where the turns of a loop leave the arrays that they write into, as scans do: noted at the end of its body. */
static weft_status note_left(weft_layout_planner *s, const weft_op *loop, const weft_op *end,
                             const weft_placement_id *carried) {
    for (uint32_t i = 0; i < end->operand_count; i++) {
        const weft_op *update = weft_plan_root(end->operands[i])->def;
        weft_placement_id *left = &s->left[loop->results[i].id], at = carried[i];
        *left = 0;
        if (!update || update->kind != WEFT_OP_dynamic_update_slice ||
            weft_plan_root(update->operands[0]) != end->parent->args[i])
            continue;
        weft_mark mark = weft_arena_mark(&s->cx->scratch);
        weft_status st = place_of_updated(s, update, &at);
        weft_arena_reset(&s->cx->scratch, mark);
        if (st != WEFT_OK) return st;
        if (at != carried[i]) *left = at + 1;
    }
    return WEFT_OK;
}

/* Branch results stay in the results' placements. */
static weft_status plan_control(weft_layout_planner *s, const weft_op *op, weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id whole[1] = { WEFT_REPLICATED };
    if (!operands) return weft_oom();
    bool loop = op->kind == WEFT_OP_while;
    const weft_forced_op *f = forced_of(s, op);
    for (uint32_t i = 0; loop && i < op->operand_count; i++)
        operands[i] = declared[i] = f ? f->operands[i] : carried_in(s, op, i, declared[i]);
    for (uint32_t i = 0; f && loop && i < op->operand_count; i++)
        if (weft_placement_of(s->t, operands[i])->unreduced) return report_unfit(s, op, f);
    weft_status st = place_fixed(s, op, operands);
    const double outside = s->weight;
    const int64_t trips = loop ? weft_loop_trips(op) : 1;
    weft_loop_frame frame = { .op = op, .turns = trips < 0 ? UNKNOWN_TURNS : (double)weft_max_i64(trips, 1),
                              .outer = s->loop };
    if (loop) s->loop = &frame;
    if (loop) s->weight *= frame.turns;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        st = plan_region(s, &op->regions[r], loop ? declared : NULL, loop && r == 0 ? whole : declared);
    s->weight = outside;
    if (loop) s->loop = frame.outer;
    return st == WEFT_OK ? mark_results(s, op, declared) : st;
}

static weft_status plan_end(weft_layout_planner *s, const weft_op *op, const weft_placement_id *returned) {
    const weft_op *loop = op->parent->parent->parent;
    const bool turns = loop->kind == WEFT_OP_while && op->parent->parent == &loop->regions[1];
    weft_status st = turns && s->how->told && !s->how->carried ? note_left(s, loop, op, returned) : WEFT_OK;
    return st == WEFT_OK ? place_fixed(s, op, returned) : st;
}

/* Manual and named computations: operands and results are where their shardings say. A manual computation's body sees
 * local sizes along the manual axes, and what is there is placed along the other axes only. */
static weft_status plan_computation(weft_layout_planner *s, const weft_op *op) {
    const weft_block *body = weft_op_body(op, 0);
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *args = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    weft_placement_id *returned = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    weft_atoms manual, outside = s->manual;
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
    if (st == WEFT_OK) st = place_fixed(s, op, operands);
    s->manual |= manual;
    if (st == WEFT_OK) st = plan_region(s, &op->regions[0], args, returned);
    s->manual = outside;
    return st == WEFT_OK ? place_results(s, op, results) : st;
}

/* Result i is operand i: both are in one placement, each pair in its own. */
static weft_status plan_through(weft_layout_planner *s, const weft_op *op,
                                  const weft_placement_id *declared) {
    weft_choice_operand *operands = weft_scratch_array(s->cx, weft_choice_operand, op->operand_count);
    weft_placement_id *there = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    if (!operands || !there) return weft_oom();
    const weft_forced_op *f = forced_of(s, op);
    weft_status st = describe_operands(s, op, operands);
    weft_choice_request r = { .op = op, .operands = operands, .declared = declared };
    if (st == WEFT_OK) st = ask_readers(s, &r);
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        double cost;
        if (f) there[i] = f->operands[i];
        else st = weft_choose_passing(s->chooser, &r, i, &there[i], &cost);
    }
    if (st == WEFT_OK) st = place_operands(s, op, there);
    return st == WEFT_OK ? mark_results(s, op, there) : st;
}

static weft_status plan_collective(weft_layout_planner *s, const weft_op *op,
                                     const weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    if (!operands) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++)
        st = weft_placement_of_value(s->t, op->operands[i], &operands[i]);
    if (st == WEFT_OK) st = place_fixed(s, op, operands);
    return st == WEFT_OK ? place_results(s, op, declared) : st;
}

/* The program's own collectives work on parts along axes that no group of theirs crosses. Along the others each device
 * brings its whole value. */
static weft_status plan_grouped(weft_layout_planner *s, const weft_op *op,
                                  const weft_placement_id *declared) {
    weft_atoms crossed;
    const weft_rule *rule = NULL;
    weft_status st = weft_group_atoms(s->t, s->in, op, &crossed);
    if (st == WEFT_OK) st = find_rule(s, op, &rule);
    if (st != WEFT_OK) return st;
    return rule ? plan_by_rule(s, op, rule, declared, crossed & ~s->manual) : plan_whole(s, op, declared);
}

static weft_status plan_call(weft_layout_planner *s, const weft_op *op) {
    const weft_op *f = weft_symbol_table_find(&s->functions, weft_op_symbol(op, WEFT_A_callee));
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    if (!f || !operands || !results)
        return f ? weft_oom() : weft_report(s->cx, WEFT_D_verify, op->loc, "call of a function that is not there");
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++)
        st = weft_placement_from_attr(s->t, weft_func_arg_attr(f, i, WEFT_A_sdy_sharding), op->operands[i]->type,
                                      op->loc, &operands[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_placement_from_attr(s->t, weft_func_result_attr(f, i, WEFT_A_sdy_sharding), op->results[i].type,
                                      op->loc, &results[i]);
    if (st == WEFT_OK) st = place_fixed(s, op, operands);
    return st == WEFT_OK ? mark_results(s, op, results) : st;
}

/* A constraint brings its value to where it says, whether or not anything reads it there. */
static weft_status plan_marker(weft_layout_planner *s, const weft_op *op, weft_placement_id declared) {
    const weft_placed *placed = NULL;
    const weft_value *root = weft_plan_root(op->operands[0]);
    weft_status st = WEFT_OK;
    const weft_forced_op *f = forced_of(s, op);
    if (f && f->results[0] != declared) return report_fixed(s, op, f, "result", 0, declared);
    if (op->kind == WEFT_OP_sdy_reshard || op->kind == WEFT_OP_sdy_sharding_constraint) {
        if (s->how->telling_ops) st = weft_worth_note_fixed(s->how->told, op, &root, &declared, 1);
        if (st == WEFT_OK) st = weft_plan_bring(s, root, declared, op->loc, &placed);
    }
    if (st == WEFT_OK) st = weft_layout_plan_add_op(s->plan, op, &declared);
    s->plan->born[op->results[0].id] = declared;
    if (st != WEFT_OK || weft_plan_passes(op)) return st;
    weft_version_read(s, placed);
    return weft_version_add(s, &op->results[0], declared);
}

static weft_status plan_alone(weft_layout_planner *s, const weft_op *op, const weft_rule *rule,
                              const weft_placement_id *declared) {
    return rule && op->operand_count ? plan_by_rule(s, op, rule, declared, 0) : plan_whole(s, op, declared);
}

static weft_status plan_op(weft_layout_planner *s, const weft_op *op, const weft_placement_id *returned) {
    weft_placement_id *declared = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    if (!declared) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_plan_declared(s, &op->results[i], &declared[i]);
    if (st != WEFT_OK) return st;
    s->op = op;
    s->plan->ops[op->id].first = s->plan->moved_count;
    weft_plan_note_fixed(s, op);
    if (weft_op_is_marker(op)) return plan_marker(s, op, declared[0]);
    if (op->kind == WEFT_OP_sdy_sharding_group) return WEFT_OK;
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_TERMINATOR)) return plan_end(s, op, returned);
    if (op->kind == WEFT_OP_sdy_manual_computation || op->kind == WEFT_OP_sdy_named_computation)
        return plan_computation(s, op);
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_CONTROL)) return plan_control(s, op, declared);
    if (weft_local_of((weft_op_kind)op->kind)->grouped || weft_op_attr(op, WEFT_A_replica_groups))
        return plan_grouped(s, op, declared);
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_COLLECTIVE)) return plan_collective(s, op, declared);
    if (weft_local_of((weft_op_kind)op->kind)->through) return plan_through(s, op, declared);
    if (op->kind == WEFT_OP_func_call) return plan_call(s, op);
    const weft_rule *rule = NULL;
    st = find_rule(s, op, &rule);
    if (st != WEFT_OK) return st;
    if (op->result_count != 1) return plan_alone(s, op, rule, declared);
    weft_placement_id terms;
    st = declare_whole(s, op, declared, &terms);
    if (st == WEFT_OK) st = plan_alone(s, op, rule, declared);
    return st == WEFT_OK && terms != declared[0] ? bring_after(s, &op->results[0], terms) : st;
}

static weft_status plan_block(weft_layout_planner *s, const weft_block *blk, const weft_placement_id *returned) {
    WEFT_EACH_OP(op, blk) {
        weft_mark mark = weft_arena_mark(&s->cx->scratch);
        weft_status st = plan_op(s, op, returned);
        weft_arena_reset(&s->cx->scratch, mark);
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

/* --- functions ------------------------------------------------------------------------------------------------- */

static weft_status plan_func(weft_layout_planner *s, const weft_op *f) {
    weft_mark mark = weft_arena_mark(&s->cx->scratch);
    const weft_type *type = weft_func_type(f);
    uint32_t n = type->part_count - type->input_count;
    weft_placement_id *args = weft_scratch_array(s->cx, weft_placement_id, type->input_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, n);
    weft_status st = args && results ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < type->input_count; i++)
        if (weft_op_body(f, 0)->args[i] == s->changed) args[i] = s->changed_to;
        else
            st = weft_placement_from_attr(s->t, weft_func_arg_attr(f, i, WEFT_A_sdy_sharding), type->parts[i], f->loc,
                                          &args[i]);
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++)
        st = weft_placement_from_attr(s->t, weft_func_result_attr(f, i, WEFT_A_sdy_sharding),
                                      type->parts[type->input_count + i], f->loc, &results[i]);
    if (st == WEFT_OK) st = plan_region(s, &f->regions[0], args, results);
    weft_arena_reset(&s->cx->scratch, mark);
    return st;
}

weft_status weft_layout_planner_open(weft_context *cx, const weft_module *m, const weft_machine *machine,
                                     weft_layout_planner *s) {
    *s = (weft_layout_planner){ .cx = cx, .in = m, .machine = machine };
    weft_arena_init(&s->arena, &cx->chunks);
    weft_status st = weft_placements_open(s->in, &s->arena, &s->t);
    if (st == WEFT_OK) st = weft_planner_open(s->t, &machine->costs, &s->arena, &s->planner);
    if (st == WEFT_OK) st = weft_chooser_open(s->t, s->planner, s->in, &s->arena, &s->chooser);
    if (st == WEFT_OK) st = weft_rules_open(s->cx, &s->arena, &s->rules);
    if (st == WEFT_OK) st = weft_uses_build(s->in, &s->arena, &s->uses);
    if (st == WEFT_OK) st = weft_symbol_table_open(s->in, &s->arena, &s->functions, NULL);
    s->of = weft_arena_array(&s->arena, weft_placed *, s->in->value_count);
    s->fixed_in = weft_arena_array(&s->arena, const weft_op *, s->in->value_count);
    s->declared = weft_arena_array(&s->arena, weft_placement_id, s->in->value_count);
    s->left = weft_arena_array(&s->arena, weft_placement_id, s->in->value_count);
    s->rule_of = weft_arena_array(&s->arena, weft_known_rule, s->in->op_count);
    return st == WEFT_OK && (!s->of || !s->fixed_in || !s->declared || !s->left || !s->rule_of) ? weft_oom() : st;
}

void weft_layout_planner_close(weft_layout_planner *s) { weft_arena_free(&s->arena); }

void weft_plan_give_back(weft_layout_planner *s, weft_layout_plan *p) {
    if (p) s->spare = p;
}

static weft_status take_plan(weft_layout_planner *s) {
    s->plan = s->spare;
    s->spare = NULL;
    if (!s->plan) return weft_layout_plan_open(s->in, &s->arena, &s->plan);
    weft_layout_plan_clear(s->plan);
    return WEFT_OK;
}

weft_status weft_plan_make(weft_layout_planner *s, const weft_plan_input *how, weft_layout_plan **out) {
    weft_status st = take_plan(s);
    if (st != WEFT_OK) return st;
    s->how = how;
    s->plan->spreading = how->spreading;
    if (how->rivals && !(s->plan->rivals = weft_arena_array(&s->arena, const weft_op_rival *, s->in->op_count)))
        return weft_oom();
    s->weight = 1;
    s->log_count = 0;
    s->manual = 0;
    s->loop = NULL;
    memset(s->of, 0, s->in->value_count * sizeof *s->of);
    weft_chooser_set_trust(s->chooser, how->trust);
    weft_chooser_set_wide(s->chooser, how->wide);
    for (const weft_op *op = weft_module_body(s->in)->first; op && st == WEFT_OK; op = op->next)
        if (op->kind == WEFT_OP_func && weft_op_body(op, 0)) st = plan_func(s, op);
    weft_layout_plan_finish(s->plan);
    *out = s->plan;
    return st;
}
