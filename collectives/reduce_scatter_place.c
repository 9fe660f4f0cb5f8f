/* reduce_scatter_place: each rank adds up its block of every rank's input, read where it is, in rank order.
 * Needs: posts of all members, met once; they meet again so that a buffer stays until all have read it.
 */
#include "collectives/algorithm.h"

#define SHORT_ELEMS 64  /* rows below this are collected first, since a kernel's call costs as much as so many sums */
#define PACK_BYTES 4096

static void by_rows(weft_comm *c, const weft_coll_buf *b, weft_geom g, weft_reduce_fn reduce) {
    for (int64_t u = 0; u < g.units; u += g.in.row) {
        size_t at = (size_t)weft_layout_at(g.in, c->rank, u) * g.elem_bytes;
        for (int i = 0; i < c->size; i++) c->src[i] = (const char *)c->base[i] + at;
        reduce((char *)b->out + (size_t)u * g.elem_bytes, c->src, c->size, g.in.row);
    }
}

static weft_status by_packs(weft_comm *c, const weft_coll_buf *b, weft_geom g, weft_reduce_fn reduce) {
    weft_allocator *a = &c->world->alloc;
    size_t room = (size_t)c->size * PACK_BYTES;
    char *pack = a->resize(a->user, NULL, 0, room);
    if (!pack) return weft_oom();
    int64_t step = PACK_BYTES / (int64_t)g.elem_bytes;
    for (int64_t u = 0; u < g.units; u += step) {
        int64_t n = weft_min_i64(step, g.units - u);
        for (int i = 0; i < c->size; i++) {
            c->src[i] = pack + (size_t)i * PACK_BYTES;
            weft_units_copy(pack + (size_t)i * PACK_BYTES, weft_layout_dense(n, 1), 0, 0, c->base[i], g.in, c->rank, u, n, g.elem_bytes);
        }
        reduce((char *)b->out + (size_t)u * g.elem_bytes, c->src, c->size, n);
    }
    a->resize(a->user, pack, room, 0);
    return WEFT_OK;
}

weft_status weft_run_reduce_scatter_place(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    weft_status st = WEFT_OK;
    for (int i = 0; i < job->n && st == WEFT_OK; i++) {
        const weft_coll_buf *b = &job->bufs[i];
        weft_geom g = weft_geom_of(job, b);
        weft_reduce_fn reduce = weft_reduce_find((weft_dtype)b->dtype, job->reduce);
        for (int k = 0; k < c->size; k++) c->base[k] = weft_ref_address(c->world, weft_posts_of(c, k)[i].in);
        if (g.units == 0) continue;
        if (g.in.row >= SHORT_ELEMS) by_rows(c, b, g, reduce);
        else st = by_packs(c, b, g, reduce);
    }
    weft_status met = weft_meet(c);
    return st != WEFT_OK ? st : met;
}
