/* dryrun_auto.c: `weft dryrun --auto`: the usual strategies on every mesh that is allowed, then moves from the best of
 * them (pipeline/dryrun/search.h), each priced by a dry run of its own. */
#include <math.h>
#include <stdlib.h>
#include "pipeline/dryrun/annotate.h"
#include "pipeline/dryrun/changes.h"
#include "pipeline/dryrun/moves.h"
#include "pipeline/dryrun/search.h"
#include "tool/dryrun.h"
#include "tool/dryrun_plans.h"

enum { MOST_AXES = 4, MOST_STARTS = 2000, IMPROVED = 2, MOST_SHOWN = 8 };
/* A bound below this part of the step says nothing of it: hardly any of its time is that of products. */
#define LEAST_FLOOR 0.01
/* Plans that the moves may take: a plan's time grows with the program. */
enum { MOST_TRIES = 280, LEAST_TRIES = 64, OPS_TO_PLAN = 1600000 };

static const char *const kinds[] = { "dp", "fsdp", "zero1", "zero2", "tp", "sp", "cp", "ep" };
enum { DP, FSDP, ZERO1, ZERO2, TP, SP, CP, EP, KINDS };

typedef struct start {
    const char *mesh, *strategy;   /* strategy NULL: as written; empty: nothing is split */
    bool one_device;               /* the whole program on one: what an even split is measured by */
    bool improved;
    weft_dry_figures figures;
} start;

typedef struct searcher {
    tool *t;
    const dryrun_changes *changes;
    const weft_ordered *order;
    const weft_module *m;      /* as read */
    dryrun_plans plans;
    start *starts;
    size_t n, cap;
    size_t tried;
    /* of the start that is being improved */
    const weft_strategist *from;
    const weft_move *moves;
    const weft_move_set *sets;
} searcher;

/* Figures of n points, which the caller frees. */
static weft_status plan_points(searcher *x, size_t n, const weft_sweep_cost *beat, dryrun_plan_maker make,
                               weft_dry_figures **out) {
    *out = calloc(n + 1, sizeof **out);
    return *out ? dryrun_plans_make(&x->plans, n, beat, make, x, *out) : weft_oom();
}

/* ---- starts ---- */

static weft_status add_start(searcher *x, start s) {
    if (x->n == MOST_STARTS) return WEFT_OK;
    if (x->n == x->cap && !weft_arena_grow(&x->t->cx->arena, (void **)&x->starts, &x->cap, x->n + 1, sizeof *x->starts))
        return weft_oom();
    x->starts[x->n++] = s;
    return WEFT_OK;
}

static const char *kept(searcher *x, const weft_buf *b) {
    return b->failed ? NULL : weft_arena_strdup(&x->t->cx->arena, b->p, b->n);
}

typedef struct mesh_axes { weft_str name[MOST_AXES]; uint32_t n; bool is_ours; } mesh_axes;

/* "data=8,model=4" */
static weft_status read_axes(const searcher *x, const char *mesh, mesh_axes *out) {
    out->n = 0;
    for (const char *p = mesh; *p;) {
        if (out->n == MOST_AXES)
            return weft_report(x->t->cx, WEFT_D_usage, NULL, "--auto takes meshes of at most %d axes", MOST_AXES);
        while (*p == ' ') p++;
        out->name[out->n++] = (weft_str){ p, strcspn(p, "= ") };
        p += strcspn(p, ",");
        if (*p) p++;
    }
    return WEFT_OK;
}

static bool allowed(const mesh_axes *a, const unsigned *of) {
    unsigned count[KINDS] = { 0 };
    for (uint32_t i = 0; i < a->n; i++) count[of[i]]++;
    if (count[TP] + count[SP] > 1 || count[CP] > 1 || count[EP] > 1 || count[ZERO1] > 1) return false;
    if (count[DP] + count[ZERO2] > 2 || (count[ZERO1] && count[ZERO2])) return false;
    /* of our own meshes there are all sizes in all orders; equal strategies are those of one axis */
    for (uint32_t i = 1; a->is_ours && i < a->n; i++)
        if (of[i - 1] >= of[i]) return false;
    return true;
}

