/* checkpoint_read: see checkpoint.h. */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/context.h"
#include "base/file_read.h"
#include "runtime/checkpoint.h"

enum { MOST_PATH = 4096, WINDOW = 1 << 18, DIRECT = 1 << 12 };
#define MOST_TEXT ((int64_t)1 << 30)

/* ---- finding it ---- */

static bool is_there(const char *folder, const char *name) {
    char path[MOST_PATH];
    weft_format(path, sizeof path, "%s/%s", folder, name);
    return !access(path, R_OK);
}

static bool is_complete(const char *dir, const char *name) {
    char path[MOST_PATH];
    weft_format(path, sizeof path, "%s/%s", dir, name);
    return is_there(path, "seal.json");
}

/* The folder that latest names, if it is complete. */
static bool read_latest(const char *dir, char name[64]) {
    char path[MOST_PATH];
    weft_format(path, sizeof path, "%s/latest", dir);
    FILE *f = fopen(path, "rbe");
    const size_t n = f ? fread(name, 1, 63, f) : 0;
    if (f) fclose(f);
    name[n] = 0;
    return n && !strncmp(name, "step-", 5) && !strchr(name, '/') && is_complete(dir, name);
}

/* Without latest, as after its loss: the complete one of the highest step. */
static bool find_highest(const char *dir, char name[64]) {
    DIR *d = opendir(dir);
    long long best = -1;
    int best_further = -1;
    for (const struct dirent *e; d && (e = readdir(d));) {
        long long step;
        int further = 0;
        if (strlen(e->d_name) > 63 || sscanf(e->d_name, "step-%lld.%d", &step, &further) < 1) continue;
        if (step < best || (step == best && further < best_further) || !is_complete(dir, e->d_name)) continue;
        best = step;
        best_further = further;
        strcpy(name, e->d_name);
    }
    if (d) closedir(d);
    return best >= 0;
}

typedef enum form { FORM_NONE, FORM_FOLDER, FORM_FILE } form;

static form find(const char *path, char out[MOST_PATH]) {
    struct stat sb;
    char name[64];
    weft_format(out, MOST_PATH, "%s", path);
    if (strlen(path) > MOST_PATH - 256 || stat(path, &sb)) return FORM_NONE;
    if (!S_ISDIR(sb.st_mode)) return FORM_FILE;
    if (read_latest(path, name) || find_highest(path, name)) {
        weft_format(out, MOST_PATH, "%.*s/%s", MOST_PATH - 128, path, name);
        return FORM_FOLDER;
    }
    if (is_there(path, WEFT_CHECKPOINT_INDEX)) return FORM_FOLDER;
    if (!is_there(path, "model.safetensors")) return FORM_NONE;
    weft_format(out, MOST_PATH, "%.*s/model.safetensors", MOST_PATH - 128, path);
    return FORM_FILE;
}

bool weft_saved_exists(const char *path) {
    char out[MOST_PATH];
    return find(path, out) != FORM_NONE;
}

/* ---- texts ---- */

static weft_status bad(const weft_saved *s, const char *name, const char *why) {
    return weft_report(s->cx, WEFT_D_data, NULL, "'%s/%s' %s", s->folder, name, why);
}

/* A name of a file in the folder, and of none elsewhere. */
static bool is_plain(const char *name) { return name && *name && *name != '.' && !strchr(name, '/'); }

/* A JSON file of the folder, and its hash. */
static weft_status read_json(const weft_saved *s, const char *name, json_t **out, char sum[WEFT_DIGEST_TEXT]) {
    char path[MOST_PATH], *text;
    size_t bytes;
    json_error_t e;
    weft_format(path, sizeof path, "%s/%s", s->folder, name);
    *out = NULL;
    weft_status st = weft_file_read_whole(s->cx, path, MOST_TEXT, &text, &bytes);
    if (st == WEFT_OK && sum && !weft_digest_of(text, bytes, sum)) st = weft_oom();
    if (st == WEFT_OK && !(*out = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &e)))
        st = weft_report(s->cx, WEFT_D_data, NULL, "'%s' is not JSON: line %d: %s", path, e.line, e.text);
    weft_file_text_free(s->cx, text, bytes);
    return st;
}

/* ---- the index ---- */

