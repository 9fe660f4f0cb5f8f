/* graph.h: the program as code generation sees it.
 *
 * A graph has blocks (the body of @main, the regions of loops and branches, the bodies of reductions) of nodes. A node
 * is one value: a tensor computed from other nodes. Nodes are made in an order in which operands come first, equal
 * pure nodes are made once, and the makers below simplify as they go; what nothing uses is left by the passes,
 * which start from a block's results. Calls are gone: a callee's ops become nodes of the caller's block.
 *
 * Most classes are loop classes: they say what element i of the value is, so that any of them can be computed inside
 * the loop that needs it. The others are steps of their own. Nodes belong to the graph's arena.
 */
#ifndef WEFT_CODEGEN_GRAPH_H
#define WEFT_CODEGEN_GRAPH_H

#include "base/bits.h"
#include "base/table.h"
#include "cost/machine.h"
#include "ir/process.h"

typedef enum cg_class {
    CG_ARGUMENT,       /* of the block; index */
    CG_CONSTANT,       /* data */
    CG_SPLAT,          /* one element everywhere: splat */
    CG_IOTA,           /* the index along dimension dim */
    CG_SCALAR,         /* op of scalar.def on elements of equal index; rank 0 operands count for every index */
    /* operand dimension d is indexed as view[d] says: affine in one or two dimensions of the result */
    CG_VIEW,
    /* the element of the same row-major number; operand 1, where there is one, is a gate: see cg_after_gate */
    CG_RESHAPE,
    CG_PAD,            /* operand, padding value; low, interior */
    CG_CONCAT,         /* operands joined along dim */
    CG_DYNAMIC_SLICE,  /* operand, one start index per dimension */
    CG_DYNAMIC_UPDATE, /* operand, update, start indices */
    CG_GATHER,         /* operand, start indices; gather */
    CG_DEVICE_ID,      /* index 0: partition, 1: replica */
    CG_REDUCE,         /* n operands, n initial values; reduced dims; body; aux: a cg_fold_order; result 0 */
    /* n operands, n initial values; body: what CG_REDUCE gives for each prefix along dim; result 0 */
    CG_SCAN,
    CG_PART,           /* result index of operand 0, which has several */
    CG_DOT,            /* two operands; dot; result dims: batch, lhs free, rhs free */
    CG_CONV,           /* lhs, rhs; conv: see conv.h */
    /* n operands, indices, n updates; scatter; body; result 0. In the memory of the operands; aux as below */
    CG_SCATTER,
    /* operand, update, start indices: CG_DYNAMIC_UPDATE in the memory of the operand; aux 1: update made before */
    CG_PLACE,
    CG_COLLECTIVE,     /* operands; coll */
    CG_WHILE,          /* initial values; body: condition, body2: body */
    CG_CASE,           /* selector; branches */
    CG_CALL,           /* operands; call: C code, see call.h */
    CG_GATE,           /* operands; no value: a reader of a value after it is computed after all of them */
    CG_CLASS_COUNT
} cg_class;

typedef enum cg_op {
#define NAME(name) CG_OP_##name,
#include "codegen/scalar-name.def"
    CG_OP_COUNT
} cg_op;

enum { CG_ROUNDED = 1 }; /* aux of a multiply of floats: the product is rounded, never fused with a sum */

typedef struct cg_op_info { const char *name; uint8_t arity, weight; } cg_op_info;
extern const cg_op_info cg_op_table[CG_OP_COUNT];

typedef enum cg_class_traits {
    CG_LOOP  = 1 << 0, /* may be computed inside a generated loop */
    CG_LIGHT = 1 << 1, /* costs nothing there: index arithmetic only */
    CG_STEP  = 1 << 2, /* is a step of its own */
    CG_PURE  = 1 << 3  /* equal nodes are one */
} cg_class_traits;
extern const uint8_t cg_class_table[CG_CLASS_COUNT];

/* How a reducer may be applied to a row of values: body_commutes.c. */
typedef enum cg_fold_order {
    CG_ANY_ORDER,           /* its two sides may be exchanged: lanes take every so many-th value each */
    CG_BRACKETED,           /* neighbours first, in any brackets */
    CG_ONE_BY_ONE,          /* from the first to the last: no more is known */
} cg_fold_order;

typedef struct cg_node cg_node;
typedef struct cg_block cg_block;

/* offset + stride * index[dim] + step * index[also - 1]: the second term is that of windows, which move by one
 * dimension and are filled along another. */
