/* select.c: the algorithm of a call: the user's forced one, else the measured one, else the cheapest by the cost
 * model. */
#include "base/nearest.h"
#include "collectives/algorithm.h"
#include "collectives/progress.h"
#include "collectives/world.h"
#include "cost/algorithm_id.h"

/* The nearest algorithm of a known collective, or the nearest collective. */
static weft_nearest nearest_part(weft_coll_kind kind, weft_str kind_text, weft_str rule) {
    const char *eq = memchr(rule.p, '=', rule.n);
    const weft_str name = eq ? (weft_str){ eq + 1, rule.n - (size_t)(eq + 1 - rule.p) } : (weft_str){ NULL, 0 };
    weft_nearest near = weft_nearest_to(kind < WEFT_PLAN_COLL_COUNT ? name : kind_text);
    for (weft_alg_id a = 0; a < WEFT_ALG_COUNT && kind < WEFT_PLAN_COLL_COUNT; a++)
        if (weft_alg_table[a].kind == kind) weft_nearest_offer(&near, weft_str_from(weft_alg_table[a].name));
    for (weft_coll_kind k = 0; k < WEFT_PLAN_COLL_COUNT && kind == WEFT_PLAN_COLL_COUNT; k++)
        weft_nearest_offer(&near, weft_str_from(weft_coll_kind_name(k)));
    if (kind == WEFT_PLAN_COLL_COUNT) weft_nearest_offer(&near, weft_str_from("stream"));
    return near;
}

/* The possible choices: the algorithms of the named collective, or, if it is unknown, the
 * collectives. */
static weft_status no_such_rule(weft_context *cx, const char *text, size_t n) {
    const size_t kind_n = strcspn(text, ":=,");
    if (weft_str_is((weft_str){ text, kind_n }, "stream"))
        return weft_report(cx, WEFT_D_usage, NULL, "'%.*s' gives no number of bytes above 0, as stream=4M does", (int)n,
                           text);
    weft_coll_kind kind = 0;
    weft_buf b;
    weft_buf_init(&b, &cx->alloc);
    while (kind < WEFT_PLAN_COLL_COUNT &&
           (strlen(weft_coll_kind_name(kind)) != kind_n || strncmp(weft_coll_kind_name(kind), text, kind_n) != 0))
        kind++;
    if (kind < WEFT_PLAN_COLL_COUNT) {
        weft_buf_printf(&b, "%s has", weft_coll_kind_name(kind));
        for (weft_alg_id a = 0; a < WEFT_ALG_COUNT; a++)
            if (weft_alg_table[a].kind == kind) weft_buf_printf(&b, " %s", weft_alg_table[a].name);
    } else {
        weft_buf_puts(&b, "KIND is '*' or one of");
        for (weft_coll_kind k = 0; k < WEFT_PLAN_COLL_COUNT; k++) weft_buf_printf(&b, " %s", weft_coll_kind_name(k));
    }
    weft_nearest near = nearest_part(kind, (weft_str){ text, kind_n }, (weft_str){ text, n });
    weft_status st =
        weft_report(cx, WEFT_D_usage, NULL,
                    "no collective algorithm '%.*s'; a choice is KIND=NAME, KIND:FROM-TO=NAME or stream=BYTES; %.*s" WEFT_NEAREST,
                    (int)n, text, (int)b.n, b.p ? b.p : "", WEFT_NEAREST_ARG(near));
    weft_buf_free(&b);
    return st;
}

weft_status weft_rules_read(weft_context *cx, const char *text, weft_alg_rules *out) {
    size_t most = 1, n = 0, added;
    *out = (weft_alg_rules){ .v = NULL };
    if (!text || !*text) return WEFT_OK;
    for (const char *p = text; *p; p++) most += *p == ',';
    most *= WEFT_PLAN_COLL_COUNT; /* no collective has two algorithms of one name */
    weft_alg_rule *rules = cx->alloc.resize(cx->alloc.user, NULL, 0, most * sizeof *rules);
    if (!rules) return weft_oom();
    out->v = rules;
    out->count = most;
    for (const char *p = text; *p; p += n + (p[n] == ','), rules += added) {
        n = strcspn(p, ",");
        added = 0;
        if (weft_stream_rule_read((weft_str){ p, n }, &out->stream)) continue;
        added = weft_alg_rules_read((weft_str){ p, n }, rules);
        if (!added) return no_such_rule(cx, p, n);
    }
    for (; rules < out->v + most; rules++) *rules = (weft_alg_rule){ WEFT_ALG_COUNT, 0, 0 };
    return WEFT_OK;
}

