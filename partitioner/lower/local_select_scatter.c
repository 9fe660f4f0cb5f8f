/* local_select_scatter.c: select_and_scatter along a dimension that is split, as the gradient of max-pooling has it.
 *
 * A device makes its part of the result. What is added there comes from the windows that reach into it: the device
 * fetches the part of the operand that these cover and their part of the source (halo.h), runs the op on both, and
 * keeps what is its own. Windows before the first and after the last add nothing.
 *
 * Windows that see padding, and bodies that do not add, cannot be had so: what is outside of the operand must not be
 * selected, whatever selects, and there may be nothing that changes nothing. Then the op is taken apart as the
 * specification defines it: windows of elements with their places, of which the ones outside are nowhere, select a
 * place each, and a scatter puts the source there. It drops what goes nowhere. Source: StableHLO docs/spec.md,
 * select_and_scatter.
 */
#include "partitioner/lower/halo.h"
#include "partitioner/lower/local_ops.h"
#include "partitioner/lower/window_view.h"

static int64_t window_size(const weft_op *op, uint32_t d) { return weft_op_int_at(op, WEFT_A_window_dimensions, d, 1); }
static int64_t window_stride(const weft_op *op, uint32_t d) { return weft_op_int_at(op, WEFT_A_window_strides, d, 1); }
static bool is_padded(const weft_op *op, uint32_t d) {
    return weft_op_padding_at(op, d, 0) || weft_op_padding_at(op, d, 1);
}
static bool is_single(const weft_op *op, uint32_t d) {
    return window_size(op, d) == 1 && window_stride(op, d) == 1 && !is_padded(op, d);
}

static bool is_cut(const weft_localizer *z, const weft_op *op, uint32_t d) {
    return !is_single(op, d) && weft_placement_dim(weft_local_placement(z, op->operands[0]), d).n > 0;
}

/* Whether the op itself does on what a device sees: along what is split nothing is padded, and there is what adds
 * nothing. */
static bool runs_as_it_is(const weft_localizer *z, const weft_op *op) {
    bool adds = weft_partial_of_reducer(op, 1, op->results[0].type->dtype) == WEFT_PARTIAL_SUM;
    for (uint32_t d = 0; d < op->operands[0]->type->rank; d++)
        if (is_cut(z, op, d) && (!adds || is_padded(op, d))) return false;
    return true;
}

/* --- what reaches into a part ------------------------------------------------------------------------------------- */

typedef struct cover {
    int64_t shards, part;        /* of the result and the operand */
    int64_t windows, span;       /* windows that reach into a part, elements of the operand that they cover */
    int64_t *first, *begin;      /* [shards]: number of the first window and of the first element; below 0 in padding */
    int64_t *own;                /* [shards]: how far after it the device's part begins */
} cover;

/* numbers: room for 3 * shards. A part begins inside its first window or after it. */
static cover cover_of(const weft_op *op, uint32_t d, int64_t shards, int64_t *numbers) {
    int64_t size = window_size(op, d), stride = window_stride(op, d), low = weft_op_padding_at(op, d, 0), reach = 0;
    cover c = { shards, weft_ceil_div(op->operands[0]->type->dims[d], shards), 0, 0, numbers, numbers + shards,
                numbers + 2 * shards };
    for (int64_t k = 0; k < shards; k++) {
        int64_t at = k * c.part + low; /* in positions, of which padding has some */
        c.first[k] = weft_min_i64(-weft_floor_div(-(at - size + 1), stride), weft_floor_div(at, stride));
        c.begin[k] = c.first[k] * stride - low;
        c.own[k] = k * c.part - c.begin[k];
        c.windows = weft_max_i64(c.windows, weft_floor_div(at + c.part - 1, stride) - c.first[k] + 1);
        reach = weft_max_i64(reach, c.own[k] + c.part);
    }
    c.span = weft_max_i64((c.windows - 1) * stride + size, reach);
    return c;
}

static weft_halo halo_of_operand(const weft_op *op, uint32_t d, const cover *c) {
    return (weft_halo){ c->shards, c->part, c->span, c->begin, 0, op->operands[0]->type->dims[d] };
}
static weft_halo halo_of_source(const weft_op *op, uint32_t d, const cover *c) {
    const int64_t size = op->operands[1]->type->dims[d];
    return (weft_halo){ c->shards, weft_ceil_div(size, c->shards), c->windows, c->first, 0, size };
}

