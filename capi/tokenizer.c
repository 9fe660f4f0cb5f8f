/* tokenizer.c: opening what Hugging Face's tokenizers wrote: tokenizer.json, or vocab.json and merges.txt.
 *
 * In these files the bytes of a token are characters: a byte that prints stands for itself, another for a character
 * from 256 on.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file_read.h"
#include "capi/tokenizer.h"

#define MOST_FILE ((int64_t)1 << 30)
#define MOST_ID ((json_int_t)1 << 30)
enum { ALONE = 257 }; /* tokens that are there without pairs: of bytes, and the end of a text */

typedef struct opening {
    weft_tokenizer *t;
    weft_context *cx;
    weft_buf path;                        /* of the file that is read */
    int byte_of[512];                     /* of a character; -1: none */
    json_t *vocab;                        /* tokens' numbers, by their characters */
} opening;

static weft_status bad(const opening *o, const char *format, ...) WEFT_PRINTF(2, 3);
static weft_status bad(const opening *o, const char *format, ...) {
    char why[512];
    va_list args;
    va_start(args, format);
    weft_vformat(why, sizeof why, format, args);
    va_end(args);
    return weft_report(o->cx, WEFT_D_data, NULL, "'%.*s' %s", (int)o->path.n, o->path.p, why);
}

/* ---- files ---- */

static weft_status read_json(opening *o, json_t **out) {
    char *text;
    size_t bytes;
    json_error_t e;
    weft_status st = weft_file_read_whole(o->cx, o->path.p, MOST_FILE, &text, &bytes);
    *out = st == WEFT_OK ? json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &e) : NULL;
    if (st == WEFT_OK && !*out) st = bad(o, "is not JSON: line %d: %s", e.line, e.text);
    weft_file_text_free(o->cx, text, bytes);
    return st;
}

/* ---- bytes and characters ---- */

static bool prints(int byte) { return (byte > 32 && byte < 127) || (byte > 160 && byte != 173); }

static void map_bytes(opening *o) {
    int next = 256;
    for (int c = 0; c < 512; c++) o->byte_of[c] = -1;
    for (int b = 0; b < 256; b++) o->byte_of[prints(b) ? b : next++] = b;
}

/* A token's bytes, in the tokenizer's memory: of its characters, or where one is no byte's the text as it is. */
static weft_status spell(opening *o, const char *text, weft_str *out) {
    const unsigned char *p = (const unsigned char *)text;
    const size_t bytes = strlen(text);
    char *to = weft_arena_alloc(&o->t->arena, bytes + 1, 1);
    if (!to) return weft_oom();
    *out = (weft_str){ to, 0 };
    for (size_t i = 0; i < bytes;) {
        const bool is_two = (p[i] & 0xe0) == 0xc0; /* the JSON's text is UTF-8 */
        const int c = is_two ? (p[i] & 0x1f) << 6 | (p[i + 1] & 0x3f) : p[i] < 0x80 ? p[i] : 0x1ff;
        if (c > 0x1ff || o->byte_of[c] < 0) {
            memcpy(to, text, bytes + 1);
            out->n = bytes;
            return WEFT_OK;
        }
        to[out->n++] = (char)o->byte_of[c];
        i += is_two ? 2 : 1;
    }
    to[out->n] = 0;
    return WEFT_OK;
}

/* ---- the vocabulary ---- */

static weft_status id_of(const opening *o, const json_t *value, const char *token, int32_t *id) {
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > MOST_ID)
        return bad(o, "has no number from 0 on for token '%s'", token);
    *id = (int32_t)json_integer_value(value);
    return WEFT_OK;
}

/* Room for the tokens of a vocabulary and of a list of further ones. */
static weft_status make_room(opening *o, const json_t *more) {
    const char *token;
    json_t *value;
    size_t i;
    int32_t id, most = -1;
    weft_status st = WEFT_OK;
    json_object_foreach(o->vocab, token, value) {
        if ((st = id_of(o, value, token, &id)) != WEFT_OK) return st;
        if (id > most) most = id;
    }
    json_array_foreach(more, i, value) {
        token = json_string_value(json_object_get(value, "content"));
        if ((st = id_of(o, json_object_get(value, "id"), token ? token : "", &id)) != WEFT_OK) return st;
        if (id > most) most = id;
    }
    if (most < 0) return bad(o, "has no tokens");
    if ((size_t)most > 16 * (json_object_size(o->vocab) + json_array_size(more)) + 65536)
        return bad(o, "has %zu tokens, and one with the number %d", json_object_size(o->vocab), most);
    o->t->count = (int64_t)most + 1;
    o->t->tokens = weft_arena_array(&o->t->arena, weft_str, (size_t)o->t->count);
    return o->t->tokens ? WEFT_OK : weft_oom();
}

