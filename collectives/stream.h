/* stream.h: copies that bypass the caches, and copies that go backwards.
 *
 * A store into memory that is in no cache first reads the line it is about to overwrite, so a copy of more than the
 * caches hold costs three transfers a byte where two would do. Streaming stores write whole lines without reading them,
 * and leave the contents of the caches alone. They pay off if the output would not stay in the last cache anyway,
 * beside the memory of the other ranks that share it: from a quarter of a rank's share of the cache on. Two ranks on an
 * EPYC's last cache of 32 MiB, so a share of 4 MiB, the better direction of each: all_gather of 2 MiB at 48 GB/s
 * bypassing the caches and 50 through them, 4 MiB at 45 and 44, 8 MiB at 46 and 33, 16 MiB at 40 and 18; sums as
 * reduce_scatter makes them, of 2 MiB at 21 and 30, 4 MiB at 23 and 26, 8 MiB at 17 and 9. On two cores of a Xeon a
 * call of 4 MiB was better through the caches, 8 MiB a little, and 12 MiB bypassing them.
 *
 * Every other call on a group goes backwards: a rank that has passed over more than the cache holds finds the last
 * bytes there, and a reader that starts at the output's beginning finds that. All ranks of a call go the same way, so
 * that lines fetched by one are found by the others in a shared cache. Two cores of that Xeon at once, the same buffers
 * again and again: 1 MiB at 33 GB/s forwards and 42 alternating, 2 MiB at 16 and 23, 4 MiB at 15 and 18, 8 MiB at 14.5
 * and 15.6. On the EPYC streamed copies of 8 to 32 MiB gain 5 to 10% by it; streamed sums, which read from as many
 * places as there are ranks, lose a little, and go forwards.
 */
#ifndef WEFT_COLLECTIVES_STREAM_H
#define WEFT_COLLECTIVES_STREAM_H

#include <stddef.h>
#include <stdint.h>

typedef enum weft_copy_way {
    WEFT_COPY_CACHED,
    WEFT_COPY_STREAMED = 1,
    WEFT_COPY_BACKWARD = 2,   /* from the end to the beginning, in chunks */
    WEFT_COPY_STREAMED_BACKWARD = WEFT_COPY_STREAMED | WEFT_COPY_BACKWARD
} weft_copy_way;

/* capacity of a core's own cache: smaller copies find all of it again in either direction */
#define WEFT_TURN_BYTES ((size_t)1 << 19)
#define WEFT_CHUNK_BYTES ((size_t)1 << 16)   /* of a backward copy; forwards within, which cores prefetch best */

/* The last cache before memory: its bytes, and how many processors share it; 0: unknown. */
typedef struct weft_last_cache {
    size_t bytes;
    int cpus;
} weft_last_cache;

/* caches.c: read from Linux's description of a processor, /sys/devices/system/cpu/cpuN/cache. */
weft_last_cache weft_last_cache_in(const char *folder);
/* How much a rank may write in one call through the caches, if so many ranks run on so many processors with such
 * caches. */
size_t weft_cached_bytes(weft_last_cache last, int cpus, int ranks);

/* The kind of copy for so many bytes in the call of this number, if so many bytes are for the caches. */
static inline weft_copy_way weft_copy_way_of(size_t written, size_t cached_bytes, uint64_t call) {
    unsigned way = written > cached_bytes ? WEFT_COPY_STREAMED : WEFT_COPY_CACHED;
    return (weft_copy_way)(written >= WEFT_TURN_BYTES && call % 2 ? way | WEFT_COPY_BACKWARD : way);
}

/* memcpy of one of many pieces. Streamed bytes are visible to others once weft_copy_end returns and a store with
 * release order follows; the pieces before the last need not call it. */
void weft_copy_piece(void *dst, const void *src, size_t bytes, weft_copy_way way);
/* Streams a piece that is in the cache, and prefetches as many bytes of k places that come next, so that memory is read
 * meanwhile. */
void weft_copy_fetching(void *dst, const void *src, size_t bytes, const void *const *next, int k);
void weft_copy_end(weft_copy_way way);

#endif