static weft_status open_file(weft_saved *s, const char *name, weft_safetensors **out) {
    char path[MOST_PATH];
    weft_format(path, sizeof path, "%s/%s", s->folder, name);
    for (size_t f = 0; f < s->file_count; f++)
        if (!strcmp(s->files[f].path, path)) {
            *out = &s->files[f];
            return WEFT_OK;
        }
    *out = &s->files[s->file_count];
    weft_status st = weft_safetensors_open(s->cx, path, *out);
    if (st == WEFT_OK) s->file_count++;
    return st;
}

static const char *text_of(weft_saved *s, const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? weft_arena_strdup(&s->arena, text, strlen(text)) : "";
}

static weft_status read_weft(weft_saved *s, json_t *weft) {
    const json_t *version = json_object_get(weft, "version"), *step = json_object_get(weft, "step");
    if (!json_is_integer(version) || !json_is_integer(step) || json_integer_value(step) < 0)
        return bad(s, WEFT_CHECKPOINT_INDEX, "has no version or no step");
    if (json_integer_value(version) != 1)
        return weft_report(s->cx, WEFT_D_unsupported, NULL,
                           "'%s' is a checkpoint of version %lld, this Weft reads version 1", s->folder,
                           (long long)json_integer_value(version));
    s->step = (int64_t)json_integer_value(step);
    return WEFT_OK;
}

static int by_place(const void *a, const void *b) {
    const weft_saved_array *x = a, *y = b;
    const int files = strcmp(x->file->path, y->file->path);
    if (files) return files;
    if (x->stored->at != y->stored->at) return x->stored->at < y->stored->at ? -1 : 1;
    return strcmp(x->stored->name, y->stored->name);
}

static weft_status read_map(weft_saved *s, json_t *map, const json_t *shardings) {
    const char *name;
    json_t *value;
    const size_t n = json_object_size(map);
    s->files = weft_arena_array(&s->arena, weft_safetensors, n);
    s->arrays = weft_arena_array(&s->arena, weft_saved_array, n);
    if (!s->files || !s->arrays) return weft_oom();
    if (!json_is_object(map)) return bad(s, WEFT_CHECKPOINT_INDEX, "has no weight_map");
    json_object_foreach(map, name, value) {
        const char *file = json_string_value(value);
        weft_safetensors *f;
        weft_saved_array *a = &s->arrays[s->array_count];
        if (!is_plain(file)) return bad(s, WEFT_CHECKPOINT_INDEX, "has a weight_map with more than names of files");
        weft_status st = open_file(s, file, &f);
        if (st != WEFT_OK) return st;
        const json_t *sharding = json_object_get(shardings, name);
        *a = (weft_saved_array){ weft_safetensors_find(f, name), f, text_of(s, sharding, "mesh"),
                                 text_of(s, sharding, "sharding") };
        if (!a->mesh || !a->sharding) return weft_oom();
        if (!a->stored)
            return weft_report(s->cx, WEFT_D_data, NULL, "'%s' has no tensor '%s', which the index says is there",
                               f->path, name);
        s->array_count++;
    }
    qsort(s->arrays, s->array_count, sizeof *s->arrays, by_place);
    return WEFT_OK;
}

/* ---- the seal ---- */

static weft_status compare(weft_saved *s, const char *name, const char *sum, const char *sealed) {
    if (!*sum || !*sealed || !strcmp(sum,
                                     sealed)) return WEFT_OK; /* a Weft without libcrypto has written or reads it */
    return bad(s, name, "is damaged: its SHA-256 is not the sealed one");
}

static weft_status check_header(weft_saved *s, const weft_safetensors *f, const json_t *headers) {
    const char *name = strrchr(f->path, '/') + 1, *sealed = json_string_value(json_object_get(headers, name));
    char sum[WEFT_DIGEST_TEXT];
    weft_allocator *a = &s->cx->alloc;
    if (!sealed) return bad(s, name, "is not in the seal");
    char *bytes = a->resize(a->user, NULL, 0, (size_t)f->header_bytes);
    weft_status st = bytes ? weft_safetensors_read(f, 0, bytes, (size_t)f->header_bytes) : weft_oom();
    if (st == WEFT_OK && !weft_digest_of(bytes, (size_t)f->header_bytes, sum)) st = weft_oom();
    if (bytes) a->resize(a->user, bytes, (size_t)f->header_bytes, 0);
    return st == WEFT_OK ? compare(s, name, sum, sealed) : st;
}

