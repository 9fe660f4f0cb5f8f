/* move_place: all-gather, all-to-all, permute and broadcast by reading the peers' buffers where they are.
 * Needs: posts of all members, met once. Each rank copies what is for it, starting at its own block so that not all read
 * the same peer at once; then they meet, so that a buffer stays until all have read it.
 * One copy per byte: the least that shared memory allows.
 */
#include "collectives/algorithm.h"

static void pull(weft_comm *c, const weft_job *job, int from) {
    const weft_post *posts = weft_posts_of(c, c->local_of[from]);
    for (int i = 0; i < job->n; i++) {
        const weft_coll_buf *b = &job->bufs[i];
        weft_geom g = weft_geom_of(job, b);
        const void *in = from == c->rank ? b->in : weft_ref_address(c->world, posts[i].in);
        if (in == b->out && !weft_job_takes_all(job)) continue; /* the root of a broadcast */
        weft_units_copy(b->out, g.out, weft_job_out_block(job, from), 0, in, g.in, weft_job_in_block(job, c->rank), 0, g.units, g.elem_bytes);
    }
}

weft_status weft_run_move_place(weft_comm *c, const weft_job *job, weft_alg_needs needs) {
    (void)needs;
    if (weft_job_takes_all(job)) {
        for (int i = 0; i < c->size; i++) pull(c, job, (c->rank + i) % c->size);
    } else if (job->source >= 0) {
        pull(c, job, job->source);
    } else {
        for (int i = 0; i < job->n; i++) {
            weft_geom g = weft_geom_of(job, &job->bufs[i]);
            weft_units_zero(job->bufs[i].out, g.out, 0, 0, g.units, g.elem_bytes);
        }
    }
    return weft_meet(c);
}
