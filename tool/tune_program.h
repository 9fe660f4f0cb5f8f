/* tune_program.h: `weft tune FILE`: the costs with which FILE's program is fastest here (pipeline/autotune.h). */
#ifndef WEFT_TOOL_TUNE_PROGRAM_H
#define WEFT_TOOL_TUNE_PROGRAM_H

#include "tool/build.h"

typedef struct tool_tune_settings {
    tool_build_settings build;
    const char *inputs, *out;    /* out NULL: FILE's name with .costs */
    tool_list fill;
    int64_t threads;
    double seconds;
    bool reproducible, bind, dry;
} tool_tune_settings;

tool_exit tool_tune_program(tool *t, const tool_tune_settings *s, const char *path);

#endif
