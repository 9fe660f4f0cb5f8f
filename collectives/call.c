/* call.c: the public calls. Each describes its operands as a job; run() does what all have in common: checks, the note for
 * the peers, the choice of an algorithm, the counts.
 */
#include "collectives/algorithm.h"

static const weft_run_fn run_of[WEFT_ALG_COUNT] = {
#define ALG(kind, name, run, needs, order, rounds, sent, reduced, copied) [WEFT_ALG_##kind##_##name] = weft_run_##run,
#include "cost/algorithms.def"
};

weft_coll_dtype weft_coll_type(const char *name) { return (weft_coll_dtype)weft_dtype_parse(weft_str_from(name)); }

static int adds(const weft_job *job) { return job->kind == WEFT_PLAN_ALL_REDUCE || job->kind == WEFT_PLAN_REDUCE_SCATTER; }

static weft_status check(weft_comm *c, weft_job *job) {
    int bad = 0;
    if (!weft_job_measure(job, &bad)) return weft_comm_report(c, WEFT_D_usage, "operand %d has a bad type or size", bad);
    for (int i = 0; i < job->n && adds(job); i++)
        if (!weft_reduce_find((weft_dtype)job->bufs[i].dtype, job->reduce))
            return weft_comm_report(c, WEFT_D_unsupported, "no such reduction of %s",
                                    weft_dtype_of((weft_dtype)job->bufs[i].dtype)->name);
    if (job->source >= c->size || job->target >= c->size || job->source < -1 || job->target < -1)
        return weft_comm_report(c, WEFT_D_usage, "no rank %d in a group of %d", job->source >= c->size ? job->source : job->target, c->size);
    if ((size_t)c->size * 16 > WEFT_STAGE_LARGE_BYTES)
        return weft_comm_report(c, WEFT_D_unsupported, "groups of more than %d ranks", (int)(WEFT_STAGE_LARGE_BYTES / 16));
    return WEFT_OK;
}

/* Writes this call's note, which the members compare when they first meet. */
static void write_note(weft_comm *c, const weft_job *job) {
    unsigned parity = ++c->slot->calls & 1;
    weft_call_note *note = &c->slot->note[parity];
    c->slot->sig[parity] = job->sig ^ weft_site_key_of(job->site) * 0x9e3779b97f4a7c15u;
    *note = (weft_call_note){ .site = weft_site_of(c, job->site), .source = job->source, .target = job->target, .operands = job->n,
                              .kind = (uint16_t)job->kind, .reduce = (uint16_t)job->reduce };
    if (job->n) {
        weft_geom g = weft_geom_of(job, &job->bufs[0]);
        note->elems = g.units * g.in.blocks;
        note->dtype = (uint16_t)job->bufs[0].dtype;
    }
}

static size_t out_bytes(weft_geom g) { return (size_t)(g.units * g.out.blocks) * g.elem_bytes; }
static size_t in_bytes(weft_geom g) { return (size_t)(g.units * g.in.blocks) * g.elem_bytes; }

/* Says where this rank's buffers are. A buffer that is both input and output must not be read by peers while it is written,
 * except where each part is read and written by one rank only, as in all_reduce. */
static weft_status write_posts(weft_comm *c, const weft_job *job) {
    weft_post *posts = weft_posts_mine(c, job->n);
    if (!posts && job->n) return weft_comm_fail(c, "rank %d has no shared memory left for %d operands", c->members[c->rank], job->n);
    int visible = 1;
    for (int i = 0; i < job->n; i++) {
        const weft_coll_buf *b = &job->bufs[i];
        weft_geom g = weft_geom_of(job, b);
        visible &= weft_ref_of(c, b->in, in_bytes(g), &posts[i].in);
        if (job->kind == WEFT_PLAN_ALL_REDUCE) visible &= weft_ref_of(c, b->out, out_bytes(g), &posts[i].out);
        else if (job->kind != WEFT_PLAN_COLLECTIVE_BROADCAST) visible &= b->in != b->out;
    }
    c->slot->visible[c->slot->calls & 1] = (uint32_t)visible;
    return WEFT_OK;
}

