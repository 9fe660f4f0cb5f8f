/* machine.h: the time of code and of collectives on a machine (topology/machine.h). Codegen and the partitioner plan by
 * these formulas, and the dry run prints them. */
#ifndef WEFT_COST_MACHINE_H
#define WEFT_COST_MACHINE_H

#include "cost/link.h"
#include "topology/machine.h"

/* Estimated time of a collective: the part that runs beside a computing device, and the part that the device does.
 */
typedef struct weft_coll_time { double beside_s, own_s; } weft_coll_time;

/* The time over p devices placed as `reach` says (weft_machine_reach), buffers in place, by the algorithm that a run
 * would choose. */
weft_coll_time weft_machine_reach_time(const weft_machine *m, weft_coll_kind kind, int64_t p, const weft_reach *reach,
                                       int64_t full_bytes);

/* The same over p devices `stride` apart in device order (1: neighbours); and both parts together. */
weft_coll_time weft_machine_coll_time(const weft_machine *m, weft_coll_kind kind, int64_t p, int64_t stride,
                                      int64_t full_bytes);
double weft_machine_coll_time_s(const weft_machine *m, weft_coll_kind kind, int64_t p, int64_t stride,
                                int64_t full_bytes);

/* The time of code: the longer of its arithmetic and its memory traffic at the machine's rates (Williams,
 * Waterman and Patterson, CACM 2009). */
double weft_machine_kernel_time_s(const weft_machine *m, double flops, int64_t bytes);

/* The cost of a call in bytes: the bytes that two neighbours of a node exchange in the time of one rendezvous of p
 * devices. */
double weft_machine_call_bytes(const weft_machine *m, int64_t p);

#endif