double weft_talk_select_and_scatter(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    weft_context *cx = weft_placements_context(t);
    const weft_placement *l[2] = { weft_placement_of(t, operands[0]), weft_placement_of(t, operands[1]) };
    double bytes[2], sent = 0;
    for (uint32_t i = 0; i < 2; i++) bytes[i] = (double)weft_placement_local_bytes(t, l[i], op->operands[i]->type);
    for (uint32_t d = 0; d < op->operands[0]->type->rank && sent >= 0; d++) {
        int64_t shards = weft_placement_dim_shards(t, l[0], d);
        if (shards == 1 || is_single(op, d)) continue;
        if (op->operands[0]->type->dims[d] <= 0 || op->operands[1]->type->dims[d] <= 0) return -1;
        weft_mark mark = weft_arena_mark(&cx->scratch);
        int64_t *numbers = weft_scratch_array(cx, int64_t, 3 * shards);
        if (!numbers) return -1;
        cover c = cover_of(op, d, shards, numbers);
        weft_halo h[2] = { halo_of_operand(op, d, &c), halo_of_source(op, d, &c) };
        for (uint32_t i = 0; i < 2 && sent >= 0; i++) {
            int64_t elems = i && !weft_placement_dim(l[1], d).n ? 0 : weft_halo_sent(cx, &h[i]);
            sent = elems < 0 ? -1 : sent + bytes[i] * (double)elems / (double)h[i].part;
            bytes[i] *= (double)h[i].need / (double)h[i].part;
        }
        weft_arena_reset(&cx->scratch, mark);
    }
    return sent;
}

/* --- lowering ----------------------------------------------------------------------------------------------------- */

/* What adds nothing, not even the sign of a zero. */
static weft_value *nothing(weft_localizer *z, const weft_value *x) {
    return weft_build_splat(z->b, weft_type_tensor(z->cx, x->type->dtype, 0, NULL), -0.0);
}

/* The windows of the source that reach into this device's part, and nothing where there are none: from the devices that
 * have them, or from what is here whole. */
static weft_value *source_of(weft_localizer *z, const weft_op *op, weft_value *x, uint32_t d, const uint8_t *atoms,
                             uint32_t n, const cover *c) {
    int64_t count = op->operands[1]->type->dims[d], low = 0, high = 0;
    if (weft_placement_dim(weft_local_placement(z, op->operands[1]), d).n) {
        weft_halo h = halo_of_source(op, d, c);
        x = weft_halo_fetch(z, x, d, atoms, n, &h);
        weft_value *in = x ? weft_halo_inside(z, x->type, d, atoms, n, c->first, c->shards, 0, count) : NULL;
        return in ? weft_local_select(z, in, x, weft_local_broadcast(z, nothing(z, x), x->type)) : x;
    }
    weft_value *starts[WEFT_MAX_RANK] = { NULL };
    for (int64_t k = 0; k < c->shards; k++) {
        low = weft_max_i64(low, -c->first[k]);
        high = weft_max_i64(high, c->first[k] + c->windows - count);
    }
    for (int64_t k = 0; k < c->shards; k++) c->first[k] += low;
    starts[d] = weft_halo_number(z, atoms, n, c->first, c->shards);
    if (low || high) x = weft_local_padded(z, x, d, low, high, nothing(z, x));
    return x ? weft_local_part(z, x, weft_local_resized(z, x->type, d, c->windows), starts) : NULL;
}

/* --- taken apart -------------------------------------------------------------------------------------------------- */

/* What a device sees. */
typedef struct sight {
    weft_value *x, *source;
    weft_value *inside;          /* i1 over x: elements of the operand; NULL: all are */
    weft_value *meant;           /* i1 over the source: windows of the op; NULL: all are */
    weft_value *starts[WEFT_MAX_RANK]; /* of the device's part in x; NULL: 0 */
    bool more;                   /* x is more than the device's part */
} sight;

static void also(weft_localizer *z, weft_value **all, weft_value *mask) {
    if (mask) *all = *all ? weft_build_binary(z->b, WEFT_OP_and, *all, mask) : mask;
}

