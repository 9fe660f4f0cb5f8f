/* local_dynamic.c: dynamic_slice and dynamic_update_slice along a dimension that is split.
 *
 * The start is clamped as the whole tensor would clamp it; device k then sees it at start - k * part of its own part,
 * which may lie before the part or after it. With w elements of window, the smaller of part and slice:
 *
 *   slice    w elements of the part that overlap, shifted to where the slice has them, between zeros: the sum over the
 *            devices is the slice, so that it is sent and not the operand. A slice that is itself cut is as many
 *            slices, each of which begins after the start by what lies before it: of a whole operand each device takes
 *            its own, and no device sends anything.
 *   update   w elements of the part that overlap, with the update's in place of those that it replaces, are put back:
 *            no device sends anything, and the part changes in place.
 *   shift    whole and piece are split alike, and the piece is most of the whole: wherever it starts, a device's part
 *            of the one lies in its part of the other and in at most as many elements around it as the piece leaves of
 *            the whole. These are fetched from the neighbours (halo.h), and of the longer part the device takes what
 *            the start says: the part of a slice, or of an update what goes into the whole's part.
 *
 * A device without overlap sends zeros, or puts back what was there. Padding after the last element is never inside a
 * slice.
 */
#include "partitioner/lower/halo.h"
#include "partitioner/lower/local_ops.h"

/* Dimensions where a is as large as b are taken whole, whatever the start. */
static weft_bits smaller_dims(const weft_type *whole, const weft_type *piece) {
    weft_bits set = 0;
    for (uint32_t d = 0; d < whole->rank; d++)
        if (whole->dims[d] != piece->dims[d]) set |= weft_bit(d);
    return set;
}

/* Factors of these dimensions of operand 0. */
static weft_bits factors_at(const weft_rule *rule, weft_bits dims) {
    weft_bits set = 0;
    WEFT_EACH_BIT(d, dims) {
        weft_rule_dim dim = rule->tensors[0].dims[d];
        for (uint32_t k = 0; k < dim.n; k++) set |= weft_bit(rule->factors[dim.first + k]);
    }
    return set;
}

weft_bits weft_factors_dynamic_slice(const weft_op *op, const weft_rule *rule) {
    return weft_pass_factors(op, rule) | ((rule->reduction | rule->permutation) &
                                          factors_at(rule, smaller_dims(op->operands[0]->type, op->results[0].type)));
}

weft_bits weft_places_dynamic_slice(const weft_op *op, const weft_rule *rule) {
    return rule->reduction & factors_at(rule, smaller_dims(op->operands[0]->type, op->results[0].type));
}

/* The sum of a value and of zeros is exact; of truth values it is the maximum. */
weft_partial weft_partial_dynamic_slice(const weft_op *op) {
    return op->results[0].type->dtype == WEFT_I1 ? WEFT_PARTIAL_MAX : WEFT_PARTIAL_SUM;
}

/* Dimensions that the update does not have split are split in operand and result only, unless it is shifted. */
weft_bits weft_factors_dynamic_update_slice(const weft_op *op, const weft_rule *rule) {
    return (weft_pass_factors(op, rule) | rule->permutation) & rule->tensors[0].factors;
}

weft_bits weft_places_dynamic_update_slice(const weft_op *op, const weft_rule *rule) {
    return rule->tensors[0].factors & ~rule->permutation &
           factors_at(rule, smaller_dims(op->operands[0]->type, op->operands[1]->type));
}

/* --- shifts ------------------------------------------------------------------------------------------------------- */

/* Where a piece of the whole begins along dimension d: in [low, high]. */
typedef struct range { int64_t low, high; } range;

static range starts_of(const weft_op *op, uint32_t d) {
    const bool slice = op->kind == WEFT_OP_dynamic_slice;
    const weft_type *piece = slice ? op->results[0].type : op->operands[1]->type;
    const int64_t last = op->operands[0]->type->dims[d] - piece->dims[d];
    const weft_attr *known = weft_value_splat(op->operands[(slice ? 1 : 2) + d]);
    if (!known) return (range){ 0, last };
    const int64_t at = weft_max_i64(0, weft_min_i64(last, weft_dense_int(known, 0)));
    return (range){ at, at };
}

bool weft_starts_unknown(const weft_op *op) {
    for (uint32_t i = op->kind == WEFT_OP_dynamic_slice ? 1 : 2; i < op->operand_count; i++)
        if (weft_value_splat(op->operands[i])) return false;
    return true;
}

