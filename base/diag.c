/* diag.c: locations, and keeping or passing on diagnostics. */
#include "base/diag.h"

#include <string.h>
#include "base/context.h"
#include "base/nearest.h"

static const struct {
    weft_severity severity;
    weft_status status;
    const char *flag, *about;
} classes[WEFT_D_COUNT] = {
#define DIAG(name, severity, status, flag, about) [WEFT_D_##name] = { WEFT_##severity, WEFT_ERR_##status, flag, about },
#include "base/diags.def"
};

enum { MOST_FRAMES = 12, MOST_COUNTED = 1000, MOST_SCOPE = 2000 }; /* notes, frames, characters */

const weft_loc weft_loc_unknown = { .kind = WEFT_LOC_UNKNOWN };

/* What is open shares no parts, so looking into it again takes no longer than its text. */
const weft_loc *weft_loc_place(const weft_loc *loc) {
    if (!loc || !loc->open) return loc ? loc->place : NULL;
    const weft_loc *place = NULL;
    for (uint32_t i = 0; i < loc->n && !place; i++) place = weft_loc_place(loc->a[i]);
    return place || loc->kind != WEFT_LOC_READ ? place : loc;
}

static const weft_loc *first_name(const weft_loc *loc) {
    if (!loc || !loc->open) return loc ? loc->named : NULL;
    const weft_loc *name = loc->kind == WEFT_LOC_NAME ? loc : NULL;
    for (uint32_t i = 0; i < loc->n && !name; i++) name = first_name(loc->a[i]);
    return name;
}

static bool has_scope(const weft_loc *loc) {
    bool scoped = loc && loc->scoped;
    for (uint32_t i = 0; loc && loc->open && i < loc->n && !scoped; i++) scoped = has_scope(loc->a[i]);
    return scoped;
}

static const weft_loc *make(weft_context *cx, weft_loc value, const weft_loc *const *a, uint32_t n) {
    weft_loc *l = weft_arena_new(&cx->arena, weft_loc);
    if (!l) return &weft_loc_unknown; /* a message without a place is better than none */
    *l = value;
    if (n) {
        l->a = weft_arena_dup(&cx->arena, a, n * sizeof *a, _Alignof(const weft_loc *));
        if (!l->a) return &weft_loc_unknown;
        l->n = n;
    }
    l->place = l->kind == WEFT_LOC_FILE && *l->name->text ? l : NULL;
    l->named = l->kind == WEFT_LOC_NAME ? l : NULL;
    l->scoped = l->kind == WEFT_LOC_SCOPE;
    for (uint32_t i = 0; i < n; i++) {
        if (!l->place) l->place = weft_loc_place(a[i]);
        if (!l->named) l->named = first_name(a[i]);
        l->scoped = l->scoped || has_scope(a[i]);
        l->open = l->open || (a[i] && a[i]->open);
    }
    if (!l->place && l->kind == WEFT_LOC_READ) l->place = l;
    return l;
}

const weft_loc *weft_loc_file(weft_context *cx, weft_name file, uint32_t line, uint32_t column) {
    return make(cx, (weft_loc){ .kind = WEFT_LOC_FILE, .name = file, .line = line, .column = column }, NULL, 0);
}

const weft_loc *weft_loc_named(weft_context *cx, weft_name name, const weft_loc *child) {
    return make(cx, (weft_loc){ .kind = WEFT_LOC_NAME, .name = name }, &child, child != NULL);
}

const weft_loc *weft_loc_scope(weft_context *cx, weft_name name, const weft_loc *child) {
    return make(cx, (weft_loc){ .kind = WEFT_LOC_SCOPE, .name = name }, &child, 1);
}

const weft_loc *weft_loc_call(weft_context *cx, const weft_loc *callee, const weft_loc *caller) {
    const weft_loc *a[2] = { callee, caller };
    return make(cx, (weft_loc){ .kind = WEFT_LOC_CALL }, a, 2);
}

const weft_loc *weft_loc_fused(weft_context *cx, const weft_loc *const *a, uint32_t n) {
    return make(cx, (weft_loc){ .kind = WEFT_LOC_FUSED }, a, n);
}

