/* store.c: see store.h. */
#include "collectives/store.h"

#include <stdalign.h>

/* approximate size of a store: large enough that a ring's messages are worth their latency */
#define WINDOW_BYTES ((size_t)1 << 22)
#define ADD_BYTES 8192                 /* added up at a time: stays in the first-level cache */

static size_t rounded(size_t bytes) { return (bytes + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1); }

/* Whether operands are passed on unchanged, and each rank adds up all of them in the end. */
static int adds_last(weft_store_kind kind, const weft_job *job) {
    return kind == WEFT_STORE_EACH && weft_coll_table[job->kind].in == WEFT_BLOCKS_ONE &&
           weft_coll_table[job->kind].out == WEFT_BLOCKS_ONE;
}

static int widens_of(weft_store_kind kind, const weft_job *job) {
    return weft_job_adds(job) && !adds_last(kind, job) ? (int)weft_sum_widens(job) : 1;
}

void weft_store_plan(const weft_job *job, const weft_schedule *plan, const int *place, weft_store *out) {
    int each = weft_coll_table[job->kind].in == WEFT_BLOCKS_EACH;
    weft_store s = { .kind = plan->store, .cuts = plan->cuts, .place = place, .owners = plan->blocks / plan->cuts,
                     .widens = widens_of(plan->store, job) };
    s.capacity = WINDOW_BYTES / (size_t)s.widens;
    if (!each && s.owners > 1) s.capacity /= (size_t)s.owners; /* one block of each */
    s.capacity &= ~(size_t)(WEFT_STAGE_ALIGN - 1);
    if (s.capacity < 4096) s.capacity = 4096;
    s.most = s.capacity < job->stage_bytes ? s.capacity : rounded(job->stage_bytes);
    if (each) s.most = rounded(s.most / (size_t)job->ranks) + ((size_t)job->n + 1) * WEFT_STAGE_ALIGN;
    *out = s;
}

size_t weft_store_done_bytes(const weft_store *s) { return (size_t)s->owners * s->most; }
size_t weft_store_sums_bytes(const weft_store *s) {
    return s->widens > 1 ? (size_t)s->widens * weft_store_done_bytes(s) : 0;
}

size_t weft_store_block_most(const weft_store *s) {
    size_t lines = s->most / WEFT_STAGE_ALIGN, cuts = (size_t)s->cuts;
    return (lines / cuts + (lines % cuts != 0)) * WEFT_STAGE_ALIGN * (size_t)s->widens;
}

/* --- the parts of a block ----------------------------------------------------------------------------------------- */

/* One operand's part of an owner's block: its range of bytes in the block. */
typedef struct part {
    weft_piece piece;
    const weft_adder *adder;   /* NULL: nothing is added */
    size_t partial_bytes;      /* of a partial sum; the element's where nothing is added */
    size_t done_at, sums_at;
} part;

/* Iterates over the operands of the window: start with a zeroed part and at = s->at. At the end part holds the end of
 * the last one. */
static bool next_part(const weft_store *s, const weft_job *job, weft_cursor *at, part *p) {
    if (p->adder || p->partial_bytes) { /* past the one before */
        size_t room = rounded((size_t)p->piece.count * p->piece.geom.elem_bytes);
        p->done_at += room;
        p->sums_at += room / p->piece.geom.elem_bytes * p->partial_bytes;
    }
    p->adder = NULL;
    p->partial_bytes = 0;
    if (!weft_window_next(job, at, s->capacity, &p->piece)) return false;
    if (weft_job_adds(job)) p->adder = weft_adder_find((weft_dtype)p->piece.buf->dtype, job->reduce);
    p->partial_bytes = p->adder ? p->adder->partial_bytes : p->piece.geom.elem_bytes;
    return true;
}

