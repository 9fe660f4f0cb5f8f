/* insert_reshards: every op gets operands that fit the cheapest way to share its work.
 *
 * Pass weft-insert-reshards. Needs a propagated module: shardings on functions and on ops where they are known. Leaves
 * a module in which the placements of each op's operands and results follow from one assignment of mesh axes to the
 * factors of its rule: where a value is not where its reader wants it, an sdy.reshard brings it there; where a loop
 * that sums is shared, the result is marked unreduced and finished by the reshard of its reader; maxima and minima are
 * finished by an sdy.all_reduce after the op. Global shapes, all locations; a reshard carries the place of the op that
 * needs it.
 *
 * A value may exist in several placements at once; each is made once and found again by later readers, which is what
 * keeps a weight gathered in the forward pass from being gathered again. Inside the body of a loop or branch new
 * placements of outer values are forgotten at its end. Constants and broadcast scalars are made anew wherever they are
 * wanted; and in a plan that departs from propagation, what is spread over more dimensions, where it costs less to
 * bring what it is spread from.
 *
 * The choice is Weft's own (factor_choice.h), made several times over (plan_search.c); Shardy's way is
 * explicit_reshards.c.
 */
#include "ir/trips.h"
#include "partitioner/partition.h"
#include "partitioner/plan/versions.h"

/* A loop that is being planned. */
struct weft_loop_frame {
    const weft_op *op;
    double turns;
    /* bytes that moves of unchanging values have made larger than they were, together and at most */
    int64_t held, largest;
    weft_loop_frame *outer;
};

#define UNKNOWN_TURNS 10     /* of a loop that does not say */
/* bytes that may be held through a loop in any case: legalize/invariants.c, which moves what is planned so */
#define SMALL (256 * 1024)

/* --- what is known --------------------------------------------------------------------------------------------- */

bool weft_inserter_passes(const weft_op *op) { return weft_op_is_marker(op) && !weft_op_attr(op, WEFT_A_weft_obey); }

const weft_value *weft_inserter_root(const weft_value *v) {
    while (v->def && weft_inserter_passes(v->def)) v = v->def->operands[0];
    return v;
}

weft_status weft_inserter_declared(const weft_inserter *s, const weft_value *v, weft_placement_id *id) {
    weft_status st = WEFT_OK;
    if (v == s->changed) *id = s->changed_to;
    else if (s->declared[v->id]) *id = s->declared[v->id] - 1;
    else if ((st = weft_placement_of_value(s->t, v, id)) == WEFT_OK) s->declared[v->id] = *id + 1;
    return st;
}

/* The rule of op's work; *rule is NULL where there is none. */
static weft_status find_rule(weft_inserter *s, const weft_op *op, const weft_rule **rule) {
    weft_known_rule *k = &s->rule_of[op->id];
    weft_status st = k->known ? WEFT_OK : weft_rule_of(s->rules, op, WEFT_RULE_WORK, &s->uses, &k->rule);
    k->known = st == WEFT_OK;
    *rule = k->rule;
    return st;
}

static bool is_judging(const weft_inserter *s) { return !s->out; }

static weft_value *result_of(weft_op *copy, uint32_t i) { return copy ? &copy->results[i] : NULL; }
static weft_region *region_of(weft_op *copy, uint32_t i) { return copy ? &copy->regions[i] : NULL; }

/* --- loops ----------------------------------------------------------------------------------------------------- */

static const weft_op *loop_arg_of(const weft_value *v) {
    const weft_op *owner = v->def ? NULL : v->block->parent->parent;
    return owner && owner->kind == WEFT_OP_while ? owner : NULL;
}

/* Whether v is the same in every turn of the loop. */
static bool is_fixed(const weft_inserter *s, const weft_value *v, const weft_op *loop) {
    if (s->fixed_in[v->id] == loop) return true;
    if (loop_arg_of(v) == loop) return weft_loop_unchanged(loop, v->index) != NULL;
    for (const weft_block *blk = v->def ? v->def->parent : v->block; blk; blk = blk->parent->parent->parent)
        if (blk->parent->parent == loop) return false;
    return true;
}

/* Turns that one move of v serves: those of the loops around in which v does not change. */
static double turns_served(const weft_inserter *s, const weft_value *v) {
    double n = 1;
    for (const weft_loop_frame *f = s->loop; f && is_fixed(s, v, f->op); f = f->outer) {
        n *= f->turns;
        if (loop_arg_of(v) == f->op) v = weft_inserter_root(weft_loop_unchanged(f->op, v->index));
    }
    return n;
}

