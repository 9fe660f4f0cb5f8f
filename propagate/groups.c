/* groups.c: sharding groups. All members of a group have one sharding: when one changes, all change.
 * sdy-sharding-group-import has numbered the groups from 0 and left each value in at most one; groups that meet at a
 * data-flow edge are joined here. Authority: Shardy, sdy.sharding_group in docs/sdy_dialect.md. */
#include <stdlib.h>

#include "propagate/copy.h"
#include "propagate/history.h"
#include "propagate/readers.h"
#include "propagate/state.h"

weft_status weft_propagation_groups(weft_propagation *p);

typedef weft_status (*group_step)(weft_propagation *p, const weft_op *op, uint32_t group, uint32_t *counts);

static weft_status each_group_op(weft_propagation *p, const weft_op *op, group_step step, uint32_t *counts) {
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_group) {
        int64_t id = weft_op_int(op, WEFT_A_group_id, 0);
        if (id < 0 || id >= p->in->op_count)
            return weft_report(p->cx, WEFT_D_sharding, op->loc,
                               "sharding group %lld: sdy-sharding-group-import numbers groups from 0", (long long)id);
        if (p->slot[op->operands[0]->id] != WEFT_NO_SLOT) st = step(p, op, (uint32_t)id, counts);
    }
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = each_group_op(p, inner, step, counts);
    return st;
}

static uint32_t leader(uint32_t *leaders, uint32_t group) {
    /* path halving */
    while (leaders[group] != group) group = leaders[group] = leaders[leaders[group]];
    return group;
}

/* Values of one edge have one slot, so their groups are one. */
static weft_status meet(weft_propagation *p, const weft_op *op, uint32_t group, uint32_t *leaders) {
    uint32_t *of_slot = &p->group[p->slot[op->operands[0]->id]];
    if (*of_slot == WEFT_NO_GROUP) *of_slot = group;
    leaders[leader(leaders, group)] = leader(leaders, *of_slot);
    if (group >= p->group_count) p->group_count = group + 1;
    return WEFT_OK;
}

static weft_status count_member(weft_propagation *p, const weft_op *op, uint32_t group, uint32_t *counts) {
    (void)group;
    counts[p->group[p->slot[op->operands[0]->id]]]++;
    return WEFT_OK;
}

static weft_status add_member(weft_propagation *p, const weft_op *op, uint32_t group, uint32_t *counts) {
    (void)group, (void)counts;
    uint32_t slot = p->slot[op->operands[0]->id];
    weft_slot_group *g = &p->groups[p->group[slot]];
    ((uint32_t *)g->slots)[g->n++] = slot;
    return WEFT_OK;
}

weft_status weft_propagation_groups(weft_propagation *p) {
    uint32_t *counts = weft_arena_array(&p->arena, uint32_t, p->in->op_count),
             *leaders = weft_arena_array(&p->arena, uint32_t, p->in->op_count);
    if (!counts || !leaders) return weft_oom();
    for (uint32_t i = 0; i < p->in->op_count; i++) leaders[i] = i;
    weft_status st = each_group_op(p, p->in->root, meet, leaders);
    if (st != WEFT_OK || !p->group_count) return st;
    for (uint32_t i = 0; i < p->slot_count; i++)
        if (p->group[i] != WEFT_NO_GROUP) p->group[i] = leader(leaders, p->group[i]);
    st = each_group_op(p, p->in->root, count_member, counts);
    if (st != WEFT_OK) return st;
    if (!(p->groups = weft_arena_array(&p->arena, weft_slot_group, p->group_count))) return weft_oom();
    for (uint32_t i = 0; i < p->group_count; i++)
        if (!(p->groups[i].slots = weft_arena_array(&p->arena, uint32_t, counts[i]))) return weft_oom();
    return each_group_op(p, p->in->root, add_member, counts);
}

