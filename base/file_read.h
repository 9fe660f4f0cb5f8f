/* file_read.h: regular files, read at places. */
#ifndef WEFT_BASE_FILE_READ_H
#define WEFT_BASE_FILE_READ_H

#include "base/diag.h"

/* Opens a regular file; reports another kind of file. */
weft_status weft_file_open(weft_context *cx, const char *path, int *fd, int64_t *bytes);
/* Bytes at .. at + n. Reports what fails, and a file that ends before. */
weft_status weft_file_read(weft_context *cx, const char *path, int fd, int64_t at, void *to, size_t n);

#endif
