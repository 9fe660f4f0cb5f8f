/* options: a command's table read against argv. -name, --name, -name=value, --name=value and `--name value` are the
 * same;
 * "-" alone is an argument; "--" ends the options. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <weft/graph.h>
#include "base/nearest.h"
#include "pipeline/pipeline.h"
#include "tool/build.h"

tool_exit tool_usage(const tool *t, const char *fmt, ...) {
    va_list ap;
    const char *name = t->command ? t->command->name : NULL;
    if (t->launch.process != 0) return TOOL_USAGE; /* equal on all processes: process 0 reports it */
    fprintf(stderr, "weft: error: ");
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "; see 'weft %s%s--help'\n", name ? name : "", name ? " " : "");
    return TOOL_USAGE;
}

/* "TARGET=RULE" */
static weft_status set_rule(tool *t, const char *text) {
    const size_t n = strcspn(text, "=");
    if (!n || !text[n])
        return weft_report(t->cx, WEFT_D_usage, NULL, "option '--rule' takes TARGET=RULE, not '%s'", text);
    char *target = weft_arena_strdup(&t->cx->arena, text, n);
    if (!target) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    return weft_rule_register_at((weft_source){ NULL, 0 }, t->cx, target, text + n + 1);
}

weft_status tool_compiling_set(tool *t, const tool_compiling *w) {
    weft_status st = WEFT_OK;
    for (size_t i = 0; st == WEFT_OK && i < w->rules.n; i++) st = set_rule(t, w->rules.v[i]);
    for (size_t i = 0; st == WEFT_OK && i < w->werror.n; i++) st = weft_context_werror(t->cx, w->werror.v[i]);
    for (size_t i = 0; st == WEFT_OK && i < w->silence.n; i++) st = weft_context_silence(t->cx, w->silence.v[i]);
    return st;
}

static const tool_option *find(const tool_command *c, const char *name, size_t n) {
    for (size_t i = 0; i < c->option_count; i++)
        if (strlen(c->options[i].name) == n && !memcmp(c->options[i].name, name, n)) return &c->options[i];
    return NULL;
}

/* Searches the command's own options, and the passes if it takes these as options. */
static tool_exit no_option(const tool *t, const tool_command *c, const char *given, weft_str name) {
    weft_nearest near = weft_nearest_to(name);
    for (size_t i = 0; i < c->option_count; i++) weft_nearest_offer(&near, weft_str_from(c->options[i].name));
    for (size_t i = 0; c->other && i < weft_pass_count(); i++)
        weft_nearest_offer(&near, weft_str_from(weft_pass_at(i)->name));
    if (!near.best.n) return tool_usage(t, "there is no option '%s'", given);
    return tool_usage(t, "there is no option '%s'; the nearest is '--%.*s'", given, WEFT_STR_ARG(near.best));
}

static bool list_add(tool_list *l, const char *text) {
    if (l->n == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 8;
        const char **v = realloc(l->v, cap * sizeof *v);
        if (!v) return false;
        l->v = v;
        l->cap = cap;
    }
    l->v[l->n++] = text;
    return true;
}

static tool_exit store(const tool *t, const tool_option *o, void *settings, const char *text) {
    void *at = (char *)settings + o->offset;
    char *end = NULL;
    errno = 0;
    switch (o->kind) {
    case TOOL_FLAG:
        if (text && strcmp(text, "true") && strcmp(text, "false") && strcmp(text, "1") && strcmp(text, "0"))
            return tool_usage(t, "option '--%s' takes true or false, not '%s'", o->name, text);
        *(bool *)at = !text || !strcmp(text, "true") || !strcmp(text, "1");
        return TOOL_DONE;
    case TOOL_TEXT:
        *(const char **)at = text;
        return TOOL_DONE;
    case TOOL_COUNT: {
        long long v = strtoll(text, &end, 10);
        if (errno || end == text || *end || v < 0)
            return tool_usage(t, "option '--%s' takes a whole number, not '%s'", o->name, text);
        *(int64_t *)at = v;
        return TOOL_DONE;
    }
    case TOOL_NUMBER: {
        long long v = strtoll(text, &end, 10);
        if (errno || end == text || *end || v < 1)
            return tool_usage(t, "option '--%s' takes a whole number of at least 1, not '%s' (%s)", o->name, text,
                              o->help);
        *(int64_t *)at = v;
        return TOOL_DONE;
    }
    case TOOL_REAL: {
        double v = strtod(text, &end);
        if (end == text || *end || !(v >= 0))
            return tool_usage(t, "option '--%s' takes a number of at least 0, not '%s'", o->name, text);
        *(double *)at = v;
        return TOOL_DONE;
    }
    case TOOL_LIST:
        if (list_add(at, text)) return TOOL_DONE;
        fprintf(stderr, "weft: error: out of memory\n");
        return TOOL_FAILED;
    }
    return TOOL_FAILED;
}

tool_exit tool_options_parse(tool *t, const tool_command *c, int argc, char **argv, void *settings, char **arguments,
                             size_t *count, bool *help) {
    bool options_ended = false;
    *count = 0;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (options_ended || a[0] != '-' || !a[1]) {
            arguments[(*count)++] = argv[i];
            continue;
        }
        if (!strcmp(a, "--")) {
            options_ended = true;
            continue;
        }
        const char *name = a + 1 + (a[1] == '-');
        size_t n = strcspn(name, "=");
        const char *value = name[n] ? name + n + 1 : NULL;
        const tool_option *o = find(c, name, n);
        if (!o && !value && (!strcmp(name, "help") || !strcmp(name, "h"))) {
            *help = true;
            continue;
        }
        if (!o && c->other) {
            weft_status st = c->other(t, settings, name);
            if (st == WEFT_OK) continue;
            if (st != WEFT_ERR_INVALID) return tool_exit_of(st);
        }
        if (!o) return no_option(t, c, a, (weft_str){ name, n });
        if (!value && o->kind != TOOL_FLAG) {
            if (i + 1 == argc) return tool_usage(t, "option '--%s' needs a value: %s", o->name, o->value);
            value = argv[++i];
        }
        tool_exit code = store(t, o, settings, value);
        if (code != TOOL_DONE) return code;
    }
    return TOOL_DONE;
}

const char *tool_build_option(const tool_build_settings *s) {
    const struct { const char *name; bool given; } all[] = {
        { "mesh", s->mesh },   { "order", s->order },         { "obey-constraints", s->obey },
        { "plan", s->plan },   { "types", s->types },         { "rule", s->compiling.rules.n },
        { "costs", s->costs }, { "no-overlap", s->blocking }, { "memory", s->memory },
        { "precision", s->precision },
    };
    for (size_t i = 0; i < WEFT_COUNT(all); i++)
        if (all[i].given) return all[i].name;
    return NULL;
}
