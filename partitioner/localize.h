/* localize.h: what lowering one op to local shapes can use.
 *
 * The localizer knows every value's placement and gives the arithmetic of "which part is mine": coordinates come from
 * stablehlo.partition_id, are computed once per function at its head, and are shared. Builders report through
 * z->b->status; a NULL value passes the failure on.
 */
#ifndef WEFT_PARTITIONER_LOCALIZE_H
#define WEFT_PARTITIONER_LOCALIZE_H

#include "partitioner/local.h"
#include "ir/rewrite.h"

typedef struct weft_index_entry {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n;
    int64_t step;
    weft_value *value;
} weft_index_entry;

struct weft_localizer {
    weft_context *cx;
    const weft_module *in;
    weft_rewrite *rewrite;
    weft_builder *b;                 /* where the op being lowered goes */
    weft_placements *t;
    weft_arena *arena;
    weft_placement_id *of;           /* by old value id */
    weft_block *entry;               /* of the function being written */
    weft_op *last_index;             /* the last op of the arithmetic at its head; NULL: none yet */
    weft_index_entry *index; size_t index_count, index_cap;
    int64_t channel;                 /* the last channel given to a collective */
};

static inline weft_value *weft_local_value(const weft_localizer *z, const weft_value *old) { return z->rewrite->map.to[old->id]; }
static inline const weft_placement *weft_local_placement(const weft_localizer *z, const weft_value *old) {
    return weft_placement_of(z->t, z->of[old->id]);
}
const weft_type *weft_local_type(weft_localizer *z, const weft_value *old);
static inline void weft_local_map(weft_localizer *z, const weft_value *old, weft_value *made) { z->rewrite->map.to[old->id] = made; }

/* This device's number along atoms (major to minor), times step: a tensor<i32>, at the head of the function. */
weft_value *weft_local_index(weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t step);
/* The same for the atoms of dimension d of l. */
weft_value *weft_local_dim_index(weft_localizer *z, const weft_placement *l, uint32_t d, int64_t step);
/* tensor<i1>: whether this device is the first along every atom of the set. */
weft_value *weft_local_is_first(weft_localizer *z, weft_atoms set);

/* The part of x (each device's the same size) that starts at starts[d] (tensor<i32>, NULL: 0). */
weft_value *weft_local_part(weft_localizer *z, weft_value *x, const weft_type *type, weft_value *const *starts);
/* A scalar tensor spread over a shape; a constant of one value. */
weft_value *weft_local_broadcast(weft_localizer *z, weft_value *scalar, const weft_type *type);
weft_value *weft_local_convert(weft_localizer *z, weft_value *x, weft_dtype dtype);
weft_value *weft_local_compare(weft_localizer *z, weft_value *x, weft_value *y, weft_enum_value direction);
weft_value *weft_local_select(weft_localizer *z, weft_value *pred, weft_value *x, weft_value *y);

/* The op of a reducer's body over scalars of dtype, in region r; sets z->b->status. */
void weft_local_reducer(weft_localizer *z, weft_region *r, weft_op_kind kind, weft_dtype dtype);

/* A copy of op with local operand and result types and without its shardings; its results are mapped. */
weft_status weft_local_clone(weft_localizer *z, const weft_op *op, weft_op **out);
/* The same with an integer list attribute replaced. */
weft_status weft_local_set_ints(weft_localizer *z, weft_op *op, weft_attr_name name, const int64_t *v, uint32_t n);

#endif
