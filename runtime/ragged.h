/* ragged.h: an exchange of rows of which only a run knows how many go to each device. Private to runtime/.
 *
 * A group of P devices has E = P k updates each: update e sends table[SIZE][e] rows from row table[FROM][e] of `in` to
 * device e / k, and table[COMES][e] rows come from device e / k to row table[THERE][e] of `out`. Rows of `out` that
 * nothing comes to are those of `before`. A row may be sent more than once. Refused before any peer is involved: rows
 * outside of their buffer, two that come to one place, and a device that does not expect what it sends itself. That two
 * devices do not agree on how many is what weft_coll_all_to_all_uneven reports. Source: XLA's operation semantics,
 * RaggedAllToAll.
 */
#ifndef WEFT_RUNTIME_RAGGED_H
#define WEFT_RUNTIME_RAGGED_H

#include <weft/coll.h>
#include "base/arena.h"
#include "exec/executable.h"
#include "exec/step.h"

enum { WEFT_RAGGED_FROM, WEFT_RAGGED_SIZE, WEFT_RAGGED_THERE, WEFT_RAGGED_COMES };

typedef struct weft_ragged_call {
    const void *in, *before;
    void *out;                    /* neither of them */
    int64_t in_bytes, out_bytes, row_elems;
    weft_dtype dtype;
    const int64_t *table[4];      /* [updates] each */
    int64_t updates;
    int64_t wire_bytes;           /* set: of the rows that went to other devices */
} weft_ragged_call;

typedef struct weft_ragged_range { int64_t first, size; } weft_ragged_range;

/* Room for the calls of one device, one after another. */
typedef struct weft_ragged_scratch {
    int64_t *numbers;             /* 4 for each update */
    weft_ragged_range *ranges;    /* 1 for each */
    weft_coll_uneven *operands;   /* 1 for each, at most */
} weft_ragged_scratch;

/* Of a ragged step (WEFT_RAGGED_TABLES): on one device. */
int64_t weft_ragged_updates(const weft_coll_step *c);
/* For calls of at most so many updates. false when memory is out. */
bool weft_ragged_prepare(weft_arena *arena, int64_t updates, weft_ragged_scratch *out);
/* comm NULL: the device is a group of its own. Failures of this device leave words; those of the call none. */
weft_status weft_ragged_run(weft_ragged_call *r, weft_comm *comm, const weft_ragged_scratch *s,
                            const weft_call_site *site, weft_failure *failure);

#endif
