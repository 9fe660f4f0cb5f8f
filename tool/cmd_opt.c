/* cmd_opt: `weft opt`: runs the passes named on the command line over a module, and prints it. */
#include "pipeline/pipeline.h"
#include "tool/expect.h"

typedef struct opt_settings {
    tool_list passes, pipelines;
    bool generic, generic_too, unregistered, locs, dense_groups, time, verify_each, split, expect, after_all;
    const char *output;
    tool_compiling compiling;
} opt_settings;

static const tool_option options[] = {
    { "generic", NULL, TOOL_FLAG, offsetof(opt_settings, generic), "print ops in their generic form" },
    { "mlir-print-op-generic", NULL, TOOL_FLAG, offsetof(opt_settings, generic_too), "the same, by MLIR's name" },
    { "mlir-print-debuginfo", NULL, TOOL_FLAG, offsetof(opt_settings, locs), "print locations" },
    { "allow-unregistered-dialect", NULL, TOOL_FLAG, offsetof(opt_settings, unregistered), "keep ops that Weft does not know" },
    { "dense-groups", NULL, TOOL_FLAG, offsetof(opt_settings, dense_groups), "print replica groups as dense<...> for older readers" },
    { "verify-each", NULL, TOOL_FLAG, offsetof(opt_settings, verify_each), "verify the module after every pass" },
    { "time", NULL, TOOL_FLAG, offsetof(opt_settings, time), "print the milliseconds of reading, each pass and printing to stderr" },
    { "split-input-file", NULL, TOOL_FLAG, offsetof(opt_settings, split), "treat the texts between lines of '// -----' as separate modules" },
    { "verify-diagnostics", NULL, TOOL_FLAG, offsetof(opt_settings, expect), "check diagnostics against '// expected-error {{...}}' comments" },
    { "pass-pipeline", "TEXT", TOOL_LIST, offsetof(opt_settings, pipelines), "run these passes, in MLIR's form: 'builtin.module(PASS,PASS{key=value})'" },
    { "mlir-print-ir-after-all", NULL, TOOL_FLAG, offsetof(opt_settings, after_all), "print the module to stderr after every pass" },
    { "o", "FILE", TOOL_TEXT, offsetof(opt_settings, output), "write to FILE instead of standard output" },
    TOOL_COMPILING_OPTIONS(opt_settings, compiling),
};

