/* call.h: steps in C. What no loop nest says well (a sort, a factorisation, a transform, a check) is a CG_CALL: a step
 * of its own whose code is a C function.
 *
 *   buffers   the operands, the results, then scratch_bytes of scratch: all row-major, aligned to WEFT_BUFFER_ALIGN
 *   state     plain bytes without addresses and without undefined padding: copied into the executable and part of the
 *             program's fingerprint
 *   body      a block of scalars (comparator, reducer) as a function: the state then begins with a cg_body_fn, which is
 *             filled in when the code is there
 *
 * The function runs on many threads at once and keeps nothing between runs. A failure is said with weft_step_fail
 * (executable.h). A call with CG_CALL_EFFECTS is neither dropped, merged nor moved past another such call, and so are
 * the loops and branches that hold it; any other call is as pure as an addition.
 *
 *   static weft_status sum_run(const void *state, void *const *buffers, const weft_run_env *env);
 *   const cg_call_spec spec = { "sum", sum_run, &n, sizeof n };
 *   cg_node *out;
 *   if (cg_call(g, &spec, &x, 1, &type, 1, &out)) use(out);
 */
#ifndef WEFT_CODEGEN_CALL_H
#define WEFT_CODEGEN_CALL_H

#include "codegen/executable.h"
#include "codegen/graph.h"

typedef enum cg_call_flags {
    CG_CALL_EFFECTS = 1 << 0
} cg_call_flags;

enum { CG_BYTES_OF_TYPES = 0 };

typedef struct cg_call_spec {
    const char *label;      /* static; names fn: one label, one function. For traces, and in the fingerprint */
    weft_step_fn fn;
    const void *state;      size_t state_bytes;
    int64_t scratch_bytes;
    /* bit i: result i may take over the memory of operand i, of as many bytes, when that dies here */
    weft_bits in_place;
    unsigned flags;
    cg_block *body;         /* NULL: none */
    double flops;           /* besides what the op's line in ops.def says */
    int64_t bytes;          /* read and written; CG_BYTES_OF_TYPES: the operands and results once each */
    /* tables that follow from the state: made once, with the code, and no part of the fingerprint */
    size_t derived_bytes;
    void (*derive)(const void *state, void *tables); /* see cg_call_tables; tables are zeroed before */
} cg_call_spec;

/* What a CG_CALL node holds. */
typedef struct cg_call_node {
    cg_call_spec spec;
    const weft_type **types; /* of the results */
} cg_call_node;

/* Elements in and out of a body: in[i] and out[r] point to one element each, as they lie in memory. */
typedef void (*cg_body_fn)(const void *const *in, void *const *out);

/* Where a running call's tables are, given its state. */
static inline const void *cg_call_tables(const void *state, size_t state_bytes) {
    return (const char *)state + (state_bytes + WEFT_BUFFER_ALIGN - 1) / WEFT_BUFFER_ALIGN * WEFT_BUFFER_ALIGN;
}

/* The call, or NULL after a failure; out[m] are its results. */
cg_node *cg_call(cg_graph *g, const cg_call_spec *s, cg_node *const *in, uint32_t n, const weft_type *const *types,
                 uint32_t m, cg_node **out);

/* A copy of x in memory that may be worked on in place, equal to no other: x's own memory where x is not needed later.
 */
cg_node *cg_call_copy(cg_graph *g, cg_node *x);
bool cg_is_call_copy(const cg_node *n); /* n is what that gave */
/* Code of a step that copies its first buffer to its second; the state begins with the number of bytes, an int64_t. */
weft_status cg_copy_run(const void *state, void *const *buffers, const weft_run_env *env);

#endif
