/* instruction_filter.h: which ops sdy-per-instruction-partitioning takes. Private to pipeline/.
 *
 *     filter = [ token { "," token } ]      token = "selectLow=" N | "selectHigh=" N | part of an op's name
 *
 * An op is taken when its number lies between the limits that are given, both included, and one of the parts, if there
 * are any, occurs in its name. The empty filter takes every op. Source: Shardy, per_instruction_partitioning.cc.
 */
#ifndef WEFT_PIPELINE_INSTRUCTION_FILTER_H
#define WEFT_PIPELINE_INSTRUCTION_FILTER_H

#include "ir/module.h"

typedef struct weft_instruction_filter {
    weft_str text;         /* borrowed */
    int64_t low, high;     /* below 0: no limit */
} weft_instruction_filter;

/* Reports a limit that is no number. */
weft_status weft_instruction_filter_read(weft_context *cx, weft_str text, weft_instruction_filter *out);
bool weft_instruction_filter_takes(const weft_instruction_filter *f, const weft_op *op, int64_t number);

#endif
