/* text.c: the reader's cursor: blanks, comments, words, strings, integers, places in the file, and the growing stacks.
 */
#include "mlir/reader.h"

#include <stdio.h>

/* Line and column of at, in bytes. A place on the cursor's line and not after the cursor needs no search. */
const weft_loc *rd_place(weft_reader *r, const char *at) {
    uint32_t line = r->line;
    const char *start = r->line_start;
    if (at < start || at > r->p) {
        bool before = at < start;
        if (before) line = 1;
        if (before) start = r->text;
        for (const char *q = before ? r->text : r->p; q < at; q++)
            if (*q == '\n') {
                line++;
                start = q + 1;
            }
    }
    return weft_loc_file(r->cx, r->file, line, (uint32_t)(at - start) + 1);
}

static bool fail_with(weft_reader *r, weft_diag_class cls, const char *at, const char *fmt, va_list ap) {
    if (r->status != WEFT_OK) return false;
    char text[512];
    weft_vformat(text, sizeof text, fmt, ap);
    r->status = weft_report(r->cx, cls, rd_place(r, at), "%s", text);
    return false;
}

bool rd_fail(weft_reader *r, const char *at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fail_with(r, WEFT_D_syntax, at, fmt, ap);
    va_end(ap);
    return false;
}

bool rd_fail_as(weft_reader *r, weft_diag_class cls, const char *at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fail_with(r, cls, at, fmt, ap);
    va_end(ap);
    return false;
}

bool rd_within(weft_reader *r, const char *fmt, ...) {
    if (r->status == WEFT_ERR_MEMORY) return false;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    weft_vformat(text, sizeof text, fmt, ap);
    va_end(ap);
    weft_report(r->cx, WEFT_D_syntax, rd_place(r, r->p), "%s", text);
    return false;
}

bool rd_oom(weft_reader *r) {
    if (r->status == WEFT_OK) r->status = WEFT_ERR_MEMORY;
    return false;
}

/* The text at the cursor, for messages: a word, or one character, or a description of an unprintable one. */
static int found_length(const weft_reader *r) {
    int n = 0;
    while (n < 40 && rd_is_ident(r->p[n])) n++;
    return n;
}

bool rd_unexpected(weft_reader *r, const char *wanted) {
    unsigned char c = (unsigned char)*r->p;
    if (r->p >= r->end) return rd_fail(r, r->p, "expected %s, found the end of the text", wanted);
    int n = found_length(r);
    if (n) return rd_fail(r, r->p, "expected %s, found '%.*s'", wanted, n, r->p);
    if (c < ' ' || c >= 127) return rd_fail(r, r->p, "expected %s, found byte 0x%02X", wanted, c);
    return rd_fail(r, r->p, "expected %s, found '%c'", wanted, c);
}

void rd_skip_blanks(weft_reader *r) {
    const char *p = r->p;
    for (;;) {
        if (*p == ' ' || *p == '\t' || *p == '\r') {
            p++;
        } else if (*p == '\n') {
            p++;
            r->line++;
            r->line_start = p;
        } else if (p[0] == '/' && p[1] == '/') {
            while (*p != '\n' && p < r->end) p++;
        } else {
            break;
        }
    }
    r->p = p;
}

bool rd_expect(weft_reader *r, char c) {
    if (rd_accept(r, c)) return true;
    char wanted[4] = { '\'', c, '\'', 0 };
    return rd_unexpected(r, wanted);
}

bool rd_expect_arrow(weft_reader *r) { return rd_accept_arrow(r) || rd_unexpected(r, "'->'"); }

bool rd_word(weft_reader *r, const char *word) {
    size_t n = 0;
    while (word[n] && r->p[n] == word[n]) n++;
    if (word[n] || rd_is_ident(r->p[n])) return false;
    r->p += n;
    rd_skip(r);
    return true;
}

bool rd_expect_word(weft_reader *r, const char *word) {
    if (rd_word(r, word)) return true;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "'%s'", word);
    return rd_unexpected(r, wanted);
}

