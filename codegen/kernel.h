/* kernel.h: a fused loop nest, before it becomes LLVM IR.
 *
 * A kernel runs over `total` elements, seen as loop variables from slowest to fastest. The variables from `inner` on
 * make up a row; a row is passed over once or more (phases), because values that depend on a reduction over the row are
 * known only after the pass that computes it. The last variable is the one that vector lanes run along.
 *
 * Instructions are in SSA form and each appears once. Their level says how many variables they depend on: level
 * var_count is per element, level <= inner per row or less. Their `ready` says after how many phases their operands
 * are known. Addresses and indices are affine in the variables plus, at most, one computed term.
 */
#ifndef WEFT_CODEGEN_KERNEL_H
#define WEFT_CODEGEN_KERNEL_H

#include "codegen/graph.h"

enum { CG_MAX_NARROW = 8, CG_MAX_VARS = 16, CG_MAX_PARAMS = 48, CG_MAX_INS = 1500, CG_MAX_FOLDS = 32 };
#define CG_NONE UINT32_MAX

/* The costs that emission compares by (topology/costs.def). A function's machine code depends on no others, so that
 * what is in the cache stays of use while the others change. All doubles: the bytes are part of a key. */
typedef struct cg_code_costs {
    double keep_weight, row_bytes, wide_least, wide_most, inline_instructions, strand_instructions, trade_bytes;
} cg_code_costs;

typedef struct cg_ix {
    int64_t c, k[CG_MAX_VARS];
    uint32_t sym;           /* instruction whose value is added, or CG_NONE */
} cg_ix;

typedef enum cg_ins_kind {
    CG_I_SPLAT,             /* splat */
    CG_I_INDEX,             /* ix as an i64 */
    CG_I_RANGE,             /* lo <= ix < hi */
    CG_I_MULTIPLE,          /* ix is a multiple of lo (lo > 0) */
    CG_I_LOAD,              /* element ix of param; not touched where a[0], when given, is false */
    CG_I_SCALAR,            /* op of a[] */
    CG_I_REDUCED,           /* result aux of reduction op */
    CG_I_DEVICE             /* 0 partition, 1 replica */
} cg_ins_kind;

typedef struct cg_ins {
    uint8_t kind, level, ready;
    uint16_t dtype, op;
    uint32_t param;
    uint32_t a[3];
    int64_t aux, lo, hi;
    cg_ix ix;
    uint8_t splat[16];
} cg_ins;

/* Values that are summed up (or whatever body does) over a set of iterations. */
typedef struct cg_fold {
    const cg_node *node;    /* its types */
    const cg_block *body;
    uint32_t n;
    uint32_t value[16], init[16]; /* instructions */
    uint8_t phase;
    cg_fold_order order;    /* of the body's applications */
} cg_fold;

typedef enum cg_store_kind {
    CG_STORE,
    /* a fold's values are combined with what stands there; that starts from the initial values */
    CG_ACCUMULATE,
    CG_UPDATE,              /* the same without a start, in program order, where guard is true (scatter) */
    CG_RUNNING              /* a fold's values are combined with what stands `back` elements before, or with the initial
                             * values where guard is false, and stored (scan) */
} cg_store_kind;
typedef struct cg_store {
    cg_store_kind kind;
    uint8_t level, phase;   /* level: var_count or inner */
    cg_ix ix;
    uint32_t param, value;  /* of a plain store */
    uint32_t guard;         /* or CG_NONE */
    uint32_t fold;          /* of the others: in sums; its parameters are params[0..n) below */
    uint32_t params[16];
    int64_t back;           /* 1: the last variables are those that the scan runs along, but for k->scanned */
} cg_store;

typedef struct cg_kernel {
    int64_t total, row;     /* row 0: no reduction over rows */
    uint32_t var_count, inner;
    int64_t extent[CG_MAX_VARS];
    cg_ins *ins;            uint32_t ins_count, ins_cap;
    cg_node *params[CG_MAX_PARAMS]; uint32_t param_count;
    uint64_t written;       /* bit per param: stored to */
    cg_fold *folds;         uint32_t fold_count;      /* over rows */
    cg_fold *sums;          uint32_t sum_count;       /* of stores */
    cg_store *stores;       uint32_t store_count;
    uint32_t phases;
    bool tiled;             /* the last two variables run in tiles: cg_kernel_tile */
    bool moves;             /* tiled, and every element stored was read across: nothing is computed */
    bool scanned;           /* tiled: prefixes run along the last but one, a chain for each value of the last */
    bool narrow;            /* the last but one is what is stored side by side, a few elements: cg_kernel_tile */
} cg_kernel;

/* Which nodes are computed inside the kernel, all others are loaded. */
typedef bool (*cg_inlines)(void *user, const cg_node *n);

typedef enum cg_trace_result {
    CG_TRACE_OK,
    CG_TRACE_MEMORY,
    CG_TRACE_NO             /* cannot be one kernel; *culprit is the node at which that was found */
} cg_trace_result;

/* Room for traces, used again and again. The arena is also used while a trace runs. NULL when memory is out. */
typedef struct tracer cg_tracer;
cg_tracer *cg_tracer_new(cg_graph *g, weft_arena *arena);

/* The kernel that computes roots over total elements in rows of row (0: none needed). Its instructions, folds and
 * stores lie in the tracer until the next trace: cg_kernel_copy keeps them. A root has total elements or one per row,
 * or is a reduction of such. */
