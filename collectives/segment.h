/* segment.h: memory that the ranks of a node share, and the blocks cut from it.
 *
 * A segment is one range of addresses, large and empty at first: memory is allocated when a part is committed and freed
 * when it is decommitted. It is private to the process (threads) or a memfd that other processes map as a whole, once.
 * A memfd's pages are reserved before they are touched, so exhausted memory is an error here and no SIGBUS later. The
 * memfd is not in /dev/shm, whose size containers limit, and ends with the last process that has it open.
 * A heap cuts blocks of whole pages from the segment of its own process. Any thread may allocate and free.
 */
#ifndef WEFT_COLLECTIVES_SEGMENT_H
#define WEFT_COLLECTIVES_SEGMENT_H

#include <pthread.h>
#include "base/status.h"

typedef struct weft_segment {
    char *base;      /* NULL: none */
    size_t size;     /* of the range of addresses */
    int fd;          /* -1: private memory */
} weft_segment;

typedef enum weft_segment_kind { WEFT_SEGMENT_PRIVATE, WEFT_SEGMENT_SHARED } weft_segment_kind;

/* A segment of up to want bytes; smaller if the address space, the machine or a limit of the process does not allow
 * it. WEFT_ERR_IO and errno. */
weft_status weft_segment_create(weft_segment_kind kind, size_t want, weft_segment *out);
/* How another process finds a shared segment, and verifies it. */
typedef struct weft_segment_card {
    uint64_t size, device, inode;
    int64_t fd;
} weft_segment_card;
weft_segment_card weft_segment_describe(const weft_segment *s);
/* Maps the segment that process pid has described. WEFT_ERR_IO and errno. */
weft_status weft_segment_open(long pid, const weft_segment_card *card, weft_segment *out);
void weft_segment_close(weft_segment *s);

/* Backs [offset, offset + bytes) with zeroed memory; false when memory is out. */
bool weft_segment_commit(const weft_segment *s, size_t offset, size_t bytes);
void weft_segment_decommit(const weft_segment *s, size_t offset, size_t bytes);

typedef struct weft_heap_block {
    size_t offset, bytes;
    enum { WEFT_BLOCK_FREE, WEFT_BLOCK_USED } state;
} weft_heap_block;

typedef struct weft_heap {
    weft_segment segment;      /* owned */
    weft_allocator alloc;
    pthread_mutex_t lock;      /* guards the fields below */
    weft_heap_block *blocks;   /* in address order, no two free neighbours; together the whole segment */
    size_t count, cap;
} weft_heap;

/* Announces that the process will map as many segments of this size. WEFT_ERR_IO and errno. */
weft_status weft_heap_init(weft_heap *h, const weft_allocator *alloc, weft_segment_kind kind, int maps);
void weft_heap_free(weft_heap *h);
void *weft_heap_alloc(weft_heap *h, size_t bytes);  /* zeroed, page-aligned; NULL when there is no more */
void weft_heap_dealloc(weft_heap *h, void *p);      /* NULL is fine */

/* Whether [p, p + bytes) is in the segment; then its offset. */
static inline bool weft_segment_offset(const weft_segment *s, const void *p, size_t bytes, uint64_t *offset) {
    uintptr_t a = (uintptr_t)p, base = (uintptr_t)s->base;
    if (!s->base || a < base || bytes > s->size || a - base > s->size - bytes) return false;
    *offset = a - base;
    return true;
}

#endif
