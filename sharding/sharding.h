/* sharding.h: the meaning of a tensor sharding.
 *
 * A weft_sharding holds, for one tensor over one mesh: for each dimension its axes, major to minor, whether it is open
 * (may be sharded further by propagation) and its priority; the axes that must stay replicated; and the axes along
 * which the value is a partial sum (unreduced). It is immutable and interned in a weft_shardings table: two equal
 * shardings of a table are the same pointer, so passes compare, count and cache them by pointer or by their dense id.
 * The bits `used` hold the mesh axes of which any part appears: two shardings with disjoint bits cannot clash;
 * otherwise parts are compared.
 *
 * A table belongs to one module (its sdy.mesh symbols), lives in the arena on which it was opened (never the
 * context's scratch, which it uses temporarily), and is used by one thread.
 * Authority: Shardy, docs/sharding_representation.md.
 */
#ifndef WEFT_SHARDING_SHARDING_H
#define WEFT_SHARDING_SHARDING_H

#include "sharding/mesh.h"

typedef struct weft_dim {
    weft_axes axes;
    bool open;
    int32_t priority;            /* WEFT_NO_PRIORITY when none was given: counts as 0 */
} weft_dim;

typedef struct weft_sharding {
    const weft_mesh *mesh;
    const weft_dim *dims;        /* [rank] */
    uint32_t rank;
    uint32_t id;                 /* dense in its table */
    weft_axes replicated, unreduced; /* in mesh order */
    weft_bits used;              /* mesh axes of which some part is in dims, replicated or unreduced */
    weft_bits open;              /* dimensions */
} weft_sharding;

typedef struct weft_shardings weft_shardings;

/* A table with m's meshes. Needs m's context; keeps neither m nor its ops. */
weft_status weft_shardings_open(weft_context *cx, const weft_module *m, weft_arena *arena, weft_shardings **out);

/* The mesh of this symbol, or NULL. By number: meshes in the order of the module, then those written inside shardings.
 */
const weft_mesh *weft_shardings_mesh(const weft_shardings *t, weft_name symbol);
/* A mesh that a pass adds to its module; name may be NULL. Reports as weft_mesh_init. */
weft_status weft_shardings_add_mesh(weft_shardings *t, weft_name name, const weft_attr *attr, const weft_loc *loc,
                                    const weft_mesh **out);
uint32_t weft_shardings_mesh_count(const weft_shardings *t);
const weft_mesh *weft_shardings_mesh_at(const weft_shardings *t, uint32_t i);
uint32_t weft_shardings_count(const weft_shardings *t);                     /* ids in use */
const weft_sharding *weft_shardings_at(const weft_shardings *t, uint32_t id);

/* From an attribute. Reports WEFT_D_sharding at loc for an unknown mesh or axis, an axis used twice, a part that
 * does not divide its axis, replicated or unreduced axes out of mesh order. Checks no shape: see weft_sharding_check.
 */
weft_status weft_sharding_from_attr(weft_shardings *t, const weft_attr *attr, const weft_loc *loc,
                                    const weft_sharding **out);
/* cached; NULL only when memory is out */
const weft_attr *weft_sharding_to_attr(weft_shardings *t, const weft_sharding *s);
/* SHARDINGS with this one as its only entry; cached too */
const weft_attr *weft_sharding_to_per_value(weft_shardings *t, const weft_sharding *s);
/* Whether s fits type: equal rank; a value that is no tensor has no axes. */
weft_status weft_sharding_check(weft_context *cx, const weft_sharding *s, const weft_type *type, const weft_loc *loc);

/* The interned sharding with these parts, which are copied; NULL only when memory is out. The axes must be well formed.
 */
const weft_sharding *weft_sharding_make(weft_shardings *t, const weft_mesh *mesh, uint32_t rank, const weft_dim *dims,
                                        weft_axes replicated, weft_axes unreduced);
/* No axes anywhere; every dimension open or closed. */
typedef enum weft_openness { WEFT_CLOSED, WEFT_OPEN } weft_openness;
const weft_sharding *weft_sharding_empty(weft_shardings *t, const weft_mesh *mesh, uint32_t rank,
                                         weft_openness openness);
/* s with every dimension closed, replicated axes dropped; unreduced ones and priorities stay. */
const weft_sharding *weft_sharding_close(weft_shardings *t, const weft_sharding *s);
const weft_sharding *weft_sharding_without_priorities(weft_shardings *t, const weft_sharding *s);
/* s with other axes in one dimension. */
const weft_sharding *weft_sharding_with_dim(weft_shardings *t, const weft_sharding *s, uint32_t dim, weft_dim to);
const weft_sharding *weft_sharding_with_unreduced(weft_shardings *t, const weft_sharding *s, weft_axes unreduced);

/* Queries. s may be NULL where noted: no sharding, the same as replicated. */
static inline int64_t weft_dim_shards(const weft_sharding *s, uint32_t dim) {
    return weft_axes_size(s->dims[dim].axes);
}
static inline int32_t weft_dim_priority(const weft_dim *d) { return d->priority == WEFT_NO_PRIORITY ? 0 : d->priority; }
int64_t weft_sharding_shards(const weft_sharding *s);              /* over all dimensions; NULL: 1 */
bool weft_sharding_has_axes(const weft_sharding *s);               /* in dims, replicated or unreduced; NULL: false */
bool weft_sharding_cuts(const weft_sharding *s);                   /* some dimension is sharded; NULL: false */
/* no dimension sharded, nothing unreduced; NULL: true */
bool weft_sharding_is_replicated(const weft_sharding *s);
/* Equal axes in every dimension and equal unreduced axes; openness, priorities and replicated axes do not count, and
 * NULL equals replicated. */
bool weft_sharding_equivalent(const weft_sharding *a, const weft_sharding *b);
/* local[d] = ceil(global[d] / shards of d); s NULL: a copy. */
void weft_sharding_local_dims(const weft_sharding *s, uint32_t rank, const int64_t *global, int64_t *local);
/* whether the shards divide every dimension; NULL: true */
bool weft_sharding_divides(const weft_sharding *s, const int64_t *global);
/* Every mesh axis part in dims, in the order of the dimensions. */
void weft_sharding_dim_axes(const weft_sharding *s, weft_axis_list *out);

/* Attributes of sdy's collectives: {"x", "y":(1)2}, and one list for each of n dimensions. NULL only when memory is
 * out. */
const weft_attr *weft_axes_to_attr(weft_context *cx, const weft_mesh *mesh, weft_axes axes);
const weft_attr *weft_axis_lists_to_attr(weft_context *cx, const weft_mesh *mesh, const weft_axis_list *lists,
                                         uint32_t n);

/* As inside an attribute: "<@mesh, [{"x"}, {?}], replicated={"y"}>". NULL prints "none". */
void weft_sharding_print(weft_buf *b, const weft_sharding *s);

#endif
