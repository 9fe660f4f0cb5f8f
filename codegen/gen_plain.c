/* gen_plain.c: ops that stand for their operands, calls, which are imported in place, and ops that no program for one
 * device has. */
#include "codegen/import.h"

enum { MAX_CALL_DEPTH = 200 };

weft_status weft_gen_refused(cg_import *im, const weft_op *op) {
    return weft_report(im->g->cx, WEFT_D_unsupported, op->loc,
                       "'%s' talks with a host program while this one runs, and there is none", op->name->text);
}

/* Passes of legalize/ come before, but leave what has a dynamic shape. */
weft_status weft_gen_legalized(cg_import *im, const weft_op *op) {
    return weft_report(im->g->cx, WEFT_D_unsupported, op->loc,
                       "'%s' is not part of a program that code is made for: it is written with simpler ops before",
                       op->name->text);
}

weft_status weft_gen_none(cg_import *im, const weft_op *op) {
    return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "'%s' is not part of a local program", op->name->text);
}

weft_status weft_gen_terminator(cg_import *im, const weft_op *op) {
    (void)im, (void)op;
    return WEFT_OK;
}

weft_status weft_gen_identity(cg_import *im, const weft_op *op) { return cg_set(im, op, 0, cg_of(im, op, 0)); }

weft_status weft_gen_optimization_barrier(cg_import *im, const weft_op *op) {
    weft_status st = WEFT_OK;
    cg_node **in = weft_arena_array(&im->g->arena, cg_node *, op->operand_count);
    if (!in) return weft_oom();
    for (uint32_t i = 0; i < op->operand_count; i++) in[i] = cg_of(im, op, i);
    cg_node *gate = cg_gate(im->g, in, op->operand_count);
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
        st = cg_set(im, op, i, cg_after_gate(im->g, in[i], gate));
    return st;
}

weft_status weft_gen_call(cg_import *im, const weft_op *op) {
    const weft_op *f = weft_module_symbol(im->m, weft_op_symbol(op, WEFT_A_callee));
    const weft_block *body = f ? weft_op_body(f, 0) : NULL;
    if (!body) return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "a call to a function without a body");
    if (++im->depth > MAX_CALL_DEPTH)
        return weft_report(im->g->cx, WEFT_D_unsupported, op->loc, "calls are nested deeper than %d", MAX_CALL_DEPTH);
    for (uint32_t i = 0; i < op->operand_count; i++) im->value[body->args[i]->id] = cg_of(im, op, i);
    weft_status st = cg_import_ops(im, body);
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
        st = cg_set(im, op, i, im->value[body->last->operands[i]->id]);
    im->depth--;
    return st;
}
