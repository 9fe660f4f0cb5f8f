/* box.h: a box of a tensor in a file, run by run. */
#ifndef WEFT_RUNTIME_BOX_H
#define WEFT_RUNTIME_BOX_H

#include "base/status.h"

/* The elements start[d] to start[d] + count[d] - 1 of a row-major tensor of sizes dims, and memory of sizes local
 * (row-major, too), whose first elements they are. */
typedef struct weft_box {
    uint32_t rank;
    size_t elem_bytes;
    const int64_t *dims, *start, *count, *local;
} weft_box;

int64_t weft_box_bytes(const weft_box *r);

/* Calls visit for each run of bytes that is contiguous on both sides, in rising order: `n` bytes from byte `file` of
 * the tensor and byte `memory` of the memory. Stops at the first status that is not WEFT_OK, and returns it. */
typedef weft_status weft_box_run(void *user, int64_t file, int64_t memory, size_t n);
weft_status weft_box_walk(const weft_box *r, weft_box_run *visit, void *user);

#endif
