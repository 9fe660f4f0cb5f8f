/* halo.c: see halo.h. */
#include "partitioner/layout/device_number.h"
#include "partitioner/lower/halo.h"
#include "partitioner/lower/local_ops.h"
#include "partitioner/lower/rounds.h"

#include <stdlib.h>

/* What device k needs of the part of device p: [low, high), counted from the beginning of that part. Empty when low >=
 * high. */
typedef struct chunk { int64_t low, high; } chunk;

/* The elements that device k needs, of those that there are and that are wanted. */
static chunk needed(const weft_halo *h, int64_t k) {
    return (chunk){ weft_max_i64(h->begin[k], h->from), weft_min_i64(h->begin[k] + h->need, h->to) };
}

static chunk chunk_of(const weft_halo *h, int64_t k, int64_t p) {
    chunk all = needed(h, k);
    return (chunk){ weft_max_i64(all.low - p * h->part, 0), weft_min_i64(all.high - p * h->part, h->part) };
}

/* The parts that device k needs something of: [low, high); none when low >= high. */
static chunk parts_of(const weft_halo *h, int64_t k) {
    chunk all = needed(h, k);
    if (all.low >= all.high) return (chunk){ 0, 0 };
    return (chunk){ weft_floor_div(all.low, h->part),
                    weft_min_i64(weft_floor_div(all.high - 1, h->part) + 1, h->shards) };
}

static bool overlaps(const weft_halo *h, int64_t k, int64_t p) {
    chunk c = chunk_of(h, k, p);
    return p >= 0 && p < h->shards && c.low < c.high;
}

/* The distances at which devices need something of others, from the lowest up, and the widest chunk of each. */
typedef struct hops {
    int64_t at[WEFT_MAX_ROUNDS], width[WEFT_MAX_ROUNDS];
    uint32_t n;
} hops;

/* False when there are too many. */
static bool hops_of(const weft_halo *h, hops *r) {
    r->n = 0;
    for (int64_t k = 0; k < h->shards; k++) {
        const chunk parts = parts_of(h, k);
        for (int64_t p = parts.low; p < parts.high; p++) {
            const chunk c = chunk_of(h, k, p);
            uint32_t i = 0;
            if (p == k) continue;
            while (i < r->n && r->at[i] < p - k) i++;
            if (i == r->n || r->at[i] != p - k) {
                if (r->n == WEFT_MAX_ROUNDS) return false;
                for (uint32_t j = r->n++; j > i; j--) r->at[j] = r->at[j - 1], r->width[j] = r->width[j - 1];
                r->at[i] = p - k;
                r->width[i] = 0;
            }
            r->width[i] = weft_max_i64(r->width[i], c.high - c.low);
        }
    }
    return true;
}

/* Every device needs one whole part, and no two the same: one permutation, and nothing to be put together. Without
 * scratch memory: parts rise or fall by one. */
static bool whole_parts(const weft_halo *h) {
    if (h->need != h->part) return false;
    int64_t step = h->shards > 1 ? h->begin[1] - h->begin[0] : h->part;
    if (step != h->part && step != -h->part) return false;
    for (int64_t k = 0; k < h->shards; k++) {
        int64_t p = h->begin[k] / h->part;
        if (h->begin[k] < 0 || h->begin[k] % h->part || p >= h->shards || (k && h->begin[k] - h->begin[k - 1] != step))
            return false;
    }
    return true;
}

/* The most elements that a device needs of its own part. */
static int64_t widest_own(const weft_halo *h) {
    int64_t widest = 0;
    for (int64_t k = 0; k < h->shards; k++) {
        const chunk c = chunk_of(h, k, k);
        widest = weft_max_i64(widest, c.high - c.low);
    }
    return widest;
}

