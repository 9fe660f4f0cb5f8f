/* plan_bytes FILE...: the costs of plans. Reads modules whose reshards are sdy's collectives and prints a JSON object
 * for each (null: none): the bytes that a device sends in them by the cost model (weft_move_wire_bytes, as the planner
 * counts) and to write the other ops on local shapes (halos; column `talk` of ir/ops.def's local entries), the steps of
 * counts) and to write the other ops on local shapes (halos; column `talk` of ir/ops.def's local entries), the steps of
 * the loops of these ops that a device does, by their rules of work, and the cost of all that as the chooser weighs it.
 * Loops are counted once.
 *
 * "wrong" lists the ops of the plan without a local program: ops that are split along dimensions that they need
 * replicated, so that devices would compute another result. plans.py compares. */
#include <stdio.h>

#include "mlir/read.h"
#include "partitioner/plan/factor_choice.h"
#include "partitioner/layout/reshape_cut.h"
#include "partitioner/layout/reshard_plan.h"
#include "sharding/data_flow.h"
#include "sharding/projection.h"

typedef struct count {
    weft_context *cx;
    const weft_module *m;
    weft_shardings *t;
    weft_placements *placements;   /* NULL: the module is over several meshes */
    weft_rules *rules;
    weft_uses uses;
    double bytes, talk, steps;     /* talk: bytes too, that no collective stands for yet */
    bool uneven;                   /* some value is cut over more parts than divide it */
    char wrong[1024];              /* JSON strings, a comma after each */
} count;

static const struct { weft_op_kind op; weft_move_kind move; } moves[] = {
    { WEFT_OP_sdy_all_slice, WEFT_MOVE_SLICE }, { WEFT_OP_sdy_all_gather, WEFT_MOVE_GATHER },
    { WEFT_OP_sdy_all_to_all, WEFT_MOVE_ALL_TO_ALL }, { WEFT_OP_sdy_collective_permute, WEFT_MOVE_PERMUTE },
    { WEFT_OP_sdy_all_reduce, WEFT_MOVE_REDUCE }, { WEFT_OP_sdy_reduce_scatter, WEFT_MOVE_REDUCE_SCATTER },
};

static int64_t part_bytes(const weft_sharding *s, const weft_type *type) {
    int64_t dims[WEFT_MAX_RANK], bytes = (int64_t)weft_dtype_bytes(type->dtype);
    weft_sharding_local_dims(s, type->rank, type->dims, dims);
    for (uint32_t d = 0; d < type->rank; d++) bytes *= dims[d];
    return bytes;
}

/* Devices of one group: along the axes that the move adds or takes away. */
static int64_t group_of(weft_move_kind move, const weft_op *op, const weft_sharding *from, const weft_sharding *to) {
    int64_t size = 1;
    const weft_attr *axes = NULL;
    switch (move) {
    case WEFT_MOVE_GATHER: return weft_sharding_shards(from) / weft_sharding_shards(to);
    case WEFT_MOVE_REDUCE_SCATTER: return weft_sharding_shards(to) / weft_sharding_shards(from);
    case WEFT_MOVE_REDUCE: axes = weft_op_attr(op, WEFT_A_reduction_axes); break;
    case WEFT_MOVE_ALL_TO_ALL: axes = weft_op_attr(op, WEFT_A_params); break;
    case WEFT_MOVE_PERMUTE: case WEFT_MOVE_SLICE: return 2;
    }
    weft_axis_refs refs = axes->kind == WEFT_ATTR_A2A_PARAMS ? axes->a2a.v[0].axes : axes->axes;
    for (uint32_t i = 0; i < refs.n; i++) {
        weft_axis a;
        if (weft_axis_from_ref(to->mesh, refs.v[i], &a)) size *= a.size;
    }
    return size;
}

