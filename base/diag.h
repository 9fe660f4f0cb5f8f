/* diag.h: source locations and the one way to report an error.
 *
 * A location is an immutable node in its context. It comes from the input (loc(...), else the place in the .mlir
 * file) or from the C caller, and stays with its op through every pass.
 *
 * A diagnostic has a class (diags.def: severity, status, flag) and a message written where the cause is known. The
 * format is at the call, so the compiler checks it against its arguments. The first function that knows the cause
 * reports it; callers pass the status on.
 */
#ifndef WEFT_BASE_DIAG_H
#define WEFT_BASE_DIAG_H

#include "base/str.h"

typedef enum weft_loc_kind {
    WEFT_LOC_UNKNOWN,
    WEFT_LOC_FILE,   /* file:line:column; a file without a name, as of a program made in memory, is no place */
    WEFT_LOC_NAME,   /* name, at a[0] when there is one */
    WEFT_LOC_CALL,   /* a[0] called from a[1] */
    WEFT_LOC_FUSED,  /* a[0..n) */
    /* a[0] as given in a text, at name:line:column of that text: equal to a[0], except in messages */
    WEFT_LOC_READ,
    WEFT_LOC_SCOPE   /* a[0], in the part of the program that its maker calls name; printed as NAME */
} weft_loc_kind;

typedef struct weft_loc {
    weft_loc_kind kind;
    uint32_t n;                       /* entries of a */
    weft_name name;                   /* file or name */
    uint32_t line, column;
    const struct weft_loc *const *a;
    const struct weft_loc *place;     /* weft_loc_place: parts may be shared, so it is found once, when loc is made */
    const struct weft_loc *named;     /* the first WEFT_LOC_NAME in it, in the same way */
    bool scoped;                      /* there is a scope in it */
    /* A name stands in it that the text defines later (mlir/read_loc.c): place, named and scoped are not known yet. */
    bool open;
} weft_loc;

extern const weft_loc weft_loc_unknown;

const weft_loc *weft_loc_file(weft_context *cx, weft_name file, uint32_t line, uint32_t column);
const weft_loc *weft_loc_named(weft_context *cx, weft_name name, const weft_loc *child);
const weft_loc *weft_loc_scope(weft_context *cx, weft_name name, const weft_loc *child);
const weft_loc *weft_loc_call(weft_context *cx, const weft_loc *callee, const weft_loc *caller);
const weft_loc *weft_loc_fused(weft_context *cx, const weft_loc *const *a, uint32_t n);

/* `given`, which the text has at `place` (WEFT_LOC_FILE). Messages about a location that is a name or unknown show the
 * place in the text. */
const weft_loc *weft_loc_read(weft_context *cx, const weft_loc *given, const weft_loc *place);
/* loc without the places in texts: as given. */
const weft_loc *weft_loc_given(const weft_loc *loc);

/* The first file:line:column inside loc, depth first; else the place of the text that gave loc, in the same fields;
 * or NULL. */
const weft_loc *weft_loc_place(const weft_loc *loc);

/* Appends to b the name of a location that has a name and no place, else "file:line:col", else "unknown"; and after it
 * " in SCOPE". */
void weft_loc_print(weft_buf *b, const weft_loc *loc);
/* The same in an arena; loc NULL: unknown. NULL: memory is out. */
char *weft_loc_text(weft_arena *arena, const weft_loc *loc);
/* Appends the scopes that loc is in, the outer one of a call first: "block 1/attention". False: in none. */
bool weft_loc_scope_print(weft_buf *b, const weft_loc *loc);

typedef enum weft_diag_class {
#define NAME(name) WEFT_D_##name,
#include "base/diags-name.def"
    WEFT_D_COUNT
} weft_diag_class;

/* Reports, and returns the class's status: WEFT_OK for a warning that is not made an error. loc may be NULL. */
weft_status weft_report(weft_context *cx, weft_diag_class cls, const weft_loc *loc, const char *fmt, ...)
    WEFT_PRINTF(4, 5);

/* The same for a warning that is equal for every program: it is reported once per context. */
weft_status weft_report_once(weft_context *cx, weft_diag_class cls, const weft_loc *loc, const char *fmt, ...)
    WEFT_PRINTF(4, 5);

/* The status of a class of errors, for a caller that reports later. */
weft_status weft_diag_status(weft_diag_class cls);

/* A note to the last diagnostic; and a suggestion for the user (help). If a diagnostic has the words of another tool,
 * Weft's additions are help, which -verify-diagnostics ignores. */
void weft_note(weft_context *cx, const weft_loc *loc, const char *fmt, ...) WEFT_PRINTF(3, 4);
void weft_help(weft_context *cx, const weft_loc *loc, const char *fmt, ...) WEFT_PRINTF(3, 4);

/* Gives d, which was made before and whose texts live as long as the context, to the context's handler, or keeps it. */
void weft_diag_pass(weft_context *cx, const weft_diag *d);

/* Whether a warning of this class would be seen; if not, the caller can skip expensive checks for it. */
bool weft_warning_wanted(const weft_context *cx, weft_diag_class cls);
/* Sets whether warnings of this class are reported; returns the old setting. Warnings made errors are always reported.
 */
bool weft_warning_silence(weft_context *cx, weft_diag_class cls, bool silent);
/* The same of all classes, a bit for each, as 1u << WEFT_D_cost. */
#define WEFT_EVERY_WARNING UINT32_MAX
uint32_t weft_warnings_silence(weft_context *cx, uint32_t silent);

/* Reports a failed allocation and returns WEFT_ERR_MEMORY. */
static inline weft_status weft_oom(void) { return WEFT_ERR_MEMORY; }

#endif