/* Open and without axes in every dimension. */
static bool says_nothing(const weft_sharding *s) {
    for (uint32_t d = 0; d < s->rank; d++)
        if (s->dims[d].axes.n || !s->dims[d].open) return false;
    return true;
}

/* The first non-empty sharding of the group's members; *conflict if another member has a different one.
 */
static const weft_sharding *common_sharding(const weft_propagation *p, const weft_slot_group *g, bool *conflict) {
    const weft_sharding *common = NULL;
    *conflict = false;
    for (uint32_t k = 0; k < g->n; k++) {
        const weft_sharding *s = p->of[g->slots[k]];
        if (g->n > 1 && s && says_nothing(s)) s = NULL;
        if (s && !common) common = s;
        *conflict |= s && s != common;
    }
    return common;
}

weft_status weft_propagation_sync_groups(weft_propagation *p) {
    for (uint32_t i = 0; i < p->group_count; i++) {
        bool conflict;
        const weft_sharding *common = common_sharding(p, &p->groups[i], &conflict);
        for (uint32_t k = 0; common && !conflict && k < p->groups[i].n; k++) {
            uint32_t slot = p->groups[i].slots[k];
            weft_status st =
                p->history && p->of[slot] != common ? weft_history_add(p, slot, WEFT_CAUSE_GROUP, NULL) : WEFT_OK;
            if (st == WEFT_OK) st = weft_slot_set(p, slot, common);
            if (st != WEFT_OK) return st;
        }
    }
    return WEFT_OK;
}

/* Groups with different shardings: each member gets an open constraint after it, which replaces it in the group and for
 * all readers. */

typedef struct member { uint32_t slot, before; } member; /* before: the slot's member before this one, or 0 */

typedef struct loosening {
    weft_propagation *p;
    const weft_attr **open;        /* by slot: the constraint's sharding, NULL where there is none */
    member *member;                /* of all groups, numbered from 1 */
    uint32_t *last;                /* by slot: its last member, or 0 */
    weft_readers readers;
} loosening;

static weft_status number_members(loosening *l) {
    const weft_propagation *p = l->p;
    uint32_t total = 0, n = 0;
    for (uint32_t g = 0; g < p->group_count; g++) total += p->groups[g].n;
    l->member = weft_arena_array(&l->p->arena, member, (size_t)total + 1);
    l->last = weft_arena_array(&l->p->arena, uint32_t, p->slot_count);
    if (!l->member || !l->last) return weft_oom();
    for (uint32_t g = 0; g < p->group_count; g++)
        for (uint32_t k = 0; k < p->groups[g].n; k++) {
            uint32_t slot = p->groups[g].slots[k];
            l->member[++n] = (member){ slot, l->last[slot] };
            l->last[slot] = n;
        }
    return WEFT_OK;
}

static weft_status loosen(weft_copy *c, const weft_value *v) {
    loosening *l = c->user;
    uint32_t slot = l->p->slot[v->id];
    if (slot != v->id || !l->open[slot]) return WEFT_OK;
    weft_value *input = weft_copy_of(c, v);
    c->b.loc = weft_value_loc(v);
    weft_status st = weft_readers_hand_over(&l->readers, v, NULL);
    weft_copy_map(c, v,
                  weft_build_1(&c->b, WEFT_OP_sdy_sharding_constraint, v->type, &input, 1,
                               &(weft_attr_pair){ WEFT_A_sharding, l->open[slot] }, 1));
    return st == WEFT_OK ? c->b.status : st;
}