/* Which of `need` elements along one dimension are of the `size` that there are; NULL: all. Spread over a shape once
 * that is known, for other dimensions grow too. */
static weft_value *line_of(weft_localizer *z, int64_t need, const uint8_t *atoms, uint32_t n, const int64_t *from,
                           int64_t shards, int64_t size) {
    const weft_type *line = weft_type_tensor(z->cx, WEFT_I1, 1, &need);
    if (!line && z->b->status == WEFT_OK) z->b->status = weft_oom();
    return line ? weft_halo_inside(z, line, 0, atoms, n, from, shards, 0, size) : NULL;
}

static weft_value *over(weft_localizer *z, weft_value *line, const weft_type *type, uint32_t d) {
    const int64_t to = d;
    const weft_type *all = line ? weft_type_with_dtype(z->cx, type, WEFT_I1) : NULL;
    if (line && !all && z->b->status == WEFT_OK) z->b->status = weft_oom();
    return all ? weft_build_broadcast(z->b, line, all, &to) : NULL;
}

/* The places of x's elements in it, row by row, and -1 of those that are none of the operand's. */
static weft_value *places_of(weft_localizer *z, const sight *s) {
    const weft_type *type = weft_type_with_dtype(z->cx, s->x->type, WEFT_I64);
    int64_t elems = weft_type_elems(s->x->type);
    const weft_type *flat = weft_type_tensor(z->cx, WEFT_I64, 1, &elems);
    weft_value *v = type && flat ? weft_build_iota(z->b, flat, 0) : NULL;
    v = v ? weft_local_reshaped(z, v, type->rank, type->dims) : NULL;
    return s->inside && v ? weft_local_select(z, s->inside, v, weft_build_splat(z->b, type, -1)) : v;
}

/* A builder for a new block of region r with arguments of these types. */
static weft_builder body_of(weft_localizer *z, weft_region *r, const weft_type *const *types, uint32_t n,
                            weft_value **args) {
    weft_builder b = *z->b;
    b.before = NULL;
    b.block = weft_build_block(z->b, r);
    if (!b.block) b.status = weft_oom();
    for (uint32_t i = 0; i < n; i++) {
        if (!types[i] && b.status == WEFT_OK) b.status = weft_oom();
        args[i] = b.status == WEFT_OK ? weft_build_block_arg(&b, b.block, types[i], z->b->loc) : NULL;
    }
    return b;
}

/* The body of old over x and y. */
static weft_value *apply(weft_localizer *z, weft_builder *b, const weft_block *old, weft_value *x, weft_value *y) {
    if (b->status != WEFT_OK) return NULL;
    weft_local_map(z, old->args[0], x);
    weft_local_map(z, old->args[1], y);
    weft_status st = weft_rewrite_inline(z->rewrite, b, old);
    if (st != WEFT_OK && b->status == WEFT_OK) b->status = st;
    return st == WEFT_OK ? weft_local_value(z, weft_block_terminator(old)->operands[0]) : NULL;
}

static void end_body(weft_localizer *z, weft_builder *b, weft_value *const *values, uint32_t n) {
    if (b->status == WEFT_OK)
        weft_build_op(b, &(weft_op_spec){ .kind = WEFT_OP_return, .operands = values, .operand_count = n });
    if (z->b->status == WEFT_OK) z->b->status = b->status;
}

/* Of two elements with their places: the first where only that is one, or both are and it is selected. */
static void select_places(weft_localizer *z, const weft_op *op, weft_op *windows) {
    const weft_type *scalar = weft_type_tensor(z->cx, op->operands[0]->type->dtype, 0, NULL),
                    *place = weft_type_tensor(z->cx, WEFT_I64, 0, NULL);
    const weft_type *types[4] = { scalar, place, scalar, place };
    weft_value *a[4], *ends[2];
    weft_builder b = body_of(z, &windows->regions[0], types, 4, a);
    weft_value *chosen = apply(z, &b, weft_op_body(op, 0), a[0], a[2]);
    if (!chosen) {
        end_body(z, &b, NULL, 0);
        return;
    }
    weft_builder *outer = z->b;
    z->b = &b;
    weft_value *none = weft_build_splat(&b, place, 0);
    weft_value *one = weft_local_compare(z, a[1], none, WEFT_comparison_direction_GE),
               *other = weft_local_compare(z, a[3], none, WEFT_comparison_direction_LT);
    weft_value *first =
        one && other ? weft_build_binary(&b, WEFT_OP_or, other, weft_build_binary(&b, WEFT_OP_and, one, chosen)) : NULL;
    ends[0] = weft_local_select(z, first, a[0], a[2]);
    ends[1] = weft_local_select(z, first, a[1], a[3]);
    z->b = outer;
    end_body(z, &b, ends, 2);
}

