/* replicated: warnings of what a plan gathers, or lets every device compute, although an annotation would avoid it.
 *
 * Suspects are the plan's moves after which a device holds more than before, and ops whose work is shared along fewer
 * axes than the mesh has. Many of them are as they should be: a weight that is stored in parts and gathered where it is
 * used is one. So no rule about programs says which to report, but the planner: for each suspect there are a few
 * annotations that could make it go away (the parts along another dimension, where the value is made or in the argument
 * that it comes from; a constraint that asks for less; a loop that carries parts), and with each the whole module is
 * planned again. A suspect is reported when the cheapest of these plans saves at least half of what it costs: a
 * replication at twice the price of its best alternative, all that the alternative changes elsewhere included.
 *
 * Planning again takes time, so first the suspect's op alone (or the readers of a constraint) is priced with the
 * annotation, which leaves next to nothing of well annotated programs; the dearest suspects come first, and so many are
 * judged as that the time stays bounded. Planning again trusts propagation: where that is dearer than the plan by more
 * than all suspects cost together, no annotation that avoids some of them makes up for it, and nothing is planned.
 * Results of functions, what calls and manual computations ask for, and ops without a rule are not suspected: an
 * annotation there is the program. What is gathered because its reader needs a dimension whole, and no annotation
 * avoids it, is told with another flag.
 */
#include <stdio.h>
#include "partitioner/plan/layout_planner.h"

#define MOST_PLANS 8                /* of modules up to MOST_OPS / MOST_PLANS ops; fewer, but two, of larger ones */
#define MOST_OPS 160000
#define AS_DECLARED 1e6             /* a trust that leaves results where they are declared */
#define WHERE_CHEAPEST 0.01

typedef enum suspect_kind { GATHERED, REPEATED } suspect_kind;

typedef struct suspect {
    suspect_kind kind;
    const weft_op *op;
    const weft_value *value;        /* GATHERED */
    weft_placement_id from, to;
    weft_atoms over;                /* gathered, or idle */
    double cost, turns, wire_bytes;
} suspect;

/* An annotation: value lies there. */
typedef struct fix { const weft_value *value; weft_placement_id to; } fix;

typedef struct judge {
    weft_layout_planner *s;
    weft_context *cx;
    weft_placements *t;
    double total;                   /* of the plan that is judged */
    suspect *suspects;
    size_t count;
    uint32_t plans_left;
    fix fixes[8];                   /* of the suspect at hand */
    uint32_t fix_count;
    struct { fix fix; const weft_op *op; weft_atoms idle; } told[MOST_PLANS];
    uint32_t told_count;
} judge;

/* --- suspects ---------------------------------------------------------------------------------------------------- */

/* Whether so many bytes take as long as the call that moves them; less is not worth an annotation. */
static bool is_material(const judge *z, weft_atoms over, double bytes) {
    return bytes >= weft_machine_call_bytes(z->s->machine, weft_atoms_size(z->t, over));
}

/* The bytes that could be sent for a price: what a reader of a warning can compare with. */
static double bytes_of(const judge *z, double price) { return weft_price_as_bytes(&z->s->machine->costs, price); }

static weft_atoms lost_atoms(const judge *z, const weft_moved *m) {
    return weft_placement_of(z->t, m->from)->used & ~weft_placement_of(z->t, m->to)->used;
}

static int64_t bytes_in(const judge *z, weft_placement_id id, const weft_type *type) {
    return weft_placement_local_bytes(z->t, weft_placement_of(z->t, id), type);
}

static void add_moves(judge *z, const weft_layout_plan *plan) {
    for (size_t i = 0; i < plan->moved_count; i++) {
        const weft_moved *m = &plan->moved[i];
        if (m->anew) continue;
        const weft_atoms over = lost_atoms(z, m);
        const int64_t after = bytes_in(z, m->to, m->value->type);
        if (!m->used || !over || after <= bytes_in(z, m->from, m->value->type) || !is_material(z, over, (double)after))
            continue;
        z->suspects[z->count++] = (suspect){ .kind = GATHERED, .op = m->op, .value = m->value, .from = m->from,
                                             .to = m->to, .over = over, .cost = m->cost, .turns = m->turns,
                                             .wire_bytes = m->wire_bytes };
    }
}

