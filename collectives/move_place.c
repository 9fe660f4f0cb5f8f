/* move_place: the data-moving collectives, by reading the peers' buffers directly.
 * Needs: posts of all members, met once. Each rank copies its blocks, starting at its own so that not all read the same
 * peer at once; then they meet, so that a buffer stays until all have read it. One copy per byte: the least that shared
 * memory allows. With a root, only some of the ranks would copy. So for large data a gather's blocks are written by
 * their senders, and a broadcast's root writes its share itself, so that all copy as much. Data that all take and that
 * exceeds the caches is distributed instead: one rank reads each part from memory, once, and writes it into all
 * outputs.
 */
#include "collectives/algorithm.h"

#define SHARED_BYTES (1 << 17) /* below, shared cache lines cost as much as a second core gains */
#define ROUND_BYTES (1 << 14)  /* chunk of distributed data: stays in a core's own cache until every output has it */

static void pull(const weft_run *r, int from, weft_copy_way way) {
    const weft_job *job = &r->job;
    for (int i = 0; i < job->n; i++) {
        weft_geom g = weft_geom_of(job, &job->bufs[i]);
        weft_view to = weft_view_out(&g, job->bufs[i].out, weft_job_out_block(job, from)),
                  block = weft_post_block(r, from, i);
        weft_view_copy_way(&to, 0, &block, 0, g.units, g.elem_bytes, way);
    }
}

static void pull_all(const weft_run *r, weft_copy_way way) {
    const weft_comm *c = r->comm;
    for (int i = 0; i < c->size; i++) {
        int from = (c->rank + (way & WEFT_COPY_BACKWARD ? c->size - 1 - i : i)) % c->size;
        if (weft_job_from(&r->job, from)) pull(r, from, way);
    }
}

/* Copies units [first, end) of the block that member `from` gives to all, into every output: chunk by chunk into one
 * output after another, from the cache. */
static void hand_round(const weft_run *r, int operand, int from, int64_t first, int64_t end, weft_copy_way way) {
    const weft_comm *c = r->comm;
    weft_geom g = weft_geom_of(&r->job, &r->job.bufs[operand]);
    weft_view block = weft_post_block(r, from, operand);
    int64_t step = ROUND_BYTES / (int64_t)g.elem_bytes, chunks = (end - first + step - 1) / step;
    for (int64_t k = 0; k < chunks; k++) {
        int64_t at = first + (way & WEFT_COPY_BACKWARD ? chunks - 1 - k : k) * step,
                count = weft_min_i64(step, end - at);
        for (int i = 0; i < c->size; i++) {
            int to = (c->rank + i) % c->size;
            weft_view there =
                weft_view_out(&g, weft_ref_address(c->world, weft_posts_of(c, c->local_of[to])[operand].out),
                              weft_job_out_block(&r->job, from));
            weft_view_copy_way(&there, at, &block, at, count, g.elem_bytes, (weft_copy_way)(way & WEFT_COPY_STREAMED));
        }
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

/* Each sender writes its block into the root's output. */
static void push_gather(const weft_run *r, weft_copy_way way) {
    for (int i = 0; i < r->job.n; i++) push(r, i, r->job.target, 0, weft_geom_of(&r->job, &r->job.bufs[i]).units, way);
}

/* The root writes the last part of each output, of as many parts as ranks, and each receiver the others of its own. */
static void share_broadcast(const weft_run *r, weft_copy_way way) {
    const weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    int root = job->source;
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

/* Each rank distributes its own block, or its part of the root's. */
static void hand_all_round(const weft_run *r, weft_copy_way way) {
    const weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    for (int i = 0; i < job->n; i++) {
        int64_t units = weft_geom_of(job, &job->bufs[i]).units, n = c->size, k = c->rank;
        if (weft_coll_table[job->kind].givers == WEFT_ENDS_ALL) hand_round(r, i, c->rank, 0, units, way);
        else
            hand_round(r, i, job->source, units / n * k + units % n * k / n,
                       units / n * (k + 1) + units % n * (k + 1) / n, way);
    }
}

/* Bytes that this rank writes when the ranks share the work. */
static size_t share_of(const weft_job *job) {
    size_t n = (size_t)job->ranks, full = (size_t)job->full_bytes;
    return weft_coll_table[job->kind].givers == WEFT_ENDS_ROOT   ? full / n * (n - 1)
           : weft_coll_table[job->kind].takers == WEFT_ENDS_ROOT ? full / n
                                                                 : full;
}

weft_status weft_run_move_place(weft_run *r) {
    const weft_job *job = &r->job;
    const weft_coll_info *k = &weft_coll_table[job->kind];
    int is_shared = weft_posts_seen(r) & WEFT_SEEN_PUSH && job->full_bytes >= SHARED_BYTES;
    weft_copy_way way = weft_run_way(r, is_shared ? share_of(job) : weft_job_out_bytes(job));
    if (is_shared && k->takers == WEFT_ENDS_ROOT) push_gather(r, way);
    else if (is_shared && way & WEFT_COPY_STREAMED) hand_all_round(r, way);
    else if (is_shared && k->givers == WEFT_ENDS_ROOT) share_broadcast(r, way);
    else pull_all(r, way);
    if (weft_job_zeroes(job)) weft_job_zero(job);
    weft_copy_end(way);
    return weft_run_meet(r, weft_run_end);
}
