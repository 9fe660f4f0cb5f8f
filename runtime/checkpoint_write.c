/* checkpoint_write: see checkpoint.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/context.h"
#include "runtime/checkpoint.h"
#include "runtime/piece_writer.h"

enum { MOST_PATH = 4096, POLL_NS = 5000000 };

typedef struct model_file {
    char name[48];
    size_t first, count;                  /* of the arrays */
    const char *header; size_t header_bytes;
    int64_t bytes;
    char sha256[WEFT_DIGEST_TEXT];        /* of the header */
} model_file;

struct weft_save {
    weft_context *cx;
    weft_arena arena;
    const char *dir, *folder;             /* folder: while it is written */
    int64_t step;
    weft_stored *arrays;
    size_t *file_of, array_count;
    model_file *files;
    size_t file_count;
    const char *index; size_t index_bytes;
    int lock;                             /* dir, by the process that made the folder; -1: not locked */
    char why[2 * MOST_PATH];
};

const char *weft_save_why(const weft_save *s) { return s->why; }

/* ---- the plan ---- */

static const char *join(weft_arena *a, const char *dir, const char *name) {
    const size_t n = strlen(dir), m = strlen(name);
    char *p = weft_arena_alloc(a, n + m + 2, 1);
    if (!p) return NULL;
    memcpy(p, dir, n);
    p[n] = '/';
    memcpy(p + n + 1, name, m);
    return p;
}

static weft_status split(weft_save *s, int64_t most) {
    int64_t bytes = 0;
    s->files = weft_arena_array(&s->arena, model_file, s->array_count + 1);
    s->file_of = weft_arena_array(&s->arena, size_t, s->array_count);
    if (!s->files || !s->file_of) return weft_oom();
    s->file_count = 1;
    for (size_t i = 0; i < s->array_count; i++) {
        model_file *f = &s->files[s->file_count - 1];
        if (f->count && bytes + s->arrays[i].bytes > most) {
            f = &s->files[s->file_count++];
            f->first = i;
            bytes = 0;
        }
        s->file_of[i] = s->file_count - 1;
        f->count++;
        bytes += s->arrays[i].bytes;
    }
    for (size_t f = 0; f < s->file_count; f++)
        weft_format(s->files[f].name, sizeof s->files[f].name, "model-%05zu-of-%05zu.safetensors", f + 1,
                    s->file_count);
    return WEFT_OK;
}

static weft_status make_header(weft_save *s, model_file *f) {
    static const char *const keys[] = { "format" }, *const texts[] = { "pt" }; /* which loaders of models ask for */
    weft_buf b;
    weft_buf_init(&b, &s->cx->alloc);
    weft_status st = weft_safetensors_header(s->cx, s->arrays + f->first, f->count, keys, texts, 1, &b);
    if (st == WEFT_OK) {
        f->header = weft_arena_dup(&s->arena, b.p, b.n, 1);
        f->header_bytes = b.n;
        f->bytes = (int64_t)b.n;
        for (size_t i = 0; i < f->count; i++) f->bytes += s->arrays[f->first + i].bytes;
        if (!f->header || !weft_digest_of(b.p, b.n, f->sha256)) st = weft_oom();
    }
    weft_buf_free(&b);
    return st;
}

static bool put(json_t *o, const char *key, json_t *value) { return value && !json_object_set_new(o, key, value); }

static json_t *describe(const weft_save *s, const weft_save_array *given) {
    json_t *index = json_object(), *map = json_object(), *arrays = json_object();
    int64_t total = 0;
    bool ok = index && map && arrays;
    for (size_t i = 0; ok && i < s->array_count; i++) {
        total += s->arrays[i].bytes;
        ok = put(map, given[i].name, json_string(s->files[s->file_of[i]].name)) &&
             put(arrays, given[i].name, json_pack("{s:s,s:s}", "mesh", given[i].mesh, "sharding", given[i].sharding));
    }
    ok = ok && put(index, "metadata",
                   json_pack("{s:I,s:{s:i,s:I,s:O}}", "total_size", (json_int_t)total, "weft", "version", 1, "step",
                             (json_int_t)s->step, "arrays", arrays)) &&
         put(index, "weight_map", json_incref(map));
    json_decref(map);
    json_decref(arrays);
    if (ok) return index;
    json_decref(index);
    return NULL;
}

