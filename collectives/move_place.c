/* move_place: the collectives that move blocks, by reading the peers' buffers where they are.
 * Needs: posts of all members, met once. Each rank copies what is for it, starting at its own block so that not all read
 * the same peer at once; then they meet, so that a buffer stays until all have read it.
 * One copy per byte: the least that shared memory allows.
 */
#include "collectives/algorithm.h"

static void pull(const weft_run *r, int from) {
    const weft_job *job = &r->job;
    for (int i = 0; i < job->n; i++) {
        weft_geom g = weft_geom_of(job, &job->bufs[i]);
        weft_view to = weft_view_out(&g, job->bufs[i].out, weft_job_out_block(job, from)), block = weft_post_block(r, from, i);
        weft_view_copy(&to, 0, &block, 0, g.units, g.elem_bytes);
    }
}

weft_status weft_run_move_place(weft_run *r) {
    const weft_comm *c = r->comm;
    for (int i = 0; i < c->size; i++)
        if (weft_job_from(&r->job, (c->rank + i) % c->size)) pull(r, (c->rank + i) % c->size);
    if (weft_job_zeroes(&r->job)) weft_job_zero(&r->job);
    return weft_run_meet(r, weft_run_end);
}
