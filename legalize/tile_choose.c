/* tile_choose.c: the tiles of a group, and whether they save time.
 *
 * Without tiles, each wide value that a product makes or reads goes to memory and back. With tiles, wide values of
 * earlier stages are computed again; what the tiles leave out, as half of the scores where attention is causal, is not
 * computed at all. The loop's calls take time, too.
 */
#include "cost/op.h"
#include "legalize/steps.h"
#include "legalize/tile.h"

enum { LEAST_ROWS = 16, LEAST_COLUMNS = 16, SPARING_TILES = 8, LEAST_SPARING_ROWS = 64 };

/* ---- axes ---- */

static const weft_op *source_of(const lt_tiler *t, const lt_group *g) {
    for (uint32_t i = 0; i < g->op_count; i++)
        if (g->ops[i]->kind == WEFT_OP_dot_general && t->wide[g->ops[i]->results[0].id]) return g->ops[i];
    return NULL;
}

static bool has_twice(const lt_tiler *t, const lt_group *g, uint32_t axis) {
    for (uint32_t i = 0; i < g->op_count; i++) {
        const weft_value *to = &g->ops[i]->results[0];
        uint32_t n = 0;
        for (uint32_t d = 0; d < to->type->rank; d++) n += lt_result_axis(t, g, to, d) == axis;
        if (n > 1) return true;
    }
    for (uint32_t i = 0; i < g->in_count; i++) {
        const lt_input *in = &g->in[i];
        uint32_t n = 0;
        for (uint32_t d = 0; d < in->op->operands[in->operand]->type->rank; d++)
            n += lt_operand_axis(t, g, in->op, in->operand, d) == axis;
        if (n > 1) return true;
    }
    return false;
}

static bool can_divide(const lt_tiler *t, const lt_group *g, uint32_t axis, int64_t least) {
    return g->axes[axis].size >= least && !g->axes[axis].folded && !has_twice(t, g, axis);
}

/* Outer axes are the batches of a product, rows the first other axis that tiles can go along. */
static void choose_axes(lt_tiler *t, lt_group *g, const weft_op *source) {
    const weft_value *to = &source->results[0];
    const uint32_t batches = weft_op_attr(source, WEFT_A_dot_dimension_numbers)->dot.lhs_batch.n;
    g->rows = g->columns = LT_NONE;
    for (uint32_t d = 0; d < to->type->rank; d++) {
        const uint32_t axis = lt_result_axis(t, g, to, d);
        if (d < batches) {
            if (g->outer_count < LT_MOST_OUTER && can_divide(t, g, axis, 2) && !g->axes[axis].summed) {
                g->each[g->outer_count] = 1;
                g->outer[g->outer_count++] = axis;
            }
        } else if (g->rows == LT_NONE && can_divide(t, g, axis, 2 * LEAST_ROWS)) g->rows = axis;
    }
    for (uint32_t d = batches; d < to->type->rank; d++) {
        const uint32_t axis = lt_result_axis(t, g, to, d);
        if (axis != g->rows && g->axes[axis].size >= 2 * LEAST_COLUMNS && !has_twice(t, g, axis)) g->columns = axis;
    }
}

/* ---- sizes ---- */

/* The largest value that g makes, of one element along outer axes. */
static double most_bytes(const lt_tiler *t, const lt_group *g) {
    double most = 0;
    for (uint32_t i = 0; i < g->op_count; i++) {
        const weft_value *v = &g->ops[i]->results[0];
        double bytes = lg_bytes(v);
        for (uint32_t d = 0; d < v->type->rank; d++)
            for (uint32_t o = 0; o < g->outer_count; o++)
                if (lt_result_axis(t, g, v, d) == g->outer[o]) bytes /= (double)v->type->dims[d];
        if (bytes > most) most = bytes;
    }
    return most;
}

static void set_rows(lt_group *g, int64_t n) {
    const int64_t rows = g->rows == LT_NONE ? 1 : g->axes[g->rows].size,
                  columns = g->columns == LT_NONE ? 1 : g->axes[g->columns].size;
    g->tile_count = (uint32_t)n;
    for (int64_t i = 0; i < n; i++) {
        g->row[i] = (lt_range){ i * rows / n, (i + 1) * rows / n };
        g->column[i] = (lt_range){ 0, columns };
    }
}

/* The columns of tile i that matter, to a multiple of step. */
static void spare(lt_tiler *t, lt_group *g, uint32_t i, int64_t step) {
    lt_range *keep = &g->column[i];
    const int64_t n = keep->to;
    int64_t low = 0, high = (n + step - 1) / step; /* empty from high * step on */
    for (int64_t from = 0; from < high;) {
        const int64_t middle = from + (high - from) / 2, at = middle * step;
        if (at && lt_is_empty(t, g, g->row[i], (lt_range){ at, n }, (lt_range){ 0, at })) high = middle;
        else from = middle + 1;
    }
    keep->to = high * step < n ? high * step : n;
    for (int64_t to = (keep->to - 1) / step; low < to;) {
        const int64_t middle = to - (to - low) / 2, at = middle * step;
        if (lt_is_empty(t, g, g->row[i], (lt_range){ 0, at }, (lt_range){ at, keep->to })) low = middle;
        else to = middle - 1;
    }
    keep->from = low * step;
}