/* Of all that the plan costs, what ops do in vain along these axes. Norms and residuals that a tensor parallel program
 * repeats are a few hundredths, far below the machine's idle_share. */
static double share_in_vain(const judge *z, const weft_layout_plan *plan, weft_atoms idle) {
    for (size_t i = 0; i < plan->vain_count; i++)
        if (plan->vain[i].idle == idle) return plan->vain[i].cost / z->total;
    return 0;
}

static void add_repeated(judge *z, const weft_layout_plan *plan) {
    for (size_t i = 0; i < plan->repeated_count; i++) {
        const weft_repeated *r = &plan->repeated[i];
        if (!is_material(z, r->idle, bytes_of(z, r->cost / r->turns)) ||
            share_in_vain(z, plan, r->idle) < z->s->machine->costs.idle_share)
            continue;
        z->suspects[z->count++] =
            (suspect){ .kind = REPEATED, .op = r->op, .over = r->idle, .cost = r->cost, .turns = r->turns };
    }
}

/* The dearest first, equals as they were. */
static void sort_suspects(judge *z) {
    for (size_t i = 1; i < z->count; i++) {
        const suspect x = z->suspects[i];
        size_t k = i;
        for (; k > 0 && z->suspects[k - 1].cost < x.cost; k--) z->suspects[k] = z->suspects[k - 1];
        z->suspects[k] = x;
    }
}

/* --- one op's price ---------------------------------------------------------------------------------------------- */

static bool is_anywhere(const weft_value *v) {
    const weft_op *op = v->def;
    return op && (op->kind == WEFT_OP_iota || weft_value_splat(v) ||
                  (op->kind == WEFT_OP_broadcast_in_dim && op->operands[0]->type->rank == 0));
}

/* The cheapest sharing of op's work with its operands and results where they are declared, operand `which` in `there`.
 * *c's arrays are scratch; *rule is NULL where op has none. */
typedef struct question {
    const weft_op *op;
    uint32_t which;
    weft_placement_id there;
    weft_atoms spare;
    double trust;
} question;

static weft_status ask(judge *z, const question *q, const weft_rule **rule, weft_choice *c) {
    const weft_op *op = q->op;
    *rule = NULL;
    if (!op->operand_count || !weft_local_of((weft_op_kind)op->kind)->factors) return WEFT_OK;
    weft_status st = weft_rule_of(z->s->rules, op, WEFT_RULE_WORK, &z->s->uses, rule);
    if (st != WEFT_OK || !*rule) return st;
    weft_choice_operand *operands = weft_scratch_array(z->cx, weft_choice_operand, op->operand_count);
    weft_placement_id *have = weft_scratch_array(z->cx, weft_placement_id, op->operand_count);
    weft_placement_id *declared = weft_scratch_array(z->cx, weft_placement_id, op->result_count);
    *c = (weft_choice){ .operands = weft_scratch_array(z->cx, weft_placement_id, op->operand_count),
                        .results = weft_scratch_array(z->cx, weft_placement_id, op->result_count) };
    if (!operands || !have || !declared || !c->operands || !c->results) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        const weft_value *v = op->operands[i];
        if (i == q->which) have[i] = q->there;
        else st = weft_plan_declared(z->s, v, &have[i]);
        operands[i] = (weft_choice_operand){
            .value = v, .have = &have[i], .have_count = 1, .free = is_anywhere(weft_plan_root(v))
        };
    }
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++)
        st = weft_plan_declared(z->s, &op->results[i], &declared[i]);
    if (st != WEFT_OK) return st;
    weft_chooser_set_trust(z->s->chooser, q->trust);
    return weft_choose_factors(z->s->chooser,
                               &(weft_choice_request){ .op = op, .rule = *rule, .operands = operands,
                                                       .declared = declared, .spare = q->spare },
                               c);
}

/* --- annotations that may help ----------------------------------------------------------------------------------- */

