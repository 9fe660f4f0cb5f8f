/* local_fft.c: a Fourier transform along split dimensions.
 *
 * A transform of several dimensions is one along each. Along a dimension that is whole on each device it is the op. For
 * one that is split, in P parts of m elements, there are two ways:
 *
 *   to another dimension   an all_to_all leads there, the transform is local, another all_to_all leads back; what the
 *                          devices do not divide is padded on the way
 *   in four steps          where P divides m: N = P m elements x[p m + i] have the transform
 *
 *                              X[k + P l] = sum over i of w_m^(i l) (w_N^(i k) sum over p of w_P^(p k) x[p m + i])
 *
 *                          so an all_to_all brings each device all p of some i, and another all i of one k; a third
 *                          one puts the results in order. Bailey, FFTs in external or hierarchical memory, J.
 *                          Supercomputing 4 (1990).
 *
 * The one that sends less is taken. The last dimension of a transform of real numbers has another size on its other
 * side: local_rfft.c.
 */
#include "partitioner/lower/local_fft.h"

#define TWO_PI 6.28318530717958647692

/* The first dimension that is transformed. */
static uint32_t first_dim(const weft_op *op) {
    return op->operands[0]->type->rank - weft_op_ints(op, WEFT_A_fft_length).n;
}

/* Whether the last dimension is of real numbers on one side. */
static bool is_real(const weft_op *op) {
    return op->operands[0]->type->dtype != op->results[0].type->dtype;
}

/* The value with the real numbers. */
static const weft_type *real_side(const weft_op *op) {
    return weft_fft_is_inverse(op) ? op->results[0].type : op->operands[0]->type;
}

weft_bits weft_factors_fft(const weft_op *op, const weft_rule *rule) {
    weft_bits set = weft_pass_factors(op, rule);
    for (uint32_t d = first_dim(op); d < op->operands[0]->type->rank; d++) {
        const weft_rule_dim dim = rule->tensors[0].dims[d];
        if (dim.n == 1) set |= weft_bit(rule->factors[dim.first]);
    }
    return set;
}

/* The type in which split dimensions are transformed: of the result where a transform of real numbers goes first. */
static const weft_type *between(const weft_op *op) {
    return is_real(op) && !weft_fft_is_inverse(op) ? op->results[0].type : op->operands[0]->type;
}

double weft_fft_widened(const weft_type *local, uint32_t other, int64_t devices) {
    return (double)weft_round_up(local->dims[other], devices) / (double)local->dims[other];
}

uint32_t weft_fft_other_dim(const weft_type *local, uint32_t d, int64_t devices) {
    uint32_t best = local->rank;
    for (uint32_t e = 0; e < local->rank; e++)
        if (e != d && local->dims[e] > 0 &&
            (best == local->rank || weft_fft_widened(local, e, devices) < weft_fft_widened(local, best, devices)))
            best = e;
    return best;
}

/* How complex numbers go along a split dimension, and in parts what a device sends; below 0: they cannot. By way of a
 * dimension that is mostly padding it would be more than the parts of the others, which are a gather. */
typedef struct way { uint32_t other; double sent; } way;

static way way_of(const weft_type *local, uint32_t d, int64_t size, int64_t devices) {
    const double others = (double)(devices - 1) / (double)devices;
    const uint32_t other = weft_fft_other_dim(local, d, devices);
    const double there = other < local->rank ? 2 * others * weft_fft_widened(local, other, devices) : -1;
    const way moved = { other, there <= (double)(devices - 1) ? there : -1 },
              stepped = { local->rank, size > 0 && size % (devices * devices) == 0 ? 3 * others : -1 };
    return moved.sent >= 0 && (stepped.sent < 0 || moved.sent <= stepped.sent) ? moved : stepped;
}

double weft_talk_fft(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    const weft_placement *l = weft_placement_of(t, operands[0]);
    const weft_type *type = between(op), *local = weft_placement_local_type(t, operands[0], type);
    const uint32_t last = type->rank - 1;
    double sent = 0;
    if (!local) return -1;
    const double bytes = (double)weft_type_elems(local) * (double)weft_dtype_bytes(local->dtype);
    for (uint32_t d = first_dim(op); d < type->rank; d++) {
        const int64_t devices = weft_placement_dim_shards(t, l, d);
        if (devices == 1) continue;
        const bool halves = d == last && is_real(op);
        const double along = halves ? weft_rfft_sent(weft_placements_context(t), op, local, real_side(op)->dims[d],
                                                     devices)
                                    : bytes * way_of(local, d, type->dims[d], devices).sent;
        if (along < 0) return -1;
        sent += along;
    }
    return sent;
}

