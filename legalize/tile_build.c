/* tile_build.c: a nest as a loop over its outer axes, whose body computes one range of rows after the other. */
#include "ir/expr.h"
#include "legalize/steps.h"
#include "legalize/tile.h"

typedef struct maker {
    lt_tiler *t;
    lt_nest *nest;
    weft_rewrite *r;
    weft_builder b;              /* of the body, or of what stands in the loop's place */
    weft_value *outer[LT_MOST_OUTER]; /* the first element along each outer axis */
    weft_value *zero;            /* an index */
    weft_value **parts;          /* by input: its part in this iteration */
    weft_value **results;        /* by output: carried */
    weft_value **sums;           /* by output: summed over tiles */
    uint32_t tile;
    bool adds;                   /* whether the output at hand is a sum over rows */
} maker;

/* ---- shapes ---- */

typedef enum extent { OF_ITERATION, OF_TILE } extent;

/* The range of an axis in a tile, and along outer axes from 0. */
static lt_range range_of(const maker *k, uint32_t axis, extent e) {
    const lt_nest *nest = k->nest;
    for (uint32_t o = 0; o < nest->outer_count; o++)
        if (nest->outer[o] == axis) return (lt_range){ 0, nest->each[o] };
    if (e == OF_TILE && axis == nest->rows) return nest->row[k->tile];
    if (e == OF_TILE && axis == nest->columns) return nest->column[k->tile];
    return (lt_range){ 0, nest->axes[axis].size };
}

static const weft_type *type_of(const maker *k, const weft_op *op) {
    const weft_value *v = &op->results[0];
    int64_t dims[WEFT_MAX_RANK];
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const lt_range r = range_of(k, lt_result_axis(k->t, k->nest, v, d), OF_TILE);
        dims[d] = r.to - r.from;
    }
    return weft_type_with_dims(k->b.m->cx, v->type, v->type->rank, dims);
}

/* ---- inputs ---- */

static weft_value *outer_at(const maker *k, uint32_t axis) {
    for (uint32_t o = 0; o < k->nest->outer_count; o++)
        if (k->nest->outer[o] == axis) return k->outer[o];
    return NULL;
}

/* What this iteration has of input i. */
static weft_value *part_of(maker *k, const lt_input *in) {
    weft_context *cx = k->b.m->cx;
    const weft_value *old = in->op->operands[in->operand];
    weft_value *x = k->r->map.to[old->id], *operands[WEFT_MAX_RANK + 1] = { x };
    int64_t dims[WEFT_MAX_RANK];
    bool divided = false;
    for (uint32_t d = 0; d < old->type->rank; d++) {
        const uint32_t axis = lt_operand_axis(k->t, k->nest, in->op, in->operand, d);
        const lt_range r = range_of(k, axis, OF_ITERATION);
        weft_value *at = outer_at(k, axis);
        dims[d] = r.to - r.from;
        operands[1 + d] = at ? at : k->zero;
        divided = divided || at;
    }
    if (!divided) return x;
    const weft_type *type = weft_type_with_dims(cx, old->type, old->type->rank, dims);
    const weft_attr_pair sizes = { WEFT_A_slice_sizes, weft_attr_ints(cx, WEFT_I64, dims, old->type->rank) };
    if (type && sizes.value)
        return weft_build_1(&k->b, WEFT_OP_dynamic_slice, type, operands, 1 + old->type->rank, &sizes, 1);
    k->b.status = weft_oom();
    return NULL;
}

static bool same_input(const maker *k, const lt_input *a, const lt_input *b) {
    const weft_value *v = a->op->operands[a->operand];
    bool same = v == b->op->operands[b->operand];
    for (uint32_t d = 0; d < v->type->rank && same; d++)
        same = lt_operand_axis(k->t, k->nest, a->op, a->operand, d) ==
               lt_operand_axis(k->t, k->nest, b->op, b->operand, d);
    return same;
}

