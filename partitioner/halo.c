/* halo.c: see halo.h. */
#include "partitioner/device_number.h"
#include "partitioner/halo.h"
#include "partitioner/local_ops.h"

/* What device k needs of the part of device p: [low, high), counted from the beginning of that part. Empty when low >= high. */
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
    return (chunk){ weft_floor_div(all.low, h->part), weft_min_i64(weft_floor_div(all.high - 1, h->part) + 1, h->shards) };
}

static bool overlaps(const weft_halo *h, int64_t k, int64_t p) {
    chunk c = chunk_of(h, k, p);
    return p >= 0 && p < h->shards && c.low < c.high;
}

/* More calls than this, each of a chunk, are no better than a gather. */
#define MAX_HOPS 16

/* The distances at which devices need something of others, from the lowest up, and the widest chunk of each. */
typedef struct hops {
    int64_t at[MAX_HOPS], width[MAX_HOPS];
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
                if (r->n == MAX_HOPS) return false;
                for (uint32_t j = r->n++; j > i; j--) r->at[j] = r->at[j - 1], r->width[j] = r->width[j - 1];
                r->at[i] = p - k;
                r->width[i] = 0;
            }
            r->width[i] = weft_max_i64(r->width[i], c.high - c.low);
        }
    }
    return true;
}

/* Every device needs one whole part, and no two the same: one permutation, and nothing to be put together. Without scratch memory:
 * parts rise or fall by one. */
static bool whole_parts(const weft_halo *h) {
    if (h->need != h->part) return false;
    int64_t step = h->shards > 1 ? h->begin[1] - h->begin[0] : h->part;
    if (step != h->part && step != -h->part) return false;
    for (int64_t k = 0; k < h->shards; k++) {
        int64_t p = h->begin[k] / h->part;
        if (h->begin[k] < 0 || h->begin[k] % h->part || p >= h->shards || (k && h->begin[k] - h->begin[k - 1] != step)) return false;
    }
    return true;
}

/* All devices need the same distance beyond their parts. */
static bool is_even(const weft_halo *h) {
    for (int64_t k = 1; k < h->shards; k++)
        if (h->begin[k] - h->begin[k - 1] != h->part) return false;
    return true;
}

/* The widest chunk of each distance: what the fetch sends where distances are even, and no less than it sends otherwise. Two devices that
 * need something of each other send it at once. */
int64_t weft_halo_sent(const weft_halo *h) {
    hops r;
    int64_t sent = 0;
    const bool swaps = h->shards == 2 && !is_even(h);
    if (whole_parts(h)) return is_even(h) && h->begin[0] == 0 ? 0 : h->part;
    if (!hops_of(h, &r)) return -1;
    for (uint32_t i = 0; i < r.n; i++) sent = swaps ? weft_max_i64(sent, r.width[i]) : sent + r.width[i];
    return sent;
}

int64_t weft_halo_calls(const weft_halo *h) {
    hops r;
    if (whole_parts(h)) return !(is_even(h) && h->begin[0] == 0);
    return hops_of(h, &r) ? (int64_t)r.n : -1;
}

/* --- rounds ------------------------------------------------------------------------------------------------------- */

#define MAX_ROUNDS (2 * MAX_HOPS) /* a device has at most MAX_HOPS chunks to send, and as many to get */

/* source[round * shards + k]: whom k gets a chunk from; target the other way round. width[round]: of its chunks. */
typedef struct rounds {
    int64_t *source, *target;
    int64_t width[MAX_ROUNDS];
    int64_t count;
} rounds;

/* Each pair goes to the first round in which neither is busy. Pairs are taken by their distance, so that those of one distance share
 * a round. */