static void describe_turns(const weft_inserter *s, const weft_value *v, weft_choice_operand *o) {
    o->turns = s->loop ? turns_served(s, v) : 1;
    o->room = s->loop && s->loop->held ? weft_max_i64(SMALL, s->loop->largest) - s->loop->held : INT64_MAX;
}

/* What one op computes from values that do not change is one. */
static void note_fixed(weft_inserter *s, const weft_op *op) {
    bool fixed = s->loop && !op->region_count && weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_PURE);
    for (uint32_t i = 0; fixed && i < op->operand_count; i++) fixed = is_fixed(s, op->operands[i], s->loop->op);
    for (uint32_t i = 0; fixed && i < op->result_count; i++) s->fixed_in[op->results[i].id] = s->loop->op;
}

/* --- moves ----------------------------------------------------------------------------------------------------- */

static weft_status note_move(weft_inserter *s, const weft_value *v, weft_placed *from, weft_placement_id to,
                             double wire_bytes, double cost) {
    weft_plan_notes *n = &s->notes;
    weft_choice_operand o = { .value = v };
    describe_turns(s, v, &o);
    const double served = weft_choice_turns(s->t, &o, from->id, to);
    const int64_t before = weft_placement_local_bytes(s->t, weft_placement_of(s->t, from->id), v->type);
    const int64_t after = weft_placement_local_bytes(s->t, weft_placement_of(s->t, to), v->type);
    if (served > 1 && after > before) {
        s->loop->held += after;
        s->loop->largest = weft_max_i64(s->loop->largest, after);
    }
    if (n->moved_count == n->moved_cap &&
        !weft_arena_grow(&s->arena, (void **)&n->moved, &n->moved_cap, n->moved_count + 1, sizeof *n->moved))
        return weft_oom();
    n->moved[n->moved_count++] = (weft_moved){ .op = s->op, .value = v, .from = from->id, .to = to,
                                               .wire_bytes = wire_bytes, .turns = s->weight / served,
                                               .cost = cost * s->weight / served, .source = from->moved };
    return WEFT_OK;
}

/* What a move is made of counts as read when the move does; unread ones are dropped by cse, and cost nothing. */
static void add_up_moves(weft_inserter *s) {
    for (size_t i = s->notes.moved_count; i-- > 0;) {
        const weft_moved *m = &s->notes.moved[i];
        if (!m->used) continue;
        s->total += m->cost;
        if (m->source) s->notes.moved[m->source - 1].used = true;
    }
}

static void note_repeated(weft_inserter *s, const weft_op *op, const weft_choice *c) {
    weft_plan_notes *n = &s->notes;
    const weft_atoms idle = c->idle & ~s->manual;
    const double cost = c->steps_cost * (1 - 1 / (double)weft_atoms_size(s->t, idle)) * s->weight;
    size_t k = 0;
    if (!idle || cost <= 0) return;
    while (k < n->vain_count && n->vain[k].idle != idle) k++;
    if (k == n->vain_count && k < WEFT_MOST_REPEATED) n->vain[n->vain_count++] = (weft_vain){ idle, 0 };
    if (k < n->vain_count) n->vain[k].cost += cost;
    if (n->repeated_count == WEFT_MOST_REPEATED && n->repeated[WEFT_MOST_REPEATED - 1].cost >= cost) return;
    size_t i = n->repeated_count < WEFT_MOST_REPEATED ? n->repeated_count++ : WEFT_MOST_REPEATED - 1;
    for (; i > 0 && n->repeated[i - 1].cost < cost; i--) n->repeated[i] = n->repeated[i - 1];
    n->repeated[i] = (weft_repeated){ op, idle, cost, s->weight };
}

/* Whether v can be made in any placement without moving data. */
static bool is_free(const weft_inserter *s, const weft_value *v) {
    const weft_op *op = v->def;
    if (!op) return false;
    if (op->kind == WEFT_OP_iota) return true;
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_CONSTANT)) {
        const weft_attr *dense = weft_op_attr(op, WEFT_A_value);
        return dense && dense->kind == WEFT_ATTR_DENSE && dense->dense.splat;
    }
    return op->kind == WEFT_OP_broadcast_in_dim && op->operands[0]->type->rank == 0 &&
           weft_version_find(s, weft_inserter_root(op->operands[0]), WEFT_REPLICATED);
}

