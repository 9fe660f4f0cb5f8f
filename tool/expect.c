/* expect: comments that expect diagnostics, as MLIR's -verify-diagnostics reads them.
 *
 *   comment = "expected-" severity [ "-re" ] { " " } [ "@" place ] { " " } "{{" text "}}" end of line
 *   place   = ("+" | "-") number | "above" | "below" | "unknown"
 *
 * A line has at most one comment. above and below mean the nearest line in that direction without a comment. In "-re"
 * texts the parts between {{ and }} are POSIX regular expressions, the rest is literal. A comment matches every
 * diagnostic that fits it, so a repeated diagnostic needs one comment. Source: MLIR, lib/IR/Diagnostics.cpp,
 * SourceMgrDiagnosticVerifierHandler.
 */
#include <regex.h>
#include <stdlib.h>
#include "tool/expect.h"

enum { NO_LINE = 0, ANY_SEVERITY = -1 };

typedef struct expectation {
    int severity;          /* a weft_severity, or one that Weft never reports */
    int64_t line;          /* NO_LINE: of a diagnostic without a place */
    int64_t here;          /* of the comment itself */
    weft_str text;
    bool is_regex, met;
    regex_t regex;
} expectation;

typedef struct expectations { expectation *v; size_t n, cap; } expectations;

static bool out_of_memory(FILE *out) {
    fprintf(out, "weft: error: there is not enough memory to compare diagnostics\n");
    return false;
}

/* "{{a.*b}}" parts as regular expressions in parentheses, the rest with its special characters escaped. */
static bool compile_regex(expectation *e, const char *file, FILE *out) {
    weft_str s = e->text;
    char *pattern = malloc(2 * s.n + 8), *w = pattern;
    if (!pattern) return out_of_memory(out);
    for (size_t i = 0; i < s.n;) {
        const char *close =
            i + 1 < s.n && s.p[i] == '{' && s.p[i + 1] == '{' ? memmem(s.p + i + 2, s.n - i - 2, "}}", 2) : NULL;
        if (close) {
            size_t n = (size_t)(close - s.p) - i - 2;
            *w++ = '(';
            memcpy(w, s.p + i + 2, n);
            w += n;
            *w++ = ')';
            i += n + 4;
        } else {
            if (strchr("()^$|*+?.[]\\{}", s.p[i])) *w++ = '\\';
            *w++ = s.p[i++];
        }
    }
    *w = 0;
    int rc = regcomp(&e->regex, pattern, REG_EXTENDED | REG_NOSUB);
    free(pattern);
    if (!rc) return e->is_regex = true;
    char why[128];
    regerror(rc, &e->regex, why, sizeof why);
    fprintf(out, "%s:%lld: error: invalid regex: %s\n", file, (long long)e->here, why);
    return false;
}

/* The comment on one line, or false. last: the line above without one. *below: it waits for the next such line. */
static bool read_line(weft_str line, int64_t here, int64_t last, expectation *e, bool *below, bool *regex) {
    static const struct { const char *name; int severity; } names[] = {
        { "error", WEFT_ERROR }, { "warning", WEFT_WARNING }, { "note", WEFT_NOTE }, { "remark", ANY_SEVERITY },
    };
    static const char word[] = "expected-";
    for (const char *at = line.p, *end = line.p + line.n; (at = memmem(at, (size_t)(end - at), word, sizeof word - 1));
         at++) {
        const char *p = at + sizeof word - 1;
        size_t k = 0, n = 0;
        for (; k < WEFT_COUNT(names); k++)
            if ((n = strlen(names[k].name)) <= (size_t)(end - p) && !memcmp(p, names[k].name, n)) break;
        if (k == WEFT_COUNT(names)) continue;
        *e = (expectation){ .severity = names[k].severity, .line = here, .here = here };
        *below = *regex = false;
        p += n;
        if (end - p > 3 && !memcmp(p, "-re", 3)) *regex = true, p += 3;
        while (p < end && *p == ' ') p++;
        if (p < end && *p == '@') {
            p++;
            size_t left = (size_t)(end - p);
            if (left > 5 && !memcmp(p, "above", 5)) e->line = last, p += 5;
            else if (left > 5 && !memcmp(p, "below", 5)) *below = true, p += 5;
            else if (left > 7 && !memcmp(p, "unknown", 7)) e->line = NO_LINE, p += 7;
            else if (left > 1 && (*p == '+' || *p == '-') && p[1] >= '0' && p[1] <= '9') {
                int64_t step = 0, sign = *p++ == '-' ? -1 : 1;
                for (; p < end && *p >= '0' && *p <= '9' && step < INT32_MAX; p++) step = step * 10 + (*p - '0');
                e->line = here + sign * step;
            } else continue;
        }
        while (p < end && *p == ' ') p++;
        if (end - p < 4 || memcmp(p, "{{", 2) || memcmp(end - 2, "}}", 2)) continue;
        e->text = (weft_str){ p + 2, (size_t)(end - p) - 4 };
        return true;
    }
    return false;
}