/* What a device needs of the operand for its part of a slice, or of the update for its part of the whole, wherever in
 * its range that starts. */
static void shift_of(const weft_op *op, uint32_t d, int64_t shards, int64_t *begin, weft_halo *h) {
    const bool slice = op->kind == WEFT_OP_dynamic_slice;
    const int64_t whole = op->operands[0]->type->dims[d],
                  piece = slice ? op->results[0].type->dims[d] : op->operands[1]->type->dims[d];
    const range at = starts_of(op, d);
    const int64_t made = weft_ceil_div(slice ? piece : whole, shards),
                  part = weft_ceil_div(slice ? whole : piece, shards);
    *h = (weft_halo){
        shards, part, made + at.high - at.low, begin, slice ? at.low : 0, slice ? at.high + piece : piece
    };
    for (int64_t k = 0; k < shards; k++) begin[k] = k * made + (slice ? at.low : -at.high);
}


/* Dimensions in which both are split, one in part of the other. */
static weft_bits shifted_dims(const weft_op *op, const weft_placement *whole, const weft_placement *piece) {
    const bool slice = op->kind == WEFT_OP_dynamic_slice;
    weft_bits set = 0;
    WEFT_EACH_BIT(d, smaller_dims(op->operands[0]->type, slice ? op->results[0].type : op->operands[1]->type))
        if (weft_placement_dim(whole, d).n && weft_placement_dim_same(whole, piece, d)) set |= weft_bit(d);
    return set;
}

/* What devices send for all shifted dimensions, one after the other, with so many bytes each that have parts of all of
 * them. */
static double talk_shifting(weft_placements *t, const weft_op *op, const weft_placement *whole, weft_bits shifted,
                            double bytes) {
    weft_context *cx = weft_placements_context(t);
    double sent = 0;
    WEFT_EACH_BIT(d, shifted) {
        const int64_t shards = weft_placement_dim_shards(t, whole, (uint32_t)d);
        weft_halo h = { .need = 1, .part = 1 };
        int64_t elems = -1;
        weft_mark mark = weft_arena_mark(&cx->scratch);
        int64_t *begin = weft_scratch_array(cx, int64_t, shards);
        if (begin) {
            shift_of(op, (uint32_t)d, shards, begin, &h);
            elems = weft_halo_sent(cx, &h);
        }
        weft_arena_reset(&cx->scratch, mark);
        if (elems < 0) return -1;
        sent += bytes * (double)elems / (double)h.part;
        bytes *= (double)h.need / (double)h.part;
    }
    return sent;
}

/* Along the other dimensions a slice is cut out before anything is fetched. */
double weft_talk_dynamic_slice(weft_placements *t, const weft_op *op, const weft_placement_id *placed) {
    const weft_type *type = op->operands[0]->type, *result = op->results[0].type;
    const weft_placement *whole = weft_placement_of(t, placed[0]),
                         *piece = weft_placement_of(t, placed[op->operand_count]);
    const weft_bits shifted = shifted_dims(op, whole, piece);
    double bytes = (double)weft_dtype_bytes(type->dtype);
    for (uint32_t d = 0; shifted && d < type->rank; d++) {
        const int64_t part = weft_placement_dim_part(t, whole, d, type->dims[d]);
        bytes *= (double)(weft_bits_has(shifted, d)
                              ? part
                              : weft_min_i64(part, weft_placement_dim_part(t, piece, d, result->dims[d])));
    }
    return talk_shifting(t, op, whole, shifted, bytes);
}

double weft_talk_dynamic_update_slice(weft_placements *t, const weft_op *op, const weft_placement_id *placed) {
    const weft_placement *whole = weft_placement_of(t, placed[0]), *piece = weft_placement_of(t, placed[1]);
    return talk_shifting(t, op, whole, shifted_dims(op, whole, piece),
                         (double)weft_placement_local_bytes(t, piece, op->operands[1]->type));
}

/* x, the operand that is shifted, with what lies around its part. */
static weft_value *fetch_shifted(weft_localizer *z, const weft_op *op, weft_value *x, const weft_placement *whole,
                                 weft_bits shifted) {
    WEFT_EACH_BIT(d, shifted) {
        uint8_t atoms[WEFT_MAX_ATOMS];
        const uint32_t n = weft_placement_dim_atoms(whole, (uint32_t)d, atoms);
        const int64_t shards = weft_placement_dim_shards(z->t, whole, (uint32_t)d);
        weft_halo h;
        weft_mark mark = weft_arena_mark(&z->cx->scratch);
        int64_t *begin = weft_scratch_array(z->cx, int64_t, shards);
        if (!begin && z->b->status == WEFT_OK) z->b->status = weft_oom();
        if (begin) shift_of(op, (uint32_t)d, shards, begin, &h);
        x = begin ? weft_halo_fetch(z, x, (uint32_t)d, atoms, n, &h) : NULL;
        weft_arena_reset(&z->cx->scratch, mark);
    }
    return x;
}

