/* long_moves.h: buffers of more bytes than 31 bits count, and moves of them between two ranks. They are long, not
 * large: all their parts are the same memory, mapped repeatedly, so their contents repeat.
 */
#ifndef WEFT_TESTS_COLLECTIVES_LONG_MOVES_H
#define WEFT_TESTS_COLLECTIVES_LONG_MOVES_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <weft/coll.h>

#define LONG_PART ((size_t)1 << 22)
#define LONG_BYTES (((size_t)1 << 31) + 2 * LONG_PART + 123) /* Linux moves 2^31 - 4096 in one call */

enum { GOOD, WRONG, FAILED, NO_WORLD, NO_MEMORY }; /* how a process ends */

static inline char long_value(size_t i, int rank) { return (char)(i * (size_t)(rank + 3) % 101); }

/* NULL: the address space is too small. */
static inline char *long_buffer(void) {
    int fd = memfd_create("weft-test", MFD_CLOEXEC);
    size_t parts = (LONG_BYTES + LONG_PART - 1) / LONG_PART, mapped = 0;
    char *p = mmap(NULL, parts * LONG_PART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fd < 0 || p == MAP_FAILED || ftruncate(fd, (off_t)LONG_PART) != 0) return NULL;
    while (mapped < parts &&
           mmap(p + mapped * LONG_PART, LONG_PART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
        mapped++;
    close(fd);
    return mapped == parts ? p : NULL;
}

static inline void long_fill(char *p, int rank) {
    for (size_t i = 0; i < LONG_PART; i++) p[i] = long_value(i, rank);
}

static inline int long_holds(const char *p, int rank) {
    size_t i = 0;
    while (i < LONG_PART && p[i] == long_value(i, rank)) i++;
    return i == LONG_PART;
}

static inline int long_move(weft_comm *c, int rank, char *in, char *out) {
    weft_coll_buf b = { in, out, weft_coll_type("ui8"), 1, 1, (int64_t)LONG_BYTES };
    if (weft_coll_broadcast(c, 1, &b, 1, NULL) != WEFT_OK) return FAILED;
    if (!long_holds(out, 1)) return WRONG;
    if (weft_coll_permute(c, 1 - rank, 1 - rank, &b, 1, NULL) != WEFT_OK) return FAILED;
    return long_holds(out, 1 - rank) ? GOOD : WRONG;
}

#endif
