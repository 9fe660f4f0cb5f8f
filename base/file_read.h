/* file_read.h: regular files, read at places. */
#ifndef WEFT_BASE_FILE_READ_H
#define WEFT_BASE_FILE_READ_H

#include "base/diag.h"

/* Opens a regular file; reports another kind of file. */
weft_status weft_file_open(weft_context *cx, const char *path, int *fd, int64_t *bytes);
/* Bytes at .. at + n. Reports what fails, and a file that ends before. */
weft_status weft_file_read(weft_context *cx, const char *path, int fd, int64_t at, void *to, size_t n);
/* A whole file of at most `most` bytes, with a NUL after it, in memory that the caller gives back with
 * weft_file_text_free. Reports, too, a file that is longer. *text is NULL on failure. */
weft_status weft_file_read_whole(weft_context *cx, const char *path, int64_t most, char **text, size_t *bytes);
void weft_file_text_free(weft_context *cx, char *text, size_t bytes); /* NULL is fine */

#endif
