/* move_place: the collectives that move blocks, by reading the peers' buffers where they are.
 * Needs: posts of all members, met once. Each rank copies what is for it, starting at its own block so that not all read
 * the same peer at once; then they meet, so that a buffer stays until all have read it.
 * One copy per byte: the least that shared memory allows. A root that has all or nothing would leave the copying to some of the ranks: of much, what
 * it gathers is written by those who give it, and of what it broadcasts it writes its share itself, so that all copy as much.
 */
#include "collectives/algorithm.h"

#define SHARED_BYTES (1 << 17) /* below, the lines that two write between them cost as much as the second core gains */

static void pull(const weft_run *r, int from, weft_copy_way way) {
    const weft_job *job = &r->job;
    for (int i = 0; i < job->n; i++) {
        weft_geom g = weft_geom_of(job, &job->bufs[i]);
        weft_view to = weft_view_out(&g, job->bufs[i].out, weft_job_out_block(job, from)), block = weft_post_block(r, from, i);
        weft_view_copy_way(&to, 0, &block, 0, g.units, g.elem_bytes, way);
    }
}

static void pull_all(const weft_run *r) {
    const weft_comm *c = r->comm;
    weft_copy_way way = weft_run_way(r, weft_job_out_bytes(&r->job));
    for (int i = 0; i < c->size; i++) {
        int from = (c->rank + (way & WEFT_COPY_BACKWARD ? c->size - 1 - i : i)) % c->size;
        if (weft_job_from(&r->job, from)) pull(r, from, way);
    }
}

/* Units [first, end) of this operand into the output of rank `to`. */
static void push(const weft_run *r, int operand, int to, int64_t first, int64_t end, weft_copy_way way) {
    const weft_comm *c = r->comm;
    const weft_coll_buf *b = &r->job.bufs[operand];
    weft_geom g = weft_geom_of(&r->job, b);
    char *out = weft_ref_address(c->world, weft_posts_of(c, c->local_of[to])[operand].out);
    weft_view there = weft_view_out(&g, out, weft_job_out_block(&r->job, c->rank)), mine = weft_view_in(&g, b->in, 0);
    weft_view_copy_way(&there, first, &mine, first, end - first, g.elem_bytes, way);
}

/* Each giver writes its block where the root wants it. */
static void push_gather(const weft_run *r) {
    weft_copy_way way = weft_run_way(r, (size_t)r->job.full_bytes / (size_t)r->comm->size);
    for (int i = 0; i < r->job.n; i++) push(r, i, r->job.target, 0, weft_geom_of(&r->job, &r->job.bufs[i]).units, way);
}

/* Of each output the root writes the last of as many parts as there are ranks, and who wants it the others. */
static void share_broadcast(const weft_run *r) {
    const weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    int root = job->source;
    weft_copy_way way = weft_run_way(r, (size_t)job->full_bytes / (size_t)c->size * (size_t)(c->size - 1));
    for (int i = 0; i < job->n; i++) {
        weft_geom g = weft_geom_of(job, &job->bufs[i]);
        int64_t cut = g.units - g.units / c->size;
        if (c->rank == root) {
            for (int k = 1; k < c->size; k++) push(r, i, (root + k) % c->size, cut, g.units, way);
            push(r, i, root, 0, g.units, way);
        } else {
            weft_view to = weft_view_out(&g, job->bufs[i].out, 0), from = weft_post_block(r, root, i);
            weft_view_copy_way(&to, 0, &from, 0, cut, g.elem_bytes, way);
        }
    }
}

weft_status weft_run_move_place(weft_run *r) {
    const weft_job *job = &r->job;
    if (!(weft_posts_seen(r) & WEFT_SEEN_PUSH) || job->full_bytes < SHARED_BYTES) pull_all(r);
    else if (weft_coll_table[job->kind].takers == WEFT_ENDS_ROOT) push_gather(r);
    else share_broadcast(r);
    if (weft_job_zeroes(job)) weft_job_zero(job);
    return weft_run_meet(r, weft_run_end);
}
