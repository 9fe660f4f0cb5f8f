/* dryrun.h: the results of `weft dryrun`, and its two output formats. */
#ifndef WEFT_TOOL_DRYRUN_H
#define WEFT_TOOL_DRYRUN_H

#include "cost/fuse.h"
#include "cost/simulate.h"
#include "cost/timeline.h"
#include "pipeline/dryrun/memory_use.h"
#include "pipeline/dryrun/sweep.h"
#include "pipeline/memory.h"
#include "tool/program.h"

/* Collectives of equal kind, axes and (in a list or JSON) source place, added up over their runs. */
typedef struct dryrun_row {
    weft_coll_kind_plan kind;
    weft_str axes;
    char *place;
    int64_t count, bytes, wire_bytes;
    bool at_most;               /* wire_bytes is a bound: the rows sent are known at run time only */
} dryrun_row;

typedef struct dryrun_other { weft_estimate estimate; int64_t peak_bytes; } dryrun_other;

typedef enum dryrun_rows { DRYRUN_BY_KIND, DRYRUN_BY_PLACE } dryrun_rows;

/* How the figures of a program are made. */
typedef struct dryrun_how {
    weft_build_options build;
    dryrun_rows rows;           /* of the list of collectives */
    tool_advise advise;         /* whether a cheaper device order is searched */
    bool explains;              /* the uses of memory, and what would make the program fit */
    /* of the model of a vendor's machine */
    weft_attention attention;
    weft_overlap overlap;
    int64_t trips;
} dryrun_how;

/* Changes of a program before it is partitioned. */
typedef struct dryrun_changes {
    bool bare, automatic;
    int64_t devices;            /* of an automatic search without a mesh; 0: the mesh's */
    const char *mesh, *write, *strategy, *tactics;
    tool_list shard, donate;
} dryrun_changes;

extern const char dryrun_description[], dryrun_examples[];

/* Kernels of one class, or collectives of one kind, that one line of the program causes. */
typedef struct dryrun_place {
    const char *what, *place;
    const weft_loc *loc;
    double time_s;              /* of all of them, in a step */
    int64_t count;
} dryrun_place;

/* The plan with the tactics up to `text`. */
typedef struct dryrun_stage {
    const char *text;
    const dryrun_row *rows; size_t row_count;
    int64_t wire_bytes, peak_bytes;
    double step_s;
} dryrun_stage;

typedef struct dryrun_relief {
    const char *text;
    bool fits;
    int64_t peak_bytes, wire_bytes;
    double step_s;
} dryrun_relief;

/* A usual strategy's plan. strategy NULL: as written. */
typedef struct dryrun_auto_row {
    const char *mesh, *strategy;
    double step_s, peak_bytes;
    int64_t wire_bytes;
    bool fits;
} dryrun_auto_row;

/* What --auto has chosen, and from what: a strategy, and moves from it. */
typedef struct dryrun_auto {
    const char *mesh, *strategy;
    const char **moves; size_t move_count;
    dryrun_auto_row *rows; size_t row_count; /* the best first */
    double one_device_s;        /* the whole program on one device; 0: not known */
    size_t tried;
} dryrun_auto;

typedef struct dryrun_report {
    const weft_module *m;       /* as read */
    weft_built_program *program;
    const weft_plan *plan;
    const weft_held_whole *held; size_t held_count;
    tool_order order;
    weft_estimate estimate;
    const struct dryrun_other *other; /* the plan without constraints, beside the one that obeys them; or NULL */
    int64_t devices;
    dryrun_row *rows;
    size_t row_count;
    double tokens;              /* of a step; 0: not told */
    bool is_explained;
    double use_bytes[WEFT_USES_OF_MEMORY], excess_bytes[WEFT_ROLES];
    /* of a program that does not fit: the smallest change with which it does, else the one that takes most memory
     * away; NULL: none is known */
    const struct dryrun_relief *relief;
    /* the walk of Weft's own schedule */
    const weft_reach *reaches;
    weft_estimate_call *calls;
    weft_estimate_case *cases;
    const dryrun_stage *stages; size_t stage_count; /* of a file of tactics; the first is without any */
    const dryrun_auto *chosen;  /* of --auto, or NULL */
    /* of a machine whose compiler is the vendor's */
    bool is_vendor;
    dryrun_how how;
    weft_task_list tasks;
    weft_timeline timeline;
    const weft_task_use *uses; size_t use_count;
    weft_task_memory memory;
    const dryrun_place *places; size_t place_count; /* the slowest first */
} dryrun_report;