typedef struct cg_view_dim {
    int32_t dim;            /* of the result; -1: always offset */
    int64_t offset, stride;
    uint32_t also;          /* 1 + another dimension of the result; 0: none */
    int64_t step;
} cg_view_dim;

static inline cg_view_dim cg_along(int32_t dim, int64_t offset, int64_t stride) {
    return (cg_view_dim){ dim, offset, stride, 0, 0 };
}

enum { CG_RAGGED_TABLES = 5 };
typedef struct cg_coll {
    uint8_t kind;           /* weft_coll_kind_plan */
    uint8_t reduction;      /* weft_reduction */
    /* Operands after those that move. collective_broadcast: 1, which says whose value each of the others is.
     * all_to_all: CG_RAGGED_TABLES, where a run chooses the rows that are sent: what the result is but for the rows
     * that come, then first rows sent, rows sent, first rows there and rows that come, of each update. */
    uint8_t tables;
    int64_t dim, concat_dim, group_size;
    const weft_attr *axes;  /* groups along mesh axes, or NULL */
    weft_name mesh;         /* theirs */
    weft_process_groups groups; /* otherwise; or a permute's pairs */
} cg_coll;

struct cg_node {
    uint32_t id;
    uint16_t cls;           /* cg_class */
    uint16_t dtype;         /* weft_dtype */
    uint32_t rank;
    int64_t *dims;
    int64_t elems;
    cg_node **in;
    uint32_t in_count, result_count;
    cg_block *block;
    const weft_loc *loc;
    double flops;           /* arithmetic of the op that it came from */
    int64_t *strides;       /* in memory, in elements; NULL: row-major */
    weft_bits lifted;       /* of a CG_DOT: free dimensions of its result that are counted as batch (layout.c) */
    uint32_t op;            /* cg_op */
    int64_t aux;            /* of the op: direction, precision; else index, dim */
    bool uniform;           /* made of splats only, by few ops: costs nothing to compute again */
    uint32_t remade_by;     /* of a uniform node: ops that compute it again, each operand's own included */
    bool effects;           /* of a call, or of a loop or branch with such a call inside: stays, in program order */
    int64_t *key;           /* the payload as numbers, for equality and kernel keys; NULL: equal to nothing */
    uint32_t key_count;
    union {
        uint8_t splat[16];
        const void *data;
        cg_view_dim *view;                 /* per operand dimension */
        struct { int64_t *low, *interior; } pad;
        struct { weft_gather_dims dims; const int64_t *sizes; } gather;
        struct { weft_bits dims; cg_block *body; } reduce;
        weft_dot_dims dot;
        const struct cg_conv *conv;
        struct { weft_scatter_dims dims; cg_block *body; } scatter;
        cg_coll *coll;
        struct { cg_block **blocks; uint32_t count; } control;
        struct cg_call_node *call;
    };
};

/* Values defined outside may be used inside; they are then captures. */
struct cg_block {
    cg_block *parent, *next; /* next: in the graph's list of all */
    cg_node **args;    uint32_t arg_count;
    cg_node **results; uint32_t result_count;
    uint32_t depth;
};

typedef struct cg_graph {
    weft_context *cx;
    weft_arena arena;
    weft_status status;     /* the first failure; later makers return NULL */
    cg_node **nodes;        /* by id */
    size_t count, cap;
    weft_table pure;        /* nodes that equal ones are merged with */
    cg_block *blocks;
    cg_block *block;        /* where makers put nodes */
    const weft_loc *loc;    /* given to nodes made */
    const weft_costs *costs; /* of the machine that code is for; those of the default machine at first */
    int64_t join_bytes;     /* weft_compile_options.join_bytes */
} cg_graph;

void cg_graph_init(cg_graph *g, weft_context *cx);
void cg_graph_free(cg_graph *g);

static inline bool cg_is(const cg_node *n, unsigned traits) { return (cg_class_table[n->cls] & traits) == traits; }
static inline int64_t cg_bytes(const cg_node *n) { return n->elems * (int64_t)weft_dtype_bytes((weft_dtype)n->dtype); }
/* Row-major strides of dims into out[rank]. */
void cg_row_major(uint32_t rank, const int64_t *dims, int64_t *out);
bool cg_same_dims(const cg_node *a, const cg_node *b);
/* True for a splat whose element equals v. */
bool cg_splat_is(const cg_node *n, double v);

cg_block *cg_block_new(cg_graph *g, cg_block *parent);