/* The share of the wide elements that the tiles compute. */
static double kept(const lt_group *g) {
    double all = 0, some = 0;
    for (uint32_t i = 0; i < g->tile_count; i++) {
        const double rows = (double)(g->row[i].to - g->row[i].from);
        all += rows * (g->columns == LT_NONE ? 1 : (double)g->axes[g->columns].size);
        some += rows * (double)(g->column[i].to - g->column[i].from);
    }
    return some / all;
}

/* Tiles along rows: as many as leave the most out, or as keep them small. */
static void choose_rows(lt_tiler *t, lt_group *g) {
    const double bytes = most_bytes(t, g), most = t->machine->costs.tile_bytes;
    const int64_t rows = g->rows == LT_NONE ? 1 : g->axes[g->rows].size;
    int64_t n = 1;
    while (n < LT_MOST_TILES && bytes / (double)n > most && rows / (2 * n) >= LEAST_ROWS) n *= 2;
    int64_t sparing = n > SPARING_TILES ? n : SPARING_TILES;
    while (sparing > n && rows / sparing < LEAST_SPARING_ROWS) sparing /= 2;
    if (g->columns != LT_NONE && sparing > 1) {
        const int64_t step = (rows / sparing) > LEAST_COLUMNS ? rows / sparing : LEAST_COLUMNS;
        set_rows(g, sparing);
        for (uint32_t i = 0; i < g->tile_count; i++) spare(t, g, i, step);
        if (kept(g) < 0.95) return;
    }
    set_rows(g, n);
}

/* Several elements of the innermost outer axis at once, where a tile is small. */
static void choose_each(lt_tiler *t, lt_group *g) {
    const double bytes = most_bytes(t, g) / g->tile_count;
    double room = t->machine->costs.tile_bytes / (bytes > 1 ? bytes : 1);
    for (uint32_t o = g->outer_count; o-- > 0;) {
        const int64_t size = g->axes[g->outer[o]].size;
        for (int64_t each = 2; each <= size && (double)each <= room; each++)
            if (size % each == 0) g->each[o] = each;
        if (g->each[o] < size) return;
        room /= (double)size;
    }
}

/* ---- time ---- */

static double seconds(const lt_tiler *t, double flops, double bytes) {
    return weft_machine_kernel_time_s(t->machine, flops, bytes < 9e18 ? (int64_t)bytes : INT64_MAX);
}

/* Whether the tiles save the share of the group's time that they must. */
static bool is_worth(lt_tiler *t, const lt_group *g) {
    double own = 0, again = 0, bytes = 0, calls = 0, turns = g->tile_count;
    for (uint32_t i = 0; i < g->op_count; i++) {
        const weft_op *op = g->ops[i];
        weft_op_cost c;
        (void)weft_cost_op(op, &c);
        *(t->group[op->id] == g ? &own : &again) += c.flops + c.transcendentals;
        if (op->kind != WEFT_OP_dot_general) continue;
        calls += 2; /* with a kernel */
        if (t->wide[op->results[0].id]) bytes += 2 * lg_bytes(&op->results[0]);
        for (uint32_t k = 0; k < 2; k++)
            if (t->wide[op->operands[k]->id] && op->operands[k]->def->kind != WEFT_OP_dot_general)
                bytes += 2 * lg_bytes(op->operands[k]);
    }
    for (uint32_t o = 0; o < g->outer_count; o++) turns *= (double)(g->axes[g->outer[o]].size / g->each[o]);
    const double before = seconds(t, own, 0) + seconds(t, 0, bytes),
                 after = seconds(t, kept(g) * (own + again), 0) + turns * calls * t->machine->costs.split_s;
    return before - after >= t->machine->costs.tile_gain * before;
}

weft_status lt_choose(lt_tiler *t, lt_group *g) {
    bool agree;
    const weft_op *source = source_of(t, g);
    for (uint32_t i = 0; i < g->out_count; i++)
        if (t->wide[g->out[i]->id]) return WEFT_OK;
    if (!source) return WEFT_OK;
    const weft_status st = lt_axes_find(t, g, &agree);
    if (st != WEFT_OK || !agree) return st;
    choose_axes(t, g, source);
    if (g->rows == LT_NONE && !g->outer_count) return WEFT_OK;
    choose_rows(t, g);
    choose_each(t, g);
    g->taken = is_worth(t, g);
    return WEFT_OK;
}
