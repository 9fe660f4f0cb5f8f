/* symbols.c: see symbols.h. */
#include "exec/symbols.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/context.h"

/* ---- names ---- */

/* Of the name of a file its last part, and nothing that ends a line. */
static weft_status name_of(weft_arena *arena, const char *label, const weft_loc *loc, const char **out) {
    char *place = weft_loc_text(arena, loc);
    weft_buf b;
    if (!place) return weft_oom();
    const char *file = strrchr(place, '/');
    weft_buf_init(&b, &arena->alloc);
    weft_buf_printf(&b, "%s[%s]", label ? label : "code", file ? file + 1 : place);
    char *name = b.failed ? NULL : weft_arena_strdup(arena, b.p, b.n);
    weft_buf_free(&b);
    if (!name) return weft_oom();
    for (char *p = name; *p; p++)
        if (iscntrl((unsigned char)*p)) *p = '?';
    *out = name;
    return WEFT_OK;
}

static weft_status name_code(weft_arena *arena, const weft_executable *x, const weft_code *c, const char *label,
                             const weft_loc *loc, weft_symbol *v) {
    weft_status st = WEFT_OK;
    if (c->function < x->image.function_count && !v[c->function].name)
        st = name_of(arena, label, loc, &v[c->function].name);
    for (uint32_t i = 0; i < c->call_count && st == WEFT_OK; i++)
        st = name_code(arena, x, &c->calls[i], c->calls[i].kernel, c->calls[i].loc, v);
    return st;
}

static weft_status name_all(weft_arena *arena, const weft_executable *x, weft_symbol **out) {
    weft_symbol *v = *out = weft_arena_array(arena, weft_symbol, x->image.function_count);
    if (!v) return weft_oom();
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < x->image.function_count; i++)
        v[i] = (weft_symbol){ NULL, x->image.functions[i].offset, x->image.functions[i].bytes };
    for (uint32_t i = 0; i < x->step_count && st == WEFT_OK; i++)
        st = name_code(arena, x, &x->steps[i].code, x->steps[i].label, x->steps[i].loc, v);
    for (uint32_t i = 0; i < x->image.function_count; i++)
        if (!v[i].name) v[i].name = "code";
    return st;
}

/* ---- gdb ---- */

/* gdb's interface ("JIT Compilation Interface" of its manual): it stops at the function, and reads the variable, whose
 * names and layouts are the interface's. Other compilers of the process may have both, too. */
struct weft_symbols {
    weft_symbols *next, *previous;
    const void *object;
    uint64_t bytes;
};

enum { NOTHING, TOLD, TAKEN_BACK };

struct {
    uint32_t version, action;
    weft_symbols *changed, *first;
} __jit_debug_descriptor __attribute__((weak)) = { .version = 1 };

void __jit_debug_register_code(void);
__attribute__((noinline, weak)) void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }

/* One thread at a time changes the descriptor. */
static pthread_mutex_t gdb_lock = PTHREAD_MUTEX_INITIALIZER;

static void say(weft_symbols *s, uint32_t action) {
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.changed = s;
    __jit_debug_register_code();
    __jit_debug_descriptor.action = NOTHING;
    __jit_debug_descriptor.changed = NULL;
}

static weft_status tell_gdb(weft_arena *arena, const weft_mapping *code, const weft_symbol *v, uint32_t n,
                            weft_symbols **out) {
    weft_symbols *s = weft_arena_new(arena, weft_symbols);
    if (!s) return weft_oom();
    weft_status st = weft_symbols_object(arena, code, v, n, &s->object, &s->bytes);
    if (st != WEFT_OK) return st;
    pthread_mutex_lock(&gdb_lock);
    s->next = __jit_debug_descriptor.first;
    s->previous = NULL;
    if (s->next) s->next->previous = s;
    __jit_debug_descriptor.first = s;
    say(s, TOLD);
    pthread_mutex_unlock(&gdb_lock);
    *out = s;
    return WEFT_OK;
}

void weft_symbols_take_back(weft_symbols *s) {
    if (!s) return;
    pthread_mutex_lock(&gdb_lock);
    *(s->previous ? &s->previous->next : &__jit_debug_descriptor.first) = s->next;
    if (s->next) s->next->previous = s->previous;
    say(s, TAKEN_BACK);
    pthread_mutex_unlock(&gdb_lock);
}

/* ---- who is told ---- */

enum { GDB = 1, PERF = 2 };

static weft_status asked(weft_context *cx, const char *text, unsigned *who) {
    *who = 0;
    for (size_t n; *text; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        const weft_str word = { text, n };
        if (weft_str_is(word, "gdb")) *who |= GDB;
        else if (weft_str_is(word, "perf")) *who |= PERF;
        else
            return weft_report(cx, WEFT_D_usage, NULL, "WEFT_SYMBOLS says '%.*s'; it is gdb, perf or gdb,perf",
                               WEFT_STR_ARG(word));
    }
    return WEFT_OK;
}

static weft_status tell_perf(weft_context *cx, const weft_mapping *code, const weft_symbol *v, uint32_t n) {
    char why[128];
    if (weft_symbols_write(code, v, n, why, sizeof why)) return WEFT_OK;
    return weft_report_once(cx, WEFT_D_environment, NULL, "perf gets no names of generated code: %s", why);
}

weft_status weft_symbols_tell(weft_context *cx, weft_arena *arena, const weft_executable *x, const weft_mapping *code,
                              weft_symbols **out) {
    const char *text = getenv("WEFT_SYMBOLS");
    weft_symbol *v;
    unsigned who;
    *out = NULL;
    if (!text || !*text) return WEFT_OK;
    weft_status st = asked(cx, text, &who);
    if (st != WEFT_OK || !x->image.function_count) return st;
    st = name_all(arena, x, &v);
    if (st == WEFT_OK && who & PERF) st = tell_perf(cx, code, v, x->image.function_count);
    if (st == WEFT_OK && who & GDB) st = tell_gdb(arena, code, v, x->image.function_count, out);
    return st;
}
