/* fresh.h: fills memory that was never written with a pattern, so that it does not hold zeros by luck.
 *
 * Code that reads it too early gets numbers that fail every comparison (-2.9e-16 as f32, a large negative integer).
 * Arenas do so in builds with assertions; devices also in any build if the environment has WEFT_FRESH, as ./check sets
 * it, so that tests against other programs notice as well.
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