/* Makers: NULL after a failure, and when an operand is NULL. */
cg_node *cg_argument(cg_graph *g, cg_block *b, uint32_t index, const weft_type *t);
cg_node *cg_constant(cg_graph *g, const weft_attr *dense);
cg_node *cg_splat(cg_graph *g, weft_dtype t, uint32_t rank, const int64_t *dims, const void *element);
cg_node *cg_splat_value(cg_graph *g, weft_dtype t, uint32_t rank, const int64_t *dims, double v);
cg_node *cg_iota(cg_graph *g, weft_dtype t, uint32_t rank, const int64_t *dims, int64_t dim);
cg_node *cg_scalar(cg_graph *g, cg_op op, weft_dtype t, int64_t aux, cg_node *const *in);
cg_node *cg_binary(cg_graph *g, cg_op op, cg_node *a, cg_node *b);
cg_node *cg_convert(cg_graph *g, cg_node *x, weft_dtype t);
/* view has one entry per dimension of x */
cg_node *cg_view(cg_graph *g, cg_node *x, uint32_t rank, const int64_t *dims, const cg_view_dim *view);
cg_node *cg_broadcast(cg_graph *g, cg_node *x, uint32_t rank, const int64_t *dims, weft_ints where);
cg_node *cg_reshape(cg_graph *g, cg_node *x, uint32_t rank, const int64_t *dims);
cg_node *cg_transpose(cg_graph *g, cg_node *x, weft_ints permutation);
cg_node *cg_pad(cg_graph *g, cg_node *x, cg_node *value, const int64_t *low, const int64_t *interior,
                const int64_t *dims);
cg_node *cg_concat(cg_graph *g, cg_node *const *in, uint32_t n, int64_t dim, const int64_t *dims);
/* A gate after which all of in are there; NULL when there is nothing to wait for. And x for readers that come after the
 * gate: x itself when that costs nothing to hold. Such a value is equal to no other, lies in the memory of x, and no
 * loop nest computes both what the gate waits for and what reads the value: so what is computed a second time is not
 * held since the first. */
cg_node *cg_gate(cg_graph *g, cg_node *const *in, uint32_t n);
cg_node *cg_after_gate(cg_graph *g, cg_node *x, cg_node *gate);
static inline bool cg_is_gated(const cg_node *n) { return n->cls == CG_RESHAPE && n->in_count == 2; }
/* A new value even when an equal one exists: a copy of x. */
cg_node *cg_copy(cg_graph *g, cg_node *x);
/* Made of no other value: code that needs n computes it again, in loops and branches too, which do not capture it. */
static inline bool cg_is_rewritten(const cg_node *n) { return n->uniform || (cg_is(n, CG_LIGHT) && !n->in_count); }
/* x for a step, which reads memory: a copy where x is such a value, made outside the block that is being filled. */
cg_node *cg_in_memory(cg_graph *g, cg_node *x);
cg_node *cg_part(cg_graph *g, cg_node *of, uint32_t index, const weft_type *t);

/* For the other classes: a node with its type, operands and payload space; cg_finish merges equal pure nodes and must
 * be called once the payload stands. */
cg_node *cg_begin(cg_graph *g, cg_class cls, weft_dtype t, uint32_t rank, const int64_t *dims, cg_node *const *in,
                  uint32_t n);
cg_node *cg_finish(cg_graph *g, cg_node *n);

/* Has its memory from its operands, of which it changes a part. */
static inline bool cg_in_place(const cg_node *n) { return n->cls == CG_SCATTER || n->cls == CG_PLACE; }
/* The node that computes n: n itself, or what it is a result of. */
static inline cg_node *cg_whole(cg_node *n) { return n->cls == CG_PART ? n->in[0] : n; }
/* Result r of n, which is n itself when there is one; NULL when that was never made. */
cg_node *cg_result(const cg_graph *g, cg_node *n, uint32_t r);

/* The node whose memory holds n: n itself, or what it is a mere reshape of. */
cg_node *cg_base(cg_node *n);

/* The instruction works on complex operands. */
bool cg_complex_has(cg_op op);
/* The neutral element of op, or false when it has none for this type. */
bool cg_neutral(cg_op op, weft_dtype t, void *element);

/* The single commuting op that a reducer of one value is, or CG_OP_COUNT; and the one that its result r is made by from
 * the values of operand r. */
cg_op cg_body_op(const cg_block *body);
cg_op cg_body_op_of(const cg_block *body, uint32_t result);

/* Whether n's value is computed, in loops of its block, from what stands in x; yes when the search is long. */
bool cg_reads(const cg_node *n, const cg_node *x);
/* Is update so much smaller than x that x is better changed where it stands than computed anew? */
bool cg_is_small_part(const cg_node *x, const cg_node *update);

#endif
