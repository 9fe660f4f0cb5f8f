/* ragged.c: see ragged.h. Each of the k updates for a device is an operand of one uneven all_to_all, whose buffers are
 * the same: what an operand writes, no other one does. */
#include "runtime/ragged.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t weft_ragged_updates(const weft_coll_step *c) { return c->tables[1].bytes / (int64_t)sizeof(int64_t); }

bool weft_ragged_prepare(weft_arena *arena, int64_t updates, weft_ragged_scratch *out) {
    if (!updates) return true;
    out->numbers = weft_arena_array(arena, int64_t, 4 * updates);
    out->ranges = weft_arena_array(arena, weft_ragged_range, updates);
    out->operands = weft_arena_array(arena, weft_coll_uneven, updates);
    return out->numbers && out->ranges && out->operands;
}

static weft_status refuse(weft_failure *f, const char *what, int64_t update, int64_t first, int64_t size,
                          int64_t rows) {
    snprintf(f->text, sizeof f->text,
             "ragged_all_to_all: update %" PRId64 " %s %" PRId64 " rows from row %" PRId64 " on, of %" PRId64, update,
             what, size, first, rows);
    return WEFT_ERR_INVALID;
}

static int by_first(const void *a, const void *b) {
    const weft_ragged_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static bool inside(int64_t first, int64_t size, int64_t rows) {
    return size >= 0 && (size == 0 || (first >= 0 && size <= rows && first <= rows - size));
}

/* mine, count: the updates for the device itself. */
static weft_status check(const weft_ragged_call *r, int64_t mine, int64_t count, int64_t in_rows, int64_t out_rows,
                         weft_ragged_range *ranges, weft_failure *f) {
    int64_t n = 0;
    for (int64_t e = 0; e < r->updates; e++) {
        const int64_t from = r->table[WEFT_RAGGED_FROM][e], size = r->table[WEFT_RAGGED_SIZE][e],
                      there = r->table[WEFT_RAGGED_THERE][e], comes = r->table[WEFT_RAGGED_COMES][e];
        if (!inside(from, size, in_rows)) return refuse(f, "sends", e, from, size, in_rows);
        if (!inside(there, comes, out_rows)) return refuse(f, "receives", e, there, comes, out_rows);
        if (e >= mine && e < mine + count && size != comes) {
            snprintf(f->text, sizeof f->text,
                     "ragged_all_to_all: update %" PRId64 " sends this device %" PRId64
                     " rows where it expects %" PRId64, e, size, comes);
            return WEFT_ERR_INVALID;
        }
        if (comes) ranges[n++] = (weft_ragged_range){ there, comes };
    }
    qsort(ranges, (size_t)n, sizeof *ranges, by_first);
    for (int64_t i = 1; i < n; i++)
        if (ranges[i].first - ranges[i - 1].first < ranges[i - 1].size) {
            snprintf(f->text, sizeof f->text,
                     "ragged_all_to_all: two updates come to row %" PRId64 " of the output", ranges[i].first);
            return WEFT_ERR_INVALID;
        }
    return WEFT_OK;
}

/* Numbers of rows, by update, as numbers of elements, by operand and device. */
static const int64_t *by_operand(const weft_ragged_call *r, int which, int64_t devices, int64_t *to) {
    const int64_t k = r->updates / devices;
    for (int64_t e = 0; e < r->updates; e++) to[e % k * devices + e / k] = r->table[which][e] * r->row_elems;
    return to;
}

static int64_t row_bytes_of(const weft_ragged_call *r) { return r->row_elems * (int64_t)weft_dtype_bytes(r->dtype); }

static weft_status exchange(weft_ragged_call *r, weft_comm *comm, const weft_ragged_scratch *s,
                            const weft_call_site *site) {
    const int64_t devices = weft_comm_size(comm), k = r->updates / devices;
    const int64_t *table[4];
    for (int i = 0; i < 4; i++) table[i] = by_operand(r, i, devices, s->numbers + i * r->updates);
    for (int64_t j = 0; j < k; j++)
        s->operands[j] = (weft_coll_uneven){
            .in = r->in, .out = r->out, .dtype = weft_coll_type(weft_dtype_of(r->dtype)->name),
            .in_counts = table[WEFT_RAGGED_SIZE] + j * devices, .in_offsets = table[WEFT_RAGGED_FROM] + j * devices,
            .out_counts = table[WEFT_RAGGED_COMES] + j * devices,
            .out_offsets = table[WEFT_RAGGED_THERE] + j * devices,
        };
    for (int64_t e = 0; e < r->updates; e++)
        if (e / k != weft_comm_rank(comm)) r->wire_bytes += r->table[WEFT_RAGGED_SIZE][e] * row_bytes_of(r);
    return weft_coll_all_to_all_uneven(comm, s->operands, (int)k, site);
}

/* All updates are for the device itself. */
static void move_alone(const weft_ragged_call *r) {
    const int64_t bytes = row_bytes_of(r);
    for (int64_t e = 0; e < r->updates; e++)
        if (r->table[WEFT_RAGGED_SIZE][e])
            memcpy((char *)r->out + r->table[WEFT_RAGGED_THERE][e] * bytes,
                   (const char *)r->in + r->table[WEFT_RAGGED_FROM][e] * bytes,
                   (size_t)(r->table[WEFT_RAGGED_SIZE][e] * bytes));
}

weft_status weft_ragged_run(weft_ragged_call *r, weft_comm *comm, const weft_ragged_scratch *s,
                            const weft_call_site *site, weft_failure *failure) {
    const int64_t bytes = row_bytes_of(r);
    r->wire_bytes = 0;
    if (r->out_bytes) memcpy(r->out, r->before, (size_t)r->out_bytes);
    if (!bytes) return WEFT_OK;
    const int64_t devices = comm ? weft_comm_size(comm) : 1, k = r->updates / devices;
    if (r->updates % devices) return WEFT_ERR_INVALID; /* a damaged file: code generation has checked it */
    weft_status st = check(r, comm ? k * weft_comm_rank(comm) : 0, k, r->in_bytes / bytes, r->out_bytes / bytes,
                           s->ranges, failure);
    if (st != WEFT_OK) return st;
    if (comm) return exchange(r, comm, s, site);
    move_alone(r);
    return WEFT_OK;
}
