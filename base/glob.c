/* glob.c: see glob.h. */
#include "base/glob.h"

/* '*' is tried at its last place only, which is enough: what an earlier '*' takes more, a later one takes less. */
bool weft_glob_matches(weft_str pattern, weft_str name) {
    size_t i = 0, k = 0, star = SIZE_MAX, from = 0;
    while (k < name.n) {
        if (i < pattern.n && pattern.p[i] == '*') {
            star = i++;
            from = k;
        } else if (i < pattern.n && (pattern.p[i] == '?' || pattern.p[i] == name.p[k])) {
            i++;
            k++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            k = ++from;
        } else {
            return false;
        }
    }
    while (i < pattern.n && pattern.p[i] == '*') i++;
    return i == pattern.n;
}
