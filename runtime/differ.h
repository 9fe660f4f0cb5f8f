/* differ.h: where two programs differ, by their texts with locations. */
#ifndef WEFT_RUNTIME_DIFFER_H
#define WEFT_RUNTIME_DIFFER_H

#include "base/str.h"

/* A line of a program's text without its locations, and the last of those: the op's own. */
typedef struct weft_program_line {
    weft_buf text, place; /* text is empty where the program ends */
} weft_program_line;

/* The first lines of two programs that differ in more than locations. Returns false when there are none. Both are to be
 * ended in any case. */
bool weft_programs_differ(const weft_allocator *alloc, weft_str a, weft_str b, weft_program_line *of_a,
                          weft_program_line *of_b);
void weft_program_line_end(weft_program_line *l);

#endif
