/* library.h: the time of a collective of a vendor's library, from the links that its group spans.
 *
 * A group spans an outermost level, where it has g parts of `inside` members each, and perhaps a level within. The
 * bytes pass both levels at once, so the slower one counts:
 *     time = launch + steps * latency + the longer over both levels of b (1 + sqrt(ramp / b)) / (rate * share)
 * b is what one device sends and receives on that level: of n bytes, over one level of p devices, n (p - 1) / p for
 * all_gather, reduce_scatter and all_to_all, twice that for all_reduce (divided by `reduces` where a switch adds), n
 * for a permute or a broadcast. Across parts, all_gather sends n (g - 1) / g, shared by the members of a part.
 * Steps are those of a ring, and of a tree across parts for all_reduce. The square root describes the slow rise of
 * rates with size: measured ones have no single size from which they are full (bench/fit_machines fits it).
 */
#ifndef WEFT_COST_LIBRARY_H
#define WEFT_COST_LIBRARY_H

#include "cost/link.h"
#include "topology/machine.h"

double weft_library_time_s(const weft_machine *m, weft_coll_kind kind, int64_t p, const weft_reach *reach,
                           int64_t full_bytes);

#endif
