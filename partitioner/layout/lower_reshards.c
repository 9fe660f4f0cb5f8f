/* lower_reshards: each sdy.reshard becomes the cheapest chain of collectives.
 *
 * Pass weft-lower-reshards. Needs: operands agree with their op's sharing of work (insert_reshards). Leaves: no
 * sdy.reshard; sdy.all_slice, all_gather, all_to_all, collective_permute, all_reduce and reduce_scatter in its place,
 * on global shapes, each with the reshard's location. A reshard from an unreduced value reduces, scattering where it
 * can. The chain is found by search (reshard_plan.h), or is the one that Shardy takes (collective_steps.h), whichever
 * costs less.
 */
#include "cost/environment.h"
#include "partitioner/layout/collective_steps.h"
#include "partitioner/partition.h"
#include "partitioner/layout/reshard_plan.h"
#include "ir/check.h"
#include "ir/rewrite.h"

typedef struct lowering {
    weft_context *cx;
    weft_placements *t;
    weft_planner *planner;
    weft_shardings *shardings;
} lowering;

/* Axes that dimension d of `more` has after those of `less`, as an entry of a list per dimension. */
static weft_axis_refs difference(lowering *z, const weft_placement *less, const weft_placement *more, uint32_t d,
                                 weft_axis_ref *room) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n = weft_placement_dim_tail(less, more, d, atoms);
    return (weft_axis_refs){ room, weft_atoms_to_refs(z->t, atoms, n, room) };
}

static const weft_attr *per_dim(lowering *z, const weft_placement *less, const weft_placement *more, uint32_t rank) {
    weft_axis_refs dims[WEFT_MAX_RANK];
    weft_axis_ref room[WEFT_MAX_ATOMS];
    uint32_t used = 0;
    for (uint32_t d = 0; d < rank; d++) {
        dims[d] = difference(z, less, more, d, room + used);
        used += dims[d].n;
    }
    weft_attr a = { .kind = WEFT_ATTR_AXES_PER_DIM, .axes_per_dim = { dims, rank } };
    return weft_attr_copy(z->cx, &a);
}

static weft_status build_move(lowering *z, weft_builder *b, const weft_move *m, weft_placement_id from, weft_value *x,
                              weft_value **out) {
    const weft_placement *before = weft_placement_of(z->t, from), *after = weft_placement_of(z->t, m->after);
    uint32_t rank = x->type->rank;
    weft_axis_ref room[WEFT_MAX_ATOMS];
    weft_attr_pair attrs[2] = { { WEFT_A_COUNT, NULL },
                                { WEFT_A_out_sharding, weft_placement_to_attr(z->t, m->after, rank) } };
    weft_op_kind kind = WEFT_OP_sdy_collective_permute;
    switch (m->kind) {
    case WEFT_MOVE_SLICE:
        kind = WEFT_OP_sdy_all_slice;
        attrs[0] = (weft_attr_pair){ WEFT_A_slicing_axes, per_dim(z, before, after, rank) };
        break;
    case WEFT_MOVE_GATHER:
        kind = WEFT_OP_sdy_all_gather;
        attrs[0] = (weft_attr_pair){ WEFT_A_gathering_axes, per_dim(z, after, before, rank) };
        break;
    case WEFT_MOVE_REDUCE_SCATTER:
        kind = WEFT_OP_sdy_reduce_scatter;
        attrs[0] = (weft_attr_pair){ WEFT_A_reduce_scatter_axes, per_dim(z, before, after, rank) };
        break;
    case WEFT_MOVE_REDUCE: {
        weft_attr axes = { .kind = WEFT_ATTR_AXES,
                           .axes = { room, weft_atom_set_to_refs(z->t, before->unreduced & ~after->unreduced, room) } };
        kind = WEFT_OP_sdy_all_reduce;
        attrs[0] = (weft_attr_pair){ WEFT_A_reduction_axes, weft_attr_copy(z->cx, &axes) };
        break;
    }
    case WEFT_MOVE_ALL_TO_ALL: {
        weft_a2a_param param = { difference(z, after, before, m->dim, room), m->dim, m->to_dim };
        weft_attr a = { .kind = WEFT_ATTR_A2A_PARAMS, .a2a = { &param, 1 } };
        kind = WEFT_OP_sdy_all_to_all;
        attrs[0] = (weft_attr_pair){ WEFT_A_params, weft_attr_copy(z->cx, &a) };
        break;
    }
    case WEFT_MOVE_PERMUTE: break;
    }
    uint32_t first = kind == WEFT_OP_sdy_collective_permute;
    if (!attrs[1].value || (!first && !attrs[0].value)) return weft_oom();
    *out = weft_build_1(b, kind, x->type, &x, 1, attrs + first, 2 - first);
    return b->status;
}

static weft_status sharding_of(lowering *z, weft_placement_id id, const weft_op *op, const weft_sharding **out) {
    const weft_attr *a = weft_placement_to_attr(z->t, id, op->results[0].type->rank);
    return a ? weft_sharding_from_attr(z->shardings, a, op->loc, out) : weft_oom();
}

/* The steps of collective_steps.h in place of the plan, where they are cheaper: they may cut axes where nothing in the
 * module does. */
