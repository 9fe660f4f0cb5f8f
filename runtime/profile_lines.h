/* profile_lines.h: a profile by kind of step and by line of the program. */
#ifndef WEFT_RUNTIME_PROFILE_LINES_H
#define WEFT_RUNTIME_PROFILE_LINES_H

#include "runtime/profile.h"

typedef enum weft_step_class {
    WEFT_CLASS_PRODUCT,        /* products and convolutions of a library */
    WEFT_CLASS_LIBRARY,
    WEFT_CLASS_CODE,           /* generated */
    WEFT_CLASS_COLLECTIVE,     /* with the wait for the other ranks */
    WEFT_CLASS_WAIT,           /* for a collective that began before */
    WEFT_STEP_CLASSES
} weft_step_class;

/* "products", "library calls", "generated code", "collectives", "waits" */
const char *weft_step_class_name(weft_step_class c);

/* Of an average execution. Bytes are those that code touches, and that a device sends in a collective. */
typedef struct weft_profile_line {
    weft_step_class kind;
    weft_str name;             /* "fusion", "all_reduce" */
    const char *place;         /* in the program */
    double time_s, calls, flops, bytes;
    double product_flops, product_bytes; /* of these: of products and convolutions by libraries, in loops too */
    double least_s;            /* as the caller's rates have it; 0: not known */
} weft_profile_line;

/* The least time of a kernel of so many flops, on numbers of this type, and bytes; user: its machine. */
typedef double weft_least_time(const void *user, weft_dtype dtype, double flops, int64_t bytes);

/* Steps of one kind, name and place as a line, the slowest first, in arena; and their sums by kind. p has executions.
 * least may be NULL. */
weft_status weft_profile_lines(weft_arena *arena, const weft_executable *x, const weft_profile *p,
                               weft_least_time *least, const void *user, weft_profile_line **out, size_t *n,
                               weft_profile_line kinds[WEFT_STEP_CLASSES]);

#endif
