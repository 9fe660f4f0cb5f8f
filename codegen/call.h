/* call.h: steps in C. What no loop nest says well (a sort, a factorisation, a transform, a check) is a CG_CALL: a step
 * of its own that runs a kernel of exec/kernels/.
 *
 *   buffers   the operands, the results, then scratch_bytes of scratch: all row-major, aligned to WEFT_BUFFER_ALIGN
 *   state     plain bytes without addresses and without undefined padding: copied into the executable and part of the
 *             program's fingerprint
 *   body      a block of scalars (comparator, reducer) as a function: the state then begins with a weft_body_fn, which
 *             the loader fills in
 *
 * A kernel keeps nothing between runs. It says why it fails with weft_step_fail (exec/step.h). A call with
 * CG_CALL_EFFECTS is neither dropped, merged nor moved past another such call, and so are the loops and branches that
 * hold it; any other call is as pure as an addition.
 *
 *   const cg_call_spec spec = { .kernel = &weft_kernel_sum, .state = &n, .state_bytes = sizeof n };
 *   cg_node *out;
 *   if (cg_call(g, &spec, &x, 1, &type, 1, &out)) use(out);
 */
#ifndef WEFT_CODEGEN_CALL_H
#define WEFT_CODEGEN_CALL_H

#include "codegen/graph.h"
#include "exec/kernel.h"

typedef enum cg_call_flags {
    CG_CALL_EFFECTS = 1 << 0
} cg_call_flags;

enum { CG_BYTES_OF_TYPES = 0 };

typedef struct cg_call_spec {
    const weft_kernel *kernel; /* NULL: of a plan that is not run */
    /* for traces, and in the fingerprint: static, or the context's; NULL: the kernel's name */
    const char *label;
    const void *state;      size_t state_bytes;
    int64_t scratch_bytes;
    /* bit i: result i may take over the memory of operand i, of as many bytes, when that dies here */
    weft_bits in_place;
    unsigned flags;
    cg_block *body;         /* NULL: none */
    double flops;           /* besides what the op's line in ops.def says */
    int64_t order;          /* of the matrices that it factors or solves with, which small ones slow down; 0: none */
    int64_t bytes;          /* read and written; CG_BYTES_OF_TYPES: the operands and results once each */
} cg_call_spec;

/* What a CG_CALL node holds. */
typedef struct cg_call_node {
    cg_call_spec spec;
    const weft_type **types; /* of the results */
} cg_call_node;

/* The call, or NULL after a failure; out[m] are its results. */
cg_node *cg_call(cg_graph *g, const cg_call_spec *s, cg_node *const *in, uint32_t n, const weft_type *const *types,
                 uint32_t m, cg_node **out);

/* A copy of x in memory that may be worked on in place, equal to no other: x's own memory where x is not needed later.
 */
cg_node *cg_call_copy(cg_graph *g, cg_node *x);
bool cg_is_call_copy(const cg_node *n); /* n is what that gave */

#endif
