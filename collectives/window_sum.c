/* window_sum.c: a part of a window, added up over the ranks; shared by the staged and the message algorithms of
 * all_reduce. */
#include "collectives/algorithm.h"

#define BLOCK_BYTES 8192

void weft_window_add(weft_run *r, size_t capacity, size_t from, size_t to, char *stage) {
    alignas(64) char sum[BLOCK_BYTES];
    weft_comm *c = r->comm;
    weft_cursor at = r->at;
    weft_piece p;
    while (weft_window_next(&r->job, &at, capacity, &p)) {
        size_t end = p.at + (size_t)p.count * p.geom.elem_bytes;
        size_t first = from > p.at ? from : p.at, last = to < end ? to : end;
        const weft_adder *adder = weft_adder_find((weft_dtype)p.buf->dtype, r->job.reduce);
        for (; first < last; first += BLOCK_BYTES) {
            size_t bytes = last - first < BLOCK_BYTES ? last - first : BLOCK_BYTES;
            for (int i = 0; i < c->size; i++) c->src[i] = (const char *)c->base[i] + first;
            /* beside: one of the sources is the target */
            weft_sum_members(c, adder, sum, p.geom.elem_bytes, (int64_t)(bytes / p.geom.elem_bytes));
            memcpy(stage + first, sum, bytes);
        }
    }
}
