/* archive.c: fields, arrays and texts; locations: archive_loc.c. */
#include <string.h>
#include "base/table.h"
#include "exec/archive.h"

static void fail(weft_archive *a, weft_status st) {
    if (a->status == WEFT_OK) a->status = st;
}

void weft_archive_malformed(weft_archive *a) { fail(a, WEFT_ERR_INVALID); }

static size_t left(const weft_archive *a) { return (size_t)(a->end - a->at); }

void weft_archive_bytes(weft_archive *a, void *p, size_t n) {
    if (!n) return;
    switch (a->mode) {
    case WEFT_ARCHIVE_WRITE:
        weft_buf_put(a->out, p, n);
        if (a->out->failed) fail(a, WEFT_ERR_MEMORY);
        break;
    case WEFT_ARCHIVE_HASH: a->hash = weft_hash_bytes(a->hash, p, n); break;
    case WEFT_ARCHIVE_READ:
        if (a->status == WEFT_OK && n > left(a)) weft_archive_malformed(a);
        if (a->status != WEFT_OK) {
            memset(p, 0, n);
            return;
        }
        memcpy(p, a->at, n);
        a->at += n;
        break;
    }
}

uint32_t weft_archive_enum(weft_archive *a, uint32_t value, uint32_t count) {
    WEFT_ARCHIVE_NUMBER(a, value);
    if (value < count) return value;
    weft_archive_malformed(a);
    return 0;
}

bool weft_archive_flag(weft_archive *a, bool value) {
    uint8_t byte = value;
    WEFT_ARCHIVE_NUMBER(a, byte);
    if (byte > 1) weft_archive_malformed(a);
    return byte == 1;
}

void *weft_archive_array(weft_archive *a, const void **p, uint64_t count, size_t size, size_t align) {
    if (a->mode != WEFT_ARCHIVE_READ) return count ? (void *)*p : NULL;
    *p = NULL;
    if (count > left(a)) weft_archive_malformed(a);
    if (a->status != WEFT_OK) return NULL;
    void *made = weft_arena_calloc(a->arena, count, size, align);
    if (!made) fail(a, WEFT_ERR_MEMORY);
    *p = made;
    return count ? made : NULL;
}

void weft_archive_block(weft_archive *a, const void **p, uint64_t bytes, size_t align) {
    void *to = weft_archive_array(a, p, bytes, 1, align);
    if (to) weft_archive_bytes(a, to, bytes);
}

void weft_archive_str(weft_archive *a, weft_str *s) {
    uint64_t n = s->n;
    const void *p = s->p;
    WEFT_ARCHIVE_NUMBER(a, n);
    weft_archive_block(a, &p, n, 1);
    if (a->mode == WEFT_ARCHIVE_READ) *s = (weft_str){ p, a->status == WEFT_OK ? (size_t)n : 0 };
}

/* A text is written with its end, so that it is used where it lies. */
void weft_archive_text(weft_archive *a, const char **z) {
    uint64_t n = *z ? strlen(*z) + 1 : 0;
    const void *p = *z;
    WEFT_ARCHIVE_NUMBER(a, n);
    weft_archive_block(a, &p, n, 1);
    if (a->mode != WEFT_ARCHIVE_READ) return;
    *z = a->status == WEFT_OK && n ? p : NULL;
    if (*z && (*z)[n - 1]) {
        weft_archive_malformed(a);
        *z = NULL;
    }
}
