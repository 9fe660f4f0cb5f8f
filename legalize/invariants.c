/* invariants: finds the loop invariants, and those of them that are worth a place in memory.
 *
 * A loop carries value i unchanged if its body returns argument i: the argument itself, or its initial value. Argument
 * and result are then that outer value. An op directly in a condition or body is invariant if it has no effects and its
 * operands come from outside or from such ops. Such an op moves before the loop if an op that stays in the loop uses it
 * and
 *   - it computes: an op that only follows from indices (trait VIEW) is fused with its user for free, and in memory
 *     would cost a load per iteration;
 *   - it is not much larger than its inputs: at most hold_growth times the largest input value that is in memory
 *     anyway, or hold_bytes (topology/costs.def). A mask of n x n made of an iota, or the outer product of two vectors,
 *     is recomputed in each iteration.
 * The ops that it depends on then move before the loop too, as a copy if the loop also uses them.
 *
 * Collectives move on request, since devices that take part in one make equally many iterations. One that makes its
 * operand larger, all_gather above all, holds that memory through the whole loop instead of at its use: of these, as
 * many move as are together no larger than the largest of them, or hold_bytes. At its use the largest is there anyway.
 *
 * Not moved: ops with effects, and random numbers of a stateful generator; collectives without request; custom calls,
 * which might fail; loops, which might not end if the outer loop never runs them. All others may be computed in vain:
 * no arithmetic traps.
 */
#include "legalize/hoist.h"

typedef struct finder {
    lg_invariants *v;
    const weft_costs *costs;
    bool *invariant;        /* by op id */
    bool *needed;           /* by op id: an op in the loop needs it */
    int64_t *source;        /* by op id: bytes of an invariant op's largest input in memory */
    bool collectives;
    int64_t room;           /* in the current loop: for values that collectives make larger */
    uint32_t *weighed;      /* by value id: the last loop (its op's id) for which it was weighed */
} finder;

const weft_value *lg_resolve(const lg_invariants *v, const weft_value *x) {
    while (v->same[x->id]) x = v->same[x->id];
    return x;
}

static bool each_used(const weft_op *root, const weft_op *op, lg_value_fn f, void *user) {
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!weft_block_is_within(weft_value_block(op->operands[i]), root) && !f(user, op->operands[i])) return false;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk)
                if (!each_used(root, inner, f, user)) return false;
    return true;
}

bool lg_each_used(const weft_op *op, lg_value_fn f, void *user) { return each_used(op, op, f, user); }

static bool is_loop(const weft_op *op) { return op->kind == WEFT_OP_while; }

/* No effects, and sure to end. */
static bool movable(const finder *f, const weft_op *op) {
    const weft_op_kind k = (weft_op_kind)op->kind;
    const bool branches = weft_op_kind_has(k, WEFT_TRAIT_CONTROL) && !is_loop(op);
    if (f->collectives && weft_op_kind_has(k, WEFT_TRAIT_COLLECTIVE)) return true;
    if (!branches && !weft_op_kind_has(k, WEFT_TRAIT_PURE)) return false;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk)
                if (!weft_op_kind_has((weft_op_kind)inner->kind, WEFT_TRAIT_TERMINATOR) && !movable(f, inner))
                    return false;
    return true;
}

/* ---- values carried unchanged ---- */

static void carried(lg_invariants *v, const weft_op *loop) {
    const weft_block *cond = weft_op_body(loop, 0), *body = weft_op_body(loop, 1);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < loop->result_count; i++) {
            if (lg_unchanged(v, loop, i) || loop->operands[i]->type != loop->results[i].type) continue;
            const weft_value *next = lg_resolve(v, body->last->operands[i]), *first = lg_resolve(v, loop->operands[i]);
            if (next != body->args[i] && next != first) continue;
            v->same[loop->results[i].id] = v->same[cond->args[i]->id] = v->same[body->args[i]->id] = first;
            again = v->any = true;
        }
    }
}

/* ---- invariant ops ---- */

typedef struct asked { const finder *f; const weft_op *loop; const weft_block *blk; int64_t source; } asked;

static bool from_outside(void *user, const weft_value *x) {
    asked *a = user;
    x = lg_resolve(a->f->v, x);
    if (!weft_block_is_within(weft_value_block(x), a->loop)) {
        a->source = weft_max_i64(a->source, weft_type_bytes(x->type));
        return true;
    }
    if (!x->def || x->def->parent != a->blk || !a->f->invariant[x->def->id]) return false;
    a->source = weft_max_i64(a->source, a->f->source[x->def->id]);
    return true;
}

static void invariants(finder *f, const weft_op *loop, const weft_block *blk) {
    WEFT_EACH_OP(op, blk) {
        asked a = { .f = f, .loop = loop, .blk = blk };
        if (op == blk->last || !movable(f, op) || !lg_each_used(op, from_outside, &a)) continue;
        f->invariant[op->id] = true;
        f->source[op->id] = a.source;
    }
}

