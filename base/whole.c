/* whole.c: see whole.h. */
#include "base/whole.h"
#include <errno.h>
#include <unistd.h>

bool weft_whole_write(int fd, const void *p, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t n = write(fd, (const char *)p + at, bytes - at);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || errno != EINTR) return false;
    }
    return true;
}

bool weft_whole_read(int fd, void *p, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t n = read(fd, (char *)p + at, bytes - at);
        if (n > 0) at += (size_t)n;
        else if (n == 0 || errno != EINTR) return false;
    }
    return true;
}
