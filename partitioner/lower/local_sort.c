/* local_sort.c: sort and top_k along a dimension that is split.
 *
 * A sort: each device sorts its part, the devices find where the parts are split so that each gets its own elements of
 * the whole (splits.h), send each other these pieces, and sort what came. Every element is sent once at most, where a
 * gather sends it to every device. The pieces come in the order of the devices and the sorts are stable, so equal
 * elements keep their order. How many elements go to a device is known only when the program runs: the call is
 * ragged_all_to_all.
 *
 * The k largest: each device takes those of its part, and all take the k largest of these.
 */
#include "partitioner/lower/local_ops.h"
#include "partitioner/lower/splits.h"

static uint32_t sorted_dim(const weft_op *op) {
    const int64_t d = weft_op_int(op, WEFT_A_dimension, -1);
    return (uint32_t)(d < 0 ? d + (int64_t)op->operands[0]->type->rank : d);
}

static weft_bits factors_of_dim(const weft_rule *rule, uint32_t tensor, uint32_t d) {
    weft_bits set = 0;
    for (uint32_t k = 0; d < rule->tensors[tensor].rank && k < rule->tensors[tensor].dims[d].n; k++)
        set |= weft_bit(rule->factors[rule->tensors[tensor].dims[d].first + k]);
    return set;
}

weft_bits weft_factors_sort(const weft_op *op, const weft_rule *rule) {
    return weft_pass_factors(op, rule) | factors_of_dim(rule, 0, sorted_dim(op));
}

/* --- what it costs ------------------------------------------------------------------------------------------------ */

/* From the 64th operand on all are one. */
static weft_bits bit_of(uint32_t operand) { return weft_bit(operand < 63 ? operand : 63); }

typedef struct marks { const weft_block *body; weft_bits seen; } marks;

static weft_status mark_operands(void *user, weft_op *op) {
    marks *m = user;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operands[i]->block == m->body) m->seen |= bit_of(op->operands[i]->index / 2);
    return WEFT_OK;
}

/* The operands that the comparator looks at. */
static weft_bits compared(const weft_op *op) {
    marks m = { weft_op_body(op, 0), 0 };
    for (weft_op *inner = m.body->first; inner; inner = inner->next)
        if (weft_op_walk(inner, mark_operands, &m) != WEFT_OK) return ~(weft_bits)0;
    return m.seen;
}

static bool is_compared(weft_bits set, uint32_t operand) { return (set & bit_of(operand)) != 0; }

/* The parts of a sorted dimension, and how their cuts are found. */
typedef struct parts {
    int64_t devices, part, size;
    double rows;               /* of a device; below 1: it cannot be sorted in parts */
    weft_split_plan plan;
} parts;

static parts parts_of(weft_placements *t, const weft_op *op, weft_placement_id at) {
    const weft_type *type = op->operands[0]->type;
    const uint32_t d = sorted_dim(op);
    parts p = { .devices = weft_placement_dim_shards(t, weft_placement_of(t, at), d), .size = type->dims[d] };
    const weft_type *local = p.size > 0 ? weft_placement_local_type(t, at, type) : NULL;
    p.part = weft_ceil_div(p.size, p.devices);
    if (!local || op->operand_count > 62) return p;
    p.rows = (double)weft_type_elems(local) / (double)p.part;
    if (p.rows >= 1 && p.devices > 1) p.plan = weft_split_plan_of(p.part, p.devices);
    return p;
}

static double row_bytes(const parts *p, const weft_op *op, uint32_t i) {
    return p->rows * (double)weft_dtype_bytes(op->operands[i]->type->dtype);
}

/* Of an exchange of which only a run knows how even it is: as an even one. The tables that go before it, of all rows,
 * and the elements told count too. */
