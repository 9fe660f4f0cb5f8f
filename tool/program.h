/* program.h: a FILE argument to a module and on to a program, for the commands that need one. */
#ifndef WEFT_TOOL_PROGRAM_H
#define WEFT_TOOL_PROGRAM_H

#include "pipeline/placement.h"
#include "tool/tool.h"

/* Reads the module at path, for which `how` holds; reports. */
weft_status tool_module_read(tool *t, const char *path, const tool_compiling *how, weft_module **out);

/* The mesh that --devices and --mesh ask for, as text for weft_build_options.mesh, or NULL for the program's own.
 * devices 0: any. One device makes every axis 1; other numbers must be the program's, or those of its only axis. */
weft_status tool_mesh_choose(tool *t, const weft_module *m, const char *mesh, int64_t devices, char *buf, size_t room,
                             const char **out);

/* What --order and --topology ask for. */
typedef struct tool_order {
    const char *order;           /* "model,data", "auto", "contiguous" or NULL */
    const char *topology;        /* NULL: the default machine */
    weft_machine machine;        /* set by tool_program_build, large enough for the program */
    weft_order_advice advice;    /* what the search says, where it was asked */
    const char *chosen;          /* the order that the program has; NULL: contiguous */
} tool_order;

/* Builds m in that order and for that machine: opt, but for these two, which are chosen here. The search is asked for
 * --order auto, and otherwise when `advise` says so. */
typedef enum tool_advise { TOOL_ADVISE_NEVER, TOOL_ADVISE_ALWAYS } tool_advise;
weft_status tool_program_build(tool *t, const weft_module *m, weft_build_options *opt, tool_advise advise,
                               tool_order *o, weft_program **p);

/* The order and, where the search was asked, why: a line for each of the axes that collectives go over. */
void tool_order_print(tool *t, const tool_order *o);

/* "nvlink 450GB/s 2us": what such a group gets. */
void tool_reach_print(weft_buf *out, const weft_machine *m, const weft_reach *r);

#endif
