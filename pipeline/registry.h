/* registry.h: the table of passes and pipelines from passes.def, and the reading of specs such as "name=a=1 b='x y'".
 * Private to pipeline/. */
#ifndef WEFT_PIPELINE_REGISTRY_H
#define WEFT_PIPELINE_REGISTRY_H

#include "pipeline/pipeline.h"

typedef struct weft_pass_row {
    weft_pass_info info;
    weft_pass_fn run;          /* NULL for a pipeline: its passes are info.options */
} weft_pass_row;

const weft_pass_row *weft_pass_row_find(weft_str name); /* NULL when absent */

/* "name" or "name=options", split at the first '='. */
typedef struct weft_spec { weft_str name, options; } weft_spec;
weft_spec weft_spec_split(weft_str text);

/* The next member of a pipeline's list "a,b{k=v k=v},c": its name and the text in braces. false at the end. */
bool weft_spec_next(weft_str *list, weft_spec *out);

/* Options as written, in scratch memory of cx. Reports malformed text. */
typedef struct weft_option_list { weft_pass_option *v; size_t n; } weft_option_list;
weft_status weft_options_parse(weft_context *cx, const char *pass, weft_str text, weft_option_list *out);

/* Whether a pass declares key (declared: "key=default,..."); *absent gets the default. */
bool weft_option_declared(const char *declared, weft_str key, weft_str *absent);

/* Checks a value against the type of the default. Reports. */
weft_status weft_option_check(weft_context *cx, const char *pass, weft_str key, weft_str value, weft_str absent);

#endif
