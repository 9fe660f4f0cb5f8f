/* simulate: adds up a plan's steps for one machine.
 *
 * Of a case one branch runs. The branches with least and most time, bytes and calls are found for each case by itself,
 * inner ones first, which come first in the list; then the plan is walked once along each choice.
 */
#include "cost/simulate.h"

/* The sums of a walk along some steps. */
typedef struct sums {
    double time_s, compute_s, collective_s, hidden_s, flops;
    int64_t wire_bytes, calls, unknown_loops;
} sums;

typedef struct simulation {
    const weft_plan *plan;
    const weft_machine *machine;
    const weft_reach *reaches;
    weft_estimate_call *calls;
    weft_estimate_case *cases;
    weft_estimate_path path; /* the walk takes its branches */
    enum { SUMS_ONLY, COUNT_CALLS } counting;
    sums sum;
    weft_estimate_visit visit; /* or NULL */
    void *user;
    double base_s;             /* of the list of steps that is drawn */
} simulation;

/* The clock and the link of one list of steps, which both begin at 0. */
typedef struct timeline { double now_s, link_free_s; } timeline;

/* Times are of the list of steps. */
static void draw(const simulation *s, const weft_plan_step *step, double from, double to, int on, int64_t further) {
    if (!s->visit || to <= from) return;
    const weft_estimate_event e = { step, s->base_s + from, s->base_s + to, on ? WEFT_ON_LINK : WEFT_ON_DEVICE,
                                    further };
    s->visit(s->user, &e);
}

static void kernel(simulation *s, const weft_plan_step *step, double times, timeline *t) {
    const double time_s = weft_machine_kernel_time_s(s->machine, step->flops, step->read_bytes + step->write_bytes);
    s->sum.flops += times * step->flops;
    s->sum.compute_s += times * time_s;
    draw(s, step, t->now_s, t->now_s + time_s, WEFT_ON_DEVICE, 0);
    t->now_s += time_s;
}

/* Of a collective whose bytes only a run knows, the cheapest run sends none. */
static bool sends_none(const simulation *s, const weft_plan_collective *c) {
    return c->at_most && (s->path == WEFT_PATH_LEAST_BYTES || s->path == WEFT_PATH_LEAST_TIME);
}

static weft_coll_time time_of(const simulation *s, const weft_plan_step *step) {
    const weft_plan_collective *c = &s->plan->collectives[step->collective];
    const int64_t bytes = sends_none(s, c) ? 0 : c->bytes;
    if (s->reaches)
        return weft_machine_reach_time(s->machine, c->kind, c->group_size, &s->reaches[step->collective], bytes);
    return weft_machine_coll_time(s->machine, c->kind, c->group_size, c->stride, bytes);
}

static void start(simulation *s, const weft_plan_step *step, int64_t times, timeline *t) {
    const weft_coll_time c = time_of(s, step);
    const weft_plan_collective *p = &s->plan->collectives[step->collective];
    weft_estimate_call *call = &s->calls[step->collective];
    s->sum.wire_bytes = weft_add_times_i64(s->sum.wire_bytes, times, sends_none(s, p) ? 0 : p->wire_bytes);
    s->sum.calls = weft_add_times_i64(s->sum.calls, times, 1);
    s->sum.collective_s += (double)times * (c.beside_s + c.own_s);
    if (s->counting == COUNT_CALLS) call->count = weft_add_times_i64(call->count, times, 1);
    t->link_free_s = (t->now_s > t->link_free_s ? t->now_s : t->link_free_s) + c.beside_s;
    draw(s, step, t->link_free_s - c.beside_s, t->link_free_s, WEFT_ON_LINK, 0);
    call->ready_s = t->link_free_s;
}

static void done(simulation *s, const weft_plan_step *step, int64_t times, timeline *t) {
    const weft_coll_time c = time_of(s, step);
    const double left_s = s->calls[step->collective].ready_s - t->now_s, wait_s = left_s > 0 ? left_s : 0;
    s->sum.hidden_s += (double)times * (c.beside_s - wait_s);
    t->now_s += wait_s + c.own_s;
    draw(s, step, t->now_s - c.own_s, t->now_s, WEFT_ON_DEVICE, 0);
}

static double run(simulation *s, uint32_t from, uint32_t to, int64_t times);

/* Steps of an inner list, which begins at `at`. */
static double run_inside(simulation *s, uint32_t from, uint32_t to, int64_t times, double at) {
    const double base_s = s->base_s;
    s->base_s += at;
    const double time_s = run(s, from, to, times);
    s->base_s = base_s;
    return time_s;
}

static double loop(simulation *s, uint32_t i, int64_t times, double at) {
    const weft_plan_step *step = &s->plan->steps[i];
    int64_t trips = step->trip_count < 0 ? weft_max_i64(s->plan->assumed_trips, 1) : step->trip_count, inner;
    s->sum.unknown_loops += step->trip_count < 0;
    if (!weft_mul_i64(times, trips, &inner)) inner = INT64_MAX;
    const weft_estimate_visit visit = s->visit;
    if (trips <= 0) s->visit = NULL;
    const double one_s = run_inside(s, i + 1, i + 1 + step->body_steps, inner, at);
    s->visit = visit;
    draw(s, step, at + one_s, at + (double)trips * one_s, WEFT_ON_DEVICE, trips - 1);
    return (double)trips * one_s;
}

static double branch(simulation *s, uint32_t i, uint32_t b, int64_t times, double at) {
    const weft_plan_step *step = &s->plan->steps[i];
    uint32_t from = i + 1;
    for (uint32_t k = 0; k < b; k++) from += step->branch_steps[k];
    return run_inside(s, from, from + step->branch_steps[b], times, at);
}

