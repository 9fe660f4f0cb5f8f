/* stream.c: see stream.h. */
#include "collectives/stream.h"

#include <string.h>

/* Calls `copy` for one chunk after another from the end on. Chunks end at multiples in the target's address, so that
 * lines stay undivided. */
static void backward(char *d, const char *s, size_t bytes, void (*copy)(char *d, const char *s, size_t bytes)) {
    for (size_t n; bytes; bytes -= n) {
        n = (uintptr_t)(d + bytes) % WEFT_CHUNK_BYTES;
        if (n == 0) n = WEFT_CHUNK_BYTES;
        if (n > bytes) n = bytes;
        copy(d + bytes - n, s + bytes - n, n);
    }
}

static void copy_cached(char *d, const char *s, size_t bytes) { memcpy(d, s, bytes); }

#if defined(__SSE2__)
#include <immintrin.h>

#define LINE 64u
#define SHORT_BYTES 1024u /* below, the ends cost more than the lines gain */
#define PAGE 4096u

static inline void stream_line(char *d, const char *s) { /* adjacent stores, which leave the core as one */
    __m128i a = _mm_loadu_si128((const __m128i *)s), b = _mm_loadu_si128((const __m128i *)(s + 16));
    __m128i c = _mm_loadu_si128((const __m128i *)(s + 32)), e = _mm_loadu_si128((const __m128i *)(s + 48));
    _mm_stream_si128((__m128i *)d, a);
    _mm_stream_si128((__m128i *)(d + 16), b);
    _mm_stream_si128((__m128i *)(d + 32), c);
    _mm_stream_si128((__m128i *)(d + 48), e);
}

static void stream_lines(char *d, const char *s, size_t bytes) {
    for (size_t i = 0; i < bytes; i += LINE) stream_line(d + i, s + i);
}

/* A core prefetches within a page, and stops at its end; alternating between several pages it has more lines in flight.
 * Two cores of a Xeon at once, 64 MiB each: 7.5 GB/s page by page, 11 alternating between four, 12.7
 * between eight, four lines of each. */
#define PAGES 8u
#define TURN (4 * LINE)
#define AHEAD (8 * LINE)

static void stream_pages(char *d, const char *s) {
    for (size_t at = 0; at < PAGE; at += TURN)
        for (size_t page = at; page < PAGES * PAGE; page += PAGE)
            for (size_t i = page; i < page + TURN; i += LINE) {
                _mm_prefetch(s + i + AHEAD, _MM_HINT_T0); /* past the end it fetches nothing, or an unused line */
                stream_line(d + i, s + i);
            }
}

/* AMD's cores do not like that: they have enough lines in flight within one page, and are fastest if the first lines of
 * the next page are prefetched. Two cores of an EPYC (Zen 3) at once, all_gather of 32 MiB: 5.6 ms alternating between
 * eight pages, 4.5 two, 3.5 one, 3.2 with a page prefetched; 3.0 in lines of 32-byte registers, and so
 * at all sizes (1 MiB each: 44 and 47 GB/s). */
__attribute__((target("avx"))) static void stream_ahead(char *d, const char *s, size_t bytes) {
    for (size_t i = 0; i < bytes; i += LINE) {
        _mm_prefetch(s + i + PAGE, _MM_HINT_T0);
        __m256i a = _mm256_loadu_si256((const __m256i *)(s + i)), b = _mm256_loadu_si256((const __m256i *)(s + i + 32));
        _mm256_stream_si256((__m256i *)(d + i), a);
        _mm256_stream_si256((__m256i *)(d + i + 32), b);
    }
}

static int one_page_is_best(void) { return __builtin_cpu_is("amd") && __builtin_cpu_supports("avx"); }

static void copy_streamed(char *d, const char *s, size_t bytes) {
    if (bytes < SHORT_BYTES) {
        memcpy(d, s, bytes);
        return;
    }
    size_t head = -(uintptr_t)d % LINE, lines;
    memcpy(d, s, head);
    d += head, s += head, bytes -= head;
    lines = bytes - bytes % LINE;
    bytes -= lines;
    if (one_page_is_best()) stream_ahead(d, s, lines);
    else {
        for (; lines >= PAGES * PAGE; d += PAGES * PAGE, s += PAGES * PAGE, lines -= PAGES * PAGE) stream_pages(d, s);
        stream_lines(d, s, lines);
    }
    memcpy(d + lines, s + lines, bytes);
}

/* Adding up block by block reads memory, then writes it, and reaches full speed in neither unless the next block is
 * being fetched meanwhile. */
void weft_copy_fetching(void *dst, const void *src, size_t bytes, const void *const *next, int k) {
    char *d = dst;
    const char *s = src;
    size_t head = -(uintptr_t)d % LINE, at = 0;
    if (head > bytes) head = bytes;
    memcpy(d, s, head);
    d += head, s += head, bytes -= head;
    for (; bytes - at >= LINE; at += LINE) {
        for (int i = 0; i < k; i++) _mm_prefetch((const char *)next[i] + at, _MM_HINT_T0);
        stream_line(d + at, s + at);
    }
    memcpy(d + at, s + at, bytes - at);
}

void weft_copy_end(weft_copy_way way) {
    if (way & WEFT_COPY_STREAMED) _mm_sfence(); /* streaming stores are ordered by nothing else */
}
#else
static void copy_streamed(char *d, const char *s, size_t bytes) { memcpy(d, s, bytes); }

void weft_copy_fetching(void *dst, const void *src, size_t bytes, const void *const *next, int k) {
    (void)next, (void)k;
    memcpy(dst, src, bytes);
}

void weft_copy_end(weft_copy_way way) { (void)way; }
#endif

void weft_copy_piece(void *dst, const void *src, size_t bytes, weft_copy_way way) {
    void (*copy)(char *d, const char *s, size_t bytes) = way & WEFT_COPY_STREAMED ? copy_streamed : copy_cached;
    if (way & WEFT_COPY_BACKWARD) backward(dst, src, bytes, copy);
    else copy(dst, src, bytes);
}
