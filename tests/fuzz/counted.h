/* counted.h: an allocator on top of malloc that counts the bytes in use, so that a fuzzer sees leaks. */
#ifndef WEFT_TESTS_FUZZ_COUNTED_H
#define WEFT_TESTS_FUZZ_COUNTED_H

#include <stdlib.h>
#include "base/context.h"

static void *counted_resize(void *user, void *p, size_t old, size_t bytes) {
    size_t *held = user;
    void *q = NULL;
    if (bytes && !(q = realloc(p, bytes))) return NULL;
    if (!bytes) free(p);
    *held += bytes - old;
    return q;
}

static weft_allocator counted(size_t *held) { return (weft_allocator){ .resize = counted_resize, .user = held }; }

#endif
