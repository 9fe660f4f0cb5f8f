/* machine.h: what code and collectives take on a machine (topology/machine.h): the formulas that codegen and the
 * partitioner plan by and the dry run prints. */
#ifndef WEFT_COST_MACHINE_H
#define WEFT_COST_MACHINE_H

#include "cost/link.h"
#include "topology/machine.h"

/* Estimated time of a collective: what passes beside a device that computes meanwhile, and what the device does itself.
 */
typedef struct weft_coll_time { double beside_s, own_s; } weft_coll_time;

/* Of one over p devices that lie as `reach` says (weft_machine_reach), buffers in place, by the algorithm that a run
 * would choose. */
weft_coll_time weft_machine_reach_time(const weft_machine *m, weft_coll_kind kind, int64_t p, const weft_reach *reach,
                                       int64_t full_bytes);

/* The same over p devices that lie `stride` apart in device order (1: neighbours); and both parts together. */
weft_coll_time weft_machine_coll_time(const weft_machine *m, weft_coll_kind kind, int64_t p, int64_t stride,
                                      int64_t full_bytes);
double weft_machine_coll_time_s(const weft_machine *m, weft_coll_kind kind, int64_t p, int64_t stride,
                                int64_t full_bytes);

/* Of code that is no collective: the longer of its arithmetic and its memory traffic at the machine's rates (Williams,
 * Waterman and Patterson, CACM 2009). */
double weft_machine_kernel_time_s(const weft_machine *m, double flops, int64_t bytes);

/* Bytes that two neighbours of a node exchange in the time that one rendezvous of p devices of it takes: what a call
 * costs, as bytes. */
double weft_machine_call_bytes(const weft_machine *m, int64_t p);

#endif
