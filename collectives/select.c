/* select.c: which algorithm a call takes: what its user forces, else what was measured, else the cheapest by the cost model. */
#include "collectives/algorithm.h"
#include "collectives/world.h"

weft_status weft_rules_read(weft_context *cx, const char *text, weft_alg_rule **out, size_t *count) {
    size_t most = 1, n = 0, added;
    *out = NULL;
    *count = 0;
    if (!text || !*text) return WEFT_OK;
    for (const char *p = text; *p; p++) most += *p == ',';
    most *= WEFT_PLAN_COLL_COUNT; /* no collective has two algorithms of one name */
    weft_alg_rule *rules = cx->alloc.resize(cx->alloc.user, NULL, 0, most * sizeof *rules);
    if (!rules) return weft_oom();
    *out = rules;
    *count = most;
    for (const char *p = text; *p; p += n + (p[n] == ','), rules += added) {
        n = strcspn(p, ",");
        added = weft_alg_rules_read((weft_str){ p, n }, rules);
        if (!added) return weft_report(cx, WEFT_D_usage, NULL, "no collective algorithm '%.*s'; a choice is KIND=NAME or KIND:FROM-TO=NAME, and KIND may be '*'", (int)n, p);
    }
    for (; rules < *out + most; rules++) *rules = (weft_alg_rule){ WEFT_ALG_COUNT, 0, 0 };
    return WEFT_OK;
}

static weft_alg_id first_of(const weft_alg_rule *rules, size_t count, const weft_job *job, unsigned can, weft_sums sums) {
    for (size_t i = 0; i < count; i++) {
        const weft_alg_rule *r = &rules[i];
        if (r->alg == WEFT_ALG_COUNT || weft_alg_table[r->alg].kind != job->kind || !(weft_alg_table[r->alg].needs & can) || !weft_alg_may_add(r->alg, sums)) continue;
        if (r->from <= job->full_bytes && job->full_bytes <= r->to) return r->alg;
    }
    return WEFT_ALG_COUNT;
}

/* What the handle forces, else what the user forces, else what was measured to be the fastest: that keeps to the order of sums. */
static weft_alg_id ruled(const weft_comm *c, const weft_job *job, unsigned can) {
    const weft_world *w = c->world;
    weft_alg_id a = first_of(c->rules, c->rule_count, job, can, WEFT_SUMS_FAST);
    if (a == WEFT_ALG_COUNT) a = first_of(w->rules, w->rule_count, job, can, WEFT_SUMS_FAST);
    /* The table is of calls among all ranks; smaller groups are left to the cost model with its links. */
    return a == WEFT_ALG_COUNT && c->size == w->size ? first_of(w->tuned, w->tuned_count, job, can, w->sums) : a;
}

static void drop_rules(weft_comm *c) {
    const weft_allocator *a = &c->world->alloc;
    if (c->rules) a->resize(a->user, c->rules, c->rule_count * sizeof *c->rules, 0);
    c->rules = NULL;
    c->rule_count = 0;
    c->forced = 0;
}

weft_status weft_comm_force(weft_comm *c, const char *algorithms) {
    if (!c) return WEFT_ERR_USAGE;
    drop_rules(c);
    memset(c->choices, 0, sizeof c->choices);
    weft_status st = weft_rules_read(c->cx, algorithms, &c->rules, &c->rule_count);
    if (st != WEFT_OK) drop_rules(c);
    else if (algorithms && *algorithms) c->forced = weft_text_hash(algorithms);
    return st;
}

weft_alg_id weft_call_choose(weft_comm *c, const weft_job *job, unsigned can) {
    const weft_world *w = c->world;
    weft_choice_note *note = &c->choices[((uint64_t)job->full_bytes * 0x9e3779b97f4a7c15u >> 40 ^ (unsigned)job->kind ^ can << 2) % WEFT_CHOICES];
    if (note->best && note->full_bytes == job->full_bytes && note->kind == job->kind && note->can == (int)can) return (weft_alg_id)(note->best - 1);
    weft_coll_call call = { .kind = job->kind, .p = c->size, .full_bytes = job->full_bytes, .level = weft_spans_nodes(c) ? WEFT_LINK_NETWORK : c->level,
                            .can = can, .nodes = c->nodes, .packages = c->levels.packages, .sums = w->sums };
    weft_alg_id best = ruled(c, job, can);
    if (best == WEFT_ALG_COUNT) best = weft_coll_choose(&w->links, &call).best;
    *note = (weft_choice_note){ job->full_bytes, (int16_t)job->kind, (int16_t)can, (int32_t)best + 1 };
    return best;
}