static weft_status make_index(weft_save *s, const weft_save_array *given) {
    json_t *index = describe(s, given);
    char *text = index ? json_dumps(index, JSON_INDENT(2)) : NULL;
    json_decref(index);
    if (text) {
        s->index_bytes = strlen(text);
        s->index = weft_arena_strdup(&s->arena, text, s->index_bytes);
    }
    free(text);
    return s->index ? WEFT_OK : weft_oom();
}

weft_status weft_save_plan(weft_context *cx, const char *dir, int64_t step, const weft_save_array *arrays, size_t n,
                           int64_t file_bytes, weft_save **out) {
    char name[48];
    weft_save *s = cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *s);
    *out = NULL;
    if (!s) return weft_oom();
    *s = (weft_save){ .cx = cx, .step = step, .array_count = n, .lock = -1 };
    weft_arena_init(&s->arena, &cx->alloc);
    weft_format(name, sizeof name, "saving-step-%08lld", (long long)step);
    s->dir = weft_arena_strdup(&s->arena, dir, strlen(dir));
    s->folder = s->dir ? join(&s->arena, dir, name) : NULL;
    s->arrays = weft_arena_array(&s->arena, weft_stored, n);
    weft_status st = s->folder && s->arrays ? WEFT_OK : weft_oom();
    if (st == WEFT_OK && strlen(dir) > MOST_PATH - 256)
        st = weft_report(cx, WEFT_D_usage, NULL, "the path of the checkpoints is longer than %d bytes",
                         MOST_PATH - 256);
    for (size_t i = 0; st == WEFT_OK && i < n; i++) {
        const weft_save_array *g = &arrays[i];
        weft_stored *a = &s->arrays[i];
        *a = (weft_stored){ .name = weft_arena_strdup(&s->arena, g->name, strlen(g->name)), .dtype = g->dtype,
                            .rank = g->rank,
                            .dims = weft_arena_dup(&s->arena, g->dims, g->rank * sizeof *g->dims, _Alignof(int64_t)),
                            .bytes = (int64_t)weft_dtype_bytes(g->dtype) };
        if (!a->name || !a->dims) st = weft_oom();
        for (uint32_t d = 0; d < g->rank; d++) a->bytes *= g->dims[d];
    }
    if (st == WEFT_OK) st = split(s, file_bytes);
    for (size_t f = 0; st == WEFT_OK && f < s->file_count; f++) st = make_header(s, &s->files[f]);
    if (st == WEFT_OK) st = make_index(s, arrays);
    if (st == WEFT_OK) *out = s;
    else weft_save_free(s);
    return st;
}

static void unlock(weft_save *s) {
    if (s->lock >= 0) close(s->lock);
    s->lock = -1;
}

void weft_save_free(weft_save *s) {
    if (!s) return;
    unlock(s);
    weft_allocator alloc = s->cx->alloc;
    weft_arena_free(&s->arena);
    alloc.resize(alloc.user, s, sizeof *s, 0);
}

/* ---- files ---- */

static weft_status fail(weft_save *s, const char *path, const char *what) {
    const int why = errno;
    if (!s->why[0]) weft_format(s->why, sizeof s->why, "'%s' cannot be %s: %s", path, what, strerror(why));
    return WEFT_ERR_IO;
}

static bool sync_dir(const char *path) {
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool ok = fd >= 0 && (!fsync(fd) || errno == EINVAL);
    if (fd >= 0) close(fd);
    return ok;
}

static void path_of(char out[MOST_PATH], const char *dir, const char *name) {
    weft_format(out, MOST_PATH, "%s/%s", dir, name);
}

/* The file is whole, and on the disk, once it has its name. */
static weft_status write_file(weft_save *s, const char *dir, const char *name, const char *text, size_t n) {
    char new[MOST_PATH], path[MOST_PATH];
    path_of(path, dir, name);
    weft_format(new, sizeof new, "%s/new-%s", dir, name);
    const int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && weft_write_at(fd, text, n, 0) && !fsync(fd);
    if (fd >= 0 && close(fd)) ok = false;
    if (ok) ok = !rename(new, path);
    return ok ? WEFT_OK : fail(s, path, "written");
}

