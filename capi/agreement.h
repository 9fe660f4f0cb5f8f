/* agreement.h: what all processes of a job do alike, compared.
 *
 * A process that leaves out a step is in step again with the others' calls, so that sums are taken of two steps and no
 * count tells. But what it writes is then another step's, and all processes write the same: so a hash of what was
 * written tells. It goes to process 0 with each read, and the number of steps with it.
 */
#ifndef WEFT_CAPI_AGREEMENT_H
#define WEFT_CAPI_AGREEMENT_H

#include "base/arena.h"
#include "runtime/execute.h"

typedef struct weft_agreement {
    weft_session *session;  /* NULL: of one process, which agrees with itself */
    size_t inputs;
    uint64_t *did;          /* [1 + inputs]: the number of steps, and of each input a hash of all that was written */
    uint64_t *all;          /* on process 0: did of each rank */
    bool *told;             /* [inputs]: that it differs */
} weft_agreement;

/* Its memory is the arena's. */
weft_status weft_agreement_open(weft_agreement *a, weft_session *s, int process, size_t inputs, weft_arena *arena);

/* Of more than 64 KiB it looks at samples, so that its cost is bounded. */
void weft_agreement_wrote(weft_agreement *a, size_t input, const void *data, size_t bytes);

/* Collective over processes. On process 0 *rank is the first that was given other data for *input, of those inputs that
 * were not told before; -1: none. WEFT_ERR_PEER, reported: a rank has made another number of steps, and the job is at
 * its end. */
weft_status weft_agreement_check(weft_agreement *a, int64_t steps, int *rank, int64_t *input);

#endif
