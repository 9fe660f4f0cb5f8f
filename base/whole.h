/* whole.h: buffers to and from a file descriptor, whole. Interruptions by signals are gone over. */
#ifndef WEFT_BASE_WHOLE_H
#define WEFT_BASE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* False with errno: not all of it was written. */
bool weft_whole_write(int fd, const void *p, size_t bytes);
/* False: the file ends before, or errno says why it cannot be read. */
bool weft_whole_read(int fd, void *p, size_t bytes);

#endif
