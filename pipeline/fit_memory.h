/* fit_memory.h: a program for devices with so much memory. */
#ifndef WEFT_PIPELINE_FIT_MEMORY_H
#define WEFT_PIPELINE_FIT_MEMORY_H

#include "codegen/compile.h"

/* Changes local, one device's program that is ready for code generation, until its plan by opt takes at most `bytes` on
 * a device (weft_plan_peak_bytes): values are computed again (partitioner/memory/rematerialize.h). A program that fits
 * stays as it is. *first: what the first plan took. *least: the least that any took; above `bytes` the program does not
 * fit, which is not reported. */
weft_status weft_fit_memory(weft_context *cx, weft_module *local, const weft_compile_options *opt, int64_t bytes,
                            int64_t *first, int64_t *least);

/* Reports a program that takes `least` bytes and may take `bytes`. */
weft_status weft_refuse_memory(weft_context *cx, const weft_module *local, int64_t least, int64_t bytes);

#endif
