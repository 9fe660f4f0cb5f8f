/* simulate: adds up a plan's steps for one machine. */
#include "cost/simulate.h"

typedef struct simulation {
    const weft_plan *plan;
    const weft_machine *machine;
    const weft_reach *reaches;
    weft_estimate_call *calls;
    weft_estimate *out;
} simulation;

/* The clock and the link of one list of steps, which both begin at 0. */
typedef struct timeline { double now_s, link_free_s; } timeline;

static void kernel(simulation *s, const weft_plan_step *step, double times, timeline *t) {
    const double time_s = weft_machine_kernel_time_s(s->machine, step->flops, step->read_bytes + step->write_bytes);
    s->out->flops += times * step->flops;
    s->out->compute_s += times * time_s;
    t->now_s += time_s;
}

static weft_coll_time time_of(const simulation *s, const weft_plan_step *step) {
    const weft_plan_collective *c = &s->plan->collectives[step->collective];
    if (s->reaches) return weft_machine_reach_time(s->machine, c->kind, c->group_size, &s->reaches[step->collective], c->bytes);
    return weft_machine_coll_time(s->machine, c->kind, c->group_size, c->stride, c->bytes);
}

static void start(simulation *s, const weft_plan_step *step, int64_t times, timeline *t) {
    const weft_coll_time c = time_of(s, step);
    s->out->wire_bytes = weft_add_times_i64(s->out->wire_bytes, times, s->plan->collectives[step->collective].wire_bytes);
    s->out->collective_s += (double)times * (c.beside_s + c.own_s);
    s->calls[step->collective].count = weft_add_times_i64(s->calls[step->collective].count, times, 1);
    t->link_free_s = (t->now_s > t->link_free_s ? t->now_s : t->link_free_s) + c.beside_s;
    s->calls[step->collective].ready_s = t->link_free_s;
}

static void done(simulation *s, const weft_plan_step *step, int64_t times, timeline *t) {
    const weft_coll_time c = time_of(s, step);
    const double left_s = s->calls[step->collective].ready_s - t->now_s, wait_s = left_s > 0 ? left_s : 0;
    s->out->hidden_s += (double)times * (c.beside_s - wait_s);
    t->now_s += wait_s + c.own_s;
}

/* The steps [from, to), each `times` times; how long one time takes. */
static double run(simulation *s, uint32_t from, uint32_t to, int64_t times) {
    timeline t = { 0, 0 };
    for (uint32_t i = from; i < to; i++) {
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
        case WEFT_PLAN_LOOP: {
            int64_t trips = step->trip_count < 0 ? 1 : step->trip_count, inner;
            s->out->unknown_loops += step->trip_count < 0;
            if (!weft_mul_i64(times, trips, &inner)) inner = INT64_MAX;
            t.now_s += (double)trips * run(s, i + 1, i + 1 + step->body_steps, inner);
            i += step->body_steps;
            break;
        }
        }
    }
    return t.now_s;
}

void weft_simulate(const weft_plan *plan, const weft_machine *machine, const weft_reach *reaches, weft_estimate_call *calls, weft_estimate *out) {
    simulation s = { plan, machine, reaches, calls, out };
    *out = (weft_estimate){ 0 };
    for (uint32_t i = 0; i < plan->collective_count; i++) calls[i] = (weft_estimate_call){ 0 };
    run(&s, 0, plan->step_count, 1);
    if (out->hidden_s < 1e-12 * out->collective_s) out->hidden_s = 0; /* what rounding leaves of a difference */
    out->step_s = out->compute_s + out->collective_s - out->hidden_s;
}
