/* local_fft.c: a Fourier transform along split dimensions.
 *
 * A transform of several dimensions is one along each. Along a dimension that is whole on each device it is the op. For
 * one that is split, in P parts of m elements, there are two ways:
 *
 *   to another dimension   where the devices divide one that is whole: an all_to_all leads there, the transform is
 *                          local, another all_to_all leads back
 *   in four steps          else, where P divides m: N = P m elements x[p m + i] have the transform
 *
 *                              X[k + P l] = sum over i of w_m^(i l) (w_N^(i k) sum over p of w_P^(p k) x[p m + i])
 *
 *                          so an all_to_all brings each device all p of some i, and another all i of one k; a third
 *                          one puts the results in order. Bailey, FFTs in external or hierarchical memory, J.
 *                          Supercomputing 4 (1990).
 *
 * The last dimension of a transform of real numbers has another size on its other side, and is not split.
 */
#include "partitioner/lower/local_ops.h"

#define TWO_PI 6.28318530717958647692

static bool is_inverse(const weft_op *op) {
    const weft_enum_value v = weft_op_attr(op, WEFT_A_fft_type)->e;
    return v == WEFT_fft_type_IFFT || v == WEFT_fft_type_IRFFT;
}

/* The first dimension that is transformed. */
static uint32_t first_dim(const weft_op *op) {
    return op->operands[0]->type->rank - weft_op_ints(op, WEFT_A_fft_length).n;
}

static bool keeps_size(const weft_op *op, uint32_t d) {
    return op->operands[0]->type->dims[d] == op->results[0].type->dims[d];
}

/* Whether the last dimension is of real numbers on one side. */
static bool is_real(const weft_op *op) {
    return op->operands[0]->type->dtype != op->results[0].type->dtype;
}

weft_bits weft_factors_fft(const weft_op *op, const weft_rule *rule) {
    const uint32_t rank = op->operands[0]->type->rank;
    weft_bits set = weft_pass_factors(op, rule);
    for (uint32_t d = first_dim(op); d < rank; d++) {
        const weft_rule_dim dim = rule->tensors[0].dims[d];
        if (keeps_size(op, d) && !(is_real(op) && d + 1 == rank) && dim.n == 1)
            set |= weft_bit(rule->factors[dim.first]);
    }
    return set;
}

/* The type in which split dimensions are transformed: of the result where a transform of real numbers goes first. */
static const weft_type *between(const weft_op *op) {
    return is_real(op) && !is_inverse(op) ? op->results[0].type : op->operands[0]->type;
}

/* A dimension of the local type that is whole, and that so many devices divide; the type's rank: none. */
static uint32_t other_dim(const weft_placement *l, const weft_type *local, uint32_t d, int64_t devices) {
    for (uint32_t e = 0; e < local->rank; e++)
        if (e != d && !weft_placement_dim(l, e).n && local->dims[e] > 0 && local->dims[e] % devices == 0) return e;
    return local->rank;
}

