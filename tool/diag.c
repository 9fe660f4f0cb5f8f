/* diag: a diagnostic as compilers print it.
 *
 *   gpt.mlir:41:10: warning: reshape gathers 'tensor<2048x512xf32>' [replicate]
 *     %7 = stablehlo.reshape %6 : ...
 *          ^
 * The line is taken from the text of that name that the tool holds, else from the file of that name if it is readable.
 * Of a long line (a lowered function's signature has thousands of columns) the part around the caret is shown.
 */
#include "tool/tool.h"

#define WIDTH 120 /* columns shown of a source line */

/* Line number `line` of text, without its end. */
static bool line_of(const char *text, size_t n, int64_t line, weft_str *out) {
    const char *p = text, *end = text + n;
    while (line > 1 && p < end) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        if (!nl) return false;
        p = nl + 1;
        line--;
    }
    if (p >= end) return false;
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    *out = (weft_str){ p, (size_t)((nl ? nl : end) - p) };
    return true;
}

/* The tool's text of that name; NULL: none. */
static const tool_text *held_text(const tool *t, const char *name) {
    const tool_text *const all[] = { &t->input, &t->described, &t->priced };
    for (size_t i = 0; i < WEFT_COUNT(all); i++)
        if (all[i]->name && !strcmp(all[i]->name, name)) return all[i];
    return NULL;
}

/* The same from a file; line is filled into buf, truncated if that is full. */
static bool line_of_file(const char *path, int64_t line, char *buf, size_t cap, weft_str *out) {
    FILE *f = fopen(path, "r");
    int64_t at = 1;
    size_t n = 0;
    int c = EOF;
    if (!f) return false;
    while (at < line && (c = getc(f)) != EOF) at += c == '\n';
    while (at == line && n < cap && (c = getc(f)) != EOF && c != '\n') buf[n++] = (char)c;
    fclose(f);
    *out = (weft_str){ buf, n };
    return at == line && n > 0;
}

/* A character that a terminal would interpret. */
static bool is_control(char c) { return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f; }

/* Words of a message; names in them are a program's, and their control characters, and bytes that are no UTF-8, are
 * written as MLIR writes them: the message is text to whatever program reads it. */
static void print_words(const char *p, FILE *out) {
    while (*p) {
        const int n = weft_utf8_bytes((const unsigned char *)p);
        if (!n || is_control(*p)) fprintf(out, "\\%02X", (unsigned char)*p++);
        else for (int i = 0; i < n; i++) fputc(*p++, out);
    }
}

static void print_source(weft_str s, int64_t column, FILE *out) {
    size_t at = column > 0 ? (size_t)column - 1 : 0;
    if (at > s.n) at = s.n;
    size_t from = at > WIDTH * 2 / 3 ? at - WIDTH * 2 / 3 : 0;
    size_t to = from + WIDTH < s.n ? from + WIDTH : s.n;
    if (s.n <= WIDTH) from = 0, to = s.n;
    if (to > from && s.p[to - 1] == '\r') to--;
    fprintf(out, "%s", from ? "..." : "");
    char part[WIDTH + 1]; /* as UTF-8: the file may be none, and a character may be cut at its ends */
    const size_t n = weft_utf8_copy(part, sizeof part, (weft_str){ s.p + from, to - from });
    for (size_t i = 0; i < n; i++) fputc(is_control(part[i]) ? '?' : part[i], out);
    fprintf(out, "%s\n", to < s.n ? "..." : "");
    if (column <= 0) return;
    fprintf(out, "%s", from ? "   " : "");
    for (size_t i = from; i < at; i++) fputc(s.p[i] == '\t' ? '\t' : ' ', out);
    fprintf(out, "^\n");
}

void tool_diag_print(const tool *t, const weft_diag *d, FILE *out) {
    char buf[16384];
    weft_str line;
    print_words(d->file ? d->file : "weft", out);
    if (d->file && d->line > 0) fprintf(out, ":%lld:%lld", (long long)d->line, (long long)d->column);
    fprintf(out, ": %s: ", weft_severity_name(d->severity));
    print_words(d->message, out);
    if (d->flag && *d->flag) fprintf(out, " [%s]", d->flag);
    fputc('\n', out);
    if (!d->file || d->line <= 0) return;
    const tool_text *held = held_text(t, d->file);
    if (held ? line_of(held->text, held->n, d->line, &line) : line_of_file(d->file, d->line, buf, sizeof buf, &line))
        print_source(line, d->column, out);
}

static bool note(tool *t, struct tool_diags *list, const weft_diag *d) {
    if (!weft_arena_grow(&t->cx->arena, (void **)&list->v, &list->cap, list->n + 1, sizeof *d)) return false;
    list->v[list->n++] = *d;
    return true;
}

void tool_diag_handler(void *user, const weft_diag *d) {
    tool *t = user;
    if (t->report != TOOL_REPORT_LATER || !note(t, &t->kept, d)) tool_diag_print(t, d, stderr);
}

void tool_diag_drop(void *user, const weft_diag *d) { (void)user, (void)d; }

void tool_report_kept(tool *t) {
    for (size_t i = 0; i < t->kept.n; i++) tool_diag_print(t, &t->kept.v[i], stderr);
    t->kept.n = 0;
    t->report = TOOL_REPORT_NOW;
}
