/* cmd_cache: `weft cache`: what is in the folder of compiled code, and why a program is not. */
#include <stdlib.h>
#include "tool/program_cache.h"
#include "tool/run.h"

typedef struct cache_settings { tool_build_settings build; } cache_settings;

static const tool_option options[] = {
    TOOL_BUILD_OPTIONS(cache_settings, build),
    TOOL_COMPILING_OPTIONS(cache_settings, build.compiling),
};

/* ---- ls, clear ---- */

typedef struct listing {
    tool *t;
    int64_t count[WEFT_CACHE_KINDS], bytes[WEFT_CACHE_KINDS], broken;
} listing;

static void print_age(double s) {
    static const struct { double s; const char *name; } units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" } };
    for (size_t i = 0; i < WEFT_COUNT(units); i++)
        if (s >= units[i].s) {
            printf("%8.0f %-3s", s / units[i].s, units[i].name);
            return;
        }
    printf("%8.0f %-3s", s > 0 ? s : 0, "s");
}

static bool list_one(void *user, const weft_cache_entry *e) {
    listing *l = user;
    l->count[e->kind]++;
    l->bytes[e->kind] += e->file_bytes;
    l->broken += !e->whole;
    if (e->kind != WEFT_CACHE_PROGRAM) return true;
    tool_print_size(l->t, 10, (double)e->file_bytes);
    print_age(e->used_s);
    printf("  %s\n", e->whole ? e->label : "(damaged)");
    return true;
}

static void print_total(tool *t, const char *name, int64_t count, int64_t bytes) {
    printf("%6lld %-9s", (long long)count, name);
    tool_print_size(t, 10, (double)bytes);
    putchar('\n');
}

static weft_status no_folder(tool *t, const weft_cache *c) {
    return weft_report(t->cx, WEFT_D_file, NULL, "the cache folder '%s' cannot be read", weft_cache_folder(c));
}

static weft_status ls(tool *t, weft_cache *c) {
    listing l = { .t = t };
    if (!weft_cache_each(c, list_one, &l)) return no_folder(t, c);
    print_total(t, "programs", l.count[WEFT_CACHE_PROGRAM], l.bytes[WEFT_CACHE_PROGRAM]);
    print_total(t, "functions", l.count[WEFT_CACHE_KERNEL], l.bytes[WEFT_CACHE_KERNEL]);
    if (l.broken) printf("%6lld damaged\n", (long long)l.broken);
    printf("in %s, of at most ", weft_cache_folder(c));
    tool_print_size(t, 0, (double)weft_cache_limit(c));
    putchar('\n');
    return WEFT_OK;
}

static weft_status clear(tool *t, weft_cache *c) {
    const int64_t n = weft_cache_clear(c);
    if (n < 0) return no_folder(t, c);
    printf("removed %lld entries of %s\n", (long long)n, weft_cache_folder(c));
    return WEFT_OK;
}

/* ---- warm ---- */

static weft_status warm(tool *t, weft_cache *c, const char *path, const tool_build_settings *s) {
    run_program p;
    void *state = NULL;
    const weft_cache_counts before = weft_cache_count(c);
    weft_status st = tool_input_read(t, path);
    if (st == WEFT_OK) st = run_compiler_of_program->compile(t, s, NULL, &state, &p);
    const weft_cache_counts now = weft_cache_count(c);
    if (st == WEFT_OK && now.found[WEFT_CACHE_PROGRAM] > before.found[WEFT_CACHE_PROGRAM])
        printf("%s: was there\n", path);
    else if (st == WEFT_OK)
        printf("%s: compiled in %.3f s, %llu functions found and %llu compiled\n", path, p.compile_s,
               (unsigned long long)(now.found[WEFT_CACHE_KERNEL] - before.found[WEFT_CACHE_KERNEL]),
               (unsigned long long)(now.missed[WEFT_CACHE_KERNEL] - before.missed[WEFT_CACHE_KERNEL]));
    run_compiler_of_program->free(state);
    tool_input_free(t);
    return st;
}

/* ---- why-miss ---- */

/* The next line of a key; false at its end. */
static bool next_line(weft_str *rest, weft_str *line) {
    if (!rest->n) return false;
    const char *end = memchr(rest->p, '\n', rest->n);
    const size_t n = end ? (size_t)(end - rest->p) : rest->n;
    *line = (weft_str){ rest->p, n };
    const size_t past = n + (end != NULL);
    *rest = (weft_str){ rest->p + past, rest->n - past };
    return true;
}

static bool has_line(weft_str key, weft_str want) {
    for (weft_str line; next_line(&key, &line);)
        if (weft_str_equal(line, want)) return true;
    return false;
}

/* Lines of a that b lacks. */
static size_t lacking(weft_str a, weft_str b) {
    size_t n = 0;
    for (weft_str line; next_line(&a, &line);) n += !has_line(b, line);
    return n;
}

typedef struct search {
    weft_str want;
    char *best;         /* a copy of the nearest entry's key */
    size_t best_n, best_differs;
    char label[256];
    bool failed;
} search;