static weft_status add_fix(judge *z, const weft_value *value, weft_placement_id to) {
    weft_placement_id now;
    weft_status st = weft_plan_declared(z->s, value, &now);
    if (st != WEFT_OK || now == to || z->fix_count == WEFT_COUNT(z->fixes)) return st;
    for (uint32_t i = 0; i < z->fix_count; i++)
        if (z->fixes[i].value == value && z->fixes[i].to == to) return WEFT_OK;
    z->fixes[z->fix_count++] = (fix){ value, to };
    return WEFT_OK;
}

/* What v's op reads so that its result lies in `to` without a move: the largest operand that lies otherwise now, and
 * has all of the atoms `over`, or that could have them for nothing. *next is NULL where there is none. */
static weft_status step_back(judge *z, const weft_value *v, weft_placement_id to, fix *next) {
    const weft_rule *rule;
    weft_choice c;
    next->value = NULL;
    if (!v->def || v->def->result_count != 1 || weft_op_is_marker(v->def)) return WEFT_OK;
    const weft_placement_id was = z->s->changed_to;
    const weft_value *changed = z->s->changed;
    z->s->changed = v;
    z->s->changed_to = to;
    weft_status st = ask(z, &(question){ v->def, UINT32_MAX, 0, 0, AS_DECLARED }, &rule, &c);
    z->s->changed = changed;
    z->s->changed_to = was;
    if (st != WEFT_OK || !rule || c.results[0] != to) return st;
    const weft_atoms wanted = weft_placement_of(z->t, to)->used;
    for (uint32_t i = 0; st == WEFT_OK && i < v->def->operand_count; i++) {
        const weft_value *x = v->def->operands[i];
        weft_placement_id now;
        st = weft_plan_declared(z->s, x, &now);
        if (st != WEFT_OK || now == c.operands[i] || is_anywhere(weft_plan_root(x))) continue;
        if (wanted & ~weft_placement_of(z->t, c.operands[i])->used) continue;
        if (next->value && weft_type_bytes(next->value->type) >= weft_type_bytes(x->type)) continue;
        *next = (fix){ x, c.operands[i] };
    }
    return st;
}

/* value in `to`: said of itself, or of the argument or constraint that it comes from. */
static weft_status add_origins(judge *z, const weft_value *value, weft_placement_id to) {
    fix at = { value, to }, next;
    weft_status st = WEFT_OK;
    for (uint32_t steps = 0; st == WEFT_OK && steps < 64; steps++) {
        st = step_back(z, at.value, at.to, &next);
        if (st != WEFT_OK || !next.value) break;
        at = next;
    }
    if (st == WEFT_OK) st = add_fix(z, at.value, at.to);
    return st == WEFT_OK ? add_fix(z, value, to) : st;
}

/* The atoms over moved after those of dimension d. */
static weft_status carried_to(judge *z, weft_placement_id from, weft_atoms over, uint32_t d, const weft_type *type,
                              weft_placement_id *out, bool *fits) {
    weft_placement l = *weft_placement_of(z->t, from), was = l;
    for (uint32_t i = l.n; i-- > 0;)
        if (weft_bits_has(over, l.at[i].atom)) weft_placement_remove(&l, i, 1);
    for (uint32_t i = 0; i < was.n; i++)
        if (weft_bits_has(over, was.at[i].atom)) weft_placement_append(&l, d, was.at[i].atom);
    *fits = weft_placement_divides(z->t, &l, type);
    return *fits ? weft_placement_intern(z->t, &l, out) : WEFT_OK;
}

/* An op that reads the value whole: parts along another dimension. */
static weft_status fixes_of_reader(judge *z, const suspect *x) {
    const weft_rule *rule;
    weft_choice now, then;
    uint32_t i = 0;
    while (i < x->op->operand_count && weft_plan_root(x->op->operands[i]) != x->value) i++;
    if (i == x->op->operand_count) return WEFT_OK;
    weft_status st = ask(z, &(question){ x->op, i, x->from, 0, WHERE_CHEAPEST }, &rule, &now);
    for (uint32_t d = 0; st == WEFT_OK && rule && d < x->value->type->rank; d++) {
        weft_placement_id there;
        bool fits;
        st = carried_to(z, x->from, x->over, d, x->value->type, &there, &fits);
        if (st != WEFT_OK || !fits || there == x->from) continue;
        st = ask(z, &(question){ x->op, i, there, 0, WHERE_CHEAPEST }, &rule, &then);
        if (st == WEFT_OK && then.cost <= now.cost - 0.5 * x->cost / x->turns) st = add_origins(z, x->value, there);
    }
    return st;
}