static weft_status read_vocabulary(opening *o) {
    const char *token;
    json_t *value;
    weft_status st = WEFT_OK;
    json_object_foreach(o->vocab, token, value) {
        const int32_t id = (int32_t)json_integer_value(value);
        weft_str *to = &o->t->tokens[id];
        if (to->p) return bad(o, "has the number %d twice, for '%s' too", id, token);
        if ((st = spell(o, token, to)) != WEFT_OK) return st;
    }
    for (int c = 0; c < 512; c++) {
        const char one[] = { (char)c, 0 }, two[] = { (char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)), 0 };
        const json_t *known = o->byte_of[c] >= 0 ? json_object_get(o->vocab, c < 0x80 ? one : two) : NULL;
        if (known) o->t->of_byte[o->byte_of[c]] = (int32_t)json_integer_value(known);
    }
    return st;
}

/* ---- pairs ---- */

static weft_status token_id(const opening *o, const char *token, int32_t *id) {
    const json_t *value = json_object_get(o->vocab, token);
    if (!value) return bad(o, "joins token '%.64s', which the vocabulary lacks", token);
    *id = (int32_t)json_integer_value(value);
    return WEFT_OK;
}

static weft_status add_merge(opening *o, const char *left, const char *right, size_t rank) {
    weft_merge m = { .rank = (int32_t)rank };
    weft_buf both;
    weft_buf_init(&both, &o->cx->alloc);
    weft_buf_printf(&both, "%s%s", left, right);
    weft_status st = both.failed ? weft_oom() : token_id(o, left, &m.left);
    if (st == WEFT_OK) st = token_id(o, right, &m.right);
    if (st == WEFT_OK) st = token_id(o, both.p, &m.id);
    weft_buf_free(&both);
    if (st != WEFT_OK) return st;
    if (weft_merge_of(o->t, m.left, m.right)) return bad(o, "has the pair '%.64s %.64s' twice", left, right);
    return weft_merge_add(o->t, &m);
}

/* "left right"; the text is changed. */
static weft_status add_line(opening *o, char *line, size_t rank) {
    char *blank = strchr(line, ' ');
    if (!blank || blank == line || !blank[1] || strchr(blank + 1, ' '))
        return bad(o, "has pair %zu as '%.64s', which is not two tokens with a blank between them", rank + 1, line);
    *blank = 0;
    return add_merge(o, line, blank + 1, rank);
}

static weft_status read_merges_json(opening *o, const json_t *list) {
    json_t *value;
    size_t i;
    if (!json_is_array(list)) return bad(o, "has no list of pairs: model.merges");
    weft_status st = WEFT_OK;
    json_array_foreach(list, i, value) {
        const char *left = json_string_value(json_array_get(value, 0));
        const char *right = json_string_value(json_array_get(value, 1));
        weft_buf line;
        if (json_is_array(value)) {
            if (!left || !right || json_array_size(value) != 2) st = bad(o, "has pair %zu not as two tokens", i + 1);
            else st = add_merge(o, left, right, i);
        } else {
            weft_buf_init(&line, &o->cx->alloc);
            weft_buf_puts(&line, json_is_string(value) ? json_string_value(value) : "");
            st = line.failed ? weft_oom() : add_line(o, line.p, i);
            weft_buf_free(&line);
        }
        if (st != WEFT_OK) return st;
    }
    return st;
}

/* A line per pair, after one that begins with "#version". A list that is split between two lines cannot be told. */
static weft_status read_merges_text(opening *o) {
    char *text, *line, *rest;
    size_t bytes, rank = 0;
    weft_status st = weft_file_read_whole(o->cx, o->path.p, MOST_FILE, &text, &bytes);
    if (st == WEFT_OK && memchr(text, 0, bytes)) st = bad(o, "has a NUL, so it is no text");
    if (st == WEFT_OK && bytes && text[bytes - 1] != '\n') st = bad(o, "is cut off: its last line has no end");
    for (rest = text; st == WEFT_OK && (line = strsep(&rest, "\n"));) {
        const size_t n = strlen(line);
        if (n && line[n - 1] == '\r') line[n - 1] = 0;
        if (!strncmp(line, "#version", 8) || (!*line && !rest)) continue;
        st = add_line(o, line, rank++);
    }
    if (st == WEFT_OK && !rank && o->t->count > ALONE) st = bad(o, "has no pairs");
    weft_file_text_free(o->cx, text, bytes);
    return st;
}

