/* import.c: walks blocks and calls column `gen` for each op. */
#include "base/table.h"
#include "codegen/import.h"
#include "cost/op.h"

weft_status cg_set(cg_import *im, const weft_op *op, uint32_t result, cg_node *n) {
    if (!n)
        return im->g->status != WEFT_OK
                   ? im->g->status
                   : weft_report(im->g->cx, WEFT_D_internal, op->loc, "op '%s' has no value", op->name->text);
    im->value[op->results[result].id] = n;
    return WEFT_OK;
}

/* What there is no code for, in a result or a block's argument (what): quantised programs, tuples and the like have
 * become plain ones before they come here. */
static weft_status check_type(cg_import *im, const weft_op *op, const char *what, const weft_loc *loc,
                              const weft_type *t) {
    weft_context *cx = im->g->cx;
    if (t->kind == WEFT_TYPE_TOKEN) return WEFT_OK;
    if (!weft_type_is_tensor(t))
        return weft_report(cx, WEFT_D_unsupported, loc, "'%s' has %s that is not a tensor", op->name->text, what);
    if (!weft_type_is_static(t))
        return weft_report(cx, WEFT_D_unsupported, loc, "'%s' has %s of dynamic shape", op->name->text, what);
    if (weft_type_bytes(t) < 0)
        return weft_report(cx, WEFT_D_unsupported, loc, "'%s' has %s that is larger than memory can be", op->name->text,
                           what);
    if (t->quant)
        return weft_report(cx, WEFT_D_unsupported, loc, "'%s' has %s of quantised elements", op->name->text, what);
    return WEFT_OK;
}

/* How much of an op's arithmetic is done where this node is computed: of a complex product's four products each the
 * same, of a sum of sums each by what it adds up. */
static double share_of(const cg_node *n, bool products) {
    if (n->cls == CG_DOT || n->cls == CG_CONV) return 1;
    return !products && n->cls == CG_REDUCE ? (double)n->in[0]->elems : 0;
}

/* Its regions' ops were charged one by one. */
static bool is_charged(const weft_op *op) {
    return op->kind == WEFT_OP_func_call || op->kind == WEFT_OP_while || op->kind == WEFT_OP_case ||
           op->kind == WEFT_OP_if;
}

/* The op's arithmetic goes to the products made for it, else to the reductions, else to the last node; none was made
 * when an equal one existed. */
static void charge(cg_import *im, const weft_op *op, size_t before) {
    cg_graph *g = im->g;
    weft_op_cost cost = { 0 };
    bool products = false;
    double all = 0;
    if (g->count == before || is_charged(op) || weft_cost_op(op, &cost) != WEFT_OK) return;
    for (size_t i = before; i < g->count; i++) products |= g->nodes[i]->cls == CG_DOT || g->nodes[i]->cls == CG_CONV;
    for (size_t i = before; i < g->count; i++) all += share_of(g->nodes[i], products);
    if (!(all > 0)) g->nodes[g->count - 1]->flops += cost.flops;
    for (size_t i = before; i < g->count && all > 0; i++)
        g->nodes[i]->flops += cost.flops * share_of(g->nodes[i], products) / all;
}

weft_status cg_import_ops(cg_import *im, const weft_block *b) {
    WEFT_EACH_OP(op, b) {
        weft_status st = WEFT_OK;
        for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
            st = check_type(im, op, "a result", op->loc, op->results[i].type);
        if (st != WEFT_OK) return st;
        im->g->loc = op->loc;
        const size_t before = im->g->count;
        st = im->gen_of[op->kind](im, op);
        if (st != WEFT_OK) return st;
        charge(im, op, before);
        if (im->g->status != WEFT_OK) return im->g->status;
    }
    return WEFT_OK;
}