/* The steps [from, to), each `times` times; returns the time of one iteration. */
static double run(simulation *s, uint32_t from, uint32_t to, int64_t times) {
    timeline t = { 0, 0 };
    for (uint32_t i = from; i < to; i += weft_plan_span(&s->plan->steps[i])) {
        const weft_plan_step *step = &s->plan->steps[i];
        switch (step->kind) {
        case WEFT_PLAN_KERNEL:
        case WEFT_PLAN_LIBRARY: kernel(s, step, (double)times, &t); break;
        case WEFT_PLAN_COLLECTIVE:
            start(s, step, times, &t);
            done(s, step, times, &t);
            break;
        case WEFT_PLAN_START: start(s, step, times, &t); break;
        case WEFT_PLAN_DONE: done(s, step, times, &t); break;
        case WEFT_PLAN_LOOP: t.now_s += loop(s, i, times, t.now_s); break;
        case WEFT_PLAN_CASE:
            if (step->branch_count) t.now_s += branch(s, i, s->cases[step->case_number].branch[s->path], times,
                                                      t.now_s);
            break;
        }
    }
    return t.now_s;
}

/* Negative, 0 or positive: a is less than, equal to or more than b in the path's quantity; ties are decided by
 * time. */
static int compare(weft_estimate_path path, const sums *a, const sums *b) {
    if (path == WEFT_PATH_LEAST_BYTES || path == WEFT_PATH_MOST_BYTES)
        if (a->wire_bytes != b->wire_bytes) return a->wire_bytes < b->wire_bytes ? -1 : 1;
    if (path == WEFT_PATH_LEAST_CALLS || path == WEFT_PATH_MOST_CALLS)
        if (a->calls != b->calls) return a->calls < b->calls ? -1 : 1;
    return a->time_s < b->time_s ? -1 : a->time_s > b->time_s;
}

static bool takes_most(weft_estimate_path path) {
    return path == WEFT_PATH_MOST_TIME || path == WEFT_PATH_MOST_BYTES || path == WEFT_PATH_MOST_CALLS;
}

/* The branch of the case at i that s->path takes. */
static uint32_t choose(simulation *s, uint32_t i) {
    const weft_plan_step *step = &s->plan->steps[i];
    sums best = { 0 };
    uint32_t chosen = 0;
    if (step->taken >= 0 && step->taken < step->branch_count) return (uint32_t)step->taken;
    for (uint32_t b = 0; b < step->branch_count; b++) {
        s->sum = (sums){ 0 };
        s->sum.time_s = branch(s, i, b, 1, 0);
        const int order = compare(s->path, &s->sum, &best);
        if (b && (takes_most(s->path) ? order <= 0 : order >= 0)) continue;
        best = s->sum;
        chosen = b;
    }
    return chosen;
}

void weft_simulate(const weft_plan *plan, const weft_machine *machine, const weft_reach *reaches,
                   weft_estimate_call *calls, weft_estimate_case *cases, weft_estimate *out) {
    simulation s = { .plan = plan, .machine = machine, .reaches = reaches, .calls = calls, .cases = cases };
    sums of[WEFT_PATH_COUNT];
    for (uint32_t i = 0; i < plan->collective_count; i++) calls[i] = (weft_estimate_call){ 0 };
    for (uint32_t i = plan->step_count; plan->case_count && i-- > 0;)
        for (s.path = 0; plan->steps[i].kind == WEFT_PLAN_CASE && s.path < WEFT_PATH_COUNT; s.path++)
            cases[plan->steps[i].case_number].branch[s.path] = choose(&s, i);
    for (s.path = 0; s.path < WEFT_PATH_COUNT; s.path++) {
        s.sum = (sums){ 0 };
        s.counting = s.path == WEFT_PATH_MOST_BYTES ? COUNT_CALLS : SUMS_ONLY;
        s.sum.time_s = run(&s, 0, plan->step_count, 1);
        if (s.sum.hidden_s < 1e-12 * s.sum.collective_s) s.sum.hidden_s = 0; /* the rounding error of a difference */
        of[s.path] = s.sum;
    }
    const sums *slow = &of[WEFT_PATH_MOST_TIME], *fast = &of[WEFT_PATH_LEAST_TIME];
    *out = (weft_estimate){
        .step_s = slow->compute_s + slow->collective_s - slow->hidden_s, .compute_s = slow->compute_s,
        .collective_s = slow->collective_s, .hidden_s = slow->hidden_s, .flops = slow->flops,
        .wire_bytes = of[WEFT_PATH_MOST_BYTES].wire_bytes, .calls = of[WEFT_PATH_MOST_CALLS].calls,
        .unknown_loops = slow->unknown_loops,
        .least_step_s = fast->compute_s + fast->collective_s - fast->hidden_s,
        .least_wire_bytes = of[WEFT_PATH_LEAST_BYTES].wire_bytes, .least_calls = of[WEFT_PATH_LEAST_CALLS].calls,
    };
}

void weft_simulate_draw(const weft_plan *plan, const weft_machine *machine, const weft_reach *reaches,
                        weft_estimate_call *calls, const weft_estimate_case *cases, weft_estimate_visit visit,
                        void *user) {
    simulation s = { .plan = plan, .machine = machine, .reaches = reaches, .calls = calls,
                     .cases = (weft_estimate_case *)cases, .path = WEFT_PATH_MOST_TIME, .visit = visit, .user = user };
    (void)run(&s, 0, plan->step_count, 1);
}
