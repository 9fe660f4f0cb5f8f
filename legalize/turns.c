/* turns: loops over elements for weft-expand-bodies. */
#include "legalize/bodies.h"

static weft_block *open_block(weft_builder *b, const lg_turns *t, weft_region *region, const weft_type *const *types) {
    weft_block *blk = weft_build_block(b, region);
    for (uint32_t i = 0; blk && i <= t->n; i++) {
        weft_value *v = weft_build_block_arg(b, blk, types[i], b->loc);
        if (!v) return NULL;
        t->carried[i] = v;
    }
    return blk;
}

static void end_block(weft_builder *b, weft_value *const *v, uint32_t n) {
    if (b->status == WEFT_OK)
        weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = v, .operand_count = n });
}

/* carried[0] is the iteration's number here; t->turn gets the values after it. */
static weft_status regions(lg_turns *t, weft_builder *outer, weft_op *loop, const weft_type *const *types) {
    for (uint32_t w = 0; w < 2; w++) {
        weft_builder b;
        weft_block *blk = open_block(outer, t, &loop->regions[w], types);
        if (!blk) return outer->status;
        weft_builder_init(&b, outer->m, blk);
        b.loc = outer->loc;
        weft_value *i = t->carried[0];
        if (w == 0) {
            weft_value *more = lg_lt(&b, i, lg_const(&b, i, (double)t->count));
            end_block(&b, &more, 1);
        } else {
            lg_turns inner = *t;
            inner.carried = t->carried + 1;
            weft_status st = t->turn(&inner, &b, i);
            if (st != WEFT_OK) return st;
            t->carried[0] = lg_add_c(&b, i, 1);
            end_block(&b, t->carried, t->n + 1);
        }
        if (b.status != WEFT_OK) return b.status;
    }
    return WEFT_OK;
}

weft_status lg_turn(lg_turns *t, weft_builder *b) {
    if (!t->count || b->status != WEFT_OK) return b->status;
    weft_context *cx = b->m->cx;
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    lg_turns all = *t;
    all.carried = weft_scratch_array(cx, weft_value *, t->n + 1);
    const weft_type **types = weft_scratch_array(cx, const weft_type *, t->n + 1),
                    *counter = weft_type_tensor(cx, WEFT_I64, 0, NULL);
    weft_status st = all.carried && types && counter ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) {
        all.carried[0] = weft_build_splat(b, counter, 0);
        memcpy(all.carried + 1, t->carried, t->n * sizeof *t->carried);
        st = b->status;
    }
    for (uint32_t i = 0; st == WEFT_OK && i <= t->n; i++) types[i] = all.carried[i]->type;
    weft_op *loop = st != WEFT_OK ? NULL
                                  : weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_while, .operands = all.carried,
                                                                      .operand_count = t->n + 1, .types = types,
                                                                      .result_count = t->n + 1, .region_count = 2 });
    if (st == WEFT_OK) st = loop ? regions(&all, b, loop, types) : b->status;
    for (uint32_t i = 0; st == WEFT_OK && i < t->n; i++) t->carried[i] = &loop->results[1 + i];
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

weft_status lg_apply(weft_rewrite *r, weft_builder *b, const weft_block *body, weft_value *const *args,
                     weft_value **out) {
    weft_status st = b->status;
    for (uint32_t i = 0; i < body->arg_count && st == WEFT_OK; i++) {
        if (!args[i]) return weft_oom();
        r->map.to[body->args[i]->id] = lg_convert(b, args[i], body->args[i]->type->dtype);
        st = b->status;
    }
    for (const weft_op *op = body->first; op != body->last && st == WEFT_OK; op = op->next) st = lg_offer(r, b, op);
    for (uint32_t i = 0; i < body->last->operand_count && st == WEFT_OK; i++)
        out[i] = r->map.to[body->last->operands[i]->id];
    return st;
}

static const weft_type *list_of(weft_builder *b, const weft_type *t, int64_t n) {
    return weft_type_with_dims(b->m->cx, t, 1, &n);
}

weft_value *lg_flat(weft_builder *b, weft_value *x) {
    return x ? weft_build_1(b, WEFT_OP_reshape, list_of(b, x->type, weft_type_elems(x->type)), &x, 1, NULL, 0) : NULL;
}

weft_value *lg_shaped(weft_builder *b, weft_value *list, const weft_type *t) {
    weft_value *v = list ? lg_convert(b, list, t->dtype) : NULL;
    return v ? weft_build_1(b, WEFT_OP_reshape, t, &v, 1, NULL, 0) : NULL;
}

weft_value *lg_spread(weft_builder *b, weft_value *element, int64_t n) {
    const weft_attr_pair dims = { WEFT_A_broadcast_dimensions, weft_attr_ints(b->m->cx, WEFT_I64, NULL, 0) };
    return element ? weft_build_1(b, WEFT_OP_broadcast_in_dim, list_of(b, element->type, n), &element, 1, &dims, 1)
                   : NULL;
}

weft_value *lg_element(weft_builder *b, weft_value *list, weft_value *i) {
    static const int64_t one = 1;
    if (!list) return NULL;
    weft_value *in[2] = { list, i };
    const weft_attr_pair sizes = { WEFT_A_slice_sizes, weft_attr_ints(b->m->cx, WEFT_I64, &one, 1) };
    weft_value *slice = weft_build_1(b, WEFT_OP_dynamic_slice, list_of(b, list->type, 1), in, 2, &sizes, 1);
    return slice ? weft_build_1(b, WEFT_OP_reshape, weft_type_with_dims(b->m->cx, list->type, 0, NULL), &slice, 1, NULL,
                                0)
                 : NULL;
}

weft_value *lg_with_element(weft_builder *b, weft_value *list, weft_value *i, weft_value *v) {
    if (!list || !v) return NULL;
    weft_value *same = lg_convert(b, v, list->type->dtype);
    weft_value *slice = same ? weft_build_1(b, WEFT_OP_reshape, list_of(b, list->type, 1), &same, 1, NULL, 0) : NULL,
               *in[3] = { list, slice, i };
    return weft_build_1(b, WEFT_OP_dynamic_update_slice, list->type, in, 3, NULL, 0);
}

void lg_row_major(uint32_t rank, const int64_t *dims, int64_t *steps) {
    int64_t step = 1;
    for (uint32_t d = rank; d-- > 0; step *= dims[d]) steps[d] = step;
}

void lg_digits(weft_builder *b, weft_value *i, uint32_t rank, const int64_t *sizes, weft_value **digits) {
    weft_value *rest = i;
    for (uint32_t d = rank; d-- > 0;) {
        weft_value *size = lg_const(b, i, (double)sizes[d]);
        digits[d] = sizes[d] == 1 ? lg_const(b, i, 0) : d ? lg_binary(b, WEFT_OP_remainder, rest, size) : rest;
        if (d && sizes[d] != 1) rest = lg_div(b, rest, size);
    }
}
