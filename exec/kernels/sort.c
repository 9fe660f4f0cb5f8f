/* sort.c: the sorting itself. */
#include <string.h>
#include "exec/kernels/sort.h"

/* A key and where it stood. Keys of up to 32 bits are kept as one number with their place, others as two. */
typedef struct wide { uint64_t key, place; } wide;

enum { DIGIT = 8, BUCKETS = 1 << DIGIT, SHORT = 48, FEW = 64 };

static uint64_t load(const char *p, unsigned bytes) {
    switch (bytes) {
    case 1: return *(const uint8_t *)p;
    case 2: { uint16_t v; memcpy(&v, p, sizeof v); return v; }
    case 4: { uint32_t v; memcpy(&v, p, sizeof v); return v; }
    default: { uint64_t v; memcpy(&v, p, sizeof v); return v; }
    }
}

/* Negative floats fall as their bits rise: all bits are turned; else the sign is. */
static inline uint64_t encode(uint64_t v, const weft_sort_key *k) {
    const uint64_t sign = (uint64_t)1 << (k->bits - 1), all = sign | (sign - 1);
    v &= all;
    if (k->kind == WEFT_KEY_FLOAT) {
        const uint64_t infinity = (sign - 1) >> k->float_bits << k->float_bits, magnitude = v & (sign - 1);
        if (!magnitude) v = 0;
        else if (magnitude > infinity) v = sign - 1;
    }
    if (k->kind == WEFT_KEY_SIGNED) v ^= sign;
    else if (k->kind != WEFT_KEY_UNSIGNED) v = v & sign ? ~v : v | sign;
    return (k->descending ? ~v : v) & all;
}

/* Digits that are the same everywhere take no pass. Returns where the sorted ones are: a or b. */
static uint64_t *radix_narrow(uint64_t *a, uint64_t *b, int64_t n, unsigned bytes) {
    uint32_t count[4][BUCKETS];
    memset(count, 0, bytes * sizeof *count);
    for (int64_t i = 0; i < n; i++)
        for (unsigned d = 0; d < bytes; d++) count[d][a[i] >> (32 + DIGIT * d) & (BUCKETS - 1)]++;
    for (unsigned d = 0; d < bytes; d++) {
        const unsigned shift = 32 + DIGIT * d;
        if (count[d][a[0] >> shift & (BUCKETS - 1)] == n) continue;
        uint32_t at = 0;
        for (int i = 0; i < BUCKETS; i++) {
            const uint32_t c = count[d][i];
            count[d][i] = at;
            at += c;
        }
        for (int64_t i = 0; i < n; i++) b[count[d][a[i] >> shift & (BUCKETS - 1)]++] = a[i];
        uint64_t *t = a;
        a = b, b = t;
    }
    return a;
}

static wide *radix_wide(wide *a, wide *b, int64_t n) {
    for (unsigned shift = 0; shift < 64; shift += DIGIT) {
        int64_t count[BUCKETS] = { 0 }, at = 0;
        for (int64_t i = 0; i < n; i++) count[a[i].key >> shift & (BUCKETS - 1)]++;
        if (count[a[0].key >> shift & (BUCKETS - 1)] == n) continue;
        for (int i = 0; i < BUCKETS; i++) {
            const int64_t c = count[i];
            count[i] = at;
            at += c;
        }
        for (int64_t i = 0; i < n; i++) b[count[a[i].key >> shift & (BUCKETS - 1)]++] = a[i];
        wide *t = a;
        a = b, b = t;
    }
    return a;
}

static void insert_narrow(uint64_t *a, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const uint64_t v = a[i];
        int64_t at = i;
        for (; at > 0 && a[at - 1] > v; at--) a[at] = a[at - 1];
        a[at] = v;
    }
}

static void insert_wide(wide *a, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const wide v = a[i];
        int64_t at = i;
        for (; at > 0 && a[at - 1].key > v.key; at--) a[at] = a[at - 1];
        a[at] = v;
    }
}

static bool narrow(const weft_sort_key *k, int64_t n) { return k->bytes <= 4 && n <= INT32_MAX; }

