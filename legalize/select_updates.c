/* select_updates: where an update of a part is kept or discarded, selects within the part instead of the whole value.
 *
 *     select(p, dynamic_update_slice(x, u, i), x)   is   dynamic_update_slice(x, select(q, u, dynamic_slice(x, i)), i)
 *
 * for outside of the part both sides are x; q is p, or its part if p has x's shape. The same with the sides of the
 * select swapped. Pass weft-select-updates. Needs: nothing. Leaves: no such select whose update has no other reader
 * and is smaller than x. A program writes it for each micro-batch of a pipeline (`jnp.where(last,
 * out.at[i].set(y), out)`); the update is then made in x's memory, without a copy of x.
 */
#include "ir/rewrite.h"
#include "legalize/legalize.h"

/* The update that `op` keeps or discards, and that only it reads: operand number *side; NULL: op is no such select. */
static const weft_op *update_of(const weft_uses *uses, const weft_op *op, uint32_t *side) {
    if (op->kind != WEFT_OP_select) return NULL;
    for (*side = 1; *side <= 2; ++*side) {
        const weft_op *update = op->operands[*side]->def;
        if (!update || update->kind != WEFT_OP_dynamic_update_slice || update->parent != op->parent ||
            weft_use_count(uses, &update->results[0]) != 1)
            continue;
        if (update->operands[0] == op->operands[3 - *side] && weft_type_is_static(update->operands[0]->type) &&
            update->operands[1]->type != update->operands[0]->type)
            return update;
    }
    return NULL;
}

/* The part of x in the update's place, of this type. */
static weft_value *part_of(weft_builder *b, const weft_map *map, weft_value *x, const weft_type *type,
                           const weft_op *update) {
    const weft_type *u = update->operands[1]->type;
    weft_value *in[1 + WEFT_MAX_RANK] = { x };
    for (uint32_t d = 0; d < u->rank; d++) in[1 + d] = map->to[update->operands[2 + d]->id];
    const weft_attr_pair sizes = { WEFT_A_slice_sizes, weft_attr_ints(b->m->cx, WEFT_I64, u->dims, u->rank) };
    if (!sizes.value || !type) b->status = weft_oom();
    return b->status == WEFT_OK ? weft_build_1(b, WEFT_OP_dynamic_slice, type, in, 1 + u->rank, &sizes, 1) : NULL;
}

static weft_status choose_part(weft_rewrite *r, weft_builder *b, const weft_op *op, const weft_op *update,
                               uint32_t side) {
    weft_value *p = r->map.to[op->operands[0]->id], *x = r->map.to[update->operands[0]->id], *in[2 + WEFT_MAX_RANK];
    b->loc = update->loc;
    const weft_type *u = update->operands[1]->type;
    weft_value *choice[3] = {
        p->type->rank ? part_of(b, &r->map, p, weft_type_tensor(b->m->cx, p->type->dtype, u->rank, u->dims), update) : p
    };
    choice[side] = r->map.to[update->operands[1]->id];
    choice[3 - side] = part_of(b, &r->map, x, u, update);
    in[0] = x;
    in[1] = b->status == WEFT_OK ? weft_build_1(b, WEFT_OP_select, u, choice, 3, NULL, 0) : NULL;
    for (uint32_t i = 2; i < update->operand_count; i++) in[i] = r->map.to[update->operands[i]->id];
    if (!in[1]) return b->status;
    weft_op *made = weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_dynamic_update_slice, .operands = in,
                                                      .operand_count = update->operand_count,
                                                      .types = &op->results[0].type, .result_count = 1,
                                                      .attrs = op->attrs, .attr_count = op->attr_count });
    if (!made) return b->status;
    made->results[0].hint = op->results[0].hint;
    r->map.to[op->results[0].id] = &made->results[0];
    return WEFT_OK;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    const weft_uses *uses = r->user;
    uint32_t side;
    const weft_op *update = update_of(uses, op, &side);
    if (update) {
        *did = WEFT_DONE;
        return choose_part(r, b, op, update, side);
    }
    if (op->kind != WEFT_OP_dynamic_update_slice || weft_use_count(uses, &op->results[0]) != 1) return WEFT_OK;
    /* made at the select */
    if (update_of(uses, uses->use[uses->start[op->results[0].id]].op, &side) == op) *did = WEFT_DONE;
    return WEFT_OK;
}

typedef struct search { const weft_uses *uses; bool found; } search;

static weft_status look_at(void *user, weft_op *op) {
    search *s = user;
    uint32_t side;
    s->found = s->found || update_of(s->uses, op, &side);
    return WEFT_OK;
}

weft_status weft_pass_select_updates(weft_pass *p, const weft_module *in, weft_module **out) {
    weft_uses uses;
    search s = { .uses = &uses };
    weft_arena arena;
    weft_arena_init(&arena, &p->cx->chunks);
    weft_status st = weft_uses_build(in, &arena, &uses);
    if (st == WEFT_OK) st = weft_module_walk(in, look_at, &s);
    if (st == WEFT_OK && s.found)
        st = weft_rewrite_module(&(weft_rewrite){ .user = &uses, .op = offered }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
