/* gen_control.c: column `gen` of loops and branches.
 *
 * Regions become blocks of their own. What they use from outside is an operand of the node, behind those that the op has,
 * so that it stands in memory. A loop's initial values are copied: the copies' memory is what the loop carries.
 */
#include "codegen/import.h"

typedef struct operands {
    cg_node **v;
    size_t n, cap;
    bool effects;           /* something inside the regions has */
} operands;

static bool add(cg_graph *g, operands *o, cg_node *n) {
    if (!n || (o->n == o->cap && !weft_arena_grow(&g->arena, (void **)&o->v, &o->cap, o->n + 1, sizeof *o->v))) return false;
    o->v[o->n++] = n;
    return true;
}

static bool inside(const cg_node *n, const cg_block *b) {
    for (const cg_block *at = n->block; at; at = at->parent)
        if (at == b) return true;
    return false;
}

static bool captured(cg_graph *g, operands *o, cg_node *n, const cg_block *b, size_t from) {
    if (inside(n, b) || n->uniform || (cg_is(n, CG_LIGHT) && !n->in_count)) return true;
    for (size_t i = from; i < o->n; i++)
        if (o->v[i] == n) return true;
    return add(g, o, n);
}

/* What nodes made since `since` use from outside their block b. */
static bool add_captures(cg_graph *g, operands *o, const cg_block *b, size_t since, size_t from) {
    for (size_t i = since; i < g->count; i++) {
        const cg_node *n = g->nodes[i];
        for (uint32_t k = 0; inside(n, b) && k < n->in_count; k++)
            if (!captured(g, o, n->in[k], b, from)) return false;
    }
    return true;
}

/* The regions of op as blocks whose results stand in memory of their own. */
static weft_status blocks(cg_import *im, const weft_op *op, operands *o, cg_block ***out) {
    cg_graph *g = im->g;
    const size_t since = g->count, from = o->n;
    cg_block **v = weft_arena_array(&g->arena, cg_block *, op->region_count);
    if (!v) return weft_oom();
    for (uint32_t r = 0; r < op->region_count; r++) {
        weft_status st = cg_import_region(im, &op->regions[r], &v[r]);
        if (st == WEFT_OK) st = cg_own_results(g, v[r]);
        if (st != WEFT_OK) return st;
    }
    for (size_t i = since; i < g->count; i++) o->effects = o->effects || g->nodes[i]->effects;
    for (uint32_t r = 0; r < op->region_count; r++)
        if (!add_captures(g, o, v[r], since, from)) return weft_oom();
    *out = v;
    return WEFT_OK;
}

static weft_status finish(cg_import *im, const weft_op *op, cg_class cls, const operands *o, cg_block **v) {
    cg_graph *g = im->g;
    const weft_type *t = op->result_count ? op->results[0].type : NULL;
    cg_node *n = cg_begin(g, cls, t ? t->dtype : WEFT_I1, t ? t->rank : 0, t ? t->dims : NULL, o->v, (uint32_t)o->n);
    if (!n) return weft_oom();
    n->result_count = op->result_count;
    n->control.blocks = v;
    n->control.count = op->region_count;
    n->effects = o->effects;
    n = cg_finish(g, n);
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < op->result_count && st == WEFT_OK; i++) st = cg_set(im, op, i, cg_part(g, n, i, op->results[i].type));
    return st;
}

weft_status weft_gen_while(cg_import *im, const weft_op *op) {
    operands o = { 0 };
    cg_block **v = NULL;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!add(im->g, &o, cg_copy(im->g, cg_of(im, op, i)))) return weft_oom();
    weft_status st = blocks(im, op, &o, &v);
    return st == WEFT_OK ? finish(im, op, CG_WHILE, &o, v) : st;
}

static weft_status branches(cg_import *im, const weft_op *op, cg_node *selector) {
    operands o = { 0 };
    cg_block **v = NULL;
    if (!add(im->g, &o, cg_copy(im->g, selector))) return weft_oom();
    weft_status st = blocks(im, op, &o, &v);
    return st == WEFT_OK ? finish(im, op, CG_CASE, &o, v) : st;
}

weft_status weft_gen_case(cg_import *im, const weft_op *op) { return branches(im, op, cg_of(im, op, 0)); }

weft_status weft_gen_if(cg_import *im, const weft_op *op) {
    cg_graph *g = im->g;
    cg_node *which[3] = { cg_of(im, op, 0), cg_splat_value(g, WEFT_I32, 0, NULL, 0), cg_splat_value(g, WEFT_I32, 0, NULL, 1) };
    return branches(im, op, cg_scalar(g, CG_OP_select, WEFT_I32, 0, which));
}