static weft_status count_move(count *c, const weft_op *op, weft_move_kind move) {
    const weft_sharding *from, *to;
    weft_status st = weft_value_sharding_inside(c->cx, c->t, op->operands[0], &from);
    if (st == WEFT_OK) st = weft_value_sharding(c->t, &op->results[0], &to);
    if (st != WEFT_OK) return st;
    if (!from && !(from = weft_sharding_empty(c->t, to->mesh, to->rank, WEFT_CLOSED))) return weft_oom();
    const int64_t group = group_of(move, op, from, to), bytes = part_bytes(from, op->results[0].type);
    c->bytes += weft_move_wire_bytes(move, move == WEFT_MOVE_GATHER ? bytes * group : bytes, group);
    return WEFT_OK;
}

/* --- ops ---------------------------------------------------------------------------------------------------------- */

/* An op and what is around it. */
typedef struct share {
    const weft_op *op;
    const weft_rule *rule;
    const weft_sharding **of;      /* [rule->tensor_count] */
    const weft_mesh *mesh;         /* NULL: nothing is cut */
    weft_projection p;
} share;

/* Of an operand, the value that it is: constraints, reshards and barriers leave it as it is. */
static const weft_value *tensor_of(const weft_op *op, uint32_t i) {
    return i < op->operand_count ? weft_value_root(op->operands[i]) : &op->results[i - op->operand_count];
}

static void complain(count *c, const weft_op *op, const char *why) {
    size_t n = strlen(c->wrong);
    int more = snprintf(c->wrong + n, sizeof c->wrong - n, "\"%s %s\",", op->name->text, why);
    if (more < 0 || n + (size_t)more >= sizeof c->wrong) c->wrong[n] = '\0';
}

static int64_t parts_of(const share *s, uint32_t tensor, uint32_t factor) {
    const weft_cell *cell = weft_cell_of(&s->p, tensor, factor);
    return cell ? weft_axes_size(weft_axes_of(&cell->axes)) : 1;
}

static int64_t factor_parts(const share *s, uint32_t factor) {
    int64_t cut = 1;
    for (uint32_t t = 0; t < s->rule->tensor_count; t++) cut = weft_max_i64(cut, parts_of(s, t, factor));
    return cut;
}

/* The axes along which the members of a group of op differ may not cut what it takes. */
static weft_status check_groups(count *c, const share *s) {
    weft_atoms crossed = 0;
    weft_status st = c->placements ? weft_group_atoms(c->placements, c->m, s->op, &crossed) : WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < s->op->operand_count; i++) {
        weft_placement_id id;
        st = weft_placement_of_value(c->placements, s->op->operands[i], &id);
        if (st != WEFT_OK || !(weft_placement_of(c->placements, id)->used & crossed)) continue;
        complain(c, s->op, "is cut along an axis within its groups, so that they join parts of different places");
        return WEFT_OK;
    }
    return st;
}

static weft_status check(count *c, const share *s) {
    const weft_local *local = weft_local_of((weft_op_kind)s->op->kind);
    const weft_bits allowed = local->factors ? local->factors(s->op, s->rule) : 0;
    for (uint32_t f = 0; f < s->rule->factor_count; f++) {
        bool alike = true, sums = weft_bits_has(s->rule->reduction, f);
        for (uint32_t t = 0; t < s->rule->tensor_count; t++)
            alike =
                alike && (!weft_bits_has(s->rule->tensors[t].factors, f) || parts_of(s, t, f) == factor_parts(s, f));
        if (factor_parts(s, f) == 1) continue;
        if (!alike) complain(c, s->op, "has operands and results that are cut differently");
        else if (!weft_bits_has(allowed, f)) complain(c, s->op, "is cut along what it needs whole");
        else if (sums && s->op->result_count == 1 && (!local->partial || local->partial(s->op) == WEFT_PARTIAL_NONE))
            complain(c, s->op, "leaves parts that no all-reduce combines");
        else continue;
        return WEFT_OK;
    }
    if (s->op->kind == WEFT_OP_reshape && s->of[0] && s->of[1] &&
        !weft_cut_alike(s->of[0], s->op->operands[0]->type, s->of[1], s->op->results[0].type, WEFT_CUT_EXACTLY))
        complain(c, s->op, "has an operand and a result that are cut differently");
    return local->grouped ? check_groups(c, s) : WEFT_OK;
}

