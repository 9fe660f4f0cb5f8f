/* sdy-sharding-group-import: groups that share a value become one, groups are numbered 0, 1, ... in the order in which the program
 * comes to them value by value, and a value is named once per group. Reports groups that cross a manual computation or whose members
 * differ in shape.
 * Needs: sharding constraints are applied. Leaves: each value in at most one group. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

typedef struct member { const weft_op *op; const weft_op *manual; uint32_t group; bool dropped; } member;

typedef struct group { int64_t id; uint32_t leader; int64_t number; } group;

typedef struct grouping {
    weft_context *cx;
    weft_arena arena;
    member *members;           /* every sdy.sharding_group, in program order */
    size_t count, cap;
    group *groups;             /* by id as written, in the order in which values are found in them */
    size_t group_count, group_cap;
    uint32_t *of_op;           /* by op id: its member */
} grouping;

static int64_t id_of(const member *m) { return weft_op_int(m->op, WEFT_A_group_id, 0); }

static weft_status collect(grouping *g, const weft_op *op, const weft_op *manual) {
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_group) {
        if (!weft_arena_grow(&g->arena, (void **)&g->members, &g->cap, g->count + 1, sizeof *g->members)) return weft_oom();
        g->of_op[op->id] = (uint32_t)g->count;
        g->members[g->count] = (member){ op, manual, 0, false };
        g->count++;
    }
    const weft_op *inside = op->kind == WEFT_OP_sdy_manual_computation ? op : manual;
    for (uint32_t r = 0; st == WEFT_OK && r < op->region_count; r++)
        WEFT_EACH_BLOCK(b, &op->regions[r])
            WEFT_EACH_OP(inner, b)
                if (st == WEFT_OK) st = collect(g, inner, inside);
    return st;
}

static bool same_shape(const weft_type *a, const weft_type *b) { return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims); }

/* Members are few: each is compared with those before it. */
static weft_status check(grouping *g) {
    for (uint32_t i = 0; i < g->count; i++) {
        const member *me = &g->members[i];
        for (uint32_t k = 0; k < i; k++) {
            const member *other = &g->members[k];
            if (id_of(other) != id_of(me)) continue;
            if (other->manual != me->manual)
                return weft_report(g->cx, WEFT_D_sharding, me->op->loc, "ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: %lld",
                                   (long long)id_of(me));
            if (!same_shape(other->op->operands[0]->type, me->op->operands[0]->type))
                return weft_report(g->cx, WEFT_D_sharding, me->op->loc, "ShardingGroupOps values must have the same shape for groupId: %lld",
                                   (long long)id_of(me));
        }
    }
    return WEFT_OK;
}

static weft_status enter(grouping *g, member *m) {
    for (m->group = 0; m->group < g->group_count; m->group++)
        if (g->groups[m->group].id == id_of(m)) return WEFT_OK;
    if (!weft_arena_grow(&g->arena, (void **)&g->groups, &g->group_cap, g->group_count + 1, sizeof *g->groups)) return weft_oom();
    g->groups[g->group_count++] = (group){ id_of(m), m->group, 0 };
    return WEFT_OK;
}

static uint32_t leader(const grouping *g, uint32_t i) {
    while (g->groups[i].leader != i) i = g->groups[i].leader;
    return i;
}

/* Value by value, in the order of their first membership: the first group leads all others of the value. */
static weft_status join(grouping *g) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; st == WEFT_OK && i < g->count; i++) {
        if (g->members[i].dropped) continue;
        for (uint32_t k = i; st == WEFT_OK && k < g->count; k++) {
            if (g->members[k].op->operands[0] != g->members[i].op->operands[0]) continue;
            st = enter(g, &g->members[k]);
            if (st == WEFT_OK) g->groups[leader(g, g->members[k].group)].leader = leader(g, g->members[i].group);
            g->members[k].dropped = k > i;
        }
    }
    for (uint32_t i = 0, n = 0; i < g->group_count; i++)
        if (g->groups[i].leader == i) g->groups[i].number = n++;
    return st;
}

static weft_status drop_double(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const grouping *g = c->user;
    if (op->kind == WEFT_OP_sdy_sharding_group && g->members[g->of_op[op->id]].dropped) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static weft_status renumber(weft_copy *c, const weft_op *op, weft_op *copy) {
    const grouping *g = c->user;
    if (op->kind != WEFT_OP_sdy_sharding_group) return WEFT_OK;
    const weft_attr *id = weft_attr_int(c->b.m->cx, g->groups[leader(g, g->members[g->of_op[op->id]].group)].number, weft_op_attr(op, WEFT_A_group_id)->type);
    return id ? weft_op_set(c->out, copy, WEFT_A_group_id, id) : weft_oom();
}

weft_status weft_pass_sharding_group_import(weft_pass *p, const weft_module *in, weft_module **out) {
    grouping g = { .cx = p->cx };
    if (!weft_module_has_kind(in, WEFT_OP_sdy_sharding_group)) return WEFT_OK;
    weft_arena_init(&g.arena, &p->cx->chunks);
    g.of_op = weft_arena_array(&g.arena, uint32_t, in->op_count);
    weft_status st = g.of_op ? collect(&g, in->root, NULL) : weft_oom();
    if (st == WEFT_OK) st = check(&g);
    if (st == WEFT_OK) st = join(&g);
    if (st == WEFT_OK) st = weft_copy_module(in, &(weft_copy_hooks){ .visit = drop_double, .after = renumber }, &g, out);
    weft_arena_free(&g.arena);
    return st;
}