typedef struct slice {
    const weft_sort_state *s;
    int64_t first;          /* element number of its first element */
    const char *const *in;  /* operands */
    int64_t *order, *other; /* element i of the result is order[i] of the operand */
    void *a, *b;            /* n wides each */
} slice;

static const char *element(const slice *l, uint32_t operand, int64_t i) {
    return l->in[operand] + (l->first + i * l->s->inner) * l->s->bytes[operand];
}

/* l->order sorted by one key; equal ones keep their order. */
static void by_key_narrow(slice *l, const weft_sort_key *k) {
    const int64_t n = l->s->n, step = l->s->inner * k->bytes;
    const char *base = element(l, k->operand, 0);
    uint64_t *a = l->a;
    for (int64_t i = 0; i < n; i++) a[i] = encode(load(base + l->order[i] * step, k->bytes), k) << 32 | (uint64_t)i;
    if (n <= SHORT) insert_narrow(a, n);
    else a = radix_narrow(a, l->b, n, k->bytes);
    for (int64_t i = 0; i < n; i++) l->other[i] = l->order[a[i] & UINT32_MAX];
}

static void by_key_wide(slice *l, const weft_sort_key *k) {
    const int64_t n = l->s->n, step = l->s->inner * k->bytes;
    const char *base = element(l, k->operand, 0);
    wide *a = l->a;
    for (int64_t i = 0; i < n; i++)
        a[i] = (wide){ encode(load(base + l->order[i] * step, k->bytes), k), (uint64_t)l->order[i] };
    if (n <= SHORT) insert_wide(a, n);
    else a = radix_wide(a, l->b, n);
    for (int64_t i = 0; i < n; i++) l->other[i] = (int64_t)a[i].place;
}

static void swap_orders(slice *l) {
    int64_t *t = l->order;
    l->order = l->other, l->other = t;
}

static void by_keys(slice *l) {
    for (uint32_t k = l->s->keys; k-- > 0; swap_orders(l)) {
        if (narrow(&l->s->key[k], l->s->n)) by_key_narrow(l, &l->s->key[k]);
        else by_key_wide(l, &l->s->key[k]);
    }
}

static bool less(const slice *l, int64_t x, int64_t y) {
    const void *args[2 * WEFT_SORT_OPERANDS];
    uint8_t yes = 0;
    for (uint32_t o = 0; o < l->s->operands; o++) {
        args[2 * o] = element(l, o, x);
        args[2 * o + 1] = element(l, o, y);
    }
    l->s->less(args, (void *[]){ &yes });
    return yes;
}

/* Runs of SHORT elements by insertion, then merged pair by pair. */
static void by_comparator(slice *l) {
    const int64_t n = l->s->n;
    int64_t run = 8;
    for (int64_t from = 0; from < n; from += run)
        for (int64_t i = from + 1; i < from + run && i < n; i++) {
            const int64_t v = l->order[i];
            int64_t at = i;
            for (; at > from && less(l, v, l->order[at - 1]); at--) l->order[at] = l->order[at - 1];
            l->order[at] = v;
        }
    for (; run < n; run *= 2, swap_orders(l))
        for (int64_t from = 0; from < n; from += 2 * run) {
            const int64_t middle = from + run < n ? from + run : n, end = from + 2 * run < n ? from + 2 * run : n;
            int64_t i = from, k = middle;
            for (int64_t to = from; to < end; to++) {
                const bool right = i == middle || (k < end && less(l, l->order[k], l->order[i]));
                l->other[to] = right ? l->order[k++] : l->order[i++];
            }
        }
}

static void permute(const slice *l, uint32_t operand, char *out) {
    const int64_t n = l->s->n, bytes = l->s->bytes[operand], step = l->s->inner * bytes;
    const char *in = element(l, operand, 0);
    out += l->first * bytes;
    switch (bytes) {
    case 4:
        for (int64_t i = 0; i < n; i++) memcpy(out + i * step, in + l->order[i] * step, 4);
        break;
    case 8:
        for (int64_t i = 0; i < n; i++) memcpy(out + i * step, in + l->order[i] * step, 8);
        break;
    default:
        for (int64_t i = 0; i < n; i++) memcpy(out + i * step, in + l->order[i] * step, (size_t)bytes);
    }
}

