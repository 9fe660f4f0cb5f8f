/* program.h: a FILE argument to a module and on to a program, for the commands that need one. */
#ifndef WEFT_TOOL_PROGRAM_H
#define WEFT_TOOL_PROGRAM_H

#include "pipeline/pipeline.h"
#include "tool/tool.h"

/* Reads the module at path; reports. */
weft_status tool_module_read(tool *t, const char *path, weft_module **out);

/* The mesh that --devices and --mesh ask for, as text for weft_build_options.mesh, or NULL for the program's own. devices 0:
 * any. One device makes every axis 1; other numbers must be the program's, or those of its only axis. */
weft_status tool_mesh_choose(tool *t, const weft_module *m, const char *mesh, int64_t devices, char *buf, size_t room, const char **out);

#endif