cg_trace_result cg_trace(cg_tracer *t, int64_t total, int64_t row, cg_node *const *roots, uint32_t root_count,
                         cg_inlines inlines, void *user, cg_kernel *out, const cg_node **culprit);

/* A copy in arena of k and all that it points to; NULL when memory is out. */
cg_kernel *cg_kernel_copy(const cg_kernel *k, weft_arena *arena);

/* Joins neighbouring variables along which every index moves as along one. */
void cg_kernel_collapse(cg_kernel *k);

/* Where what is read lies along another variable than what is written, as in a transpose: puts that variable beside the
 * last one and marks the two, so that they are run over in square tiles. Or puts it last, where the last one had a few
 * elements only: vectors run along it, and are stored woven into each other. kernel_tile.c */
void cg_kernel_tile(cg_kernel *k);
/* a load with neighbours along that variable */
bool cg_kernel_reads_across(const cg_kernel *k, const cg_ins *x, uint32_t along);

/* Sets bits[i] for the narrow floats that are only moved, as bits. kernel_bits.c */
void cg_kernel_bits(const cg_kernel *k, bool *bits);

/* How many vectors of so many lanes an element-wise kernel computes at once. kernel_wide.c */
unsigned cg_kernel_side_by_side(const cg_kernel *k, const cg_code_costs *costs, unsigned lanes);

/* May `param`, which is read, share the memory of what store writes: every element of it is read at the iteration that
 * writes it or before, and by no other. */
bool cg_kernel_in_place(const cg_kernel *k, uint32_t param, const cg_store *store);

/* Sets needed[i] for the instructions after the row's that phase computes. */
void cg_kernel_phase(const cg_kernel *k, uint32_t phase, bool *needed);
bool cg_store_per_element(const cg_kernel *k, const cg_store *s);
/* Calls f for each instruction that s needs: values, guard, computed term. */
static inline void cg_store_uses(const cg_kernel *k, const cg_store *s, void (*f)(void *user, uint32_t ins),
                                 void *user) {
    if (s->kind == CG_STORE) f(user, s->value);
    for (uint32_t r = 0; s->kind != CG_STORE && r < k->sums[s->fold].n; r++) f(user, k->sums[s->fold].value[r]);
    f(user, s->guard);
    f(user, s->ix.sym);
}

/* Values dear to compute that several phases need: kept[i] is 1 + the phase that computes i and keeps it for the whole
 * row, or 0. needed and earlier are scratch; all have ins_count entries, kept zeroed. */
void cg_kernel_keep(const cg_kernel *k, const cg_code_costs *costs, uint8_t *kept, bool *needed, bool *earlier);

/* Bytes of memory that the kernel reads and writes when nothing is cached, each once. Of a parameter that is what its
 * indices run over, and no more than all of it: a row of a stack that a computed index selects, the rows of a table
 * that are gathered. */
void cg_kernel_bytes(const cg_kernel *k, int64_t *read_bytes, int64_t *write_bytes);

/* Where the loops of a kernel are split (kernel_pieces.c): the loop over variable v at cut[v][0 .. count[v]), rising.
 */
enum { CG_MAX_CUTS = 48 };
typedef struct cg_pieces {
    uint32_t count[CG_MAX_VARS];
    int64_t cut[CG_MAX_VARS][CG_MAX_CUTS + 1];
} cg_pieces;
void cg_kernel_pieces(const cg_kernel *k, unsigned lanes, cg_pieces *p);

/* known[i]: what is known of instruction i, a boolean, where each variable v runs from first[v] to last[v]. */
enum { CG_NEVER = 0, CG_ALWAYS = 1, CG_UNKNOWN = -1 };
void cg_kernel_decide(const cg_kernel *k, const int64_t *first, const int64_t *last, int8_t *known);

/* A load of element x / step plus what all lanes share, which its guard asks for where step divides x only; x moves by
 * 1 from lane to lane. kernel_spaced.c */
enum { CG_MAX_SHARED = 8 };
typedef struct cg_spacing {
    const cg_ix *x;
    int64_t step;
    uint32_t shared[CG_MAX_SHARED], shared_count;   /* computed terms */
    uint32_t guard[CG_MAX_SHARED], guard_count;     /* set by cg_kernel_all_spaced */
} cg_spacing;
bool cg_kernel_spaced(const cg_kernel *k, const cg_ins *load, cg_spacing *s);
/* Where what all lanes share of the guard is true, it is so on every lane whose x step divides. */
bool cg_kernel_all_spaced(const cg_kernel *k, uint32_t guard, const int8_t *known, cg_spacing *s);

/* The loop that threads may share: of variable var, in grains of so many of its elements; var CG_NONE, grains 1: none.
 * kernel_split.c */
typedef struct cg_split {
    uint32_t var;
    int64_t grains, grain;  /* how many, and the elements of each */
    bool apart;             /* loops around it are run by all threads: weft_split.apart */
} cg_split;
cg_split cg_kernel_split(const cg_kernel *k);
/* Elements of what store s sums up that belong to one turn of v; 0: turns share some. */
int64_t cg_kernel_sum_of_turn(const cg_kernel *k, const cg_store *s, uint32_t v);

/* The kernel as numbers, all that its code depends on: equal kernels have equal keys, in all processes. false when
 * memory is out. */
bool cg_kernel_key(const cg_kernel *k, weft_arena *arena, int64_t **key, uint32_t *count);

#endif
