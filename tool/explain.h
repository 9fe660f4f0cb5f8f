/* explain.h: an explanation in words, for `weft explain`. */
#ifndef WEFT_TOOL_EXPLAIN_H
#define WEFT_TOOL_EXPLAIN_H

#include "pipeline/explain.h"
#include "tool/tool.h"

typedef struct explain_text {
    weft_explanation *e;
    weft_str source;          /* FILE, for its names and lines */
    const char *file;
    const uint32_t *lines;    /* the offset of each line; line 1 at [0] */
    uint32_t line_count;
    weft_buf *out;
    bool full;                /* long paths are not shortened */
} explain_text;

/* Finds the lines. */
weft_status explain_text_open(weft_context *cx, explain_text *x);

#define EXPLAIN_NAME 128
/* The slot's name in FILE: "%12", "%3#1", "result 0 of @main", or a description of its place. */
void explain_name(const explain_text *x, uint32_t slot, char name[EXPLAIN_NAME]);
/* The line that defines it, or 0. */
int64_t explain_line(const explain_text *x, uint32_t slot);

/* The same for a value of the module as it was read. */
void explain_value_name(const explain_text *x, const weft_value *v, char name[EXPLAIN_NAME]);
int64_t explain_value_line(const explain_text *x, const weft_value *v);

/* The value in propagation of v, a value of the module as it was read; NULL: there is none. Calls are inlined: a call's
 * result is the value that its function returns, and the argument of a function is that of the first call. */
const weft_value *explain_inlined(const weft_module *m, const weft_value *v);

/* A paragraph on one slot. */
void explain_slot(explain_text *x, uint32_t slot);
/* The whole text with comments; m: the module as it was read. */
weft_status explain_listing(weft_context *cx, explain_text *x, const weft_module *m);

#endif
