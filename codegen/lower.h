/* lower.h: units to steps: memory for every value, code for every unit. */
#ifndef WEFT_CODEGEN_LOWER_H
#define WEFT_CODEGEN_LOWER_H

#include "codegen/buffers.h"
#include "codegen/compile.h"
#include "codegen/jit.h"
#include "exec/kernel.h"

/* Where a node lies, once its block is lowered. */
typedef struct cg_place { weft_slice at; bool known; } cg_place;

/* A collective that has been begun: its end waits for it. */
typedef struct cg_begun { const weft_coll_step *coll; uint32_t ticket; } cg_begun;

/* A block after all passes up to memory: what each has made. Steps are made from it. */
typedef struct cg_layout {
    const cg_block *block;
    cg_units units;
    int64_t *scratch_bytes; /* by unit */
    struct cg_layout ***inner; /* by unit: layouts of its blocks, NULL for most */
    cg_storage storage;
    cg_order order;
    bool *in_slot;          /* by result; see cg_lifetimes */
    int32_t *alias;         /* by result; see cg_lifetimes */
    cg_memory memory;
    double time_s;          /* of one run, by the cost model, one step after the other; overlap.c */
    bool has_collectives;   /* here or further inside */
    weft_slice base;        /* where the block's share of the arena begins, once it is lowered */
    cg_begun *begun;        /* by unit */
} cg_layout;

typedef struct cg_growing { void *v; size_t n, cap; } cg_growing;

typedef struct cg_lowering {
    weft_context *cx;
    cg_graph *g;
    const weft_module *m;
    const weft_compile_options *opt;
    const weft_machine *machine;
    weft_executable *x;
    cg_place *place;        /* by node id */
    const weft_group **group; /* by node id: of collectives, once asked for */
    cg_jit *jit;
    cg_growing steps, plan_steps, plan_values, colls, constants, mesh_names, bodies;
    weft_table kernels;     /* cg_kernel_entry: equal kernels are compiled once */
    cg_growing contents;    /* by function of the image (kernels, bodies, strands): weft_executable.contents */
    uint32_t library_steps; /* so far */
    int64_t partition_count;
} cg_lowering;

/* compile.c: the block that is @main's, whose arguments m describes, to an executable. */
weft_status cg_compile(cg_graph *g, cg_block *main, const weft_module *m, const weft_compile_options *opt,
                       weft_executable **out);

/* overlap.c: sets the block's time and whether it has collectives. */
weft_status cg_time_block(cg_lowering *l, cg_layout *lay);
/* The order to run in, given the one as scheduled with its lifetimes: where the block then needs no more memory, one
 * that begins collectives early and waits for them late; else the same. a: scratch. */
weft_status cg_overlap(cg_lowering *l, const cg_layout *lay, const cg_lifetimes *plain, weft_arena *a, cg_order *out);

/* lower.c */
/* donor: of @main; see cg_storage */
weft_status cg_layout_block(cg_lowering *l, const cg_block *b, cg_results results, int32_t *donor, cg_layout **out);
/* base: the block's share of the arena; results: of a loop or branch, where they lie, else NULL */
weft_status cg_lower_block(cg_lowering *l, cg_layout *lay, weft_slice base, const weft_slice *results);
bool cg_copies_itself(cg_lowering *l, const cg_unit *u);
weft_slice cg_scratch_of(const cg_layout *lay, uint32_t unit);
weft_status cg_slice_of(cg_lowering *l, cg_node *n, weft_slice *out);
weft_step *cg_new_step(cg_lowering *l, const cg_unit *u, weft_plan_step_kind kind);
/* s calls a kernel with this state, which is the executable's; NULL: a step of a plan that is not run. */
void cg_set_kernel(weft_step *s, const weft_kernel *k, const void *state, size_t state_bytes);
/* How the work of u, in so many grains that can run at once, is worth splitting. */
weft_split cg_split_of(const cg_lowering *l, const cg_unit *u, int64_t grains);
/* The same of a call of a kernel in C, one of whose buffers may be scratch memory. */
weft_split cg_split_of_call(const cg_lowering *l, const cg_unit *u, uint32_t scratch, int64_t scratch_bytes);
void *cg_grow(cg_lowering *l, cg_growing *g, size_t size);  /* a zeroed element at the end, or NULL */
/* One more function of the image; the key says what it computes. */
weft_status cg_new_function(cg_lowering *l, const void *key, size_t bytes, uint32_t *function);
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
weft_status cg_lower_collective(cg_lowering *l, cg_layout *lay, uint32_t unit, cg_phase phase);
/* The group of a collective's node as the runtime sees it. */
weft_status cg_coll_group(cg_lowering *l, const cg_node *n, weft_group *out);

#endif
