/* reshard_to_collectives: each sdy.reshard becomes collectives, as Shardy chooses them.
 *
 * Pass sdy-reshard-to-collectives. Needs: nothing in particular. Leaves: sdy.all_slice, all_gather, all_to_all and
 * collective_permute in place of every sdy.reshard between meshes of the same axes, on global shapes, with the
 * reshard's location; what is the same before and after is gone, unless keep-redundant-reshards is true. Reshards to
 * and from one device, and between meshes of other axes, stay. A value that is partial along axes where the result is
 * not is finished by an sdy.all_reduce first. The steps: collective_steps.h. Weft's own way compares bytes:
 * lower_reshards.c. Authority: the behaviour of Shardy's pass.
 */
#include "ir/rewrite.h"
#include "partitioner/layout/collective_steps.h"
#include "partitioner/partition.h"
#include "sharding/data_flow.h"

typedef struct lowering {
    weft_context *cx;
    weft_shardings *t;
    bool keep_redundant;
} lowering;

/* Partial sums that the result does not have are added up. */
static weft_status finish(lowering *z, weft_builder *b, const weft_sharding **from, const weft_sharding *to,
                          weft_value **v) {
    weft_axis_list reduce, rest;
    weft_axis_list_difference(&rest, to->unreduced, (*from)->unreduced);
    if (rest.n) return weft_report(z->cx, WEFT_D_unsupported, b->loc, "a reshard of a complete value to a partial sum");
    weft_axis_list_difference(&reduce, (*from)->unreduced, to->unreduced);
    if (!reduce.n) return WEFT_OK;
    weft_attr_pair attrs[3];
    uint32_t n = 2;
    weft_unreduced_by by = (*from)->unreduced.by;
    attrs[0] =
        (weft_attr_pair){ WEFT_A_reduction_axes, weft_axes_to_attr(z->cx, (*from)->mesh, weft_axes_of(&reduce)) };
    *from = weft_sharding_with_unreduced(z->t, weft_sharding_close(z->t, *from), to->unreduced);
    attrs[1] = (weft_attr_pair){ WEFT_A_out_sharding, *from ? weft_sharding_to_attr(z->t, *from) : NULL };
    if (by != WEFT_BY_SUM)
        attrs[n++] =
            (weft_attr_pair){ WEFT_A_reduction_op, weft_attr_enum(z->cx, by == WEFT_BY_MAX ? WEFT_reduction_op_max
                                                                                           : WEFT_reduction_op_min) };
    for (uint32_t i = 0; i < n; i++)
        if (!attrs[i].value) return weft_oom();
    *v = weft_build_1(b, WEFT_OP_sdy_all_reduce, (*v)->type, v, 1, attrs, n);
    return b->status;
}

static weft_status lower_reshard(lowering *z, weft_rewrite *r, weft_builder *b, const weft_op *op,
                                 weft_rewritten *did) {
    const weft_value *input = op->operands[0], *source = input;
    const weft_sharding *from, *to;
    while (source->def && source->def->kind == WEFT_OP_sdy_propagation_barrier) source = source->def->operands[0];
    weft_status st = weft_value_sharding(z->t, &op->results[0], &to);
    if (st == WEFT_OK) st = weft_value_sharding_inside(z->cx, z->t, source, &from);
    if (st != WEFT_OK) return st;
    if (z->keep_redundant && weft_sharding_equivalent(from, to)) return WEFT_OK;
    if (!from && !(from = weft_sharding_empty(z->t, to->mesh, to->rank, WEFT_CLOSED))) return weft_oom();
    if (weft_mesh_is_maximal(from->mesh) || weft_mesh_is_maximal(to->mesh) || from->rank != to->rank) return WEFT_OK;
    if (weft_sharding_is_replicated(from) && weft_sharding_is_replicated(to)) {
        r->map.to[op->results[0].id] = r->map.to[input->id];
        *did = WEFT_DONE;
        return WEFT_OK;
    }
    if (!weft_sharding_cuts(to) && !to->unreduced.n &&
        !(to = weft_sharding_empty(z->t, from->mesh, from->rank, WEFT_CLOSED)))
        return weft_oom();
    if (!weft_mesh_same_axes(from->mesh, to->mesh)) return WEFT_OK;
    weft_value *v = r->map.to[source->id];
    b->loc = op->loc;
    st = finish(z, b, &from, to, &v);
    if (st == WEFT_OK) st = weft_insert_collectives(z->t, b, from, to, &v);
    r->map.to[op->results[0].id] = v;
    *did = WEFT_DONE;
    return st;
}

static weft_status lower_op(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    return op->kind == WEFT_OP_sdy_reshard ? lower_reshard(r->user, r, b, op, did) : WEFT_OK;
}

weft_status weft_pass_reshard_to_collectives(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_arena arena;
    lowering z = { .cx = p->cx, .keep_redundant = weft_pass_flag(p, "keep-redundant-reshards", false) };
    weft_rewrite r = { .user = &z, .op = lower_op };
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_shardings_open(p->cx, in, &arena, &z.t);
    if (st == WEFT_OK) st = weft_rewrite_module(&r, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