/* Dimension d last, or, back, from there. */
static weft_value *turned(weft_localizer *z, weft_value *x, uint32_t d) {
    int64_t order[WEFT_MAX_RANK];
    if (!x || d + 1 == x->type->rank) return x;
    for (uint32_t i = 0; i < x->type->rank; i++) order[i] = i == d ? x->type->rank - 1 : i + 1 == x->type->rank ? d : i;
    return weft_local_transposed(z, x, order);
}

weft_value *weft_fft_lines(weft_localizer *z, weft_value *x, weft_enum_value kind, int64_t n, weft_dtype dtype) {
    if (!x) return NULL;
    const uint32_t last = x->type->rank - 1;
    const weft_type *type = weft_type_with_dim(z->cx, weft_type_with_dtype(z->cx, x->type, dtype), last,
                                               kind == WEFT_fft_type_RFFT ? n / 2 + 1 : n);
    const weft_attr_pair attrs[] = { { WEFT_A_fft_type, weft_attr_enum(z->cx, kind) },
                                     { WEFT_A_fft_length, weft_attr_ints(z->cx, WEFT_I64, &n, 1) } };
    return type ? weft_build_1(z->b, WEFT_OP_fft, type, &x, 1, attrs, 2) : NULL;
}

/* Complex numbers along dimension d, which is whole. */
static weft_value *along(weft_localizer *z, const weft_op *op, weft_value *x, uint32_t d) {
    const weft_enum_value kind = weft_fft_is_inverse(op) ? WEFT_fft_type_IFFT : WEFT_fft_type_FFT;
    x = turned(z, x, d);
    return x ? turned(z, weft_fft_lines(z, x, kind, x->type->dims[x->type->rank - 1], x->type->dtype), d) : NULL;
}

weft_value *weft_fft_complex(weft_localizer *z, weft_value *re, weft_value *im) {
    if (!re || !im) return NULL;
    const weft_dtype dtype = re->type->dtype == WEFT_F32 ? WEFT_C64 : WEFT_C128;
    weft_value *parts[2] = { re, im };
    return weft_build_1(z->b, WEFT_OP_complex, weft_type_with_dtype(z->cx, re->type, dtype), parts, 2, NULL, 0);
}

weft_value *weft_fft_twiddles(weft_localizer *z, const weft_op *op, const weft_value *x, const weft_fft_over *over,
                              int64_t size) {
    if (!x) return NULL;
    const int64_t shape[2] = { x->type->dims[1], x->type->dims[2] }, to[2] = { 1, 2 };
    const weft_type *count = weft_type_tensor(z->cx, WEFT_I64, 2, shape),
                    *angle = weft_type_tensor(z->cx, WEFT_F64, 2, shape);
    if (!count || !angle) return NULL;
    weft_value *first = weft_local_convert(z, weft_local_index(z, over->atoms, over->n, shape[0]), WEFT_I64);
    weft_value *i = first ? weft_build_binary(z->b, WEFT_OP_add, weft_build_iota(z->b, count, 0),
                                              weft_local_broadcast(z, first, count))
                          : NULL;
    /* the turns are counted exactly, so that only their angle is rounded */
    i = weft_build_binary(z->b, WEFT_OP_multiply, i, weft_build_iota(z->b, count, 1));
    i = weft_build_binary(z->b, WEFT_OP_remainder, i, weft_build_integer(z->b, count, size));
    weft_value *a = weft_local_convert(z, i, WEFT_F64);
    const double turn = (weft_fft_is_inverse(op) ? TWO_PI : -TWO_PI) / (double)size;
    a = weft_build_binary(z->b, WEFT_OP_multiply, a, weft_build_splat(z->b, angle, turn));
    const weft_dtype part = weft_dtype_part(x->type->dtype);
    weft_value *re = weft_local_convert(z, weft_build_unary(z->b, WEFT_OP_cosine, a), part),
               *im = weft_local_convert(z, weft_build_unary(z->b, WEFT_OP_sine, a), part),
               *w = weft_fft_complex(z, re, im);
    return w ? weft_build_broadcast(z->b, w, x->type, to) : NULL;
}

weft_value *weft_fft_exchange(weft_localizer *z, weft_value *x, const weft_fft_over *over, uint32_t from, uint32_t to,
                              int64_t size) {
    x = x ? weft_local_pad_to(z, x, to, weft_round_up(x->type->dims[to], over->devices)) : NULL;
    x = x ? weft_local_exchange(z, x, over->atoms, over->n, from, to) : NULL;
    return weft_local_trim_to(z, x, from, size);
}

