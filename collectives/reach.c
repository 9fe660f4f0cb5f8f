/* reach.c: see reach.h. */
#include "base/entropy.h"
#include "collectives/reach.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#define RUNS 64            /* transfers per system call, */
#define RUN_BYTES (1 << 24) /* bytes of each: Linux truncates a call at 2 GiB less a page */
#define RANKS_MOST 64      /* with so many pieces in one staging area each still has full pages */
#define SHORT_BYTES 4096   /* a row below this costs more to pin its pages than to copy twice */

void weft_reach_offer(weft_world *w, weft_memory_card *mine) {
    /* Unlike any other's: another process may have the same PID in another namespace. */
    if (weft_random(&w->token, sizeof w->token) != WEFT_OK) w->token = 0; /* then no process finds it */
    mine->probe = (uint64_t)(uintptr_t)&w->token;
    mine->token = w->token;
}

void weft_reach_probe(weft_world *w, const weft_memory_card *cards) {
    w->reach = 1;
    for (int p = 0; p < w->processes; p++) {
        if (w->node_of[p] != w->node_of[w->process] || p == w->process) continue;
        uint64_t seen = 0;
        struct iovec here = { &seen, sizeof seen }, there = { (void *)(uintptr_t)cards[p].probe, sizeof seen };
        if (process_vm_readv((pid_t)cards[p].pid, &here, 1, &there, 1, 0) != sizeof seen || seen != cards[p].token ||
            !seen)
            w->reach = 0;
    }
}

bool weft_reach_fits(const weft_job *job) {
    if (job->ranks > RANKS_MOST) return false;
    for (int i = 0; i < job->n && !job->parts; i++) {
        weft_geom g = weft_geom_of(job, &job->bufs[i]);
        if (g.in.blocks > 1 && (size_t)g.in.row * g.elem_bytes < SHORT_BYTES) return false;
        if (g.out.blocks > 1 && (size_t)g.out.row * g.elem_bytes < SHORT_BYTES) return false;
    }
    return true;
}

/* The address of element u of a block, and how many elements follow it in its row. */
static char *run_at(const weft_view *v, int64_t u, size_t elem_bytes, int64_t *run) {
    *run = v->layout.row - u % v->layout.row;
    return v->base +
           (size_t)((u / v->layout.row * v->layout.blocks + v->block) * v->layout.row + u % v->layout.row) * elem_bytes;
}

static bool read_runs(pid_t pid, const struct iovec *here, const struct iovec *there, int n) {
    size_t wanted = 0;
    for (int i = 0; i < n; i++) wanted += here[i].iov_len;
    ssize_t got = n ? process_vm_readv(pid, here, (unsigned long)n, there, (unsigned long)n, 0) : 0;
    if (got == (ssize_t)wanted) return true;
    if (got >= 0) errno = EFAULT; /* a part of it is missing */
    return false;
}

bool weft_reach_copy(const weft_comm *c, int from, weft_ref ref, const weft_view *to, int64_t to_at,
                     const weft_view *block, int64_t at, int64_t count, size_t elem_bytes) {
    const weft_world *w = c->world;
    struct iovec here[RUNS], there[RUNS];
    int seat = w->seat_of[weft_process_of(w, c->members[c->local_rank[from]])], n = 0;
    if (ref.segment || seat == w->node_process) {
        weft_view_copy(to, to_at, block, at, count, elem_bytes);
        return true;
    }
    pid_t pid = (pid_t)weft_node_pids(&w->node)[seat];
    count = weft_min_i64(weft_view_span(to, to_at, count), weft_view_span(block, at, count));
    while (count > 0) {
        int64_t ours, theirs;
        char *into = run_at(to, to_at, elem_bytes, &ours), *outof = run_at(block, at, elem_bytes, &theirs);
        int64_t run = weft_min_i64(weft_min_i64(count, RUN_BYTES / (int64_t)elem_bytes), weft_min_i64(ours, theirs));
        here[n] = (struct iovec){ into, (size_t)run * elem_bytes };
        there[n] = (struct iovec){ outof, (size_t)run * elem_bytes };
        if (++n == RUNS) {
            if (!read_runs(pid, here, there, n)) return false;
            n = 0;
        }
        to_at += run;
        at += run;
        count -= run;
    }
    return read_runs(pid, here, there, n);
}

weft_status weft_reach_failed(weft_comm *c, int from) {
    weft_world *w = c->world;
    int why = errno, rank = c->members[from];
    if (weft_rank_ended(w, rank)) return weft_process_ended(c, rank);
    return weft_comm_fail(c, "rank %d cannot read the memory of rank %d: %s", c->members[c->rank], rank, strerror(why));
}
