/* memory.h: where a device's blocks come from.
 *
 * A memory has a kind, which is a table of functions; the rest of the runtime goes through the table, so another kind
 * is one more file. The host's kind (memory_host.c) cuts blocks from the world's segment, which the node's other ranks
 * read in place. A memory belongs to one device, whose thread alone uses it. Private to runtime/.
 */
#ifndef WEFT_RUNTIME_MEMORY_H
#define WEFT_RUNTIME_MEMORY_H

#include <weft/coll.h>
#include "base/status.h"

typedef struct weft_memory_kind {
    const char *name;                                                  /* "host" */
    void *(*allocate)(void *state, size_t bytes);                      /* NULL when there is no more */
    void (*release)(void *state, void *block);
} weft_memory_kind;

typedef struct weft_memory {
    const weft_memory_kind *kind;
    void *state;                   /* the kind's; lent */
    int64_t bytes, most;           /* in use now, and the most that was in use at one time */
} weft_memory;

/* The world's memory, by a handle of the device that it is for, which outlives the memory. */
weft_memory weft_memory_host(weft_comm *all);

/* A block of `bytes`, which may be 0; NULL when there is no more. */
void *weft_memory_allocate(weft_memory *m, int64_t bytes);
/* block NULL is fine; bytes as it was allocated. */
void weft_memory_release(weft_memory *m, void *block, int64_t bytes);

#endif
