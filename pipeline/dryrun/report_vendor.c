/* report_vendor.c: the figures of a machine whose compiler is the vendor's, in place of those of Weft's own schedule,
 * and what takes their time and memory. */
#include "pipeline/dryrun/report.h"

#include <stdlib.h>
#include <string.h>

static int slower_first(const void *a, const void *b) {
    const weft_dry_place *x = a, *y = b;
    if (x->time_s > y->time_s || x->time_s < y->time_s) return x->time_s < y->time_s ? 1 : -1;
    return strcmp(x->place, y->place);
}

/* The uses, added up by what they are and the line that they come from. */
static weft_status add_places(weft_arena *arena, weft_dry_report *r) {
    weft_dry_place *v = weft_arena_array(arena, weft_dry_place, r->use_count);
    weft_status st = v ? WEFT_OK : weft_oom();
    size_t n = 0;
    for (size_t i = 0; i < r->use_count && st == WEFT_OK; i++) {
        const weft_task *t = r->uses[i].task;
        const char *what = t->kind == WEFT_TASK_COLLECTIVE ? weft_coll_kind_name(t->call.kind)
                                                           : weft_kernel_class_name(t->kernel.kind);
        const weft_loc *place = weft_loc_place(t->op->loc);
        size_t k = 0;
        while (k < n && (v[k].what != what || v[k].loc != place)) k++;
        if (k == n) {
            char *text = weft_loc_text(arena, t->op->loc);
            if (!text) return weft_oom();
            v[n++] = (weft_dry_place){ what, text, place, 0, 0 };
        }
        v[k].time_s += r->uses[i].time_s;
        v[k].count = weft_add_times_i64(v[k].count, r->uses[i].count, 1);
    }
    if (n) qsort(v, n, sizeof *v, slower_first);
    r->places = v;
    r->place_count = n;
    return st;
}

weft_status weft_dry_vendor(weft_arena *arena, const weft_built_program *p, const weft_dry_how *how,
                            weft_dry_report *r) {
    const weft_machine *m = &r->order.machine;
    const weft_fuse_options fuse = { .machine = m, .plan = &p->exec->plan, .attention = how->attention,
                                     .devices = p->device_count };
    const weft_timeline_options time = { .machine = m, .overlap = how->overlap, .assumed_trips = how->trips };
    weft_timeline *t = &r->timeline;
    weft_status st = weft_fuse(p->local, &fuse, arena, &r->tasks);
    if (st == WEFT_OK) st = weft_timeline_run(&r->tasks, &time, arena, t);
    if (st == WEFT_OK) st = weft_task_uses(&r->tasks, &time, arena, &r->uses, &r->use_count);
    if (st == WEFT_OK) st = weft_task_memory_of(&r->tasks, arena, &r->memory);
    if (st == WEFT_OK) st = add_places(arena, r);
    if (st != WEFT_OK) return st;
    r->is_vendor = true;
    r->how = *how;
    const double hidden_s = t->collective_s - t->exposed_s;
    r->estimate.least_step_s = r->estimate.step_s = t->step_s;
    r->estimate.compute_s = t->compute_s;
    r->estimate.collective_s = t->collective_s;
    r->estimate.hidden_s = hidden_s > 0 ? hidden_s : 0;
    r->estimate.flops = t->flops;
    p->exec->plan.temp_bytes = (int64_t)r->memory.bytes;
    return WEFT_OK;
}