static int all_visible(const weft_comm *c) {
    for (int i = 0; i < c->local; i++)
        if (!weft_slot_of(c, i)->visible[c->slot->calls & 1]) return 0;
    return 1;
}

/* The algorithm for this call: the forced one where it can run, else the cheapest. */
static weft_alg_id choose(weft_comm *c, const weft_job *job, unsigned can) {
    const weft_world *w = c->world;
    weft_choice_note *note = &c->choices[((uint64_t)job->full_bytes * 0x9e3779b97f4a7c15u >> 40 ^ (unsigned)job->kind ^ can << 2) % WEFT_CHOICES];
    if (note->best && note->full_bytes == job->full_bytes && note->kind == job->kind && note->can == (int)can) return (weft_alg_id)(note->best - 1);
    weft_alg_id forced = w->forced[job->kind];
    weft_alg_id best = forced;
    weft_coll_call call = { job->kind, c->size, job->full_bytes, weft_spans_nodes(c) ? WEFT_LINK_NETWORK : w->level, can };
    if (forced == WEFT_ALG_COUNT || !(weft_alg_table[forced].needs & can)) best = weft_coll_choose(&w->links, &call).best;
    *note = (weft_choice_note){ job->full_bytes, (int16_t)job->kind, (int16_t)can, (int32_t)best + 1 };
    return best;
}

static weft_status run_members(weft_comm *c, const weft_job *job) {
    weft_alg_id alg;
    if (weft_spans_nodes(c)) {
        alg = choose(c, job, WEFT_NEEDS_MESSAGES);
        if (alg == WEFT_ALG_COUNT) return weft_comm_report(c, WEFT_D_unsupported, "groups over several nodes");
        return run_of[alg](c, job, WEFT_NEEDS_MESSAGES);
    }
    unsigned can = WEFT_NEEDS_PLACE | WEFT_NEEDS_STAGED;
    if (job->stage_bytes <= WEFT_COLL_SMALL_BYTES) can |= WEFT_NEEDS_SMALL;
    alg = choose(c, job, can);
    if (weft_alg_table[alg].needs != WEFT_NEEDS_SMALL) {
        weft_status st = write_posts(c, job);
        if (st == WEFT_OK) st = weft_meet_first(c);
        if (st != WEFT_OK) return st;
        alg = choose(c, job, all_visible(c) ? WEFT_NEEDS_PLACE | WEFT_NEEDS_STAGED : WEFT_NEEDS_STAGED);
    }
    return run_of[alg](c, job, weft_alg_table[alg].needs);
}

/* A group of one: the output is the input, or zeros. */
static void run_alone(const weft_job *job) {
    for (int i = 0; i < job->n; i++) {
        const weft_coll_buf *b = &job->bufs[i];
        weft_geom g = weft_geom_of(job, b);
        if (job->kind == WEFT_PLAN_COLLECTIVE_PERMUTE && job->source < 0) memset(b->out, 0, out_bytes(g));
        else if (b->in != b->out && out_bytes(g)) memcpy(b->out, b->in, out_bytes(g));
    }
}

