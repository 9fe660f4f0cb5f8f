/* agreement.h: checks that all processes of a job make the same steps and writes.
 *
 * A process that leaves out a step is in step again with the others' calls: sums are then taken of two different steps,
 * and no count of calls shows it. But its writes are then another step's, while all processes must write the same data.
 * So each read sends process 0 a hash of the data written, and the number of steps.
 */
#ifndef WEFT_CAPI_AGREEMENT_H
#define WEFT_CAPI_AGREEMENT_H

#include "base/arena.h"
#include "runtime/execute.h"

typedef struct weft_agreement {
    weft_session *session;  /* NULL: one process: nothing to compare */
    size_t inputs;
    uint64_t *did;          /* [1 + inputs]: the number of steps, and for each input a hash of all its data so far */
    uint64_t *all;          /* on process 0: did of each rank */
    bool *told;             /* [inputs]: its difference was reported */
} weft_agreement;

/* Its memory is the arena's. */
weft_status weft_agreement_open(weft_agreement *a, weft_session *s, int process, size_t inputs, weft_arena *arena);

/* Of more than 64 KiB it hashes samples, so that the cost is bounded. */
void weft_agreement_wrote(weft_agreement *a, size_t input, const void *data, size_t bytes);

/* Collective over processes. On process 0 *rank is the first rank that was given other data for *input, of the inputs
 * not reported before; -1: none. WEFT_ERR_PEER, reported: a rank has made another number of steps, and the job has
 * failed. */
weft_status weft_agreement_check(weft_agreement *a, int64_t steps, int *rank, int64_t *input);

#endif
