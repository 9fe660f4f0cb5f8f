/* resolver.h: what the files of pass sdy-resolve-permutation-factors share.
 *
 * A permutation factor is one along which an op can be split though devices then need elements of each other: the pass
 * makes that need explicit. Where exchanges are allowed, ops with an entry `resolve` (local.h) become
 * sdy.manual_computations in which neighbours' parts are fetched (exchange.h); all others, and what lies too far away,
 * get reshards to where nothing is split along such factors.
 */
#ifndef WEFT_PARTITIONER_RESOLVER_H
#define WEFT_PARTITIONER_RESOLVER_H

#include "ir/symbols.h"
#include "partitioner/lower/local.h"
#include "partitioner/shardy/resharder.h"

/* option enable-halo-exchange */
typedef enum weft_exchanges { WEFT_EXCHANGES_NONE, WEFT_EXCHANGES_OF_PARTS } weft_exchanges;

struct weft_resolver {
    weft_resharder x;
    weft_symbols symbols;        /* names of meshes that are added */
    weft_exchanges exchanges;
    weft_op_kind id;             /* the op that says which device this is */
    int64_t channel;             /* the last one given to a collective */
};

/* Later readers of op's result read v. */
static inline void weft_resolver_map(weft_resolver *z, const weft_op *op, weft_value *v) {
    weft_reshard_replace(&z->x, op, 0, v);
}
static inline weft_value *weft_resolver_value(const weft_resolver *z, const weft_value *old) {
    return z->x.r->map.to[old->id];
}

/* The shardings of op's first operand and its result, over one mesh of several devices. *in is NULL where there are
 * none such, nothing is split, or a shape is dynamic or has no elements. */
weft_status weft_resolver_ends_of(weft_resolver *z, const weft_op *op, const weft_sharding **in,
                                  const weft_sharding **out);

#endif