static weft_status set_result_shardings(weft_inserter *s, weft_op *op, const weft_placement_id *ids) {
    weft_status st = WEFT_OK;
    const weft_attr *value = NULL;
    bool any = false;
    if (is_judging(s)) return WEFT_OK;
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

static weft_status materialize(weft_inserter *s, weft_builder *b, const weft_value *v, weft_placement_id id,
                               const weft_loc *loc, const weft_placed **out);

/* v, made anew in id, from its operand in `from`. */
static weft_status rebuild(weft_inserter *s, weft_builder *b, const weft_value *v, weft_placement_id id,
                           weft_placement_id from, weft_value **out) {
    const weft_op *op = v->def;
    if (op->operand_count) {
        const weft_placed *there = NULL;
        weft_status st = materialize(s, b, op->operands[0], from, op->loc, &there);
        if (st != WEFT_OK) return st;
        s->map.to[op->operands[0]->id] = weft_version_read(s, there);
    }
    if (is_judging(s)) return WEFT_OK;
    weft_op *copy = weft_clone_op(b, op, &s->map);
    if (!copy) return b->status;
    *out = &copy->results[0];
    return set_result_shardings(s, copy, &id);
}

/* Only a value that is whole, and is to be a partial sum, cannot be brought there. */
static weft_status report_no_way(weft_inserter *s, const weft_value *v, weft_placement_id id, const weft_loc *loc) {
    weft_buf have, want;
    const weft_placed *first = s->of[v->id];
    weft_buf_init(&have, &s->cx->alloc);
    weft_buf_init(&want, &s->cx->alloc);
    weft_status st = first ? weft_placement_print(s->t, &have, first->id, v->type->rank) : WEFT_OK;
    if (st == WEFT_OK) st = weft_placement_print(s->t, &want, id, v->type->rank);
    if (st == WEFT_OK && (have.failed || want.failed)) st = weft_oom();
    if (st == WEFT_OK && !weft_placement_of(s->t, id)->unreduced)
        st = weft_report(s->cx, WEFT_D_internal, loc, "a value has no placement to be resharded from");
    else if (st == WEFT_OK) {
        st = weft_report(s->cx, WEFT_D_unsupported, loc,
                         "'%s' takes a complete value for a partial sum: it is %s, and wanted as %s", s->op->name->text,
                         have.p ? have.p : "replicated", want.p);
        weft_help(
            s->cx, weft_value_loc(v),
            "take unreduced={...} from the sharding wanted, or make this value by an op that leaves a sum for later "
            "(a product or reduction along a dimension cut by these axes)");
    }
    weft_buf_free(&have);
    weft_buf_free(&want);
    return st;
}

/* Whether it costs less to bring what v is spread from to where it can be spread anew; *from is that place. */
static weft_status is_nearer(weft_inserter *s, const weft_value *v, weft_placement_id id, weft_placement_id *from,
                             bool *nearer) {
    const weft_op *spread = weft_choice_spread(v);
    const weft_reshard_plan *way = NULL, *ways = NULL;
    weft_placed *best, *source;
    weft_placement at;
    *nearer = false;
    if (!spread || !weft_choice_source_at(spread, weft_placement_of(s->t, id), &at)) return WEFT_OK;
    weft_status st = weft_placement_intern(s->t, &at, from);
    if (st == WEFT_OK) st = weft_version_nearest(s, v, id, &best, &way);
    if (st == WEFT_OK) st = weft_version_nearest(s, weft_inserter_root(spread->operands[0]), *from, &source, &ways);
    if (st == WEFT_OK) *nearer = source && (!best || ways->price < way->price);
    return st;
}

static weft_status build_reshard(weft_inserter *s, weft_builder *b, const weft_value *v, weft_placement_id id,
                                 weft_value **out) {
    weft_placed *best;
    const weft_reshard_plan *way = NULL;
    weft_status st = weft_version_nearest(s, v, id, &best, &way);
    if (st != WEFT_OK) return st;
    if (!best) return report_no_way(s, v, id, b->loc);
    if (is_judging(s)) return note_move(s, v, best, id, way->wire_bytes, way->price);
    const weft_attr *sharding = weft_placement_to_attr(s->t, id, v->type->rank);
    if (!sharding) return weft_oom();
    weft_attr_pair attrs[] = { { WEFT_A_sharding, sharding } };
    *out = weft_build_1(b, WEFT_OP_sdy_reshard, v->type, &best->value, 1, attrs, 1);
    return b->status == WEFT_OK ? note_move(s, v, best, id, way->wire_bytes, way->price) : b->status;
}

/* v in placement id, made if need be; loc: who wants it. */
static weft_status materialize(weft_inserter *s, weft_builder *b, const weft_value *v, weft_placement_id id,
                               const weft_loc *loc, const weft_placed **out) {
    v = weft_inserter_root(v);
    *out = weft_version_find(s, v, id);
    if (*out) return WEFT_OK;
    weft_value *value = NULL;
    bool anew = is_free(s, v);
    weft_placement_id from = WEFT_REPLICATED;
    weft_status st = anew || !s->spreading ? WEFT_OK : is_nearer(s, v, id, &from, &anew);
    b->loc = loc;
    if (st == WEFT_OK) st = anew ? rebuild(s, b, v, id, from, &value) : build_reshard(s, b, v, id, &value);
    if (st == WEFT_OK) st = weft_version_add_moved(s, v, id, value, anew ? 0 : s->notes.moved_count);
    *out = s->of[v->id];
    return st;
}

/* --- ops ------------------------------------------------------------------------------------------------------- */

/* A copy of op whose operands are in these placements, or NULL. Results are not recorded. */
static weft_status emit(weft_inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *ids,
                        weft_op **out) {
    weft_mark mark = weft_arena_mark(&s->cx->scratch);
    weft_status st = WEFT_OK;
    weft_value **operands = weft_scratch_array(s->cx, weft_value *, op->operand_count);
    if (!operands) st = weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        const weft_placed *there = NULL;
        st = materialize(s, b, op->operands[i], ids[i], op->loc, &there);
        if (st == WEFT_OK) s->map.to[op->operands[i]->id] = operands[i] = weft_version_read(s, there);
    }
    if (is_judging(s)) *out = NULL;
    else if (st == WEFT_OK) {
        weft_op *copy = weft_op_kind_has(op->kind, WEFT_TRAIT_CONTROL) ? weft_clone_shell(b, op, &s->map, NULL)
                                                                       : weft_clone_op(b, op, &s->map);
        st = b->status;
        /* one value, two placements */
        for (uint32_t i = 0; copy && i < op->operand_count; i++) copy->operands[i] = operands[i];
        *out = copy;
    }
    weft_arena_reset(&s->cx->scratch, mark);
    return st;
}

