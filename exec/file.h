/* file.h: an executable as bytes, for a file or another process.
 *
 *   8 bytes   "WEFTEXE\n"
 *   u32       format, WEFT_EXEC_FORMAT
 *   u64       hash of all that follows
 *   text      the build of Weft (exec/build.h), since kernels' states and what calls them are that build's own
 *   the executable, field by field (walk.h)
 *
 * Numbers are little-endian. A process that runs a file runs the machine code in it: the hash finds damage, not malice.
 */
#ifndef WEFT_EXEC_FILE_H
#define WEFT_EXEC_FILE_H

#include "exec/archive.h"
#include "exec/executable.h"

enum { WEFT_EXEC_FORMAT = 2 };

/* What such files begin with. Compiled programs with their ports (runtime/program_file.h) have a header of this form,
 * too. */
enum { WEFT_FILE_FORMAT_AT = 8, WEFT_FILE_HASH_AT = 12, WEFT_FILE_BODY_AT = 20 };
typedef struct weft_file_header { char magic[WEFT_FILE_FORMAT_AT]; uint32_t format; } weft_file_header;

/* Writes the hash of the n bytes at p, WEFT_FILE_BODY_AT or more. */
void weft_file_seal(void *p, size_t n);
/* Appends the header, its hash still to come, and the build. */
void weft_file_header_write(weft_archive *a, const weft_file_header *h);
/* Whether the n bytes begin as such a file. */
bool weft_file_header_is(const weft_file_header *h, const void *p, size_t n);
/* Begins to read the n bytes of the file `name` by *a, whose context and arena are set, after the header and the build.
 * Reported: what is no such file, is damaged, or is of another format or build. A build that cannot be read is in
 * a->status, as any field after it. */
weft_status weft_file_header_read(weft_archive *a, const weft_file_header *h, const void *p, size_t n,
                                  const char *name);

/* Appends x to out. WEFT_ERR_MEMORY. */
weft_status weft_executable_write(const weft_executable *x, weft_buf *out);

/* bytes, which were in a file of that name, as an executable whose locations belong to cx. Reported: what is no such
 * file, is damaged, or is of another format or version. */
weft_status weft_executable_read(weft_context *cx, const void *bytes, size_t n, const char *name,
                                 weft_executable **out);

/* Of what the program computes, sends and holds: of all of it but machine code, locations and this number itself. Equal
 * for equal programs in all processes. */
uint64_t weft_executable_fingerprint(const weft_executable *x);

#endif
