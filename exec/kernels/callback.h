/* callback.h: the kernel "callback" calls a function of the process that runs the program, by a number that the process
 * gave it (weft_run_env.host).
 *
 * Buffers: the operands, then the results.
 */
#ifndef WEFT_KERNELS_CALLBACK_H
#define WEFT_KERNELS_CALLBACK_H

#include "exec/kernels/kernels.h"

typedef struct weft_callback_state {
    int64_t id;
    int64_t bytes;                     /* of all results together */
    int32_t operands, results;
    int32_t once;                      /* called for one partition of a replica, whose results are all partitions' */
    int32_t zero;
    int64_t result_bytes[];
} weft_callback_state;

#endif
