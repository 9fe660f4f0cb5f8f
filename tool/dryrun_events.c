/* dryrun_events.c: see dryrun_events.h. */
#include "tool/dryrun_events.h"

#include <stdlib.h>

typedef struct gathering {
    tool *t;
    const weft_dry_report *r;
    dryrun_events *out;
    dryrun_event *v;
    size_t n, cap;
    dryrun_memory_point *memory;
    size_t memory_count, memory_cap;
    struct { int level; weft_str axes; } track[DRYRUN_TRACKS];
    double *bytes;             /* by task of the outermost list */
    uint32_t next;             /* of these, the first that no point of memory covers */
    double link_s;             /* the start of the last event of a link */
    bool failed;
} gathering;

/* One per link; in a torus one per set of its axes. */
static uint32_t track_of(gathering *x, int level, weft_str axes) {
    dryrun_events *o = x->out;
    const weft_machine_level *l = level >= 0 ? &x->r->order.machine.levels[level] : NULL;
    weft_buf b;
    if (level < 0) return 0;
    if (l->wiring == WEFT_WIRED_SWITCH) axes = (weft_str){ NULL, 0 };
    for (uint32_t i = 1; i < o->track_count; i++)
        if (x->track[i].level == level && weft_str_equal(x->track[i].axes, axes)) return i;
    if (o->track_count == DRYRUN_TRACKS) return DRYRUN_TRACKS - 1;
    const uint32_t i = o->track_count++;
    x->track[i].level = level;
    x->track[i].axes = axes;
    weft_buf_init(&b, &x->t->cx->alloc);
    weft_buf_printf(&b, "link %s%s%.*s", l->link_name[0] ? l->link_name : l->name, axes.n ? " along " : "",
                    WEFT_STR_ARG(axes));
    o->track[i] = b.failed ? NULL : weft_arena_strdup(&x->t->cx->arena, b.p, b.n);
    x->failed |= !o->track[i];
    weft_buf_free(&b);
    return i;
}

static void add(gathering *x, const dryrun_event *e) {
    if (x->n == x->cap && !weft_arena_grow(&x->t->cx->arena, (void **)&x->v, &x->cap, x->n + 1, sizeof *x->v))
        x->failed = true;
    else x->v[x->n++] = *e;
}

static void add_memory(gathering *x, double at_s, double bytes) {
    if (x->memory_count == x->memory_cap &&
        !weft_arena_grow(&x->t->cx->arena, (void **)&x->memory, &x->memory_cap, x->memory_count + 1, sizeof *x->memory))
        x->failed = true;
    else x->memory[x->memory_count++] = (dryrun_memory_point){ at_s, bytes };
}

/* The most memory since the last point: collectives start in another order than the list's, in which memory is counted,
 * and have no points of their own. */
static void add_memory_until(gathering *x, uint32_t end, double at_s) {
    double most = 0;
    if (end <= x->next) return;
    for (; x->next < end; x->next++)
        if (x->bytes[x->next] > most) most = x->bytes[x->next];
    add_memory(x, at_s, (double)(weft_plan_peak_bytes(x->r->plan) - x->r->plan->temp_bytes) + most);
}

static void add_task(void *user, const weft_timeline_event *e) {
    gathering *x = user;
    const weft_task *t = e->task;
    dryrun_event out = { .loc = t->op->loc, .start_s = e->start_s, .end_s = e->end_s };
    if (e->level < 0) add_memory_until(x, e->top + 1, e->start_s);
    else x->link_s = e->start_s;
    if (e->further) {
        out.category = DRYRUN_LOOP;
        out.name = "further iterations";
        out.iterations = e->further;
    } else if (t->kind == WEFT_TASK_COLLECTIVE) {
        out.category = DRYRUN_COLLECTIVE;
        out.name = weft_coll_kind_name(t->call.kind);
        out.track = track_of(x, e->level, e->axes);
        out.axes = t->call.axes;
        out.bytes = (double)t->call.bytes;
        out.wire_bytes = t->call.wire_bytes;
    } else {
        out.name = weft_kernel_class_name(t->kernel.kind);
        out.flops = t->kernel.flops + t->kernel.vector_flops;
        out.bytes = t->kernel.read_bytes + t->kernel.write_bytes;
    }
    add(x, &out);
}

static void add_step(void *user, const weft_estimate_event *e) {
    gathering *x = user;
    const weft_plan_step *s = e->step;
    const bool calls = s->kind == WEFT_PLAN_COLLECTIVE || s->kind == WEFT_PLAN_START || s->kind == WEFT_PLAN_DONE;
    dryrun_event out = { .loc = s->loc, .start_s = e->start_s, .end_s = e->end_s };
    if (e->further) {
        out.category = DRYRUN_LOOP;
        out.name = "further iterations";
        out.iterations = e->further;
    } else if (calls) {
        const weft_plan_collective *c = &x->r->plan->collectives[s->collective];
        out.category = DRYRUN_COLLECTIVE;
        out.name = weft_coll_kind_name(c->kind);
        out.track = e->on == WEFT_ON_LINK ? track_of(x, x->r->reaches[s->collective].level, c->axes) : 0;
        out.loc = c->loc;
        out.axes = c->axes;
        out.bytes = (double)c->bytes;
        out.wire_bytes = e->on == WEFT_ON_LINK ? c->wire_bytes : 0;
    } else {
        out.name = s->kind == WEFT_PLAN_LIBRARY ? "library" : "kernel";
        out.flops = s->flops;
        out.bytes = (double)(s->read_bytes + s->write_bytes);
    }
    add(x, &out);
}

static weft_status draw(gathering *x) {
    const weft_dry_report *r = x->r;
    weft_arena *arena = &x->t->cx->arena;
    if (!r->is_vendor) {
        add_memory(x, 0, (double)weft_plan_peak_bytes(r->plan)); /* Weft's temporaries are one block of memory */
        weft_simulate_draw(r->plan, &r->order.machine, r->reaches, r->calls, r->cases, add_step, x);
        return WEFT_OK;
    }
    const weft_timeline_options time = { .machine = &r->order.machine, .overlap = r->how.overlap,
                                         .assumed_trips = r->how.trips };
    x->bytes = weft_arena_array(arena, double, (size_t)r->tasks.task_count + 1);
    if (!x->bytes) return weft_oom();
    weft_arena scratch; /* the events are in the other */
    weft_arena_init(&scratch, &x->t->cx->alloc);
    weft_status st = weft_task_memory_each(&r->tasks, &scratch, x->bytes);
    if (st == WEFT_OK) st = weft_timeline_draw(&r->tasks, &time, &scratch, add_task, x);
    if (st == WEFT_OK) add_memory_until(x, r->tasks.task_count, x->link_s);
    weft_arena_free(&scratch);
    return st;
}

/* Tasks start in another order than the list's. */
static int earlier_first(const void *a, const void *b) {
    const dryrun_memory_point *x = a, *y = b;
    if (x->at_s > y->at_s || x->at_s < y->at_s) return x->at_s < y->at_s ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

weft_status dryrun_events_of(tool *t, const weft_dry_report *r, dryrun_events *out) {
    gathering x = { .t = t, .r = r, .out = out };
    *out = (dryrun_events){ .track = { "device" }, .track_count = 1 };
    weft_status st = draw(&x);
    if (x.memory_count) qsort(x.memory, x.memory_count, sizeof *x.memory, earlier_first);
    out->v = x.v;
    out->n = x.n;
    out->memory = x.memory;
    out->memory_count = x.memory_count;
    return st == WEFT_OK && x.failed ? weft_oom() : st;
}
