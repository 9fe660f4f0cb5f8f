/* calls.h: the call graph of a module's functions.
 *
 * Functions are numbered in the order of the module, declarations included. The calls of a function are its func.call
 * ops at any depth, in program order. The order of the graph is that of MLIR's call graph: depth first from each
 * function in turn, callers before callees (reverse post-order). Needs a verified module: no function calls itself,
 * directly or not.
 */
#ifndef WEFT_PROPAGATE_CALLS_H
#define WEFT_PROPAGATE_CALLS_H

#include "ir/symbols.h"
#include "sharding/values.h"

typedef struct weft_call_graph {
    uint32_t func_count, call_count;
    const weft_op **funcs;       /* [func_count] */
    uint32_t *of_op;             /* by op id: a function's number, a call's number */
    uint32_t *first_call;        /* [func_count + 1]: function f has calls first_call[f] .. first_call[f + 1] */
    const weft_op **calls;       /* [call_count] */
    uint32_t *callee;            /* [call_count]: a function's number */
    /* callers[first_caller[f] .. first_caller[f + 1]) are the calls to function f, in the order of MLIR's uses of
     * symbols */
    uint32_t *first_caller, *callers;
    uint32_t *order;             /* [order_count]: functions with bodies, callers first */
    uint32_t order_count;
} weft_call_graph;

/* Lives in arena, which must not be the context's scratch. Reports calls of symbols that are no functions. */
weft_status weft_call_graph_build(const weft_module *in, weft_arena *arena, weft_call_graph *out);

/* sdy.original_func_name if flattening left it, else the function's own name. */
weft_name weft_func_original_name(weft_context *cx, const weft_op *f);

/* The shardings of all arguments or results of f, of[i]; missing ones are open over the first mesh that is not maximal.
 * *any is false if none is sharded over such a mesh; of is then undefined. */
typedef enum weft_func_side { WEFT_FUNC_ARGS, WEFT_FUNC_RESULTS } weft_func_side;
weft_status weft_func_shardings(weft_shardings *t, const weft_op *f, weft_func_side side, const weft_sharding **of,
                                bool *any);

/* @main, or the only function, or the only public one; reports if there is none of these. */
weft_status weft_main_or_only_func(const weft_module *in, const weft_op **out);

#endif