const weft_loc *weft_loc_read(weft_context *cx, const weft_loc *given, const weft_loc *place) {
    return make(cx,
                (weft_loc){ .kind = WEFT_LOC_READ, .name = place->name, .line = place->line, .column = place->column },
                &given, 1);
}

const weft_loc *weft_loc_given(const weft_loc *loc) { return loc && loc->kind == WEFT_LOC_READ ? loc->a[0] : loc; }

/* The first name of a location that has names and no place. */
static const char *name_alone(const weft_loc *loc) {
    const weft_loc *given = weft_loc_given(loc), *name = first_name(given);
    return name && !weft_loc_place(given) ? name->name->text : NULL;
}

/* Calls may share their parts, and a text of all scopes be longer than memory. */
static bool print_scope(weft_buf *b, const weft_loc *loc, size_t end) {
    if (!has_scope(loc)) return false;
    if (b->n >= end) return true;
    if (loc->kind == WEFT_LOC_SCOPE) {
        weft_buf_puts(b, loc->name->text);
    } else if (loc->kind == WEFT_LOC_CALL) { /* the caller's scope, then the callee's */
        if (print_scope(b, loc->a[1], end) && has_scope(loc->a[0])) weft_buf_putc(b, '/');
        (void)print_scope(b, loc->a[0], end);
    } else {
        uint32_t i = 0;
        while (!print_scope(b, loc->a[i], end)) i++;
    }
    return true;
}

bool weft_loc_scope_print(weft_buf *b, const weft_loc *loc) { return print_scope(b, loc, b->n + MOST_SCOPE); }

void weft_loc_print(weft_buf *b, const weft_loc *loc) {
    const weft_loc *p = weft_loc_place(loc);
    const char *name = name_alone(loc);
    if (name) weft_buf_puts(b, name);
    else if (p) weft_buf_printf(b, "%s:%u:%u", p->name->text, p->line, p->column);
    else weft_buf_puts(b, "unknown");
    if (!has_scope(loc)) return;
    weft_buf_puts(b, " in ");
    (void)weft_loc_scope_print(b, loc);
}

char *weft_loc_text(weft_arena *arena, const weft_loc *loc) {
    weft_buf b;
    weft_buf_init(&b, &arena->alloc);
    weft_loc_print(&b, loc ? loc : &weft_loc_unknown);
    char *text = b.failed ? NULL : weft_arena_strdup(arena, b.p ? b.p : "", b.n);
    weft_buf_free(&b);
    return text;
}

/* What a message says after its words: the name of a place in no file, or the scope. */
static void suffix(weft_buf *b, weft_severity severity, const weft_loc *loc) {
    const char *name = name_alone(loc);
    if (severity != WEFT_ERROR && severity != WEFT_WARNING) return;
    if (name) weft_buf_printf(b, " (at \"%s\")", name);
    if (!has_scope(loc)) return;
    weft_buf_puts(b, " (in \"");
    (void)weft_loc_scope_print(b, loc);
    weft_buf_puts(b, "\")");
}

void weft_diag_pass(weft_context *cx, const weft_diag *d) {
    if (d->severity == WEFT_ERROR) cx->error = *d;
    if (cx->handler) {
        cx->handler(cx->handler_user, d);
        return;
    }
    if (weft_arena_grow(&cx->arena, (void **)&cx->diags, &cx->diag_cap, cx->diag_count + 1, sizeof *d))
        cx->diags[cx->diag_count++] = *d;
}

static void deliver(weft_context *cx, weft_severity severity, weft_status status, const char *flag, const weft_loc *loc,
                    const char *fmt, va_list ap) {
    const weft_loc *place = weft_loc_place(loc);
    weft_buf more;
    weft_buf_init(&more, &cx->alloc);
    suffix(&more, severity, loc);
    weft_diag d = {
        .severity = severity, .status = status, .flag = flag,
        .file = place ? place->name->text : NULL,
        .line = place ? place->line : 0,
        .column = place ? place->column : 0,
    };
    if (!d.file && cx->caller.file) { /* a place without a file says no more than none */
        weft_name file = weft_name_from(cx, cx->caller.file);
        if (file) d.file = file->text, d.line = cx->caller.line;
    }
    va_list again;
    va_copy(again, ap);
    int n = weft_vformat(NULL, 0, fmt, ap);
    char *text = n < 0 ? NULL : weft_arena_alloc(&cx->arena, (size_t)n + 1 + more.n, 1);
    if (text) weft_vformat(text, (size_t)n + 1, fmt, again);
    if (text && more.n) memcpy(text + n, more.p, more.n + 1);
    weft_buf_free(&more);
    va_end(again);
    d.message = text ? text : "out of memory while reporting";
    weft_diag_pass(cx, &d);
}

