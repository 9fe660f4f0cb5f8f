/* rounds.h: which device sends to which, in as few calls as may be.
 *
 * A parcel is what one device has for another. A collective_permute has a device send one parcel at most and get one
 * at most. Those that must go are put into rounds, each a call; all parcels of a round are as wide as its widest. A
 * device that sends or gets n parcels takes part in n rounds. So as many as the busiest takes are the least, and as
 * many are enough: König's theorem on colouring the edges of a bipartite graph, and its proof, which recolours a path.
 */
#ifndef WEFT_PARTITIONER_ROUNDS_H
#define WEFT_PARTITIONER_ROUNDS_H

#include "ir/module.h"

/* More calls than this, each of a parcel, are no better than a gather. */
#define WEFT_MAX_ROUNDS 16
#define WEFT_NOBODY (-1)

/* `width` elements of value number `of` go from one device to another. */
typedef struct weft_parcel { int64_t from, to, width; uint32_t of; } weft_parcel;

typedef struct weft_rounds {
    int64_t devices;
    uint32_t count;
    int64_t width[2 * WEFT_MAX_ROUNDS];
    int64_t *source, *target;   /* [count * devices] the number of the parcel that a device gets in a round, and of that
                                 * which it sends; WEFT_NOBODY: none */
} weft_rounds;

/* Puts the parcels into rounds; those that come first share a round where they can. False when they are too many, or
 * memory is out. On scratch memory of the context, as are the parcels. */
bool weft_rounds_plan(weft_context *cx, const weft_parcel *parcels, int64_t n, int64_t devices, weft_rounds *r);

/* The elements that a device sends in all rounds. */
int64_t weft_rounds_sent(const weft_rounds *r);

#endif