static weft_status read_numbers(weft_saved *s, const json_t *list, uint32_t n, const int64_t **out) {
    int64_t *v = weft_arena_array(&s->arena, int64_t, n);
    if (!v) return weft_oom();
    *out = v;
    if (!json_is_array(list) || json_array_size(list) != n) return WEFT_ERR_INVALID;
    for (uint32_t i = 0; i < n; i++) {
        if (!json_is_integer(json_array_get(list, i))) return WEFT_ERR_INVALID;
        v[i] = (int64_t)json_integer_value(json_array_get(list, i));
    }
    return WEFT_OK;
}

static weft_status read_piece(weft_saved *s, const char *file, const json_t *o) {
    const char *name = json_string_value(json_object_get(o, "array"));
    const weft_saved_array *a = name ? weft_saved_find(s, name) : NULL;
    weft_saved_piece *p = &s->pieces[s->piece_count];
    if (!a) return bad(s, file, "has a part of an array that is not there");
    *p = (weft_saved_piece){ .array = a, .sha256 = text_of(s, o, "sha256") };
    if (!p->sha256) return weft_oom();
    weft_status st = read_numbers(s, json_object_get(o, "start"), a->stored->rank, &p->start);
    if (st == WEFT_OK) st = read_numbers(s, json_object_get(o, "count"), a->stored->rank, &p->count);
    bool inside = st == WEFT_OK;
    for (uint32_t d = 0; inside && d < a->stored->rank; d++)
        inside = p->start[d] >= 0 && p->count[d] >= 0 && p->start[d] <= a->stored->dims[d] &&
                 p->count[d] <= a->stored->dims[d] - p->start[d];
    if (st == WEFT_ERR_MEMORY) return st;
    if (!inside) return bad(s, file, "has a part that is outside of its array");
    s->piece_count++;
    return WEFT_OK;
}

static weft_status read_sums(weft_saved *s, const char *name, const json_t *sealed) {
    char sum[WEFT_DIGEST_TEXT];
    json_t *sums;
    if (!is_plain(name)) return bad(s, "seal.json", "names a file elsewhere");
    weft_status st = read_json(s, name, &sums, sum);
    if (st == WEFT_OK) st = compare(s, name, sum, json_string_value(sealed) ? json_string_value(sealed) : "");
    json_t *list = st == WEFT_OK ? json_object_get(sums, "pieces") : NULL;
    const size_t n = json_array_size(list), before = s->piece_count;
    weft_saved_piece *all = st == WEFT_OK ? weft_arena_array(&s->arena, weft_saved_piece, before + n) : NULL;
    if (st == WEFT_OK && !all) st = weft_oom();
    if (st == WEFT_OK) {
        if (before) memcpy(all, s->pieces, before * sizeof *all);
        s->pieces = all;
    }
    for (size_t i = 0; st == WEFT_OK && i < n; i++) st = read_piece(s, name, json_array_get(list, i));
    json_decref(sums);
    return st;
}

static bool overlaps(const weft_saved_piece *a, const weft_saved_piece *b) {
    for (uint32_t d = 0; d < a->array->stored->rank; d++)
        if (a->start[d] + a->count[d] <= b->start[d] || b->start[d] + b->count[d] <= a->start[d]) return false;
    return true;
}

/* Pieces that do not overlap, and have as many elements as the array. */
static weft_status check_cover(weft_saved *s) {
    for (size_t i = 0; i < s->array_count; i++) {
        const weft_stored *t = s->arrays[i].stored;
        int64_t bytes = 0;
        for (size_t p = 0; p < s->piece_count; p++) {
            int64_t n = (int64_t)weft_dtype_bytes(t->dtype);
            if (s->pieces[p].array != &s->arrays[i]) continue;
            for (uint32_t d = 0; d < t->rank; d++) n *= s->pieces[p].count[d];
            bytes += n;
            for (size_t q = 0; q < p && n; q++)
                if (s->pieces[q].array == &s->arrays[i] && overlaps(&s->pieces[p], &s->pieces[q]))
                    return weft_report(s->cx, WEFT_D_data, NULL, "'%s' has array '%s' twice in part", s->folder,
                                       t->name);
        }
        if (bytes != t->bytes)
            return weft_report(s->cx, WEFT_D_data, NULL, "'%s' has not all of array '%s': %lld of %lld bytes",
                               s->folder,
                               t->name, (long long)bytes, (long long)t->bytes);
    }
    return WEFT_OK;
}

