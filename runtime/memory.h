/* memory.h: where a device's blocks come from.
 *
 * A memory has a kind, which is a table of functions; the rest of the runtime goes through the table, so another kind
 * is one more file. The host's kind (memory_host.c) cuts blocks from the world's segment, which the node's other ranks
 * read in place; the heap's kind (memory_heap.c) takes them from the process's heap. A memory belongs to one device,
 * whose thread alone uses it.
 *
 * A block that is released is kept for the next allocation of its size, since a fresh one costs a page fault for each
 * page. What is in use and what is kept together never exceed the most that was in use at one time: the block that was
 * kept longest goes back to the kind. Private to runtime/.
 */
#ifndef WEFT_RUNTIME_MEMORY_H
#define WEFT_RUNTIME_MEMORY_H

#include <weft/coll.h>
#include "base/status.h"

typedef struct weft_memory_kind {
    const char *name;                                                  /* "host" */
    size_t granule;                                                    /* sizes are rounded up to a multiple of it */
    void *(*allocate)(void *state, size_t bytes);                      /* NULL when there is no more */
    void (*release)(void *state, void *block);
} weft_memory_kind;

typedef struct weft_kept_block weft_kept_block;

enum { WEFT_MEMORY_SIZES = 64 };

typedef struct weft_memory {
    const weft_memory_kind *kind;
    void *state;                   /* the kind's; lent */
    const weft_allocator *alloc;   /* for what it knows of kept blocks; NULL: none are kept */
    int64_t bytes, most;           /* in use now, and the most that was in use at one time */
    /* The same in whole granules, and what is kept. */
    int64_t rounded, rounded_most, kept;
    weft_kept_block *of_size[WEFT_MEMORY_SIZES]; /* by a hash of the size, the newest first */
    weft_kept_block *oldest, *newest;
    weft_kept_block *spare;        /* without a block: what was known of blocks that are in use again */
} weft_memory;

/* The world's memory, by a handle of the device that it is for, which outlives the memory. */
weft_memory weft_memory_host(weft_comm *all, const weft_allocator *alloc);
/* The process's heap (memory_heap.c): for devices that are all of one process. */
weft_memory weft_memory_heap(const weft_allocator *alloc);

/* A block of `bytes`, which may be 0; its contents are undefined. NULL when there is no more. */
void *weft_memory_allocate(weft_memory *m, int64_t bytes);
/* block NULL is fine; bytes as it was allocated. */
void weft_memory_release(weft_memory *m, void *block, int64_t bytes);
/* Gives back what is kept. */
void weft_memory_trim(weft_memory *m);

#endif