double weft_talk_sort(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    const parts p = parts_of(t, op, operands[0]);
    const double others = (double)(p.devices - 1);
    if (p.devices == 1) return 0;
    if (p.rows < 1) return -1;
    const weft_bits keys = compared(op);
    double sent = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const double bytes = row_bytes(&p, op, i);
        sent += bytes * (double)p.part * others / (double)p.devices + p.rows * 8 * others;
        if (is_compared(keys, i)) sent += bytes * (double)weft_split_told(&p.plan, p.devices) * others;
    }
    return sent;
}

/* To find the cuts may take more memory than a gather: a table of the windows of all devices. */
double weft_room_sort(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    const parts p = parts_of(t, op, operands[0]);
    double gathered = 0;
    if (p.devices == 1 || p.rows < 1) return 0;
    for (uint32_t i = 0; i < op->operand_count; i++) gathered += row_bytes(&p, op, i) * (double)p.size;
    const double room = p.rows * 4 * (double)weft_split_room(&p.plan, p.devices);
    return room > gathered ? room : 0;
}

static weft_status failed(const weft_localizer *z) { return z->b->status != WEFT_OK ? z->b->status : weft_oom(); }

/* --- sorting parts ------------------------------------------------------------------------------------------------ */

typedef struct sorter {
    weft_localizer *z;
    const weft_op *op;
    uint32_t count;
    const uint8_t *atoms; uint32_t n;
    int64_t devices, size, rows, part;
    weft_value *real;              /* [devices]: elements that are not padding */
    weft_value *mine;              /* of this device, a scalar; NULL: all parts are full */
} sorter;

/* i1 over [rows, part]: whether an element is one of the first s->mine. */
static weft_value *is_real(const sorter *s) {
    weft_localizer *z = s->z;
    const int64_t shape[2] = { s->rows, s->part };
    const weft_type *type = s->mine ? weft_type_tensor(z->cx, s->mine->type->dtype, 2, shape) : NULL;
    return type ? weft_local_compare(z, weft_build_iota(z->b, type, 1), weft_local_broadcast(z, s->mine, type),
                                     WEFT_comparison_direction_LT)
                : NULL;
}

/* Elements of rows for which `last` is 0 first, in their order. */
static weft_op *put_last(const sorter *s, weft_value *const *x, uint32_t count) {
    weft_localizer *z = s->z;
    const weft_named_attr attrs[2] = { { weft_name_at(z->cx, WEFT_A_dimension), weft_attr_i64(z->cx, 1) },
                                       { weft_name_at(z->cx, WEFT_A_is_stable), weft_attr_bool(z->cx, true) } };
    const weft_mark mark = weft_arena_mark(&z->cx->scratch);
    const weft_type **types = weft_scratch_array(z->cx, const weft_type *, count);
    weft_op *made = NULL;
    if (!types) z->b->status = weft_oom();
    for (uint32_t i = 0; types && i < count; i++) types[i] = x[i]->type;
    if (types)
        made = weft_build_op(z->b, &(weft_op_spec){ .kind = WEFT_OP_sort, .operands = x, .operand_count = count,
                                                    .types = types, .result_count = count, .attrs = attrs,
                                                    .attr_count = 2, .region_count = 1 });
    weft_arena_reset(&z->cx->scratch, mark);
    if (!made) return NULL;
    weft_builder body = *z->b;
    body.before = NULL;
    body.block = weft_build_block(z->b, &made->regions[0]);
    weft_value *side[2] = { NULL, NULL };
    for (uint32_t i = 0; i < 2 * count && body.block; i++) {
        const weft_type *scalar = weft_type_tensor(z->cx, x[i / 2]->type->dtype, 0, NULL);
        side[i % 2] = scalar ? weft_build_block_arg(&body, body.block, scalar, z->b->loc) : NULL;
    }
    weft_builder *outer = z->b;
    z->b = &body;
    weft_value *less = weft_local_compare(z, side[0], side[1], WEFT_comparison_direction_LT);
    z->b = outer;
    const weft_op_spec end = { .kind = WEFT_OP_return, .operands = &less, .operand_count = 1 };
    if (!less || !weft_build_op(&body, &end))
        z->b->status = body.status != WEFT_OK ? body.status : weft_oom();
    return z->b->status == WEFT_OK ? made : NULL;
}