static bool add(expectations *all, const expectation *e) {
    if (all->n == all->cap) {
        size_t cap = all->cap ? 2 * all->cap : 16;
        expectation *v = realloc(all->v, cap * sizeof *v);
        if (!v) return false;
        all->v = v;
        all->cap = cap;
    }
    all->v[all->n++] = *e;
    return true;
}

static bool read_all(const tool *t, weft_str text, expectations *all, FILE *out) {
    size_t waiting = 0; /* the first that refers to the next line without a comment */
    int64_t here = 1, last = 1;
    bool good = true;
    for (const char *p = text.p, *end = text.p + text.n; p < end; here++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        weft_str line = { p, (size_t)((nl ? nl : end) - p) };
        expectation e;
        bool below, regex;
        p = nl ? nl + 1 : end;
        while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' ')) line.n--;
        if (!read_line(line, here, last, &e, &below, &regex)) {
            for (; waiting < all->n; waiting++)
                if (all->v[waiting].line == INT64_MAX) all->v[waiting].line = here;
            last = here;
            continue;
        }
        if (below) e.line = INT64_MAX;
        if (regex && !compile_regex(&e, t->input.name, out)) good = false;
        else if (!add(all, &e)) return out_of_memory(out);
    }
    return good;
}

static bool says(const expectation *e, const weft_diag *d) {
    if (e->is_regex) return !regexec(&e->regex, d->message, 0, NULL, 0);
    return !e->text.n || memmem(d->message, strlen(d->message), e->text.p, e->text.n) != NULL;
}

/* Compares one diagnostic with all comments of its line. */
static const char *expected_name(const expectation *e) {
    return e->severity == ANY_SEVERITY ? "remark" : weft_severity_name((weft_severity)e->severity);
}

static bool foretold(const tool *t, expectations *all, const weft_diag *d, FILE *out) {
    bool here = d->file && !strcmp(d->file, t->input.name);
    const expectation *near = NULL;
    for (size_t i = 0; (here || !d->file) && i < all->n; i++) {
        expectation *e = &all->v[i];
        if (e->line != (here ? d->line : NO_LINE) || !says(e, d)) continue;
        if (e->severity == (int)d->severity) return e->met = true;
        near = e;
    }
    if (d->file) fprintf(out, "%s:%lld:%lld: ", d->file, (long long)d->line, (long long)d->column);
    else fprintf(out, "%s: ", t->input.name);
    if (near)
        fprintf(out, "error: '%s' diagnostic emitted when expecting a '%s'\n", weft_severity_name(d->severity),
                expected_name(near));
    else fprintf(out, "error: unexpected %s: %s\n", weft_severity_name(d->severity), d->message);
    return false;
}

bool tool_expect_check(const tool *t, weft_str text, FILE *out) {
    expectations all = { NULL, 0, 0 };
    bool good = read_all(t, text, &all, out);
    for (size_t i = 0; i < t->kept.n; i++)
        if (t->kept.v[i].severity != WEFT_HELP)
            good &= foretold(t, &all, &t->kept.v[i], out); /* MLIR has no such thing */
    for (size_t i = 0; i < all.n; i++) {
        const expectation *e = &all.v[i];
        if (!e->met) {
            fprintf(out, "%s:%lld: error: expected %s \"%.*s\" was not produced\n", t->input.name, (long long)e->here,
                    expected_name(e), WEFT_STR_ARG(e->text));
            good = false;
        }
        if (e->is_regex) regfree(&all.v[i].regex);
    }
    free(all.v);
    return good;
}
