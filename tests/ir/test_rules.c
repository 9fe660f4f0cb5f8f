/* The constraints of each op, one line per rule: tests/ir/rules_*.txt. A line is
 *
 *     op | rule | (operand types) -> result types | attributes and regions | diagnostic
 *
 * and becomes a function around that one op. The op is StableHLO's when it names no dialect; the rule is the constraint
 * of docs/spec.md that is violated, and how. `ok` as diagnostic: none. @sum(f32) and the like are abbreviations of
 * regions.
 */
#include <stdio.h>
#include "base/context.h"
#include "mlir/read.h"
#include "tests/support/suite.h"

static const char *const files[] = { "pointwise", "shape", "compute", "program" };

enum { FIELDS = 5, OP = 0, RULE, TYPES, REST, REPORT };

/* $0 and $1 are the element types, with dimensions before them where a test wants such. */
static const struct { const char *name, *text;
} regions[] = {
    { "sum",
      "{^bb0(%a: tensor<$0>, %b: tensor<$0>): %c = \"stablehlo.add\"(%a, %b) : (tensor<$0>, tensor<$0>) -> tensor<$0> "
      "\"stablehlo.return\"(%c) : (tensor<$0>) -> ()}" },
    { "pair", "{^bb0(%a: tensor<$0>, %b: tensor<$1>, %c: tensor<$0>, %d: tensor<$1>): "
              "\"stablehlo.return\"(%a, %b) : (tensor<$0>, tensor<$1>) -> ()}" },
    { "one", "{^bb0(%a: tensor<$0>): \"stablehlo.return\"(%a) : (tensor<$0>) -> ()}" },
    { "less",
      "{^bb0(%a: tensor<$0>, %b: tensor<$0>): %c = \"stablehlo.compare\"(%a, %b) <{comparison_direction = "
      "#stablehlo<comparison_direction LT>}> : (tensor<$0>, tensor<$0>) -> tensor<i1> \"stablehlo.return\"(%c) : (tensor<i1>) -> ()}" },
    { "branch",
      "{%a = \"stablehlo.constant\"() <{value = dense<1.0> : tensor<$0>}> : () -> tensor<$0> \"stablehlo.return\"(%a) : (tensor<$0>) -> ()}" },
};

static bool take(weft_str *s, const char *prefix) {
    size_t n = strlen(prefix);
    if (s->n < n || memcmp(s->p, prefix, n)) return false;
    s->p += n;
    s->n -= n;
    return true;
}

static weft_str trim(weft_str s) {
    while (s.n && *s.p == ' ') s.p++, s.n--;
    while (s.n && s.p[s.n - 1] == ' ') s.n--;
    return s;
}

/* What of s stands before the first `end` outside of brackets; s goes on after it. */
static weft_str cut(weft_str *s, char end) {
    size_t i = 0, depth = 0;
    for (; i < s->n && (depth || s->p[i] != end); i++) {
        if (s->p[i] == '-' && i + 1 < s->n && s->p[i + 1] == '>') i++;
        else if (strchr("<({[", s->p[i])) depth++;
        else if (strchr(">)}]", s->p[i])) depth--;
    }
    weft_str part = { s->p, i };
    i = i < s->n ? i + 1 : i;
    s->p += i;
    s->n -= i;
    return trim(part);
}

/* Text with the @regions written out. */
static void put_rest(weft_buf *b, weft_str s) {
    while (s.n) {
        bool done = false;
        for (size_t i = 0; i < WEFT_COUNT(regions) && !done; i++) {
            weft_str at = s, parts[2];
            if (!take(&at, "@") || !take(&at, regions[i].name) || !take(&at, "(")) continue;
            weft_str inner = cut(&at, ')');
            for (size_t k = 0; k < 2; k++) parts[k] = cut(&inner, ',');
            for (const char *p = regions[i].text; *p; p++) {
                if (*p == '$') weft_buf_put(b, parts[p[1] - '0'].p, parts[p[1] - '0'].n), p++;
                else weft_buf_putc(b, *p);
            }
            s = at;
            done = true;
        }
        if (!done) weft_buf_putc(b, *s.p), s.p++, s.n--;
    }
}

