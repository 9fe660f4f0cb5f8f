/* request.c: calls that own their data: started calls, and those whose operands have to be computed first (blocks of
 * different sizes, blocks that move within their buffer).
 *
 * A request is one block of memory: the run, its operands, their blocks, copies of inputs, the texts of the call's
 * site.
 */
#include "collectives/progress.h"
#include "collectives/request.h"
#include "cost/algorithm_id.h"

/* Memory in a block, counted first (base NULL) and then assigned in the same order. */
typedef struct room {
    char *base;
    size_t used;
} room;

static void *take(room *m, size_t bytes) {
    size_t at = (m->used + 63) & ~(size_t)63;
    m->used = at + bytes;
    return m->base ? m->base + at : NULL;
}

static const char *keep_text(room *m, const char *text) {
    if (!text) return NULL;
    size_t bytes = strlen(text) + 1;
    char *to = take(m, bytes);
    return to ? memcpy(to, text, bytes) : NULL;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* counts and offsets of each rank's block, or (counts NULL) the one block of this many elements. */
static void keep_side(room *m, int ranks, const int64_t *counts, const int64_t *offsets, int64_t one,
                      const int64_t **count, const int64_t **at) {
    size_t n = counts ? (size_t)ranks : 1;
    int64_t *kept = take(m, 2 * n * sizeof *kept), end = 0;
    if (!kept) return;
    for (size_t k = 0; k < n; k++) {
        kept[k] = counts ? counts[k] : one;
        kept[n + k] = offsets ? offsets[k] : end;
        if (!offsets && !weft_add_i64(end, kept[k], &end)) end = -1; /* reported when it is measured */
    }
    *count = kept;
    *at = kept + n;
}

static void keep_parts(room *m, const weft_call_args *call, int rank, int ranks, const weft_coll_uneven *u,
                       weft_parts *out) {
    const weft_coll_info *k = &weft_coll_table[call->kind];
    weft_parts unused;
    int ins = k->in == WEFT_BLOCKS_EACH, outs = k->out == WEFT_BLOCKS_EACH;
    if (!out) out = &unused;
    keep_side(m, ranks, ins ? u->in_counts : NULL, ins ? u->in_offsets : NULL, ins ? 0 : u->out_counts[rank],
              &out->in_count, &out->in_at);
    keep_side(m, ranks, outs ? u->out_counts : NULL, outs ? u->out_offsets : NULL, outs ? 0 : u->in_counts[rank],
              &out->out_count, &out->out_at);
}

static int counts_are_there(const weft_call_args *call) {
    const weft_coll_info *k = &weft_coll_table[call->kind];
    for (int i = 0; call->uneven && i < call->n; i++) {
        const weft_coll_uneven *u = &call->uneven[i];
        if ((k->in == WEFT_BLOCKS_EACH && !u->in_counts) || (k->out == WEFT_BLOCKS_EACH && !u->out_counts)) return 0;
    }
    return 1;
}

/* In place, the blocks of an all_to_all have other places in the output than in the input: such operands are copied.
 */
static int moves_within(const weft_call_args *call, int i, int ranks) {
    if (call->kind != WEFT_PLAN_ALL_TO_ALL || ranks == 1) return 0;
    if (!call->uneven) return call->bufs[i].in == call->bufs[i].out && call->bufs[i].middle > 1;
    const weft_coll_uneven *u = &call->uneven[i];
    if (u->in != u->out) return 0;
    size_t bytes = (size_t)ranks * sizeof(int64_t);
    int offsets_differ = (u->in_offsets != NULL) != (u->out_offsets != NULL) ||
                         (u->in_offsets && memcmp(u->in_offsets, u->out_offsets, bytes));
    return offsets_differ || memcmp(u->in_counts, u->out_counts, bytes);
}

static size_t input_bytes(const weft_job *job, int i) {
    weft_geom g = weft_geom_of(job, &job->bufs[i]);
    int64_t end = g.parts ? 0 : g.units * g.in.blocks;
    for (int k = 0; g.parts && k < job->ranks; k++)
        if (g.parts->in_count[k]) end = weft_max_i64(end, g.parts->in_at[k] + g.parts->in_count[k]);
    return (size_t)end * g.elem_bytes;
}

/* --- the block ---------------------------------------------------------------------------------------------------- */

void weft_run_init(weft_run *r, weft_comm *c, const weft_call_args *call) {
    weft_job *job = &r->job;
    job->kind = call->kind;
    job->reduce = call->reduce;
    job->bufs = call->bufs;
    job->parts = NULL;
    job->n = call->n;
    job->ranks = c->size;
    job->rank = c->rank;
    job->split_first = call->split_first;
    job->source = call->source;
    job->target = call->target;
    job->site = call->site;
    job->longest = job->full_bytes = 0;
    job->first.elem_bytes = 0;
    r->comm = c;
    r->state = WEFT_RUN_WAITS;
    r->status = WEFT_OK;
    r->untold = 0;
    r->site_key = weft_site_key_of(call->site);
    r->forced = c->forced;
    r->sig = 0;
    r->is_known = 0;
    r->alg = WEFT_ALG_COUNT;
    r->number = 0;
    r->longest = 0;
    r->at = r->next = (weft_cursor){ 0, 0, 0 };
    r->filled = 0;
    r->mail.requests = NULL;
    r->mail.count = 0;
    r->course.round = 0;
    r->up = r->down = r->after = NULL;
    r->block_bytes = 0;
    r->copies = NULL;
    r->copies_bytes = 0;
}

static weft_run *lay(room *m, weft_comm *c, const weft_call_args *call) {
    weft_run *r = take(m, sizeof *r);
    size_t n = (size_t)call->n;
    weft_coll_buf *bufs = take(m, n * sizeof *bufs);
    weft_parts *parts = call->uneven ? take(m, n * sizeof *parts) : NULL;
    for (size_t i = 0; i < n; i++) {
        const weft_coll_uneven *u = call->uneven ? &call->uneven[i] : NULL;
        if (u) keep_parts(m, call, c->rank, c->size, u, parts ? &parts[i] : NULL);
        if (bufs) bufs[i] = u ? (weft_coll_buf){ u->in, u->out, u->dtype, 1, 1, 1 } : call->bufs[i];
    }
    const weft_call_site *site = call->site;
    weft_call_site *kept = site ? take(m, sizeof *kept) : NULL;
    weft_call_site texts = { 0 };
    if (site)
        texts =
            (weft_call_site){ keep_text(m, site->op), keep_text(m, site->axes), keep_text(m, site->place), site->id };
    if (!r) return NULL;
    weft_run_init(r, c, call);
    r->job.bufs = bufs;
    r->job.parts = parts;
    if (site) {
        *kept = texts;
        r->job.site = kept;
    }
    return r;
}

/* Copies of inputs that would be overwritten while they are read, in a block of their own. */
static weft_status copy_inputs(weft_run *r, const weft_call_args *call) {
    const weft_allocator *a = &r->comm->world->alloc;
    weft_job *job = &r->job;
    weft_coll_buf *bufs = (weft_coll_buf *)(uintptr_t)job->bufs;
    size_t bytes = 0;
    for (int i = 0; i < job->n; i++)
        if (moves_within(call, i, job->ranks)) bytes += input_bytes(job, i) + 1;
    if (!bytes) return WEFT_OK;
    r->copies = a->resize(a->user, NULL, 0, bytes);
    if (!r->copies) return weft_oom();
    r->copies_bytes = bytes;
    char *next = r->copies;
    for (int i = 0; i < job->n; i++) {
        if (!moves_within(call, i, job->ranks)) continue;
        size_t n = input_bytes(job, i);
        if (n) memcpy(next, bufs[i].in, n);
        bufs[i].in = next;
        next += n + 1;
    }
    return WEFT_OK;
}

int weft_call_owns(const weft_comm *c, const weft_call_args *call) {
    if (call->uneven) return 1;
    if (call->kind != WEFT_PLAN_ALL_TO_ALL) return 0;
    for (int i = 0; i < call->n; i++)
        if (moves_within(call, i, c->size)) return 1;
    return 0;
}

weft_status weft_call_refuse(weft_comm *c, const weft_call_args *call, const char *why) {
    weft_run none, *under_way = c->run;
    weft_run_init(&none, c, call);
    c->run = &none;
    weft_status st = weft_comm_report(c, WEFT_D_usage, "%s", why);
    c->run = under_way;
    return st;
}

weft_status weft_run_make(weft_comm *c, const weft_call_args *call, weft_run **out) {
    const weft_allocator *a = &c->world->alloc;
    room m = { 0 };
    *out = NULL;
    if (call->n < 0) return weft_call_refuse(c, call, "a negative number of operands");
    if (!counts_are_there(call)) return weft_call_refuse(c, call, "an operand has no counts");
    lay(&m, c, call);
    size_t bytes = m.used;
    m = (room){ .base = a->resize(a->user, NULL, 0, bytes) };
    if (!m.base) return weft_oom();
    weft_run *r = lay(&m, c, call);
    r->block_bytes = bytes;
    if (r->forced) r->forced->uses++;
    weft_status st = weft_call_check(r);
    if (st == WEFT_OK) st = copy_inputs(r, call);
    if (st != WEFT_OK) {
        weft_run_free(r);
        return st;
    }
    *out = r;
    return WEFT_OK;
}

void weft_run_free(weft_run *r) {
    const weft_allocator a = r->comm->world->alloc;
    weft_forced_leave(r->comm->world, r->forced);
    if (r->copies) a.resize(a.user, r->copies, r->copies_bytes, 0);
    a.resize(a.user, r, r->block_bytes, 0);
}

/* --- the caller's operations -------------------------------------------------------------------------------------- */

weft_status weft_coll_test(weft_coll_request *r, int *done) {
    if (done) *done = 0;
    if (!r || !done) return WEFT_ERR_USAGE;
    weft_local_rank *rank = r->comm->rank_state;
    if (!weft_rank_try_lock(r->comm)) return WEFT_OK; /* the progress thread is advancing it now */
    if (r->state != WEFT_RUN_DONE) {
        weft_runs_advance(rank);
        /* also the calls before this one in the queue */
        for (weft_run *u = rank->first; u; u = u->down) weft_run_look(u);
        /* removes those that failed just now from the list */
        weft_runs_advance(rank);
    }
    *done = r->state == WEFT_RUN_DONE;
    weft_status st = *done ? r->status : WEFT_OK;
    if (*done) weft_run_tell(r);
    weft_rank_unlock(r->comm);
    return st;
}

weft_status weft_coll_wait(weft_coll_request *r) {
    if (!r) return WEFT_OK;
    weft_comm *c = r->comm;
    weft_rank_lock(c);
    weft_status st = weft_run_wait(r);
    weft_run_tell(r);
    weft_run_free(r);
    weft_comm_waited(c);
    return st;
}

weft_status weft_coll_wait_all(weft_coll_request *const *r, int n) {
    weft_status first = WEFT_OK;
    if (n > 0 && !r) return WEFT_ERR_USAGE;
    for (int i = 0; i < n; i++) {
        weft_status st = weft_coll_wait(r[i]);
        if (first == WEFT_OK) first = st;
    }
    return first;
}
