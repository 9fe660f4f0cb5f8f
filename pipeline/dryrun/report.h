/* report.h: the dry run of a program: what a step costs on a machine that need not be there.
 *
 * The figures of Weft's own machines are those of the schedule that a run has; those of a vendor's machine are of the
 * kernels and collectives that its compiler and library would make (docs/dryrun.md). A report holds the program that it
 * is of; its texts and lists are in the arena that it was made in. Reports refer to the module, which must live as
 * long.
 */
#ifndef WEFT_PIPELINE_DRYRUN_REPORT_H
#define WEFT_PIPELINE_DRYRUN_REPORT_H

#include "cost/floor.h"
#include "cost/fuse.h"
#include "cost/simulate.h"
#include "pipeline/dryrun/memory_use.h"
#include "pipeline/dryrun/sweep.h"
#include "pipeline/memory.h"
#include "pipeline/ordered.h"

/* Collectives of equal kind, axes and (in a list or JSON) source place, added up over their runs. */
typedef struct weft_dry_row {
    weft_coll_kind_plan kind;
    weft_str axes;
    char *place;
    int64_t count, bytes, wire_bytes;
    bool at_most;               /* wire_bytes is a bound: the rows sent are known at run time only */
} weft_dry_row;

typedef struct weft_dry_other { weft_estimate estimate; int64_t peak_bytes; } weft_dry_other;

typedef enum weft_dry_rows { WEFT_DRY_BY_KIND, WEFT_DRY_BY_PLACE } weft_dry_rows;

/* How the figures of a program are made. */
typedef struct weft_dry_how {
    weft_build_options build;
    weft_dry_rows rows;           /* of the list of collectives */
    weft_advise advise;         /* whether a cheaper device order is searched */
    bool explains;              /* the uses of memory, and what would make the program fit */
    /* of the model of a vendor's machine */
    weft_attention attention;
    weft_overlap overlap;
    int64_t trips;
    /* NULL, or what a plan has to cost less than: of one that does not, only the step and a bound of the memory are
     * wanted. Where that saves work, it has no executable: the machine is a vendor's, and the program has no custom
     * calls, whose costs code generation finds */
    const weft_sweep_cost *beat;
} weft_dry_how;

/* Kernels of one class, or collectives of one kind, that one line of the program causes. */
typedef struct weft_dry_place {
    const char *what, *place;
    const weft_loc *loc;
    double time_s;              /* of all of them, in a step */
    int64_t count;
} weft_dry_place;

/* The plan with the tactics up to `text`. */
typedef struct weft_dry_stage {
    const char *text;
    const weft_dry_row *rows; size_t row_count;
    int64_t wire_bytes, peak_bytes;
    double step_s;
} weft_dry_stage;

typedef struct weft_dry_relief {
    const char *text;
    bool fits;
    int64_t peak_bytes, wire_bytes;
    double step_s;
} weft_dry_relief;

/* A usual strategy's plan. strategy NULL: as written. */
typedef struct weft_dry_auto_row {
    const char *mesh, *strategy;
    double step_s, peak_bytes;
    int64_t wire_bytes;
    bool fits;
} weft_dry_auto_row;

/* What --auto has chosen, and from what: a strategy, and moves from it. */
typedef struct weft_dry_auto {
    const char *mesh, *strategy;
    const char **moves; size_t move_count;
    weft_dry_auto_row *rows; size_t row_count; /* the best first */
    double one_device_s;        /* the whole program on one device; 0: not known */
    double bound_s;             /* of the moves from the chosen plan (search.h); 0: none */
    weft_floor floor;           /* of any plan; zeros: not known */
    size_t tried;
} weft_dry_auto;

/* How far a step is above the bound, as a share of it. */
static inline double weft_dry_gap(const weft_dry_auto *a, double step_s) {
    return a->bound_s > 0 && step_s > a->bound_s ? step_s / a->bound_s - 1 : 0;
}

