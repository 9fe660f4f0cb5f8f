/* activity.c: which values lie between wrt and of.
 *
 * GD_VARIED goes forward from operands to results, GD_USEFUL backward from results to operands, both through regions
 * that are executed: a loop is gone through until nothing changes. An op whose rule is zero lets neither through.
 */
#include "differentiate/grad.h"

typedef struct marker {
    gd *g;
    bool changed;
} marker;

static void set(marker *m, const weft_value *v, unsigned mark) {
    if (!weft_type_has_derivative(v->type)) return;
    gd_fact *f = gd_of(m->g, v);
    if (f->marks & mark) return;
    f->marks |= mark;
    m->changed = true;
}

static bool has(const marker *m, const weft_value *v, unsigned mark) { return gd_of(m->g, v)->marks & mark; }

/* where to has the mark, if from has it */
static void flow(marker *m, const weft_value *from, const weft_value *to, unsigned mark) {
    if (has(m, from, mark)) set(m, to, mark);
}

static bool passes(const marker *m, const weft_op *op) { return m->g->rules[op->kind] != gd_rule_zero; }
static bool is_loop(const weft_op *op) { return op->kind == WEFT_OP_while; }
static bool is_control(const weft_op *op) {
    return weft_op_kind_has((weft_op_kind)op->kind, WEFT_TRAIT_CONTROL) && op->region_count;
}

/* Operands are the arguments of the regions: of all that have any (loops, manual and named computations). */
static bool enters(const weft_op *op, const weft_block *blk) { return blk->arg_count == op->operand_count; }

static void varied_block(marker *m, const weft_block *blk);

static void varied_control(marker *m, const weft_op *op) {
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t r = 0; r < op->region_count; r++) {
            const weft_block *blk = weft_op_body(op, r);
            if (!blk || (is_loop(op) && !r)) continue;
            for (uint32_t i = 0; enters(op, blk) && i < blk->arg_count; i++)
                flow(m, op->operands[i], blk->args[i], GD_VARIED);
            varied_block(m, blk);
            for (uint32_t i = 0; blk->last && i < op->result_count; i++) {
                flow(m, blk->last->operands[i], &op->results[i], GD_VARIED);
                if (!is_loop(op) || !has(m, &op->results[i], GD_VARIED)) continue;
                again |= !has(m, blk->args[i], GD_VARIED) && weft_type_has_derivative(blk->args[i]->type);
                set(m, blk->args[i], GD_VARIED);
            }
        }
    }
    for (uint32_t i = 0; is_loop(op) && i < op->result_count; i++)
        flow(m, op->operands[i], &op->results[i], GD_VARIED);
}

static void varied_ops(marker *m, const weft_op *first, const weft_op *end) {
    for (const weft_op *op = first; op != end; op = op->next) {
        if (is_control(op)) {
            varied_control(m, op);
            continue;
        }
        bool any = false;
        for (uint32_t i = 0; i < op->operand_count && !any; i++) any = has(m, op->operands[i], GD_VARIED);
        for (uint32_t i = 0; any && passes(m, op) && i < op->result_count; i++) set(m, &op->results[i], GD_VARIED);
    }
}

static void varied_block(marker *m, const weft_block *blk) { varied_ops(m, blk->first, NULL); }

static void useful_block(marker *m, const weft_block *blk);

static void useful_control(marker *m, const weft_op *op) {
    bool again = true;
    while (again) {
        again = false;
        for (uint32_t r = 0; r < op->region_count; r++) {
            const weft_block *blk = weft_op_body(op, r);
            if (!blk || (is_loop(op) && !r)) continue;
            for (uint32_t i = 0; blk->last && i < op->result_count; i++) {
                flow(m, &op->results[i], blk->last->operands[i], GD_USEFUL);
                if (is_loop(op)) flow(m, blk->args[i], blk->last->operands[i], GD_USEFUL);
            }
            useful_block(m, blk);
            for (uint32_t i = 0; enters(op, blk) && i < blk->arg_count; i++) {
                flow(m, blk->args[i], op->operands[i], GD_USEFUL);
                if (is_loop(op) && has(m, blk->args[i], GD_USEFUL))
                    again |= !has(m, blk->last->operands[i], GD_USEFUL) && weft_type_has_derivative(blk->args[i]->type);
            }
        }
    }
    for (uint32_t i = 0; is_loop(op) && i < op->result_count; i++)
        flow(m, &op->results[i], op->operands[i], GD_USEFUL);
}

/* From last back to the one after `end`. */
static void useful_ops(marker *m, const weft_op *last, const weft_op *end) {
    for (const weft_op *op = last; op != end; op = op->prev) {
        if (is_control(op)) {
            useful_control(m, op);
            continue;
        }
        bool any = false;
        for (uint32_t i = 0; i < op->result_count && !any; i++) any = has(m, &op->results[i], GD_USEFUL);
        for (uint32_t i = 0; any && passes(m, op) && i < op->operand_count; i++) set(m, op->operands[i], GD_USEFUL);
    }
}

static void useful_block(marker *m, const weft_block *blk) { useful_ops(m, blk->last, NULL); }

void gd_mark_ops(gd *g, const weft_op *first, const weft_op *end) {
    marker m = { .g = g };
    if (first == end) return;
    varied_ops(&m, first, end);
    useful_ops(&m, end->prev, first->prev);
}

void gd_mark(gd *g, weft_block *blk) {
    marker m = { .g = g };
    varied_block(&m, blk);
    useful_block(&m, blk);
}
