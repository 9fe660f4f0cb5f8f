/* layout.c: the order of dimensions in which products are written, and which of their dimensions are matrices.
 *
 * A dot_general's result that is only ever used transposed is written transposed, if its rows or its columns then still
 * lie side by side: the matrix product can write with any strides, and swaps its operands when columns are apart.
 *
 * Where an operand has two free dimensions that no one stride walks, or whose order the result's reader wants changed,
 * one of them may be counted as batch: many products of smaller matrices, in which the other operand is the same. Then
 * nothing needs to be copied. Scores of attention with grouped queries are such: heads that share a key lie between the
 * queries of one head.
 */
#include "codegen/dot.h"
#include "exec/kernels/gemm.h"

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

/* ---- dimensions that become batch ---- */

/* Rows and columns of the smaller matrices: oneDNN has its full rate (on a Zen 3, down to 16), and calls are few. */
enum { LEAST_SIDE = 64 };
/* What reading an operand again, out of the cache, takes of copying it in memory: not measured by itself. With 1, the
 * product of scores and values in bench/models' llama is not divided, and takes 1.2 times as long. */
#define AGAIN (1.0 / 8)

/* How a product is done, and the elements that are copied for it: operands written out, a result that is transposed by
 * its reader. */
typedef struct way { weft_bits lifted; bool transposed; double copied; } way;

static double size_of(const cg_node *n, uint32_t first, uint32_t end, weft_bits but) {
    double size = 1;
    for (uint32_t d = first; d < end; d++)
        if (!(but & weft_bit(d))) size *= (double)n->dims[d];
    return size;
}

/* False: the product cannot be done so. */
static bool try_way(cg_node *dot, const cg_node *view, weft_bits lifted, way *out) {
    int64_t stride[WEFT_MAX_RANK];
    const weft_bits before = dot->lifted;
    bool copied, fits = true;
    *out = (way){ .lifted = lifted };
    dot->lifted = lifted;
    for (uint32_t i = 0; i < 2 && fits; i++) {
        fits = cg_dot_reads_operand(dot, i, &copied);
        if (copied) out->copied += (double)dot->in[i]->elems;
    }
    if (view) {
        strides_for(dot, view, stride);
        out->transposed = cg_dot_writes(dot, stride);
        if (!out->transposed) out->copied += (double)dot->elems;
    }
    if (lifted && !out->transposed) {
        cg_row_major(dot->rank, dot->dims, stride);
        fits = fits && cg_dot_writes(dot, stride);
    }
    dot->lifted = before;
    return fits;
}

/* Of the free dimensions of side i, from `first` to `end` in the result, one that is lifted. The other operand is read
 * as often as the dimension is long. */
static void try_side(cg_node *dot, const cg_node *view, uint32_t i, uint32_t first, uint32_t end, way *best) {
    for (uint32_t d = first; d < end; d++) {
        way w;
        if (dot->dims[d] == 1 || size_of(dot, first, end, weft_bit(d)) < LEAST_SIDE) continue;
        if (!try_way(dot, view, weft_bit(d), &w)) continue;
        w.copied += AGAIN * (double)dot->in[!i]->elems * (double)dot->dims[d];
        if (w.copied < best->copied) *best = w;
    }
}

/* view: how the result is used, or NULL. */
static way way_of(cg_node *dot, const cg_node *view) {
    const uint32_t batch = dot->dot.lhs_batch.n, middle = cg_dot_columns(dot);
    way best;
    (void)try_way(dot, view, 0, &best);
    if (!best.copied || weft_gemm_has((weft_dtype)dot->dtype)) return best;
    if (size_of(dot, batch, middle, 0) < LEAST_SIDE || size_of(dot, middle, dot->rank, 0) < LEAST_SIDE) return best;
    try_side(dot, view, 0, batch, middle, &best);
    try_side(dot, view, 1, middle, dot->rank, &best);
    return best;
}

static weft_status choose(cg_graph *g, cg_node *dot, const cg_node *view) {
    int64_t stride[WEFT_MAX_RANK];
    const way w = way_of(dot, view);
    dot->lifted = w.lifted;
    if (!w.transposed) return WEFT_OK;
    strides_for(dot, view, stride);
    dot->strides = weft_arena_dup(&g->arena, stride, dot->rank * sizeof *stride, _Alignof(int64_t));
    return dot->strides ? WEFT_OK : weft_oom();
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
    for (size_t i = 0; i < g->count && st == WEFT_OK; i++)
        if (g->nodes[i]->cls == CG_DOT) st = choose(g, g->nodes[i], uses[i].other ? NULL : uses[i].view);
    weft_arena_reset(&g->cx->scratch, mark);
    return st;
}