double weft_talk_fft(weft_placements *t, const weft_op *op, const weft_placement_id *operands) {
    const weft_placement *l = weft_placement_of(t, operands[0]);
    const weft_type *type = between(op), *local = weft_placement_local_type(t, operands[0], type);
    double sent = 0;
    if (!local) return -1;
    const double bytes = (double)weft_type_elems(local) * (double)weft_dtype_bytes(local->dtype);
    for (uint32_t d = first_dim(op); d < type->rank; d++) {
        const int64_t devices = weft_placement_dim_shards(t, l, d);
        if (devices == 1) continue;
        const bool moves = other_dim(l, local, d, devices) < local->rank;
        if (!moves && local->dims[d] % devices) return -1;
        sent += bytes * (double)(devices - 1) / (double)devices * (moves ? 2 : 3);
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

/* The transform of x along its last dimension, to one of so many elements of this type. */
static weft_value *transformed(weft_localizer *z, weft_value *x, weft_enum_value kind, int64_t n,
                               const weft_type *like) {
    if (!x) return NULL;
    const uint32_t last = x->type->rank - 1;
    const weft_type *type = weft_type_with_dim(z->cx, weft_type_with_dtype(z->cx, x->type, like->dtype), last,
                                               kind == WEFT_fft_type_RFFT ? n / 2 + 1 : n);
    const weft_attr_pair attrs[] = { { WEFT_A_fft_type, weft_attr_enum(z->cx, kind) },
                                     { WEFT_A_fft_length, weft_attr_ints(z->cx, WEFT_I64, &n, 1) } };
    return type ? weft_build_1(z->b, WEFT_OP_fft, type, &x, 1, attrs, 2) : NULL;
}

static weft_enum_value complex_kind(const weft_op *op) {
    return is_inverse(op) ? WEFT_fft_type_IFFT : WEFT_fft_type_FFT;
}

/* Complex numbers along dimension d, which is whole. */
static weft_value *along(weft_localizer *z, const weft_op *op, weft_value *x, uint32_t d) {
    x = turned(z, x, d);
    return x ? turned(z, transformed(z, x, complex_kind(op), x->type->dims[x->type->rank - 1], x->type), d) : NULL;
}

/* w_N^(i k) for x [rows, i, k], i counted from that of this device on; of the inverse its conjugate. */
static weft_value *twiddles(weft_localizer *z, const weft_op *op, const weft_value *x, const uint8_t *atoms, uint32_t n,
                            int64_t size) {
    const int64_t shape[2] = { x->type->dims[1], x->type->dims[2] }, to[2] = { 1, 2 };
    const weft_type *count = weft_type_tensor(z->cx, WEFT_I64, 2, shape),
                    *angle = weft_type_tensor(z->cx, WEFT_F64, 2, shape),
                    *number = weft_type_tensor(z->cx, x->type->dtype, 2, shape);
    if (!count || !angle || !number) return NULL;
    weft_value *first = weft_local_convert(z, weft_local_index(z, atoms, n, shape[0]), WEFT_I64);
    weft_value *i = first ? weft_build_binary(z->b, WEFT_OP_add, weft_build_iota(z->b, count, 0),
                                              weft_local_broadcast(z, first, count))
                          : NULL;
    /* the turns are counted exactly, so that only their angle is rounded */
    i = weft_build_binary(z->b, WEFT_OP_multiply, i, weft_build_iota(z->b, count, 1));
    i = weft_build_binary(z->b, WEFT_OP_remainder, i, weft_build_integer(z->b, count, size));
    weft_value *a = weft_local_convert(z, i, WEFT_F64);
    const double turn = (is_inverse(op) ? TWO_PI : -TWO_PI) / (double)size;
    a = weft_build_binary(z->b, WEFT_OP_multiply, a, weft_build_splat(z->b, angle, turn));
    const weft_dtype part = x->type->dtype == WEFT_C64 ? WEFT_F32 : WEFT_F64;
    weft_value *parts[2] = { weft_local_convert(z, weft_build_unary(z->b, WEFT_OP_cosine, a), part),
                             weft_local_convert(z, weft_build_unary(z->b, WEFT_OP_sine, a), part) };
    if (!parts[0] || !parts[1]) return NULL;
    return weft_build_broadcast(z->b, weft_build_1(z->b, WEFT_OP_complex, number, parts, 2, NULL, 0), x->type, to);
}

/* Along the last dimension of x, which is split in `devices` parts. */
static weft_value *in_four_steps(weft_localizer *z, const weft_op *op, weft_value *x, const uint8_t *atoms, uint32_t n,
                                 int64_t devices) {
    static const int64_t swap[3] = { 0, 2, 1 };
    if (!x) return NULL;
    const weft_type *type = x->type;
    const int64_t part = type->dims[type->rank - 1], rows = weft_type_elems(type) / part, apart[3] = { rows, 1, part },
                  flat[3] = { rows, part, 1 };
    x = weft_local_reshaped(z, x, 3, apart);
    x = x ? weft_local_exchange(z, x, atoms, n, 1, 2) : NULL;       /* [rows, p, some i] */
    x = along(z, op, weft_local_transposed(z, x, swap), 2);         /* [rows, some i, k] */
    x = x ? weft_build_binary(z->b, WEFT_OP_multiply, x, twiddles(z, op, x, atoms, n, part * devices)) : NULL;
    x = x ? weft_local_exchange(z, x, atoms, n, 1, 2) : NULL;       /* [rows, i, own k] */
    x = along(z, op, weft_local_reshaped(z, x, 3, apart), 2);       /* [rows, own k, l] */
    x = x ? weft_local_exchange(z, x, atoms, n, 1, 2) : NULL;       /* [rows, k, some l] */
    x = weft_local_reshaped(z, weft_local_transposed(z, x, swap), 3, flat);
    return weft_local_reshaped(z, x, type->rank, type->dims);
}

/* Complex numbers along dimension d. */
static weft_value *transform(weft_localizer *z, const weft_op *op, const weft_placement *l, weft_value *x, uint32_t d) {
    uint8_t atoms[WEFT_MAX_ATOMS];
    const uint32_t n = weft_placement_dim_atoms(l, d, atoms);
    const int64_t devices = weft_placement_dim_shards(z->t, l, d);
    if (!x || !n) return along(z, op, x, d);
    const uint32_t e = other_dim(l, x->type, d, devices);
    if (e == x->type->rank) return turned(z, in_four_steps(z, op, turned(z, x, d), atoms, n, devices), d);
    x = along(z, op, weft_local_exchange(z, x, atoms, n, d, e), d);
    return x ? weft_local_exchange(z, x, atoms, n, e, d) : NULL;
}

weft_status weft_lower_fft(weft_localizer *z, const weft_op *op) {
    const weft_placement *l = weft_local_placement(z, op->operands[0]);
    const uint32_t rank = op->operands[0]->type->rank;
    const weft_enum_value kind = weft_op_attr(op, WEFT_A_fft_type)->e;
    weft_value *x = weft_local_value(z, op->operands[0]);
    weft_op *made = NULL;
    bool split = false;
    for (uint32_t d = first_dim(op); d < rank; d++) split = split || weft_placement_dim(l, d).n;
    if (!split) return weft_local_clone(z, op, &made);
    const uint32_t end = is_real(op) ? rank - 1 : rank;
    const weft_ints length = weft_op_ints(op, WEFT_A_fft_length);
    if (kind == WEFT_fft_type_RFFT) x = transformed(z, x, kind, length.v[length.n - 1], op->results[0].type);
    for (uint32_t d = first_dim(op); d < end; d++) x = transform(z, op, l, x, d);
    if (kind == WEFT_fft_type_IRFFT) x = transformed(z, x, kind, length.v[length.n - 1], op->results[0].type);
    if (!x) return z->b->status != WEFT_OK ? z->b->status : weft_oom();
    weft_local_map(z, &op->results[0], x);
    return z->b->status;
}
