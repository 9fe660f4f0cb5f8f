/* plan_moves.c: see plan_moves.h. */
#include "ir/trips.h"
#include "partitioner/plan/plan_moves.h"

/* --- loops ----------------------------------------------------------------------------------------------------- */

static const weft_op *loop_arg_of(const weft_value *v) {
    const weft_op *owner = v->def ? NULL : v->block->parent->parent;
    return owner && owner->kind == WEFT_OP_while ? owner : NULL;
}

/* Whether v is the same in every turn of the loop. */
static bool is_fixed(const weft_layout_planner *s, const weft_value *v, const weft_op *loop) {
    if (s->fixed_in[v->id] == loop) return true;
    if (loop_arg_of(v) == loop) return weft_loop_unchanged(loop, v->index) != NULL;
    for (const weft_block *blk = weft_value_block(v); blk; blk = blk->parent->parent->parent)
        if (blk->parent->parent == loop) return false;
    return true;
}

/* Turns that one move of v serves: those of the loops around in which v does not change. */
static double turns_served(const weft_layout_planner *s, const weft_value *v) {
    double n = 1;
    for (const weft_loop_frame *f = s->loop; f && is_fixed(s, v, f->op); f = f->outer) {
        n *= f->turns;
        if (loop_arg_of(v) == f->op) v = weft_plan_root(weft_loop_unchanged(f->op, v->index));
    }
    return n;
}

void weft_plan_describe_turns(const weft_layout_planner *s, const weft_value *v, weft_choice_operand *o) {
    o->turns = s->loop ? turns_served(s, v) : 1;
    /* as legalize/invariants.c, which moves what is planned so */
    const int64_t hold = (int64_t)s->machine->costs.hold_bytes;
    o->room = s->loop && s->loop->held ? weft_max_i64(hold, s->loop->largest) - s->loop->held : INT64_MAX;
}

void weft_plan_note_fixed(weft_layout_planner *s, const weft_op *op) {
    bool fixed = s->loop && !op->region_count && weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_PURE);
    for (uint32_t i = 0; fixed && i < op->operand_count; i++) fixed = is_fixed(s, op->operands[i], s->loop->op);
    for (uint32_t i = 0; fixed && i < op->result_count; i++) s->fixed_in[op->results[i].id] = s->loop->op;
}

/* --- moves ----------------------------------------------------------------------------------------------------- */

static int64_t bytes_at(const weft_layout_planner *s, weft_placement_id id, const weft_value *v) {
    return weft_placement_local_bytes(s->t, weft_placement_of(s->t, id), v->type);
}

bool weft_plan_is_free(const weft_layout_planner *s, const weft_value *v) {
    const weft_op *op = v->def;
    if (!op) return false;
    if (op->kind == WEFT_OP_iota) return true;
    if (weft_op_kind_has(op->kind, WEFT_TRAIT_CONSTANT)) {
        const weft_attr *dense = weft_op_attr(op, WEFT_A_value);
        return dense && dense->kind == WEFT_ATTR_DENSE && dense->dense.splat;
    }
    return op->kind == WEFT_OP_broadcast_in_dim && op->operands[0]->type->rank == 0 &&
           weft_version_find(s, weft_plan_root(op->operands[0]), WEFT_REPLICATED);
}

weft_status weft_plan_complete(const weft_layout_planner *s, weft_placement_id id, weft_placement_id *out) {
    weft_placement whole = *weft_placement_of(s->t, id);
    whole.unreduced = 0;
    return weft_placement_intern(s->t, &whole, out);
}

/* Whether a value in `from` is split as `terms` says, and besides at the ends of dimensions along all the axes of its
 * terms: then each device's part is a term, among zeros. */
static bool is_cut_to_terms(const weft_placement *from, const weft_placement *terms, uint32_t rank) {
    uint8_t atoms[WEFT_MAX_ATOMS], less[WEFT_MAX_ATOMS], more[WEFT_MAX_ATOMS];
    weft_atoms given = 0;
    for (uint32_t d = 0; d < rank; d++) {
        const uint32_t n = weft_placement_dim_atoms(terms, d, less), m = weft_placement_dim_atoms(from, d, more);
        if (n > m || memcmp(less, more, n)) return false;
        const uint32_t tail = weft_placement_dim_tail(terms, from, d, atoms);
        for (uint32_t i = 0; i < tail; i++) given |= (weft_atoms)weft_bit(atoms[i]);
    }
    return !from->unreduced && from->order == terms->order && given == terms->unreduced;
}

