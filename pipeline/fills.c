/* fills: the default fills of arguments; see verify.h.
 *
 * An argument must not be negative if the operand of a square root or a logarithm depends on it through steps that keep
 * a sign: sums, products, quotients, maxima, conversions and moves. A square is no such step. So the second moments of
 * an optimiser are filled as in an optimiser: square roots of negative ones would be NaN, and where a sum is near zero
 * rounding would decide whether they are.
 */
#include "pipeline/verify.h"

/* Negative numbers too, so that a wrong zero is noticed in a maximum; few integers, so that they serve as
 * indices. */
weft_fill weft_verify_fill(weft_dtype t, uint64_t seed) {
    const weft_dtype_kind kind = weft_dtype_of(t)->kind;
    return (weft_fill){ WEFT_FILL_NORMAL, kind == WEFT_KIND_INT || kind == WEFT_KIND_UINT ? 8 : 1, seed };
}

typedef struct walk {
    bool *seen;                 /* by id of the value: it must not be negative */
    const weft_value **stack;
    size_t n;
} walk;

static void push(walk *w, const weft_value *v) {
    if (w->seen[v->id]) return;
    w->seen[v->id] = true;
    w->stack[w->n++] = v; /* each value once: there is room for all */
}

/* The result is not negative if these operands are not: a bit per operand. */
static unsigned keeps_sign(const weft_op *op) {
    switch (op->kind) {
    case WEFT_OP_multiply: return op->operands[0] == op->operands[1] ? 0 : 3;
    case WEFT_OP_add:
    case WEFT_OP_divide:
    case WEFT_OP_minimum: return 3;
    case WEFT_OP_maximum:
    case WEFT_OP_select: return 6;
    case WEFT_OP_convert:
    case WEFT_OP_broadcast_in_dim:
    case WEFT_OP_reshape:
    case WEFT_OP_transpose:
    case WEFT_OP_slice:
    case WEFT_OP_dynamic_slice:
    case WEFT_OP_reduce:
    case WEFT_OP_sdy_sharding_constraint:
    case WEFT_OP_sdy_reshard: return 1;
    default: return 0;
    }
}

static void step(walk *w, const weft_value *v) {
    const weft_op *op = v->def, *owner = op ? NULL : v->block->parent->parent;
    if (owner && owner->kind == WEFT_OP_while) push(w, owner->operands[v->index]);
    if (!op) return;
    if (op->kind == WEFT_OP_optimization_barrier) push(w, op->operands[v->index]);
    const unsigned which = keeps_sign(op);
    for (uint32_t i = 0; i < op->operand_count && i < 3; i++)
        if (which >> i & 1) push(w, op->operands[i]);
}

static weft_status find_roots(void *user, weft_op *op) {
    if (op->kind == WEFT_OP_sqrt || op->kind == WEFT_OP_rsqrt || op->kind == WEFT_OP_log) push(user, op->operands[0]);
    return WEFT_OK;
}

weft_status weft_verify_fills(const weft_module *m, uint64_t seed, weft_fill *out) {
    weft_arena arena;
    weft_arena_init(&arena, &m->cx->chunks);
    walk w = { .seen = weft_arena_array(&arena, bool, m->value_count + 1),
               .stack = weft_arena_array(&arena, const weft_value *, m->value_count + 1) };
    weft_status st = w.seen && w.stack ? weft_module_walk(m, find_roots, &w) : weft_oom();
    while (st == WEFT_OK && w.n) step(&w, w.stack[--w.n]);
    const weft_block *body = weft_op_body(weft_module_main(m), 0);
    for (uint32_t i = 0; st == WEFT_OK && body && i < body->arg_count; i++) {
        const weft_type *t = body->args[i]->type;
        out[i] = weft_verify_fill(t->dtype, seed);
        if (w.seen[body->args[i]->id] && weft_dtype_of(t->dtype)->kind == WEFT_KIND_FLOAT)
            out[i].kind = WEFT_FILL_UNIFORM;
    }
    weft_arena_free(&arena);
    return st;
}
