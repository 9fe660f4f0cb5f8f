/* fresh.h: memory that nobody has written yet holds no zeros by luck.
 *
 * In builds with assertions, fresh memory is filled with a pattern: whoever reads it before it is written gets numbers that are wrong
 * wherever they are compared (-2.9e-16 as f32, a large negative integer). Release builds leave memory as it is.
 */
#ifndef WEFT_BASE_FRESH_H
#define WEFT_BASE_FRESH_H

#include <string.h>

#define WEFT_FRESH_BYTE 0xa5

static inline void weft_fresh_fill(void *p, size_t bytes) {
#ifndef NDEBUG
    if (p && bytes) memset(p, WEFT_FRESH_BYTE, bytes);
#else
    (void)p, (void)bytes;
#endif
}

#endif
