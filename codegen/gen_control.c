/* gen_control.c: column `gen` of loops and branches.
 *
 * Regions become blocks of their own. What they use from outside is an operand of the node, after those that the op
 * has, so that it stands in memory. A loop's initial values are copied: the copies' memory is what the loop carries.
 */
#include "codegen/import.h"
#include "codegen/operand.h"

typedef struct operands {
    cg_node **v;
    size_t n, cap;
    bool effects;           /* something inside the regions has */
} operands;

static bool add(cg_graph *g, operands *o, cg_node *n) {
    if (!n || (o->n == o->cap && !weft_arena_grow(&g->arena, (void **)&o->v, &o->cap, o->n + 1, sizeof *o->v)))
        return false;
    o->v[o->n++] = n;
    return true;
}

static bool inside(const cg_node *n, const cg_block *b) {
    for (const cg_block *at = n->block; at; at = at->parent)
        if (at == b) return true;
    return false;
}

static bool captured(cg_graph *g, operands *o, cg_node *n, const cg_block *b, size_t from) {
    if (inside(n, b) || cg_is_rewritten(n)) return true;
    for (size_t i = from; i < o->n; i++)
        if (o->v[i] == n) return true;
    return add(g, o, n);
}

/* Does x wait at a gate between it and base, which it is made of by views and reshapes? */
static bool waits(const cg_node *x, const cg_node *base) {
    for (; x != base; x = x->in[0])
        if (cg_is_gated(x)) return true;
    return false;
}

/* What nodes made since `since` use from outside their block b. Of what a library reads through strides that is the
 * memory: the views of it are not computed, unless they say when it may be read. */
static bool add_captures(cg_graph *g, operands *o, const cg_block *b, size_t since, size_t from) {
    for (size_t i = since; i < g->count; i++) {
        const cg_node *n = g->nodes[i];
        for (uint32_t k = 0; inside(n, b) && k < n->in_count; k++) {
            cg_node *read = cg_operand_read(n, k);
            if (!captured(g, o, read, b, from)) return false;
            if (waits(n->in[k], read) && !captured(g, o, n->in[k], b, from)) return false;
        }
    }
    return true;
}

/* ---- random numbers: loops and branches that draw some carry the count of turns as one more value (gen_random.c) - */

enum { MAX_DRAW_DEPTH = 200 };

static bool region_draws(const weft_module *m, const weft_region *r, uint32_t depth) {
    if (depth > MAX_DRAW_DEPTH) return true; /* one value too many is carried */
    WEFT_EACH_BLOCK(b, r) WEFT_EACH_OP(op, b) {
        if (op->kind == WEFT_OP_rng) return true;
        const weft_op *f =
            op->kind == WEFT_OP_func_call ? weft_module_symbol(m, weft_op_symbol(op, WEFT_A_callee)) : NULL;
        for (uint32_t i = 0; i < op->region_count; i++)
            if (region_draws(m, &op->regions[i], depth + 1)) return true;
        for (uint32_t i = 0; f && i < f->region_count; i++)
            if (region_draws(m, &f->regions[i], depth + 1)) return true;
    }
    return false;
}

static bool draws(const cg_import *im, const weft_op *op) {
    for (uint32_t r = 0; r < op->region_count; r++)
        if (region_draws(im->m, &op->regions[r], 0)) return true;
    return false;
}

/* The regions of op as blocks whose results stand in memory of their own. */
static weft_status blocks(cg_import *im, const weft_op *op, operands *o, const unsigned *turn, cg_block ***out) {
    cg_graph *g = im->g;
    const size_t since = g->count, from = o->n;
    cg_block **v = weft_arena_array(&g->arena, cg_block *, op->region_count);
    if (!v) return weft_oom();
    cg_node *const outer = im->turn;
    for (uint32_t r = 0; r < op->region_count; r++) {
        im->turn = outer;
        weft_status st = cg_import_block(im, &op->regions[r], turn[r ? 1 : 0], &v[r]);
        if (st == WEFT_OK) st = cg_own_results(g, v[r], CG_OF_REGION);
        if (st != WEFT_OK) return st;
    }
    for (size_t i = since; i < g->count; i++) o->effects = o->effects || g->nodes[i]->effects;
    for (uint32_t r = 0; r < op->region_count; r++)
        if (!add_captures(g, o, v[r], since, from)) return weft_oom();
    *out = v;
    return WEFT_OK;
}

static weft_status finish(cg_import *im, const weft_op *op, cg_class cls, const operands *o, cg_block **v,
                          uint32_t turns) {
    cg_graph *g = im->g;
    const weft_type *t = op->result_count ? op->results[0].type : NULL;
    cg_node *n = cg_begin(g, cls, t ? t->dtype : WEFT_I1, t ? t->rank : 0, t ? t->dims : NULL, o->v, (uint32_t)o->n);
    if (!n) return weft_oom();
    n->result_count = op->result_count + turns;
    n->control.blocks = v;
    n->control.count = op->region_count;
    n->effects = o->effects;
    n = cg_finish(g, n);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++)
        st = cg_set(im, op, i, cg_part(g, n, i, op->results[i].type));
    if (turns && st == WEFT_OK) {
        im->turn = cg_part(g, n, op->result_count, weft_type_scalar(g->cx, WEFT_UI64));
        if (!im->turn) st = weft_oom();
    }
    return st;
}

/* The count of turns before op, when it has to be carried. */
static uint32_t start_turns(cg_import *im, const weft_op *op) {
    if (!draws(im, op)) return 0;
    if (!im->turn) im->turn = cg_splat_value(im->g, WEFT_UI64, 0, NULL, 0);
    return 1;
}

weft_status weft_gen_while(cg_import *im, const weft_op *op) {
    operands o = { 0 };
    cg_block **v = NULL;
    const uint32_t turns = start_turns(im, op);
    const unsigned turn[2] = { turns ? CG_TURN_ARGUMENT : 0, turns ? CG_TURN_ARGUMENT | CG_TURN_NEXT : 0 };
    for (uint32_t i = 0; i < op->operand_count + turns; i++)
        if (!add(im->g, &o, cg_copy(im->g, i < op->operand_count ? cg_of(im, op, i) : im->turn))) return weft_oom();
    weft_status st = blocks(im, op, &o, turn, &v);
    return st == WEFT_OK ? finish(im, op, CG_WHILE, &o, v, turns) : st;
}

static weft_status branches(cg_import *im, const weft_op *op, cg_node *selector) {
    operands o = { 0 };
    cg_block **v = NULL;
    const uint32_t turns = start_turns(im, op);
    const unsigned turn[2] = { turns ? CG_TURN_RESULT : 0, turns ? CG_TURN_RESULT : 0 };
    if (!add(im->g, &o, cg_copy(im->g, selector))) return weft_oom();
    weft_status st = blocks(im, op, &o, turn, &v);
    return st == WEFT_OK ? finish(im, op, CG_CASE, &o, v, turns) : st;
}

weft_status weft_gen_case(cg_import *im, const weft_op *op) { return branches(im, op, cg_of(im, op, 0)); }

weft_status weft_gen_if(cg_import *im, const weft_op *op) {
    cg_graph *g = im->g;
    cg_node *which[3] = { cg_of(im, op, 0), cg_splat_value(g, WEFT_I32, 0, NULL, 0),
                          cg_splat_value(g, WEFT_I32, 0, NULL, 1) };
    return branches(im, op, cg_scalar(g, CG_OP_select, WEFT_I32, 0, which));
}
