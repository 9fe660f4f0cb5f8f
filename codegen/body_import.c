/* body_import.c: regions that combine scalars, as blocks of scalar instructions.
 *
 * Branches are computed all and selected from: what they hold has no effects, and no scalar instruction traps. What
 * else a region may hold (loops, tensors, values from outside) has been taken out by weft-expand-bodies, or is reported
 * by cg_body_check.
 */
#include "codegen/body.h"
#include "codegen/import.h"

typedef struct straightener { cg_graph *g; cg_block *body; size_t since; cg_node **to; } straightener;

static cg_node *mapped(const straightener *s, cg_node *n) { return n->id < s->since ? n : s->to[n->id - s->since]; }

/* Result `which` of a branch: the last one's where the selector is out of range (spec, case). */
static cg_node *selected(straightener *s, const cg_node *branch, int64_t which) {
    cg_graph *g = s->g;
    cg_node *selector = mapped(s, branch->in[0]), *v = NULL;
    for (uint32_t b = branch->control.count; b-- > 0;) {
        cg_node *here = mapped(s, branch->control.blocks[b]->results[which]);
        if (!here || !selector) return NULL;
        if (!v) {
            v = here;
            continue;
        }
        cg_node *both[2] = { selector, cg_splat_value(g, (weft_dtype)selector->dtype, 0, NULL, b) };
        cg_node *is = both[1] ? cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_EQ, both) : NULL;
        v = is ? cg_scalar(g, CG_OP_select, (weft_dtype)here->dtype, 0, (cg_node *[]){ is, here, v }) : NULL;
        if (!v) return NULL;
    }
    return v;
}

static cg_node *straight(straightener *s, cg_node *n) {
    cg_graph *g = s->g;
    if (n->cls == CG_PART && n->in[0]->cls == CG_CASE) return selected(s, n->in[0], n->aux);
    if (n->cls == CG_SPLAT && n->block != s->body) return cg_splat(g, (weft_dtype)n->dtype, n->rank, n->dims, n->splat);
    if ((n->cls == CG_RESHAPE || n->cls == CG_VIEW) && n->in[0]->elems == 1 && n->elems == 1)
        return mapped(s, n->in[0]);
    if (n->cls != CG_SCALAR) return n;
    cg_node *in[3] = { 0 };
    bool same = n->block == s->body;
    for (uint32_t i = 0; i < n->in_count; i++) {
        in[i] = mapped(s, n->in[i]);
        same = same && in[i] == n->in[i];
    }
    if (n->op == CG_OP_copy) return in[0];
    return same ? n : cg_scalar(g, (cg_op)n->op, (weft_dtype)n->dtype, n->aux, in);
}

static weft_status straighten(cg_graph *g, cg_block *body, size_t since) {
    const size_t n = g->count - since;
    bool branches = false;
    for (size_t i = since; i < g->count; i++) branches = branches || g->nodes[i]->cls == CG_CASE;
    if (!branches) return WEFT_OK;
    const weft_mark mark = weft_arena_mark(&g->cx->scratch);
    straightener s = { g, body, since, weft_scratch_array(g->cx, cg_node *, n) };
    cg_block *outer = g->block;
    g->block = body;
    weft_status st = s.to ? WEFT_OK : weft_oom();
    for (size_t i = 0; i < n && st == WEFT_OK; i++)
        if (!(s.to[i] = straight(&s, g->nodes[since + i]))) st = g->status != WEFT_OK ? g->status : weft_oom();
    for (uint32_t r = 0; r < body->result_count && st == WEFT_OK; r++) body->results[r] = mapped(&s, body->results[r]);
    g->block = outer;
    weft_arena_reset(&g->cx->scratch, mark);
    return st;
}

weft_status cg_import_body(cg_import *im, const weft_region *r, cg_block **out) {
    const size_t since = im->g->count;
    weft_status st = cg_import_region(im, r, out);
    if (st == WEFT_OK) st = straighten(im->g, *out, since);
    return st == WEFT_OK ? cg_body_check(im->g, *out) : st;
}
