/* move_pull: the data-moving collectives, for any memory, by reading the peers' processes: as move_place, through the
 * kernel. Needs: posts of all members, met once. One copy per byte, and the pinning of pages for it.
 */
#include "collectives/algorithm.h"
#include "collectives/reach.h"

static weft_status pull(weft_run *r, int from) {
    weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    for (int i = 0; i < job->n; i++) {
        weft_geom g = weft_geom_of(job, &job->bufs[i]);
        weft_view to = weft_view_out(&g, job->bufs[i].out, weft_job_out_block(job, from)),
                  block = weft_post_block(r, from, i);
        int member = c->local_of[from];
        if (!weft_reach_copy(c, member, weft_posts_of(c, member)[i].in, &to, 0, &block, 0, g.units, g.elem_bytes))
            return weft_reach_failed(c, from);
    }
    return WEFT_OK;
}

weft_status weft_run_move_pull(weft_run *r) {
    const weft_comm *c = r->comm;
    weft_status st = WEFT_OK;
    for (int i = 0; i < c->size && st == WEFT_OK; i++)
        if (weft_job_from(&r->job, (c->rank + i) % c->size)) st = pull(r, (c->rank + i) % c->size);
    if (weft_job_zeroes(&r->job)) weft_job_zero(&r->job);
    return st == WEFT_OK ? weft_run_meet(r, weft_run_end) : st;
}
