/* values.h: the attributes that hold the shardings of a module's values, in one place for all passes.
 *
 *   result of an op with a `sharding` or `out_sharding` attribute (sdy.sharding_constraint, sdy.reshard,
 *   sdy.data_flow_edge,
 *     sdy's collectives)                       that attribute
 *   result of an op with `out_shardings` (sdy.manual_computation, sdy.named_computation)   its entry
 *   result of any other op                     its entry of the op's sdy.sharding = #sdy.sharding_per_value<...>
 *   argument of a function                     sdy.sharding of its entry of arg_attrs
 *   argument of a body with `in_shardings`     its entry
 *   argument of another region                 none: it has the sharding of the data-flow edge that feeds it
 *   result of a function                       sdy.sharding of its entry of res_attrs
 *
 * Shardings are read as written: in_shardings of a manual computation still name the manual axes.
 */
#ifndef WEFT_SHARDING_VALUES_H
#define WEFT_SHARDING_VALUES_H

#include "ir/builder.h"
#include "sharding/sharding.h"

/* A SHARDING, or NULL when v has none. */
const weft_attr *weft_value_sharding_attr(const weft_value *v);
const weft_attr *weft_func_result_sharding_attr(const weft_op *f, uint32_t result);

/* Whether an attribute of op, of any kind, gives values their sharding: sdy.sharding, the op's own columns for
 * shardings, and Weft's notes on @main. Any other attribute of kind sharding is a note without meaning for passes. */
bool weft_op_attr_says_sharding(const weft_op *op, weft_name name);

/* The same as a weft_sharding; *out is NULL if there is none. */
weft_status weft_value_sharding(weft_shardings *t, const weft_value *v, const weft_sharding **out);
weft_status weft_func_result_sharding(weft_shardings *t, const weft_op *f, uint32_t result, const weft_sharding **out);

/* The features of a module's shardings, of values and of functions' arguments and results, read from the attributes:
 * most modules have none, and passes for a feature do nothing then. */
typedef enum weft_mentions {
    WEFT_MENTIONS_UNREDUCED = 1 << 0,     /* unreduced axes */
    WEFT_MENTIONS_WRITTEN_MESH = 1 << 1   /* a mesh without a symbol */
} weft_mentions;
unsigned weft_module_mentions(const weft_module *m);

/* Sets the shardings of all results of op, of[result]; NULL entries become open shardings over the mesh of the first
 * that is not NULL. All NULL: optional shardings of the op are removed. For modules under construction. */
weft_status weft_op_set_shardings(weft_shardings *t, weft_module *m, weft_op *op, const weft_sharding *const *of);
/* One entry of a per-value attribute of op (in_shardings, ...), or all of them: items[n], none NULL. */
weft_status weft_op_set_shardings_attr(weft_shardings *t, weft_module *m, weft_op *op, weft_attr_name name,
                                       const weft_sharding *const *items, uint32_t n);
/* Shardings of a function's arguments and results; NULL entries remove. args or results NULL: unchanged. */
weft_status weft_func_set_shardings(weft_shardings *t, weft_module *m, weft_op *f, const weft_sharding *const *args,
                                    const weft_sharding *const *results);

#endif
