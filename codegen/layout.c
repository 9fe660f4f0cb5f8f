/* layout.c: the order of dimensions in which products are written.
 *
 * A dot_general's result that is only ever used transposed is written transposed, if its rows or its columns then still
 * lie side by side: the matrix product can write with any strides, and swaps its operands when columns are apart.
 */
#include "codegen/dot.h"

typedef struct use { const cg_node *view; uint32_t count; bool other; } use;

static bool permutes(const cg_node *v) {
    const cg_node *x = v->in[0];
    if (v->cls != CG_VIEW || v->elems != x->elems) return false;
    for (uint32_t d = 0; d < x->rank; d++)
        if (x->dims[d] != 1 && (v->view[d].dim < 0 || v->view[d].offset || v->view[d].stride != 1 || v->view[d].also))
            return false;
    return true;
}

static bool same_view(const cg_node *a, const cg_node *b) {
    if (a->rank != b->rank || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims)) return false;
    for (uint32_t d = 0; d < a->in[0]->rank; d++)
        if (a->view[d].dim != b->view[d].dim) return false;
    return true;
}

static void count_use(use *uses, const cg_node *n, const cg_node *by) {
    use *u = &uses[n->id];
    if (by && permutes(by) && (!u->view || same_view(u->view, by))) u->view = by;
    else u->other = true;
    u->count++;
}

/* Strides of x such that v, its permutation, lies in row-major order. */
static void strides_for(const cg_node *x, const cg_node *v, int64_t *out) {
    int64_t step[WEFT_MAX_RANK];
    cg_row_major(v->rank, v->dims, step);
    for (uint32_t d = 0; d < x->rank; d++) out[d] = v->view[d].dim < 0 ? 1 : step[v->view[d].dim];
}

weft_status cg_choose_layouts(cg_graph *g) {
    weft_mark mark = weft_arena_mark(&g->cx->scratch);
    use *uses = weft_scratch_array(g->cx, use, g->count);
    if (!uses) return weft_oom();
    for (size_t i = 0; i < g->count; i++)
        for (uint32_t k = 0; k < g->nodes[i]->in_count && g->nodes[i]->cls != CG_GATE; k++)
            count_use(uses, g->nodes[i]->in[k], g->nodes[i]);
    for (const cg_block *b = g->blocks; b; b = b->next)
        for (uint32_t r = 0; r < b->result_count; r++) count_use(uses, b->results[r], NULL);
    weft_status st = WEFT_OK;
    for (size_t i = 0; i < g->count && st == WEFT_OK; i++) {
        cg_node *n = g->nodes[i];
        int64_t stride[WEFT_MAX_RANK];
        if (n->cls != CG_DOT || !uses[i].view || uses[i].other) continue;
        strides_for(n, uses[i].view, stride);
        if (!cg_dot_writes(n, stride)) continue;
        n->strides = weft_arena_dup(&g->arena, stride, n->rank * sizeof *stride, _Alignof(int64_t));
        if (!n->strides) st = weft_oom();
    }
    weft_arena_reset(&g->cx->scratch, mark);
    return st;
}
