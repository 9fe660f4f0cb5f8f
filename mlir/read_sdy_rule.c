/* read_sdy_rule.c: Shardy's op sharding rules, <([i, k], [k, j])->([i, j]) {i=8, j=4, k=2} reduction={k}, custom>.
 *
 * Factors are written i .. z, then z_1, z_2, ... The verifier checks whether a rule fits its op. Spelling and
 * messages: Shardy, shardy/dialect/sdy/ir/parsers.cc.
 */
#include "mlir/reader.h"

#include <stdio.h>

#define AT_Z ('z' - 'i')

static void factor_text(char *out, size_t size, int64_t f) {
    if (f <= AT_Z) snprintf(out, size, "%c", (char)('i' + f));
    else snprintf(out, size, "z_%lld", (long long)(f - AT_Z));
}

static const char *const ordered =
    "expecting factor indices to be ordered like an iota ([0,1,2,...], e.g. {i=#, j=#, ...})";

/* Takes one factor from the front of [*p, end). */
static bool factor(weft_reader *r, const char **p, const char *end, int64_t *out) {
    const char *q = *p;
    int64_t v = 0;
    if (end - q < 2 || q[0] != 'z' || q[1] != '_') {
        if (*q < 'i' || *q > 'z') return rd_fail(r, q, "expecting symbol from 'i' to 'z'. Received: '%c'", *q);
        *out = *q - 'i';
        *p = q + 1;
        return true;
    }
    const char *digits = q += 2;
    while (q < end && rd_is_digit(*q)) q++;
    if (q == digits) return rd_fail(r, *p, "expecting integer after 'z_'. Received: '%.*s'", (int)(end - *p), *p);
    if (*digits == '0')
        return rd_fail(r, *p, "expecting positive integer without leading zeros. Received: '%.*s'", (int)(q - digits),
                       digits);
    for (const char *d = digits; d < q; d++) {
        if (weft_mul_i64(v, 10, &v) && weft_add_i64(v, *d - '0', &v)) continue;
        rd_fail(r, *p, "expecting symbol index <=2^63-1. Received: '%.*s'", (int)(q - digits), digits);
        v = INT64_MAX; /* further errors are worth reporting; the rule is refused in the end */
        break;
    }
    *out = v < INT64_MAX - AT_Z ? v + AT_Z : INT64_MAX;
    *p = q;
    return true;
}

/* A word that is one factor. */
static bool single_factor(weft_reader *r, int64_t *out) {
    weft_str word;
    if (!rd_ident(r, &word)) return false;
    const char *q = word.p, *end = word.p + word.n;
    if (!factor(r, &q, end, out)) return false;
    return q == end || rd_fail(r, q, "expecting single factor symbol: %.*s", (int)(end - q), q);
}

/* Moves the integers above height into the context. */
static bool take_ints(weft_reader *r, size_t height, weft_ints *out) {
    uint32_t n = (uint32_t)(r->ints.n - height);
    int64_t *v = weft_arena_dup(&r->arena, r->ints.v + height, n * sizeof *v, _Alignof(int64_t));
    r->ints.n = height;
    *out = (weft_ints){ v, n };
    return v || rd_oom(r);
}

/* reduction={i, k}, if present */
static bool factor_set(weft_reader *r, const char *what, weft_ints *out) {
    size_t height = r->ints.n;
    if (!rd_word(r, what)) return true;
    if (!rd_expect(r, '=') || !rd_expect(r, '{')) return false;
    if (!rd_at(r, '}')) {
        do {
            int64_t f;
            if (!single_factor(r, &f) || !RD_PUSH(r, ints, f)) return false;
        } while (rd_accept(r, ','));
    }
    return rd_expect(r, '}') && take_ints(r, height, out);
}

typedef RD_STACK(weft_ints) dim_stack;

/* jk, or nothing: the verifier refuses that */
static bool dim_mapping(weft_reader *r, dim_stack *dims) {
    size_t height = r->ints.n;
    weft_str word = { r->p, 0 };
    if (rd_is_ident_start(*r->p) && !rd_ident(r, &word)) return false;
    for (const char *q = word.p, *end = word.p + word.n; q < end;) {
        int64_t f;
        if (!factor(r, &q, end, &f) || !RD_PUSH(r, ints, f)) return false;
    }
    return rd_push(r, (void **)&dims->v, &dims->n, &dims->cap, sizeof *dims->v) &&
           take_ints(r, height, &dims->v[dims->n - 1]);
}

