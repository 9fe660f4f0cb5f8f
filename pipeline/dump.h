/* dump.h: modules written to files for debugging. Private to pipeline/. */
#ifndef WEFT_PIPELINE_DUMP_H
#define WEFT_PIPELINE_DUMP_H

#include "pipeline/pipeline.h"

/* Writes m, as `weft opt` prints it, to DIRECTORY/NN.NAME.mlir, replacing a file of that name and creating the
 * directory if it is missing. Reports errors of the system. */
weft_status weft_dump_module(weft_context *cx, weft_str directory, int64_t number, const char *name,
                             const weft_module *m);

#endif
