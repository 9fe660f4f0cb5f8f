/* rules.c: rules that give algorithms for ranges of sizes, as text. */
#include <string.h>

#include "base/quantity.h"
#include "cost/algorithm_id.h"
#include "cost/link.h"

/* ":FROM-TO" after a collective's name; either end may be missing. */
static bool read_range(weft_str s, weft_alg_rule *rule) {
    rule->from = 0;
    rule->to = INT64_MAX;
    if (s.n == 0) return true;
    if (s.p[0] != ':') return false;
    s = (weft_str){ s.p + 1, s.n - 1 };
    if (s.n && s.p[0] != '-' && !weft_size_take(&s, &rule->from)) return false;
    if (s.n == 0 || s.p[0] != '-') return false;
    s = (weft_str){ s.p + 1, s.n - 1 };
    if (s.n && !weft_size_take(&s, &rule->to)) return false;
    return s.n == 0 && rule->from <= rule->to;
}

size_t weft_alg_rules_read(weft_str s, weft_alg_rule *rules) {
    const char *equals = s.n ? memchr(s.p, '=', s.n) : NULL;
    if (!equals) return 0;
    size_t left = (size_t)(equals - s.p), n = 0;
    const char *colon = memchr(s.p, ':', left);
    weft_str kind = { s.p, colon ? (size_t)(colon - s.p) : left }, range = { s.p + kind.n, left - kind.n },
             name = { equals + 1, s.n - left - 1 };
    weft_alg_rule rule;
    if (!read_range(range, &rule)) return 0;
    bool all = weft_str_is(kind, "*");
    for (rule.alg = 0; rule.alg < WEFT_ALG_COUNT; rule.alg++)
        if ((all || weft_str_is(kind, weft_coll_kind_name(weft_alg_table[rule.alg].kind))) &&
            weft_str_is(name, weft_alg_table[rule.alg].name))
            rules[n++] = rule;
    return n;
}

bool weft_alg_rule_read(weft_str s, weft_alg_rule *rule) {
    return s.n && s.p[0] != '*' && weft_alg_rules_read(s, rule);
}

#define STREAM "stream="

bool weft_stream_rule_read(weft_str s, int64_t *bytes) {
    const size_t n = sizeof STREAM - 1;
    if (s.n <= n || memcmp(s.p, STREAM, n)) return false;
    s = (weft_str){ s.p + n, s.n - n };
    return weft_size_take(&s, bytes) && !s.n && *bytes > 0;
}

/* In the largest unit in which it is an integer. */
static void print_size(weft_buf *b, int64_t n) {
    static const char *const units[] = { "", "K", "M", "G" };
    size_t u = 0;
    for (; n && n % 1024 == 0 && u + 1 < WEFT_COUNT(units); u++) n /= 1024;
    weft_buf_i64(b, n);
    weft_buf_puts(b, units[u]);
}

void weft_alg_rule_print(weft_buf *b, const weft_alg_rule *rule) {
    weft_buf_puts(b, weft_coll_kind_name(weft_alg_table[rule->alg].kind));
    if (rule->from > 0 || rule->to < INT64_MAX) {
        weft_buf_putc(b, ':');
        if (rule->from > 0) print_size(b, rule->from);
        weft_buf_putc(b, '-');
        if (rule->to < INT64_MAX) print_size(b, rule->to);
    }
    weft_buf_printf(b, "=%s", weft_alg_table[rule->alg].name);
}

void weft_stream_rule_print(weft_buf *b, int64_t bytes) {
    weft_buf_puts(b, STREAM);
    print_size(b, bytes);
}
