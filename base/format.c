/* format.c: text and numbers in the C locale, whatever locale the process has chosen: see str.h.
 *
 * The locale is set for a thread during a call, never for the process. If the system has no memory for one, the
 * process's own is used. In glibc and musl the "C" locale is constant, so requesting it costs nothing.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/str.h"

int weft_vformat(char *to, size_t n, const char *fmt, va_list ap) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = c ? uselocale(c) : (locale_t)0;
    int made = vsnprintf(to, n, fmt, ap);
    if (!c) return made;
    uselocale(before);
    freelocale(c);
    return made;
}

int weft_format(char *to, size_t n, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    int made = weft_vformat(to, n, fmt, ap);
    va_end(ap);
    return made;
}

double weft_read_double(const char *z, char **end) {
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return strtod(z, end);
    double v = strtod_l(z, end, c);
    freelocale(c);
    return v;
}