/* The same for an op that cannot do with other placements. */
static weft_status emit_fixed(weft_inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *ids,
                              weft_op **out) {
    weft_mark mark = weft_arena_mark(&s->cx->scratch);
    const weft_value **values = s->asking ? weft_scratch_array(s->cx, const weft_value *, op->operand_count) : NULL;
    weft_status st = s->asking && !values ? weft_oom() : WEFT_OK;
    for (uint32_t i = 0; values && i < op->operand_count; i++) values[i] = weft_inserter_root(op->operands[i]);
    if (values) st = weft_worth_note_fixed(s->worth, op, values, ids, op->operand_count);
    weft_arena_reset(&s->cx->scratch, mark);
    return st == WEFT_OK ? emit(s, b, op, ids, out) : st;
}

static weft_status record_results(weft_inserter *s, const weft_op *op, weft_op *copy, const weft_placement_id *ids) {
    weft_status st = set_result_shardings(s, copy, ids);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_version_add(s, &op->results[i], ids[i], result_of(copy, i));
    return st;
}

static bool may_stay_partial(const weft_inserter *s, const weft_value *v) {
    for (;; v = v->def->operands[0]) {
        if (weft_use_count(&s->uses, v) != 1) return false;
        if (!v->def || !weft_inserter_passes(v->def)) return true;
    }
}

static const weft_wishes *wishes_of(const weft_inserter *s, const weft_value *v) {
    return s->wishes && s->wishes[v->id].n ? &s->wishes[v->id] : NULL;
}

/* A sum with several readers has to be finished by the first of them, who does not know what the others want; this one
 * does. */
static weft_status finish_shared_sum(weft_inserter *s, weft_builder *b, const weft_value *v, weft_placement_id at) {
    const weft_wishes *wishes = weft_placement_of(s->t, at)->unreduced ? wishes_of(s, v) : NULL;
    const weft_placed *done = NULL;
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
    return best == at ? WEFT_OK : materialize(s, b, v, best, v->def->loc, &done);
}

static weft_status describe_value(weft_inserter *s, const weft_value *v, weft_choice_operand *o) {
    const weft_placement_id *have = NULL;
    uint32_t n = 0;
    weft_status st = weft_versions_list(s, v, &have, &n);
    if (st != WEFT_OK) return st;
    *o = (weft_choice_operand){ .value = v, .have = have, .have_count = n };
    describe_turns(s, v, o);
    return WEFT_OK;
}

