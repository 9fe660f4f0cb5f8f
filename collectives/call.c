/* call.c: the common part of all calls: checks, the note for the peers, the choice of an algorithm, the counts. The
 * public functions are in api.c.
 */
#include "collectives/algorithm.h"
#include "collectives/flight.h"
#include "collectives/reach.h"
#include "collectives/request.h"
#include "cost/algorithm_id.h"

static const weft_turn_fn run_of[WEFT_ALG_COUNT] = {
#define ALG(kind, name, run, needs, order, rounds, near, peers, sent, crossed, reduced, copied) \
    [WEFT_ALG_##kind##_##name] = weft_run_##run,
#include "cost/algorithms.def"
};

/* --- checks that need no peer ------------------------------------------------------------------------------------- */

static int64_t end_of(const weft_parts *p, weft_blocks side, int ranks, int of_output) {
    const int64_t *count = of_output ? p->out_count : p->in_count, *at = of_output ? p->out_at : p->in_at;
    int64_t end = 0;
    for (int k = 0; k < (side == WEFT_BLOCKS_EACH ? ranks : 1); k++)
        if (count[k]) end = weft_max_i64(end, at[k] + count[k]);
    return end;
}

static weft_extents extents_of(const weft_job *job, const weft_coll_buf *b) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    weft_geom g = weft_geom_of(job, b);
    int64_t in = g.parts ? end_of(g.parts, k->in, job->ranks, 0) : g.units * g.in.blocks;
    int64_t out = g.parts ? end_of(g.parts, k->out, job->ranks, 1) : g.units * g.out.blocks;
    return (weft_extents){ weft_job_gives(job) ? (size_t)in * g.elem_bytes : 0,
                           weft_job_takes(job) ? (size_t)out * g.elem_bytes : 0 };
}

static bool meet(uintptr_t a, int64_t a_bytes, uintptr_t b, int64_t b_bytes) {
    return a_bytes > 0 && b_bytes > 0 && a < b + (uintptr_t)b_bytes && b < a + (uintptr_t)a_bytes;
}

/* Whether a block of an uneven input shares memory with one of the output. What lies between blocks is none of theirs.
 * Each pair is looked at, in the rare case that the input lies among the output's blocks. */
static bool blocks_meet(const weft_job *job, const weft_geom *g, const weft_coll_buf *b) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    const weft_parts *p = g->parts;
    int ins = k->in == WEFT_BLOCKS_EACH ? job->ranks : 1, outs = k->out == WEFT_BLOCKS_EACH ? job->ranks : 1;
    int64_t size = (int64_t)g->elem_bytes;
    for (int i = 0; i < ins; i++)
        for (int o = 0; o < outs; o++)
            if (meet((uintptr_t)b->in + (uintptr_t)(p->in_at[i] * size), p->in_count[i] * size,
                     (uintptr_t)b->out + (uintptr_t)(p->out_at[o] * size), p->out_count[o] * size))
                return true;
    return false;
}

/* The error in an operand's memory, NULL: none. Input and output may share memory in one way only, in place: this
 * rank's own block is in its place. */
static const char *misplaced(const weft_job *job, const weft_coll_buf *b, weft_extents e) {
    static const char *const overlap = "input and output overlap";
    const weft_coll_info *k = &weft_coll_table[job->kind];
    uintptr_t from = (uintptr_t)b->in, to = (uintptr_t)b->out;
    if (e.in && !b->in) return "there is no input";
    if (e.out && !b->out) return "there is no output";
    if (!e.in || !e.out || from >= to + e.out || to >= from + e.in) return NULL;
    weft_geom g = weft_geom_of(job, b);
    if (g.parts && (k->in != k->out || from != to) && !blocks_meet(job, &g, b)) return NULL;
    if (k->in == k->out) return from != to ? overlap : NULL;
    if (!g.parts && b->outer > 1) return overlap;
    weft_view mine = weft_view_in(&g, b->in, weft_job_in_block(job, job->rank)),
              kept = weft_view_out(&g, b->out, weft_job_out_block(job, job->rank));
    return weft_view_at(&mine, g.elem_bytes) != weft_view_at(&kept, g.elem_bytes) ? overlap : NULL;
}

