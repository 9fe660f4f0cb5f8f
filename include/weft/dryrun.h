/* dryrun.h: what a step of a program would cost on a machine that need not be there: its time, memory and collectives,
 * before anything is compiled or run. The numbers are those of `weft dryrun --json` (docs/dryrun.md says how they come
 * about and how near they are to measurements).
 *
 *     weft_graph *g;
 *     weft_dryrun *d;
 *     weft_graph_read(cx, "gpt2.mlir", &g);
 *     weft_dryrun_options o = { .machine = "dgx-h100:8", .strategy = "fsdp+tp", .size = sizeof o };
 *     if (weft_dryrun_make(cx, g, &o, &d) == WEFT_OK) {
 *         const weft_dryrun_report *r = weft_dryrun_get(d);
 *         printf("%g s, %lld bytes\n", r->step_time_s, (long long)r->peak_memory_bytes);
 *         weft_dryrun_free(d);
 *     }
 *
 * Units. Bytes are of one device; bytes on the wire are those that one device sends. Bytes, calls and flop are of one
 * step. Times are in seconds, shares between 0 and 1.
 * Ownership. A dry run owns all that its calls return, until it is freed; it must be freed before its context. It needs
 * its graph only while it is made. Texts are UTF-8 where the program's are.
 * Growth. The structs that the library fills begin with `size`, their size in the library: a field beyond it is one
 * that this library does not have. Such structs are read through the pointers given, never copied whole.
 * Errors. Every function that returns a status reports a diagnostic to the context; the others return NULL past the end
 * of their list, and for a dry run that is NULL.
 * Threads. Making one uses the context, so as weft.h says. A dry run that is made does not change: any threads may read
 * it.
 */
#ifndef WEFT_DRYRUN_H
#define WEFT_DRYRUN_H

#include <weft/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_dryrun weft_dryrun;

enum {
    WEFT_DRYRUN_BARE = 1,       /* meshes, shardings and constraints of the program are removed first */
    WEFT_DRYRUN_UNFUSED = 2,    /* an accelerator's compiler takes the scores of attention through memory */
    WEFT_DRYRUN_NO_OVERLAP = 4  /* each collective ends before the next kernel begins */
};

/* All fields may be 0. Texts are those of the options of `weft dryrun`, and copied. */
typedef struct weft_dryrun_options {
    const char *machine;         /* "dgx-h100:64", a file or a description; NULL: the default, a CPU node */
    const char *machines;        /* folders of machines' files, as in PATH; besides those of the program and of Weft */
    const char *mesh;            /* "data=8,model=4": sizes of the program's axes, or a mesh for one without */
    const char *const *sizes;    /* "seq=8192": of a program of jax.export that leaves them open */
    size_t size_count;
    int64_t batch;               /* another size of the dimension by which data is split; 0: the program's */
    const char *strategy;        /* "fsdp+tp", in place of the program's shardings; NULL: those */
    const char *const *shard;    /* "params*wq={\"data\"}, {\"model\"}": arguments by pattern, and their sharding */
    size_t shard_count;
    const char *const *donate;   /* patterns of arguments whose memory results take */
    size_t donate_count;
    const char *order;           /* of devices: "model,data", "auto"; NULL: as the mesh is */
    double memory_bytes;         /* of a device, in place of the machine's */
    double tokens;               /* of a step, for tokens_per_s */
    int threads;                 /* of a device of a CPU machine, which share its loops evenly; 0: 1 */
    int64_t trips;               /* iterations of loops whose number is not known; 0: 1, with a warning */
    unsigned flags;              /* WEFT_DRYRUN_BARE and so on, together */
    weft_constraints constraints;
    weft_precision precision;    /* of products (weft/graph.h) */
    size_t size;                 /* sizeof(weft_dryrun_options); 0: the fields above (weft/weft.h) */
} weft_dryrun_options;

/* A dry run of the graph, whose construction ends. options may be NULL. Errors: the graph's own; WEFT_ERR_USAGE for a
 * machine, mesh, strategy or pattern that does not fit, with the nearest names; *out is then NULL. */
WEFT_API weft_status weft_dryrun_make(weft_context *cx, weft_graph *g, const weft_dryrun_options *options,
                                      weft_dryrun **out);
WEFT_API weft_status weft_dryrun_make_at(weft_source at, weft_context *cx, weft_graph *g,
                                         const weft_dryrun_options *options, weft_dryrun **out);
#define weft_dryrun_make(...) weft_dryrun_make_at(WEFT_HERE, __VA_ARGS__)
WEFT_API void weft_dryrun_free(weft_dryrun *d); /* NULL is fine */

/* The smallest change with which the program fits; else, of those that were tried, the one that takes most away. */
typedef struct weft_dryrun_relief {
    size_t size;
    const char *change;          /* "split the optimizer's state over data" */
    int fits;                    /* 1: with it the program fits */
    int64_t peak_memory_bytes, wire_bytes;
    double step_time_s;
} weft_dryrun_relief;

/* The plan that need not obey the program's constraints. */
typedef struct weft_dryrun_unconstrained {
    size_t size;
    int64_t wire_bytes, peak_memory_bytes;
    double flops, step_time_s;
} weft_dryrun_unconstrained;

