/* buffers.h: an offset for every range of memory that a block uses. */
#ifndef WEFT_CODEGEN_BUFFERS_H
#define WEFT_CODEGEN_BUFFERS_H

#include "codegen/lifetimes.h"

/* Offsets of temporaries count from the beginning of the block's share of the arena; result r is that of the block. */
typedef struct cg_memory {
    int64_t temp_bytes;
    weft_slice *value;      /* of all that units write, unit by unit */
    weft_slice *scratch;    /* by unit; 0 bytes for none */
} cg_memory;

/* In the graph's arena. */
weft_status cg_assign(cg_graph *g, const cg_lifetimes *l, cg_memory *out);

#endif