/* Rows x sorted in place. Padding, which comes last, is compared as the row's first element: a comparator may make
 * nonsense of anything, or of an order that this spoils. */
static weft_status sort_rows(const sorter *s, weft_value **x) {
    weft_localizer *z = s->z;
    weft_value *there = is_real(s);
    const int64_t shape[2] = { s->rows, s->part }, to[2] = { 0, 1 };
    for (uint32_t i = 0; s->mine && i < s->count; i++)
        x[i] = weft_local_select(z, there, x[i],
                                 weft_split_spread(z, weft_local_cut(z, x[i], 1, 0, 1), 2, shape, to));
    if (s->mine) {
        weft_value *real = there ? weft_local_convert(z, there, WEFT_UI8) : NULL;
        weft_value *one = real ? weft_build_splat(z->b, real->type, 1) : NULL;
        x[s->count] = weft_build_binary(z->b, WEFT_OP_subtract, one, real);
    }
    for (uint32_t i = 0; i < s->count + (s->mine ? 1 : 0); i++)
        if (!x[i]) return failed(z);
    const weft_op *made = weft_sort_build(z, s->op, x, s->mine ? 1 : 0, 1);
    for (uint32_t i = 0; made && i < s->count + (s->mine ? 1 : 0); i++) x[i] = (weft_value *)&made->results[i];
    if (made && s->mine && (made = put_last(s, x, s->count + 1)))
        for (uint32_t i = 0; i < s->count; i++) x[i] = (weft_value *)&made->results[i];
    return made ? z->b->status : failed(z);
}

/* --- the exchange ------------------------------------------------------------------------------------------------- */

/* Of each device and row a number: [rows, devices] as a table of rows in i64, device by device. */
static weft_value *as_table(const sorter *s, weft_value *x) {
    const int64_t turn[2] = { 1, 0 }, flat = s->rows * s->devices;
    x = weft_local_reshaped(s->z, weft_local_transposed(s->z, x, turn), 1, &flat);
    return weft_local_convert(s->z, x, WEFT_I64);
}

/* Numbers of elements in rows as numbers of elements of all rows. */
static weft_value *in_all_rows(const sorter *s, weft_value *table) {
    weft_localizer *z = s->z;
    if (!table) return NULL;
    const int64_t shape[2] = { s->devices, s->rows }, flat = s->rows * s->devices;
    const weft_type *type = weft_type_tensor(z->cx, WEFT_I64, 2, shape);
    weft_value *row = type ? weft_build_iota(z->b, type, 1) : NULL;
    weft_value *length = row ? weft_build_integer(z->b, type, s->part) : NULL;
    weft_value *first = weft_build_binary(z->b, WEFT_OP_multiply, row, length);
    return weft_build_binary(z->b, WEFT_OP_add, table, weft_local_reshaped(z, first, 1, &flat));
}

/* x [rows, m, n] at this device's number of dimension d, 1 or 2: [rows, the other one]. */
static weft_value *of_mine(const sorter *s, weft_value *x, uint32_t d) {
    weft_localizer *z = s->z;
    weft_value *starts[WEFT_MAX_RANK] = { NULL };
    if (!x) return NULL;
    starts[d] = weft_local_index(z, s->atoms, s->n, 1);
    const int64_t dims[2] = { s->rows, x->type->dims[3 - d] };
    return weft_local_reshaped(z, weft_local_part(z, x, weft_type_with_dim(z->cx, x->type, d, 1), starts), 2, dims);
}

enum { FROM, SIZE, THERE, COMES, TABLES };

