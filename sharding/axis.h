/* axis.h: arithmetic on mesh axes and their parts.
 *
 * A weft_axis refers to one axis of a mesh or to a part of it. To take the part (pre)size of an axis of size n, reshape
 * the axis to [pre, size, n / (pre * size)], major to minor, and keep the middle. The whole axis is pre 1, size n, so
 * whole axes and parts need no cases. The next of a part is pre * size: where the part just minor to it begins.
 *
 * Lists order axes major to minor. In a well-formed list no two refs overlap, and no two neighbours could be written as
 * one (weft_axis_list_push_merged keeps that true). Everything here is pure and safe from any thread. Authority:
 * Shardy, docs/sharding_representation.md ("Splitting axes and sub-axes").
 */
#ifndef WEFT_SHARDING_AXIS_H
#define WEFT_SHARDING_AXIS_H

#include "base/bits.h"
#include "ir/attr.h"

typedef struct weft_axis {
    uint32_t axis;   /* index in the mesh, < 64 */
    uint32_t pre;    /* 1 for the whole axis */
    uint32_t size;   /* > 1, except for a whole axis of size 1 */
} weft_axis;

/* A list in memory of another owner. */
typedef struct weft_axes {
    const weft_axis *v;
    uint32_t n;
    /* of a list of unreduced axes: the operation that combines their partial values; else SUM, without meaning */
    weft_unreduced_by by;
} weft_axes;

/* A list under construction, on the stack. Parts of size > 1 multiply to at most the device count (< 2^31), so 32
 * entries are enough unless a program shards over dozens of axes of size 1; `full` then says that some were dropped. */
#define WEFT_AXIS_LIST_MAX 32
typedef struct weft_axis_list {
    uint32_t n;
    bool full;
    weft_axis v[WEFT_AXIS_LIST_MAX];
} weft_axis_list;

static inline uint32_t weft_axis_next(weft_axis a) { return a.pre * a.size; }
static inline bool weft_axis_equal(weft_axis a, weft_axis b) {
    return a.axis == b.axis && a.pre == b.pre && a.size == b.size;
}

bool weft_axis_overlaps(weft_axis a, weft_axis b);
bool weft_axis_contains(weft_axis a, weft_axis b);       /* every part of b is in a */
bool weft_axis_prefix_of(weft_axis a, weft_axis b);      /* a is b or b's major part */
bool weft_axis_suffix_of(weft_axis a, weft_axis b);      /* a is b or b's minor part */
/* Whether both can be written over one splitting of their axis: (1)4 and (2)6 of 12 can, (1)4 and (1)6 cannot. */
bool weft_axis_can_coexist(weft_axis a, weft_axis b);
bool weft_axis_can_merge(weft_axis major, weft_axis minor); /* neighbours of one axis */
weft_axis weft_axis_merge(weft_axis major, weft_axis minor);
int weft_axis_compare(weft_axis a, weft_axis b);         /* mesh order, then pre, then size */

/* The next four return false if there is no such part; *out is then undefined. */
bool weft_axis_overlap(weft_axis a, weft_axis b, weft_axis *out);               /* the common part */
bool weft_axis_prefix_without(weft_axis a, weft_axis b, weft_axis *out);        /* a's longest prefix free of b */
bool weft_axis_suffix_without(weft_axis a, weft_axis b, weft_axis *out);        /* a's longest suffix free of b */
bool weft_axis_common_prefix(weft_axis a, weft_axis b, weft_axis *out);
/* a's longest prefix free of every axis in b. */
bool weft_axis_prefix_without_all(weft_axis a, weft_axes b, weft_axis *out);

typedef enum weft_prefix { WEFT_PREFIX_EQUAL, WEFT_PREFIX_STRICT, WEFT_PREFIX_NOT } weft_prefix;
/* The relation of list a to list b; the last axis of a may be a prefix of its counterpart. */
weft_prefix weft_axes_prefix(weft_axes a, weft_axes b);

bool weft_axes_equal(weft_axes a, weft_axes b);
bool weft_axes_overlap(weft_axes a, weft_axes b);        /* any of a with any of b */
int64_t weft_axes_size(weft_axes a);                     /* product of the sizes */
weft_bits weft_axes_mask(weft_axes a);                   /* mesh axes of which some part is in a */

static inline weft_axes weft_axes_at(const weft_axis *v, uint32_t n) { return (weft_axes){ .v = v, .n = n }; }
static inline weft_axes weft_axes_of(const weft_axis_list *l) { return weft_axes_at(l->v, l->n); }
static inline weft_axes weft_axes_from(weft_axes a, uint32_t first) { return weft_axes_at(a.v + first, a.n - first); }

void weft_axis_list_set(weft_axis_list *l, weft_axes a);
void weft_axis_list_push(weft_axis_list *l, weft_axis a);
void weft_axis_list_push_merged(weft_axis_list *l, weft_axis a);        /* merges with the last when it can */
void weft_axis_list_append_merged(weft_axis_list *l, weft_axes a);
/* Truncates l at the first axis that overlaps other, keeping that axis's free prefix. */
void weft_axis_list_cut_overlap(weft_axis_list *l, weft_axes other);
void weft_axis_list_common_prefix(weft_axis_list *l, weft_axes other);  /* l becomes the longest prefix of both */
void weft_axis_list_sort_merge(weft_axis_list *l);                      /* mesh order; no two may overlap */
void weft_axis_list_difference(weft_axis_list *l, weft_axes a, weft_axes b); /* l = a without the parts in b */

#endif
