/* stream.c: see stream.h. */
#include "collectives/stream.h"

#include <stdint.h>
#include <string.h>

#define LINE 64u
#define SHORT_BYTES 1024u /* below, the ends cost more than the lines gain */

#if defined(__SSE2__)
#include <emmintrin.h>

void weft_copy(void *dst, const void *src, size_t bytes, weft_copy_way way) {
    if (way == WEFT_COPY_CACHED || bytes < SHORT_BYTES) {
        memcpy(dst, src, bytes);
        return;
    }
    char *d = dst;
    const char *s = src;
    size_t head = -(uintptr_t)d % LINE;
    memcpy(d, s, head);
    d += head, s += head, bytes -= head;
    for (; bytes >= LINE; d += LINE, s += LINE, bytes -= LINE) { /* one line's stores together: they leave the core as one */
        __m128i a = _mm_loadu_si128((const __m128i *)s), b = _mm_loadu_si128((const __m128i *)(s + 16));
        __m128i c = _mm_loadu_si128((const __m128i *)(s + 32)), e = _mm_loadu_si128((const __m128i *)(s + 48));
        _mm_stream_si128((__m128i *)d, a);
        _mm_stream_si128((__m128i *)(d + 16), b);
        _mm_stream_si128((__m128i *)(d + 32), c);
        _mm_stream_si128((__m128i *)(d + 48), e);
    }
    memcpy(d, s, bytes);
    _mm_sfence(); /* streaming stores are ordered by nothing else */
}
#else
void weft_copy(void *dst, const void *src, size_t bytes, weft_copy_way way) {
    (void)way;
    memcpy(dst, src, bytes);
}
#endif
