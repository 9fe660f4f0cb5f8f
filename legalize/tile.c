/* tile: wide values of products, such as the scores of attention, are computed and consumed tile by tile.
 *
 *     s = dot(q, k); p = softmax(s); o = dot(p, v)   ->   while i < heads:
 *                                                             for each range of rows: s, p and rows of o
 *
 * Pass weft-tile-products. Needs: plain StableHLO on local shapes. tile.h says what a nest of such ops is. A tile of
 * its wide values is in memory, and stays in the processor's cache (cost `tile`); columns that a mask makes zero are
 * not computed (tile_empty.c). Sums over rows are sums over tiles, so that floats may round otherwise.
 *
 * A vendor's compiler makes kernels of its own of attention, and a program for its machine stays as it is.
 */
#include "legalize/tile.h"

#include "legalize/hoist.h"
#include "legalize/legalize.h"

static weft_status open_tiler(lt_tiler *t, const weft_module *m) {
    t->mark = weft_arena_array(t->arena, uint8_t, m->op_count);
    t->stage = weft_arena_array(t->arena, uint32_t, m->op_count);
    t->root = weft_arena_array(t->arena, uint32_t, m->op_count);
    t->reader = weft_arena_array(t->arena, uint32_t, m->op_count);
    t->reader_stage = weft_arena_array(t->arena, uint32_t, m->op_count);
    t->holder = weft_arena_array(t->arena, uint32_t, m->op_count);
    t->at = weft_arena_array(t->arena, uint32_t, m->op_count);
    t->nest = weft_arena_array(t->arena, lt_nest *, m->op_count);
    t->emitted = weft_arena_array(t->arena, bool, m->op_count);
    t->wide = weft_arena_array(t->arena, bool, m->value_count);
    t->needed = weft_arena_array(t->arena, bool, m->value_count);
    t->first_axis = weft_arena_array(t->arena, uint32_t, m->value_count);
    t->here = weft_arena_array(t->arena, weft_value *, m->value_count);
    if (!t->mark || !t->stage || !t->root || !t->reader || !t->reader_stage || !t->holder || !t->at || !t->nest ||
        !t->emitted || !t->wide || !t->needed || !t->first_axis || !t->here)
        return weft_oom();
    return weft_uses_build(m, t->arena, &t->uses);
}

static weft_status find(lt_tiler *t, const weft_op *op) {
    weft_status st = WEFT_OK;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(blk, &op->regions[r]) {
            lt_nest *nests;
            if (st == WEFT_OK) st = lt_nests_find(t, blk, &nests);
            for (const weft_op *inner = blk->first; inner && st == WEFT_OK; inner = inner->next) st = find(t, inner);
        }
    return st;
}

/* ---- order: a nest stands where its last op stood, and after it what reads its results ---- */

typedef struct sorter {
    lt_tiler *t;
    const weft_block *blk;
    const weft_op **ops, **waiting;
    uint32_t count, waiting_count, effects; /* effects: of ops that wait */
    bool ready;
} sorter;

static bool is_there(void *user, const weft_value *v) {
    sorter *s = user;
    s->ready = s->ready && (!v->def || v->def->parent != s->blk || s->t->emitted[v->def->id]);
    return s->ready;
}

static bool can_emit(sorter *s, const weft_op *op) {
    const lt_nest *nest = s->t->nest[op->id];
    s->ready = !s->effects || !lt_has_effects(op);
    if (!nest) (void)lg_each_used(op, is_there, s);
    for (uint32_t i = 0; nest && i < nest->in_count; i++) is_there(s, nest->in[i].op->operands[nest->in[i].operand]);
    return s->ready;
}

static void emit(sorter *s, const weft_op *op) {
    const lt_nest *nest = s->t->nest[op->id];
    s->ops[s->count++] = op;
    s->t->emitted[op->id] = true;
    for (uint32_t i = 0; nest && i < nest->out_count; i++) s->t->emitted[nest->out[i]->def->id] = true;
}

static void emit_waiting(sorter *s) {
    for (bool again = true; again;) {
        uint32_t left = 0;
        again = false;
        s->effects = 0;
        for (uint32_t i = 0; i < s->waiting_count; i++) {
            if (can_emit(s, s->waiting[i])) {
                emit(s, s->waiting[i]);
                again = true;
                continue;
            }
            s->effects += lt_has_effects(s->waiting[i]);
            s->waiting[left++] = s->waiting[i];
        }
        s->waiting_count = left;
    }
}

/* A nest that waited for itself, which its stage rules out, would be missing with all that reads its results: the block
 * stays as it is. */
static void take_apart(sorter *s) {
    s->count = 0;
    WEFT_EACH_OP(op, s->blk) {
        s->t->nest[op->id] = NULL;
        s->ops[s->count++] = op;
    }
}

static weft_status order(weft_rewrite *r, const weft_block *old, const weft_op *const **ops, uint32_t *count) {
    sorter s = { .t = r->user, .blk = old };
    uint32_t n = 0;
    WEFT_EACH_OP(op, old) n++;
    s.ops = weft_arena_array(s.t->arena, const weft_op *, n);
    s.waiting = weft_arena_array(s.t->arena, const weft_op *, n);
    if (!s.ops || !s.waiting) return weft_oom();
    WEFT_EACH_OP(op, old) {
        const lt_nest *nest = s.t->nest[op->id];
        if (nest && nest->last != op) continue;
        if (!can_emit(&s, op)) {
            s.effects += lt_has_effects(op);
            s.waiting[s.waiting_count++] = op;
            continue;
        }
        emit(&s, op);
        if (nest && s.waiting_count) emit_waiting(&s);
    }
    if (s.waiting_count) take_apart(&s);
    *ops = s.ops;
    *count = s.count;
    return WEFT_OK;
}

static weft_status offered(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    lt_tiler *t = r->user;
    lt_nest *nest = t->nest[op->id];
    if (!nest) return WEFT_OK;
    *did = WEFT_DONE;
    return lt_build(t, nest, r, b);
}

weft_status weft_pass_tile_products(weft_pass *p, const weft_module *in, weft_module **out) {
    const weft_machine *machine = weft_pass_machine(p);
    weft_arena arena;
    if (machine->compiler == WEFT_COMPILER_VENDOR || !weft_module_had(in, WEFT_OP_dot_general)) return WEFT_OK;
    weft_arena_init(&arena, &p->cx->alloc);
    lt_tiler t = { .arena = &arena, .machine = machine, .always = weft_pass_flag(p, "always", false) };
    weft_status st = open_tiler(&t, in);
    if (st == WEFT_OK) st = find(&t, in->root);
    if (st == WEFT_OK && t.any)
        st = weft_rewrite_module(&(weft_rewrite){ .user = &t, .op = offered, .order = order }, in, &arena, out);
    weft_arena_free(&arena);
    return st;
}