static weft_status describe_operands(weft_inserter *s, const weft_op *op, weft_choice_operand *operands) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        weft_choice_operand *o = &operands[i], *source = NULL;
        const weft_value *v = weft_inserter_root(op->operands[i]);
        const weft_op *spread = s->spreading ? weft_choice_spread(v) : NULL;
        weft_status st = describe_value(s, v, o);
        o->free = is_free(s, v);
        o->may_stay_partial = may_stay_partial(s, op->operands[i]);
        if (st == WEFT_OK && spread) {
            if (!(source = weft_scratch_array(s->cx, weft_choice_operand, 1))) return weft_oom();
            st = describe_value(s, weft_inserter_root(spread->operands[0]), source);
            o->source = source;
        }
        if (st != WEFT_OK) return st;
    }
    return WEFT_OK;
}

static weft_status build_all_reduce(weft_inserter *s, weft_builder *b, const weft_choice *c, uint32_t i, weft_value *x,
                                    weft_value **out) {
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

static weft_status find_wishes(weft_inserter *s, const weft_op *op, weft_choice_request *r) {
    const weft_wishes **wishes = weft_scratch_array(s->cx, const weft_wishes *, op->result_count);
    for (uint32_t i = 0; wishes && i < op->result_count; i++) wishes[i] = wishes_of(s, &op->results[i]);
    r->wishes = wishes;
    return wishes ? WEFT_OK : weft_oom();
}

static weft_status tell_worth(weft_inserter *s, const weft_choice_request *r) {
    weft_status st = weft_worth_note_shared(s->worth, r);
    for (uint32_t i = 0; st == WEFT_OK && i < r->op->result_count; i++)
        st = weft_worth_note(s->worth, &r->op->results[i], r->declared[i]);
    return st;
}

static weft_status insert_by_rule(weft_inserter *s, weft_builder *b, const weft_op *op, const weft_rule *rule,
                                  const weft_placement_id *declared, weft_atoms barred) {
    weft_choice_operand *operands = weft_scratch_array(s->cx, weft_choice_operand, op->operand_count);
    weft_choice choice = { .operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count),
                           .results = weft_scratch_array(s->cx, weft_placement_id, op->result_count) };
    if (!operands || !choice.operands || !choice.results) return weft_oom();
    weft_op *copy = NULL;
    weft_status st = describe_operands(s, op, operands);
    weft_choice_request r = { .op = op, .rule = rule, .operands = operands, .declared = declared, .barred = barred };
    if (st == WEFT_OK) st = s->wishes ? find_wishes(s, op, &r) : s->asking ? tell_worth(s, &r) : WEFT_OK;
    if (st == WEFT_OK) st = weft_choose_factors(s->chooser, &r, &choice);
    if (st == WEFT_OK) st = emit(s, b, op, choice.operands, &copy);
    if (st != WEFT_OK) return st;
    s->total += s->weight * choice.steps_cost;
    s->work += s->weight * (choice.steps_cost - choice.talk);
    note_repeated(s, op, &choice);
    if (!choice.reduce_over) {
        st = record_results(s, op, copy, choice.results);
        for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
            st = finish_shared_sum(s, b, &op->results[i], choice.results[i]);
        return st;
    }
    st = set_result_shardings(s, copy, choice.results);
    b->loc = op->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        weft_value *whole = NULL;
        if (copy) st = build_all_reduce(s, b, &choice, i, &copy->results[i], &whole);
        s->total += s->weight *
                    weft_move_wire_bytes(WEFT_MOVE_REDUCE,
                                         weft_placement_local_bytes(s->t, weft_placement_of(s->t, choice.results[i]),
                                                                    op->results[i].type),
                                         weft_atoms_size(s->t, choice.reduce_over));
        if (st == WEFT_OK) st = weft_version_add(s, &op->results[i], choice.results[i], whole);
    }
    return st;
}

/* Ops without a rule: replicated, unless they have no operands. */
static weft_status insert_whole(weft_inserter *s, weft_builder *b, const weft_op *op,
                                const weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id *results = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    if (!operands || !results) return weft_oom();
    if (op->operand_count == 0 && op->result_count && is_free(s, &op->results[0])) results[0] = declared[0];
    weft_op *copy = NULL;
    weft_status st = emit_fixed(s, b, op, operands, &copy);
    return st == WEFT_OK ? record_results(s, op, copy, results) : st;
}

/* --- control flow ---------------------------------------------------------------------------------------------- */

static weft_status insert_block(weft_inserter *s, const weft_block *from, weft_block *to,
                                const weft_placement_id *returned);

