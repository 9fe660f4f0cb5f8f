/* program_file.h: a compiled program as a file: the executable of a device (exec/file.h), and what its arguments and
 * results are as global arrays.
 *
 *   8 bytes   "WEFTPROG"
 *   u32       format, WEFT_PROGRAM_FORMAT
 *   u64       hash of all that follows
 *   text      the build of Weft
 *   ports     of arguments, then of results
 *   bytes     the executable
 *
 * Reading one needs no compiler: `weft run prog.weft` starts no LLVM. A process that runs a file runs the machine code
 * in it: the hash finds damage, not malice.
 */
#ifndef WEFT_RUNTIME_PROGRAM_FILE_H
#define WEFT_RUNTIME_PROGRAM_FILE_H

#include "exec/executable.h"
#include "runtime/layout.h"

enum { WEFT_PROGRAM_FORMAT = 1, WEFT_PROGRAM_MAGIC_BYTES = 8 };

/* Whether bytes begin as such a file: to tell it from a text. */
bool weft_program_file_is(const void *bytes, size_t n);

/* An argument or result for the program's users. */
typedef struct weft_port {
    const char *name;
    const char *mesh, *sharding; /* as arrays have them (weft/array.h): "data=2", "data, -" */
} weft_port;

typedef struct weft_program_file {
    weft_arena arena;            /* owns all but the executable */
    weft_executable *exec;
    const weft_port *args, *results;             /* of exec->arg_count and exec->result_count */
    const weft_layout *arg_layouts, *result_layouts;
} weft_program_file;

/* Appends what p points to; its arena is not used. WEFT_ERR_MEMORY. */
weft_status weft_program_file_write(const weft_program_file *p, weft_buf *out);

/* bytes, which were in a file of that name. Locations are of cx. Reported: what is no such file, is damaged, is of
 * another format or build, or is for another machine or processor than this process's. */
weft_status weft_program_file_read(weft_context *cx, const void *bytes, size_t n, const char *name,
                                   weft_program_file **out);
void weft_program_file_free(weft_program_file *p); /* NULL is fine; frees the executable */

#endif
