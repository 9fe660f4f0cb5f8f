/* dryrun.h: what `weft dryrun` asks for, and the forms of its report (pipeline/dryrun/report.h). */
#ifndef WEFT_TOOL_DRYRUN_H
#define WEFT_TOOL_DRYRUN_H

#include "pipeline/dryrun/report.h"
#include "tool/program.h"

/* Changes of a program before it is partitioned. */
typedef struct dryrun_changes {
    bool bare, automatic;
    int64_t batch;              /* 0: the program's */
    int64_t devices;            /* of an automatic search without a mesh; 0: the mesh's */
    const char *mesh, *write, *strategy, *tactics;
    tool_list set, shard, donate;
} dryrun_changes;

extern const char dryrun_description[], dryrun_examples[];

/* Makes the changes in *m but those of sizes, which it has since it was read, and sets how->build.mesh to what is left
 * to the build. r: its order is set; its stages are those of a file of tactics. Reports. */
weft_status dryrun_change(tool *t, const dryrun_changes *c, weft_dry_how *how, weft_module **m, weft_dry_report *r);

/* Donates the arguments that the changes name. */
weft_status dryrun_donate(const dryrun_changes *c, weft_module *m);

/* dryrun_auto.c: *m becomes the cheapest program found; *result tells of the search. */
weft_status dryrun_auto_choose(tool *t, const dryrun_changes *c, const weft_dry_how *how, const weft_ordered *order,
                               weft_module **m, const weft_dry_auto **result);
void dryrun_print_auto(tool *t, const weft_dry_report *r);

struct weft_strategist;
/* dryrun_tactics.c: applies the file's tactics with s; a stage for the program without any and for each. */
weft_status dryrun_tactics(tool *t, const char *path, const weft_dry_how *how, const weft_ordered *order,
                           struct weft_strategist *s, const weft_dry_stage **out, size_t *count);
/* Collectives that a stage has more or less (more < 0) than the one before. */
typedef void (*dryrun_stage_visit)(void *user, const char *kind, weft_str axes, int64_t more);
void dryrun_stage_changes(const weft_dry_stage *before, const weft_dry_stage *after, dryrun_stage_visit visit,
                          void *user);
void dryrun_print_stages(tool *t, const weft_dry_report *r);

void dryrun_print_explained(tool *t, const weft_dry_report *r);

/* As CSV: `what` is collectives or lines. */
weft_status dryrun_print_csv(tool *t, const weft_dry_report *r, const char *what);
void dryrun_csv_field(const char *text, size_t n);
/* Writes a file; reports. */
weft_status dryrun_write_trace(tool *t, const weft_dry_report *r, const char *path);
weft_status dryrun_write_html(tool *t, const weft_dry_report *r, const char *path);

/* --sweep: many meshes, each with the same changes. */
typedef enum dryrun_form { DRYRUN_TEXT, DRYRUN_JSON, DRYRUN_CSV } dryrun_form;
typedef struct dryrun_sweep {
    const char *text;           /* "data=8..512,model=1..16" */
    int64_t devices;            /* only meshes of that many; 0: all */
    dryrun_form form;
    dryrun_changes changes;
    weft_dry_how how;
    weft_ordered order;
} dryrun_sweep;
weft_status dryrun_sweep_run(tool *t, const weft_module *m, const dryrun_sweep *how);
void dryrun_print_text(tool *t, const weft_dry_report *r);
/* What takes the time and the memory of a vendor's machine. */
void dryrun_print_vendor(tool *t, const weft_dry_report *r);

#endif
