/* dryrun.h: the results of `weft dryrun`, and its two output formats. */
#ifndef WEFT_TOOL_DRYRUN_H
#define WEFT_TOOL_DRYRUN_H

#include "cost/simulate.h"
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

typedef struct dryrun_report {
    const weft_module *m;       /* as read */
    const weft_program *program;
    const weft_plan *plan;
    const weft_held_whole *held; size_t held_count;
    tool_order order;
    weft_estimate estimate;
    const struct dryrun_other *other; /* the plan without constraints, beside the one that obeys them; or NULL */
    int64_t devices;
    dryrun_row *rows;
    size_t row_count;
} dryrun_report;

weft_status dryrun_print_json(tool *t, const dryrun_report *r);
void dryrun_print_text(tool *t, const dryrun_report *r);

#endif
