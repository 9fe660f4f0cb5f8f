/* entropy.c: see entropy.h. */
#include "base/entropy.h"

#include <errno.h>
#include <sys/random.h>

weft_status weft_random(void *p, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t n = getrandom((char *)p + at, bytes - at, 0);
        if (n < 0 && errno != EINTR) return WEFT_ERR_IO;
        if (n > 0) at += (size_t)n;
    }
    return WEFT_OK;
}
