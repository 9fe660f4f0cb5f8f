/* run.h: `weft run`, apart from the compiler: cmd_run.c runs programs, compile_run.c compiles them for it. A program of
 * the tool that has no compiler (load.c) runs compiled ones. */
#ifndef WEFT_TOOL_RUN_H
#define WEFT_TOOL_RUN_H

#include "tool/build.h"

/* A program ready to run, from either source. */
typedef struct run_program {
    const weft_executable *exec;
    const weft_layout *arg_layouts, *result_layouts;
    bool kept;                   /* the cache had it; else it was compiled */
    double compile_s;            /* from the text as read, or from what the cache had */
} run_program;

/* What `weft run` asks of a compiler. */
typedef struct run_compiler {
    /* Of t->input. *state is released by `free`, also after a failure. */
    weft_status (*compile)(tool *t, const tool_build_settings *s, const char *inputs, void **state,
                           run_program *out);
    weft_status (*dump)(tool *t, const tool_build_settings *s, const char *stage);
    weft_status (*print)(void *state, weft_buf *out);      /* the program as text, with locations */
    void (*print_order)(tool *t, void *state);
    void (*free)(void *state);                             /* NULL is fine */
} run_compiler;
extern const run_compiler *const run_compiler_of_program; /* NULL: this program of the tool has none */

#endif
