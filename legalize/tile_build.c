/* tile_build.c: a nest as a loop over its outer axes, whose body computes one range of rows after the other. */
#include "legalize/bodies.h"
#include "legalize/tile.h"

typedef struct maker {
    lt_tiler *t;
    lt_nest *nest;
    weft_rewrite *r;
    weft_builder *b;             /* of the body, or of what stands in the loop's place */
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
    return weft_type_with_dims(k->b->m->cx, v->type, v->type->rank, dims);
}

/* ---- inputs ---- */

static weft_value *outer_at(const maker *k, uint32_t axis) {
    for (uint32_t o = 0; o < k->nest->outer_count; o++)
        if (k->nest->outer[o] == axis) return k->outer[o];
    return NULL;
}

/* What this iteration has of input i. */
static weft_value *part_of(maker *k, const lt_input *in) {
    weft_context *cx = k->b->m->cx;
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
        return weft_build_1(k->b, WEFT_OP_dynamic_slice, type, operands, 1 + old->type->rank, &sizes, 1);
    k->b->status = weft_oom();
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
        k->b->loc = in->op->loc;
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
    return all ? x : weft_build_slice(k->b, x, from, to, one);
}

/* ---- ops ---- */

static weft_value *numbers(maker *k, const weft_op *op, const weft_type *type) {
    weft_builder *b = k->b;
    const int64_t d = weft_op_int(op, WEFT_A_iota_dimension, 0);
    const uint32_t axis = lt_result_axis(k->t, k->nest, &op->results[0], (uint32_t)d);
    weft_value *x = weft_build_iota(b, type, d), *at = outer_at(k, axis);
    const lt_range r = range_of(k, axis, OF_TILE);
    if (at) return lg_add(b, x, weft_build_broadcast(b, lg_convert(b, at, type->dtype), type, NULL));
    return r.from ? lg_add_c(b, x, (double)r.from) : x;
}

static weft_status compute(maker *k, const weft_op *op, uint32_t *input) {
    weft_builder *b = k->b;
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
    const weft_type *scalar = weft_type_tensor(k->b->m->cx, x->type->dtype, 0, NULL);
    weft_value *fill = scalar ? weft_build_splat(k->b, scalar, 0) : NULL;
    if (!scalar) k->b->status = weft_oom();
    return fill ? weft_build_pad(k->b, x, fill, low, high, none) : NULL;
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
        if (!at) at = axis == k->nest->rows && row ? weft_build_integer(k->b, k->zero->type, row) : k->zero;
        operands[2 + d] = at;
    }
    k->results[i] = weft_build_1(k->b, WEFT_OP_dynamic_update_slice, v->type, operands, v->type->rank + 2, NULL, 0);
}

static void give_tile(maker *k) {
    for (uint32_t i = 0; i < k->nest->out_count; i++) {
        const weft_value *v = k->nest->out[i];
        k->b->loc = v->def->loc;
        weft_value *x = with_all_columns(k, v, k->t->here[v->id]);
        k->adds = false;
        lt_each_reduced(k->t, k->nest, v->def, is_rows, k);
        if (k->nest->rows != LT_NONE && has_axis(k, v, k->nest->rows)) put(k, i, x, k->nest->row[k->tile].from);
        else k->sums[i] = k->adds && k->sums[i] ? lg_add(k->b, k->sums[i], x) : x;
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
    return st == WEFT_OK ? k->b->status : st;
}

/* ---- the loop ---- */

/* Iterations along each outer axis, and in all. */
static int64_t count_iterations(const lt_nest *nest, int64_t *sizes) {
    int64_t n = 1;
    for (uint32_t o = 0; o < nest->outer_count; o++)
        n *= sizes[o] = nest->axes[nest->outer[o]].size / nest->each[o];
    return n;
}

/* The last outer axis moves fastest. */
static weft_status turn(lg_turns *t, weft_builder *b, weft_value *i) {
    maker *k = t->user;
    int64_t sizes[LT_MOST_OUTER];
    (void)count_iterations(k->nest, sizes);
    k->b = b;
    k->results = t->carried;
    k->zero = lg_const(b, i, 0);
    lg_digits(b, i, k->nest->outer_count, sizes, k->outer);
    for (uint32_t o = 0; o < k->nest->outer_count; o++)
        if (k->nest->each[o] > 1) k->outer[o] = lg_mul_c(b, k->outer[o], (double)k->nest->each[o]);
    return iteration(k);
}

weft_status lt_build(lt_tiler *t, lt_nest *nest, weft_rewrite *r, weft_builder *b) {
    int64_t sizes[LT_MOST_OUTER];
    maker k = { .t = t, .nest = nest, .r = r, .b = b };
    lg_turns loop = { .r = r, .count = count_iterations(nest, sizes), .n = nest->out_count, .user = &k, .turn = turn };
    loop.carried = weft_arena_array(t->arena, weft_value *, nest->out_count);
    k.parts = weft_arena_array(t->arena, weft_value *, nest->in_count);
    k.sums = weft_arena_array(t->arena, weft_value *, nest->out_count);
    if (!loop.carried || !k.parts || !k.sums) return weft_oom();
    lt_enter(t, nest);
    for (uint32_t i = 0; i < nest->out_count; i++) loop.carried[i] = weft_build_splat(b, nest->out[i]->type, 0);
    weft_status st = b->status;
    if (st == WEFT_OK && nest->outer_count) st = lg_turn(&loop, b);
    else if (st == WEFT_OK) {
        const weft_type *index = weft_type_tensor(b->m->cx, WEFT_I64, 0, NULL);
        k.zero = index ? weft_build_splat(b, index, 0) : NULL;
        k.results = loop.carried;
        st = k.zero ? iteration(&k) : weft_oom();
    }
    for (uint32_t i = 0; i < nest->out_count; i++) r->map.to[nest->out[i]->id] = loop.carried[i];
    return st;
}