/* What ragged_all_to_all asks for, from how many elements of each device come before each border. */
static void make_tables(const sorter *s, weft_value *cuts, weft_value **table) {
    weft_localizer *z = s->z;
    weft_value *from = weft_local_cut(z, cuts, 1, 0, s->devices);
    weft_value *sizes =
        weft_build_binary(z->b, WEFT_OP_subtract, weft_local_cut(z, cuts, 1, 1, s->devices + 1), from);
    weft_value *before = weft_build_binary(z->b, WEFT_OP_subtract, weft_split_running(z, sizes, 2), sizes);
    table[FROM] = in_all_rows(s, as_table(s, of_mine(s, from, 2)));
    table[SIZE] = as_table(s, of_mine(s, sizes, 2));
    table[THERE] = in_all_rows(s, as_table(s, of_mine(s, before, 2)));
    table[COMES] = as_table(s, of_mine(s, sizes, 1));
}

static weft_value *exchanged(const sorter *s, weft_value *x, weft_value *const *table) {
    weft_localizer *z = s->z;
    const int64_t flat = s->rows * s->part, shape[2] = { s->rows, s->part };
    weft_value *rows = weft_local_reshaped(z, x, 1, &flat);
    if (!rows) return NULL;
    weft_value *in[2 + TABLES] = { rows, weft_build_splat(z->b, rows->type, 0), table[FROM], table[SIZE], table[THERE],
                                   table[COMES] };
    for (uint32_t i = 0; i < WEFT_COUNT(in); i++)
        if (!in[i]) return NULL;
    const weft_attr_pair attrs[] = {
        { WEFT_A_call_target_name, weft_attr_string(z->cx, WEFT_STR("ragged_all_to_all")) },
        { WEFT_A_replica_groups, weft_local_group(z, s->atoms, s->n).attr },
        { WEFT_A_channel_handle, weft_local_channel(z) },
    };
    weft_value *out = weft_build_1(z->b, WEFT_OP_custom_call, rows->type, in, WEFT_COUNT(in), attrs, WEFT_COUNT(attrs));
    return weft_local_reshaped(z, out, 2, shape);
}

/* How many of the elements each device has are not padding. */
static weft_value *count_real(weft_localizer *z, int64_t size, int64_t part, int64_t devices) {
    const weft_type *offset = weft_local_offset_type(z);
    const weft_type *type = offset ? weft_type_with_dims(z->cx, offset, 1, &devices) : NULL;
    weft_value *begin = type ? weft_build_iota(z->b, type, 0) : NULL;
    begin = begin ? weft_build_binary(z->b, WEFT_OP_multiply, begin, weft_local_offset(z, type, part)) : NULL;
    weft_value *all = begin ? weft_local_offset(z, type, size) : NULL;
    weft_value *left = weft_build_binary(z->b, WEFT_OP_subtract, all, begin);
    left = left ? weft_build_binary(z->b, WEFT_OP_maximum, left, weft_local_offset(z, type, 0)) : NULL;
    return left ? weft_build_binary(z->b, WEFT_OP_minimum, left, weft_local_offset(z, type, part)) : NULL;
}

/* Rows x, sorted over all devices, in place; x has room for one more. */
static weft_status sort_over(const sorter *s, weft_value **x) {
    weft_localizer *z = s->z;
    const weft_bits keys = compared(s->op);
    weft_status st = sort_rows(s, x);
    if (st != WEFT_OK) return st;
    const weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **seen = weft_scratch_array(z->cx, weft_value *, s->count), *table[TABLES];
    if (!seen) return weft_oom();
    for (uint32_t i = 0; i < s->count; i++) seen[i] = is_compared(keys, i) ? x[i] : NULL;
    const weft_split_rows rows = { .x = seen, .count = s->count, .rows = s->rows, .part = s->part, .size = s->size,
                                   .devices = s->devices, .atoms = s->atoms, .n = s->n, .real = s->real };
    make_tables(s, weft_split_find(z, s->op, &rows), table);
    for (uint32_t i = 0; i < s->count; i++) x[i] = exchanged(s, x[i], table);
    weft_arena_reset(&z->cx->scratch, mark);
    return sort_rows(s, x);
}