/* ---- special tokens ---- */

static int longest_first(const void *a, const void *b, void *tokens) {
    const weft_str *all = tokens, *x = &all[*(const int32_t *)a], *y = &all[*(const int32_t *)b];
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : memcmp(x->p, y->p, x->n);
}

static void add_special(opening *o, int32_t id) {
    o->t->specials[o->t->special_count++] = id;
    o->t->begins_special[(unsigned char)*o->t->tokens[id].p] = true;
}

static bool has_flag(const json_t *token, const char *flag) { return json_is_true(json_object_get(token, flag)); }

/* Tokens beside the vocabulary, which are found in texts as they are. */
static weft_status read_added(opening *o, const json_t *list) {
    json_t *value;
    size_t i;
    o->t->specials = weft_arena_array(&o->t->arena, int32_t, json_array_size(list));
    if (!o->t->specials) return weft_oom();
    json_array_foreach(list, i, value) {
        const char *content = json_string_value(json_object_get(value, "content"));
        const int32_t id = (int32_t)json_integer_value(json_object_get(value, "id"));
        weft_str *to = &o->t->tokens[id];
        if (!content || !*content) return bad(o, "has an added token without content");
        if (has_flag(value, "single_word") || has_flag(value, "lstrip") || has_flag(value, "rstrip"))
            return bad(o, "has '%.64s' as a word or with blanks beside it, which Weft does not look for", content);
        const json_t *known = json_object_get(o->vocab, content);
        if (to->p && (!known || json_integer_value(known) != id))
            return bad(o, "has the number %d twice, for '%.64s' too", id, content);
        if (!to->p && known) return bad(o, "has '%.64s' twice, with two numbers", content);
        *to = (weft_str){ weft_arena_strdup(&o->t->arena, content, strlen(content)), strlen(content) };
        if (!to->p) return weft_oom();
        add_special(o, id);
    }
    qsort_r(o->t->specials, o->t->special_count, sizeof *o->t->specials, longest_first, o->t->tokens);
    for (i = 1; i < o->t->special_count; i++)
        if (!longest_first(&o->t->specials[i - 1], &o->t->specials[i], o->t->tokens))
            return bad(o, "has '%.64s' twice", o->t->tokens[o->t->specials[i]].p);
    return WEFT_OK;
}

/* ---- the two layouts ---- */

static bool is_none(const json_t *o, const char *key) {
    const json_t *v = json_object_get(o, key);
    return !v || json_is_null(v) || json_is_false(v) || (json_is_string(v) && !*json_string_value(v));
}

static weft_status check_kind(const opening *o, const json_t *all, const json_t *model) {
    static const char *const unknown[] = { "dropout", "continuing_subword_prefix", "end_of_word_suffix",
                                           "byte_fallback", "ignore_merges" };
    const json_t *words = json_object_get(all, "pre_tokenizer");
    const char *kind = json_string_value(json_object_get(model, "type"));
    const char *cut = json_string_value(json_object_get(words, "type"));
    if (!model || (kind && strcmp(kind, "BPE")))
        return bad(o, "is a tokenizer of the kind '%.64s', not BPE", kind ? kind : "");
    if (!cut || strcmp(cut, "ByteLevel") || has_flag(words, "add_prefix_space") ||
        json_is_false(json_object_get(words, "use_regex")))
        return bad(o, "cuts words otherwise than GPT-2: its pre_tokenizer is '%.64s'", cut ? cut : "");
    if (!is_none(all, "normalizer")) return bad(o, "changes texts first: it has a normalizer");
    for (size_t i = 0; i < WEFT_COUNT(unknown); i++)
        if (!is_none(model, unknown[i])) return bad(o, "has %s, which Weft does not know", unknown[i]);
    return WEFT_OK;
}

static weft_status read_whole(opening *o) {
    json_t *all;
    weft_status st = read_json(o, &all);
    if (st != WEFT_OK) return st;
    const json_t *model = json_object_get(all, "model"), *added = json_object_get(all, "added_tokens");
    o->vocab = json_object_get(model, "vocab");
    st = check_kind(o, all, model);
    if (st == WEFT_OK && !json_is_object(o->vocab)) st = bad(o, "has no vocabulary: model.vocab");
    if (st == WEFT_OK) st = make_room(o, added);
    if (st == WEFT_OK) st = read_vocabulary(o);
    if (st == WEFT_OK) st = read_merges_json(o, json_object_get(model, "merges"));
    if (st == WEFT_OK) st = read_added(o, added);
    json_decref(all);
    return st;
}

