/* timeline.c: see timeline.h. */
#include "cost/timeline.h"

#include <math.h>
#include "cost/machine.h"

enum { STREAMS = 64, ITERATIONS = 5, NO_STREAM = UINT32_MAX };

/* Along some axes of a torus its other links are free; a switch's link is one. */
typedef struct stream { int level; weft_str axes; double free_s; } stream;

typedef struct runner {
    const weft_timeline_options *opt;
    weft_arena *scratch;
} runner;

/* One run of a list: `turns` iterations of it, as nodes turn * task_count + task. */
typedef struct run {
    runner *r;
    const weft_task_list *list;
    uint32_t turns, n;
    stream streams[STREAMS]; uint32_t stream_count;  /* 0: the device */
    double *start_s, *end_s;                         /* end < 0: not started */
    double *time_s;                                  /* by task */
    uint32_t *on, *also;                             /* by task: streams */
    double *begun_s;                                 /* by turn: the start of its first kernel; < 0: not yet */
    uint32_t *device, *links;                        /* nodes of each in order */
    uint32_t device_count, link_count, device_at, link_at;
    uint32_t running;                                /* the kernel that started last */
    double links_free_s;                             /* no link is busy after it */
} run;

static weft_status list_time(runner *r, const weft_task_list *list, int64_t trips, double *out);

static double coll_time(const runner *r, const weft_task *t) {
    const weft_coll_time c =
        weft_machine_reach_time(r->opt->machine, t->call.kind, t->call.group_size, &t->call.reach, t->call.bytes);
    return c.beside_s + c.own_s;
}

static int64_t trips_of(const runner *r, const weft_task *t) {
    return t->trips >= 0 ? t->trips : weft_max_i64(r->opt->assumed_trips, 1);
}

/* The branch that the options take, and its time. */
static weft_status branch_of(runner *r, const weft_task *t, uint32_t *taken, double *out) {
    const bool fastest = r->opt->branches == WEFT_BRANCHES_FASTEST;
    weft_status st = WEFT_OK;
    *out = 0;
    *taken = 0;
    for (uint32_t i = 0; i < t->body_count && st == WEFT_OK; i++) {
        double one = 0;
        st = list_time(r, &t->bodies[i], 1, &one);
        if (!i || (fastest ? one < *out : one > *out)) *out = one, *taken = i;
    }
    return st;
}

static weft_status task_time(runner *r, const weft_task *t, double *out) {
    weft_status st = WEFT_OK;
    uint32_t taken;
    *out = 0;
    switch (t->kind) {
    case WEFT_TASK_KERNEL: *out = weft_kernel_time_s(r->opt->machine, &t->kernel); break;
    case WEFT_TASK_COLLECTIVE: *out = coll_time(r, t); break;
    case WEFT_TASK_LOOP:
        if (t->body_count) st = list_time(r, &t->bodies[0], trips_of(r, t), out);
        break;
    case WEFT_TASK_CASE: st = branch_of(r, t, &taken, out); break;
    }
    return st;
}

static uint32_t stream_of(run *x, int level, weft_str axes) {
    const bool torus = x->r->opt->machine->levels[level].wiring != WEFT_WIRED_SWITCH;
    for (uint32_t i = 1; i < x->stream_count; i++)
        if (x->streams[i].level == level && (!torus || weft_str_equal(x->streams[i].axes, axes))) return i;
    if (x->stream_count == STREAMS) return STREAMS - 1;
    x->streams[x->stream_count] = (stream){ .level = level, .axes = axes };
    return x->stream_count++;
}

static void choose_streams(run *x, uint32_t t) {
    const weft_task *task = &x->list->tasks[t];
    const weft_machine *m = x->r->opt->machine;
    x->on[t] = 0;
    x->also[t] = NO_STREAM;
    const bool beside = x->r->opt->overlap == WEFT_OVERLAP_COLLECTIVES && m->mover == WEFT_MOVER_ENGINE;
    if (task->kind != WEFT_TASK_COLLECTIVE || !beside || task->call.reach.level < 0) return;
    x->on[t] = stream_of(x, task->call.reach.level, task->call.axes);
    if (task->call.reach.inside_level >= 0)
        x->also[t] = stream_of(x, task->call.reach.inside_level, task->call.axes);
}

