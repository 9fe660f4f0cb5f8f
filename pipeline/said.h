/* said.h: the diagnostics of a compilation, noted while it goes on, to be kept with the program and said again by a
 * process that finds it compiled. */
#ifndef WEFT_PIPELINE_SAID_H
#define WEFT_PIPELINE_SAID_H

#include "base/context.h"
#include "exec/archive.h"

typedef struct weft_said {
    weft_diag *v;              /* in the context's arena, or an archive's */
    uint32_t n;
    weft_context *cx;          /* while it listens */
    weft_diag_handler handler; /* the context's own */
    void *user;
    size_t cap;
    bool failed;               /* one is missing: memory was out */
} weft_said;

/* From here on what is reported to cx is noted in s, too, until weft_said_end. */
void weft_said_begin(weft_said *s, weft_context *cx);
void weft_said_end(weft_said *s);

/* Writes the diagnostics, or reads them. */
void weft_said_walk(weft_archive *a, weft_said *s);
/* To cx's handler, or its list. */
void weft_said_again(const weft_said *s, weft_context *cx);

#endif