static weft_status no_memory(tool *t) { return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory"); }

static weft_status add_pass(tool *t, tool_list *passes, const char *text) {
    weft_status st = weft_pipeline_check(t->cx, weft_str_from(text));
    if (st != WEFT_OK) return st;
    if (passes->n == passes->cap &&
        !weft_arena_grow(&t->cx->arena, (void **)&passes->v, &passes->cap, passes->n + 1, sizeof text))
        return no_memory(t);
    passes->v[passes->n++] = text;
    return WEFT_OK;
}

static weft_status take_pass(tool *t, void *settings, const char *text) {
    opt_settings *s = settings;
    weft_str name = { text, strcspn(text, "=") };
    return weft_pass_find(name) ? add_pass(t, &s->passes, text) : WEFT_ERR_INVALID;
}

/* The closing bracket of the one at p, or NULL. */
static const char *closing(const char *p) {
    const char open = *p, close = open == '(' ? ')' : '}';
    for (int depth = 0; *p; p++) {
        depth += (*p == open) - (*p == close);
        if (!depth) return p;
    }
    return NULL;
}

/* pipeline = member { "," member }    member = OP "(" pipeline ")" | PASS [ "{" options "}" ]. Every pass runs over the
 * whole module, so the ops around it only have to exist. Source: MLIR, docs/PassManagement.md, textual pass
 * pipeline. */
static weft_status take_pipeline(tool *t, tool_list *passes, const char *text, const char *end) {
    while (text < end) {
        size_t n = strcspn(text, ",({)} ");
        const char *p = text + n, *close = *p == '(' || *p == '{' ? closing(p) : p;
        if (n == 0 && *p == ' ') {
            text++;
            continue;
        }
        if (!n || !close || close > end)
            return weft_report(t->cx, WEFT_D_usage, NULL,
                               "'%.*s' in --pass-pipeline is not PASS, PASS{options} or OP(passes)", (int)(end - text),
                               text);
        weft_status st;
        if (*p == '(') {
            st = take_pipeline(t, passes, p + 1, close);
        } else {
            /* PASS, or PASS{options to become PASS=options */
            char *spec = weft_arena_strdup(&t->cx->arena, text, (size_t)(close - text));
            if (spec && *p == '{') spec[n] = '=';
            st = spec ? add_pass(t, passes, spec) : no_memory(t);
        }
        if (st != WEFT_OK) return st;
        text = close + (*p == '(' || *p == '{');
        while (*text == ' ') text++;
        if (text < end && *text++ != ',')
            return weft_report(t->cx, WEFT_D_usage, NULL, "expected ',' in --pass-pipeline, found '%.*s'",
                               (int)(end - text + 1), text - 1);
    }
    return WEFT_OK;
}

typedef struct stopwatch {
    bool on;
    double last_s;
} stopwatch;

static void lap(stopwatch *w, const char *what) {
    double now = w->on ? tool_now_s() : 0;
    if (w->on) fprintf(stderr, "%-44s %9.3f ms\n", what, 1e3 * (now - w->last_s));
    w->last_s = now;
}

typedef struct watcher {
    stopwatch *watch;
    const tool *t;
    bool dump;               /* --mlir-print-ir-after-all */
    unsigned print;          /* weft_print_flags */
} watcher;

static void after_pass(void *user, const char *pass, const weft_module *m) {
    const watcher *w = user;
    lap(w->watch, pass);
    if (!w->dump) return;
    weft_buf text;
    weft_buf_init(&text, &w->t->cx->alloc);
    if (weft_print_module(m, w->print, &text) == WEFT_OK && text.p)
        fprintf(stderr, "// -----// IR Dump After %s //----- //\n%s\n", pass, text.p);
    weft_buf_free(&text);
}

/* One module of the input. Its text is appended to out. */
static weft_status process(tool *t, const opt_settings *s, weft_str input, stopwatch *watch, weft_buf *out) {
    weft_module *m = NULL;
    unsigned print = (s->generic || s->generic_too ? WEFT_PRINT_GENERIC : 0) | (s->locs ? WEFT_PRINT_LOCS : 0) |
                     (s->dense_groups ? WEFT_PRINT_DENSE_GROUPS : 0);
    watcher w = { watch, t, s->after_all, print };
    weft_pipeline_observer observer = { .after = after_pass, .user = &w };
    weft_status st =
        weft_read_text(t->cx, input, t->input.name, s->unregistered ? WEFT_READ_ALLOW_UNREGISTERED : 0, &m);
    lap(watch, "(read)");
    /* one part of several need not have all */
    if (st == WEFT_OK && !s->split) st = tool_rules_check(t, m, &s->compiling);
    const unsigned flags = WEFT_PIPELINE_TAKE | (s->verify_each ? WEFT_PIPELINE_VERIFY_EACH : 0);
    for (size_t i = 0; st == WEFT_OK && i < s->passes.n; i++) {
        const weft_pipeline_call call = { .spec = weft_str_from(s->passes.v[i]), .observer = &observer,
                                          .flags = flags };
        st = weft_pipeline_call_run(t->cx, &call, &m);
    }
    if (st == WEFT_OK) st = weft_print_module(m, print, out);
    if (st == WEFT_OK && out->failed)
        st = weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory to print the module");
    weft_module_free(m);
    return st;
}

/* The same, comparing its diagnostics with the comments in the text. */
static weft_status process_expecting(tool *t, const opt_settings *s, weft_str input, stopwatch *watch, weft_buf *out) {
    t->report = TOOL_REPORT_LATER;
    weft_status st = process(t, s, input, watch, out);
    bool good = tool_expect_check(t, input, stderr);
    t->kept.n = 0;
    t->report = TOOL_REPORT_NOW;
    if (!good) return WEFT_ERR_MISMATCH;
    return st == WEFT_ERR_MEMORY ? st : WEFT_OK;
}

/* The beginning of the next line "// -----", or the end. */
static size_t next_border(weft_str text, size_t from) {
    static const char border[] = "// -----";
    const size_t n = sizeof border - 1;
    for (const char *p = text.p + from, *end = text.p + text.n; p < end;) {
        const char *nl = memchr(p, '\n', (size_t)(end - p)), *stop = nl ? nl : end;
        while (stop > p && (stop[-1] == ' ' || stop[-1] == '\r')) stop--;
        if ((size_t)(stop - p) == n && !memcmp(p, border, n)) return (size_t)(p - text.p);
        if (!nl) break;
        p = nl + 1;
    }
    return text.n;
}

/* Each part after as many empty lines as keep its line numbers those of the file. */
static weft_status process_parts(tool *t, const opt_settings *s, stopwatch *watch, weft_buf *out) {
    weft_str text = { t->input.text, t->input.n };
    weft_status first = WEFT_OK;
    for (size_t from = 0, n = 0; from < text.n || n == 0; n++) {
        size_t to = next_border(text, from);
        weft_buf part;
        weft_buf_init(&part, &t->cx->alloc);
        for (size_t i = 0; i < from; i++)
            if (text.p[i] == '\n') weft_buf_putc(&part, '\n');
        weft_buf_put(&part, text.p + from, to - from);
        if (n) weft_buf_puts(out, "// -----\n");
        weft_str input = { part.p, part.n };
        weft_status st = part.failed ? weft_oom()
                         : s->expect ? process_expecting(t, s, input, watch, out)
                                     : process(t, s, input, watch, out);
        if (first == WEFT_OK) first = st;
        weft_buf_free(&part);
        while (to < text.n && text.p[to] != '\n') to++;
        from = to + 1;
    }
    return first;
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    opt_settings with = *(const opt_settings *)settings;
    const opt_settings *s = &with;
    stopwatch watch = { s->time, tool_now_s() };
    weft_buf text;
    (void)count;
    if (s->pipelines.n && s->passes.n) return tool_usage(t, "--pass-pipeline and passes as options cannot be mixed");
    for (size_t i = 0; i < s->pipelines.n; i++) {
        const char *list = s->pipelines.v[i];
        weft_status st = take_pipeline(t, &with.passes, list, list + strlen(list));
        if (st != WEFT_OK) return tool_exit_of(st);
    }
    weft_buf_init(&text, &t->cx->alloc);
    weft_status st = tool_compiling_set(t, &s->compiling);
    if (st == WEFT_OK) st = tool_input_read(t, arguments[0]);
    if (st == WEFT_OK) st = tool_input_is_text(t);
    weft_str input = { t->input.text, t->input.n };
    bool read = st == WEFT_OK;
    if (read && s->split) st = process_parts(t, s, &watch, &text);
    else if (read && s->expect) st = process_expecting(t, s, input, &watch, &text);
    else if (read) st = process(t, s, input, &watch, &text);
    bool print = st == WEFT_OK || (read && (s->split || s->expect)); /* the good parts of a file with errors */
    weft_status written = print ? tool_output_write(t, s->output, text.p ? text.p : "", text.n) : WEFT_OK;
    lap(&watch, "(print)");
    weft_buf_free(&text);
    return tool_exit_of(st != WEFT_OK ? st : written);
}

/* The place to break a member of a list: its end, or in a long one after its last condition "[key]" or option that
 * fits.
 */
static int member_part(const char *p) {
    const int n = (int)strcspn(p, ",");
    int fits = n < 100 ? n : 0;
    for (int i = 0; n >= 100 && i < 100; i++)
        if (p[i] == ']' || p[i] == ' ') fits = i + 1;
    return fits ? fits : n;
}

/* Prints a list "a,b,c" after a title, with lines broken at commas before column 110. */
static void print_list(const char *title, const char *list, FILE *out) {
    int column = fprintf(out, "      %s:", title);
    for (const char *p = list; *p;) {
        const int n = member_part(p);
        if (column + n > 108) {
            fprintf(out, "\n     ");
            column = 5;
        }
        column += fprintf(out, " %.*s", n, p);
        p += n + (p[n] == ',');
    }
    fputc('\n', out);
}

static void list_passes(FILE *out) {
    for (int pipelines = 0; pipelines < 2; pipelines++) {
        fprintf(out, "\n%s:\n", pipelines ? "Pipelines" : "Passes");
        for (size_t i = 0; i < weft_pass_count(); i++) {
            const weft_pass_info *p = weft_pass_at(i);
            if (p->is_pipeline != (pipelines == 1)) continue;
            fprintf(out, "  --%s\n      %s\n", p->name, p->help);
            if (*p->options) print_list(pipelines ? "runs" : "options", p->options, out);
            if (*p->switches) print_list("options", p->switches, out);
        }
    }
}

const tool_command tool_cmd_opt = {
    .name = "opt",
    .arguments = "FILE|-",
    .summary = "run passes over a module and print it",
    .description =
        "Reads a module from FILE, or from standard input for '-', runs the passes in the given order and prints the\n"
        "result. FILE is MLIR's text, MLIR bytecode or a file of jax.export, and the result is text. A pass or pipeline is\n"
        "named as an option, --PASS or --PASS='key=value key=value'; names and options are those of Shardy's own tool if it\n"
        "has the pass.",
    .examples = "weft opt program.mlir                                   # read, verify, print\n"
                "weft opt --sdy-propagation-pipeline program.mlir        # a sharding for every value\n"
                "weft opt --weft-partition program.mlir                  # the per-device program\n"
                "weft opt --sdy-insert-explicit-reshards='enable-full-version=true' -o out.mlir program.mlir",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(opt_settings),
    .other = take_pass,
    .more_help = list_passes,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
