/* cmd_convert: `weft convert`: a module from one of its forms to another: text, MLIR bytecode, portable artifact. */
#include "pipeline/pipeline.h"
#include "tool/tool.h"

typedef struct convert_settings {
    const char *to, *output;
    bool locs, generic, unregistered;
} convert_settings;

static const tool_option options[] = {
    { "to", "FORM", TOOL_TEXT, offsetof(convert_settings, to), "text, bytecode, or vhlo=VERSION: StableHLO's portable artifact; text by default" },
    { "o", "FILE", TOOL_TEXT, offsetof(convert_settings, output), "write to FILE instead of standard output" },
    { "locs", NULL, TOOL_FLAG, offsetof(convert_settings, locs), "print locations in text; bytecode always has them" },
    { "generic", NULL, TOOL_FLAG, offsetof(convert_settings, generic), "print ops of text in their generic form" },
    { "allow-unregistered-dialect", NULL, TOOL_FLAG, offsetof(convert_settings, unregistered), "keep ops that Weft does not know" },
};

typedef enum form { TEXT, BYTECODE, VHLO, NO_FORM } form;

static form form_of(const char *to, const char **version) {
    *version = NULL;
    if (!to || !strcmp(to, "text")) return TEXT;
    if (!strcmp(to, "bytecode")) return BYTECODE;
    if (!strncmp(to, "vhlo=", 5)) *version = to + 5;
    return *version || !strcmp(to, "vhlo") ? VHLO : NO_FORM;
}

static weft_status write(const convert_settings *s, const weft_module *m, form to, const weft_vhlo_version *version,
                         weft_buf *out) {
    const unsigned print = (s->locs ? WEFT_PRINT_LOCS : 0) | (s->generic ? WEFT_PRINT_GENERIC : 0);
    return to == TEXT ? weft_print_module(m, print, out)
           : to == BYTECODE ? weft_write_bytecode(m, out)
                            : weft_write_portable(m, version, out);
}

static tool_exit run(tool *t, const void *settings, char *const *arguments, size_t count) {
    const convert_settings *s = settings;
    const char *wanted;
    const form to = form_of(s->to, &wanted);
    weft_vhlo_version version = weft_vhlo_newest;
    weft_module *m = NULL;
    weft_buf out;
    (void)count;
    if (to == NO_FORM) return tool_usage(t, "--to is text, bytecode or vhlo=VERSION, not '%s'", s->to);
    if (to != TEXT && (s->locs || s->generic)) return tool_usage(t, "--locs and --generic are for text");
    if (wanted && weft_vhlo_version_read(t->cx, weft_str_from(wanted), &version) != WEFT_OK) return TOOL_USAGE;
    weft_buf_init(&out, &t->cx->alloc);
    weft_status st = tool_input_read(t, arguments[0]);
    if (st == WEFT_OK) st = tool_input_is_text(t);
    if (st == WEFT_OK)
        st = weft_read_text(t->cx, (weft_str){ t->input.text, t->input.n }, t->input.name,
                            s->unregistered ? WEFT_READ_ALLOW_UNREGISTERED : 0, &m);
    if (st == WEFT_OK) st = write(s, m, to, &version, &out);
    if (st == WEFT_ERR_MEMORY || out.failed)
        st = weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory to convert the module");
    if (st == WEFT_OK) st = tool_output_write(t, s->output, out.p ? out.p : "", out.n);
    weft_module_free(m);
    weft_buf_free(&out);
    return tool_exit_of(st);
}

const tool_command tool_cmd_convert = {
    .name = "convert",
    .arguments = "FILE|-",
    .summary = "write a module as text, MLIR bytecode or a portable artifact",
    .description =
        "Reads a module from FILE, or from standard input for '-', and writes it in another form. FILE is MLIR's text, MLIR\n"
        "bytecode of any version up to 6, a portable artifact of StableHLO or a file of jax.export.\n"
        "\n"
        "'--to bytecode' keeps the module's dialects: it is for readers of the same version of StableHLO. '--to vhlo=VERSION'\n"
        "writes the portable artifact of that version of StableHLO, " WEFT_VHLO_OLDEST " to " WEFT_VHLO_NEWEST
        ", which all later versions read; '--to vhlo'\n"
        "that of the newest. An op, attribute or type that came later is an error at its line.",
    .examples = "weft convert program.mlir --to bytecode -o program.mlirbc       # MLIR bytecode\n"
                "weft convert program.mlir --to vhlo=1.13.0 -o program.mlirbc    # for StableHLO 1.13.0 and later\n"
                "weft convert program.jaxexport                                  # as text",
    .options = options,
    .option_count = WEFT_COUNT(options),
    .settings_bytes = sizeof(convert_settings),
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