/* Every assignment of strategies to the axes that makes sense. */
static weft_status add_strategies(searcher *x, const char *mesh, const mesh_axes *a) {
    unsigned of[MOST_AXES] = { 0 };
    weft_status st = WEFT_OK;
    for (bool more = true; more && st == WEFT_OK;) {
        if (allowed(a, of)) {
            weft_buf b;
            weft_buf_init(&b, &x->t->cx->alloc);
            for (uint32_t i = 0; i < a->n; i++) {
                const weft_str axis = a->name[i];
                if (of[i] == SP) weft_buf_printf(&b, "%stp:%.*s", i ? "+" : "", WEFT_STR_ARG(axis));
                weft_buf_printf(&b, "%s%s:%.*s", i || of[i] == SP ? "+" : "", kinds[of[i]], WEFT_STR_ARG(axis));
            }
            const char *text = kept(x, &b);
            weft_buf_free(&b);
            st = text ? add_start(x, (start){ .mesh = mesh, .strategy = text }) : weft_oom();
        }
        more = false;
        for (uint32_t i = a->n; i-- > 0 && !more;) {
            of[i] = (of[i] + 1) % KINDS;
            more = of[i] != 0;
        }
    }
    return st;
}

static weft_status add_mesh(searcher *x, const char *mesh, bool is_ours) {
    mesh_axes a = { .is_ours = is_ours };
    const weft_status st = read_axes(x, mesh, &a);
    return st == WEFT_OK ? add_strategies(x, mesh, &a) : st;
}

/* One axis, and two by powers of two. */
static weft_status add_meshes_of(searcher *x, int64_t devices) {
    weft_status st = WEFT_OK;
    for (int64_t inner = 1; inner <= devices && st == WEFT_OK; inner *= 2) {
        weft_buf b;
        if (devices % inner || (inner == devices && inner > 1)) continue;
        weft_buf_init(&b, &x->t->cx->alloc);
        weft_buf_printf(&b, "data=%lld", (long long)(devices / inner));
        if (inner > 1) weft_buf_printf(&b, ",model=%lld", (long long)inner);
        const char *mesh = kept(x, &b);
        weft_buf_free(&b);
        st = mesh ? add_mesh(x, mesh, true) : weft_oom();
    }
    return st;
}

static weft_status add_starts(searcher *x, int64_t devices) {
    const char *mesh = x->changes->mesh;
    weft_status st = add_start(x, (start){ .one_device = true });
    if (st == WEFT_OK && devices) return add_meshes_of(x, devices);
    if (st == WEFT_OK && !mesh && weft_module_has_mesh(x->m)) {
        weft_buf b;
        weft_buf_init(&b, &x->t->cx->alloc);
        weft_module_mesh_spec(x->m, &b);
        mesh = kept(x, &b);
        weft_buf_free(&b);
        st = mesh ? add_start(x, (start){ .mesh = mesh }) : weft_oom();
    }
    if (st == WEFT_OK && !mesh)
        st = weft_report(x->t->cx, WEFT_D_usage, NULL, "--auto needs a mesh: --mesh data=8,model=4, or --devices 32 for all");
    return st == WEFT_OK ? add_mesh(x, mesh, false) : st;
}

/* The whole program on one device, or as it is written. */
static weft_status make_given(const searcher *x, const start *s, weft_dry_how *how, weft_module **m) {
    weft_dry_report r = { .order = *x->order };
    dryrun_changes changes = *x->changes;
    changes.automatic = false;
    changes.write = NULL;
    changes.bare = s->one_device;
    changes.mesh = NULL; /* what is written has its own */
    const weft_status st = weft_module_clone(x->m, m);
    return st == WEFT_OK ? dryrun_change(x->t, &changes, how, m, &r) : st;
}

/* What the strategist decides, as the program *m and its key. */
static weft_status write_decisions(const searcher *x, const weft_strategist *s, weft_strategist_key *key,
                                   weft_module **m) {
    *key = weft_strategist_key_of(s);
    const weft_status st = weft_strategist_write(s, m);
    return st == WEFT_OK ? dryrun_donate(x->changes, *m) : st;
}

static const char *begun_with(const start *s) { return *s->strategy ? s->strategy : NULL; }

static weft_status make_start(void *user, size_t i, weft_dry_how *how, weft_strategist_key *key, weft_module **m) {
    const searcher *x = user;
    const start *from = &x->starts[i];
    weft_module *plain = NULL;
    weft_strategist *s = NULL;
    weft_arena arena;
    if (!from->strategy) return make_given(x, from, how, m);
    weft_arena_init(&arena, &x->t->cx->chunks);
    (void)weft_warning_silence(x->t->cx, WEFT_D_constraint, true);
    weft_status st = weft_module_clone(x->m, &plain);
    if (st == WEFT_OK) st = weft_strategist_begin(begun_with(from), from->mesh, &plain, &arena, &s);
    if (st == WEFT_OK) st = write_decisions(x, s, key, m);
    weft_arena_free(&arena);
    weft_module_free(plain);
    return st;
}

