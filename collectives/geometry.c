/* geometry.c: see geometry.h. */
#include "collectives/geometry.h"

static weft_layout layout_dense(int64_t count) { return (weft_layout){ count > 0 ? count : 1, 1 }; }

static weft_geom uneven_geom(const weft_job *job, const weft_coll_buf *b) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    weft_geom g = { .elem_bytes = weft_dtype_bytes((weft_dtype)b->dtype), .parts = &job->parts[b - job->bufs] };
    g.units = job->longest / (int64_t)g.elem_bytes;
    g.in = g.out = layout_dense(g.units);
    if (k->in == WEFT_BLOCKS_EACH) g.in.blocks = job->ranks;
    if (k->out == WEFT_BLOCKS_EACH) g.out.blocks = job->ranks;
    return g;
}

/* An omitted outer or middle is 1; an operand without elements has inner 0. */
static int64_t rows(int64_t said) { return said ? said : 1; }

/* Built from scalars at the end: a small call would stall on a wide load of two narrow stores just made. */
weft_geom weft_geom_make(const weft_job *job, const weft_coll_buf *b) {
    if (job->parts) return uneven_geom(job, b);
    const weft_coll_info *k = &weft_coll_table[job->kind];
    int64_t inner = b->inner > 0 ? b->inner : 1, wide = rows(b->middle) * inner > 0 ? rows(b->middle) * inner : 1,
            units = b->inner;
    if (k->in == WEFT_BLOCKS_EACH || k->out == WEFT_BLOCKS_EACH) units *= rows(b->outer);
    if (job->kind == WEFT_PLAN_ALL_TO_ALL) units *= rows(b->middle);
    int64_t dense = units > 0 ? units : 1, row_in = inner, row_out = inner;
    int each_in = k->in == WEFT_BLOCKS_EACH && job->ranks > 1, each_out = k->out == WEFT_BLOCKS_EACH && job->ranks > 1;
    if (job->kind == WEFT_PLAN_ALL_TO_ALL) *(job->split_first ? &row_in : &row_out) = wide;
    return (weft_geom){ .units = units, .in = { each_in ? row_in : dense, each_in ? job->ranks : 1 },
                        .out = { each_out ? row_out : dense, each_out ? job->ranks : 1 },
                        .elem_bytes = weft_dtype_bytes((weft_dtype)b->dtype) };
}

/* --- the sizes of a call ------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio: Knuth, TAOCP 6.4 */
    return h ^ (h >> 29);
}

static int64_t round_up(int64_t bytes) { return (bytes + WEFT_STAGE_ALIGN - 1) & -(int64_t)WEFT_STAGE_ALIGN; }

#define BYTES_MAX (INT64_MAX / 4)

/* Operand i of an even form. *in: bytes of its input, *full: of the full tensor. */
static bool measure_even(const weft_job *job, int i, int64_t *in, int64_t *full, uint64_t *sig) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    const weft_coll_buf *b = &job->bufs[i];
    int cut = k->in == WEFT_BLOCKS_EACH || k->out == WEFT_BLOCKS_EACH;
    int64_t outer = cut ? rows(b->outer) : 1, middle = job->kind == WEFT_PLAN_ALL_TO_ALL ? rows(b->middle) : 1, bytes,
            all;
    if (outer < 0 || middle < 0 || b->inner < 0) return false;
    if (!weft_mul_i64(outer, middle, &bytes) || !weft_mul_i64(bytes, b->inner, &bytes)) return false;
    if (!weft_mul_i64(bytes, (int64_t)weft_dtype_bytes((weft_dtype)b->dtype), &bytes)) return false;
    if (!weft_mul_i64(bytes, job->ranks, &all) || all > BYTES_MAX) return false;
    *in = k->in == WEFT_BLOCKS_EACH ? all : bytes;
    *full = cut ? all : bytes;
    *sig = mix(mix(mix(*sig, (uint64_t)outer), (uint64_t)middle), (uint64_t)b->inner);
    return true;
}

