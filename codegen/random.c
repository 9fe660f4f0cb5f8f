/* random.c: Threefry and Philox as scalar instructions. */
#include "codegen/random.h"

/* Scalars and tensors mix: an operand of rank 0 counts for every index. */
static cg_node *u32(cg_graph *g, uint32_t v) { return cg_splat(g, WEFT_UI32, 0, NULL, &(uint64_t[2]){ v }); }
static cg_node *u64(cg_graph *g, uint64_t v) { return cg_splat(g, WEFT_UI64, 0, NULL, &(uint64_t[2]){ v }); }
static cg_node *add(cg_graph *g, cg_node *a, cg_node *b) { return cg_binary(g, CG_OP_add, a, b); }
static cg_node *xor(cg_graph *g, cg_node *a, cg_node *b) { return cg_binary(g, CG_OP_xor, a, b); }
static cg_node *low(cg_graph *g, cg_node *x) { return cg_convert(g, x, WEFT_UI32); }
static cg_node *high(cg_graph *g, cg_node *x) { return low(g, cg_binary(g, CG_OP_shift_right_logical, x, u64(g, 32))); }

static cg_node *joined(cg_graph *g, cg_node *lo, cg_node *hi) {
    cg_node *up = cg_binary(g, CG_OP_shift_left, cg_convert(g, hi, WEFT_UI64), u64(g, 32));
    return cg_binary(g, CG_OP_or, cg_convert(g, lo, WEFT_UI64), up);
}

static cg_node *element(cg_graph *g, cg_node *x, int64_t i) {
    cg_view_dim at = cg_along(-1, i, 0);
    return cg_view(g, x, 0, NULL, &at);
}

cg_random_state cg_random_words(cg_graph *g, cg_node *state) {
    cg_random_state s = { 0 };
    if (!state) return s;
    const bool halves = weft_dtype_bytes((weft_dtype)state->dtype) == 4;
    s.count = (uint32_t)(halves ? state->dims[0] / 2 : state->dims[0]);
    for (uint32_t i = 0; i < s.count; i++) {
        if (halves)
            s.word[i] = joined(g, cg_convert(g, element(g, state, 2 * i), WEFT_UI32),
                               cg_convert(g, element(g, state, 2 * i + 1), WEFT_UI32));
        else s.word[i] = cg_convert(g, element(g, state, i), WEFT_UI64);
    }
    return s;
}

cg_node *cg_random_tensor(cg_graph *g, const cg_random_state *s, const cg_node *like) {
    const weft_dtype t = (weft_dtype)like->dtype;
    const bool halves = weft_dtype_bytes(t) == 4;
    const int64_t one = 1;
    cg_node *part[6] = { 0 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (halves) part[n++] = low(g, s->word[i]), part[n++] = high(g, s->word[i]);
        else part[n++] = s->word[i];
    }
    for (uint32_t i = 0; i < n; i++) part[i] = cg_reshape(g, cg_convert(g, part[i], t), 1, &one);
    return cg_concat(g, part, n, 0, like->dims);
}

/* ---- ciphers ---- */

static void threefry_round(cg_graph *g, cg_node **x, uint32_t distance) {
    x[0] = add(g, x[0], x[1]);
    cg_node *up = cg_binary(g, CG_OP_shift_left, x[1], u32(g, distance));
    cg_node *down = cg_binary(g, CG_OP_shift_right_logical, x[1], u32(g, 32 - distance));
    x[1] = xor(g, x[0], cg_binary(g, CG_OP_or, up, down));
}

/* Threefry-2x32-20: distances and parity constant of Salmon et al., sections 3.3 and table 2. */
static void threefry(cg_graph *g, cg_node *const *key, cg_node **x) {
    static const uint32_t distance[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
    cg_node *k[3] = { key[0], key[1], xor(g, xor(g, u32(g, 0x1bd11bda), key[0]), key[1]) };
    x[0] = add(g, x[0], k[0]);
    x[1] = add(g, x[1], k[1]);
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t r = 0; r < 4; r++) threefry_round(g, x, distance[i % 2][r]);
        x[0] = add(g, x[0], k[(i + 1) % 3]);
        x[1] = add(g, x[1], add(g, k[(i + 2) % 3], u32(g, i + 1)));
    }
}

/* Philox-4x32-10: multipliers and key increments of Salmon et al., section 3.4. */
static void philox(cg_graph *g, cg_node *k0, cg_node *k1, cg_node **x) {
    for (uint32_t round = 0; round < 10; round++) {
        cg_node *p = cg_binary(g, CG_OP_multiply, cg_convert(g, x[0], WEFT_UI64), u64(g, 0xd2511f53));
        cg_node *q = cg_binary(g, CG_OP_multiply, cg_convert(g, x[2], WEFT_UI64), u64(g, 0xcd9e8d57));
        x[0] = xor(g, xor(g, high(g, q), x[1]), k0);
        x[1] = low(g, q);
        x[2] = xor(g, xor(g, high(g, p), x[3]), k1);
        x[3] = low(g, p);
        k0 = add(g, k0, u32(g, 0x9e3779b9));
        k1 = add(g, k1, u32(g, 0xbb67ae85));
    }
}

/* ---- which element gets which word ---- */

/* base + the row-major number of each element of dims. */
static cg_node *counters(cg_graph *g, cg_node *base, uint32_t rank, const int64_t *dims) {
    int64_t elems = 1;
    for (uint32_t i = 0; i < rank; i++) elems *= dims[i];
    cg_node *n = cg_iota(g, WEFT_UI64, 1, &elems, 0);
    return cg_reshape(g, add(g, cg_broadcast(g, base, 1, &elems, (weft_ints){ 0 }), n), rank, dims);
}