static weft_status read_seal(weft_saved *s, const char *index_sum) {
    json_t *seal, *value;
    const char *name;
    if (!is_there(s->folder, "seal.json"))
        return weft_report(s->cx, WEFT_D_data, NULL, "'%s' is not complete: it has no seal.json", s->folder);
    weft_status st = read_json(s, "seal.json", &seal, NULL);
    if (st != WEFT_OK) return st;
    json_t *sums = json_object_get(seal, "sha256"), *headers = json_object_get(seal, "headers");
    const char *sealed = json_string_value(json_object_get(sums, WEFT_CHECKPOINT_INDEX));
    st = sealed ? compare(s, WEFT_CHECKPOINT_INDEX, index_sum, sealed) : bad(s, "seal.json", "does not seal the index");
    json_object_foreach(sums, name, value)
        if (st == WEFT_OK && strcmp(name, WEFT_CHECKPOINT_INDEX)) st = read_sums(s, name, value);
    for (size_t f = 0; st == WEFT_OK && f < s->file_count; f++) st = check_header(s, &s->files[f], headers);
    s->is_sealed = st == WEFT_OK;
    json_decref(seal);
    return st == WEFT_OK ? check_cover(s) : st;
}

static weft_status open_folder(weft_saved *s) {
    char sum[WEFT_DIGEST_TEXT];
    json_t *index;
    weft_status st = read_json(s, WEFT_CHECKPOINT_INDEX, &index, sum);
    if (st != WEFT_OK) return st;
    json_t *weft = json_object_get(json_object_get(index, "metadata"), "weft");
    if (weft) st = read_weft(s, weft);
    if (st == WEFT_OK) st = read_map(s, json_object_get(index, "weight_map"), json_object_get(weft, "arrays"));
    if (st == WEFT_OK && (weft || is_there(s->folder, "seal.json"))) st = read_seal(s, sum);
    json_decref(index);
    return st;
}

/* One file, without an index. */
static weft_status open_alone(weft_saved *s) {
    s->files = weft_arena_array(&s->arena, weft_safetensors, 1);
    if (!s->files) return weft_oom();
    weft_status st = weft_safetensors_open(s->cx, s->folder, &s->files[0]);
    if (st != WEFT_OK) return st;
    s->file_count = 1;
    s->arrays = weft_arena_array(&s->arena, weft_saved_array, s->files[0].count);
    if (!s->arrays) return weft_oom();
    for (size_t i = 0; i < s->files[0].count; i++)
        s->arrays[s->array_count++] = (weft_saved_array){ &s->files[0].tensors[i], &s->files[0], "", "" };
    return WEFT_OK;
}

weft_status weft_saved_open(weft_context *cx, const char *path, weft_saved *out) {
    char where[MOST_PATH];
    *out = (weft_saved){ .cx = cx, .step = -1 };
    const form how = find(path, where);
    if (how == FORM_NONE) {
        const bool is_torch = is_there(path, "pytorch_model.bin") || is_there(path, "pytorch_model.bin.index.json");
        return weft_report(cx, WEFT_D_file, NULL, "there is no checkpoint in '%s'%s", path,
                           is_torch ? ": its pytorch_model.bin is to be saved as safetensors" : "");
    }
    weft_arena_init(&out->arena, &cx->alloc);
    out->folder = weft_arena_strdup(&out->arena, where, strlen(where));
    weft_status st = out->folder ? WEFT_OK : weft_oom();
    if (st == WEFT_OK) st = how == FORM_FOLDER ? open_folder(out) : open_alone(out);
    if (st != WEFT_OK) weft_saved_close(out);
    return st;
}

void weft_saved_close(weft_saved *s) {
    if (!s->folder) return;
    for (size_t f = 0; f < s->file_count; f++) weft_safetensors_close(&s->files[f]);
    weft_arena_free(&s->arena);
    *s = (weft_saved){ 0 };
}

