/* exchange.h: parts of neighbours, fetched at global shapes: an op becomes an sdy.manual_computation.
 *
 * What halo.h does for one device's shapes, written where shapes are still global, in Shardy's form. The operand is
 * padded at its ends until the devices divide it; inside the computation each device has its part. Along a dimension
 * with a window it then
 *
 *     gets the parts of `before` devices in front of it and of `after` ones after it, a collective_permute each,
 *     joins them around its own, with fill between the elements (spread) and at both ends,
 *     and cuts its window out of that, at an offset that depends on its number.
 *
 * What the op does besides is then written on that local value, and what the padding added to the result is cut off
 * after the computation. Where there is no neighbour a permute gives zeros; they become fill where fill is something
 * else. Source: Shardy, sdy-resolve-permutation-factors and its tests.
 */
#ifndef WEFT_PARTITIONER_EXCHANGE_H
#define WEFT_PARTITIONER_EXCHANGE_H

#include "partitioner/shardy/resolver.h"

typedef struct weft_window {
    /* along which devices are numbered: to number k goes the window that begins at begin[k] */
    weft_axes axes;
    int64_t shards, part;        /* a device holds `part` elements */
    int64_t spread;              /* 1 + how much fill stands between two elements */
    int64_t need;                /* width of the window, fill counted */
    /* [shards] counted from the first element of all, fill counted; NULL: the part stays as it is */
    const int64_t *begin;
    int64_t before, after;
} weft_window;

/* Sets before and after for an operand of `size` elements. As in Shardy a window is taken to hold as many elements as
 * it is wide. */
void weft_window_reach(weft_window *w, int64_t size);
static inline bool weft_window_moves(const weft_window *w) { return w->before || w->after; }
/* Every window is the device's own part. */
bool weft_window_is_part(const weft_window *w);

typedef struct weft_exchange {
    const weft_op *op;           /* that it stands for: operand 0 is exchanged */
    const weft_sharding *in, *out;
    weft_bits manual;            /* mesh axes: see weft_exchange_axes */
    weft_value *fill;            /* a scalar of the new module; NULL: zeros, and none in the computation */
    const weft_window *windows;  /* [rank of the operand], or NULL */
    /* between open and close */
    weft_builder inside;
    weft_op *computation;
    weft_value *local, *local_fill;
} weft_exchange;

/* With `axes` the other axes of every dimension of s that has one of them: a dimension is a computation's business
 * wholly or not at all. */
weft_bits weft_exchange_axes(const weft_sharding *s, weft_bits axes);
int64_t weft_exchange_shards(const weft_sharding *s, uint32_t d, weft_bits manual);
/* As inside: without the manual axes. */
const weft_sharding *weft_exchange_inside(weft_resolver *z, const weft_sharding *s, weft_bits manual);

/* Writes the padding, the computation and the windows; e->local is to be changed by what is written at e->inside. */
weft_status weft_exchange_open(weft_resolver *z, weft_builder *b, weft_exchange *e);
/* Returns e->local from the computation; *out is that, of a global shape that may be padded. */
weft_status weft_exchange_close(weft_exchange *e, weft_value **out);

/* The parts of the devices whose numbers along axes are lower by `hops`; zeros where there is none. */
weft_value *weft_exchange_shift(weft_resolver *z, const weft_exchange *e, weft_builder *b, weft_value *x,
                                weft_axes axes, int64_t hops);

/* v, its op having this sharding. NULL passes a failure on, which is then in b. */
weft_value *weft_sharded(weft_resolver *z, weft_builder *b, weft_value *v, const weft_sharding *s);
/* x padded at the ends of its dimensions, by fill (NULL: zeros), or cut off there; x itself where that is nothing. */
weft_value *weft_build_padded(weft_resolver *z, weft_builder *b, weft_value *x, const int64_t *dims, weft_value *fill,
                              const weft_sharding *s);
weft_value *weft_build_trimmed(weft_resolver *z, weft_builder *b, weft_value *x, const weft_type *to,
                               const weft_sharding *s);

#endif