static weft_status check_ends(weft_comm *c, const weft_job *job) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    int end[] = { job->source, job->target }, least = k->givers == WEFT_ENDS_PAIR ? -1 : 0;
    for (int i = 0; i < 2; i++)
        if (end[i] < least || end[i] >= c->size)
            return weft_comm_report(c, WEFT_D_usage, "no rank %d in a group of %d", end[i], c->size);
    if (k->givers != WEFT_ENDS_PAIR || (job->source == c->rank) == (job->target == c->rank)) return WEFT_OK;
    return weft_comm_report(c, WEFT_D_usage,
                            "source %d and target %d of rank %d: a rank that keeps its data names itself as both",
                            job->source, job->target, c->rank);
}

/* A rank's own block concerns no other rank; in a group of one there is none to compare with. */
static weft_status check_own_block(weft_comm *c, const weft_job *job, int i) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    if (!job->parts || k->in != WEFT_BLOCKS_EACH || k->out != WEFT_BLOCKS_EACH) return WEFT_OK;
    int64_t gives = job->parts[i].in_count[c->rank], takes = job->parts[i].out_count[c->rank];
    if (gives == takes) return WEFT_OK;
    return weft_comm_report(c, WEFT_D_usage, "operand %d: rank %d has %lld elements for itself where it expects %lld",
                            i, c->rank, (long long)gives, (long long)takes);
}

static weft_status check(weft_run *r) {
    weft_comm *c = r->comm;
    weft_job *job = &r->job;
    weft_run *under_way = c->run;
    int bad = 0;
    weft_status st = WEFT_OK;
    c->run = r; /* so that messages name this call */
    if (job->n < 0) st = weft_comm_report(c, WEFT_D_usage, "a negative number of operands");
    else if (!weft_job_measure(job, &bad)) {
        const weft_coll_dtype t = job->bufs[bad].dtype;
        st = t <= WEFT_DTYPE_NONE || t >= WEFT_DTYPE_COUNT
            ? weft_comm_report(c, WEFT_D_usage, "operand %d has no element type: weft_coll_type gives %d for no name", bad, t)
            : weft_comm_report(c, WEFT_D_usage, "operand %d has a negative size, or more bytes than can be counted", bad);
    }
    for (int i = 0; i < job->n && st == WEFT_OK; i++)
        if (weft_job_adds(job) && !weft_reduce_find((weft_dtype)job->bufs[i].dtype, job->reduce))
            st = weft_comm_report(c, WEFT_D_unsupported, "no such reduction of %s",
                                  weft_dtype_of((weft_dtype)job->bufs[i].dtype)->name);
    if (st == WEFT_OK) st = check_ends(c, job);
    for (int i = 0; i < job->n && st == WEFT_OK; i++) st = check_own_block(c, job, i);
    for (int i = 0; i < job->n && st == WEFT_OK; i++) {
        const char *wrong = misplaced(job, &job->bufs[i], extents_of(job, &job->bufs[i]));
        if (wrong) st = weft_comm_report(c, WEFT_D_usage, "operand %d: %s", i, wrong);
    }
    if (st == WEFT_OK && (size_t)c->size * 16 > WEFT_STAGE_LARGE_BYTES)
        st =
            weft_comm_report(c, WEFT_D_unsupported, "groups of more than %d ranks", (int)(WEFT_STAGE_LARGE_BYTES / 16));
    c->run = under_way;
    return st;
}

/* --- calls made before -------------------------------------------------------------------------------------------- */

static weft_shape_note *place_of(const weft_run *r) {
    const weft_job *job = &r->job;
    uint64_t what = (job->n ? (uint64_t)job->bufs->inner : 0) ^ (uint64_t)job->kind << 48 ^ (uint64_t)job->source << 32;
    return &r->comm->shapes[(what * 0x9e3779b97f4a7c15u >> 40) % WEFT_SHAPES];
}

