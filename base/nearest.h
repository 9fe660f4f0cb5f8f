/* nearest.h: the known name nearest to a misspelt one.
 *
 *     weft_nearest n = weft_nearest_to(word);
 *     for (...) weft_nearest_offer(&n, weft_str_from(row->name));
 *     ... "there is no pass '%.*s'" WEFT_NEAREST, WEFT_STR_ARG(word), WEFT_NEAREST_ARG(n)
 *
 * The nearest name needs the fewest letters inserted, deleted, replaced or swapped with their neighbour (Damerau, CACM
 * 1964; optimal string alignment); the first of equals wins. A name that needs more than one edit, and more than a
 * third of the letters after the word's last dot, is not near.
 */
#ifndef WEFT_BASE_NEAREST_H
#define WEFT_BASE_NEAREST_H

#include "base/str.h"

typedef struct weft_nearest {
    weft_str word, best;   /* best.n is 0 while no name is near */
    size_t edits;          /* the edits that best needs */
} weft_nearest;

weft_nearest weft_nearest_to(weft_str word);
void weft_nearest_offer(weft_nearest *n, weft_str name);

/* For messages: "; did you mean 'NAME'?", or nothing. */
#define WEFT_NEAREST "%s%.*s%s"
#define WEFT_NEAREST_ARG(x) \
    (x).best.n ? "; did you mean '" : "", (int)(x).best.n, (x).best.n ? (x).best.p : "", (x).best.n ? "'?" : ""

#endif
