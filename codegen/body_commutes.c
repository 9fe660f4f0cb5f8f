/* body_commutes.c: may the two sides of a reducer be swapped, or its applications be bracketed otherwise?
 *
 * StableHLO's reductions may be bracketed in any way but keep the order of the elements (spec, reduce), so lanes may
 * take turns only with a body that commutes. Two kinds are known: a commuting instruction for each result, and bodies
 * that compare and select only (argmax): what these give depends on nothing but how the two values of each operand
 * compare, so trying every way is a proof. Zeros of either sign count as equal there. JAX's argmax does not commute,
 * since of two NaNs it takes the first one's index, but may be bracketed in any way. A body of which nothing is known
 * is applied from the first element to the last.
 */
#include <math.h>
#include "codegen/body.h"

enum { MAX_OPERANDS = 4, WAYS = 6, MAX_BRACKETED = 2, TRIPLES = 64 };

static bool one_instruction(const cg_body *b) {
    const uint32_t n = b->result_count;
    for (uint32_t r = 0; r < n; r++) {
        if (b->results[r] < b->arg_count) return false;
        const cg_body_ins *x = &b->ins[b->results[r] - b->arg_count];
        const cg_op op = (cg_op)x->node->op;
        const bool commutes = op == CG_OP_add || op == CG_OP_multiply || op == CG_OP_maximum || op == CG_OP_minimum ||
                              op == CG_OP_and || op == CG_OP_or || op == CG_OP_xor;
        if (x->node->cls != CG_SCALAR || !commutes) return false;
        if (!(x->in[0] == r && x->in[1] == n + r) && !(x->in[0] == n + r && x->in[1] == r)) return false;
    }
    return true;
}

/* Of the values of which operand a number is, or a truth value. */
enum { TRUTH = -1, OTHER = -2 };

static int origin(const cg_body_ins *x, const int *of) {
    const cg_node *n = x->node;
    if (n->cls == CG_SPLAT) return n->dtype == WEFT_I1 ? TRUTH : OTHER;
    const int a = of[x->in[0]], b = n->in_count > 1 ? of[x->in[1]] : a, c = n->in_count > 2 ? of[x->in[2]] : b;
    switch (n->op) {
    case CG_OP_not: return a == TRUTH ? TRUTH : OTHER;
    case CG_OP_and: case CG_OP_or: case CG_OP_xor: return a == TRUTH && b == TRUTH ? TRUTH : OTHER;
    case CG_OP_compare: return a == b && (a >= 0 || a == TRUTH) && !(n->aux >> 32) ? TRUTH : OTHER;
    case CG_OP_maximum: case CG_OP_minimum: return a == b && a >= 0 ? a : OTHER;
    case CG_OP_select: return a == TRUTH && b == c ? b : OTHER;
    default: return OTHER;
    }
}

static bool compare(int64_t direction, double a, double b) {
    switch (direction) {
    case WEFT_comparison_direction_EQ: return a == b;
    case WEFT_comparison_direction_NE: return a != b;
    case WEFT_comparison_direction_GE: return a >= b;
    case WEFT_comparison_direction_GT: return a > b;
    case WEFT_comparison_direction_LE: return a <= b;
    default: return a < b;
    }
}

static double pick(cg_op op, double a, double b) {
    if (isnan(a) || isnan(b)) return NAN;
    return (op == CG_OP_maximum) == (a > b) ? a : b;
}

static double evaluate(const cg_body_ins *x, const double *v) {
    const cg_node *n = x->node;
    if (n->cls == CG_SPLAT) return weft_dtype_load((weft_dtype)n->dtype, n->splat);
    const double a = v[x->in[0]], b = v[x->in[1]], c = v[x->in[2]];
    switch (n->op) {
    case CG_OP_not: return a == 0;
    case CG_OP_and: return a != 0 && b != 0;
    case CG_OP_or: return a != 0 || b != 0;
    case CG_OP_xor: return (a != 0) != (b != 0);
    case CG_OP_compare: return compare(n->aux & 0xffffffff, a, b);
    case CG_OP_select: return a != 0 ? b : c;
    default: return pick((cg_op)n->op, a, b);
    }
}

static void run(const cg_body *b, const double *args, double *v) {
    memcpy(v, args, b->arg_count * sizeof *v);
    for (uint32_t i = 0; i < b->count; i++) v[b->arg_count + i] = evaluate(&b->ins[i], v);
}

static bool same(const cg_body *b, const double *v, const double *w) {
    for (uint32_t r = 0; r < b->result_count; r++) {
        const double x = v[b->results[r]], y = w[b->results[r]];
        if (x != y && !(isnan(x) && isnan(y))) return false;
    }
    return true;
}

