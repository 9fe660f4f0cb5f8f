/* pad_flow.c: ops that hand values on: collectives, loops and branches, computations, what ends a block. */
#include "partitioner/shardy/pad.h"
#include "sharding/data_flow.h"

static int64_t shards_of(const weft_padder *p, const weft_value *v, uint32_t d) {
    const weft_sharding *s = p->of[v->id];
    return s && d < s->rank ? weft_dim_shards(s, d) : 1;
}

/* What is split for more devices is padded before; what is joined from them loses its padding, unless others still
 * share the dimension. */
weft_status weft_pad_move(weft_padder *p, const weft_op *op) {
    const weft_value *x = op->operands[0], *r = &op->results[0];
    int64_t dims[WEFT_MAX_RANK];
    weft_padding with;
    weft_status st = weft_pad_open(p, op, &with);
    if (st != WEFT_OK) return st;
    weft_padded *in = &with.operands[0];
    uint32_t rank = r->type->rank;
    for (uint32_t d = 0; d < rank; d++) dims[d] = weft_round_up(in->v->type->dims[d], shards_of(p, r, d));
    st = weft_pad_resize(p, op, x, dims, in);
    if (st == WEFT_OK && !(with.results[0] = weft_type_with_dims(p->cx, r->type, rank, dims))) st = weft_oom();
    if (st == WEFT_OK) st = weft_pad_close(p, op, &with, NULL);
    if (st != WEFT_OK) return st;
    p->zero[r->id] = in->zero;
    for (uint32_t d = 0; d < rank; d++)
        if (shards_of(p, r, d) == 1 && shards_of(p, x, d) > 1) dims[d] = r->type->dims[d];
    return weft_pad_finish(p, op, 0, dims);
}

/* Each result is its operand. */
weft_status weft_pad_through(weft_padder *p, const weft_op *op) {
    weft_padding with;
    weft_status st = weft_pad_open(p, op, &with);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) {
        const weft_value *x = op->operands[i];
        int64_t dims[WEFT_MAX_RANK];
        if (!weft_type_is_tensor(x->type)) continue;
        for (uint32_t d = 0; d < x->type->rank; d++)
            dims[d] = weft_max_i64(with.operands[i].v->type->dims[d], with.results[i]->dims[d]);
        st = weft_pad_resize(p, op, x, dims, &with.operands[i]);
        with.results[i] = with.operands[i].v ? with.operands[i].v->type : NULL;
    }
    if (st == WEFT_OK) st = weft_pad_close(p, op, &with, NULL);
    for (uint32_t i = 0; st == WEFT_OK && i < op->result_count; i++) p->zero[op->results[i].id] = with.operands[i].zero;
    return st;
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

static const weft_value *target_of(const weft_op *op, uint32_t i) {
    bool computation = weft_flow_of(op) == WEFT_FLOWS_COMPUTATION;
    const weft_block *body = computation ? weft_op_body(op, 0) : NULL;
    return body && i < body->arg_count ? body->args[i] : weft_flow_owner_of_source(op, i);
}

/* The sizes that operand i of op has to have: those of what it becomes. Across the border of a manual computation the
 * parts of the manual axes cannot all be padded at their own ends. */
static weft_status dims_of_source(weft_padder *p, const weft_op *op, uint32_t i, int64_t *dims) {
    const weft_value *target = target_of(op, i);
    const weft_type *type = op->operands[i]->type, *returned = type;
    weft_status st =
        op->kind == WEFT_OP_func_return ? weft_pad_result_type(p, weft_op_parent(op), i, &returned) : WEFT_OK;
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; d < type->rank; d++) {
        dims[d] = returned->dims[d];
        if (!target) continue;
        if (target->type->dims[d] == type->dims[d]) dims[d] = weft_pad_size(p, target, d);
        else if (weft_pad_size(p, target, d) != target->type->dims[d])
            return weft_report(
                p->cx, WEFT_D_unsupported, op->loc,
                "dimension %u of operand %u of %s is split by manual axes, and its parts by axes that do not divide them",
                d, i, op->name->text);
    }
    return WEFT_OK;
}

weft_status weft_pad_sources(weft_padder *p, const weft_op *op) {
    weft_padding with;
    weft_status st = weft_pad_open(p, op, &with);
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        int64_t dims[WEFT_MAX_RANK];
        if (!weft_type_is_tensor(op->operands[i]->type)) continue;
        st = dims_of_source(p, op, i, dims);
        if (st == WEFT_OK) st = weft_pad_resize(p, op, op->operands[i], dims, &with.operands[i]);
    }
    return st == WEFT_OK ? weft_pad_close(p, op, &with, NULL) : st;
}
