/* safetensors: see safetensors.h. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context.h"
#include "base/file_read.h"
#include "runtime/safetensors.h"

enum { MOST_RANK = 64 };
#define MOST_HEADER 100000000 /* the format's own limit */

/* Types of less than a byte, f8 of other kinds and complex<f64> have no name. */
static const struct { const char *name; weft_dtype dtype; } types[] = {
    { "BOOL", WEFT_I1 }, { "U8", WEFT_UI8 }, { "I8", WEFT_I8 }, { "F8_E5M2", WEFT_F8E5M2 }, { "F8_E4M3", WEFT_F8E4M3FN },
    { "F8_E8M0", WEFT_F8E8M0FNU }, { "I16", WEFT_I16 }, { "U16", WEFT_UI16 }, { "F16", WEFT_F16 }, { "BF16", WEFT_BF16 },
    { "I32", WEFT_I32 }, { "U32", WEFT_UI32 }, { "F32", WEFT_F32 }, { "C64", WEFT_C64 }, { "F64", WEFT_F64 },
    { "I64", WEFT_I64 }, { "U64", WEFT_UI64 },
};

const char *weft_safetensors_type(weft_dtype t) {
    for (size_t i = 0; i < WEFT_COUNT(types); i++)
        if (types[i].dtype == t) return types[i].name;
    return NULL;
}

void weft_stored_print_type(weft_buf *b, const weft_stored *t) {
    for (uint32_t d = 0; d < t->rank; d++) weft_buf_printf(b, "%lldx", (long long)t->dims[d]);
    weft_buf_puts(b, weft_dtype_of(t->dtype)->name);
}

static weft_dtype dtype_of(const char *name) {
    for (size_t i = 0; i < WEFT_COUNT(types); i++)
        if (!strcmp(types[i].name, name)) return types[i].dtype;
    return WEFT_DTYPE_NONE;
}

/* ---- reading ---- */

static weft_status bad(const weft_safetensors *f, const char *why) {
    return weft_report(f->cx, WEFT_D_data, NULL, "'%s' is not a safetensors file: %s", f->path, why);
}

static weft_status bad_tensor(const weft_safetensors *f, const char *name, const char *why) {
    return weft_report(f->cx, WEFT_D_data, NULL, "'%s' is not a safetensors file: tensor '%s' %s", f->path, name, why);
}

weft_status weft_safetensors_read(const weft_safetensors *f, int64_t at, void *to, size_t n) {
    return weft_file_read(f->cx, f->path, f->fd, at, to, n);
}

static weft_status read_shape(weft_safetensors *f, const char *name, const json_t *shape, weft_stored *t) {
    const size_t rank = json_array_size(shape);
    if (!json_is_array(shape) || rank > MOST_RANK) return bad_tensor(f, name, "has no shape of at most 64 dimensions");
    int64_t *dims = weft_arena_array(&f->arena, int64_t, rank);
    if (!dims) return weft_oom();
    t->rank = (uint32_t)rank;
    t->dims = dims;
    t->bytes = (int64_t)weft_dtype_bytes(t->dtype);
    for (size_t d = 0; d < rank; d++) {
        const json_t *size = json_array_get(shape, d);
        dims[d] = json_is_integer(size) ? (int64_t)json_integer_value(size) : -1;
        if (dims[d] < 0) return bad_tensor(f, name, "has a dimension that is no size");
    }
    for (size_t d = 0; d < rank; d++)
        if (dims[d] == 0) t->bytes = 0;
    for (size_t d = 0; d < rank; d++)
        if (!weft_mul_i64(t->bytes, dims[d], &t->bytes)) return bad_tensor(f, name, "has a shape that is too large");
    return WEFT_OK;
}