/* Along the last dimension of x, which is split. */
static weft_value *in_four_steps(weft_localizer *z, const weft_op *op, weft_value *x, const weft_fft_over *over) {
    static const int64_t swap[3] = { 0, 2, 1 };
    if (!x) return NULL;
    const weft_type *type = x->type;
    const int64_t devices = over->devices, part = type->dims[type->rank - 1], rows = weft_type_elems(type) / part,
                  apart[3] = { rows, 1, part }, flat[3] = { rows, part, 1 };
    x = weft_local_reshaped(z, x, 3, apart);
    x = weft_fft_exchange(z, x, over, 1, 2, devices);               /* [rows, p, some i] */
    x = along(z, op, weft_local_transposed(z, x, swap), 2);         /* [rows, some i, k] */
    x = weft_build_binary(z->b, WEFT_OP_multiply, x, weft_fft_twiddles(z, op, x, over, part * devices));
    x = weft_fft_exchange(z, x, over, 1, 2, part);                  /* [rows, i, own k] */
    x = along(z, op, weft_local_reshaped(z, x, 3, apart), 2);       /* [rows, own k, l] */
    x = weft_fft_exchange(z, x, over, 1, 2, devices);               /* [rows, k, some l] */
    x = weft_local_reshaped(z, weft_local_transposed(z, x, swap), 3, flat);
    return weft_local_reshaped(z, x, type->rank, type->dims);
}

static weft_fft_over over_of(const weft_localizer *z, const weft_placement *l, uint32_t d) {
    weft_fft_over over = { .devices = weft_placement_dim_shards(z->t, l, d) };
    over.n = weft_placement_dim_atoms(l, d, over.atoms);
    return over;
}

/* Complex numbers along dimension d, of so many elements. */
static weft_value *transform(weft_localizer *z, const weft_op *op, const weft_placement *l, weft_value *x, uint32_t d,
                             int64_t size) {
    const weft_fft_over over = over_of(z, l, d);
    if (!x || !over.n) return along(z, op, x, d);
    const weft_type *type = x->type;
    const uint32_t other = way_of(type, d, size, over.devices).other;
    if (other == type->rank) return turned(z, in_four_steps(z, op, turned(z, x, d), &over), d);
    x = along(z, op, weft_fft_exchange(z, x, &over, d, other, size), d);
    return weft_fft_exchange(z, x, &over, other, d, type->dims[other]);
}

/* The last dimension of a transform of real numbers. */
static weft_value *transform_real(weft_localizer *z, const weft_op *op, const weft_placement *l, weft_value *x) {
    const uint32_t last = op->operands[0]->type->rank - 1;
    const int64_t size = real_side(op)->dims[last];
    const weft_fft_over over = over_of(z, l, last);
    return over.n ? weft_rfft_parts(z, op, x, &over, size)
                  : weft_fft_lines(z, x, weft_op_attr(op, WEFT_A_fft_type)->e, size, op->results[0].type->dtype);
}

/* A plan splits no dimension that cannot be; whoever writes shardings for this pass alone may. */
static weft_status check_split(weft_localizer *z, const weft_op *op, const weft_placement *l, uint32_t d) {
    const int64_t devices = weft_placement_dim_shards(z->t, l, d);
    const weft_type *type = between(op), *local = weft_placement_local_type(z->t, z->of[op->operands[0]->id], type);
    if (!local) return weft_oom();
    const bool halves = is_real(op) && d + 1 == type->rank;
    const int64_t size = halves ? real_side(op)->dims[d] : type->dims[d];
    if (devices == 1 || (halves ? type->rank > 1 || weft_rfft_has_columns(size, devices)
                                : way_of(local, d, size, devices).sent >= 0))
        return WEFT_OK;
    return weft_report(z->cx, WEFT_D_unsupported, op->loc,
                       "%s over %lld shards of %lld elements, which it cannot do in parts: gather the dimension first",
                       op->name->text, (long long)devices, (long long)size);
}

weft_status weft_lower_fft(weft_localizer *z, const weft_op *op) {
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    const weft_type *type = op->operands[0]->type;
    weft_value *x = weft_local_value(z, op->operands[0]);
    weft_op *made = NULL;
    bool split = false;
    for (uint32_t d = first_dim(op); d < type->rank; d++) split = split || weft_placement_dim(l, d).n;
    if (!split) return weft_local_clone(z, op, &made);
    for (uint32_t d = first_dim(op); d < type->rank; d++) {
        const weft_status st = check_split(z, op, l, d);
        if (st != WEFT_OK) return st;
    }
    const uint32_t end = is_real(op) ? type->rank - 1 : type->rank;
    if (is_real(op) && !weft_fft_is_inverse(op)) x = transform_real(z, op, l, x);
    for (uint32_t d = first_dim(op); d < end; d++) x = transform(z, op, l, x, d, type->dims[d]);
    if (is_real(op) && weft_fft_is_inverse(op)) x = transform_real(z, op, l, x);
    if (!x) return z->b->status != WEFT_OK ? z->b->status : weft_oom();
    weft_local_map(z, &op->results[0], x);
    return z->b->status;
}
