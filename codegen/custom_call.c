/* custom_call.c: what the targets of custom calls share: layouts, a call as a node, its configuration, messages. */
#include "codegen/custom_call.h"

bool cg_custom_order(const weft_op *op, weft_attr_name name, uint32_t i, uint32_t rank, int64_t *order) {
    const weft_attr *all = weft_op_attr(op, name), *one = all && i < all->items.n ? all->items.v[i] : NULL;
    bool moved = false;
    /* a future has no dimensions to list, and has become its tensor */
    if (!one || rank < 2 || one->type->dims[0] != rank) return false;
    for (uint32_t d = 0; d < rank; d++) {
        order[d] = weft_dense_int(one, rank - 1 - d);
        moved = moved || order[d] != d;
    }
    return moved;
}

static cg_node *as_the_op_says(const cg_custom *c, uint32_t r, cg_node *x) {
    int64_t order[WEFT_MAX_RANK], back[WEFT_MAX_RANK];
    if (!x || !cg_custom_order(c->op, WEFT_A_result_layouts, r, x->rank, order)) return x;
    for (uint32_t d = 0; d < x->rank; d++) back[order[d]] = d;
    return cg_transpose(c->im->g, x, (weft_ints){ back, x->rank });
}

weft_status cg_custom_call(cg_custom *c, const cg_call_spec *s) {
    cg_graph *g = c->im->g;
    cg_call_spec spec = *s;
    const uint32_t n = c->op->result_count;
    cg_node **out = weft_arena_array(&g->arena, cg_node *, n + 1);
    if (!out) return weft_oom();
    if (!spec.label) spec.label = c->target->name;
    if (weft_op_int(c->op, WEFT_A_has_side_effect, 0)) spec.flags |= CG_CALL_EFFECTS;
    weft_status st = cg_call(g, &spec, c->in, c->op->operand_count, c->types, n, out) ? WEFT_OK : g->status;
    for (uint32_t r = 0; r < n && st == WEFT_OK; r++) st = cg_set(c->im, c->op, r, as_the_op_says(c, r, out[r]));
    return st;
}

weft_status cg_custom_bad(const cg_custom *c, const char *what) {
    return weft_report(c->im->g->cx, WEFT_D_verify, c->op->loc, "custom call '%s' needs %s", c->target->name, what);
}