static weft_status read_two(opening *o) {
    const size_t folder = o->path.n - strlen("vocab.json");
    json_t *added = json_array();
    weft_status st = added ? read_json(o, &o->vocab) : weft_oom();
    const json_t *end = st == WEFT_OK ? json_object_get(o->vocab, "<|endoftext|>") : NULL;
    if (st == WEFT_OK && !json_is_object(o->vocab)) st = bad(o, "is no vocabulary");
    if (st == WEFT_OK) st = make_room(o, NULL);
    if (st == WEFT_OK) st = read_vocabulary(o);
    if (st == WEFT_OK && end &&
        json_array_append_new(added, json_pack("{s:s,s:I}", "content", "<|endoftext|>", "id", json_integer_value(end))))
        st = weft_oom();
    if (st == WEFT_OK) st = read_added(o, added);
    o->path.n = folder;
    weft_buf_puts(&o->path, "merges.txt");
    if (st == WEFT_OK && o->path.failed) st = weft_oom();
    if (st == WEFT_OK) st = read_merges_text(o);
    json_decref(o->vocab);
    json_decref(added);
    return st;
}

/* ---- opening ---- */

static bool ends_with(const weft_buf *path, const char *end) {
    const size_t n = strlen(end);
    return path->n >= n && !memcmp(path->p + path->n - n, end, n);
}

static bool try_file(opening *o, const char *folder, const char *name) {
    o->path.n = 0;
    weft_buf_printf(&o->path, "%s/%s", folder, name);
    return o->path.failed || !access(o->path.p, F_OK);
}

/* Makes o->path the file to begin with: path, or of a folder its tokenizer.json, else its vocab.json. */
static weft_status find(opening *o, const char *path) {
    struct stat sb;
    if (stat(path, &sb) || !S_ISDIR(sb.st_mode)) weft_buf_puts(&o->path, path);
    else if (!try_file(o, path, "tokenizer.json") && !try_file(o, path, "vocab.json"))
        return weft_report(o->cx, WEFT_D_file, NULL, "'%s' has neither tokenizer.json nor vocab.json", path);
    return o->path.failed ? weft_oom() : WEFT_OK;
}

weft_status(weft_tokenizer_open)(weft_context *cx, const char *path, weft_tokenizer **out) {
    if (!out) return weft_report(cx, WEFT_D_usage, NULL, "the tokenizer has no output pointer: out is NULL");
    *out = NULL;
    if (!path) return weft_report(cx, WEFT_D_usage, NULL, "the path of the tokenizer is NULL");
    weft_tokenizer *t = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *t);
    if (!t) return weft_oom();
    *t = (weft_tokenizer){ .cx = cx };
    weft_arena_init(&t->arena, &cx->alloc);
    for (int b = 0; b < 256; b++) t->of_byte[b] = -1;
    opening o = { .t = t, .cx = cx };
    weft_buf_init(&o.path, &cx->alloc);
    map_bytes(&o);
    weft_status st = find(&o, path);
    if (st == WEFT_OK) st = (t->path = weft_arena_strdup(&t->arena, o.path.p, o.path.n)) ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) st = ends_with(&o.path, "vocab.json") ? read_two(&o) : read_whole(&o);
    weft_buf_free(&o.path);
    if (st == WEFT_OK) *out = t;
    else weft_tokenizer_close(t);
    return st;
}

weft_status weft_tokenizer_open_at(weft_source at, weft_context *cx, const char *path, weft_tokenizer **out) {
    const weft_call call = weft_call_begin(cx, at);
    return weft_call_end(call, (weft_tokenizer_open)(cx, path, out));
}

void weft_tokenizer_close(weft_tokenizer *t) {
    if (!t) return;
    weft_allocator alloc = t->cx->alloc;
    weft_arena_free(&t->arena);
    alloc.resize(alloc.user, t, sizeof *t, 0);
}

int64_t weft_tokenizer_count(const weft_tokenizer *t) { return t ? t->count : 0; }

const char *weft_tokenizer_token(const weft_tokenizer *t, int64_t id, size_t *bytes) {
    const bool is_there = t && id >= 0 && id < t->count && t->tokens[id].p;
    if (bytes) *bytes = is_there ? t->tokens[id].n : 0;
    return is_there ? t->tokens[id].p : NULL;
}

int64_t weft_tokenizer_special(const weft_tokenizer *t, const char *text) {
    for (size_t i = 0; t && text && i < t->special_count; i++)
        if (weft_str_is(t->tokens[t->specials[i]], text)) return t->specials[i];
    return -1;
}
