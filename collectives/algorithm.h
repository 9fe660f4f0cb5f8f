/* algorithm.h: what an algorithm is: one function, in a file of its own, named in cost/algorithms.def.
 *
 * The call has noted its job in the rank's slot. An algorithm that needs SMALL makes the first rendezvous itself, with
 * weft_meet_first; the others start after it. When it returns WEFT_OK the rank's outputs are complete and its inputs and
 * posts may be changed.
 */
#ifndef WEFT_COLLECTIVES_ALGORITHM_H
#define WEFT_COLLECTIVES_ALGORITHM_H

#include "collectives/comm.h"
#include "collectives/geometry.h"
#include "collectives/reduce.h"

typedef weft_status (*weft_run_fn)(weft_comm *c, const weft_job *job, weft_alg_needs needs);

#define ALG(kind, name, run, needs, order, rounds, sent, reduced, copied) \
    weft_status weft_run_##run(weft_comm *c, const weft_job *job, weft_alg_needs needs);
#include "cost/algorithms.def"

#endif
