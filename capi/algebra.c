/* algebra.c: ops.h: gathers of any kind, bits, transforms, and triangular matrices. Each maker is one op. */
#include <weft/ops.h>

#include "capi/graph_impl.h"

weft_tensor *weft_graph_gather_at(weft_source at, weft_graph *g, weft_tensor *x, weft_tensor *indices,
                                  weft_gather_numbers dims, weft_dims sizes) {
    weft_tensor *const both[] = { x, indices };
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "gather", both, 2) ||
        !weft_graph_lists(g, "gather", (weft_dims[]){ dims.window, dims.collapsed, dims.batch, dims.index_batch,
                                                      dims.places, sizes }, 6))
        return NULL;
    const weft_attr a = { .kind = WEFT_ATTR_GATHER,
                          .gather = { .offset_dims = weft_ints_of(dims.window),
                                      .collapsed_slice_dims = weft_ints_of(dims.collapsed),
                                      .operand_batching_dims = weft_ints_of(dims.batch),
                                      .start_indices_batching_dims = weft_ints_of(dims.index_batch),
                                      .start_index_map = weft_ints_of(dims.places), .index_vector_dim = dims.vector } };
    const weft_attr_pair attrs[] = { { WEFT_A_dimension_numbers, weft_attr_copy(g->cx, &a) },
                                     { WEFT_A_slice_sizes, weft_graph_ints(g, sizes) } };
    return weft_graph_build_1(g, WEFT_OP_gather, both, 2, attrs, 2, NULL);
}

/* ---- bits ---- */

/* x's type with elements of `to`: wider ones take its last dimension, narrower ones get one. Where neither is so, the
 * verifier says it. */
static const weft_type *with_bits_as(weft_graph *g, const weft_type *x, weft_dtype to) {
    const int64_t from_bits = weft_dtype_table[x->dtype].bits, to_bits = weft_dtype_table[to].bits;
    int64_t dims[WEFT_MAX_RANK + 1];
    uint32_t rank = x->rank;
    for (uint32_t d = 0; d < rank; d++) dims[d] = x->dims[d];
    if (to_bits < from_bits && rank < WEFT_MAX_RANK) dims[rank++] = from_bits / to_bits;
    else if (to_bits > from_bits && rank) rank--;
    return weft_type_tensor(g->cx, to, rank, dims);
}

weft_tensor *weft_graph_bitcast_convert_at(weft_source at, weft_graph *g, weft_tensor *x, const char *dtype) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "bitcast_convert", &x, 1)) return NULL;
    const weft_dtype to = weft_dtype_parse(weft_str_from(dtype ? dtype : ""));
    if (to == WEFT_DTYPE_NONE)
        return weft_graph_fail(g, WEFT_D_verify, "'%s' is not an element type", dtype ? dtype : "");
    const weft_type *t = with_bits_as(g, x->type, to);
    return t ? weft_graph_build_1(g, WEFT_OP_bitcast_convert, &x, 1, NULL, 0, t) : weft_graph_keep(g, weft_oom());
}

weft_tensor *weft_graph_reduce_precision_at(weft_source at, weft_graph *g, weft_tensor *x, int exponent_bits,
                                            int mantissa_bits) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "reduce_precision", &x, 1)) return NULL;
    const weft_type *i32 = weft_type_tensor(g->cx, WEFT_I32, 0, NULL);
    const weft_attr_pair attrs[] = { { WEFT_A_exponent_bits, weft_attr_int(g->cx, exponent_bits, i32) },
                                     { WEFT_A_mantissa_bits, weft_attr_int(g->cx, mantissa_bits, i32) } };
    return weft_graph_build_1(g, WEFT_OP_reduce_precision, &x, 1, attrs, 2, NULL);
}

/* ---- order ---- */

void weft_graph_optimization_barrier_at(weft_source at, weft_graph *g, weft_tensor *const *x, size_t n,
                                        weft_tensor **out) {
    weft_op *op = NULL;
    if (weft_graph_begin_to(g, at, "optimization_barrier", out, n) &&
        weft_graph_owns(g, "optimization_barrier", x, n))
        op = weft_graph_build(g, WEFT_OP_optimization_barrier, x, n, NULL, 0, NULL, n);
    weft_graph_results(op, out, n);
}

