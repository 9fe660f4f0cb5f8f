/* line.h: integer scalars of a loop's body that change by a constant in each iteration.
 *
 * Indices are written as JAX does: the counter, n - counter - 1, and select(i < 0, i + n, i). A value that leaves its
 * type on the way is no line: it wraps round there.
 */
#ifndef WEFT_IR_LINE_H
#define WEFT_IR_LINE_H

#include "ir/module.h"

typedef struct weft_line { int64_t from, by; } weft_line; /* from + by k in iteration k */

typedef struct weft_lines {
    const weft_value *counter;     /* of the body: from, from + by, ... in `trips` iterations, or these wrapped round */
    int64_t from, by, trips;       /* trips is 1 or more */
    const weft_value *(*origin)(void *user, const weft_value *v); /* the outer value that v always equals, else v */
    void *user;
} weft_lines;

/* Whether v is a line. */
bool weft_line_of(const weft_lines *in, const weft_value *v, weft_line *out);

/* Its value in the last iteration; false: beyond an int64_t. */
bool weft_line_last(const weft_lines *in, weft_line l, int64_t *last);

#endif
