/* tokenizer_merge.c: words as tokens, pair by pair, and tokens as texts. */
#include "capi/tokenizer.h"

/* ---- merges ---- */

static uint64_t pair_hash(int32_t left, int32_t right) {
    return weft_hash_end(weft_hash_mix((uint64_t)(uint32_t)left, (uint64_t)(uint32_t)right));
}

const weft_merge *weft_merge_of(const weft_tokenizer *t, int32_t left, int32_t right) {
    size_t probe = 0;
    for (const weft_merge *m; (m = weft_table_next(&t->merges, pair_hash(left, right), &probe));)
        if (m->left == left && m->right == right) return m;
    return NULL;
}

weft_status weft_merge_add(weft_tokenizer *t, const weft_merge *m) {
    const weft_merge *own = weft_arena_dup(&t->arena, m, sizeof *m, _Alignof(weft_merge));
    return own && weft_table_add(&t->merges, &t->arena, pair_hash(m->left, m->right), own) ? WEFT_OK : weft_oom();
}

/* ---- a word ---- */

/* Tokens in a list; one that has become part of another has id -1. */
typedef struct symbol { int32_t id, before, after; } symbol;

/* A merge that may be made at a place, in a heap: the lowest rank is on top, and of equal ones the first place. */
typedef struct chance { const weft_merge *m; int32_t at; } chance;

typedef struct word {
    const weft_tokenizer *t;
    symbol *symbols;
    chance *heap; size_t count;
} word;

static bool comes_first(const chance *a, const chance *b) {
    return a->m->rank != b->m->rank ? a->m->rank < b->m->rank : a->at < b->at;
}

static void offer(word *w, int32_t at) {
    const symbol *s = &w->symbols[at];
    if (s->after < 0) return;
    const chance c = { weft_merge_of(w->t, s->id, w->symbols[s->after].id), at };
    if (!c.m) return;
    size_t i = w->count++;
    for (size_t up; i && (up = (i - 1) / 2, comes_first(&c, &w->heap[up])); i = up) w->heap[i] = w->heap[up];
    w->heap[i] = c;
}

static chance take(word *w) {
    const chance top = w->heap[0], last = w->heap[--w->count];
    size_t i = 0;
    for (size_t down; (down = 2 * i + 1) < w->count; i = down) {
        if (down + 1 < w->count && comes_first(&w->heap[down + 1], &w->heap[down])) down++;
        if (!comes_first(&w->heap[down], &last)) break;
        w->heap[i] = w->heap[down];
    }
    w->heap[i] = last;
    return top;
}

static void merge(word *w) {
    const chance c = take(w);
    symbol *left = &w->symbols[c.at];
    if (left->id != c.m->left || left->after < 0 || w->symbols[left->after].id != c.m->right) return; /* no longer so */
    symbol *right = &w->symbols[left->after];
    left->id = c.m->id;
    left->after = right->after;
    right->id = -1;
    if (left->after >= 0) w->symbols[left->after].before = c.at;
    if (left->before >= 0) offer(w, left->before);
    offer(w, c.at);
}

/* ---- texts ---- */

typedef struct encoding {
    weft_tokenizer *t;
    int32_t *ids;
    size_t n, room;
} encoding;

static weft_status add(encoding *e, int32_t id) {
    if (e->n == e->room)
        return weft_report(e->t->cx, WEFT_D_usage, NULL, "there is room for %zu tokens, and the text has more",
                           e->room);
    e->ids[e->n++] = id;
    return WEFT_OK;
}

static weft_status encode_word(encoding *e, const unsigned char *p, size_t n) {
    weft_context *cx = e->t->cx;
    weft_status st = WEFT_OK;
    if (n > INT32_MAX / 2)
        return weft_report(cx, WEFT_D_unsupported, NULL, "a word of the text has more than %d bytes", INT32_MAX / 2);
    const weft_mark mark = weft_arena_mark(&cx->scratch);
    word w = { .t = e->t, .symbols = weft_scratch_array(cx, symbol, n), .heap = weft_scratch_array(cx, chance, 3 * n) };
    if (!w.symbols || !w.heap) st = weft_oom();
    for (size_t i = 0; st == WEFT_OK && i < n; i++) {
        w.symbols[i] = (symbol){ e->t->of_byte[p[i]], (int32_t)i - 1, i + 1 < n ? (int32_t)i + 1 : -1 };
        if (w.symbols[i].id < 0)
            st = weft_report(cx, WEFT_D_data, NULL, "'%s' has no token for byte 0x%02x", e->t->path, p[i]);
    }
    for (size_t i = 0; st == WEFT_OK && i < n; i++) offer(&w, (int32_t)i);
    while (st == WEFT_OK && w.count) merge(&w);
    for (int32_t i = 0; st == WEFT_OK && i >= 0; i = w.symbols[i].after) st = add(e, w.symbols[i].id);
    weft_arena_reset(&cx->scratch, mark);
    return st;
}

