/* weft.h: status codes, the allocator, the context: shared by all of Weft's headers.
 *
 * A context owns names, types, attributes, locations and diagnostics of the programs read or built under it.
 * It is used by one thread at a time; two contexts are independent, so two programs can be compiled in two
 * threads. The library keeps no global state, never prints and never ends the process.
 *
 * Structs whose names end in _options grow: they have a field `size`, to be set to sizeof the struct (weft_job_options,
 * weft_linear_options ...). It tells a library of another version which fields the program knows. Fields above `size`
 * are always read, also if it is 0 ({ .local_ranks = 4 } is right); fields below it, of later versions, only if size
 * covers them.
 *     weft_job_options o = { .launch = WEFT_LAUNCH_THREADS, .size = sizeof o };
 * No other struct grows, but for weft_diag, which only the library makes.
 */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEFT_MUST_CHECK __attribute__((warn_unused_result))
#define WEFT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_MUST_CHECK
#define WEFT_PRINTF(fmt, args)
#define WEFT_API
#endif

/* The version of these headers. weft_version gives that of the library, which may differ: docs/capi.md says which
 * versions work together. */
#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

/* Why a call failed. A failing call has reported one diagnostic to its context unless it says otherwise. */
typedef enum weft_status {
    WEFT_OK = 0,
    WEFT_ERR_MEMORY,      /* an allocation failed; no diagnostic is promised */
    WEFT_ERR_INVALID,     /* the program, file or argument is wrong */
    WEFT_ERR_UNSUPPORTED, /* right, but Weft cannot do it yet */
    WEFT_ERR_IO,          /* the system refused: open, read, write, map */
    WEFT_ERR_USAGE,       /* the caller or the command line asked for the impossible */
    WEFT_ERR_MISMATCH,    /* a comparison found a difference */
    WEFT_ERR_PEER,        /* another rank died, hung or made another call */
    WEFT_ERR_INTERNAL     /* an invariant of Weft's own is broken */
} weft_status;

/* A constant string such as "invalid"; never NULL. */
WEFT_API const char *weft_status_name(weft_status st);

/* The library's version, "MAJOR.MINOR.PATCH". */
WEFT_API const char *weft_version(void);

/* A place in the caller's source, at which a call reports. file must stay valid during the call. */
typedef struct weft_source {
    const char *file;
    int line;
} weft_source;
#ifdef __cplusplus
#define WEFT_HERE (weft_source{ __FILE__, __LINE__ })
#else
#define WEFT_HERE ((weft_source){ __FILE__, __LINE__ })
#endif

/* Memory comes from here. resize(user, NULL, 0, n) allocates, resize(user, p, old, 0) frees and returns NULL.
 * Blocks are aligned for any type. NULL for n > 0 means failure, and p stays valid. */
typedef struct weft_allocator {
    void *(*resize)(void *user, void *p, size_t old_bytes, size_t new_bytes);
    void *user;
} weft_allocator;

typedef enum weft_severity { WEFT_NOTE, WEFT_WARNING, WEFT_ERROR, WEFT_HELP } weft_severity;

/* "note", "warning", "error", "help"; never NULL. */
WEFT_API const char *weft_severity_name(weft_severity s);

/* One message with its source location. Strings belong to the context. Notes follow their error as diagnostics of
 * severity WEFT_NOTE, suggested changes as WEFT_HELP. Only the library makes them: fields may be added at the end. */
typedef struct weft_diag {
    weft_severity severity;
    weft_status status;   /* WEFT_OK for warnings and notes */
    const char *flag;     /* the name in brackets, "" when the message has no flag */
    const char *file;     /* NULL when there is no location */
    int64_t line, column; /* from 1; 0 when unknown */
    const char *message;  /* compiler style: lower case, no full stop */
} weft_diag;

/* Called once per diagnostic, in order, by the thread that uses the context. */
typedef void (*weft_diag_handler)(void *user, const weft_diag *d);

typedef struct weft_context weft_context;

/* A new context, or NULL when memory is out. allocator may be NULL: malloc. It is copied. */
WEFT_API weft_context *weft_context_new(const weft_allocator *allocator);
WEFT_API void weft_context_free(weft_context *cx); /* NULL is fine; frees everything made under it except modules */

/* Without a handler diagnostics are kept and can be read back with weft_context_diag. */
WEFT_API void weft_context_set_handler(weft_context *cx, weft_diag_handler handler, void *user);
WEFT_API size_t weft_context_diag_count(const weft_context *cx);
WEFT_API const weft_diag *weft_context_diag(const weft_context *cx, size_t i); /* NULL past the end */

/* Makes warnings of these flags errors ("replicate", or several: "replicate,cost"). With an unknown flag among them the
 * status is WEFT_ERR_USAGE and nothing changes. */
WEFT_API weft_status weft_context_werror(weft_context *cx, const char *flags);
/* Leaves warnings of these flags out, unless they are errors. */
WEFT_API weft_status weft_context_silence(weft_context *cx, const char *flags);

#ifdef __cplusplus
}
#endif
#endif
