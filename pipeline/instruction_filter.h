/* instruction_filter.h: the ops that sdy-per-instruction-partitioning partitions. Private to pipeline/.
 *
 *     filter = [ token { "," token } ]      token = "selectLow=" N | "selectHigh=" N | part of an op's name
 *
 * An op is taken when its number is within the given limits, both included, and one of the parts, if there are any,
 * occurs in its name. The empty filter takes every op. Source: Shardy, per_instruction_partitioning.cc.
 */
#ifndef WEFT_PIPELINE_INSTRUCTION_FILTER_H
#define WEFT_PIPELINE_INSTRUCTION_FILTER_H

#include "ir/module.h"

typedef struct weft_instruction_filter {
    weft_str text;         /* borrowed */
    int64_t low, high;     /* below 0: no limit */
} weft_instruction_filter;

/* Reports a limit that is not a number. */
weft_status weft_instruction_filter_read(weft_context *cx, weft_str text, weft_instruction_filter *out);
bool weft_instruction_filter_takes(const weft_instruction_filter *f, const weft_op *op, int64_t number);

#endif
