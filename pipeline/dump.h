/* dump.h: modules in files, for people to read. Private to pipeline/. */
#ifndef WEFT_PIPELINE_DUMP_H
#define WEFT_PIPELINE_DUMP_H

#include "pipeline/pipeline.h"

/* Writes m, as `weft opt` prints it, to DIRECTORY/NN.NAME.mlir; a file of that name is written anew, a directory that
 * is not there is made. Reports what the system refuses. */
weft_status weft_dump_module(weft_context *cx, weft_str directory, int64_t number, const char *name,
                             const weft_module *m);

#endif
