/* json_text.c: see json_text.h. */
#include "tool/json_text.h"
#include <stdlib.h>

json_t *tool_json_text(weft_str s) {
    char *text = malloc(s.n + 1);
    json_t *o = text ? json_stringn(text, weft_utf8_copy(text, s.n + 1, s)) : NULL;
    free(text);
    return o;
}