/* ---- the place of each op ---- */

static bool is_collective(const weft_op *op) { return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_COLLECTIVE); }

/* Of op's results; -1: unknown. */
static int64_t bytes_of(const weft_op *op) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const int64_t n = weft_type_bytes(op->results[i].type);
        if (n < 0 || n > INT64_MAX / 4 - bytes) return -1;
        bytes += n;
    }
    return bytes;
}

static bool grows(const weft_op *op) {
    int64_t in = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) in = weft_max_i64(in, weft_type_bytes(op->operands[i]->type));
    return bytes_of(op) > in;
}

/* Adds to *held the growth by collectives outside of the loop, and keeps the largest of these and of those
 * inside. */
static void weigh(finder *f, const weft_op *loop, const weft_op *op, int64_t *held) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const weft_value *x = lg_resolve(f->v, op->operands[i]);
        if (!x->def || !is_collective(x->def) || !grows(x->def) || f->weighed[x->id] == loop->id) continue;
        f->weighed[x->id] = loop->id;
        const bool inside = weft_block_is_within(weft_value_block(x), loop);
        if (inside && !f->invariant[x->def->id]) continue;
        const int64_t bytes = weft_max_i64(weft_type_bytes(x->type), 0);
        f->room = weft_max_i64(f->room, bytes);
        if (!inside) *held += weft_min_i64(bytes, INT64_MAX / 4 - *held);
    }
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk) weigh(f, loop, inner, held);
}

static void make_room(finder *f, const weft_op *loop) {
    int64_t held = 0;
    f->room = (int64_t)f->costs->hold_bytes;
    for (uint32_t r = 0; f->collectives && r < loop->region_count; r++)
        WEFT_EACH_OP(op, weft_op_body(loop, r)) weigh(f, loop, op, &held);
    f->room -= held;
}

static bool worth(finder *f, const weft_op *op) {
    const int64_t bytes = bytes_of(op);
    if (bytes < 0) return false;
    if (is_collective(op)) {
        if (!grows(op)) return true;
        if (bytes > f->room) return false;
        f->room -= bytes;
        return true;
    }
    return !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_VIEW) &&
           ((double)bytes <= f->costs->hold_bytes ||
            (double)bytes <= f->costs->hold_growth * (double)f->source[op->id]);
}

typedef struct marking { finder *f; const weft_block *blk; bool *mark; } marking;

static bool mark(void *user, const weft_value *x) {
    const marking *m = user;
    x = lg_resolve(m->f->v, x);
    if (x->def && x->def->parent == m->blk) m->mark[x->def->id] = true;
    return true;
}

/* Backwards, so that users come before their operands. */
static void choose(finder *f, const weft_block *blk) {
    lg_invariants *v = f->v;
    marking inside = { f, blk, f->needed }, before = { f, blk, v->before };
    for (const weft_op *op = blk->last; op; op = op->prev) {
        const bool moves = f->invariant[op->id] && f->needed[op->id] && worth(f, op);
        v->before[op->id] = v->before[op->id] || moves;
        v->inside[op->id] = !f->invariant[op->id] || (f->needed[op->id] && !moves);
        v->any = v->any || moves;
        if (v->inside[op->id]) lg_each_used(op, mark, &inside);
        if (v->before[op->id]) lg_each_used(op, mark, &before);
    }
}

static void find(finder *f, const weft_op *op) {
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r])
            WEFT_EACH_OP(inner, blk) find(f, inner);
    if (!is_loop(op)) return;
    carried(f->v, op);
    for (uint32_t r = 0; r < op->region_count; r++) invariants(f, op, weft_op_body(op, r));
    make_room(f, op);
    for (uint32_t r = 0; r < op->region_count; r++) choose(f, weft_op_body(op, r));
}

weft_status lg_invariants_find(const weft_module *m, const weft_costs *costs, weft_arena *arena, bool collectives,
                               lg_invariants *out) {
    finder f = { .v = out, .costs = costs, .collectives = collectives };
    *out = (lg_invariants){ .m = m };
    out->same = weft_arena_array(arena, const weft_value *, m->value_count);
    out->before = weft_arena_array(arena, bool, m->op_count);
    out->inside = weft_arena_array(arena, bool, m->op_count);
    f.invariant = weft_arena_array(arena, bool, m->op_count);
    f.needed = weft_arena_array(arena, bool, m->op_count);
    f.source = weft_arena_array(arena, int64_t, m->op_count);
    f.weighed = weft_arena_array(arena, uint32_t, m->value_count);
    if (!out->same || !out->before || !out->inside || !f.invariant || !f.needed || !f.source || !f.weighed)
        return weft_oom();
    for (uint32_t i = 0; i < m->op_count; i++) out->inside[i] = true;
    find(&f, m->root);
    return WEFT_OK;
}
