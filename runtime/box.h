/* box.h: a box of a tensor in a file, run by run. */
#ifndef WEFT_RUNTIME_BOX_H
#define WEFT_RUNTIME_BOX_H

#include <stdbool.h>

#include "base/status.h"

/* The elements start[d] to start[d] + count[d] - 1 of a row-major tensor of sizes dims, and memory of sizes local
 * (row-major, too), whose first elements they are. At most 64 dimensions. */
typedef struct weft_box {
    uint32_t rank;
    size_t elem_bytes;
    const int64_t *dims, *start, *count, *local;
} weft_box;

int64_t weft_box_bytes(const weft_box *r);

/* Goes through the runs of bytes that are contiguous on both sides, in rising order: `n` bytes from byte `file` of the
 * tensor and byte `memory` of the memory. All runs are equally long. The box is lent. */
typedef struct weft_box_cursor {
    int64_t file, memory;
    size_t n;
    const weft_box *box;
    uint32_t run_dim;                     /* dimensions from here on are one run */
    int64_t index[64], file_stride[64], memory_stride[64];
} weft_box_cursor;

bool weft_box_first(const weft_box *r, weft_box_cursor *c); /* false: the box is empty */
bool weft_box_next(weft_box_cursor *c);                     /* false: that was the last run */

/* Calls visit for each run. Stops at the first status that is not WEFT_OK, and returns it. */
typedef weft_status weft_box_run(void *user, int64_t file, int64_t memory, size_t n);
weft_status weft_box_walk(const weft_box *r, weft_box_run *visit, void *user);

#endif