static bool plan_rounds(weft_context *cx, const weft_halo *h, rounds *r) {
    int64_t n = h->shards;
    hops reach;
    if (!hops_of(h, &reach)) return false;
    *r = (rounds){ .source = weft_scratch_array(cx, int64_t, MAX_ROUNDS * n), .target = weft_scratch_array(cx, int64_t, MAX_ROUNDS * n) };
    if (!r->source || !r->target) return false;
    for (int64_t i = 0; i < MAX_ROUNDS * n; i++) r->source[i] = r->target[i] = WEFT_HALO_NOBODY;
    for (uint32_t i = 0; i < reach.n; i++)
        for (int64_t k = 0; k < n; k++) {
            int64_t p = k + reach.at[i], round = 0;
            if (!overlaps(h, k, p)) continue;
            while (r->source[round * n + k] != WEFT_HALO_NOBODY || r->target[round * n + p] != WEFT_HALO_NOBODY) round++;
            r->source[round * n + k] = p;
            r->target[round * n + p] = k;
            r->count = weft_max_i64(r->count, round + 1);
            r->width[round] = weft_max_i64(r->width[round], chunk_of(h, k, p).high - chunk_of(h, k, p).low);
        }
    return true;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static weft_value *offset_splat(weft_localizer *z, int64_t v) { return weft_local_offset(z, weft_local_offset_type(z), v); }

/* One entry per number along the atoms, looked up by this device's. */
static weft_value *table_number(weft_localizer *z, const uint8_t *atoms, uint32_t n, const int64_t *values, int64_t shards) {
    int64_t devices = weft_placements_devices(z->t);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value *v = NULL;
    if (weft_local_listed(z)) {
        int64_t *table = weft_scratch_array(z->cx, int64_t, devices);
        for (int64_t place = 0; table && place < devices; place++) table[weft_local_device_at(z, place)] = values[weft_local_number(z, atoms, n, place)];
        v = table ? weft_local_lookup(z, table, WEFT_I64) : NULL;
    } else {
        v = weft_build_lookup(z->b, values, shards, z->index_dtype, weft_local_index(z, atoms, n, 1));
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return weft_local_reshaped(z, v, 0, NULL);
}

weft_value *weft_halo_number(weft_localizer *z, const uint8_t *atoms, uint32_t n, const int64_t *values, int64_t shards) {
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

weft_value *weft_halo_inside(weft_localizer *z, const weft_type *type, uint32_t d, const uint8_t *atoms, uint32_t n, const int64_t *from,
                             int64_t shards, int64_t low, int64_t high) {
    bool below = false, above = false;
    for (int64_t k = 0; k < shards; k++) {
        below = below || from[k] < low;
        above = above || from[k] + type->dims[d] > high;
    }
    if (!below && !above) return NULL;
    weft_dtype dtype = weft_local_offset_type(z)->dtype;
    int64_t size = type->dims[d], dim = d;
    const weft_type *row = weft_type_tensor(z->cx, dtype, 1, &size);
    weft_attr_pair along[] = { { WEFT_A_iota_dimension, weft_attr_i64(z->cx, 0) } };
    weft_value *v = row ? weft_build_1(z->b, WEFT_OP_iota, row, NULL, 0, along, 1) : NULL, *start = weft_halo_number(z, atoms, n, from, shards);
    if (!v || !start) return NULL;
    v = weft_build_binary(z->b, WEFT_OP_add, v, weft_local_broadcast(z, start, row));
    weft_value *ge = below ? weft_local_compare(z, v, weft_local_offset(z, row, low), WEFT_comparison_direction_GE) : NULL;
    weft_value *lt = above ? weft_local_compare(z, v, weft_local_offset(z, row, high), WEFT_comparison_direction_LT) : NULL;
    weft_value *in = ge && lt ? weft_build_binary(z->b, WEFT_OP_and, ge, lt) : ge ? ge : lt;
    weft_attr_pair dims[] = { { WEFT_A_broadcast_dimensions, weft_attr_ints(z->cx, WEFT_I64, &dim, 1) } };
    return in ? weft_build_1(z->b, WEFT_OP_broadcast_in_dim, weft_type_with_dtype(z->cx, type, WEFT_I1), &in, 1, dims, 1) : NULL;
}

/* --- fetching ----------------------------------------------------------------------------------------------------- */

weft_value *weft_halo_send(weft_localizer *z, weft_value *x, const uint8_t *atoms, uint32_t n, const int64_t *source) {
    int64_t devices = weft_placements_devices(z->t), count = 0;
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *pairs = weft_scratch_array(z->cx, int64_t, 2 * devices);
    weft_value *v = NULL;
    for (int64_t place = 0; pairs && place < devices; place++) {
        int64_t k = weft_local_number(z, atoms, n, place), from = place, have = k, want = source[k];
        if (want == WEFT_HALO_NOBODY) continue;
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

/* What all devices take of the part that is `hop` parts away: its elements [low, high), of which only those that somebody wants come. The rest,
 * and what would come from nobody, is zeros. */
static weft_value *fetch_away(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const weft_halo *h, int64_t hop, int64_t low,
                              int64_t high, int64_t *source) {
    chunk hull = { high, low };
    for (int64_t k = 0; k < h->shards; k++) {
        source[k] = overlaps(h, k, k + hop) ? k + hop : WEFT_HALO_NOBODY;
        if (source[k] == WEFT_HALO_NOBODY) continue;
        hull = (chunk){ weft_min_i64(hull.low, chunk_of(h, k, k + hop).low), weft_max_i64(hull.high, chunk_of(h, k, k + hop).high) };
    }
    if (hull.low >= hull.high) {
        const weft_type *type = weft_local_resized(z, x->type, d, high - low);
        return type ? weft_build_splat(z->b, type, 0) : NULL;
    }
    x = weft_local_cut(z, x, d, hull.low, hull.high);
    return x ? weft_local_padded(z, weft_halo_send(z, x, atoms, n, source), d, hull.low - low, high - hull.high, NULL) : NULL;
}

/* The same distance everywhere: slices of the neighbours' parts, in order. */
static weft_value *fetch_even(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const weft_halo *h) {
    int64_t first = weft_floor_div(h->begin[0], h->part), last = weft_floor_div(h->begin[0] + h->need - 1, h->part);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **pieces = weft_scratch_array(z->cx, weft_value *, last - first + 1), *v = NULL;
    int64_t *source = weft_scratch_array(z->cx, int64_t, h->shards);
    uint32_t count = 0;
    for (int64_t hop = first; pieces && source && hop <= last; hop++) {
        int64_t low = weft_max_i64(h->begin[0] - hop * h->part, 0), high = weft_min_i64(h->begin[0] + h->need - hop * h->part, h->part);
        v = hop ? fetch_away(z, x, d, atoms, n, h, hop, low, high, source) : weft_local_cut(z, x, d, low, high);
        if (!v) break;
        pieces[count++] = v;
    }
    if (count > 1 && v) {
        weft_attr_pair along[] = { { WEFT_A_dimension, weft_attr_i64(z->cx, d) } };
        v = weft_build_1(z->b, WEFT_OP_concatenate, weft_local_resized(z, x->type, d, h->need), pieces, count, along, 1);
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* A chunk of `width` elements that covers what k needs of p begins here. */
static int64_t chunk_start(const weft_halo *h, int64_t k, int64_t p, int64_t width) { return weft_min_i64(chunk_of(h, k, p).low, h->part - width); }

/* This round's chunk, cut on the sender. */
static weft_value *exchange_chunk(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const weft_halo *h, const int64_t *source,
                                  int64_t width) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *start = weft_scratch_array(z->cx, int64_t, h->shards);
    weft_value *starts[WEFT_MAX_RANK] = { NULL };
    bool moves = false;
    if (!start) return NULL;
    for (int64_t k = 0; k < h->shards; k++) start[k] = 0;
    for (int64_t k = 0; k < h->shards; k++) {
        if (source[k] == WEFT_HALO_NOBODY) continue;
        moves = moves || source[k] != k;
        start[source[k]] = chunk_start(h, k, source[k], width);
    }
    starts[d] = weft_halo_number(z, atoms, n, start, h->shards);
    weft_value *v = width == h->part ? x : weft_local_part(z, x, weft_local_resized(z, x->type, d, width), starts);
    if (v && moves) v = weft_halo_send(z, v, atoms, n, source);
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

/* Puts this round's chunk where it belongs in a buffer with `spare` elements before and behind, into which goes what is nobody's. */
static weft_value *place_chunk(weft_localizer *z, weft_value *buffer, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const weft_halo *h,
                               const int64_t *source, int64_t width, int64_t spare) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *at = weft_scratch_array(z->cx, int64_t, h->shards);
    weft_value *operands[2 + WEFT_MAX_RANK] = { buffer };
    if (!at || !buffer) return NULL;
    for (int64_t k = 0; k < h->shards; k++)
        at[k] = source[k] == WEFT_HALO_NOBODY ? 0 : source[k] * h->part + chunk_start(h, k, source[k], width) - h->begin[k] + spare;
    operands[1] = exchange_chunk(z, x, d, atoms, n, h, source, width);
    for (uint32_t i = 0; i < x->type->rank; i++) operands[2 + i] = i == d ? weft_halo_number(z, atoms, n, at, h->shards) : offset_splat(z, 0);
    weft_value *v = operands[1] ? weft_build_1(z->b, WEFT_OP_dynamic_update_slice, buffer->type, operands, 2 + x->type->rank, NULL, 0) : NULL;
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

/* The elements around a device's part that any device needs around its own, as one tensor that begins everywhere `low` elements before the part:
 * what devices need is then a slice of it. Those of them that some device fetches are `before` and `behind` the part; the rest is nobody's. */
typedef struct frame {
    int64_t low, high, before, behind;
    bool once;                   /* in one round: what comes is either before or behind, and stands in both places */
} frame;

/* Whether all that is fetched comes in one round and borders on the part that fetches it. */
static bool borders_once(const weft_halo *h, const rounds *r) {
    for (int64_t k = 0; k < h->shards && r->count == 1; k++) {
        const int64_t p = r->source[k], beside = p < k ? h->part - r->width[0] : 0;
        if (p != WEFT_HALO_NOBODY && ((p != k - 1 && p != k + 1) || chunk_start(h, k, p, r->width[0]) != beside)) return false;
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
        f->behind = weft_max_i64(f->behind, all.high - (k + 1) * part);
    }
    if (f->once) f->before = f->behind = sent;
    f->low = weft_max_i64(f->low, f->before);
    f->high = weft_max_i64(f->high, f->behind);
    return f->low + part + f->high <= room && (f->once || f->before + f->behind <= sent);
}

/* The last elements of the part that is `hop` parts before a device's, or the first of one behind it (hop above 0), as far as any fetches them. */
static weft_value *fetch_hop(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const weft_halo *h, int64_t hop, int64_t width) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t *source = weft_scratch_array(z->cx, int64_t, h->shards);
    bool anybody = false;
    weft_value *v = source ? weft_local_cut(z, x, d, hop < 0 ? h->part - width : 0, hop < 0 ? h->part : width) : NULL;
    for (int64_t k = 0; source && k < h->shards; k++) {
        source[k] = overlaps(h, k, k + hop) ? k + hop : WEFT_HALO_NOBODY;
        anybody = anybody || source[k] != WEFT_HALO_NOBODY;
    }
    if (v) v = anybody ? weft_halo_send(z, v, atoms, n, source) : weft_build_splat(z->b, v->type, 0);
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

static weft_value *fetch_framed(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const weft_halo *h, const rounds *r, const frame *f) {
    const int64_t far = weft_ceil_div(f->before, h->part), reach = weft_ceil_div(f->behind, h->part);
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    weft_value **pieces = weft_scratch_array(z->cx, weft_value *, far + 1 + reach), *starts[WEFT_MAX_RANK] = { NULL }, *v = pieces ? x : NULL;
    int64_t *start = weft_scratch_array(z->cx, int64_t, h->shards);
    uint32_t count = 0;
    if (f->once && v) v = exchange_chunk(z, x, d, atoms, n, h, r->source, f->before);
    for (int64_t hop = -far; v && start && hop <= reach; hop++) {
        const int64_t width = hop < 0 ? weft_min_i64(h->part, f->before + (hop + 1) * h->part) : weft_min_i64(h->part, f->behind - (hop - 1) * h->part);
        pieces[count++] = !hop ? x : f->once ? v : (v = fetch_hop(z, x, d, atoms, n, h, hop, width));
    }
    if (v && start) v = count > 1 ? weft_build_concatenate(z->b, pieces, count, d) : x;
    v = weft_local_padded(z, start ? v : NULL, d, f->low - f->before, f->high - f->behind, NULL);
    for (int64_t k = 0; start && k < h->shards; k++) start[k] = h->begin[k] - k * h->part + f->low;
    if (v) starts[d] = weft_halo_number(z, atoms, n, start, h->shards);
    v = v ? weft_local_part(z, v, weft_local_resized(z, v->type, d, h->need), starts) : NULL;
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

static weft_value *fetch_uneven(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const weft_halo *h) {
    weft_mark mark = weft_arena_mark(&z->cx->scratch);
    int64_t spare = 0, widest = 0, *own = weft_scratch_array(z->cx, int64_t, h->shards);
    weft_value *v = NULL;
    rounds r;
    if (own && plan_rounds(z->cx, h, &r)) {
        for (int64_t k = 0; k < h->shards; k++) {
            own[k] = overlaps(h, k, k) ? k : WEFT_HALO_NOBODY;
            if (own[k] == k) widest = weft_max_i64(widest, chunk_of(h, k, k).high - chunk_of(h, k, k).low);
        }
        spare = widest;
        for (int64_t i = 0; i < r.count; i++) spare = weft_max_i64(spare, r.width[i]);
        frame f;
        if (frame_of(h, &r, h->need + 2 * spare, &f)) {
            v = fetch_framed(z, x, d, atoms, n, h, &r, &f);
            weft_arena_reset(&z->cx->scratch, mark);
            return v;
        }
        const weft_type *type = weft_local_resized(z, x->type, d, h->need + 2 * spare);
        v = type ? weft_build_splat(z->b, type, 0) : NULL;
        if (v && widest) v = place_chunk(z, v, x, d, atoms, n, h, own, widest, spare);
        for (int64_t i = 0; v && i < r.count; i++) v = place_chunk(z, v, x, d, atoms, n, h, r.source + i * h->shards, r.width[i], spare);
        v = weft_local_cut(z, v, d, spare, spare + h->need);
    }
    weft_arena_reset(&z->cx->scratch, mark);
    return v;
}

weft_value *weft_halo_fetch(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n, const weft_halo *h) {
    if (!x) return NULL;
    weft_value *v = is_even(h)       ? fetch_even(z, x, d, atoms, n, h)
                    : whole_parts(h) ? fetch_parts(z, x, atoms, n, h)
                                     : fetch_uneven(z, x, d, atoms, n, h);
    if (!v && z->b->status == WEFT_OK) z->b->status = weft_oom();
    return v;
}
