/* local_listed_shape.c: concatenations, convolutions, slices and pads in the listed form.
 *
 * No device sends here: an op that needs a neighbour's elements was resolved before, or is reported. A pad whose parts
 * begin at one distance everywhere is a pad; otherwise the part is padded as far as any device needs and each takes its
 * own piece. Source: Shardy, sdy-convert-global-to-local.
 */
#include "partitioner/lower/local_ops.h"

static bool is_cut(const weft_placement *l, uint32_t d) { return weft_placement_dim(l, d).n > 0; }

static void print_axes(weft_localizer *z, const weft_placement *l, uint32_t d, weft_buf *b) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    weft_axis_ref refs[WEFT_MAX_ATOMS];
    uint32_t n = weft_atoms_to_refs(z->t, atoms, weft_placement_dim_atoms(l, d, atoms), refs);
    weft_buf_puts(b, "[");
    for (uint32_t i = 0; i < n; i++) {
        weft_buf_printf(b, "%s\"%s\"", i ? ", " : "", refs[i].name->text);
        if (refs[i].size) weft_buf_printf(b, ":(%lld)%lld", (long long)refs[i].pre_size, (long long)refs[i].size);
    }
    weft_buf_puts(b, "]");
}

/* Operand and result must be split alike along d. */
static weft_status check_same(weft_localizer *z, const weft_op *op, const weft_placement *in, const weft_placement *out,
                              uint32_t d) {
    weft_buf text;
    if (weft_placement_dim_same(in, out, d)) return WEFT_OK;
    weft_buf_init(&text, &z->cx->alloc);
    print_axes(z, in, d, &text);
    weft_buf_puts(&text, " vs ");
    print_axes(z, out, d, &text);
    weft_status st = weft_report(z->cx, WEFT_D_partition, op->loc,
                                 "dimension %u has mismatched sharding axes (%.*s). This requires a reshard which should have been handled by previous passes.",
                                 d, (int)text.n, text.p);
    weft_buf_free(&text);
    return st;
}

weft_status weft_listed_concatenate(weft_localizer *z, const weft_op *op) {
    uint32_t along = (uint32_t)weft_op_int(op, WEFT_A_dimension, 0);
    const weft_placement *out = weft_local_placement(z, &op->results[0]);
    weft_op *made = NULL;
    weft_status st = WEFT_OK;
    if (is_cut(out, along))
        return weft_report(z->cx, WEFT_D_partition, op->loc,
                           "dimension %u is sharded but the concatenation is on this dimension.", along);
    for (uint32_t i = 0; st == WEFT_OK && i < op->operand_count; i++) {
        const weft_placement *in = weft_local_placement(z, op->operands[i]);
        if (is_cut(in, along))
            return weft_report(z->cx, WEFT_D_partition, op->loc,
                               "operand %u is sharded on concatenation dimension %u. This is not supported.", i, along);
        for (uint32_t d = 0; in->n && st == WEFT_OK && d < op->results[0].type->rank; d++)
            st = check_same(z, op, in, out, d);
    }
    return st == WEFT_OK ? weft_local_clone(z, op, &made) : st;
}

/* A dimension that is split is taken from its first element, to its end or to where its parts keep their sizes. */
weft_status weft_listed_slice(weft_localizer *z, const weft_op *op) {
    const weft_placement *in = weft_local_placement(z, op->operands[0]),
                         *out = weft_local_placement(z, &op->results[0]);
    weft_ints starts = weft_op_ints(op, WEFT_A_start_indices), limits = weft_op_ints(op, WEFT_A_limit_indices),
              strides = weft_op_ints(op, WEFT_A_strides);
    const weft_type *global = op->operands[0]->type, *type = weft_local_type(z, &op->results[0]),
                    *from = weft_local_type(z, op->operands[0]);
    int64_t v[WEFT_MAX_RANK];
    weft_op *made = NULL;
    weft_status st = type && from ? WEFT_OK : weft_oom();
    for (uint32_t d = 0; st == WEFT_OK && d < global->rank; d++) {
        v[d] = limits.v[d];
        st = check_same(z, op, in, out, d);
        if (st != WEFT_OK || !is_cut(in, d)) continue;
        bool whole = limits.v[d] == global->dims[d], kept = strides.v[d] == 1 && from->dims[d] == type->dims[d];
        if (starts.v[d] || (!whole && !kept))
            st = weft_report(
                z->cx, WEFT_D_partition, op->loc,
                "dimension %u is sharded but the slice is not a full slice and requires device communication.", d);
        v[d] = whole ? from->dims[d] : type->dims[d];
    }
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st == WEFT_OK && (in->n || out->n)) st = weft_local_strip(z, made);
    return st == WEFT_OK ? weft_op_set_ints(z->rewrite->out, made, WEFT_A_limit_indices, v, limits.n) : st;
}

/* Along a split dimension an update is as long as what it goes into. */
weft_status weft_listed_dynamic_update_slice(weft_localizer *z, const weft_op *op) {
    const weft_placement *in = weft_local_placement(z, op->operands[0]);
    const weft_type *whole = op->operands[0]->type, *update = op->operands[1]->type;
    weft_op *made = NULL;
    for (uint32_t d = 0; d < whole->rank; d++)
        if (is_cut(in, d) && whole->dims[d] != update->dims[d])
            return weft_report(z->cx, WEFT_D_partition, op->loc,
                               "dimension %u is sharded but the update is not of all of it", d);
    return weft_local_clone(z, op, &made);
}