bool rd_ident(weft_reader *r, weft_str *out) {
    if (!rd_is_ident_start(*r->p)) return rd_unexpected(r, "a name");
    const char *q = r->p + 1;
    while (rd_is_ident(*q)) q++;
    *out = (weft_str){ r->p, (size_t)(q - r->p) };
    r->p = q;
    rd_skip(r);
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* q is at the escape's backslash. */
static bool unescape(weft_reader *r, const char **q, char *out) {
    const char *e = *q;
    char c = e[1];
    if (c == 'n' || c == 't' || c == '\\' || c == '"') {
        *out = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        *q += 2;
        return true;
    }
    int hi = hex_digit(c), lo = hi < 0 ? -1 : hex_digit(e[2]);
    if (lo < 0) return rd_fail(r, e, "unknown escape in a string");
    *out = (char)(hi * 16 + lo);
    *q += 3;
    return true;
}

bool rd_string(weft_reader *r, weft_str *out) {
    if (*r->p != '"') return rd_unexpected(r, "string");
    const char *from = r->p + 1, *q = from;
    while (*q != '"' && *q != '\\' && *q != '\n' && q < r->end) q++;
    if (*q == '"') {
        *out = (weft_str){ from, (size_t)(q - from) };
        r->p = q + 1;
        rd_skip(r);
        return true;
    }
    const char *stop = q;
    while (*stop != '"' && *stop != '\n' && stop < r->end) stop += *stop == '\\' && stop + 1 < r->end ? 2 : 1;
    if (*stop != '"' || stop >= r->end) return rd_fail(r, r->p, "string without its closing '\"'");
    char *text = weft_arena_alloc(&r->arena, (size_t)(stop - from) + 1, 1);
    if (!text) return rd_oom(r);
    char *w = text;
    for (q = from; q < stop;) {
        if (*q == '\\') {
            if (!unescape(r, &q, w)) return false;
            w++;
        } else {
            *w++ = *q++;
        }
    }
    *out = (weft_str){ text, (size_t)(w - text) };
    r->p = stop + 1;
    rd_skip(r);
    return true;
}

bool rd_keyword_or_string(weft_reader *r, weft_str *out) {
    return *r->p == '"' ? rd_string(r, out) : rd_ident(r, out);
}

bool rd_symbol_name(weft_reader *r, weft_str *out) {
    if (*r->p != '@') return rd_unexpected(r, "a symbol such as @name");
    r->p++;
    return rd_keyword_or_string(r, out);
}

bool rd_int(weft_reader *r, int64_t *out) {
    const char *at = r->p, *q = at;
    bool negative = *q == '-';
    if (negative) q++;
    if (!rd_is_digit(*q)) return rd_unexpected(r, "an integer");
    int64_t v = 0;
    if (q[0] == '0' && q[1] == 'x' && hex_digit(q[2]) >= 0) {
        uint64_t u = 0;
        for (q += 2; hex_digit(*q) >= 0; q++) {
            if (u >> 60) return rd_fail(r, at, "integer does not fit 64 bits");
            u = u * 16 + (uint64_t)hex_digit(*q);
        }
        v = (int64_t)u;
        if (negative) v = (int64_t)(0 - u);
    } else {
        for (; rd_is_digit(*q); q++) {
            int digit = *q - '0';
            if (!weft_mul_i64(v, 10, &v) || !weft_add_i64(v, negative ? -digit : digit, &v))
                return rd_fail(r, at, "integer does not fit 64 bits");
        }
    }
    *out = v;
    r->p = q;
    rd_skip(r);
    return true;
}

bool rd_enter(weft_reader *r) {
    if (r->depth >= RD_MAX_DEPTH) return rd_fail(r, r->p, "nested more than %d deep", RD_MAX_DEPTH);
    if (++r->depth > r->deepest) r->deepest = r->depth;
    r->nodes++;
    return true;
}

void rd_leave(weft_reader *r) { r->depth--; }

weft_name rd_intern(weft_reader *r, weft_str s) {
    weft_name n = weft_name_intern(r->cx, s);
    if (!n) rd_oom(r);
    return n;
}

/* Attribute names repeat on every op: the text is first looked up in the reader's own small table. */
weft_name rd_attr_name(weft_reader *r, weft_str s) {
    uint32_t number;
    bool fresh;
    if (!rd_map_get(r, &r->attr_texts, s.p, s.n, &number, &fresh)) return NULL;
    if (fresh) {
        weft_name n = rd_intern(r, s);
        if (!n || !RD_PUSH(r, attr_names, n)) return NULL;
        const bool in_text = s.p >= r->text && s.p < r->end;
        weft_status st = memchr(s.p, '.', s.n) ? rd_note_attr_name(r, s, in_text ? s.p : r->p) : WEFT_OK;
        if (st != WEFT_OK) return r->status = st, NULL;
    }
    return r->attr_names.v[number];
}

bool rd_push(weft_reader *r, void **v, size_t *n, size_t *cap, size_t size) {
    if (*n == *cap && !weft_arena_grow(&r->arena, v, cap, *n + 1, size)) return rd_oom(r);
    ++*n;
    return true;
}

static uint32_t hash_slice(const char *p, size_t n) {
    uint64_t h = 0x9E3779B97F4A7C15u ^ n;
    while (n >= 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = (h ^ w) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
        p += 8;
        n -= 8;
    }
    uint64_t w = 0;
    memcpy(&w, p, n);
    h = (h ^ w) * 0xFF51AFD7ED558CCDu;
    return (uint32_t)(h ^ h >> 29);
}

static bool grow_slots(weft_reader *r, rd_map *map) {
    size_t cap = map->cap ? map->cap * 2 : 64;
    uint32_t *slots = weft_arena_array(&r->arena, uint32_t, cap);
    if (!slots) return rd_oom(r);
    for (size_t i = 0; i < map->count; i++) {
        size_t at = map->keys[i].hash & (cap - 1);
        while (slots[at]) at = (at + 1) & (cap - 1);
        slots[at] = (uint32_t)i + 1;
    }
    map->slots = slots;
    map->cap = cap;
    return true;
}

/* The number of this text; new texts get the next number. The text must outlive the map. */
bool rd_map_get(weft_reader *r, rd_map *map, const char *p, size_t n, uint32_t *number, bool *fresh) {
    if (map->count * 2 >= map->cap && !grow_slots(r, map)) return false;
    uint32_t h = hash_slice(p, n);
    size_t at = h & (map->cap - 1);
    for (; map->slots[at]; at = (at + 1) & (map->cap - 1)) {
        const rd_key *k = &map->keys[map->slots[at] - 1];
        if (k->hash == h && k->n == n && !memcmp(k->p, p, n)) {
            *number = map->slots[at] - 1;
            *fresh = false;
            return true;
        }
    }
    if (n > UINT32_MAX ||
        !weft_arena_grow(&r->arena, (void **)&map->keys, &map->key_cap, map->count + 1, sizeof *map->keys))
        return rd_oom(r);
    map->keys[map->count] = (rd_key){ p, (uint32_t)n, h };
    map->slots[at] = (uint32_t)++map->count;
    *number = (uint32_t)map->count - 1;
    *fresh = true;
    return true;
}
