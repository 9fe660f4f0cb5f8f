/* strided.h: elements of an array in a file, read into memory of another order or type. */
#ifndef WEFT_RUNTIME_STRIDED_H
#define WEFT_RUNTIME_STRIDED_H

#include "base/diag.h"
#include "base/dtype.h"

/* The array: `elems` elements one after another, from byte `at` of an open file. */
typedef struct weft_in_file {
    weft_context *cx;
    const char *path;
    int fd;
    int64_t at, elems;
    weft_dtype dtype;
    bool is_swapped;                      /* big-endian */
} weft_in_file;

/* Which of them. Dimension d has count[d]; its neighbours are file[d] elements apart in the array and memory[d] in the
 * memory. The first is number `first`. At most 64 dimensions. */
typedef struct weft_strided {
    uint32_t rank;
    const int64_t *count, *file, *memory;
    int64_t first;
    weft_dtype dtype;                     /* of the memory: the array's, or a float for floats */
} weft_strided;

weft_status weft_strided_read(const weft_in_file *f, const weft_strided *v, void *to);

/* n elements from big-endian to little-endian, in place. */
void weft_swap_bytes(weft_dtype t, void *elems, size_t n);

#endif
