/* layout_plan.c: see layout_plan.h. */
#include "partitioner/plan/layout_plan.h"

weft_status weft_layout_plan_open(const weft_module *m, weft_arena *arena, weft_layout_plan **out) {
    weft_layout_plan *p = weft_arena_new(arena, weft_layout_plan);
    if (!p) return weft_oom();
    *p = (weft_layout_plan){ .arena = arena, .of = m };
    p->ops = weft_arena_array(arena, weft_op_layout, m->op_count);
    p->born = weft_arena_array(arena, weft_placement_id, m->value_count);
    *out = p;
    /* An op without operands has an address in operands too: there is an array from the start. */
    return p->ops && p->born && weft_arena_grow(arena, (void **)&p->operands, &p->operand_cap, m->op_count + 1,
                                                sizeof *p->operands) ? WEFT_OK : weft_oom();
}

void weft_layout_plan_clear(weft_layout_plan *p) {
    memset(p->ops, 0, p->of->op_count * sizeof *p->ops);
    memset(p->born, 0, p->of->value_count * sizeof *p->born);
    p->operand_count = p->moved_count = p->repeated_count = p->vain_count = 0;
    p->total = p->work = 0;
    p->rivals = NULL;
}

weft_status weft_layout_plan_add_move(weft_layout_plan *p, const weft_moved *move) {
    if (p->moved_count == p->moved_cap &&
        !weft_arena_grow(p->arena, (void **)&p->moved, &p->moved_cap, p->moved_count + 1, sizeof *p->moved))
        return weft_oom();
    p->moved[p->moved_count++] = *move;
    return WEFT_OK;
}

weft_status weft_layout_plan_add_op(weft_layout_plan *p, const weft_op *op, const weft_placement_id *operands) {
    weft_op_layout *l = &p->ops[op->id];
    const size_t need = p->operand_count + op->operand_count;
    if (need > p->operand_cap &&
        !weft_arena_grow(p->arena, (void **)&p->operands, &p->operand_cap, need, sizeof *p->operands))
        return weft_oom();
    l->planned = true;
    l->ready = l->end = p->moved_count;
    l->operands = p->operand_count;
    for (uint32_t i = 0; i < op->operand_count; i++) p->operands[p->operand_count++] = operands[i];
    return WEFT_OK;
}

void weft_layout_plan_add_repeated(weft_layout_plan *p, const weft_repeated *repeated) {
    const double cost = repeated->cost;
    size_t k = 0;
    while (k < p->vain_count && p->vain[k].idle != repeated->idle) k++;
    if (k == p->vain_count && k < WEFT_MOST_REPEATED) p->vain[p->vain_count++] = (weft_vain){ repeated->idle, 0 };
    if (k < p->vain_count) p->vain[k].cost += cost;
    if (p->repeated_count == WEFT_MOST_REPEATED && p->repeated[WEFT_MOST_REPEATED - 1].cost >= cost) return;
    size_t i = p->repeated_count < WEFT_MOST_REPEATED ? p->repeated_count++ : WEFT_MOST_REPEATED - 1;
    for (; i > 0 && p->repeated[i - 1].cost < cost; i--) p->repeated[i] = p->repeated[i - 1];
    p->repeated[i] = *repeated;
}

/* What a move is made of counts as read when the move does; unread ones are dropped by cse, and cost nothing. */
void weft_layout_plan_finish(weft_layout_plan *p) {
    for (size_t i = p->moved_count; i-- > 0;) {
        const weft_moved *m = &p->moved[i];
        if (!m->used) continue;
        p->total += m->cost;
        if (m->source) p->moved[m->source - 1].used = true;
    }
}

bool weft_layout_plan_moves(const weft_layout_plan *p) {
    for (size_t i = 0; i < p->moved_count; i++)
        if (!p->moved[i].anew) return true;
    return false;
}

double weft_layout_plan_cost(const weft_layout_plan *p, const weft_op *op) {
    const weft_op_layout *l = &p->ops[op->id];
    double cost = l->cost;
    for (size_t i = l->first; i < l->end; i++)
        if (p->moved[i].used) cost += p->moved[i].cost;
    return cost;
}

bool weft_plan_passes(const weft_op *op) { return weft_op_is_marker(op) && !weft_op_attr(op, WEFT_A_weft_obey); }

const weft_value *weft_plan_root(const weft_value *v) {
    while (v->def && weft_plan_passes(v->def)) v = v->def->operands[0];
    return v;
}
