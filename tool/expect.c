/* expect: the comments that foretell diagnostics.
 *
 *   comment = "expected-" severity [ "-re" ] [ " " ] [ "@" place ] " {{" text "}}"
 *   place   = ("+" | "-") number | number | "above" | "below" | "unknown"
 *
 * above and below mean the nearest line in that direction that is not itself such a comment. In "-re" texts, {{ }} inside
 * would be a pattern; they are matched up to the first of these only.
 */
#include <stdlib.h>
#include "tool/expect.h"

#define ANY_LINE (-1)

typedef struct expectation {
    weft_severity severity;
    int64_t line;          /* or ANY_LINE */
    weft_str text;
} expectation;

static bool holds(weft_str line, const char *what) { return memmem(line.p, line.n, what, strlen(what)) != NULL; }

static weft_str nth_line(weft_str text, int64_t n) {
    const char *p = text.p, *end = text.p + text.n;
    for (; n > 1 && p < end; n--) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        p = nl ? nl + 1 : end;
    }
    const char *nl = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return (weft_str){ p, (size_t)((nl ? nl : end) - p) };
}

/* "@+1" and its like at p; *p is moved behind it. */
static int64_t take_place(weft_str text, const char **p, int64_t here) {
    int64_t line = here;
    if (**p != '@') return here;
    ++*p;
    if (**p == '+' || **p == '-') {
        line = here + strtoll(*p, (char **)p, 10);
    } else if (**p >= '0' && **p <= '9') {
        line = strtoll(*p, (char **)p, 10);
    } else if (!strncmp(*p, "above", 5) || !strncmp(*p, "below", 5)) {
        int64_t step = **p == 'a' ? -1 : 1;
        for (line += step; line > 1 && holds(nth_line(text, line), "expected-"); line += step) {}
        *p += 5;
    } else if (!strncmp(*p, "unknown", 7)) {
        line = ANY_LINE;
        *p += 7;
    }
    return line;
}

/* The expectation that starts at p, or false. */
static bool read_one(weft_str text, const char *p, int64_t here, expectation *out) {
    static const struct { const char *name; weft_severity severity; } names[] = {
        { "error", WEFT_ERROR }, { "warning", WEFT_WARNING }, { "note", WEFT_NOTE }, { "remark", WEFT_NOTE },
    };
    for (size_t i = 0; i < WEFT_COUNT(names); i++) {
        size_t n = strlen(names[i].name);
        if (strncmp(p, names[i].name, n)) continue;
        const char *q = p + n;
        if (!strncmp(q, "-re", 3)) q += 3;
        while (*q == ' ') q++;
        out->severity = names[i].severity;
        out->line = take_place(text, &q, here);
        while (*q == ' ') q++;
        if (strncmp(q, "{{", 2)) return false;
        const char *end = strstr(q + 2, "}}"), *pattern = strstr(q + 2, "{{");
        if (!end) return false;
        out->text = (weft_str){ q + 2, (size_t)((pattern && pattern < end ? pattern : end) - q - 2) };
        return true;
    }
    return false;
}

static bool meets(const expectation *e, const weft_diag *d) {
    if (e->severity != d->severity || (e->line != ANY_LINE && e->line != d->line)) return false;
    return memmem(d->message, strlen(d->message), e->text.p, e->text.n) != NULL;
}

bool tool_expect_check(const tool *t, weft_str input, FILE *out) {
    const weft_diag *kept = t->kept.v;
    size_t n = t->kept.n;
    char *copy = strndup(input.p, input.n); /* with an end, for the searches above */
    bool *met = calloc(n + 1, sizeof *met), good = copy && met;
    weft_str text = { copy, good ? strlen(copy) : 0 };
    int64_t here = 1;
    for (const char *p = copy, *at = copy; good && (at = strstr(at, "expected-")); at++) {
        expectation e;
        size_t i = 0;
        for (; p < at; p++) here += *p == '\n';
        if (!read_one(text, at + strlen("expected-"), here, &e)) continue;
        while (i < n && (met[i] || !meets(&e, &kept[i]))) i++;
        met[i] = true;
        if (i < n) continue;
        fprintf(out, "%s:%lld: error: the expected diagnostic '%.*s' did not come\n", t->input.name, (long long)e.line, WEFT_STR_ARG(e.text));
        good = false;
    }
    for (size_t i = 0; met && i < n; i++) {
        if (met[i] || kept[i].severity == WEFT_NOTE) continue;
        fprintf(out, "%s:%lld: error: unexpected diagnostic: %s\n", t->input.name, (long long)kept[i].line, kept[i].message);
        good = false;
    }
    free(met);
    free(copy);
    return good;
}
