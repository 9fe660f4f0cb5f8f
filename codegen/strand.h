/* strand.h: a loop with all that it holds as one function of machine code.
 *
 * Steps of an executable are walked by a runtime, which costs more than many of them do. A loop without collectives
 * becomes one step: its kernels are called, or taken in where they are small, its branches are jumps, and small values
 * that it works on stand in registers. What is no kernel (call.h, libraries) is called through a table in the step's
 * state (weft_loop_state in exec/load.h). A loop may have no end: after each turn it reads weft_run_env.stop, and
 * returns WEFT_ERR_PEER when that is set.
 */
#ifndef WEFT_CODEGEN_STRAND_H
#define WEFT_CODEGEN_STRAND_H

#include "exec/executable.h"

/* Memory of its own for a stretch of a space, taken over at the start and given back at the end where it is written. */
typedef struct cg_strand_part {
    uint32_t base;
    int64_t offset, bytes;
    bool written;
} cg_strand_part;

typedef enum cg_strand_does { CG_STRAND_KERNEL, CG_STRAND_COPY, CG_STRAND_CALL, CG_STRAND_CONTROL } cg_strand_does;

/* Where slice i of a step is: in a part, or in its space. */
/* part: or UINT32_MAX; offset in the space */
typedef struct cg_strand_place { uint32_t base, part; int64_t offset; } cg_strand_place;

typedef struct cg_strand_step {
    cg_strand_does does;
    const weft_step *step;
    const cg_strand_place *places;  /* of its slices */
    uint32_t number;                /* of the kernel's function, of the call */
} cg_strand_step;

/* Buffer i of the function begins where space base i does. */
typedef struct cg_strand {
    cg_strand_step *steps; uint32_t count;  /* the loop, then what it holds, in the order of the list */
    weft_slice *bases; uint32_t base_count;
    cg_strand_part *parts; uint32_t part_count;
} cg_strand;

/* How many steps of the list belong to the one, itself included. */
uint32_t cg_step_span(const weft_step *s);

#endif