static weft_status run(weft_comm *c, weft_job *job) {
    job->ranks = c->size;
    c->job = job;
    weft_status st = check(c, job);
    if (st != WEFT_OK) goto out;
    if (weft_node_failed(&c->world->node)) {
        st = weft_comm_failed(c);
        goto out;
    }
    if (job->kind != WEFT_PLAN_BARRIER) {
        c->rank_state->counts.calls++;
        c->rank_state->counts.wire_bytes += (uint64_t)weft_wire_bytes(job->kind, c->size, job->full_bytes);
    }
    write_note(c, job);
    /* Relaxed: read by others for messages only; but the site is released, pairing with print_late() in meet.c. */
    weft_rank_note *r = c->rank_note;
    atomic_store_explicit(&r->kind, (uint32_t)job->kind, memory_order_relaxed);
    atomic_store_explicit(&r->site, c->slot->note[c->slot->calls & 1].site, memory_order_release);
    uint64_t number = atomic_load_explicit(&r->calls, memory_order_relaxed) + 1;
    atomic_store_explicit(&r->calls, number, memory_order_relaxed);
    if (c->size == 1) run_alone(job);
    else st = run_members(c, job);
    if (st == WEFT_OK) atomic_store_explicit(&r->ended, number, memory_order_relaxed);
out:
    c->job = NULL;
    return st;
}

weft_status weft_coll_all_reduce(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n, const weft_call_site *site) {
    weft_job job = { .kind = WEFT_PLAN_ALL_REDUCE, .reduce = op, .bufs = b, .n = n, .site = site };
    return run(c, &job);
}

weft_status weft_coll_all_gather(weft_comm *c, const weft_coll_buf *b, int n, const weft_call_site *site) {
    weft_job job = { .kind = WEFT_PLAN_ALL_GATHER, .bufs = b, .n = n, .site = site };
    return run(c, &job);
}

weft_status weft_coll_reduce_scatter(weft_comm *c, weft_op_reduce op, const weft_coll_buf *b, int n, const weft_call_site *site) {
    weft_job job = { .kind = WEFT_PLAN_REDUCE_SCATTER, .reduce = op, .bufs = b, .n = n, .site = site };
    return run(c, &job);
}

/* In place, blocks lie elsewhere in the output than in the input unless middle is 1: such operands go through a copy. */
weft_status weft_coll_all_to_all(weft_comm *c, int split_first, const weft_coll_buf *b, int n, const weft_call_site *site) {
    weft_job job = { .kind = WEFT_PLAN_ALL_TO_ALL, .bufs = b, .n = n, .site = site, .split_first = split_first, .ranks = c->size };
    int bad, moved = 0;
    for (int i = 0; i < n; i++) moved += b[i].in == b[i].out && b[i].middle > 1;
    if (!moved || c->size == 1 || !weft_job_measure(&job, &bad)) return run(c, &job);

    weft_allocator *a = &c->world->alloc;
    size_t list = (size_t)n * sizeof *b, room = job.stage_bytes + list;
    char *block = a->resize(a->user, NULL, 0, room), *next = block + list;
    if (!block) return weft_oom();
    weft_coll_buf *copies = (weft_coll_buf *)block;
    for (int i = 0; i < n; i++) {
        size_t bytes = in_bytes(weft_geom_of(&job, &b[i]));
        copies[i] = b[i];
        if (b[i].in != b[i].out || !bytes) continue;
        memcpy(next, b[i].in, bytes);
        copies[i].in = next;
        next += bytes;
    }
    job.bufs = copies;
    weft_status st = run(c, &job);
    a->resize(a->user, block, room, 0);
    return st;
}

weft_status weft_coll_permute(weft_comm *c, int source, int target, const weft_coll_buf *b, int n, const weft_call_site *site) {
    weft_job job = { .kind = WEFT_PLAN_COLLECTIVE_PERMUTE, .bufs = b, .n = n, .site = site, .source = source, .target = target };
    return run(c, &job);
}

weft_status weft_coll_barrier(weft_comm *c, const weft_call_site *site) {
    weft_job job = { .kind = WEFT_PLAN_BARRIER, .site = site };
    return run(c, &job);
}

weft_status weft_coll_broadcast(weft_comm *c, int root, void *p, size_t bytes, const weft_call_site *site) {
    weft_coll_buf b = { p, p, WEFT_UI8, 1, 1, (int64_t)bytes };
    weft_job job = { .kind = WEFT_PLAN_COLLECTIVE_BROADCAST, .bufs = &b, .n = 1, .site = site, .source = root };
    return run(c, &job);
}
