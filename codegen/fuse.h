/* fuse.h: the nodes of a block as units of execution: fused kernels and steps of their own. */
#ifndef WEFT_CODEGEN_FUSE_H
#define WEFT_CODEGEN_FUSE_H

#include "codegen/kernel.h"

typedef enum cg_unit_kind { CG_UNIT_KERNEL, CG_UNIT_STEP } cg_unit_kind;

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
    uint32_t *after, after_count; /* units that come before without being read: numbers in the list */
    const weft_loc *loc;
} cg_unit;

/* Kernels, then steps in program order. */
typedef struct cg_units { cg_unit *v; uint32_t count; } cg_units;

typedef enum cg_fuse_mode { CG_FUSE_ALL, CG_FUSE_NONE } cg_fuse_mode;

weft_status cg_fuse(cg_graph *g, const cg_block *b, cg_fuse_mode mode, cg_units *out);

#endif