static weft_alg_id first_of(const weft_alg_rule *rules, size_t count, const weft_job *job, unsigned can,
                            weft_sums sums) {
    for (size_t i = 0; i < count; i++) {
        const weft_alg_rule *r = &rules[i];
        if (r->alg == WEFT_ALG_COUNT || weft_alg_table[r->alg].kind != job->kind ||
            !(weft_alg_table[r->alg].needs & can) || !weft_alg_may_add(r->alg, sums))
            continue;
        if (r->from <= job->choice_bytes && job->choice_bytes <= r->to) return r->alg;
    }
    return WEFT_ALG_COUNT;
}

/* The algorithm that the handle forces, else the user, else the fastest measured one with the right order of
 * sums. */
static weft_alg_id ruled(const weft_run *r, unsigned can) {
    const weft_comm *c = r->comm;
    const weft_world *w = c->world;
    const weft_job *job = &r->job;
    weft_alg_id a =
        r->forced ? first_of(r->forced->rules.v, r->forced->rules.count, job, can, WEFT_SUMS_FAST) : WEFT_ALG_COUNT;
    if (a == WEFT_ALG_COUNT) a = first_of(w->rules.v, w->rules.count, job, can, WEFT_SUMS_FAST);
    /* The table is for calls among all ranks; for smaller groups the cost model with its links decides. */
    return a == WEFT_ALG_COUNT && c->size == w->size ? first_of(w->tuned, w->tuned_count, job, can, w->sums) : a;
}

void weft_forced_leave(const weft_world *w, weft_forced *f) {
    const weft_allocator *a = &w->alloc;
    if (!f || --f->uses > 0) return;
    if (f->rules.v) a->resize(a->user, f->rules.v, f->rules.count * sizeof *f->rules.v, 0);
    a->resize(a->user, f, sizeof *f, 0);
}

static weft_status make_forced(weft_comm *c, const char *algorithms, weft_forced **out) {
    const weft_allocator *a = &c->world->alloc;
    *out = NULL;
    if (!algorithms || !*algorithms) return WEFT_OK;
    weft_forced *f = a->resize(a->user, NULL, 0, sizeof *f);
    if (!f) return weft_oom();
    *f = (weft_forced){ .hash = weft_text_hash(algorithms), .uses = 1 };
    pthread_mutex_lock(&c->world->lock); /* the context may be other ranks' too */
    weft_status st = weft_rules_read(c->cx, algorithms, &f->rules);
    pthread_mutex_unlock(&c->world->lock);
    if (st == WEFT_OK) *out = f;
    else weft_forced_leave(c->world, f);
    return st;
}

/* An invalid text changes nothing. */
weft_status weft_comm_force(weft_comm *c, const char *algorithms) {
    weft_forced *next;
    if (!c) return WEFT_ERR_USAGE;
    weft_status st = make_forced(c, algorithms, &next);
    weft_rank_lock(c);
    weft_forced_leave(c->world, c->forced);
    c->forced = next;
    memset(c->choices, 0, sizeof c->choices);
    weft_rank_unlock(c);
    return st;
}

static weft_alg_id choose(const weft_run *r, unsigned can) {
    const weft_comm *c = r->comm;
    weft_coll_call call = { .kind = r->job.kind, .p = c->size, .full_bytes = r->job.choice_bytes,
                            .level = weft_spans_nodes(c) ? WEFT_LINK_NETWORK : c->level, .can = can, .nodes = c->nodes,
                            .packages = c->levels.packages, .sums = c->world->sums };
    weft_alg_id best = ruled(r, can);
    return best == WEFT_ALG_COUNT ? weft_coll_choose(&c->world->links, &call).best : best;
}

weft_alg_id weft_call_choose(weft_run *r, unsigned can) {
    weft_comm *c = r->comm;
    const weft_job *job = &r->job;
    weft_choice_note *note =
        &c->choices[((uint64_t)job->choice_bytes * 0x9e3779b97f4a7c15u >> 40 ^ (unsigned)job->kind ^ can << 2) %
                    WEFT_CHOICES];
    if (r->forced != c->forced) return choose(r, can); /* the notes are for the current rules */
    if (note->best && note->full_bytes == job->choice_bytes && note->kind == job->kind && note->can == (int)can)
        return (weft_alg_id)(note->best - 1);
    weft_alg_id best = choose(r, can);
    *note = (weft_choice_note){ job->choice_bytes, (int16_t)job->kind, (int16_t)can, (int32_t)best + 1 };
    return best;
}
