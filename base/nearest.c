/* nearest.c: see nearest.h. */
#include "base/nearest.h"

#define MOST 96 /* the longest name that is compared */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Of words of at most MOST letters: three rows of the table are enough. */
static size_t edits_between(weft_str a, weft_str b) {
    size_t rows[3][MOST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t k = 0; k <= b.n; k++) last[k] = before[k] = k;
    for (size_t i = 1; i <= a.n; i++) {
        now[0] = i;
        for (size_t k = 1; k <= b.n; k++) {
            const bool same = a.p[i - 1] == b.p[k - 1];
            now[k] = least(least(last[k], now[k - 1]) + 1, last[k - 1] + !same);
            if (i > 1 && k > 1 && a.p[i - 1] == b.p[k - 2] && a.p[i - 2] == b.p[k - 1])
                now[k] = least(now[k], before[k - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b.n];
}

weft_nearest weft_nearest_to(weft_str word) {
    size_t own = 0; /* letters after the last dot: stablehlo.add has three that may be wrong, not thirteen */
    while (own < word.n && word.p[word.n - 1 - own] != '.') own++;
    return (weft_nearest){ .word = word, .edits = (own < 2 ? 0 : own < 6 ? 1 : own / 3) + 1 };
}

void weft_nearest_offer(weft_nearest *n, weft_str name) {
    if (!name.n || name.n > MOST || n->word.n > MOST) return;
    const size_t edits = edits_between(n->word, name);
    if (edits >= n->edits || edits >= name.n) return;
    n->edits = edits;
    n->best = name;
}