/* --- where it begins ---------------------------------------------------------------------------------------------- */

typedef struct begin {
    weft_value *start;     /* offset: of the whole piece in the whole, clamped; where the piece is smaller */
    weft_value *at;        /* offset: of the window in this device's part */
    weft_value *ahead;     /* offset: how far the window begins after this device's piece; NULL: not at all */
    int64_t piece, window; /* this device's; of what is shifted the whole piece, and the part of what it goes into */
} begin;

static weft_value *number(weft_localizer *z, int64_t v) {
    return weft_build_integer(z->b, weft_local_offset_type(z), v);
}

static weft_value *binary(weft_localizer *z, weft_op_kind kind, weft_value *a, weft_value *b) {
    return a && b ? weft_build_binary(z->b, kind, a, b) : NULL;
}

/* start within [0, last], as an offset. Clamped in its own type, which may not be able to say `last`. */
static weft_value *clamped(weft_localizer *z, weft_value *start, int64_t last) {
    if (!start || last == 0) return start ? number(z, 0) : NULL;
    const weft_dtype_info *of = weft_dtype_of(start->type->dtype);
    bool is_signed = of->kind != WEFT_KIND_UINT;
    uint32_t bits = of->bits - is_signed;
    if (bits >= 63 || last < (int64_t)1 << bits)
        start = binary(z, WEFT_OP_minimum, start, weft_build_integer(z->b, start->type, last));
    if (is_signed) start = binary(z, WEFT_OP_maximum, start, start ? weft_build_splat(z->b, start->type, 0) : NULL);
    return start ? weft_local_convert(z, start, weft_local_offset_type(z)->dtype) : NULL;
}

static bool divides(const weft_localizer *z, const weft_value *v, uint32_t d) {
    return v->type->dims[d] % weft_placement_dim_shards(z->t, weft_local_placement(z, v), d) == 0;
}

/* The window of this device's piece in its part of the whole, along a dimension that is not shifted. */
static void find_window(weft_localizer *z, const weft_value *whole, const weft_value *piece, uint32_t d, int64_t part,
                        begin *b) {
    const weft_placement *l = weft_local_placement(z, whole), *of = weft_local_placement(z, piece);
    const bool cut = weft_placement_dim(l, d).n, shared = weft_placement_dim(of, d).n;
    weft_value *here = shared ? binary(z, WEFT_OP_add, b->start, weft_local_dim_index(z, of, d, b->piece)) : b->start;
    if (cut) here = binary(z, WEFT_OP_subtract, here, weft_local_dim_index(z, l, d, part));
    b->at = here;
    if (!cut && divides(z, piece, d)) return; /* it lies within */
    b->at = binary(z, WEFT_OP_maximum, binary(z, WEFT_OP_minimum, here, number(z, part - b->window)), number(z, 0));
    b->ahead = binary(z, WEFT_OP_subtract, b->at, here);
}

/* For each dimension of `whole` (the old operand), of which the op takes `piece` (old too) at starts; *apart:
 * dimensions in which windows begin elsewhere than pieces. */
static weft_status begin_of(weft_localizer *z, const weft_value *whole, const weft_value *piece, weft_bits shifted,
                            weft_value *const *starts, begin *out, weft_bits *apart) {
    const weft_type *local = weft_local_type(z, whole), *part = weft_local_type(z, piece);
    *apart = 0;
    if (!local || !part) return weft_oom();
    for (uint32_t d = 0; d < local->rank; d++) {
        begin *b = &out[d];
        *b = (begin){ .piece = part->dims[d], .window = weft_min_i64(local->dims[d], part->dims[d]) };
        if (whole->type->dims[d] == piece->type->dims[d]) continue;
        b->start = clamped(z, weft_local_value(z, starts[d]), whole->type->dims[d] - piece->type->dims[d]);
        if (weft_bits_has(shifted, d)) continue;
        find_window(z, whole, piece, d, local->dims[d], b);
        if (b->ahead) *apart |= weft_bit(d);
    }
    return z->b->status;
}

