/* explain.h: an explanation in words, for `weft explain`. */
#ifndef WEFT_TOOL_EXPLAIN_H
#define WEFT_TOOL_EXPLAIN_H

#include "pipeline/explain.h"
#include "tool/tool.h"

typedef struct explain_text {
    weft_explanation *e;
    weft_str source;          /* FILE, whose names and lines are used */
    const char *file;
    const uint32_t *lines;    /* where each line begins; line 1 at [0] */
    uint32_t line_count;
    weft_buf *out;
    bool full;                /* long ways are not cut short */
} explain_text;

/* Finds the lines. */
weft_status explain_text_open(weft_context *cx, explain_text *x);

#define EXPLAIN_NAME 128
/* What FILE calls the slot: "%12", "%3#1", "result 0 of @main", or something that says where it is. */
void explain_name(const explain_text *x, uint32_t slot, char name[EXPLAIN_NAME]);
/* The line that makes it, or 0. */
int64_t explain_line(const explain_text *x, uint32_t slot);

/* The same of a value of the module as it was read. */
void explain_value_name(const explain_text *x, const weft_value *v, char name[EXPLAIN_NAME]);
int64_t explain_value_line(const explain_text *x, const weft_value *v);

/* Calls are inlined: a call's result is what its function returns, and the argument of a function is what the first
 * call passes. What propagation has seen of v, a value of the module as it was read; NULL: v is no such value. */
const weft_value *explain_inlined(const weft_module *m, const weft_value *v);

/* A paragraph on one slot. */
void explain_slot(explain_text *x, uint32_t slot);
/* The whole text with comments; m: the module as it was read. */
weft_status explain_listing(weft_context *cx, explain_text *x, const weft_module *m);

#endif
