/* program.h: from a FILE argument to a module and a program, for the commands that need one. */
#ifndef WEFT_TOOL_PROGRAM_H
#define WEFT_TOOL_PROGRAM_H

#include "pipeline/ordered.h"
#include "tool/tool.h"

/* Reads the module at path with the options of `how`; reports. */
weft_status tool_module_read(tool *t, const char *path, const tool_compiling *how, weft_module **out);
/* The same of t->input, which is read. */
weft_status tool_module_parse(tool *t, const tool_compiling *how, weft_module **out);

/* The mesh of --devices and --mesh, as text for weft_build_options.mesh, or NULL for the program's own. devices 0: any.
 * One device makes every axis 1; other numbers must be the program's, or those of its only axis. */
weft_status tool_mesh_choose(tool *t, const weft_module *m, const char *mesh, int64_t devices, char *buf, size_t room,
                             const char **out);

/* The bytes of --memory, which stay as they are where text is NULL. like: a size that the message shows. */
weft_status tool_memory_read(tool *t, const char *text, const char *like, double *out);
/* --precision: NULL or "f32", as the program is written, else its text. */
weft_status tool_precision_read(tool *t, const char *text, const char **out);

/* The values of --order and --topology, for weft_ordered_build. */
weft_ordered tool_ordered(tool *t, const char *order, const char *topology);

/* Prints the order and, if the search ran, the reason: a line for each set of axes with collectives. */
void tool_order_print(tool *t, const weft_ordered *o);

#endif
