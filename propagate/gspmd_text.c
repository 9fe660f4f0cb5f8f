/* gspmd_text: see gspmd.h. The grammar, as far as Weft reads it:
 *
 *     sharding := "{" body "}"          body := sharding {"," sharding} | kind {word} | named
 *     kind     := "replicated" | "manual" | "unreduced" | "unknown" | "maximal device=" n | "devices=" list devices
 *     devices  := n {"," n} | "<=" list ["T(" n {"," n} ")"]
 *     word     := "last_tile_dim_replicate" | "last_tile_dims={" use {"," use} "}" | "shard_as " n | "shard_like " n
 *               | "metadata={...}"
 *     named    := "maximal_mesh[device_id=" n "]" {part} | mesh ["," list] {part}
 *     mesh     := "mesh[" [axis "=" n {"," axis "=" n}] "]" [", device_ids=(" devices ")"]
 *     list     := "replicated" | "manual" | "unreduced" | "[" [dim {"," dim}] "]"
 *     dim      := "{" [axes] ["?"] "}"  axes := axis [":(" n ")" n] {"," axis [":(" n ")" n]}
 *     part     := "," ("replicated" | "unreduced" | "manual") "={" [axes] "}" | ", metadata={...}"
 *     axis     := "'" name "'" | '"' name '"' | name
 */
#include "propagate/gspmd.h"

/* The most devices in one text: beyond any machine, and their numbers still fit in memory. */
#define MAX_DEVICES ((int64_t)1 << 24)

static const char not_gspmd[] = "it is not written as GSPMD's shardings are";

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
    return take(r, text) || fail(r, not_gspmd);
}

static bool number(reader *r, int64_t *out) {
    skip_spaces(r);
    const char *start = r->p;
    int64_t v = 0;
    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++)
        if (!weft_mul_i64(v, 10, &v) || !weft_add_i64(v, *r->p - '0', &v))
            return fail(r, "it has a number that is too large");
    *out = v;
    return r->p > start || fail(r, not_gspmd);
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
            return fail(r, "its number of devices is out of range");
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

/* After the bracket of an iota. */
static bool read_iota(reader *r, int64_t *devices, int64_t device_count) {
    int64_t from[GSPMD_MAX_RANK], perm[GSPMD_MAX_RANK], count;
    uint32_t n, perm_count;
    if (!numbers(r, "]", from, &n) || !product(r, from, n, &count)) return false;
    if (count != device_count) return fail(r, "its grid has another number of devices than its list");
    for (uint32_t i = 0; i < n; i++) perm[i] = i;
    if (take(r, "T(") && (!numbers(r, ")", perm, &perm_count) ||
                          (perm_count != n && !fail(r, "its transposition is none")))) return false;
    return fill_iota(r, from, perm, n, devices, count);
}

static bool read_grid(reader *r, gspmd_sharding *s) {
    s->kind = GSPMD_GRID;
    if (!expect(r, "[") || !numbers(r, "]", s->dims, &s->rank) || !product(r, s->dims, s->rank, &s->device_count))
        return false;
    int64_t *devices = weft_arena_array(r->arena, int64_t, s->device_count);
    if (!devices) return r->oom = true, false;
    s->devices = devices;
    s->value_rank = s->rank;
    if (!take(r, "<=")) return list_devices(r, devices, s->device_count);
    return expect(r, "[") && read_iota(r, devices, s->device_count);
}