static weft_status insert_region(weft_inserter *s, const weft_region *from, weft_region *to,
                                 const weft_placement_id *args, const weft_placement_id *returned) {
    weft_builder b;
    size_t mark = s->log_count;
    weft_status st = WEFT_OK;
    WEFT_EACH_BLOCK(blk, from) {
        weft_builder_init(&b, s->out, NULL);
        weft_block *copy = to ? weft_build_block(&b, to) : NULL;
        for (uint32_t i = 0; i < blk->arg_count; i++) {
            weft_value *arg = copy ? weft_build_block_arg(&b, copy, blk->args[i]->type, blk->args[i]->loc) : NULL;
            if (arg) arg->hint = blk->args[i]->hint;
            st = b.status != WEFT_OK ? b.status
                                     : weft_version_add(s, blk->args[i], args ? args[i] : WEFT_REPLICATED, arg);
            if (st != WEFT_OK) return st;
        }
        if (b.status != WEFT_OK) return b.status;
        st = insert_block(s, blk, copy, returned);
        if (st != WEFT_OK) return st;
    }
    weft_versions_forget(s, mark);
    return st;
}

static int64_t bytes_at(const weft_inserter *s, weft_placement_id id, const weft_type *type) {
    return weft_placement_local_bytes(s->t, weft_placement_of(s->t, id), type);
}

/* Where value i of a loop is carried. What no turn changes may stay where it comes from, what turns write into where
 * they leave it, but no loop holds more of it than propagation laid down. */
static weft_placement_id carried_in(const weft_inserter *s, const weft_op *loop, uint32_t i,
                                    weft_placement_id declared) {
    const weft_value *from = weft_inserter_root(loop->operands[i]);
    const weft_placed *born = s->of[from->id];
    weft_placement_id at = s->carried ? s->carried[loop->results[i].id] : 0;
    if (!s->carried || &loop->results[i] == s->changed) return declared;
    while (born && born->next) born = born->next;
    if (weft_loop_unchanged(loop, i)) at = born && !is_free(s, from) ? born->id + 1 : 0;
    if (!at || weft_placement_of(s->t, at - 1)->unreduced ||
        bytes_at(s, at - 1, from->type) > bytes_at(s, declared, from->type))
        return declared;
    return at - 1;
}

/* The place of an array that takes an update where the update is. */
static weft_status place_of_updated(weft_inserter *s, const weft_op *op, weft_placement_id *out) {
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
    weft_chooser_set_trust(s->chooser, s->trust);
    return st;
}

/* Where the turns of a loop leave the arrays that they write into, as scans do: noted at the end of its body. */
static weft_status note_left(weft_inserter *s, const weft_op *loop, const weft_op *end,
                             const weft_placement_id *carried) {
    for (uint32_t i = 0; i < end->operand_count; i++) {
        const weft_op *update = weft_inserter_root(end->operands[i])->def;
        weft_placement_id *left = &s->left[loop->results[i].id], at = carried[i];
        *left = 0;
        if (!update || update->kind != WEFT_OP_dynamic_update_slice ||
            weft_inserter_root(update->operands[0]) != end->parent->args[i])
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
static weft_status insert_control(weft_inserter *s, weft_builder *b, const weft_op *op, weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_placement_id whole[1] = { WEFT_REPLICATED };
    if (!operands) return weft_oom();
    bool loop = op->kind == WEFT_OP_while;
    for (uint32_t i = 0; loop && i < op->operand_count; i++)
        operands[i] = declared[i] = carried_in(s, op, i, declared[i]);
    weft_op *copy = NULL;
    weft_status st = emit_fixed(s, b, op, operands, &copy);
    const double outside = s->weight;
    const int64_t trips = loop ? weft_loop_trips(op) : 1;
    weft_loop_frame frame = { .op = op, .turns = trips < 0 ? UNKNOWN_TURNS : (double)weft_max_i64(trips, 1),
                              .outer = s->loop };
    if (loop) s->loop = &frame;
    if (loop) s->weight *= frame.turns;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        st = insert_region(s, &op->regions[r], region_of(copy, r), loop ? declared : NULL,
                           loop && r == 0 ? whole : declared);
    s->weight = outside;
    if (loop) s->loop = frame.outer;
    return st == WEFT_OK ? record_results(s, op, copy, declared) : st;
}

static weft_status insert_end(weft_inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *returned) {
    const weft_op *loop = op->parent->parent->parent;
    const bool turns = loop->kind == WEFT_OP_while && op->parent->parent == &loop->regions[1];
    weft_op *copy = NULL;
    weft_status st = turns && is_judging(s) && s->worth && !s->carried ? note_left(s, loop, op, returned) : WEFT_OK;
    return st == WEFT_OK ? emit_fixed(s, b, op, returned, &copy) : st;
}

/* Manual and named computations: operands and results are where their shardings say. A manual computation's body sees
 * local sizes along the manual axes, and what is there is placed along the other axes only. */
static weft_status insert_computation(weft_inserter *s, weft_builder *b, const weft_op *op) {
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
    if (st == WEFT_OK) st = emit_fixed(s, b, op, operands, &copy);
    s->manual |= manual;
    if (st == WEFT_OK) st = insert_region(s, &op->regions[0], region_of(copy, 0), args, returned);
    s->manual = outside;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_version_add(s, &op->results[i], results[i], result_of(copy, i));
    return st;
}

/* Result i is operand i: both are in one placement, each pair in its own. */
static weft_status insert_through(weft_inserter *s, weft_builder *b, const weft_op *op,
                                  const weft_placement_id *declared) {
    weft_choice_operand *operands = weft_scratch_array(s->cx, weft_choice_operand, op->operand_count);
    weft_placement_id *there = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    if (!operands || !there) return weft_oom();
    weft_op *copy = NULL;
    weft_status st = describe_operands(s, op, operands);
    weft_choice_request r = { .op = op, .operands = operands, .declared = declared };
    if (st == WEFT_OK) st = s->wishes ? find_wishes(s, op, &r) : s->asking ? tell_worth(s, &r) : WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        double cost;
        st = weft_choose_passing(s->chooser, &r, i, &there[i], &cost);
    }
    if (st == WEFT_OK) st = emit(s, b, op, there, &copy);
    return st == WEFT_OK ? record_results(s, op, copy, there) : st;
}

static weft_status insert_collective(weft_inserter *s, weft_builder *b, const weft_op *op,
                                     const weft_placement_id *declared) {
    weft_placement_id *operands = weft_scratch_array(s->cx, weft_placement_id, op->operand_count);
    weft_op *copy = NULL;
    if (!operands) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++)
        st = weft_placement_of_value(s->t, op->operands[i], &operands[i]);
    if (st == WEFT_OK) st = emit_fixed(s, b, op, operands, &copy);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_version_add(s, &op->results[i], declared[i], result_of(copy, i));
    return st;
}

