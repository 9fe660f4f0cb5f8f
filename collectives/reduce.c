/* reduce.c: the table of reductions, collected from the rows of each family of types; see reduce.h. */
#include "collectives/reduce_kernels.h"

static const weft_adder *const adders[WEFT_DTYPE_COUNT] = {
#define ROWS(T) [WEFT_##T] = weft_adders_##T,
    WEFT_EACH_ADDED(ROWS)
};

const char *weft_reduction_name(weft_op_reduce op) {
    static const char *const names[] = { "sum", "product", "min", "max", "and", "or", "xor", "mean" };
    return (size_t)op < WEFT_COUNT(names) ? names[op] : "?";
}

const weft_adder *weft_adder_find(weft_dtype dtype, weft_op_reduce op) {
    if ((int)op < 0 || op >= WEFT_REDUCE_COUNT || dtype >= WEFT_DTYPE_COUNT || !adders[dtype]) return NULL;
    return adders[dtype][op].whole ? &adders[dtype][op] : NULL;
}

weft_reduce_fn weft_reduce_find(weft_dtype dtype, weft_op_reduce op) {
    const weft_adder *a = weft_adder_find(dtype, op);
    return a ? a->whole : NULL;
}