static weft_status read_tensor(weft_safetensors *f, const char *name, const json_t *o, weft_stored *t) {
    const char *dtype = json_string_value(json_object_get(o, "dtype"));
    const json_t *offsets = json_object_get(o, "data_offsets"), *begin = json_array_get(offsets, 0),
                 *end = json_array_get(offsets, 1);
    if (!dtype) return bad_tensor(f, name, "has no dtype");
    t->dtype = dtype_of(dtype);
    if (t->dtype == WEFT_DTYPE_NONE)
        return weft_report(f->cx, WEFT_D_unsupported, NULL, "'%s' has tensor '%s' of type '%s', which Weft does not read",
                           f->path, name, dtype);
    t->name = weft_arena_strdup(&f->arena, name, strlen(name));
    if (!t->name) return weft_oom();
    weft_status st = read_shape(f, name, json_object_get(o, "shape"), t);
    if (st != WEFT_OK) return st;
    if (json_array_size(offsets) != 2 || !json_is_integer(begin) || !json_is_integer(end))
        return bad_tensor(f, name, "has no data_offsets");
    const int64_t data = f->bytes - f->header_bytes, from = (int64_t)json_integer_value(begin),
                  to = (int64_t)json_integer_value(end);
    if (from < 0 || to < from || to > data) return bad_tensor(f, name, "has data outside of the file");
    if (to - from != t->bytes) return bad_tensor(f, name, "has data of another size than its shape");
    t->at = f->header_bytes + from;
    return WEFT_OK;
}

static weft_status read_metadata(weft_safetensors *f, json_t *o) {
    const char *key;
    json_t *value;
    const size_t n = json_object_size(o);
    f->keys = weft_arena_array(&f->arena, const char *, n);
    f->texts = weft_arena_array(&f->arena, const char *, n);
    if (!f->keys || !f->texts) return weft_oom();
    if (!json_is_object(o)) return bad(f, "its __metadata__ is no object");
    json_object_foreach(o, key, value) {
        const char *text = json_string_value(value);
        if (!text) return bad(f, "its __metadata__ has more than texts");
        f->keys[f->key_count] = weft_arena_strdup(&f->arena, key, strlen(key));
        f->texts[f->key_count] = weft_arena_strdup(&f->arena, text, strlen(text));
        if (!f->keys[f->key_count] || !f->texts[f->key_count]) return weft_oom();
        f->key_count++;
    }
    return WEFT_OK;
}

static int by_place(const void *a, const void *b) {
    const weft_stored *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1; /* empty ones first */
    return strcmp(x->name, y->name);
}

static weft_status read_header(weft_safetensors *f, json_t *root) {
    const char *name;
    json_t *o;
    weft_status st = WEFT_OK;
    if (!json_is_object(root)) return bad(f, "its header is no object");
    f->tensors = weft_arena_array(&f->arena, weft_stored, json_object_size(root));
    if (!f->tensors) return weft_oom();
    json_object_foreach(root, name, o) {
        if (!strcmp(name, "__metadata__")) st = read_metadata(f, o);
        else st = read_tensor(f, name, o, &f->tensors[f->count++]);
        if (st != WEFT_OK) return st;
    }
    qsort(f->tensors, f->count, sizeof *f->tensors, by_place);
    int64_t at = f->header_bytes;
    for (size_t i = 0; i < f->count; at += f->tensors[i++].bytes)
        if (f->tensors[i].at != at)
            return bad_tensor(f, f->tensors[i].name,
                              f->tensors[i].at < at ? "shares data with another" : "does not follow the one before");
    if (at == f->bytes) return WEFT_OK;
    return weft_report(f->cx, WEFT_D_data, NULL, "'%s' has %lld bytes where its header says %lld", f->path,
                       (long long)f->bytes, (long long)at);
}

static weft_status parse(weft_safetensors *f) {
    unsigned char length[8];
    uint64_t n = 0;
    if (f->bytes < 8) return bad(f, "it is shorter than 8 bytes");
    weft_status st = weft_safetensors_read(f, 0, length, sizeof length);
    if (st != WEFT_OK) return st;
    for (int i = 0; i < 8; i++) n |= (uint64_t)length[i] << (8 * i);
    if (n > MOST_HEADER || (int64_t)n > f->bytes - 8) return bad(f, "its header is longer than the file");
    f->header_bytes = 8 + (int64_t)n;
    char *text = weft_arena_take(&f->arena, n + 1, 1);
    if (!text) return weft_oom();
    st = weft_safetensors_read(f, 8, text, n);
    if (st != WEFT_OK) return st;
    json_error_t e;
    json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
    if (!root)
        return weft_report(f->cx, WEFT_D_data, NULL, "'%s' is not a safetensors file: its header: %s", f->path, e.text);
    st = read_header(f, root);
    json_decref(root);
    return st;
}

