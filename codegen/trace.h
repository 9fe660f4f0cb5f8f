/* trace.h: shared by the files that trace nodes into kernels; see trace.c. */
#ifndef WEFT_CODEGEN_TRACE_H
#define WEFT_CODEGEN_TRACE_H

#include "codegen/kernel.h"

/* TRACE_DEPTH and TRACE_ROOM bound how deep operands may nest, and with it the stack: some 700 bytes for each level. */
enum { TRACE_SLOTS = 4096, TRACE_MEMO = 256, TRACE_DEPTH = 1000, TRACE_ROOM = 2048 };

/* Which element of a node: its row-major number (linear, one ix) or one ix per dimension. */
typedef struct element { bool linear; cg_ix *ix; } element;

typedef struct memo_entry {
    const cg_node *node;
    cg_ix ix;
    uint32_t guard, ins;
    struct memo_entry *next;
} memo_entry;

typedef struct tracer tracer;
struct tracer {
    cg_graph *g;
    weft_arena *arena;
    cg_kernel *k;
    cg_ins *ins;            /* room for a kernel's; */
    cg_fold *folds, *sums;
    cg_store *stores;
    cg_inlines inlines;
    void *user;
    memo_entry *memo[TRACE_MEMO];
    memo_entry *spare;      /* of earlier traces */
    struct { uint32_t stamp, ins; } slots[TRACE_SLOTS]; /* instructions by content */
    uint32_t stamp, depth;
    cg_ix *room;            /* TRACE_ROOM of them: the indices of the nodes that are being traced, a stack; */
    uint32_t used;          /* so many of them */
    bool failed, memory;
    const cg_node *culprit;
    int64_t request;        /* split the loops so many elements from the end, and try again */
};

/* All return CG_NONE once the trace has failed. */
uint32_t trace_fail(tracer *t, const cg_node *culprit);
uint32_t trace_value(tracer *t, cg_node *n, const element *i, uint32_t guard);
uint32_t trace_class(tracer *t, cg_node *n, const element *i, uint32_t guard); /* of a node computed inside */

/* Roots whose values are folded in memory. */
void trace_scatter(tracer *t, cg_node *n);
/* value to element ix of n, once per iteration of the first `level` variables. */
void trace_store(tracer *t, cg_node *n, uint32_t value, cg_ix ix, uint32_t level);
uint32_t trace_signed(tracer *t, uint32_t v, weft_dtype dtype); /* an index as I64 */
cg_ix trace_start(tracer *t, cg_node *start, int64_t most); /* a start index, clamped to 0 .. most */
void trace_place(tracer *t, cg_node *n);
void trace_scan(tracer *t, cg_node *n);
bool trace_started(const tracer *t, const cg_node *n);
/* What n's body is applied to at i. */
cg_fold trace_fold(tracer *t, cg_node *n, const element *i);
/* s, of f, into the memory of n's results. */
void trace_fold_store(tracer *t, cg_node *n, cg_fold f, cg_store s);

/* Indices for a node that trace_class() traces, until that returns. NULL when nodes nest too deep: the trace has
 * failed. */
cg_ix *trace_parts(tracer *t, const cg_node *n, uint32_t rank);

uint32_t trace_emit(tracer *t, cg_ins x);
cg_ins trace_blank(cg_ins_kind kind, weft_dtype dtype);
uint32_t trace_scalar(tracer *t, cg_op op, weft_dtype dtype, int64_t aux, uint32_t a, uint32_t b, uint32_t c);
uint32_t trace_index(tracer *t, const cg_ix *x, weft_dtype dtype);
uint32_t trace_param(tracer *t, cg_node *n);

/* guard and (lo <= x < hi); guard itself when that is always so. */
uint32_t trace_within(tracer *t, const cg_ix *x, int64_t lo, int64_t hi, uint32_t guard);
bool trace_never(const tracer *t, const cg_ix *x, int64_t lo, int64_t hi); /* x is known to be outside */
uint32_t trace_both(tracer *t, uint32_t a, uint32_t b);

cg_ix trace_fixed(int64_t c);
cg_ix trace_add(tracer *t, const cg_ix *a, const cg_ix *b, int64_t scale);
bool trace_apart(tracer *t, const cg_node *n, const element *i, cg_ix *parts);    /* parts[rank] */
/* Whether x is among v, and where. at may be NULL. */
bool trace_listed(weft_ints v, int64_t x, uint32_t *at);

cg_ix trace_number(tracer *t, const cg_node *n, const element *i);
cg_ix trace_natural_full(const tracer *t);
cg_ix trace_natural_row(const tracer *t);

#endif
