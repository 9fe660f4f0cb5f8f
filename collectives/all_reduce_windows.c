/* all_reduce_windows: as all_reduce_two_shot, of any memory. Window by window each rank copies its input into its staging
 * area; they meet; the owner of a slice of the window adds it up over all areas and leaves the sum in its own, at the
 * slice's place, which nobody else reads; they meet; and each takes all slices.
 */
#include "collectives/algorithm.h"

/* The elements of a piece that rank r owns. */
static void slice(const weft_piece *p, int ranks, int r, int64_t *first, int64_t *count) {
    int64_t line = WEFT_STAGE_ALIGN / (int64_t)p->geom.elem_bytes, lines = weft_ceil_div(p->count, line);
    int64_t from = lines * r / ranks * line, to = weft_min_i64(lines * (r + 1) / ranks * line, p->count);
    *first = from;
    *count = to > from ? to - from : 0;
}

static void add_mine(weft_comm *c, const weft_job *job, weft_cursor at, uint64_t window) {
    alignas(64) char sum[8192];
    weft_piece p;
    while (weft_window_next(job, &at, WEFT_STAGE_LARGE_BYTES, &p)) {
        int64_t first, count, step = (int64_t)(sizeof sum / p.geom.elem_bytes);
        weft_reduce_fn reduce = weft_reduce_find((weft_dtype)p.buf->dtype, job->reduce);
        slice(&p, c->size, c->rank, &first, &count);
        for (int64_t end = first + count; first < end; first += step) {
            int64_t n = weft_min_i64(step, end - first);
            size_t where = p.at + (size_t)first * p.geom.elem_bytes;
            for (int i = 0; i < c->size; i++) c->src[i] = weft_stage_of(c, i, WEFT_STAGE_LARGE, window) + where;
            reduce(sum, c->src, c->size, n);
            memcpy(weft_stage_of(c, c->me, WEFT_STAGE_LARGE, window) + where, sum, (size_t)n * p.geom.elem_bytes);
        }
    }
}

static void take_all(weft_comm *c, const weft_job *job, weft_cursor at, uint64_t window) {
    weft_piece p;
    while (weft_window_next(job, &at, WEFT_STAGE_LARGE_BYTES, &p))
        for (int i = 0; i < c->size; i++) {
            int64_t first, count;
            slice(&p, c->size, i, &first, &count);
            memcpy((char *)p.buf->out + (size_t)(p.unit + first) * p.geom.elem_bytes,
                   weft_stage_of(c, i, WEFT_STAGE_LARGE, window) + p.at + (size_t)first * p.geom.elem_bytes,
                   (size_t)count * p.geom.elem_bytes);
        }
}

weft_status weft_run_all_reduce_windows(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    weft_cursor at = { 0 }, next = { 0 };
    weft_piece p;
    do {
        char *mine = weft_stage_mine(c, WEFT_STAGE_LARGE);
        if (!mine) return weft_comm_fail(c, "rank %d has no shared memory left for staging", c->members[c->rank]);
        while (weft_window_next(job, &next, WEFT_STAGE_LARGE_BYTES, &p)) {}
        weft_window_stage(job, at, WEFT_STAGE_LARGE_BYTES, mine);
        weft_status st = weft_meet(c);
        if (st != WEFT_OK) return st;
        uint64_t window = c->slot->windows++;
        add_mine(c, job, at, window);
        st = weft_meet(c);
        if (st != WEFT_OK) return st;
        take_all(c, job, at, window);
        next.filled = 0;
        at = next;
    } while (at.operand < job->n);
    return WEFT_OK;
}
