/* fuse_internal.h: what the files of the fusion share (inside cost/ only). */
#ifndef WEFT_COST_FUSE_INTERNAL_H
#define WEFT_COST_FUSE_INTERNAL_H

#include "cost/fuse.h"
#include "ir/process.h"

/* What an op is to the fusion. */
typedef enum fuse_role {
    FUSE_PART,        /* computed element by element, or moved, where it is read */
    FUSE_ALIAS,       /* the operand in another shape, or a slice of it */
    FUSE_FREE,        /* no operands */
    FUSE_REDUCE,
    FUSE_PRODUCT,
    FUSE_STORE,       /* dynamic_update_slice: operand 1 goes into operand 0 */
    FUSE_OTHER,       /* a kernel of its own */
    FUSE_COLLECTIVE,
    FUSE_REGIONS,     /* a loop, or branches */
    FUSE_END          /* a terminator */
} fuse_role;

enum { FUSE_TINY = 16 }; /* elements of a value that costs nothing: counters and starts of slices */
#define FUSE_NONE UINT32_MAX

typedef struct fuse {
    const weft_module *m;
    const weft_fuse_options *opt;
    weft_arena *arena, scratch;
    weft_uses uses;
    /* by op */
    bool *kept;             /* a FUSE_PART whose result is in memory */
    uint32_t *root;         /* of a FUSE_PART that is not: the op of the one kernel that computes it, or FUSE_NONE */
    uint32_t *task;         /* of the block's list, or FUSE_NONE */
    uint32_t *attention;    /* its group, or FUSE_NONE */
    uint32_t *seen, stamp;
    uint8_t *free_value;    /* by value: 0 not known, 1 free, 2 not */
    bool *written;          /* by value: another task reads it from memory */
    uint32_t attention_count;
    weft_group_list groups; /* lists of devices, and by their number how far each reaches */
    weft_reach *reaches; size_t reach_cap;
} fuse;

typedef struct fuse_numbers { uint32_t *v; size_t n, cap; } fuse_numbers;

/* A task being made. */
typedef struct fuse_draft {
    weft_task task;
    double domain;              /* elements that it works on; 0: nothing joins it */
    const weft_op *first;       /* its ops, by `next` */
    fuse_numbers needs, arguments;   /* tasks; and arguments of the loop that it reads */
} fuse_draft;

typedef struct fuse_builder {
    fuse *f;
    const weft_block *block;
    const weft_op *loop;        /* whose body this is, or NULL */
    fuse_draft *v; size_t n, cap;
    const weft_op **next;       /* by op - first id of the block: the next one of the same task */
    uint32_t *last;             /* by value: the last task that reads it */
    uint32_t *home;             /* by value: the operand of the block's end that it is, or FUSE_NONE */
    const weft_value **givers;  /* by operand of the end: the argument whose memory it takes, or NULL */
    double *read;               /* by value: elements that the task being summed reads */
    uint32_t *read_stamp;
} fuse_builder;

/* fuse_role.c */
fuse_role fuse_role_of(const weft_op *op);
double fuse_elems(const weft_value *v);
double fuse_bytes(const weft_value *v);
/* What an alias makes of its operand i. */
static inline const weft_value *fuse_alias_of(const weft_op *op, uint32_t i) {
    return &op->results[op->operand_count == op->result_count ? i : 0];
}
/* Compilers for vendors' machines fuse nothing across it: what goes in is in memory. */
static inline bool fuse_is_barrier(const weft_op *op) { return op->kind == WEFT_OP_optimization_barrier; }
/* v, or what it is a shape or slice of, as far as ops of its block tell. */
const weft_value *fuse_base(const weft_value *v);
/* Whether v is made of constants and counters alone, and is computed where it is read. */
bool fuse_is_free(fuse *f, const weft_value *v);

/* A transcendental function: it is not computed again to save memory's traffic. */
bool fuse_is_costly(const weft_op *op);

/* fuse_attention.c: numbers the groups of ops of one block that are one attention. */
weft_status fuse_find_attention(fuse *f, const weft_block *b);
/* Whether op masks scores by a triangle: it selects by one, or adds or multiplies by what is made of one. */
bool fuse_masks_triangle(const weft_op *op);

/* fuse_block.c: the tasks of a block, and of the blocks in its ops. */
weft_status fuse_block(fuse *f, const weft_block *b, const weft_op *loop, weft_task_list *out);

/* fuse_memory.c */

/* Which operands of the block's end values are, for fuse_add_buffers. */
weft_status fuse_find_homes(fuse_builder *b);
/* Adds what task t writes to memory: the results of its ops that other tasks read. What the block returns has memory of
 * its own only where it cannot take that of the loop, of the program's result, or of the argument donated to it. */
weft_status fuse_add_buffers(fuse_builder *b, uint32_t t, weft_task_buffer **list, size_t *n, size_t *cap);
/* Whether the task, the last that reads v, is a loop that goes on in its memory. */
bool fuse_enters_loop(const fuse *f, const weft_value *v, const weft_task *task);

/* task_call.c: what a collective joins. */
weft_status fuse_call_of(fuse *f, const weft_op *op, weft_task_call *out);

#endif