/* Makes the changes in *m, and sets how->build.mesh to what is left to the build. r: its order is set; its stages are
 * those of a file of tactics. Reports. */
weft_status dryrun_change(tool *t, const dryrun_changes *c, dryrun_how *how, weft_module **m, dryrun_report *r);

/* Donates the arguments that the changes name. */
weft_status dryrun_donate(const dryrun_changes *c, weft_module *m);

/* *m, as read, becomes one function without shardings on a mesh; *s has the strategy, if there is one. */
struct weft_strategist;
weft_status dryrun_strategist_open(tool *t, const dryrun_changes *c, weft_module **m, weft_arena *arena,
                                   struct weft_strategist **s);

/* dryrun_auto.c: *m becomes the cheapest program found; *result tells of the search. */
weft_status dryrun_auto_choose(tool *t, const dryrun_changes *c, const dryrun_how *how, const tool_order *order,
                               weft_module **m, const dryrun_auto **result);
void dryrun_print_auto(tool *t, const dryrun_report *r);

/* dryrun_tactics.c: applies the file's tactics with s; a stage for the program without any and for each. */
weft_status dryrun_tactics(tool *t, const char *path, const dryrun_how *how, const tool_order *order,
                           struct weft_strategist *s, const dryrun_stage **out, size_t *count);
/* Collectives that a stage has more or less (more < 0) than the one before. */
typedef void (*dryrun_stage_visit)(void *user, const char *kind, weft_str axes, int64_t more);
void dryrun_stage_changes(const dryrun_stage *before, const dryrun_stage *after, dryrun_stage_visit visit, void *user);
void dryrun_print_stages(tool *t, const dryrun_report *r);

/* Fills r, whose order is set, for m. Freed with dryrun_free, also after a failure. */
weft_status dryrun_make(tool *t, const weft_module *m, const dryrun_how *how, dryrun_report *r);
void dryrun_free(dryrun_report *r);

/* Fills in the uses of r's memory, and its relief. */
weft_status dryrun_explain(tool *t, const weft_module *m, const dryrun_how *how, dryrun_report *r);
void dryrun_print_explained(tool *t, const dryrun_report *r);

/* Fills in the figures of a vendor's machine. */
weft_status dryrun_vendor(weft_context *cx, const weft_built_program *p, const dryrun_how *how, dryrun_report *r);

/* As CSV: `what` is collectives or lines. */
weft_status dryrun_print_csv(tool *t, const dryrun_report *r, const char *what);
void dryrun_csv_field(const char *text, size_t n);
/* Writes a file; reports. */
weft_status dryrun_write_trace(tool *t, const dryrun_report *r, const char *path);
weft_status dryrun_write_html(tool *t, const dryrun_report *r, const char *path);

/* The figures of one plan among many. */
typedef struct dryrun_figures {
    bool done, planned, has_memory;
    int64_t wire_bytes, calls;
    double step_s, compute_s, peak_bytes, memory_bytes;
    char why[200];              /* it could not be planned */
} dryrun_figures;

/* Plans m and fills in the figures, or why there are none: st is how the changes of m went. Frees r's program. */
void dryrun_figures_make(tool *t, weft_status st, const weft_module *m, const dryrun_how *how, dryrun_report *r,
                         dryrun_figures *out);
weft_sweep_cost dryrun_cost(const dryrun_figures *f);

/* --sweep: many meshes, each with the same changes. */
typedef enum dryrun_form { DRYRUN_TEXT, DRYRUN_JSON, DRYRUN_CSV } dryrun_form;
typedef struct dryrun_sweep {
    const char *text;           /* "data=8..512,model=1..16" */
    int64_t devices;            /* only meshes of that many; 0: all */
    dryrun_form form;
    dryrun_changes changes;
    dryrun_how how;
    tool_order order;
} dryrun_sweep;
weft_status dryrun_sweep_run(tool *t, const weft_module *m, const dryrun_sweep *how);
void dryrun_print_text(tool *t, const dryrun_report *r);
/* What takes the time and the memory of a vendor's machine. */
void dryrun_print_vendor(tool *t, const dryrun_report *r);

/* Shares of the rate that the machine's data sheet gives, over the step: of all products as executed, and of those that
 * no rematerialised region repeats. 0: there are none. */
static inline double dryrun_hfu(const weft_timeline *t) { return t->step_s > 0 ? t->ideal_s / t->step_s : 0; }
static inline double dryrun_mfu(const weft_timeline *t) {
    return t->product_flops > 0 ? dryrun_hfu(t) * (1 - t->again_flops / t->product_flops) : 0;
}

#endif
