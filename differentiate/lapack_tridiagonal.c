/* lapack_tridiagonal.c: the rule of gtsv, which solves a tridiagonal system: its diagonals dl, d, du [.., n] and b
 * [.., n, k] -> (three overwritten), x, info; and of jaxlib's tridiagonal_solve_perturbed_ffi, whose only result is x.
 *
 * The cotangent of b solves the transposed system, and that of the matrix is -(ct of b) x^T, of which the diagonals are
 * three. dl's first element and du's last are not read.
 */
#include "differentiate/lapack.h"
#include "differentiate/lapack_call.h"

/* The last dimension `by` elements later, with zeros where none comes from; by is 1 or -1. */
static weft_value *shifted(gd *g, weft_value *x, uint32_t d, int64_t by) {
    int64_t low[WEFT_MAX_RANK] = { 0 }, high[WEFT_MAX_RANK] = { 0 }, none[WEFT_MAX_RANK] = { 0 };
    if (!x) return NULL;
    low[d] = by;
    high[d] = -by;
    return weft_build_pad(gd_b(g), x, gd_zeros(g, gd_scalar(g, x->type)), low, high, none);
}

void gd_rule_gtsv(gd *g, const weft_op *op) {
    weft_builder *b = gd_b(g);
    const uint32_t x = op->result_count == 1 ? 0 : 3;
    const weft_type *types[5];
    weft_value *c = gd_ct(g, op, x), *dl = gd_in(g, op, 0), *d = gd_in(g, op, 1), *du = gd_in(g, op, 2);
    for (uint32_t i = 0; i < x; i++)
        if (gd_ct(g, op, i)) {
            gd_refuse(g, op, "what it overwrites of its operands has no derivative");
            return;
        }
    if (!c || !dl || !du) return;
    const uint32_t line = dl->type->rank - 1;
    const int64_t column = line + 1;
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = op->results[i].type;
    weft_value *in[] = { shifted(g, du, line, 1), d, shifted(g, dl, line, -1), c };
    weft_op *made = gd_call_again(g, op, in, types, (const char *[]){ NULL, NULL }, 0);
    weft_value *cb = made ? &made->results[x] : NULL, *y = lg_neg(b, gd_out(g, op, x));
    if (!cb || !y) return;
    gd_give(g, op, 3, cb);
    for (int64_t i = 0; i < 3; i++)
        if (gd_wants(g, op, (uint32_t)i)) {
            weft_value *other = i == 1 ? y : shifted(g, y, line, 1 - i);
            gd_give(g, op, (uint32_t)i, gd_sum(g, lg_mul(b, cb, other), &column, 1));
        }
}
