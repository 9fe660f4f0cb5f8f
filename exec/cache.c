/* cache.c: see cache.h. All names are relative to the folder as it was checked, so that renaming it changes nothing. */
#include "exec/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/entropy.h"
#include "base/quantity.h"
#include "base/table.h"
#include "base/whole.h"

static const char magic[8] = { 'W', 'E', 'F', 'T', 'E', 'N', 'T', '\n' };
typedef struct header {
    char magic[8];
    uint32_t format, zero;
    uint64_t hash, label_bytes, key_bytes, data_bytes;
} header;
enum { HASHED_AT = offsetof(header, label_bytes), NAME_BYTES = 40 };

#define DRAFT "draft-"
enum { CLAIM_BYTES = NAME_BYTES + 32, LONGEST_WAIT_MS = 60000, LONGEST_NAP_MS = 8 };
enum {
    DRAFT_AGE_S = 3600,  /* a writer of this age is dead */
    TOUCH_AGE_S = 60,    /* the time of use is not kept more exactly */
    SCAN_SHARE = 64      /* of the limit: so many bytes written make a look at the folder certain */
};
static const int64_t usual_limit = (int64_t)1 << 30, most_entry = (int64_t)1 << 31;

struct weft_cache {
    weft_context *cx;
    char *folder;
    int dir;
    int64_t limit;
    _Atomic uint64_t found[WEFT_CACHE_KINDS], missed[WEFT_CACHE_KINDS], written, written_bytes;
    _Atomic int refused;     /* errno of the first entry that could not be written; then there are no more */
    bool told;
};

static const char *const kind_names[WEFT_CACHE_KINDS] = { [WEFT_CACHE_KERNEL] = "kernel",
                                                          [WEFT_CACHE_PROGRAM] = "program" };

/* ---- the folder ---- */

weft_cache_place weft_cache_place_of_process(void) {
    return (weft_cache_place){ getenv("WEFT_CACHE_DIR"), getenv("XDG_CACHE_HOME"), getenv("HOME"),
                               getenv("WEFT_CACHE_SIZE") };
}

/* The folder's path in b; empty: there is none. */
static void put_folder(weft_buf *b, const weft_cache_place *p) {
    if (p->dir && *p->dir) weft_buf_puts(b, !strcmp(p->dir, "none") ? "" : p->dir);
    /* a relative one is not valid: XDG Base Directory Specification */
    else if (p->xdg && *p->xdg == '/') weft_buf_printf(b, "%s/weft/compiled", p->xdg);
    else if (p->home && *p->home == '/') weft_buf_printf(b, "%s/.cache/weft/compiled", p->home);
}