/* A constraint that gathers: to leave the value as it is, if its readers are content with that. */
static weft_status fixes_of_constraint(judge *z, const suspect *x) {
    const weft_value *placed = &x->op->results[0];
    const weft_uses *uses = &z->s->uses;
    double more = 0;
    weft_status st = WEFT_OK;
    for (uint32_t u = uses->start[placed->id]; st == WEFT_OK && u < uses->start[placed->id + 1]; u++) {
        const weft_rule *rule;
        weft_choice now, then;
        const weft_use use = uses->use[u];
        st = ask(z, &(question){ use.op, use.operand, x->to, 0, WHERE_CHEAPEST }, &rule, &now);
        if (st == WEFT_OK && rule)
            st = ask(z, &(question){ use.op, use.operand, x->from, 0, WHERE_CHEAPEST }, &rule, &then);
        if (st == WEFT_OK && rule) more += then.cost - now.cost;
    }
    return st == WEFT_OK && more <= 0.5 * x->cost / x->turns ? add_fix(z, placed, x->from) : st;
}

/* A loop or branch that passes the value on whole: to pass on its parts. */
static weft_status fixes_of_flow(judge *z, const suspect *x, const weft_op *flow) {
    if (flow->kind != WEFT_OP_while && !weft_op_kind_has((weft_op_kind)flow->kind, WEFT_TRAIT_CONTROL)) return WEFT_OK;
    for (uint32_t i = 0; i < x->op->operand_count && i < flow->result_count; i++)
        if (weft_plan_root(x->op->operands[i]) == x->value) return add_fix(z, &flow->results[i], x->from);
    return WEFT_OK;
}

/* An op whose work nobody shares along some axes: to cut its largest operand along them, where the op alone gets by at
 * half the price. */
static weft_status fixes_of_repeated(judge *z, const suspect *x) {
    const weft_rule *rule;
    weft_choice now, then;
    uint32_t best = UINT32_MAX;
    weft_status st = ask(z, &(question){ x->op, UINT32_MAX, 0, 0, 1 }, &rule, &now);
    if (st == WEFT_OK && rule) st = ask(z, &(question){ x->op, UINT32_MAX, 0, x->over, 1 }, &rule, &then);
    if (st != WEFT_OK || !rule || then.cost > 0.5 * now.cost) return st;
    for (uint32_t i = 0; i < x->op->operand_count; i++) {
        const weft_value *v = x->op->operands[i];
        if (!(weft_placement_of(z->t, then.operands[i])->used & x->over) || is_anywhere(weft_plan_root(v)))
            continue;
        if (best == UINT32_MAX || weft_type_bytes(v->type) > weft_type_bytes(x->op->operands[best]->type)) best = i;
    }
    return best == UINT32_MAX ? WEFT_OK : add_origins(z, x->op->operands[best], then.operands[best]);
}

static weft_status find_fixes(judge *z, const suspect *x) {
    const weft_op *op = x->op;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_status st;
    z->fix_count = 0;
    if (x->kind == REPEATED) st = fixes_of_repeated(z, x);
    else if (weft_op_is_marker(op)) st = fixes_of_constraint(z, x);
    else if (weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR))
        st = fixes_of_flow(z, x, weft_op_parent(op));
    else if (op->kind == WEFT_OP_while) st = fixes_of_flow(z, x, op);
    else st = fixes_of_reader(z, x);
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}

/* --- words ------------------------------------------------------------------------------------------------------- */

