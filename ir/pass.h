/* pass.h: the interface of a pass. A pass returns a new module, or reports and fails. A pass that changes nothing may
 * leave *out NULL: the pipeline goes on with the old module. If weft_pass.own is not NULL, nothing else reads the
 * module afterwards: the pass may change it in place and return it; the result is the same as a new module's. The
 * pipeline verifies after each pass in tests and on request, frees the old module, and names the pass when an invariant
 * is broken.
 */
#ifndef WEFT_IR_PASS_H
#define WEFT_IR_PASS_H

#include "ir/module.h"

typedef struct weft_pass_option { weft_str key, value; } weft_pass_option;

/* Debug dumps, written by the pipeline for a pass: between passes, or from within one. */
typedef enum weft_dump_moment { WEFT_DUMP_BETWEEN, WEFT_DUMP_WITHIN } weft_dump_moment;
typedef struct weft_pass_dump {
    weft_status (*write)(void *user, weft_str directory, weft_dump_moment when, int64_t first, const char *name,
                         const weft_module *m);
    void *user;
} weft_pass_dump;

/* The system that the program will run on, as far as it is known: the pipeline lends it to all its passes. */
struct weft_machine;                     /* topology/machine.h */
typedef struct weft_environment {
    const struct weft_machine *machine;  /* costs are computed for it (cost/environment.h); NULL: the default machine */
} weft_environment;

typedef struct weft_pass {
    weft_context *cx;
    const char *name;                    /* "sdy-basic-propagate" */
    const weft_pass_option *options;     /* checked against passes.def before the pass runs */
    size_t option_count;
    const weft_pass_dump *dump;          /* NULL: no dumps */
    const weft_environment *environment; /* NULL: nothing is known */
    weft_module *own; /* the given module, if nothing else reads it after the pass: the pass may change it and return it
                       * as *out, and the pipeline frees it when the pass fails; NULL: it must make a new one */
} weft_pass;

typedef weft_status (*weft_pass_fn)(weft_pass *p, const weft_module *in, weft_module **out);

/* Runs round over in, and again over its result, until it leaves *out NULL. */
typedef weft_status (*weft_pass_round_fn)(void *user, const weft_module *in, weft_module **out);
weft_status weft_pass_rounds(const weft_module *in, weft_module **out, weft_pass_round_fn round, void *user);

/* The option's value, or absent if it is not set. */
weft_str weft_pass_text(const weft_pass *p, const char *key, weft_str absent);
bool weft_pass_flag(const weft_pass *p, const char *key, bool absent);
int64_t weft_pass_int(const weft_pass *p, const char *key, int64_t absent);

/* Dumps m under a name. The directory is the option of that key; if it is empty nothing happens. */
weft_status weft_pass_leave(const weft_pass *p, const char *key, weft_dump_moment when, const char *name,
                            const weft_module *m);

#endif