/* A folder without folders in it. */
static void remove_folder(const char *path) {
    DIR *d = opendir(path);
    if (!d) return;
    for (const struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) (void)unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    (void)rmdir(path);
}

static weft_status create_file(weft_save *s, const model_file *f) {
    char path[MOST_PATH];
    path_of(path, s->folder, f->name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && weft_write_at(fd, f->header, f->header_bytes, 0);
    if (ok && f->bytes > (int64_t)f->header_bytes) {
        errno = posix_fallocate(fd, 0, (off_t)f->bytes); /* a full disk is found before anything is computed further */
        ok = !errno;
    }
    if (ok) ok = !fsync(fd);
    if (fd >= 0 && close(fd)) ok = false;
    return ok ? WEFT_OK : fail(s, path, "written");
}

/* What crashes have left, of any step: while the directory is locked, no other job writes or removes a checkpoint
 * there. */
static void remove_rests(const char *dir) {
    DIR *d = opendir(dir);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[MOST_PATH];
        if (strncmp(e->d_name, "saving-step-", 12) && strncmp(e->d_name, "removing-step-", 14)) continue;
        path_of(path, dir, e->d_name);
        remove_folder(path);
    }
    if (d) closedir(d);
}

/* A second job would remove what the first one writes, and write into it. File systems without locks (an error but that
 * of a lock that another has) are not guarded. */
static weft_status lock(weft_save *s) {
    s->lock = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->lock < 0) return fail(s, s->dir, "opened");
    if (!flock(s->lock, LOCK_EX | LOCK_NB)) {
        remove_rests(s->dir);
        return WEFT_OK;
    }
    const bool is_taken = errno == EWOULDBLOCK;
    unlock(s);
    if (!is_taken) return WEFT_OK;
    weft_format(s->why, sizeof s->why, "another job is saving a checkpoint in '%s': each needs a directory of its own",
                s->dir);
    return WEFT_ERR_IO;
}

weft_status weft_save_create(weft_save *s) {
    weft_status st = WEFT_OK;
    if (mkdir(s->dir, 0777) && errno != EEXIST) st = fail(s, s->dir, "made");
    if (st == WEFT_OK) st = lock(s);
    if (st != WEFT_OK) return weft_report(s->cx, WEFT_D_file, NULL, "%s", s->why);
    remove_folder(s->folder); /* of a file system without locks */
    if (st == WEFT_OK && mkdir(s->folder, 0777)) st = fail(s, s->folder, "made");
    for (size_t f = 0; st == WEFT_OK && f < s->file_count; f++) st = create_file(s, &s->files[f]);
    if (st == WEFT_OK) return st;
    remove_folder(s->folder);
    unlock(s);
    return weft_report(s->cx, WEFT_D_file, NULL, "%s", s->why);
}

void weft_save_abandon(weft_save *s) {
    remove_folder(s->folder);
    unlock(s);
}

/* ---- pieces ---- */

static json_t *numbers(const int64_t *v, uint32_t n) {
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < n; i++)
        if (json_array_append_new(list, json_integer(v[i]))) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

static bool add_sum(json_t *list, const weft_stored *a, const weft_piece *p) {
    json_t *start = numbers(p->box.start, a->rank), *count = numbers(p->box.count, a->rank);
    json_t *o = start && count ? json_pack("{s:s,s:O,s:O,s:s}", "array", a->name, "start", start, "count", count,
                                           "sha256", p->sha256)
                               : NULL;
    json_decref(start);
    json_decref(count);
    return o && !json_array_append_new(list, o);
}

/* n pieces of one array: one whose data is read, or several that are there. */
static weft_status write_array(weft_save *s, const weft_save_piece *pieces, size_t n, int fd, json_t *list) {
    const weft_stored *a = &s->arrays[pieces->array];
    weft_piece *w = calloc(n, sizeof *w);
    bool ok = w != NULL;
    weft_status st = WEFT_OK;
    for (size_t i = 0; ok && st == WEFT_OK && i < n; i++) {
        const weft_save_piece *p = &pieces[i];
        w[i] = (weft_piece){ { a->rank, weft_dtype_bytes(a->dtype), a->dims, p->start, p->count, p->local }, p->data,
                             "" };
        if (p->read) st = p->read(p->user, p->array, &w[i].data);
    }
    if (st == WEFT_OK && ok) ok = weft_pieces_write(fd, a->at, w, n);
    if (st == WEFT_OK && !ok) st = fail(s, s->files[s->file_of[pieces->array]].name, "written");
    for (size_t i = 0; st == WEFT_OK && i < n; i++) {
        errno = ENOMEM;
        if (!add_sum(list, a, &w[i])) st = fail(s, a->name, "hashed");
    }
    free(w);
    return st;
}