const weft_saved_array *weft_saved_find(const weft_saved *s, const char *name) {
    for (size_t i = 0; i < s->array_count; i++)
        if (!strcmp(s->arrays[i].stored->name, name)) return &s->arrays[i];
    return NULL;
}

/* ---- data ---- */

typedef struct reading {
    const weft_saved_array *array;
    char *to;                             /* memory for the run's bytes; NULL: only hashed */
    weft_digest *digest;
    char *window; int64_t from, bytes;    /* the last part of the array that was read because of a short run */
} reading;

/* A short run comes from a part that is read at once, with what lies between it and its neighbours. */
static weft_status fetch(reading *r, int64_t file, size_t n, const char **at) {
    const int64_t end = r->array->stored->bytes;
    if (file < r->from || file + (int64_t)n > r->from + r->bytes) {
        r->from = file;
        r->bytes = weft_min_i64(WINDOW, end - file);
        weft_status st = weft_safetensors_read(r->array->file, r->array->stored->at + file, r->window,
                                               (size_t)r->bytes);
        if (st != WEFT_OK) return st;
    }
    *at = r->window + (file - r->from);
    return WEFT_OK;
}

static weft_status read_run(void *user, int64_t file, int64_t memory, size_t n) {
    reading *r = user;
    weft_status st = WEFT_OK;
    const char *at;
    if (r->to && n >= DIRECT) {
        st = weft_safetensors_read(r->array->file, r->array->stored->at + file, r->to + memory, n);
        if (st == WEFT_OK && r->digest) weft_digest_add(r->digest, r->to + memory, n);
        return st;
    }
    for (size_t done = 0; st == WEFT_OK && done < n;) {
        const size_t part = n - done < WINDOW ? n - done : WINDOW;
        st = fetch(r, file + (int64_t)done, part, &at);
        if (st == WEFT_OK && r->to) memcpy(r->to + memory + done, at, part);
        if (st == WEFT_OK && r->digest) weft_digest_add(r->digest, at, part);
        done += part;
    }
    return st;
}

static weft_status read_box(const weft_saved *s, reading r, const weft_box *box) {
    weft_allocator *a = &s->cx->alloc;
    if (!(r.window = a->resize(a->user, NULL, 0, WINDOW))) return weft_oom();
    weft_status st = weft_box_walk(box, read_run, &r);
    a->resize(a->user, r.window, WINDOW, 0);
    return st;
}

weft_status weft_saved_read(const weft_saved *s, const weft_saved_array *a, const weft_box *r, void *to) {
    return read_box(s, (reading){ .array = a, .to = to }, r);
}

weft_status weft_saved_read_strided(const weft_saved *s, const weft_saved_array *a, const weft_strided *v, void *to) {
    const weft_stored *t = a->stored;
    const weft_in_file f = { .cx = s->cx, .path = a->file->path, .fd = a->file->fd, .at = t->at,
                             .elems = t->bytes / (int64_t)weft_dtype_bytes(t->dtype), .dtype = t->dtype };
    return weft_strided_read(&f, v, to);
}

weft_status weft_saved_verify(const weft_saved *s, int64_t share, int64_t shares) {
    weft_status st = WEFT_OK;
    for (int64_t i = share; st == WEFT_OK && i < (int64_t)s->piece_count; i += shares) {
        const weft_saved_piece *p = &s->pieces[i];
        const weft_stored *t = p->array->stored;
        const weft_box r = { t->rank, weft_dtype_bytes(t->dtype), t->dims, p->start, p->count, p->count };
        char sum[WEFT_DIGEST_TEXT];
        weft_digest d;
        if (!*p->sha256 || !weft_digest_is_there()) continue;
        weft_digest_begin(&d);
        st = read_box(s, (reading){ .array = p->array, .digest = &d }, &r);
        const bool hashed = weft_digest_end(&d, sum);
        if (st == WEFT_OK && !hashed) st = weft_oom();
        if (st == WEFT_OK && strcmp(sum, p->sha256))
            st = weft_report(s->cx, WEFT_D_data, NULL, "'%s' is damaged: array '%s' is not what was saved",
                             p->array->file->path,
                             t->name);
    }
    return st;
}