static void put_axes(judge *z, weft_buf *b, weft_atoms over) {
    weft_axis_ref refs[WEFT_MAX_ATOMS];
    const uint32_t n = weft_atom_set_to_refs(z->t, over, refs);
    const weft_mesh *mesh = weft_placements_mesh(z->t);
    for (uint32_t i = 0; i < n; i++) {
        weft_axis a;
        weft_buf_printf(b, "%s\"%s\"", i ? ", " : "", refs[i].name->text);
        if (refs[i].size) weft_buf_printf(b, ":(%lld)%lld", (long long)refs[i].pre_size, (long long)refs[i].size);
        else if (weft_axis_from_ref(mesh, refs[i], &a)) weft_buf_printf(b, "=%lld", (long long)a.size);
    }
}

static void put_suspect(judge *z, weft_buf *b, const suspect *x) {
    weft_buf_printf(b, "'%s' ", x->op->name->text);
    if (x->kind == GATHERED) {
        weft_buf_puts(b, "gathers '");
        weft_type_print(b, x->value->type);
        weft_buf_puts(b, "' over ");
        put_axes(z, b, x->over);
        weft_buf_puts(b, ": each device sends ");
        weft_buf_bytes(b, x->wire_bytes);
        weft_buf_puts(b, " and holds ");
        weft_buf_bytes(b, (double)bytes_in(z, x->to, x->value->type));
        weft_buf_puts(b, " instead of ");
        weft_buf_bytes(b, (double)bytes_in(z, x->from, x->value->type));
    } else {
        weft_buf_puts(b, "is done whole by each device along ");
        put_axes(z, b, x->over);
        weft_buf_puts(b, ": the others' part of the work takes as long as sending ");
        weft_buf_bytes(b, bytes_of(z, x->cost / x->turns));
    }
    if (x->turns > 1) weft_buf_printf(b, ", %.0f times", x->turns);
}

static weft_status put_fix(judge *z, weft_buf *b, const fix *f, double left) {
    const weft_value *v = f->value;
    const weft_op *owner = v->def ? v->def : v->block->parent->parent;
    if (!v->def && owner->kind == WEFT_OP_func) {
        weft_buf_puts(b, "sdy.sharding = #sdy.sharding");
        weft_status st = weft_placement_print(z->t, b, f->to, v->type->rank);
        if (st != WEFT_OK) return st;
        if (v->hint) weft_buf_printf(b, " on argument %%%s", v->hint->text);
        else weft_buf_printf(b, " on argument %u", v->index);
        if (weft_loc_given(v->loc)->kind == WEFT_LOC_NAME)
            weft_buf_printf(b, " (%s)", weft_loc_given(v->loc)->name->text);
    } else {
        const bool marker = v->def && weft_op_is_marker(v->def);
        if (!marker) weft_buf_puts(b, "sdy.sharding_constraint ");
        weft_status st = weft_placement_print(z->t, b, f->to, v->type->rank);
        if (st != WEFT_OK) return st;
        if (marker) weft_buf_puts(b, " here");
        else if (owner->kind == WEFT_OP_while) weft_buf_printf(b, " on operand %u of the loop", v->index);
        else weft_buf_printf(b, " on result %u of '%s'", v->index, owner->name->text);
    }
    weft_buf_puts(b, " avoids it");
    if (left >= 1) {
        weft_buf_puts(b, ", for ");
        weft_buf_bytes(b, left);
    }
    return WEFT_OK;
}

/* saved: of all that x costs. */
static weft_status tell(judge *z, const suspect *x, const fix *f, double saved) {
    weft_buf what, how;
    weft_buf_init(&what, &z->cx->alloc);
    weft_buf_init(&how, &z->cx->alloc);
    put_suspect(z, &what, x);
    weft_status st = put_fix(z, &how, f, bytes_of(z, (x->cost - saved) / x->turns));
    if (st == WEFT_OK && (what.failed || how.failed)) st = weft_oom();
    if (st == WEFT_OK) {
        st = weft_report(z->cx, WEFT_D_replicate, x->op->loc, "%s", what.p);
        weft_note(z->cx, weft_value_loc(f->value), "%s", how.p);
    }
    weft_buf_free(&what);
    weft_buf_free(&how);
    return st;
}

/* --- what is needed whole ---------------------------------------------------------------------------------------- */

