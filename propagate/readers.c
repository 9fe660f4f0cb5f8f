/* readers.c: the order of readers; see readers.h. */
#include <stdlib.h>
#include <string.h>

#include "propagate/readers.h"

static void count_readers(const weft_op *op, uint32_t *count) {
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b) {
                for (uint32_t i = 0; i < inner->operand_count; i++) count[inner->operands[i]->id]++;
                if (inner->region_count) count_readers(inner, count);
            }
}

static uint32_t turn_of(const weft_use *u) { return u->op->turns ? u->op->turns[u->operand] : 0; }

typedef enum handed { NEVER_HANDED, HANDED } handed;

typedef struct placing {
    weft_reading reading;
    handed which;
    uint32_t *next;                /* by value */
    weft_use *use;
} placing;

static void place_operands(const placing *p, const weft_op *op) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
        weft_use u = { (weft_op *)op, i };
        if ((turn_of(&u) != 0) == (p->which == HANDED)) p->use[p->next[op->operands[i]->id]++] = u;
    }
}

static void place_readers(const placing *p, const weft_op *op) {
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b) {
                if (p->reading == WEFT_READS_BEFORE_REGIONS) place_operands(p, inner);
                if (inner->region_count) place_readers(p, inner);
                if (p->reading == WEFT_READS_AFTER_REGIONS) place_operands(p, inner);
            }
}

static int by_turn(const void *a, const void *b) {
    uint32_t x = turn_of(a), y = turn_of(b);
    return (x > y) - (x < y);
}

/* Readers that were handed the value come last, in the order of their turns. */
static weft_status place_handed(const weft_module *m, weft_arena *arena, uint32_t *next, weft_use *use) {
    uint32_t n = m->value_count, *from = weft_arena_array(arena, uint32_t, n);
    if (!from) return weft_oom();
    memcpy(from, next, n * sizeof *from);
    place_readers(&(placing){ m->reading, HANDED, next, use }, m->root);
    for (uint32_t i = 0; i < n; i++)
        if (next[i] - from[i] > 1) qsort(use + from[i], next[i] - from[i], sizeof *use, by_turn);
    return WEFT_OK;
}

weft_status weft_readers_build(const weft_module *m, weft_arena *arena, weft_uses *out) {
    uint32_t n = m->value_count, total = 0;
    uint32_t *start = weft_arena_array(arena, uint32_t, (size_t)n + 1),
             *next = weft_arena_array(arena, uint32_t, (size_t)n + 1);
    if (!start || !next) return weft_oom();
    count_readers(m->root, start);
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t own = start[i];
        start[i] = next[i] = total;
        total += own;
    }
    weft_use *use = weft_arena_array(arena, weft_use, total);
    if (!use) return weft_oom();
    place_readers(&(placing){ m->reading, NEVER_HANDED, next, use }, m->root);
    *out = (weft_uses){ start, use };
    return m->turns ? place_handed(m, arena, next, use) : WEFT_OK;
}

static void number_operands(const weft_op *op, uint32_t *first, uint32_t *next) {
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b) {
                first[inner->id] = *next;
                *next += inner->operand_count;
                if (inner->region_count) number_operands(inner, first, next);
            }
}

static weft_status open_turns(const weft_module *in, weft_arena *arena, weft_readers *r) {
    uint32_t *first = weft_arena_array(arena, uint32_t, in->op_count);
    if (!first) return weft_oom();
    number_operands(in->root, first, &r->operand_count);
    r->first = first;
    r->turn = weft_arena_array(arena, uint32_t, r->operand_count);
    if (!r->turn) return weft_oom();
    for (uint32_t i = 0; in->turns && i < r->operand_count; i++) {
        const weft_use *u = &r->uses.use[i];
        r->turn[first[u->op->id] + u->operand] = turn_of(u);
    }
    return WEFT_OK;
}

weft_status weft_readers_open(const weft_module *in, weft_module *edited, weft_arena *arena, weft_readers *out) {
    *out = (weft_readers){ .edited = edited, .turns = in->turns };
    weft_status st = weft_readers_build(in, arena, &out->uses);
    return st == WEFT_OK && !edited ? open_turns(in, arena, out) : st;
}

weft_status weft_readers_hand_over(weft_readers *r, const weft_value *v, const weft_op *but) {
    weft_status st = WEFT_OK;
    for (uint32_t k = r->uses.start[v->id + 1]; st == WEFT_OK && k-- > r->uses.start[v->id];) {
        const weft_use *u = &r->uses.use[k];
        if (u->op == but) continue;
        if (r->edited) st = weft_op_read_since(r->edited, u->op, u->operand, ++r->turns);
        else r->turn[r->first[u->op->id] + u->operand] = ++r->turns;
    }
    return st;
}

weft_status weft_readers_write(const weft_readers *r, const weft_op *op, weft_module *out, weft_op *copy) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; !r->edited && st == WEFT_OK && i < op->operand_count; i++) {
        uint32_t turn = r->turn[r->first[op->id] + i];
        if (turn) st = weft_op_read_since(out, copy, i, turn);
    }
    return st;
}

weft_status weft_readers_of_copy(weft_module *m, weft_op *f) {
    weft_status st = WEFT_OK;
    if (!m->turns && m->reading == WEFT_READS_BEFORE_REGIONS) return st;
    for (uint32_t i = 0; st == WEFT_OK && i < f->operand_count; i++) st = weft_op_read_now(m, f, i);
    for (uint32_t r = 0; r < f->region_count; r++)
        WEFT_EACH_BLOCK(b, &f->regions[r])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = weft_readers_of_copy(m, inner);
    return st;
}

static void forget_turns(weft_op *op) {
    op->turns = NULL;
    for (uint32_t r = 0; r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b) forget_turns(inner);
}

void weft_readers_in_program_order(weft_module *m) {
    if (m->turns) forget_turns(m->root);
    m->turns = 0;
    m->reading = WEFT_READS_BEFORE_REGIONS;
}
