/* walk.h: every field of an executable, in order, for an archive; and whether what was read is an executable. */
#ifndef WEFT_EXEC_WALK_H
#define WEFT_EXEC_WALK_H

#include "exec/archive.h"
#include "exec/executable.h"

void weft_executable_walk(weft_archive *a, weft_executable *x);
void weft_image_walk(weft_archive *a, weft_image *m);

/* NULL, or what is wrong: an index, offset or count outside of what it counts. */
const char *weft_executable_wrong(const weft_executable *x);
/* The same of an image by itself: all that it names lies in its block. */
bool weft_image_whole(const weft_image *m);

#endif
