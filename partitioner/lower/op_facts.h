/* op_facts.h: what several passes of this room ask of an op and of a value, without its column `local`. */
#ifndef WEFT_PARTITIONER_OP_FACTS_H
#define WEFT_PARTITIONER_OP_FACTS_H

#include "sharding/rule.h"

typedef enum weft_partial {
    WEFT_PARTIAL_NONE,
    WEFT_PARTIAL_SUM,
    WEFT_PARTIAL_MAX,
    WEFT_PARTIAL_MIN,
    WEFT_PARTIAL_TOLD   /* by more than an all-reduce: the op, where it is written on local shapes, tells the others
                         (columns talk and lower) */
} weft_partial;

/* v, or what it is a broadcast or reshape of, or the same in another place, is a splat constant: its DENSE attribute;
 * else NULL. */
const weft_attr *weft_value_splat(const weft_value *v);
/* v is a splat constant of this number. */
bool weft_value_is(const weft_value *v, double want);
bool weft_value_is_zero(const weft_value *v);

/* Dimensions of an operand of a dot along which products are added, and those along which a reduction goes. */
weft_bits weft_dot_summed(const weft_op *op, uint32_t operand);
weft_bits weft_reduced_dims(const weft_op *op);

/* How the parts of a sum combine, by the op that a reducer applies, or by the body of region `region` of op. */
weft_partial weft_partial_of_kind(weft_op_kind kind, weft_dtype dtype);
weft_partial weft_partial_of_reducer(const weft_op *op, uint32_t region, weft_dtype dtype);

/* The factors of op's rule that pass through it, are kept in size, and are in some result. */
weft_bits weft_pass_factors(const weft_op *op, const weft_rule *rule);

/* st; where op was refused, also reports that in the words of MLIR's driver, which tests of Shardy's messages
 * expect. */
weft_status weft_illegal(weft_context *cx, const weft_op *op, weft_status st);

#endif
