/* tile_choose.c: the tiles of a nest, and whether they save time.
 *
 * Without tiles, each wide value that a product makes or reads goes to memory and back. With tiles, wide values of
 * earlier stages are computed again; what the tiles leave out, as half of the scores where attention is causal, is not
 * computed at all. The loop's calls take time, too.
 */
#include "cost/op.h"
#include "legalize/steps.h"
#include "legalize/tile.h"

enum { LEAST_ROWS = 16, LEAST_COLUMNS = 16, SPARING_TILES = 8, LEAST_SPARING_ROWS = 64, NEAR_TILES = 4 };

/* ---- axes ---- */

static const weft_op *source_of(const lt_tiler *t, const lt_nest *nest) {
    for (uint32_t i = 0; i < nest->op_count; i++)
        if (nest->ops[i]->kind == WEFT_OP_dot_general && t->wide[nest->ops[i]->results[0].id]) return nest->ops[i];
    return NULL;
}

static bool has_twice(const lt_tiler *t, const lt_nest *nest, uint32_t axis) {
    for (uint32_t i = 0; i < nest->op_count; i++) {
        const weft_value *to = &nest->ops[i]->results[0];
        uint32_t n = 0;
        for (uint32_t d = 0; d < to->type->rank; d++) n += lt_result_axis(t, nest, to, d) == axis;
        if (n > 1) return true;
    }
    for (uint32_t i = 0; i < nest->in_count; i++) {
        const lt_input *in = &nest->in[i];
        uint32_t n = 0;
        for (uint32_t d = 0; d < in->op->operands[in->operand]->type->rank; d++)
            n += lt_operand_axis(t, nest, in->op, in->operand, d) == axis;
        if (n > 1) return true;
    }
    return false;
}

static bool can_divide(const lt_tiler *t, const lt_nest *nest, uint32_t axis, int64_t least) {
    return nest->axes[axis].size >= least && !nest->axes[axis].folded && !has_twice(t, nest, axis);
}

/* Outer axes are the batches of a product, rows the first other axis that tiles can go along. */
static void choose_axes(lt_tiler *t, lt_nest *nest, const weft_op *source) {
    const weft_value *to = &source->results[0];
    const uint32_t batches = weft_op_attr(source, WEFT_A_dot_dimension_numbers)->dot.lhs_batch.n;
    nest->rows = nest->columns = LT_NONE;
    for (uint32_t d = 0; d < to->type->rank; d++) {
        const uint32_t axis = lt_result_axis(t, nest, to, d);
        if (d < batches) {
            if (nest->outer_count < LT_MOST_OUTER && can_divide(t, nest, axis, 2) && !nest->axes[axis].summed) {
                nest->each[nest->outer_count] = 1;
                nest->outer[nest->outer_count++] = axis;
            }
        } else if (nest->rows == LT_NONE && can_divide(t, nest, axis, 2 * LEAST_ROWS)) nest->rows = axis;
    }
    for (uint32_t d = batches; d < to->type->rank; d++) {
        const uint32_t axis = lt_result_axis(t, nest, to, d);
        if (axis != nest->rows && nest->axes[axis].size >= 2 * LEAST_COLUMNS && !has_twice(t, nest, axis))
            nest->columns = axis;
    }
}

/* ---- sizes ---- */

/* The largest value that nest makes, of one element along outer axes. */
static double most_bytes(const lt_tiler *t, const lt_nest *nest) {
    double most = 0;
    for (uint32_t i = 0; i < nest->op_count; i++) {
        const weft_value *v = &nest->ops[i]->results[0];
        double bytes = lg_bytes(v);
        for (uint32_t d = 0; d < v->type->rank; d++)
            for (uint32_t o = 0; o < nest->outer_count; o++)
                if (lt_result_axis(t, nest, v, d) == nest->outer[o]) bytes /= (double)v->type->dims[d];
        if (bytes > most) most = bytes;
    }
    return most;
}

static void set_rows(lt_nest *nest, int64_t n) {
    const int64_t rows = nest->rows == LT_NONE ? 1 : nest->axes[nest->rows].size,
                  columns = nest->columns == LT_NONE ? 1 : nest->axes[nest->columns].size;
    nest->tile_count = (uint32_t)n;
    for (int64_t i = 0; i < n; i++) {
        nest->row[i] = (lt_range){ i * rows / n, (i + 1) * rows / n };
        nest->column[i] = (lt_range){ 0, columns };
    }
}

/* The columns of tile i that matter, to a multiple of step. */
static void spare(lt_tiler *t, lt_nest *nest, uint32_t i, int64_t step) {
    lt_range *keep = &nest->column[i];
    const int64_t n = keep->to;
    int64_t low = 0, high = (n + step - 1) / step; /* empty from high * step on */
    for (int64_t from = 0; from < high;) {
        const int64_t middle = from + (high - from) / 2, at = middle * step;
        if (at && lt_is_empty(t, nest, nest->row[i], (lt_range){ at, n }, (lt_range){ 0, at })) high = middle;
        else from = middle + 1;
    }
    keep->to = high * step < n ? high * step : n;
    for (int64_t to = (keep->to - 1) / step; low < to;) {
        const int64_t middle = to - (to - low) / 2, at = middle * step;
        if (lt_is_empty(t, nest, nest->row[i], (lt_range){ 0, at }, (lt_range){ at, keep->to })) low = middle;
        else to = middle - 1;
    }
    keep->from = low * step;
}

