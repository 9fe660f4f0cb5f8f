/* cmd_opt: `weft opt`: a module through the passes named on the command line, and out again as text. */
#include <stdlib.h>
#include "pipeline/pipeline.h"
#include "tool/tool.h"

typedef struct opt_settings {
    tool_list passes;
    bool generic, generic_too, unregistered, locs, dense_groups, time, verify_each;
    const char *output;
} opt_settings;

static const tool_option options[] = {
    { "generic", NULL, TOOL_FLAG, offsetof(opt_settings, generic), "print ops in their generic form" },
    { "mlir-print-op-generic", NULL, TOOL_FLAG, offsetof(opt_settings, generic_too), "the same, by MLIR's name" },
    { "mlir-print-debuginfo", NULL, TOOL_FLAG, offsetof(opt_settings, locs), "print locations" },
    { "allow-unregistered-dialect", NULL, TOOL_FLAG, offsetof(opt_settings, unregistered), "keep ops that Weft does not know" },
    { "dense-groups", NULL, TOOL_FLAG, offsetof(opt_settings, dense_groups), "print replica groups as dense<...> for older readers" },
    { "verify-each", NULL, TOOL_FLAG, offsetof(opt_settings, verify_each), "verify the module after every pass" },
    { "time", NULL, TOOL_FLAG, offsetof(opt_settings, time), "print the milliseconds of reading, each pass and printing to stderr" },
    { "o", "FILE", TOOL_TEXT, offsetof(opt_settings, output), "write to FILE instead of standard output" },
};

static weft_status take_pass(tool *t, void *settings, const char *text) {
    opt_settings *s = settings;
    weft_str name = { text, strcspn(text, "=") };
    if (!weft_pass_find(name)) return WEFT_ERR_INVALID;
    weft_status st = weft_pipeline_check(t->cx, weft_str_from(text));
    if (st != WEFT_OK) return st;
    if (s->passes.n == s->passes.cap) {
        size_t cap = s->passes.cap ? 2 * s->passes.cap : 8;
        const char **v = realloc(s->passes.v, cap * sizeof *v);
        if (!v) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
        s->passes.v = v;
        s->passes.cap = cap;
    }
    s->passes.v[s->passes.n++] = text;
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

static void after_pass(void *user, const char *pass, const weft_module *m) {
    (void)m;
    lap(user, pass);
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const opt_settings *s = settings;
    stopwatch watch = { s->time, tool_now_s() };
    weft_pipeline_observer observer = { after_pass, &watch };
    weft_module *m = NULL;
    weft_buf text;
    unsigned print = (s->generic || s->generic_too ? WEFT_PRINT_GENERIC : 0) | (s->locs ? WEFT_PRINT_LOCS : 0) |
                     (s->dense_groups ? WEFT_PRINT_DENSE_GROUPS : 0);
    (void)count;
    weft_buf_init(&text, &t->cx->alloc);
    weft_status st = tool_input_read(t, arguments[0]);
    if (st == WEFT_OK)
        st = weft_read_text(t->cx, (weft_str){ t->input.text, t->input.n }, t->input.name, s->unregistered ? WEFT_READ_ALLOW_UNREGISTERED : 0, &m);
    lap(&watch, "(read)");
    for (size_t i = 0; st == WEFT_OK && i < s->passes.n; i++)
        st = weft_pipeline_run_observed(t->cx, weft_str_from(s->passes.v[i]), s->verify_each ? WEFT_PIPELINE_VERIFY_EACH : 0, &observer, &m);
    if (st == WEFT_OK) st = weft_print_module(m, print, &text);
    if (st == WEFT_OK && text.failed) st = weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory to print the module");
    if (st == WEFT_OK) st = tool_output_write(t, s->output, text.p ? text.p : "", text.n);
    lap(&watch, "(print)");
    weft_buf_free(&text);
    weft_module_free(m);
    return st == WEFT_OK ? TOOL_DONE : tool_exit_of(st);
}

/* A list "a,b,c" behind a title, broken at commas before column 110. */
static void print_list(const char *title, const char *list, FILE *out) {
    int column = fprintf(out, "      %s:", title);
    for (const char *p = list; *p;) {
        int n = (int)strcspn(p, ",");
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
        }
    }
}

const tool_command tool_cmd_opt = {
    .name = "opt",
    .arguments = "FILE|-",
    .summary = "print a module after the passes named",
    .description = "Reads a module from FILE, or from standard input for '-', runs the passes in the order given and prints the\n"
                   "result. A pass or pipeline is named as an option, --PASS or --PASS='key=value key=value'; names and options\n"
                   "are those of Shardy's own tool where it has one.",
    .examples = "weft opt program.mlir                                   # read, verify, print\n"
                "weft opt --sdy-propagation-pipeline program.mlir        # a sharding for every value\n"
                "weft opt --weft-partition program.mlir                  # what each device runs\n"
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
