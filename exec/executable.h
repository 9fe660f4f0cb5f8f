/* executable.h: a compiled program for one device, the same for every rank, as data. No LLVM or oneDNN type appears
 * here, and no address of code.
 *
 * An executable is a list of steps over four spaces of memory: arguments, results, one arena of temporaries whose
 * layout was fixed by liveness, and constants. A step calls code, or runs a collective, or repeats a range of steps.
 * Code is a function of the executable's image or a kernel's name with a state; weft_load (load.h) finds both. The
 * runtime gives each device an arena of temp_bytes and walks the steps. A collective may be begun by one step and
 * waited for by a later one of the same list; what it reads and writes is left alone in between. An executable is
 * immutable. It owns all it points to, but for locations, which are their context's.
 */
#ifndef WEFT_EXEC_EXECUTABLE_H
#define WEFT_EXEC_EXECUTABLE_H

#include "cost/plan.h"
#include "exec/image.h"
#include "exec/step.h"

typedef enum weft_space { WEFT_SPACE_ARGUMENT, WEFT_SPACE_RESULT, WEFT_SPACE_TEMP, WEFT_SPACE_CONSTANT } weft_space;

/* bytes at offset of argument or result `index`, of the arena, or of the constant pool (index 0). */
typedef struct weft_slice {
    weft_space space;
    uint32_t index;
    int64_t offset, bytes;
} weft_slice;

typedef enum weft_reduction {
    WEFT_REDUCE_SUM,
    WEFT_REDUCE_PRODUCT,
    WEFT_REDUCE_MIN,
    WEFT_REDUCE_MAX,
    WEFT_REDUCE_AND,
    WEFT_REDUCE_OR,
    WEFT_REDUCE_XOR
} weft_reduction;

/* Which devices talk to each other. Axes of the executable's mesh, major to minor; or explicit groups. */
/* the sub-axis; whole: pre 1, size of the axis */
typedef struct weft_group_axis { uint32_t axis; int64_t pre_size, size; } weft_group_axis;
typedef struct weft_group {
    int64_t size;                                            /* members per group */
    uint32_t mesh;                                           /* index into weft_executable.meshes */
    const weft_group_axis *axes; uint32_t axis_count;        /* mesh form */
    const int64_t *members;
    int64_t group_count; /* dense form: group_count rows of size device numbers, -1 after the end of
                          * a shorter group; NULL in mesh form */
    /* collective_permute: source, target, source, target ... */
    const int64_t *pairs; int64_t pair_count;
} weft_group;

typedef struct weft_exec_mesh {
    const int64_t *sizes; uint32_t axis_count;
    const weft_str *names;
    const int64_t *device_ids;                               /* NULL: iota */
} weft_exec_mesh;

/* One operand of a collective, already split into what the transport moves: the tensor is outer x (blocks of) inner
 * bytes.
 *   all_gather      in [outer][inner]      out [outer][group][inner]
 *   reduce_scatter  in [outer][group][inner]  out [outer][inner]
 *   all_reduce, collective_permute, collective_broadcast: outer 1, inner the whole
 *   all_to_all      in [outer][group][middle][inner] out [outer][middle][group][inner] when split dim < concat dim, in
 *                   [outer][middle][group][inner] out [outer][group][middle][inner] otherwise (split_first says which);
 *                   equal dims: middle 1 */
typedef struct weft_coll_operand {
    weft_slice in, out;
    weft_dtype dtype;
    int64_t outer, middle, inner;                            /* inner in elements */
    bool split_first;
} weft_coll_operand;

/* A ragged all_to_all: group x k updates, of which k by k go to each member. What the result is but for the rows that
 * come, of the result's size; then i64s, one for each update: the first row sent, how many, the first row of what comes
 * in the result, how many come. A row is inner elements; in and out may have different numbers of them. */
