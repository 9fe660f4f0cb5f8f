/* compile.h: from a local module (plain StableHLO, every value one device's shard) to an executable. */
#ifndef WEFT_CODEGEN_COMPILE_H
#define WEFT_CODEGEN_COMPILE_H

#include "exec/executable.h"
#include "cost/custom_cost.h"
#include "cost/machine.h"
#include "ir/module.h"

typedef enum weft_compile_flags {
    WEFT_COMPILE_NO_OVERLAP = 1 << 2, /* every collective is done before the next step: to compare with */
    WEFT_COMPILE_NO_FUSION = 1 << 1, /* one kernel per op that is not mere index arithmetic: to compare with */
    /* schedule, fuse and assign buffers, but make no code: it cannot be loaded; for the dry run */
    WEFT_COMPILE_PLAN_ONLY = 1 << 0,
} weft_compile_flags;

/* What of the compilation is to be seen: codegen/dump.h says what each is. */
typedef enum weft_compile_dump {
    WEFT_COMPILE_DUMP_NONE,
    WEFT_COMPILE_DUMP_CLUSTERS,
    WEFT_COMPILE_DUMP_STORAGE,
    WEFT_COMPILE_DUMP_ORDER,
    WEFT_COMPILE_DUMP_BUFFERS,
    WEFT_COMPILE_DUMP_STEPS
} weft_compile_dump;

/* Functions that the process which runs the program has for custom calls without code of Weft's, by their targets
 * (exec/kernels/ffi.h). has: whether it has this one; else it may say in `why` what the user can do. */
typedef struct weft_foreign {
    bool (*has)(void *user, weft_str target, weft_buf *why);
    void *user;
} weft_foreign;

typedef struct weft_compile_options {
    unsigned flags;
    int64_t device_count;    /* partitions of the program */
    const char *cpu;         /* of targets.def, or LLVM's, a comma, and features: "haswell,+avx2"; NULL: the host's */
    const weft_machine *machine; /* whose times the schedule goes by; NULL: the default */
    /* that a kernel may keep in memory at once for what it computes together, beyond what kernels of their own would
     * (codegen/fuse_hold.c); 0: any number */
    int64_t join_bytes;
    int64_t assumed_trips;   /* of loops whose trip count is unknown, in the plan; 0: 1 */
    const weft_custom_cost *custom_costs; size_t custom_cost_count; /* of calls without code, in a plan */
    const weft_foreign *foreign; /* or NULL: the process has none */
    struct weft_cache *cache; /* of compiled functions (exec/cache.h), or NULL */
    int process, processes;  /* of the job, all of which compile this program; 0: of no job */
    int waiting;             /* further processes of the job, which wait for this compilation and lend it their cores */
    weft_compile_dump dump;
    weft_buf *dumped;        /* gets the text; NULL where dump is WEFT_COMPILE_DUMP_NONE */
} weft_compile_options;

/* Compiles @main of m, which is a partitioned module (or any module for one device). The executable does not refer to
 * m, but its locations belong to cx. Errors: WEFT_ERR_UNSUPPORTED with the op's place when an op has no kernel. */
weft_status weft_codegen_compile(weft_context *cx, const weft_module *m, const weft_compile_options *opt,
                                 weft_executable **out);

#endif
