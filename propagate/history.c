/* history.c: records changes and traces them back; see history.h. */
#include "propagate/history.h"

weft_status weft_history_open(weft_propagation *p) {
    weft_history *h = weft_arena_new(&p->arena, weft_history);
    if (!h || !(h->last = weft_arena_array(&p->arena, uint32_t, p->slot_count))) return weft_oom();
    for (uint32_t i = 0; i < p->slot_count; i++) h->last[i] = WEFT_NOW;
    p->history = h;
    return WEFT_OK;
}

weft_status weft_history_add(weft_propagation *p, uint32_t slot, weft_cause cause, const weft_op *op) {
    weft_history *h = p->history;
    if (!weft_arena_grow(&p->arena, (void **)&h->v, &h->cap, (size_t)h->n + 1, sizeof *h->v)) return weft_oom();
    h->v[h->n] = (weft_change){ .op = op, .before = p->of[slot], .slot = slot, .previous = h->last[slot],
                                .began = h->began, .cause = (uint8_t)cause, .ladder = (int8_t)h->ladder,
                                .how = (uint16_t)h->how, .priority = h->priority, .result = h->result };
    h->last[slot] = h->n++;
    return WEFT_OK;
}

const weft_sharding *weft_history_at(const weft_propagation *p, uint32_t slot, uint32_t moment) {
    const weft_history *h = p->history;
    const weft_sharding *s = p->of[slot];
    for (uint32_t i = h->last[slot]; i != WEFT_NOW && i >= moment; i = h->v[i].previous) s = h->v[i].before;
    return s;
}

/* The part of axis that s has in dim. */
static bool has(const weft_sharding *s, uint32_t dim, weft_axis axis, weft_axis *part) {
    for (uint32_t i = 0; s && dim < s->rank && i < s->dims[dim].axes.n; i++)
        if (weft_axis_overlap(s->dims[dim].axes.v[i], axis, part)) return true;
    return false;
}

static weft_bits factors_of(const weft_rule *r, uint32_t tensor, uint32_t dim) {
    weft_bits set = 0;
    if (dim >= r->tensors[tensor].rank) return 0;
    weft_rule_dim d = r->tensors[tensor].dims[dim];
    for (uint32_t i = 0; i < d.n; i++) set |= weft_bit(r->factors[d.first + i]);
    return set;
}

/* Another tensor of op that had of.axis, at a moment, along a factor of of's dimension. */
static bool find_source(const weft_propagation *p, const weft_op *op, weft_slot_axis of, uint32_t moment,
                        weft_origin *out) {
    const weft_op_state *state = &p->ops[op->id];
    const uint32_t *slots = p->tensors + state->first_tensor;
    for (uint32_t t = 0; t < state->rule->tensor_count; t++) {
        if (slots[t] != of.slot) continue;
        weft_bits mine = factors_of(state->rule, t, of.dim);
        for (uint32_t u = 0; u < state->rule->tensor_count; u++) {
            if (slots[u] == of.slot || slots[u] == WEFT_NO_SLOT) continue;
            const weft_sharding *s = weft_history_at(p, slots[u], moment);
            for (uint32_t d = 0; d < state->rule->tensors[u].rank; d++) {
                weft_bits common = factors_of(state->rule, u, d) & mine;
                weft_axis part;
                if (!common || !has(s, d, of.axis, &part)) continue;
                out->from = (weft_slot_axis){ slots[u], d, part };
                out->factor = weft_bits_lowest(common);
                return true;
            }
        }
    }
    return false;
}

/* The result of @main and the returned value are each other's source. */
static uint32_t other_end(const weft_propagation *p, uint32_t slot) {
    const weft_op *ret = weft_op_body(p->main, 0)->last;
    for (uint32_t i = 0; i < ret->operand_count; i++) {
        if (weft_result_slot(p, i) == slot) return p->slot[ret->operands[i]->id];
        if (p->slot[ret->operands[i]->id] == slot) return weft_result_slot(p, i);
    }
    return slot;
}

/* Another member of the slot's group that had the axis already. */
static uint32_t group_source(const weft_propagation *p, weft_slot_axis of, uint32_t moment) {
    const weft_slot_group *g = &p->groups[p->group[of.slot]];
    weft_axis part;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->slots[i] != of.slot && has(weft_history_at(p, g->slots[i], moment), of.dim, of.axis, &part))
            return g->slots[i];
    return of.slot;
}

weft_origin weft_history_origin(const weft_propagation *p, weft_slot_axis of, uint32_t moment) {
    const weft_history *h = p->history;
    weft_origin o = { .cause = WEFT_CAUSE_WRITTEN, .from = of };
    uint32_t at = WEFT_NOW;
    weft_axis part;
    /* The last change before the moment that brought the axis. */
    for (uint32_t i = h->last[of.slot]; i != WEFT_NOW && at == WEFT_NOW; i = h->v[i].previous)
        if (i < moment && !has(h->v[i].before, of.dim, of.axis, &part)) at = i;
    if (at == WEFT_NOW) return o;
    const weft_change *c = &h->v[at];
    o.cause = (weft_cause)c->cause;
    o.op = c->op;
    o.ladder = c->ladder;
    o.priority = c->priority;
    o.moment = c->began;
    if (o.cause == WEFT_CAUSE_RETURN) o.from.slot = other_end(p, of.slot);
    if (o.cause == WEFT_CAUSE_GROUP) o.from.slot = group_source(p, of, at);
    if (o.cause != WEFT_CAUSE_OP) o.moment = at;
    /* The same visit's earlier changes may be the source if the state at its beginning has none. */
    if (o.cause == WEFT_CAUSE_OP && !find_source(p, c->op, of, c->began, &o) && find_source(p, c->op, of, at, &o))
        o.moment = at;
    return o;
}
