/* all_reduce_pull: as all_reduce_two_shot, for any memory, by reading the peers' processes. The owner of a slice of the
 * operands takes it from every rank, piece by piece, adds the pieces up in rank order and leaves the sum in its own
 * output; they meet; each rank takes the other slices from their owners' outputs. Needs: posts of all members, met
 * once. In place is safe: before they meet, only its owner reads or writes a slice of any buffer.
 */
#include "collectives/algorithm.h"
#include "collectives/reach.h"

/* The bytes [*first, *last) of operand i in slice `owner`; false: none. base: offset of the operand among all,
 * advanced.
 */
static bool part_of(const weft_run *r, int i, int owner, size_t *base, size_t *first, size_t *last) {
    const weft_coll_buf *b = &r->job.bufs[i];
    size_t from, to, bytes = (size_t)b->inner * weft_dtype_bytes((weft_dtype)b->dtype), at = *base;
    weft_window_slice(r->job.stage_bytes, r->comm->size, owner, &from, &to);
    *base = at + ((bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1));
    *first = from > at ? from - at : 0;
    *last = to <= at ? 0 : to - at < bytes ? to - at : bytes;
    return *first < *last;
}

/* Bytes of a dense buffer of a peer. */
static bool take(const weft_run *r, int from, weft_ref ref, void *to, size_t at, size_t bytes) {
    const weft_comm *c = r->comm;
    weft_view into = weft_view_dense(to, (int64_t)bytes),
              block = weft_view_dense((char *)weft_ref_address(c->world, ref) + at, (int64_t)bytes);
    return weft_reach_copy(c, c->local_of[from], ref, &into, 0, &block, 0, (int64_t)bytes, 1);
}

static weft_status add_part(weft_run *r, int operand, size_t first, size_t last, char *room) {
    weft_comm *c = r->comm;
    const weft_coll_buf *b = &r->job.bufs[operand];
    size_t elem = weft_dtype_bytes((weft_dtype)b->dtype),
           piece = WEFT_STAGE_LARGE_BYTES / ((size_t)c->size + 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
    weft_reduce_fn reduce = weft_reduce_find((weft_dtype)b->dtype, r->job.reduce);
    char *sum = room + (size_t)c->size * piece; /* beside: one of the sources may be the target */
    for (size_t at = first; at < last; at += piece) {
        size_t bytes = last - at < piece ? last - at : piece;
        for (int i = 0; i < c->size; i++) {
            weft_ref in = weft_posts_of(c, i)[operand].in;
            char *into = room + (size_t)i * piece;
            c->src[i] = i == c->rank ? (const char *)b->in + at : into;
            if (i != c->rank && !take(r, i, in, into, at, bytes)) return weft_reach_failed(c, i);
        }
        reduce(sum, c->src, c->size, (int64_t)(bytes / elem));
        memcpy((char *)b->out + at, sum, bytes);
    }
    return WEFT_OK;
}

/* Copies the others' sums. */
static weft_status collect(weft_run *r) {
    weft_comm *c = r->comm;
    for (int k = 1; k < c->size; k++) {
        int owner = (c->rank + k) % c->size; /* so that not all read from one rank at once */
        size_t base = 0, first, last;
        for (int i = 0; i < r->job.n; i++)
            if (part_of(r, i, owner, &base, &first, &last) &&
                !take(r, owner, weft_posts_of(c, owner)[i].out, (char *)r->job.bufs[i].out + first, first,
                      last - first))
                return weft_reach_failed(c, owner);
    }
    return weft_run_meet(r, weft_run_end);
}

weft_status weft_run_all_reduce_pull(weft_run *r) {
    size_t base = 0, first, last;
    char *room = weft_run_stage(r, WEFT_STAGE_LARGE);
    weft_status st = WEFT_OK;
    if (!room) return weft_run_unstaged(r);
    for (int i = 0; i < r->job.n && st == WEFT_OK; i++)
        if (part_of(r, i, r->comm->rank, &base, &first, &last)) st = add_part(r, i, first, last, room);
    return st == WEFT_OK ? weft_run_meet(r, collect) : st;
}
