/* select.c: which algorithm a call takes: what its user forces, else the cheapest by the cost model. */
#include "collectives/algorithm.h"
#include "collectives/world.h"

/* "64K": a size in bytes. Moves *s past it; -1 when there is none. */
static int64_t read_size(weft_str *s) {
    static const char units[] = "KMG";
    int64_t n = 0;
    size_t i = 0;
    for (; i < s->n && s->p[i] >= '0' && s->p[i] <= '9'; i++)
        if (!weft_mul_i64(n, 10, &n) || !weft_add_i64(n, s->p[i] - '0', &n)) return -1;
    const char *unit = i && i < s->n ? memchr(units, s->p[i], sizeof units - 1) : NULL;
    if (i == 0 || (unit && !weft_mul_i64(n, (int64_t)1 << 10 * (unit - units + 1), &n))) return -1;
    i += unit != NULL;
    *s = (weft_str){ s->p + i, s->n - i };
    return n;
}

/* ":FROM-TO" behind a collective's name; either end may be missing. */
static bool read_range(weft_str s, weft_rule *rule) {
    rule->from = 0;
    rule->to = INT64_MAX;
    if (s.n == 0) return true;
    if (s.p[0] != ':') return false;
    s = (weft_str){ s.p + 1, s.n - 1 };
    if (s.n && s.p[0] != '-' && (rule->from = read_size(&s)) < 0) return false;
    if (s.n == 0 || s.p[0] != '-') return false;
    s = (weft_str){ s.p + 1, s.n - 1 };
    if (s.n && (rule->to = read_size(&s)) < 0) return false;
    return s.n == 0;
}

/* "all_reduce:64K-1M=windows". */
static bool read_rule(weft_str s, weft_rule *rule) {
    const char *equals = memchr(s.p, '=', s.n);
    if (!equals) return false;
    size_t left = (size_t)(equals - s.p);
    const char *colon = memchr(s.p, ':', left);
    weft_str kind = { s.p, colon ? (size_t)(colon - s.p) : left }, range = { s.p + kind.n, left - kind.n }, name = { equals + 1, s.n - left - 1 };
    if (!read_range(range, rule)) return false;
    for (weft_alg_id a = 0; a < WEFT_ALG_COUNT; a++) {
        if (!weft_str_is(kind, weft_coll_kind_name(weft_alg_table[a].kind)) || !weft_str_is(name, weft_alg_table[a].name)) continue;
        rule->alg = a;
        return true;
    }
    return false;
}

weft_status weft_rules_read(weft_context *cx, const char *text, weft_rule **out, size_t *count) {
    size_t most = 1, n = 0;
    *out = NULL;
    *count = 0;
    if (!text || !*text) return WEFT_OK;
    for (const char *p = text; *p; p++) most += *p == ',';
    weft_rule *rules = cx->alloc.resize(cx->alloc.user, NULL, 0, most * sizeof *rules);
    if (!rules) return weft_oom();
    *out = rules;
    *count = most;
    for (const char *p = text; *p; p += n + (p[n] == ',')) {
        n = strcspn(p, ",");
        if (!read_rule((weft_str){ p, n }, rules++))
            return weft_report(cx, WEFT_D_usage, NULL, "no collective algorithm '%.*s'; a choice is KIND=NAME or KIND:FROM-TO=NAME", (int)n, p);
    }
    for (; rules < *out + most; rules++) *rules = (weft_rule){ WEFT_ALG_COUNT, 0, 0 };
    return WEFT_OK;
}

static weft_alg_id forced(const weft_world *w, const weft_job *job, unsigned can) {
    for (size_t i = 0; i < w->rule_count; i++) {
        const weft_rule *r = &w->rules[i];
        if (r->alg == WEFT_ALG_COUNT || weft_alg_table[r->alg].kind != job->kind || !(weft_alg_table[r->alg].needs & can)) continue;
        if (r->from <= job->full_bytes && job->full_bytes <= r->to) return r->alg;
    }
    return WEFT_ALG_COUNT;
}

weft_alg_id weft_call_choose(weft_comm *c, const weft_job *job, unsigned can) {
    const weft_world *w = c->world;
    weft_choice_note *note = &c->choices[((uint64_t)job->full_bytes * 0x9e3779b97f4a7c15u >> 40 ^ (unsigned)job->kind ^ can << 2) % WEFT_CHOICES];
    if (note->best && note->full_bytes == job->full_bytes && note->kind == job->kind && note->can == (int)can) return (weft_alg_id)(note->best - 1);
    weft_coll_call call = { job->kind, c->size, job->full_bytes, weft_spans_nodes(c) ? WEFT_LINK_NETWORK : w->level, can };
    weft_alg_id best = forced(w, job, can);
    if (best == WEFT_ALG_COUNT) best = weft_coll_choose(&w->links, &call).best;
    *note = (weft_choice_note){ job->full_bytes, (int16_t)job->kind, (int16_t)can, (int32_t)best + 1 };
    return best;
}
