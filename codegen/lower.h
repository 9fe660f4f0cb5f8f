/* lower.h: units to steps: memory for every value, code for every unit. */
#ifndef WEFT_CODEGEN_LOWER_H
#define WEFT_CODEGEN_LOWER_H

#include "codegen/compile.h"
#include "codegen/fuse.h"
#include "codegen/jit.h"
#include "codegen/library.h"

/* Where a node lies. Offsets of temporaries count from the start of their block's share of the arena until that is
 * placed. */
typedef struct cg_place { weft_slice at; bool known, absolute; } cg_place;

/* A node that lies where result number `result` of its loop or branch lies, so that nothing need be copied at the end.
 */
typedef struct cg_slot { cg_node *node; uint32_t result; } cg_slot;

/* A block, fused and scheduled, and what memory it needs. */
typedef struct cg_layout {
    const cg_block *block;
    cg_units units;
    int64_t temp_bytes;
    weft_slice *scratch;    /* per unit; like a place, it counts from the block's share until cg_scratch_of looks */
    int64_t *scratch_bytes;
    struct cg_layout ***inner; /* per unit: layouts of its blocks, NULL for most */
    weft_slice base;        /* where the block's share begins */
    const struct cg_layout *plain; /* where collectives are begun early: the same without; NULL elsewhere */
    double time_s;          /* of one run, by the cost model, one step after the other; overlap.c */
    bool talks;             /* has collectives, here or further inside */
    cg_slot *slots;         /* of a body or a branch */
    uint32_t slot_count;
} cg_layout;

typedef struct cg_growing { void *v; size_t n, cap; } cg_growing;

/* A state whose first pointer becomes the address of body number `number`. */
typedef struct cg_wanted_body { uint32_t number; void *state; } cg_wanted_body;

/* The step that is strand number i of the list. */
typedef struct cg_woven { uint32_t step; } cg_woven;

typedef struct cg_lowering {
    weft_context *cx;
    cg_graph *g;
    const weft_module *m;
    const weft_compile_options *opt;
    const weft_machine *machine;
    weft_executable *x;
    cg_place *place;        /* by node id */
    cg_jit *jit;
    cg_growing steps, plan_steps, plan_values, colls, constants, libraries, kernels, mesh_names, bodies, wanted,
        strands;
    int64_t partition_count;
    uint64_t fingerprint;
} cg_lowering;

/* compile.c: the block that is @main's, whose arguments m describes, to an executable. */
weft_status cg_compile(cg_graph *g, cg_block *main, const weft_module *m, const weft_compile_options *opt,
                       weft_executable **out);

/* buffers.c: places for all nodes of a block, sizes of its share. alias: per result the argument it may overwrite or
 * -1; entries that cannot be kept become -1. results: space of the block's results, or NULL when they are temporaries.
 */
weft_status cg_assign(cg_lowering *l, cg_layout *lay, int32_t *alias);

/* overlap.c: collectives of a block that is assigned are begun early and waited for late, where the block then needs no
 * more memory. wanted: what alias was before cg_assign; NULL where alias is. */
weft_status cg_overlap(cg_lowering *l, cg_layout *lay, const int32_t *wanted, int32_t *alias);
/* Back to lay->plain. */
weft_status cg_overlap_undo(cg_lowering *l, cg_layout *lay, int32_t *alias);

/* May w, which unit u writes, lie in the memory of r, which it reads. False for a case: cg_unit_may_overwrite. */
bool cg_may_overwrite(const cg_unit *u, const cg_node *r, const cg_node *w);

/* carry.c: block number b of a loop or branch, its results where the control node's are wherever that can be. */
weft_status cg_layout_inner(cg_lowering *l, const cg_node *control, uint32_t b, cg_layout **out);
/* May w, which unit `unit` of lay writes, lie in the memory of old, which it reads: a case's branches are laid out. */
bool cg_unit_may_overwrite(const cg_layout *lay, uint32_t unit, const cg_node *old, const cg_node *w);
bool cg_copies_itself(cg_lowering *l, const cg_unit *u);
cg_node *cg_copied(const cg_node *n); /* what n is a copy of, or NULL */
/* The first of the values that hand their memory on, each to the next, up to the result: the unit that writes it
 * overwrites what lay there. */
const cg_node *cg_memory_begins(const cg_block *b, uint32_t result);
/* The slots of lay are those of the control node's results, which stand at of[result]. */
void cg_place_slots(cg_lowering *l, const cg_layout *lay, const weft_slice *of);

/* lower.c */
weft_status cg_layout_block(cg_lowering *l, const cg_block *b, int32_t *alias, cg_layout **out);
weft_status cg_lower_block(cg_lowering *l, cg_layout *lay, weft_slice base);
weft_slice cg_scratch_of(const cg_layout *lay, uint32_t unit);
weft_status cg_slice_of(cg_lowering *l, cg_node *n, weft_slice *out);
weft_step *cg_new_step(cg_lowering *l, const cg_unit *u, weft_plan_step_kind kind);
void *cg_grow(cg_lowering *l, cg_growing *g, size_t size);  /* a zeroed element at the end, or NULL */
void cg_mix(cg_lowering *l, const void *p, size_t bytes);
/* s reads and writes nodes[0..n) and, after them, `extra` slices that the caller fills in. */
weft_status cg_slices(cg_lowering *l, cg_node *const *nodes, uint32_t n, uint32_t extra, weft_step *s);
const char *cg_label(cg_lowering *l, const char *what, uint32_t number);

/* lower_control.c */
int64_t cg_trip_count(const cg_node *loop); /* -1: unknown */
weft_status cg_layout_control(cg_lowering *l, cg_layout *lay, uint32_t unit);
weft_status cg_lower_while(cg_lowering *l, cg_layout *lay, uint32_t unit);
weft_status cg_lower_case(cg_lowering *l, cg_layout *lay, uint32_t unit);

/* strand.c: loops among the steps become strands (strand.h), whose functions are added to the JIT. */
weft_status cg_weave(cg_lowering *l);

/* lower_call.c */
weft_status cg_prepare_call(cg_lowering *l, cg_layout *lay, uint32_t unit);
weft_status cg_lower_call(cg_lowering *l, cg_layout *lay, uint32_t unit);

/* lower_library.c */
weft_status cg_prepare_library(cg_lowering *l, cg_layout *lay, uint32_t unit);
weft_status cg_lower_library(cg_lowering *l, cg_layout *lay, uint32_t unit);

/* lower_collective.c */
weft_status cg_lower_collective(cg_lowering *l, cg_layout *lay, uint32_t unit);
weft_status cg_coll_group(cg_lowering *l, cg_coll *c, weft_group *out);

static inline int64_t cg_align(int64_t n) {
    return (n + WEFT_BUFFER_ALIGN - 1) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN;
}

#endif
