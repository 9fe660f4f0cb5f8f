/* fit_memory.h: a program for devices with so much memory. */
#ifndef WEFT_PIPELINE_FIT_MEMORY_H
#define WEFT_PIPELINE_FIT_MEMORY_H

#include "codegen/compile.h"

/* Changes local, one device's program that is ready for code generation, until its plan by opt takes at most `bytes` on
 * a device (weft_plan_peak_bytes): values are computed again (partitioner/memory/rematerialize.h). A program that fits
 * stays as it is. Reported: the least memory that was reached, where that is more than `bytes`. */
weft_status weft_fit_memory(weft_context *cx, weft_module *local, const weft_compile_options *opt, int64_t bytes);

#endif