/* How many of the pieces are written together. */
static size_t together(const weft_save_piece *p, size_t n) {
    size_t k = 1;
    while (k < n && !p[0].read && !p[k].read && p[k].array == p[0].array) k++;
    return k;
}

static weft_status write_pieces(weft_save *s, size_t file, const weft_save_piece *pieces, size_t n, json_t *list) {
    char path[MOST_PATH];
    weft_status st = WEFT_OK;
    int fd = -1;
    path_of(path, s->folder, s->files[file].name);
    for (size_t i = 0, k; st == WEFT_OK && i < n; i += k) {
        k = together(&pieces[i], n - i);
        if (s->file_of[pieces[i].array] != file) continue;
        if (fd < 0 && (fd = open(path, O_WRONLY | O_CLOEXEC)) < 0) st = fail(s, path, "opened");
        if (st == WEFT_OK) st = write_array(s, &pieces[i], k, fd, list);
    }
    if (fd < 0) return st;
    if (st == WEFT_OK && fsync(fd)) st = fail(s, path, "written");
    if (close(fd) && st == WEFT_OK) st = fail(s, path, "written");
    return st;
}

weft_status weft_save_write(weft_save *s, const weft_save_piece *pieces, size_t n, int p, int processes) {
    char name[64];
    json_t *list = json_array(), *sums = NULL;
    char *text = NULL;
    weft_status st = WEFT_OK;
    for (size_t f = 0; list && st == WEFT_OK && f < s->file_count; f++) st = write_pieces(s, f, pieces, n, list);
    weft_format(name, sizeof name, "sums-%05d-of-%05d.json", p, processes);
    if (list && st == WEFT_OK) sums = json_pack("{s:i,s:O}", "version", 1, "pieces", list);
    if (sums) text = json_dumps(sums, JSON_INDENT(1));
    if (st == WEFT_OK && !text) {
        errno = ENOMEM;
        st = fail(s, name, "written");
    }
    if (st == WEFT_OK) st = write_file(s, s->folder, name, text, strlen(text));
    free(text);
    json_decref(sums);
    json_decref(list);
    return st;
}

/* ---- commit ---- */