/* All devices need the same distance beyond their parts. */
static bool is_even(const weft_halo *h) {
    for (int64_t k = 1; k < h->shards; k++)
        if (h->begin[k] - h->begin[k - 1] != h->part) return false;
    return true;
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

/* source[(of * count + round) * shards + k]: whom k gets a chunk of value `of` from. width[round]: of its chunks. */
typedef struct rounds {
    int64_t *source, count;
    int64_t width[2 * WEFT_MAX_ROUNDS];
} rounds;

/* By distance, so that those of one distance share a round. */
static int by_distance(const void *a, const void *b) {
    const weft_parcel *x = a, *y = b;
    const int64_t dx = x->from - x->to, dy = y->from - y->to;
    return dx != dy         ? (dx > dy) - (dx < dy)
           : x->to != y->to ? (x->to > y->to) - (x->to < y->to)
                            : (x->of > y->of) - (x->of < y->of);
}

/* What devices need of others, of n values. Returns how many chunks; -1 when these are too many, or memory is out. */
static int64_t chunks_of(weft_context *cx, const weft_halo *const *h, uint32_t n, weft_parcel **out) {
    int64_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int64_t k = 0; k < h[i]->shards; k++) {
            const chunk parts = parts_of(h[i], k);
            if (parts.high - parts.low > WEFT_MAX_ROUNDS) return -1;
            count += parts.high - parts.low;
        }
    *out = weft_scratch_array(cx, weft_parcel, count);
    if (!*out) return -1;
    count = 0;
    for (uint32_t i = 0; i < n; i++)
        for (int64_t k = 0; k < h[i]->shards; k++) {
            const chunk parts = parts_of(h[i], k);
            for (int64_t p = parts.low; p < parts.high; p++) {
                const chunk c = chunk_of(h[i], k, p);
                if (p != k) (*out)[count++] = (weft_parcel){ p, k, c.high - c.low, i };
            }
        }
    qsort(*out, (size_t)count, sizeof **out, by_distance);
    return count;
}

static bool is_of(const rounds *r, const weft_halo *h, uint32_t of, int64_t round) {
    const int64_t *source = r->source + (of * r->count + round) * h->shards;
    for (int64_t k = 0; k < h->shards; k++)
        if (source[k] != WEFT_NOBODY) return true;
    return false;
}

/* The rounds in which parts of n values, which lie over the same devices, are fetched. False when that takes too many,
 * or a round's chunks are wider than the parts of one of them. On scratch memory. */
static bool plan_rounds(weft_context *cx, const weft_halo *const *h, uint32_t n, rounds *r) {
    const int64_t shards = h[0]->shards;
    weft_parcel *chunks = NULL;
    weft_rounds all;
    const int64_t count = chunks_of(cx, h, n, &chunks);
    if (count < 0 || !weft_rounds_plan(cx, chunks, count, shards, &all)) return false;
    *r = (rounds){ .count = all.count, .source = weft_scratch_array(cx, int64_t, n * all.count * shards) };
    memcpy(r->width, all.width, sizeof r->width);
    if (!r->source) return false;
    for (int64_t i = 0; i < n * r->count * shards; i++) r->source[i] = WEFT_NOBODY;
    for (int64_t i = 0; i < r->count * shards; i++) {
        const weft_parcel *c = all.source[i] == WEFT_NOBODY ? NULL : &chunks[all.source[i]];
        if (c) r->source[c->of * r->count * shards + i] = c->from;
    }
    for (uint32_t i = 0; i < n; i++)
        for (int64_t round = 0; round < r->count; round++)
            if (r->width[round] > h[i]->part && is_of(r, h[i], i, round)) return false;
    return true;
}

/* Elements that a device sends in rounds, and these; -1 when they are too many. */
static int64_t sent_in_rounds(weft_context *cx, const weft_halo *const *h, uint32_t n, int64_t *calls) {
    weft_mark mark = weft_arena_mark(&cx->scratch);
    rounds r = { .count = 0 };
    int64_t sent = 0;
    const bool can = plan_rounds(cx, h, n, &r);
    for (int64_t i = 0; i < r.count; i++) sent += r.width[i];
    *calls = can ? r.count : -1;
    weft_arena_reset(&cx->scratch, mark);
    return can ? sent : -1;
}