static int later_first(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* The results of op, or the arguments of blk. Each new constraint comes right after its value, so before those of
 * earlier members; members count from the first group's first. */
static weft_status loosen_behind(weft_copy *c, const weft_op *op, const weft_block *blk) {
    const loosening *l = c->user;
    weft_context *cx = l->p->cx;
    uint32_t n = op ? op->result_count : blk->arg_count, *members = NULL;
    size_t count = 0, cap = 0;
    weft_mark mark = weft_arena_mark(&cx->scratch);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < n; i++) {
        uint32_t slot = l->p->slot[op ? op->results[i].id : blk->args[i]->id];
        for (uint32_t k = slot == WEFT_NO_SLOT ? 0 : l->last[slot]; st == WEFT_OK && k; k = l->member[k].before)
            if (!weft_arena_grow(&cx->scratch, (void **)&members, &cap, count + 1, sizeof *members)) st = weft_oom();
            else members[count++] = k;
    }
    if (count > 1) qsort(members, count, sizeof *members, later_first);
    for (size_t k = 0; st == WEFT_OK && k < count; k++) {
        const weft_value *v = l->p->owner[l->member[members[k]].slot];
        if (op ? v->def == op : v->block == blk) st = loosen(c, v);
    }
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

static weft_status loosen_args(weft_copy *c, const weft_op *op, const weft_block *blk, weft_block *copy) {
    (void)op;
    (void)copy;
    return blk->arg_count ? loosen_behind(c, NULL, blk) : WEFT_OK;
}

static weft_status loosen_results(weft_copy *c, const weft_op *op, weft_op *copy) {
    weft_status st = weft_readers_write(&((const loosening *)c->user)->readers, op, c->out, copy);
    return st == WEFT_OK && op->result_count ? loosen_behind(c, op, NULL) : st;
}

/* Two members with different shardings. */
static void help_group(const weft_propagation *p, const weft_slot_group *g, const weft_sharding *common) {
    bool found = false;
    for (uint32_t k = 0; k < g->n && !found; k++) {
        const weft_sharding *s = p->of[g->slots[k]];
        if (!s || s == common || says_nothing(s)) continue;
        weft_buf b;
        weft_buf_init(&b, &p->cx->alloc);
        weft_sharding_print(&b, common);
        weft_help(p->cx, weft_value_loc(p->owner[g->slots[0]]), "one member of the group is sharded as %s",
                  b.p ? b.p : "?");
        b.n = 0;
        weft_sharding_print(&b, s);
        weft_help(p->cx, weft_value_loc(p->owner[g->slots[k]]),
                  "this one as %s: shard them alike, or take one out of the group", b.p ? b.p : "?");
        weft_buf_free(&b);
        found = true;
    }
}

weft_status weft_propagation_loosen_groups(weft_propagation *p, weft_module **out) {
    loosening l = { .p = p, .open = weft_arena_array(&p->arena, const weft_attr *, p->slot_count) };
    bool any = false;
    if (!l.open) return weft_oom();
    for (uint32_t i = 0; i < p->group_count; i++) {
        bool conflict;
        const weft_sharding *common = common_sharding(p, &p->groups[i], &conflict), *open;
        if (!conflict) continue;
        any = true;
        const weft_value *first = p->owner[p->groups[i].slots[0]];
        weft_status st = weft_report(
            p->cx, WEFT_D_fallback, first->def ? first->def->loc : first->block->parent->parent->loc,
            "The initial operand shardings on the sharding groups of groupID: %u do not match; open constraints "
            "stand between its members",
            i);
        help_group(p, &p->groups[i], common);
        if (st != WEFT_OK) return st;
        if (!(open = weft_sharding_empty(p->shardings, common->mesh, common->rank, WEFT_OPEN))) return weft_oom();
        for (uint32_t k = 0; k < p->groups[i].n; k++)
            if (!(l.open[p->groups[i].slots[k]] = weft_sharding_to_attr(p->shardings, open))) return weft_oom();
    }
    if (!any) return WEFT_OK;
    weft_status st = weft_readers_open(p->in, NULL, &p->arena, &l.readers);
    if (st == WEFT_OK) st = number_members(&l);
    return st == WEFT_OK
               ? weft_copy_module(p->in, &(weft_copy_hooks){ .after = loosen_results, .entered = loosen_args }, &l, out)
               : st;
}
