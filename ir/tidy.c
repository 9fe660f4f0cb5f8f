/* tidy.c: see tidy.h. */
#include "ir/tidy.h"
#include "ir/rewrite.h"

/* ---- removable ops ---- */

static bool pure_alone(const weft_op *op) {
    if (op->kind == WEFT_OP_custom_call) return !weft_op_int(op, WEFT_A_has_side_effect, 0);
    return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_PURE) ||
           weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONTROL);
}

bool weft_op_is_pure(const weft_op *op) {
    if (!pure_alone(op)) return false;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (!weft_op_kind_has((weft_op_kind)inner->kind, WEFT_TRAIT_TERMINATOR) && !weft_op_is_pure(inner))
                    return false;
    return true;
}

bool weft_op_is_removable(const weft_op *op) {
    return !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_TERMINATOR) &&
           !weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_SYMBOL) && weft_op_is_pure(op);
}

/* ---- constants ---- */

/* of a constant: at the front already, to be moved there, equal to an earlier one */
typedef enum fate { STAYS, MOVES, GOES } fate;

typedef struct tidier {
    weft_arena arena;
    const weft_op **constants; /* in program order */
    size_t count, room;
    const weft_op **slots;     /* open addressing: the constants of each kind */
    uint32_t cap;
    const weft_op **same;      /* by op: the constant that replaces this one; NULL for other ops */
    uint8_t *fates;            /* by op */
    bool *leads;               /* by op: one of the constants at the beginning of a region */
    bool *read, *live;         /* by value, by op */
    bool any;                  /* there is a change to make */
    weft_rewrite rewrite;
} tidier;

static bool is_constant(const weft_op *op) { return op->kind == WEFT_OP_constant || op->kind == WEFT_OP_chlo_constant; }

static bool is_closed(const weft_op *op) {
    return op->kind == WEFT_OP_other || weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_ISOLATED);
}

/* The region to which a constant of blk moves. */
static const weft_region *home_of(const weft_block *blk) {
    const weft_region *r = blk->parent;
    while (!is_closed(r->parent) && r->parent->parent) r = r->parent->parent->parent;
    return r;
}

static uint32_t hash_of(const weft_op *op, const weft_region *home) {
    return (weft_attr_hash(weft_op_attr(op, WEFT_A_value)) * 31u + op->results[0].type->id) * 31u + home->parent->id;
}

static bool are_same(const weft_op *a, const weft_op *b) {
    return a->kind == b->kind && a->results[0].type == b->results[0].type &&
           weft_attr_equal(weft_op_attr(a, WEFT_A_value), weft_op_attr(b, WEFT_A_value)) &&
           home_of(a->parent) == home_of(b->parent);
}

static void place_constant(tidier *s, const weft_op *op) {
    const weft_region *home = home_of(op->parent);
    uint32_t i = hash_of(op, home) & (s->cap - 1);
    while (s->slots[i] && !are_same(s->slots[i], op)) i = (i + 1) & (s->cap - 1);
    if (!s->slots[i]) s->slots[i] = op;
    s->same[op->id] = s->slots[i];
    s->leads[op->id] = op->parent == home->first && (!op->prev || s->leads[op->prev->id]);
    if (s->slots[i] != op) s->fates[op->id] = GOES;
    else s->fates[op->id] = s->leads[op->id] ? STAYS : MOVES;
    s->any = s->any || s->fates[op->id] != STAYS;
}

static weft_status find_constants(tidier *s, const weft_block *blk) {
    weft_status st = WEFT_OK;
    for (const weft_op *op = blk->first; op && st == WEFT_OK; op = op->next) {
        if (is_constant(op)) {
            if (!weft_arena_grow(&s->arena, (void **)&s->constants, &s->room, s->count + 1, sizeof *s->constants))
                return weft_oom();
            s->constants[s->count++] = op;
        }
        for (uint32_t r = 0; r < op->region_count; r++)
            for (const weft_block *inner = op->regions[r].first; inner && st == WEFT_OK; inner = inner->next)
                st = find_constants(s, inner);
    }
    return st;
}