/* The widest chunk of each distance where distances are even, and of each round otherwise. */
static int64_t sent_of(weft_context *cx, const weft_halo *h, int64_t *calls) {
    hops r;
    int64_t sent = 0;
    *calls = !(is_even(h) && h->begin[0] == 0);
    if (whole_parts(h)) return *calls ? h->part : 0;
    if (!is_even(h)) return sent_in_rounds(cx, &h, 1, calls);
    *calls = -1;
    if (!hops_of(h, &r)) return -1;
    for (uint32_t i = 0; i < r.n; i++) sent += r.width[i];
    *calls = r.n;
    return sent;
}

int64_t weft_halo_sent(weft_context *cx, const weft_halo *h) {
    int64_t calls;
    return sent_of(cx, h, &calls);
}

int64_t weft_halo_calls(weft_context *cx, const weft_halo *h) {
    int64_t calls;
    sent_of(cx, h, &calls);
    return calls;
}

/* Whether calls that they share send less than calls of each. *sent: of what is better; -1 when neither can be done. */
static bool share_calls(weft_context *cx, const weft_halo *const *h, uint32_t n, int64_t *sent) {
    int64_t calls;
    *sent = 0;
    for (uint32_t i = 0; i < n && *sent >= 0; i++) {
        const int64_t own = weft_halo_sent(cx, h[i]);
        *sent = own < 0 ? -1 : *sent + own;
    }
    const int64_t together = n > 1 && *sent ? sent_in_rounds(cx, h, n, &calls) : -1;
    if (together < 0 || (*sent >= 0 && together >= *sent)) return false;
    *sent = together;
    return true;
}

int64_t weft_halo_sent_by_all(weft_context *cx, const weft_halo *const *h, uint32_t n) {
    int64_t sent;
    share_calls(cx, h, n, &sent);
    return sent;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static weft_value *offset_splat(weft_localizer *z, int64_t v) {
    return weft_local_offset(z, weft_local_offset_type(z), v);
}

/* One entry per number along the atoms, looked up by this device's. */
static weft_value *table_number(weft_localizer *z, const uint8_t *atoms, uint32_t n, const int64_t *values,
                                int64_t shards) {
    int64_t devices = weft_placements_devices(z->t);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value *v = NULL;
    if (weft_local_listed(z)) {
        int64_t *table = weft_scratch_array(z->cx, int64_t, devices);
        for (int64_t place = 0; table && place < devices; place++)
            table[weft_local_device_at(z, place)] = values[weft_local_number(z, atoms, n, place)];
        v = table ? weft_local_lookup(z, table, WEFT_I64) : NULL;
    } else {
        v = weft_build_lookup(z->b, values, shards, z->index_dtype, weft_local_index(z, atoms, n, 1));
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return weft_local_reshaped(z, v, 0, NULL);
}

weft_value *weft_halo_number(weft_localizer *z, const uint8_t *atoms, uint32_t n, const int64_t *values,
                             int64_t shards) {
    int64_t step = shards > 1 ? values[1] - values[0] : 0;
    bool even = true;
    for (int64_t k = 0; k < shards; k++)
        if (!weft_local_offset_fits(z, values[k])) return NULL;
    for (int64_t k = 1; k < shards; k++) even = even && values[k] - values[k - 1] == step;
    if (even && !step) return offset_splat(z, values[0]);
    if (!even || weft_local_listed(z)) return table_number(z, atoms, n, values, shards);
    weft_value *v = weft_local_index(z, atoms, n, step);
    return values[0] && v ? weft_build_binary(z->b, WEFT_OP_add, v, offset_splat(z, values[0])) : v;
}

weft_value *weft_halo_inside(weft_localizer *z, const weft_type *type, uint32_t d, const uint8_t *atoms, uint32_t n,
                             const int64_t *from, int64_t shards, int64_t low, int64_t high) {
    bool below = false, above = false;
    for (int64_t k = 0; k < shards; k++) {
        below = below || from[k] < low;
        above = above || from[k] + type->dims[d] > high;
    }
    if (!below && !above) return NULL;
    weft_dtype dtype = weft_local_offset_type(z)->dtype;
    int64_t size = type->dims[d], dim = d;
    const weft_type *row = weft_type_tensor(z->cx, dtype, 1, &size);
    weft_value *v = row ? weft_build_iota(z->b, row, 0) : NULL,
               *start = weft_halo_number(z, atoms, n, from, shards);
    if (!v || !start) return NULL;
    v = weft_build_binary(z->b, WEFT_OP_add, v, weft_local_broadcast(z, start, row));
    weft_value *ge =
        below ? weft_local_compare(z, v, weft_local_offset(z, row, low), WEFT_comparison_direction_GE) : NULL;
    weft_value *lt =
        above ? weft_local_compare(z, v, weft_local_offset(z, row, high), WEFT_comparison_direction_LT) : NULL;
    weft_value *in = ge && lt ? weft_build_binary(z->b, WEFT_OP_and, ge, lt) : ge ? ge : lt;
    weft_attr_pair dims[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, &dim, 1) } };
    return in ? weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, type, WEFT_I1), &in, 1, dims,
                             1)
              : NULL;
}

