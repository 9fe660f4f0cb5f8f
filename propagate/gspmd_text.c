/* gspmd_text: see gspmd.h. The grammar, as far as it is read:
 *
 *     sharding := "{" body "}"          body := sharding {"," sharding} | kind {word}
 *     kind     := "replicated" | "manual" | "unreduced" | "unknown" | "maximal device=" n | "devices=" list devices
 *     devices  := n {"," n} | "<=" list ["T(" n {"," n} ")"]
 *     word     := "last_tile_dim_replicate" | "last_tile_dims={" use {"," use} "}" | "shard_as " n | "shard_like " n
 *               | "metadata={...}"
 */
#include "propagate/gspmd.h"

/* As many as one text may list: beyond any machine, and their numbers still fit in memory. */
#define MAX_DEVICES ((int64_t)1 << 24)

typedef struct reader {
    weft_arena *arena;
    const char *p, *end;
    const char *unread;
    bool oom;
} reader;

static void skip_spaces(reader *r) {
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\t')) r->p++;
}

static bool fail(reader *r, const char *why) {
    if (!r->unread) r->unread = why;
    return false;
}

static bool take(reader *r, const char *text) {
    skip_spaces(r);
    size_t n = strlen(text);
    if ((size_t)(r->end - r->p) < n || memcmp(r->p, text, n)) return false;
    r->p += n;
    return true;
}

static bool expect(reader *r, const char *text) {
    return take(r, text) || fail(r, "it is not written as GSPMD's shardings are");
}

static bool number(reader *r, int64_t *out) {
    skip_spaces(r);
    const char *start = r->p;
    int64_t v = 0;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
        if (!weft_mul_i64(v, 10, &v) || !weft_add_i64(v, *r->p - '0', &v))
            return fail(r, "it has a number that is too large");
    *out = v;
    return r->p > start || fail(r, "it is not written as GSPMD's shardings are");
}

/* Numbers up to `close`, at most GSPMD_MAX_RANK. */
static bool numbers(reader *r, const char *close, int64_t *v, uint32_t *n) {
    for (*n = 0; *n < GSPMD_MAX_RANK;) {
        if (!number(r, &v[(*n)++])) return false;
        if (take(r, close)) return true;
        if (!expect(r, ",")) return false;
    }
    return fail(r, "it has too many dimensions");
}

static bool product(reader *r, const int64_t *dims, uint32_t n, int64_t *out) {
    *out = 1;
    for (uint32_t i = 0; i < n; i++)
        if (dims[i] < 1 || !weft_mul_i64(*out, dims[i], out) || *out > MAX_DEVICES)
            return fail(r, "its number of devices is none that Weft knows");
    return true;
}

/* An iota over `from`, transposed by perm. */
static bool fill_iota(reader *r, const int64_t *from, const int64_t *perm, uint32_t n, int64_t *devices,
                      int64_t count) {
    int64_t strides[GSPMD_MAX_RANK], at[GSPMD_MAX_RANK] = { 0 }, device = 0;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (perm[i] < 0 || perm[i] >= n || seen >> perm[i] & 1) return fail(r, "its transposition is none");
        seen |= UINT32_C(1) << perm[i];
    }
    for (uint32_t i = n; i-- > 0;) strides[i] = i + 1 == n ? 1 : strides[i + 1] * from[i + 1];
    for (int64_t k = 0; k < count; k++) {
        devices[k] = device;
        for (uint32_t i = n; i-- > 0;) {
            device += strides[perm[i]];
            if (++at[i] < from[perm[i]]) break;
            device -= at[i] * strides[perm[i]];
            at[i] = 0;
        }
    }
    return true;
}

static bool list_devices(reader *r, int64_t *devices, int64_t count) {
    uint8_t *seen = weft_arena_array(r->arena, uint8_t, count);
    if (!seen) return r->oom = true, false;
    for (int64_t i = 0; i < count; i++) {
        if ((i && !expect(r, ",")) || !number(r, &devices[i])) return false;
        if (devices[i] >= count || seen[devices[i]]++) return fail(r, "it does not name every device from 0 once");
    }
    return true;
}

static bool read_grid(reader *r, gspmd_sharding *s) {
    int64_t from[GSPMD_MAX_RANK], perm[GSPMD_MAX_RANK], count;
    uint32_t n, perm_count;
    s->kind = GSPMD_GRID;
    if (!expect(r, "[") || !numbers(r, "]", s->dims, &s->rank) || !product(r, s->dims, s->rank, &s->device_count))
        return false;
    int64_t *devices = weft_arena_array(r->arena, int64_t, s->device_count);
    if (!devices) return r->oom = true, false;
    s->devices = devices;
    s->value_rank = s->rank;
    if (!take(r, "<=")) return list_devices(r, devices, s->device_count);
    if (!expect(r, "[") || !numbers(r, "]", from, &n) || !product(r, from, n, &count)) return false;
    if (count != s->device_count) return fail(r, "its grid has another number of devices than its list");
    for (uint32_t i = 0; i < n; i++) perm[i] = i;
    if (take(r, "T(") && (!numbers(r, ")", perm, &perm_count) ||
                          (perm_count != n && !fail(r, "its transposition is none")))) return false;
    return fill_iota(r, from, perm, n, devices, count);
}