static void sort(start *v, size_t n) {
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k; k--) {
            const weft_sweep_cost a = weft_dry_cost(&v[k].figures), b = weft_dry_cost(&v[k - 1].figures);
            if (!weft_cost_is_less(&a, &b)) break;
            const start s = v[k];
            v[k] = v[k - 1];
            v[k - 1] = s;
        }
}

static weft_status plan_all(searcher *x) {
    weft_dry_figures *of;
    const weft_status st = plan_points(x, x->n, NULL, make_start, &of);
    for (size_t i = 0; i < x->n && of; i++) x->starts[i].figures = of[i];
    free(of);
    return st;
}

static bool has_dimensions(const weft_module *m) {
    const weft_type *t = weft_func_type(weft_module_main(m));
    for (uint32_t i = 0; i < t->input_count; i++)
        if (weft_type_is_tensor(t->parts[i]) && t->parts[i]->rank) return true;
    return false;
}

/* Of a program that no strategy can split on any mesh, moves begin with plans that split nothing. */
static weft_status add_unsplit(searcher *x) {
    const size_t n = x->n;
    weft_status st = WEFT_OK;
    for (size_t i = 1; i < n && st == WEFT_OK; i++) {
        bool is_there = !x->starts[i].mesh;
        for (size_t k = n; k < x->n; k++) is_there |= !strcmp(x->starts[k].mesh, x->starts[i].mesh);
        if (!is_there) st = add_start(x, (start){ .mesh = x->starts[i].mesh, .strategy = "" });
    }
    if (st == WEFT_OK && x->n > n) st = plan_all(x);
    x->tried += x->n - n;
    return st;
}

/* Plans all starts, and sorts those after the first, which is the whole program on one device. */
static weft_status plan_starts(searcher *x) {
    weft_status st = plan_all(x);
    bool any = false;
    x->tried += x->n;
    for (size_t i = 1; i < x->n; i++) any |= x->starts[i].figures.planned;
    if (st == WEFT_OK && !any && has_dimensions(x->m)) st = add_unsplit(x);
    if (st != WEFT_OK) return st;
    sort(x->starts + 1, x->n - 1);
    if (x->n > 1 && x->starts[1].figures.planned) return WEFT_OK;
    return weft_report(x->t->cx, WEFT_D_usage, NULL, "no strategy can be planned: %s",
                       x->n > 1 && *x->starts[1].figures.why ? x->starts[1].figures.why : "there is no mesh for one");
}

/* ---- moves ---- */

static weft_status moved(const searcher *x, const weft_move_set *set, weft_arena *arena, weft_strategist **s) {
    const weft_status st = weft_strategist_copy(x->from, arena, s);
    for (uint32_t i = 0; i < set->n && st == WEFT_OK; i++) (void)weft_move_make(*s, &x->moves[set->v[i]]);
    return st;
}

static weft_status make_set(void *user, size_t i, weft_dry_how *how, weft_strategist_key *key, weft_module **m) {
    const searcher *x = user;
    weft_strategist *s = NULL;
    weft_arena arena;
    (void)how;
    weft_arena_init(&arena, &x->t->cx->chunks);
    weft_status st = moved(x, &x->sets[i], &arena, &s);
    if (st == WEFT_OK) st = write_decisions(x, s, key, m);
    weft_arena_free(&arena);
    return st;
}

static weft_status price(void *user, const weft_move_set *v, size_t n, const weft_sweep_cost *beat,
                         weft_sweep_cost *out) {
    searcher *x = user;
    weft_dry_figures *of;
    x->sets = v;
    const weft_status st = plan_points(x, n, beat, make_set, &of);
    for (size_t i = 0; i < n && of; i++) out[i] = weft_dry_cost(&of[i]);
    free(of);
    return st;
}

static weft_status print_moves(const searcher *x, const weft_move_set *set, weft_dry_auto *out) {
    weft_status st = WEFT_OK;
    out->moves = weft_arena_array(&x->t->cx->arena, const char *, set->n + 1u);
    out->move_count = set->n;
    if (!out->moves) return weft_oom();
    for (uint32_t i = 0; i < set->n && st == WEFT_OK; i++) {
        weft_buf b;
        weft_buf_init(&b, &x->t->cx->alloc);
        st = weft_move_print(&b, x->from, &x->moves[set->v[i]]);
        out->moves[i] = b.failed ? NULL : weft_arena_strdup(&x->t->cx->arena, b.p, b.n);
        if (st == WEFT_OK && !out->moves[i]) st = weft_oom();
        weft_buf_free(&b);
    }
    return st;
}

