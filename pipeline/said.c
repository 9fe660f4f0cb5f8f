/* said.c: see said.h. */
#include "pipeline/said.h"

static void note(void *user, const weft_diag *d) {
    weft_said *s = user;
    weft_context *cx = s->cx;
    size_t n = s->n;
    if (weft_arena_grow(&cx->arena, (void **)&s->v, &s->cap, n + 1, sizeof *d)) s->v[s->n++] = *d;
    else s->failed = true;
    weft_context_set_handler(cx, s->handler, s->user);
    weft_diag_pass(cx, d);
    weft_context_set_handler(cx, note, s);
}

void weft_said_begin(weft_said *s, weft_context *cx) {
    *s = (weft_said){ .cx = cx, .handler = cx->handler, .user = cx->handler_user };
    weft_context_set_handler(cx, note, s);
}

void weft_said_end(weft_said *s) { weft_context_set_handler(s->cx, s->handler, s->user); }

static void walk_one(weft_archive *a, weft_diag *d) {
    const uint32_t severity = weft_archive_enum(a, d->severity, WEFT_HELP + 1);
    const uint32_t status = weft_archive_enum(a, d->status, WEFT_ERR_INTERNAL + 1);
    if (a->mode == WEFT_ARCHIVE_READ) d->severity = (weft_severity)severity, d->status = (weft_status)status;
    weft_archive_text(a, &d->flag);
    weft_archive_text(a, &d->file);
    WEFT_ARCHIVE_NUMBER(a, d->line);
    WEFT_ARCHIVE_NUMBER(a, d->column);
    weft_archive_text(a, &d->message);
    if (!d->message) weft_archive_malformed(a);
}

void weft_said_walk(weft_archive *a, weft_said *s) {
    const void *p = s->v;
    WEFT_ARCHIVE_NUMBER(a, s->n);
    weft_diag *v = weft_archive_array(a, &p, s->n, sizeof *v, _Alignof(weft_diag));
    for (uint32_t i = 0; v && i < s->n; i++) walk_one(a, &v[i]);
    if (a->mode == WEFT_ARCHIVE_READ) s->v = v;
}

void weft_said_again(const weft_said *s, weft_context *cx) {
    for (uint32_t i = 0; i < s->n; i++) weft_diag_pass(cx, &s->v[i]);
}
