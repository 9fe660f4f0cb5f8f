/* exchange: an array to another layout, piece by piece.
 *
 * A device's new part is put together of pieces: what it has in common with each old part. Of the devices that hold an
 * old part it takes the piece from itself if it is one of them, else from one of its node, else from any; its number
 * picks among several, so that replicas share the work. Pieces of its own process are copied in place; the others go
 * through one all_to_all. So a device has its two parts, and a copy of the pieces that it sends and receives.
 *
 * Every device works out the same plan from the two layouts alone.
 */
#include "runtime/client_impl.h"

/* --- boxes: what a device's part has of the global array --- */

typedef struct box {
    uint32_t rank;
    int64_t begin[64], extent[64];
} box;

static void part_of(const weft_layout *l, int64_t device, box *out) {
    out->rank = l->rank;
    for (uint32_t d = 0; d < l->rank; d++) {
        out->begin[d] = weft_layout_shard(l, d, device) * l->dims[d].local;
        out->extent[d] = weft_max_i64(0, weft_min_i64(l->dims[d].local, l->dims[d].global - out->begin[d]));
    }
}

/* Elements of the intersection, which is *out. */
static int64_t meet(const box *a, const box *b, box *out) {
    int64_t n = 1;
    out->rank = a->rank;
    for (uint32_t d = 0; d < a->rank; d++) {
        const int64_t end = weft_min_i64(a->begin[d] + a->extent[d], b->begin[d] + b->extent[d]);
        out->begin[d] = weft_max_i64(a->begin[d], b->begin[d]);
        out->extent[d] = weft_max_i64(0, end - out->begin[d]);
        n *= out->extent[d];
    }
    return n;
}

/* Where a box's elements are: the address of its first one, and bytes between neighbours. */
typedef struct place {
    char *at;
    int64_t stride[64];
} place;

static place in_shard(const weft_layout *l, const box *part, const box *piece, void *shard) {
    place p = { .at = shard };
    int64_t stride = (int64_t)weft_dtype_bytes(l->dtype);
    for (uint32_t d = l->rank; d-- > 0;) {
        p.stride[d] = stride;
        p.at += (piece->begin[d] - part->begin[d]) * stride;
        stride *= l->dims[d].local;
    }
    return p;
}

static place packed(const box *piece, size_t elem_bytes, char *at) {
    place p = { .at = at };
    int64_t stride = (int64_t)elem_bytes;
    for (uint32_t d = piece->rank; d-- > 0;) {
        p.stride[d] = stride;
        stride *= piece->extent[d];
    }
    return p;
}

static void copy_dim(const box *b, uint32_t d, uint32_t run_dim, size_t run_bytes, const place *from, const place *to,
                     const char *source, char *target) {
    if (d == run_dim) {
        memcpy(target, source, run_bytes);
        return;
    }
    for (int64_t i = 0; i < b->extent[d]; i++)
        copy_dim(b, d + 1, run_dim, run_bytes, from, to, source + i * from->stride[d], target + i * to->stride[d]);
}

/* Dimensions from run_dim on are one run of bytes on both sides. */
static void copy_box(const box *b, size_t elem_bytes, const place *from, const place *to) {
    uint32_t run_dim = b->rank;
    int64_t run = (int64_t)elem_bytes;
    while (run_dim > 0 && from->stride[run_dim - 1] == run && to->stride[run_dim - 1] == run)
        run *= b->extent[--run_dim];
    copy_dim(b, 0, run_dim, (size_t)run, from, to, from->at, to->at);
}

/* --- the plan --- */

typedef struct exchange {
    weft_buffer *from, *to;
    int64_t devices;
    int64_t *of;                     /* [devices]: the number of each device's old part,
        in the order of first holders */
    int64_t *first, *holders;        /* of part p: holders[first[p]] to holders[first[p + 1] - 1], ascending */
    int64_t parts;
} exchange;

static uint64_t hash_part(const weft_layout *l, int64_t device) {
    uint64_t h = 0;
    for (uint32_t d = 0; d < l->rank; d++)
        h = (h ^ (uint64_t)weft_layout_shard(l, d, device)) * 0x9e3779b97f4a7c15u + (h >> 29);
    return h;
}

static bool same_part(const weft_layout *l, int64_t a, int64_t b) {
    for (uint32_t d = 0; d < l->rank; d++)
        if (weft_layout_shard(l, d, a) != weft_layout_shard(l, d, b)) return false;
    return true;
}

/* By open addressing over the devices' parts: a pass for each of thousands of parts would be quadratic. */
static void number_parts(exchange *e, int64_t *slots, int64_t slot_count) {
    const weft_layout *l = e->from->layout;
    int64_t *representative = e->first; /* until the counts are there */
    for (int64_t i = 0; i < slot_count; i++) slots[i] = -1;
    for (int64_t device = 0; device < e->devices; device++) {
        int64_t at = (int64_t)(hash_part(l, device) % (uint64_t)slot_count);
        while (slots[at] >= 0 && !same_part(l, representative[slots[at]], device)) at = (at + 1) % slot_count;
        if (slots[at] < 0) {
            representative[e->parts] = device;
            slots[at] = e->parts++;
        }
        e->of[device] = slots[at];
    }
}