/* Whether op, which sends elements to keep its only operand's parts, cannot with those that it has there. */
static bool cannot_send(judge *z, const weft_op *op, weft_placement_id at) {
    const weft_local *l = weft_local_of((weft_op_kind)op->kind);
    const weft_placement_id placed[] = { at, at };
    return l->talk && op->operand_count == 1 && op->result_count == 1 && l->talk(z->t, op, placed) < 0;
}

/* The factors of op's rule that no device can do a part of: those of which it says that each device needs all, where op
 * has no other way. */
static weft_bits factors_never_split(judge *z, const weft_op *op, const weft_rule *rule, weft_placement_id at) {
    if (!rule->replicated || cannot_send(z, op, at)) return rule->replicated;
    return rule->replicated & ~weft_local_of((weft_op_kind)op->kind)->factors(op, rule);
}

/* The dimension of the gathered value that its reader cannot do in parts. False: there is none. */
static weft_status needs_whole(judge *z, const suspect *x, uint32_t *dim, bool *whole) {
    const weft_op *op = x->op;
    const weft_placement *from = weft_placement_of(z->t, x->from);
    const weft_rule *rule = NULL;
    *whole = false;
    if (x->kind != GATHERED || weft_op_is_marker(op) || !weft_local_of((weft_op_kind)op->kind)->factors) return WEFT_OK;
    weft_status st = weft_rule_of(z->s->rules, op, WEFT_RULE_WORK, &z->s->uses, &rule);
    const weft_bits never = st == WEFT_OK && rule ? factors_never_split(z, op, rule, x->from) : 0;
    for (uint32_t k = 0; never && k < op->operand_count; k++) {
        if (weft_plan_root(op->operands[k]) != x->value) continue;
        for (uint32_t i = 0; i < from->n; i++) {
            const weft_rule_dim d = rule->tensors[k].dims[from->at[i].dim];
            weft_bits factors = 0;
            for (uint32_t j = 0; j < d.n; j++) factors |= weft_bit(rule->factors[d.first + j]);
            if (!(x->over & weft_bit(from->at[i].atom)) || !(factors & never)) continue;
            *dim = from->at[i].dim;
            *whole = true;
        }
    }
    return st;
}

/* Gathers that no annotation avoids, but another program may: nobody is to find them in a profile. */
static weft_status tell_whole(judge *z, const suspect *x) {
    uint32_t dim;
    bool whole;
    weft_status st = needs_whole(z, x, &dim, &whole);
    if (st != WEFT_OK || !whole) return st;
    weft_buf what;
    weft_buf_init(&what, &z->cx->alloc);
    put_suspect(z, &what, x);
    weft_buf_printf(&what, ", for it needs dimension %u whole", dim);
    if (what.failed) st = weft_oom();
    if (st == WEFT_OK) {
        st = weft_report(z->cx, WEFT_D_fallback, x->op->loc, "%s", what.p);
        weft_note(
            z->cx, x->op->loc,
            "Weft has no way that sends less to do '%s' in parts along a dimension that it needs whole; shard the operand along another one, or make it smaller first",
            x->op->name->text);
    }
    weft_buf_free(&what);
    return st;
}

/* --- the verdict ------------------------------------------------------------------------------------------------- */

/* What the module costs with the annotation; those of the same plan are asked once. */
static weft_status price_with(judge *z, const fix *f, double *total) {
    weft_layout_plan *with = NULL;
    z->plans_left--;
    z->s->changed = f->value;
    z->s->changed_to = f->to;
    weft_status st = weft_plan_trusting(z->s, &with);
    z->s->changed = NULL;
    if (st == WEFT_OK) *total = with->total;
    weft_plan_give_back(z->s, with);
    return st;
}

/* One warning for an op, one for axes that are idle, and one for what an annotation avoids; f NULL: of the first two.
 */
static bool was_told(const judge *z, const suspect *x, const fix *f) {
    for (uint32_t i = 0; i < z->told_count; i++) {
        if (z->told[i].op == x->op || (f && z->told[i].fix.value == f->value && z->told[i].fix.to == f->to))
            return true;
        if (x->kind == REPEATED && !(x->over & ~z->told[i].idle)) return true;
    }
    return false;
}