static size_t tries(const weft_module *m) {
    const size_t n = OPS_TO_PLAN / (m->op_count + 1u);
    return n > MOST_TRIES ? MOST_TRIES : n < LEAST_TRIES ? LEAST_TRIES : n;
}

static weft_status find_moves(searcher *x, const weft_strategist *s, weft_arena *arena, weft_search *out) {
    weft_status st = weft_moves_find(s, arena, &x->moves, &out->moves);
    bool *great = st == WEFT_OK ? weft_arena_array(arena, bool, out->moves) : NULL;
    if (st == WEFT_OK && !great) st = weft_oom();
    for (size_t i = 0; st == WEFT_OK && i < out->moves; i++) great[i] = x->moves[i].dim == WEFT_NO_DIM;
    out->great = great;
    return st;
}

/* The best that at most so many plans, by moves from the start, lead to; *made is its program if it is cheaper than
 * *cost, which it then sets. */
static weft_status improve(searcher *x, const start *from, size_t most, weft_sweep_cost *cost, weft_module **made,
                           weft_dry_auto *out) {
    weft_search_result best = { .cost = weft_dry_cost(&from->figures) };
    weft_search search = { .most = most, .memory_bytes = from->figures.memory_bytes, .user = x, .price = price };
    weft_strategist *s = NULL;
    weft_module *m = NULL;
    weft_arena arena;
    weft_arena_init(&arena, &x->t->cx->alloc);
    (void)weft_warning_silence(x->t->cx, WEFT_D_constraint, true); /* also while the caller plans what is chosen */
    weft_status st = weft_module_clone(x->m, &m);
    if (st == WEFT_OK) st = weft_strategist_begin(begun_with(from), from->mesh, &m, &arena, &s);
    x->from = s;
    if (st == WEFT_OK) st = find_moves(x, s, &arena, &search);
    if (st == WEFT_OK) st = weft_search_run(&search, &arena, &best);
    x->tried += best.tried;
    if (st == WEFT_OK && (!*made || weft_cost_is_less(&best.cost, cost))) {
        weft_module_free(*made);
        *made = NULL;
        *cost = best.cost;
        out->bound_s = best.bound_s;
        out->mesh = from->mesh;
        out->strategy = from->strategy;
        st = print_moves(x, &best.set, out);
        if (st == WEFT_OK) st = moved(x, &best.set, &arena, &s);
        if (st == WEFT_OK) st = weft_strategist_write(s, made);
    }
    weft_arena_free(&arena);
    weft_module_free(m);
    return st;
}

/* A strategy that no moves were made from; NULL: there is none left. */
static start *cheapest_left(const searcher *x) {
    start *best = NULL;
    for (size_t i = 1; i < x->n; i++) {
        start *s = &x->starts[i];
        if (!s->strategy || !s->figures.planned || s->improved) continue;
        const weft_sweep_cost a = weft_dry_cost(&s->figures), b = best ? weft_dry_cost(&best->figures) : a;
        if (!best || weft_cost_is_lower(&a, &b)) best = s;
    }
    return best;
}

/* ---- the whole ---- */

static weft_status list_rows(const searcher *x, weft_dry_auto *out) {
    out->rows = weft_arena_array(&x->t->cx->arena, weft_dry_auto_row, x->n);
    if (!out->rows) return weft_oom();
    for (size_t i = 1; i < x->n; i++) {
        const start *s = &x->starts[i];
        if (!s->figures.planned) continue;
        const weft_sweep_cost c = weft_dry_cost(&s->figures);
        out->rows[out->row_count++] = (weft_dry_auto_row){ s->mesh, s->strategy, s->figures.step_s,
                                                           s->figures.peak_bytes, s->figures.wire_bytes,
                                                           c.fits };
    }
    return WEFT_OK;
}

