/* dryrun_plans.c: see dryrun_plans.h. */
#include "tool/dryrun_plans.h"

#include <stdatomic.h>
#include "base/table.h"
#include "tool/workers.h"

/* A program's text: two hashes and its length. */
typedef struct text_key { uint64_t a, b, n; } text_key;

typedef struct dryrun_known_plan { text_key key; weft_dry_figures figures; } known_plan;

/* In memory that the processes share. Others may read the plan once it is ready. */
typedef struct shared_plan { known_plan plan; atomic_bool ready; } shared_plan;

typedef struct batch {
    const dryrun_plans *p;
    size_t n;
    dryrun_plan_maker make;
    void *user;
    shared_plan *of;
} batch;

static bool is_ready(void *user, size_t i) {
    const batch *b = user;
    return atomic_load_explicit(&b->of[i].ready, memory_order_acquire);
}

static weft_status key_of(const weft_module *m, text_key *out) {
    weft_buf b;
    weft_buf_init(&b, &m->cx->alloc);
    weft_status st = weft_print_module(m, 0, &b);
    if (st == WEFT_OK && b.failed) st = weft_oom();
    if (st == WEFT_OK) *out = (text_key){ weft_hash_bytes(1, b.p, b.n), weft_hash_bytes(2, b.p, b.n), b.n };
    weft_buf_free(&b);
    return st;
}

static bool equal(const text_key *x, const text_key *y) { return x->a == y->a && x->b == y->b && x->n == y->n; }

/* One of an earlier batch, or that is ready; NULL: there is none. */
static const known_plan *find(const batch *b, const text_key *key) {
    for (size_t i = 0; i < b->p->known_count; i++)
        if (equal(&b->p->known[i].key, key)) return &b->p->known[i];
    for (size_t i = 0; i < b->n; i++)
        if (is_ready((void *)b, i) && equal(&b->of[i].plan.key, key)) return &b->of[i].plan;
    return NULL;
}

static void plan_one(void *user, size_t i) {
    const batch *b = user;
    const dryrun_plans *p = b->p;
    weft_dry_report r = { .order = *p->order };
    weft_dry_how how = *p->how;
    weft_module *m = NULL;
    shared_plan *out = &b->of[i];
    weft_status st = b->make(b->user, i, &how, &m);
    if (st == WEFT_OK) st = key_of(m, &out->plan.key);
    const known_plan *old = st == WEFT_OK ? find(b, &out->plan.key) : NULL;
    if (old) out->plan.figures = old->figures;
    else weft_dry_figures_make(p->t->cx, st, m, &how, &r, &out->plan.figures);
    weft_module_free(m);
    atomic_store_explicit(&out->ready, true, memory_order_release);
}

weft_status dryrun_plans_make(dryrun_plans *p, size_t n, dryrun_plan_maker make, void *user, weft_dry_figures *out) {
    const size_t bytes = (n + 1) * sizeof(shared_plan);
    batch b = { p, n, make, user, tool_shared_memory(bytes) };
    if (!b.of) return weft_report(p->t->cx, WEFT_D_system, NULL, "there is not enough memory");
    weft_status st = tool_work_run(p->t, &(tool_work){ n, &b, plan_one, is_ready, "plans" });
    if (st == WEFT_OK && !weft_arena_grow(&p->t->cx->arena, (void **)&p->known, &p->known_cap, p->known_count + n,
                                          sizeof *p->known))
        st = weft_oom();
    for (size_t i = 0; i < n && st == WEFT_OK; i++) {
        out[i] = b.of[i].plan.figures;
        if (out[i].planned && b.of[i].plan.key.n) p->known[p->known_count++] = b.of[i].plan;
    }
    tool_shared_free(b.of, bytes);
    return st;
}