static void deliver_note(weft_context *cx, const weft_loc *loc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    deliver(cx, WEFT_NOTE, WEFT_OK, "", loc, fmt, ap);
    va_end(ap);
}

/* JAX names the frames of a stack by their functions. */
static const char *frame_name(const weft_loc *loc) {
    while ((loc = weft_loc_given(loc))->kind == WEFT_LOC_CALL) loc = loc->a[weft_loc_place(loc->a[0]) ? 0 : 1];
    return loc->kind == WEFT_LOC_NAME ? loc->name->text : NULL;
}

typedef struct frames {
    uint32_t n;                               /* frames so far, up to MOST_COUNTED */
    const weft_loc *told[MOST_FRAMES + 1];    /* places of the message, and of notes that the op was made from them */
    uint32_t told_n;
} frames;

/* Ops that are made from one another have the same places on many ways. */
static bool was_told(frames *f, const weft_loc *place) {
    for (uint32_t i = 0; i < f->told_n; i++)
        if (f->told[i]->name == place->name && f->told[i]->line == place->line && f->told[i]->column == place->column)
            return true;
    if (f->told_n < WEFT_COUNT(f->told)) f->told[f->told_n++] = place;
    return false;
}

/* One note for each frame from which the message's place was called, the innermost first, and for each other place that
 * the op was made of. */
static void tell_frames(weft_context *cx, const weft_loc *loc, frames *f) {
    uint32_t i = 0;
    if (f->n >= MOST_COUNTED) return;
    while (i < loc->n && !weft_loc_place(loc->a[i])) i++;
    if (i == loc->n) return;
    tell_frames(cx, loc->a[i], f); /* the one with the message's place */
    for (uint32_t k = i + 1; k < loc->n; k++) {
        const char *name = frame_name(loc->a[k]);
        if (!weft_loc_place(loc->a[k]) || f->n >= MOST_COUNTED) continue;
        if (loc->kind == WEFT_LOC_FUSED && was_told(f, weft_loc_place(loc->a[k]))) continue;
        if (f->n++ < MOST_FRAMES) {
            if (loc->kind == WEFT_LOC_FUSED) deliver_note(cx, loc->a[k], "the op was also made from one here");
            else if (name) deliver_note(cx, loc->a[k], "called from here, in \"%s\"", name);
            else deliver_note(cx, loc->a[k], "called from here");
        }
        tell_frames(cx, loc->a[k], f);
    }
}

static void tell_stack(weft_context *cx, const weft_loc *loc) {
    frames f = { 0 };
    if (loc && weft_loc_place(loc)) (void)was_told(&f, weft_loc_place(loc));
    if (loc) tell_frames(cx, loc, &f);
    const uint32_t n = f.n;
    if (n == MOST_COUNTED) deliver_note(cx, NULL, "and from many more places");
    else if (n > MOST_FRAMES) deliver_note(cx, NULL, "and from %u more places", n - MOST_FRAMES);
}

static weft_status report(weft_context *cx, weft_diag_class cls, const weft_loc *loc, const char *fmt, va_list ap) {
    weft_severity severity = classes[cls].severity;
    if (severity == WEFT_WARNING && (cx->werror >> cls & 1)) severity = WEFT_ERROR;
    weft_status st = severity == WEFT_ERROR ? classes[cls].status : WEFT_OK;
    cx->hushed = severity == WEFT_WARNING && (cx->silent >> cls & 1);
    if (!cx->hushed) {
        deliver(cx, severity, st, classes[cls].flag, loc, fmt, ap);
        tell_stack(cx, loc);
    }
    return st;
}