/* v, which is complete or has other terms, as terms of a sum: of its parts, else of the complete value. */
static weft_status spread_terms(weft_layout_planner *s, const weft_value *v, weft_placement_id id,
                                const weft_loc *loc) {
    const weft_placement *terms = weft_placement_of(s->t, id);
    weft_placement_id from;
    const weft_placed *there = s->of[v->id];
    weft_status st = WEFT_OK;
    while (there && !(is_cut_to_terms(weft_placement_of(s->t, there->id), terms, v->type->rank) &&
                      weft_placement_divides(s->t, weft_placement_of(s->t, there->id), v->type)))
        there = there->next;
    if (there) {
        from = there->id;
        weft_version_read(s, there);
    } else {
        st = weft_plan_complete(s, id, &from);
        if (st == WEFT_OK) st = weft_plan_bring(s, v, from, loc, &there);
    }
    if (st != WEFT_OK) return st;
    const weft_moved move = { .op = s->op, .value = v, .loc = loc, .from = from, .to = id, .terms = true, .turns = 1,
                              .source = there->moved };
    return weft_layout_plan_add_move(s->plan, &move);
}

/* Whether it costs less to bring what v is spread from to where it can be spread anew; *from is that place. */
static weft_status is_nearer(weft_layout_planner *s, const weft_value *v, weft_placement_id id,
                             weft_placement_id *from, bool *nearer) {
    const weft_op *spread = weft_choice_spread(v);
    const weft_reshard_plan *way = NULL, *ways = NULL;
    weft_placed *best, *source;
    weft_placement at;
    *nearer = false;
    if (!spread || !weft_choice_source_at(spread, weft_placement_of(s->t, id), &at)) return WEFT_OK;
    weft_status st = weft_placement_intern(s->t, &at, from);
    if (st == WEFT_OK) st = weft_version_nearest(s, v, id, &best, &way);
    if (st == WEFT_OK) st = weft_version_nearest(s, weft_plan_root(spread->operands[0]), *from, &source, &ways);
    if (st == WEFT_OK) *nearer = source && (!best || ways->price < way->price);
    return st;
}

/* v by a copy of its op, whose operand is in `from`. */
static weft_status make_anew(weft_layout_planner *s, const weft_value *v, weft_placement_id id, weft_placement_id from,
                             const weft_loc *loc) {
    const weft_op *op = v->def;
    if (op->operand_count) {
        const weft_placed *there = NULL;
        weft_status st = weft_plan_bring(s, op->operands[0], from, op->loc, &there);
        if (st != WEFT_OK) return st;
        weft_version_read(s, there);
    }
    const weft_moved made = { .op = s->op, .value = v, .loc = loc, .from = from, .to = id, .anew = true, .turns = 1 };
    return weft_layout_plan_add_move(s->plan, &made);
}

static weft_status move_nearest(weft_layout_planner *s, const weft_value *v, weft_placement_id id,
                                const weft_loc *loc) {
    weft_placed *from;
    const weft_reshard_plan *way = NULL;
    weft_choice_operand o = { .value = v };
    weft_status st = weft_version_nearest(s, v, id, &from, &way);
    if (st != WEFT_OK) return st;
    if (!from && weft_placement_of(s->t, id)->unreduced) return spread_terms(s, v, id, loc);
    if (!from) return weft_report(s->cx, WEFT_D_internal, loc, "a value has no placement to be resharded from");
    weft_plan_describe_turns(s, v, &o);
    const double served = weft_choice_turns(s->t, &o, from->id, id);
    const int64_t after = bytes_at(s, id, v);
    if (served > 1 && after > bytes_at(s, from->id, v)) {
        s->loop->held += after;
        s->loop->largest = weft_max_i64(s->loop->largest, after);
    }
    const weft_moved move = { .op = s->op, .value = v, .loc = loc, .from = from->id, .to = id,
                              .wire_bytes = way->wire_bytes, .turns = s->weight / served,
                              .cost = way->price * s->weight / served, .source = from->moved };
    return weft_layout_plan_add_move(s->plan, &move);
}

weft_status weft_plan_bring(weft_layout_planner *s, const weft_value *v, weft_placement_id id, const weft_loc *loc,
                            const weft_placed **out) {
    v = weft_plan_root(v);
    *out = weft_version_find(s, v, id);
    if (*out) return WEFT_OK;
    bool anew = weft_plan_is_free(s, v) && !weft_placement_of(s->t, id)->unreduced;
    weft_placement_id from = WEFT_REPLICATED;
    weft_status st = anew || !s->how->spreading ? WEFT_OK : is_nearer(s, v, id, &from, &anew);
    if (st == WEFT_OK) st = anew ? make_anew(s, v, id, from, loc) : move_nearest(s, v, id, loc);
    if (st == WEFT_OK) st = weft_version_add_moved(s, v, id, anew ? 0 : s->plan->moved_count);
    *out = s->of[v->id];
    return st;
}
