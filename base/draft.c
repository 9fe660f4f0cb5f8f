/* draft.c: see draft.h. */
#include "base/draft.h"

#include "base/entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX 24 /* bytes: ".draft-" and 16 digits */

static char *text_of(const weft_allocator *a, const char *path, size_t more) {
    size_t n = strlen(path) + 1;
    char *p = a->resize(a->user, NULL, 0, n + more);
    if (p) memcpy(p, path, n);
    return p;
}

static void forget(weft_draft *d) {
    if (d->name) d->alloc.resize(d->alloc.user, d->name, strlen(d->path) + 1 + SUFFIX, 0);
    if (d->path) d->alloc.resize(d->alloc.user, d->path, strlen(d->path) + 1, 0);
    *d = (weft_draft){ 0 };
}

/* A path that leads to a device, pipe or socket is not replaced: /dev/stdout is a link. */
static bool is_replaced(const char *path) {
    struct stat is;
    return stat(path, &is) != 0 || S_ISREG(is.st_mode) || S_ISDIR(is.st_mode);
}

static weft_status open_beside(const weft_allocator *alloc, weft_draft *out) {
    uint64_t number;
    if (!(out->name = text_of(alloc, out->path, SUFFIX))) return WEFT_ERR_MEMORY;
    weft_status st = weft_random(&number, sizeof number);
    if (st != WEFT_OK) return st;
    snprintf(out->name + strlen(out->path), SUFFIX, ".draft-%016llx", (unsigned long long)number);
    int fd = open(out->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    out->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !out->file) close(fd), unlink(out->name);
    return out->file ? WEFT_OK : WEFT_ERR_IO;
}

weft_status weft_draft_open(const weft_allocator *alloc, const char *path, weft_draft *out) {
    *out = (weft_draft){ .alloc = *alloc, .path = text_of(alloc, path, 0) };
    weft_status st = WEFT_ERR_MEMORY;
    if (out->path && is_replaced(path)) st = open_beside(alloc, out);
    else if (out->path) st = (out->file = fopen(path, "wbe")) ? WEFT_OK : WEFT_ERR_IO;
    if (st == WEFT_OK) return st;
    int why = errno;
    forget(out);
    errno = why;
    return st;
}

/* On a file system that cannot say whether bytes are on the disk (EINVAL, ENOSYS) they count as written. */
static bool is_on_disk(FILE *f) {
    return fflush(f) == 0 && !ferror(f) && (fdatasync(fileno(f)) == 0 || errno == EINVAL || errno == ENOSYS);
}

weft_status weft_draft_close(weft_draft *d) {
    bool good = is_on_disk(d->file);
    int why = errno;
    if (fclose(d->file) != 0 && good) good = false, why = errno;
    if (d->name && good && rename(d->name, d->path) != 0) good = false, why = errno;
    if (d->name && !good) unlink(d->name);
    forget(d);
    errno = why;
    return good ? WEFT_OK : WEFT_ERR_IO;
}
