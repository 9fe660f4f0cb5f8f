/* instruction_filter: see instruction_filter.h. */
#include "pipeline/instruction_filter.h"

#define NO_LIMIT (-1)

#define LOW_KEY WEFT_STR("selectLow=")
#define HIGH_KEY WEFT_STR("selectHigh=")

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\'' || c == '"'; }

/* The next token that is not empty, without blanks and quotes around it. */
static bool next_token(weft_str *list, weft_str *token) {
    size_t from = 0, to;
    while (from < list->n && (blank(list->p[from]) || list->p[from] == ',')) from++;
    for (to = from; to < list->n && list->p[to] != ',';) to++;
    *token = (weft_str){ list->p + from, to - from };
    *list = (weft_str){ list->p + to, list->n - to };
    while (token->n && blank(token->p[token->n - 1])) token->n--;
    return token->n != 0;
}

static bool starts_with(weft_str s, weft_str prefix) { return s.n >= prefix.n && !memcmp(s.p, prefix.p, prefix.n); }

/* "selectLow=3", where the token is about this key. */
static weft_status read_limit(weft_context *cx, weft_str token, weft_str key, int64_t *out) {
    int64_t n = 0;
    if (!starts_with(token, key)) return WEFT_OK;
    size_t digits = token.n - key.n, i = key.n;
    while (i < token.n && token.p[i] >= '0' && token.p[i] <= '9' && digits <= 18) n = 10 * n + (token.p[i++] - '0');
    if (!digits || i < token.n)
        return weft_report(cx, WEFT_D_usage, NULL, "'%.*s' in a filter of ops is not %.*sNUMBER", WEFT_STR_ARG(token),
                           WEFT_STR_ARG(key));
    *out = n;
    return WEFT_OK;
}

weft_status weft_instruction_filter_read(weft_context *cx, weft_str text, weft_instruction_filter *out) {
    weft_str token;
    weft_status st = WEFT_OK;
    *out = (weft_instruction_filter){ text, NO_LIMIT, NO_LIMIT };
    while (st == WEFT_OK && next_token(&text, &token)) {
        st = read_limit(cx, token, LOW_KEY, &out->low);
        if (st == WEFT_OK) st = read_limit(cx, token, HIGH_KEY, &out->high);
    }
    return st;
}

static bool contains(const char *text, weft_str part) {
    for (size_t n = strlen(text); n >= part.n; n--, text++)
        if (!memcmp(text, part.p, part.n)) return true;
    return false;
}

bool weft_instruction_filter_takes(const weft_instruction_filter *f, const weft_op *op, int64_t number) {
    weft_str list = f->text, token;
    bool any = false, named = false;
    if (f->low != NO_LIMIT && number < f->low) return false;
    if (f->high != NO_LIMIT && number > f->high) return false;
    while (next_token(&list, &token)) {
        if (starts_with(token, LOW_KEY) || starts_with(token, HIGH_KEY)) continue;
        any = true;
        named |= contains(op->name->text, token);
    }
    return named || !any;
}