static bool read_uses(reader *r, gspmd_sharding *s) {
    gspmd_use uses[GSPMD_MAX_RANK];
    uint32_t n = 0;
    do {
        if (n == s->rank) return fail(r, "it gives uses for more dimensions than it has");
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
    return fail(r, not_gspmd);
}

static bool read_words(reader *r, gspmd_sharding *s) {
    while (!take(r, "}")) {
        bool ok;
        if (take(r, "last_tile_dim_replicate")) {
            if (!(ok = s->kind == GSPMD_GRID && s->rank > 0))
                return fail(r, not_gspmd);
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

/* --- named axes -------------------------------------------------------------------------------------------------- */

/* The axes of a text, in the order of its grid, and their uses. */
typedef struct named {
    gspmd_axis axes[GSPMD_MAX_RANK];
    gspmd_digits used[GSPMD_MAX_RANK];
    uint32_t axis_count, used_count;
} named;

static bool axis_text(reader *r, weft_str *out) {
    const char quote = take(r, "'") ? '\'' : take(r, "\"") ? '"' : 0;
    if (!quote) skip_spaces(r);
    const char *start = r->p;
    while (r->p < r->end && (quote ? *r->p != quote : !strchr("=:,{}[]() ", *r->p))) r->p++;
    *out = (weft_str){ start, (size_t)(r->p - start) };
    return out->n && (!quote || take(r, quote == '"' ? "\"" : "'")) ? true : fail(r, not_gspmd);
}

/* A sub-axis ":(m)n" of an axis of `size` are the n parts of each of its m major ones. */
static bool read_part(reader *r, const gspmd_axis *axis, gspmd_digits *out) {
    int64_t before, size, end;
    *out = (gspmd_digits){ axis->size, axis->stride };
    if (!take(r, ":")) return true;
    if (!expect(r, "(") || !number(r, &before) || !expect(r, ")") || !number(r, &size)) return false;
    if (before < 1 || size < 2 || size >= axis->size || !weft_mul_i64(before, size, &end) || axis->size % end)
        return fail(r, "it has a part of an axis that is none");
    *out = (gspmd_digits){ size, axis->stride * (axis->size / end) };
    return true;
}

/* Whether two parts of one axis are disjoint, and the end of one divides the other. */
static bool apart(const gspmd_digits *a, const gspmd_digits *b) {
    const int64_t a_end = a->stride * a->size, b_end = b->stride * b->size;
    return a->size == 1 || b->size == 1 || (a->stride >= b_end && a->stride % b_end == 0) ||
        (b->stride >= a_end && b->stride % a_end == 0);
}

static bool read_axis(reader *r, named *n) {
    weft_str name;
    uint32_t i = 0;
    if (!axis_text(r, &name)) return false;
    while (i < n->axis_count && !weft_str_equal(n->axes[i].name, name)) i++;
    if (i == n->axis_count) return fail(r, "it names an axis that its mesh does not have");
    if (n->used_count == GSPMD_MAX_RANK) return fail(r, "it has too many axes");
    gspmd_digits *digits = &n->used[n->used_count];
    if (!read_part(r, &n->axes[i], digits)) return false;
    for (uint32_t k = 0; k < n->used_count; k++)
        if (!apart(digits, &n->used[k])) return fail(r, "it uses an axis twice");
    n->used_count++;
    return true;
}

/* One more dimension of the grid: axes up to the brace, and "?" if it is open. */
static bool read_axes(reader *r, named *n, gspmd_sharding *s, gspmd_use use) {
    const uint32_t d = s->rank, first = n->used_count;
    bool open = false;
    if (d == GSPMD_MAX_RANK) return fail(r, "it has too many dimensions");
    if (!expect(r, "{")) return false;
    while (!take(r, "}")) {
        if (open || (n->used_count > first && !expect(r, ","))) return fail(r, not_gspmd);
        if (use == GSPMD_SPLITS && take(r, "?")) open = true;
        else if (!read_axis(r, n)) return false;
    }
    s->dims[d] = 1;
    for (uint32_t i = first; i < n->used_count; i++) s->dims[d] *= n->used[i].size;
    s->digit_count[d] = n->used_count - first;
    s->digits[d] = weft_arena_dup(r->arena, n->used + first, s->digit_count[d] * sizeof *n->used,
                                  _Alignof(gspmd_digits));
    if (!s->digits[d]) return r->oom = true, false;
    s->use[d] = use;
    s->open |= (weft_bits)open << d;
    s->rank++;
    return true;
}

static bool read_dims(reader *r, named *n, gspmd_sharding *s) {
    s->kind = GSPMD_GRID;
    while (!take(r, "]"))
        if ((s->rank && !expect(r, ",")) || !read_axes(r, n, s, GSPMD_SPLITS)) return false;
    s->value_rank = s->rank;
    return true;
}

/* The order of the devices, if it is not by number. */
static bool read_order(reader *r, gspmd_sharding *s) {
    int64_t *devices = weft_arena_array(r->arena, int64_t, s->device_count);
    if (!devices) return r->oom = true, false;
    s->devices = devices;
    return (take(r, "[") ? read_iota(r, devices, s->device_count) : list_devices(r, devices, s->device_count)) &&
        expect(r, ")");
}

static bool read_mesh(reader *r, named *n, gspmd_sharding *s) {
    int64_t sizes[GSPMD_MAX_RANK], stride = 1;
    while (!take(r, "]")) {
        gspmd_axis *axis = &n->axes[n->axis_count];
        if (n->axis_count == GSPMD_MAX_RANK) return fail(r, "its mesh has too many axes");
        if ((n->axis_count && !expect(r, ",")) || !axis_text(r, &axis->name) || !expect(r, "=") ||
            !number(r, &sizes[n->axis_count])) return false;
        for (uint32_t i = 0; i < n->axis_count; i++)
            if (weft_str_equal(n->axes[i].name, axis->name)) return fail(r, "its mesh has two axes of one name");
        n->axis_count++;
    }
    if (!product(r, sizes, n->axis_count, &s->device_count)) return false;
    for (uint32_t i = n->axis_count; i-- > 0; stride *= sizes[i])
        n->axes[i].size = sizes[i], n->axes[i].stride = stride;
    s->axes = weft_arena_dup(r->arena, n->axes, n->axis_count * sizeof *n->axes, _Alignof(gspmd_axis));
    s->axis_count = n->axis_count;
    return s->axes ? true : (r->oom = true, false);
}

/* The items after the mesh: ", device_ids=(...), [...], replicated={...}". */
static bool read_rest(reader *r, named *n, gspmd_sharding *s) {
    bool said = s->kind == GSPMD_MAXIMAL;
    while (!take(r, "}")) {
        const bool grid = s->kind == GSPMD_GRID && s->device_count > 0;
        bool ok = expect(r, ",");
        if (!ok) return false;
        if (take(r, "metadata={")) ok = skip_braces(r);
        else if (!said && !s->devices && take(r, "device_ids=(")) ok = read_order(r, s);
        else if (!said && take(r, "[")) said = true, ok = read_dims(r, n, s);
        else if (grid && take(r, "replicated=")) ok = read_axes(r, n, s, GSPMD_STAYS_REPLICATED);
        else if (grid && take(r, "unreduced=")) ok = read_axes(r, n, s, GSPMD_PARTIAL_SUMS);
        else if (grid && take(r, "manual=")) ok = read_axes(r, n, s, GSPMD_BY_HAND);
        else if (!said && take(r, "replicated")) said = true, s->kind = GSPMD_REPLICATED;
        else if (!said && take(r, "unreduced")) said = true, s->kind = GSPMD_UNREDUCED;
        else if (!said && take(r, "manual")) said = true, s->kind = GSPMD_MANUAL;
        else ok = fail(r, not_gspmd);
        if (!ok) return false;
    }
    return said || fail(r, not_gspmd);
}

/* After "mesh[". */
static bool read_named(reader *r, gspmd_sharding *s) {
    named n = { .axis_count = 0 };
    s->kind = GSPMD_REPLICATED;
    return read_mesh(r, &n, s) && read_rest(r, &n, s);
}

/* --- one sharding ------------------------------------------------------------------------------------------------ */

static bool read_sharding(reader *r, gspmd_sharding *s, bool inside) {
    if (!expect(r, "{")) return false;
    skip_spaces(r);
    if (r->p < r->end && (*r->p == '{' || *r->p == '}')) return inside ? fail(r, "it is a tuple in a tuple")
        : read_tuple(r, s);
    if (take(r, "replicated")) s->kind = GSPMD_REPLICATED;
    else if (take(r, "manual")) s->kind = GSPMD_MANUAL;
    else if (take(r, "unreduced")) s->kind = GSPMD_UNREDUCED;
    else if (take(r, "unknown")) s->kind = GSPMD_UNKNOWN;
    else if (take(r, "mesh[")) return read_named(r, s);
    else if (take(r, "maximal_mesh[device_id=")) {
        s->kind = GSPMD_MAXIMAL;
        return number(r, &s->device) && expect(r, "]") && read_rest(r, NULL, s);
    }
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