static weft_status block_arguments(cg_import *im, const weft_block *b, unsigned turn, cg_block *blk) {
    cg_graph *g = im->g;
    const bool turns = turn & CG_TURN_ARGUMENT;
    blk->arg_count = b->arg_count + turns;
    blk->args = weft_arena_array(&g->arena, cg_node *, blk->arg_count);
    if (!blk->args) return weft_oom();
    for (uint32_t i = 0; i < b->arg_count; i++) {
        weft_status st = check_type(im, b->parent->parent, "an argument", weft_value_loc(b->args[i]), b->args[i]->type);
        if (st != WEFT_OK) return st;
        blk->args[i] = im->value[b->args[i]->id] = cg_argument(g, blk, i, b->args[i]->type);
        if (!blk->args[i]) return weft_oom();
    }
    if (!turns) return WEFT_OK;
    const weft_type *t = weft_type_scalar(g->cx, WEFT_UI64);
    im->turn = blk->args[b->arg_count] = t ? cg_argument(g, blk, b->arg_count, t) : NULL;
    return im->turn ? WEFT_OK : weft_oom();
}

static weft_status block_results(cg_import *im, const weft_op *end, unsigned turn, cg_block *blk) {
    cg_graph *g = im->g;
    const bool turns = turn & (CG_TURN_RESULT | CG_TURN_NEXT);
    blk->result_count = end->operand_count + turns;
    blk->results = weft_arena_array(&g->arena, cg_node *, blk->result_count);
    if (!blk->results) return weft_oom();
    for (uint32_t i = 0; i < end->operand_count; i++) blk->results[i] = im->value[end->operands[i]->id];
    if (!turns) return WEFT_OK;
    if (turn & CG_TURN_NEXT) im->turn = cg_binary(g, CG_OP_add, im->turn, cg_splat_value(g, WEFT_UI64, 0, NULL, 1));
    blk->results[end->operand_count] = im->turn;
    return im->turn ? WEFT_OK : weft_oom();
}

weft_status cg_import_block(cg_import *im, const weft_region *r, unsigned turn, cg_block **out) {
    cg_graph *g = im->g;
    const weft_block *b = r->first;
    if (!b || b->next)
        return weft_report(g->cx, WEFT_D_unsupported, r->parent->loc, "a region of '%s' has not exactly one block",
                           r->parent->name->text);
    cg_block *outer = g->block, *blk = cg_block_new(g, outer);
    if (!blk) return weft_oom();
    weft_status st = block_arguments(im, b, turn, blk);
    const weft_loc *loc = g->loc;
    g->block = blk;
    if (st == WEFT_OK) st = cg_import_ops(im, b);
    if (st == WEFT_OK) st = block_results(im, b->last, turn, blk);
    g->block = outer;
    g->loc = loc;
    *out = blk;
    return st;
}

weft_status cg_import_region(cg_import *im, const weft_region *r, cg_block **out) {
    return cg_import_block(im, r, 0, out);
}

static bool has_node(const weft_table *t, const cg_node *n) {
    size_t probe = 0;
    for (const cg_node *x; (x = weft_table_next(t, n->id, &probe));)
        if (x == n) return true;
    return false;
}

/* A result of @main is copied when it has its memory from elsewhere: an argument, a constant, an operand (scatter,
 * loops), another result. Results of regions may have it from operands, and a loop's may be the argument that it is
 * for. */
weft_status cg_own_results(cg_graph *g, cg_block *b, cg_results_of of) {
    weft_table bases = { 0 };
    for (uint32_t r = 0; r < b->result_count; r++) {
        cg_node *n = cg_base(b->results[r]);
        const bool carried = cg_in_place(cg_whole(n)) || cg_whole(n)->cls == CG_WHILE;
        const bool unchanged = of == CG_OF_REGION && n->cls == CG_ARGUMENT && n->aux == r;
        bool shared = (carried && of == CG_OF_MAIN) || (n->cls == CG_ARGUMENT && !unchanged) || n->cls == CG_CONSTANT ||
                      n->block != b;
        shared = shared || has_node(&bases, n);
        if (!shared) {
            if (!weft_table_add(&bases, &g->arena, n->id, n)) return weft_oom();
            continue;
        }
        cg_block *outer = g->block;
        g->block = b;
        b->results[r] = cg_copy(g, b->results[r]);
        g->block = outer;
        if (!b->results[r]) return weft_oom();
    }
    return WEFT_OK;
}
