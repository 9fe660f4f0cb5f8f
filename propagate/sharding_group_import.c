/* sdy-sharding-group-import: merges groups that share a value, numbers groups 0, 1, ... in the order of their first
 * value in the program, and lists a value once per group. Reports groups that cross a manual computation or whose
 * members differ in shape. Needs: sharding constraints are applied. Leaves: each value in at most
 * one group. Source: Shardy, docs/sdy_import_passes.md. */
#include <stdlib.h>

#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

#define NONE UINT32_MAX

typedef struct member {
    const weft_op *op, *manual;
    uint32_t first;            /* first member with the same id, as written */
    uint32_t next;             /* member of the same value, or NONE */
    uint32_t group;            /* of first members: the index of their id in groups, or NONE */
    bool dropped;
} member;

typedef struct group { uint32_t leader; int64_t number; } group;

typedef struct grouping {
    weft_context *cx;
    weft_arena arena;
    member *members;           /* every sdy.sharding_group, in program order */
    size_t count, cap;
    group *groups;             /* one for each id, in the order of their first value */
    uint32_t group_count;
    uint32_t *of_op;           /* by op id: its member */
} grouping;

static int64_t id_of(const member *m) { return weft_op_int(m->op, WEFT_A_group_id, 0); }

static weft_status collect(grouping *g, const weft_op *op, const weft_op *manual) {
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_group) {
        if (!weft_arena_grow(&g->arena, (void **)&g->members, &g->cap, g->count + 1, sizeof *g->members))
            return weft_oom();
        g->of_op[op->id] = (uint32_t)g->count;
        g->members[g->count] = (member){ .op = op, .manual = manual, .next = NONE, .group = NONE };
        g->count++;
    }
    const weft_op *inside = op->kind == WEFT_OP_sdy_manual_computation ? op : manual;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = collect(g, inner, inside);
    return st;
}

typedef struct by_id { int64_t id; uint32_t member; } by_id;

static int compare_ids(const void *pa, const void *pb) {
    const by_id *a = pa, *b = pb;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return (a->member > b->member) - (a->member < b->member);
}

/* Links members of one id to the first of it, and those of one value to the next. */
static weft_status link_members(grouping *g, uint32_t value_count) {
    by_id *sorted = weft_arena_array(&g->arena, by_id, g->count);
    uint32_t *next = weft_arena_array(&g->arena, uint32_t, value_count); /* by value: member + 1 */
    if (!sorted || !next) return weft_oom();
    for (uint32_t i = 0; i < g->count; i++) sorted[i] = (by_id){ id_of(&g->members[i]), i };
    qsort(sorted, g->count, sizeof *sorted, compare_ids);
    for (uint32_t i = 0; i < g->count; i++)
        g->members[sorted[i].member].first =
            i && sorted[i].id == sorted[i - 1].id ? g->members[sorted[i - 1].member].first : sorted[i].member;
    for (uint32_t i = (uint32_t)g->count; i-- > 0;) {
        uint32_t *behind = &next[g->members[i].op->operands[0]->id];
        if (*behind) g->members[i].next = *behind - 1;
        *behind = i + 1;
    }
    return WEFT_OK;
}

static weft_status bad_shapes(const grouping *g, const member *other, const member *me) {
    weft_buf b;
    weft_buf_init(&b, &g->cx->alloc);
    weft_status st =
        weft_report(g->cx, WEFT_D_sharding, me->op->loc,
                    "ShardingGroupOps values must have the same shape for groupId: %lld", (long long)id_of(me));
    weft_type_print(&b, me->op->operands[0]->type);
    weft_help(g->cx, me->op->loc, "'%s' here: take it out of the group, or give the group another id here",
              b.p ? b.p : "?");
    b.n = 0;
    weft_type_print(&b, other->op->operands[0]->type);
    weft_help(g->cx, other->op->loc, "'%s' here", b.p ? b.p : "?");
    weft_buf_free(&b);
    return st;
}

/* Checks each member against the first of its id: those between have been checked. */
static weft_status check(const grouping *g) {
    for (uint32_t i = 0; i < g->count; i++) {
        const member *me = &g->members[i], *other = &g->members[me->first];
        if (other->manual != me->manual)
            return weft_report(g->cx, WEFT_D_sharding, me->op->loc,
                               "ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: %lld",
                               (long long)id_of(me));
        if (!weft_type_same_dims(other->op->operands[0]->type, me->op->operands[0]->type))
            return bad_shapes(g, other, me);
    }
    return WEFT_OK;
}

/* The group of a member's id, made at first use. */
static uint32_t group_of(grouping *g, const member *m) {
    uint32_t *group_number = &g->members[m->first].group;
    if (*group_number == NONE) {
        *group_number = g->group_count++;
        g->groups[*group_number] = (group){ .leader = *group_number };
    }
    return *group_number;
}

static uint32_t leader(const grouping *g, uint32_t i) {
    /* path halving */
    while (g->groups[i].leader != i) i = g->groups[i].leader = g->groups[g->groups[i].leader].leader;
    return i;
}

/* Value by value, in the order of their first membership: the first group leads all others of the value. */
static weft_status join(grouping *g) {
    if (!(g->groups = weft_arena_array(&g->arena, group, g->count))) return weft_oom();
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->members[i].dropped) continue;
        for (uint32_t k = i; k != NONE; k = g->members[k].next) {
            uint32_t mine = group_of(g, &g->members[k]);
            g->groups[leader(g, mine)].leader = leader(g, group_of(g, &g->members[i]));
            g->members[k].dropped = k > i;
        }
    }
    for (uint32_t i = 0, n = 0; i < g->group_count; i++)
        if (g->groups[i].leader == i) g->groups[i].number = n++;
    return WEFT_OK;
}

static weft_status drop_double(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const grouping *g = c->user;
    if (op->kind == WEFT_OP_sdy_sharding_group && g->members[g->of_op[op->id]].dropped) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static weft_status renumber(weft_copy *c, const weft_op *op, weft_op *copy) {
    const grouping *g = c->user;
    if (op->kind != WEFT_OP_sdy_sharding_group) return WEFT_OK;
    const weft_attr *id =
        weft_attr_int(c->b.m->cx, g->groups[leader(g, g->members[g->members[g->of_op[op->id]].first].group)].number,
                      weft_op_attr(op, WEFT_A_group_id)->type);
    return id ? weft_op_set(c->out, copy, WEFT_A_group_id, id) : weft_oom();
}

weft_status weft_pass_sharding_group_import(weft_pass *p, const weft_module *in, weft_module **out) {
    grouping g = { .cx = p->cx };
    if (!weft_module_has_kind(in, WEFT_OP_sdy_sharding_group)) return WEFT_OK;
    weft_arena_init(&g.arena, &p->cx->chunks);
    g.of_op = weft_arena_array(&g.arena, uint32_t, in->op_count);
    weft_status st = g.of_op ? collect(&g, in->root, NULL) : weft_oom();
    if (st == WEFT_OK) st = link_members(&g, in->value_count);
    if (st == WEFT_OK) st = check(&g);
    if (st == WEFT_OK) st = join(&g);
    if (st == WEFT_OK)
        st = weft_copy_module(in, &(weft_copy_hooks){ .visit = drop_double, .after = renumber }, &g, out);
    weft_arena_free(&g.arena);
    return st;
}
