/* work.c: see work.h. */
#include "runtime/work.h"

static void add_step(const weft_plan_step *s, double times, weft_work *w) {
    w->flops += times * s->flops;
    w->bytes += times * (double)(s->read_bytes + s->write_bytes);
}

/* Of steps [from, to), each `times` times. */
static void add(const weft_plan *p, uint32_t from, uint32_t to, double times, weft_work *w) {
    for (uint32_t i = from; i < to; i++) {
        const weft_plan_step *s = &p->steps[i];
        add_step(s, times, w);
        if (s->kind != WEFT_PLAN_LOOP) continue;
        w->known = w->known && s->trip_count >= 0;
        const double trips = (double)(s->trip_count < 0 ? p->assumed_trips : s->trip_count);
        add(p, i + 1, i + 1 + s->body_steps, times * trips, w);
        i += s->body_steps;
    }
}

weft_work weft_plan_work(const weft_plan *p) {
    weft_work w = { .known = true };
    add(p, 0, p->step_count, 1, &w);
    return w;
}

weft_work *weft_step_works(weft_arena *arena, const weft_executable *x) {
    const weft_plan *p = &x->plan;
    weft_work *works = weft_arena_array(arena, weft_work, x->step_count + 1u);
    uint32_t at = 0;
    for (uint32_t i = 0; works && i < x->step_count && at < p->step_count; i++) {
        const weft_plan_step *s = &p->steps[at];
        const bool function = s->kind == WEFT_PLAN_LOOP && x->steps[i].kind != WEFT_STEP_WHILE;
        const uint32_t n = function ? 1 + s->body_steps : 1;
        works[i].known = true;
        if (function) add(p, at, at + n, 1, &works[i]);
        else add_step(s, 1, &works[i]);
        at += n;
    }
    return works;
}
