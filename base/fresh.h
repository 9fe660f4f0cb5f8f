/* fresh.h: memory that nobody has written yet holds no zeros by luck.
 *
 * It is filled with a pattern: who reads it before it is written gets numbers that are wrong wherever they are compared
 * (-2.9e-16 as f32, a large negative integer). Arenas do so in builds with assertions; devices also in any build where
 * the environment has WEFT_FRESH, as ./check sets it, so that tests against other programs notice as well.
 */
#ifndef WEFT_BASE_FRESH_H
#define WEFT_BASE_FRESH_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WEFT_FRESH_BYTE 0xa5

static inline bool weft_fresh_always(void) {
#ifndef NDEBUG
    return true;
#else
    return false;
#endif
}

static inline bool weft_fresh_wanted(void) { return weft_fresh_always() || getenv("WEFT_FRESH"); }

static inline void weft_fresh_fill(void *p, size_t bytes) {
    if (p && bytes) memset(p, WEFT_FRESH_BYTE, bytes);
}

#endif