/* [i, jk]: one tensor's dimensions */
static bool tensor_mapping(weft_reader *r, uint32_t *rank, const weft_ints **out) {
    dim_stack dims = { 0 };
    if (!rd_expect(r, '[')) return false;
    if (!rd_at(r, ']')) {
        do {
            if (!dim_mapping(r, &dims))
                return rd_within(r, "failed to parse Sdy_TensorMapping parameter 'dim_mappings'");
        } while (rd_accept(r, ','));
    }
    *rank = (uint32_t)dims.n;
    *out = dims.v;
    return rd_expect(r, ']');
}

typedef struct mappings {
    RD_STACK(uint32_t) ranks;
    RD_STACK(const weft_ints *) dims;
} mappings;

/* ([i, k], [k, j]): one tensor at least */
static bool mapping_list(weft_reader *r, mappings *m, const char *what, uint32_t *count) {
    size_t before = m->dims.n;
    if (!rd_expect(r, '(')) return false;
    do {
        if (!rd_push(r, (void **)&m->ranks.v, &m->ranks.n, &m->ranks.cap, sizeof *m->ranks.v) ||
            !rd_push(r, (void **)&m->dims.v, &m->dims.n, &m->dims.cap, sizeof *m->dims.v))
            return false;
        if (!tensor_mapping(r, &m->ranks.v[m->ranks.n - 1], &m->dims.v[m->dims.n - 1]))
            return rd_within(r, "failed to parse Sdy_OpShardingRule parameter '%s'", what);
    } while (rd_accept(r, ','));
    *count = (uint32_t)(m->dims.n - before);
    return rd_expect(r, ')');
}

/* {i=8, j=4}: in order from i on */
static bool factor_sizes(weft_reader *r, weft_ints *out) {
    size_t height = r->ints.n;
    if (!rd_accept(r, '{')) return true;
    if (!rd_at(r, '}')) {
        do {
            int64_t f, size, want = (int64_t)(r->ints.n - height);
            const char *at = r->p;
            if (!single_factor(r, &f)) return false;
            if (f != want) {
                char expected[32], received[32];
                factor_text(expected, sizeof expected, want);
                factor_text(received, sizeof received, f);
                if (r->status != WEFT_OK)
                    return rd_within(r, "%s. Expecting factor index symbol '%s', received: '%s'", ordered, expected,
                                     received);
                return rd_fail(r, at, "%s. Expecting factor index symbol '%s', received: '%s'", ordered, expected,
                               received);
            }
            if (!rd_expect(r, '=') || !rd_int(r, &size) || !RD_PUSH(r, ints, size)) return false;
        } while (rd_accept(r, ','));
    }
    return rd_expect(r, '}') && take_ints(r, height, out);
}

const weft_attr *rd_sdy_rule(weft_reader *r) {
    weft_attr a = { .kind = WEFT_ATTR_RULE };
    weft_rule_attr *rule = &a.rule;
    mappings m = { 0 };
    if (!rd_expect(r, '<') || !mapping_list(r, &m, "operand_mappings", &rule->operand_count) || !rd_expect_arrow(r) ||
        !mapping_list(r, &m, "result_mappings", &rule->result_count) || !factor_sizes(r, &rule->factor_sizes) ||
        !factor_set(r, "reduction", &rule->reduction) || !factor_set(r, "need_replication", &rule->need_replication) ||
        !factor_set(r, "permutation", &rule->permutation) || !factor_set(r, "blocked_propagation", &rule->blocked))
        return NULL;
    if (rd_accept(r, ',') && !(rule->custom = rd_expect_word(r, "custom"))) return NULL;
    if (!rd_expect(r, '>') || r->status != WEFT_OK) return NULL;
    rule->ranks = m.ranks.v;
    rule->dims = m.dims.v;
    const weft_attr *c = weft_attr_copy(r->cx, &a);
    if (!c) rd_oom(r);
    return c;
}