/* x itself where that is all of it. */
static weft_value *slice_at(weft_localizer *z, weft_value *x, weft_value *const *at, const int64_t *sizes) {
    const weft_type *type = x ? weft_type_with_dims(z->cx, x->type, x->type->rank, sizes) : NULL;
    return type && type == x->type ? x : weft_local_part(z, x, type, at);
}

/* How far after where what it has fetched begins a device finds its part of a slice, or of the update what goes into
 * its part; NULL: it begins there. */
static weft_value *play_of(weft_localizer *z, const weft_op *op, uint32_t d, weft_value *start) {
    const range at = starts_of(op, d);
    if (at.low == at.high) return NULL;
    if (op->kind == WEFT_OP_dynamic_slice) return start;
    return binary(z, WEFT_OP_subtract, number(z, at.high), start);
}

/* x between zeros, `room[d]` on both sides of the dimensions in set. */
static weft_value *between_zeros(weft_localizer *z, weft_value *x, weft_bits set, const int64_t *room) {
    WEFT_EACH_BIT(d, set) x = weft_local_padded(z, x, d, room[d], room[d], NULL);
    return x;
}

/* --- the ops ------------------------------------------------------------------------------------------------------ */

/* Without a dimension to look up in another device's part: the op on local shapes. */
static weft_status lower_plainly(weft_localizer *z, const weft_op *op) {
    weft_op *made = NULL;
    weft_status st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || op->kind != WEFT_OP_dynamic_slice || weft_local_placement(z, &op->results[0])->n == 0)
        return st;
    return weft_op_set_ints(z->rewrite->out, made, WEFT_A_slice_sizes, made->results[0].type->dims,
                            made->results[0].type->rank);
}

static weft_atoms atoms_at(const weft_localizer *z, const weft_value *v, weft_bits dims) {
    const weft_placement *l = weft_local_placement(z, v);
    weft_atoms set = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (weft_bits_has(dims, l->at[i].dim)) set |= (weft_atoms)weft_bit(l->at[i].atom);
    return set;
}

/* What neither is a shift nor has nothing to do with the parts of the whole; in the listed form nobody talks. */
static weft_status check_piece(weft_localizer *z, const weft_op *op, const weft_value *piece, weft_bits smaller,
                               weft_bits shifted) {
    const bool slice = op->kind == WEFT_OP_dynamic_slice;
    const weft_bits others = weft_local_listed(z) ? smaller : smaller & ~shifted;
    bool clash = false;
    WEFT_EACH_BIT (d, others)
        clash |= (atoms_at(z, piece, weft_bit(d)) &
                  (slice ? atoms_at(z, op->operands[0], weft_bit(d)) : ~(weft_atoms)0)) != 0;
    if (!clash) return WEFT_OK;
    return weft_report(z->cx, WEFT_D_unsupported, op->loc, "%s along a dimension that is split in its %s too",
                       op->name->text, slice ? "result" : "update");
}

weft_status weft_lower_dynamic_slice(weft_localizer *z, const weft_op *op) {
    const weft_value *whole = op->operands[0], *piece = &op->results[0];
    const weft_type *made = weft_local_type(z, piece), *local = weft_local_type(z, whole);
    const weft_bits smaller = smaller_dims(whole->type, piece->type);
    const weft_bits shifted = shifted_dims(op, weft_local_placement(z, whole), weft_local_placement(z, piece));
    begin b[WEFT_MAX_RANK];
    weft_value *at[WEFT_MAX_RANK] = { NULL };
    int64_t sizes[WEFT_MAX_RANK];
    weft_bits apart;
    if (!made || !local) return weft_oom();
    if (!atoms_at(z, whole, smaller) && !atoms_at(z, piece, smaller)) return lower_plainly(z, op);
    weft_status st = check_piece(z, op, piece, smaller, shifted);
    if (st == WEFT_OK) st = begin_of(z, whole, piece, shifted, (weft_value *const *)op->operands + 1, b, &apart);
    if (st != WEFT_OK) return st;
    for (uint32_t d = 0; d < made->rank; d++) {
        at[d] = b[d].at;
        sizes[d] = weft_bits_has(shifted, d) ? local->dims[d] : b[d].window;
    }
    weft_value *x = slice_at(z, weft_local_value(z, whole), at, sizes);
    x = fetch_shifted(z, op, x, weft_local_placement(z, whole), shifted);
    x = between_zeros(z, x, apart, made->dims);
    for (uint32_t d = 0; d < made->rank; d++)
        at[d] = weft_bits_has(shifted, d) ? play_of(z, op, d, b[d].start)
                : weft_bits_has(apart, d) ? binary(z, WEFT_OP_subtract, number(z, made->dims[d]), b[d].ahead)
                                          : NULL;
    weft_local_map(z, piece, slice_at(z, x, at, made->dims));
    return z->b->status;
}

