/* pipeline.h: passes by name, in order; and the complete path from a module to an executable and to the devices.
 *
 * This is the compiler's interface for the tool and the C API: text in (mlir/read.h), passes, text out (mlir/print.h),
 * or a program that runtime/ can execute.
 */
#ifndef WEFT_PIPELINE_PIPELINE_H
#define WEFT_PIPELINE_PIPELINE_H

#include "codegen/compile.h"
#include "ir/pass.h"
#include "mlir/print.h"
#include "mlir/read.h"
#include "mlir/write.h"
#include "runtime/layout.h"

typedef enum weft_pipeline_flags {
    WEFT_PIPELINE_VERIFY_EACH = 1 << 0, /* run the verifier after every pass; a broken module names the pass */
    /* on failure *m is freed and NULL, so that the first pass may change it in place */
    WEFT_PIPELINE_TAKE = 1 << 1
} weft_pipeline_flags;

/* after: called after each pass of a pipeline with its module. before (optional): called before each pass; returning
 * false stops the pipeline successfully. */
typedef struct weft_pipeline_observer {
    void (*after)(void *user, const char *pass, const weft_module *m);
    void *user;
    bool (*before)(void *user, const char *pass);
} weft_pipeline_observer;

/* Replaces *m by the result of the pass or pipeline; *m is freed on success and kept on failure, except with
 * WEFT_PIPELINE_TAKE. spec is "name" or "name=options" with options "a=1 b=2" as in MLIR's tools: a value may be quoted
 * or in braces, and a bare key means true. Unknown names and options and values of the wrong type give WEFT_ERR_USAGE.
 */
weft_status weft_pipeline_run(weft_context *cx, weft_str spec, unsigned flags, weft_module **m);

/* The same with arguments that text cannot give. The caller keeps all of it alive during the call. */
typedef struct weft_pipeline_call {
    weft_str spec;
    /* take precedence over those of spec; a value is taken as it is, without quotes */
    const weft_pass_option *options; size_t option_count;
    const weft_environment *environment;    /* NULL: nothing is known. An option `machine` wins over its machine */
    const weft_pipeline_observer *observer; /* NULL: none */
    unsigned flags;                         /* weft_pipeline_flags */
} weft_pipeline_call;
weft_status weft_pipeline_call_run(weft_context *cx, const weft_pipeline_call *call, weft_module **m);

/* The same checks without running anything. */
weft_status weft_pipeline_check(weft_context *cx, weft_str spec);

/* The registry in the order of passes.def. options: "key=default,...", of a pipeline: the passes it runs; switches: its
 * own options. */
typedef struct weft_pass_info {
    const char *name, *options, *help;
    bool is_pipeline;
    const char *switches;
} weft_pass_info;
size_t weft_pass_count(void);
const weft_pass_info *weft_pass_at(size_t i);
const weft_pass_info *weft_pass_find(weft_str name); /* NULL when there is none */

/* The op table for users: the support for an op in each room. */
typedef struct weft_op_support {
    const char *name;                                    /* "stablehlo.add" */
    const char *syntax, *infer, *rule, *local, *gen, *cost; /* entries of ops.def: "none", "unsupported", or a family */
} weft_op_support;
size_t weft_op_support_count(void);
const weft_op_support *weft_op_support_at(size_t i);

/* Values that are computed again rather than held, wherever that makes the memory held at the peak less. */
typedef enum weft_remat { WEFT_REMAT_NONE, WEFT_REMAT_KEEPS_PRODUCTS, WEFT_REMAT_FULL } weft_remat;

struct weft_built_program;
/* Asked when the local program is ready: whether it is wanted compiled. machine: the options', with room for it. */
typedef struct weft_build_question {
    weft_status (*ask)(void *user, const struct weft_built_program *p, const weft_machine *machine, bool *wanted);
    void *user;
} weft_build_question;

/* The complete path for m as read: inline calls, propagate, partition over its mesh, compile. m is not changed. */
typedef struct weft_build_options {
    unsigned compile_flags;        /* weft_compile_flags */
    const char *mesh;              /* "data=64,model=8": sizes to use instead of the program's, or NULL */
    const char *order;             /* of devices: "model,data" (cost/order.h), or NULL: that of the program's meshes */
    const weft_machine *machine;   /* for the schedule's times; NULL: the default. Equal in all processes */
    const char *cpu;               /* that it is compiled for, as weft_compile_options.cpu; NULL: the host's */
    int64_t devices;               /* of a program without a mesh, which all run; 0: the program's number */
    /* values are resharded to their sharding constraints, whatever that costs (weft-obey-constraints) */
    bool obey_constraints;
    const char *precision;         /* "bf16": of the operands of f32's products (weft-narrow-products); NULL: f32 */
    /* arguments and results have parts of one length: axes that do not divide a dimension are left out there */
    bool even_borders;
    /* arguments and results that are left unreduced are passed as terms, one on each device; else they are summed */
    bool terms;
    weft_remat remat;              /* whatever memory there is */
    int64_t memory_bytes;          /* that a device has: build.c says what is done where it takes more; 0: any */
    const char *plan;              /* a file with a plan to follow (weft-insert-reshards), or NULL */
    int64_t assumed_trips;         /* of loops whose trip count is unknown, in the plan; 0: 1 */
    /* costs of custom calls without code, when only a plan is made */
    const weft_custom_cost *custom_costs; size_t custom_cost_count;
    const weft_foreign *foreign;   /* functions for custom calls without code (codegen/compile.h); NULL: none */
    struct weft_cache *cache;      /* of compiled functions (exec/cache.h), or NULL */
    int process, processes;        /* of the job, all of which build this program; 0: of no job */
    int waiting;                   /* further processes of the job, which wait for this one's program */
    weft_compile_dump dump;        /* the part of the compilation that is written to *dumped */
    weft_buf *dumped;
    const weft_build_question *question; /* or NULL: it is. Where it is not, the program has no exec */
} weft_build_options;