static weft_status judge_one(judge *z, const suspect *x) {
    const fix *best = NULL;
    double saved = 0;
    weft_status st = find_fixes(z, x);
    for (uint32_t i = 0; st == WEFT_OK && i < z->fix_count && z->plans_left; i++) {
        double total;
        if (was_told(z, x, &z->fixes[i])) return WEFT_OK;
        st = price_with(z, &z->fixes[i], &total);
        if (st != WEFT_OK || z->total - total < 0.5 * x->cost || (best && z->total - total <= saved)) continue;
        best = &z->fixes[i];
        saved = z->total - total;
    }
    if (st != WEFT_OK || !best) return st;
    z->told[z->told_count].op = x->op;
    z->told[z->told_count].idle = x->kind == REPEATED ? x->over : 0;
    z->told[z->told_count++].fix = *best;
    return tell(z, x, best, saved < x->cost ? saved : x->cost);
}

/* Partial values that somebody declared may leave no plan at all once something else lies elsewhere. */
static weft_status no_partials(void *user, weft_op *op) {
    const weft_layout_planner *s = user;
    weft_placement_id id;
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        st = weft_plan_declared(s, &op->results[i], &id);
        if (st == WEFT_OK && weft_placement_of(s->t, id)->unreduced) return WEFT_ERR_UNSUPPORTED;
    }
    const weft_block *body = op->kind == WEFT_OP_func ? weft_op_body(op, 0) : NULL;
    for (uint32_t i = 0; st == WEFT_OK && body && i < body->arg_count; i++) {
        st = weft_plan_declared(s, body->args[i], &id);
        if (st == WEFT_OK && weft_placement_of(s->t, id)->unreduced) return WEFT_ERR_UNSUPPORTED;
    }
    return st;
}

/* One for an op; `first` keeps that a warning was told as an error. */
static weft_status tell_all_whole(judge *z, weft_status first) {
    const weft_op *last = NULL;
    for (size_t i = 0; i < z->count; i++) {
        if (was_told(z, &z->suspects[i], NULL) || z->suspects[i].op == last) continue;
        last = z->suspects[i].op;
        weft_status st = tell_whole(z, &z->suspects[i]);
        if (st == WEFT_ERR_INVALID) first = st;
        else if (st != WEFT_OK) return st;
    }
    return first;
}

weft_status weft_report_replicated(weft_layout_planner *s, const weft_layout_plan *plan) {
    judge z = { .s = s, .cx = s->cx, .t = s->t, .total = plan->total };
    weft_status st = WEFT_OK, first = WEFT_OK;
    if (!weft_placements_mesh(s->t)) return WEFT_OK;
    z.suspects = weft_arena_array(&s->arena, suspect, plan->moved_count + plan->repeated_count + 1);
    if (!z.suspects) return weft_oom();
    add_moves(&z, plan);
    add_repeated(&z, plan);
    if (z.count) st = weft_module_walk(s->in, no_partials, s);
    if (!z.count || st != WEFT_OK) return st == WEFT_ERR_UNSUPPORTED ? WEFT_OK : st;
    double avoidable = 0;
    for (size_t i = 0; i < z.count; i++) avoidable += z.suspects[i].cost;
    sort_suspects(&z);
    if (s->trusting > plan->total + avoidable) return tell_all_whole(&z, WEFT_OK);
    z.plans_left = (uint32_t)weft_max_i64(2, weft_min_i64(MOST_PLANS, MOST_OPS / (1 + (int64_t)s->in->op_count)));
    for (size_t i = 0; st == WEFT_OK && i < z.count && z.plans_left; i++) {
        if (was_told(&z, &z.suspects[i], NULL)) continue;
        st = judge_one(&z, &z.suspects[i]);
        if (st == WEFT_ERR_INVALID) { /* told as an error: go on, so that all are */
            first = st;
            st = WEFT_OK;
        }
    }
    return st == WEFT_OK ? tell_all_whole(&z, first) : st;
}
