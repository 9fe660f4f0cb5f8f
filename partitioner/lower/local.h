/* local.h: what the partitioner knows of each op: column `local` of ir/ops.def.
 *
 * An entry says along which factors of its rule an op can be split, how the devices' results combine when a loop that
 * sums is split, and how the op is written on local shapes. Entries are families: most ops are split along any
 * pass-through factor and need only smaller result types.
 */
#ifndef WEFT_PARTITIONER_LOCAL_H
#define WEFT_PARTITIONER_LOCAL_H

#include "sharding/rule.h"
#include "ir/builder.h"
#include "partitioner/lower/op_facts.h"
#include "partitioner/layout/placement.h"

/* In which operands an op is linear: a sum of partial operands may be taken after it. */
typedef enum weft_linearity {
    WEFT_LINEAR_NOT,
    WEFT_LINEAR_JOINT,  /* in all operands together: add, negate, reshape */
    WEFT_LINEAR_EACH,   /* in each while the others are fixed: multiply, dot */
    WEFT_LINEAR_FIRST,  /* in the first: divide, a reduction by addition */
    WEFT_LINEAR_PAIR,   /* in the first two together: dynamic_update_slice */
    WEFT_LINEAR_CHOSEN  /* in all but the first together: select */
} weft_linearity;

typedef struct weft_localizer weft_localizer; /* partitioner/lower/localize.h */
typedef struct weft_resolver weft_resolver;   /* partitioner/shardy/resolver.h */

/* What sdy-resolve-permutation-factors has to do about an op. */
typedef enum weft_resolved {
    WEFT_RESOLVE_BY_RESHARDS,   /* bring it where no permutation factor is split */
    WEFT_RESOLVE_NOTHING,       /* no device needs another's elements, or what comes after sees to it */
    WEFT_RESOLVE_DONE           /* its result is mapped */
} weft_resolved;
typedef struct weft_padder weft_padder;       /* partitioner/shardy/pad.h */

typedef struct weft_local {
    /* Factors along which op may be split; NULL: the question never arises. */
    weft_bits (*factors)(const weft_op *op, const weft_rule *rule);
    /* Of these, factors along which the last parts may hold padding, where they are whole dimensions of their size;
     * NULL: none. */
    weft_bits (*uneven)(const weft_op *op, const weft_rule *rule);
    /* Of these, factors along which dimensions may be split whatever their sizes, in the operands as in the results;
     * NULL: none. */
    weft_bits (*any_parts)(const weft_op *op, const weft_rule *rule);
    /* Factors that say where something is, not how often something is done: no work; NULL: none. */
    weft_bits (*places)(const weft_op *op, const weft_rule *rule);
    /* How results combine when a reduction factor is split; NULL: it must not be. */
    weft_partial (*partial)(const weft_op *op);
    /* In which operands it is linear; NULL: in none, unless its traits say so. */
    weft_linearity (*linear)(const weft_op *op);
    /* The same where the program itself declares the results as terms of sums: in which operands it may take terms.
     * NULL: as linear says. Converted terms are not the converted sum, so only the program may ask for them. */
    weft_linearity (*terms)(const weft_op *op);
    /* Bytes that each device sends while it writes op on local shapes, its operands, and after them its results, being
     * placed so; below 0: it cannot. NULL: no device sends. */
    double (*talk)(weft_placements *t, const weft_op *op, const weft_placement_id *placed);
    /* Bytes that a device then holds beyond what all of its operands gathered would take; NULL: none. */
    double (*room)(weft_placements *t, const weft_op *op, const weft_placement_id *placed);
    /* Writes op on local shapes; NULL: results get local types, nothing else changes. */
    weft_status (*lower)(weft_localizer *z, const weft_op *op);
    /* The same in the listed form (localize.h), where that is not `lower` with other offsets; NULL: lower. */
    weft_status (*listed)(weft_localizer *z, const weft_op *op);
    /* Writes op so that what devices need of each other is said, at global shapes (resolver.h); NULL: leaves it to
     * reshards. */
    weft_status (*resolve)(weft_resolver *z, weft_builder *b, const weft_op *op, weft_resolved *how);
    /* Whether no device needs another's elements along dimension d of operand and result, both sharded by s; NULL: they
     * do along the permutation factors. */
    weft_status (*alone)(weft_context *cx, const weft_op *op, const weft_sharding *s, uint32_t d, bool *yes);
    /* Writes op on tensors that were padded so that the devices divide them; NULL: by its rule and `uneven`. */
    weft_status (*pad)(weft_padder *p, const weft_op *op);
    /* Whether what it sends follows from rule, types and placements, not from what else op says; NULL: it does not. */
    bool (*talks_by_rule)(const weft_op *op);
    bool unsupported;            /* no way yet: the op is reported */
    /* the program's own collective: its groups name devices, along whose axes values must be whole */
    bool grouped;
    /* written for operands and results over different orders of the devices (placement.h) */
    bool reorders;
    bool through;                /* result i is operand i: they stay in one placement, each its own */
} weft_local;

const weft_local *weft_local_of(weft_op_kind kind);
weft_linearity weft_op_linearity(const weft_op *op);
weft_linearity weft_op_terms(const weft_op *op); /* of an op whose results are declared as terms */
/* Of the factors in column `uneven` those that are a whole dimension, of their own size, wherever they are. */
weft_bits weft_uneven_factors(const weft_op *op, const weft_rule *rule);

/* An index from which no update of a scatter reaches the operand, not with its last element: StableHLO drops them all.
 * Below 0. */
int64_t weft_scatter_nowhere(const weft_op *op);
static inline bool weft_scatter_index_holds(weft_dtype t, int64_t nowhere) {
    return weft_dtype_of(t)->kind != WEFT_KIND_UINT &&
           (weft_dtype_of(t)->bits >= 32 || nowhere >= -((int64_t)1 << (weft_dtype_of(t)->bits - 1)));
}
/* neutral.c: a scalar with which a reducer of this kind changes nothing; NULL when there is none, or after an error. */
weft_value *weft_build_neutral(weft_builder *b, weft_op_kind k, weft_dtype dtype);

#endif