static bool read_uses(reader *r, gspmd_sharding *s) {
    gspmd_use uses[GSPMD_MAX_RANK];
    uint32_t n = 0;
    do {
        if (n == s->rank) return fail(r, "it says what more dimensions are for than it has");
        if (take(r, "replicated")) uses[n++] = GSPMD_REPLICATES;
        else if (take(r, "manual")) uses[n++] = GSPMD_BY_HAND;
        else if (take(r, "unreduced")) uses[n++] = GSPMD_PARTIAL_SUMS;
        else return fail(r, "a dimension of its grid is for something that Weft does not know");
    } while (take(r, ","));
    s->value_rank = s->rank - n;
    for (uint32_t i = 0; i < n; i++) s->use[s->value_rank + i] = uses[i];
    return expect(r, "}");
}

/* To the brace that closes the one before p. */
static bool skip_braces(reader *r) {
    for (int depth = 1; r->p < r->end; r->p++) {
        depth += *r->p == '{' ? 1 : *r->p == '}' ? -1 : 0;
        if (!depth) return r->p++, true;
    }
    return fail(r, "it is not written as GSPMD's shardings are");
}

static bool read_words(reader *r, gspmd_sharding *s) {
    while (!take(r, "}")) {
        bool ok;
        if (take(r, "last_tile_dim_replicate")) {
            if (!(ok = s->kind == GSPMD_GRID && s->rank > 0))
                return fail(r, "it is not written as GSPMD's shardings are");
            s->use[--s->value_rank] = GSPMD_REPLICATES;
        }
        else if (take(r, "last_tile_dims={")) ok = read_uses(r, s);
        else if (take(r, "shard_as")) s->group = GSPMD_SHARD_AS, ok = number(r, &s->group_id);
        else if (take(r, "shard_like")) s->group = GSPMD_SHARD_LIKE, ok = number(r, &s->group_id);
        else if (take(r, "metadata={")) ok = skip_braces(r);
        else return fail(r, r->p == r->end ? "it is not written as GSPMD's shardings are"
                         : "it has a word that Weft does not know");
        if (!ok) return false;
    }
    return true;
}

static bool read_sharding(reader *r, gspmd_sharding *s, bool inside);

static bool read_tuple(reader *r, gspmd_sharding *s) {
    size_t cap = 0;
    s->kind = GSPMD_TUPLE;
    while (!take(r, "}")) {
        gspmd_sharding *item = weft_arena_new(r->arena, gspmd_sharding);
        if (s->item_count && !expect(r, ",")) return false;
        if (!item || !weft_arena_grow(r->arena, (void **)&s->items, &cap, s->item_count + 1, sizeof *s->items))
            return r->oom = true, false;
        if (!read_sharding(r, item, true)) return false;
        s->items[s->item_count++] = item;
    }
    return true;
}

static bool read_sharding(reader *r, gspmd_sharding *s, bool inside) {
    if (!expect(r, "{")) return false;
    skip_spaces(r);
    if (r->p < r->end && (*r->p == '{' || *r->p == '}')) return inside ? fail(r, "it is a tuple in a tuple")
        : read_tuple(r, s);
    if (take(r, "replicated")) s->kind = GSPMD_REPLICATED;
    else if (take(r, "manual")) s->kind = GSPMD_MANUAL;
    else if (take(r, "unreduced")) s->kind = GSPMD_UNREDUCED;
    else if (take(r, "unknown")) s->kind = GSPMD_UNKNOWN;
    else if (take(r, "maximal")) {
        s->kind = GSPMD_MAXIMAL;
        if (!expect(r, "device=") || !number(r, &s->device)) return false;
    }
    else if (!take(r, "devices=")) return fail(r, "it begins with a word that Weft does not know");
    else if (!read_grid(r, s)) return false;
    return read_words(r, s);
}

weft_status gspmd_read(weft_arena *arena, weft_str text, gspmd_sharding **out) {
    gspmd_sharding *s = weft_arena_new(arena, gspmd_sharding);
    reader r = { .arena = arena, .p = text.p, .end = text.p + text.n };
    if (!s) return weft_oom();
    if (read_sharding(&r, s, false)) {
        skip_spaces(&r);
        if (r.p != r.end) fail(&r, "something follows its last brace");
    }
    if (r.oom) return weft_oom();
    s->text = text;
    s->unread = r.unread;
    *out = s;
    return WEFT_OK;
}