/* Dimension d last, the others before it: there, or back. */
static weft_value *turned(weft_localizer *z, weft_value *x, uint32_t rank, uint32_t d, bool back) {
    int64_t order[WEFT_MAX_RANK];
    if (d + 1 == rank) return x;
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t to = i < d ? i : i == d ? rank - 1 : i - 1;
        if (back) order[i] = to;
        else order[to] = i;
    }
    return weft_local_transposed(z, x, order);
}

weft_status weft_lower_sort(weft_localizer *z, const weft_op *op) {
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    const uint32_t d = sorted_dim(op), rank = op->operands[0]->type->rank;
    const weft_type *local = weft_local_type(z, op->operands[0]);
    uint8_t atoms[WEFT_MAX_ATOMS];
    weft_op *made = NULL;
    sorter s = { .z = z, .op = op, .count = op->operand_count, .atoms = atoms,
                 .size = op->operands[0]->type->dims[d] };
    if (!local) return weft_oom();
    s.n = weft_placement_dim_atoms(l, d, atoms);
    if (!s.n) return weft_local_clone(z, op, &made);
    s.devices = weft_placement_dim_shards(z->t, l, d);
    s.part = local->dims[d];
    s.rows = weft_type_elems(local) / s.part;
    s.real = count_real(z, s.size, s.part, s.devices);
    if (s.size % s.devices) {
        weft_value *starts[WEFT_MAX_RANK] = { weft_local_index(z, atoms, s.n, 1) };
        const weft_type *one = s.real ? weft_type_with_dim(z->cx, s.real->type, 0, 1) : NULL;
        s.mine = weft_local_reshaped(z, weft_local_part(z, s.real, one, starts), 0, NULL);
        if (!s.mine) return failed(z);
    }
    const weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **x = weft_scratch_array(z->cx, weft_value *, s.count + 1);
    if (!x) return weft_oom();
    const int64_t flat[2] = { s.rows, s.part };
    for (uint32_t i = 0; i < s.count; i++)
        x[i] = weft_local_reshaped(z, turned(z, weft_local_value(z, op->operands[i]), rank, d, false), 2, flat);
    weft_status st = z->b->status == WEFT_OK ? sort_over(&s, x) : z->b->status;
    int64_t there[WEFT_MAX_RANK];
    for (uint32_t i = 0, k = 0; i < rank; i++)
        if (i != d) there[k++] = local->dims[i];
    there[rank - 1] = s.part;
    for (uint32_t i = 0; st == WEFT_OK && i < s.count; i++)
        weft_local_map(z, &op->results[i], turned(z, weft_local_reshaped(z, x[i], rank, there), rank, d, true));
    weft_arena_reset(&z->cx->scratch, mark);
    return st == WEFT_OK ? z->b->status : st;
}

/* --- the k largest ------------------------------------------------------------------------------------------------ */

static uint32_t last_dim(const weft_op *op) { return op->operands[0]->type->rank - 1; }

weft_bits weft_factors_top_k(const weft_op *op, const weft_rule *rule) {
    const uint32_t d = last_dim(op);
    const bool all = op->operands[0]->type->dims[d] == op->results[0].type->dims[d];
    return weft_pass_factors(op, rule) | (all ? 0 : factors_of_dim(rule, 0, d));
}

/* How many each device has to offer. */
static int64_t offered(const weft_op *op, int64_t part) { return weft_min_i64(weft_op_int(op, WEFT_A_k, 0), part); }

double weft_talk_top_k(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    const weft_placement *l = weft_placement_of(t, operands[0]);
    const weft_type *type = op->operands[0]->type;
    const int64_t devices = weft_placement_dim_shards(t, l, last_dim(op));
    if (devices == 1) return 0;
    const int64_t part = weft_ceil_div(type->dims[last_dim(op)], devices);
    const weft_type *local = weft_placement_local_type(t, operands[0], type);
    if (!local || !part) return -1;
    const double rows = (double)weft_type_elems(local) / (double)part,
                 bytes = (double)(weft_dtype_bytes(type->dtype) + weft_dtype_bytes(op->results[1].type->dtype));
    return rows * (double)offered(op, part) * bytes * (double)(devices - 1);
}

