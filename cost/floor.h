/* floor.h: the least time that the products of a program take on n devices, whatever the shardings.
 *
 * Every device runs the same program, and the devices together do at least the work of each product, so one device's
 * part of a product of f flop is no less than f / n, in one kernel or several. The time of a product's arithmetic grows
 * with its flops and its rate too (cost/kernel.h): parts take no less than one kernel of f / n, and each product is at
 * least one kernel. The device computes one kernel after another, so the step is no shorter than their sum:
 *
 *     fixed + split / n + ramp / n^(1/3)
 *
 * What may become a part of attention (products with batch dimensions) is counted without a launch and a ramp, at the
 * better share and rate, and at half where the program has a triangular mask. Element-wise work, custom calls, memory's
 * traffic, transfers and limits of memory are not in it.
 */
#ifndef WEFT_COST_FLOOR_H
#define WEFT_COST_FLOOR_H

#include "cost/fuse.h"
#include "cost/timeline.h"

typedef struct weft_floor { double fixed_s, split_s, ramp_s; } weft_floor;

/* Of m, the local program of one device that is the only one. */
weft_status weft_floor_of(const weft_module *m, const weft_fuse_options *fuse, const weft_timeline_options *time,
                          weft_arena *scratch, weft_floor *out);

/* 0: nothing is known. */
double weft_floor_s(const weft_floor *f, int64_t devices);

#endif