/* ---- readers ---- */

static const weft_value *stands_for(const tidier *s, const weft_value *v) {
    return v->def && s->same[v->def->id] ? &s->same[v->def->id]->results[0] : v;
}

/* Backwards, so that readers come before what they read. */
static void note_live(tidier *s, const weft_block *blk) {
    for (const weft_op *op = blk->last; op; op = op->prev) {
        bool live = !weft_op_is_removable(op);
        for (uint32_t i = 0; i < op->result_count; i++) live = live || s->read[op->results[i].id];
        s->live[op->id] = live;
        s->any = s->any || !live;
        if (!live) continue;
        for (uint32_t i = 0; i < op->operand_count; i++) s->read[stands_for(s, op->operands[i])->id] = true;
        for (uint32_t r = 0; r < op->region_count; r++)
            WEFT_EACH_BLOCK(inner, &op->regions[r]) note_live(s, inner);
    }
}

/* ---- the new module ---- */

/* The constants of blk and its regions, each before the previous one. */
static weft_status make_moved(tidier *s, weft_builder *b, const weft_block *blk) {
    weft_status st = WEFT_OK;
    WEFT_EACH_OP(op, blk) {
        if (s->fates[op->id] == MOVES && s->read[op->results[0].id]) {
            b->loc = op->loc;
            b->before = b->block->first;
            if (!weft_clone_shell(b, op, &s->rewrite.map, NULL)) return b->status;
        }
        for (uint32_t r = 0; r < op->region_count && !is_closed(op); r++)
            WEFT_EACH_BLOCK(inner, &op->regions[r])
                if ((st = make_moved(s, b, inner)) != WEFT_OK) return st;
    }
    return st;
}

static weft_status enter(weft_rewrite *r, const weft_block *old, weft_block *made) {
    weft_builder b;
    weft_builder_init(&b, r->out, made);
    return is_closed(old->parent->parent) && old == old->parent->first ? make_moved(r->user, &b, old) : WEFT_OK;
}

static weft_status keep(weft_rewrite *r, weft_builder *b, const weft_op *op, weft_rewritten *did) {
    tidier *s = r->user;
    (void)b;
    if (s->live[op->id] && s->fates[op->id] == STAYS) return WEFT_OK;
    *did = WEFT_DONE;
    if (s->same[op->id]) r->map.to[op->results[0].id] = r->map.to[s->same[op->id]->results[0].id];
    return WEFT_OK;
}

static weft_status open(tidier *s, const weft_module *in) {
    weft_status st = find_constants(s, weft_module_body(in));
    if (st != WEFT_OK) return st;
    s->cap = 2;
    while (s->cap / 2 < s->count) s->cap *= 2;
    s->slots = weft_arena_array(&s->arena, const weft_op *, s->cap);
    s->same = weft_arena_array(&s->arena, const weft_op *, in->op_count);
    s->fates = weft_arena_array(&s->arena, uint8_t, in->op_count);
    s->leads = weft_arena_array(&s->arena, bool, in->op_count);
    s->live = weft_arena_array(&s->arena, bool, in->op_count);
    s->read = weft_arena_array(&s->arena, bool, in->value_count);
    return s->slots && s->same && s->fates && s->leads && s->live && s->read ? WEFT_OK : weft_oom();
}

weft_status weft_tidy(const weft_module *in, weft_module **out) {
    tidier s = { 0 };
    weft_arena_init(&s.arena, &in->cx->chunks);
    s.rewrite = (weft_rewrite){ .user = &s, .op = keep, .enter = enter };
    weft_status st = open(&s, in);
    if (st == WEFT_OK) {
        for (size_t i = 0; i < s.count; i++) place_constant(&s, s.constants[i]);
        note_live(&s, weft_module_body(in));
    }
    if (st == WEFT_OK && s.any) st = weft_rewrite_module(&s.rewrite, in, &s.arena, out);
    if (st == WEFT_OK && s.any) (*out)->reading = in->reading;
    weft_arena_free(&s.arena);
    return st;
}
