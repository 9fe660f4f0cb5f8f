/* stream.h: copies that go past the caches.
 *
 * A store into memory that is in no cache first reads the line it is about to overwrite, so that a copy of more than the caches hold costs three
 * transfers a byte where two would do. Streaming stores write whole lines without reading them. They pay where what is written would not stay in
 * the core's own cache anyway: on a Xeon with 2 MiB of it, two cores at once, copies of 1 MiB run at 27 GB/s through it and at 17 past it, 4 MiB
 * at 12.6 and 15.0, 64 MiB at 4.0 and 8.5, and at 12.7 where several pages are copied in turns (stream.c).
 */
#ifndef WEFT_COLLECTIVES_STREAM_H
#define WEFT_COLLECTIVES_STREAM_H

#include <stddef.h>
#include <stdint.h>

typedef enum weft_copy_way { WEFT_COPY_CACHED, WEFT_COPY_STREAMED, WEFT_COPY_BACKWARD } weft_copy_way; /* BACKWARD: cached, from the end on */

#define WEFT_STREAM_BYTES ((size_t)3 << 20)

/* How to write so many bytes in one call. */
static inline weft_copy_way weft_copy_way_of(size_t written) { return written >= WEFT_STREAM_BYTES ? WEFT_COPY_STREAMED : WEFT_COPY_CACHED; }

/* How to copy so many bytes in the call of this number. Between what a core's own cache holds and what streaming is for, every other call goes
 * backwards: who has just passed over more than the cache holds finds there what was last, and who reads the output from its beginning finds
 * that. Two cores of that Xeon at once, the same buffers again and again: 1 MiB at 33 GB/s forwards and 42 in turns, 2 MiB at 16 and 23,
 * 4 MiB at 15 and 18, 8 MiB at 14.5 and 15.6; past the caches 21, 18, 14 and 13.6. */
#define WEFT_TURN_BYTES ((size_t)1 << 19)
#define WEFT_STREAM_MOVED_BYTES ((size_t)12 << 20)
static inline weft_copy_way weft_move_way_of(size_t written, uint64_t call) {
    if (written >= WEFT_STREAM_MOVED_BYTES) return WEFT_COPY_STREAMED;
    return written >= WEFT_TURN_BYTES && call % 2 ? WEFT_COPY_BACKWARD : WEFT_COPY_CACHED;
}

/* memcpy. Streamed bytes are visible to others once this returns and a store with release order follows. */
void weft_copy(void *dst, const void *src, size_t bytes, weft_copy_way way);
/* The same of one of many pieces: what was streamed is visible after weft_copy_end, for which the pieces between need not wait. */
void weft_copy_piece(void *dst, const void *src, size_t bytes, weft_copy_way way);
void weft_copy_end(weft_copy_way way);

#endif
