/* placement.h: how a tensor lies on the devices, in a form that is quick to compare, change and price.
 *
 * The mesh axes of a module are cut at every border that its shardings use, and where a reshape takes apart what they
 * shard (768 over 8 devices as 12x64: 4 parts of 3x64, and 2 of each). The pieces are atoms, each a whole number of
 * devices, numbered in mesh order. A placement lists, for each dimension, its atoms from major to minor, and the set of
 * atoms over which the value is still a partial sum. What no list names is replicated. Layouts are interned: equal ones
 * have the same id, and id 0 is "replicated everywhere". Openness, priorities and explicitly replicated axes have done
 * their work by the time a placement is made and are not in it.
 *
 * A dimension of n elements over s devices is split into parts of ceil(n / s), so every device holds the same shape:
 * the last parts end with padding, up to wholly, when s does not divide n. What is in the padding is unspecified; ops
 * through which it could reach a result mask it (local.h). Borders of manual computations are split only where they
 * divide, since their bodies are written for even parts (WEFT_FIT_TRIM): atoms are dropped from the first on that does
 * not.
 *
 * All placements are over one mesh. At the ends of functions, and where it is asked for, values may also lie over
 * meshes that have the same axes and the devices in another order: a placement then says which order.
 *
 * A table belongs to one pass over one module, lives in that pass's arena, and is used by one thread.
 */
#ifndef WEFT_PARTITIONER_PLACEMENT_H
#define WEFT_PARTITIONER_PLACEMENT_H

#include "sharding/sharding.h"

#define WEFT_MAX_ATOMS 28 /* 2^28 devices when every atom has two */

typedef uint32_t weft_atoms; /* a set of atoms, as bits */
typedef uint32_t weft_placement_id;
#define WEFT_REPLICATED 0u

typedef struct weft_atom_place { uint8_t dim, atom; } weft_atom_place;

typedef struct weft_placement {
    weft_atoms unreduced;
    weft_atoms used;              /* atoms of the places */
    uint32_t n;
    uint8_t order;                /* of the devices: 0 the mesh's; of what is replicated too */
    weft_atom_place at[WEFT_MAX_ATOMS]; /* dimensions rising; within one, major to minor; zero after n */
} weft_placement;

typedef struct weft_placements weft_placements;

typedef enum weft_fit { WEFT_FIT_TRIM, WEFT_FIT_EXACT } weft_fit;

/* Orders of devices: where a function begins and ends and an sdy.collective_permute changes them, as one_mesh leaves
 * them, or anywhere. */
typedef enum weft_orders { WEFT_ORDERS_AT_ENDS, WEFT_ORDERS_ANY } weft_orders;

/* A table for m: its mesh, and the atoms of all its shardings. Reports shardings over meshes with different devices,
 * borders of an axis that do not divide each other, and meshes of too many pieces. Its mesh is the one that all but the
 * ends are over, or where these say nothing the one that the module names first. */
weft_status weft_placements_open(const weft_module *m, weft_arena *arena, weft_placements **out);
/* The same for one op of m and what is in it, a function: each may have a mesh of its own. */
weft_status weft_placements_open_in(const weft_module *m, weft_op *within, weft_orders orders, weft_arena *arena,
                                    weft_placements **out);

weft_context *weft_placements_context(const weft_placements *t);
/* NULL: the module has no mesh, all is replicated */
const weft_mesh *weft_placements_mesh(const weft_placements *t);
const weft_mesh *weft_placements_order(const weft_placements *t, uint32_t order); /* the mesh that has this one */
uint32_t weft_placements_atom_count(const weft_placements *t);
int64_t weft_atom_size(const weft_placements *t, uint32_t atom);
int64_t weft_atoms_size(const weft_placements *t, weft_atoms set);      /* product */
int64_t weft_placements_devices(const weft_placements *t);

/* Interns; false only when memory is out. */
weft_status weft_placement_intern(weft_placements *t, const weft_placement *l, weft_placement_id *id);
const weft_placement *weft_placement_of(const weft_placements *t, weft_placement_id id);

/* Of a SHARDING attribute (NULL: replicated) for a value of this type. */
weft_status weft_placement_from_attr(weft_placements *t, const weft_attr *attr, const weft_type *type,
                                     const weft_loc *loc, weft_placement_id *id);
/* Back, closed in every dimension. NULL only when memory is out. */
const weft_attr *weft_placement_to_attr(weft_placements *t, weft_placement_id id, uint32_t rank);

/* The same as a sharding; NULL when there is no mesh, or memory is out. */
const weft_sharding *weft_placement_sharding(weft_placements *t, weft_placement_id id, uint32_t rank);
weft_shardings *weft_placements_shardings(const weft_placements *t);

