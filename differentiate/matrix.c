/* matrix.c: stacks of matrices; see matrix.h. */
#include "differentiate/matrix.h"

weft_value *gd_matmul(gd *g, weft_value *x, weft_value *y) {
    int64_t batch[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    if (!x || !y) return NULL;
    const uint32_t rank = x->type->rank;
    const int64_t row = rank - 2, column = rank - 1;
    for (uint32_t d = 0; d < rank; d++) batch[d] = d, dims[d] = x->type->dims[d];
    dims[column] = y->type->dims[column];
    weft_attr node = { .kind = WEFT_ATTR_DOT,
                       .dot = { .lhs_batch = { batch, rank - 2 }, .rhs_batch = { batch, rank - 2 },
                                .lhs_contract = { &column, 1 }, .rhs_contract = { &row, 1 } } };
    weft_value *in[] = { x, y };
    weft_attr_pair how = { WEFT_A_dot_dimension_numbers, weft_attr_copy(g->cx, &node) };
    return weft_build_1(gd_b(g), WEFT_OP_dot_general, weft_type_with_dims(g->cx, x->type, rank, dims), in, 2, &how, 1);
}

weft_value *gd_transposed(gd *g, weft_value *x) {
    int64_t to[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t d = 0; d < x->type->rank; d++) to[d] = d;
    to[x->type->rank - 1] = x->type->rank - 2;
    to[x->type->rank - 2] = x->type->rank - 1;
    return gd_transpose(g, x, to);
}

weft_value *gd_conjugate(gd *g, weft_value *x) {
    weft_builder *b = gd_b(g);
    if (!x || !weft_dtype_is_complex(x->type->dtype)) return x;
    weft_value *re = lg_real(b, x), *im = lg_neg(b, lg_imag(b, x));
    return lg_complex(b, re, im);
}

weft_value *gd_as_complex(gd *g, weft_value *x, const weft_value *like) {
    weft_builder *b = gd_b(g);
    return x && like && weft_dtype_is_complex(like->type->dtype) ? lg_complex(b, x, lg_const(b, x, 0)) : x;
}

weft_value *gd_adjoint(gd *g, weft_value *x) { return gd_conjugate(g, gd_transposed(g, x)); }

/* Whether the row is in this relation to the column. */
static weft_value *rows_and_columns(gd *g, const weft_value *x, weft_enum_value direction) {
    const weft_type *t = weft_type_with_dtype(g->cx, x->type, WEFT_I32);
    weft_value *row = weft_build_iota(gd_b(g), t, x->type->rank - 2),
               *column = weft_build_iota(gd_b(g), t, x->type->rank - 1);
    return lg_compare(gd_b(g), direction, row, column);
}

static weft_value *where(gd *g, weft_value *x, weft_enum_value direction) {
    weft_builder *b = gd_b(g);
    if (!x) return NULL;
    weft_value *in = rows_and_columns(g, x, direction);
    return lg_select(b, in, x, lg_const(b, x, 0));
}

weft_value *gd_triangle(gd *g, weft_value *x, gd_half half) {
    static const weft_enum_value relation[] = {
        [GD_LOWER] = WEFT_comparison_direction_GE, [GD_UPPER] = WEFT_comparison_direction_LE,
        [GD_BELOW] = WEFT_comparison_direction_GT, [GD_ABOVE] = WEFT_comparison_direction_LT,
    };
    return where(g, x, relation[half]);
}

weft_value *gd_diagonal(gd *g, weft_value *x) { return where(g, x, WEFT_comparison_direction_EQ); }

weft_value *gd_on_diagonal(gd *g, weft_value *x, const weft_type *t) {
    const int64_t row = t->rank - 2;
    return gd_diagonal(g, gd_expand(g, x, t, &row, 1));
}

weft_value *gd_inverse_gaps(gd *g, weft_value *w, const weft_type *t) {
    weft_builder *b = gd_b(g);
    const int64_t row = t->rank - 2, column = t->rank - 1;
    const weft_type *real = w ? weft_type_with_dtype(g->cx, t, w->type->dtype) : NULL;
    if (!real) return NULL;
    weft_value *by_column = gd_expand(g, w, real, &row, 1), *by_row = gd_expand(g, w, real, &column, 1);
    weft_value *gap = lg_sub(b, by_column, by_row);
    weft_value *on = gd_diagonal(g, lg_const(b, gap, 1));
    weft_value *f = lg_sub(b, lg_div(b, lg_const(b, gap, 1), lg_add(b, gap, on)), on);
    return t->dtype == real->dtype ? f : lg_complex(b, f, lg_const(b, f, 0));
}

weft_value *gd_resized(gd *g, weft_value *x, uint32_t d, int64_t size) {
    int64_t none[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 };
    if (!x || x->type->dims[d] == size) return x;
    if (x->type->dims[d] > size) return weft_build_cut(gd_b(g), x, d, 0, size);
    high[d] = size - x->type->dims[d];
    return weft_build_pad(gd_b(g), x, gd_zeros(g, gd_scalar(g, x->type)), none, high, none);
}

weft_value *gd_permutation(gd *g, weft_value *from, weft_dtype dtype) {
    weft_builder *b = gd_b(g);
    int64_t dims[WEFT_MAX_RANK];
    if (!from) return NULL;
    const uint32_t rank = from->type->rank + 1;
    const int64_t column = rank - 1;
    memcpy(dims, from->type->dims, (rank - 1) * sizeof *dims);
    dims[column] = dims[column - 1];
    const weft_type *t = weft_type_tensor(g->cx, WEFT_I32, rank, dims);
    weft_value *is_one = lg_eq(b, gd_expand(g, from, t, &column, 1), weft_build_iota(b, t, column));
    return lg_convert(b, is_one, dtype);
}

weft_value *gd_solve(gd *g, weft_value *a, weft_value *b, gd_system s) {
    weft_value *in[] = { a, b };
    const weft_attr_pair attrs[] = { { WEFT_A_left_side, weft_attr_bool(g->cx, s.left) },
                                     { WEFT_A_lower, weft_attr_bool(g->cx, s.lower) },
                                     { WEFT_A_unit_diagonal, weft_attr_bool(g->cx, s.unit) },
                                     { WEFT_A_transpose_a, weft_attr_enum(g->cx, s.transpose) } };
    if (!a || !b) return NULL;
    return weft_build_1(gd_b(g), WEFT_OP_triangular_solve, b->type, in, 2, attrs, 4);
}