static bool any_way(const cg_body *b, const cg_block *block, double *v, double *w) {
    static const double left[WAYS] = { 1, 2, 1, NAN, 1, NAN }, right[WAYS] = { 2, 1, 1, 1, NAN, NAN };
    const uint32_t n = b->result_count;
    uint32_t way[MAX_OPERANDS] = { 0 }, d = 0;
    while (d < n) {
        double args[2 * MAX_OPERANDS], swapped[2 * MAX_OPERANDS];
        for (uint32_t i = 0; i < n; i++) {
            args[i] = swapped[n + i] = left[way[i]];
            args[n + i] = swapped[i] = right[way[i]];
        }
        run(b, args, v);
        run(b, swapped, w);
        if (!same(b, v, w)) return false;
        for (d = 0; d < n; d++) {
            if (++way[d] < (weft_dtype_is_float((weft_dtype)block->args[d]->dtype) ? WAYS : 3u)) break;
            way[d] = 0;
        }
    }
    return true;
}

/* The results of b for two lists of values. */
static void apply(const cg_body *b, const double *x, const double *y, double *v, double *out) {
    const uint32_t n = b->result_count;
    double args[2 * MAX_OPERANDS] = { 0 };
    for (uint32_t r = 0; r < n; r++) args[r] = x[r], args[n + r] = y[r];
    run(b, args, v);
    for (uint32_t r = 0; r < n; r++) out[r] = v[b->results[r]];
}

/* (x y) z is x (y z), however the three values of each operand compare. */
static bool associates(const cg_body *b, const cg_block *block, double *v) {
    static const double value[] = { 1, 2, 3, NAN };
    const uint32_t n = b->result_count;
    uint32_t way[MAX_OPERANDS] = { 0 }, d = 0;
    if (n > MAX_BRACKETED) return false;
    while (d < n) {
        double x[MAX_OPERANDS], y[MAX_OPERANDS], z[MAX_OPERANDS], left[MAX_OPERANDS], right[MAX_OPERANDS];
        for (uint32_t i = 0; i < n; i++)
            x[i] = value[way[i] % 4], y[i] = value[way[i] / 4 % 4], z[i] = value[way[i] / 16];
        apply(b, x, y, v, left), apply(b, left, z, v, left);
        apply(b, y, z, v, right), apply(b, x, right, v, right);
        for (uint32_t i = 0; i < n; i++)
            if (left[i] != right[i] && !(isnan(left[i]) && isnan(right[i]))) return false;
        for (d = 0; d < n; d++) {
            const bool nan = weft_dtype_is_float((weft_dtype)block->args[d]->dtype);
            do way[d]++;
            while (!nan && way[d] < TRIPLES && (way[d] % 4 == 3 || way[d] / 4 % 4 == 3 || way[d] / 16 == 3));
            if (way[d] < TRIPLES) break;
            way[d] = 0;
        }
    }
    return true;
}

static cg_fold_order compares_and_selects(weft_arena *arena, const cg_body *b, const cg_block *block) {
    const uint32_t n = b->result_count, all = b->arg_count + b->count;
    if (n > MAX_OPERANDS || b->arg_count != 2 * n) return CG_ONE_BY_ONE;
    int *of = weft_arena_array(arena, int, all + 1);
    double *v = weft_arena_array(arena, double, all + 1), *w = weft_arena_array(arena, double, all + 1);
    if (!of || !v || !w) return CG_ONE_BY_ONE; /* then it is slow */
    for (uint32_t i = 0; i < b->arg_count; i++) {
        if (weft_dtype_is_complex((weft_dtype)block->args[i]->dtype)) return CG_ONE_BY_ONE;
        of[i] = (int)(i % n);
    }
    for (uint32_t i = 0; i < b->count; i++)
        if ((of[b->arg_count + i] = origin(&b->ins[i], of)) == OTHER) return CG_ONE_BY_ONE;
    for (uint32_t r = 0; r < n; r++)
        if (of[b->results[r]] < 0) return CG_ONE_BY_ONE;
    return any_way(b, block, v, w) ? CG_ANY_ORDER : associates(b, block, v) ? CG_BRACKETED : CG_ONE_BY_ONE;
}

cg_fold_order cg_body_order(cg_graph *g, const cg_block *block) {
    weft_arena *arena = &g->cx->scratch;
    const weft_mark mark = weft_arena_mark(arena);
    cg_body b;
    cg_fold_order order = CG_ONE_BY_ONE;
    if (cg_body_read(arena, block, &b, NULL) == WEFT_OK)
        order = one_instruction(&b) ? CG_ANY_ORDER : compares_and_selects(arena, &b, block);
    weft_arena_reset(arena, mark);
    return order;
}