/* A number that none is below in the order of top_k: of floats with a sign, all bits of it are ones (IEEE 754's total
 * order). */
static weft_value *lowest(weft_localizer *z, weft_dtype dtype) {
    const bool has_sign = !weft_dtype_is_narrow_float(dtype) || weft_float_format_of(dtype)->has_sign;
    const uint64_t ones = has_sign ? ~(uint64_t)0 : 0;
    if (weft_dtype_of(dtype)->kind != WEFT_KIND_FLOAT) return weft_build_neutral(z->b, WEFT_OP_maximum, dtype);
    const weft_type *scalar = weft_type_tensor(z->cx, dtype, 0, NULL);
    return scalar ? weft_build_constant(z->b, weft_attr_dense(z->cx, scalar, &ones, true)) : NULL;
}

/* op over x, k of each row. */
static weft_op *take_largest(weft_localizer *z, const weft_op *op, weft_value *x, int64_t k) {
    if (!x) return NULL;
    const weft_type *types[2] = { weft_type_with_dim(z->cx, x->type, x->type->rank - 1, k), NULL };
    types[1] = types[0] ? weft_type_with_dtype(z->cx, types[0], op->results[1].type->dtype) : NULL;
    weft_op *made = types[1] ? weft_clone_shell(z->b, op, &z->rewrite->map, types) : NULL;
    if (!made) return NULL;
    made->operands[0] = x;
    weft_status st = weft_op_set(z->rewrite->out, made, WEFT_A_k, weft_attr_i64(z->cx, k));
    if (st == WEFT_OK) st = weft_local_strip(z, made);
    if (st != WEFT_OK && z->b->status == WEFT_OK) z->b->status = st;
    return st == WEFT_OK ? made : NULL;
}

/* Places among those that devices offered, as places in the whole. */
static weft_value *placed(weft_localizer *z, weft_value *place, weft_value *at) {
    if (!place || !at) return NULL;
    const uint32_t rank = at->type->rank;
    const int64_t n = place->type->dims[rank - 1], k = at->type->dims[rank - 1], rows = weft_type_elems(at->type) / k,
                  flat[2] = { rows, n }, few[3] = { rows, 1, k };
    weft_value *from = weft_local_reshaped(z, place, 2, flat);
    weft_value *got = weft_split_elements(z, from, weft_local_reshaped(z, at, 3, few));
    return weft_local_reshaped(z, got, rank, at->type->dims);
}

weft_status weft_lower_top_k(weft_localizer *z, const weft_op *op) {
    const uint32_t d = last_dim(op);
    const int64_t k = weft_op_int(op, WEFT_A_k, 0);
    uint8_t atoms[WEFT_MAX_ATOMS];
    const uint32_t n = weft_placement_dim_atoms(weft_local_placement(z, op->operands[0]), d, atoms);
    const weft_dtype index = op->results[1].type->dtype;
    weft_op *made = NULL;
    if (!n || !k) return weft_local_clone(z, op, &made);
    weft_value *x = weft_local_masked(z, op->operands[0], weft_local_value(z, op->operands[0]), weft_bit(d),
                                      lowest(z, op->operands[0]->type->dtype));
    const int64_t part = x ? x->type->dims[d] : 0;
    if (!(made = take_largest(z, op, x, offered(op, part)))) return failed(z);
    weft_value *first = weft_local_convert(z, weft_local_index(z, atoms, n, part), index);
    weft_value *place = weft_build_binary(z->b, WEFT_OP_add, &made->results[1],
                                          first ? weft_local_broadcast(z, first, made->results[1].type) : NULL);
    x = weft_local_gathered(z, &made->results[0], d, atoms, n);
    place = place ? weft_local_gathered(z, place, d, atoms, n) : NULL;
    if (!(made = take_largest(z, op, x, k))) return failed(z);
    weft_local_map(z, &op->results[0], &made->results[0]);
    weft_local_map(z, &op->results[1], placed(z, place, &made->results[1]));
    return z->b->status;
}