weft_status weft_safetensors_open(weft_context *cx, const char *path, weft_safetensors *out) {
    *out = (weft_safetensors){ .cx = cx, .fd = -1 };
    weft_arena_init(&out->arena, &cx->alloc);
    out->path = weft_arena_strdup(&out->arena, path, strlen(path));
    weft_status st = out->path ? weft_file_open(cx, out->path, &out->fd, &out->bytes) : weft_oom();
    if (st == WEFT_OK) st = parse(out);
    if (st != WEFT_OK) weft_safetensors_close(out);
    return st;
}

void weft_safetensors_close(weft_safetensors *f) {
    if (!f->cx) return;
    if (f->fd >= 0) close(f->fd);
    weft_arena_free(&f->arena);
    *f = (weft_safetensors){ .fd = -1 };
}

const weft_stored *weft_safetensors_find(const weft_safetensors *f, const char *name) {
    for (size_t i = 0; i < f->count; i++)
        if (!strcmp(f->tensors[i].name, name)) return &f->tensors[i];
    return NULL;
}

/* ---- writing ---- */

static bool put_text(json_t *o, const char *key, json_t *value) { return value && !json_object_set_new(o, key, value); }

static json_t *describe(const weft_stored *t, int64_t begin) {
    json_t *o = json_object(), *shape = json_array();
    bool ok = o && shape && put_text(o, "dtype", json_string(weft_safetensors_type(t->dtype)));
    for (uint32_t d = 0; ok && d < t->rank; d++) ok = !json_array_append_new(shape, json_integer(t->dims[d]));
    ok = ok && put_text(o, "shape", json_incref(shape)) &&
         put_text(o, "data_offsets", json_pack("[I,I]", (json_int_t)begin, (json_int_t)(begin + t->bytes)));
    json_decref(shape);
    if (ok) return o;
    json_decref(o);
    return NULL;
}

weft_status weft_safetensors_header(weft_context *cx, weft_stored *t, size_t n, const char *const *keys,
                                    const char *const *texts, size_t key_count, weft_buf *out) {
    json_t *root = json_object(), *metadata = json_object();
    bool ok = root && metadata;
    int64_t at = 0;
    char *text = NULL;
    for (size_t i = 0; ok && i < key_count; i++) ok = put_text(metadata, keys[i], json_string(texts[i]));
    if (ok && key_count) ok = put_text(root, "__metadata__", json_incref(metadata));
    for (size_t i = 0; ok && i < n; i++) {
        if (!weft_safetensors_type(t[i].dtype)) {
            json_decref(metadata);
            json_decref(root);
            return weft_report(cx, WEFT_D_unsupported, NULL, "'%s' is of type %s, which safetensors files cannot hold",
                               t[i].name, weft_dtype_of(t[i].dtype)->name);
        }
        t[i].bytes = (int64_t)weft_dtype_bytes(t[i].dtype);
        for (uint32_t d = 0; d < t[i].rank; d++) t[i].bytes *= t[i].dims[d];
        ok = put_text(root, t[i].name, describe(&t[i], at));
        at += t[i].bytes;
    }
    if (ok) text = json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(metadata);
    json_decref(root);
    if (!text) return weft_oom();
    const size_t length = strlen(text), padded = (length + 7) / 8 * 8; /* so that the data is aligned */
    for (int i = 0; i < 8; i++) weft_buf_putc(out, (char)(padded >> (8 * i)));
    weft_buf_puts(out, text);
    for (size_t i = length; i < padded; i++) weft_buf_putc(out, ' ');
    free(text);
    at = (int64_t)(8 + padded);
    for (size_t i = 0; i < n; at += t[i++].bytes) t[i].at = at;
    return out->failed ? weft_oom() : WEFT_OK;
}