/* The offset among the partial sums of byte `at` of an owner's room. */
static size_t sums_at(const weft_store *s, const weft_job *job, size_t at) {
    weft_cursor c = s->at;
    part p = { 0 };
    if (s->widens == 1) return at;
    while (next_part(s, job, &c, &p))
        if (at < p.done_at + rounded((size_t)p.piece.count * p.piece.geom.elem_bytes))
            return p.sums_at + (at - p.done_at) / p.piece.geom.elem_bytes * p.partial_bytes;
    return p.sums_at;
}

static char *sums_of(const weft_store *s) { return s->widens > 1 ? s->sums : s->done; }

/* The elements of a part in bytes [from, to) of its owner's room. */
typedef struct span {
    int64_t count;
    char *done, *sums;
} span;

static span span_of(const weft_store *s, const part *p, int owner, size_t from, size_t to) {
    size_t elem = p->piece.geom.elem_bytes, end = p->done_at + (size_t)p->piece.count * elem;
    size_t first = from > p->done_at ? from : p->done_at, last = to < end ? to : end;
    if (first >= last) return (span){ 0 };
    char *sums =
        sums_of(s) + (size_t)owner * s->sums_room + p->sums_at + (first - p->done_at) / elem * p->partial_bytes;
    return (span){ (int64_t)((last - first) / elem), s->done + (size_t)owner * s->done_room + first, sums };
}

/* --- loading operands, storing results ---------------------------------------------------------------------------- */

/* This rank's block for `to`, or its only one, as an owner's block. */
static void load_block(const weft_store *s, const weft_job *job, int owner, int to) {
    weft_cursor at = s->at;
    part p = { 0 };
    while (next_part(s, job, &at, &p)) {
        span all = span_of(s, &p, owner, 0, s->done_room);
        weft_view room = weft_view_dense(all.done, p.piece.count),
                  from = weft_view_in(&p.piece.geom, p.piece.buf->in, weft_job_in_block(job, to));
        weft_view_copy(&room, 0, &from, p.piece.unit, p.piece.count, p.piece.geom.elem_bytes);
        if (s->widens > 1) p.adder->partial(all.sums, &(const void *){ all.done }, 1, p.piece.count);
    }
}

static void measure(weft_store *s, const weft_job *job) {
    weft_cursor at = s->at;
    part p = { 0 };
    while (next_part(s, job, &at, &p)) {}
    s->done_room = p.done_at;
    s->sums_room = s->widens > 1 ? p.sums_at : p.done_at;
}

static int place_of(const weft_store *s, int rank) { return s->place ? s->place[rank] : rank; }

void weft_store_load(weft_store *s, const weft_job *job, weft_cursor at) {
    int each = weft_coll_table[job->kind].in == WEFT_BLOCKS_EACH;
    s->at = at;
    measure(s, job);
    if (job->parts) memset(s->done, 0, (size_t)s->owners * s->done_room); /* short blocks are sent at full length */
    if (!weft_job_gives(job)) return;
    if (!each) load_block(s, job, s->kind == WEFT_STORE_EACH ? place_of(s, job->rank) : 0, 0);
    for (int k = 0; k < job->ranks && each; k++)
        load_block(s, job, s->kind == WEFT_STORE_TURNED ? (k + job->ranks - job->rank) % job->ranks : place_of(s, k),
                   k);
    if (s->kind != WEFT_STORE_PAIRS) return;
    memcpy(s->done + (size_t)(job->ranks + job->rank) * s->done_room, s->done + (size_t)job->rank * s->done_room,
           s->done_room);
}

/* The owner of the block that came from rank k. */
static int owner_from(const weft_store *s, const weft_job *job, int k) {
    switch (s->kind) {
    case WEFT_STORE_WHOLE: return 0;
    case WEFT_STORE_EACH: return place_of(s, weft_coll_table[job->kind].out == WEFT_BLOCKS_EACH ? k : job->rank);
    case WEFT_STORE_PAIRS: return job->ranks + k;
    case WEFT_STORE_TURNED: return (job->rank + job->ranks - k) % job->ranks;
    case WEFT_STORE_PASSED: return s->place[job->ranks + k];
    }
    return 0;
}