static int64_t count(uint32_t rank, const int64_t *dims) {
    int64_t n = 1;
    for (uint32_t i = 0; i < rank; i++) n *= dims[i];
    return n;
}

/* The first even dimension, else the first of the largest. */
static uint32_t split_dim(uint32_t rank, const int64_t *dims) {
    uint32_t best = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] % 2 == 0) return i;
    for (uint32_t i = 1; i < rank; i++)
        if (dims[i] > dims[best]) best = i;
    return best;
}

/* x without its elements from n on, in dimension d. */
static cg_node *cut(cg_graph *g, cg_node *x, uint32_t d, int64_t n) {
    cg_view_dim view[WEFT_MAX_RANK];
    int64_t dims[WEFT_MAX_RANK];
    if (!x) return NULL;
    for (uint32_t i = 0; i < x->rank; i++) {
        view[i] = cg_along((int32_t)i, 0, 1);
        dims[i] = i == d ? n : x->dims[i];
    }
    return cg_view(g, x, x->rank, dims, view);
}

static cg_node *threefry_32(cg_graph *g, cg_node *const *key, cg_random_state *s, uint32_t rank, const int64_t *dims) {
    const int64_t one = 1;
    const uint32_t r = rank ? rank : 1, d = split_dim(rank, dims);
    int64_t half[WEFT_MAX_RANK + 1], pair[WEFT_MAX_RANK + 1], whole[WEFT_MAX_RANK];
    for (uint32_t i = 0, at = 0; i < r; i++) {
        const int64_t size = rank ? dims[i] : one;
        whole[i] = i == d ? 2 * weft_ceil_div(size, 2) : size;
        half[at] = pair[at] = i == d ? weft_ceil_div(size, 2) : size;
        at++;
        if (i == d) half[at] = 1, pair[at++] = 2;
    }
    cg_node *n = counters(g, s->word[1], r + 1, half);
    cg_node *x[2] = { low(g, n), high(g, n) };
    threefry(g, key, x);
    s->word[1] = add(g, s->word[1], u64(g, (uint64_t)count(r + 1, half)));
    cg_node *all = cg_reshape(g, cg_concat(g, x, 2, d + 1, pair), r, whole);
    return cg_reshape(g, cut(g, all, d, rank ? dims[d] : 1), rank, dims);
}

static cg_node *threefry_64(cg_graph *g, cg_node *const *key, cg_random_state *s, uint32_t rank, const int64_t *dims) {
    cg_node *n = counters(g, s->word[1], rank, dims);
    cg_node *x[2] = { low(g, n), high(g, n) };
    threefry(g, key, x);
    s->word[1] = add(g, s->word[1], u64(g, (uint64_t)count(rank, dims)));
    return joined(g, x[0], x[1]);
}

static cg_node *carry(cg_graph *g, cg_node *sum, cg_node *term, cg_node *word) {
    cg_node *less[2] = { sum, term };
    cg_node *over = cg_scalar(g, CG_OP_compare, WEFT_I1, WEFT_comparison_direction_LT, less);
    return add(g, word, cg_convert(g, over, WEFT_UI64));
}

static cg_node *philox_any(cg_graph *g, cg_node *const *key, cg_random_state *s, uint32_t bits, uint32_t rank,
                           const int64_t *dims) {
    const int64_t elems = count(rank, dims), each = 128 / bits, blocks = weft_ceil_div(elems, each);
    const int64_t column[2] = { blocks, 1 }, row[2] = { blocks, each }, flat = blocks * each;
    cg_node *lo = s->word[1], *hi = s->count == 3 ? s->word[2] : s->word[0];
    cg_node *n = counters(g, lo, 1, &blocks), *m = carry(g, n, lo, hi);
    cg_node *x[4] = { low(g, n), high(g, n), low(g, m), high(g, m) };
    philox(g, key[0], key[1], x);
    s->word[1] = add(g, lo, u64(g, (uint64_t)blocks));
    if (s->count == 3) s->word[2] = carry(g, s->word[1], lo, hi);
    if (bits == 64) x[0] = joined(g, x[0], x[1]), x[1] = joined(g, x[2], x[3]);
    for (int64_t i = 0; i < each; i++) x[i] = cg_reshape(g, x[i], 2, column);
    cg_node *all = cg_reshape(g, cg_concat(g, x, (uint32_t)each, 1, row), 1, &flat);
    return cg_reshape(g, cut(g, all, 0, elems), rank, dims);
}

static weft_dtype unsigned_of(uint32_t bytes) {
    return bytes == 1 ? WEFT_UI8 : bytes == 2 ? WEFT_UI16 : bytes == 4 ? WEFT_UI32 : WEFT_UI64;
}

cg_node *cg_random_bits(cg_graph *g, cg_generator how, cg_random_state *s, weft_dtype t, uint32_t rank,
                        const int64_t *dims) {
    const uint32_t bytes = (uint32_t)weft_dtype_bytes(t);
    const weft_dtype bits = unsigned_of(bytes);
    cg_node *key[2] = { low(g, s->word[0]), high(g, s->word[0]) }, *x;
    if (!count(rank, dims)) return cg_splat_value(g, t, rank, dims, 0);
    if (how == CG_PHILOX) x = philox_any(g, key, s, bytes == 8 ? 64 : 32, rank, dims);
    else x = bytes == 8 ? threefry_64(g, key, s, rank, dims) : threefry_32(g, key, s, rank, dims);
    x = cg_convert(g, x, bits);
    return t == bits ? x : x ? cg_scalar(g, CG_OP_bitcast_convert, t, bits, &x) : NULL;
}
