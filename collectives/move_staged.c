/* move_staged: the data-moving collectives, for any memory, through staging areas.
 * Window by window each rank copies the part of its input that others take into its staging area, they meet, and each
 * copies its blocks out. The area has two alternating halves, so that one rendezvous per window is enough: a half is
 * written again only after all have reached the window between. With SMALL there is one window, and its rendezvous is
 * the call's only one.
 */
#include "collectives/algorithm.h"

static bool is_plain(const weft_job *job, int kind) { return kind == WEFT_STAGE_SMALL && job->plain_bytes; }

static void pull(const weft_run *r, int kind, int from) {
    const weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    const char *stage = weft_stage_of(c, c->local_of[from], kind, r->window);
    int block = weft_job_in_block(job, c->rank), own = from == c->rank, place = weft_job_out_block(job, from);
    weft_cursor at = r->at;
    weft_piece p;
    if (is_plain(job, kind)) {
        char *to = (char *)job->bufs->out + (size_t)place * job->plain_bytes;
        const char *it = (own ? (const char *)job->bufs->in : stage) + (size_t)block * job->plain_bytes;
        if (to != it) memcpy(to, it, job->plain_bytes);
        return;
    }
    while (weft_window_next(job, &at, weft_stage_half_bytes(kind), &p)) {
        weft_view to = weft_view_out(&p.geom, p.buf->out, place);
        weft_view it = own ? weft_view_in(&p.geom, p.buf->in, block) : weft_piece_block(&p, stage, block);
        weft_view_copy(&to, p.unit, &it, own ? p.unit : 0, p.count, p.geom.elem_bytes);
    }
}

/* Stages the blocks that the others take. */
static void show(const weft_run *r, int kind, char *mine) {
    const weft_job *job = &r->job;
    size_t before = (size_t)job->rank * job->plain_bytes, behind = before + job->plain_bytes,
           all = (size_t)job->first.in.blocks * job->plain_bytes;
    if (!weft_job_gives(job) || (weft_coll_table[job->kind].takers == WEFT_ENDS_ROOT && job->target == job->rank))
        return;
    if (!is_plain(job, kind) || job->first.in.blocks == 1) {
        weft_window_stage(job, r->at, weft_stage_half_bytes(kind), mine);
        return;
    }
    memcpy(mine, job->bufs->in, before);
    memcpy(mine + behind, (const char *)job->bufs->in + behind, all - behind);
}

static void zero(const weft_job *job, weft_cursor at, size_t capacity) {
    weft_piece p;
    while (weft_window_next(job, &at, capacity, &p)) {
        weft_view to = weft_view_out(&p.geom, p.buf->out, 0);
        weft_view_zero(&to, p.unit, p.count, p.geom.elem_bytes);
    }
}

static weft_status take(weft_run *r) {
    const weft_comm *c = r->comm;
    int kind = weft_run_stage_kind(r);
    for (int i = 0, from = c->rank; i < c->size; i++, from = from + 1 < c->size ? from + 1 : 0)
        if (weft_job_from(&r->job, from)) pull(r, kind, from);
    if (weft_job_zeroes(&r->job)) zero(&r->job, r->at, weft_stage_half_bytes(kind));
    if (kind == WEFT_STAGE_SMALL) return weft_run_end(r);
    r->at = r->next;
    return r->at.operand < r->job.n ? weft_run_move_staged(r) : weft_run_end(r);
}

/* The first turn of each window. */
weft_status weft_run_move_staged(weft_run *r) {
    int kind = weft_run_stage_kind(r);
    size_t capacity = weft_stage_half_bytes(kind);
    char *mine = weft_run_stage(r, kind);
    if (!mine) return weft_run_unstaged(r);
    if (kind == WEFT_STAGE_LARGE) {
        r->next = r->at;
        weft_window_skip(&r->job, &r->next, capacity);
    }
    show(r, kind, mine);
    return kind == WEFT_STAGE_SMALL ? weft_run_meet_givers(r, take) : weft_run_meet(r, take);
}