enum { WEFT_RAGGED_TABLES = 5 };
typedef struct weft_coll_step {
    weft_coll_kind_plan kind;
    weft_reduction reduction;
    weft_group group;
    const weft_coll_operand *operands; uint32_t operand_count;
    /* collective_broadcast: operand_count i32, equal in a group: whose value each is, by its place there; none: the
     * first's. A ragged all_to_all: WEFT_RAGGED_TABLES */
    const weft_slice *tables; uint32_t table_count;
    uint32_t plan_index;                                     /* into plan.collectives: axes, bytes, place */
} weft_coll_step;

enum { WEFT_NO_FUNCTION = UINT32_MAX };

/* What a step calls: a function of the image, or a kernel. */
typedef struct weft_code {
    const char *kernel;          /* NULL: the function itself */
    /* index into image.functions; of a kernel: its body. WEFT_NO_FUNCTION: none */
    uint32_t function;
    /* of a kernel: plain bytes without addresses, aligned to max_align_t */
    const void *state; size_t state_bytes;
    /* of a kernel in C: grains / least is into how many parts its work is worth splitting; the kernel knows how many
     * there are */
    weft_split split;
    bool divides;                /* a function that is a loop: it calls code that can be split */
    /* of a function that is a loop: the kernels that it calls, in the order of its table */
    const struct weft_code *calls; uint32_t call_count;
    const weft_loc *loc;         /* of one of calls: its place */
} weft_code;

typedef enum weft_step_kind {
    WEFT_STEP_CALL,       /* runs code */
    WEFT_STEP_COLLECTIVE,
    WEFT_STEP_START,      /* begins coll */
    WEFT_STEP_DONE,       /* waits for what the start with this ticket has begun; coll is that start's */
    WEFT_STEP_WHILE,      /* cond_steps steps, then while the i1 in slices[0] is true: body_steps, cond_steps */
    /* the i32 in slices[0] selects a branch; branch b has branch_steps[b] steps, in order; out of range: last */
    WEFT_STEP_CASE
} weft_step_kind;

typedef struct weft_step {
    weft_step_kind kind;
    weft_code code;
    const weft_slice *slices; uint32_t slice_count;
    const weft_coll_step *coll;
    /* of starts and ends: below ticket_count, one for each start */
    uint32_t ticket;
    uint32_t cond_steps, body_steps;                         /* they follow this step in the list */
    const uint32_t *branch_steps; uint32_t branch_count;
    const char *label;                                       /* for traces: "fusion.12", "dot_general" */
    const weft_loc *loc;
} weft_step;

typedef struct weft_exec_value {
    weft_dtype dtype;
    uint32_t rank;
    const int64_t *dims;                                     /* local shape */
    int64_t bytes;
    int32_t alias;                                           /* a result: the argument whose memory it takes, or -1 */
    int32_t becomes; /* a result: the argument that was donated to it, and that it is in the next
                      * step, or -1; alias is this, where memory could be shared, or -1 */
} weft_exec_value;

typedef struct weft_executable {
    weft_arena arena;                                        /* owns everything below */
    const weft_exec_value *args;    uint32_t arg_count;
    const weft_exec_value *results; uint32_t result_count;
    const weft_step *steps;         uint32_t step_count;
    uint32_t ticket_count;
    const void *constants;          int64_t constant_bytes;
    int64_t temp_bytes;
    const weft_exec_mesh *meshes;   uint32_t mesh_count;
    /* device d is partition d % partition_count of replica d / partition_count */
    int64_t device_count, partition_count;
    /* of each function of the image, a hash of what it computes, whatever machine it is compiled for */
    const uint64_t *contents; uint32_t content_count;
    uint64_t fingerprint;                                    /* weft_executable_fingerprint: equal on all ranks */
    weft_plan plan;
    weft_image image;                                        /* image.machine NULL: planned only */
} weft_executable;

weft_executable *weft_executable_new(const weft_allocator *alloc); /* empty; NULL when memory is out */
void weft_executable_free(weft_executable *x);               /* NULL is fine */

/* Where the digit of a (sub-)axis stands in a mesh position: position / stride % size. */
int64_t weft_group_axis_stride(const weft_exec_mesh *mesh, const weft_group_axis *a);
/* How far neighbours of a group lie apart in device order; 1 where no one number says it. */
int64_t weft_group_stride(const weft_executable *x, const weft_group *g);

#endif
