/* spec: reads a pass with its options, in the form of MLIR's tools.
 *
 *   spec    = name [ '=' options ]
 *   list    = member { ',' member }            member  = name [ '{' options '}' ]
 *   options = { key [ '=' value ] }            value   = word | 'text' | "text" | '{' text '}'
 *
 * Options are separated by blanks; a key without a value means true.
 */
#include "pipeline/registry.h"

static weft_str slice(weft_str s, size_t from, size_t to) { return (weft_str){ s.p + from, to - from }; }

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

weft_spec weft_spec_split(weft_str text) {
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '=') return (weft_spec){ slice(text, 0, i), slice(text, i + 1, text.n) };
    return (weft_spec){ text, { text.p + text.n, 0 } };
}

bool weft_spec_next(weft_str *list, weft_spec *out) {
    weft_str s = *list;
    size_t i = 0;
    while (i < s.n && (blank(s.p[i]) || s.p[i] == ',')) i++;
    if (i == s.n) return false;
    size_t name = i;
    while (i < s.n && s.p[i] != ',' && s.p[i] != '{' && !blank(s.p[i])) i++;
    out->name = slice(s, name, i);
    out->options = slice(s, i, i);
    if (i < s.n && s.p[i] == '{') {
        size_t open = ++i;
        for (int depth = 1; i < s.n; i++) {
            depth += (s.p[i] == '{') - (s.p[i] == '}');
            if (depth == 0) break;
        }
        out->options = slice(s, open, i);
        if (i < s.n) i++;
    }
    *list = slice(s, i, s.n);
    return true;
}

/* The end of the value that starts at i; *from and *to get its text without quotes or braces. false: not closed. */
static bool scan_value(weft_str s, size_t *i, size_t *from, size_t *to) {
    size_t k = *i;
    char c = k < s.n ? s.p[k] : 0;
    if (c == '\'' || c == '"') {
        *from = ++k;
        while (k < s.n && s.p[k] != c) k++;
        if (k == s.n) return false;
        *to = k;
        *i = k + 1;
        return true;
    }
    if (c == '{') {
        *from = ++k;
        for (int depth = 1; k < s.n; k++) {
            depth += (s.p[k] == '{') - (s.p[k] == '}');
            if (depth == 0) break;
        }
        if (k == s.n) return false;
        *to = k;
        *i = k + 1;
        return true;
    }
    *from = k;
    while (k < s.n && !blank(s.p[k])) k++;
    *to = *i = k;
    return true;
}

weft_status weft_options_parse(weft_context *cx, const char *pass, weft_str s, weft_option_list *out) {
    size_t cap = 0;
    out->v = NULL;
    out->n = 0;
    for (size_t i = 0;;) {
        while (i < s.n && (blank(s.p[i]) || s.p[i] == ',')) i++;
        if (i == s.n) return WEFT_OK;
        weft_pass_option o = { { NULL, 0 }, WEFT_STR("true") };
        size_t key = i;
        while (i < s.n && s.p[i] != '=' && !blank(s.p[i])) i++;
        o.key = slice(s, key, i);
        if (i < s.n && s.p[i] == '=') {
            size_t from, to;
            i++;
            if (!scan_value(s, &i, &from, &to))
                return weft_report(cx, WEFT_D_usage, NULL, "the value of option '%.*s' of pass '%s' is not closed",
                                   WEFT_STR_ARG(o.key), pass);
            o.value = slice(s, from, to);
        }
        for (size_t k = 0; k < out->n; k++)
            if (weft_str_equal(out->v[k].key, o.key))
                return weft_report(cx, WEFT_D_usage, NULL, "option '%.*s' of pass '%s' is given twice",
                                   WEFT_STR_ARG(o.key), pass);
        if (o.key.n == 0)
            return weft_report(cx, WEFT_D_usage, NULL, "pass '%s' has an option without a name: '%.*s'", pass,
                               WEFT_STR_ARG(s));
        if (out->n == cap && !weft_arena_grow(&cx->scratch, (void **)&out->v, &cap, out->n + 1, sizeof *out->v))
            return weft_oom();
        out->v[out->n++] = o;
    }
}

bool weft_option_declared(const char *declared, weft_str key, weft_str *absent) {
    for (const char *p = declared; *p;) {
        const char *end = p + strcspn(p, ","), *eq = p + strcspn(p, "=,");
        if (weft_str_equal((weft_str){ p, (size_t)(eq - p) }, key)) {
            const char *value = eq < end ? eq + 1 : end;
            *absent = (weft_str){ value, (size_t)(end - value) };
            return true;
        }
        p = *end ? end + 1 : end;
    }
    return false;
}

static bool is_flag(weft_str v) {
    return weft_str_is(v, "true") || weft_str_is(v, "false") || weft_str_is(v, "1") || weft_str_is(v, "0");
}

static bool is_int(weft_str v) {
    size_t i = v.n && v.p[0] == '-';
    if (i == v.n || v.n - i > 18) return false;
    for (; i < v.n; i++)
        if (v.p[i] < '0' || v.p[i] > '9') return false;
    return true;
}

weft_status weft_option_check(weft_context *cx, const char *pass, weft_str key, weft_str value, weft_str absent) {
    bool flag = weft_str_is(absent, "true") || weft_str_is(absent, "false");
    if (flag ? is_flag(value) : !is_int(absent) || is_int(value)) return WEFT_OK;
    return weft_report(cx, WEFT_D_usage, NULL, "option '%.*s' of pass '%s' takes %s, not '%.*s'", WEFT_STR_ARG(key),
                       pass, flag ? "true or false" : "a whole number", WEFT_STR_ARG(value));
}