typedef struct weft_dry_report {
    const weft_module *m;       /* as read */
    weft_built_program *program;
    const weft_plan *plan;
    const weft_held_whole *held; size_t held_count;
    weft_ordered order;
    weft_estimate estimate;
    weft_sweep_cost least;      /* in place of all figures, of a program without an executable */
    const struct weft_dry_other *other; /* the plan without constraints, beside the one that obeys them; or NULL */
    int64_t devices;
    weft_dry_row *rows;
    size_t row_count;
    double tokens;              /* of a step; 0: not told */
    bool is_explained;
    double use_bytes[WEFT_USES_OF_MEMORY], excess_bytes[WEFT_ROLES], padding_bytes[WEFT_ROLES];
    /* of a program that does not fit: the smallest change with which it does, else the one that takes most memory
     * away; NULL: none is known */
    const struct weft_dry_relief *relief;
    /* the walk of Weft's own schedule */
    const weft_reach *reaches;
    weft_estimate_call *calls;
    weft_estimate_case *cases;
    const weft_dry_stage *stages; size_t stage_count; /* of a file of tactics; the first is without any */
    const weft_dry_auto *chosen;  /* of --auto, or NULL */
    /* of a machine whose compiler is the vendor's */
    bool is_vendor;
    weft_dry_how how;
    weft_task_list tasks;
    weft_timeline timeline;
    const weft_task_use *uses; size_t use_count;
    weft_task_memory memory;
    const weft_dry_place *places; size_t place_count; /* the slowest first */
} weft_dry_report;

/* Fills r, whose order is set, for m. Freed with weft_dry_free, also after a failure. Texts and lists are in arena.
 * Reports. */
weft_status weft_dry_make(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_dry_how *how,
                          weft_dry_report *r);
void weft_dry_free(weft_dry_report *r);

/* The same for a variant m of a program, of which the sums alone are wanted: without warnings, a cheaper order of
 * devices and the uses of memory. r's order becomes what is asked for in `order`. */
weft_status weft_dry_make_variant(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_dry_how *how,
                                  const weft_ordered *order, weft_dry_report *r);

/* Parts of it: the uses of r's memory, and its relief; the figures of a vendor's machine. */
weft_status weft_dry_explain(weft_context *cx, weft_arena *arena, const weft_module *m, const weft_dry_how *how,
                             weft_dry_report *r);
weft_status weft_dry_vendor(weft_arena *arena, const weft_built_program *p, const weft_dry_how *how,
                            weft_dry_report *r);
/* What a program costs at least, which need not have an executable: its step is exact, and its memory without that of
 * constants and of results that take no argument's. at_least is not set: of this program nothing is known. */
weft_status weft_dry_vendor_bound(weft_arena *arena, const weft_built_program *p, const weft_machine *machine,
                                  const weft_dry_how *how, weft_sweep_cost *out);
/* The floor of a program on one device (cost/floor.h), from r's report of it. */
weft_status weft_dry_floor(weft_arena *arena, const weft_dry_how *how, const weft_dry_report *r, weft_floor *out);

/* The figures of one plan among many. */
typedef struct weft_dry_figures {
    bool done, planned, has_memory;
    bool at_least;              /* it costs no less than how->beat: peak_bytes are a bound, and sums are not known */
    int64_t wire_bytes, calls;
    double step_s, compute_s, peak_bytes, memory_bytes;
    weft_floor floor;           /* of a plan for one device of a vendor's machine */
    char why[200];              /* it could not be planned */
} weft_dry_figures;

/* Plans m and fills in the figures, or why there are none: st is how the changes of m went. Frees r's program. */
void weft_dry_figures_make(weft_context *cx, weft_status st, const weft_module *m, const weft_dry_how *how,
                           weft_dry_report *r, weft_dry_figures *out);
weft_sweep_cost weft_dry_cost(const weft_dry_figures *f);

/* Shares of the rate that the machine's data sheet gives, over the step: of all products as executed, and of those that
 * no rematerialised region repeats. 0: there are none. */
static inline double weft_dry_hfu(const weft_timeline *t) { return t->step_s > 0 ? t->ideal_s / t->step_s : 0; }
static inline double weft_dry_mfu(const weft_timeline *t) {
    return t->product_flops > 0 ? weft_dry_hfu(t) * (1 - t->again_flops / t->product_flops) : 0;
}

/* 0: not told. */
static inline double weft_dry_tokens_per_s(const weft_dry_report *r) {
    return r->tokens > 0 && r->estimate.step_s > 0 ? r->tokens / r->estimate.step_s : 0;
}

/* The memory that a device has left; below 0: that it lacks, the program does not fit. Only of a machine that tells. */
static inline double weft_dry_margin(const weft_dry_report *r) {
    return r->order.machine.memory_bytes - (double)weft_plan_peak_bytes(r->plan);
}

/* The order of the devices, in r's arena or the caller's; NULL: that of the mesh, whose name for it is not known. */
static inline const char *weft_dry_order(const weft_dry_report *r) {
    return r->order.chosen ? r->order.chosen : r->order.advice.text[WEFT_ORDER_CONTIGUOUS];
}

#endif
