/* help: a command's table as --help text and as a man page. One source, so that they cannot disagree. */
#include "base/nearest.h"
#include "tool/tool.h"

const tool_command *tool_command_find(const tool *t, const char *name) {
    for (size_t i = 0; i < t->commands.n; i++)
        if (!strcmp(name, t->commands.v[i]->name)) return t->commands.v[i];
    return NULL;
}

tool_exit tool_no_command(const tool *t, const char *name) {
    weft_nearest near = weft_nearest_to(weft_str_from(name));
    for (size_t i = 0; i < t->commands.n; i++) weft_nearest_offer(&near, weft_str_from(t->commands.v[i]->name));
    if (!near.best.n) return tool_usage(t, "there is no command '%s'", name);
    return tool_usage(t, "there is no command '%s'; the nearest is '%.*s'", name, WEFT_STR_ARG(near.best));
}

/* "--name=VALUE" */
static int print_option_name(const tool_option *o, FILE *out) {
    const char *dash = o->name[1] ? "--" : "-";
    if (!o->value) return fprintf(out, "%s%s", dash, o->name);
    return fprintf(out, o->name[1] ? "%s%s=%s" : "%s%s %s", dash, o->name, o->value);
}

static void print_indented(const char *text, const char *indent, FILE *out) {
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "\n");
        fprintf(out, "%s%.*s\n", n ? indent : "", (int)n, p);
        p += n + (p[n] == '\n');
    }
}

void tool_help(const tool_command *c, FILE *out) {
    fprintf(out, "usage: weft %s%s%s%s\n\n%s\n", c->name, c->option_count ? " [OPTIONS]" : "", *c->arguments ? " " : "",
            c->arguments, c->description);
    if (c->option_count) fprintf(out, "\nOptions:\n");
    for (size_t i = 0; i < c->option_count; i++) {
        fprintf(out, "  ");
        int n = print_option_name(&c->options[i], out);
        fprintf(out, "%*s%s\n", n < 28 ? 28 - n : 2, "", c->options[i].help);
    }
    if (c->more_help) c->more_help(out);
    fprintf(out, "\nExamples:\n");
    print_indented(c->examples, "  ", out);
}

/* Text with troff's special characters escaped; an empty line starts a paragraph. */
static void man_text(const char *text, FILE *out) {
    bool line_start = true;
    for (const char *p = text; *p; p++) {
        if (line_start && (*p == '.' || *p == '\'')) fprintf(out, "\\&");
        if (*p == '\\') fprintf(out, "\\e");
        else if (*p == '-') fprintf(out, "\\-");
        else if (p[0] == '\n' && p[1] == '\n') fprintf(out, "\n.PP");
        else fputc(*p, out);
        line_start = *p == '\n';
    }
}

static void man_line(const char *text, FILE *out) {
    man_text(text, out);
    fputc('\n', out);
}

static void man_head(const char *title, FILE *out) {
    fprintf(out, ".TH %s 1 \"\" \"weft %s\" \"User Commands\"\n", title, weft_version());
}

static void man_exit_status(FILE *out) {
    fprintf(out, ".SH EXIT STATUS\n0: done. 1: failed, or a result differs. 2: wrong usage.\n");
}

static void man_option(const tool_option *o, FILE *out) {
    fprintf(out, ".TP\n.B %s", o->name[1] ? "\\-\\-" : "\\-");
    man_text(o->name, out);
    if (o->value) {
        fputc(o->name[1] ? '=' : ' ', out);
        man_text(o->value, out);
    }
    fputc('\n', out);
    man_line(o->help, out);
}

void tool_man(const tool_command *c, FILE *out) {
    char title[64] = "WEFT\\-";
    size_t n = strlen(title);
    for (const char *p = c->name; *p && n + 1 < sizeof title; p++)
        title[n++] = (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
    man_head(title, out);
    fprintf(out, ".SH NAME\nweft\\-%s \\- %s\n.SH SYNOPSIS\n.B weft %s\n%s", c->name, c->summary, c->name,
            c->option_count ? "[OPTIONS]\n" : "");
    if (*c->arguments) man_line(c->arguments, out);
    fprintf(out, ".SH DESCRIPTION\n");
    man_line(c->description, out);
    if (c->option_count) fprintf(out, ".SH OPTIONS\n");
    for (size_t i = 0; i < c->option_count; i++) man_option(&c->options[i], out);
    fprintf(out, ".SH EXAMPLES\n.nf\n");
    man_line(c->examples, out);
    fprintf(out, ".fi\n");
    man_exit_status(out);
    fprintf(out, ".SH SEE ALSO\n.BR weft (1)\n");
}

void tool_man_main(const tool *t, FILE *out) {
    man_head("WEFT", out);
    fprintf(
        out,
        ".SH NAME\nweft \\- runs one sharded tensor program on many devices\n.SH SYNOPSIS\n.B weft\nCOMMAND [OPTIONS] ...\n"
        ".SH DESCRIPTION\nReads StableHLO programs with Shardy annotations, partitions them, runs them and predicts their cost. A program is a file of "
        "MLIR's text, of MLIR bytecode (also a portable artifact of StableHLO) or of jax.export.\n.SH COMMANDS\n");
    for (size_t i = 0; i < t->commands.n; i++) {
        fprintf(out, ".TP\n.BR weft\\-%s (1)\n", t->commands.v[i]->name);
        man_line(t->commands.v[i]->summary, out);
    }
    man_exit_status(out);
}
