/* profile.c: see profile.h. */
#include "runtime/profile.h"
#include <string.h>

void weft_profile_begin(weft_profile *p) {
    p->event_count = 0;
    p->is_cut = false;
    for (int i = 0; i < p->helper_count; i++) p->helpers[i].n = 0, p->helpers[i].is_cut = false;
}

void weft_profile_end(weft_profile *p, double begin_s) {
    p->total_s += weft_team_now_s() - begin_s;
    p->executions++;
}

int64_t *weft_profile_turns(weft_profile *p, uint32_t step) {
    const weft_step_work *w = &p->works[step];
    if (!w->loop) return NULL;
    memset(p->turns, 0, w->turns * sizeof *p->turns);
    return p->turns;
}

void weft_profile_control(weft_profile *p, uint32_t step) { p->steps[step].calls++; }

void weft_profile_step(weft_profile *p, uint32_t step, double begin_s, int64_t sent, const char *algorithm) {
    const double end_s = weft_team_now_s();
    weft_step_time *t = &p->steps[step];
    const weft_work done = weft_step_done(&p->works[step], p->turns);
    const weft_step_figures did = { done.flops, done.bytes + (double)sent, done.product_flops,
                                    done.product_bytes };
    t->calls++;
    t->total_s += end_s - begin_s;
    t->sum.flops += did.flops;
    t->sum.bytes += did.bytes;
    t->sum.product_flops += did.product_flops;
    t->sum.product_bytes += did.product_bytes;
    if (p->event_count < p->event_room)
        p->events[p->event_count++] = (weft_step_event){ step, begin_s, end_s, did, algorithm };
    else p->is_cut = p->event_room > 0;
}