/* i1 in the shape of type: which elements of the window are the update's. */
static weft_value *inside_update(weft_localizer *z, const weft_type *type, const begin *b, weft_bits cut) {
    weft_value *all = NULL;
    WEFT_EACH_BIT(d, cut) {
        int64_t size = type->dims[d], dim = d;
        const weft_type *row = weft_type_tensor(z->cx, weft_local_offset_type(z)->dtype, 1, &size);
        weft_attr_pair dims[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, &dim, 1) } };
        weft_value *v = row ? weft_build_iota(z->b, row, 0) : NULL;
        v = binary(z, WEFT_OP_add, v, v ? weft_local_broadcast(z, b[d].ahead, row) : NULL);
        if (!v) return NULL;
        weft_value *low = weft_local_compare(z, v, weft_build_splat(z->b, row, 0), WEFT_comparison_direction_GE);
        weft_value *high =
            weft_local_compare(z, v, weft_build_integer(z->b, row, b[d].piece), WEFT_comparison_direction_LT);
        v = binary(z, WEFT_OP_and, low, high);
        if (v)
            v = weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, type, WEFT_I1), &v, 1, dims,
                             1);
        all = all ? binary(z, WEFT_OP_and, all, v) : v;
    }
    return all;
}

/* Of a part of the whole, what a shift may put in any place of it is all of it. */
static void begin_shifted(weft_localizer *z, const weft_value *whole, const weft_value *update, uint32_t d,
                          int64_t part, begin *b) {
    b->ahead = binary(z, WEFT_OP_subtract, weft_local_dim_index(z, weft_local_placement(z, whole), d, part), b->start);
    b->piece = update->type->dims[d];
    b->window = part;
}

weft_status weft_lower_dynamic_update_slice(weft_localizer *z, const weft_op *op) {
    const weft_value *whole = op->operands[0], *update = op->operands[1];
    const weft_bits smaller = smaller_dims(whole->type, update->type);
    const weft_bits shifted = shifted_dims(op, weft_local_placement(z, whole), weft_local_placement(z, update));
    weft_value *x = weft_local_value(z, whole), *u = weft_local_value(z, update), *operands[2 + WEFT_MAX_RANK],
               *at[WEFT_MAX_RANK] = { NULL };
    begin b[WEFT_MAX_RANK];
    int64_t sizes[WEFT_MAX_RANK];
    weft_bits apart;
    if (!x || !u) return weft_oom();
    if (!atoms_at(z, whole, smaller) && !atoms_at(z, update, smaller)) return lower_plainly(z, op);
    const uint32_t rank = whole->type->rank;
    weft_status st = check_piece(z, op, update, smaller, shifted);
    if (st == WEFT_OK) st = begin_of(z, whole, update, shifted, (weft_value *const *)op->operands + 2, b, &apart);
    for (uint32_t d = 0; st == WEFT_OK && d < rank; d++) {
        if (weft_bits_has(shifted, d)) begin_shifted(z, whole, update, d, x->type->dims[d], &b[d]);
        at[d] = b[d].at;
        sizes[d] = b[d].window;
    }
    if (st != WEFT_OK || (st = z->b->status) != WEFT_OK) return st;
    weft_value *was = slice_at(z, x, at, sizes), *in = was ? inside_update(z, was->type, b, apart | shifted) : NULL;
    u = between_zeros(z, fetch_shifted(z, op, u, weft_local_placement(z, whole), shifted), apart, sizes);
    for (uint32_t d = 0; d < rank; d++) {
        at[d] = weft_bits_has(shifted, d) ? play_of(z, op, d, b[d].start)
                : weft_bits_has(apart, d) ? binary(z, WEFT_OP_add, b[d].ahead, number(z, b[d].window)) : NULL;
    }
    operands[0] = x;
    operands[1] = weft_local_select(z, in, slice_at(z, u, at, sizes), was);
    for (uint32_t d = 0; d < rank; d++) operands[2 + d] = b[d].at ? b[d].at : number(z, 0);
    if (operands[1] && operands[1]->type != x->type)
        operands[1] = weft_build_1(z->b, WEFT_OP_dynamic_update_slice, x->type, operands, 2 + rank, NULL, 0);
    weft_local_map(z, &op->results[0], operands[1]);
    return z->b->status;
}