static void put_module(weft_buf *b, const weft_str *f) {
    weft_str types = f[TYPES], ins, outs;
    ck_assert(take(&types, "("));
    ins = cut(&types, ')');
    ck_assert(take(&types, " -> "));
    outs = types;
    uint32_t results = 1, operands = 0;
    if (take(&outs, "("))
        for (results = 0, outs = cut(&outs, ')'); outs.n; cut(&outs, ',')) results++;
    weft_buf_puts(b, "func.func private @callee(tensor<2xf32>) -> tensor<2xf32>\nfunc.func @f(");
    for (; ins.n; operands++) {
        weft_str t = cut(&ins, ',');
        weft_buf_printf(b, "%s%%%u: %.*s", operands ? ", " : "", operands, WEFT_STR_ARG(t));
    }
    weft_buf_puts(b, ") {\n  ");
    if (results) weft_buf_printf(b, "%%r:%u = ", results);
    weft_buf_printf(b, "\"%s%.*s\"(", memchr(f[OP].p, '.', f[OP].n) ? "" : "stablehlo.", WEFT_STR_ARG(f[OP]));
    for (uint32_t i = 0; i < operands; i++) weft_buf_printf(b, "%s%%%u", i ? ", " : "", i);
    weft_buf_puts(b, ") ");
    put_rest(b, f[REST]);
    weft_buf_printf(b, " : %.*s\n  return\n}\n", WEFT_STR_ARG(f[TYPES]));
}

static void check_line(const char *file, unsigned number, weft_str line) {
    weft_str f[FIELDS];
    for (size_t i = 0; i < FIELDS; i++) {
        const char *bar = i + 1 < FIELDS ? memchr(line.p, '|', line.n) : NULL;
        size_t n = bar ? (size_t)(bar - line.p) : line.n, step = bar ? n + 1 : n;
        ck_assert_msg(bar || i + 1 == FIELDS, "%s:%u: has fewer than %d fields", file, number, FIELDS);
        f[i] = trim((weft_str){ line.p, n });
        line.p += step;
        line.n -= step;
    }
    char own[64], got[1024] = "ok";
    snprintf(own, sizeof own, "'%s%.*s': ", memchr(f[OP].p, '.', f[OP].n) ? "" : "stablehlo.", WEFT_STR_ARG(f[OP]));
    weft_context *cx = weft_context_new(NULL);
    weft_module *m = NULL;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    put_module(&b, f);
    weft_status st = weft_read_text(cx, (weft_str){ b.p, b.n }, "rule.mlir", 0, &m);
    const weft_diag *d = weft_context_diag(cx, 0);
    ck_assert_msg(!d == (st == WEFT_OK), "%s:%u: %s, but %s diagnostic", file, number, weft_status_name(st),
                  d ? "a" : "no");
    if (d) snprintf(got, sizeof got, "%s", d->message + (strncmp(d->message, own, strlen(own)) ? 0 : strlen(own)));
    ck_assert_msg(weft_str_is(f[REPORT], got), "%s:%u: %.*s, %.*s\n  got:  %s\n  want: %.*s\n%s", file, number,
                  WEFT_STR_ARG(f[OP]), WEFT_STR_ARG(f[RULE]), got, WEFT_STR_ARG(f[REPORT]), b.p);
    weft_buf_free(&b);
    if (m) weft_module_free(m);
    weft_context_free(cx);
}

START_TEST(breaks_a_rule) {
    const char *top = getenv("top_srcdir");
    char path[1024], line[4096];
    unsigned number = 0, rules = 0;
    snprintf(path, sizeof path, "%s/tests/ir/rules_%s.txt", top ? top : ".", files[_i]);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "cannot open %s", path);
    while (fgets(line, sizeof line, f)) {
        size_t n = strcspn(line, "\n");
        ck_assert_msg(line[n] == '\n', "%s:%u: too long a line", path, number + 1);
        number++;
        if (!n || line[0] == '#') continue;
        check_line(path, number, (weft_str){ line, n });
        rules++;
    }
    fclose(f);
    ck_assert_uint_gt(rules, 50);
}
END_TEST

int main(void) {
    Suite *s = suite_create("ir/rules");
    TCase *tc = tcase_create("rules");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, breaks_a_rule, 0, (int)WEFT_COUNT(files));
    suite_add_tcase(s, tc);
    return weft_run_suite(s);
}