/* As a sharding of a value of this rank: "<@mesh, [{"x"}, {}]>". */
weft_status weft_placement_print(weft_placements *t, weft_buf *b, weft_placement_id id, uint32_t rank);

/* A list of atoms as axis references of the mesh, neighbours merged. refs has room for n. Returns how many were
 * written. */
uint32_t weft_atoms_to_refs(const weft_placements *t, const uint8_t *atoms, uint32_t n, weft_axis_ref *refs);
/* A set, in mesh order. */
uint32_t weft_atom_set_to_refs(const weft_placements *t, weft_atoms set, weft_axis_ref *refs);
/* Whether axes may be split as these are, whatever else may be split somewhere: at borders of atoms, or in one that can
 * be split in one way only. */
bool weft_placements_may_cut(const weft_placements *t, const weft_axis_list *axes);
/* The atoms that refs cover, major to minor; reports a name that is no axis. out has room for WEFT_MAX_ATOMS. */
weft_status weft_atoms_from_refs(weft_placements *t, weft_axis_refs refs, const weft_loc *loc, uint8_t *out,
                                 uint32_t *n);

/* The atoms of dimension d: a range of l->at. */
typedef struct weft_placement_range { uint32_t first, n; } weft_placement_range;
static inline weft_placement_range weft_placement_dim(const weft_placement *l, uint32_t d) {
    uint32_t first = 0, n = 0;
    while (first < l->n && l->at[first].dim < d) first++;
    while (first + n < l->n && l->at[first + n].dim == d) n++;
    return (weft_placement_range){ first, n };
}
/* These atoms as a list, and those that more has after those of less. atoms has room for WEFT_MAX_ATOMS. Return how
 * many. */
uint32_t weft_placement_dim_atoms(const weft_placement *l, uint32_t d, uint8_t *atoms);
uint32_t weft_placement_dim_tail(const weft_placement *less, const weft_placement *more, uint32_t d, uint8_t *atoms);
int64_t weft_placement_dim_shards(const weft_placements *t, const weft_placement *l, uint32_t d);
/* One device's part of n elements along d. */
int64_t weft_placement_dim_part(const weft_placements *t, const weft_placement *l, uint32_t d, int64_t n);
/* Whether both are split alike along d: over the same atoms in the same order, or not at all. */
bool weft_placement_dim_same(const weft_placement *a, const weft_placement *b, uint32_t d);
int64_t weft_placement_shards(const weft_placements *t, const weft_placement *l);
/* Adds an atom after those of dimension d; takes out the places [first, first + n). */
void weft_placement_append(weft_placement *l, uint32_t d, uint32_t atom);
void weft_placement_remove(weft_placement *l, uint32_t first, uint32_t n);

/* One device's part of a tensor. NULL only when memory is out. Non-tensors are returned as they are. */
const weft_type *weft_placement_local_type(weft_placements *t, weft_placement_id id, const weft_type *global);
int64_t weft_placement_local_bytes(const weft_placements *t, const weft_placement *l, const weft_type *global);
/* Whether one collective without another after it leads from a to b or back: in each dimension the parts of the one are
 * whole numbers of parts of the other, or one of them is not split. 10 over 4 is 3 3 3 1, over 2 it is 5 5: no. */
bool weft_placement_fits_step(const weft_placements *t, const weft_placement *a, const weft_placement *b,
                              const weft_type *type);
bool weft_placement_divides(const weft_placements *t, const weft_placement *l, const weft_type *type);

/* Atom a runs over the devices with this stride: coordinate = device / stride % size. */
int64_t weft_atom_stride(const weft_placements *t, uint32_t atom);

/* The placement that the module says v has: from its op's or its function's attributes. Replicated when nothing is
 * said. An argument of a computation is where in_shardings says, as seen inside. */
weft_status weft_placement_of_value(weft_placements *t, const weft_value *v, weft_placement_id *id);

/* The axes of a manual computation are each device's own business inside: values there have local sizes and no place
 * along them. The atoms of op's manual axes, 0 for other ops; and id as seen inside, without those atoms. */
weft_status weft_manual_atoms(weft_placements *t, const weft_op *op, weft_atoms *out);
weft_status weft_placement_inside(weft_placements *t, weft_placement_id id, weft_atoms manual,
                                  weft_placement_id *inside);
/* Where a computation wants operand i, or has result i: by its in_shardings or out_shardings, as seen outside. */
weft_status weft_placement_of_operand(weft_placements *t, const weft_op *op, uint32_t i, weft_placement_id *id);
weft_status weft_placement_of_result(weft_placements *t, const weft_op *op, uint32_t i, weft_placement_id *id);

/* The atoms along which members of one group differ of a StableHLO collective: it must find each value whole along
 * them. */
weft_status weft_group_atoms(weft_placements *t, const weft_module *m, const weft_op *op, weft_atoms *out);

#endif
