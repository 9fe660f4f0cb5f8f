/* posts.c: the locations of members' buffers, told before the first rendezvous, for algorithms that read them directly;
 * and the counts on which only pairs of ranks must agree.
 */
#include "collectives/algorithm.h"

static size_t out_bytes(const weft_geom *g) { return (size_t)(g->units * g->out.blocks) * g->elem_bytes; }
static size_t in_bytes(const weft_geom *g) { return (size_t)(g->units * g->in.blocks) * g->elem_bytes; }

/* Bytes from the start of a buffer to the end of its last block. */
static size_t extent(const int64_t *count, const int64_t *at, int64_t blocks, size_t elem_bytes) {
    int64_t end = 0;
    for (int64_t k = 0; k < blocks; k++)
        if (count[k]) end = weft_max_i64(end, at[k] + count[k]);
    return (size_t)end * elem_bytes;
}

static size_t input_extent(const weft_geom *g) {
    return g->parts ? extent(g->parts->in_count, g->parts->in_at, g->in.blocks, g->elem_bytes) : in_bytes(g);
}

static int has_spans(const weft_job *job) { return job->parts && weft_coll_table[job->kind].in == WEFT_BLOCKS_EACH; }

static weft_span *spans_behind(const weft_post *posts, const weft_job *job, int operand) {
    return (weft_span *)(uintptr_t)(posts + job->n) + (size_t)operand * (size_t)job->ranks;
}

/* A buffer that is both input and output must not be read by peers while it is written, unless a rank's block is
 * written by its only reader, or is not moved at all. */
static int moves_within(const weft_job *job, const weft_coll_buf *b) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    return b->in == b->out && k->adding == WEFT_COLL_MOVES &&
           (k->givers == WEFT_ENDS_PAIR || (k->in == WEFT_BLOCKS_EACH && k->out == WEFT_BLOCKS_EACH));
}

/* A root's partners may share its work: it may write the data for all into their outputs, and they may write theirs
 * into its output. Data from all for all may be written there, rather than read. Uneven forms know the places of blocks
 * on their own side only. */
static int may_be_pushed(const weft_job *job) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    if (weft_job_adds(job) || job->parts) return 0;
    return k->takers == WEFT_ENDS_ROOT || (k->takers == WEFT_ENDS_ALL && k->in == WEFT_BLOCKS_ONE);
}

weft_status weft_posts_write(weft_run *r) {
    weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    size_t spans = has_spans(job) ? (size_t)job->n * (size_t)job->ranks : 0;
    weft_post *posts = weft_posts_mine(c, (size_t)job->n * sizeof *posts + spans * sizeof(weft_span));
    if (!posts && job->n)
        return weft_comm_fail(c, "rank %d has no shared memory left for %d operands", c->members[c->rank], job->n);
    int visible = 1, still = 1, pushed = may_be_pushed(job);
    /* A rank that has made a part of a sum writes it into all outputs. */
    int written = weft_job_adds(job) && weft_coll_table[job->kind].out == WEFT_BLOCKS_ONE &&
                  weft_coll_table[job->kind].in == WEFT_BLOCKS_ONE;
    for (int i = 0; i < job->n; i++) {
        const weft_coll_buf *b = &job->bufs[i];
        weft_geom g = weft_geom_of(job, b);
        posts[i] = (weft_post){ 0 };
        if (weft_job_gives(job)) visible &= weft_ref_of(c, b->in, input_extent(&g), &posts[i].in);
        if (written && weft_job_takes(job)) visible &= weft_ref_of(c, b->out, out_bytes(&g), &posts[i].out);
        if (pushed && weft_job_takes(job)) pushed &= weft_ref_of(c, b->out, out_bytes(&g), &posts[i].out);
        still &= !moves_within(job, b);
        for (int k = 0; spans && k < job->ranks; k++)
            spans_behind(posts, job, i)[k] = (weft_span){ g.parts->in_at[k], g.parts->in_count[k] };
    }
    uint32_t place = visible ? WEFT_SEEN_PLACE | (pushed ? WEFT_SEEN_PUSH : 0) : 0;
    weft_flag_next(c->slot)->visible = still ? place | WEFT_SEEN_REACH : 0;
    return WEFT_OK;
}

unsigned weft_posts_seen(const weft_run *r) {
    const weft_comm *c = r->comm;
    unsigned seen = WEFT_SEEN_PLACE | WEFT_SEEN_REACH | WEFT_SEEN_PUSH;
    for (int i = 0; i < c->local; i++) seen &= weft_slot_of(c, i)->flag[r->phase & 1].visible;
    return seen;
}

weft_view weft_post_block(const weft_run *r, int from, int operand) {
    const weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    const weft_coll_buf *b = &job->bufs[operand];
    const weft_post *posts = weft_posts_of(c, c->local_of[from]);
    char *in = weft_ref_address(c->world, posts[operand].in);
    weft_geom g = weft_geom_of(job, b);
    if (!job->parts) return weft_view_in(&g, in, weft_job_in_block(job, c->rank));
    int64_t at = has_spans(job) ? spans_behind(posts, job, operand)[c->rank].at : 0;
    return weft_view_dense(in + (size_t)at * g.elem_bytes, g.parts->out_count[weft_job_out_block(job, from)]);
}

weft_status weft_posts_agree(weft_run *r) {
    weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    int64_t longest = r->longest;
    if (!job->parts || job->kind != WEFT_PLAN_ALL_TO_ALL) return WEFT_OK;
    for (int i = 0; i < c->local; i++) {
        const weft_post *posts = weft_posts_of(c, i);
        int from = c->local_rank[i];
        longest = weft_max_i64(longest, weft_slot_of(c, i)->note[c->slot->calls & 1].longest);
        for (int k = 0; k < job->n; k++) {
            int64_t sent = spans_behind(posts, job, k)[c->rank].count, expected = job->parts[k].out_count[from];
            if (sent != expected)
                return weft_comm_fail(c, "rank %d sends rank %d %lld x %s of operand %d where it expects %lld",
                                      c->members[from], c->members[c->rank], (long long)sent,
                                      weft_dtype_of((weft_dtype)job->bufs[k].dtype)->name, k, (long long)expected);
        }
    }
    weft_job_agree(&r->job, longest);
    return WEFT_OK;
}
