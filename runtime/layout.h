/* layout.h: how a global array lies on the devices, as plain numbers.
 *
 * Each dimension is split into equal shards by zero or more mesh (sub-)axes, major to minor. A device at mesh position
 * p has coordinate (p / stride) % size on an axis; its coordinates read as one mixed-radix number are its shard's index
 * in that dimension. A shard is ceil(global / shards) long; the last ones of an uneven dimension are padded with zeros,
 * up to wholly. Devices that differ only on axes that no dimension uses hold replicas; the first of them owns the shard
 * when a global array is put together again. An array of terms has axes over which its value is the sum (or another
 * combination) of what devices hold: it is passed from one program to another, and not split or put together.
 * A layout points into memory of its maker and is never changed: any thread may read it.
 */
#ifndef WEFT_RUNTIME_LAYOUT_H
#define WEFT_RUNTIME_LAYOUT_H

#include "base/diag.h"
#include "base/dtype.h"

typedef struct weft_layout_axis { int64_t stride, size; } weft_layout_axis;

typedef struct weft_layout_dim {
    int64_t global, local;         /* elements in all and per shard */
    const weft_layout_axis *axes;  /* major to minor */
    uint32_t axis_count;
} weft_layout_dim;

typedef struct weft_layout {
    weft_dtype dtype;
    uint32_t rank;
    const weft_layout_dim *dims;
    int64_t device_count;
    const int64_t *position;       /* mesh position of each device; NULL: its own number */
    const weft_layout_axis *terms; /* the axes of an array of terms */
    uint32_t term_axis_count;
} weft_layout;

int64_t weft_layout_global_bytes(const weft_layout *l); /* -1 when it does not fit */
int64_t weft_layout_local_bytes(const weft_layout *l);

/* Index of device's shard in dimension d. */
int64_t weft_layout_shard(const weft_layout *l, uint32_t d, int64_t device);

/* Whether device is the first of those that hold its shard. */
bool weft_layout_owns(const weft_layout *l, int64_t device);

/* Two arrays have the same type and shape, however they lie. */
bool weft_layout_same_array(const weft_layout *a, const weft_layout *b);

/* Two arrays lie alike: the same type, shape and cut on the same devices. */
bool weft_layout_equal(const weft_layout *a, const weft_layout *b);

/* Device's shard of the global array at `global`, in row-major order, padding zeroed. */
void weft_layout_cut(const weft_layout *l, int64_t device, const void *global, void *local);

/* Puts device's shard where it belongs in the global array; padding is dropped. */
void weft_layout_join(const weft_layout *l, int64_t device, const void *local, void *global);

/* Calls visit for each contiguous run of elements that a shard has in common with the global array: `elems` elements
 * from index `global` of the one and `local` of the other, in rising order of local. cut, join and random fill are this
 * walk. */
typedef void (*weft_layout_run)(void *user, int64_t global, int64_t local, int64_t elems);
void weft_layout_walk(const weft_layout *l, int64_t device, weft_layout_run visit, void *user);

#endif