int64_t weft_sort_scratch(const weft_sort_state *s) {
    return s->n * (int64_t)(2 * sizeof(int64_t) + (s->keys ? 2 * sizeof(wide) : 0));
}

static int64_t sort_grains(const void *state) {
    const weft_sort_state *s = state;
    return s->outer * s->inner;
}

static weft_status sort_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_sort_state *s = state;
    int64_t *order = b[2 * s->operands], *other = order + s->n;
    wide *a = (wide *)(other + s->n);
    for (int64_t line = env->first_grain; line < weft_min_i64(env->end_grain, sort_grains(s)); line++) {
        const int64_t at = line / s->inner * s->n * s->inner + line % s->inner;
        slice l = { s, at, (const char *const *)b, order, other, a, a + s->n };
        for (int64_t k = 0; k < s->n; k++) order[k] = k;
        if (s->keys) by_keys(&l);
        else by_comparator(&l);
        for (uint32_t r = 0; r < s->operands; r++) permute(&l, r, b[s->operands + r]);
    }
    return WEFT_OK;
}

/* ---- the k first ---- */

enum { BLOCK = 16 };

/* A row's elements of 2 or 4 bytes from i on, and what is sought: encode() of them, the highest bit turned, which makes
 * numbers with a sign that vectors compare. */
typedef struct search { const weft_sort_key *key; const char *row; int64_t i, n; int32_t code[BLOCK]; } search;

/* The next block with a code of at most last: its codes, i its first element. false: there is none among the whole
 * blocks. Beyond infinity are NaNs, which are one number, as zeros are. */
#define NEXT_BLOCK(name, target, vector_bytes) \
    target static bool name(search *s, int32_t last) { \
        enum { LANES = vector_bytes / 4 }; \
        typedef int32_t lanes __attribute__((vector_size(vector_bytes))); \
        const weft_sort_key *k = s->key; \
        const bool plain = k->kind == WEFT_KEY_UNSIGNED || k->kind == WEFT_KEY_SIGNED; \
        const int32_t size = (int32_t)((1u << (k->bits - 1)) - 1), sign = (int32_t)(1u << (k->bits - 1)), \
                      infinity = k->kind == WEFT_KEY_FLOAT ? size >> k->float_bits << k->float_bits : INT32_MAX, \
                      zero = k->kind == WEFT_KEY_FLOAT ? 0 : -1, fall = plain ? 0 : size, all = size | sign, \
                      turn = (k->kind == WEFT_KEY_UNSIGNED ? 0 : sign) ^ (k->descending ? all : 0); \
        for (; s->i + BLOCK <= s->n; s->i += BLOCK) { \
            lanes any = { 0 }; \
            for (int from = 0; from < BLOCK; from += LANES) { \
                lanes v = { 0 }; \
                if (k->bytes == 4) memcpy(&v, s->row + (s->i + from) * 4, sizeof v); \
                else \
                    for (int j = 0; j < LANES; j++) v[j] = (int32_t)load(s->row + (s->i + from + j) * 2, 2); \
                const lanes magnitude = v & size, nan = magnitude > infinity; \
                v = (v & ~(nan | (magnitude == zero))) | (nan & size); \
                v = (((v ^ (((v & sign) != 0) & fall)) ^ turn) & all) ^ INT32_MIN; \
                memcpy(s->code + from, &v, sizeof v); \
                any |= v <= last; \
            } \
            uint64_t part[LANES / 2], found = 0; \
            memcpy(part, &any, sizeof part); \
            for (int j = 0; j < LANES / 2; j++) found |= part[j]; \
            if (found) return true; \
        } \
        return false; \
    }
NEXT_BLOCK(next_any, , 16)
#if defined(__x86_64__)
NEXT_BLOCK(next_avx2, __attribute__((target("avx2"))), 32)
#endif

static bool next(search *s, int32_t last) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return next_avx2(s, last);
#endif
    return next_any(s, last);
}

/* The first k of a row in order, kept sorted while the row is read. */
typedef struct chosen { uint64_t key[FEW]; int64_t *place, count, k; } chosen;