static int is_like(const weft_shape_note *s, const weft_job *job) {
    if (s->kind != job->kind || s->reduce != job->reduce || s->n != job->n || s->split_first != job->split_first)
        return 0;
    if (s->source != job->source || s->target != job->target) return 0;
    const weft_coll_buf *b = job->bufs;
    return !job->n || (s->dtype == b->dtype && s->inner == b->inner && s->middle == b->middle && s->outer == b->outer);
}

static int recall(weft_run *r) {
    weft_job *job = &r->job;
    if (job->parts || (unsigned)job->n > 1) return 0;
    const weft_shape_note *s = place_of(r);
    if (!s->is_kept || !is_like(s, job)) return 0;
    job->stage_bytes = s->stage_bytes;
    job->full_bytes = job->choice_bytes = s->full_bytes;
    job->wire_bytes = s->wire_bytes;
    job->sig = s->sig;
    job->plain_bytes = s->plain_bytes;
    if (job->n) job->first = s->first;
    return !job->n || !misplaced(job, job->bufs, s->extents); /* else it is reported */
}

static void keep(const weft_run *r) {
    const weft_job *job = &r->job;
    if (job->parts || job->n > 1) return;
    weft_shape_note *s = place_of(r);
    *s = (weft_shape_note){ .is_kept = 1, .kind = job->kind, .reduce = job->reduce, .n = job->n,
                            .split_first = job->split_first, .source = job->source, .target = job->target,
                            .stage_bytes = job->stage_bytes, .full_bytes = job->full_bytes,
                            .wire_bytes = job->wire_bytes, .sig = job->sig, .plain_bytes = job->plain_bytes };
    if (!job->n) return;
    const weft_coll_buf *b = job->bufs;
    s->dtype = b->dtype;
    s->outer = b->outer;
    s->middle = b->middle;
    s->inner = b->inner;
    s->first = job->first;
    s->extents = extents_of(job, b);
}

weft_status weft_call_check(weft_run *r) {
    if (recall(r)) return WEFT_OK;
    weft_status st = check(r);
    if (st == WEFT_OK) keep(r);
    return st;
}

/* --- the beginning of a call -------------------------------------------------------------------------------------- */

/* Writes this call's note, which the members compare when they first meet. */
static void write_note(weft_run *r) {
    weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    unsigned parity = ++c->slot->calls & 1;
    weft_call_note *note = &c->slot->note[parity];
    r->sig = job->sig ^ (r->forced ? r->forced->hash : 0) ^ r->site_key * 0x9e3779b97f4a7c15u;
    r->is_known = !c->world->checks && weft_slot_knows(c->slot, r->sig);
    weft_flag *flag = weft_flag_next(c->slot);
    flag->sig = r->sig;
    flag->source = job->source;
    flag->target = job->target;
    *note = (weft_call_note){ .site = weft_site_of(c, job->site, r->site_key), .longest = job->longest,
                              .source = job->source, .target = job->target, .operands = job->n,
                              .kind = (uint16_t)job->kind, .reduce = (uint16_t)job->reduce };
    if (job->n) {
        weft_geom g = weft_geom_of(job, &job->bufs[0]);
        note->elems = job->parts ? g.units : g.units * g.in.blocks;
        note->dtype = (uint16_t)job->bufs[0].dtype;
    }
}

/* A group of one: the output is the input, or zeros. Blocks are dense; an uneven all_to_all in place may shift its
 * block by less than its length. */
static void run_alone(const weft_job *job) {
    if (weft_job_zeroes(job)) {
        weft_job_zero(job);
        return;
    }
    for (int i = 0; i < job->n; i++) {
        const weft_coll_buf *b = &job->bufs[i];
        weft_geom g = weft_geom_of(job, b);
        weft_view to = weft_view_out(&g, b->out, 0), from = weft_view_in(&g, b->in, 0);
        int64_t count = weft_min_i64(weft_view_span(&to, 0, g.units), weft_view_span(&from, 0, g.units));
        if (count > 0)
            memmove(weft_view_at(&to, g.elem_bytes), weft_view_at(&from, g.elem_bytes), (size_t)count * g.elem_bytes);
    }
}

static int counts_are_pairs(const weft_job *job) { return job->parts && job->kind == WEFT_PLAN_ALL_TO_ALL; }