/* Missing folders of the path are made, for this user alone. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

static weft_status refuse(weft_context *cx, const char *folder, const char *why) {
    return weft_report_once(cx, WEFT_D_cache, NULL, "the cache folder '%s' is not used: %s", folder, why);
}

/* asked: the user names the folder. A usual one that cannot be made, as where there is no home, is no cache. */
static weft_status open_folder(weft_cache *c, bool asked) {
    struct stat st;
    c->dir = open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->dir < 0 && errno == ENOENT) {
        make_folders(c->folder);
        c->dir = open(c->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (c->dir < 0 && !asked) return WEFT_OK;
    if (c->dir < 0 || fstat(c->dir, &st)) return refuse(c->cx, c->folder, strerror(errno));
    const char *why = NULL;
    if (st.st_uid != geteuid()) why = "it belongs to another user";
    else if (st.st_mode & (S_IWGRP | S_IWOTH)) why = "others may write to it; 'chmod 700' helps";
    if (!why) return WEFT_OK;
    close(c->dir);
    c->dir = -1;
    return refuse(c->cx, c->folder, why);
}

static void free_cache(weft_cache *c) {
    weft_context *cx = c->cx;
    if (c->dir >= 0) close(c->dir);
    if (c->folder) cx->alloc.resize(cx->alloc.user, c->folder, strlen(c->folder) + 1, 0);
    cx->alloc.resize(cx->alloc.user, c, sizeof *c, 0);
}

weft_status weft_cache_open(weft_context *cx, const weft_cache_place *place, weft_cache **out) {
    int64_t limit = usual_limit;
    weft_buf path;
    *out = NULL;
    weft_str size = weft_str_from(place->size ? place->size : "");
    if (size.n && (!weft_size_take(&size, &limit) || size.n))
        return weft_report(cx, WEFT_D_usage, NULL, "WEFT_CACHE_SIZE is a size such as 512MiB, not '%s'", place->size);
    weft_buf_init(&path, &cx->alloc);
    put_folder(&path, place);
    weft_cache *c = path.n && !path.failed ? cx->alloc.resize(cx->alloc.user, NULL, 0, sizeof *c) : NULL;
    const bool wanted = path.n > 0;
    if (c) {
        *c = (weft_cache){ .cx = cx, .dir = -1, .limit = limit };
        c->folder = cx->alloc.resize(cx->alloc.user, NULL, 0, path.n + 1);
        if (c->folder) memcpy(c->folder, path.p, path.n + 1);
    }
    const bool failed = path.failed || (wanted && (!c || !c->folder));
    weft_buf_free(&path);
    weft_status st = failed ? weft_oom() : WEFT_OK;
    if (c && !failed) st = open_folder(c, place->dir && *place->dir);
    if (c && (failed || c->dir < 0)) free_cache(c), c = NULL;
    *out = c;
    return st;
}

const char *weft_cache_folder(const weft_cache *c) { return c->folder; }
int64_t weft_cache_limit(const weft_cache *c) { return c->limit; }

weft_cache_counts weft_cache_count(const weft_cache *c) {
    weft_cache_counts n = { .written = c->written };
    for (int k = 0; k < WEFT_CACHE_KINDS; k++) n.found[k] = c->found[k], n.missed[k] = c->missed[k];
    return n;
}

/* ---- one entry ---- */

/* 128 bits, of two hashes that begin apart. */
static void name_entry(weft_cache_kind kind, const void *key, size_t n, char name[static NAME_BYTES + 16]) {
    const uint64_t a = weft_hash_end(weft_hash_bytes(0, key, n)),
                   b = weft_hash_end(weft_hash_bytes(0x9ae16a3b2f90404fu, key, n));
    snprintf(name, NAME_BYTES + 16, "%s-%016llx%016llx", kind_names[kind], (unsigned long long)a,
             (unsigned long long)b);
}

static bool kind_of_name(const char *name, weft_cache_kind *kind) {
    for (int k = 0; k < WEFT_CACHE_KINDS; k++) {
        const size_t n = strlen(kind_names[k]);
        if (strncmp(name, kind_names[k], n) || name[n] != '-' || strlen(name + n + 1) != 32) continue;
        if (strspn(name + n + 1, "0123456789abcdef") != 32) continue;
        *kind = (weft_cache_kind)k;
        return true;
    }
    return false;
}

/* Of the header after the hash, then of the parts. */
static uint64_t hash_of(const header *h, const void *label, const void *key, const void *data) {
    uint64_t hash = weft_hash_bytes(0, &h->label_bytes, sizeof *h - HASHED_AT);
    hash = weft_hash_bytes(hash, label, h->label_bytes);
    hash = weft_hash_bytes(hash, key, h->key_bytes);
    return weft_hash_end(weft_hash_bytes(hash, data, h->data_bytes));
}

/* Whether the file is an entry with every byte of it. */
static bool is_whole(const char *file, size_t n, header *h) {
    if (n < sizeof *h) return false;
    memcpy(h, file, sizeof *h);
    const uint64_t rest = n - sizeof *h;
    if (memcmp(h->magic, magic, sizeof magic) || h->format != WEFT_CACHE_FORMAT || h->zero || !h->label_bytes ||
        h->label_bytes > rest || h->key_bytes > rest - h->label_bytes ||
        h->data_bytes != rest - h->label_bytes - h->key_bytes)
        return false;
    const char *label = file + sizeof *h, *key = label + h->label_bytes;
    return !label[h->label_bytes - 1] && h->hash == hash_of(h, label, key, key + h->key_bytes);
}

/* The file's bytes, from malloc. Not a link, of this user, and nothing that others may have written. */
static char *read_entry(const weft_cache *c, const char *name, struct stat *st) {
    const int fd = openat(c->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    char *file = NULL;
    if (fd < 0) return NULL;
    if (!fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH)) &&
        st->st_size <= most_entry)
        file = malloc((size_t)st->st_size + 1);
    if (file && !weft_whole_read(fd, file, (size_t)st->st_size)) free(file), file = NULL;
    close(fd);
    return file;
}

static void touch(const weft_cache *c, const char *name, const struct stat *st) {
    if (time(NULL) - st->st_mtime > TOUCH_AGE_S) (void)utimensat(c->dir, name, NULL, AT_SYMLINK_NOFOLLOW);
}

bool weft_cache_get(weft_cache *c, weft_cache_kind kind, const void *key, size_t key_bytes, weft_cached *out) {
    char name[NAME_BYTES + 16];
    struct stat st;
    header h;
    name_entry(kind, key, key_bytes, name);
    char *file = read_entry(c, name, &st);
    const bool whole = file && is_whole(file, (size_t)st.st_size, &h);
    if (file && !whole) (void)unlinkat(c->dir, name, 0);
    const char *at = whole ? file + sizeof h + h.label_bytes : NULL;
    if (!whole || h.key_bytes != key_bytes || memcmp(at, key, key_bytes)) {
        free(file);
        c->missed[kind]++;
        return false;
    }
    touch(c, name, &st);
    *out = (weft_cached){ file, (size_t)st.st_size, (const uint8_t *)at + key_bytes, h.data_bytes };
    c->found[kind]++;
    return true;
}

