/* dryrun_plans.c: see dryrun_plans.h. */
#include "tool/dryrun_plans.h"

#include <stdatomic.h>
#include "tool/workers.h"

typedef struct dryrun_known_plan { weft_strategist_key key; weft_dry_figures figures; } known_plan;

/* In memory that the processes share. Others may read the plan once it is ready. */
typedef struct shared_plan { known_plan plan; atomic_bool ready; } shared_plan;

typedef struct batch {
    const dryrun_plans *p;
    size_t n;
    const weft_sweep_cost *beat;
    dryrun_plan_maker make;
    void *user;
    shared_plan *of;
} batch;

static bool is_ready(void *user, size_t i) {
    const batch *b = user;
    return atomic_load_explicit(&b->of[i].ready, memory_order_acquire);
}

static bool has_key(const weft_strategist_key *x) { return x->a || x->b; }

/* Whether the plan has what this batch asks for. */
static bool suits(const batch *b, const known_plan *x, const weft_strategist_key *key) {
    if (x->key.a != key->a || x->key.b != key->b) return false;
    const weft_sweep_cost cost = weft_dry_cost(&x->figures);
    return !cost.at_least || (b->beat && !weft_cost_is_less(&cost, b->beat));
}

/* One of an earlier batch, or that is ready; NULL: there is none. */
static const known_plan *find(const batch *b, const weft_strategist_key *key) {
    if (!has_key(key)) return NULL;
    for (size_t i = 0; i < b->p->known_count; i++)
        if (suits(b, &b->p->known[i], key)) return &b->p->known[i];
    for (size_t i = 0; i < b->n; i++)
        if (is_ready((void *)b, i) && suits(b, &b->of[i].plan, key)) return &b->of[i].plan;
    return NULL;
}

static void plan_one(void *user, size_t i) {
    const batch *b = user;
    const dryrun_plans *p = b->p;
    weft_dry_report r = { .order = *p->order };
    weft_dry_how how = *p->how;
    how.beat = b->beat;
    weft_module *m = NULL;
    shared_plan *out = &b->of[i];
    /* what one plan gives back, the next takes: fresh pages took a fifteenth of the time */
    p->t->cx->alloc = p->t->cx->chunks;
    const weft_status st = b->make(b->user, i, &how, &out->plan.key, &m);
    const known_plan *old = st == WEFT_OK ? find(b, &out->plan.key) : NULL;
    if (old) out->plan.figures = old->figures;
    else weft_dry_figures_make(p->t->cx, st, m, &how, &r, &out->plan.figures);
    weft_module_free(m);
    atomic_store_explicit(&out->ready, true, memory_order_release);
}

weft_status dryrun_plans_make(dryrun_plans *p, size_t n, const weft_sweep_cost *beat, dryrun_plan_maker make,
                              void *user, weft_dry_figures *out) {
    const size_t bytes = (n + 1) * sizeof(shared_plan);
    batch b = { p, n, beat, make, user, tool_shared_memory(bytes) };
    if (!b.of) return weft_report(p->t->cx, WEFT_D_system, NULL, "there is not enough memory");
    weft_status st = tool_work_run(p->t, &(tool_work){ n, &b, plan_one, is_ready, "plans" });
    if (st == WEFT_OK && !weft_arena_grow(&p->t->cx->arena, (void **)&p->known, &p->known_cap, p->known_count + n,
                                          sizeof *p->known))
        st = weft_oom();
    for (size_t i = 0; i < n && st == WEFT_OK; i++) {
        out[i] = b.of[i].plan.figures;
        if (out[i].planned && has_key(&b.of[i].plan.key)) p->known[p->known_count++] = b.of[i].plan;
    }
    tool_shared_free(b.of, bytes);
    return st;
}
