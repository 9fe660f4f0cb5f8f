/* str.c: interned names (open addressing over a power of two, ids in order of interning) and the text buffer. */
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/context.h"

size_t weft_str_placeholder(weft_str s, size_t i, uint32_t *number) {
    size_t k = i + 1;
    uint32_t n = 0;
    if (i >= s.n || s.p[i] != '{') return 0;
    while (k < s.n && s.p[k] >= '0' && s.p[k] <= '9' && n < 1000000) n = 10 * n + (uint32_t)(s.p[k++] - '0');
    if (k == i + 1 || k >= s.n || s.p[k] != '}') return 0;
    *number = n;
    return k + 1 - i;
}

bool weft_count_read(const char *text, int most, int *out) {
    int64_t v = 0;
    if (!text || !*text) return false;
    for (; *text; text++) { /* strtol would take spaces and a sign */
        if (*text < '0' || *text > '9') return false;
        v = 10 * v + (*text - '0');
        if (v > most) return false;
    }
    *out = (int)v;
    return true;
}

/* FNV-1a: short keys, and equal on every machine. */
static uint32_t hash_text(const char *p, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)p[i]) * 16777619u;
    return h;
}

/* The entry of s; a new one has no id yet. */
static weft_name_entry *entry(weft_context *cx, weft_str s, bool *is_new) {
    *is_new = false;
    if (s.n >= UINT32_MAX) return NULL;
    if (!cx->names.next_id) cx->names.next_id = WEFT_RESERVED_NAMES;
    if (!weft_arena_grow(&cx->arena, (void **)&cx->names.by_id, &cx->names.id_cap, cx->names.next_id + 1,
                         sizeof *cx->names.by_id))
        return NULL;
    const uint32_t h = hash_text(s.p, s.n);
    size_t probe = 0;
    for (const weft_name_entry *n; (n = weft_table_next(&cx->names.of_text, h, &probe));)
        if (n->n == s.n && (!s.n || !memcmp(n->text, s.p, s.n))) return (weft_name_entry *)n;

    weft_name_entry *e = weft_arena_alloc(&cx->arena, sizeof *e + s.n + 1, _Alignof(weft_name_entry));
    if (!e) return NULL;
    e->n = (uint32_t)s.n;
    e->hash = h;
    if (s.n) memcpy(e->text, s.p, s.n);
    *is_new = true;
    return weft_table_add(&cx->names.of_text, &cx->arena, h, e) ? e : NULL;
}

weft_name weft_name_intern(weft_context *cx, weft_str s) {
    bool is_new;
    weft_name_entry *e = entry(cx, s, &is_new);
    if (e && is_new) {
        e->id = (uint32_t)cx->names.next_id++;
        cx->names.by_id[e->id] = e;
    }
    return e;
}

weft_name weft_name_reserve(weft_context *cx, const char *z, uint32_t id) {
    bool is_new;
    weft_name_entry *e = entry(cx, weft_str_from(z), &is_new);
    if (!e) return NULL;
    if (!is_new) cx->names.by_id[e->id] = NULL;
    e->id = id;
    cx->names.by_id[id] = e;
    return e;
}

weft_name weft_name_at(const weft_context *cx, uint32_t id) { return cx->names.by_id[id]; }

weft_name weft_name_from(weft_context *cx, const char *z) { return weft_name_intern(cx, weft_str_from(z)); }

void weft_buf_init(weft_buf *b, const weft_allocator *alloc) { *b = (weft_buf){ .alloc = *alloc }; }

void weft_buf_free(weft_buf *b) {
    if (b->p) b->alloc.resize(b->alloc.user, b->p, b->cap, 0);
    *b = (weft_buf){ .alloc = b->alloc };
}

/* Room for n more bytes and a NUL. */
static bool reserve(weft_buf *b, size_t n) {
    if (b->failed) return false;
    if (n < b->cap - b->n) return true;
    if (b->most && (n > b->most || b->n > b->most - n)) return !(b->failed = b->over = true);
    size_t cap = b->cap ? b->cap : 256;
    while (cap - b->n <= n) {
        if (cap > SIZE_MAX / 2) return !(b->failed = true);
        cap *= 2;
    }
    char *p = b->alloc.resize(b->alloc.user, b->p, b->cap, cap);
    if (!p) return !(b->failed = true);
    b->p = p;
    b->cap = cap;
    return true;
}

void weft_buf_put(weft_buf *b, const char *p, size_t n) {
    if (!reserve(b, n)) return;
    if (n) memcpy(b->p + b->n, p, n);
    b->n += n;
    b->p[b->n] = '\0';
}

void weft_buf_putc(weft_buf *b, char c) { weft_buf_put(b, &c, 1); }
void weft_buf_puts(weft_buf *b, const char *z) { weft_buf_put(b, z, strlen(z)); }
void weft_buf_str(weft_buf *b, weft_str s) { weft_buf_put(b, s.p, s.n); }

void weft_buf_bytes(weft_buf *b, double bytes) {
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
    size_t u = 0;
    for (; bytes >= 1024 && u + 1 < WEFT_COUNT(units); u++) bytes /= 1024;
    weft_buf_printf(b, u && bytes < 100 ? "%.1f %s" : "%.0f %s", bytes, units[u]);
}

void weft_buf_i64(weft_buf *b, int64_t v) {
    char digits[24], *p = digits + sizeof digits;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do *--p = (char)('0' + u % 10); while (u /= 10);
    if (v < 0) *--p = '-';
    weft_buf_put(b, p, (size_t)(digits + sizeof digits - p));
}

void weft_buf_vprintf(weft_buf *b, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = weft_vformat(NULL, 0, fmt, ap);
    if (n >= 0 && reserve(b, (size_t)n)) {
        weft_vformat(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void weft_buf_printf(weft_buf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    weft_buf_vprintf(b, fmt, ap);
    va_end(ap);
}

int weft_utf8_bytes(const unsigned char *p) {
    static const struct { unsigned char first, last, least, most; int bytes; } forms[] = {
        { 0x01, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
        { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };
    size_t i = 0;
    while (i < WEFT_COUNT(forms) && (*p < forms[i].first || *p > forms[i].last)) i++;
    int n = i < WEFT_COUNT(forms) ? forms[i].bytes : 0;
    if (n > 1 && (p[1] < forms[i].least || p[1] > forms[i].most)) return 0;
    for (int k = 2; k < n; k++)
        if ((p[k] & 0xc0) != 0x80) return 0;
    return n;
}

size_t weft_utf8_copy(char *to, size_t room, weft_str s) {
    size_t at = 0, n;
    for (const char *p = s.p, *end = s.p + s.n; p < end && at + 1 < room; p += n, at += n) {
        unsigned char next[5] = { 0 }; /* zeros after the end */
        memcpy(next, p, end - p < 4 ? (size_t)(end - p) : 4);
        int bytes = weft_utf8_bytes(next);
        n = bytes ? (size_t)bytes : 1;
        if (at + n >= room) break;
        if (bytes) memcpy(to + at, p, n);
        else to[at] = '?';
    }
    to[at] = 0;
    return at;
}

uint64_t weft_text_hash(const char *text) { /* FNV-1a */
    uint64_t h = 14695981039346656037u;
    for (const char *p = text ? text : ""; *p; p++) h = (h ^ (unsigned char)*p) * 1099511628211u;
    return h;
}
