/* custom_ragged.c: ragged_all_to_all as two collectives: each device tells the others where their rows go, and then
 * sends these rows alone.
 *
 * The operands are legalize/ragged_all_to_all.c's: rows, output, input_offsets, send_sizes, output_offsets, recv_sizes.
 * What a receiver does not know is where its rows go, which the sender's output_offsets say: one i64 for each update.
 */
#include "codegen/custom_call.h"
#include "codegen/gen_collective.h"

/* Element e of the result is what device e / k has for this one. */
static cg_node *told(cg_custom *c, const cg_coll *like, cg_node *x) {
    cg_graph *g = c->im->g;
    const weft_type *type = x ? weft_type_tensor(g->cx, WEFT_I64, 1, x->dims) : NULL;
    cg_coll *coll = weft_arena_new(&g->arena, cg_coll);
    cg_node *out = NULL;
    if (!type || !coll) return NULL;
    *coll = *like;
    return cg_coll_step(c->im, coll, &x, 1, &type, &out) == WEFT_OK ? out : NULL;
}

weft_status cg_custom_ragged(cg_custom *c) {
    cg_graph *g = c->im->g;
    cg_coll *coll = NULL;
    cg_node *in[1 + CG_RAGGED_TABLES] = { c->in[0], c->in[1] }, *out = NULL;
    if (!weft_op_attr(c->op, WEFT_A_replica_groups))
        return cg_custom_bad(c, "the groups of its devices: pass weft-expand-ops reads them");
    weft_status st = cg_coll_begin(c->im, c->op, WEFT_PLAN_ALL_TO_ALL, &coll);
    if (st != WEFT_OK) return st;
    for (uint32_t i = 2; i < c->op->operand_count; i++)
        if (!(in[i] = cg_convert(g, c->in[i], WEFT_I64))) return g->status != WEFT_OK ? g->status : weft_oom();
    for (int64_t i = 0; !coll->axes && i < coll->groups.count * coll->groups.size; i++)
        if (coll->groups.ids[i] < 0) return cg_custom_bad(c, "groups of as many devices each");
    if (in[2]->elems % coll->group_size) return cg_custom_bad(c, "as many updates for each device of its groups");
    if (!cg_coll_alone(c->im, coll) && !(in[4] = told(c, coll, in[4])))
        return g->status != WEFT_OK ? g->status : weft_oom();
    coll->tables = CG_RAGGED_TABLES;
    st = cg_coll_step(c->im, coll, in, WEFT_COUNT(in), c->types, &out);
    return st == WEFT_OK ? cg_set(c->im, c->op, 0, out) : st;
}
