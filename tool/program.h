/* program.h: from a FILE argument to a module and a program, for the commands that need one. */
#ifndef WEFT_TOOL_PROGRAM_H
#define WEFT_TOOL_PROGRAM_H

#include "pipeline/placement.h"
#include "tool/tool.h"

/* Reads the module at path with the options of `how`; reports. */
weft_status tool_module_read(tool *t, const char *path, const tool_compiling *how, weft_module **out);
/* The same of t->input, which is read. */
weft_status tool_module_parse(tool *t, const tool_compiling *how, weft_module **out);

/* The mesh of --devices and --mesh, as text for weft_build_options.mesh, or NULL for the program's own. devices 0: any.
 * One device makes every axis 1; other numbers must be the program's, or those of its only axis. */
weft_status tool_mesh_choose(tool *t, const weft_module *m, const char *mesh, int64_t devices, char *buf, size_t room,
                             const char **out);

/* The values of --order and --topology. */
typedef struct tool_order {
    const char *order;           /* "model,data", "auto", "contiguous" or NULL */
    const char *topology;        /* NULL: the default machine */
    double memory_bytes;         /* of a device, in place of the machine's; 0: the machine's */
    weft_machine machine;        /* set by tool_program_build, large enough for the program */
    weft_order_advice advice;    /* the search's result, if it ran */
    const char *chosen;          /* the program's order; NULL: contiguous */
} tool_order;

/* Builds m in that order and for that machine; they override opt's. The search runs for --order auto, and otherwise if
 * `advise` is set. */
typedef enum tool_advise { TOOL_ADVISE_NEVER, TOOL_ADVISE_ALWAYS } tool_advise;
weft_status tool_program_build(tool *t, const weft_module *m, weft_build_options *opt, tool_advise advise,
                               tool_order *o, weft_built_program **p);

/* Prints the order and, if the search ran, the reason: a line for each set of axes with collectives. */
void tool_order_print(tool *t, const tool_order *o);

/* "nvlink 450GB/s 2us": the link of such a group. */
void tool_reach_print(weft_buf *out, const weft_machine *m, const weft_reach *r);

#endif