static void take_parts(maker *k) {
    for (uint32_t i = 0; i < k->nest->in_count; i++) {
        const lt_input *in = &k->nest->in[i];
        k->parts[i] = NULL;
        for (uint32_t j = 0; j < i && !k->parts[i]; j++)
            if (same_input(k, in, &k->nest->in[j])) k->parts[i] = k->parts[j];
        k->b.loc = in->op->loc;
        if (!k->parts[i]) k->parts[i] = part_of(k, in);
    }
}

/* Rows and columns of the tile. */
static weft_value *tile_part(maker *k, uint32_t i) {
    const lt_input *in = &k->nest->in[i];
    weft_value *x = k->parts[i];
    int64_t from[WEFT_MAX_RANK], to[WEFT_MAX_RANK], one[WEFT_MAX_RANK];
    bool all = true;
    for (uint32_t d = 0; x && d < x->type->rank; d++) {
        const lt_range r = range_of(k, lt_operand_axis(k->t, k->nest, in->op, in->operand, d), OF_TILE);
        from[d] = r.from, to[d] = r.to, one[d] = 1;
        all = all && r.from == 0 && r.to == x->type->dims[d];
    }
    return all ? x : weft_build_slice(&k->b, x, from, to, one);
}

/* ---- ops ---- */

static weft_value *numbers(maker *k, const weft_op *op, const weft_type *type) {
    weft_builder *b = &k->b;
    const int64_t d = weft_op_int(op, WEFT_A_iota_dimension, 0);
    const uint32_t axis = lt_result_axis(k->t, k->nest, &op->results[0], (uint32_t)d);
    weft_value *x = weft_build_iota(b, type, d), *at = outer_at(k, axis);
    const lt_range r = range_of(k, axis, OF_TILE);
    if (at) return lg_add(b, x, weft_build_broadcast(b, lg_convert(b, at, type->dtype), type, NULL));
    return r.from ? lg_add_c(b, x, (double)r.from) : x;
}

static weft_status compute(maker *k, const weft_op *op, uint32_t *input) {
    weft_builder *b = &k->b;
    weft_value **here = k->t->here, *operands[LT_MOST_OPERANDS];
    const weft_type *type = type_of(k, op);
    if (!type) return weft_oom();
    b->loc = op->loc;
    if (op->kind == WEFT_OP_constant) {
        const weft_attr *a = weft_attr_dense(b->m->cx, type, weft_op_attr(op, WEFT_A_value)->dense.p, true);
        if (!a) return weft_oom();
        here[op->results[0].id] = weft_build_constant(b, a);
        return b->status;
    }
    if (op->kind == WEFT_OP_iota) {
        here[op->results[0].id] = numbers(k, op, type);
        return b->status;
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        operands[i] = lt_makes(k->t, k->nest, op->operands[i]) ? here[op->operands[i]->id] : tile_part(k, (*input)++);
    weft_op *made = b->status == WEFT_OK
                        ? weft_build_op(b, &(weft_op_spec){ .kind = (weft_op_kind)op->kind, .operands = operands,
                                                            .operand_count = op->operand_count, .types = &type,
                                                            .result_count = 1, .attrs = op->attrs,
                                                            .attr_count = op->attr_count,
                                                            .region_count = op->region_count })
                        : NULL;
    if (!made) return b->status;
    here[op->results[0].id] = &made->results[0];
    return weft_rewrite_regions(k->r, op, made);
}

/* ---- outputs ---- */

static bool has_axis(const maker *k, const weft_value *v, int64_t axis) {
    for (uint32_t d = 0; d < v->type->rank; d++)
        if (lt_result_axis(k->t, k->nest, v, d) == axis) return true;
    return false;
}

static void is_rows(void *user, uint32_t axis) {
    maker *k = user;
    k->adds = k->adds || axis == k->nest->rows;
}

/* x, zeros in the columns that the tile leaves out. */
static weft_value *with_all_columns(maker *k, const weft_value *v, weft_value *x) {
    int64_t low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, none[WEFT_MAX_RANK] = { 0 };
    bool any = false;
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const uint32_t axis = lt_result_axis(k->t, k->nest, v, d);
        if (axis != k->nest->columns) continue;
        low[d] = k->nest->column[k->tile].from, high[d] = k->nest->axes[axis].size - k->nest->column[k->tile].to;
        any = any || low[d] || high[d];
    }
    if (!any || !x) return x;
    const weft_type *scalar = weft_type_tensor(k->b.m->cx, x->type->dtype, 0, NULL);
    weft_value *fill = scalar ? weft_build_splat(&k->b, scalar, 0) : NULL;
    if (!scalar) k->b.status = weft_oom();
    return fill ? weft_build_pad(&k->b, x, fill, low, high, none) : NULL;
}