/* The hash of a small file. */
static weft_status hash_file(weft_save *s, const char *name, char out[WEFT_DIGEST_TEXT]) {
    char path[MOST_PATH], part[4096];
    weft_digest d;
    ssize_t got = 0;
    path_of(path, s->folder, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    weft_digest_begin(&d);
    while (fd >= 0 && ((got = read(fd, part, sizeof part)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0) weft_digest_add(&d, part, (size_t)got);
    const bool ok = weft_digest_end(&d, out) && fd >= 0 && got == 0;
    if (fd >= 0) close(fd);
    return ok ? WEFT_OK : fail(s, path, "read");
}

static weft_status await_sums(weft_save *s, int processes, const _Atomic int *cancel) {
    char name[64], path[MOST_PATH];
    for (int p = 0; p < processes; p++) {
        weft_format(name, sizeof name, "sums-%05d-of-%05d.json", p, processes);
        path_of(path, s->folder, name);
        while (access(path, R_OK)) {
            if (atomic_load(cancel)) {
                if (!s->why[0]) weft_format(s->why, sizeof s->why, "another process could not write its part of '%s'",
                                            s->folder);
                return WEFT_ERR_PEER;
            }
            nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
        }
    }
    return WEFT_OK;
}

static weft_status seal(weft_save *s, int processes) {
    char name[64], sum[WEFT_DIGEST_TEXT];
    json_t *sums = json_object(), *headers = json_object(), *all = NULL;
    char *text = NULL;
    bool ok = sums && headers && weft_digest_of(s->index, s->index_bytes, sum) &&
              put(sums, WEFT_CHECKPOINT_INDEX, json_string(sum));
    weft_status st = WEFT_OK;
    for (int p = 0; ok && st == WEFT_OK && p < processes; p++) {
        weft_format(name, sizeof name, "sums-%05d-of-%05d.json", p, processes);
        st = hash_file(s, name, sum);
        ok = put(sums, name, json_string(sum));
    }
    for (size_t f = 0; ok && f < s->file_count; f++)
        ok = put(headers, s->files[f].name, json_string(s->files[f].sha256));
    if (ok) all = json_pack("{s:i,s:I,s:O,s:O}", "version", 1, "step", (json_int_t)s->step, "sha256", sums, "headers",
                            headers);
    if (all) text = json_dumps(all, JSON_INDENT(2));
    if (st == WEFT_OK && !text) {
        errno = ENOMEM;
        st = fail(s, "seal.json", "written");
    }
    if (st == WEFT_OK) st = write_file(s, s->folder, "seal.json", text, strlen(text));
    free(text);
    json_decref(all);
    json_decref(headers);
    json_decref(sums);
    return st;
}

/* "step-00000100", or "step-00000100.1" where that is there. */
static weft_status give_name(weft_save *s, char name[64]) {
    char path[MOST_PATH];
    for (int k = 0;; k++) {
        if (k) weft_format(name, 64, "step-%08lld.%d", (long long)s->step, k);
        else weft_format(name, 64, "step-%08lld", (long long)s->step);
        path_of(path, s->dir, name);
        if (!access(path, F_OK)) continue;
        if (rename(s->folder, path)) return fail(s, path, "made");
        return sync_dir(s->dir) ? WEFT_OK : fail(s, s->dir, "written");
    }
}

typedef struct found { long long step; int further; char name[64]; } found;

static int newest_first(const void *a, const void *b) {
    const found *x = a, *y = b;
    if (x->step != y->step) return x->step > y->step ? -1 : 1;
    return x->further > y->further ? -1 : x->further < y->further;
}

/* What cannot be removed stays: the checkpoint is complete. */
static void prune(weft_save *s, const char *latest, int64_t keep) {
    enum { MOST = 4096 };
    DIR *d = opendir(s->dir);
    found *all = d ? calloc(MOST, sizeof *all) : NULL;
    size_t n = 0;
    for (const struct dirent *e; all && n < MOST && (e = readdir(d));) {
        found *f = &all[n];
        if (strlen(e->d_name) >= sizeof f->name || sscanf(e->d_name, "step-%lld.%d", &f->step,
                                                          &f->further) < 1) continue;
        strcpy(f->name, e->d_name);
        n++;
    }
    if (all) qsort(all, n, sizeof *all, newest_first);
    int64_t kept = 1; /* the latest, which need not have the highest step */
    for (size_t i = 0; all && i < n; i++) {
        char path[MOST_PATH], gone[MOST_PATH];
        if (!strcmp(all[i].name, latest) || kept++ < keep) continue;
        path_of(path, s->dir, all[i].name);
        weft_format(gone, sizeof gone, "%s/removing-%s", s->dir,
                    all[i].name); /* so that no half of one looks complete */
        if (!rename(path, gone)) remove_folder(gone);
    }
    free(all);
    if (d) closedir(d);
}

weft_status weft_save_commit(weft_save *s, int processes, int64_t keep, const _Atomic int *cancel) {
    char name[64];
    weft_status st = await_sums(s, processes, cancel);
    if (st == WEFT_OK) st = write_file(s, s->folder, WEFT_CHECKPOINT_INDEX, s->index, s->index_bytes);
    if (st == WEFT_OK && !sync_dir(s->folder)) st = fail(s, s->folder, "written");
    if (st == WEFT_OK) st = seal(s, processes);
    if (st == WEFT_OK && !sync_dir(s->folder)) st = fail(s, s->folder, "written");
    if (st == WEFT_OK) st = give_name(s, name);
    if (st == WEFT_OK) st = write_file(s, s->dir, "latest", name, strlen(name));
    if (st == WEFT_OK && !sync_dir(s->dir)) st = fail(s, s->dir, "written");
    if (st == WEFT_OK && keep > 0) prune(s, name, keep);
    if (st == WEFT_OK) unlock(s); /* after a failure, once it is abandoned */
    return st;
}
