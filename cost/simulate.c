/* simulate: adds up a plan's steps for one machine. */
#include "cost/simulate.h"

typedef struct simulation {
    const weft_plan *plan;
    const weft_machine *machine;
    const int64_t *strides;
    weft_estimate *out;
    int64_t *counts;
} simulation;

static void kernel(simulation *s, const weft_plan_step *step, double times) {
    double arithmetic_s = step->flops / s->machine->flops_per_s;
    double memory_s = (double)(step->read_bytes + step->write_bytes) / s->machine->bytes_per_s;
    s->out->flops += times * step->flops;
    s->out->compute_s += times * (arithmetic_s > memory_s ? arithmetic_s : memory_s);
}

static void collective(simulation *s, const weft_plan_step *step, int64_t times) {
    const weft_plan_collective *c = &s->plan->collectives[step->collective];
    int64_t stride = s->strides ? s->strides[step->collective] : 1;
    s->out->wire_bytes += times * c->wire_bytes;
    s->out->collective_s += (double)times * weft_machine_coll_time_s(s->machine, c->kind, c->group_size, stride, c->bytes);
    if (s->counts) s->counts[step->collective] += times;
}

/* The steps [from, to), each `times` times. */
static void run(simulation *s, uint32_t from, uint32_t to, int64_t times) {
    for (uint32_t i = from; i < to; i++) {
        const weft_plan_step *step = &s->plan->steps[i];
        switch (step->kind) {
        case WEFT_PLAN_KERNEL:
        case WEFT_PLAN_LIBRARY: kernel(s, step, (double)times); break;
        case WEFT_PLAN_COLLECTIVE: collective(s, step, times); break;
        case WEFT_PLAN_LOOP: {
            int64_t trips = step->trip_count < 0 ? 1 : step->trip_count, inner;
            s->out->unknown_loops += step->trip_count < 0;
            if (!weft_mul_i64(times, trips, &inner)) inner = INT64_MAX;
            run(s, i + 1, i + 1 + step->body_steps, inner);
            i += step->body_steps;
            break;
        }
        }
    }
}

void weft_simulate(const weft_plan *plan, const weft_machine *machine, const int64_t *strides, weft_estimate *out, int64_t *counts) {
    simulation s = { plan, machine, strides, out, counts };
    *out = (weft_estimate){ 0 };
    for (uint32_t i = 0; counts && i < plan->collective_count; i++) counts[i] = 0;
    run(&s, 0, plan->step_count, 1);
    out->step_s = out->compute_s + out->collective_s;
}