/* The share of the wide elements that the tiles compute. */
static double kept(const lt_nest *nest) {
    double all = 0, some = 0;
    for (uint32_t i = 0; i < nest->tile_count; i++) {
        const double rows = (double)(nest->row[i].to - nest->row[i].from);
        all += rows * (nest->columns == LT_NONE ? 1 : (double)nest->axes[nest->columns].size);
        some += rows * (double)(nest->column[i].to - nest->column[i].from);
    }
    return some / all;
}

/* Tiles along rows: as many as leave the most out, or as keep them small. */
static void choose_rows(lt_tiler *t, lt_nest *nest) {
    const double bytes = most_bytes(t, nest), most = t->machine->costs.tile_bytes;
    const int64_t rows = nest->rows == LT_NONE ? 1 : nest->axes[nest->rows].size;
    int64_t n = 1;
    while (n < LT_MOST_TILES && bytes / (double)n > most && rows / (2 * n) >= LEAST_ROWS) n *= 2;
    int64_t sparing = n > SPARING_TILES ? n : SPARING_TILES;
    while (sparing > n && rows / sparing < LEAST_SPARING_ROWS) sparing /= 2;
    if (nest->columns != LT_NONE && sparing > 1) {
        const int64_t step = (rows / sparing) > LEAST_COLUMNS ? rows / sparing : LEAST_COLUMNS;
        set_rows(nest, sparing);
        for (uint32_t i = 0; i < nest->tile_count; i++) spare(t, nest, i, step);
        if (kept(nest) < 0.95) return;
    }
    set_rows(nest, n);
}

/* Several elements of the innermost outer axis at once, where a tile is small. */
static void choose_each(lt_tiler *t, lt_nest *nest) {
    const double bytes = most_bytes(t, nest) / nest->tile_count;
    double room = t->machine->costs.tile_bytes / (bytes > 1 ? bytes : 1);
    for (uint32_t o = nest->outer_count; o-- > 0;) {
        const int64_t size = nest->axes[nest->outer[o]].size;
        for (int64_t each = 2; each <= size && (double)each <= room; each++)
            if (size % each == 0) nest->each[o] = each;
        if (nest->each[o] < size) return;
        room /= (double)size;
    }
}

/* ---- time ---- */

/* Whether what is written to a tile is still in a cache when it is read. */
static bool stays_near(const lt_tiler *t, const lt_nest *nest) {
    double bytes = most_bytes(t, nest) / nest->tile_count;
    for (uint32_t o = 0; o < nest->outer_count; o++) bytes *= (double)nest->each[o];
    return bytes <= NEAR_TILES * t->machine->costs.tile_bytes;
}

/* Whether the tiles save the share of the nest's time that they must. */
static bool is_worth(lt_tiler *t, const lt_nest *nest) {
    const weft_machine *m = t->machine;
    double own = 0, again = 0, bytes = 0, calls = 0, iterations = nest->tile_count;
    for (uint32_t i = 0; i < nest->op_count; i++) {
        const weft_op *op = nest->ops[i];
        weft_op_cost c;
        (void)weft_cost_op(op, &c);
        *(t->nest[op->id] == nest ? &own : &again) += c.flops + c.transcendentals;
        if (op->kind != WEFT_OP_dot_general) continue;
        calls += 2; /* with a kernel */
        if (t->wide[op->results[0].id]) bytes += 2 * lg_bytes(&op->results[0]);
        for (uint32_t k = 0; k < 2; k++)
            if (t->wide[op->operands[k]->id] && op->operands[k]->def->kind != WEFT_OP_dot_general)
                bytes += 2 * lg_bytes(op->operands[k]);
    }
    for (uint32_t o = 0; o < nest->outer_count; o++)
        iterations *= (double)(nest->axes[nest->outer[o]].size / nest->each[o]);
    const double share = kept(nest), moving = lg_seconds(m, 0, bytes), before = lg_seconds(m, own, 0) + moving,
                 after = lg_seconds(m, share * (own + again), 0) + (stays_near(t, nest) ? 0 : share * moving) +
                         iterations * calls * m->costs.split_s;
    return before - after >= m->costs.tile_gain * before;
}

weft_status lt_choose(lt_tiler *t, lt_nest *nest) {
    bool agree;
    const weft_op *source = source_of(t, nest);
    for (uint32_t i = 0; i < nest->out_count; i++)
        if (t->wide[nest->out[i]->id]) return WEFT_OK;
    if (!source) return WEFT_OK;
    const weft_status st = lt_axes_find(t, nest, &agree);
    if (st != WEFT_OK || !agree) return st;
    choose_axes(t, nest, source);
    if (nest->rows == LT_NONE && !nest->outer_count) return WEFT_OK;
    choose_rows(t, nest);
    choose_each(t, nest);
    nest->taken = t->always || is_worth(t, nest);
    return WEFT_OK;
}