void weft_cache_release(weft_cached *e) {
    free(e->file);
    *e = (weft_cached){ .file = NULL };
}

bool weft_cache_has(weft_cache *c, weft_cache_kind kind, const void *key, size_t key_bytes) {
    char name[NAME_BYTES + 16];
    struct stat st;
    name_entry(kind, key, key_bytes, name);
    return !fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

static int write_draft(const weft_cache *c, const char *draft, const header *h, const char *label, const void *key,
                       const void *data) {
    const int fd = openat(c->dir, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    int error = 0;
    if (!weft_whole_write(fd, h, sizeof *h) || !weft_whole_write(fd, label, h->label_bytes) ||
        !weft_whole_write(fd, key, h->key_bytes) || !weft_whole_write(fd, data, h->data_bytes))
        error = errno;
    if (close(fd) && !error) error = errno; /* network file systems say it here */
    return error;
}

void weft_cache_put(weft_cache *c, weft_cache_kind kind, const char *label, const void *key, size_t key_bytes,
                    const void *data, size_t bytes) {
    char name[NAME_BYTES + 16], draft[NAME_BYTES];
    uint64_t number;
    header h = { .format = WEFT_CACHE_FORMAT, .label_bytes = strlen(label) + 1, .key_bytes = key_bytes,
                 .data_bytes = bytes };
    const uint64_t all = sizeof h + h.label_bytes + key_bytes + bytes;
    if (c->refused || all > (uint64_t)most_entry || all > (uint64_t)c->limit / 2) return;
    if (weft_random(&number, sizeof number) != WEFT_OK) return;
    memcpy(h.magic, magic, sizeof magic);
    h.hash = hash_of(&h, label, key, data);
    name_entry(kind, key, key_bytes, name);
    snprintf(draft, sizeof draft, DRAFT "%016llx", (unsigned long long)number);
    int error = write_draft(c, draft, &h, label, key, data);
    if (!error && renameat(c->dir, draft, c->dir, name)) error = errno;
    if (error) {
        (void)unlinkat(c->dir, draft, 0);
        c->refused = error;
        return;
    }
    c->written++;
    c->written_bytes += all;
}

void weft_cache_key_hash(weft_buf *key, const char *name, const void *p, size_t n) {
    weft_buf_printf(key, "%s %016llx%016llx %zu\n", name, (unsigned long long)weft_hash_end(weft_hash_bytes(1, p, n)),
                    (unsigned long long)weft_hash_end(weft_hash_bytes(2, p, n)), n);
}

/* ---- claims ---- */

/* What a killed maker leaves is removed as a draft is. */
static void name_claim(weft_cache_kind kind, const void *key, size_t n, char name[static CLAIM_BYTES]) {
    char entry[NAME_BYTES + 16];
    name_entry(kind, key, n, entry);
    snprintf(name, CLAIM_BYTES, DRAFT "%s", entry);
}

/* Until the maker unlocks the file, or for as long as is sensible. */
static void wait_for_maker(int file) {
    long nap = 1;
    for (long waited = 0; waited < LONGEST_WAIT_MS && flock(file, LOCK_SH | LOCK_NB); waited += nap) {
        if (errno != EWOULDBLOCK && errno != EINTR) return;
        nanosleep(&(struct timespec){ .tv_nsec = nap * 1000000 }, NULL);
        if (nap < LONGEST_NAP_MS) nap *= 2;
    }
}

bool weft_cache_claim(weft_cache *c, weft_cache_kind kind, const void *key, size_t key_bytes, int *claim) {
    char name[CLAIM_BYTES];
    name_claim(kind, key, key_bytes, name);
    const int file = openat(c->dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return false;
    *claim = file;
    if (!flock(file, LOCK_EX | LOCK_NB)) return true;
    if (errno == EWOULDBLOCK) wait_for_maker(file);
    close(file);
    return false;
}

/* Who opens the file before it goes finds the entry. A child of this process may have the file, too: it is unlocked for
 * all of them. */
void weft_cache_unclaim(weft_cache *c, weft_cache_kind kind, const void *key, size_t key_bytes, int claim) {
    char name[CLAIM_BYTES];
    name_claim(kind, key, key_bytes, name);
    (void)unlinkat(c->dir, name, 0);
    (void)flock(claim, LOCK_UN);
    close(claim);
}

weft_status weft_cache_tell(weft_cache *c) {
    const int error = c->refused;
    if (!error || c->told) return WEFT_OK;
    c->told = true;
    return weft_report_once(c->cx, WEFT_D_cache, NULL,
                            "what is compiled is not kept: the cache folder '%s' cannot be written: %s", c->folder,
                            strerror(error));
}

/* ---- all entries ---- */

typedef struct found { char name[NAME_BYTES + 16]; int64_t bytes; struct timespec used; } found;

static DIR *open_list(const weft_cache *c) {
    const int fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (fd >= 0 && !d) close(fd);
    return d;
}

/* A writer's file that was left long ago goes. */
static void remove_draft(const weft_cache *c, const char *name, double age_s) {
    struct stat st;
    if (strncmp(name, DRAFT, sizeof DRAFT - 1) || fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW)) return;
    if (S_ISREG(st.st_mode) && difftime(time(NULL), st.st_mtime) >= age_s) (void)unlinkat(c->dir, name, 0);
}

/* Those that there are now, from malloc; NULL: the folder or memory fails. */
static found *list(const weft_cache *c, double draft_age_s, size_t *n) {
    size_t cap = 256;
    found *v = malloc(cap * sizeof *v);
    DIR *d = v ? open_list(c) : NULL;
    weft_cache_kind kind;
    struct stat st;
    *n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        remove_draft(c, e->d_name, draft_age_s);
        if (!kind_of_name(e->d_name, &kind) || fstatat(c->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        if (*n == cap) {
            found *more = realloc(v, 2 * cap * sizeof *v);
            if (!more) break;
            v = more, cap *= 2;
        }
        found *f = &v[(*n)++];
        memcpy(f->name, e->d_name, strlen(e->d_name) + 1); /* fits: it is of a kind */
        f->bytes = (int64_t)st.st_size;
        f->used = st.st_mtim;
    }
    if (!d) free(v), v = NULL;
    else closedir(d);
    return v;
}

static int by_use(const void *x, const void *y) {
    const struct timespec *a = &((const found *)x)->used, *b = &((const found *)y)->used;
    if (a->tv_sec != b->tv_sec) return a->tv_sec < b->tv_sec ? -1 : 1;
    return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* Down to nine tenths of the limit, so that the next writer does not have to do it again. */
static void shrink(weft_cache *c) {
    size_t n;
    int64_t bytes = 0;
    found *v = list(c, DRAFT_AGE_S, &n);
    if (!v) return;
    for (size_t i = 0; i < n; i++) bytes += v[i].bytes;
    if (bytes > c->limit) {
        qsort(v, n, sizeof *v, by_use);
        for (size_t i = 0; i < n && bytes > c->limit / 10 * 9; i++)
            if (!unlinkat(c->dir, v[i].name, 0) || errno == ENOENT) bytes -= v[i].bytes;
    }
    free(v);
}

/* No writer knows how large the folder is, and to look each time costs more than to write. A writer looks as likely as
 * what it has written is large, so that the folder passes the limit by a small part of it. */
static bool is_time_to_look(const weft_cache *c) {
    const uint64_t certain = (uint64_t)c->limit / SCAN_SHARE + 1;
    uint64_t number;
    if (!c->written_bytes) return false;
    if (c->written_bytes >= certain || weft_random(&number, sizeof number) != WEFT_OK) return true;
    return number % certain < c->written_bytes;
}

void weft_cache_close(weft_cache *c) {
    if (!c) return;
    (void)weft_cache_tell(c);
    if (is_time_to_look(c)) shrink(c);
    free_cache(c);
}

bool weft_cache_each(weft_cache *c, bool (*visit)(void *user, const weft_cache_entry *e), void *user) {
    size_t n;
    found *v = list(c, DRAFT_AGE_S, &n);
    bool going = v != NULL;
    for (size_t i = 0; i < n && going; i++) {
        struct stat st;
        header h;
        weft_cache_entry e = { .label = "", .file_bytes = v[i].bytes,
                               .used_s = difftime(time(NULL), v[i].used.tv_sec) };
        (void)kind_of_name(v[i].name, &e.kind);
        char *file = read_entry(c, v[i].name, &st);
        e.whole = file && is_whole(file, (size_t)st.st_size, &h);
        if (e.whole) {
            e.label = file + sizeof h;
            e.key = (const uint8_t *)file + sizeof h + h.label_bytes;
            e.key_bytes = h.key_bytes;
        }
        going = visit(user, &e);
        free(file);
    }
    const bool read = v != NULL;
    free(v);
    return read;
}

int64_t weft_cache_clear(weft_cache *c) {
    size_t n;
    int64_t removed = 0;
    found *v = list(c, 0, &n);
    if (!v) return -1;
    for (size_t i = 0; i < n; i++) removed += !unlinkat(c->dir, v[i].name, 0);
    free(v);
    return removed;
}
