/* arena.h: memory that is freed all at once.
 *
 * An arena hands out zeroed blocks of chunks that it gets from an allocator. No block is freed alone; a mark remembers
 * a height and weft_arena_reset() frees everything above it. So scratch memory ends with the function that began it.
 * Under the address sanitizer free memory is poisoned, and some bytes after each block.
 * In a build with assertions, if the environment has WEFT_EXACT, each block is an allocation of its own: a test can
 * refuse any of them, and an overrun does not hit another block. An arena is used by one thread at a time.
 */
#ifndef WEFT_BASE_ARENA_H
#define WEFT_BASE_ARENA_H

#include "base/status.h"

#define WEFT_HUGE_PAGE ((size_t)2 << 20) /* of x86 and most others; the chunk size of large arenas */

typedef struct weft_chunk weft_chunk;

typedef struct weft_arena {
    weft_allocator alloc;
    weft_chunk *top;      /* newest chunk; chunks link to older ones */
    size_t total_bytes;   /* allocated */
    bool exact;           /* a chunk for each block */
} weft_arena;

typedef struct weft_mark {
    weft_chunk *chunk;
    size_t used;
} weft_mark;

void weft_arena_init(weft_arena *a, const weft_allocator *alloc); /* allocates nothing yet */
void weft_arena_free(weft_arena *a);                              /* frees everything; the arena is empty again */

/* `bytes` zeroed bytes aligned to align (a power of two), or NULL. bytes may be 0: a valid pointer to nothing. */
void *weft_arena_alloc(weft_arena *a, size_t bytes, size_t align);
/* The same without the zeros: the caller must write every byte that it reads. */
void *weft_arena_take(weft_arena *a, size_t bytes, size_t align);

/* count * size with overflow checked. */
void *weft_arena_calloc(weft_arena *a, size_t count, size_t size, size_t align);

/* A copy of n bytes with a NUL after it. */
char *weft_arena_strdup(weft_arena *a, const char *p, size_t n);
void *weft_arena_dup(weft_arena *a, const void *p, size_t bytes, size_t align);

weft_mark weft_arena_mark(const weft_arena *a);
void weft_arena_reset(weft_arena *a, weft_mark mark);

/* Chunks of the full size that arenas freed, kept for the next arena: each pass of a compiler fills an arena as large
 * as the one that was just freed, and fresh memory costs a page fault per page. It is an allocator on top of another,
 * for arenas only; its arenas end before it. Used by one thread at a time. */
typedef struct weft_chunk_pool {
    weft_allocator below;
    void *kept;           /* linked through their first words */
    size_t count;
} weft_chunk_pool;
void weft_chunk_pool_init(weft_chunk_pool *p, const weft_allocator *below);
void weft_chunk_pool_free(weft_chunk_pool *p);
weft_allocator weft_chunk_pool_allocator(weft_chunk_pool *p);

#define weft_arena_new(a, T) ((T *)weft_arena_alloc((a), sizeof(T), _Alignof(T)))
#define weft_arena_array(a, T, n) ((T *)weft_arena_calloc((a), (size_t)(n), sizeof(T), _Alignof(T)))

/* Makes *items hold at least need elements of size bytes, doubling *cap; old elements are kept, new ones are zero.
 * false when memory is out.
 * The idiom:  if (n == cap && !weft_arena_grow(a, (void **)&v, &cap, n + 1, sizeof *v)) return NULL; */
bool weft_arena_grow(weft_arena *a, void **items, size_t *cap, size_t need, size_t size);

#endif
