/* sdy-sharding-group-import: groups that share a value become one, groups are numbered 0, 1, ... in the order of their smallest
 * ids, and a value is named once per group. Reports groups that cross a manual computation or whose members differ in shape.
 * Needs: sharding constraints are applied. Leaves: each value in at most one group. Source: Shardy, docs/sdy_import_passes.md. */
#include "propagate/copy.h"
#include "propagate/presence.h"
#include "propagate/propagate.h"

typedef struct member { const weft_op *op; const weft_op *manual; int64_t id; uint32_t leader; bool dropped; int64_t number; } member;

typedef struct grouping {
    weft_context *cx;
    weft_arena arena;
    member *members;           /* every sdy.sharding_group, in program order */
    size_t count, cap;
    uint32_t *of_op;           /* by op id: its member */
} grouping;

static weft_status collect(grouping *g, const weft_op *op, const weft_op *manual) {
    weft_status st = WEFT_OK;
    if (op->kind == WEFT_OP_sdy_sharding_group) {
        if (!weft_arena_grow(&g->arena, (void **)&g->members, &g->cap, g->count + 1, sizeof *g->members)) return weft_oom();
        g->of_op[op->id] = (uint32_t)g->count;
        g->members[g->count] = (member){ op, manual, weft_op_int(op, WEFT_A_group_id, 0), (uint32_t)g->count, false, 0 };
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

static uint32_t leader(grouping *g, uint32_t i) {
    while (g->members[i].leader != i) i = g->members[i].leader;
    return i;
}

/* Members are few: each is compared with those before it. */
static weft_status join(grouping *g) {
    for (uint32_t i = 0; i < g->count; i++) {
        member *me = &g->members[i];
        for (uint32_t k = 0; k < i; k++) {
            const member *other = &g->members[k];
            bool same_id = other->id == me->id, same_value = other->op->operands[0] == me->op->operands[0];
            if (same_id && other->manual != me->manual)
                return weft_report(g->cx, WEFT_D_sharding, me->op->loc, "sharding group %lld crosses a manual computation", (long long)me->id);
            if (same_id && !same_shape(other->op->operands[0]->type, me->op->operands[0]->type))
                return weft_report(g->cx, WEFT_D_sharding, me->op->loc, "sharding group %lld holds values of different shapes", (long long)me->id);
            if (same_id || same_value) g->members[leader(g, i)].leader = leader(g, k);
            me->dropped |= same_value;
        }
    }
    return WEFT_OK;
}

static int64_t least_id(grouping *g, uint32_t i) {
    int64_t least = g->members[i].id;
    for (uint32_t k = 0; k < g->count; k++)
        if (leader(g, k) == leader(g, i) && g->members[k].id < least) least = g->members[k].id;
    return least;
}

/* A group's number is how many groups have a smaller least id. */
static void number(grouping *g) {
    for (uint32_t i = 0; i < g->count; i++) {
        int64_t mine = least_id(g, i);
        for (uint32_t k = 0; k < g->count; k++)
            if (leader(g, k) == k && least_id(g, k) < mine) g->members[i].number++;
    }
}

static weft_status drop_double(weft_copy *c, const weft_op *op, weft_copy_answer *answer) {
    const grouping *g = c->user;
    if (op->kind == WEFT_OP_sdy_sharding_group && g->members[g->of_op[op->id]].dropped) *answer = WEFT_COPY_DONE;
    return WEFT_OK;
}

static weft_status renumber(weft_copy *c, const weft_op *op, weft_op *copy) {
    const grouping *g = c->user;
    if (op->kind != WEFT_OP_sdy_sharding_group) return WEFT_OK;
    const weft_attr *id = weft_attr_int(c->b.m->cx, g->members[g->of_op[op->id]].number, weft_op_attr(op, WEFT_A_group_id)->type);
    return id ? weft_op_set(c->out, copy, WEFT_A_group_id, id) : weft_oom();
}

weft_status weft_pass_sharding_group_import(weft_pass *p, const weft_module *in, weft_module **out) {
    grouping g = { .cx = p->cx };
    if (!weft_module_has_kind(in, WEFT_OP_sdy_sharding_group)) return WEFT_OK;
    weft_arena_init(&g.arena, &p->cx->chunks);
    g.of_op = weft_arena_array(&g.arena, uint32_t, in->op_count);
    weft_status st = g.of_op ? collect(&g, in->root, NULL) : weft_oom();
    if (st == WEFT_OK) st = join(&g);
    if (st == WEFT_OK) number(&g);
    if (st == WEFT_OK) st = weft_copy_module(in, &(weft_copy_hooks){ .visit = drop_double, .after = renumber }, &g, out);
    weft_arena_free(&g.arena);
    return st;
}
