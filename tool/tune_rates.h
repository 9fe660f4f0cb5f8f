/* tune_rates.h: what code can reach at best here: products of a core, bytes of memory. */
#ifndef WEFT_TOOL_TUNE_RATES_H
#define WEFT_TOOL_TUNE_RATES_H

#include "cost/tune.h"
#include "tool/tool.h"

/* Runs small programs on one core, and on as many cores; some seconds. What all cores give is not known where this
 * process may use one. */
weft_status tool_tune_rates(tool *t, int cores, weft_tune_rates *out);

#endif