/* The special token that a text begins with; -1: none. */
static int32_t special_at(const weft_tokenizer *t, const unsigned char *p, size_t n) {
    if (!t->begins_special[*p]) return -1;
    for (size_t i = 0; i < t->special_count; i++) {
        const weft_str s = t->tokens[t->specials[i]];
        if (s.n <= n && !memcmp(p, s.p, s.n)) return t->specials[i];
    }
    return -1;
}

/* A part without special tokens. */
static weft_status encode_part(encoding *e, const unsigned char *p, size_t n) {
    weft_status st = WEFT_OK;
    for (size_t bytes; st == WEFT_OK && n; p += bytes, n -= bytes) {
        bytes = weft_word_bytes(p, n);
        st = encode_word(e, p, bytes);
    }
    return st;
}

weft_status(weft_tokenizer_encode)(weft_tokenizer *t, const char *text, size_t bytes, int32_t *ids, size_t room,
                                    size_t *n) {
    if (!t || !n) return WEFT_ERR_USAGE;
    *n = 0;
    if ((!text && bytes) || (!ids && room))
        return weft_report(t->cx, WEFT_D_usage, NULL, "the text or the room for its tokens is NULL");
    encoding e = { t, ids, 0, room };
    const unsigned char *p = (const unsigned char *)text;
    weft_status st = WEFT_OK;
    size_t from = 0;
    for (size_t at = 0; st == WEFT_OK && at < bytes;) {
        const int32_t special = special_at(t, p + at, bytes - at);
        if (special < 0) {
            at++;
            continue;
        }
        st = encode_part(&e, p + from, at - from);
        if (st == WEFT_OK) st = add(&e, special);
        from = at += t->tokens[special].n;
    }
    if (st == WEFT_OK) st = encode_part(&e, p + from, bytes - from);
    if (st == WEFT_OK) *n = e.n;
    return st;
}

weft_status weft_tokenizer_encode_at(weft_source at, weft_tokenizer *t, const char *text, size_t bytes, int32_t *ids,
                                     size_t room, size_t *n) {
    const weft_call call = weft_call_begin(t ? t->cx : NULL, at);
    return weft_call_end(call, (weft_tokenizer_encode)(t, text, bytes, ids, room, n));
}

weft_status(weft_tokenizer_decode)(weft_tokenizer *t, const int32_t *ids, size_t n, char *text, size_t room,
                                    size_t *bytes) {
    if (!t || !bytes) return WEFT_ERR_USAGE;
    *bytes = 0;
    if (!ids && n) return weft_report(t->cx, WEFT_D_usage, NULL, "the tokens are NULL");
    size_t all = 0;
    for (size_t i = 0; i < n; i++) {
        size_t has;
        const char *of = weft_tokenizer_token(t, ids[i], &has);
        if (!of)
            return weft_report(t->cx, WEFT_D_data, NULL, "'%s' has no token %lld", t->path, (long long)ids[i]);
        if (text && has > room - all)
            return weft_report(t->cx, WEFT_D_usage, NULL, "there is room for %zu bytes, and the tokens have more",
                               room);
        if (text) memcpy(text + all, of, has);
        all += has;
    }
    *bytes = all;
    return WEFT_OK;
}

weft_status weft_tokenizer_decode_at(weft_source at, weft_tokenizer *t, const int32_t *ids, size_t n, char *text,
                                     size_t room, size_t *bytes) {
    const weft_call call = weft_call_begin(t ? t->cx : NULL, at);
    return weft_call_end(call, (weft_tokenizer_decode)(t, ids, n, text, room, bytes));
}