/* The place that each window selects, in the shape of the source. */
static weft_value *selected(weft_localizer *z, const weft_op *op, const sight *s) {
    const uint32_t rank = s->x->type->rank;
    int64_t sizes[WEFT_MAX_RANK], strides[WEFT_MAX_RANK], padding[2 * WEFT_MAX_RANK], shape[2] = { rank, 2 };
    for (uint32_t d = 0; d < rank; d++) {
        sizes[d] = window_size(op, d);
        strides[d] = window_stride(op, d);
        for (uint32_t end = 0; end < 2; end++)
            padding[2 * d + end] = is_cut(z, op, d) ? 0 : weft_op_padding_at(op, d, end);
        int64_t seen = (s->source->type->dims[d] - 1) * strides[d] + sizes[d];
        /* below 0 where the last windows end before x does */
        if (is_cut(z, op, d)) padding[2 * d + 1] = seen - s->x->type->dims[d];
    }
    const weft_named_attr attrs[] = {
        { weft_name_at(z->cx, WEFT_A_window_dimensions), weft_attr_ints(z->cx, WEFT_I64, sizes, rank) },
        { weft_name_at(z->cx, WEFT_A_window_strides), weft_attr_ints(z->cx, WEFT_I64, strides, rank) },
        { weft_name_at(z->cx, WEFT_A_padding), weft_attr_dense_i64(z->cx, 2, shape, padding) }
    };
    weft_value *operands[4] = { s->x, places_of(z, s),
                                weft_build_splat(z->b, weft_type_tensor(z->cx, s->x->type->dtype, 0, NULL), 0),
                                weft_build_splat(z->b, weft_type_tensor(z->cx, WEFT_I64, 0, NULL), -1) };
    const weft_type *types[2] = { weft_type_with_dims(z->cx, s->x->type, rank, s->source->type->dims),
                                  weft_type_with_dtype(z->cx, s->source->type, WEFT_I64) };
    for (size_t i = 0; i < WEFT_COUNT(attrs); i++)
        if (!attrs[i].value) return NULL;
    weft_op *made = operands[1] && types[0] && types[1]
                        ? weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_reduce_window, .operands = operands,
                                                               .operand_count = 4, .types = types, .result_count = 2,
                                                               .attrs = attrs, .attr_count = WEFT_COUNT(attrs),
                                                               .region_count = 1 })
                        : NULL;
    if (!made) return NULL;
    select_places(z, op, made);
    weft_value *at = &made->results[1];
    return s->meant ? weft_local_select(z, s->meant, at, weft_build_splat(z->b, at->type, -1)) : at;
}

