/* gspmd.h: shardings in GSPMD's form, and the equivalent meshes.
 *
 * A sharding of GSPMD's is a text: "{replicated}", "{maximal device=3}", "{manual}", "{devices=[2,1,4]<=[4,2]T(1,0)
 * last_tile_dim_replicate}", or a list of these for several values. `devices` is a grid of devices: one dimension for
 * each dimension of the value, which is split into as many parts, and then dimensions for devices with equal data
 * (replicated), manual dimensions, and partial sums (unreduced). The grid's devices are listed one by one, the last
 * dimension fastest, or as an iota that is reshaped and transposed.
 *
 * sdy has named axes instead. For grids whose device numbers are digits in a mixed radix, in any order, one mesh is
 * enough, whose axes are the common factors of all such grids: each dimension of a grid is then some axes, major to
 * minor. Any other grid becomes the device order of a mesh of its own, and further grids are digits over that order.
 *
 * Everything lives in the arena given; one thread at a time.
 * Sources: OpenXLA's HloSharding and NamedSharding (text forms), Xu et al., "GSPMD" (2021), section 3.
 */
#ifndef WEFT_PROPAGATE_GSPMD_H
#define WEFT_PROPAGATE_GSPMD_H

#include "base/bits.h"
#include "ir/builder.h"
#include "ir/symbols.h"

typedef enum gspmd_kind { GSPMD_REPLICATED, GSPMD_MAXIMAL, GSPMD_MANUAL, GSPMD_UNREDUCED, GSPMD_UNKNOWN, GSPMD_GRID,
                          GSPMD_TUPLE } gspmd_kind;

/* The use of a grid's dimension. Open dimensions may use an axis that replicates, but not one that stays replicated. */
typedef enum gspmd_use { GSPMD_SPLITS, GSPMD_REPLICATES, GSPMD_BY_HAND, GSPMD_PARTIAL_SUMS,
                         GSPMD_STAYS_REPLICATED } gspmd_use;

typedef enum gspmd_group { GSPMD_ALONE, GSPMD_SHARD_AS, GSPMD_SHARD_LIKE } gspmd_group;

#define GSPMD_MAX_RANK 32

/* Some digits of a device's place in an order: its place / stride % size. */
typedef struct gspmd_digits { int64_t size, stride; } gspmd_digits;

/* An axis named in a text: a device's index along it is its place / stride % size. */
typedef struct gspmd_axis { weft_str name; int64_t size, stride; } gspmd_axis;

typedef struct gspmd_mesh {
    const int64_t *order;            /* device at each place; NULL: by number */
    const gspmd_axis *axes;          /* as named in a text, major to minor; NULL: those between the cuts */
    uint32_t axis_count;
    int64_t device_count;
    uint32_t cut_count;
    /* the strides of axes or, if these are named, of parts of them, ascending from 1 to device_count, each dividing the
     * next */
    int64_t cuts[64];
    weft_name name;                  /* NULL until its op is made */
} gspmd_mesh;

typedef struct gspmd_sharding gspmd_sharding;
struct gspmd_sharding {
    weft_str text;
    gspmd_kind kind;
    const char *unread;              /* why Weft cannot read it, or NULL */
    int64_t device;                  /* MAXIMAL */
    uint32_t rank, value_rank;       /* GRID: dimensions; those of the value */
    int64_t dims[GSPMD_MAX_RANK];
    gspmd_use use[GSPMD_MAX_RANK];
    weft_bits open;                  /* GRID: dimensions that further axes may split */
    const int64_t *devices;          /* GRID: all of them, the last dimension fastest; with axes: in the mesh's order */
    int64_t device_count;
    const gspmd_axis *axes;          /* the mesh's axes as named in the text, or NULL; the digits are then known */
    uint32_t axis_count;
    gspmd_group group;
    int64_t group_id;
    const gspmd_sharding **items;    /* TUPLE */
    uint32_t item_count;
    gspmd_mesh *mesh;                /* of a GRID or a sharding with named axes, after gspmd_place */
    gspmd_digits *digits[GSPMD_MAX_RANK]; /* [dims][digit_count], major to minor */
    uint32_t digit_count[GSPMD_MAX_RANK];
};

/* Reads a text. An unreadable one has `unread`; fails only when memory is out. text must outlive it. */
weft_status gspmd_read(weft_arena *arena, weft_str text, gspmd_sharding **out);

typedef struct gspmd_meshes {
    weft_arena *arena;
    gspmd_mesh **v;
    size_t count, cap;
} gspmd_meshes;

/* Adds the mesh of this single device: no axes. */
weft_status gspmd_add_alone(gspmd_meshes *all, int64_t device);
/* Finds a mesh for s, a grid or a sharding with named axes, changing one of them or adding one. */
weft_status gspmd_place(gspmd_meshes *all, gspmd_sharding *s);

/* The mesh as an attribute of sdy; axes without a name become axis_0, axis_1, ... NULL only when memory is out. */
const weft_attr *gspmd_mesh_attr(weft_context *cx, const gspmd_mesh *m);
/* Appends every axis of m, or those of dimension d of the grid, to refs, which has room for 64; returns their
 * number. */
uint32_t gspmd_all_axes(weft_context *cx, const gspmd_mesh *m, weft_axis_ref *refs, uint32_t n, bool *oom);
uint32_t gspmd_axes(weft_context *cx, const gspmd_sharding *s, uint32_t d, weft_axis_ref *refs, uint32_t n, bool *oom);
/* The axes of a grid's dimensions of this use, in mesh order, from refs[0] on. */
uint32_t gspmd_axes_for(weft_context *cx, const gspmd_sharding *s, gspmd_use use, weft_axis_ref *refs, bool *oom);

#endif
