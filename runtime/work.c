/* work.c: see work.h. */
#include "runtime/work.h"

static void add_step(const weft_plan_step *s, double times, weft_work *w) {
    w->flops += times * s->flops;
    w->bytes += times * (double)(s->read_bytes + s->write_bytes);
}

/* ---- before a run ---- */

static void add(const weft_plan *p, uint32_t from, uint32_t to, double times, weft_work *w);

static void add_branches(const weft_plan *p, uint32_t at, double times, weft_work *w) {
    const weft_plan_step *s = &p->steps[at];
    weft_work most = { .known = true };
    uint32_t from = at + 1;
    for (uint32_t b = 0; b < s->branch_count; from += s->branch_steps[b++]) {
        weft_work one = { .known = true };
        if (s->taken >= 0 && s->taken != b) continue;
        add(p, from, from + s->branch_steps[b], times, &one);
        most.flops = one.flops > most.flops ? one.flops : most.flops;
        most.bytes = one.bytes > most.bytes ? one.bytes : most.bytes;
        most.known &= one.known;
    }
    w->flops += most.flops;
    w->bytes += most.bytes;
    w->known &= most.known;
}

/* Of steps [from, to), each `times` times. */
static void add(const weft_plan *p, uint32_t from, uint32_t to, double times, weft_work *w) {
    for (uint32_t i = from; i < to; i += weft_plan_span(&p->steps[i])) {
        const weft_plan_step *s = &p->steps[i];
        add_step(s, times, w);
        if (s->kind == WEFT_PLAN_CASE) add_branches(p, i, times, w);
        if (s->kind != WEFT_PLAN_LOOP) continue;
        w->known = w->known && s->trip_count >= 0;
        const double trips = (double)(s->trip_count < 0 ? p->assumed_trips : s->trip_count);
        add(p, i + 1, i + 1 + s->body_steps, times * trips, w);
    }
}

weft_work weft_plan_work(const weft_plan *p) {
    weft_work w = { .known = true };
    add(p, 0, p->step_count, 1, &w);
    return w;
}

/* ---- after one ---- */

static uint32_t turns_in(const weft_plan_step *s, uint32_t n) {
    uint32_t turns = 0;
    for (uint32_t i = 0; i < n; i++)
        turns += s[i].kind == WEFT_PLAN_LOOP ? 1 : s[i].kind == WEFT_PLAN_CASE ? s[i].branch_count : 0;
    return turns;
}

static weft_dtype dtype_of(const weft_plan_step *s, uint32_t n) {
    const weft_plan_step *most = s;
    for (uint32_t i = 1; i < n; i++)
        if (s[i].flops > most->flops) most = &s[i];
    return most->dtype;
}

/* Of n steps that ran `times` times. A loop's turns and a branch's runs are of all its calls together. */
static void add_done(const weft_plan_step *s, uint32_t n, double times, const int64_t **turns, weft_work *w) {
    for (uint32_t i = 0; i < n; i += weft_plan_span(&s[i])) {
        add_step(&s[i], times, w);
        if (s[i].kind == WEFT_PLAN_LIBRARY) {
            w->product_flops += times * s[i].flops;
            w->product_bytes += times * (double)(s[i].read_bytes + s[i].write_bytes);
        }
        if (s[i].kind == WEFT_PLAN_LOOP) {
            const double turned = (double)*(*turns)++;
            add_done(&s[i + 1], s[i].body_steps, turned, turns, w);
        } else if (s[i].kind == WEFT_PLAN_CASE) {
            const int64_t *ran = *turns;
            *turns += s[i].branch_count;
            for (uint32_t b = 0, from = i + 1; b < s[i].branch_count; from += s[i].branch_steps[b++])
                add_done(&s[from], s[i].branch_steps[b], (double)ran[b], turns, w);
        }
    }
}

weft_work weft_step_done(const weft_step_work *w, const int64_t *turns) {
    weft_work done = { .flops = w->flops, .bytes = w->bytes, .known = true };
    if (w->loop) add_done(w->loop, w->loop_steps, 1, &turns, &done);
    return done;
}

weft_step_work *weft_step_works(weft_arena *arena, const weft_executable *x) {
    const weft_plan *p = &x->plan;
    weft_step_work *works = weft_arena_array(arena, weft_step_work, x->step_count + 1u);
    uint32_t at = 0;
    for (uint32_t i = 0; works && i < x->step_count && at < p->step_count; i++) {
        const weft_plan_step *s = &p->steps[at];
        const bool function = s->kind == WEFT_PLAN_LOOP && x->steps[i].kind != WEFT_STEP_WHILE;
        const uint32_t n = function ? weft_plan_span(s) : 1;
        if (function) works[i] = (weft_step_work){ .dtype = dtype_of(s, n), .loop = s, .loop_steps = n,
                                                 .turns = turns_in(s, n) };
        else if (!x->steps[i].coll)
            works[i] = (weft_step_work){ .flops = s->flops, .bytes = (double)(s->read_bytes + s->write_bytes),
                                         .dtype = s->dtype };
        at += n;
    }
    return works;
}
