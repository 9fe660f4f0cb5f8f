/* localize.h: what lowering one op to local shapes can use.
 *
 * The localizer knows every value's placement and says "which part is mine", in one of two forms:
 *
 *   compact   coordinates come from stablehlo.partition_id by arithmetic, in the program's index type
 *             (ir/index_type.h), are computed once per function at its head and shared; groups are mesh axes; nothing
 *             grows with the devices. The form of weft-partition.
 *   listed    as Shardy's pass of the same name: an i64 offset is looked up in a table of all devices wherever one is
 *             needed, groups list their devices unless mesh axes are asked for, collectives over several dimensions are
 *             one call, ops keep their shardings. Source: Shardy, sdy-convert-global-to-local and its tests.
 *
 * Builders report through z->b->status; a NULL value passes the failure on.
 */
#ifndef WEFT_PARTITIONER_LOCALIZE_H
#define WEFT_PARTITIONER_LOCALIZE_H

#include "partitioner/lower/local.h"
#include "ir/index_type.h"
#include "ir/rewrite.h"

typedef struct weft_index_entry {
    uint8_t atoms[WEFT_MAX_ATOMS];
    uint32_t n;
    int64_t step;
    weft_value *value;
} weft_index_entry;

/* Pairs of a collective_permute. There are as many as devices, so they are made and written once: of all that are equal
 * there is one attribute, and what it takes between two placements is remembered. */
typedef struct weft_listed_pairs {
    const weft_attr *pairs;
    struct weft_listed_pairs *next;
} weft_listed_pairs;

typedef struct weft_permutation {
    weft_placement_id from, to;
    const weft_attr *pairs;
    struct weft_permutation *next;
} weft_permutation;

/* How local programs are written. */
typedef enum weft_form {
    WEFT_FORM_COMPACT = 0,
    WEFT_FORM_LISTED = 1,
    WEFT_FORM_GROUPS_BY_AXES = 2,      /* listed, but groups are mesh axes where these are whole axes */
    WEFT_FORM_GATHER_PER_DIM = 4,      /* listed, but an all_gather of several dimensions is one per dimension */
    /* listed: a reduce_scatter of several dimensions is one call, not all_reduce and slice */
    WEFT_FORM_SCATTER_AT_ONCE = 8,
    WEFT_FORM_REPLICAS = 16            /* listed: devices are replicas, not partitions */
} weft_form;

struct weft_localizer {
    weft_context *cx;
    const weft_module *in;
    weft_rewrite *rewrite;
    weft_builder *b;                 /* where the op being lowered goes */
    weft_form form;                  /* flags */
    weft_dtype index_dtype;          /* of the program */
    weft_placements *t;
    weft_arena *arena;
    weft_placement_id *of;           /* by old value id */
    weft_block *entry;               /* of the function being written */
    weft_op *last_index;             /* the last op of the arithmetic at its head; NULL: none yet */
    weft_index_entry *index; size_t index_count, index_cap;
    weft_permutation *permutations;  /* of this function */
    weft_listed_pairs *pairs;        /* of the module */
    int64_t channel;                 /* the last channel given to a collective */
};

static inline weft_value *weft_local_value(const weft_localizer *z, const weft_value *old) {
    return z->rewrite->map.to[old->id];
}
static inline const weft_placement *weft_local_placement(const weft_localizer *z, const weft_value *old) {
    return weft_placement_of(z->t, z->of[old->id]);
}
static inline bool weft_local_listed(const weft_localizer *z) { return z->form & WEFT_FORM_LISTED; }
const weft_type *weft_local_type(weft_localizer *z, const weft_value *old);
static inline void weft_local_map(weft_localizer *z, const weft_value *old, weft_value *made) {
    z->rewrite->map.to[old->id] = made;
}

/* The type of offsets, a scalar tensor: of the program's index type, or of i64 in the listed form. */
const weft_type *weft_local_offset_type(weft_localizer *z);
/* Whether offsets hold v; where they do not, that is reported. */
bool weft_local_offset_fits(weft_localizer *z, int64_t v);
/* v in the shape of type, which is of the offsets' element type; NULL where it does not fit. */
weft_value *weft_local_offset(weft_localizer *z, const weft_type *type, int64_t v);
/* This device's number along atoms (major to minor), times step: an offset, at the head of the function when compact.
 */
weft_value *weft_local_index(weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t step);
/* The same for the atoms of dimension d of l. */
weft_value *weft_local_dim_index(weft_localizer *z, const weft_placement *l, uint32_t d, int64_t step);
/* Where this device's part begins: step times its number, or what weft_local_part takes for 0 when there are no atoms.
 */
weft_value *weft_local_start(weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t step);
/* Entry `device` of a table [devices], as dtype (i64 or i1): a tensor of one element; listed form only. */
weft_value *weft_local_lookup(weft_localizer *z, const int64_t *table, weft_dtype dtype);
/* The device at a place in the mesh; and where the devices stand in the order that l has. */
int64_t weft_local_device_at(const weft_localizer *z, int64_t place);
int64_t weft_local_device_of(const weft_localizer *z, const weft_placement *l, int64_t place);
/* The number along atoms of the device at a place. */
int64_t weft_local_number(const weft_localizer *z, const uint8_t *atoms, uint32_t n, int64_t place);
/* tensor<i1>: whether this device is the first along every atom of the set. */
weft_value *weft_local_is_first(weft_localizer *z, weft_atoms set);

/* The part of x (each device's the same size) that starts at starts[d] (an offset, NULL: 0). */
weft_value *weft_local_part(weft_localizer *z, weft_value *x, const weft_type *type, weft_value *const *starts);
/* A scalar tensor spread over a shape; a constant of one value. */
weft_value *weft_local_broadcast(weft_localizer *z, weft_value *scalar, const weft_type *type);
weft_value *weft_local_reshaped(weft_localizer *z, weft_value *x, uint32_t rank, const int64_t *dims);
weft_value *weft_local_transposed(weft_localizer *z, weft_value *x, const int64_t *permutation);
/* x itself when it has dtype and the form is compact */
weft_value *weft_local_convert(weft_localizer *z, weft_value *x, weft_dtype dtype);
weft_value *weft_local_compare(weft_localizer *z, weft_value *x, weft_value *y, weft_enum_value direction);
weft_value *weft_local_select(weft_localizer *z, weft_value *pred, weft_value *x, weft_value *y);

/* The op of a reducer's body over scalars of dtype, in region r; sets z->b->status. */
void weft_local_reducer(weft_localizer *z, weft_region *r, weft_op_kind kind, weft_dtype dtype);

/* A copy of op with local operand and result types, without its shardings unless listed; its results are mapped. */
weft_status weft_local_clone(weft_localizer *z, const weft_op *op, weft_op **out);
/* Takes them off a copy. */
weft_status weft_local_strip(weft_localizer *z, weft_op *made);

#endif
