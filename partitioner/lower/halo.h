/* halo.h: elements of a split dimension that lie with other devices, fetched without gathering the whole.
 *
 * Along a split dimension, device number k holds elements [k * part, (k + 1) * part). To write its part of a result it
 * needs the elements [begin[k], begin[k] + need), which may begin before the first element and end after the last.
 * What lies with other devices comes by collective_permute, in rounds (rounds.h). Where every device needs the same
 * distance beyond its part, the chunks are static slices and are joined; otherwise they are split and put in place by
 * tables of a number per device of the dimension.
 *
 * Elements outside of the value, and those not wanted, are unspecified: the caller masks them.
 */
#ifndef WEFT_PARTITIONER_HALO_H
#define WEFT_PARTITIONER_HALO_H

#include "partitioner/lower/localize.h"

typedef struct weft_halo {
    int64_t shards;
    int64_t part;              /* elements that a device holds */
    int64_t need;
    const int64_t *begin;      /* [shards] */
    /* the elements of the value that are wanted: [from, to); others are not fetched */
    int64_t from, to;
} weft_halo;

/* Elements along the dimension that a device sends; -1 when that takes too many calls to be worth it. */
int64_t weft_halo_sent(weft_context *cx, const weft_halo *h);
/* The calls that it takes; -1 as above. */
int64_t weft_halo_calls(weft_context *cx, const weft_halo *h);
/* Elements that a device sends for n values of the same size along the other dimensions, which lie over the same
 * devices: in calls of each, or, where that is less, in calls that they share, in which each device sends a chunk of
 * one of them. -1 as above. */
int64_t weft_halo_sent_by_all(weft_context *cx, const weft_halo *const *h, uint32_t n);

/* x, split along dimension d by atoms, as the needed elements. */
weft_value *weft_halo_fetch(weft_localizer *z, weft_value *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                            const weft_halo *h);

/* The same for `count` values, as weft_halo_sent_by_all says. */
weft_status weft_halo_fetch_all(weft_localizer *z, weft_value *const *x, uint32_t d, const uint8_t *atoms, uint32_t n,
                                const weft_halo *const *h, uint32_t count, weft_value **out);

/* x goes from device source[k] to device k, in every group of devices that differ along the atoms; a device that gets
 * nothing (WEFT_NOBODY, rounds.h) has zeros. */
weft_value *weft_halo_send(weft_localizer *z, weft_value *x, const uint8_t *atoms, uint32_t n, const int64_t *source);

/* values[number of this device along atoms], an offset: by arithmetic where they rise evenly and the form is compact,
 * else by table. */
weft_value *weft_halo_number(weft_localizer *z, const uint8_t *atoms, uint32_t n, const int64_t *values,
                             int64_t shards);

/* i1 in the shape of type: whether element j of dimension d, number from[k] + j, is in [low, high). NULL when all are.
 */
weft_value *weft_halo_inside(weft_localizer *z, const weft_type *type, uint32_t d, const uint8_t *atoms, uint32_t n,
                             const int64_t *from, int64_t shards, int64_t low, int64_t high);

#endif
