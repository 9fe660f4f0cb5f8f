/* reduce_scatter_place: each rank adds up its block of every rank's input, read directly, in rank order.
 * Needs: posts of all members, met once; they meet again so that a buffer stays until all have read it. In place, where
 * the output is this rank's own block of its input, is safe: no other rank reads that block.
 */
#include "collectives/algorithm.h"

#define SHORT_ELEMS 64  /* rows below this are collected first, since a kernel's call costs as much as so many sums */
#define PACK_BYTES 4096

/* Row by row; the blocks of all inputs are in c->base, with equal layouts. */
static void by_rows(weft_comm *c, const weft_view *like, char *out, weft_reduce_fn reduce, size_t elem_bytes) {
    size_t row = (size_t)like->layout.row * elem_bytes, stride = row * (size_t)like->layout.blocks;
    for (size_t at = 0, n = (size_t)(like->units / like->layout.row), k = 0; k < n; k++, at += stride, out += row) {
        for (int i = 0; i < c->size; i++) c->src[i] = (const char *)c->base[i] + at;
        reduce(out, c->src, c->size, like->layout.row);
    }
}

static weft_status by_packs(weft_run *r, int operand, char *out, weft_reduce_fn reduce, const weft_geom *g) {
    weft_comm *c = r->comm;
    weft_allocator *a = &c->world->alloc;
    size_t room = (size_t)c->size * PACK_BYTES;
    char *pack = a->resize(a->user, NULL, 0, room);
    if (!pack) return weft_oom();
    int64_t step = PACK_BYTES / (int64_t)g->elem_bytes;
    for (int64_t u = 0; u < g->units; u += step) {
        int64_t n = weft_min_i64(step, g->units - u);
        for (int i = 0; i < c->size; i++) {
            weft_view to = weft_view_dense(pack + (size_t)i * PACK_BYTES, n), from = weft_post_block(r, i, operand);
            weft_view_copy(&to, 0, &from, u, n, g->elem_bytes);
            c->src[i] = to.base;
        }
        reduce(out + (size_t)u * g->elem_bytes, c->src, c->size, n);
    }
    a->resize(a->user, pack, room, 0);
    return WEFT_OK;
}

static weft_status add_operand(weft_run *r, int operand) {
    weft_comm *c = r->comm;
    const weft_coll_buf *b = &r->job.bufs[operand];
    weft_geom g = weft_geom_of(&r->job, b);
    weft_reduce_fn reduce = weft_reduce_find((weft_dtype)b->dtype, r->job.reduce);
    weft_view mine = weft_post_block(r, c->rank, operand);
    char *out = weft_view_out(&g, b->out, 0).base;
    if (mine.units == 0) return WEFT_OK;
    for (int k = 0; k < c->size; k++) {
        weft_view block = weft_post_block(r, k, operand);
        c->base[k] = weft_view_at(&block, g.elem_bytes);
    }
    size_t bytes = (size_t)mine.units * g.elem_bytes;
    c->dst[0] = out;
    if (mine.layout.row == mine.units || c->base[c->rank] == out)
        weft_sum_place(c, &(weft_sum_part){ reduce, g.elem_bytes, 1, weft_run_way(r, bytes) }, 0, bytes);
    else if (mine.layout.row >= SHORT_ELEMS) by_rows(c, &mine, out, reduce, g.elem_bytes);
    else return by_packs(r, operand, out, reduce, &g);
    return WEFT_OK;
}

/* A rank that ran out of memory still lets the others finish. */
static weft_status finish(weft_run *r) { return r->status == WEFT_OK ? weft_run_end(r) : r->status; }

weft_status weft_run_reduce_scatter_place(weft_run *r) {
    for (int i = 0; i < r->job.n && r->status == WEFT_OK; i++) r->status = add_operand(r, i);
    return weft_run_meet(r, finish);
}
