/* json_text.c: see json_text.h. */
#include "tool/json_text.h"
#include <stdlib.h>

json_t *tool_json_text(weft_str s) {
    char *text = malloc(s.n + 1);
    json_t *o = text ? json_stringn(text, weft_utf8_copy(text, s.n + 1, s)) : NULL;
    free(text);
    return o;
}

char *tool_place_text(weft_context *cx, const weft_loc *loc) {
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    weft_loc_print(&b, loc ? loc : &weft_loc_unknown);
    char *text = weft_arena_strdup(&cx->arena, b.p ? b.p : "", b.n);
    weft_buf_free(&b);
    return text;
}
