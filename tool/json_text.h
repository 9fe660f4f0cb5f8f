/* json_text.h: texts of a program as JSON has them. */
#ifndef WEFT_TOOL_JSON_TEXT_H
#define WEFT_TOOL_JSON_TEXT_H

#include <jansson.h>
#include "base/context.h"

/* A string of text that may not be UTF-8; NULL: memory is out. */
json_t *tool_json_text(weft_str s);

#endif