weft_status weft_report(weft_context *cx, weft_diag_class cls, const weft_loc *loc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    weft_status st = report(cx, cls, loc, fmt, ap);
    va_end(ap);
    return st;
}

weft_status weft_diag_status(weft_diag_class cls) { return classes[cls].status; }

weft_status weft_report_once(weft_context *cx, weft_diag_class cls, const weft_loc *loc, const char *fmt, ...) {
    bool again = cx->told >> cls & 1, error = cx->werror >> cls & 1;
    if (again && !error) return WEFT_OK;
    va_list ap;
    va_start(ap, fmt);
    weft_status st = report(cx, cls, loc, fmt, ap);
    va_end(ap);
    cx->told |= 1u << cls;
    return st;
}

void weft_note(weft_context *cx, const weft_loc *loc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!cx->hushed) deliver(cx, WEFT_NOTE, WEFT_OK, "", loc, fmt, ap);
    va_end(ap);
}

void weft_help(weft_context *cx, const weft_loc *loc, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!cx->hushed) deliver(cx, WEFT_HELP, WEFT_OK, "", loc, fmt, ap);
    va_end(ap);
}

bool weft_warning_wanted(const weft_context *cx, weft_diag_class cls) {
    return (cx->werror >> cls & 1) || !(cx->silent >> cls & 1);
}

bool weft_warning_silence(weft_context *cx, weft_diag_class cls, bool silent) {
    bool was = cx->silent >> cls & 1;
    cx->silent = silent ? cx->silent | 1u << cls : cx->silent & ~(1u << cls);
    return was;
}

uint32_t weft_warnings_silence(weft_context *cx, uint32_t silent) {
    const uint32_t was = cx->silent;
    cx->silent = silent;
    return was;
}

void weft_context_set_handler(weft_context *cx, weft_diag_handler handler, void *user) {
    cx->handler = handler;
    cx->handler_user = user;
}

size_t weft_context_diag_count(const weft_context *cx) { return cx->diag_count; }

const weft_diag *weft_context_diag(const weft_context *cx, size_t i) {
    return i < cx->diag_count ? &cx->diags[i] : NULL;
}

static weft_status find_flag(weft_context *cx, weft_str flag, uint32_t *bits) {
    for (unsigned i = 0; i < WEFT_D_COUNT; i++)
        if (*classes[i].flag && weft_str_is(flag, classes[i].flag)) {
            *bits |= 1u << i;
            return WEFT_OK;
        }
    weft_nearest near = weft_nearest_to(flag);
    for (unsigned i = 0; i < WEFT_D_COUNT; i++) weft_nearest_offer(&near, weft_str_from(classes[i].flag));
    weft_status st = weft_report(cx, WEFT_D_usage, NULL, "no warning is called '%.*s'" WEFT_NEAREST, (int)flag.n,
                                 flag.p, WEFT_NEAREST_ARG(near));
    for (unsigned i = 0; i < WEFT_D_COUNT; i++)
        if (*classes[i].flag) weft_help(cx, NULL, "'%s': %s", classes[i].flag, classes[i].about);
    return st;
}

/* The bits of "replicate" or "replicate,cost". */
static weft_status find_flags(weft_context *cx, const char *flags, uint32_t *bits) {
    weft_status st = WEFT_OK;
    const char *at = flags ? flags : "", *end = NULL;
    do {
        end = at + strcspn(at, ",");
        st = find_flag(cx, (weft_str){ at, (size_t)(end - at) }, bits);
        at = end + 1;
    } while (st == WEFT_OK && *end);
    return st;
}

weft_status weft_context_werror(weft_context *cx, const char *flags) {
    uint32_t bits = 0;
    weft_status st = find_flags(cx, flags, &bits);
    if (st == WEFT_OK) cx->werror |= bits;
    return st;
}

weft_status weft_context_silence(weft_context *cx, const char *flags) {
    uint32_t bits = 0;
    weft_status st = find_flags(cx, flags, &bits);
    if (st == WEFT_OK) cx->silent |= bits;
    return st;
}
