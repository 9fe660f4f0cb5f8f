/* all_reduce_two_shot: the operands, taken together, are divided into one slice per rank. The owner of a slice reads it
 * in every rank's input, in rank order, and writes the sum into every output that takes it, block by block through its
 * cache. Needs: posts of all members, met once. In place is safe: only its owner reads or writes a slice. Memory
 * traffic is minimal: each input is read once and each output written once. Also runs reduce, where the root's output
 * is the only one.
 */
#include "collectives/algorithm.h"

/* Finds the inputs and outputs of this operand: returns the number of outputs. */
static int find(weft_run *r, int operand) {
    weft_comm *c = r->comm;
    int wanted = 0;
    for (int k = 0; k < c->size; k++) {
        weft_post post = weft_posts_of(c, k)[operand];
        c->base[k] = weft_ref_address(c->world, post.in);
        if (weft_job_to(&r->job, k)) c->dst[wanted++] = weft_ref_address(c->world, post.out);
    }
    return wanted;
}

/* Bytes [first, last) of an operand. */
static void add_part(weft_run *r, int operand, size_t first, size_t last) {
    const weft_coll_buf *b = &r->job.bufs[operand];
    weft_sum_part part = { .reduce = weft_reduce_find((weft_dtype)b->dtype, r->job.reduce),
                           .elem_bytes = weft_dtype_bytes((weft_dtype)b->dtype) };
    part.outputs = find(r, operand);
    part.way = weft_run_way(r, (last - first) * (size_t)part.outputs);
    weft_sum_place(r->comm, &part, first, last);
}

weft_status weft_run_all_reduce_two_shot(weft_run *r) {
    const weft_job *job = &r->job;
    size_t from, to, base = 0;
    weft_window_slice(job->stage_bytes, r->comm->size, r->comm->rank, &from, &to);
    for (int i = 0; i < job->n && base < to; i++) {
        size_t bytes = (size_t)job->bufs[i].inner * weft_dtype_bytes((weft_dtype)job->bufs[i].dtype);
        size_t first = from > base ? from - base : 0, last = to - base < bytes ? to - base : bytes;
        if (first < last) add_part(r, i, first, last);
        base += (bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
    }
    return weft_run_meet(r, weft_run_end);
}
