/* groups.c: sharding groups. All members of a group hold one sharding: what one gets, all get. sdy-sharding-group-import has
 * numbered the groups from 0 and left each value in one. Authority: Shardy, sdy.sharding_group in docs/sdy_dialect.md. */
#include "propagate/state.h"

weft_status weft_propagation_groups(weft_propagation *p);

typedef weft_status (*group_step)(weft_propagation *p, const weft_op *op, uint32_t group, uint32_t *counts);

static weft_status each_group_op(weft_propagation *p, const weft_op *op, group_step step, uint32_t *counts) {
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_group) {
        int64_t id = weft_op_int(op, WEFT_A_group_id, 0);
        if (id < 0 || id >= p->in->op_count)
            return weft_report(p->cx, WEFT_D_sharding, op->loc, "sharding group %lld: sdy-sharding-group-import numbers groups from 0", (long long)id);
        if (p->slot[op->operands[0]->id] != WEFT_NO_SLOT) st = step(p, op, (uint32_t)id, counts);
    }
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = each_group_op(p, inner, step, counts);
    return st;
}

static weft_status count_member(weft_propagation *p, const weft_op *op, uint32_t group, uint32_t *counts) {
    uint32_t slot = p->slot[op->operands[0]->id];
    if (p->group[slot] != WEFT_NO_GROUP && p->group[slot] != group)
        return weft_report(p->cx, WEFT_D_sharding, op->loc, "a value in two sharding groups: sdy-sharding-group-import joins them");
    p->group[slot] = group;
    counts[group]++;
    if (group >= p->group_count) p->group_count = group + 1;
    return WEFT_OK;
}

static weft_status add_member(weft_propagation *p, const weft_op *op, uint32_t group, uint32_t *counts) {
    (void)counts;
    weft_slot_group *g = &p->groups[group];
    ((uint32_t *)g->slots)[g->n++] = p->slot[op->operands[0]->id];
    return WEFT_OK;
}

weft_status weft_propagation_groups(weft_propagation *p) {
    uint32_t *counts = weft_arena_array(&p->arena, uint32_t, p->in->op_count);
    if (!counts) return weft_oom();
    weft_status st = each_group_op(p, p->in->root, count_member, counts);
    if (st != WEFT_OK || !p->group_count) return st;
    if (!(p->groups = weft_arena_array(&p->arena, weft_slot_group, p->group_count))) return weft_oom();
    for (uint32_t i = 0; i < p->group_count; i++)
        if (!(p->groups[i].slots = weft_arena_array(&p->arena, uint32_t, counts[i]))) return weft_oom();
    return each_group_op(p, p->in->root, add_member, counts);
}

weft_status weft_propagation_sync_groups(weft_propagation *p) {
    for (uint32_t i = 0; i < p->group_count; i++) {
        const weft_sharding *common = NULL;
        for (uint32_t k = 0; k < p->groups[i].n; k++) {
            const weft_sharding *s = p->of[p->groups[i].slots[k]];
            if (p->groups[i].n > 1 && s && !s->used && s->open == (s->rank < 64 ? weft_bit(s->rank) - 1 : ~(weft_bits)0)) s = NULL; /* says nothing */
            if (s && common && s != common)
                return weft_report(p->cx, WEFT_D_unsupported, weft_value_loc(p->owner[p->groups[i].slots[k]]),
                                   "sharding group %u: its members are sharded differently before propagation", i);
            if (s) common = s;
        }
        for (uint32_t k = 0; common && k < p->groups[i].n; k++) {
            weft_status st = weft_slot_set(p, p->groups[i].slots[k], common);
            if (st != WEFT_OK) return st;
        }
    }
    return WEFT_OK;
}
