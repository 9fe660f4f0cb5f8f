/* fuse.h: the kernels of a local program on a machine whose compiler is the vendor's.
 *
 * What such compilers do alike (XLA's instruction fusion, Inductor): what is computed element by element is computed
 * where it is read, unless several kernels read it and computing it again would read more than it writes. Layout alone
 * (reshape, transpose, slices) is no kernel. What is stored into a slice of a loop's buffer is written there once.
 * Kernels over as many elements that read one another's results are one kernel; through sums of rows only on a machine
 * with `row-fusion`. Products take in what is computed from them, and for them, only with `product-fusion`. Nothing is
 * fused across an optimization_barrier.
 *
 * Attention: products joined by scores (a batched product's result, many times larger than its operands) and what is
 * computed from them, of which nothing but row sums leaves, are one kernel that keeps the scores on the chip. Under a
 * triangular mask it skips half of its work.
 */
#ifndef WEFT_COST_FUSE_H
#define WEFT_COST_FUSE_H

#include "cost/plan.h"
#include "cost/tasks.h"

/* Ops with a location of this name compute again what was computed before: JAX's checkpoint names them so. */
#define WEFT_REPEATED_SCOPE "rematted_computation"

typedef enum weft_attention { WEFT_ATTENTION_FUSED, WEFT_ATTENTION_UNFUSED } weft_attention;

/* "fused", "unfused" */
static inline const char *weft_attention_name(weft_attention a) {
    return a == WEFT_ATTENTION_FUSED ? "fused" : "unfused";
}

typedef struct weft_fuse_options {
    const weft_machine *machine;
    const weft_plan *plan;         /* of the same module: the costs of its custom calls */
    weft_attention attention;
    int64_t devices;               /* of the program */
} weft_fuse_options;

/* The tasks of @main of m, a module after partitioning and legalisation. */
weft_status weft_fuse(const weft_module *m, const weft_fuse_options *opt, weft_arena *arena, weft_task_list *out);

#endif