/* When all that the node needs has ended; < 0: something has not. */
static double ready_s(const run *x, uint32_t node) {
    const uint32_t n = x->list->task_count, turn = node / n, t = node % n;
    const weft_task *task = &x->list->tasks[t];
    double s = 0;
    for (uint32_t i = 0; i < task->need_count; i++) {
        const double e = x->end_s[turn * n + task->needs[i]];
        if (e < 0) return -1;
        if (e > s) s = e;
    }
    for (uint32_t i = 0; turn && i < task->before_count; i++) {
        const double e = x->end_s[(turn - 1) * n + task->before[i]];
        if (e < 0) return -1;
        if (e > s) s = e;
    }
    if (!turn || x->on[t] == 0) return s;
    if (x->begun_s[turn - 1] < 0) return -1;
    return s > x->begun_s[turn - 1] ? s : x->begun_s[turn - 1];
}

static double start_s(const run *x, uint32_t node) {
    const uint32_t t = node % x->list->task_count;
    double s = ready_s(x, node);
    if (s < 0) return -1;
    if (x->streams[x->on[t]].free_s > s) s = x->streams[x->on[t]].free_s;
    if (x->also[t] != NO_STREAM && x->streams[x->also[t]].free_s > s) s = x->streams[x->also[t]].free_s;
    return s;
}

/* The earliest of the next nodes of one kind that have not started. */
static void consider(const run *x, const uint32_t *nodes, uint32_t from, uint32_t count, uint32_t *best, double *at) {
    for (uint32_t i = from, seen = 0; i < count && seen < TIMELINE_AHEAD; i++) {
        if (x->end_s[nodes[i]] >= 0) continue;
        seen++;
        const double s = start_s(x, nodes[i]);
        if (s >= 0 && (*best == NO_STREAM || s < *at)) *best = nodes[i], *at = s;
        if (nodes == x->device && s >= 0 && s <= x->streams[0].free_s) break; /* nothing can start earlier */
    }
}

/* The end of work that would end at `end`, if links are busy from `from` to `to`. */
static double slowed(const run *x, double end, double from, double to) {
    const double share = x->r->opt->machine->costs.beside_share, left = end - from, busy = to - from;
    if (left <= 0 || busy <= 0) return end;
    return left <= share * busy ? from + left / share : end + (1 - share) * busy;
}

/* A kernel and the collectives under way slow each other: here the kernel alone is slowed. Loops have done so
 * within. */
static double end_of(run *x, uint32_t node, double at) {
    const uint32_t t = node % x->list->task_count;
    double end = at + x->time_s[t];
    if (x->on[t] == 0) {
        if (x->list->tasks[t].kind != WEFT_TASK_KERNEL) return end;
        x->running = node;
        return slowed(x, end, at, x->links_free_s);
    }
    const double from = at > x->links_free_s ? at : x->links_free_s;
    if (end > x->links_free_s) x->links_free_s = end;
    if (x->running == NO_STREAM || x->end_s[x->running] <= from) return end;
    x->end_s[x->running] = slowed(x, x->end_s[x->running], from, end);
    x->streams[0].free_s = x->end_s[x->running];
    return end;
}

static void start(run *x, uint32_t node, double at) {
    const uint32_t n = x->list->task_count, t = node % n, turn = node / n;
    const double end = end_of(x, node, at);
    x->end_s[node] = end;
    x->streams[x->on[t]].free_s = end;
    if (x->also[t] != NO_STREAM) x->streams[x->also[t]].free_s = end;
    x->start_s[node] = at;
    if (x->on[t] == 0 && x->begun_s[turn] < 0) x->begun_s[turn] = at;
}

static weft_status open_run(run *x) {
    weft_arena *a = x->r->scratch;
    const uint32_t n = x->list->task_count;
    x->n = n * x->turns;
    x->start_s = weft_arena_array(a, double, x->n);
    x->end_s = weft_arena_array(a, double, x->n);
    x->time_s = weft_arena_array(a, double, n);
    x->on = weft_arena_array(a, uint32_t, n);
    x->also = weft_arena_array(a, uint32_t, n);
    x->begun_s = weft_arena_array(a, double, x->turns);
    x->device = weft_arena_array(a, uint32_t, x->n);
    x->links = weft_arena_array(a, uint32_t, x->n);
    if (!x->start_s || !x->end_s || !x->time_s || !x->on || !x->also || !x->begun_s || !x->device || !x->links)
        return weft_oom();
    x->stream_count = 1;
    x->running = NO_STREAM;
    weft_status st = WEFT_OK;
    for (uint32_t t = 0; t < n && st == WEFT_OK; t++) {
        st = task_time(x->r, &x->list->tasks[t], &x->time_s[t]);
        choose_streams(x, t);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        x->end_s[i] = -1;
        if (x->on[i % n]) x->links[x->link_count++] = i;
        else x->device[x->device_count++] = i;
    }
    for (uint32_t i = 0; i < x->turns; i++) x->begun_s[i] = -1;
    return st;
}

