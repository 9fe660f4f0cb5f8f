/* build.h: which build of Weft this is. */
#ifndef WEFT_EXEC_BUILD_H
#define WEFT_EXEC_BUILD_H

/* The version, and a hash of the library's sources: "0.1.0+0123456789abcdef". Two builds with one name compile one
 * program to the same executable, and read each other's files. */
const char *weft_build_name(void);

#endif
