/* draft.h: files that are written as a whole or not at all.
 *
 * A draft is written beside its final file, under a name that no other process can predict (a random number) and that
 * does not exist (O_EXCL follows no link). Once its bytes are on the disk it takes the file's name; until then the file
 * is unchanged. Two writers of one file, threads or processes, do not disturb each other: the last one to finish wins.
 * A device or a pipe, also at the end of a link, is not replaced but written to.
 */
#ifndef WEFT_BASE_DRAFT_H
#define WEFT_BASE_DRAFT_H

#include <stdio.h>
#include "base/status.h"

typedef struct weft_draft {
    FILE *file;          /* to write to */
    char *name, *path;   /* of the draft (NULL: path is written to), and of the final file: owned */
    weft_allocator alloc;
} weft_draft;

/* WEFT_ERR_IO with errno, or WEFT_ERR_MEMORY; then there is no draft. The file gets the mode that the process's umask
 * allows. */
weft_status weft_draft_open(const weft_allocator *alloc, const char *path, weft_draft *out);

/* Ends the draft: it becomes the file. If a write has failed: WEFT_ERR_IO with errno, and the file is unchanged. */
weft_status weft_draft_close(weft_draft *d);

#endif