/* The time at which each turn's last task has ended. */
static void go(run *x, double *turn_end_s) {
    for (uint32_t done = 0; done < x->n; done++) {
        uint32_t best = NO_STREAM;
        double at = 0;
        while (x->device_at < x->device_count && x->end_s[x->device[x->device_at]] >= 0) x->device_at++;
        while (x->link_at < x->link_count && x->end_s[x->links[x->link_at]] >= 0) x->link_at++;
        consider(x, x->links, x->link_at, x->link_count, &best, &at);
        consider(x, x->device, x->device_at, x->device_count, &best, &at);
        if (best == NO_STREAM) break; /* a turn without kernels: nothing else waits for it */
        start(x, best, at);
    }
    for (uint32_t i = 0; i < x->turns; i++) {
        turn_end_s[i] = i ? turn_end_s[i - 1] : 0;
        for (uint32_t t = 0; t < x->list->task_count; t++)
            if (x->end_s[i * x->list->task_count + t] > turn_end_s[i])
                turn_end_s[i] = x->end_s[i * x->list->task_count + t];
    }
}

static weft_status list_time(runner *r, const weft_task_list *list, int64_t trips, double *out) {
    const weft_mark mark = weft_arena_mark(r->scratch);
    run *x = weft_arena_new(r->scratch, run);
    double ends[ITERATIONS];
    *out = 0;
    if (!x) return weft_oom();
    if (!list->task_count || trips <= 0) return WEFT_OK;
    *x = (run){ .r = r, .list = list, .turns = (uint32_t)weft_min_i64(trips, ITERATIONS) };
    weft_status st = open_run(x);
    if (st == WEFT_OK) {
        go(x, ends);
        /* nothing of a next turn runs beside the last one: the two before it tell what one takes */
        const uint32_t last = x->turns - 1;
        *out = ends[last];
        if (trips > x->turns) *out += (double)(trips - x->turns) * (ends[last - 1] - ends[last - 2]);
    }
    weft_arena_reset(r->scratch, mark);
    return st;
}

/* --- drawings ----------------------------------------------------------------------------------------------------- */

typedef struct drawing { runner r; weft_timeline_visit visit; void *user; uint32_t top; } drawing;

static weft_status draw_list(drawing *d, const weft_task_list *list, const weft_task *loop, int64_t trips, double at,
                             uint32_t depth);

static weft_status draw_case(drawing *d, const weft_task *t, double at, uint32_t depth) {
    uint32_t taken;
    double time_s;
    const weft_status st = branch_of(&d->r, t, &taken, &time_s);
    return st == WEFT_OK && t->body_count ? draw_list(d, &t->bodies[taken], NULL, 1, at, depth) : st;
}

static weft_status draw_node(drawing *d, const run *x, uint32_t node, double at, uint32_t depth) {
    const uint32_t t = node % x->list->task_count;
    const weft_task *task = &x->list->tasks[t];
    const stream *on = &x->streams[x->on[t]];
    const double from = at + x->start_s[node];
    if (x->end_s[node] < 0) return WEFT_OK;
    if (!depth) d->top = t;
    if (task->kind == WEFT_TASK_LOOP)
        return task->body_count ? draw_list(d, &task->bodies[0], task, trips_of(&d->r, task), from,
                                            depth + 1) : WEFT_OK;
    if (task->kind == WEFT_TASK_CASE) return draw_case(d, task, from, depth + 1);
    const weft_timeline_event e = { task, from, at + x->end_s[node], x->on[t] ? on->level : -1,
                                    x->on[t] ? on->axes : (weft_str){ NULL, 0 }, depth, d->top, 0 };
    d->visit(d->user, &e);
    return WEFT_OK;
}

static weft_status draw_list(drawing *d, const weft_task_list *list, const weft_task *loop, int64_t trips, double at,
                             uint32_t depth) {
    const weft_mark mark = weft_arena_mark(d->r.scratch);
    run *x = weft_arena_new(d->r.scratch, run);
    double ends[ITERATIONS];
    if (!x) return weft_oom();
    if (!list->task_count || trips <= 0) return WEFT_OK;
    *x = (run){ .r = &d->r, .list = list, .turns = (uint32_t)weft_min_i64(trips, ITERATIONS) };
    weft_status st = open_run(x);
    if (st == WEFT_OK) go(x, ends);
    for (uint32_t i = 0; st == WEFT_OK && i < x->n; i++) st = draw_node(d, x, i, at, depth);
    if (st == WEFT_OK && trips > x->turns) {
        const uint32_t last = x->turns - 1;
        const int64_t further = trips - x->turns;
        const double rest = (double)further * (ends[last - 1] - ends[last - 2]);
        const weft_timeline_event e = { loop, at + ends[last], at + ends[last] + rest, -1, { NULL, 0 }, depth, d->top,
                                        further };
        d->visit(d->user, &e);
    }
    weft_arena_reset(d->r.scratch, mark);
    return st;
}