/* ---- transforms ---- */

weft_tensor *weft_graph_fft_at(weft_source at, weft_graph *g, const char *kind, weft_tensor *x, weft_dims lengths) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "fft", &x, 1) || !weft_graph_lists(g, "fft", &lengths, 1))
        return NULL;
    const weft_enum_value e = weft_enum_find(WEFT_ENUM_fft_type, weft_str_from(kind ? kind : ""));
    if (e != WEFT_ENUM_COUNT) {
        const weft_attr_pair attrs[] = { { WEFT_A_fft_type, weft_attr_enum(g->cx, e) },
                                         { WEFT_A_fft_length, weft_graph_ints(g, lengths) } };
        return weft_graph_build_1(g, WEFT_OP_fft, &x, 1, attrs, 2, NULL);
    }
    return weft_graph_fail(g, WEFT_D_usage, "'%s' is not a transform: FFT, IFFT, RFFT or IRFFT", kind ? kind : "");
}

/* ---- triangular matrices ---- */

enum { ALL_FLAGS = WEFT_MATRIX_UPPER | WEFT_MATRIX_UNIT | WEFT_MATRIX_TRANSPOSED | WEFT_MATRIX_ADJOINT |
                   WEFT_MATRIX_RIGHT };

/* Whether flags are of those allowed; reports. */
static bool has_flags(weft_graph *g, const char *what, unsigned flags, unsigned allowed) {
    const bool both = (flags & WEFT_MATRIX_TRANSPOSED) && (flags & WEFT_MATRIX_ADJOINT);
    if (!(flags & ~allowed) && !both) return true;
    weft_graph_fail(g, WEFT_D_usage, both ? "'%s' takes a matrix as transposed or as adjoint, not both"
                                          : "'%s' does not take the flags %#x", what, flags & ~allowed);
    return false;
}

weft_tensor *weft_graph_cholesky_at(weft_source at, weft_graph *g, weft_tensor *a, unsigned flags) {
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "cholesky", &a, 1) ||
        !has_flags(g, "cholesky", flags, WEFT_MATRIX_UPPER))
        return NULL;
    const weft_attr_pair attr = { WEFT_A_lower, weft_attr_bool(g->cx, !(flags & WEFT_MATRIX_UPPER)) };
    return weft_graph_build_1(g, WEFT_OP_cholesky, &a, 1, &attr, 1, NULL);
}

weft_tensor *weft_graph_triangular_solve_at(weft_source at, weft_graph *g, weft_tensor *a, weft_tensor *b,
                                            unsigned flags) {
    weft_tensor *const both[] = { a, b };
    if (!weft_graph_begin(g, at) || !weft_graph_owns(g, "triangular_solve", both, 2) ||
        !has_flags(g, "triangular_solve", flags, ALL_FLAGS))
        return NULL;
    const weft_enum_value how = flags & WEFT_MATRIX_ADJOINT      ? WEFT_transpose_ADJOINT
                                : flags & WEFT_MATRIX_TRANSPOSED ? WEFT_transpose_TRANSPOSE
                                                                 : WEFT_transpose_NO_TRANSPOSE;
    const weft_attr_pair attrs[] = { { WEFT_A_left_side, weft_attr_bool(g->cx, !(flags & WEFT_MATRIX_RIGHT)) },
                                     { WEFT_A_lower, weft_attr_bool(g->cx, !(flags & WEFT_MATRIX_UPPER)) },
                                     { WEFT_A_unit_diagonal, weft_attr_bool(g->cx, (flags & WEFT_MATRIX_UNIT) != 0) },
                                     { WEFT_A_transpose_a, weft_attr_enum(g->cx, how) } };
    return weft_graph_build_1(g, WEFT_OP_triangular_solve, both, 2, attrs, 4, NULL);
}
