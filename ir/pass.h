/* pass.h: what a pass is. A pass reads a module and makes a new one, or reports and fails. One that finds nothing to change
 * may leave *out as it is, NULL: the pipeline goes on with the old module. The pipeline verifies after each pass in tests and
 * on request, frees the old module, and names the pass when an invariant broke.
 */
#ifndef WEFT_IR_PASS_H
#define WEFT_IR_PASS_H

#include "ir/module.h"

typedef struct weft_pass_option { weft_str key, value; } weft_pass_option;

typedef struct weft_pass {
    weft_context *cx;
    const char *name;                    /* "sdy-basic-propagate" */
    const weft_pass_option *options;     /* checked against passes.def before the pass runs */
    size_t option_count;
} weft_pass;

typedef weft_status (*weft_pass_fn)(weft_pass *p, const weft_module *in, weft_module **out);

/* Runs round over in, and over what it made, until it leaves *out NULL. */
typedef weft_status (*weft_pass_round_fn)(void *user, const weft_module *in, weft_module **out);
weft_status weft_pass_rounds(const weft_module *in, weft_module **out, weft_pass_round_fn round, void *user);

/* The option's value, or absent when it was not given. */
weft_str weft_pass_text(const weft_pass *p, const char *key, weft_str absent);
bool weft_pass_flag(const weft_pass *p, const char *key, bool absent);
int64_t weft_pass_int(const weft_pass *p, const char *key, int64_t absent);

#endif