/* --- fetching ----------------------------------------------------------------------------------------------------- */

weft_value *weft_halo_send(weft_localizer *z, weft_value *x, const uint8_t *atoms, uint32_t n, const int64_t *source) {
    int64_t devices = weft_placements_devices(z->t), count = 0;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *pairs = weft_scratch_array(z->cx, int64_t, 2 * devices);
    weft_value *v = NULL;
    for (int64_t place = 0; pairs && place < devices; place++) {
        int64_t k = weft_local_number(z, atoms, n, place), from = place, have = k, want = source[k];
        if (want == WEFT_NOBODY) continue;
        for (uint32_t i = n; i-- > 0;) {
            int64_t size = weft_atom_size(z->t, atoms[i]);
            from += (want % size - have % size) * weft_atom_stride(z->t, atoms[i]);
            want /= size;
            have /= size;
        }
        pairs[2 * count] = weft_local_device_at(z, from);
        pairs[2 * count++ + 1] = weft_local_device_at(z, place);
    }
    if (pairs) v = weft_local_permute(z, x, weft_local_pairs(z, pairs, count));
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* What all devices take of the part that is `hop` parts away: its elements [low, high), of which only those that
 * somebody wants come. The rest, and what would come from nobody, is zeros. */
static weft_value *fetch_away(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                              const weft_halo *h, int64_t hop, int64_t low, int64_t high, int64_t *source) {
    chunk hull = { high, low };
    for (int64_t k = 0; k < h->shards; k++) {
        source[k] = overlaps(h, k, k + hop) ? k + hop : WEFT_NOBODY;
        if (source[k] == WEFT_NOBODY) continue;
        hull = (chunk){ weft_min_i64(hull.low, chunk_of(h, k, k + hop).low),
                        weft_max_i64(hull.high, chunk_of(h, k, k + hop).high) };
    }
    if (hull.low >= hull.high) {
        const weft_type *type = weft_local_resized(z, x->type, d, high - low);
        return type ? weft_build_splat(z->b, type, 0) : NULL;
    }
    x = weft_local_cut(z, x, d, hull.low, hull.high);
    return x ? weft_local_padded(z, weft_halo_send(z, x, atoms, n, source), d, hull.low - low, high - hull.high, NULL)
             : NULL;
}

/* The same distance everywhere: slices of the neighbours' parts, in order. */
static weft_value *fetch_even(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                              const weft_halo *h) {
    int64_t first = weft_floor_div(h->begin[0], h->part), last = weft_floor_div(h->begin[0] + h->need - 1, h->part);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **pieces = weft_scratch_array(z->cx, weft_value *, last - first + 1), *v = NULL;
    int64_t *source = weft_scratch_array(z->cx, int64_t, h->shards);
    uint32_t count = 0;
    for (int64_t hop = first; pieces && source && hop <= last; hop++) {
        int64_t low = weft_max_i64(h->begin[0] - hop * h->part, 0),
                high = weft_min_i64(h->begin[0] + h->need - hop * h->part, h->part);
        v = hop ? fetch_away(z, x, d, atoms, n, h, hop, low, high, source) : weft_local_cut(z, x, d, low, high);
        if (!v) break;
        pieces[count++] = v;
    }
    if (count > 1 && v) {
        weft_attr_pair along[] = { { WEFT_A_dimension, weft_attr_i64(z->cx, d) } };
        v = weft_build_1(z->b, WEFT_OP_concatenate, weft_local_resized(z, x->type, d, h->need), pieces, count, along,
                         1);
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* A chunk of `width` elements that covers what k needs of p begins here. */
static int64_t chunk_start(const weft_halo *h, int64_t k, int64_t p, int64_t width) {
    return weft_min_i64(chunk_of(h, k, p).low, h->part - width);
}

/* Where on each sender the chunk begins that it cuts for whom source names. */
static void add_starts(const weft_halo *h, const int64_t *source, int64_t width, int64_t *start) {
    for (int64_t k = 0; k < h->shards; k++)
        if (source[k] != WEFT_NOBODY) start[source[k]] = chunk_start(h, k, source[k], width);
}

/* Chunks of x that begin so; of a device that sends none, any. */
static weft_value *cut_chunks(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                              int64_t *start, int64_t shards, int64_t width) {
    weft_value *starts[WEFT_MAX_RANK] = { NULL };
    for (int64_t k = 0; k < shards; k++) start[k] = weft_max_i64(start[k], 0);
    if (width == x->type->dims[d]) return x;
    starts[d] = weft_halo_number(z, atoms, n, start, shards);
    return weft_local_part(z, x, weft_local_resized(z, x->type, d, width), starts);
}

/* This round's chunk, cut on the sender. */
static weft_value *cut_chunk(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                             const weft_halo *h, const int64_t *source, int64_t width) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *start = weft_scratch_array(z->cx, int64_t, h->shards);
    for (int64_t k = 0; start && k < h->shards; k++) start[k] = WEFT_NOBODY;
    if (start) add_starts(h, source, width, start);
    weft_value *v = start ? cut_chunks(z, x, d, atoms, n, start, h->shards, width) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* Puts this round's chunk, v, where it belongs in a buffer with `spare` elements before and after, into which goes
 * what is nobody's. */
static weft_value *place_chunk(weft_localizer *z, weft_value *buffer, weft_value *v, uint32_t d, const uint8_t *atoms,
                               uint32_t n, const weft_halo *h, const int64_t *source, int64_t width, int64_t spare) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *at = weft_scratch_array(z->cx, int64_t, h->shards);
    weft_value *operands[2 + WEFT_MAX_RANK] = { buffer, v };
    if (!at || !buffer || !v) return NULL;
    for (int64_t k = 0; k < h->shards; k++)
        at[k] = source[k] == WEFT_NOBODY
                    ? 0
                    : source[k] * h->part + chunk_start(h, k, source[k], width) - h->begin[k] + spare;
    for (uint32_t i = 0; i < v->type->rank; i++)
        operands[2 + i] = i == d ? weft_halo_number(z, atoms, n, at, h->shards) : offset_splat(z, 0);
    v = weft_build_1(z->b, WEFT_OP_dynamic_update_slice, buffer->type, operands, 2 + v->type->rank, NULL, 0);
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* Whose part each device needs, where these are whole. */
static weft_value *fetch_parts(weft_localizer *z, weft_value *x, const uint8_t *atoms, uint32_t n, const weft_halo *h) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *source = weft_scratch_array(z->cx, int64_t, h->shards);
    for (int64_t k = 0; source && k < h->shards; k++) source[k] = h->begin[k] / h->part;
    weft_value *v = source ? weft_halo_send(z, x, atoms, n, source) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* The elements around a device's part that any device needs around its own, as one tensor that begins everywhere `low`
 * elements before the part: what devices need is then a slice of it. Those of them that some device fetches are
 * `before` and `after` the part; the rest is nobody's. */
typedef struct frame {
    int64_t low, high, before, after;
    bool once;                   /* in one round: what comes is either before or after, and stands in both places */
} frame;

/* Whether all that is fetched comes in one round and borders on the part that fetches it. */
static bool borders_once(const weft_halo *h, const rounds *r) {
    for (int64_t k = 0; k < h->shards && r->count == 1; k++) {
        const int64_t p = r->source[k], beside = p < k ? h->part - r->width[0] : 0;
        if (p != WEFT_NOBODY && ((p != k - 1 && p != k + 1) || chunk_start(h, k, p, r->width[0]) != beside))
            return false;
    }
    return r->count == 1;
}

/* False where the frame would be larger than `room`, or take more than the rounds. */
static bool frame_of(const weft_halo *h, const rounds *r, int64_t room, frame *f) {
    const int64_t part = h->part;
    int64_t sent = 0;
    *f = (frame){ .once = borders_once(h, r) };
    for (int64_t i = 0; i < r->count; i++) sent += r->width[i];
    for (int64_t k = 0; k < h->shards; k++) {
        const int64_t begin = h->begin[k] - k * part, end = begin + h->need;
        f->low = weft_max_i64(f->low, -begin);
        f->high = weft_max_i64(f->high, end - part);
        const chunk all = needed(h, k);
        if (all.low >= all.high) continue;
        f->before = weft_max_i64(f->before, k * part - all.low);
        f->after = weft_max_i64(f->after, all.high - (k + 1) * part);
    }
    if (f->once) f->before = f->after = sent;
    f->low = weft_max_i64(f->low, f->before);
    f->high = weft_max_i64(f->high, f->after);
    return f->low + part + f->high <= room && (f->once || f->before + f->after <= sent);
}

/* The last elements of the part that is `hop` parts before a device's, or the first of one after it (hop above 0), as
 * far as any fetches them. */
static weft_value *fetch_hop(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                             const weft_halo *h, int64_t hop, int64_t width) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *source = weft_scratch_array(z->cx, int64_t, h->shards);
    bool anybody = false;
    weft_value *v = source ? weft_local_cut(z, x, d, hop < 0 ? h->part - width : 0, hop < 0 ? h->part : width) : NULL;
    for (int64_t k = 0; source && k < h->shards; k++) {
        source[k] = overlaps(h, k, k + hop) ? k + hop : WEFT_NOBODY;
        anybody = anybody || source[k] != WEFT_NOBODY;
    }
    if (v) v = anybody ? weft_halo_send(z, v, atoms, n, source) : weft_build_splat(z->b, v->type, 0);
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

static weft_value *fetch_framed(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                                const weft_halo *h, const rounds *r, const frame *f) {
    const int64_t far = weft_ceil_div(f->before, h->part), reach = weft_ceil_div(f->after, h->part);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **pieces = weft_scratch_array(z->cx, weft_value *, far + 1 + reach), *starts[WEFT_MAX_RANK] = { NULL },
               *v = pieces ? x : NULL;
    int64_t *start = weft_scratch_array(z->cx, int64_t, h->shards);
    uint32_t count = 0;
    if (f->once && v) v = cut_chunk(z, x, d, atoms, n, h, r->source, f->before);
    if (f->once && v) v = weft_halo_send(z, v, atoms, n, r->source);
    for (int64_t hop = -far; v && start && hop <= reach; hop++) {
        const int64_t width = hop < 0 ? weft_min_i64(h->part, f->before + (hop + 1) * h->part)
                                      : weft_min_i64(h->part, f->after - (hop - 1) * h->part);
        pieces[count++] = !hop ? x : f->once ? v : (v = fetch_hop(z, x, d, atoms, n, h, hop, width));
    }
    if (v && start) v = count > 1 ? weft_build_concatenate(z->b, pieces, count, d) : x;
    v = weft_local_padded(z, start ? v : NULL, d, f->low - f->before, f->high - f->after, NULL);
    for (int64_t k = 0; start && k < h->shards; k++) start[k] = h->begin[k] - k * h->part + f->low;
    if (v) starts[d] = weft_halo_number(z, atoms, n, start, h->shards);
    v = v ? weft_local_part(z, v, weft_local_resized(z, v->type, d, h->need), starts) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* Which devices have a start: i1 in the shape of type. */
static weft_value *that_send(weft_localizer *z, const weft_type *type, const uint8_t *atoms, uint32_t n,
                             const int64_t *start, int64_t shards) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *yes = weft_scratch_array(z->cx, int64_t, shards);
    for (int64_t k = 0; yes && k < shards; k++) yes[k] = start[k] != WEFT_NOBODY;
    weft_value *v = yes ? weft_halo_number(z, atoms, n, yes, shards) : NULL;
    if (v) v = weft_local_compare(z, v, offset_splat(z, 1), WEFT_comparison_direction_EQ);
    weft_arena_reset(&z->cx->scratch, mark);
    return v ? weft_local_broadcast(z, v, weft_type_with_dtype(z->cx, type, WEFT_I1)) : NULL;
}

/* Whether an earlier one of the values is the same. */
static bool was_before(weft_value *const *x, uint32_t i) {
    for (uint32_t j = 0; j < i; j++)
        if (x[j] == x[i]) return true;
    return false;
}

/* A round of n values: each device sends a chunk of one of them. */
static weft_value *exchange_round(weft_localizer *z, weft_value *const *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                                  const weft_halo *const *h, uint32_t count, const rounds *r, int64_t round) {
    const int64_t shards = h[0]->shards, width = r->width[round];
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *source = weft_scratch_array(z->cx, int64_t, shards), *start = weft_scratch_array(z->cx, int64_t, shards);
    weft_value *v = NULL;
    bool any = false, fails = !source || !start;
    for (int64_t k = 0; !fails && k < shards; k++) source[k] = WEFT_NOBODY;
    for (uint32_t i = 0; i < count && !fails; i++) {
        bool mine = false;
        if (was_before(x, i)) continue;
        for (int64_t k = 0; k < shards; k++) start[k] = WEFT_NOBODY;
        for (uint32_t j = i; j < count; j++) {
            const int64_t *of = r->source + (j * r->count + round) * shards;
            if (x[j] != x[i] || !is_of(r, h[j], j, round)) continue;
            add_starts(h[j], of, width, start);
            for (int64_t k = 0; k < shards; k++) source[k] = of[k] != WEFT_NOBODY ? of[k] : source[k];
            mine = true;
        }
        if (!mine) continue;
        weft_value *send =
            any ? that_send(z, weft_local_resized(z, x[i]->type, d, width), atoms, n, start, shards) : NULL;
        weft_value *c = !any || send ? cut_chunks(z, x[i], d, atoms, n, start, shards, width) : NULL;
        v = c && any ? weft_local_select(z, send, c, v) : c;
        fails = !v;
        any = true;
    }
    v = v && !fails ? weft_halo_send(z, v, atoms, n, source) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* A buffer as wide as what is needed and `spare` elements more at both ends, with the device's own elements at their
 * place. */
static weft_value *with_own(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                            const weft_halo *h, int64_t spare) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *own = weft_scratch_array(z->cx, int64_t, h->shards);
    const weft_type *type = weft_local_resized(z, x->type, d, h->need + 2 * spare);
    const int64_t width = widest_own(h);
    weft_value *v = own && type ? weft_build_splat(z->b, type, 0) : NULL;
    for (int64_t k = 0; own && k < h->shards; k++) own[k] = overlaps(h, k, k) ? k : WEFT_NOBODY;
    if (v && width)
        v = place_chunk(z, v, cut_chunk(z, x, d, atoms, n, h, own, width), d, atoms, n, h, own, width, spare);
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* Each device puts what comes for it into a buffer for each value. False when that fails. */
static bool fetch_in_rounds(weft_localizer *z, weft_value *const *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                            const weft_halo *const *h, uint32_t count, const rounds *r, weft_value **out) {
    const int64_t shards = h[0]->shards;
    int64_t spare = 0;
    for (uint32_t i = 0; i < count; i++) spare = weft_max_i64(spare, widest_own(h[i]));
    for (int64_t i = 0; i < r->count; i++) spare = weft_max_i64(spare, r->width[i]);
    for (uint32_t i = 0; i < count; i++)
        if (!(out[i] = with_own(z, x[i], d, atoms, n, h[i], spare))) return false;
    for (int64_t round = 0; round < r->count; round++) {
        weft_value *v = exchange_round(z, x, d, atoms, n, h, count, r, round);
        for (uint32_t i = 0; i < count; i++) {
            if (!v) return false;
            if (is_of(r, h[i], i, round))
                out[i] = place_chunk(z, out[i], v, d, atoms, n, h[i], r->source + (i * r->count + round) * shards,
                                     r->width[round], spare);
            if (!out[i]) return false;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (!(out[i] = weft_local_cut(z, out[i], d, spare, spare + h[i]->need))) return false;
    return true;
}

static weft_value *fetch_uneven(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                                const weft_halo *h) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value *v = NULL;
    rounds r;
    frame f;
    if (plan_rounds(z->cx, &h, 1, &r)) {
        int64_t spare = widest_own(h);
        for (int64_t i = 0; i < r.count; i++) spare = weft_max_i64(spare, r.width[i]);
        if (frame_of(h, &r, h->need + 2 * spare, &f)) v = fetch_framed(z, x, d, atoms, n, h, &r, &f);
        else if (!fetch_in_rounds(z, &x, d, atoms, n, &h, 1, &r, &v)) v = NULL;
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

weft_value *weft_halo_fetch(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                            const weft_halo *h) {
    if (!x) return NULL;
    weft_value *v = is_even(h)       ? fetch_even(z, x, d, atoms, n, h)
                    : whole_parts(h) ? fetch_parts(z, x, atoms, n, h)
                                     : fetch_uneven(z, x, d, atoms, n, h);
    if (!v && z->b->status == WEFT_OK) z->b->status = weft_oom();
    return v;
}

weft_status weft_halo_fetch_all(weft_localizer *z, weft_value *const *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                                const weft_halo *const *h, uint32_t count, weft_value **out) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t sent;
    rounds r;
    bool fails = false;
    if (share_calls(z->cx, h, count, &sent) && plan_rounds(z->cx, h, count, &r))
        fails = !fetch_in_rounds(z, x, d, atoms, n, h, count, &r, out);
    else
        for (uint32_t i = 0; i < count && !fails; i++) fails = !(out[i] = weft_halo_fetch(z, x[i], d, atoms, n, h[i]));
    weft_arena_reset(&z->cx->scratch, mark);
    return z->b->status != WEFT_OK ? z->b->status : fails ? weft_oom() : WEFT_OK;
}
