/* options.c: see options.h. */
#include "base/options.h"

#define SIZE_MOST 4096 /* larger than any version's struct: a larger size was never set */

weft_status weft_options_read(weft_context *cx, const char *name, const void *given, size_t size, size_t least,
                              void *to, size_t known) {
    const char *from = given;
    size_t has = size ? size : least;
    memset(to, 0, known);
    if (!given) return WEFT_OK;
    if (has < least || has > SIZE_MOST)
        return weft_report(cx, WEFT_D_usage, NULL, "%s.size is %zu: it has to be 0 or sizeof(%s)", name, size, name);
    for (size_t i = known; i < has; i++)
        if (from[i])
            return weft_report(cx, WEFT_D_unsupported, NULL,
                               "a field of %s is set that this version of Weft, %s, does not have", name,
                               weft_version());
    memcpy(to, from, has < known ? has : known);
    return WEFT_OK;
}