/* Adds up one side's blocks; no block may end beyond BYTES_MAX. */
static bool measure_side(const int64_t *count, const int64_t *at, int blocks, int64_t elem_bytes, int64_t *sum,
                         int64_t *longest) {
    int64_t end, bytes;
    *sum = 0;
    for (int k = 0; k < blocks; k++) {
        if (count[k] < 0 || at[k] < 0 || !weft_add_i64(count[k], at[k], &end) || !weft_mul_i64(end, elem_bytes, &end) ||
            end > BYTES_MAX)
            return false;
        bytes = count[k] * elem_bytes;
        if (!weft_add_i64(*sum, bytes, sum)) return false;
        *longest = weft_max_i64(*longest, bytes);
    }
    return true;
}

/* Operand i of an uneven form. Counts that all ranks know must agree; an all_to_all's are compared in pairs.
 */
static bool measure_uneven(weft_job *job, int i, int64_t *full, uint64_t *sig) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    const weft_parts *p = &job->parts[i];
    int64_t elem_bytes = (int64_t)weft_dtype_bytes((weft_dtype)job->bufs[i].dtype), in, out;
    int ins = k->in == WEFT_BLOCKS_EACH ? job->ranks : 1, outs = k->out == WEFT_BLOCKS_EACH ? job->ranks : 1;
    if (!measure_side(p->in_count, p->in_at, ins, elem_bytes, &in, &job->longest)) return false;
    if (!measure_side(p->out_count, p->out_at, outs, elem_bytes, &out, &job->longest)) return false;
    *full = weft_max_i64(in, out);
    if (ins == outs) {
        *full = in;
        return true;
    }
    const int64_t *counts = ins > 1 ? p->in_count : p->out_count;
    for (int r = 0; r < job->ranks; r++) *sig = mix(*sig, (uint64_t)counts[r]);
    return true;
}

/* The windows of an uneven form: every block as long as the longest. */
static bool measure_windows(weft_job *job) {
    int64_t stage = 0, bytes;
    for (int i = 0; i < job->n; i++) {
        int64_t blocks = weft_coll_table[job->kind].in == WEFT_BLOCKS_EACH ? job->ranks : 1;
        if (!weft_mul_i64(job->longest, blocks, &bytes) || bytes > BYTES_MAX ||
            !weft_add_i64(stage, round_up(bytes), &stage))
            return false;
    }
    job->stage_bytes = (size_t)stage;
    return true;
}

static size_t plain_bytes(const weft_job *job) {
    const weft_geom *g = &job->first;
    if (job->n != 1 || job->parts || g->in.row != g->units || g->out.row != g->units) return 0;
    return (size_t)g->units * g->elem_bytes;
}

bool weft_job_measure(weft_job *job, int *bad) {
    const weft_coll_info *k = &weft_coll_table[job->kind];
    uint64_t sig = mix(0, (uint64_t)job->kind | (uint64_t)job->reduce << 8 | (uint64_t)(job->split_first != 0) << 16 |
                              (uint64_t)(job->parts != NULL) << 17);
    sig = mix(sig, (uint64_t)job->n);
    if (k->givers == WEFT_ENDS_ROOT) sig = mix(sig, (uint64_t)job->source);
    if (k->takers == WEFT_ENDS_ROOT) sig = mix(sig, (uint64_t)job->target);
    int64_t stage = 0, sum = 0;
    *bad = 0;
    if (job->n < 0) return false;
    for (int i = 0; i < job->n; i++) {
        int64_t in = 0, full = 0;
        *bad = i;
        if (job->bufs[i].dtype <= WEFT_DTYPE_NONE || job->bufs[i].dtype >= WEFT_DTYPE_COUNT) return false;
        sig = mix(sig, (uint64_t)job->bufs[i].dtype);
        if (!(job->parts ? measure_uneven(job, i, &full, &sig) : measure_even(job, i, &in, &full, &sig))) return false;
        if (!weft_add_i64(sum, full, &sum) || !weft_add_i64(stage, round_up(in), &stage)) return false;
    }
    job->stage_bytes = (size_t)stage;
    job->full_bytes = job->choice_bytes = sum;
    job->wire_bytes = weft_wire_bytes(job->kind, job->ranks, sum);
    job->sig = sig;
    if (job->parts && !measure_windows(job)) return false;
    if (job->n) job->first = weft_geom_make(job, &job->bufs[0]);
    job->plain_bytes = plain_bytes(job);
    return true;
}

