/* profile.c: see profile.h. */
#include "runtime/profile.h"
#include <time.h>

double weft_profile_now_s(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void weft_profile_begin(weft_profile *p) {
    p->event_count = 0;
    p->is_cut = false;
}

void weft_profile_end(weft_profile *p, double begin_s) {
    p->total_s += weft_profile_now_s() - begin_s;
    p->executions++;
}

void weft_profile_step(weft_profile *p, uint32_t step, double begin_s, bool is_timed) {
    weft_step_time *t = &p->steps[step];
    t->calls++;
    if (!is_timed) return;
    const double end_s = weft_profile_now_s();
    t->total_s += end_s - begin_s;
    if (p->event_count < p->event_room) p->events[p->event_count++] = (weft_step_event){ step, begin_s, end_s };
    else p->is_cut = p->event_room > 0;
}