static void list_holders(exchange *e) {
    for (int64_t p = 0; p <= e->parts; p++) e->first[p] = 0;
    for (int64_t device = 0; device < e->devices; device++) e->first[e->of[device] + 1]++;
    for (int64_t p = 0; p < e->parts; p++) e->first[p + 1] += e->first[p];
    for (int64_t device = 0; device < e->devices; device++) e->holders[e->first[e->of[device]]++] = device;
    for (int64_t p = e->parts; p > 0; p--) e->first[p] = e->first[p - 1];
    e->first[0] = 0;
}

static int node_of(const weft_client *c, int64_t device) {
    return weft_world_node_of(c->world, weft_client_rank_of(c, device));
}

/* Of the devices that hold the part: the taker, else one of its node, else any; which of several, its number says. */
static int64_t giver(const weft_client *c, const exchange *e, int64_t part, int64_t taker) {
    const int64_t *h = e->holders + e->first[part], n = e->first[part + 1] - e->first[part];
    if (e->of[taker] == part) return taker;
    for (int64_t i = 0; i < n; i++) {
        const int64_t other = h[(i + taker) % n];
        if (node_of(c, other) == node_of(c, taker)) return other;
    }
    return h[taker % n];
}

static bool is_here(const weft_client *c, int64_t device) { return weft_client_index_of(c, device) >= 0; }

/* The shard of a device of this process. */
static void *shard_of(const weft_client *c, const weft_buffer *b, int64_t device) {
    return b->shards[weft_client_index_of(c, device)].at;
}

/* --- on the device's thread --- */

/* The pieces that `me` gets from devices of other processes (or that it gives to them), packed in the order of devices:
 * visit is called for each with its place there. */
typedef struct walk {
    weft_client *c;
    const exchange *e;
    int64_t me;
    int64_t *counts;                 /* [devices]: bytes for each device; set where visit is NULL */
} walk;

typedef void visitor(const walk *w, const box *piece, int64_t other, char **at);

static void each_taken(const walk *w, visitor *visit, char *at) {
    const exchange *e = w->e;
    box mine, theirs, piece;
    part_of(e->to->layout, w->me, &mine);
    for (int64_t p = 0; p < e->parts; p++) {
        const int64_t from = giver(w->c, e, p, w->me);
        part_of(e->from->layout, from, &theirs);
        if (!is_here(w->c, from) && meet(&mine, &theirs, &piece) > 0)
            visit(w, &piece, from, &at);
    }
}

static void each_given(const walk *w, visitor *visit, char *at) {
    const exchange *e = w->e;
    box mine, theirs, piece;
    part_of(e->from->layout, w->me, &mine);
    for (int64_t to = 0; to < e->devices; to++) {
        if (is_here(w->c, to) || giver(w->c, e, e->of[w->me], to) != w->me) continue;
        part_of(e->to->layout, to, &theirs);
        if (meet(&mine, &theirs, &piece) > 0) visit(w, &piece, to, &at);
    }
}

static int64_t bytes_of(const walk *w, const box *piece) {
    int64_t bytes = (int64_t)weft_dtype_bytes(w->e->to->layout->dtype);
    for (uint32_t d = 0; d < piece->rank; d++) bytes *= piece->extent[d];
    return bytes;
}

static void count_piece(const walk *w, const box *piece, int64_t other, char **at) {
    (void)at;
    w->counts[other] += bytes_of(w, piece);
}

static void pack_piece(const walk *w, const box *piece, int64_t other, char **at) {
    const weft_buffer *b = w->e->from;
    const size_t elem = weft_dtype_bytes(b->layout->dtype);
    box part;
    (void)other;
    part_of(b->layout, w->me, &part);
    const place from = in_shard(b->layout, &part, piece, shard_of(w->c, b, w->me)),
                to = packed(piece, elem, *at);
    copy_box(piece, elem, &from, &to);
    *at += bytes_of(w, piece);
}

/* Pieces come in the order of their givers. */
static void unpack_piece(const walk *w, const box *piece, int64_t other, char **at) {
    const weft_buffer *b = w->e->to;
    const size_t elem = weft_dtype_bytes(b->layout->dtype);
    box part;
    char *begin = *at;
    for (int64_t k = 0; k < other; k++) begin += w->counts[k];
    part_of(b->layout, w->me, &part);
    const place from = packed(piece, elem, begin),
                to = in_shard(b->layout, &part, piece, shard_of(w->c, b, w->me));
    copy_box(piece, elem, &from, &to);
}

