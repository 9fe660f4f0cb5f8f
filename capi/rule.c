/* rule.c: sharding rules of custom calls, given as text. */
#include <weft/graph.h>

#include <string.h>

#include "base/context.h"
#include "sharding/rule_text.h"

weft_status weft_rule_register_at(weft_source at, weft_context *cx, const char *target, const char *rule) {
    weft_name file = at.file ? weft_name_from(cx, at.file) : NULL;
    const weft_loc *loc = file ? weft_loc_file(cx, file, (uint32_t)at.line, 0) : NULL;
    if (at.file && !loc) return weft_oom();
    if (!target || !rule) return weft_report(cx, WEFT_D_usage, loc, "a sharding rule needs a target and a text");
    return weft_rule_text_register(cx, weft_str_from(target), weft_str_from(rule), loc);
}
