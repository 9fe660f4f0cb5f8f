/* fuse.h: the nodes of a block as units of execution: fused kernels and steps of their own. */
#ifndef WEFT_CODEGEN_FUSE_H
#define WEFT_CODEGEN_FUSE_H

#include "codegen/kernel.h"

typedef enum cg_unit_kind { CG_UNIT_KERNEL, CG_UNIT_STEP } cg_unit_kind;

/* A collective that passes beside other units is two (overlap.c). */
typedef enum cg_unit_phase { CG_PHASE_WHOLE, CG_PHASE_START, CG_PHASE_DONE } cg_unit_phase;

typedef struct cg_unit {
    cg_unit_kind kind;
    cg_node *step;          /* of a step */
    cg_kernel *kernel;      /* of a kernel */
    cg_node **reads, **writes; /* nodes in memory */
    uint32_t read_count, write_count;
    uint32_t order;         /* position in the program */
    double flops;
    /* what of the nodes it touches, each byte once: a slice of a stack is not the stack */
    int64_t read_bytes, write_bytes;
    /* units that come before without being read: numbers in the list, until cg_schedule */
    uint32_t *after, after_count;
    const weft_loc *loc;
    cg_unit_phase phase;
    uint32_t mate;          /* of a start its end, of an end its start: the number in the list */
    /* of an end: its first reads are the operands, which are held for it; the others the results */
    uint32_t held_count;
} cg_unit;

typedef struct cg_units {
    /* in an order in which operands come first; before cg_schedule: kernels, then steps in program order */
    cg_unit *v;
    uint32_t count;
} cg_units;

typedef enum cg_fuse_mode { CG_FUSE_ALL, CG_FUSE_NONE } cg_fuse_mode;

/* Puts units in the order of execution: producers first, readers of a donated argument before what overwrites it where
 * that can be, and otherwise what frees memory early, else program order. */
weft_status cg_schedule(cg_graph *g, const cg_block *b, const int32_t *result_alias, cg_units *units);

weft_status cg_fuse(cg_graph *g, const cg_block *b, cg_fuse_mode mode, cg_units *out);

#endif
