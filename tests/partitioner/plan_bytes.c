/* plan_bytes FILE: what a plan costs. Reads a module whose reshards are sdy's collectives and prints one JSON object: the bytes that
 * a device sends in them by the cost model (weft_move_wire_bytes, as the planner counts), and the steps of the loops of all other ops
 * that a device does, by their rules; and the cost of both as the chooser weighs them. Loops are taken once. plans.py compares. */
#include <stdio.h>

#include "mlir/read.h"
#include "partitioner/factor_choice.h"
#include "partitioner/reshard_plan.h"
#include "sharding/data_flow.h"
#include "sharding/projection.h"

typedef struct count {
    weft_context *cx;
    const weft_module *m;
    weft_shardings *t;
    weft_rules *rules;
    weft_uses uses;
    double bytes, steps;
    bool uneven;                   /* some value is cut over more parts than divide it */
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
    int64_t bytes = part_bytes(move == WEFT_MOVE_GATHER ? to : from, op->results[0].type);
    c->bytes += weft_move_wire_bytes(move, bytes, group_of(move, op, from, to));
    return WEFT_OK;
}

static weft_status count_steps(count *c, const weft_op *op) {
    const weft_rule *rule = NULL;
    weft_projection p;
    weft_status st = weft_rule_of(c->rules, op, WEFT_RULE_LIBERAL, &c->uses, &rule);
    if (st != WEFT_OK || !rule || !op->operand_count) return st;
    const weft_sharding **of = weft_scratch_array(c->cx, const weft_sharding *, rule->tensor_count);
    const weft_mesh *mesh = NULL;
    if (!of) return weft_oom();
    for (uint32_t i = 0; st == WEFT_OK && i < rule->tensor_count; i++) {
        const weft_value *v = i < op->operand_count ? op->operands[i] : &op->results[i - op->operand_count];
        if (!weft_type_is_tensor(v->type)) return WEFT_OK;
        st = weft_value_sharding_inside(c->cx, c->t, v, &of[i]);
        if (st == WEFT_OK && of[i] && weft_sharding_cuts(of[i])) mesh = of[i]->mesh;
    }
    double steps = 1;
    for (uint32_t f = 0; f < rule->factor_count; f++) steps *= (double)rule->sizes[f];
    if (st == WEFT_OK && mesh && (st = weft_project(c->cx, &c->cx->scratch, rule, mesh, of, WEFT_CLOSED, &p)) == WEFT_OK)
        for (uint32_t f = 0; f < rule->factor_count; f++) {
            int64_t cut = 1;
            for (uint32_t t = 0; t < rule->tensor_count; t++) {
                const weft_cell *cell = weft_cell_of(&p, t, f);
                if (cell && weft_axes_size(weft_axes_of(&cell->axes)) > cut) cut = weft_axes_size(weft_axes_of(&cell->axes));
            }
            steps /= (double)cut;
        }
    c->steps += steps;
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
    for (size_t i = 0; i < WEFT_COUNT(moves); i++)
        if (moves[i].op == op->kind) return count_move(c, op, moves[i].move);
    if (op->kind == WEFT_OP_sdy_reshard || weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR)) return WEFT_OK;
    if (weft_flow_of(op) != WEFT_FLOWS_NOT || op->kind == WEFT_OP_func) return WEFT_OK;
    weft_mark mark = weft_arena_mark(&c->cx->scratch);
    weft_status st = count_steps(c, op);
    weft_arena_reset(&c->cx->scratch, mark);
    return st;
}

int main(int argc, char **argv) {
    weft_context *cx = argc == 2 ? weft_context_new(NULL) : NULL;
    if (!cx) return 2;
    count c = { .cx = cx };
    weft_module *m = NULL;
    weft_arena arena;
    weft_arena_init(&arena, &cx->chunks);
    weft_status st = weft_read_file(cx, argv[1], WEFT_READ_ALLOW_UNREGISTERED, &m);
    c.m = m;
    if (st == WEFT_OK) st = weft_shardings_open(cx, m, &arena, &c.t);
    if (st == WEFT_OK) st = weft_rules_open(cx, &arena, &c.rules);
    if (st == WEFT_OK) st = weft_uses_build(m, &arena, &c.uses);
    if (st == WEFT_OK) st = weft_module_walk(m, count_op, &c);
    for (size_t k = 0; k < weft_context_diag_count(cx); k++) fprintf(stderr, "%s\n", weft_context_diag(cx, k)->message);
    double cost = c.bytes + WEFT_BYTES_PER_STEP * c.steps;
    if (st == WEFT_OK) printf("{\"bytes\": %.0f, \"steps\": %.0f, \"cost\": %.3f, \"uneven\": %s}\n", c.bytes, c.steps, cost, c.uneven ? "true" : "false");
    weft_arena_free(&arena);
    weft_module_free(m);
    weft_context_free(cx);
    return st != WEFT_OK;
}
