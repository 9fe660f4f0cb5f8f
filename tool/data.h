/* data.h: the data of a program's arguments for `run` and `verify`: .npy files, or fills. */
#ifndef WEFT_TOOL_DATA_H
#define WEFT_TOOL_DATA_H

#include "pipeline/pipeline.h"
#include "runtime/execute.h"
#include "tool/tool.h"

/* DIR/NAMEi.npy, in the context's memory; NULL only when memory is out. */
const char *tool_array_path(weft_context *cx, const char *dir, const char *name, uint32_t i);

/* DIR/NAME0.npy and so on, of the types wants[i]. */
weft_status tool_arrays_open(weft_context *cx, const char *dir, const char *name, const weft_host_array *wants,
                             uint32_t n,
                             weft_npy **out);
/* The same of whole arrays that lie as `layouts` say; dir NULL: none, *out stays. */
weft_status tool_arrays_open_as(weft_context *cx, const char *dir, const char *name, const weft_layout *layouts,
                                uint32_t n, weft_npy **out);
void tool_arrays_close(weft_context *cx, weft_npy *files, uint32_t n); /* NULL is fine */

/* Applies --fill to n arguments, over fills[n]; their seeds stay. */
weft_status tool_fills_read(tool *t, const tool_list *options, uint32_t n, weft_fill *fills);

/* The arguments of a program: from DIR/in0.npy and so on, or where inputs is NULL filled: floats uniform in [0, 0.04),
 * since optimisers take roots, integers 0 to 15, but for what `fill` (--fill) says. Reports. */
typedef struct tool_arguments {
    uint32_t n;
    weft_npy *files;             /* or NULL, */
    weft_fill *fills;
} tool_arguments;
weft_status tool_arguments_open(tool *t, const char *inputs, const tool_list *fill, uint64_t seed,
                                const weft_layout *layouts, uint32_t n, tool_arguments *out);
weft_status tool_arguments_load(const tool_arguments *a, weft_session *session);
void tool_arguments_close(tool *t, tool_arguments *a); /* a zeroed one is fine */

/* Sets the dimensions that *m leaves open to those of `types` (--types), or of the files of `inputs` (--inputs). Both
 * may be NULL.
 */
weft_status tool_types_choose(tool *t, weft_module **m, const char *types, const char *inputs);

#endif
