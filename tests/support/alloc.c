/* alloc.c: see alloc.h. Each block has its size in front, and a guard after it. */
#include "tests/support/alloc.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

typedef union header {
    struct { size_t bytes, magic; } is;
    _Alignas(32) char room[32];
} header;

#define GUARD 32 /* bytes after a block that must not be written */
#define LIVE 0x5745465454455354u
#define DEAD 0x44454144u

static void *resize(void *user, void *p, size_t old_bytes, size_t new_bytes) {
    weft_test_alloc *t = user;
    header *h = p ? (header *)p - 1 : NULL;
    ck_assert_msg(!h || h->is.magic == LIVE, "a block that is not drawn is given back");
    ck_assert_msg((h ? h->is.bytes : 0) == old_bytes, "a block of %zu bytes is given back as %zu", h ? h->is.bytes : 0,
                  old_bytes);
    for (size_t i = 0; h && i < GUARD; i++)
        if (((unsigned char *)p)[old_bytes + i] != 0x5a)
            ck_abort_msg("%zu bytes were written after the end of a block of %zu", i, old_bytes);
    if (new_bytes > old_bytes && t->requests++ == t->fail_at) {
        t->failed = true;
        return NULL;
    }
    if (!p && !new_bytes) return NULL;
    header *n = new_bytes ? aligned_alloc(32, (sizeof *n + new_bytes + GUARD + 31) / 32 * 32) : NULL;
    ck_assert(n || !new_bytes);
    if (n) {
        n->is.bytes = new_bytes;
        n->is.magic = LIVE;
        memset(n + 1, 0xa5, new_bytes); /* callers must not rely on zeros */
        memset((char *)(n + 1) + new_bytes, 0x5a, GUARD);
        if (h) memcpy(n + 1, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    }
    if (h) {
        h->is.magic = DEAD;
        free(h);
    }
    t->live_blocks += (n != NULL) - (h != NULL);
    t->live_bytes += new_bytes - old_bytes;
    if (t->live_bytes > t->most_bytes) t->most_bytes = t->live_bytes;
    return n ? n + 1 : NULL;
}

void weft_test_alloc_init(weft_test_alloc *t, long fail_at) {
    *t = (weft_test_alloc){ .alloc = { resize, t }, .fail_at = fail_at };
}

/* Whether a request failed; *st: what the body gives. */
static bool run_failing(weft_test_body body, void *user, long k, long *requests, weft_status *st) {
    weft_test_alloc t;
    weft_test_alloc_init(&t, k);
    weft_context *cx = weft_context_new(&t.alloc);
    *st = cx ? body(cx, user) : WEFT_ERR_MEMORY;
    if (requests) *requests = t.requests;
    weft_context_free(cx);
    ck_assert_msg(t.live_blocks == 0, "request %ld failing leaves %ld blocks", k, t.live_blocks);
    return t.failed;
}

static bool run_and_check(weft_test_body body, void *user, long k) {
    weft_status st;
    const bool failed = run_failing(body, user, k, NULL, &st);
    ck_assert_msg(st == WEFT_OK || (failed && st == WEFT_ERR_MEMORY), "request %ld failing gives '%s'", k,
                  weft_status_name(st));
    return failed;
}

void weft_test_each_failure(weft_test_body body, void *user) {
    for (long k = 0; run_and_check(body, user, k); k++) {}
}

bool weft_test_any_failure(weft_test_body begin, weft_test_body body, void *user, int most) {
    const char *seed = getenv("WEFT_SEED");
    long from, to;
    weft_status st;
    setenv("WEFT_EXACT", "1", 1);
    (void)run_failing(begin, user, -1, &from, &st);
    (void)run_failing(body, user, -1, &to, &st);
    const long step = (to - from) / most + 1;
    for (long k = from + (seed ? atol(seed) : 1) % step; st == WEFT_OK && k < to; k += step)
        (void)run_and_check(body, user, k);
    unsetenv("WEFT_EXACT");
    return st == WEFT_OK;
}