size_t weft_job_out_bytes(const weft_job *job) {
    size_t bytes = 0;
    for (int i = 0; i < job->n && weft_job_takes(job); i++) {
        weft_geom g = weft_geom_of(job, &job->bufs[i]);
        bytes += (size_t)(g.units * g.out.blocks) * g.elem_bytes;
    }
    return bytes;
}

void weft_job_agree(weft_job *job, int64_t longest) {
    job->longest = longest;
    job->choice_bytes = longest * job->ranks * job->n;
    if (job->n) job->first = weft_geom_make(job, &job->bufs[0]);
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

weft_view weft_view_in(const weft_geom *g, const void *in, int block) {
    char *base = (char *)(uintptr_t)in;
    if (!g->parts) return (weft_view){ base, g->in, block, g->units };
    return weft_view_dense(base + (size_t)g->parts->in_at[block] * g->elem_bytes, g->parts->in_count[block]);
}

weft_view weft_view_out(const weft_geom *g, void *out, int block) {
    char *base = out;
    if (!g->parts) return (weft_view){ base, g->out, block, g->units };
    return weft_view_dense(base + (size_t)g->parts->out_at[block] * g->elem_bytes, g->parts->out_count[block]);
}

/* Usually the first row: a division costs as much as copying a cache line. */
static int64_t place_in_row(weft_layout l, int64_t u) { return u < l.row ? u : u % l.row; }
static int64_t element_at(weft_layout l, int64_t block, int64_t u) {
    return u < l.row ? block * l.row + u : ((u / l.row) * l.blocks + block) * l.row + u % l.row;
}

/* Rows too short for memcpy to pay: n elements of 1, 2, 4 or 8 bytes. */
static void copy_run(char *d, const char *s, size_t bytes, weft_copy_way way) {
    if (bytes == 4) memcpy(d, s, 4);
    else if (bytes == 8) memcpy(d, s, 8);
    else if (bytes == 2) memcpy(d, s, 2);
    else weft_copy_piece(d, s, bytes, way);
}

void weft_view_copy(const weft_view *dst, int64_t du, const weft_view *src, int64_t su, int64_t count,
                    size_t elem_bytes) {
    weft_view_copy_way(dst, du, src, su, count, elem_bytes, WEFT_COPY_CACHED);
}

void weft_view_copy_way(const weft_view *dst, int64_t du, const weft_view *src, int64_t su, int64_t count,
                        size_t elem_bytes, weft_copy_way way) {
    count = weft_min_i64(weft_view_span(dst, du, count), weft_view_span(src, su, count));
    if (count <= 0) return;
    weft_layout dl = dst->layout, sl = src->layout;
    int64_t dc = place_in_row(dl, du), sc = place_in_row(sl, su); /* places within the rows */
    char *d = dst->base + (size_t)element_at(dl, dst->block, du) * elem_bytes;
    const char *s = src->base + (size_t)element_at(sl, src->block, su) * elem_bytes;
    size_t d_skip = (size_t)((dl.blocks - 1) * dl.row) * elem_bytes,
           s_skip = (size_t)((sl.blocks - 1) * sl.row) * elem_bytes;
    if (d == s) return; /* in place: buffers with one address are the same */
    while (count > 0) {
        int64_t run = weft_min_i64(count, weft_min_i64(dl.row - dc, sl.row - sc));
        size_t bytes = (size_t)run * elem_bytes;
        copy_run(d, s, bytes, way);
        d += bytes, s += bytes;
        dc += run, sc += run, count -= run;
        if (dc == dl.row) dc = 0, d += d_skip;
        if (sc == sl.row) sc = 0, s += s_skip;
    }
}

void weft_view_zero(const weft_view *dst, int64_t du, int64_t count, size_t elem_bytes) {
    count = weft_view_span(dst, du, count);
    while (count > 0) {
        int64_t run = weft_min_i64(count, dst->layout.row - du % dst->layout.row);
        memset(dst->base + (size_t)element_at(dst->layout, dst->block, du) * elem_bytes, 0, (size_t)run * elem_bytes);
        du += run, count -= run;
    }
}

void weft_job_zero(const weft_job *job) {
    for (int i = 0; i < job->n; i++) {
        weft_geom g = weft_geom_of(job, &job->bufs[i]);
        weft_view to = weft_view_out(&g, job->bufs[i].out, 0);
        weft_view_zero(&to, 0, g.units, g.elem_bytes);
    }
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

bool weft_window_next(const weft_job *job, weft_cursor *at, size_t capacity, weft_piece *piece) {
    for (; at->operand < job->n; at->operand++, at->unit = 0) {
        const weft_coll_buf *b = &job->bufs[at->operand];
        weft_geom g = weft_geom_of(job, b);
        if (at->unit == g.units) continue;
        size_t unit_bytes = (size_t)g.in.blocks * g.elem_bytes;
        size_t room = capacity - at->filled;
        if (room < unit_bytes) return false;
        int64_t count = g.units - at->unit;
        if ((size_t)count * unit_bytes > room) count = (int64_t)(room / unit_bytes);
        *piece = (weft_piece){ b, g, at->unit, count, at->filled };
        at->unit += count;
        size_t filled = at->filled + (size_t)count * unit_bytes;
        filled = (filled + WEFT_STAGE_ALIGN - 1) & ~(size_t)(WEFT_STAGE_ALIGN - 1);
        at->filled = filled < capacity ? filled : capacity;
        return true;
    }
    return false;
}

size_t weft_window_skip(const weft_job *job, weft_cursor *at, size_t capacity) {
    weft_piece p;
    while (weft_window_next(job, at, capacity, &p)) {}
    size_t filled = at->filled;
    at->filled = 0;
    return filled;
}

void weft_window_slice(size_t filled, int ranks, int r, size_t *from, size_t *to) {
    size_t lines = filled / WEFT_STAGE_ALIGN, n = (size_t)ranks, i = (size_t)r;
    *from = (lines / n * i + lines % n * i / n) * WEFT_STAGE_ALIGN;
    *to = (lines / n * (i + 1) + lines % n * (i + 1) / n) * WEFT_STAGE_ALIGN;
}

void weft_window_unstage(const weft_job *job, weft_cursor at, size_t capacity, size_t from, size_t to,
                         const char *stage) {
    weft_piece p;
    while (weft_window_next(job, &at, capacity, &p)) {
        size_t end = p.at + (size_t)p.count * p.geom.elem_bytes;
        size_t first = from > p.at ? from : p.at, last = to < end ? to : end;
        if (first < last)
            memcpy((char *)p.buf->out + (size_t)p.unit * p.geom.elem_bytes + (first - p.at), stage + first,
                   last - first);
    }
}

weft_view weft_piece_block(const weft_piece *p, const char *stage, int block) {
    return weft_view_dense(stage + p->at + (size_t)(block * p->count) * p->geom.elem_bytes, p->count);
}

void weft_window_stage(const weft_job *job, weft_cursor at, size_t capacity, char *stage) {
    weft_piece p;
    if (job->plain_bytes && job->stage_bytes <= capacity) {
        memcpy(stage, job->bufs->in, (size_t)job->first.in.blocks * job->plain_bytes);
        return;
    }
    while (weft_window_next(job, &at, capacity, &p))
        for (int k = 0; k < p.geom.in.blocks; k++) {
            weft_view to = weft_piece_block(&p, stage, k), from = weft_view_in(&p.geom, p.buf->in, k);
            weft_view_copy(&to, 0, &from, p.unit, p.count, p.geom.elem_bytes);
        }
}