typedef struct weft_io {           /* the sharding of one argument or result of the global program */
    const weft_type *global;       /* tensor type in the program as written */
    const weft_attr *sharding;     /* SHARDING, or NULL: replicated */
    const weft_attr *mesh;         /* MESH the sharding refers to, or NULL */
} weft_io;

/* An intermediate value of the propagated program that no mesh axis shards, of WEFT_PLAN_LARGE bytes or more. */
typedef struct weft_whole_value { const weft_loc *loc; weft_name op; const weft_type *type; } weft_whole_value;

typedef struct weft_built_program {
    weft_context *cx;
    weft_executable *exec;         /* NULL: was not wanted */
    weft_module *local;            /* the partitioned module */
    weft_io *args, *results;       /* exec->arg_count, exec->result_count; in local's arena */
    weft_layout *arg_layouts, *result_layouts; /* the same as numbers, for the runtime; in local's arena */
    weft_whole_value *whole; size_t whole_count; /* in local's arena */
    int64_t device_count;
    int64_t join_bytes;            /* weft_compile_options.join_bytes, for memory_bytes */
} weft_built_program;

weft_status weft_program_build(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                               weft_built_program **out);
void weft_built_program_free(weft_built_program *p);
/* A copy of m as weft_program_build has it before it is partitioned: inlined, every value with a sharding. */
weft_status weft_program_propagate(weft_context *cx, const weft_module *m, const weft_build_options *opt,
                                   weft_module **out);

/* The names of @main's arguments and results: an argument's in the text, else arg0, arg1, ...; a result's
 * jax.result_info, else out0, out1, ... They are arena's, or the context's. */
typedef struct weft_port_names { const char *const *args, *const *results; } weft_port_names;
weft_status weft_module_port_names(const weft_module *m, weft_arena *arena, weft_port_names *out);

/* The mesh and sharding of io as texts of the C API (weft/array.h): "data=2", "data, -". WEFT_ERR_MEMORY. */
weft_status weft_io_texts(weft_arena *arena, const weft_io *io, const char **mesh, const char **sharding);

/* The ports of the program (runtime/program_file.h), in its own memory, with these names. WEFT_ERR_MEMORY. */
struct weft_port;
weft_status weft_built_program_ports(weft_built_program *p, const weft_port_names *names,
                                     const struct weft_port **args, const struct weft_port **results);

/* Appends the program as runtime/program_file.h has it. WEFT_ERR_MEMORY. */
weft_status weft_built_program_write(const weft_built_program *p, const weft_port_names *names, weft_buf *out);

/* Reports a module without a function @main with a body. */
weft_status weft_module_check_main(const weft_module *m);

/* Warns, once per context, if mhlo.num_partitions is not the number of devices of m's largest mesh. */
weft_status weft_module_check_partitions(const weft_module *m);

/* Reports, at its mesh, a program for more devices than WEFT_MACHINE_DEVICES. */
weft_status weft_module_check_devices(const weft_module *m);

/* Number of devices of m: the product of its largest mesh, else mhlo.num_partitions, else 1; times mhlo.num_replicas.
 */
int64_t weft_module_devices(const weft_module *m);
/* For a module without a mesh: sets so many devices, as replicas or partitions, whichever its collectives name. */
weft_status weft_module_set_devices(weft_module *m, int64_t devices);

/* A copy of m with meshes of the sizes in spec ("data=64,model=8"). Axes that spec does not name keep theirs; an axis
 * that no mesh has, or a size below 1, is WEFT_ERR_USAGE. */
weft_status weft_module_resize_mesh(const weft_module *m, const char *spec, weft_module **out);

/* Makes unreduced arguments and results of @main complete, so that the partitioner reduces them. A warning each, class
 * constraint. */
weft_status weft_module_sum_unreduced(weft_module *m);

/* A value of a propagated program. */
weft_status weft_io_of(const weft_module *m, const weft_value *v, weft_io *out);

/* The layout of one weft_io. local: its type in the partitioned program, to be compared; may be NULL.
 * WEFT_ERR_UNSUPPORTED for an unreduced value. */
weft_status weft_io_layout(weft_context *cx, weft_arena *arena, const weft_io *io, const weft_exec_value *local,
                           int64_t device_count, const weft_loc *loc, weft_layout *out);

#endif