static weft_status try_steps(lowering *z, weft_builder *b, const weft_op *op, weft_placement_id from,
                             weft_placement_id to, const weft_reshard_plan *plan, weft_value **x, bool *did) {
    const weft_sharding *s, *goal;
    const weft_costs *costs = weft_planner_costs(z->planner);
    weft_steps_price steps;
    double price = weft_price_sent(costs, plan->wire_bytes);
    *did = false;
    if (weft_placement_of(z->t, from)->unreduced || !plan->wire_bytes) return WEFT_OK;
    for (uint32_t i = 0; i < plan->n; i++) price += weft_move_price_call(costs, plan->moves[i].kind);
    weft_status st = sharding_of(z, from, op, &s);
    if (st == WEFT_OK) st = sharding_of(z, to, op, &goal);
    if (st == WEFT_OK) st = weft_price_collectives(z->cx, z->shardings, s, goal, op->results[0].type, costs, &steps);
    if (st != WEFT_OK || !steps.even || steps.price >= price || !weft_placements_may_cut(z->t, &steps.along)) return st;
    *did = true;
    return weft_insert_collectives(z->shardings, b, s, goal, x);
}

/* Moves are planned along one order of the devices: what lies in another is not where the plan takes it to be. */
static bool orders_differ(const lowering *z, weft_placement_id from, weft_placement_id to) {
    const weft_placement *a = weft_placement_of(z->t, from), *b = weft_placement_of(z->t, to);
    return a->order != b->order && (a->n || a->unreduced || b->n || b->unreduced);
}

/* A value that is whole on one mesh is whole on every mesh of the same devices, and its placement says nothing of the
 * mesh. The collectives of the plan need an operand over the plan's mesh: where the program gives another one, a
 * permute of whole values changes it. What *x says itself counts: a reshard that moves nothing is left out, so *x may
 * be on an earlier mesh than the reshard's operand was. weft-one-mesh, which runs earlier in weft-export, leaves no
 * such operand. */
static weft_status change_mesh(lowering *z, weft_builder *b, weft_placement_id from, weft_value **x) {
    const weft_mesh *mesh = weft_placements_mesh(z->t);
    const weft_attr *written;
    const weft_sharding *s;
    if (from != WEFT_REPLICATED || !mesh) return WEFT_OK;
    weft_status st = weft_written_sharding(&(weft_checker){ .cx = z->cx }, *x, &written);
    if (st != WEFT_OK || !written) return st;
    st = weft_sharding_from_attr(z->shardings, written, b->loc, &s);
    if (st != WEFT_OK || weft_mesh_same_order(s->mesh, mesh)) return st;
    const weft_attr_pair out = { WEFT_A_out_sharding,
                                 weft_placement_to_attr(z->t, WEFT_REPLICATED, (*x)->type->rank) };
    if (!out.value) return weft_oom();
    *x = weft_build_1(b, WEFT_OP_sdy_collective_permute, (*x)->type, x, 1, &out, 1);
    return b->status;
}

static weft_status lower_reshard(lowering *z, weft_map *map, weft_builder *b, const weft_op *op) {
    weft_placement_id from, to;
    const weft_reshard_plan *plan = NULL;
    const weft_value *operand = op->operands[0];
    weft_value *x = map->to[operand->id];
    weft_status st = weft_placement_of_value(z->t, operand, &from);
    if (st == WEFT_OK) st = weft_placement_of_value(z->t, &op->results[0], &to);
    if (st == WEFT_OK) st = weft_reshard_plan_find(z->planner, from, to, operand->type, &plan);
    if (st != WEFT_OK) return st;
    if (!plan) {
        st = weft_report(z->cx, WEFT_D_unsupported, op->loc, "a reshard of a complete value to a partial sum");
        weft_help(
            z->cx, op->loc,
            "take unreduced={...} from the sharding, or let an op leave it: a product or reduction along a dimension cut by these axes");
        return st;
    }
    if (orders_differ(z, from, to)) {
        st = weft_report(z->cx, WEFT_D_unsupported, op->loc,
                         "a reshard between meshes whose devices are in different orders");
        weft_help(z->cx, op->loc, "run weft-one-mesh first: it writes both by one mesh");
        return st;
    }
    b->loc = op->loc;
    bool done = false;
    if (plan->n) st = change_mesh(z, b, from, &x);
    if (st == WEFT_OK) st = try_steps(z, b, op, from, to, plan, &x, &done);
    for (uint32_t i = 0; !done && i < plan->n && st == WEFT_OK; i++) {
        st = build_move(z, b, &plan->moves[i], from, x, &x);
        from = plan->moves[i].after;
    }
    map->to[op->results[0].id] = x;
    return st;
}

static weft_status lower_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    if (op->kind != WEFT_OP_sdy_reshard) return WEFT_OK;
    *did = WEFT_DONE;
    return lower_reshard(r->user, &r->map, b, op);
}

weft_status weft_pass_lower_reshards(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    lowering z = { .cx = p->cx };
    weft_rewrite r = { .user = &z, .op = lower_op };
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_placements_open(in, &arena, &z.t);
    if (st == WEFT_OK) st = weft_planner_open(z.t, &weft_pass_machine(p)->costs, &arena, &z.planner);
    if (st == WEFT_OK) st = weft_shardings_open(p->cx, in, &arena, &z.shardings);
    if (st == WEFT_OK) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