static void copy_pieces_of_process(weft_client *c, const exchange *e, int64_t me) {
    const weft_layout *old = e->from->layout, *new = e->to->layout;
    const size_t elem = weft_dtype_bytes(new->dtype);
    box mine, theirs, piece;
    part_of(new, me, &mine);
    for (int64_t p = 0; p < e->parts; p++) {
        const int64_t giving = giver(c, e, p, me);
        if (!is_here(c, giving)) continue;
        part_of(old, giving, &theirs);
        if (meet(&mine, &theirs, &piece) == 0) continue;
        const place from = in_shard(old, &theirs, &piece, shard_of(c, e->from, giving)),
                    to = in_shard(new, &mine, &piece, shard_of(c, e->to, me));
        copy_box(&piece, elem, &from, &to);
    }
}

static int64_t sum(const int64_t *v, int64_t n) {
    int64_t all = 0;
    for (int64_t i = 0; i < n; i++) all += v[i];
    return all;
}

static weft_status exchange_pieces(weft_client *c, weft_client_device *d, const exchange *e) {
    const weft_call_site site = { "all_to_all", "", "move", 2 };
    weft_mark mark = weft_arena_mark(&d->cx->scratch);
    int64_t *counts = weft_scratch_array(d->cx, int64_t, 2 * e->devices);
    char *given = NULL, *taken = NULL;
    weft_status st = counts ? WEFT_OK : weft_oom();
    if (st != WEFT_OK) goto out;
    const walk gives = { c, e, d->number, counts }, takes = { c, e, d->number, counts + e->devices };
    each_given(&gives, count_piece, NULL);
    each_taken(&takes, count_piece, NULL);
    given = weft_comm_alloc(d->all, (size_t)sum(gives.counts, e->devices) + 1);
    taken = weft_comm_alloc(d->all, (size_t)sum(takes.counts, e->devices) + 1);
    st = given && taken ? WEFT_OK : weft_oom();
    if (st != WEFT_OK) goto out;
    each_given(&gives, pack_piece, given);
    const weft_coll_uneven b = { .in = given, .out = taken, .dtype = weft_coll_type("ui8"), .in_counts = gives.counts,
                                 .out_counts = takes.counts };
    st = weft_coll_all_to_all_uneven(d->all, &b, 1, &site);
    if (st == WEFT_OK) each_taken(&takes, unpack_piece, taken);
out:
    if (given) weft_comm_dealloc(d->all, given);
    if (taken) weft_comm_dealloc(d->all, taken);
    weft_arena_reset(&d->cx->scratch, mark);
    return st;
}

static weft_status allocate(weft_client *c, weft_client_device *d, void *arg) {
    const exchange *e = arg;
    (void)c;
    weft_status st = weft_shard_allocate(d, e->to);
    if (st != WEFT_OK) return weft_shard_no_memory(d, e->to);
    memset(e->to->shards[d->index].at, 0, (size_t)e->to->bytes); /* padding is zeros */
    return WEFT_OK;
}

static weft_status run(weft_client *c, weft_client_device *d, void *arg) {
    const exchange *e = arg;
    copy_pieces_of_process(c, e, d->number);
    return c->count == e->devices ? WEFT_OK : exchange_pieces(c, d, e);
}

/* --- on the caller's --- */

/* Allocates to's shards and fills them with from's elements: no command is under way. */
static weft_status exchange_all(weft_client *c, weft_buffer *from, weft_buffer *to) {
    exchange e = { .from = from, .to = to, .devices = weft_world_size(c->world) };
    const int64_t slots = 2 * e.devices + 1;
    const size_t bytes = (size_t)(3 * e.devices + 1 + slots) * sizeof(int64_t);
    int64_t *numbers = c->cx->alloc.resize(c->cx->alloc.user, NULL, 0, bytes);
    if (!numbers) {
        if (c->count < e.devices) weft_world_abort(c->world, "a process has no memory for an array that moves");
        return weft_oom();
    }
    e.of = numbers;
    e.first = numbers + e.devices;
    e.holders = e.first + e.devices + 1;
    number_parts(&e, e.holders + e.devices, slots);
    list_holders(&e);
    weft_status st = weft_client_do(c, allocate, &e);
    if (st == WEFT_OK) st = weft_client_do(c, run, &e);
    c->cx->alloc.resize(c->cx->alloc.user, numbers, bytes, 0);
    return st;
}

weft_status weft_buffer_move(weft_buffer *b, const weft_layout *l, weft_buffer **out) {
    weft_client *c = b->client;
    *out = NULL;
    weft_client_drain(c);
    weft_status st = weft_buffer_check(c, b, "what is moved");
    if (st == WEFT_OK && !weft_layout_same_array(b->layout, l))
        st = weft_report(c->cx, WEFT_D_usage, NULL, "a buffer can be moved to a layout of its type and shape only");
    if (st != WEFT_OK) return st;
    if (weft_layout_equal(b->layout, l)) {
        *out = weft_buffer_retain(b);
        return WEFT_OK;
    }
    const weft_layout *kept = weft_client_layout(c, l);
    weft_buffer *to = kept ? weft_buffer_new(c, kept) : NULL;
    if (!to) {
        weft_world_abort(c->world, "a process has no memory for an array that moves");
        return weft_oom();
    }
    st = exchange_all(c, b, to);
    if (st == WEFT_OK) *out = to;
    else weft_buffer_release(to);
    return st;
}