static weft_status count_talk(count *c, const share *s) {
    const weft_local *local = weft_local_of((weft_op_kind)s->op->kind);
    const uint32_t n = s->op->operand_count;
    weft_placement_id *ids = weft_scratch_array(c->cx, weft_placement_id, n + s->op->result_count);
    weft_status st = ids ? WEFT_OK : weft_oom();
    if (!local->talk || !c->placements) return st;
    for (uint32_t i = 0; st == WEFT_OK && i < n + s->op->result_count; i++)
        st = weft_placement_of_value(c->placements, i < n ? s->op->operands[i] : &s->op->results[i - n], &ids[i]);
    if (st != WEFT_OK) return st;
    const double sent = local->talk(c->placements, s->op, ids);
    if (sent < 0) complain(c, s->op, "has parts that do not begin where its windows do");
    else c->talk += sent;
    return WEFT_OK;
}

/* Of what nobody knows each device has to do all. */
static weft_status check_unknown(count *c, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count + op->result_count; i++) {
        const weft_sharding *s = NULL;
        if (weft_type_is_tensor(tensor_of(op, i)->type))
            st = weft_value_sharding_inside(c->cx, c->t, tensor_of(op, i), &s);
        if (st != WEFT_OK || !s || !weft_sharding_cuts(s)) continue;
        complain(c, op, "is cut, and has no rule that says what its parts are");
        return WEFT_OK;
    }
    return st;
}

/* The work of op, if it is shared by this rule. */
static weft_status count_by_rule(count *c, const weft_op *op, const weft_rule *rule) {
    share s = { .op = op, .rule = rule, .of = weft_scratch_array(c->cx, const weft_sharding *, rule->tensor_count) };
    weft_status st = s.of ? WEFT_OK : weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < s.rule->tensor_count; i++) {
        if (!weft_type_is_tensor(tensor_of(op, i)->type)) return WEFT_OK;
        st = weft_value_sharding_inside(c->cx, c->t, tensor_of(op, i), &s.of[i]);
        if (st == WEFT_OK && s.of[i] && weft_sharding_cuts(s.of[i])) s.mesh = s.of[i]->mesh;
    }
    if (st == WEFT_OK && s.mesh) st = weft_project(c->cx, &c->cx->scratch, s.rule, s.mesh, s.of, WEFT_CLOSED, &s.p);
    if (st != WEFT_OK) return st;
    const weft_local *local = weft_local_of((weft_op_kind)op->kind);
    const weft_bits places = local->places ? local->places(op, s.rule) : 0;
    double steps = 1;
    for (uint32_t f = 0; f < s.rule->factor_count; f++)
        if (!weft_bits_has(places, f))
            steps *= (double)weft_ceil_div(s.rule->sizes[f], s.mesh ? factor_parts(&s, f) : 1);
    c->steps += steps;
    st = s.mesh ? check(c, &s) : WEFT_OK;
    return st == WEFT_OK && s.mesh ? count_talk(c, &s) : st;
}

static weft_status count_work(count *c, const weft_op *op) {
    const weft_rule *rule;
    weft_status st = weft_rule_of(c->rules, op, WEFT_RULE_WORK, &c->uses, &rule);
    if (st == WEFT_OK && !rule && op->kind == WEFT_OP_custom_call) return check_unknown(c, op);
    if (st != WEFT_OK || !rule || !op->operand_count) return st;
    const size_t complaints = strlen(c->wrong);
    const double steps = c->steps, talk = c->talk;
    do { /* the first of its rules that the plan follows */
        c->wrong[complaints] = '\0';
        c->steps = steps;
        c->talk = talk;
        st = count_by_rule(c, op, rule);
    } while (st == WEFT_OK && c->wrong[complaints] && (rule = rule->other));
    return st;
}

