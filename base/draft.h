/* draft.h: files that are there whole or not at all.
 *
 * A draft is written beside the file that it will be, under a name that nobody can know before (a random number) and
 * that nobody has made (O_EXCL follows no link). Once its bytes are on the disk it takes the file's name; until then
 * the file is what it was. Two writers of one file, threads or processes, do not disturb each other: the last one to
 * finish counts. A device or a pipe, also one that a link leads to, is not replaced but written to.
 */
#ifndef WEFT_BASE_DRAFT_H
#define WEFT_BASE_DRAFT_H

#include <stdio.h>
#include "base/status.h"

typedef struct weft_draft {
    FILE *file;          /* to write to */
    char *name, *path;   /* of the draft (NULL: path is written to), and of the file that it becomes: owned */
    weft_allocator alloc;
} weft_draft;

/* WEFT_ERR_IO with errno, or WEFT_ERR_MEMORY; then there is no draft. The file gets the mode that the process's umask
 * leaves. */
weft_status weft_draft_open(const weft_allocator *alloc, const char *path, weft_draft *out);

/* Ends the draft: it becomes the file, unless something could not be written: WEFT_ERR_IO with errno, and the file is
 * what it was. */
weft_status weft_draft_close(weft_draft *d);

#endif
