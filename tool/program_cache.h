/* program_cache.h: whole compiled programs in the cache (exec/cache.h): the text and the options of a command to a
 * program file and what compilation said. A process that finds one reads no MLIR and starts no LLVM. */
#ifndef WEFT_TOOL_PROGRAM_CACHE_H
#define WEFT_TOOL_PROGRAM_CACHE_H

#include "exec/cache.h"
#include "pipeline/said.h"
#include "tool/build.h"

/* Of this process's environment; opened at first use. NULL: there is none. A failure is reported. */
weft_status tool_cache_open(tool *t, weft_cache **out);

/* All that the program depends on, as lines "NAME VALUE". Empty: it is not kept as a whole. */
weft_status tool_program_key(tool *t, const tool_build_settings *s, const char *inputs, weft_buf *key);

/* The program of t->input, what its compilation said being said again; NULL: it is not there. */
weft_program_file *tool_program_find(tool *t, weft_cache *c, const weft_buf *key);

/* With what its compilation has said. */
weft_status tool_program_keep(tool *t, weft_cache *c, const weft_buf *key, weft_said *said, const tool_built *b);

#endif
