/* pipeline.h: passes by name, in order; and the whole way from a module to an executable. */
#ifndef WEFT_PIPELINE_PIPELINE_H
#define WEFT_PIPELINE_PIPELINE_H

#include "codegen/compile.h"
#include "ir/pass.h"

/* Replaces *m by what the pass or pipeline makes of it; *m is freed on success and kept on failure.
 * spec is "name" or "name=options" with options "a=1 b=2" as in MLIR's tools. Unknown names give WEFT_ERR_USAGE. */
typedef enum weft_pipeline_flags { WEFT_PIPELINE_VERIFY_EACH = 1 << 0 } weft_pipeline_flags;
weft_status weft_pipeline_run(weft_context *cx, weft_str spec, unsigned flags, weft_module **m);

typedef struct weft_pass_info { const char *name, *options, *help; bool is_pipeline; } weft_pass_info;
size_t weft_pass_count(void);
const weft_pass_info *weft_pass_at(size_t i);

/* The whole way for m as read: inline calls, propagate, partition over its mesh, compile. m is not changed.
 * partitioned, when not NULL, gets the local module (the caller frees it): its arguments' global shapes and shardings
 * stay on @main's arguments as sdy.sharding where the runtime needs them to cut and join arrays. */
typedef struct weft_build_options {
    unsigned compile_flags;        /* weft_compile_flags */
    const char *mesh;              /* "data=64,model=8": sizes to use instead of the program's, or NULL */
} weft_build_options;

typedef struct weft_io {           /* how one argument or result of the global program lies on the devices */
    const weft_type *global;       /* tensor type in the program as written */
    const weft_attr *sharding;     /* SHARDING, or NULL: replicated */
    const weft_attr *mesh;         /* MESH the sharding refers to, or NULL */
} weft_io;

typedef struct weft_program {
    weft_executable *exec;
    weft_module *local;            /* the partitioned module */
    weft_io *args, *results;       /* exec->arg_count, exec->result_count; in local's arena */
    int64_t device_count;
} weft_program;

weft_status weft_program_build(weft_context *cx, const weft_module *m, const weft_build_options *opt, weft_program **out);
void weft_program_free(weft_program *p);

#endif
