/* worklist.c: see worklist.h. */
#include "propagate/state.h"

/* The slots that a result of @main joins; false if it joins none. */
static bool result_slots(const weft_propagation *p, uint32_t result, uint32_t slots[2]) {
    const weft_block *body = weft_op_body(p->main, 0); /* NULL: declared only */
    const weft_op *end = body ? body->last : NULL;
    if (!end || end->kind != WEFT_OP_func_return || result >= end->operand_count) return false;
    slots[0] = p->slot[end->operands[result]->id];
    slots[1] = weft_result_slot(p, result);
    return true;
}

static uint32_t result_count(const weft_propagation *p) { return p->slot_count - p->in->value_count; }

/* Calls put(w, slot, what, tensor) for every op and result around every slot. */
static void each_around(const weft_propagation *p,
                        void (*put)(weft_worklist *w, uint32_t slot, uint32_t what, uint32_t tensor),
                        weft_worklist *w) {
    uint32_t slots[2];
    for (uint32_t k = 0; k < w->order_count; k++) {
        const weft_op_state *state = &p->ops[w->order[k]];
        for (uint32_t t = 0; state->rule && t < state->rule->tensor_count; t++) {
            uint32_t slot = p->tensors[state->first_tensor + t];
            if (slot != WEFT_NO_SLOT) put(w, slot, w->order[k], t);
        }
    }
    for (uint32_t r = 0; r < result_count(p); r++)
        for (uint32_t i = 0; result_slots(p, r, slots) && i < 2; i++)
            if (slots[i] != WEFT_NO_SLOT) put(w, slots[i], p->in->op_count + r, 0);
}

static void count_around(weft_worklist *w, uint32_t slot, uint32_t what, uint32_t tensor) {
    (void)what, (void)tensor;
    w->first[slot]++;
}

/* first[slot] is the end of the entries that are still to be written. */
static void put_around(weft_worklist *w, uint32_t slot, uint32_t what, uint32_t tensor) {
    uint32_t at = --w->first[slot];
    w->around[at] = what;
    if (w->around_tensor) w->around_tensor[at] = tensor;
}

static weft_status open_around(weft_propagation *p) {
    weft_worklist *w = &p->work;
    uint32_t total = 0;
    if (!(w->first = weft_arena_array(&p->arena, uint32_t, (size_t)p->slot_count + 1))) return weft_oom();
    each_around(p, count_around, w);
    for (uint32_t i = 0; i <= p->slot_count; i++) w->first[i] = total += w->first[i];
    if (!(w->around = weft_arena_array(&p->arena, uint32_t, total))) return weft_oom();
    if (p->sources && !(w->around_tensor = weft_arena_array(&p->arena, uint32_t, total))) return weft_oom();
    each_around(p, put_around, w);
    return WEFT_OK;
}

weft_status weft_worklist_open(weft_propagation *p) {
    weft_worklist *w = &p->work;
    weft_status st = open_around(p);
    for (uint32_t k = 0; st == WEFT_OK && k < WEFT_ROUND_KINDS; k++)
        st = weft_index_set_open(&p->arena, w->order_count, WEFT_INDEX_ALL, &w->waiting[k]);
    for (uint32_t k = 0; st == WEFT_OK && k < WEFT_COUNT(w->results); k++)
        st = weft_index_set_open(&p->arena, result_count(p), WEFT_INDEX_ALL, &w->results[k]);
    for (uint32_t k = 0; k < w->order_count; k++) p->ops[w->order[k]].waiting = WEFT_ALL_ROUNDS;
    return st == WEFT_OK ? WEFT_OK : weft_oom();
}

void weft_worklist_begin(weft_propagation *p, weft_strategy strategy, int ladder) {
    p->work.kind = 2 * (uint32_t)ladder + (uint32_t)strategy;
    p->work.at = 0;
    p->work.stack_count = 0;
}

weft_op_state *weft_worklist_next(weft_propagation *p) {
    weft_worklist *w = &p->work;
    for (;;) {
        uint32_t op;
        if (w->stack_count) {
            op = w->stack[--w->stack_count];
            p->ops[op].listed = false;
        } else {
            uint32_t place = weft_index_set_next(&w->waiting[w->kind], w->at);
            if (place == w->order_count) return NULL;
            w->at = place + 1;
            op = w->order[place];
        }
        weft_op_state *state = &p->ops[op];
        if (state->waiting >> w->kind & 1) weft_index_set_remove(&w->waiting[w->kind], w->place[op]);
        state->waiting &= (uint16_t)~(1u << w->kind);
        if (state->dead) continue;
        w->steps += 1 + (state->rule && !(p->sources && p->sources[op]) ? state->rule->tensor_count : 0);
        return state;
    }
}

void weft_worklist_push(weft_propagation *p, const weft_op *op) {
    weft_worklist *w = &p->work;
    weft_op_state *s = &p->ops[op->id];
    if (s->listed || s->dead || (s->visit == WEFT_VISIT_NONE && !s->unread)) return;
    if (w->place[op->id] != WEFT_NO_PLACE && w->place[op->id] >= w->at) return;
    s->listed = true;
    w->stack[w->stack_count++] = op->id;
}

void weft_worklist_forget(weft_propagation *p, uint32_t op) {
    weft_op_state *s = &p->ops[op];
    s->settled = 0;
    if (p->work.place[op] == WEFT_NO_PLACE) return;
    WEFT_EACH_BIT(kind, WEFT_ALL_ROUNDS & ~(weft_bits)s->waiting) weft_index_set_add(&p->work.waiting[kind], p->work.place[op]);
    s->waiting = WEFT_ALL_ROUNDS;
}

void weft_worklist_forget_around(weft_propagation *p, uint32_t slot) {
    weft_worklist *w = &p->work;
    for (uint32_t i = w->first[slot]; i < w->first[slot + 1]; i++) {
        uint32_t what = w->around[i];
        if (what < p->in->op_count) {
            weft_worklist_forget(p, what);
            if (p->sources && p->sources[what]) weft_call_sources_changed(p->sources[what], w->around_tensor[i]);
        } else {
            weft_index_set_add(&w->results[0], what - p->in->op_count);
            weft_index_set_add(&w->results[1], what - p->in->op_count);
        }
    }
}

uint32_t weft_worklist_next_result(weft_propagation *p, weft_strategy strategy, uint32_t from) {
    weft_index_set *waiting = &p->work.results[strategy];
    uint32_t result = weft_index_set_next(waiting, from);
    if (result < waiting->bound) weft_index_set_remove(waiting, result);
    return result;
}
