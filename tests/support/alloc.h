/* alloc.h: an allocator for tests that counts, checks and fails on request.
 *
 * It checks that every block is freed with its allocated size and that no byte after it was written, knows what is
 * still allocated, and can make the k-th request fail. weft_test_each_failure() runs a function once per request that
 * it makes, with that one failing:
 *
 *     static weft_status read_it(weft_context *cx, void *text) { ... }
 *     weft_test_each_failure(read_it, text);
 */
#ifndef WEFT_TESTS_SUPPORT_ALLOC_H
#define WEFT_TESTS_SUPPORT_ALLOC_H

#include <stdbool.h>
#include <weft/weft.h>

typedef struct weft_test_alloc {
    weft_allocator alloc;   /* the allocator to pass on */
    long requests;          /* for new or larger blocks, so far */
    long fail_at;           /* the request that fails, from 0; -1: none */
    bool failed;            /* it was made */
    long live_blocks;
    size_t live_bytes, most_bytes;
} weft_test_alloc;

void weft_test_alloc_init(weft_test_alloc *t, long fail_at);

/* Runs body under a fresh context for fail_at = 0, 1, ... until a run without a failure, which must give WEFT_OK. A run
 * with a failure must give WEFT_OK or WEFT_ERR_MEMORY. Nothing may stay allocated after any run. */
typedef weft_status (*weft_test_body)(weft_context *cx, void *user);
void weft_test_each_failure(weft_test_body body, void *user);

/* The same with every block of an arena as a request of its own (WEFT_EXACT, in builds with assertions), so that not
 * only the chunks' borders fail. begin makes the first requests, which never fail; of the others `most` fail, evenly
 * spread, the first by WEFT_SEED. Returns false if the body returns another status than WEFT_OK without a
 * failure. */
bool weft_test_any_failure(weft_test_body begin, weft_test_body body, void *user, int most);

#endif
