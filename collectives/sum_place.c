/* sum_place.c: adds up a part of the members' inputs in place, in rank order, into some of their outputs: shared by
 * all_reduce_two_shot and reduce_scatter_place.
 */
#include "collectives/algorithm.h"

#define BLOCK_BYTES 8192     /* at most: stays in the first-level cache until every output has it, */
#define FETCHED_BYTES 16384  /* and the data prefetched for the next one stays there beside it */
#define LEAST_BYTES 1024

static size_t block_bytes(const weft_comm *c, const weft_sum_part *p) {
    size_t each = FETCHED_BYTES / (size_t)c->size / LEAST_BYTES * LEAST_BYTES;
    if (!(p->way & WEFT_COPY_STREAMED) || each > BLOCK_BYTES) return BLOCK_BYTES;
    return each > LEAST_BYTES ? each : LEAST_BYTES;
}

/* Bytes [at, end): through a buffer, since a kernel's result must not overlap its sources, and kernels do not
 * stream. */
static void add_blocks(weft_comm *c, const weft_sum_part *p, size_t at, size_t end) {
    alignas(64) char sum[BLOCK_BYTES];
    size_t block = block_bytes(c, p);
    for (size_t bytes; at < end; at += bytes) {
        bytes = end - at < block ? end - at : block;
        for (int i = 0; i < c->size; i++) c->src[i] = (const char *)c->base[i] + at;
        p->reduce(sum, c->src, c->size, (int64_t)(bytes / p->elem_bytes));
        int done = 0;
        if ((p->way & WEFT_COPY_STREAMED) && at + bytes < end) {
            for (int i = 0; i < c->size; i++) c->src[i] = (const char *)c->src[i] + bytes;
            weft_copy_fetching((char *)c->dst[done++] + at, sum, bytes, c->src, c->size);
        }
        for (; done < p->outputs; done++)
            weft_copy_piece((char *)c->dst[done] + at, sum, bytes, (weft_copy_way)(p->way & WEFT_COPY_STREAMED));
    }
}

/* The same for one output that is not an input. */
static void add_straight(weft_comm *c, const weft_sum_part *p, size_t at, size_t end) {
    for (int i = 0; i < c->size; i++) c->src[i] = (const char *)c->base[i] + at;
    p->reduce((char *)c->dst[0] + at, c->src, c->size, (int64_t)((end - at) / p->elem_bytes));
}

static int is_straight(const weft_comm *c, const weft_sum_part *p) {
    int is = p->outputs == 1 && !(p->way & WEFT_COPY_STREAMED);
    for (int i = 0; i < c->size; i++) is = is && c->base[i] != c->dst[0];
    return is;
}

void weft_sum_place(weft_comm *c, const weft_sum_part *p, size_t first, size_t last) {
    /* bypassing the caches forwards, see stream.h */
    size_t step = p->way == WEFT_COPY_BACKWARD ? WEFT_CHUNK_BYTES : last - first;
    int straight = is_straight(c, p);
    for (size_t k = first < last ? (last - first - 1) / step + 1 : 0; k-- > 0;) { /* forwards there is one step */
        size_t at = first + k * step, end = last - at < step ? last : at + step;
        if (straight) add_straight(c, p, at, end);
        else add_blocks(c, p, at, end);
    }
    weft_copy_end(p->way);
}
