/* options.c: see options.h. */
#include "base/options.h"

#define SIZE_MOST 4096 /* larger than any version's struct: a larger size was never set */

weft_options_fault weft_options_copy(const void *given, size_t size, size_t least, void *to, size_t known) {
    const char *from = given;
    const size_t has = size ? size : least;
    memset(to, 0, known);
    if (!given) return WEFT_OPTIONS_FINE;
    if (has < least || has > SIZE_MOST) return WEFT_OPTIONS_BAD_SIZE;
    for (size_t i = known; i < has; i++)
        if (from[i]) return WEFT_OPTIONS_NEWER;
    memcpy(to, from, has < known ? has : known);
    return WEFT_OPTIONS_FINE;
}

weft_status weft_options_read(weft_context *cx, const weft_loc *loc, const char *name, const void *given, size_t size,
                              size_t least, void *to, size_t known) {
    switch (weft_options_copy(given, size, least, to, known)) {
    case WEFT_OPTIONS_BAD_SIZE:
        return weft_report(cx, WEFT_D_usage, loc, WEFT_OPTIONS_BAD_SIZE_TEXT, name, size, name);
    case WEFT_OPTIONS_NEWER:
        return weft_report(cx, WEFT_D_unsupported, loc, WEFT_OPTIONS_NEWER_TEXT, name, weft_version());
    default: return WEFT_OK;
    }
}