/* --- pad ---------------------------------------------------------------------------------------------------------- */

/* How far after the beginning of its part of the result the part of a place begins, along one dimension. */
typedef struct shift {
    int64_t per_part, first;     /* shift = number * per_part + first */
    int64_t least, most;
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n;
} shift;

static shift shift_of(const weft_localizer *z, const weft_placement *l, uint32_t d, int64_t in, int64_t out,
                      int64_t low, int64_t interior) {
    shift s = { .first = low };
    s.n = weft_placement_dim_atoms(l, d, s.atoms);
    if (s.n) s.per_part = in * (interior + 1) - out;
    int64_t last = low + (weft_placement_dim_shards(z->t, l, d) - 1) * s.per_part;
    s.least = weft_min_i64(low, last);
    s.most = weft_max_i64(low, last);
    return s;
}

/* Where a device's piece begins in what was padded by `low`. */
static weft_value *piece_start(weft_localizer *z, const shift *s, int64_t low) {
    int64_t devices = weft_placements_devices(z->t);
    weft_value *v = NULL;
    if (!s->per_part || !s->n) return weft_build_integer(z->b, weft_local_offset_type(z), low - s->first);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *table = weft_scratch_array(z->cx, int64_t, devices);
    for (int64_t place = 0; table && place < devices; place++)
        table[weft_local_device_at(z, place)] =
            low - s->first - s->per_part * weft_local_number(z, s->atoms, s->n, place);
    if (table) v = weft_local_reshaped(z, weft_local_lookup(z, table, WEFT_I64), 0, NULL);
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* Each device's part of the result is made of its own part of the operand. */
static weft_status check_own(weft_localizer *z, const weft_op *op, uint32_t d, int64_t shards, int64_t low,
                             int64_t step) {
    int64_t in = op->operands[0]->type->dims[d], out = op->results[0].type->dims[d], part = in / shards;
    for (int64_t k = 0; shards > 1 && k < shards; k++) {
        int64_t from = k * (out / shards) - low, first = weft_max_i64(0, -weft_floor_div(-from, step));
        int64_t last = weft_min_i64(in - 1, weft_floor_div(from + out / shards - 1, step));
        if (first <= last && (first < k * part || last >= (k + 1) * part))
            return weft_report(z->cx, WEFT_D_partition, op->loc,
                               "dimension %u is sharded and the pad moves elements from one device to another", d);
    }
    return WEFT_OK;
}

weft_status weft_listed_pad(weft_localizer *z, const weft_op *op) {
    const weft_placement *in = weft_local_placement(z, op->operands[0]),
                         *out = weft_local_placement(z, &op->results[0]);
    weft_ints lows = weft_op_ints(op, WEFT_A_edge_padding_low), interiors = weft_op_ints(op, WEFT_A_interior_padding);
    const weft_type *from = weft_local_type(z, op->operands[0]), *type = weft_local_type(z, &op->results[0]);
    int64_t low[WEFT_MAX_RANK], high[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    weft_value *starts[WEFT_MAX_RANK];
    weft_op *made = NULL;
    bool uniform = true;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    shift *s = weft_scratch_array(z->cx, shift, from ? from->rank : 0);
    weft_status st = s && type ? WEFT_OK : weft_oom();
    for (uint32_t d = 0; st == WEFT_OK && d < from->rank; d++) {
        st = check_same(z, op, in, out, d);
        if (st == WEFT_OK)
            st = check_own(z, op, d, weft_placement_dim_shards(z->t, in, d), lows.v[d], interiors.v[d] + 1);
        s[d] = shift_of(z, in, d, from->dims[d], type->dims[d], lows.v[d], interiors.v[d]);
        uniform = uniform && s[d].least == s[d].most;
    }
    for (uint32_t d = 0; st == WEFT_OK && d < from->rank; d++) {
        int64_t wide = from->dims[d] ? (from->dims[d] - 1) * (interiors.v[d] + 1) + 1 : 0;
        low[d] = uniform ? s[d].first : weft_max_i64(0, s[d].most);
        high[d] = type->dims[d] - wide - (uniform ? s[d].first : s[d].least);
        if (!uniform) high[d] = weft_max_i64(0, high[d]);
        dims[d] = low[d] + wide + high[d];
    }
    if (st == WEFT_OK) st = weft_local_clone(z, op, &made);
    if (st == WEFT_OK && in->n) st = weft_local_strip(z, made);
    if (st == WEFT_OK) st = weft_op_set_ints(z->rewrite->out, made, WEFT_A_edge_padding_low, low, from->rank);
    if (st == WEFT_OK) st = weft_op_set_ints(z->rewrite->out, made, WEFT_A_edge_padding_high, high, from->rank);
    if (st == WEFT_OK && !uniform) {
        made->results[0].type = weft_type_with_dims(z->cx, type, type->rank, dims);
        for (uint32_t d = 0; d < from->rank; d++) starts[d] = piece_start(z, &s[d], low[d]);
        weft_local_map(z, &op->results[0],
                       made->results[0].type ? weft_local_part(z, &made->results[0], type, starts) : NULL);
        st = z->b->status;
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return st;
}