weft_status dryrun_auto_choose(tool *t, const dryrun_changes *c, const weft_dry_how *how, const weft_ordered *order,
                               weft_module **m, const weft_dry_auto **result) {
    searcher x = { .t = t, .changes = c, .order = order, .m = *m, .plans = { .t = t, .how = how, .order = order } };
    weft_dry_auto *out = weft_arena_new(&t->cx->arena, weft_dry_auto);
    weft_module *made = NULL;
    if (!out) return weft_oom();
    *out = (weft_dry_auto){ 0 };
    weft_status st = add_starts(&x, c->devices);
    if (st == WEFT_OK) st = plan_starts(&x);
    weft_sweep_cost cost = { 0 };
    const size_t most = x.tried + tries(x.m);
    start *next;
    for (size_t n = 0; n < IMPROVED && st == WEFT_OK && (next = cheapest_left(&x)); n++) {
        next->improved = true;
        st = improve(&x, next, (most - x.tried) / (IMPROVED - n), &cost, &made, out);
    }
    if (st == WEFT_OK) st = list_rows(&x, out);
    if (st != WEFT_OK) goto out;
    out->tried = x.tried;
    if (x.starts[0].figures.planned)
        out->one_device_s = x.starts[0].figures.step_s, out->floor = x.starts[0].figures.floor;
    const weft_sweep_cost first = weft_dry_cost(&x.starts[1].figures);
    if (!x.starts[1].strategy && !(made && weft_cost_is_less(&cost, &first))) { /* none beats what is written */
        out->mesh = x.starts[1].mesh;
        out->strategy = NULL;
        out->move_count = 0;
        out->bound_s = 0;
    } else {
        weft_module_free(*m);
        *m = made;
        made = NULL;
    }
    *result = out;
out:
    weft_module_free(made);
    return st;
}

/* ---- text ---- */

static bool is_named(const char *strategy) { return strategy && *strategy; }
static const char *unnamed(const char *strategy) { return strategy ? "(nothing split)" : "(as written)"; }

static void print_name(const char *mesh, const char *strategy) {
    printf("%s on %s", is_named(strategy) ? strategy : strategy ? "nothing split" : "as written", mesh);
}

void dryrun_print_auto(tool *t, const weft_dry_report *r) {
    const weft_dry_auto *a = r->chosen;
    if (!a) return;
    printf("%-22s %-22s  %10s  %10s  %12s\n", "strategy", "mesh", "on wire", "peak", "step");
    for (size_t i = 0; i < a->row_count && i < MOST_SHOWN; i++) {
        const weft_dry_auto_row *row = &a->rows[i];
        printf("%-22s %-22s", is_named(row->strategy) ? row->strategy : unnamed(row->strategy), row->mesh);
        tool_print_size(t, 12, (double)row->wire_bytes);
        tool_print_size(t, 12, row->peak_bytes);
        printf("  %9.4g ms%s\n", 1e3 * row->step_s, row->fits ? "" : "  does not fit");
    }
    if (a->row_count > MOST_SHOWN) printf("and %zu others\n", a->row_count - MOST_SHOWN);
    printf("\nchosen of %zu plans: ", a->tried);
    print_name(a->mesh, a->strategy);
    printf(", %.4g ms\n", 1e3 * r->estimate.step_s);
    for (size_t i = 0; i < a->move_count; i++) printf("  %s %s\n", i ? "and" : "changed:", a->moves[i]);
    for (size_t i = 0; i < a->row_count; i++) {
        if (a->rows[i].strategy == a->strategy && a->rows[i].mesh == a->mesh) continue;
        const double step_s = a->rows[i].step_s, more = step_s / r->estimate.step_s - 1;
        printf("runner-up: ");
        print_name(a->rows[i].mesh, a->rows[i].strategy);
        printf(", %.4g ms, %.3g%% %s%s\n", 1e3 * step_s, 100 * fabs(more), more < 0 ? "less" : "more",
               a->rows[i].fits ? "" : ", does not fit");
        break;
    }
    if (a->bound_s > 0)
        printf("no set of the moves that were tried in pairs takes less than %.4g ms if moves matter in pairs only; "
               "the step is %.2g%% above that\n", 1e3 * a->bound_s, 100 * weft_dry_gap(a, r->estimate.step_s));
    const double floor_s = weft_floor_s(&a->floor, r->devices);
    if (floor_s > LEAST_FLOOR * r->estimate.step_s)
        printf("no plan for %lld devices takes less than %.4g ms, which its products take at best; the step is %.3g%% "
               "above that\n", (long long)r->devices, 1e3 * floor_s, 100 * (r->estimate.step_s / floor_s - 1));
    if (a->one_device_s > 0 && r->devices)
        printf("one device alone takes %.4g ms; an even split of that over %lld is %.4g ms\n", 1e3 * a->one_device_s,
               (long long)r->devices, 1e3 * a->one_device_s / (double)r->devices);
    putchar('\n');
}
