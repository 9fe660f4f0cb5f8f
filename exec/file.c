/* file.c: the header around an executable's fields, and its fingerprint. */
#include <string.h>
#include "exec/build.h"
#include "base/table.h"
#include "exec/file.h"
#include "exec/walk.h"

static const weft_file_header header = { { 'W', 'E', 'F', 'T', 'E', 'X', 'E', '\n' }, WEFT_EXEC_FORMAT };

/* ---- the header ---- */

static uint64_t hash_of(const void *p, size_t n) {
    return weft_hash_end(weft_hash_bytes(0, (const char *)p + WEFT_FILE_BODY_AT, n - WEFT_FILE_BODY_AT));
}

void weft_file_seal(void *p, size_t n) {
    const uint64_t hash = hash_of(p, n);
    memcpy((char *)p + WEFT_FILE_HASH_AT, &hash, sizeof hash);
}

void weft_file_header_write(weft_archive *a, const weft_file_header *h) {
    uint32_t format = h->format;
    uint64_t hash = 0;
    const char *build = weft_build_name();
    weft_buf_put(a->out, h->magic, sizeof h->magic);
    WEFT_ARCHIVE_NUMBER(a, format);
    WEFT_ARCHIVE_NUMBER(a, hash);
    weft_archive_text(a, &build);
}

bool weft_file_header_is(const weft_file_header *h, const void *p, size_t n) {
    return n >= sizeof h->magic && !memcmp(p, h->magic, sizeof h->magic);
}

/* What stands before the build: bytes of this format, whole. */
static weft_status check_header(weft_context *cx, const weft_file_header *h, const uint8_t *p, size_t n,
                                const char *name) {
    uint32_t format;
    uint64_t hash;
    if (!weft_file_header_is(h, p, n)) return weft_report(cx, WEFT_D_data, NULL, "'%s' is no compiled program", name);
    if (n < WEFT_FILE_BODY_AT)
        return weft_report(cx, WEFT_D_data, NULL, "'%s' is no compiled program: it ends in its header", name);
    memcpy(&format, p + WEFT_FILE_FORMAT_AT, sizeof format);
    memcpy(&hash, p + WEFT_FILE_HASH_AT, sizeof hash);
    if (format != h->format)
        return weft_report(cx, WEFT_D_data, NULL, "'%s' has format %u of compiled programs, and this Weft reads %u",
                           name, format, h->format);
    if (hash != hash_of(p, n))
        return weft_report(cx, WEFT_D_data, NULL, "'%s' is damaged or cut off: its bytes do not have its hash", name);
    return WEFT_OK;
}

weft_status weft_file_header_read(weft_archive *a, const weft_file_header *h, const void *p, size_t n,
                                  const char *name) {
    const char *build = NULL;
    weft_status st = check_header(a->cx, h, p, n, name);
    if (st != WEFT_OK) return st;
    a->mode = WEFT_ARCHIVE_READ;
    a->at = (const uint8_t *)p + WEFT_FILE_BODY_AT;
    a->end = (const uint8_t *)p + n;
    weft_archive_text(a, &build);
    if (a->status != WEFT_OK || (build && !strcmp(build, weft_build_name()))) return WEFT_OK;
    return weft_report(a->cx, WEFT_D_data, NULL,
                       "'%s' was compiled by Weft %s, and this is Weft %s: compile it again", name,
                       build ? build : "without a version", weft_build_name());
}

/* ---- executables ---- */

weft_status weft_executable_write(const weft_executable *x, weft_buf *out) {
    weft_arena arena;
    weft_archive a = { .mode = WEFT_ARCHIVE_WRITE, .out = out, .arena = &arena };
    const size_t begin = out->n;
    weft_arena_init(&arena, &out->alloc);
    weft_file_header_write(&a, &header);
    weft_executable_walk(&a, (weft_executable *)x);
    if (a.status == WEFT_OK) weft_file_seal(out->p + begin, out->n - begin);
    weft_arena_free(&arena);
    return a.status;
}

static weft_status malformed(weft_context *cx, const char *name, const char *why) {
    return weft_report(cx, WEFT_D_data, NULL, "'%s' is no compiled program: %s", name, why);
}

static weft_status read_fields(weft_archive *a, weft_executable *x, const char *name) {
    weft_executable_walk(a, x);
    if (a->status == WEFT_ERR_MEMORY) return weft_oom();
    if (a->status != WEFT_OK) return malformed(a->cx, name, "a field of it cannot be");
    if (a->at != a->end) return malformed(a->cx, name, "there is more after its end");
    const char *wrong = weft_executable_wrong(x);
    if (wrong) return malformed(a->cx, name, wrong);
    x->fingerprint = weft_executable_fingerprint(x);
    return WEFT_OK;
}

weft_status weft_executable_read(weft_context *cx, const void *bytes, size_t n, const char *name,
                                 weft_executable **out) {
    *out = NULL;
    weft_executable *x = weft_executable_new(&cx->alloc);
    if (!x) return weft_oom();
    weft_archive a = { .cx = cx, .arena = &x->arena };
    weft_status st = weft_file_header_read(&a, &header, bytes, n, name);
    if (st == WEFT_OK) st = read_fields(&a, x, name);
    if (st == WEFT_OK) *out = x;
    else weft_executable_free(x);
    return st;
}

uint64_t weft_executable_fingerprint(const weft_executable *x) {
    weft_archive a = { .mode = WEFT_ARCHIVE_HASH };
    weft_executable_walk(&a, (weft_executable *)x);
    return weft_hash_end(a.hash);
}