/* The program's own collectives work on parts along axes that no group of theirs crosses. Along the others each device
 * brings its whole value. */
static weft_status insert_grouped(weft_inserter *s, weft_builder *b, const weft_op *op,
                                  const weft_placement_id *declared) {
    weft_atoms crossed;
    const weft_rule *rule = NULL;
    weft_status st = weft_group_atoms(s->t, s->in, op, &crossed);
    if (st == WEFT_OK) st = find_rule(s, op, &rule);
    if (st != WEFT_OK) return st;
    return rule ? insert_by_rule(s, b, op, rule, declared, crossed & ~s->manual) : insert_whole(s, b, op, declared);
}

static weft_status insert_call(weft_inserter *s, weft_builder *b, const weft_op *op) {
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
    weft_op *copy = NULL;
    if (st == WEFT_OK) st = emit_fixed(s, b, op, operands, &copy);
    return st == WEFT_OK ? record_results(s, op, copy, results) : st;
}

static weft_status insert_op(weft_inserter *s, weft_builder *b, const weft_op *op, const weft_placement_id *returned) {
    weft_placement_id *declared = weft_scratch_array(s->cx, weft_placement_id, op->result_count);
    if (!declared) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        st = weft_inserter_declared(s, &op->results[i], &declared[i]);
    }
    if (st != WEFT_OK) return st;
    s->op = op;
    note_fixed(s, op);
    if (weft_op_is_marker(op)) {
        const weft_placed *placed = NULL;
        bool forced = op->kind == WEFT_OP_sdy_reshard || op->kind == WEFT_OP_sdy_sharding_constraint;
        const weft_value *root = weft_inserter_root(op->operands[0]);
        if (forced && s->asking) st = weft_worth_note_fixed(s->worth, op, &root, declared, 1);
        if (forced && st == WEFT_OK) st = materialize(s, b, root, declared[0], op->loc, &placed);
        return st == WEFT_OK && !weft_inserter_passes(op)
                   ? weft_version_add(s, &op->results[0], declared[0], weft_version_read(s, placed))
                   : st;
    }
    if (op->kind == WEFT_OP_sdy_sharding_group) return WEFT_OK;
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_TERMINATOR)) return insert_end(s, b, op, returned);
    if (op->kind == WEFT_OP_sdy_manual_computation || op->kind == WEFT_OP_sdy_named_computation)
        return insert_computation(s, b, op);
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_CONTROL)) return insert_control(s, b, op, declared);
    if (weft_local_of((weft_op_kind)op->kind)->grouped) return insert_grouped(s, b, op, declared);
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_COLLECTIVE)) return insert_collective(s, b, op, declared);
    if (weft_local_of((weft_op_kind)op->kind)->through) return insert_through(s, b, op, declared);
    if (op->kind == WEFT_OP_func_call) return insert_call(s, b, op);
    const weft_rule *rule = NULL;
    st = find_rule(s, op, &rule);
    if (st != WEFT_OK) return st;
    return rule && op->operand_count ? insert_by_rule(s, b, op, rule, declared, 0) : insert_whole(s, b, op, declared);
}

