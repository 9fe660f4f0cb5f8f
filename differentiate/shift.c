/* shift.c: maxima that a program subtracts for the sake of range only, as softmax and log-sum-exp do.
 *
 * With m as a variable of its own, a value is followed as m + a constant times m (a shift) or as itself times
 * exp(a m) (a scale). If every value that reaches a reader of another kind has a = 0, nothing depends on m: its
 * cotangent is zero, and so are the ops and the sums over devices that would compute it. JAX's own functions stop the
 * gradient there, which a program as text does not say.
 */
#include "differentiate/grad.h"

enum { MOST = 24 };          /* values followed at a time */

typedef struct followed {
    const weft_value *v;
    enum { SHIFT, SCALE } way;
    int a;
    int8_t dims[WEFT_MAX_RANK]; /* by dimension of m: v's, or -1: m's has size 1 */
} followed;

typedef struct follower {
    gd *g;
    const weft_type *m;
    followed f[MOST];
    uint32_t n;
} follower;

static const followed *find(const follower *w, const weft_value *v) {
    for (uint32_t i = w->n; i-- > 0;)
        if (w->f[i].v == v) return &w->f[i];
    return NULL;
}

static bool uses_any(const follower *w, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (find(w, op->operands[i])) return true;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk)
                if (uses_any(w, inner)) return true;
    return false;
}

static bool put(follower *w, followed f) {
    if (!f.a) return true;
    if (w->n == MOST) return false;
    w->f[w->n++] = f;
    return true;
}

static bool same_dims(const follower *w, const followed *x, const followed *y) {
    return !memcmp(x->dims, y->dims, w->m->rank);
}

/* Where dimension d of the operand lies in the result; -1: nowhere. */
static int moved(const weft_op *op, int d) {
    const weft_type *from = op->operands[0]->type, *to = op->results[0].type;
    int at = -1, i = 0;
    if (op->kind == WEFT_OP_broadcast_in_dim)
        return (int)weft_op_int_at(op, WEFT_A_broadcast_dimensions, (uint32_t)d, 0);
    if (op->kind == WEFT_OP_transpose) {
        for (uint32_t k = 0; k < to->rank; k++)
            if (weft_op_int_at(op, WEFT_A_permutation, k, 0) == d) at = (int)k;
        return at;
    }
    if (op->kind == WEFT_OP_reduce) {
        weft_ints gone = weft_op_ints(op, WEFT_A_dimensions);
        if (weft_ints_has(gone, d)) return -1;
        for (int k = 0; k < d; k++) i += !weft_ints_has(gone, k);
        return i;
    }
    if (op->kind != WEFT_OP_reshape) return d;
    /* a reshape that only adds or takes away dimensions of size 1 keeps the others' order */
    int nth = 0;
    for (int k = 0; k < d; k++) nth += from->dims[k] != 1;
    for (uint32_t k = 0; k < to->rank; k++)
        if (to->dims[k] != 1 && nth-- == 0) at = (int)k;
    return at;
}

/* The operand, moved by an op of one operand. */
static bool follow_move(follower *w, const weft_op *op) {
    followed f = *find(w, op->operands[0]);
    const weft_type *to = op->results[0].type;
    for (uint32_t i = 0; i < w->m->rank; i++) {
        if (f.dims[i] < 0) continue;
        f.dims[i] = (int8_t)moved(op, f.dims[i]);
        if (f.dims[i] < 0 || to->dims[f.dims[i]] != w->m->dims[i]) return false;
    }
    f.v = &op->results[0];
    return put(w, f);
}

static bool follow_two(follower *w, const weft_op *op) {
    const followed *x = find(w, op->operands[0]), *y = find(w, op->operands[1]);
    const bool product = op->kind == WEFT_OP_multiply || op->kind == WEFT_OP_divide;
    const int sign = op->kind == WEFT_OP_subtract || op->kind == WEFT_OP_divide ? -1 : 1;
    followed f = x ? *x : *y;
    if ((f.way == SCALE) != product || (x && y && (x->way != y->way || !same_dims(w, x, y)))) return false;
    f.a = (x ? x->a : 0) + sign * (y ? y->a : 0);
    f.v = &op->results[0];
    return put(w, f);
}

static bool follow(follower *w, const weft_op *op) {
    followed f = { 0 };
    if (op->operand_count && find(w, op->operands[0])) f = *find(w, op->operands[0]);
    switch (op->kind) {
    case WEFT_OP_convert:
    case WEFT_OP_broadcast_in_dim:
    case WEFT_OP_reshape:
    case WEFT_OP_transpose: return follow_move(w, op);
    case WEFT_OP_exponential:
    case WEFT_OP_log:
        if (f.way != (op->kind == WEFT_OP_log ? SCALE : SHIFT)) return false;
        f.way = op->kind == WEFT_OP_log ? SHIFT : SCALE;
        f.v = &op->results[0];
        return put(w, f);
    case WEFT_OP_reduce: return weft_reducer_kind(op, 0) == WEFT_OP_add && f.v && f.way == SCALE && follow_move(w, op);
    case WEFT_OP_add:
    case WEFT_OP_subtract:
    case WEFT_OP_multiply:
    case WEFT_OP_divide: return follow_two(w, op);
    default: return false;
    }
}

/* m becomes op's result: op is the first reader of m, and works element by element (a bound, a choice). */
static bool renew(follower *w, const weft_op *op) {
    if (w->n != 1 || !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_POINTWISE) || op->result_count != 1 ||
        (op->kind != WEFT_OP_maximum && op->kind != WEFT_OP_minimum && op->kind != WEFT_OP_select))
        return false;
    w->f[0].v = &op->results[0];
    return true;
}

/* What is differentiated need not have a reader. */
static bool is_wanted(const follower *w, const weft_value *old) {
    const weft_gradients *what = w->g->what;
    for (uint32_t i = 0; i < what->of_n; i++)
        if (what->of[i] == old || find(w, what->of[i])) return true;
    return false;
}

bool gd_cancels(gd *g, const weft_op *op) {
    follower w = { .g = g, .m = op->results[0].type };
    followed m = { .v = &op->results[0], .way = SHIFT, .a = 1 };
    const weft_value *old = NULL;
    for (uint32_t i = 0; i < w.m->rank; i++) m.dims[i] = w.m->dims[i] == 1 ? -1 : (int8_t)i;
    put(&w, m);
    const weft_op *end = g->scope->last ? g->scope->last->next : NULL;
    for (const weft_op *next = op->next; next && next != end; next = next->next) {
        if (g->rules[next->kind] == gd_rule_zero && !next->region_count) continue;
        for (uint32_t i = 0; old && i < next->operand_count; i++)
            if (next->operands[i] == old) return false;
        if (!uses_any(&w, next)) continue;
        const weft_value *was = w.f[0].v;
        if (follow(&w, next)) continue;
        if (old || !renew(&w, next)) return false;
        old = was;
    }
    return !is_wanted(&w, old);
}