static weft_status note_parts(count *c, const weft_value *v) {
    const weft_sharding *s;
    weft_status st = weft_type_is_tensor(v->type) ? weft_value_sharding_inside(c->cx, c->t, v, &s) : WEFT_OK;
    if (st == WEFT_OK && weft_type_is_tensor(v->type)) c->uneven |= !weft_sharding_divides(s, v->type->dims);
    return st;
}

static weft_status count_op(void *user, weft_op *op) {
    count *c = user;
    for (uint32_t i = 0; i < op->result_count; i++) {
        weft_status st = note_parts(c, &op->results[i]);
        if (st != WEFT_OK) return st;
    }
    for (uint32_t i = 0; op->kind == WEFT_OP_func && weft_op_body(op, 0) && i < weft_op_body(op, 0)->arg_count; i++) {
        weft_status st = note_parts(c, weft_op_body(op, 0)->args[i]);
        if (st != WEFT_OK) return st;
    }
    for (size_t i = 0; i < WEFT_COUNT(moves); i++)
        if (moves[i].op == op->kind) return count_move(c, op, moves[i].move);
    if (op->kind == WEFT_OP_sdy_reshard || weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR))
        return WEFT_OK;
    if (weft_flow_of(op) != WEFT_FLOWS_NOT || op->kind == WEFT_OP_func) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&c->cx->scratch);
    weft_status st = count_work(c, op);
    weft_arena_reset(&c->cx->scratch, mark);
    return st;
}

static weft_status count_file(weft_context *cx, weft_arena *arena, const char *path) {
    count c = { .cx = cx };
    weft_module *m = NULL;
    weft_status st = weft_read_file(cx, path, WEFT_READ_ALLOW_UNREGISTERED, &m);
    c.m = m;
    if (st == WEFT_OK) st = weft_shardings_open(cx, m, arena, &c.t);
    if (st == WEFT_OK) st = weft_rules_open(cx, arena, &c.rules);
    if (st == WEFT_OK) st = weft_uses_build(m, arena, &c.uses);
    if (st == WEFT_OK && weft_placements_open(m, arena, &c.placements) != WEFT_OK) c.placements = NULL;
    if (st == WEFT_OK) st = weft_module_walk(m, count_op, &c);
    const double bytes = c.bytes + c.talk;
    const weft_costs *prices = &weft_machine_default.costs;
    const double cost = bytes + weft_price_as_bytes(prices, weft_price_steps(prices, c.steps));
    if (*c.wrong) c.wrong[strlen(c.wrong) - 1] = '\0';
    if (st == WEFT_OK)
        printf("{\"bytes\": %.0f, \"halos\": %.0f, \"steps\": %.0f, \"cost\": %.3f, \"uneven\": %s, \"wrong\": [%s]}\n",
               bytes, c.talk, c.steps, cost, c.uneven ? "true" : "false", c.wrong);
    else printf("null\n");
    weft_module_free(m);
    return st;
}

int main(int argc, char **argv) {
    weft_status worst = WEFT_OK;
    for (int i = 1; i < argc; i++) {
        weft_context *cx = weft_context_new(NULL);
        if (!cx) return 2;
        weft_arena arena;
        weft_arena_init(&arena, &cx->chunks);
        weft_status st = count_file(cx, &arena, argv[i]);
        for (size_t k = 0; k < weft_context_diag_count(cx); k++)
            fprintf(stderr, "%s: %s\n", argv[i], weft_context_diag(cx, k)->message);
        weft_arena_free(&arena);
        weft_context_free(cx);
        if (st != WEFT_OK) worst = st;
    }
    return worst != WEFT_OK;
}
