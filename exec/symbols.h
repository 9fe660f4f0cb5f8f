/* symbols.h: names of a loaded program's functions, for debuggers and profilers.
 *
 * WEFT_SYMBOLS in the environment asks for them: "gdb", "perf", or both with a comma between. A function has the label
 * and the place of the first step that calls it: "fusion.12[train.py:42:8]". gdb reads them in the process, by its
 * interface for code that a program makes itself; perf reads /tmp/perf-PID.map, which the process writes.
 */
#ifndef WEFT_EXEC_SYMBOLS_H
#define WEFT_EXEC_SYMBOLS_H

#include "exec/executable.h"

typedef struct weft_symbols weft_symbols;

/* Tells gdb, perf or both, as the environment asks, of x's functions, which lie in code. *out, from the arena, is NULL
 * where nothing is to be taken back. Reported: a WEFT_SYMBOLS that says something else; a warning: a file for perf that
 * cannot be written. */
weft_status weft_symbols_tell(weft_context *cx, weft_arena *arena, const weft_executable *x, const weft_mapping *code,
                              weft_symbols **out);
/* Before the code goes. NULL is fine. */
void weft_symbols_take_back(weft_symbols *s);

/* ---- between symbols.c and symbols_*.c ---- */

typedef struct weft_symbol { const char *name; uint64_t offset, bytes; } weft_symbol;

/* An object file in memory, with these symbols of the code at `at`: what gdb reads. */
weft_status weft_symbols_object(weft_arena *arena, const weft_mapping *code, const weft_symbol *v, uint32_t n,
                                const void **object, uint64_t *bytes);
/* Appends lines to /tmp/perf-PID.map; why: what the system said, of room bytes. false: it is not written. */
bool weft_symbols_write(const weft_mapping *code, const weft_symbol *v, uint32_t n, char *why, size_t room);

#endif