static weft_status begin_between_nodes(weft_run *r) {
    /* If only pairs know the counts, ranks may have different sums, by which they would choose differently. So blocks
     * go directly. */
    r->alg = counts_are_pairs(&r->job) && r->comm->world->messages ? WEFT_ALG_ALL_TO_ALL_messages
                                                                   : weft_call_choose(r, WEFT_NEEDS_MESSAGES);
    if (r->alg == WEFT_ALG_COUNT) return weft_comm_report(r->comm, WEFT_D_unsupported, "groups over several nodes");
    weft_status st = counts_are_pairs(&r->job) ? weft_posts_write(r) : WEFT_OK;
    return st == WEFT_OK ? run_of[r->alg](r) : st;
}

/* All have posted their buffers. */
static weft_status begin_after_posts(weft_run *r) {
    weft_status st = weft_posts_agree(r);
    if (st != WEFT_OK) return st;
    unsigned seen = weft_posts_seen(r), can = WEFT_NEEDS_STAGED;
    if (seen & WEFT_SEEN_PLACE) can |= WEFT_NEEDS_PLACE;
    if (seen & WEFT_SEEN_REACH && r->comm->world->reach && weft_reach_fits(&r->job)) can |= WEFT_NEEDS_REACH;
    r->alg = weft_call_choose(r, can);
    return run_of[r->alg](r);
}

static weft_status begin_on_node(weft_run *r) {
    unsigned can = WEFT_NEEDS_PLACE | WEFT_NEEDS_STAGED;
    if (r->job.stage_bytes <= WEFT_COLL_SMALL_BYTES) can |= WEFT_NEEDS_SMALL;
    if (!counts_are_pairs(&r->job)) r->alg = weft_call_choose(r, can);
    if (!counts_are_pairs(&r->job) && weft_alg_table[r->alg].needs == WEFT_NEEDS_SMALL) return run_of[r->alg](r);
    weft_status st = weft_posts_write(r);
    return st == WEFT_OK ? weft_run_meet_first(r, begin_after_posts) : st;
}

/* For the flight recorder and for peers' messages. */
static void record(weft_run *r) {
    const weft_comm *c = r->comm;
    weft_rank_note *note = c->rank_note;
    /* Relaxed: read by others for messages only; but the site is released, pairing with print_late() in meet.c. */
    atomic_store_explicit(&note->kind, (uint32_t)r->job.kind, memory_order_relaxed);
    atomic_store_explicit(&note->site, c->slot->note[c->slot->calls & 1].site, memory_order_release);
    weft_flight_begin(r);
    atomic_store_explicit(&note->calls, r->number, memory_order_relaxed);
}

/* All members have arrived at the previous call: none reads the memory that this one writes. */
static weft_status begin_alone(weft_run *r) {
    weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    weft_status st = WEFT_OK;
    if (job->kind != WEFT_PLAN_BARRIER) {
        c->rank_state->counts.calls++;
        c->rank_state->counts.wire_bytes += (uint64_t)job->wire_bytes;
    }
    write_note(r);
    r->number = atomic_load_explicit(&c->rank_note->calls, memory_order_relaxed) + 1; /* its own */
    r->alg = WEFT_ALG_COUNT;
    /* In a repeated call of few bytes this rank waits for no other before its arrival, which others wait for: arrive
     * first, record later. */
    bool is_recorded_late = r->is_known && !weft_spans_nodes(c) && job->stage_bytes <= WEFT_COLL_SMALL_BYTES;
    if (!is_recorded_late) record(r);
    if (c->size == 1) run_alone(job), weft_run_end(r);
    else st = weft_spans_nodes(c) ? begin_between_nodes(r) : begin_on_node(r);
    if (is_recorded_late) record(r);
    return st;
}

weft_status weft_run_begin(weft_run *r) {
    weft_comm *c = r->comm;
    c->run = r;
    if (weft_node_failed(&c->world->node)) return weft_comm_failed(c);
    return c->slot->owed ? weft_run_meet_owed(r, begin_alone) : begin_alone(r);
}