static weft_status insert_block(weft_inserter *s, const weft_block *from, weft_block *to,
                                const weft_placement_id *returned) {
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

static weft_status insert_func(weft_inserter *s, weft_builder *b, const weft_op *f) {
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
    if (st == WEFT_OK) {
        weft_op *copy = is_judging(s) ? NULL : weft_clone_shell(b, f, &s->map, NULL);
        st = copy || is_judging(s) ? insert_region(s, &f->regions[0], region_of(copy, 0), args, results) : b->status;
    }
    weft_arena_reset(&s->cx->scratch, mark);
    return st;
}

static weft_status open_inserter(weft_inserter *s) {
    weft_status st = weft_placements_open(s->in, &s->arena, &s->t);
    if (st == WEFT_OK) st = weft_planner_open(s->t, &s->arena, &s->planner);
    if (st == WEFT_OK) st = weft_chooser_open(s->t, s->planner, s->in, &s->arena, &s->chooser);
    if (st == WEFT_OK) st = weft_rules_open(s->cx, &s->arena, &s->rules);
    if (st == WEFT_OK) st = weft_uses_build(s->in, &s->arena, &s->uses);
    if (st == WEFT_OK) st = weft_symbol_table_open(s->in, &s->arena, &s->functions, NULL);
    if (st == WEFT_OK) st = weft_map_init(&s->map, &s->arena, s->in);
    s->of = weft_arena_array(&s->arena, weft_placed *, s->in->value_count);
    s->fixed_in = weft_arena_array(&s->arena, const weft_op *, s->in->value_count);
    s->declared = weft_arena_array(&s->arena, weft_placement_id, s->in->value_count);
    s->left = weft_arena_array(&s->arena, weft_placement_id, s->in->value_count);
    s->rule_of = weft_arena_array(&s->arena, weft_known_rule, s->in->op_count);
    return st == WEFT_OK && (!s->of || !s->fixed_in || !s->declared || !s->left || !s->rule_of) ? weft_oom() : st;
}

static weft_status copy_module_attrs(weft_inserter *s) {
    weft_status st = WEFT_OK;
    s->out->root->loc = s->in->root->loc;
    for (uint32_t i = 0; st == WEFT_OK && i < s->in->root->attr_count; i++)
        st = weft_op_set_attr(s->out, s->out->root, s->in->root->attrs[i].name, s->in->root->attrs[i].value);
    return st;
}

weft_status weft_inserter_insert(weft_inserter *s) {
    weft_builder b;
    s->total = s->work = 0;
    s->weight = 1;
    s->log_count = 0;
    s->manual = 0;
    s->loop = NULL;
    s->notes = (weft_plan_notes){ .moved = NULL };
    memset(s->of, 0, s->in->value_count * sizeof *s->of);
    weft_builder_init(&b, s->out, s->out ? weft_module_body(s->out) : NULL);
    weft_status st = s->out ? copy_module_attrs(s) : WEFT_OK;
    for (weft_op *op = weft_module_body(s->in)->first; op && st == WEFT_OK; op = op->next) {
        if (op->kind == WEFT_OP_func && weft_op_body(op, 0)) st = insert_func(s, &b, op);
        else if (s->out) st = weft_clone_op(&b, op, &s->map) ? WEFT_OK : b.status;
    }
    add_up_moves(s);
    return st;
}

weft_status weft_pass_insert_reshards(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_inserter s = { .cx = p->cx, .in = in };
    weft_plan_notes notes;
    weft_module *made = NULL;
    double total;
    weft_arena_init(&s.arena, &p->cx->chunks);
    weft_status st = open_inserter(&s);
    if (st == WEFT_OK) st = weft_inserter_plan(&s, &made, &notes, &total);
    if (st == WEFT_OK && weft_warning_wanted(p->cx, WEFT_D_replicate)) st = weft_report_replicated(&s, &notes, total);
    if (st == WEFT_OK && weft_warning_wanted(p->cx, WEFT_D_constraint)) st = weft_report_unfollowed(&s, &notes);
    if (st == WEFT_OK) *out = made;
    else weft_module_free(made);
    weft_arena_free(&s.arena);
    return st;
}
