/* collective_steps.h: from one sharding to another by collectives, step by step, as Shardy goes.
 *
 * What a tensor has and what it shall have is compared by dimension. Axes that stand alike at the beginning of a
 * dimension stay. Of the others: slice by axes that are to come, where the parts then are no more than they will be;
 * permute where as many parts are to lie along other axes; exchange axes between dimensions; gather what is to go. What
 * these leave (sizes without a common divisor) goes round once more. Every step is good by itself; reshard_plan.h
 * searches for the cheapest sequence over fewer places, as it splits no axis further than the program does, so
 * lower_reshards.c asks for the price of both. Authority: the behaviour of Shardy's sdy-reshard-to-collectives.
 */
#ifndef WEFT_PARTITIONER_COLLECTIVE_STEPS_H
#define WEFT_PARTITIONER_COLLECTIVE_STEPS_H

#include "cost/price.h"
#include "ir/builder.h"
#include "sharding/sharding.h"

/* sdy's collectives at b that take *v from one sharding to the other; *v is then what they give. Both are of *v's rank
 * and over meshes of the same axes; unreduced axes stay as `to` has them. */
weft_status weft_insert_collectives(weft_shardings *t, weft_builder *b, const weft_sharding *from,
                                    const weft_sharding *to, weft_value **v);

/* What that would cost for a value of this type, nothing being built. */
typedef struct weft_steps_price {
    double price;              /* by the costs given, as reshard_plan.h counts */
    bool even;                 /* every sharding on the way divides the dimensions */
    /* what values are sharded along on the way: axes, and parts that nothing else may be split into */
    weft_axis_list along;
} weft_steps_price;
weft_status weft_price_collectives(weft_context *cx, weft_shardings *t, const weft_sharding *from,
                                   const weft_sharding *to, const weft_type *type, const weft_costs *costs,
                                   weft_steps_price *out);

#endif
