/* nearest.h: which of the names that there are somebody may have meant.
 *
 *     weft_nearest n = weft_nearest_to(word);
 *     for (...) weft_nearest_offer(&n, weft_str_from(row->name));
 *     ... "there is no pass '%.*s'" WEFT_NEAREST, WEFT_STR_ARG(word), WEFT_NEAREST_ARG(n)
 *
 * The nearest takes the fewest letters put in, left out, replaced or exchanged with their neighbour (Damerau, CACM
 * 1964; optimal string alignment); the first of equals counts, and one that takes more edits than one, or than a third
 * of the word's letters after its last dot, is none.
 */
#ifndef WEFT_BASE_NEAREST_H
#define WEFT_BASE_NEAREST_H

#include "base/str.h"

typedef struct weft_nearest {
    weft_str word, best;   /* best.n is 0 while nothing is near */
    size_t edits;          /* that best takes */
} weft_nearest;

weft_nearest weft_nearest_to(weft_str word);
void weft_nearest_offer(weft_nearest *n, weft_str name);

/* For messages: "; did you mean 'NAME'?", or nothing. */
#define WEFT_NEAREST "%s%.*s%s"
#define WEFT_NEAREST_ARG(x) \
    (x).best.n ? "; did you mean '" : "", (int)(x).best.n, (x).best.n ? (x).best.p : "", (x).best.n ? "'?" : ""

#endif
