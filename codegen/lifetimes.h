/* lifetimes.h: from when to when the memory of each value of a block is in use: a function of storage and order.
 *
 * Positions are those of the order. A value lives from the position that writes it to the last one that reads it; a
 * collective that is begun at one position and waited for at another holds operands and results from the one to the
 * other. Values that lie in one memory, one after the other, have one range. A range lies among the block's
 * temporaries, or from its beginning in the memory of a result.
 */
#ifndef WEFT_CODEGEN_LIFETIMES_H
#define WEFT_CODEGEN_LIFETIMES_H

#include "codegen/order.h"
#include "exec/executable.h"

enum { CG_ARENA = 0 };      /* a home; others are 1 + the number of a result */

typedef struct cg_range {
    int64_t bytes;          /* without what fills up to the next one */
    uint32_t from, to;      /* positions, both included; to: the number of positions when it outlives the block */
    uint32_t home;
    uint32_t handed_on;     /* the last position at which a value took it over from another, or CG_NONE */
} cg_range;

typedef struct cg_lifetimes {
    const cg_storage *storage;
    const cg_order *order;
    uint32_t *writer;       /* by node id: the position that writes it, or CG_NONE */
    uint32_t *last;         /* the last one that reads it, the number of positions for a result, or CG_NONE */
    uint32_t *held;         /* the last one that reads it or holds it for a collective, or CG_NONE */
    uint32_t *home;         /* by node id: 1 + the result in whose memory it lies whatever else does; 0: none */
    bool *in_slot;          /* by result: its chain lies in its slot; else it is copied there when the block ends */
    int32_t *alias;         /* by result: the argument whose memory it takes over, or -1 */
    cg_range *range;
    uint32_t range_count;
    uint32_t *of;           /* by node id: its range, or CG_NONE */
    uint32_t *scratch;      /* by unit: the range of its scratch, or CG_NONE */
    int64_t peak_bytes;     /* of the ranges among temporaries that live at one position, each as it is aligned */
} cg_lifetimes;

/* The first four of them, up to held, as a result knows it. */
weft_status cg_uses_of(const cg_graph *g, const cg_storage *s, const cg_order *o, weft_arena *a, cg_lifetimes *out);

/* All. scratch_bytes: by unit. */
weft_status cg_lifetimes_of(const cg_graph *g, const cg_storage *s, const cg_order *o, const int64_t *scratch_bytes,
                            weft_arena *a, cg_lifetimes *out);

/* The last position at which anything but the collective that starts at `by` reads or holds n; 0 also for none. */
uint32_t cg_last_use_but(const cg_lifetimes *l, const cg_node *n, uint32_t by);

static inline int64_t cg_align(int64_t n) {
    return (n + WEFT_BUFFER_ALIGN - 1) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN;
}

#endif