/* The source put at these places among initial values. */
static weft_value *put(weft_localizer *z, const weft_op *op, const sight *s, weft_value *at) {
    const int64_t elems = weft_type_elems(s->x->type), count = weft_type_elems(s->source->type), zero = 0,
                  column[2] = { count, 1 };
    const weft_ints first = { &zero, 1 };
    const weft_type *flat = weft_type_tensor(z->cx, op->results[0].type->dtype, 1, &elems);
    weft_value *operands[3] = { flat ? weft_local_broadcast(z, weft_local_value(z, op->operands[2]), flat) : NULL,
                                weft_local_reshaped(z, at, 2, column), weft_local_reshaped(z, s->source, 1, &count) };
    const weft_attr dims = {
        .kind = WEFT_ATTR_SCATTER,
        .scatter = { .inserted_window_dims = first, .scatter_dims_to_operand_dims = first, .index_vector_dim = 1 }
    };
    const weft_named_attr attr = { weft_name_at(z->cx, WEFT_A_scatter_dimension_numbers),
                                   weft_attr_copy(z->cx, &dims) };
    weft_op *made = operands[0] && operands[1] && operands[2] && attr.value
                        ? weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_scatter, .operands = operands,
                                                               .operand_count = 3, .types = &flat, .result_count = 1,
                                                               .attrs = &attr, .attr_count = 1, .region_count = 1 })
                        : NULL;
    if (!made) return NULL;
    const weft_type *scalar = weft_type_tensor(z->cx, flat->dtype, 0, NULL), *types[2] = { scalar, scalar };
    weft_value *args[2];
    weft_builder b = body_of(z, &made->regions[0], types, 2, args);
    weft_value *end = apply(z, &b, weft_op_body(op, 1), args[0], args[1]);
    end_body(z, &b, &end, end != NULL);
    return weft_local_reshaped(z, &made->results[0], s->x->type->rank, s->x->type->dims);
}

/* --- the op ------------------------------------------------------------------------------------------------------- */

/* Fetches what the windows that reach into this device's part need. */
static weft_status look(weft_localizer *z, const weft_op *op, bool as_it_is, sight *s) {
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    const uint32_t rank = op->operands[0]->type->rank;
    weft_value *inside[WEFT_MAX_RANK] = { NULL }, *meant[WEFT_MAX_RANK] = { NULL };
    *s = (sight){ .x = weft_local_value(z, op->operands[0]), .source = weft_local_value(z, op->operands[1]) };
    for (uint32_t d = 0; s->x && s->source && d < rank; d++) {
        uint8_t atoms[WEFT_MAX_ATOMS];
        uint32_t n = weft_placement_dim_atoms(l, d, atoms);
        int64_t shards = weft_placement_dim_shards(z->t, l, d);
        if (!is_cut(z, op, d)) continue;
        weft_mark mark = weft_arena_mark(&z->cx->scratch);
        int64_t *numbers = weft_scratch_array(z->cx, int64_t, 3 * shards);
        if (!numbers) return weft_oom();
        cover c = cover_of(op, d, shards, numbers);
        weft_halo h = halo_of_operand(op, d, &c);
        s->x = weft_halo_fetch(z, s->x, d, atoms, n, &h);
        if (!as_it_is) {
            inside[d] = line_of(z, c.span, atoms, n, c.begin, shards, op->operands[0]->type->dims[d]);
            meant[d] = line_of(z, c.windows, atoms, n, c.first, shards, op->operands[1]->type->dims[d]);
        }
        s->source = s->x ? source_of(z, op, s->source, d, atoms, n, &c) : NULL;
        if (c.span != c.part) s->starts[d] = weft_halo_number(z, atoms, n, c.own, shards);
        s->more = s->more || c.span != c.part;
        weft_arena_reset(&z->cx->scratch, mark);
    }
    for (uint32_t d = 0; s->x && s->source && d < rank; d++) {
        also(z, &s->inside, over(z, inside[d], s->x->type, d));
        also(z, &s->meant, over(z, meant[d], s->source->type, d));
    }
    return z->b->status;
}

weft_status weft_lower_select_and_scatter(weft_localizer *z, const weft_op *op) {
    const bool as_it_is = runs_as_it_is(z, op);
    const weft_type *type = weft_local_type(z, &op->results[0]);
    weft_op *made = NULL;
    sight s;
    weft_status st = look(z, op, as_it_is, &s);
    if (st == WEFT_OK && as_it_is) st = weft_local_clone(z, op, &made);
    if (st != WEFT_OK || !s.x || !s.source || !type) return st != WEFT_OK ? st : weft_oom();
    weft_value *all = as_it_is ? &made->results[0] : NULL;
    if (as_it_is) {
        made->operands[0] = s.x;
        made->operands[1] = s.source;
        made->results[0].type = s.x->type;
    } else {
        weft_value *at = selected(z, op, &s);
        all = at ? put(z, op, &s, at) : NULL;
    }
    weft_local_map(z, &op->results[0], s.more ? weft_local_part(z, all, type, s.starts) : all);
    return z->b->status != WEFT_OK || all ? z->b->status : weft_oom();
}
