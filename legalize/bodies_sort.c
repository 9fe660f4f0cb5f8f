/* bodies_sort: sorting by a comparator that is more than scalar arithmetic (see bodies.c).
 *
 * A bottom-up merge sort: each pass merges neighbouring runs of `width` elements, and takes an element from the right
 * run only if it precedes the left one's, so that equal elements keep their order. n log n comparisons.
 */
#include "legalize/bodies.h"

typedef struct merge {
    const weft_op *op;
    int64_t size;                   /* of a row */
    weft_value *from[LG_MOST_VALUES];  /* lists, rows one after another */
    weft_value *width;
} merge;

/* Carried: next of the left run and of the right one, in the row; then the lists that are written. */
static weft_status merge_turn(lg_turns *t, weft_builder *b, weft_value *i) {
    const merge *g = t->user;
    const uint32_t n = t->n - 2;
    weft_value *size = lg_const(b, i, (double)g->size), *zero = lg_const(b, i, 0), *args[2 * LG_MOST_VALUES],
               *right_first = NULL;
    weft_value *at = lg_binary(b, WEFT_OP_remainder, i, size), *row = lg_sub(b, i, at),
               *both = lg_mul_c(b, g->width, 2);
    weft_value *into = lg_binary(b, WEFT_OP_remainder, at, both), *begin = lg_sub(b, at, into);
    weft_value *middle = lg_min(b, lg_add(b, begin, g->width), size), *end = lg_min(b, lg_add(b, begin, both), size);
    weft_value *starts = lg_eq(b, into, zero), *left = lg_select(b, starts, begin, t->carried[0]),
               *right = lg_select(b, starts, middle, t->carried[1]);
    /* after the end: any element, so that slices stay inside */
    weft_value *left_at = lg_add(b, row, left), *right_at = lg_add(b, row, right);
    for (uint32_t v = 0; v < n; v++) {
        args[2 * v] = lg_element(b, g->from[v], right_at);
        args[2 * v + 1] = lg_element(b, g->from[v], left_at);
    }
    const weft_status st =
        b->status == WEFT_OK ? lg_apply(t->r, b, weft_op_body(g->op, 0), args, &right_first) : b->status;
    if (st != WEFT_OK) return st;
    weft_value *left_left = lg_lt(b, left, middle), *right_left = lg_lt(b, right, end),
               *before = lg_and(b, right_left, right_first);
    weft_value *take_right = lg_or(b, lg_unary(b, WEFT_OP_not, left_left), before);
    for (uint32_t v = 0; v < n; v++)
        t->carried[2 + v] =
            lg_with_element(b, t->carried[2 + v], i, lg_select(b, take_right, args[2 * v], args[2 * v + 1]));
    t->carried[0] = lg_select(b, take_right, left, lg_add_c(b, left, 1));
    t->carried[1] = lg_select(b, take_right, lg_add_c(b, right, 1), right);
    return b->status;
}

/* Carried: the width, the lists to read, the lists to write. */
static weft_status pass_turn(lg_turns *t, weft_builder *b, weft_value *i) {
    (void)i;
    merge *g = t->user;
    const uint32_t n = (t->n - 1) / 2;
    weft_value *carried[LG_MOST_VALUES + 2] = { lg_const(b, t->carried[0], 0), lg_const(b, t->carried[0], 0) };
    g->width = t->carried[0];
    for (uint32_t v = 0; v < n; v++) {
        g->from[v] = t->carried[1 + v];
        carried[2 + v] = t->carried[1 + n + v];
    }
    lg_turns turns = { .r = t->r, .count = weft_type_elems(g->from[0]->type), .carried = carried, .n = n + 2, .user = g,
                       .turn = merge_turn };
    const weft_status st = lg_turn(&turns, b);
    for (uint32_t v = 0; v < n && st == WEFT_OK; v++) {
        t->carried[1 + n + v] = g->from[v];
        t->carried[1 + v] = carried[2 + v];
    }
    t->carried[0] = lg_mul_c(b, t->carried[0], 2);
    return st == WEFT_OK ? b->status : st;
}

/* The sorted dimension as the last, or back in its place. */
static weft_value *turned(weft_builder *b, weft_value *x, const weft_type *t, uint32_t dim, bool back) {
    int64_t order[WEFT_MAX_RANK], dims[WEFT_MAX_RANK];
    const uint32_t rank = t->rank;
    if (!rank) return x;
    for (uint32_t d = 0; d < rank; d++) {
        if (back) order[d] = d == dim ? rank - 1 : d - (d > dim);
        else order[d] = d + 1 == rank ? dim : d + (d >= dim);
        dims[d] = back ? t->dims[d] : t->dims[order[d]];
    }
    const weft_attr_pair how = { WEFT_A_permutation, weft_attr_ints(b->m->cx, WEFT_I64, order, rank) };
    return x ? weft_build_1(b, WEFT_OP_transpose, weft_type_with_dims(b->m->cx, t, rank, dims), &x, 1, &how, 1) : NULL;
}

weft_status lg_sort_in_turns(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_value *const *in,
                             weft_value **out) {
    const uint32_t n = op->operand_count, rank = in[0]->type->rank;
    int64_t dim = weft_op_int(op, WEFT_A_dimension, -1), passes = 0;
    if (dim < 0) dim += rank;
    const int64_t size = rank ? in[0]->type->dims[dim] : 1;
    while ((int64_t)1 << passes < size) passes++;
    const weft_type *counter = weft_type_tensor(b->m->cx, WEFT_I64, 0, NULL);
    if (!counter) return weft_oom();
    merge g = { .op = op, .size = size };
    weft_value *carried[2 * LG_MOST_VALUES + 1] = { weft_build_splat(b, counter, 1) };
    for (uint32_t v = 0; v < n; v++)
        carried[1 + v] = carried[1 + n + v] = lg_flat(b, turned(b, in[v], in[v]->type, (uint32_t)dim, false));
    lg_turns turns = { .r = r, .count = weft_type_elems(in[0]->type) ? passes : 0, .carried = carried, .n = 2 * n + 1,
                       .user = &g, .turn = pass_turn };
    if (b->status != WEFT_OK) return b->status;
    const weft_status st = lg_turn(&turns, b);
    for (uint32_t v = 0; v < n && st == WEFT_OK; v++) {
        const weft_type *t = in[v]->type;
        int64_t dims[WEFT_MAX_RANK];
        for (uint32_t d = 0; d < rank; d++) dims[d] = d + 1 == rank ? t->dims[dim] : t->dims[d + (d >= dim)];
        weft_value *rows = lg_shaped(b, carried[1 + v], weft_type_with_dims(b->m->cx, t, rank, dims));
        out[v] = turned(b, rows, op->results[v].type, (uint32_t)dim, true);
    }
    return st == WEFT_OK ? b->status : st;
}