static bool search_one(void *user, const weft_cache_entry *e) {
    search *s = user;
    if (e->kind != WEFT_CACHE_PROGRAM || !e->whole) return true;
    const weft_str key = { (const char *)e->key, e->key_bytes };
    const size_t differs = lacking(s->want, key) + lacking(key, s->want);
    if (s->best && differs >= s->best_differs) return true;
    char *copy = malloc(key.n + 1);
    if (!copy) return s->failed = true, false;
    memcpy(copy, key.p, key.n);
    free(s->best);
    s->best = copy, s->best_n = key.n, s->best_differs = differs;
    snprintf(s->label, sizeof s->label, "%s", e->label);
    return true;
}

static void print_differing(const char *what, weft_str a, weft_str b) {
    for (weft_str line; next_line(&a, &line);)
        if (!has_line(b, line)) printf("  %s %.*s\n", what, WEFT_STR_ARG(line));
}

static weft_status why_miss(tool *t, weft_cache *c, const char *path, const tool_build_settings *s) {
    weft_buf key;
    weft_buf_init(&key, &t->cx->alloc);
    weft_status st = tool_input_read(t, path);
    if (st == WEFT_OK) st = tool_input_is_text(t);
    if (st == WEFT_OK) st = tool_program_key(t, s, NULL, &key);
    weft_cached e;
    search found = { .want = { key.p, key.n } };
    if (st != WEFT_OK) goto out;
    if (weft_cache_get(c, WEFT_CACHE_PROGRAM, key.p, key.n, &e)) {
        printf("%s is there\n", path);
        weft_cache_release(&e);
        goto out;
    }
    if (!weft_cache_each(c, search_one, &found)) st = no_folder(t, c);
    else if (found.failed) st = weft_oom();
    else if (!found.best) printf("%s is not there: the cache has no program\n", path);
    else {
        const weft_str near = { found.best, found.best_n };
        printf("%s is not there; the nearest entry (%s) differs:\n", path, found.label);
        print_differing("there:", near, found.want);
        print_differing("here: ", found.want, near);
    }
out:
    free(found.best);
    weft_buf_free(&key);
    tool_input_free(t);
    return st;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const tool_build_settings *s = &((const cache_settings *)settings)->build;
    const char *action = arguments[0];
    const bool warms = !strcmp(action, "warm"), asks = !strcmp(action, "why-miss"), lists = !strcmp(action, "ls");
    weft_cache *c;
    if (!warms && !asks && !lists && strcmp(action, "clear"))
        return tool_usage(t, "'%s' is none of ls, warm, clear, why-miss", action);
    if ((warms || asks) && count < 2) return tool_usage(t, "%s takes programs", action);
    if (!warms && !asks && count > 1) return tool_usage(t, "there is one argument too many: '%s'", arguments[1]);
    if (t->launch.process > 0) return TOOL_DONE;
    weft_status st = tool_cache_open(t, &c);
    if (st == WEFT_OK && !c)
        st = weft_report(t->cx, WEFT_D_usage, NULL,
                         "there is no cache: WEFT_CACHE_DIR, XDG_CACHE_HOME and HOME name no folder that can be used");
    if (st == WEFT_OK && lists) st = ls(t, c);
    else if (st == WEFT_OK && !warms && !asks) st = clear(t, c);
    for (size_t i = 1; i < count && st == WEFT_OK; i++)
        st = warms ? warm(t, c, arguments[i], s) : why_miss(t, c, arguments[i], s);
    return tool_exit_of(st);
}

const tool_command tool_cmd_cache = {
    .name = "cache",
    .arguments = "ls|warm|clear|why-miss [FILE ...]",
    .summary = "the cache of compiled programs and functions",
    .description =
        "'weft run' keeps what it compiles: each function by what it computes, the processor, LLVM and the build of Weft; and each\n"
        "program as a whole by its text and options. The next run of the program, or of one with equal functions, takes them from there.\n"
        "Programs in C keep both, too, and JAX's plugin functions. Of the processes of a job one compiles, and the others wait for it.\n\n"
        "The folder is WEFT_CACHE_DIR ('none': nothing is kept), else $XDG_CACHE_HOME/weft/compiled or ~/.cache/weft/compiled. It is not\n"
        "used if others may write to it or if it belongs to another user. What was used least recently goes when there are more than\n"
        "WEFT_CACHE_SIZE bytes ('512MiB'; 1 GiB by default). Entries are checked before they are used; damaged ones are removed.\n\n"
        "ls prints the programs with the time since their last use, and totals. warm compiles programs for later runs with these\n"
        "options. clear removes all entries. why-miss says of which text, options, processor or build the nearest entry is.",
    .examples = "weft cache ls                                      # what there is\n"
                "weft cache warm train.mlir eval.mlir --mesh data=8  # compiled now, run later\n"
                "weft cache why-miss train.mlir --mesh data=4        # here: mesh data=4; there: mesh data=8\n"
                "WEFT_CACHE_DIR=none weft run train.mlir             # compiled, and nothing kept",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(cache_settings),
    .min_arguments = 1,
    .max_arguments = 1000,
    .run = run,
};