static inline void choose(chosen *c, uint64_t v, int64_t place) {
    if (c->count == c->k && v >= c->key[c->count - 1]) return;
    int64_t at = c->count < c->k ? c->count++ : c->count - 1;
    for (; at > 0 && c->key[at - 1] > v; at--) c->key[at] = c->key[at - 1], c->place[at] = c->place[at - 1];
    c->key[at] = v, c->place[at] = place;
}

/* The last code that is still chosen, so far: equal ones come later, so they lose. */
static int32_t last_of(const chosen *c) {
    if (c->count < c->k) return INT32_MAX;
    const int32_t code = (int32_t)((uint32_t)c->key[c->k - 1] ^ 0x80000000u);
    return code == INT32_MIN ? code : code - 1;
}

static void few(const weft_top_k_state *s, const char *row, int64_t *place) {
    chosen c = { .place = place, .k = s->k };
    search at = { .key = &s->key, .row = row, .n = s->n };
    if (s->key.bytes == 4 || s->key.bytes == 2)
        for (; next(&at, last_of(&c)); at.i += BLOCK)
            for (int j = 0; j < BLOCK; j++) choose(&c, (uint32_t)at.code[j] ^ 0x80000000u, at.i + j);
    for (; at.i < s->n; at.i++) choose(&c, encode(load(row + at.i * s->key.bytes, s->key.bytes), &s->key), at.i);
}

/* Candidates are gathered in a row of 2 k; when that is full it is sorted, and its k-th is what later ones must beat.
 */
static void many(const weft_top_k_state *s, const char *row, wide *a, wide *b, int64_t *place) {
    const int64_t room = 2 * s->k;
    int64_t count = 0;
    uint64_t bound = UINT64_MAX;
    bool bounded = false;
    wide *sorted = a;
    for (int64_t i = 0; i < s->n; i++) {
        const uint64_t v = encode(load(row + i * s->key.bytes, s->key.bytes), &s->key);
        if (bounded && v >= bound) continue; /* equal ones come later, so they lose */
        a[count++] = (wide){ v, (uint64_t)i };
        if (count < room) continue;
        sorted = radix_wide(a, b, count);
        if (sorted != a) b = a, a = sorted;
        count = s->k;
        bound = a[count - 1].key;
        bounded = true;
    }
    sorted = radix_wide(a, b, count);
    for (int64_t i = 0; i < s->k; i++) place[i] = (int64_t)sorted[i].place;
}

int64_t weft_top_k_scratch(const weft_top_k_state *s) {
    return s->k <= FEW ? FEW * (int64_t)sizeof(int64_t) : s->k * (int64_t)(sizeof(int64_t) + 4 * sizeof(wide));
}

static int64_t top_k_grains(const void *state) { return ((const weft_top_k_state *)state)->rows; }

static weft_status top_k_run(const void *state, void *const *b, const weft_run_env *env) {
    const weft_top_k_state *s = state;
    const int64_t bytes = s->key.bytes;
    int64_t *first = b[3];
    wide *room = (wide *)(first + s->k);
    for (int64_t r = env->first_grain; r < weft_min_i64(env->end_grain, s->rows) && s->k; r++) {
        const char *row = (const char *)b[0] + r * s->n * bytes;
        if (s->k > FEW) many(s, row, room, room + 2 * s->k, first);
        else few(s, row, first);
        for (int64_t i = 0; i < s->k; i++) {
            const int64_t to = r * s->k + i;
            memcpy((char *)b[1] + to * bytes, row + first[i] * bytes, (size_t)bytes);
            memcpy((char *)b[2] + to * s->index_bytes, &first[i], s->index_bytes); /* little endian, as all of this */
        }
    }
    return WEFT_OK;
}

const weft_kernel weft_kernel_sort = { .name = "sort", .run = sort_run, .state_bytes = sizeof(weft_sort_state),
                                       .flags = WEFT_KERNEL_HAS_BODY, .grains = sort_grains };
const weft_kernel weft_kernel_top_k = { .name = "top_k", .run = top_k_run, .state_bytes = sizeof(weft_top_k_state),
                                        .grains = top_k_grains };