weft_status weft_timeline_draw(const weft_task_list *list, const weft_timeline_options *opt, weft_arena *scratch,
                               weft_timeline_visit visit, void *user) {
    drawing d = { { opt, scratch }, visit, user, 0 };
    return draw_list(&d, list, NULL, 1, 0, 0);
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

typedef struct uses { weft_arena *arena; weft_task_use *v; size_t n, cap; runner *r; int64_t unknown; } uses;

static weft_status add_uses(uses *u, const weft_task_list *list, int64_t count) {
    weft_status st = WEFT_OK;
    for (uint32_t i = 0; i < list->task_count && st == WEFT_OK; i++) {
        const weft_task *t = &list->tasks[i];
        if (t->kind == WEFT_TASK_LOOP || t->kind == WEFT_TASK_CASE) {
            int64_t times = count;
            double time_s;
            uint32_t taken = 0;
            if (t->kind == WEFT_TASK_LOOP && !weft_mul_i64(count, trips_of(u->r, t), &times)) times = INT64_MAX;
            u->unknown += t->kind == WEFT_TASK_LOOP && t->trips < 0;
            if (t->body_count > 1) st = branch_of(u->r, t, &taken, &time_s);
            if (st == WEFT_OK && t->body_count) st = add_uses(u, &t->bodies[taken], times);
            continue;
        }
        double one = 0;
        st = task_time(u->r, t, &one);
        if (u->n == u->cap && !weft_arena_grow(u->arena, (void **)&u->v, &u->cap, u->n + 1, sizeof *u->v))
            return weft_oom();
        u->v[u->n++] = (weft_task_use){ t, count, (double)count * one };
    }
    return st;
}

weft_status weft_task_uses(const weft_task_list *list, const weft_timeline_options *opt, weft_arena *arena,
                           const weft_task_use **out, size_t *count) {
    runner r = { opt, arena };
    uses u = { .arena = arena, .r = &r };
    weft_status st = add_uses(&u, list, 1);
    *out = u.v;
    *count = u.n;
    return st;
}

static void add(weft_timeline *out, const weft_machine *m, const weft_task_use *u) {
    const weft_task *t = u->task;
    const double times = (double)u->count;
    if (t->kind == WEFT_TASK_COLLECTIVE) {
        out->collective_s += u->time_s;
        out->wire_bytes = weft_add_times_i64(out->wire_bytes, u->count, t->call.wire_bytes);
        out->calls = weft_add_times_i64(out->calls, u->count, 1);
        return;
    }
    out->compute_s += u->time_s;
    out->class_s[t->kernel.kind] += u->time_s;
    out->flops += times * (t->kernel.flops + t->kernel.vector_flops);
    out->product_flops += times * t->kernel.flops;
    out->again_flops += times * t->again_flops;
    out->ideal_s += times * t->kernel.flops / weft_kernel_rate(m, t->kernel.dtype);
    out->kernels = weft_add_times_i64(out->kernels, u->count, 1);
}

weft_status weft_timeline_step_s(const weft_task_list *list, const weft_timeline_options *opt, weft_arena *scratch,
                                 double *out) {
    runner r = { opt, scratch };
    return list_time(&r, list, 1, out);
}

weft_status weft_timeline_run(const weft_task_list *list, const weft_timeline_options *opt, weft_arena *scratch,
                              weft_timeline *out) {
    const weft_mark mark = weft_arena_mark(scratch);
    runner r = { opt, scratch };
    uses u = { .arena = scratch, .r = &r };
    *out = (weft_timeline){ 0 };
    weft_status st = list_time(&r, list, 1, &out->step_s);
    if (st == WEFT_OK) st = add_uses(&u, list, 1);
    for (size_t i = 0; i < u.n && st == WEFT_OK; i++) add(out, opt->machine, &u.v[i]);
    out->unknown_loops = u.unknown;
    out->exposed_s = out->step_s > out->compute_s ? out->step_s - out->compute_s : 0;
    weft_arena_reset(scratch, mark);
    return st;
}