void weft_store_unload(const weft_store *s, const weft_job *job, const void **src, weft_store_add add, void *user) {
    const weft_coll_info *kind = &weft_coll_table[job->kind];
    weft_cursor at = s->at;
    part p = { 0 };
    if (!weft_job_takes(job)) return;
    while (next_part(s, job, &at, &p)) {
        size_t elem = p.piece.geom.elem_bytes;
        if (adds_last(s->kind, job)) {
            for (int k = 0; k < job->ranks; k++) src[k] = span_of(s, &p, k, 0, s->done_room).done;
            add(user, p.adder, (char *)p.piece.buf->out + (size_t)p.piece.unit * elem, elem, p.piece.count);
            continue;
        }
        for (int k = 0; k < (kind->out == WEFT_BLOCKS_EACH ? job->ranks : 1); k++) {
            weft_view to = weft_view_out(&p.piece.geom, p.piece.buf->out, weft_job_out_block(job, k));
            weft_view from =
                weft_view_dense(span_of(s, &p, owner_from(s, job, k), 0, s->done_room).done, p.piece.count);
            weft_view_copy(&to, p.piece.unit, &from, 0, p.piece.count, elem);
        }
    }
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

static void slice_of(const weft_store *s, int block, size_t *from, size_t *to) {
    weft_window_slice(s->done_room, s->cuts, block % s->cuts, from, to);
}

char *weft_store_range(const weft_store *s, const weft_job *job, weft_store_form form, int first, int count,
                       size_t *bytes) {
    size_t from, to, unused;
    int last = first + count - 1;
    slice_of(s, first, &from, &unused);
    slice_of(s, last, &unused, &to);
    size_t room = form == WEFT_STORE_SUMS ? s->sums_room : s->done_room;
    if (form == WEFT_STORE_SUMS) from = sums_at(s, job, from), to = sums_at(s, job, to);
    size_t begin = (size_t)(first / s->cuts) * room + from, end = (size_t)(last / s->cuts) * room + to;
    *bytes = end - begin;
    return (form == WEFT_STORE_SUMS ? sums_of(s) : s->done) + begin;
}

/* mine = left + right, one of which is mine. */
static void add_into(const weft_adder *a, char *mine, const char *left, const char *right, int64_t count) {
    alignas(64) char sum[ADD_BYTES];
    int64_t step = ADD_BYTES / (int64_t)a->partial_bytes;
    for (int64_t i = 0; i < count; i += step) {
        int64_t n = weft_min_i64(step, count - i);
        size_t at = (size_t)i * a->partial_bytes;
        a->merge(sum, (const void *[]){ left + at, right + at }, 2, n);
        memcpy(mine + at, sum, (size_t)n * a->partial_bytes);
    }
}

const char *weft_store_merge(weft_store *s, const weft_job *job, int block, weft_act act, const char *theirs) {
    size_t from, to, bytes;
    weft_cursor at = s->at;
    part p = { 0 };
    const char *begin = weft_store_range(s, job, WEFT_STORE_SUMS, block, 1, &bytes);
    slice_of(s, block, &from, &to);
    while (next_part(s, job, &at, &p)) {
        span x = span_of(s, &p, block / s->cuts, from, to);
        if (!x.count) continue;
        const char *other = theirs + (x.sums - begin), *left = act == WEFT_ACT_ADD_BEFORE ? other : x.sums;
        add_into(p.adder, x.sums, left, left == other ? x.sums : other, x.count);
    }
    return theirs + bytes;
}

void weft_store_finish(weft_store *s, const weft_job *job, int block) {
    size_t from, to;
    weft_cursor at = s->at;
    part p = { 0 };
    slice_of(s, block, &from, &to);
    while (next_part(s, job, &at, &p)) {
        span x = span_of(s, &p, block / s->cuts, from, to);
        if (x.count && p.adder->finish) p.adder->finish(x.done, x.sums, job->ranks, x.count);
        else if (x.count && x.done != x.sums) memcpy(x.done, x.sums, (size_t)x.count * p.partial_bytes);
    }
}
