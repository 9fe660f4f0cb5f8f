/* order.h: when each unit of a block runs, the same on every rank. An order is a list of positions over units that stay
 * as they are. */
#ifndef WEFT_CODEGEN_ORDER_H
#define WEFT_CODEGEN_ORDER_H

#include "codegen/storage.h"

/* A collective that passes beside other units has two positions: its start, which reads the operands and writes the
 * results, and its end. Up to that the operands stay, and the results are not read. */
typedef enum cg_phase { CG_PHASE_WHOLE, CG_PHASE_START, CG_PHASE_DONE } cg_phase;

typedef struct cg_position {
    uint32_t unit;
    cg_phase phase;
    uint32_t other;         /* of a start the position of its end, of an end that of its start */
} cg_position;

typedef struct cg_order { cg_position *v; uint32_t count; } cg_order;

/* Producers first, readers of a donated argument before what overwrites it where that can be, and otherwise what frees
 * memory early, else program order. In the graph's arena. */
weft_status cg_schedule(cg_graph *g, const cg_storage *s, cg_order *out);

#endif
