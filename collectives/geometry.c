/* geometry.c: see geometry.h. */
#include "collectives/geometry.h"

weft_geom weft_geom_of(const weft_job *job, const weft_coll_buf *b) {
    int64_t inner = b->inner > 0 ? b->inner : 1, wide = b->middle * inner > 0 ? b->middle * inner : 1;
    weft_geom g = { .elem_bytes = weft_dtype_bytes((weft_dtype)b->dtype) };
    weft_layout plain = { 0, 1 };
    switch (job->kind) {
    case WEFT_PLAN_ALL_GATHER:
        g.units = b->outer * b->inner;
        g.in = plain;
        g.out = (weft_layout){ inner, job->ranks };
        break;
    case WEFT_PLAN_REDUCE_SCATTER:
        g.units = b->outer * b->inner;
        g.in = (weft_layout){ inner, job->ranks };
        g.out = plain;
        break;
    case WEFT_PLAN_ALL_TO_ALL:
        g.units = b->outer * b->middle * b->inner;
        g.in = (weft_layout){ job->split_first ? wide : inner, job->ranks };
        g.out = (weft_layout){ job->split_first ? inner : wide, job->ranks };
        break;
    default:
        g.units = b->inner;
        g.in = g.out = plain;
    }
    if (g.in.blocks == 1) g.in = weft_layout_dense(g.units, 1);
    if (g.out.blocks == 1) g.out = weft_layout_dense(g.units, 1);
    return g;
}

static uint64_t mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15u; /* 2^64 over the golden ratio: Knuth, TAOCP 6.4 */
    return h ^ (h >> 29);
}

bool weft_job_measure(weft_job *job, int *bad) {
    uint64_t sig = mix(mix(0, (uint64_t)job->kind | (uint64_t)job->reduce << 8 | (uint64_t)(job->split_first != 0) << 16), (uint64_t)job->n);
    if (job->kind == WEFT_PLAN_COLLECTIVE_BROADCAST) sig = mix(sig, (uint64_t)job->source);
    int64_t stage = 0, full = 0;
    for (int i = 0; i < job->n; i++) {
        const weft_coll_buf *b = &job->bufs[i];
        int64_t outer = b->outer, middle = b->middle, elems, bytes, all;
        if (job->kind != WEFT_PLAN_ALL_TO_ALL) middle = 1;
        if (job->kind != WEFT_PLAN_ALL_TO_ALL && job->kind != WEFT_PLAN_ALL_GATHER && job->kind != WEFT_PLAN_REDUCE_SCATTER) outer = 1;
        *bad = i;
        if (b->dtype <= WEFT_DTYPE_NONE || b->dtype >= WEFT_DTYPE_COUNT) return false;
        if (outer < 0 || middle < 0 || b->inner < 0) return false;
        if (!weft_mul_i64(outer, middle, &elems) || !weft_mul_i64(elems, b->inner, &elems)) return false;
        if (!weft_mul_i64(elems, (int64_t)weft_dtype_bytes((weft_dtype)b->dtype), &bytes)) return false;
        if (!weft_mul_i64(bytes, job->ranks, &all) || all > INT64_MAX / 4) return false;
        int64_t in = job->kind == WEFT_PLAN_REDUCE_SCATTER || job->kind == WEFT_PLAN_ALL_TO_ALL ? all : bytes;
        int64_t whole = job->kind == WEFT_PLAN_ALL_GATHER ? all : in;
        if (!weft_add_i64(full, whole, &full)) return false;
        if (!weft_add_i64(stage, (in + WEFT_STAGE_ALIGN - 1) & -(int64_t)WEFT_STAGE_ALIGN, &stage)) return false;
        sig = mix(mix(mix(mix(sig, (uint64_t)b->dtype), (uint64_t)outer), (uint64_t)middle), (uint64_t)b->inner);
    }
    job->stage_bytes = (size_t)stage;
    job->full_bytes = full;
    job->sig = sig;
    return true;
}

/* Rows too short for memcpy to pay: n elements of 1, 2, 4 or 8 bytes. */
static void copy_short(char *d, const char *s, size_t bytes) {
    if (bytes == 4) memcpy(d, s, 4);
    else if (bytes == 8) memcpy(d, s, 8);
    else if (bytes == 2) memcpy(d, s, 2);
    else memcpy(d, s, bytes);
}

void weft_units_copy(void *dst, weft_layout dl, int64_t db, int64_t du, const void *src, weft_layout sl, int64_t sb, int64_t su,
                     int64_t count, size_t elem_bytes) {
    int64_t dc = du % dl.row, sc = su % sl.row; /* places within the rows */
    char *d = (char *)dst + (size_t)weft_layout_at(dl, db, du) * elem_bytes;
    const char *s = (const char *)src + (size_t)weft_layout_at(sl, sb, su) * elem_bytes;
    size_t d_skip = (size_t)((dl.blocks - 1) * dl.row) * elem_bytes, s_skip = (size_t)((sl.blocks - 1) * sl.row) * elem_bytes;
    while (count > 0) {
        int64_t run = weft_min_i64(count, weft_min_i64(dl.row - dc, sl.row - sc));
        size_t bytes = (size_t)run * elem_bytes;
        copy_short(d, s, bytes);
        d += bytes, s += bytes;
        dc += run, sc += run, count -= run;
        if (dc == dl.row) dc = 0, d += d_skip;
        if (sc == sl.row) sc = 0, s += s_skip;
    }
}

void weft_units_zero(void *dst, weft_layout dl, int64_t db, int64_t du, int64_t count, size_t elem_bytes) {
    while (count > 0) {
        int64_t run = weft_min_i64(count, dl.row - du % dl.row);
        memset((char *)dst + (size_t)weft_layout_at(dl, db, du) * elem_bytes, 0, (size_t)run * elem_bytes);
        du += run, count -= run;
    }
}

bool weft_window_next(const weft_job *job, weft_cursor *at, size_t capacity, weft_piece *piece) {
    for (; at->operand < job->n; at->operand++, at->unit = 0) {
        const weft_coll_buf *b = &job->bufs[at->operand];
        weft_geom g = weft_geom_of(job, b);
        if (at->unit == g.units) continue;
        size_t unit_bytes = (size_t)g.in.blocks * g.elem_bytes;
        int64_t fit = (int64_t)((capacity - at->filled) / unit_bytes);
        if (fit == 0) return false;
        int64_t count = weft_min_i64(fit, g.units - at->unit);
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

void weft_window_unstage(const weft_job *job, weft_cursor at, size_t capacity, size_t from, size_t to, const char *stage) {
    weft_piece p;
    while (weft_window_next(job, &at, capacity, &p)) {
        size_t end = p.at + (size_t)p.count * p.geom.elem_bytes;
        size_t first = from > p.at ? from : p.at, last = to < end ? to : end;
        if (first < last) memcpy((char *)p.buf->out + (size_t)p.unit * p.geom.elem_bytes + (first - p.at), stage + first, last - first);
    }
}

void weft_window_stage(const weft_job *job, weft_cursor at, size_t capacity, char *stage) {
    weft_piece p;
    while (weft_window_next(job, &at, capacity, &p))
        for (int64_t k = 0; k < p.geom.in.blocks; k++)
            weft_units_copy(stage + p.at, weft_layout_dense(p.count, p.geom.in.blocks), k, 0, p.buf->in, p.geom.in, k, p.unit, p.count,
                            p.geom.elem_bytes);
}