/* Puts x, of output i, in its place; row: the first one, if it has only the tile's. */
static void put(maker *k, uint32_t i, weft_value *x, int64_t row) {
    const weft_value *v = k->nest->out[i];
    weft_value *operands[WEFT_MAX_RANK + 2] = { k->results[i], x };
    if (!x) return;
    if (x->type == v->type) {
        k->results[i] = x;
        return;
    }
    for (uint32_t d = 0; d < v->type->rank; d++) {
        const uint32_t axis = lt_result_axis(k->t, k->nest, v, d);
        weft_value *at = outer_at(k, axis);
        if (!at) at = axis == k->nest->rows && row ? weft_build_integer(&k->b, k->zero->type, row) : k->zero;
        operands[2 + d] = at;
    }
    k->results[i] = weft_build_1(&k->b, WEFT_OP_dynamic_update_slice, v->type, operands, v->type->rank + 2, NULL, 0);
}

static void give_tile(maker *k) {
    for (uint32_t i = 0; i < k->nest->out_count; i++) {
        const weft_value *v = k->nest->out[i];
        k->b.loc = v->def->loc;
        weft_value *x = with_all_columns(k, v, k->t->here[v->id]);
        k->adds = false;
        lt_each_reduced(k->t, k->nest, v->def, is_rows, k);
        if (k->nest->rows != LT_NONE && has_axis(k, v, k->nest->rows)) put(k, i, x, k->nest->row[k->tile].from);
        else k->sums[i] = k->adds && k->sums[i] ? lg_add(&k->b, k->sums[i], x) : x;
    }
}

static weft_status iteration(maker *k) {
    weft_status st = WEFT_OK;
    take_parts(k);
    for (uint32_t i = 0; i < k->nest->out_count; i++) k->sums[i] = NULL;
    for (k->tile = 0; k->tile < k->nest->tile_count && st == WEFT_OK; k->tile++) {
        uint32_t input = 0;
        for (uint32_t i = 0; i < k->nest->op_count && st == WEFT_OK; i++) st = compute(k, k->nest->ops[i], &input);
        if (st == WEFT_OK) give_tile(k);
    }
    for (uint32_t i = 0; i < k->nest->out_count && st == WEFT_OK; i++)
        if (k->sums[i]) put(k, i, k->sums[i], 0);
    return st == WEFT_OK ? k->b.status : st;
}

/* ---- the loop ---- */

/* The first elements along outer axes in iteration `number`; the last axis moves fastest. */
static void place_outer(maker *k, weft_value *number) {
    const lt_nest *nest = k->nest;
    for (uint32_t o = nest->outer_count; o-- > 0;) {
        const int64_t n = nest->axes[nest->outer[o]].size / nest->each[o];
        weft_value *at = number, *size = number ? weft_build_integer(&k->b, number->type, n) : NULL;
        if (o) {
            at = lg_binary(&k->b, WEFT_OP_remainder, number, size);
            number = lg_div(&k->b, number, size);
        }
        if (at && nest->each[o] > 1) at = lg_mul(&k->b, at, weft_build_integer(&k->b, at->type, nest->each[o]));
        k->outer[o] = at;
    }
}

static void end_block(weft_builder *b, weft_value *const *v, uint32_t n) {
    if (b->status == WEFT_OK)
        weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = v, .operand_count = n });
}