/* Of a machine whose compiler is its vendor's (GPUs, TPUs, Trainium). */
typedef struct weft_dryrun_vendor {
    size_t size;
    const char *attention;       /* "fused", "unfused" */
    double exposed_time_s;       /* the step less its kernels */
    double mfu, hfu;             /* without recomputation, and as executed */
    double product_flops, repeated_flops;
    int64_t kernels;
    size_t class_count, line_count, peak_value_count; /* of the lists below */
} weft_dryrun_vendor;

typedef struct weft_dryrun_report {
    size_t size;
    const char *machine;
    int64_t devices;
    double step_time_s, least_step_time_s;            /* least: if a loop or branch may do less */
    double collective_time_s, hidden_time_s;          /* in collectives; of it, beside kernels */
    double tokens_per_s;                              /* 0: the tokens were not told */
    double flops;
    int64_t wire_bytes, least_wire_bytes;
    int64_t collective_calls, least_collective_calls;
    int64_t unknown_loops;                            /* whose number of iterations is not known */
    int64_t peak_memory_bytes;
    int64_t argument_bytes, result_bytes, shared_bytes, temporary_bytes, constant_bytes; /* shared: by the first two */
    int64_t machine_memory_bytes;                     /* of a device; 0: the machine does not tell */
    int64_t memory_margin_bytes;                      /* that less the peak; 0: not known */
    int fits;                                         /* 1, 0; -1: not known */
    double replicated_parameter_bytes, replicated_state_bytes, replicated_data_bytes; /* beyond an even share */
    double padding_parameter_bytes, padding_state_bytes, padding_data_bytes; /* of uneven shards, on average */
    const char *device_order, *cheapest_order;        /* "data,model"; NULL: there is none, none was found */
    const weft_dryrun_relief *relief;                 /* NULL: the program fits, or none is known */
    const weft_dryrun_unconstrained *without_constraints; /* NULL, but for WEFT_CONSTRAINTS_OBEYED */
    const weft_dryrun_vendor *vendor;                 /* NULL: the machine is Weft's own */
    size_t collective_count, use_count, whole_count, traffic_count; /* of the lists below */
} weft_dryrun_report;

/* NULL for NULL. */
WEFT_API const weft_dryrun_report *weft_dryrun_get(const weft_dryrun *d);

/* Collectives of one kind over the same axes, from one line of the program. */
typedef struct weft_dryrun_collective {
    size_t size;
    const char *kind;            /* "all_reduce" */
    const char *axes;            /* "data, model" */
    const char *location;        /* "gpt.py:12:4"; "": not known */
    int64_t count, bytes, wire_bytes;
    int at_most;                 /* 1: only the run decides how much is sent, and this is the most */
} weft_dryrun_collective;
WEFT_API const weft_dryrun_collective *weft_dryrun_get_collective(const weft_dryrun *d, size_t i);

/* What memory at the peak is for: "parameters", "state", "data", "results", "gradients", "activations", "temporaries",
 * "constants". */
typedef struct weft_dryrun_use {
    size_t size;
    const char *name;
    double bytes;
} weft_dryrun_use;
WEFT_API const weft_dryrun_use *weft_dryrun_get_use(const weft_dryrun *d, size_t i);

/* A large argument, result or intermediate value that each device holds whole; the largest first. */
typedef struct weft_dryrun_whole {
    size_t size;
    const char *value;           /* "argument 3 (params['w'])" */
    int64_t bytes;
} weft_dryrun_whole;
WEFT_API const weft_dryrun_whole *weft_dryrun_get_whole(const weft_dryrun *d, size_t i);

/* The collectives over the same axes and their link, in the program's order of devices; the most bytes first. */
typedef struct weft_dryrun_traffic {
    size_t size;
    const char *axes;
    const char *link;            /* "nvlink 450GB/s 2us" */
    double wire_bytes, time_s;
    double cheapest_time_s;      /* in the cheapest order that was found; else time_s */
} weft_dryrun_traffic;
WEFT_API const weft_dryrun_traffic *weft_dryrun_get_traffic(const weft_dryrun *d, size_t i);

/* ---- of a vendor's machine ---- */

typedef struct weft_dryrun_class {
    size_t size;
    const char *name;            /* "product", "attention", "elementwise", ... */
    double time_s;
} weft_dryrun_class;
WEFT_API const weft_dryrun_class *weft_dryrun_get_class(const weft_dryrun *d, size_t i);

/* Kernels of a class, or collectives of a kind, from one line of the program; the slowest first. */
typedef struct weft_dryrun_line {
    size_t size;
    const char *what, *location;
    double time_s;
    int64_t count;
} weft_dryrun_line;
WEFT_API const weft_dryrun_line *weft_dryrun_get_line(const weft_dryrun *d, size_t i);

/* A temporary value that lives at the peak of memory; the largest first. */
typedef struct weft_dryrun_peak_value {
    size_t size;
    const char *location;
    double bytes;
} weft_dryrun_peak_value;
WEFT_API const weft_dryrun_peak_value *weft_dryrun_get_peak_value(const weft_dryrun *d, size_t i);

#ifdef __cplusplus
}
#endif
#endif
