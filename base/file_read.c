/* file_read: see file_read.h. */
#include "base/context.h"
#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

weft_status weft_file_open(weft_context *cx, const char *path, int *fd, int64_t *bytes) {
    struct stat sb;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe must not wait for its writer */
    if (*fd < 0) return weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be opened: %s", path, strerror(errno));
    weft_status st = WEFT_OK;
    if (fstat(*fd, &sb)) st = weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", path, strerror(errno));
    else if (!S_ISREG(sb.st_mode))
        st = weft_report(cx, WEFT_D_file, NULL, "'%s' is a %s, not a file", path,
                         S_ISDIR(sb.st_mode) ? "directory" : "pipe or device");
    else *bytes = (int64_t)sb.st_size;
    if (st == WEFT_OK) return st;
    close(*fd);
    *fd = -1;
    return st;
}

weft_status weft_file_read(weft_context *cx, const char *path, int fd, int64_t at, void *to, size_t n) {
    size_t done = 0;
    while (done < n) {
        const ssize_t got = pread(fd, (char *)to + done, n - done, (off_t)at + (off_t)done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return weft_report(cx, WEFT_D_file, NULL, "'%s' cannot be read: %s", path, strerror(errno));
        if (!got)
            return weft_report(cx, WEFT_D_file, NULL, "'%s' ends at byte %lld, where its data goes on", path,
                               (long long)at + (long long)done);
        done += (size_t)got;
    }
    return WEFT_OK;
}

weft_status weft_file_read_whole(weft_context *cx, const char *path, int64_t most, char **text, size_t *bytes) {
    int64_t n = 0;
    int fd = -1;
    *text = NULL;
    *bytes = 0;
    weft_status st = weft_file_open(cx, path, &fd, &n);
    if (st != WEFT_OK) return st;
    char *p = NULL;
    if (n > most)
        st = weft_report(cx, WEFT_D_data, NULL, "'%s' has %lld bytes, and may have %lld", path, (long long)n,
                         (long long)most);
    else if (!(p = cx->alloc.resize(cx->alloc.user, NULL, 0, (size_t)n + 1))) st = weft_oom();
    if (st == WEFT_OK) st = weft_file_read(cx, path, fd, 0, p, (size_t)n);
    close(fd);
    if (st == WEFT_OK) {
        p[n] = 0;
        *text = p;
        *bytes = (size_t)n;
    } else {
        weft_file_text_free(cx, p, (size_t)n);
    }
    return st;
}

void weft_file_text_free(weft_context *cx, char *text, size_t bytes) {
    if (text) cx->alloc.resize(cx->alloc.user, text, bytes + 1, 0);
}