/* A block of the loop, its arguments in carried. */
static weft_builder open_block(maker *k, weft_builder *outer, weft_op *loop, uint32_t region, weft_value **carried) {
    weft_builder b;
    weft_block *blk = weft_build_block(outer, &loop->regions[region]);
    for (uint32_t i = 0; blk && i < loop->result_count; i++)
        carried[i] = weft_build_block_arg(outer, blk, loop->results[i].type, outer->loc);
    weft_builder_init(&b, k->r->out, blk);
    b.loc = outer->loc;
    b.status = outer->status;
    return b;
}

static weft_status fill_loop(maker *k, weft_builder *outer, weft_op *loop, weft_value **carried) {
    const lt_nest *nest = k->nest;
    int64_t trips = 1;
    for (uint32_t o = 0; o < nest->outer_count; o++) trips *= nest->axes[nest->outer[o]].size / nest->each[o];
    weft_builder b = open_block(k, outer, loop, 0, carried);
    if (b.status != WEFT_OK) return b.status;
    weft_value *more = lg_lt(&b, carried[0], weft_build_integer(&b, carried[0]->type, trips));
    end_block(&b, &more, 1);
    if (b.status != WEFT_OK) return b.status;
    k->b = open_block(k, outer, loop, 1, carried);
    if (k->b.status != WEFT_OK) return k->b.status;
    k->zero = weft_build_integer(&k->b, carried[0]->type, 0);
    place_outer(k, carried[0]);
    k->results = carried + 1;
    const weft_status st = iteration(k);
    carried[0] = lg_add_c(&k->b, carried[0], 1);
    end_block(&k->b, carried, loop->result_count);
    return st == WEFT_OK ? k->b.status : st;
}

static weft_status make_loop(maker *k, weft_builder *b, weft_value **carried, const weft_type **types) {
    const lt_nest *nest = k->nest;
    const weft_type *counter = weft_type_tensor(b->m->cx, WEFT_I32, 0, NULL);
    if (!counter) return weft_oom();
    carried[0] = weft_build_integer(b, counter, 0);
    for (uint32_t i = 0; i <= nest->out_count && b->status == WEFT_OK; i++) types[i] = carried[i]->type;
    weft_op *loop = b->status == WEFT_OK
                        ? weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_while, .operands = carried,
                                                            .operand_count = nest->out_count + 1, .types = types,
                                                            .result_count = nest->out_count + 1, .region_count = 2 })
                        : NULL;
    const weft_status st = loop ? fill_loop(k, b, loop, carried) : b->status;
    for (uint32_t i = 0; loop && i < nest->out_count; i++) carried[1 + i] = &loop->results[1 + i];
    return st;
}

weft_status lt_build(lt_tiler *t, lt_nest *nest, weft_rewrite *r, weft_builder *b) {
    maker k = { .t = t, .nest = nest, .r = r, .b = *b };
    weft_value **carried = weft_arena_array(t->arena, weft_value *, nest->out_count + 1);
    const weft_type **types = weft_arena_array(t->arena, const weft_type *, nest->out_count + 1);
    k.parts = weft_arena_array(t->arena, weft_value *, nest->in_count);
    k.sums = weft_arena_array(t->arena, weft_value *, nest->out_count);
    if (!carried || !types || !k.parts || !k.sums) return weft_oom();
    lt_enter(t, nest);
    for (uint32_t i = 0; i < nest->out_count; i++) carried[1 + i] = weft_build_splat(b, nest->out[i]->type, 0);
    weft_status st = b->status;
    if (st == WEFT_OK && nest->outer_count) st = make_loop(&k, b, carried, types);
    else if (st == WEFT_OK) {
        const weft_type *index = weft_type_tensor(b->m->cx, WEFT_I32, 0, NULL);
        k.zero = index ? weft_build_integer(&k.b, index, 0) : NULL;
        k.results = carried + 1;
        st = k.zero ? iteration(&k) : weft_oom();
    }
    for (uint32_t i = 0; i < nest->out_count; i++) r->map.to[nest->out[i]->id] = carried[1 + i];
    return st;
}
