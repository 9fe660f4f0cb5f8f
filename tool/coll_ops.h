/* coll_ops.h: the collectives that `bench` and `tune` time, each as one call on buffers of floats. */
#ifndef WEFT_TOOL_COLL_OPS_H
#define WEFT_TOOL_COLL_OPS_H

#include <weft/coll.h>
#include "cost/link.h"

/* One call: its ranks, and the operand of the full tensor and of a rank's share of it. */
typedef struct tool_coll_turn {
    weft_comm *c;
    int p, me;
    weft_coll_buf whole, part;
} tool_coll_turn;

typedef struct tool_coll_op {
    const char *name;
    weft_coll_kind kind;
    weft_status (*run)(const tool_coll_turn *t);
} tool_coll_op;

#define TOOL_COLL_OPS 9
extern const tool_coll_op tool_coll_ops[TOOL_COLL_OPS];

/* Bytes of the full tensor that the call moves: rounded down to a multiple of the number of ranks if it has a block for
 * each rank; may be 0. */
int64_t tool_coll_bytes(const tool_coll_op *op, const tool_coll_turn *t);

/* Makes the call on `bytes` of the full tensor, from in to out. */
tool_coll_turn tool_coll_turn_of(weft_comm *c, const float *in, float *out, int64_t bytes);

#endif
