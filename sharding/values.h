/* values.h: where a module keeps the shardings of its values, in one place for all passes.
 *
 *   result of an op with a `sharding` or `out_sharding` attribute (sdy.sharding_constraint, sdy.reshard,
 *   sdy.data_flow_edge,
 *     sdy's collectives)                       that attribute
 *   result of an op with `out_shardings` (sdy.manual_computation, sdy.named_computation)   its entry
 *   result of any other op                     its entry of the op's sdy.sharding = #sdy.sharding_per_value<...>
 *   argument of a function                     sdy.sharding of its entry of arg_attrs
 *   argument of a body with `in_shardings`     its entry
 *   argument of another region                 nowhere: it is sharded like the data-flow edge that feeds it
 *   result of a function                       sdy.sharding of its entry of res_attrs
 *
 * What is read is as written: in_shardings of a manual computation still name the manual axes.
 */
#ifndef WEFT_SHARDING_VALUES_H
#define WEFT_SHARDING_VALUES_H

#include "ir/builder.h"
#include "sharding/sharding.h"

/* A SHARDING, or NULL when v has none. */
const weft_attr *weft_value_sharding_attr(const weft_value *v);
const weft_attr *weft_func_result_sharding_attr(const weft_op *f, uint32_t result);

/* Whether an attribute of op, of whatever kind, says how values lie: sdy.sharding, the op's own columns for shardings,
 * and what Weft notes of
 * @main's. Any other attribute of kind sharding is a note of somebody's, which means nothing to a pass. */
bool weft_op_attr_says_sharding(const weft_op *op, weft_name name);

/* The same by meaning; *out is NULL when there is none. */
weft_status weft_value_sharding(weft_shardings *t, const weft_value *v, const weft_sharding **out);
weft_status weft_func_result_sharding(weft_shardings *t, const weft_op *f, uint32_t result, const weft_sharding **out);

/* What the shardings of a module have in them, of values and of functions' borders, read off the attributes: most
 * modules have none of it, and passes about it have nothing to do there. */
typedef enum weft_mentions {
    WEFT_MENTIONS_UNREDUCED = 1 << 0,     /* axes that values are left partial along */
    WEFT_MENTIONS_WRITTEN_MESH = 1 << 1   /* a mesh without a symbol */
} weft_mentions;
unsigned weft_module_mentions(const weft_module *m);

/* Shardings for all results of op, of[result]; NULL entries become open shardings over the mesh of the first that is
 * there. All NULL: the op's shardings are removed where they are optional. For modules under construction. */
weft_status weft_op_set_shardings(weft_shardings *t, weft_module *m, weft_op *op, const weft_sharding *const *of);
/* The one entry of a per-value attribute of op (in_shardings, ...) or all of them: items[n], none NULL. */
weft_status weft_op_set_shardings_attr(weft_shardings *t, weft_module *m, weft_op *op, weft_attr_name name,
                                       const weft_sharding *const *items, uint32_t n);
/* Shardings of a function's arguments and results; NULL entries remove. args or results NULL: left alone. */
weft_status weft_func_set_shardings(weft_shardings *t, weft_module *m, weft_op *f, const weft_sharding *const *args,
                                    const weft_sharding *const *results);

#endif
