/* dryrun_sweep.c: `weft dryrun --sweep`: one program on many meshes, planned by as many processes as there are cores.
 */
#include "pipeline/dryrun/annotate.h"
#include "pipeline/dryrun/sweep.h"
#include "tool/dryrun_json.h"
#include "tool/workers.h"

typedef struct sweeping {
    tool *t;
    const weft_module *m;
    const dryrun_sweep *how;
    const weft_sweep_point *points;
    size_t n;
    weft_dry_figures *of;        /* shared */
    weft_sweep_cost *costs;
} sweeping;

/* ---- points ---- */

static void plan_point(void *user, size_t i) {
    const sweeping *x = user;
    weft_dry_report r = { .order = x->how->order };
    weft_dry_how how = x->how->how;
    dryrun_changes changes = x->how->changes;
    weft_module *m = NULL;
    changes.mesh = x->points[i].mesh;
    weft_status st = weft_module_clone(x->m, &m);
    if (st == WEFT_OK) st = dryrun_change(x->t, &changes, &how, &m, &r);
    weft_dry_figures_make(x->t->cx, st, m, &how, &r, &x->of[i]);
    weft_module_free(m);
}

static bool is_done(void *user, size_t i) { return ((const sweeping *)user)->of[i].done; }

/* ---- results ---- */

/* Those that fit before those that do not, then by time; without a plan last. */
static int order(const void *a, const void *b, const weft_sweep_cost *c) {
    const weft_sweep_cost *x = &c[*(const size_t *)a], *y = &c[*(const size_t *)b];
    if (x->known != y->known) return x->known ? -1 : 1;
    if (x->fits != y->fits) return x->fits ? -1 : 1;
    if (x->step_s < y->step_s || x->step_s > y->step_s) return x->step_s < y->step_s ? -1 : 1;
    return *(const size_t *)a < *(const size_t *)b ? -1 : 1;
}

/* Insertion sort: qsort's function gets no costs. */
static void sort(size_t *v, size_t n, const weft_sweep_cost *c) {
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k && order(&v[k - 1], &v[k], c) > 0; k--) {
            const size_t x = v[k];
            v[k] = v[k - 1];
            v[k - 1] = x;
        }
}

static void print_text(const sweeping *x, const size_t *sorted) {
    size_t unplanned = 0;
    printf("%-30s %8s  %11s  %9s  %9s  %s\n", "mesh", "devices", "step", "peak", "on wire", "");
    for (size_t k = 0; k < x->n; k++) {
        const size_t i = sorted[k];
        const weft_dry_figures *f = &x->of[i];
        if (!f->planned) {
            unplanned++;
            continue;
        }
        printf("%-30s %8lld  %8.4g ms", x->points[i].mesh, (long long)x->points[i].devices, 1e3 * f->step_s);
        tool_print_size(x->t, 11, f->peak_bytes);
        tool_print_size(x->t, 11, (double)f->wire_bytes);
        printf("  %s%s\n", x->costs[i].best ? "*" : " ", x->costs[i].fits ? "" : " does not fit");
    }
    printf("\n* no other mesh is better in time and memory\n");
    for (size_t k = x->n - unplanned; k < x->n; k++)
        printf("%s: %s\n", x->points[sorted[k]].mesh, x->of[sorted[k]].why);
}

static void print_csv(const sweeping *x, const size_t *sorted) {
    printf("mesh,devices,step_time_s,peak_memory_bytes,wire_bytes,collective_calls,fits,frontier,error\n");
    for (size_t k = 0; k < x->n; k++) {
        const size_t i = sorted[k];
        const weft_dry_figures *f = &x->of[i];
        dryrun_csv_field(x->points[i].mesh, strlen(x->points[i].mesh));
        printf(",%lld,", (long long)x->points[i].devices);
        if (f->planned)
            printf("%.9g,%.0f,%lld,%lld,%d,%d,", f->step_s, f->peak_bytes, (long long)f->wire_bytes,
                   (long long)f->calls,
                   x->costs[i].fits, x->costs[i].best);
        else printf(",,,,,,");
        dryrun_csv_field(f->why, strlen(f->why));
        putchar('\n');
    }
}

static json_t *point_json(const sweeping *x, size_t i) {
    const weft_dry_figures *f = &x->of[i];
    json_t *one = json_pack("{s:o, s:I}", "mesh", tool_json_text(weft_str_from(x->points[i].mesh)), "devices",
                            (json_int_t)x->points[i].devices);
    if (!one) return NULL;
    if (!f->planned) (void)json_object_set_new(one, "error", tool_json_text(weft_str_from(f->why)));
    else
        (void)json_object_update_new(one, json_pack("{s:f, s:I, s:I, s:I, s:b, s:b}", "step_time_s", f->step_s,
                                                    "peak_memory_bytes", (json_int_t)f->peak_bytes, "wire_bytes",
                                                    (json_int_t)f->wire_bytes, "collective_calls", (json_int_t)f->calls,
                                                    "fits", x->costs[i].fits, "frontier", x->costs[i].best));
    return one;
}

static weft_status print_json(const sweeping *x, const size_t *sorted) {
    json_t *list = json_array();
    for (size_t k = 0; list && k < x->n; k++) (void)json_array_append_new(list, point_json(x, sorted[k]));
    return dryrun_json_put(x->t, json_pack("{s:i, s:o}", "schema", 1, "sweep", list));
}

static weft_status print(sweeping *x) {
    weft_arena *a = &x->t->cx->arena;
    size_t *sorted = weft_arena_array(a, size_t, x->n);
    x->costs = weft_arena_array(a, weft_sweep_cost, x->n);
    if (!sorted || !x->costs) return weft_oom();
    for (size_t i = 0; i < x->n; i++) {
        weft_dry_figures *f = &x->of[i];
        if (!f->done) (void)snprintf(f->why, sizeof f->why, "the process that planned it has ended");
        sorted[i] = i;
        x->costs[i] = weft_dry_cost(f);
    }
    size_t planned = 0;
    for (size_t i = 0; i < x->n; i++) planned += x->of[i].planned;
    if (!planned)
        return weft_report(x->t->cx, WEFT_D_usage, NULL, "no mesh of the sweep can be planned: %s: %s",
                           x->points[0].mesh,
                           x->of[0].why);
    weft_sweep_frontier(x->costs, x->n);
    sort(sorted, x->n, x->costs);
    if (x->how->form == DRYRUN_JSON) return print_json(x, sorted);
    if (x->how->form == DRYRUN_CSV) print_csv(x, sorted);
    else print_text(x, sorted);
    return WEFT_OK;
}

weft_status dryrun_sweep_run(tool *t, const weft_module *m, const dryrun_sweep *how) {
    sweeping x = { .t = t, .m = m, .how = how };
    weft_status st = weft_sweep_read(t->cx, how->text, how->devices, &t->cx->arena, &x.points, &x.n);
    if (st != WEFT_OK) return st;
    const size_t bytes = x.n * sizeof *x.of;
    x.of = tool_shared_memory(bytes);
    if (!x.of) return weft_report(t->cx, WEFT_D_system, NULL, "there is not enough memory");
    st = tool_work_run(t, &(tool_work){ x.n, &x, plan_point, is_done, "meshes" });
    if (st == WEFT_OK) st = print(&x);
    tool_shared_free(x.of, bytes);
    return st;
}
